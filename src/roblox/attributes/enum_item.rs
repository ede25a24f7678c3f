//! EnumItem.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::options::Options;
use super::string::{gen_string, string};
use crate::structure::structure;
use crate::wire::{field, field_value, gen_uint32, uint32, ByteString, Le, Source, WireError};

structure! {
    /// An item of an enum. Neither the name nor the number is checked against the enums that exist.
    ///
    /// | field | type |
    /// |---|---|
    /// | enum | String |
    /// | value | uint32 |
    pub struct EnumItem<'a> {
        /// The name of the enum: `Material`.
        pub enum_name: ByteString<'a>,
        /// The number of the item.
        pub value: u32,
    }
}

/// Reads an [`EnumItem`].
///
/// In little-endian, the bytes `08 00 00 00 4d 61 74 65 72 69 61 6c 00 02 00 00` are item 512 of `Material`. Only too few bytes
/// are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section EnumItem.
#[inline]
pub fn enum_item<'a, I, E>() -> impl Parser<I, Output = EnumItem<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    (field("enum", string()), field("value", uint32::<Le, I, E>()))
        .map(|(enum_name, value)| EnumItem { enum_name, value })
}

/// Writes an [`EnumItem`], as [`enum_item`] reads it. A name that is too long is refused.
#[inline]
pub fn gen_enum_item<'v, W: Write + 'v>(item: &'v EnumItem<'_>) -> impl SerializeFn<W> + 'v {
    let EnumItem { enum_name, value } = item;
    let (enum_name, value) = (gen_string(enum_name), gen_uint32::<Le, W>(*value));
    move |out: WriteContext<W>| value(enum_name(out)?)
}

field_value!(Options: EnumItem<'a> = |nesting, value| enum_item(), gen_enum_item(value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("08 00 00 00 4d 61 74 65 72 69 61 6c 00 02 00 00");
        let item = EnumItem { enum_name: "Material".into(), value: 512 };
        both_ways(&bytes, item.clone(), enum_item, gen_enum_item(&item));
    }
}
