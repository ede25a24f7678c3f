//! Items of enums, by name: `Enum.Material.Grass`.
//!
//! | form | what |
//! |---|---|
//! | `Enum.Material.Grass` | an item that the table has |
//! | `Enum.Material:FromValue(1280)` | an item by its number |
//! | `Enum["my enum"]:FromValue(3)` | the same, of an enum whose name is not one for Luau |
//!
//! The table `enums.txt` is that of Roblox 0.741, as the reflection database of Rojo (MIT licence) has it: an enum a line, with
//! the names and numbers of its items. Of a number with several names, the first is written. `crates/files/tests/peers/tables.rs` compares it with that
//! database, and writes it anew.

use std::fmt;
use std::sync::OnceLock;

use nom::bytes::complete::tag;
use nom::character::complete::char;
use nom::sequence::{delimited, preceded};
use nom::Parser;

use crate::notation::{expected, is_name, parenthesised, space, word, write_quoted, Dialect, Form, Lua, Read};
use crate::wire::{ByteString, IntoByteString};

/// An enum: its name, and its items with their numbers.
type Enum = (&'static str, Vec<(&'static str, u32)>);

/// The table, in the order of the names.
fn enums() -> &'static [Enum] {
    static ENUMS: OnceLock<Vec<Enum>> = OnceLock::new();
    let item = |item: &'static str| {
        let (name, number) = item.split_once('=')?;
        Some((name, number.parse().ok()?))
    };
    ENUMS.get_or_init(|| {
        let lines = include_str!("enums.txt").lines().filter_map(|line| line.split_once(' '));
        lines.map(|(name, items)| (name, items.split(' ').filter_map(item).collect())).collect()
    })
}

/// The items of an enum, with their numbers.
fn items(enum_name: &[u8]) -> &'static [(&'static str, u32)] {
    let found = enums().binary_search_by(|(name, _)| name.as_bytes().cmp(enum_name)).ok();
    found.and_then(|index| enums().get(index)).map_or(&[], |(_, items)| items)
}

/// An item of any enum: the name of the enum, and the number.
pub(crate) fn item<'t>(input: &'t str) -> Read<'t, (ByteString<'static>, u32)> {
    let input = space(input);
    let quoted = delimited(char('['), <ByteString<'static> as Form<Lua>>::read, char(']'));
    let named = preceded(char('.'), word).map(|name: &str| name.to_owned().into_byte_string());
    let Ok((rest, enum_name)) = preceded(tag("Enum"), nom::branch::alt((named, quoted))).parse(input) else {
        return expected(input, "an item of an enum such as Enum.Material.Grass");
    };
    if let Ok((rest, ())) = crate::notation::sign(':')(rest) {
        let (rest, ()) = crate::notation::name("FromValue")(rest)?;
        let (rest, number) = parenthesised(<u32 as Form<Lua>>::read).parse(rest)?;
        return Ok((rest, (enum_name, number)));
    }
    let at = rest;
    let name = preceded(char::<_, crate::notation::Failure<'_>>('.'), word).parse(rest);
    let found = name.ok().and_then(|(rest, name)| {
        let (_, number) = items(&enum_name).iter().find(|(item, _)| *item == name)?;
        Some((rest, *number))
    });
    match found {
        Some((rest, number)) => Ok((rest, (enum_name, number))),
        None => expected(at, Known(&enum_name)),
    }
}

/// Describes the text that may follow the name of an enum.
struct Known<'e>(&'e [u8]);

impl fmt::Display for Known<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match items(self.0).first() {
            Some((name, _)) => write!(f, "a known item such as .{name}, or :FromValue(1)"),
            None => f.write_str(":FromValue(1), for this enum is not known"),
        }
    }
}

/// Writes an item.
pub(crate) fn write_item(enum_name: &[u8], number: u32, out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str("Enum")?;
    match std::str::from_utf8(enum_name) {
        Ok(name) if is_name(enum_name) => write!(out, ".{name}")?,
        _ => {
            out.write_char('[')?;
            write_quoted(enum_name, Lua::PRINTABLE, out)?;
            out.write_char(']')?;
        }
    }
    match items(enum_name).iter().find(|(_, found)| *found == number) {
        Some((name, _)) => write!(out, ".{name}"),
        None => write!(out, ":FromValue({number})"),
    }
}

/// The number of an item of one enum, or just a number.
pub(crate) fn item_of<'t>(enum_name: &'static str) -> impl Fn(&'t str) -> Read<'t, u32> {
    move |input| {
        let input = space(input);
        if !input.starts_with("Enum") {
            return <u32 as Form<Lua>>::read(input);
        }
        match item(input)? {
            (rest, (name, number)) if name.as_ref() == enum_name.as_bytes() => Ok((rest, number)),
            _ => expected(input, format_args!("an item of Enum.{enum_name}")),
        }
    }
}

/// Members of a set of bits, as the items of an enum. Bits without a name are written as a number.
pub(crate) struct Bits {
    /// The name of the function that is called.
    pub(crate) name: &'static str,
    pub(crate) enum_name: &'static str,
    /// The members, each with its bit.
    pub(crate) members: &'static [(&'static str, u32)],
}

impl Bits {
    /// Reads `Faces.new(Enum.NormalId.Top, Enum.NormalId.Left)`.
    pub(crate) fn read<'t>(&self, input: &'t str) -> Read<'t, u32> {
        let (rest, ()) = crate::notation::name(self.name)(input)?;
        let member = |input: &'t str| -> Read<'t, u32> {
            if !input.starts_with("Enum") {
                return <u32 as Form<Lua>>::read(input);
            }
            let named = |input| preceded((tag("Enum."), tag(self.enum_name), char('.')), word).parse(input);
            let read: Read<'t, &str> = named(input);
            let found = read.ok().and_then(|(rest, name)| {
                let (_, bit) = self.members.iter().find(|(member, _)| *member == name)?;
                Some((rest, *bit))
            });
            let example = self.members.first().map_or("", |(name, _)| name);
            found.map_or_else(|| expected(input, format_args!("an item such as Enum.{}.{example}", self.enum_name)), Ok)
        };
        let (rest, bits) = crate::notation::items('(', ')', member)(rest)?;
        Ok((rest, bits.into_iter().fold(0, |all, bit| all | bit)))
    }

    pub(crate) fn write(&self, bits: u32, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{}(", self.name)?;
        let mut separator = "";
        for (name, _) in self.members.iter().filter(|(_, bit)| bits & bit != 0) {
            write!(out, "{separator}Enum.{}.{name}", self.enum_name)?;
            separator = ", ";
        }
        let unnamed = self.members.iter().fold(bits, |left, (_, bit)| left & !bit);
        if unnamed != 0 {
            write!(out, "{separator}{unnamed:#x}")?;
        }
        out.write_char(')')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_table_is_sorted_and_whole() {
        assert!(enums().is_sorted() && enums().len() > 600);
        for (name, items) in enums() {
            assert!(is_name(name.as_bytes()) && !items.is_empty(), "{name}");
        }
        // every item could be read
        let written: usize = enums().iter().map(|(_, items)| items.len()).sum();
        assert_eq!(written, include_str!("enums.txt").matches('=').count());
        assert_eq!(items(b"Material").iter().find(|(name, _)| *name == "Grass"), Some(&("Grass", 1280)));
        assert_eq!(items(b"Nothing"), []);
    }
}
