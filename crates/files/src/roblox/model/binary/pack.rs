//! Packing the data of chunks.

use lz4_flex::block::compress;

use super::chunk::{Chunk, ChunkHeader, ChunkName};
use super::compression::Compression;
use crate::zstd;
use enginewire::error::{EncodeError, EncodeFault};

/// The compression of the chunks that [`edit`](crate::roblox::model::edit()) changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Store {
    /// The same as before: not compressed, LZ4 or zstd. A chunk that was zstd becomes LZ4 if that is shorter, and a chunk
    /// that compression would not shorten is not compressed.
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
        let body = match (self, before) {
            (Store::Raw, _) | (Store::AsBefore, Compression::None) => None,
            (Store::Lz4, _) | (Store::AsBefore, Compression::Lz4) => lz4(&data),
            (Store::AsBefore, Compression::Zstd) => {
                let mut lz4 = lz4(&data);
                // it has room for more than the data
                lz4.iter_mut().for_each(Vec::shrink_to_fit);
                let most = lz4.as_ref().map_or(data.len().saturating_sub(1), Vec::len);
                // a frame is read back before it replaces what somebody made: the encoder is young
                let zstd = zstd::pack(&data, most);
                zstd.filter(|frame| zstd::unpack(frame, length).as_ref() == Ok(&data)).or(lz4)
            }
        };
        // neither has bodies longer than the data
        let compressed_length = body.as_ref().map_or(0, |body| u32::try_from(body.len()).unwrap_or(length));
        let header = ChunkHeader { name, compressed_length, length };
        Ok(Chunk { header, body: body.unwrap_or(data) })
    }

    /// The most memory that [`pack`](Store::pack) takes for data of `length` bytes, in bytes, with the data.
    pub(super) fn memory(self, before: Compression, length: usize) -> usize {
        match (self, before) {
            // also what is read back
            (Store::AsBefore, Compression::Zstd) => length.saturating_mul(4).saturating_add(zstd::PACKING),
            _ => length.saturating_mul(3),
        }
    }
}

/// The data as an LZ4 block, if that is shorter.
fn lz4(data: &[u8]) -> Option<Vec<u8>> {
    let body = compress(data);
    // a block that begins like a zstd frame would be read as one. `compress` makes none: its first copy would reach
    // before the start of the data
    (body.len() < data.len() && !body.is_empty() && !body.starts_with(&zstd::MAGIC)).then_some(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::model::binary::unpack::unpack;
    use allocation_counter::measure;
    use enginewire::number::to_usize;
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
            // which is shorter here
            (Store::AsBefore, Compression::Zstd, &lz4),
        ] {
            assert_eq!(&store.pack(ChunkName::PROP, data.clone(), before).unwrap(), expected, "{store:?} {before:?}");
        }
        // LZ4 would be longer
        for data in [&b""[..], &[1, 2, 3], &[7; 12]] {
            for (store, before) in [(Store::Lz4, Compression::Lz4), (Store::AsBefore, Compression::Zstd)] {
                let chunk = store.pack(ChunkName::PROP, data.to_vec(), before).unwrap();
                assert_eq!((chunk.header.compressed_length, &chunk.body[..]), (0, data));
            }
        }
    }

    #[test]
    fn what_was_zstd_is_no_longer_than_lz4() {
        let text = |count: u32| (0..count).flat_map(|number| format!("Torch {}", number * number).into_bytes());
        let mut seen = Vec::new();
        for count in (0..40).chain([100, 1000, 20_000]) {
            for data in
                [text(count).collect(), vec![7; to_usize(count) * 10], (0..=255).take(to_usize(count)).collect()]
            {
                let chunk = Store::AsBefore.pack(ChunkName::PROP, data.clone(), Compression::Zstd).unwrap();
                let compression = Compression::of(&chunk.header, &chunk.body);
                let [lz4, zstd] = [compress(&data), zstd::pack(&data, data.len() + 100).unwrap_or_default()];
                let expected = match compression {
                    Compression::None => &data,
                    Compression::Lz4 => &lz4,
                    Compression::Zstd => &zstd,
                };
                assert_eq!(&chunk.body, expected);
                let is_zstd = !zstd.is_empty() && zstd.len() <= lz4.len() && zstd.len() < data.len();
                assert_eq!(compression == Compression::Zstd, is_zstd, "{} bytes", data.len());
                assert!(chunk.body.len() <= lz4.len().min(data.len()));
                assert_eq!(unpack(&chunk, usize::MAX), Ok(data));
                seen.push(compression);
            }
        }
        for compression in [Compression::None, Compression::Lz4, Compression::Zstd] {
            assert!(seen.iter().filter(|seen| **seen == compression).count() > 5, "{seen:?}");
        }
    }

    #[test]
    fn packing_takes_no_more_memory_than_it_says() {
        for size in [0, 10, 20_000, 200_000u32] {
            let data: Vec<u8> = (0..size).flat_map(|number| format!("Torch {number}").into_bytes()).collect();
            for before in [Compression::None, Compression::Lz4, Compression::Zstd] {
                let most = Store::AsBefore.memory(before, data.len());
                let peak = measure(|| drop(Store::AsBefore.pack(ChunkName::PROP, data.clone(), before))).bytes_max;
                assert!(to_usize(peak) <= most + (32 << 10), "{peak} of {most} bytes");
            }
        }
    }
}
