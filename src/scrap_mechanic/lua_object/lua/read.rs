//! Reading values, and tables above all.

use nom::branch::alt;
use nom::sequence::preceded;
use nom::Parser;

use super::leaf::{number, read_leaf, shape, shown};
use super::write::Style;
use crate::notation::{
    bare_key, comma, expected, name, separator, shaped, sign, space, word, Form, Head, Lua, Nested, Read,
};
use crate::scrap_mechanic::lua_object::{LuaSaveData, LuaSaveDataType, Table, TableKeyValuePair};
use crate::wire::IntoByteString;

/// Reads values.
pub(super) struct LuaNotation;

/// A table that is being read.
pub(super) struct Open {
    style: Style,
    /// The number of parentheses around it.
    parentheses: u8,
    /// Values without keys, as long as there are no others.
    elements: Vec<LuaSaveData<'static>>,
    /// All values, as soon as one has a key.
    pairs: Vec<TableKeyValuePair<'static>>,
    /// The key of the next value without one.
    next: i32,
    key: Key,
}

/// The state of the key of the item that is being read.
enum Key {
    /// It has none.
    None,
    /// The item is a key itself, in brackets.
    InBrackets,
    Known(LuaSaveData<'static>),
}

impl Open {
    /// Gives the values without keys those of a list.
    fn number(&mut self) {
        let elements = std::mem::take(&mut self.elements);
        self.pairs.extend(elements.into_iter().zip(1..).map(|(value, key)| numbered(key, value)));
    }

    fn add(&mut self, key: Option<LuaSaveData<'static>>, value: LuaSaveData<'static>) {
        if let Some(key) = key {
            self.number();
            self.pairs.push(TableKeyValuePair { key, value });
            return;
        }
        match self.pairs.is_empty() {
            true => self.elements.push(value),
            false => self.pairs.push(numbered(self.next, value)),
        }
        self.next = self.next.saturating_add(1);
    }
}

fn numbered(key: i32, value: LuaSaveData<'static>) -> TableKeyValuePair<'static> {
    TableKeyValuePair { key: LuaSaveData::integer(key), value }
}

/// Reads the start of a table: `{`, `Array(0, {` or `Pairs({`. The name of its type, which may be around it, has been read.
fn table_head<'t>(input: &'t str, mut parentheses: u8) -> Read<'t, Head<LuaSaveData<'static>, Open>> {
    let array = |input: &'t str| -> Read<'t, Style> {
        let (rest, ()) = sign('(')(name("Array")(input)?.0)?;
        let (rest, offset) = <i32 as Form<Lua>>::read(rest)?;
        Ok((comma(rest)?.0, Style::Array(offset)))
    };
    let pairs = preceded(name("Pairs"), sign('(')).map(|()| Style::Pairs);
    let (rest, style) = match alt((array, pairs)).parse(input) {
        Ok((rest, style)) => {
            parentheses = parentheses.saturating_add(1);
            (rest, style)
        }
        Err(error) if input.starts_with("Array(") => return Err(error),
        Err(_) => (input, Style::Plain),
    };
    match space(rest).strip_prefix('{') {
        Some(rest) => {
            let (elements, pairs) = (Vec::new(), Vec::new());
            Ok((rest, Head::Container(Open { style, parentheses, elements, pairs, next: 1, key: Key::None })))
        }
        None => expected(space(rest), shape(LuaSaveDataType::Table)),
    }
}

impl Nested for LuaNotation {
    type Value = LuaSaveData<'static>;
    type Type = LuaSaveDataType;
    type Open = Open;

    fn head<'t>(&self, start: &'t str, wanted: Option<LuaSaveDataType>) -> Read<'t, Head<LuaSaveData<'static>, Open>> {
        let called = word(start).ok().and_then(|(rest, called)| Some((sign('(')(rest).ok()?.0, called)));
        let id = |name| LuaSaveDataType::ALL.iter().find(|id| id.name() == name);
        let named = called.and_then(|(inside, called)| Some((space(inside), *id(called)?)));
        let (input, id) = match (named, wanted) {
            (Some((_, id)), Some(wanted)) if id != wanted => return expected(start, shape(wanted)),
            (Some((inside, id)), _) => (inside, Some(id)),
            (None, wanted) => (start, wanted),
        };
        let parentheses = u8::from(named.is_some());
        let is_table = input.starts_with('{') || matches!(called, Some((_, "Array" | "Pairs")));
        if is_table && id.unwrap_or(LuaSaveDataType::Table) == LuaSaveDataType::Table {
            return table_head(input, parentheses);
        }
        let value = |(rest, value)| (rest, Head::Value(value));
        let Some(id) = id.or_else(|| shown(input)) else {
            return number(input)
                .or_else(|error| match word(input) {
                    Ok((_, "math" | "nan")) => Err(error),
                    _ if input.starts_with(|first: char| first.is_ascii_digit() || "-.".contains(first)) => Err(error),
                    _ => expected(start, "a value such as true, 5, \"text\", {1, 2} or sm.vec3.new(1, 2, 3)"),
                })
                .map(value);
        };
        shaped(shape(id), input, |input| match id {
            LuaSaveDataType::Table => table_head(input, parentheses),
            id => {
                let (rest, leaf) = read_leaf(id, input)?;
                let (rest, ()) = if parentheses > 0 { sign(')')(rest)? } else { (rest, ()) };
                Ok(value((rest, leaf)))
            }
        })
    }

    fn next<'t>(&self, input: &'t str, open: &mut Open, item: Option<LuaSaveData<'static>>) -> Read<'t, bool> {
        let mut input = space(input);
        if let Some(item) = item {
            match std::mem::replace(&mut open.key, Key::None) {
                Key::InBrackets => {
                    let (rest, _) = (sign(']'), sign('=')).parse(input)?;
                    open.key = Key::Known(item);
                    return Ok((rest, true));
                }
                Key::Known(key) => open.add(Some(key), item),
                Key::None => open.add(None, item),
            }
            (input, ()) = separator(input, &[',', ';'], '}')?;
        }
        if let Some(mut rest) = input.strip_prefix('}') {
            for _ in 0..open.parentheses {
                (rest, ()) = sign(')')(rest)?;
            }
            return Ok((rest, false));
        }
        let bracket = input.strip_prefix('[');
        if bracket.is_none() && bare_key(input).is_none() {
            return Ok((input, true));
        }
        if matches!(open.style, Style::Array(_)) {
            return expected(input, "an element without a key");
        }
        if let Some((rest, key)) = bare_key(input) {
            open.key = Key::Known(LuaSaveData::String(key.to_owned().into_byte_string()));
            return Ok((rest, true));
        }
        open.key = Key::InBrackets;
        Ok((bracket.unwrap_or_default(), true))
    }

    fn close(&self, mut open: Open) -> LuaSaveData<'static> {
        open.elements.shrink_to_fit();
        if open.style == Style::Pairs {
            open.number();
        }
        open.pairs.shrink_to_fit();
        let Open { style, elements, pairs, .. } = open;
        LuaSaveData::Table(match style {
            Style::Array(offset) => Table::Array { offset, elements: elements.into() },
            Style::Pairs => Table::Pairs(pairs.into()),
            Style::Plain if !pairs.is_empty() => {
                Table::from_entries(pairs.into_iter().map(|TableKeyValuePair { key, value }| (key, value)))
            }
            Style::Plain if elements.is_empty() => Table::default(),
            Style::Plain => Table::list(elements),
        })
    }
}
