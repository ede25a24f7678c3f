//! Promise: one definition of a structure runs in every way. Each part of the vocabulary in streaming, complete and
//! check mode, over plain and traced input, with any error type.

use std::fmt::Debug;

use bstr::BStr;
use enginewire::roblox::attributes::{attributes, value, Nesting};
use enginewire::roblox::datatypes::{cframe, number_sequence_keypoint, NumberSequenceKeypoint};
use enginewire::scrap_mechanic::lua_object;
use enginewire::wire::{
    align, all_consuming, array, bit, bits, field, fields, fixed, float32, float64, int16, int32, int64, int8, item,
    keyed, length_prefixed, list, magic, repeat, take, uint16, uint32, uint64, uint8, Be, Checker, Instrumented, Le,
    List, Log, Source, Traceback, WireError,
};
use nom::error::{ErrorKind, ParseError};
use nom::{Check, Complete, Emit, Err, Needed, OutputM, Parser, Streaming};
use pretty_assertions::assert_eq;

/// An error type from outside: it joins with an empty `impl`.
#[derive(Debug)]
struct Mine;

impl<I> ParseError<I> for Mine {
    fn from_error_kind(_: I, _: ErrorKind) -> Self {
        Mine
    }

    fn append(_: I, _: ErrorKind, other: Self) -> Self {
        other
    }
}

impl<I> WireError<I> for Mine {}

/// Runs a parser in every mode, over all of the input and over every part of it.
fn runs<I, P>(input: impl Fn(usize) -> I, length: usize, value: &str, parser: impl Fn() -> P)
where
    I: Source,
    P: Parser<I>,
    P::Output: Debug,
    P::Error: Debug,
{
    let shown = |result: Result<(I, P::Output), Err<P::Error>>| {
        let (rest, value) = result.unwrap();
        assert_eq!(rest.remaining(), 0);
        format!("{value:?}")
    };
    assert_eq!(shown(parser().parse_complete(input(length))), value);
    assert_eq!(shown(parser().parse(input(length))), value);
    assert!(parser().process::<OutputM<Check, Check, Complete>>(input(length)).is_ok());
    assert!(parser().process::<OutputM<Check, Emit, Streaming>>(input(length)).is_ok());
    for cut in 0..length {
        let incomplete = |needed: Needed| match needed {
            Needed::Size(size) => assert!(cut + size.get() <= length, "cut at {cut} asks for {size}"),
            Needed::Unknown => panic!("cut at {cut} does not know what it needs"),
        };
        match parser().parse(input(cut)) {
            Err(Err::Incomplete(needed)) => incomplete(needed),
            other => panic!("cut at {cut}: {:?}", other.map(|(_, value)| value)),
        }
        match parser().process::<OutputM<Check, Check, Streaming>>(input(cut)) {
            Err(Err::Incomplete(needed)) => incomplete(needed),
            other => panic!("cut at {cut}: {:?}", other.map(drop)),
        }
        assert!(matches!(parser().parse_complete(input(cut)), Err(Err::Error(_))), "cut at {cut}");
        let checked = parser().process::<OutputM<Check, Check, Complete>>(input(cut));
        assert!(matches!(checked, Err(Err::Error(()))), "cut at {cut}");
    }
}

/// Four error types over plain bytes; and the two sources with a listener, each with the error type that it is run with.
macro_rules! every_run {
    ($bytes:expr, $value:expr, $parser:expr) => {{
        let bytes: &[u8] = $bytes;
        let value = format!("{:?}", $value);
        let plain = |cut: usize| &bytes[..cut];
        runs(plain, bytes.len(), &value, || failing::<_, (), _>($parser));
        runs(plain, bytes.len(), &value, || failing::<_, Mine, _>($parser));
        runs(plain, bytes.len(), &value, || failing::<_, Traceback<_>, _>($parser));
        runs(plain, bytes.len(), &value, || failing::<_, nom::error::Error<_>, _>($parser));
        let traced = |cut: usize| Instrumented::traced(&bytes[..cut], Box::leak(Box::<Log>::default()));
        runs(traced, bytes.len(), &value, || failing::<_, Traceback<_>, _>($parser));
        let checked =
            |cut: usize| Box::leak(Box::new(Checker::new(&bytes[..cut], Box::leak(Box::new(|_, _| {}))))).input();
        runs(checked, bytes.len(), &value, || failing::<_, (), _>($parser));
    }};
}

/// Says which error type a parser has.
fn failing<I, E: ParseError<I>, P: Parser<I, Error = E>>(parser: P) -> P {
    parser
}

