//! EnumItem.

use std::io::Write;

use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::super::options::ValueOptions;
use crate::structure::structure;
use crate::wire::{field, field_value, gen_uint16, gen_varint32, uint16, varint32, Be, Source, WireError};

structure! {
    /// An item of an enum, by numbers.
    ///
    /// | field | type |
    /// |---|---|
    /// | enum | uint16 |
    /// | value | LEB128 |
    #[derive(Copy, Eq)]
    pub struct EnumItem {
        /// The number of the enum in the schema of the session.
        pub enum_id: u16,
        /// The number of the item.
        pub value: u32,
    }
}

/// Reads an [`EnumItem`].
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section EnumItem.
#[inline]
pub fn enum_item<I: Source, E: WireError<I>>() -> impl Parser<I, Output = EnumItem, Error = E> {
    (field("enum", uint16::<Be, I, E>()), field("value", varint32()))
        .map(|(enum_id, value)| EnumItem { enum_id, value })
}

/// Writes an [`EnumItem`].
#[inline]
pub fn gen_enum_item<W: Write>(EnumItem { enum_id, value }: EnumItem) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| gen_varint32(value)(gen_uint16::<Be, W>(enum_id)(out)?)
}

field_value!(ValueOptions: EnumItem = |nesting, value| enum_item(), gen_enum_item(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn example() {
        let item = EnumItem { enum_id: 52, value: 3 };
        both_ways(&hex("0034 03"), item, enum_item, gen_enum_item(item));
    }
}
