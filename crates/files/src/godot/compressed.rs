//! Compressed files: those of `FileAccess.open_compressed`, and compressed resources.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::marker::PhantomData;

use bstr::BStr;
use cookie_factory::multi::all;
use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use flate2::write::{GzEncoder, ZlibEncoder};
use nom::{OutputMode, PResult, Parser};
use ruzstd::decoding::FrameDecoder;
use thiserror::Error;

use super::fastlz;
use crate::zstd::{self, ZstdError};
use enginewire::error::{DecodeError, EncodeError, Fault, Radix};
use enginewire::number::{to_u64, to_usize};
use enginewire::wire::{
    all_consuming, field, fixed, flat_map, gen_bytes, gen_length, gen_uint32, generate_into, magic, recover, repeat,
    run, take, uint32, unknown, verify, Le, Source, WireError,
};

/// The first bytes of a compressed file.
pub const MAGIC: &[u8] = b"GCPF";

/// The first bytes of a compressed resource.
pub const RESOURCE_MAGIC: &[u8] = b"RSCC";

/// A compressed file. Its blocks are kept as they are.
///
/// | field | type |
/// |---|---|
/// | magic | `GCPF`, or `RSCC` for a resource |
/// | mode | uint32: [`Mode`] |
/// | block_size | uint32, not 0 |
/// | total | uint32 |
/// | sizes | `total` / `block_size` + 1 × uint32 |
/// | blocks | as many bytes each |
/// | end | as magic |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compressed<'a> {
    /// True if it is a resource. What it unpacks to then lacks the magic of a resource, `RSRC`.
    pub is_resource: bool,
    /// The compression of each block.
    pub mode: Mode,
    /// The number of bytes that each block but the last unpacks to.
    pub block_size: u32,
    /// The number of bytes that all blocks unpack to.
    pub total: u32,
    /// The blocks. The last may unpack to 0 bytes.
    pub blocks: Vec<&'a [u8]>,
}

/// The compression of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// FastLZ; the default of the engine.
    #[default]
    FastLz = 0,
    /// zlib.
    Zlib = 1,
    /// zstd.
    Zstd = 2,
    /// gzip.
    Gzip = 3,
    /// brotli, which is not supported. No engine writes it.
    Brotli = 4,
}

impl Mode {
    const ALL: [Self; 5] = [Mode::FastLz, Mode::Zlib, Mode::Zstd, Mode::Gzip, Mode::Brotli];

    /// The number in a file.
    fn number(self) -> u32 {
        (0..).zip(Mode::ALL).find(|(_, mode)| *mode == self).map_or(0, |(number, _)| number)
    }

