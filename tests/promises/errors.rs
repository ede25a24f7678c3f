//! Promise: exact errors. Every rejected input gives the offset, the path, what was expected and what was found.

use enginewire::roblox::attributes::{decode, decode_with, Options};
use enginewire::{Fault, Limits};
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
            "01 00 00 00 01 00 00 00 61 07 00 00 00 00",
            strict,
            "type 0x07 Array is refused: it is a draft type, and these are switched off, at byte 0x9 in \
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

#[test]
fn the_path_gives_entry_and_key() {
    let error = decode(&hex("02 00 00 00 01 00 00 00 61 03 01 01 00 00 00 62 16")).unwrap_err();
    assert_eq!((error.path().index(), error.path().key()), (Some(1), Some(r#""b""#)));
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