#[test]
fn numbers() {
    let bytes = &[1, 2, 3, 4, 5, 6, 7, 8];
    every_run!(&bytes[..1], 1u8, uint8());
    every_run!(&bytes[..1], 1i8, int8());
    every_run!(&bytes[..2], 0x0201u16, uint16::<Le, _, _>());
    every_run!(&bytes[..2], 0x0102u16, uint16::<Be, _, _>());
    every_run!(&bytes[..2], 0x0102i16, int16::<Be, _, _>());
    every_run!(&bytes[..4], 0x0403_0201u32, uint32::<Le, _, _>());
    every_run!(&bytes[..4], 0x0102_0304i32, int32::<Be, _, _>());
    every_run!(&bytes[..8], 0x0807_0605_0403_0201u64, uint64::<Le, _, _>());
    every_run!(&bytes[..8], 0x0102_0304_0506_0708i64, int64::<Be, _, _>());
    every_run!(&[0, 0, 0x80, 0x3f], 1f32, float32::<Le, _, _>());
    every_run!(&[0x3f, 0xf0, 0, 0, 0, 0, 0, 0], 1f64, float64::<Be, _, _>());
    every_run!(&bytes[..3], [1u8, 2, 3], fixed::<3, _, _>());
}

#[test]
fn bytes() {
    every_run!(b"abc", BStr::new("abc"), take(3));
    every_run!(b"\x02\0\0\0Hi", BStr::new("Hi"), length_prefixed::<Le, _, _>());
    every_run!(b"\0\0\0\x02Hi", BStr::new("Hi"), length_prefixed::<Be, _, _>());
}

#[test]
fn bits_among_bytes() {
    every_run!(b"LUA", BStr::new("LUA"), magic(b"LUA"));
    every_run!(&[0x81, 0x80], (true, 3u8, ()), bits((bit(), uint8(), align(false))));
    every_run!(&[0x81, 0xc0], (true, 3u8, true, ()), bits(fields((bit(), uint8(), bit(), align(false)))));
    let object = b"LUA\0\0\0\x01\x05\0\0\0\x02\x80\0\0\0\x81\x41\0\0\0\0\x40a";
    let shown = lua_object::decode(object).unwrap();
    every_run!(object, shown, lua_object::lua_object(lua_object::Nesting::default()));
}

#[test]
fn names() {
    every_run!(&[7], 7u8, field("name", uint8()));
    every_run!(&[7], 7u8, item(3, uint8()));
    every_run!(
        &[7, 8, 9],
        (7u8, 0x0908u16),
        keyed(field("key", uint8()), field("value", uint16::<Le, _, _>()), |key, value| (key, value))
    );
    every_run!(&[7, 8], (7u8, 8u8), all_consuming(false, (uint8(), uint8())));
}

#[test]
fn lists() {
    every_run!(&[1, 0, 2, 0], vec![1u16, 2], repeat(2, 2, uint16::<Le, _, _>()));
    every_run!(&[1, 0, 2, 0], [1u16, 2], array::<2, _>(uint16::<Le, _, _>()));
    let keypoint = NumberSequenceKeypoint { envelope: 0.0, time: 1.0, value: 2.0 };
    let packed = b"\x01\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\x40";
    every_run!(packed, List::from(vec![keypoint]), list::<Le, NumberSequenceKeypoint, _, _>("keypoints"));
    every_run!(&packed[4..], vec![keypoint], repeat(1, 12, number_sequence_keypoint::<Le, _, _>()));
}

#[test]
fn dispatch_and_depth() {
    let nested = b"\x07\x02\0\0\0\x08\x01\0\0\0\x01\0\0\0k\x03\x01\x04\x05\0\0\0";
    let shown = value::<_, ()>(Nesting::default()).parse_complete(&nested[..]).unwrap().1;
    every_run!(nested, shown, value(Nesting::default()));
    let aligned = b"\0\0\x80\x3f\0\0\x80\x3f\0\0\x80\x3f\x02";
    let shown = cframe::<Le, _, ()>().parse_complete(&aligned[..]).unwrap().1;
    every_run!(aligned, shown, cframe::<Le, _, _>());
}

/// The same field names come out of the tree and of the errors, because they are the same.
#[test]
fn the_tree_and_the_errors_name_the_same_fields() {
    let bytes = b"\x01\0\0\0\x01\0\0\0a\x17\x02\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\0\0\0\0";
    let tree = Log::default().trace(&bytes[..], attributes(Nesting::default()));
    let failed = tree.nodes().rfind(|node| node.broken).unwrap();
    let error = enginewire::roblox::attributes::decode(bytes).unwrap_err();
    assert_eq!(tree.error(), Some(&error));
    assert_eq!(tree.path(&failed).to_string(), error.path().to_string());
    assert_eq!(error.path().to_string(), r#"entries[0] "a".value.number_sequence.keypoints[1].time"#);
    let at = |byte: u64| enginewire::Offset::from(byte);
    assert_eq!((failed.range.clone(), tree.gap()), (at(30)..at(30), Some(at(30)..at(32))));
    let labels: Vec<_> = tree.children(None).map(|node| node.label.clone()).collect();
    assert_eq!(labels.len(), 2);
}