    /// `FastLZ`, `zlib`, `zstd`, `gzip` or `brotli`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Mode::FastLz => "FastLZ",
            Mode::Zlib => "zlib",
            Mode::Zstd => "zstd",
            Mode::Gzip => "gzip",
            Mode::Brotli => "brotli",
        }
    }

    /// The most bytes that a block of `stored` bytes can unpack to.
    fn most(self, stored: u64) -> u64 {
        match self {
            Mode::FastLz => fastlz::most(stored),
            Mode::Zlib | Mode::Gzip => stored.saturating_mul(1032),
            Mode::Zstd => zstd::most(stored),
            Mode::Brotli => 0,
        }
    }

    /// Appends the data of a block, which has `length` bytes. After an error, some of the data may be there.
    fn unpack(self, block: &[u8], length: u32, decoder: &mut FrameDecoder, data: &mut Vec<u8>) -> Result<(), String> {
        let (start, most) = (data.len(), u64::from(length));
        // one more, to see whether there is more
        let read = |reader: &mut dyn Read, data: &mut Vec<u8>| {
            let result = reader.take(most.saturating_add(1)).read_to_end(data);
            result.map_err(|error| format!("invalid {} data: {error}", self.name()))
        };
        match self {
            Mode::FastLz => {
                let padded = fastlz_length(length);
                fastlz::unpack(block, padded, data).map_err(|reason| format!("invalid FastLZ data: {reason}"))?;
                let found = data.len().saturating_sub(start);
                // without padding, for other writers
                if found == padded {
                    data.truncate(start.saturating_add(to_usize(length)));
                }
            }
            Mode::Zlib => drop(read(&mut flate2::bufread::ZlibDecoder::new(block), data)?),
            Mode::Gzip => drop(read(&mut flate2::bufread::MultiGzDecoder::new(block), data)?),
            Mode::Zstd => zstd::unpack_into(decoder, block, length, data).map_err(|error| match error {
                ZstdError::Malformed(reason) => format!("invalid zstd data: {reason}"),
                ZstdError::Length(found) => wrong_length(found, length),
            })?,
            Mode::Brotli => return Err(BROTLI.to_owned()),
        }
        let found = to_u64(data.len().saturating_sub(start));
        if found == u64::from(length) {
            return Ok(());
        }
        data.truncate(start.saturating_add(to_usize(length)));
        Err(wrong_length(found, length))
    }

    /// A block of this data.
    fn pack(self, data: &[u8]) -> Option<Vec<u8>> {
        match self {
            Mode::FastLz => {
                let mut padded = data.to_vec();
                padded.resize(fastlz_length(u32::try_from(data.len()).ok()?), 0);
                Some(fastlz::pack(&padded))
            }
            Mode::Zlib => {
                written(ZlibEncoder::new(Vec::new(), flate2::Compression::default()), data, ZlibEncoder::finish)
            }
            Mode::Gzip => written(GzEncoder::new(Vec::new(), flate2::Compression::default()), data, GzEncoder::finish),
            Mode::Zstd if data.is_empty() => Some(zstd::EMPTY.to_vec()),
            Mode::Zstd => zstd::pack(data, data.len().saturating_add(data.len() >> 10).saturating_add(64)),
            Mode::Brotli => None,
        }
    }
}

/// Why blocks with brotli cannot be unpacked or packed.
pub(super) const BROTLI: &str = "brotli is not supported: no engine writes it";

/// The number of bytes that a FastLZ block of `length` bytes of data unpacks to, with its padding.
fn fastlz_length(length: u32) -> usize {
    to_usize(length.max(16))
}

fn wrong_length(found: u64, expected: u32) -> String {
    let bound = if found > expected.into() { "at least " } else { "" };
    format!("it unpacks to {bound}{found} bytes, expected {expected}")
}

/// The output of an encoder for this data.
pub(super) fn written<W: Write>(
    mut encoder: W,
    data: &[u8],
    finish: impl Fn(W) -> std::io::Result<Vec<u8>>,
) -> Option<Vec<u8>> {
    encoder.write_all(data).ok()?;
    finish(encoder).ok()
}

/// A block that cannot be unpacked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("block {block} at byte {offset:#x}: {reason}")]
#[non_exhaustive]
pub struct BlockError {
    /// Its number, counted from 0.
    pub block: usize,
    /// Its offset in the file.
    pub offset: u64,
    /// The reason.
    pub reason: String,
}

