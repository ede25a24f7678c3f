//! Writing values, and tables above all.

use std::fmt;
use std::marker::PhantomData;

use super::leaf::{has_to_be_named, write_leaf};
use crate::notation::{is_bare_key, WriteNested};
use crate::scrap_mechanic::lua_object::{LuaSaveData, Table, TableKeyValuePair};

/// The notation of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `{1, 2}`: the array with keys from 1 on, or what the game makes of the keys that there are.
    Plain,
    /// `Array(0, {1, 2})`: an array whose first key is another, or an empty one.
    Array(i32),
    /// `Pairs({[1] = true})`: keys that the game would leave out.
    Pairs,
}

fn style(table: &Table<'_>) -> Style {
    match table {
        Table::Array { offset: 1, elements } if !elements.is_empty() => Style::Plain,
        Table::Array { offset, .. } => Style::Array(*offset),
        Table::Pairs(pairs) => {
            let first = pairs.first().and_then(|pair| pair.key.as_integer()).map(i64::from);
            let are_consecutive =
                |first: i64| (first..).zip(pairs).all(|(key, pair)| pair.key.as_integer().map(i64::from) == Some(key));
            match first.is_some_and(are_consecutive) {
                true => Style::Pairs,
                false => Style::Plain,
            }
        }
    }
}

/// Writes values that borrow for `'a`.
pub(super) struct Writer<'a>(pub(super) PhantomData<LuaSaveData<'a>>);

/// A table that is being written.
pub(super) struct Frame<'v, 'a> {
    elements: std::slice::Iter<'v, LuaSaveData<'a>>,
    pairs: std::slice::Iter<'v, TableKeyValuePair<'a>>,
    /// The value whose key was written, in brackets that are still open.
    value: Option<&'v LuaSaveData<'a>>,
    is_first: bool,
    /// The text after the table.
    end: &'static str,
}

impl<'v, 'a: 'v> WriteNested<'v> for Writer<'a> {
    type Value = LuaSaveData<'a>;
    type Frame = Frame<'v, 'a>;

    fn head(
        &self,
        value: &'v LuaSaveData<'a>,
        alone: bool,
        out: &mut dyn fmt::Write,
    ) -> Result<Option<Frame<'v, 'a>>, fmt::Error> {
        let Some(table) = value.as_table() else {
            let is_named = alone && has_to_be_named(value);
            if is_named {
                write!(out, "{}(", value.type_id().name())?;
            }
            write_leaf(value, out)?;
            out.write_str(if is_named { ")" } else { "" })?;
            return Ok(None);
        };
        let style = style(table);
        match style {
            Style::Plain => out.write_char('{')?,
            Style::Array(offset) => write!(out, "Array({offset}, {{")?,
            Style::Pairs => out.write_str("Pairs({")?,
        }
        let (elements, pairs) = match table {
            Table::Array { elements, .. } => (elements.iter(), [].iter()),
            Table::Pairs(pairs) => ([].iter(), pairs.iter()),
        };
        let end = if style == Style::Plain { "}" } else { "})" };
        Ok(Some(Frame { elements, pairs, value: None, is_first: true, end }))
    }

    fn next(
        &self,
        frame: &mut Frame<'v, 'a>,
        out: &mut dyn fmt::Write,
    ) -> Result<Option<&'v LuaSaveData<'a>>, fmt::Error> {
        if let Some(value) = frame.value.take() {
            out.write_str("] = ")?;
            return Ok(Some(value));
        }
        let (element, pair) = (frame.elements.next(), frame.pairs.next());
        if element.is_none() && pair.is_none() {
            out.write_str(frame.end)?;
            return Ok(None);
        }
        if !std::mem::take(&mut frame.is_first) {
            out.write_str(", ")?;
        }
        let Some(TableKeyValuePair { key, value }) = pair else { return Ok(element) };
        match key.as_str().filter(|name| is_bare_key(name.as_bytes())) {
            Some(name) => {
                write!(out, "{name} = ")?;
                Ok(Some(value))
            }
            None => {
                out.write_char('[')?;
                frame.value = Some(value);
                Ok(Some(key))
            }
        }
    }
}
