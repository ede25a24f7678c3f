#!/usr/bin/env bash
# cookie-factory 0.3.3 (Rust, generators of bytes).
#
# Guess: a generator writes all of its bytes to any writer, as `write_all` does: a writer may take fewer bytes than it is given, and may
# be interrupted. A number that does not fit the 24 bits of be_u24 is an error, as Rust's own conversions make it one.
#
# Seen: `write` is called once for each part. A writer that takes three bytes at a time gives BufferTooSmall after the first three,
# which are written by then; one that is interrupted once gives its error. be_u24 and le_u24 write the lower 24 bits of any number
# without an error, and be_i24 writes 8388608 as -8388608.
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
cookie-factory = { version = "=0.3.3", default-features = false, features = ["std"] }
TOML
cat >src/main.rs <<'RS'
use cookie_factory::bytes::{be_i24, be_u24, be_u32, le_u24};
use cookie_factory::combinator::slice;
use cookie_factory::{gen, gen_simple, GenError};
use std::io::{ErrorKind, Result, Write};

/// Takes three bytes at a time.
struct Few(Vec<u8>);

impl Write for Few {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let count = bytes.len().min(3);
        self.0.extend(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Is interrupted once.
struct Interrupted(Vec<u8>, bool);

impl Write for Interrupted {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if !std::mem::replace(&mut self.1, true) {
            return Err(ErrorKind::Interrupted.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

fn main() {
    let mut few = Few(Vec::new());
    few.write_all(b"abcdef").unwrap();
    assert_eq!(few.0, b"abcdef");
    let mut few = Few(Vec::new());
    let error = gen(slice(b"abcdef"), &mut few).map(|(_, count)| count).unwrap_err();
    assert!(matches!(error, GenError::BufferTooSmall(3)), "{error:?}");
    assert_eq!(few.0, b"abc");
    println!("a slice of 6 bytes: {error:?}, after {:?}", few.0);
    let mut few = Few(Vec::new());
    let error = gen(be_u32(0x0102_0304), &mut few).map(|(_, count)| count).unwrap_err();
    assert!(matches!(error, GenError::BufferTooSmall(1)), "{error:?}");
    println!("a number of 4 bytes: {error:?}, after {:?}", few.0);

    let mut interrupted = Interrupted(Vec::new(), false);
    interrupted.write_all(b"abc").unwrap();
    assert_eq!(interrupted.0, b"abc");
    let mut interrupted = Interrupted(Vec::new(), false);
    let error = gen(slice(b"abc"), &mut interrupted).map(|(_, count)| count).unwrap_err();
    assert!(matches!(&error, GenError::IoError(error) if error.kind() == ErrorKind::Interrupted), "{error:?}");
    println!("a writer that is interrupted once: {error:?}");

    for (name, bytes, seen) in [
        ("be_u24(0x01020304)", gen_simple(be_u24(0x0102_0304), Vec::new()), [2, 3, 4]),
        ("le_u24(0xff000001)", gen_simple(le_u24(0xff00_0001), Vec::new()), [1, 0, 0]),
        ("be_i24(8388608)", gen_simple(be_i24(8_388_608), Vec::new()), [0x80, 0, 0]),
    ] {
        let bytes = bytes.unwrap();
        assert_eq!(bytes, seen);
        println!("{name} writes {bytes:02x?}");
    }
}
RS
cargo run --quiet