impl<'a> Compressed<'a> {
    /// `GCPF` or `RSCC`.
    #[must_use]
    pub const fn magic(&self) -> &'static [u8] {
        if self.is_resource {
            RESOURCE_MAGIC
        } else {
            MAGIC
        }
    }

    /// The number of blocks that the header claims.
    fn claimed(&self) -> u64 {
        u64::from(self.total).checked_div(self.block_size.into()).unwrap_or_default().saturating_add(1)
    }

    /// Every block with its offset in the file, and the number of bytes that it unpacks to.
    pub fn placed(&self) -> impl Iterator<Item = (u64, u32, &'a [u8])> + '_ {
        let first = HEAD.saturating_add(self.claimed().saturating_mul(4));
        self.blocks.iter().scan((first, self.total), |(offset, left), block| {
            let length = self.block_size.min(*left);
            let placed = (*offset, length, *block);
            *offset = offset.saturating_add(to_u64(block.len()));
            *left = left.saturating_sub(length);
            Some(placed)
        })
    }

    /// The most memory that [`unpack_partial`](Self::unpack_partial) takes, in bytes, with what it returns.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let of_block = self.unpackable().map(|(_, length, block)| match self.mode {
            Mode::Zstd => zstd::memory(block, length),
            _ => SCRATCH,
        });
        self.unpacks_to().saturating_add(of_block.max().unwrap_or_default())
    }

    /// The blocks up to the first that cannot unpack to what it claims.
    fn unpackable(&self) -> impl Iterator<Item = (u64, u32, &'a [u8])> + '_ {
        self.placed().take_while(|(_, length, block)| self.possible(*length, block))
    }

    /// The number of bytes that these claim, and a few more for the end of the last.
    fn unpacks_to(&self) -> u64 {
        self.unpackable().fold(PADDING, |sum, (_, length, _)| sum.saturating_add(length.into()))
    }

    fn possible(&self, length: u32, block: &[u8]) -> bool {
        u64::from(length) <= self.mode.most(to_u64(block.len()))
    }

    /// Unpacks the blocks as far as they go: the data before the first fault, and why there is no more. No
    /// memory is taken for data that blocks of their sizes cannot have; compare [`memory`](Self::memory) with a limit before.
    ///
    /// ```
    /// use enginewire_files::godot::compressed;
    ///
    /// let file = b"GCPF\0\0\0\0\0\x10\0\0\x01\0\0\0\x11\0\0\0\x0ft\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0GCPF";
    /// let compressed = compressed::decode(file)?;
    /// assert_eq!(compressed.unpack_partial(), (b"t".to_vec(), None));
    /// # Ok::<(), enginewire::DecodeError>(())
    /// ```
    #[must_use]
    pub fn unpack_partial(&self) -> (Vec<u8>, Option<BlockError>) {
        let mut data = Vec::with_capacity(to_usize(self.unpacks_to()));
        let mut decoder = FrameDecoder::new();
        for (block, (offset, length, bytes)) in self.placed().enumerate() {
            let result = if self.possible(length, bytes) || self.mode == Mode::Brotli {
                self.mode.unpack(bytes, length, &mut decoder, &mut data)
            } else {
                Err(format!("{} bytes of {} cannot unpack to {length}", bytes.len(), self.mode.name()))
            };
            if let Err(reason) = result {
                return (data, Some(BlockError { block, offset, reason }));
            }
        }
        (data, None)
    }

    /// The file with other data. A block whose data is the same stays as it is; mode and block size stay too.
    ///
    /// # Errors
    ///
    /// If the data is longer than its length can say, or cannot be compressed in this mode.
    pub fn repacked(&self, data: &[u8]) -> Result<Vec<u8>, EncodeError> {
        let total = u32::try_from(data.len()).map_err(|_| failed("the data is too long: at most 4294967295 bytes"))?;
        let mut decoder = FrameDecoder::new();
        let (mut scratch, mut new) = (Vec::new(), Vec::new());
        let size = to_usize(self.block_size.max(1));
        // an empty last block follows data that fills its blocks
        let pieces = data.chunks(size).chain((data.len().checked_rem(size) == Some(0)).then_some(&[][..]));
        let mut before = self.placed();
        for piece in pieces {
            let length = u32::try_from(piece.len()).unwrap_or(u32::MAX);
            let mut is_of = |block: &[u8]| {
                scratch.clear();
                self.mode.unpack(block, length, &mut decoder, &mut scratch).is_ok() && scratch == piece
            };
            let same = before.next().filter(|(_, of, block)| *of == length && self.possible(length, block));
            let same = same.map(|(_, _, block)| block).filter(|block| is_of(block));
            new.push(match same {
                Some(block) => Cow::Borrowed(block),
                None => {
                    let block = self.mode.pack(piece).filter(|block| is_of(block));
                    block
                        .ok_or_else(|| failed(&format!("the data cannot be compressed with {}", self.mode.name())))?
                        .into()
                }
            });
        }
        let blocks = new.iter().map(|block| &**block).collect();
        encode(&Compressed { total, blocks, ..*self })
    }
}

/// The bytes before the sizes.
const HEAD: u64 = 16;

