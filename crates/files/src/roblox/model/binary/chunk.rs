//! Chunks.

use std::fmt;
use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::reserved::reserved;
use enginewire::wire::{field, fixed, flat_map, gen_bytes, gen_uint32, take, uint32, Le, Source, WireError};

/// The name of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChunkName(pub [u8; 4]);

impl ChunkName {
    /// Metadata of the file.
    pub const META: Self = ChunkName(*b"META");
    /// The shared strings.
    pub const SSTR: Self = ChunkName(*b"SSTR");
    /// The instances of a class.
    pub const INST: Self = ChunkName(*b"INST");
    /// A property of the instances of a class.
    pub const PROP: Self = ChunkName(*b"PROP");
    /// The parents of all instances.
    pub const PRNT: Self = ChunkName(*b"PRNT");
    /// The end of the file.
    pub const END: Self = ChunkName(*b"END\0");
}

/// Shown without the zero byte at its end.
impl fmt::Display for ChunkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.strip_suffix(b"\0").unwrap_or(&self.0);
        name.escape_ascii().fmt(f)
    }
}

impl fmt::Debug for ChunkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The header of a chunk.
///
/// | field | type |
/// |---|---|
/// | name | 4 bytes |
/// | compressed_length | uint32: the length of the body, or 0 if it is not compressed |
/// | length | uint32: the length of the data |
/// | reserved | 4 bytes of 0 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkHeader {
    /// The name.
    pub name: ChunkName,
    /// The length of the body in bytes if it is compressed, else 0.
    pub compressed_length: u32,
    /// The length of the data in bytes.
    pub length: u32,
}

impl ChunkHeader {
    /// The length of a header in bytes.
    pub const SIZE: usize = 16;

    /// The length of the body in bytes.
    #[must_use]
    pub fn stored_length(&self) -> u32 {
        if self.compressed_length == 0 {
            self.length
        } else {
            self.compressed_length
        }
    }
}

/// Reads a [`ChunkHeader`]. Unless `any` is true, its reserved bytes must be 0.
///
/// Specification: `docs/spec/roblox-model-files.md`, section Chunk.
#[inline]
pub fn chunk_header<I: Source, E: WireError<I>>(any: bool) -> impl Parser<I, Output = ChunkHeader, Error = E> {
    (
        field("name", fixed::<4, I, E>().map(ChunkName)),
        field("compressed_length", uint32::<Le, I, E>()),
        field("length", uint32::<Le, I, E>()),
        field("reserved", reserved::<4, I, E>(any)),
    )
        .map(|(name, compressed_length, length, _)| ChunkHeader { name, compressed_length, length })
}

/// Writes a [`ChunkHeader`].
pub fn gen_chunk_header<W: Write>(header: ChunkHeader) -> impl SerializeFn<W> {
    tuple((
        gen_bytes(header.name.0),
        gen_uint32::<Le, W>(header.compressed_length),
        gen_uint32::<Le, W>(header.length),
        gen_bytes([0; 4]),
    ))
}

/// A chunk as it is stored. [`unpack`](super::unpack()) gives its data.
///
/// | field | type |
/// |---|---|
/// | header | [`ChunkHeader`] |
/// | body | `compressed_length` bytes, or `length` where that is 0 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<B> {
    /// The header.
    pub header: ChunkHeader,
    /// The bytes of the body.
    pub body: B,
}

/// Reads a [`Chunk`] without unpacking it. Unless `any` is true, the reserved bytes of its header must be 0.
///
/// Specification: `docs/spec/roblox-model-files.md`, section Chunk.
#[inline]
pub fn chunk<I: Source, E: WireError<I>>(any: bool) -> impl Parser<I, Output = Chunk<I::Bytes>, Error = E> {
    flat_map(field("header", chunk_header::<I, E>(any)), |header: ChunkHeader| {
        field("body", take(header.stored_length().into())).map(move |body| Chunk { header, body })
    })
}

/// Writes a [`Chunk`].
pub fn gen_chunk<'v, B: AsRef<[u8]>, W: Write + 'v>(chunk: &'v Chunk<B>) -> impl SerializeFn<W> + 'v {
    tuple((gen_chunk_header(chunk.header), gen_bytes(chunk.body.as_ref())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use bstr::BStr;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_example() {
        let header = ChunkHeader { name: ChunkName::END, compressed_length: 0, length: 9 };
        let value = Chunk { header, body: BStr::new("</roblox>") };
        let bytes = hex("45 4e 44 00 00 00 00 00 09 00 00 00 00 00 00 00 3c 2f 72 6f 62 6c 6f 78 3e");
        both_ways(&bytes, value, || chunk(false), gen_chunk(&value));
        assert_eq!(
            (header.name.to_string(), ChunkName(*b"a\0\xffb").to_string()),
            ("END".into(), "a\\x00\\xffb".into())
        );
    }

    #[test]
    fn a_name_is_shown_without_quotes() {
        assert_eq!(format!("{:?} {:?}", ChunkName::PROP, ChunkName::END), "PROP END");
    }
}
