//! SSTR.

use std::io::Write;

use bstr::BStr;
use cookie_factory::multi::all;
use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use crate::wire::{
    field, fixed, flat_map, gen_bytes, gen_length, gen_length_prefixed, gen_uint32, length_prefixed, repeat, uint32,
    ByteString, Le, Source, WireError,
};

/// The shared strings of a file: the data of an SSTR chunk.
///
/// | field | type |
/// |---|---|
/// | version | uint32, 0 |
/// | count | uint32 |
/// | strings | `count` times [`SharedString`] |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sstr<'a> {
    /// 0 in every file known.
    pub version: u32,
    /// The strings. Properties refer to them by index.
    pub strings: Vec<SharedString<'a>>,
}

/// A string that several properties can refer to.
///
/// | field | type |
/// |---|---|
/// | hash | 16 bytes, which Roblox Studio does not check |
/// | content | String |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedString<'a> {
    /// The hash, which nothing here verifies.
    pub hash: [u8; 16],
    /// The string.
    pub content: ByteString<'a>,
}

/// The fewest bytes that a [`SharedString`] takes.
const SMALLEST: usize = 20;

/// Reads a [`SharedString`].
///
/// Specification: `docs/spec/roblox-model-files.md`, section SSTR.
#[inline]
pub fn shared_string<'a, I, E>() -> impl Parser<I, Output = SharedString<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    (field("hash", fixed::<16, I, E>()), field("content", length_prefixed::<Le, I, E>()))
        .map(|(hash, content)| SharedString { hash, content: content.into() })
}

/// Reads the data of an SSTR chunk.
///
/// Specification: `docs/spec/roblox-model-files.md`, section SSTR.
#[inline]
pub fn sstr<'a, I, E>() -> impl Parser<I, Output = Sstr<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map((field("version", uint32::<Le, I, E>()), field("count", uint32::<Le, I, E>())), |(version, count)| {
        field("strings", repeat(count, SMALLEST, shared_string::<I, E>())).map(move |strings| Sstr { version, strings })
    })
}

/// Writes a [`SharedString`].
pub fn gen_shared_string<'v, W: Write + 'v>(string: &'v SharedString<'_>) -> impl SerializeFn<W> + 'v {
    tuple((gen_bytes(string.hash), gen_length_prefixed::<Le, W>(&string.content)))
}

/// Writes the data of an SSTR chunk.
pub fn gen_sstr<'v, W: Write + 'v>(sstr: &'v Sstr<'_>) -> impl SerializeFn<W> + 'v {
    tuple((
        gen_uint32::<Le, W>(sstr.version),
        gen_length::<Le, W>(sstr.strings.len()),
        all(sstr.strings.iter().map(gen_shared_string)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let string = SharedString { hash: [7; 16], content: BStr::new("ab").into() };
        let value = Sstr { version: 0, strings: vec![string] };
        let bytes = hex("00 00 00 00 01 00 00 00 07070707 07070707 07070707 07070707 02 00 00 00 61 62");
        both_ways(&bytes, value.clone(), sstr, gen_sstr(&value));
    }
}
