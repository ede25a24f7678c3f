//! Promise: the combinators serve larger parsers, with any error type and in both modes.

use enginewire::roblox::attributes::{self, attributes, Nesting, Options, Value};
use enginewire::wire::{
    all_consuming, bit, bits, length_delimited, run, uint16, uint64, uint8, Be, Foreign, Le, Traceback, WireError,
};
use enginewire::{Fault, Offset};
use nom::bytes::{complete, streaming, tag};
use nom::error::{context, ContextError, ErrorKind, ParseError};
use nom::multi::{length_data, length_value, many0};
use nom::number::complete::le_u32 as complete_u32;
use nom::number::{le_u16, le_u32};
use nom::{Err, Needed, Parser};
use nom_language::error::{VerboseError, VerboseErrorKind};
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
    let error = error.into_error(&bytes[..]);
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
    let error = error.into_error(&bytes[..]);
    assert!(error.is_truncated());
    assert_eq!(error.offset(), 21);
}

/// Also of nom's own parsers, and of bits.
#[test]
fn a_part_that_is_too_short_is_not_truncated() {
    let part = || length_delimited(uint8::<_, Traceback<&[u8]>>(), complete_u32);
    let error = run(&[2, 7, 9, 1][..], part()).unwrap_err();
    assert_eq!((error.fault(), error.offset()), (&Fault::TooShort { needed: 3, left: 2 }, 1.into()));
    assert!(run(&[4, 7, 9, 1][..], part()).unwrap_err().is_truncated());
    let packed = bits(length_delimited(uint8(), (bit(), uint16::<Be, _, _>())));
    let error = run(&[2, 0xff, 0xff, 0xff][..], packed).unwrap_err();
    assert_eq!((error.fault(), error.offset()), (&Fault::TooShort { needed: 2, left: 1 }, Offset::new(1, 1)));
}

/// Of any width, by a parser of either library.
#[test]
fn a_length_before_a_part() {
    let byte = || uint8::<_, Traceback<&[u8]>>();
    let [short, long] = [&[1, 0, 7][..], &[1, 0, 0, 0, 0, 0, 0, 0, 7]];
    for read in [
        run(&[1, 7][..], length_delimited(byte(), byte())),
        run(short, length_delimited(uint16::<Le, _, _>(), byte())),
        run(short, length_delimited(le_u16(), byte())),
        run(short, length_delimited(nom::number::complete::le_u16, byte())),
        run(long, length_delimited(uint64::<Le, _, _>(), byte())),
    ] {
        assert_eq!(read, Ok((&[][..], 7)));
    }
    let error = run(&[0xff; 9][..], length_delimited(uint64::<Le, _, _>(), byte())).unwrap_err();
    assert_eq!(error.fault(), &Fault::Truncated { needed: u64::MAX, left: 1 });
}

/// nom's `parse` asks for more at the end of a part that a parser of its own cut out, or fails there.
#[test]
fn a_part_is_complete_in_a_stream_too() {
    let parser = || attributes::<_, Traceback<&[u8]>>(Options::new());
    assert!(matches!(parser().parse(&[][..]), Err(Err::Incomplete(_))));
    assert!(parser().parse_complete(&[][..]).unwrap().1.is_empty());
    let empty = &[0, 0, 0, 0][..];
    assert!(matches!(length_data(le_u32()).and_then(parser()).parse(empty), Err(Err::Incomplete(_))));
    assert!(matches!(length_value(le_u32(), parser()).parse(empty), Err(Err::Error(_))));
    assert!(length_delimited(le_u32(), parser()).parse(empty).unwrap().1.is_empty());
}

/// The reason of a fault is kept beside an error of another crate.
#[test]
fn an_error_of_another_crate_has_the_reason() {
    type Error<'a> = Foreign<VerboseError<&'a [u8]>, &'a [u8]>;
    let bytes = bytes([b"\x01\0\0\0\x01\0\0\0a\x16\x01", b""]);
    let Err(Err::Error(error)) = file::<Error<'_>>().parse_complete(&bytes[..]) else { panic!("type 0x16") };
    let Some(fault) = &error.fault else { panic!("{error:?}") };
    assert_eq!((fault.code(), fault.to_string().as_str()), ("unknown-id", "unknown type id 0x16"));
    assert_eq!(error.error.errors[0].1, VerboseErrorKind::Nom(ErrorKind::Fail));

    let Err(Err::Error(error)) = file::<Error<'_>>().parse_complete(b"BAX") else { panic!("a magic of nom") };
    assert_eq!(error.fault, None);

    let mut part = length_delimited(uint8::<_, Error<'_>>(), uint16::<Be, _, _>());
    let Err(Err::Error(error)) = part.parse_complete(&[1, 7, 9]) else { panic!("a part that is too short") };
    assert_eq!(error.fault.as_deref(), Some(&Fault::TooShort { needed: 2, left: 1 }));
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
