//! The tables of types of formats that are written in Luau, and tables of Luau as their containers.
//!
//! | form | value |
//! |---|---|
//! | `17.5`, `"text"`, `Vector3.new(1, 2, 3)`, … | of the wanted type, otherwise of the type that the text shows |
//! | `Int(42)` | of the type that is named |
//! | `{1, 2}` | a list |
//! | `{Health = 100, ["a key"] = true}` | values with keys |

use std::fmt;
use std::marker::PhantomData;

use bstr::BStr;
use nom::sequence::delimited;
use nom::Parser;

use crate::notation::{
    bare_key, expected, is_bare_key, read_nested, separator, shaped, sign, space, word, write_frames, write_nested,
    write_quoted, Dialect, Example, Form, Head, Lua, Nested, Read, WriteNested,
};
use crate::wire::{ByteString, IntoByteString, ValueVec};
use crate::TextError;

/// The start of a text, if it makes the type clear.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lead {
    /// Nothing: the type has to be named.
    Nothing,
    Quote,
    Number,
    /// The name of the type.
    Name,
    /// One of these names, up to the first dot.
    Words(&'static [&'static str]),
    /// `{`, and keys if the type has them.
    Table,
}

/// The values that a type holds.
pub(crate) enum Kind {
    /// No other values.
    Leaf,
    List,
    Pairs,
}

/// A row of a table of types.
pub(crate) struct Row<V: LuauValue> {
    pub(crate) id: V::Id,
    pub(crate) name: &'static str,
    pub(crate) lead: Lead,
    pub(crate) kind: Kind,
    pub(crate) example: &'static str,
}

impl<V: LuauValue> Row<V> {
    fn shape(&self) -> Example {
        Example { name: self.name, example: self.example }
    }
}

