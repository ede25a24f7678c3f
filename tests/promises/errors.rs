//! Promise: exact errors. The error for every rejected input has the offset, the path, the expected value and the found
//! one.

use std::io::{self, Read};

use enginewire::roblox::attributes::{decode, decode_with, Decoder, Options};
use enginewire::wire::{field, run, uint8, ReadError, Traceback};
use enginewire::{Fault, Key, Limits};
use nom::bytes::tag;
use nom::{Err, IResult, Needed, Parser};
use pretty_assertions::assert_eq;

use crate::support::hex;

#[test]
fn every_kind_of_error() {
    let strict = Options::new().draft_types(false).limits(Limits::new().with_depth(1));
    let nested = Options::new().limits(Limits::new().with_depth(1));
    for (bytes, options, text) in [
        ("01 00", strict, "input ends too early: 4 bytes needed, 2 left, at byte 0x0 in length"),
        (
            "01 00 00 00 ff ff ff ff",
            strict,
            "input ends too early: 4294967295 bytes needed, 0 left, at byte 0x8 in entries[0].key.content",
        ),
        (
            "01 00 00 00 01 00 00 00 61 02 05 00 00 00 68",
            strict,
            r#"input ends too early: 5 bytes needed, 1 left, at byte 0xe in entries[0] "a".value.string.content"#,
        ),
        (
            "02 00 00 00 01 00 00 00 61 03 01 02 00 00 00 ff 62 1d",
            strict,
            r#"unknown type id 0x1d, at byte 0x11 in entries[1] "\xffb".value.type"#,
        ),
        (
            "01 00 00 00 01 00 00 00 61 0c 00 00 00 00",
            strict,
            "type 0x0c Faces is refused: it is a draft type, and these are switched off, at byte 0x9 in \
             entries[0] \"a\".value.type",
        ),
        (
            "01 00 00 00 01 00 00 00 61 14 00 00 00 00 00 00 00 00 00 00 00 00 24",
            strict,
            r#"unknown rotation id 0x24, at byte 0x16 in entries[0] "a".value.cframe.rotation.id"#,
        ),
        (
            "01 00 00 00 01 00 00 00 61 14 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 00",
            strict,
            r#"input ends too early: 4 bytes needed, 1 left, at byte 0x1b in entries[0] "a".value.cframe.rotation.matrix[1]"#,
        ),
        (
            "01 00 00 00 01 00 00 00 61 07 01 00 00 00 08 00 00 00 00",
            nested,
            "containers are nested deeper than the limit of 1, at byte 0xf in \
             entries[0] \"a\".value.array.elements[0].dictionary",
        ),
        ("01 00 00 00 01 00 00 00 61 03 01 de ad", strict, "unexpected bytes after the end of the value, at byte 0xb"),
    ] {
        let error = decode_with(&hex(bytes), &options).expect_err(text);
        assert_eq!(error.to_string(), text);
    }
}

/// A parser from outside, and what comes of its errors.
#[test]
fn errors_from_outside_are_kept() {
    let input: &[u8] = &[7, 8, 9];
    let odd = uint8::<_, Traceback<_>>().map_res(|byte| if byte % 2 == 1 { Ok(byte) } else { Err("an even number") });
    let mut both = (uint8(), field("odd", odd));
    let Err(Err::Error(error)) = both.parse_complete(input) else { panic!("8 is even") };
    assert_eq!(error.into_error(input).to_string(), "an even number, at byte 0x1 in odd");

    let mut both = (uint8(), field("magic", tag::<_, _, Traceback<_>>(&b"x"[..])));
    let Err(Err::Error(error)) = both.parse_complete(input) else { panic!("it does not match") };
    let error = error.into_error(input);
    assert_eq!(error.fault(), &Fault::Parser { name: "Tag".to_owned() });
    assert_eq!(error.to_string(), "nom's Tag did not match, at byte 0x1 in magic");

    // a parser that knows no complete input
    let greedy = |_: &'static [u8]| -> IResult<_, u8, Traceback<_>> { Err(Err::Incomplete(Needed::Unknown)) };
    let error = run(&[1][..], greedy).unwrap_err();
    assert_eq!(error.to_string(), "it asks for more input, at byte 0x0");
}

#[test]
fn what_reading_fails_with_is_kept() {
    struct Broken;
    impl io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the cable is out"))
        }
    }
    let blob = hex("02 00 00 00 01 00 00 00 61 03 01");
    let mut items = Decoder::new().read(blob.chain(Broken));
    assert!(items.next().unwrap().is_ok());
    let error = items.next().unwrap().unwrap_err();
    assert!(matches!(&error, ReadError::Io(_)) && error.to_string() == "the cable is out", "{error}");
    assert!(items.next().is_none());
    let error = Decoder::new().check(blob.chain(Broken), |_, _| {}).unwrap_err();
    assert!(matches!(error, ReadError::Io(_)));
    let error = Decoder::new().check(&blob[..], |_, _| {}).unwrap_err();
    assert!(matches!(&error, ReadError::Decode(error) if error.is_truncated()));
}