/// The most that an empty FastLZ block takes for a moment, and the one byte more that is read to see the end.
const PADDING: u64 = 16;

/// The most memory that unpacking a block takes beside its data, other than zstd.
const SCRATCH: u64 = 128 << 10;

fn failed(reason: &str) -> EncodeError {
    EncodeError::new(enginewire::error::Path::default(), enginewire::error::EncodeFault::Other(reason.to_owned()))
}

/// Reads the number of a [`Mode`].
///
/// Specification: `docs/spec/godot-files.md`, section Compressed file.
#[inline]
pub fn mode<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Mode, Error = E> {
    verify(uint32::<Le, I, E>(), |number: u32| {
        let known = Mode::ALL.get(to_usize(number)).copied();
        known.ok_or_else(|| unknown("compression mode", Radix::Decimal, number, Mode::ALL.map(Mode::number)))
    })
}

/// Reads a [`Compressed`].
///
/// Specification: `docs/spec/godot-files.md`, section Compressed file.
#[inline]
pub fn compressed<'a, I, E>() -> impl Parser<I, Output = Compressed<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(before_end(), |compressed| {
        let mut compressed = Some(compressed);
        let end = magic(compressed.as_ref().map_or(MAGIC, Compressed::magic));
        field("end", end).map(move |_| compressed.take().unwrap_or_default())
    })
}

/// Reads everything except the end.
fn before_end<'a, I, E>() -> impl Parser<I, Output = Compressed<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    let is_resource = verify(fixed::<4, I, E>(), |found: [u8; 4]| match &found[..] {
        RESOURCE_MAGIC => Ok(true),
        MAGIC => Ok(false),
        _ => Err(Fault::Magic { found: found.into(), expected: MAGIC.into() }),
    });
    let block_size = verify(uint32::<Le, I, E>(), |size| match size {
        0 => Err(Fault::Other("the block size is 0".to_owned())),
        size => Ok(size),
    });
    let head = (
        field("magic", is_resource),
        field("mode", mode()),
        field("block_size", block_size),
        field("total", uint32::<Le, I, E>()),
    );
    flat_map(head, |(is_resource, mode, block_size, total)| {
        let head = Compressed { is_resource, mode, block_size, total, blocks: Vec::new() };
        let count = u32::try_from(head.claimed()).unwrap_or(u32::MAX);
        flat_map(field("sizes", repeat(count, 4, uint32::<Le, I, E>())), move |sizes: Vec<u32>| {
            let count = u32::try_from(sizes.len()).unwrap_or(u32::MAX);
            let blocks = repeat(count, 1, Blocks { sizes: sizes.into_iter(), error: PhantomData });
            field("blocks", blocks).map(move |blocks| Compressed { blocks, ..head })
        })
    })
}

/// Reads the blocks with these sizes, one at each call.
struct Blocks<E> {
    sizes: std::vec::IntoIter<u32>,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Blocks<E> {
    type Output = &'a [u8];
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, &'a [u8], E> {
        let size = self.sizes.next().unwrap_or_default();
        take(size.into()).map(|block: &'a BStr| &**block).process::<OM>(input)
    }
}

/// Writes a [`Compressed`].
pub fn gen_compressed<'v, W: Write + 'v>(compressed: &'v Compressed<'_>) -> impl SerializeFn<W> + 'v {
    tuple((
        gen_bytes(compressed.magic()),
        gen_uint32::<Le, W>(compressed.mode.number()),
        gen_uint32::<Le, W>(compressed.block_size),
        gen_uint32::<Le, W>(compressed.total),
        all(compressed.blocks.iter().map(|block| gen_length::<Le, W>(block.len()))),
        all(compressed.blocks.iter().map(gen_bytes)),
        gen_bytes(compressed.magic()),
    ))
}

/// Decodes a compressed file, whose blocks borrow from the input. Their list takes at most as much memory as [`list_size`]
/// says.
///
/// # Errors
///
/// If the input does not begin or end with the magic, its mode is unknown, its block size is 0, or it ends too early.
#[inline]
pub fn decode(input: &[u8]) -> Result<Compressed<'_>, DecodeError> {
    run(input, all_consuming(false, compressed())).map(|(_, compressed)| compressed)
}

