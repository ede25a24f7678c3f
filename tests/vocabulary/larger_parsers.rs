//! Promise: the combinators serve larger parsers, with any error type and in both modes.

use enginewire::roblox::attributes::{self, attributes, Nesting, Value};
use enginewire::wire::{all_consuming, bit, bits, length_delimited, run, uint16, uint8, Be, Traceback, WireError};
use enginewire::{Fault, Offset};
use nom::bytes::{complete, streaming, tag};
use nom::error::{context, ContextError, ErrorKind, ParseError};
use nom::multi::many0;
use nom::number::le_u32;
use nom::{Err, Needed, Parser};
use pretty_assertions::assert_eq;

/// A made-up file: `BOX`, then chunks of a name of four bytes, a length, and attributes of that length.
type Chunk<'a> = (&'a [u8], attributes::Attributes<'a>);

fn chunk<'a, E>() -> impl Parser<&'a [u8], Output = Chunk<'a>, Error = E>
where
    E: WireError<&'a [u8]> + ContextError<&'a [u8]>,
{
    let name = context("name", nom::bytes::take(4usize));
    let content = le_u32().flat_map(nom::bytes::take::<u32, &[u8], E>);
    (name, context("attributes", content.and_then(all_consuming(false, attributes(Nesting::default())))))
}

fn file<'a, E>() -> impl Parser<&'a [u8], Output = Vec<Chunk<'a>>, Error = E>
where
    E: WireError<&'a [u8]> + ContextError<&'a [u8]>,
{
    nom::sequence::preceded(tag("BOX"), nom::multi::count(chunk(), 2))
}

const BLOB: &[u8] = b"\x01\0\0\0\x01\0\0\0a\x03\x01";

fn bytes(blobs: [&[u8]; 2]) -> Vec<u8> {
    let mut bytes = b"BOX".to_vec();
    for blob in blobs {
        bytes.extend(b"name");
        bytes.extend(u32::try_from(blob.len()).unwrap().to_le_bytes());
        bytes.extend(blob);
    }
    bytes
}

#[test]
fn a_larger_parser_uses_the_attributes() {
    let bytes = bytes([BLOB, b""]);
    let (rest, chunks) = file::<Traceback<_>>().parse_complete(&bytes[..]).unwrap();
    assert_eq!((rest.len(), chunks.len()), (0, 2));
    assert_eq!(chunks[0].1.get("a"), Some(&Value::Bool(true)));
    assert!(chunks[1].1.is_empty());
}

#[test]
fn an_error_inside_has_its_offset_in_the_whole_and_its_path() {
    let mut bytes = bytes([BLOB, BLOB]);
    let last = bytes.len() - 2;
    bytes[last] = 0x16;
    let Err(Err::Error(error)) = file::<Traceback<_>>().parse_complete(&bytes[..]) else { panic!("type 0x16") };
    let error = error.into_error(&&bytes[..]);
    assert_eq!(
        error.to_string(),
        format!(r#"unknown type id 0x16, at byte {last:#x} in attributes.entries[0] "a".value.type"#),
    );
}

#[test]
fn a_length_that_is_too_short_does_not_reach_over_the_chunk() {
    let mut bytes = bytes([BLOB, BLOB]);
    bytes[7] -= 1;
    let Err(Err::Error(error)) = file::<Traceback<_>>().parse_complete(&bytes[..]) else { panic!("it reached over") };
    let error = error.into_error(&&bytes[..]);
    assert!(error.is_truncated());
    assert_eq!(error.offset(), 21);
}

/// Also of nom's own parsers, and of bits.
#[test]
fn a_part_that_is_too_short_is_not_truncated() {
    let part = || length_delimited(uint8::<_, Traceback<&[u8]>>(), nom::number::complete::le_u32);
    let error = run(&[2, 7, 9, 1][..], part()).unwrap_err();
    assert_eq!((error.fault(), error.offset()), (&Fault::TooShort { needed: 3, left: 2 }, 1.into()));
    assert!(run(&[4, 7, 9, 1][..], part()).unwrap_err().is_truncated());
    let packed = bits(length_delimited(uint8(), (bit(), uint16::<Be, _, _>())));
    let error = run(&[2, 0xff, 0xff, 0xff][..], packed).unwrap_err();
    assert_eq!((error.fault(), error.offset()), (&Fault::TooShort { needed: 2, left: 1 }, Offset::new(1, 1)));
}

#[test]
fn streaming_asks_for_more() {
    let bytes = bytes([BLOB, BLOB]);
    for cut in 0..bytes.len() {
        match file::<Traceback<_>>().parse(&bytes[..cut]) {
            Err(Err::Incomplete(Needed::Size(needed))) => assert!(cut + needed.get() <= bytes.len(), "cut at {cut}"),
            other => panic!("cut at {cut}: {other:?}"),
        }
    }
    // a sequence without a length before it
    let mut two = many0(streaming::tag::<_, _, Traceback<_>>("x"));
    assert!(two.parse(&b"xx"[..]).is_err());
    assert!(complete::tag::<_, _, Traceback<_>>("x")(&b"y"[..]).is_err());
}

/// An error type from outside that knows only where.
#[derive(Debug, PartialEq)]
struct Place(usize, Vec<&'static str>);

impl ParseError<&[u8]> for Place {
    fn from_error_kind(input: &[u8], _: ErrorKind) -> Self {
        Place(input.len(), Vec::new())
    }

    fn append(_: &[u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

impl ContextError<&[u8]> for Place {
    fn add_context(_: &[u8], name: &'static str, mut other: Self) -> Self {
        other.1.push(name);
        other
    }
}

impl WireError<&[u8]> for Place {}

#[test]
fn an_error_type_from_outside_joins_with_an_empty_impl() {
    let mut bytes = bytes([BLOB, BLOB]);
    let last = bytes.len() - 2;
    bytes[last] = 0x16;
    let result = file::<Place>().parse_complete(&bytes[..]);
    assert_eq!(result.unwrap_err(), Err::Error(Place(2, vec!["attributes"])));
    assert!(matches!(file::<Place>().parse(&bytes[..20]), Err(Err::Incomplete(_))));
    assert!(file::<()>().parse_complete(&bytes[..]).is_err());
}
