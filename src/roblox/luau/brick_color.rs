//! BrickColor, by name or number: `BrickColor.new("Bright red")`, `BrickColor.new(21)`.
//!
//! `brick_colors.txt` is the palette: one number and name per line. Four names have several numbers; such a name is read as the
//! first of them. `crates/files/tests/peers/tables.rs` compares it with the palette of `rbx_types`, and writes it anew.

use std::fmt;
use std::sync::OnceLock;

use nom::branch::alt;
use nom::Parser;

use crate::notation::{call, expected, write_quoted, Dialect, Form, Lua, Read};
use crate::roblox::datatypes::BrickColor;
use crate::wire::ByteString;

/// The colours, in the order of their numbers.
fn palette() -> &'static [(u32, &'static str)] {
    static PALETTE: OnceLock<Vec<(u32, &str)>> = OnceLock::new();
    PALETTE.get_or_init(|| {
        let rows = include_str!("brick_colors.txt").lines().filter_map(|line| line.split_once(' '));
        rows.filter_map(|(number, name)| Some((number.parse().ok()?, name))).collect()
    })
}

/// True for a colour that Roblox has.
pub(crate) fn is_of_palette(BrickColor(number): BrickColor) -> bool {
    palette().binary_search_by_key(&number, |(number, _)| *number).is_ok()
}

fn number_of(name: &[u8]) -> Option<u32> {
    palette().iter().find(|(_, found)| found.as_bytes() == name).map(|(number, _)| *number)
}

fn name_of(number: u32) -> Option<&'static str> {
    let index = palette().binary_search_by_key(&number, |(number, _)| *number).ok()?;
    let (_, name) = palette().get(index)?;
    (number_of(name.as_bytes()) == Some(number)).then_some(name)
}

/// The name in quotes of a colour.
fn named(input: &str) -> Read<'_, u32> {
    let (rest, name) = <ByteString<'_> as Form<Lua>>::read(input)?;
    match number_of(&name) {
        Some(number) => Ok((rest, number)),
        None => expected(crate::notation::space(input), "the name of a colour such as \"Bright red\""),
    }
}

impl Form<Lua> for BrickColor {
    fn read(input: &str) -> Read<'_, Self> {
        call("BrickColor.new", alt((named, <u32 as Form<Lua>>::read))).map(BrickColor).parse(input)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str("BrickColor.new(")?;
        match name_of(self.0) {
            Some(name) => write_quoted(name.as_bytes(), Lua::PRINTABLE, out)?,
            None => write!(out, "{}", self.0)?,
        }
        out.write_char(')')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_names_are_those_of_the_palette() {
        assert!((0..2000)
            .all(|number| { BrickColor(number).is_known() == palette().iter().any(|(found, _)| *found == number) }));
        assert_eq!(palette().len(), 208);
        assert!(palette().is_sorted());
        assert_eq!((name_of(21), number_of(b"Bright red")), (Some("Bright red"), Some(21)));
        // of a name that several have
        assert_eq!(palette().iter().filter(|(number, _)| name_of(*number).is_none()).count(), 4);
    }
}