/// Decodes a compressed file as far as it goes: the blocks that are whole, and why there are no more.
///
/// # Errors
///
/// If its header is broken.
pub fn decode_partial(input: &[u8]) -> Result<(Compressed<'_>, Option<DecodeError>), DecodeError> {
    match decode(input) {
        Ok(compressed) => Ok((compressed, None)),
        Err(error) => match recover(input, before_end()) {
            Some(compressed) => Ok((compressed, Some(error))),
            None => Err(error),
        },
    }
}

// a size and the slice of its block
const ITEM: usize = 4 + size_of::<&[u8]>();

/// The most memory, in bytes, that decoding takes for the list of blocks. Blocks that the input claims, but is too short to
/// hold, do not count.
#[must_use]
pub fn list_size(input: &[u8]) -> usize {
    let word = |at: usize| input.get(at..).and_then(|bytes| bytes.first_chunk()).copied().map(u32::from_le_bytes);
    let claimed = word(12).unwrap_or_default().checked_div(word(8).unwrap_or_default()).unwrap_or_default();
    let possible = input.len().checked_div(4).unwrap_or_default();
    to_usize(claimed).saturating_add(1).min(possible).saturating_mul(ITEM)
}

/// Encodes a compressed file.
///
/// # Errors
///
/// If a block is too long for its length.
#[inline]
pub fn encode(compressed: &Compressed<'_>) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    generate_into(gen_compressed(compressed), &mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
    use pretty_assertions::assert_eq;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
    use proptest::sample::select;

    const MODES: [Mode; 4] = [Mode::FastLz, Mode::Zlib, Mode::Zstd, Mode::Gzip];

    fn file(mode: Mode, block_size: u32, data: &[u8]) -> Vec<u8> {
        Compressed { mode, block_size, ..Compressed::default() }.repacked(data).unwrap()
    }

    /// Unpacks a whole file.
    fn unpacked(file: &[u8]) -> Vec<u8> {
        let (data, error) = decode(file).unwrap().unpack_partial();
        assert_eq!(error, None);
        data
    }

    fn error(file: &[u8]) -> String {
        decode(file).unwrap_err().to_string()
    }

    /// A header with one block.
    fn one(mode: u32, block_size: u32, total: u32, block: &[u8]) -> Vec<u8> {
        let size = u32::try_from(block.len()).unwrap();
        let head = [mode, block_size, total, size].map(u32::to_le_bytes).concat();
        [MAGIC, &head, block, MAGIC].concat()
    }

    /// From Godot 3.2.3: no data, and `t`.
    #[test]
    fn files_of_the_engine() {
        for (mode, none, t) in [
            (Mode::FastLz, "01 0000 e00201 02 000000", "0f 74000000000000000000000000000000"),
            (Mode::Zlib, "789c030000000001", "789c2b01000075 0075"),
            (Mode::Zstd, "28b52ffd2000010000", "28b52ffd200109000074"),
            (Mode::Gzip, "1f8b08000000000000030300 0000000000000000", "1f8b08000000000000032b0100a85a6a8501000000"),
        ] {
            let files = [&b""[..], b"t"].map(|data| {
                let block = hex(if data.is_empty() { none } else { t });
                one(mode.number(), 4096, u32::try_from(data.len()).unwrap(), &block)
            });
            assert_eq!(files.each_ref().map(|file| unpacked(file)), [&b""[..], b"t"], "{mode:?}");
            let [none, t] = files.each_ref().map(|file| decode(file).unwrap());
            assert_eq!((none.repacked(b"").unwrap(), t.repacked(b"t").unwrap()), (files[0].clone(), files[1].clone()));
            assert_eq!(unpacked(&t.repacked(b"").unwrap()), b"");
            assert_eq!(encode(&t).unwrap(), files[1]);
        }
    }

    /// From the reference program, without a content size and with a checksum.
    #[test]
    fn a_frame_without_its_size() {
        let block = "28b52ffd0458 010100 1c0000001b00000001000000040000000200000068700000 02000000 07000000 f186c2a3";
        let file = one(2, 4096, 32, &hex(block));
        assert_eq!(unpacked(&file), hex("1c0000001b0000000100000004000000020000006870000002000000 07000000"));
    }

    #[test]
    fn untouched_blocks_stay() {
        let data: Vec<u8> = (0..100u8).cycle().take(1000).collect();
        for mode in MODES {
            let mut packed = file(mode, 100, &data);
            let before = decode(&packed).unwrap();
            // 10 blocks, and one that is empty
            assert_eq!(before.blocks.len(), 11);
            let mut other = data.clone();
            other[555] ^= 0xff;
            other.extend(b"more");
            let edited = before.repacked(&other).unwrap();
            let after = decode(&edited).unwrap();
            let changed: Vec<_> = (0..11).filter(|at| before.blocks[*at] != after.blocks[*at]).collect();
            assert_eq!((changed, unpacked(&edited)), (vec![5, 10], other), "{mode:?}");
            // a block that this crate would not write like this
            if mode == Mode::FastLz {
                let mut foreign = before.clone();
                let literals =
                    [&[31][..], &data[..32], &[31], &data[32..64], &[31], &data[64..96], &[3], &data[96..100]];
                let literals = literals.concat();
                foreign.blocks[3] = &literals;
                packed = encode(&foreign).unwrap();
                let kept = decode(&packed).unwrap().repacked(&data[..600]).unwrap();
                assert_eq!(decode(&kept).unwrap().blocks[3], literals);
            }
            let parsed = decode(&packed).unwrap();
            assert_eq!(parsed.repacked(&data).unwrap(), packed);
            let places = parsed.placed().map(|(offset, length, block)| {
                assert!(packed[to_usize(offset)..].starts_with(block));
                length
            });
            assert_eq!(places.collect::<Vec<_>>(), [vec![100; 10], vec![0]].concat());
        }
    }

    #[test]
    fn every_cut_keeps_the_blocks_before() {
        let data: Vec<u8> = (0..=255).cycle().take(500).collect();
        for mode in MODES {
            let whole = file(mode, 200, &data);
            let parsed = decode(&whole).unwrap();
            let ends: Vec<_> = parsed.placed().map(|(offset, _, block)| to_usize(offset) + block.len()).collect();
            for cut in 0..whole.len() {
                let error = decode(&whole[..cut]).unwrap_err();
                assert!(error.is_truncated() && error.offset().byte() <= to_u64(cut), "{cut}: {error}");
                let part = decode_partial(&whole[..cut]);
                assert_eq!(part.is_ok(), cut >= 16, "{cut}");
                let blocks = ends.iter().filter(|end| **end <= cut).count();
                let (found, error) = part.map(|(part, _)| part).unwrap_or_default().unpack_partial();
                assert_eq!((&found[..], error), (&data[..(blocks * 200).min(500)], None), "{cut}");
            }
            // a broken block
            let mut broken = whole.clone();
            let (offset, _, block) = parsed.placed().nth(1).unwrap();
            broken[to_usize(offset)..][..block.len()].fill(0xff);
            let (found, error) = decode(&broken).unwrap().unpack_partial();
            let error = error.unwrap();
            assert!(
                found.starts_with(&data[..200])
                    && error.to_string().starts_with(&format!("block 1 at byte {offset:#x}: "))
            );
        }
    }

    #[test]
    fn exact_errors() {
        let t = hex("0f 74000000000000000000000000000000");
        assert_eq!(error(b"GCPX"), r#"expected "GCPF", found "GCPX", at byte 0x0 in magic"#);
        assert_eq!(error(&one(9, 1, 1, &t)), "unknown compression mode 9, at byte 0x4 in mode");
        assert_eq!(error(&one(0, 0, 1, &t)), "the block size is 0, at byte 0x8 in block_size");
        let mut file = one(0, 4096, 1, &t);
        let end = file.len() - 1;
        file[end] = b'C';
        assert_eq!(error(&file), r#"expected "GCPF", found "GCPC", at byte 0x25 in end"#);
        file[end] = b'F';
        file.push(0);
        assert_eq!(error(&file), "unexpected bytes after the end of the value, at byte 0x29");
        let many = one(0, 1, u32::MAX, &[]);
        assert_eq!(error(&many), "input ends too early: 4 bytes needed, 0 left, at byte 0x18 in sizes[2]");
        assert_eq!(list_size(&many), 6 * ITEM);
        let unpack = |file: &[u8]| decode(file).unwrap().unpack_partial().1.unwrap().to_string();
        assert_eq!(unpack(&one(4, 4096, 1, &t)), format!("block 0 at byte 0x14: {BROTLI}"));
        assert_eq!(unpack(&one(0, 4096, 20, &t)), "block 0 at byte 0x14: it unpacks to 16 bytes, expected 20");
        let short = one(3, 4096, 2, &hex("1f8b08000000000000032b0100a85a6a8501000000"));
        assert_eq!(unpack(&short), "block 0 at byte 0x14: it unpacks to 1 bytes, expected 2");
        let long = one(1, 4096, 0, &hex("789c2b010000750075"));
        assert_eq!(unpack(&long), "block 0 at byte 0x14: it unpacks to at least 1 bytes, expected 0");
        let cut = one(1, 4096, 1, &hex("789c2b0100"));
        assert!(unpack(&cut).starts_with("block 0 at byte 0x14: invalid zlib data: "), "{}", unpack(&cut));
        let brotli = Compressed { mode: Mode::Brotli, block_size: 1, ..Compressed::default() };
        assert_eq!(brotli.repacked(b"a").unwrap_err().to_string(), "the data cannot be compressed with brotli");
    }

    /// Files of some bytes that claim gigabytes, and a block that has more than it claims.
    #[test]
    fn claims_take_no_memory() {
        for mode in MODES {
            let bomb = one(mode.number(), u32::MAX, u32::MAX - 1, &[0x20; 900]);
            let compressed = decode(&bomb).unwrap();
            assert!(compressed.memory() <= 16 + zstd::memory(&[], 0).max(SCRATCH), "{mode:?} {}", compressed.memory());
            let peak = allocation_counter::measure(|| drop(compressed.unpack_partial())).bytes_max;
            assert!(peak < 1 << 12, "{mode:?}: {peak}");
            let zeros = file(mode, 1 << 20, &vec![0; 1 << 20]);
            let mut parsed = decode(&zeros).unwrap();
            parsed.total = 100;
            parsed.blocks.truncate(1);
            let peak = allocation_counter::measure(|| assert!(parsed.unpack_partial().1.is_some())).bytes_max;
            assert!(peak <= parsed.memory(), "{mode:?}: {peak} > {}", parsed.memory());
            let parsed = decode(&zeros).unwrap();
            let peak = allocation_counter::measure(|| assert!(parsed.unpack_partial().1.is_none())).bytes_max;
            assert!(peak <= parsed.memory(), "{mode:?}: {peak} > {}", parsed.memory());
        }
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_back(
            mode in select(&MODES[..]), block_size in 1u32..200, seed in vec(any::<u8>(), 0..50), length in 0usize..1500,
        ) {
            let data: Vec<u8> = seed.iter().copied().cycle().take(length).collect();
            let packed = file(mode, block_size, &data);
            prop_assert_eq!(unpacked(&packed), &data[..]);
            prop_assert!(list_size(&packed) / ITEM >= decode(&packed).unwrap().blocks.len());
        }

        /// One byte of a file is another.
        #[test]
        fn mutations_never_panic(mode in select(&MODES[..]), at in any::<proptest::sample::Index>(), byte in any::<u8>()) {
            let mut packed = file(mode, 64, &(0..150).collect::<Vec<u8>>());
            let at = at.index(packed.len());
            packed[at] = byte;
            if let Ok((parsed, _)) = decode_partial(&packed) {
                let (data, _) = parsed.unpack_partial();
                prop_assert!(to_u64(data.len()) <= parsed.memory());
                let _ = parsed.repacked(&data);
            }
        }
    }
}
