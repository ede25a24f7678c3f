//! Values as text, in the notation of their engine: the parts that all notations share.
//!
//! | format | notation | where |
//! |---|---|---|
//! | Roblox attributes, remote packets | Luau | `Value::to_luau`, `Value::from_luau` |
//! | Godot Variant | GDScript, in the form of `var_to_str` | `Variant::to_gdscript`, `Variant::from_gdscript` |
//! | Scrap Mechanic LuaObject | Lua | `LuaSaveData::to_lua`, `LuaSaveData::from_lua` |
//!
//! The text is one line, and is read back as the same value, bit for bit. Where a language has no form for a value, this crate
//! adds one; `docs/notation.md` has a table of all of them.

mod error;
mod form;
mod lex;
mod lua;
mod nest;
mod number;
mod text;

pub use text::is_unprintable;

pub(crate) use error::{expected, invalid, shaped, Example, Failure, Read};
pub(crate) use form::{calls, Dialect, Form};
pub(crate) use lex::{call, comma, is_name, items, name, one_of, parenthesised, separator, sign, space, word};
pub(crate) use lua::{bare_key, character, is_bare_key, Lua};
pub(crate) use nest::{read_nested, write_frames, write_nested, written, Head, Nested, WriteNested};
pub(crate) use number::{is_whole, numbers, write_all, write_float, Special};
pub(crate) use text::{color_bytes, digits, escaped_char, hex_byte, push, quoted, write_quoted, Printable};

use nom::Parser;

/// A comma, and the argument after it.
pub(crate) fn after_comma<'t, T>(
    name: &'static str,
    mut argument: impl Parser<&'t str, Output = T, Error = Failure<'t>>,
) -> impl FnMut(&'t str) -> Read<'t, T> {
    move |input| match comma(input) {
        Ok((rest, ())) => argument.parse(rest),
        Err(_) => expected(space(input), format_args!("a comma and then {name}")),
    }
}
