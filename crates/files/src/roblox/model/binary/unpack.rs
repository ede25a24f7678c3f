//! Unpacking the data of chunks.

use lz4_flex::block::decompress_into;
use ruzstd::decoding::FrameDecoder;

use super::chunk::{Chunk, ChunkHeader};
use super::compression::{malformed, Compression, UnpackError};
use super::lz4;
use crate::zstd::{self, ZstdError};
use enginewire::number::{to_u64, to_usize};

impl Compression {
    /// Fails if a body of `stored` bytes cannot unpack to the length in its header. This is checked before memory is allocated.
    pub(super) fn possible(self, header: &ChunkHeader, stored: usize) -> Result<(), UnpackError> {
        let (length, limit) = (header.length.into(), self.most(to_u64(stored)));
        if self != Compression::None && length > limit {
            return Err(UnpackError::TooLarge { length, limit });
        }
        Ok(())
    }

    /// The most memory that unpacking takes, in bytes, with the data. A body that is not compressed is copied.
    pub(super) fn memory(self, header: &ChunkHeader, body: &[u8]) -> usize {
        let more = match self {
            Compression::None | Compression::Lz4 => 0,
            Compression::Zstd => zstd::memory(body, header.length),
        };
        to_usize(u64::from(header.length).saturating_add(more))
    }

    /// The most bytes that a body of `stored` bytes can unpack to: one byte of an LZ4 block makes at most 255 bytes of data.
    fn most(self, stored: u64) -> u64 {
        match self {
            Compression::None => stored,
            Compression::Lz4 => stored.saturating_mul(255).saturating_add(64),
            Compression::Zstd => zstd::most(stored),
        }
    }
}

/// Unpacks the data of a chunk. A compressed chunk may have at most `limit` bytes of data; one that is not compressed has no
/// limit but the size of the file.
///
/// No more memory is taken than a body of this length can unpack to.
///
/// Specification: `docs/spec/roblox-model-files.md`, section Compression.
///
/// # Errors
///
/// If the body does not unpack to the `length` bytes in the header, or these are more than `limit`.
pub fn unpack<B: AsRef<[u8]>>(chunk: &Chunk<B>, limit: usize) -> Result<Vec<u8>, UnpackError> {
    let mut data = Vec::new();
    unpack_to(chunk, limit, &mut data).map(|()| data)
}

/// As [`unpack`], into memory that was used before.
pub(super) fn unpack_to<B: AsRef<[u8]>>(chunk: &Chunk<B>, limit: usize, data: &mut Vec<u8>) -> Result<(), UnpackError> {
    let Chunk { header, body } = chunk;
    let body = body.as_ref();
    let compression = Compression::of(header, body);
    let length = u64::from(header.length);
    if compression != Compression::None && length > to_u64(limit) {
        return Err(UnpackError::TooLarge { length, limit: to_u64(limit) });
    }
    compression.possible(header, body.len())?;
    data.clear();
    match compression {
        Compression::None => data.extend_from_slice(body),
        Compression::Lz4 => {
            data.resize(to_usize(length), 0);
            let size = decompress_into(body, data).map_err(|error| malformed(compression, error))?;
            data.truncate(size);
        }
        Compression::Zstd => {
            *data = zstd::unpack(body, header.length).map_err(|error| match error {
                ZstdError::Malformed(reason) => malformed(compression, reason),
                ZstdError::Length(found) => UnpackError::Length { found, expected: length },
            })?;
        }
    }
    match to_u64(data.len()) {
        found if found == length => Ok(()),
        found => Err(UnpackError::Length { found, expected: length }),
    }
}

/// Returns true if a body unpacks to the length in its header, and the last `count` bytes of the data are 0. Nothing is
/// unpacked for this, so `false` can also mean that the answer is unknown. For zstd, the result is always `false`.
pub(super) fn ends_in_zeros(header: &ChunkHeader, body: &[u8], count: usize) -> bool {
    let Some(start) = to_usize(header.length).checked_sub(count) else { return false };
    let length = match Compression::of(header, body) {
        Compression::None => body.get(start..).filter(|end| lz4::is_zero(end)).map(|_| body.len()),
        Compression::Lz4 => lz4::length_if_zeros(body, start),
        Compression::Zstd => None,
    };
    length == Some(to_usize(header.length))
}

/// The number of bytes of a body that [`unpack_start`] needs: the first block of a zstd frame, and the headers before it.
pub(super) const START: u32 = zstd::BLOCK + 32;

