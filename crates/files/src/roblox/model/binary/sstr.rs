//! SSTR.

use std::io::Write;

use bstr::BStr;
use cookie_factory::combinator::cond as gen_if;
use cookie_factory::multi::all;
use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::combinator::cond;
use nom::Parser;

use enginewire::error::Fault;
use enginewire::number::to_usize;
use enginewire::wire::{
    field, fixed, flat_map, gen_bytes, gen_length, gen_length_prefixed, gen_uint32, length_prefixed, repeat, uint32,
    verify, ByteString, Le, Source, WireError,
};

/// The shared strings of a file: the data of an SSTR chunk.
///
/// | field | type |
/// |---|---|
/// | version | uint32, 0 or 1 |
/// | count | uint32 |
/// | strings | `count` times [`SharedString`] |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sstr<'a> {
    /// 0 or 1. In version 1 the strings have no hashes.
    pub version: u32,
    /// The strings. Properties refer to them by index.
    pub strings: Vec<SharedString<'a>>,
}

/// A string that several properties can refer to.
///
/// | field | type |
/// |---|---|
/// | hash | 16 bytes in version 0, which Roblox Studio does not check; none in version 1 |
/// | content | String |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedString<'a> {
    /// The hash, which nothing here verifies. Version 1 has no hashes: this is 0, and it is not written.
    pub hash: [u8; 16],
    /// The string.
    pub content: ByteString<'a>,
}

/// Returns true if the strings of this version have hashes.
const fn has_hashes(version: u32) -> bool {
    version == 0
}

/// The fewest bytes that a [`SharedString`] takes.
const fn smallest(version: u32) -> usize {
    if has_hashes(version) {
        20
    } else {
        4
    }
}

/// The most memory that reading the strings in this data takes, in bytes: their list doubles as it grows.
pub(super) fn memory(data: &[u8]) -> usize {
    let number = |at: usize| data.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let (version, count) = number(0).zip(number(4)).unwrap_or_default();
    let most = data.len().checked_div(smallest(version)).unwrap_or_default().min(to_usize(count));
    most.saturating_mul(size_of::<SharedString<'_>>().saturating_mul(3))
}

/// Reads a [`SharedString`] of a version.
///
/// Specification: `docs/spec/roblox-model-files.md`, section SSTR.
#[inline]
pub fn shared_string<'a, I, E>(version: u32) -> impl Parser<I, Output = SharedString<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    let hash = cond(has_hashes(version), field("hash", fixed::<16, I, E>()));
    (hash, field("content", length_prefixed::<Le, I, E>()))
        .map(|(hash, content)| SharedString { hash: hash.unwrap_or_default(), content: content.into() })
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
    let known = |version| match version {
        0 | 1 => Ok(version),
        other => Err(Fault::Other(format!("version {other} of shared strings is unknown; expected 0 or 1"))),
    };
    let version = field("version", verify(uint32::<Le, I, E>(), known));
    flat_map((version, field("count", uint32::<Le, I, E>())), |(version, count)| {
        let strings = repeat(count, smallest(version), shared_string::<I, E>(version));
        field("strings", strings).map(move |strings| Sstr { version, strings })
    })
}

/// Writes a [`SharedString`] of a version.
pub fn gen_shared_string<'v, W: Write + 'v>(version: u32, string: &'v SharedString<'_>) -> impl SerializeFn<W> + 'v {
    let hash = gen_if(has_hashes(version), gen_bytes(string.hash));
    tuple((hash, gen_length_prefixed::<Le, W>(&string.content)))
}

/// Writes the data of an SSTR chunk.
pub fn gen_sstr<'v, W: Write + 'v>(sstr: &'v Sstr<'_>) -> impl SerializeFn<W> + 'v {
    tuple((
        gen_uint32::<Le, W>(sstr.version),
        gen_length::<Le, W>(sstr.strings.len()),
        all(sstr.strings.iter().map(|string| gen_shared_string(sstr.version, string))),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use enginewire::wire::{run, Traceback};
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_example() {
        let value = |version, hash| {
            let string = SharedString { hash, content: BStr::new("ab").into() };
            Sstr { version, strings: vec![string] }
        };
        let bytes = hex("00 00 00 00 01 00 00 00 07070707 07070707 07070707 07070707 02 00 00 00 61 62");
        both_ways(&bytes, value(0, [7; 16]), sstr, gen_sstr(&value(0, [7; 16])));
        // without hashes
        let bytes = hex("01 00 00 00 01 00 00 00 02 00 00 00 61 62");
        both_ways(&bytes, value(1, [0; 16]), sstr, gen_sstr(&value(1, [0; 16])));
    }

    #[test]
    fn other_versions_are_refused_by_their_number() {
        let error = run(&hex("02 00 00 00 00 00 00 00")[..], sstr::<_, Traceback<&[u8]>>()).unwrap_err();
        let expected = "version 2 of shared strings is unknown; expected 0 or 1, at byte 0x0 in version";
        assert_eq!(error.to_string(), expected);
    }

    /// A count that is too large takes no more memory than the data can need.
    #[test]
    fn memory_is_in_proportion_to_the_strings() {
        let each = 3 * size_of::<SharedString<'_>>();
        let of = |head: &str, length: usize| memory(&[hex(head), vec![0; length]].concat());
        assert_eq!(of("00000000 02000000", 1000), 2 * each);
        assert_eq!(of("00000000 ffffffff", 1000), 50 * each);
        assert_eq!(of("01000000 ffffffff", 1000), 252 * each);
        assert_eq!((memory(b""), memory(b"\0\0\0\0")), (0, 0));
    }
}
