//! Promise: streaming is the same. Any chunking gives the same items and the same error as one call.

use std::fmt::Write;

use crate::support::codec::FormatOf;
use crate::support::golden::golden;
use crate::support::properties::chunking_with;
use crate::support::{fixtures, folder, hex, Codec, Godot, RobloxAttributes, RobloxRemote, ScrapMechanicLua, FORMATS};
use enginewire::roblox::attributes::{Decoder, Options};
use enginewire::wire::{Format, ItemStream, Step, Stepper};
use pretty_assertions::assert_eq;

#[test]
fn every_fixture_in_any_pieces() {
    for format in FORMATS {
        fixtures(format.name).iter().for_each(|blob| format.hold("chunking", &blob.bytes));
    }
}

#[test]
fn every_fixture_cut_anywhere_in_any_pieces() {
    for format in FORMATS {
        for blob in fixtures(format.name) {
            let step = (blob.bytes.len() / 40).max(1);
            (0..blob.bytes.len()).step_by(step).for_each(|cut| format.hold("chunking", &blob.bytes[..cut]));
        }
    }
}

/// A tokio codec gives the same results as decoding.
#[cfg(feature = "interop")]
#[test]
fn every_fixture_through_a_codec() {
    through_a_codec::<RobloxAttributes>();
    through_a_codec::<RobloxRemote>();
    through_a_codec::<ScrapMechanicLua>();
    through_a_codec::<Godot<4>>();
}

#[cfg(feature = "interop")]
fn through_a_codec<C: Codec>() {
    use bytes::BytesMut;
    use enginewire::wire;
    use tokio_util::codec::Decoder;

    for blob in fixtures(C::NAME) {
        let cuts = || (0..=blob.bytes.len()).rev().step_by((blob.bytes.len() / 40).max(1));
        for (options, cut) in C::options().into_iter().flat_map(|options| cuts().map(move |cut| (options, cut))) {
            let bytes = &blob.bytes[..cut];
            let mut codec = wire::Codec::<<FormatOf<C> as Format>::Stream>::with_options(options);
            let (mut items, mut buffer) = (Vec::new(), BytesMut::new());
            let mut read = |buffer: &mut BytesMut, ended| loop {
                match if ended { codec.decode_eof(buffer) } else { codec.decode(buffer) } {
                    Ok(Some(item)) => items.push(C::item_bytes(item)),
                    Ok(None) => break None,
                    Err(error) => break Some(error.to_string()),
                }
            };
            for piece in bytes.chunks(13) {
                buffer.extend_from_slice(piece);
                read(&mut buffer, false);
            }
            let error = read(&mut buffer, true);
            let (expected, broken) = C::decode_partial(bytes, &options);
            let expected = (expected, broken.map(|error| error.to_string()));
            assert_eq!((items, error), expected, "{cut} bytes of {}", blob.name);
        }
    }
}

#[test]
fn broken_input_in_any_pieces() {
    for bytes in [
        "02 00 00 00 01 00 00 00 61 03 01 01 00 00 00 62 16",
        "01 00 00 00 01 00 00 00 61 03 01 de ad",
        "00 00 00 00 09",
        "01 00 00 00 01 00 00 00 61 14 00 00 00 00 00 00 00 00 00 00 00 00 04 00 00",
        "01 00 00 00 01 00 00 00 61 07 02 00 00 00 07 01 00 00 00 03 01 07 03 00 00 00 03 00 99",
        "01 00 00 00 01 00 00 00 61 07 02 00 00 00 07 01 00 00 00 03 01 0c 05 00 00 00",
        "ff ff ff ff 01 00 00 00 61 03 01",
    ] {
        chunking(&hex(bytes), &Options::new());
        chunking(&hex(bytes), &Options::new().trailing_bytes(true).draft_types(false));
    }
}

/// Nested containers are read on where they were left, whichever byte the input ends at.
#[test]
fn nested_containers_in_any_pieces() {
    let mut bytes = hex("01 00 00 00 01 00 00 00 61 07 03 00 00 00");
    for _ in 0..3 {
        bytes.extend(hex("08 02 00 00 00 01 00 00 00 62 07 02 00 00 00 03 01 02 03 00 00 00 78 79 7a"));
        bytes.extend(hex("00 00 00 00 17 01 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 40"));
    }
    chunking(&bytes, &Options::new());
    (0..bytes.len()).for_each(|cut| chunking(&bytes[..cut], &Options::new()));
}

