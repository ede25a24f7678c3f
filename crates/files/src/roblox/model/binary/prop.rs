//! PROP.

use std::io::Write;

use bstr::BStr;
use cookie_factory::multi::all;
use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use enginewire::wire::{
    field, gen_length_prefixed, gen_uint32, gen_uint8, length_prefixed, repeat, uint32, uint8, ByteString, Le, Source,
    WireError,
};

/// The value type of strings, which can have any bytes.
pub const STRING: u8 = 0x01;

/// The value type of shared strings, which are in the SSTR chunk.
pub const SHARED_STRING: u8 = 0x1c;

/// The start of the data of a PROP chunk: its class and its property.
///
/// | field | type |
/// |---|---|
/// | class_id | uint32 |
/// | name | String |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropHead<'a> {
    /// The id of the class, as in its INST chunk.
    pub class_id: u32,
    /// The name of the property.
    pub name: ByteString<'a>,
}

/// Reads a [`PropHead`].
///
/// Specification: `docs/spec/roblox-model-files.md`, section PROP.
#[inline]
pub fn prop_head<'a, I, E>() -> impl Parser<I, Output = PropHead<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    (field("class_id", uint32::<Le, I, E>()), field("name", length_prefixed::<Le, I, E>()))
        .map(|(class_id, name)| PropHead { class_id, name: name.into() })
}

/// Writes a [`PropHead`].
pub fn gen_prop_head<'v, W: Write + 'v>(head: &'v PropHead<'_>) -> impl SerializeFn<W> + 'v {
    tuple((gen_uint32::<Le, W>(head.class_id), gen_length_prefixed::<Le, W>(&head.name)))
}

/// A property whose values are strings: the data of a PROP chunk of value type 1.
///
/// | field | type |
/// |---|---|
/// | head | [`PropHead`] |
/// | value_type | uint8, 1 |
/// | values | a String for each instance of the class |
///
/// The values of other value types have other layouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringProp<'a> {
    /// The class and the property.
    pub head: PropHead<'a>,
    /// The values, in the order of the referents of the class.
    pub values: Vec<ByteString<'a>>,
}

/// Reads `count` strings, one for each instance of the class.
///
/// Specification: `docs/spec/roblox-model-files.md`, section PROP.
#[inline]
pub fn string_values<'a, I, E>(count: u32) -> impl Parser<I, Output = Vec<ByteString<'a>>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    repeat(count, 4, length_prefixed::<Le, I, E>().map(ByteString::from))
}

/// Reads the value type of a property.
///
/// Specification: `docs/spec/roblox-model-files.md`, section PROP.
#[inline]
pub fn value_type<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u8, Error = E> {
    uint8()
}

/// Writes the data of a PROP chunk of strings.
pub fn gen_string_prop<'v, W: Write + 'v>(prop: &'v StringProp<'_>) -> impl SerializeFn<W> + 'v {
    let value = |value: &'v ByteString<'_>| gen_length_prefixed::<Le, W>(value);
    tuple((gen_prop_head(&prop.head), gen_uint8(STRING), all(prop.values.iter().map(value))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let head = PropHead { class_id: 2, name: BStr::new("Tags").into() };
        let values = vec![BStr::new("a\0b").into(), BStr::new("").into()];
        let bytes = hex("02 00 00 00 04 00 00 00 54 61 67 73 01 03 00 00 00 61 00 62 00 00 00 00");
        let value = StringProp { head: head.clone(), values: values.clone() };
        let prop = || (prop_head(), value_type(), string_values(2));
        both_ways(&bytes, (head, STRING, values), prop, gen_string_prop(&value));
    }
}
