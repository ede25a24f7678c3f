//! How the data of a chunk is stored.
//!
//! | compressed_length | body | data |
//! |---|---|---|
//! | 0 | `length` bytes | the body |
//! | not 0 | begins with `28 b5 2f fd` | one zstd frame |
//! | not 0 | anything else | one LZ4 block, without frame or size |

use lz4_flex::block::{compress, decompress_into};
use ruzstd::decoding::FrameDecoder;
use thiserror::Error;

use super::chunk::{Chunk, ChunkHeader, ChunkName};
use super::zstd::{self, next};
use crate::error::{EncodeError, EncodeFault};
use crate::wire::{to_u64, to_usize};

/// How the data of a chunk is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// As it is.
    None,
    /// As an LZ4 block.
    Lz4,
    /// As a zstd frame.
    Zstd,
}

impl Compression {
    /// How a chunk is stored whose body begins like this.
    #[must_use]
    #[inline]
    pub fn of(header: &ChunkHeader, body: &[u8]) -> Self {
        if header.compressed_length == 0 {
            Compression::None
        } else if body.starts_with(&zstd::MAGIC) {
            Compression::Zstd
        } else {
            Compression::Lz4
        }
    }

    /// `none`, `lz4` or `zstd`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Lz4 => "lz4",
            Compression::Zstd => "zstd",
        }
    }

    /// Whether a body can stand for as much as its header promises, which is seen before memory is taken.
    pub(super) fn possible(self, header: &ChunkHeader, body: &[u8]) -> Result<(), UnpackError> {
        let (length, limit) = (header.length.into(), self.most(to_u64(body.len())));
        if self != Compression::None && length > limit {
            return Err(UnpackError::TooLarge { length, limit });
        }
        Ok(())
    }

    /// The most memory that unpacking takes, the data included. A body that was not compressed is copied.
    pub(super) fn memory(self, header: &ChunkHeader, body: &[u8]) -> usize {
        let more = match self {
            Compression::None | Compression::Lz4 => 0,
            Compression::Zstd => zstd::memory(body, header.length),
        };
        to_usize(u64::from(header.length).saturating_add(more))
    }

    /// How many bytes a body of this length stands for at most: a byte of an LZ4 block makes 255 of its data, and four
    /// of a zstd frame a block of 128 KiB.
    fn most(self, stored: u64) -> u64 {
        match self {
            Compression::None => stored,
            Compression::Lz4 => stored.saturating_mul(255).saturating_add(64),
            Compression::Zstd => stored.saturating_mul((zstd::BLOCK / 4).into()).saturating_add(zstd::BLOCK.into()),
        }
    }
}

/// Why a body does not give the data that its header promises.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// It is not what it seems, or ends too early.
    #[error("no {} data: {reason}", .compression.name())]
    Malformed {
        /// What it seems to be.
        compression: Compression,
        /// What is wrong with it.
        reason: String,
    },
    /// It stands for more or fewer bytes than the header says.
    #[error("it unpacks to {}{found} bytes, not to {expected}", if .found > .expected { "at least " } else { "" })]
    Length {
        /// What it stands for.
        found: u64,
        /// What the header says.
        expected: u64,
    },
    /// The header promises more than may be unpacked.
    #[error("it is to unpack to {length} bytes; the limit is {limit}")]
    TooLarge {
        /// What the header says.
        length: u64,
        /// What was allowed, or what the body can stand for at all.
        limit: u64,
    },
}

/// The data of a chunk, of which there may be `limit` bytes at the most. What is stored as it is was bounded by the file,
/// and has no other limit.
///
/// No memory is taken for more than the body can stand for.
///
/// Specification: `docs/spec/roblox-model-files.md`, section Compression.
///
/// # Errors
///
/// If the body does not give the `length` bytes that the header promises, or they are too many.
pub fn unpack<B: AsRef<[u8]>>(chunk: &Chunk<B>, limit: usize) -> Result<Vec<u8>, UnpackError> {
    let mut data = Vec::new();
    unpack_to(chunk, limit, &mut data).map(|()| data)
}

/// The same in memory that was used before.
pub(super) fn unpack_to<B: AsRef<[u8]>>(chunk: &Chunk<B>, limit: usize, data: &mut Vec<u8>) -> Result<(), UnpackError> {
    let Chunk { header, body } = chunk;
    let body = body.as_ref();
    let compression = Compression::of(header, body);
    let length = u64::from(header.length);
    if compression != Compression::None && length > to_u64(limit) {
        return Err(UnpackError::TooLarge { length, limit: to_u64(limit) });
    }
    compression.possible(header, body)?;
    data.clear();
    match compression {
        Compression::None => data.extend_from_slice(body),
        Compression::Lz4 => {
            data.resize(to_usize(length), 0);
            let size = decompress_into(body, data).map_err(|error| malformed(compression, error))?;
            data.truncate(size);
        }
        Compression::Zstd => *data = zstd::unpack(body, header.length)?,
    }
    match to_u64(data.len()) {
        found if found == length => Ok(()),
        found => Err(UnpackError::Length { found, expected: length }),
    }
}

