#!/usr/bin/env bash
# rbx_types 3.1.0 (Rust, types of Roblox and its attributes; Rojo 7.7 and Lune 0.11 stand on it).
#
# Guess: attributes that are read without an error are written as they were; what cannot be read is refused alone.
#
# Seen: a CFrame whose matrix has at most one number up to 1 in each row and column is written as the rotation with ones there: half of
# the identity as the identity, and -0.25 as -1. A matrix with 2 stays. The envelope of a keypoint of a ColorSequence is dropped, a
# Font with the weight 450 or the style 2 gets 400 and 0, and of the number of a BrickColor only 16 bits are read. Of the 36 types, 18
# are read. Of two attributes with one name the last is kept. Any other type, a key, font or enum that is not UTF-8, and a BrickColor
# that is not in its list are an error for all attributes of the instance.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "seen"
version = "0.0.0"
edition = "2021"

[dependencies]
rbx_types = "=3.1.0"
TOML
cat >src/main.rs <<'RS'
use rbx_types::Attributes;

/// The type and value of an attribute, read and written.
fn again(key: &[u8], value: &[u8]) -> Result<Vec<u8>, String> {
    let bytes = [&1u32.to_le_bytes()[..], &(key.len() as u32).to_le_bytes(), key, value].concat();
    let read = Attributes::from_reader(&bytes[..]).map_err(|error| error.to_string())?;
    let mut written = Vec::new();
    read.to_writer(&mut written).unwrap();
    Ok(written[8 + key.len()..].to_vec())
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A CFrame at 0, 0, 0.
fn cframe(matrix: [f32; 9]) -> Vec<u8> {
    [&[0x14][..], &floats(&[0.0; 3]), &[0], &floats(&matrix)].concat()
}

fn short(id: u8) -> Vec<u8> {
    [&[0x14][..], &floats(&[0.0; 3]), &[id]].concat()
}

fn font(weight: u16, style: u8) -> Vec<u8> {
    [&[0x21][..], &weight.to_le_bytes(), &[style, 1, 0, 0, 0, b'F', 0, 0, 0, 0]].concat()
}

fn brick_color(number: u32) -> Vec<u8> {
    [&[0x0e][..], &number.to_le_bytes()].concat()
}

fn keypoint(envelope: f32) -> Vec<u8> {
    [&[0x19, 1, 0, 0, 0][..], &floats(&[envelope, 0.0, 1.0, 0.0, 0.0])].concat()
}

fn main() {
    let turned = cframe([0.6, 0.8, 0.0, -0.8, 0.6, 0.0, 0.0, 0.0, 1.0]);
    let twice = cframe([2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0]);
    for (value, seen) in [
        (cframe([0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5]), short(0x02)),
        (cframe([-0.25, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0]), short(0x14)),
        (turned.clone(), turned),
        (twice.clone(), twice),
        (keypoint(0.25), keypoint(0.0)),
        (font(450, 0), font(400, 0)),
        (font(700, 2), font(700, 0)),
        (font(700, 1), font(700, 1)),
        (brick_color(65730), brick_color(194)),
    ] {
        assert_eq!(again(b"k", &value).unwrap(), seen, "{value:02x?}");
    }

    let read: Vec<u8> = (0..64)
        .filter(|kind| again(b"k", &[&[*kind][..], &[0; 64]].concat()).map_or_else(|error| error.contains("BrickColor"), |_| true))
        .collect();
    println!("types that are read: {read:02x?}");
    assert_eq!(read, [2, 3, 4, 5, 6, 9, 10, 14, 15, 16, 17, 20, 21, 23, 25, 27, 28, 33]);
    let twice = b"\x02\0\0\0\x01\0\0\0k\x03\x01\x01\0\0\0k\x03\0";
    let mut written = Vec::new();
    Attributes::from_reader(&twice[..]).unwrap().to_writer(&mut written).unwrap();
    assert_eq!(written, b"\x01\0\0\0\x01\0\0\0k\x03\0");

    let not_utf8 = [&font(400, 0)[..8], &[0xff, 0, 0, 0, 0]].concat();
    for (key, value) in [(&b"k"[..], &brick_color(4)[..]), (&[0xff], &[3, 1]), (b"k", &not_utf8), (b"k", &[0x15, 1, 0, 0, 0, 0xff, 0, 0, 0, 0])] {
        println!("{}", again(key, value).unwrap_err());
    }
}
RS
cargo run --quiet
