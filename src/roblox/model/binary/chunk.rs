//! Chunk.

use std::fmt;
use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::reserved::reserved;
use crate::roblox::model::error::{ChunkFault, ModelError};
use crate::wire::{field, fixed, flat_map, gen_bytes, gen_uint32, take, to_u64, uint32, Le, Source, WireError};

/// The name of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChunkName(pub [u8; 4]);

impl ChunkName {
    /// Facts about the file.
    pub const META: Self = ChunkName(*b"META");
    /// Strings that several properties share.
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

/// Without the zero byte that fills it up.
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

/// What stands before the stored body of a chunk.
///
/// | field | type |
/// |---|---|
/// | name | 4 bytes |
/// | compressed_length | uint32: the bytes of the body, or 0 if it is stored as it is |
/// | length | uint32: the bytes of the data |
/// | reserved | 4 bytes of 0 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkHeader {
    /// The name.
    pub name: ChunkName,
    /// The bytes of the stored body if it is compressed, else 0.
    pub compressed_length: u32,
    /// The bytes of the data.
    pub length: u32,
}

impl ChunkHeader {
    /// Bytes that a header takes.
    pub const SIZE: usize = 16;

    /// The bytes of the stored body.
    #[must_use]
    pub fn stored_length(&self) -> u32 {
        if self.compressed_length == 0 {
            self.length
        } else {
            self.compressed_length
        }
    }
}

/// A chunk in a file: its header, and where that begins.
#[derive(Clone, Copy, Debug)]
pub(in crate::roblox::model) struct ChunkRef {
    pub(in crate::roblox::model) offset: u64,
    pub(in crate::roblox::model) header: ChunkHeader,
}

impl ChunkRef {
    /// Where its body begins in the file.
    pub(super) fn body(self) -> u64 {
        self.offset.saturating_add(to_u64(ChunkHeader::SIZE))
    }

    /// Where it ends in the file.
    pub(super) fn end(self) -> u64 {
        self.body().saturating_add(self.header.stored_length().into())
    }

    /// An error of it.
    pub(super) fn fault(self, fault: impl Into<ChunkFault>) -> ModelError {
        ModelError::Chunk { name: self.header.name, offset: self.offset, fault: fault.into() }
    }
}

/// Reads a [`ChunkHeader`]. What is reserved may be `any`, or must be 0.
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

/// A chunk as the file has it: its data is stored in `body`, see [`unpack`](super::unpack).
///
/// | field | type |
/// |---|---|
/// | header | [`ChunkHeader`] |
/// | body | `compressed_length` bytes, or `length` where that is 0 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<B> {
    /// The header.
    pub header: ChunkHeader,
    /// The stored bytes.
    pub body: B,
}

/// Reads a [`Chunk`], as it is stored: nothing is decompressed.
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