/// Whether a body is seen to stand for the data that its header promises, with 0 for the last `count` bytes, without
/// unpacking it. Of zstd that is never seen.
pub(super) fn ends_in_zeros(header: &ChunkHeader, body: &[u8], count: usize) -> bool {
    let Some(start) = to_usize(header.length).checked_sub(count) else { return false };
    let length = match Compression::of(header, body) {
        Compression::None => body.get(start..).filter(|end| is_zero(end)).map(|_| body.len()),
        Compression::Lz4 => lz4_zeros(body, start),
        Compression::Zstd => None,
    };
    length == Some(to_usize(header.length))
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

pub(super) fn malformed(compression: Compression, reason: impl ToString) -> UnpackError {
    UnpackError::Malformed { compression, reason: reason.to_string() }
}

/// How many bytes of a body suffice to know how its data begins: a block of a zstd frame, and what stands before it. Of an
/// LZ4 block whose first literals are more than that, less is known.
pub(super) const START: u32 = zstd::BLOCK + 32;

/// How the data of a chunk begins, as far as that stands in its body.
#[inline]
pub(super) fn plain_start<'b>(header: &ChunkHeader, mut body: &'b [u8]) -> &'b [u8] {
    match Compression::of(header, body) {
        Compression::None => body,
        Compression::Lz4 => lz4_literals(&mut body).map_or(&[], |(literals, _)| literals),
        Compression::Zstd => &[],
    }
}

/// The first `count` bytes of the data of a chunk, or fewer if they cannot be had of this much of its body. `decoder` is
/// used where it is zstd, for it costs to make one.
pub(super) fn unpack_start(header: &ChunkHeader, body: &[u8], count: usize, decoder: &mut FrameDecoder) -> Vec<u8> {
    let count = count.min(to_usize(header.length));
    let mut start = Vec::with_capacity(count);
    // what is wrong with it is told by whoever unpacks all of it
    let _ = match Compression::of(header, body) {
        Compression::None => {
            start.extend(body.iter().take(count));
            Some(())
        }
        Compression::Lz4 => lz4_start(body, count, &mut start),
        Compression::Zstd => zstd::start(decoder, body, count, &mut start),
    };
    start
}

/// An LZ4 block is a row of sequences: a byte of two lengths, each of which may go on behind it; literals; and how far
/// back the bytes stand that come after them.
fn lz4_start(mut body: &[u8], count: usize, start: &mut Vec<u8>) -> Option<()> {
    loop {
        let (literals, token) = lz4_literals(&mut body)?;
        start.extend(literals.iter().take(count.saturating_sub(start.len())));
        let room = count.saturating_sub(start.len());
        if room == 0 {
            return Some(());
        }
        let distance = usize::from(u16::from_le_bytes(next(&mut body)?));
        let matched = lz4_length(&mut body, token & 0xf)?.saturating_add(4).min(room);
        let from = start.len().checked_sub(distance).filter(|_| distance > 0)?;
        // it may go on into what it makes
        for at in from..from.saturating_add(matched) {
            start.push(*start.get(at)?);
        }
    }
}

/// How many bytes an LZ4 block stands for, if its first literals are `start` bytes and zeros, and all that follows is seen to
/// be 0: it is literals, or copied from there, or from zeros at the start.
fn lz4_zeros(mut body: &[u8], start: usize) -> Option<usize> {
    let mut head: &[u8] = &[];
    let mut length = 0usize;
    loop {
        let (count, token) = lz4_token(&mut body)?;
        let (mut literals, rest) = body.split_at_checked(count)?;
        body = rest;
        if length == 0 {
            (head, literals) = literals.split_at_checked(start)?;
        }
        length = length.saturating_add(count);
        is_zero(literals).then_some(())?;
        if body.is_empty() {
            return Some(length);
        }
        let distance = usize::from(u16::from_le_bytes(next(&mut body)?));
        let from = length.checked_sub(distance).filter(|_| distance > 0)?;
        let copied = lz4_length(&mut body, token & 0xf)?.saturating_add(4);
        head.iter().skip(from).take(copied).all(|byte| *byte == 0).then_some(())?;
        length = length.saturating_add(copied);
    }
}

/// The literals of a sequence, as many of them as there are; and the byte of the lengths.
#[inline]
fn lz4_literals<'b>(body: &mut &'b [u8]) -> Option<(&'b [u8], u8)> {
    let (count, token) = lz4_token(body)?;
    let (literals, rest) = body.split_at_checked(count).unwrap_or((body, &[]));
    *body = rest;
    Some((literals, token))
}

/// How many literals a sequence has, and the byte of the lengths.
#[inline]
fn lz4_token(body: &mut &[u8]) -> Option<(usize, u8)> {
    let [token] = next(body)?;
    Some((lz4_length(body, token >> 4)?, token))
}