/// The items of a container.
pub(crate) enum Items<'v, V: LuauValue> {
    List(std::slice::Iter<'v, V>),
    Pairs(std::slice::Iter<'v, V::Pair>),
}

/// A value of a format that is written in Luau. [`luau_types`] writes it from a table.
pub(crate) trait LuauValue: Sized {
    type Id: Copy + PartialEq + 'static;
    type Pair;
    const IDS: &'static [Self::Id];
    /// Makes the value of a table whose type is not given.
    const LIST: fn(ValueVec<Self>) -> Self;
    /// The same for a table with keys.
    const PAIRS: fn(ValueVec<Self::Pair>) -> Self;
    fn id(&self) -> Self::Id;
    fn row(id: Self::Id) -> Row<Self>;
    fn items(&self) -> Option<Items<'_, Self>>;
    fn read_leaf(id: Self::Id, input: &str) -> Read<'_, Self>;
    fn write_leaf(&self, out: &mut dyn fmt::Write) -> fmt::Result;
    fn pair(key: ByteString<'static>, value: Self) -> Self::Pair;
    fn parts(pair: &Self::Pair) -> (&BStr, &Self);
}

fn rows<V: LuauValue>() -> impl Iterator<Item = Row<V>> {
    V::IDS.iter().map(|id| V::row(*id))
}

/// Implements [`LuauValue`] from a table. Each row has the start of a text that makes the type clear, and an example. A type has
/// the form of the Rust value that it holds.
macro_rules! luau_types {
    (
        $value:ident, $type_id:ident, $pair:ident;
        nothing { $($unit:ident = $unit_text:literal;)* }
        leaves {
            $($leaf:ident $lead:ident $(($($word:literal)*))? $example:literal;)*
        }
        list $list:ident $list_example:literal;
        pairs $pairs:ident $pairs_example:literal;
    ) => {
        impl<'a> $crate::roblox::luau::LuauValue for $value<'a> {
            type Id = $type_id;
            type Pair = $pair<'a>;

            const IDS: &'static [$type_id] = $type_id::ALL;
            const LIST: fn($crate::wire::ValueVec<Self>) -> Self = $value::$list;
            const PAIRS: fn($crate::wire::ValueVec<$pair<'a>>) -> Self = $value::$pairs;

            fn id(&self) -> $type_id {
                self.type_id()
            }

            fn row(id: $type_id) -> $crate::roblox::luau::Row<Self> {
                use $crate::roblox::luau::{Kind, Lead};
                let (lead, kind, example) = match id {
                    $($type_id::$unit => (Lead::Words(&[$unit_text]), Kind::Leaf, $unit_text),)*
                    $($type_id::$leaf => (Lead::$lead $((&[$($word),*]))?, Kind::Leaf, $example),)*
                    $type_id::$list => (Lead::Table, Kind::List, $list_example),
                    $type_id::$pairs => (Lead::Table, Kind::Pairs, $pairs_example),
                };
                $crate::roblox::luau::Row { id, name: $crate::wire::TypeNumber::name(id), lead, kind, example }
            }

            fn items(&self) -> Option<$crate::roblox::luau::Items<'_, Self>> {
                use $crate::roblox::luau::Items;
                match self {
                    $value::$list(items) => Some(Items::List(items.iter())),
                    $value::$pairs(items) => Some(Items::Pairs(items.iter())),
                    _ => None,
                }
            }

            fn read_leaf(id: $type_id, input: &str) -> $crate::notation::Read<'_, Self> {
                match id {
                    $($type_id::$unit => {
                        $crate::notation::name($unit_text)(input).map(|(rest, ())| (rest, $value::$unit))
                    })*
                    $($type_id::$leaf => $crate::notation::Form::<$crate::notation::Lua>::read(input)
                        .map(|(rest, value)| (rest, $value::$leaf(value))),)*
                    _ => $crate::notation::expected(input, "a value that holds no others"),
                }
            }

            fn write_leaf(&self, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
                match self {
                    $($value::$unit => out.write_str($unit_text),)*
                    $($value::$leaf(value) => $crate::notation::Form::<$crate::notation::Lua>::write(value, out),)*
                    _ => Ok(()),
                }
            }

            fn pair(key: $crate::wire::ByteString<'static>, value: Self) -> $pair<'a> {
                $pair { key, value }
            }

            fn parts<'v>(pair: &'v $pair<'a>) -> (&'v bstr::BStr, &'v Self) {
                (bstr::BStr::new(pair.key.as_ref()), &pair.value)
            }
        }

        $crate::roblox::luau::luau_nodes! {
            $value, $type_id, $pair; list $list; pairs $pairs
        }
    };
}
pub(crate) use luau_types;

/// The methods of a value that is written in Luau. The attributes are the example of the documentation; the options limit the
/// depth of a value.
macro_rules! luau_methods {
    ($(#[$example:meta])* $value:ident, $type_id:ident, |$options:ident: &$Options:ident| $limited:expr) => {
        impl<'a> $value<'a> {
            /// The value in Luau, in one line, for use where its type is known: [`from_luau`](Self::from_luau) with the type
            /// gives the same value, bit for bit. `docs/notation.md` lists the form of each type.
            ///
            $(#[$example])*
            #[must_use]
            pub fn to_luau(&self) -> String {
                $crate::notation::written(|out| $crate::roblox::luau::write(self, false, out))
            }

            /// Writes the text that `Debug` shows for trees and paths.
            pub(crate) fn write_notation(&self, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
                $crate::roblox::luau::write(self, false, out)
            }

            /// The value in Luau with its type, where the text does not show it: [`from_luau`](Self::from_luau) without a type gives
            /// the same value, bit for bit.
            #[must_use]
            pub fn to_typed_luau(&self) -> String {
                $crate::notation::written(|out| $crate::roblox::luau::write(self, true, out))
            }

            /// Reads a value of this type, or without one a value of the type that the text shows.
            ///
            /// # Errors
            ///
            /// If the text is not such a value. The error has the place, the expected text, the text found, and the form of
            /// the type.
            pub fn from_luau(
                text: &str,
                type_id: Option<$type_id>,
            ) -> Result<$value<'static>, $crate::TextError> {
                $value::from_luau_with(text, type_id, &$Options::new())
            }

            /// The same, with the [depth](Options::limits) of these options.
            ///
            /// # Errors
            ///
            /// As for [`from_luau`](Self::from_luau).
            pub fn from_luau_with(
                text: &str,
                type_id: Option<$type_id>,
                $options: &$Options,
            ) -> Result<$value<'static>, $crate::TextError> {
                $crate::roblox::luau::read(text, type_id, $crate::limits::Limited::limits($limited).depth())
            }
        }
    };
}
pub(crate) use luau_methods;

/// Reads a text that is a value: of the wanted type, or of the type that the text shows.
pub(crate) fn read<V: LuauValue>(text: &str, wanted: Option<V::Id>, depth: u16) -> Result<V, TextError> {
    read_nested(&Luau(PhantomData), text, wanted, depth)
}

/// Writes a value, which shows its type if it is `alone`.
pub(crate) fn write<V: LuauValue>(value: &V, alone: bool, out: &mut dyn fmt::Write) -> fmt::Result {
    write_nested(&Luau(PhantomData), value, alone, out)
}

/// Adds the text of a value, which shows its type if it is `alone`.
pub(crate) fn write_to<V: LuauValue>(value: &V, alone: bool, to: &mut String) {
    if alone && value.items().is_none() {
        return write_alone(value, to);
    }
    // writing to memory does not fail
    let _ = write(value, alone, to);
}

/// Adds the text of a value that holds no others, which shows its type.
fn write_alone<V: LuauValue>(value: &V, to: &mut String) {
    let (row, start) = (V::row(value.id()), to.len());
    // writing to memory does not fail
    let _ = value.write_leaf(to);
    let text = to.get(start..).unwrap_or_default();
    // the text decides: a reference to nothing has a text that does not show its type
    let shows_type = match row.lead {
        Lead::Name => word(text).is_ok_and(|(_, name)| name == row.name),
        _ => shown::<V>(text).is_some_and(|found| found.id == row.id),
    };
    if !shows_type {
        to.insert_str(start, &format!("{}(", row.name));
        to.push(')');
    }
}

/// Writes values with keys.
pub(crate) fn write_pairs<V: LuauValue>(pairs: &[V::Pair], out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_char('{')?;
    let frame = Frame { items: Items::Pairs(pairs.iter()), is_first: true, is_named: false };
    write_frames(&Luau::<V>(PhantomData), Some(frame), out)
}

struct Luau<V>(PhantomData<fn() -> V>);

/// A table that is being read.
pub(crate) struct Open<V: LuauValue> {
    /// The kind of value that it has to be, if its type was named or wanted.
    kind: Option<Kind>,
    /// True if it is in parentheses after the name of its type.
    is_named: bool,
    list: Vec<V>,
    pairs: Vec<V::Pair>,
    /// The key of the item that is being read.
    key: Option<ByteString<'static>>,
}

impl<V: LuauValue> Open<V> {
    fn new(kind: Option<Kind>, is_named: bool) -> Self {
        Open { kind, is_named, list: Vec::new(), pairs: Vec::new(), key: None }
    }

    fn takes_list(&self) -> bool {
        self.pairs.is_empty() && !matches!(self.kind, Some(Kind::Pairs))
    }

    fn takes_pairs(&self) -> bool {
        self.list.is_empty() && !matches!(self.kind, Some(Kind::List))
    }
}

/// The row of the type that is clear from the start of a text, if that type holds no other values.
fn shown<V: LuauValue>(input: &str) -> Option<Row<V>> {
    let first = input.chars().next()?;
    let is_number = first.is_ascii_digit() || matches!(first, '-' | '.');
    // most texts begin with a number or a quote
    let name = if first.is_ascii_punctuation() || is_number { Err(()) } else { word(input).map_err(drop) };
    let name = name.map_or("", |(_, name)| name);
    rows::<V>().find(|row| match row.lead {
        Lead::Quote => matches!(first, '"' | '\''),
        Lead::Number => is_number || matches!(name, "math" | "nan"),
        Lead::Name => row.name == name,
        Lead::Words(words) => words.contains(&name),
        Lead::Nothing | Lead::Table => false,
    })
}

/// The name of a type, and the parenthesis after it.
fn named<V: LuauValue>(input: &str) -> Option<(&str, Row<V>)> {
    let (rest, name) = word(input).ok()?;
    let row = rows::<V>().find(|row| row.name == name)?;
    let (rest, ()) = sign('(')(rest).ok()?;
    Some((rest, row))
}

/// The key of an item.
fn key(input: &str) -> Option<Read<'_, ByteString<'static>>> {
    if let Some((rest, name)) = bare_key(input) {
        return Some(Ok((rest, name.to_owned().into_byte_string())));
    }
    let mut quoted = delimited(sign('['), <ByteString<'static> as Form<Lua>>::read, (sign(']'), sign('=')));
    input.starts_with('[').then(|| quoted.parse(input))
}

impl<V: LuauValue> Nested for Luau<V> {
    type Value = V;
    type Type = V::Id;
    type Open = Open<V>;

    fn head<'t>(&self, start: &'t str, wanted: Option<V::Id>) -> Read<'t, Head<V, Open<V>>> {
        let named = named::<V>(start);
        let is_named = named.is_some();
        let (input, row) = match (named, wanted) {
            (Some((_, row)), Some(wanted)) if row.id != wanted => return expected(start, V::row(wanted).shape()),
            (Some((inside, row)), _) => (space(inside), Some(row)),
            (None, wanted) => (start, wanted.map(V::row)),
        };
        let table = input.strip_prefix('{');
        let Some(row) = row.or_else(|| shown(input)) else {
            return match table {
                Some(rest) => Ok((rest, Head::Container(Open::new(None, false)))),
                None => expected(start, "a value such as true, 17.5, \"text\" or Vector3.new(1, 2, 3)"),
            };
        };
        shaped(row.shape(), input, |input| match (&row.kind, table) {
            (Kind::Leaf, _) => {
                let (rest, value) = V::read_leaf(row.id, input)?;
                let (rest, ()) = if is_named { sign(')')(rest)? } else { (rest, ()) };
                Ok((rest, Head::Value(value)))
            }
            (_, Some(rest)) => Ok((rest, Head::Container(Open::new(Some(row.kind), is_named)))),
            (_, None) => expected(input, row.shape()),
        })
    }

    fn next<'t>(&self, input: &'t str, open: &mut Open<V>, item: Option<V>) -> Read<'t, bool> {
        let mut input = space(input);
        if let Some(item) = item {
            match open.key.take() {
                Some(key) => open.pairs.push(V::pair(key, item)),
                None => open.list.push(item),
            }
            (input, ()) = separator(input, &[',', ';'], '}')?;
        }
        if let Some(rest) = input.strip_prefix('}') {
            let (rest, ()) = if open.is_named { sign(')')(rest)? } else { (rest, ()) };
            return Ok((rest, false));
        }
        match key(input) {
            Some(_) if !open.takes_pairs() => expected(input, "an item without a key, as those before it"),
            Some(key) => {
                let (rest, key) = key?;
                open.key = Some(key);
                Ok((rest, true))
            }
            None if !open.takes_list() => expected(input, "a key such as name = or [\"name\"] ="),
            None => Ok((input, true)),
        }
    }

    fn close(&self, open: Open<V>) -> V {
        let Open { kind, mut list, mut pairs, .. } = open;
        list.shrink_to_fit();
        pairs.shrink_to_fit();
        match kind {
            None | Some(Kind::Leaf) if pairs.is_empty() => V::LIST(list.into()),
            Some(Kind::List) => V::LIST(list.into()),
            _ => V::PAIRS(pairs.into()),
        }
    }
}

