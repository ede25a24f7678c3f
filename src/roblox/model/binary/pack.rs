//! Packing the data of chunks.

use lz4_flex::block::compress;

use super::chunk::{Chunk, ChunkHeader, ChunkName};
use super::compression::{Compression, ZSTD_MAGIC};
use crate::error::{EncodeError, EncodeFault};

/// How [`edit`](crate::roblox::model::edit()) stores the chunks that it changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Store {
    /// As LZ4 if the chunk was LZ4, else not compressed.
    #[default]
    AsBefore,
    /// Not compressed.
    Raw,
    /// As LZ4, if that is shorter.
    Lz4,
}

impl Store {
    /// A chunk with this data. `before` is the compression of the chunk that it replaces.
    ///
    /// # Errors
    ///
    /// If the data is too long for the length field of a chunk.
    pub fn pack(self, name: ChunkName, data: Vec<u8>, before: Compression) -> Result<Chunk<Vec<u8>>, EncodeError> {
        let length = u32::try_from(data.len())
            .map_err(|_| EncodeError::new(std::iter::empty().collect(), EncodeFault::TooLong))?;
        let raw = Chunk { header: ChunkHeader { name, compressed_length: 0, length }, body: Vec::new() };
        if self == Store::Raw || (self == Store::AsBefore && before != Compression::Lz4) {
            return Ok(Chunk { body: data, ..raw });
        }
        let body = compress(&data);
        let compressed_length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        // a block that begins like a zstd frame would be read as one. `compress` makes none: its first copy would reach
        // before the start of the data
        if compressed_length >= length || compressed_length == 0 || body.starts_with(&ZSTD_MAGIC) {
            return Ok(Chunk { body: data, ..raw });
        }
        Ok(Chunk { header: ChunkHeader { compressed_length, ..raw.header }, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn data_is_compressed_if_that_is_shorter() {
        let data = b"ab".repeat(40);
        let chunk = |compressed_length, body| {
            let header = ChunkHeader { name: ChunkName::PROP, compressed_length, length: 80 };
            Chunk { header, body }
        };
        let body = compress(&data);
        let lz4 = chunk(u32::try_from(body.len()).unwrap(), body);
        let raw = chunk(0, data.clone());
        for (store, before, expected) in [
            (Store::Raw, Compression::None, &raw),
            (Store::Raw, Compression::Lz4, &raw),
            (Store::Raw, Compression::Zstd, &raw),
            (Store::Lz4, Compression::None, &lz4),
            (Store::Lz4, Compression::Lz4, &lz4),
            (Store::Lz4, Compression::Zstd, &lz4),
            (Store::AsBefore, Compression::None, &raw),
            (Store::AsBefore, Compression::Lz4, &lz4),
            (Store::AsBefore, Compression::Zstd, &raw),
        ] {
            assert_eq!(&store.pack(ChunkName::PROP, data.clone(), before).unwrap(), expected, "{store:?} {before:?}");
        }
        // LZ4 would be longer
        for data in [&b""[..], &[1, 2, 3], &[7; 12]] {
            let chunk = Store::Lz4.pack(ChunkName::PROP, data.to_vec(), Compression::Lz4).unwrap();
            assert_eq!((chunk.header.compressed_length, &chunk.body[..]), (0, data));
        }
    }
}