/// An item that does not fit the limit is an error as soon as that is certain, wherever the stream is cut.
#[test]
fn items_may_be_limited() {
    let blob = hex("02 00 00 00 01 00 00 00 61 03 01 01 00 00 00 62 02 09 00 00 00 73 73 73 73 73 73 73 73 73");
    let expected = "an item takes more than the limit of 18 bytes, at byte 0xb in entries[1]";
    for (enough, limit) in [(true, 19), (false, 18)] {
        for size in [1, 5, 100] {
            let mut decoder = Decoder::new().item_limit(limit);
            let mut entries = 0;
            for piece in blob.chunks(size) {
                decoder.push(piece);
                while let Some(Ok(_)) = decoder.next() {
                    entries += 1;
                }
            }
            let end = decoder.finish().map_err(|error| error.to_string());
            assert_eq!((entries, end), if enough { (2, Ok(())) } else { (1, Err(expected.to_owned())) });
        }
    }
    // it is not waited for
    let mut decoder = Decoder::new().item_limit(18);
    decoder.push(&blob[..21]);
    assert!(decoder.next().unwrap().is_ok());
    let error = decoder.next().unwrap().unwrap_err();
    assert_eq!(error.fault(), &Fault::TooLarge { limit: 18 });
    // items that were not read before the end are checked too
    let mut decoder = Decoder::new().item_limit(18);
    decoder.push(&blob);
    assert_eq!(decoder.finish(), Err(error));
    // a limit of 0 is one of 1: something must be looked at
    let mut decoder = Decoder::new().item_limit(0);
    decoder.push(&[1]);
    let error = decoder.next().unwrap().unwrap_err();
    assert_eq!((error.fault(), error.path().segments()), (&Fault::TooLarge { limit: 1 }, &[][..]));
}

#[test]
fn the_path_gives_entry_and_key() {
    let error = decode(&hex("02 00 00 00 01 00 00 00 61 03 01 01 00 00 00 62 16")).unwrap_err();
    assert_eq!((error.path().index(), error.path().key()), (Some(1), Some(&Key::Text("b".into()))));
    assert!(matches!(error.fault(), Fault::Unknown { found: 0x16, .. }));
}

#[test]
fn a_long_key_is_shortened_and_a_long_path_too() {
    let key = "k".repeat(1000);
    let blob = [&[1, 0, 0, 0][..], &1000u32.to_le_bytes(), key.as_bytes(), &[0x16]].concat();
    assert!(decode(&blob).unwrap_err().to_string().len() < 200);

    let mut blob = hex("01 00 00 00 01 00 00 00 61");
    blob.extend([7, 1, 0, 0, 0].repeat(60));
    let error = decode(&blob).unwrap_err();
    let text = error.to_string();
    assert!(text.len() < 600, "{text}");
    assert!(text.ends_with("elements[0].type"), "{text}");
    assert_eq!(error.path().segments().len(), 4 + 60 * 3 + 1);
}

#[test]
fn the_report_shows_the_bytes_around() {
    let mut blob = hex("02 00 00 00 05 00 00 00 53 70 61 77 6e 14 00 00 80 3f 00 00 00 40 00 00 40 40 04");
    blob.extend([0; 40]);
    let error = decode(&blob).unwrap_err();
    assert_eq!(
        error.report("player.bin", &blob).to_string(),
        "unknown rotation id 0x04
  --> player.bin: byte 0x1a
  in entries[0] \"Spawn\".value.cframe.rotation.id
  expected one of 00 02 03 05 06 07 09 0a 0c 0d 0e 10 11 14 15 17 18 19 1b 1c 1e 1f 20 22 23
00000000  02 00 00 00 05 00 00 00  53 70 61 77 6e 14 00 00
00000010  80 3f 00 00 00 40 00 00  40 40[04]00 00 00 00 00
00000020  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00
"
    );
}

/// The marks of the dump, at the places where the columns change.
#[test]
fn the_byte_at_fault_is_marked_wherever_it_stands() {
    for (bytes, row) in [
        ("01 00 00 00 01 00 00 00", "01 00 00 00 01 00 00 00  []\n"),
        ("01 00 00 00 07 00 00 00 61 61 61 61 61 61 61", "61 61 61 61 61 61 61[]\n"),
        ("01 00 00 00 08 00 00 00 61 61 61 61 61 61 61 61", "00000010 []\n"),
        ("01 00 00 00 07 00 00 00 61 61 61 61 61 61 61 16", "61 61 61[16]\n"),
        ("01 00 00 00 01 00 00 00 61 02 ff 00 00", "00000000  01 00 00 00 01 00 00 00  61 02[ff]00 00\n"),
        ("01 00 00 00 01 00 00", "00000000  01 00 00 00[01]00 00\n"),
    ] {
        let blob = hex(bytes);
        let report = decode(&blob).unwrap_err().report("x", &blob).to_string();
        assert!(report.ends_with(row), "{report}");
    }
}