/// A container that is being written.
pub(crate) struct Frame<'v, V: LuauValue> {
    items: Items<'v, V>,
    is_first: bool,
    is_named: bool,
}

impl<'v, V: LuauValue> WriteNested<'v> for Luau<V>
where
    V: 'v,
    V::Pair: 'v,
{
    type Value = V;
    type Frame = Frame<'v, V>;

    fn head(&self, value: &'v V, alone: bool, out: &mut dyn fmt::Write) -> Result<Option<Frame<'v, V>>, fmt::Error> {
        let row = V::row(value.id());
        let Some(items) = value.items() else {
            if !alone {
                return value.write_leaf(out).map(|()| None);
            }
            let mut text = String::new();
            write_alone(value, &mut text);
            return out.write_str(&text).map(|()| None);
        };
        // an empty table is a list
        let is_shown = matches!(row.lead, Lead::Table) && !matches!(&items, Items::Pairs(pairs) if pairs.len() == 0);
        let is_named = alone && !is_shown;
        if is_named {
            write!(out, "{}(", row.name)?;
        }
        out.write_char('{')?;
        Ok(Some(Frame { items, is_first: true, is_named }))
    }

    fn next(&self, frame: &mut Frame<'v, V>, out: &mut dyn fmt::Write) -> Result<Option<&'v V>, fmt::Error> {
        let item = match &mut frame.items {
            Items::List(items) => items.next().map(|item| (None, item)),
            Items::Pairs(pairs) => pairs.next().map(|pair| {
                let (key, item) = V::parts(pair);
                (Some(key), item)
            }),
        };
        let Some((key, item)) = item else {
            out.write_str(if frame.is_named { "})" } else { "}" })?;
            return Ok(None);
        };
        if !std::mem::take(&mut frame.is_first) {
            out.write_str(", ")?;
        }
        match key {
            Some(key) if is_bare_key(key) => write!(out, "{key} = ")?,
            Some(key) => {
                out.write_char('[')?;
                write_quoted(key, Lua::PRINTABLE, out)?;
                out.write_str("] = ")?;
            }
            None => {}
        }
        Ok(Some(item))
    }
}
