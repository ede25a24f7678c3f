//! A reader of .rbxm and .rbxl files with a nom parser of its own: it prints the attributes of every instance that has some.
//!
//! The parser is written once. `parse` reads chunks from a stream and asks for what is missing; `parse_complete` reads the data of
//! a chunk, which is whole. The error is of the crate nom-language, and every field of an attribute is a context in it.
//!
//! Run with `cargo run --example larger_parser fixtures/roblox-model/attributes.none.rbxm`.

#![allow(clippy::arithmetic_side_effects, clippy::as_conversions)] // what is added is smaller than a file

use std::error::Error;
use std::fs::File;
use std::io::{Read, Write};

use enginewire::roblox::attributes::{attributes, Attributes, Options};
use enginewire::wire::{length_delimited, Foreign};
use nom::bytes::{tag, take};
use nom::combinator::{cond, eof};
use nom::error::context;
use nom::multi::{length_data, many_till};
use nom::number::{le_i32, le_u16, le_u32, le_u8};
use nom::{Err, IResult, Needed, Parser};
use nom_language::error::{VerboseError, VerboseErrorKind};

type Bytes<'a> = &'a [u8];
type Fault<'a> = Foreign<VerboseError<Bytes<'a>>, Bytes<'a>>;

/// The signature, version, number of classes and of instances, and 8 reserved bytes.
fn header<'a>() -> impl Parser<Bytes<'a>, Output = (u16, i32, i32), Error = Fault<'a>> {
    let fields = (tag(&b"<roblox!\x89\xff\r\n\x1a\n"[..]), le_u16(), le_i32(), le_i32(), take(8usize));
    context("header", fields).map(|(_, version, classes, instances, _)| (version, classes, instances))
}

/// A name, the length of the body (0 if it is not compressed), that of the data, 4 reserved bytes, and the body.
fn chunk<'a>() -> impl Parser<Bytes<'a>, Output = (Bytes<'a>, u32, u32, Bytes<'a>), Error = Fault<'a>> {
    let head = (take(4usize), le_u32(), le_u32(), take(4usize));
    context(
        "chunk",
        head.flat_map(|(name, stored, length, _)| {
            take(if stored == 0 { length } else { stored }).map(move |body| (name, stored, length, body))
        }),
    )
}

/// The data of a PROP chunk: a class, a name, a type, and a value for each instance of the class.
fn property<'a>() -> impl Parser<Bytes<'a>, Output = Option<Vec<Attributes<'a>>>, Error = Fault<'a>> {
    (le_u32(), length_data(le_u32()), le_u8()).flat_map(|(_, name, value_type)| {
        // the length of a value is that of its attributes: `length_delimited` allows no bytes after them
        let values = many_till(length_delimited(le_u32(), attributes(Options::new())), eof).map(|(values, _)| values);
        cond(name == b"AttributesSerialize" && value_type == 1, context("values", values))
    })
}

/// A file that is read as far as its parser needs it.
struct Stream {
    file: File,
    read: Vec<u8>,
    /// The offset in the file of the first of these bytes.
    offset: usize,
}

impl Stream {
    /// Runs `parse`, with more and more bytes until they suffice.
    fn next<T>(&mut self, parse: impl Fn(Bytes<'_>) -> IResult<Bytes<'_>, T, Fault<'_>>) -> Result<T, Box<dyn Error>> {
        loop {
            let missing = match parse(&self.read) {
                Ok((rest, item)) => {
                    let done = self.read.len() - rest.len();
                    self.read.drain(..done);
                    self.offset += done;
                    return Ok(item);
                }
                Err(Err::Incomplete(Needed::Size(missing))) => missing.get(),
                Err(Err::Incomplete(Needed::Unknown)) => 1,
                Err(Err::Error(fault) | Err::Failure(fault)) => {
                    return Err(told(&fault, self.offset, &self.read).into());
                }
            };
            // a broken length may ask for more than there is, so that no memory is taken beforehand
            let count = (&mut self.file).take(missing as u64).read_to_end(&mut self.read)?;
            if count < missing {
                return Err(
                    format!("the file ends at byte {:#x}, inside a chunk", self.offset + self.read.len()).into()
                );
            }
        }
    }
}

/// The text of a fault: the fields around it, the outermost first, its offset in the file, and the reason, unless a parser of nom
/// failed. `bytes` begin at `offset` there.
fn told(Foreign { error, at, fault }: &Fault<'_>, offset: usize, bytes: &[u8]) -> String {
    let field = |(_, kind): &(Bytes<'_>, VerboseErrorKind)| match kind {
        VerboseErrorKind::Context(name) => Some(*name),
        _ => None,
    };
    let fields: Vec<_> = error.errors.iter().rev().filter_map(field).collect();
    let reason = fault.as_ref().map(|fault| format!(": {fault}")).unwrap_or_default();
    format!("invalid {} at byte {:#x}{reason}", fields.join("."), offset + bytes.len() - at.len())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("expected a file")?;
    print(&path, &mut std::io::stdout().lock())
}

/// Prints the attributes of a file.
pub(crate) fn print(path: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut stream = Stream { file: File::open(path)?, read: Vec::new(), offset: 0 };
    stream.next(|input| header().parse(input))?;
    loop {
        let start = stream.offset + 16;
        let (name, data) = stream.next(|input| {
            let (rest, (name, stored, length, body)) = chunk().parse(input)?;
            // one byte of an LZ4 block makes at most 255
            let length = (length as usize).min(body.len() * 255 + 64);
            let data = if stored == 0 { Ok(body.to_vec()) } else { lz4_flex::block::decompress(body, length) };
            Ok((rest, (name.to_owned(), data.map(|data| (data, stored > 0)))))
        })?;
        let (data, is_packed) = match data {
            Ok(data) => data,
            Err(error) => {
                writeln!(out, "the chunk at byte {:#x} is no LZ4 block: {error}", start - 16)?;
                continue;
            }
        };
        match (&name[..], property().parse_complete(&data)) {
            (b"END\0", _) => return Ok(()),
            (b"PROP", Ok((_, Some(values)))) => {
                for value in values.iter().filter(|value| !value.is_empty()) {
                    writeln!(out, "{:?}", value.entries())?;
                }
            }
            (b"PROP", Err(Err::Error(fault) | Err::Failure(fault))) => {
                match is_packed {
                    // an offset in the file would mean nothing
                    true => writeln!(out, "{} of the chunk at byte {:#x}", told(&fault, 0, &data), start - 16)?,
                    false => writeln!(out, "{}", told(&fault, start, &data))?,
                }
            }
            _ => {}
        }
    }
}