/// A length of 15 goes on in the bytes that follow, as long as they are 255.
#[inline]
fn lz4_length(body: &mut &[u8], nibble: u8) -> Option<usize> {
    let mut length = usize::from(nibble);
    if nibble == 15 {
        loop {
            let [more] = next(body)?;
            length = length.saturating_add(more.into());
            if more != 255 {
                break;
            }
        }
    }
    Some(length)
}

/// How data is to be stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Store {
    /// As it was, but what was zstd is stored as it is.
    #[default]
    AsBefore,
    /// As it is.
    Raw,
    /// As an LZ4 block, where that is shorter.
    Lz4,
}

impl Store {
    /// The chunk that holds `data`, which was stored in this way before.
    ///
    /// # Errors
    ///
    /// If the data is too long for its length field.
    pub fn pack(self, name: ChunkName, data: Vec<u8>, before: Compression) -> Result<Chunk<Vec<u8>>, EncodeError> {
        let length = u32::try_from(data.len())
            .map_err(|_| EncodeError::new(std::iter::empty().collect(), EncodeFault::TooLong))?;
        let raw = Chunk { header: ChunkHeader { name, compressed_length: 0, length }, body: Vec::new() };
        if self == Store::Raw || (self == Store::AsBefore && before != Compression::Lz4) {
            return Ok(Chunk { body: data, ..raw });
        }
        let body = compress(&data);
        let compressed_length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        // what begins like zstd would be taken for it; no block that `compress` makes does, for its first copy would reach
        // before the start
        if compressed_length >= length || compressed_length == 0 || body.starts_with(&zstd::MAGIC) {
            return Ok(Chunk { body: data, ..raw });
        }
        Ok(Chunk { header: ChunkHeader { compressed_length, ..raw.header }, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
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
        zstd.extend([1, 2, 3, 4]);
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

    /// A frame that does not say how much it stands for is read to the promised length, and one byte more.
    #[test]
    fn no_more_is_unpacked_than_was_promised() {
        let mut zstd = hex("28 b5 2f fd 00 38");
        for block in 0..512 {
            let head = u32::from(block == 511) | 1 << 1 | (128 << 10) << 3;
            zstd.extend(&head.to_le_bytes()[..3]);
            zstd.push(b'a');
        }
        let chunk = stored(true, 200_000, &zstd);
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
        assert_eq!(error.to_string(), "no zstd data: there are bytes after it");
    }

    #[test]
    fn tables_are_no_larger_than_they_may_be() {
        let too_large = "no zstd data: a block of it asks for too much";
        for (block, expected) in [
            // literals with a Huffman table that is compressed itself
            ("02 00 00 10 00 00 00 00", "no zstd data: "),
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
    fn data_is_packed_where_that_helps() {
        let (data, chunks) = samples();
        let packed = |store: Store, before| store.pack(ChunkName::PROP, data.clone(), before).unwrap();
        for before in [Compression::None, Compression::Lz4, Compression::Zstd] {
            assert_eq!(packed(Store::Raw, before), chunks[0]);
            assert_eq!(packed(Store::Lz4, before), chunks[1]);
            let expected = if before == Compression::Lz4 { &chunks[1] } else { &chunks[0] };
            assert_eq!(&packed(Store::AsBefore, before), expected);
        }
        let short = Store::Lz4.pack(ChunkName::PROP, vec![1, 2, 3], Compression::Lz4).unwrap();
        assert_eq!(short, stored(false, 3, &[1, 2, 3]));
    }

    #[test]
    fn what_a_body_can_stand_for_is_known_to_the_byte() {
        let body = [0; 8];
        for (compression, most) in [(Compression::Lz4, 8 * 255 + 64), (Compression::Zstd, 8 * (32 << 10) + (128 << 10))]
        {
            let possible = |length| compression.possible(&stored(true, length, &body).header, &body);
            assert_eq!(possible(most), Ok(()));
            let too_large = UnpackError::TooLarge { length: u64::from(most) + 1, limit: most.into() };
            assert_eq!(possible(most + 1), Err(too_large));
        }
        assert_eq!(Compression::None.possible(&stored(false, 9, &body).header, &body), Ok(()));
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
    fn a_start_is_plain_where_it_is_literals() {
        let (data, [none, lz4, zstd]) = samples();
        let plain = |chunk: &Chunk<Vec<u8>>| plain_start(&chunk.header, &chunk.body).to_owned();
        assert_eq!((plain(&none), plain(&lz4), plain(&zstd)), (data, b"ab".to_vec(), Vec::new()));
    }

    /// A copy from 0 bytes back is none.
    #[test]
    fn nothing_is_copied_from_where_it_goes() {
        let body = [0x10, 0, 0, 0, 0x10, 0];
        let chunk = stored(true, 6, &body);
        assert!(unpack(&chunk, 1000).is_err());
        assert!(!ends_in_zeros(&chunk.header, &chunk.body, 6));
        assert_eq!(start(&chunk, 6), [0]);
    }
}