fn chunking(bytes: &[u8], options: &Options) {
    chunking_with::<RobloxAttributes>(bytes, options);
}

/// An entry comes as soon as its last byte is there, and no byte is kept longer than it is needed.
#[test]
fn entries_come_at_once() {
    let bytes = hex("02 00 00 00 01 00 00 00 61 07 02 00 00 00 03 01 03 00 01 00 00 00 62 03 01");
    let mut decoder = Decoder::new();
    let mut ends = Vec::new();
    for (index, byte) in bytes.iter().enumerate() {
        decoder.push(&[*byte]);
        while let Some(entry) = decoder.next() {
            entry.unwrap();
            ends.push(index + 1);
        }
    }
    assert_eq!(ends, [18, 25]);
    assert_eq!((decoder.offset(), decoder.unused()), (25, &[][..]));
    decoder.finish().unwrap();
}

/// Less would wake a reader more often, and more would have it wait for what may never come. `needs.txt` has what a stream asks
/// for that never gets more than that. After a part of it the rest is asked for.
#[test]
fn as_many_bytes_are_asked_for_as_are_known_to_be_missing() {
    let mut said = String::new();
    needs::<RobloxAttributes>("all-types", &mut said);
    needs::<RobloxRemote>("all-types", &mut said);
    needs::<ScrapMechanicLua>("all-types", &mut said);
    needs::<Godot<3>>("packet_peer_supported", &mut said);
    needs::<Godot<4>>("packet_typical", &mut said);
    golden("tests/promises/needs.txt", &said);
}

fn needs<C: Codec>(name: &str, said: &mut String) {
    let bytes = std::fs::read(folder(C::NAME).join(name).with_extension("bin")).unwrap();
    let new = || Stepper::new(<FormatOf<C> as Format>::Stream::new(C::options()[1]));
    // drops what is read; nothing more is asked for at the end
    let need = |stepper: &mut Stepper<_>, input: &mut &[u8]| loop {
        let (used, step) = stepper.step(input, false).unwrap();
        *input = &input[used..];
        match step {
            Step::Item(_) => {}
            Step::Need(more) => break more,
            _ => break 0,
        }
    };
    let (mut stepper, mut read, mut given, mut asked) = (new(), 0, 0, Vec::new());
    loop {
        let mut input = &bytes[read..given];
        let more = need(&mut stepper, &mut input);
        read = given - input.len();
        if more == 0 {
            break;
        }
        given += more;
        asked.push(more);
    }
    assert_eq!((read, given), (bytes.len(), bytes.len()));
    writeln!(said, "{} {name}, in {} pieces: {asked:?}", C::NAME, asked.len()).unwrap();
    let missing = asked.into_iter().flat_map(|more| (1..=more).rev()).chain([0]);
    for (length, more) in missing.enumerate() {
        assert_eq!(need(&mut new(), &mut &bytes[..length]), more, "after {length} bytes");
    }
}

/// After an error, a decoder returns no more items and keeps no more input.
#[test]
fn an_error_ends_the_stream() {
    let mut decoder = Decoder::new();
    decoder.push(&hex("01 00 00 00 01 00 00 00 61 16"));
    let error = decoder.next().unwrap().unwrap_err();
    assert_eq!(error.offset(), 9);
    assert!(decoder.next().is_none());
    decoder.push(&[0; 1000]);
    assert!(decoder.next().is_none() && decoder.unused().len() < 100);
    assert_eq!(decoder.finish(), Err(error));
}

/// Entries that were not read before the end are still checked.
#[test]
fn finishing_early_still_checks() {
    let good = hex("02 00 00 00 01 00 00 00 61 03 01 01 00 00 00 62 03 01");
    let mut decoder = Decoder::new();
    decoder.push(&good);
    decoder.finish().unwrap();
    let mut decoder = Decoder::new();
    decoder.push(&good[..good.len() - 1]);
    let error = decoder.finish().unwrap_err();
    assert_eq!(
        error.to_string(),
        "input ends too early: 1 byte needed, 0 left, at byte 0x11 in entries[1] \"b\".value.bool"
    );
}
