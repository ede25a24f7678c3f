#!/usr/bin/env bash
# deku 0.20.3 (crates.io, binary structs by derive), numbers of three bytes, and of some bits, in a wider integer.
#
# Guess: `bytes = 3` and `bits = 24` are the same for an i32: a negative number that is written comes back, and a number that does not
# fit is an error. A field whose `cond` is false is not written, as it is not read.
#
# Seen: with bits, negative numbers come back, and a number that is too large is an error. With bytes, -1 comes back as 16777215, and
# 2 ** 24 is written as 0, without an error, in both byte orders. With `cond`, Some is written although the condition is false, so that
# the next field is read from it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cargo init --quiet --vcs none --name probe
cargo add --quiet deku@=0.20.3
cat >src/main.rs <<'RUST'
use deku::prelude::*;

#[derive(Debug, DekuRead, DekuWrite)]
#[deku(endian = "little")]
struct Bytes(#[deku(bytes = 3)] i32);

#[derive(Debug, DekuRead, DekuWrite)]
#[deku(endian = "big")]
struct BigBytes(#[deku(bytes = 3)] i32);

#[derive(Debug, DekuRead, DekuWrite)]
#[deku(endian = "big")]
struct Bits24(#[deku(bits = 24)] i32);

#[derive(Debug, DekuRead, DekuWrite)]
#[deku(endian = "big")]
struct Bits(#[deku(bits = 23)] i32, #[deku(bits = 1)] u8);

#[derive(Debug, DekuRead, DekuWrite)]
struct Optional {
    has: u8,
    #[deku(cond = "*has != 0")]
    value: Option<u8>,
    next: u8,
}

/// Writes each value and compares the text of what comes back.
macro_rules! again {
    ($($value:expr => $expected:literal),+ $(,)?) => { $(
        let written = $value.to_bytes();
        let read = written.as_ref().map(|bytes| again($value, bytes)).unwrap_or("refused".to_owned());
        println!("{:?} is written as {:02x?} and read as {read}", $value, written.unwrap_or_default());
        assert_eq!(read, $expected);
    )+ };
}

fn again<T: for<'a> DekuContainerRead<'a> + std::fmt::Debug>(_: T, bytes: &[u8]) -> String {
    format!("{:?}", T::from_bytes((bytes, 0)).unwrap().1)
}

fn main() {
    again! {
        Bytes(-1) => "Bytes(16777215)",
        Bytes(1 << 24) => "Bytes(0)",
        BigBytes(-1) => "BigBytes(16777215)",
        BigBytes(1 << 24) => "BigBytes(0)",
        Bits24(-1) => "Bits24(-1)",
        Bits24(1 << 24) => "refused",
        Bits(-1, 1) => "Bits(-1, 1)",
        Bits(1 << 23, 1) => "refused",
        Optional { has: 1, value: Some(5), next: 9 } => "Optional { has: 1, value: Some(5), next: 9 }",
        Optional { has: 0, value: Some(5), next: 9 } => "Optional { has: 0, value: None, next: 5 }",
    }
}
RUST
cargo run --quiet
