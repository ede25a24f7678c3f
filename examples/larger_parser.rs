//! Attributes inside a larger format that has a nom parser of its own: here a file of named chunks.
//!
//! Run with `cargo run --example larger_parser`.

use std::error::Error;
use std::io::Write;

use enginewire::roblox::attributes::{attributes, Attributes, Nesting};
use enginewire::wire::{length_delimited, Traceback, WireError};
use nom::error::{context, ContextError};
use nom::multi::length_data;
use nom::number::complete::{le_u32, u8};
use nom::{Err, IResult, Parser};

/// A name with one byte of length, and attributes with four.
fn chunk<'a, E>(input: &'a [u8]) -> IResult<&'a [u8], (&'a [u8], Attributes<'a>), E>
where
    E: WireError<&'a [u8]> + ContextError<&'a [u8]>,
{
    let name = context("name", length_data(u8));
    // all of the bytes must be attributes: `length_data(…).and_then(…)` would drop what comes after them
    let content = length_delimited(le_u32, attributes(Nesting::default()));
    (name, context("attributes", content)).parse_complete(input)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let file = b"\x05Torch\x0b\0\0\0\x01\0\0\0\x01\0\0\0a\x03\x01\x04Lamp\x0b\0\0\0\x01\0\0\0\x01\0\0\0b\x16\x01";
    let mut rest = &file[..];
    while !rest.is_empty() {
        match chunk::<Traceback<_>>(rest) {
            Ok((behind, (name, attributes))) => {
                writeln!(out, "{}: {:?}", String::from_utf8_lossy(name), attributes.entries())?;
                rest = behind;
            }
            // the offset is that in the whole file, though the attributes are a part of a part of it
            Err(Err::Error(error) | Err::Failure(error)) => {
                write!(out, "error: {}", error.into_error(&&file[..]).report("the file", file))?;
                break;
            }
            Err(incomplete) => return Err(incomplete.to_string().into()),
        }
    }
    Ok(())
}
