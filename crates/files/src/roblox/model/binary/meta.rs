//! META.

use std::io::Write;

use bstr::BStr;
use cookie_factory::multi::all;
use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use enginewire::wire::{
    field, flat_map, gen_length, gen_length_prefixed, length_prefixed, repeat, uint32, ByteString, Le, Source,
    WireError,
};

/// The metadata of a file: the data of a META chunk.
///
/// | field | type |
/// |---|---|
/// | count | uint32 |
/// | entries | `count` times: key, a String, and value, a String |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta<'a> {
    /// Keys and values.
    pub entries: Vec<(ByteString<'a>, ByteString<'a>)>,
}

/// Reads the data of a META chunk.
///
/// Specification: `docs/spec/roblox-model-files.md`, section META.
#[inline]
pub fn meta<'a, I, E>() -> impl Parser<I, Output = Meta<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("count", uint32::<Le, I, E>()), |count| {
        let text = length_prefixed::<Le, I, E>;
        let entry = (field("key", text()), field("value", text()))
            .map(|(key, value): (&'a BStr, &'a BStr)| (key.into(), value.into()));
        field("entries", repeat(count, 8, entry)).map(|entries| Meta { entries })
    })
}

/// Writes the data of a META chunk.
pub fn gen_meta<'v, W: Write + 'v>(meta: &'v Meta<'_>) -> impl SerializeFn<W> + 'v {
    let entry = |(key, value): &'v (_, _)| {
        tuple((gen_length_prefixed::<Le, W>(text(key)), gen_length_prefixed::<Le, W>(text(value))))
    };
    tuple((gen_length::<Le, W>(meta.entries.len()), all(meta.entries.iter().map(entry))))
}

fn text<'v>(text: &'v ByteString<'_>) -> &'v [u8] {
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let value = Meta { entries: vec![(BStr::new("A").into(), BStr::new("true").into())] };
        let bytes = hex("01 00 00 00 01 00 00 00 41 04 00 00 00 74 72 75 65");
        both_ways(&bytes, value.clone(), meta, gen_meta(&value));
    }
}