/// The start of the data of a chunk, as far as its body has it uncompressed.
#[inline]
pub(super) fn plain_start<'b>(header: &ChunkHeader, mut body: &'b [u8]) -> &'b [u8] {
    match Compression::of(header, body) {
        Compression::None => body,
        Compression::Lz4 => lz4::literals(&mut body).map_or(&[], |(literals, _)| literals),
        Compression::Zstd => &[],
    }
}

/// The first `count` bytes of the data of a chunk, or fewer if this much of its body does not have them. Making a zstd
/// decoder takes time, so `decoder` is used again.
pub(super) fn unpack_start(header: &ChunkHeader, body: &[u8], count: usize, decoder: &mut FrameDecoder) -> Vec<u8> {
    let count = count.min(to_usize(header.length));
    let mut start = Vec::with_capacity(count);
    // an error is reported when the whole body is unpacked
    let _ = match Compression::of(header, body) {
        Compression::None => {
            start.extend(body.iter().take(count));
            Some(())
        }
        Compression::Lz4 => lz4::unpack_start(body, count, &mut start),
        Compression::Zstd => zstd::unpack_start(decoder, body, count, &mut start),
    };
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::model::binary::chunk::ChunkName;
    use crate::test::hex;
    use lz4_flex::block::compress;
    use pretty_assertions::assert_eq;
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert, proptest};

    fn stored(compressed: bool, length: u32, body: &[u8]) -> Chunk<Vec<u8>> {
        let compressed_length = if compressed { u32::try_from(body.len()).unwrap() } else { 0 };
        Chunk { header: ChunkHeader { name: ChunkName::PROP, compressed_length, length }, body: body.to_owned() }
    }

    fn start(chunk: &Chunk<Vec<u8>>, count: usize) -> Vec<u8> {
        let start = unpack_start(&chunk.header, &chunk.body, count, &mut FrameDecoder::new());
        let plain = plain_start(&chunk.header, &chunk.body);
        assert!(start.starts_with(&plain[..plain.len().min(start.len())]));
        start
    }

    /// "ab", that 40 times, "cd"; then zstd of the same from the reference program
    fn samples() -> (Vec<u8>, [Chunk<Vec<u8>>; 3]) {
        let data = [&b"ab".repeat(40)[..], b"some text at its end"].concat();
        let length = u32::try_from(data.len()).unwrap();
        let lz4 = compress(&data);
        // a raw block of all of it, after a window that is far too large, and a checksum
        let mut zstd = hex("28 b5 2f fd 04 f8");
        let head = (length << 3) | 1;
        zstd.extend(&head.to_le_bytes()[..3]);
        zstd.extend(&data);
        zstd.extend([0x7e, 0x6a, 0xe5, 0xb4]);
        let chunks = [stored(false, length, &data), stored(true, length, &lz4), stored(true, length, &zstd)];
        (data, chunks)
    }

    #[test]
    fn data_is_unpacked_whole_or_in_part() {
        let (data, chunks) = samples();
        let names = chunks.each_ref().map(|chunk| Compression::of(&chunk.header, &chunk.body).name());
        assert_eq!(names, ["none", "lz4", "zstd"]);
        for chunk in chunks {
            assert_eq!(unpack(&chunk, 1000).as_ref(), Ok(&data));
            for count in [0, 1, 2, 30, 79, 80, 99, 100, 1000] {
                assert_eq!(start(&chunk, count), data[..count.min(data.len())], "{count} of {chunk:?}");
            }
        }
    }

    #[test]
    fn zeros_are_seen_where_they_are() {
        for zeros in [0, 1, 3, 4, 5, 12, 13, 14, 15, 16, 17, 300, 100_000] {
            let data = [&b"\0\0\0\0\x04\0\0\0Tags\x01"[..], &vec![0; zeros]].concat();
            let length = u32::try_from(data.len()).unwrap();
            for chunk in [stored(false, length, &data), stored(true, length, &compress(&data))] {
                assert!(ends_in_zeros(&chunk.header, &chunk.body, zeros), "{zeros} in {chunk:?}");
                assert!(!ends_in_zeros(&chunk.header, &chunk.body, zeros + 1), "{zeros} in {chunk:?}");
                assert!(!ends_in_zeros(&chunk.header, &chunk.body, data.len() + 1), "{zeros} in {chunk:?}");
                let other = ChunkHeader { length: length + 1, ..chunk.header };
                assert!(!ends_in_zeros(&other, &chunk.body, zeros), "{zeros} in {chunk:?}");
            }
        }
    }

    proptest! {
        /// Blocks of few literals and short copies, some of them cut or from before the start, tell no zeros that are
        /// not there.
        #[test]
        fn what_is_seen_as_zeros_unpacks_to_them(
            sequences in vec((vec(0u8..2, 0..4), 0u16..6, 0u8..4), 0..5),
            last in vec(0u8..2, 0..4),
            cut in 0usize..3,
            count in 0usize..20,
        ) {
            let token = |literals: &[u8], matched: u8| u8::try_from(literals.len()).unwrap() << 4 | matched;
            let mut body = Vec::new();
            for (literals, distance, matched) in sequences {
                body.push(token(&literals, matched));
                body.extend(literals);
                body.extend(distance.to_le_bytes());
            }
            body.push(token(&last, 0));
            body.extend(last);
            body.truncate(body.len().saturating_sub(cut).max(1));
            for length in 0..40 {
                let chunk = stored(true, length, &body);
                if ends_in_zeros(&chunk.header, &chunk.body, count) {
                    let data = unpack(&chunk, 1000).unwrap();
                    prop_assert!(data.ends_with(&[0].repeat(count)), "{data:?}");
                }
            }
        }
    }

    #[test]
    fn lengths_must_be_as_promised() {
        let (_, chunks) = samples();
        for chunk in &chunks[1..] {
            for length in [0, 1, 99, 101, 120] {
                let wrong = Chunk { header: ChunkHeader { length, ..chunk.header }, body: chunk.body.clone() };
                assert!(unpack(&wrong, 1000).is_err(), "{length} of {chunk:?}");
            }
            let most = Chunk { header: ChunkHeader { length: u32::MAX, ..chunk.header }, body: chunk.body.clone() };
            assert!(matches!(unpack(&most, usize::MAX), Err(UnpackError::TooLarge { .. })));
            assert_eq!(unpack(chunk, 99), Err(UnpackError::TooLarge { length: 100, limit: 99 }));
        }
    }

    /// A frame of this many blocks; each is one byte, repeated 128 Ki times. Its window has that size too, and its header
    /// does not contain the length of the data.
    fn repeated(blocks: u32) -> Vec<u8> {
        let mut zstd = hex("28 b5 2f fd 00 38");
        for block in 1..=blocks {
            let head = u32::from(block == blocks) | 1 << 1 | (128 << 10) << 3;
            zstd.extend(&head.to_le_bytes()[..3]);
            zstd.push(b'a');
        }
        zstd
    }

    /// A frame that does not contain the length of its data is unpacked to the promised length, plus one byte.
    #[test]
    fn no_more_is_unpacked_than_was_promised() {
        let chunk = stored(true, 200_000, &repeated(512));
        let mut error = None;
        let peak = allocation_counter::measure(|| error = unpack(&chunk, 1 << 20).err()).bytes_max;
        assert_eq!(error, Some(UnpackError::Length { found: 200_001, expected: 200_000 }));
        assert!(peak < 4 << 20, "{peak} bytes");
    }

    #[test]
    fn broken_bodies_are_errors() {
        let (_, chunks) = samples();
        for chunk in &chunks[1..] {
            for cut in 0..chunk.body.len() {
                let body = chunk.body[..cut].to_owned();
                let header = ChunkHeader { compressed_length: u32::try_from(cut.max(1)).unwrap(), ..chunk.header };
                let cut = Chunk { header, body };
                assert!(unpack(&cut, 1000).is_err(), "{cut:?}");
                start(&cut, 100);
            }
        }
        let more = [&chunks[2].body[..], &[0]].concat();
        let error = unpack(&stored(true, 100, &more), 1000).unwrap_err();
        assert_eq!(error.to_string(), "invalid zstd data: there are bytes after the frame");
        let fewer = &chunks[2].body[..chunks[2].body.len() - 1];
        let error = unpack(&stored(true, 100, fewer), 1000).unwrap_err();
        assert_eq!(error.to_string(), "invalid zstd data: its checksum is missing");
    }

    #[test]
    fn tables_are_no_larger_than_they_may_be() {
        let too_large = "invalid zstd data: one of its blocks claims too many literals, or too large a table";
        for (block, expected) in [
            // literals with a Huffman table that is compressed itself
            ("02 00 00 10 00 00 00 00", "invalid zstd data: "),
            ("02 00 00 10 0f 00 00 00", too_large),
            // a literal that is repeated a million times
            ("fd ff ff 61 00 00 00 00", too_large),
        ] {
            let frame = hex(&format!("28 b5 2f fd 20 05  45 00 00  {block}"));
            let chunk = stored(true, 5, &frame);
            let mut error = None;
            let peak = allocation_counter::measure(|| error = Some(unpack(&chunk, 1000).unwrap_err())).bytes_max;
            assert!(error.unwrap().to_string().starts_with(expected));
            assert!(peak < 1 << 20, "{peak} bytes");
            assert_eq!(start(&chunk, 5), b"");
        }
    }

    #[test]
    fn what_a_body_can_stand_for_is_known_to_the_byte() {
        let body = [0; 8];
        for (compression, most) in [(Compression::Lz4, 8 * 255 + 64), (Compression::Zstd, 8 * (32 << 10) + (128 << 10))]
        {
            let possible = |length| compression.possible(&stored(true, length, &body).header, body.len());
            assert_eq!(possible(most), Ok(()));
            let too_large = UnpackError::TooLarge { length: u64::from(most) + 1, limit: most.into() };
            assert_eq!(possible(most + 1), Err(too_large));
        }
        assert_eq!(Compression::None.possible(&stored(false, 9, &body).header, body.len()), Ok(()));
    }

    /// A frame takes three times what it refers back to, which is no more than all of it.
    #[test]
    fn what_unpacking_takes_is_known_to_the_byte() {
        let window = hex("28 b5 2f fd 00 00");
        let memory =
            |compression: Compression, length| compression.memory(&stored(true, length, &window).header, &window);
        assert_eq!(memory(Compression::None, 5000), 5000);
        assert_eq!(memory(Compression::Lz4, 5000), 5000);
        assert_eq!(memory(Compression::Zstd, 5000), 5000 + 3 * 1024 + (1 << 20));
        assert_eq!(memory(Compression::Zstd, 10), 10 + 3 * 10 + (1 << 20));
    }

    #[test]
    fn unpacking_takes_no_more_than_that() {
        let length = 128 << 17;
        let chunk = stored(true, length, &repeated(128));
        let most = Compression::Zstd.memory(&chunk.header, &chunk.body);
        let unpacked = || assert_eq!(unpack(&chunk, usize::MAX).map(|data| data.len()), Ok(to_usize(length)));
        let peak = allocation_counter::measure(unpacked).bytes_max;
        assert!(peak <= to_u64(most), "{peak} {most}");
    }

    #[test]
    fn a_start_is_plain_where_it_is_literals() {
        let (data, [none, lz4, zstd]) = samples();
        let plain = |chunk: &Chunk<Vec<u8>>| plain_start(&chunk.header, &chunk.body).to_owned();
        assert_eq!((plain(&none), plain(&lz4), plain(&zstd)), (data, b"ab".to_vec(), Vec::new()));
    }

    /// A copy from 0 bytes back is invalid.
    #[test]
    fn nothing_is_copied_from_where_it_goes() {
        let body = [0x10, 0, 0, 0, 0x10, 0];
        let chunk = stored(true, 6, &body);
        assert!(unpack(&chunk, 1000).is_err());
        assert!(!ends_in_zeros(&chunk.header, &chunk.body, 6));
        assert_eq!(start(&chunk, 6), [0]);
    }

    /// The tags of 8 instances, as the reference program compresses them.
    #[test]
    fn a_start_is_that_of_the_first_block() {
        let data = [&b"\0\0\0\0\x04\0\0\0Tags\x01"[..], &b"\x05\0\0\0Torch".repeat(8)].concat();
        let block = hex("b0 00000000 04000000 54616773 01 05000000 546f726368 0100 48a93401");
        let frame = |length: u8, blocks: &[&[u8]]| {
            let frame = [&hex("28 b5 2f fd 20"), &[length][..], &blocks.concat()].concat();
            stored(true, length.into(), &frame)
        };
        let (last, first, end) = (hex("ed 00 00"), hex("ec 00 00"), hex("19 00 00 65 6e 64"));
        // 10 times `a`
        let repeated = hex("52 00 00 61");
        for (chunk, starts, ends) in [
            (frame(85, &[&last, &block]), &data[..], &b""[..]),
            (frame(88, &[&first, &block, &end]), &data, b"end"),
            (frame(13, &[&repeated, &end]), &[b'a'; 10], b"end"),
        ] {
            assert_eq!(unpack(&chunk, 1000), Ok([starts, ends].concat()));
            for count in [0, 1, 9, 10, 30, 84, 85, 1000] {
                assert_eq!(start(&chunk, count), starts[..count.min(starts.len())], "{count} of {chunk:?}");
            }
        }
    }
}
