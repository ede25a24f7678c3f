//! Reading a binary file chunk by chunk.

use std::io::{Cursor, Read, Seek, Write};
use std::ops::Range;

use bstr::BStr;
use nom::Parser;
use ruzstd::decoding::FrameDecoder;

use super::chunk::{chunk_header, Chunk, ChunkHeader, ChunkName};
use super::chunk_ref::ChunkRef;
use super::compression::Compression;
use super::header::header;
use super::pieces::{self, Pieces};
use super::prop::{prop_head, STRING};
use super::unpack::{ends_in_zeros, plain_start, unpack_start, unpack_to, START};
use crate::roblox::model::error::{ChunkFault, ModelError};
use crate::roblox::model::kind::Kind;
use crate::roblox::model::options::Options;
use crate::roblox::model::window::{self, Window};
use crate::zstd;
use enginewire::budget::Budget;
use enginewire::error::{DecodeError, Fault, Segment};
use enginewire::number::{to_u64, to_usize};
use enginewire::wire::{self, field, item, uint32, Le, Traceback};

/// The length of the header of a file in bytes.
const HEADER: u64 = 32;

/// The number of bytes at the start of a body that usually suffice to determine its property.
const PEEK: usize = 64;

/// A file, and how much of it was unpacked.
pub(super) struct File<R> {
    window: Window<R>,
    /// Memory that is used again for the data of the next chunk: a file can have very many.
    spare: Vec<u8>,
    /// Unpacks the starts of zstd frames.
    decoder: FrameDecoder,
    /// True once the memory of the decoder is counted. The decoder keeps it from its first use on.
    counts_decoder: bool,
    /// The number of bytes that were unpacked.
    unpacked: u64,
    /// The number of bytes that were unpacked only to determine the property of a chunk.
    peeked: u64,
    pub(super) budget: Budget,
    pub(super) options: Options,
}

/// The most memory that is kept for the data of the next chunk, in bytes. It is not counted, and therefore also no more than
/// a [part of the limit](SPARE_OF_LIMIT).
const SPARE: usize = 1 << 20;

/// The part of the limit that may be kept: one sixteenth.
const SPARE_OF_LIMIT: usize = 16;

/// The number of bytes that may be unpacked for each byte of the file, to determine the properties of the chunks.
const PEEKED: u64 = 64;

impl<R: Read + Seek> File<R> {
    /// Opens a file and reads its header.
    pub(super) fn open(mut window: Window<R>, options: &Options) -> Result<Self, ModelError> {
        let head = window.view(0, HEADER)?;
        let (_, header) = wire::run(head, header::<_, Traceback<&[u8]>>(options.any_reserved))?;
        if header.version != 0 && !options.any_reserved {
            let fault = Fault::Other(format!("version {} is unknown", header.version));
            return Err(at(14, [Segment::Field("version")], fault).into());
        }
        let mut budget = options.budget();
        budget.take(to_usize(window::SIZE.min(window.length())))?;
        let (spare, decoder) = (Vec::new(), FrameDecoder::new());
        let options = *options;
        Ok(File { window, spare, decoder, counts_decoder: false, unpacked: 0, peeked: 0, budget, options })
    }

    /// Calls `work` for each chunk, up to the END chunk or the first error.
    pub(super) fn each_chunk(
        &mut self,
        mut work: impl FnMut(&mut Self, ChunkRef) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        let mut offset = HEADER;
        for index in 0usize.. {
            if offset == self.window.length() {
                return Err(ModelError::NoEnd { offset });
            }
            let any = self.options.any_reserved;
            let head = self.window.view(offset, to_u64(ChunkHeader::SIZE))?;
            let parser = field("chunks", item(index, chunk_header::<_, Traceback<&[u8]>>(any)));
            let (_, header) = wire::run(head, parser).map_err(|error| error.shifted(offset))?;
            let body = offset.saturating_add(to_u64(ChunkHeader::SIZE));
            let [needed, left] = [header.stored_length().into(), self.window.length().saturating_sub(body)];
            if needed > left {
                let path = [Segment::Field("chunks"), Segment::Index(index), Segment::Field("body")];
                return Err(at(body, path, Fault::Truncated { needed, left }).into());
            }
            work(self, ChunkRef { offset, header })?;
            offset = body.saturating_add(needed);
            if header.name == ChunkName::END {
                break;
            }
        }
        if offset < self.window.length() && !self.options.trailing_bytes {
            return Err(ModelError::Trailing { offset });
        }
        Ok(())
    }

    /// Calls `work` with the data of a chunk. Its memory counts until `work` is done.
    pub(super) fn with_data<T>(
        &mut self,
        chunk: ChunkRef,
        work: impl FnOnce(&mut Budget, &[u8], Compression) -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        let mut data = std::mem::take(&mut self.spare);
        let taken = self.unpack(chunk, &mut data);
        // the body is not needed any more
        self.window.give_back();
        let done = taken.and_then(|compression| {
            let size = data.capacity().saturating_add(self.window.held());
            self.budget.take(size).map_err(|error| chunk.fault(error))?;
            let done = work(&mut self.budget, &data, compression);
            self.budget.give_back(size);
            done
        });
        if data.capacity() <= SPARE.min(self.budget.limit() / SPARE_OF_LIMIT) {
            self.spare = data;
        }
        done
    }

    /// The length of the file in bytes.
    pub(super) fn length(&self) -> u64 {
        self.window.length()
    }

    /// Writes a part of the file out.
    pub(super) fn copy(&mut self, range: Range<u64>, writer: &mut impl Write) -> std::io::Result<()> {
        self.window.copy(range, writer)
    }

    /// The strings of a PROP chunk piece by piece, from the first on; `None` if they are read at once.
    pub(super) fn pieces(&mut self, chunk: ChunkRef, head: &Head) -> Result<Option<Pieces>, ModelError> {
        let length = u64::from(chunk.header.length);
        let needed = length.saturating_mul(2).saturating_add(chunk.header.stored_length().into());
        if head.value_type != Some(STRING) || needed <= to_u64(self.budget.left() / 2) {
            return Ok(None);
        }
        let compression = self.compression(chunk)?;
        let Some(mut pieces) = Pieces::new(chunk, compression) else { return Ok(None) };
        let stored = to_usize(chunk.header.stored_length());
        compression.possible(&chunk.header, stored).map_err(|fault| chunk.fault(fault))?;
        let (unpacked, limit) = (self.unpacked.saturating_add(length), self.options.max_total);
        if unpacked > limit {
            return Err(chunk.fault(ChunkFault::TooMuch { limit }));
        }
        self.unpacked = unpacked;
        self.budget.room_for(pieces::MEMORY).map_err(|error| chunk.fault(error))?;
        pieces.skip(&mut self.window, length.saturating_sub(to_u64(head.values)))?;
        Ok(Some(pieces))
    }

    /// Calls `each` with the `count` strings that follow, their indices, and the offsets of their first bytes in the data.
    pub(super) fn each_string(
        &mut self,
        mut pieces: Pieces,
        count: usize,
        mut each: impl FnMut(&mut Budget, u32, &BStr, u64) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        for index in 0..count {
            let offset = pieces.offset().saturating_add(4);
            let string = pieces.string(&mut self.window, &self.budget, index)?;
            each(&mut self.budget, u32::try_from(index).unwrap_or(u32::MAX), string, offset)?;
        }
        if pieces.left() > 0 {
            return Err(pieces.chunk.fault(at(pieces.offset(), [], Fault::Trailing)));
        }
        pieces.finish(&mut self.window)
    }

    fn unpack(&mut self, chunk: ChunkRef, data: &mut Vec<u8>) -> Result<Compression, ModelError> {
        let (header, limit, budget) = (chunk.header, self.options.max_total, self.budget);
        let unpacked = self.unpacked.saturating_add(header.length.into());
        let body = self.view(chunk)?;
        let compression = Compression::of(&header, body);
        compression.possible(&header, body.len()).map_err(|fault| chunk.fault(fault))?;
        if unpacked > limit {
            return Err(chunk.fault(ChunkFault::TooMuch { limit }));
        }
        let needed = compression.memory(&header, body).saturating_add(body.len());
        budget.room_for(needed).map_err(|error| chunk.fault(error))?;
        unpack_to(&Chunk { header, body }, usize::MAX, data).map_err(|fault| chunk.fault(fault))?;
        // only what was unpacked counts, not what a header claims
        self.unpacked = unpacked;
        Ok(compression)
    }

    /// The stored body of a chunk.
    fn view(&mut self, chunk: ChunkRef) -> Result<&[u8], ModelError> {
        let stored = chunk.header.stored_length();
        self.budget.room_for(to_usize(stored)).map_err(|error| chunk.fault(error))?;
        Ok(self.window.view(chunk.body(), stored.into())?)
    }

    /// The compression of a chunk.
    pub(super) fn compression(&mut self, chunk: ChunkRef) -> Result<Compression, ModelError> {
        let stored = u64::from(chunk.header.stored_length());
        let body = self.window.view(chunk.body(), stored.min(to_u64(PEEK)))?;
        Ok(Compression::of(&chunk.header, body))
    }

    /// The head of a PROP chunk.
    #[inline]
    pub(super) fn head(&mut self, chunk: ChunkRef) -> Result<Head, ModelError> {
        if let Some(head) = Head::of(self.peek(chunk)?, chunk.header.length) {
            return Ok(head);
        }
        let start = self.start(chunk, Head::LONGEST)?;
        if let Some(head) = Head::of(&start, chunk.header.length) {
            return Ok(head);
        }
        // it has an error, which unpacking all of it tells
        self.with_data(chunk, |_, data, _| {
            wire::run(data, prop_head()).map_err(|error| chunk.fault(error))?;
            let cut = || at(to_u64(data.len()), [], Fault::Truncated { needed: 1, left: 0 });
            Head::of(data, chunk.header.length).ok_or_else(|| chunk.fault(cut()))
        })
    }

    /// The first `count` bytes of the data of a chunk, or fewer where its first block does not have them.
    pub(super) fn start(&mut self, chunk: ChunkRef, count: usize) -> Result<Vec<u8>, ModelError> {
        let stored = u64::from(chunk.header.stored_length());
        let body = self.window.view(chunk.body(), stored.min(START.into()))?;
        if Compression::of(&chunk.header, body) == Compression::Zstd {
            let limit = self.options.max_total.saturating_add(self.window.length().saturating_mul(PEEKED));
            self.peeked = self.peeked.saturating_add(chunk.header.length.min(START).into());
            if self.peeked > limit {
                return Err(chunk.fault(ChunkFault::TooMuch { limit }));
            }
            if !self.counts_decoder {
                self.budget.take(to_usize(zstd::SCRATCH)).map_err(|error| chunk.fault(error))?;
                self.counts_decoder = true;
            }
        }
        let body = self.window.view(chunk.body(), stored.min(START.into()))?;
        Ok(unpack_start(&chunk.header, body, count, &mut self.decoder))
    }

    /// The start of the data of a chunk, as far as its first bytes have it uncompressed.
    #[inline]
    pub(super) fn peek(&mut self, chunk: ChunkRef) -> Result<&[u8], ModelError> {
        let stored = u64::from(chunk.header.stored_length());
        let body = self.window.view(chunk.body(), stored.min(to_u64(PEEK)))?;
        Ok(plain_start(&chunk.header, body))
    }

    /// Returns true if all values of a PROP chunk are empty. Nothing is unpacked for this, so `false` can also mean that the
    /// answer is unknown.
    pub(super) fn is_empty(&mut self, chunk: ChunkRef, head: &Head) -> Result<bool, ModelError> {
        let body = self.view(chunk)?;
        Ok(ends_in_zeros(&chunk.header, body, head.values))
    }
}

/// The head of a PROP chunk.
pub(super) struct Head {
    pub(super) class_id: u32,
    pub(super) wanted: Wanted,
    /// True if the chunk continues after the name. Otherwise it has no values.
    pub(super) has_type: bool,
    value_type: Option<u8>,
    /// The length of the values in bytes.
    values: usize,
}

impl Head {
    /// The most bytes that it takes: the class id, the length of the name, the name, and the value type.
    const LONGEST: usize = Kind::LONGEST + 9;

    /// Reads the head from the start of data of this length; `None` if `start` is too short.
    #[inline]
    pub(super) fn of(start: &[u8], length: u32) -> Option<Self> {
        let mut numbers = (uint32::<Le, _, ()>(), uint32::<Le, _, ()>());
        let (rest, (class_id, name_length)) = numbers.parse_complete(start).ok()?;
        let has_type = name_length.checked_add(8) != Some(length);
        let values = length.checked_sub(name_length.saturating_add(9));
        let head = Head { class_id, wanted: Wanted::Nothing, has_type, value_type: None, values: 0 };
        if to_usize(name_length) > Kind::LONGEST {
            return Some(head);
        }
        let (name, rest) = rest.split_at_checked(to_usize(name_length))?;
        let wanted = Wanted::of(name);
        let value_type = rest.first().copied();
        if value_type.is_none() && values.is_some() && !matches!(wanted, Wanted::Nothing) {
            return None;
        }
        Some(Head { wanted, value_type, values: values.map_or(0, to_usize), ..head })
    }

    /// Returns true if the values can all be empty strings: each takes 4 bytes, for its length.
    pub(super) fn may_be_empty(&self, count: usize) -> bool {
        self.value_type == Some(STRING) && self.values == count.saturating_mul(4)
    }
}

/// A property whose values are read.
pub(super) enum Wanted {
    Kind(Kind),
    /// The name of an instance.
    Name,
    /// It is not listed.
    Nothing,
}

impl Wanted {
    #[inline]
    fn of(name: &[u8]) -> Self {
        match Kind::of(name) {
            Some(kind) => Wanted::Kind(kind),
            None if name == b"Name" => Wanted::Name,
            None => Wanted::Nothing,
        }
    }
}

pub(super) fn at(offset: u64, path: impl IntoIterator<Item = Segment>, fault: Fault) -> DecodeError {
    DecodeError::new(offset.into(), path.into_iter().collect(), fault)
}

/// Opens a file in memory.
pub(super) fn in_memory<'f>(bytes: &'f [u8], options: &Options) -> Result<File<Cursor<&'f [u8]>>, ModelError> {
    File::open(Window::open(Cursor::new(bytes))?, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::model::binary::chunk::gen_chunk;
    use crate::roblox::model::binary::header::{gen_header, Header};
    use crate::test::hex;
    use enginewire::wire::generate_into;
    use pretty_assertions::assert_eq;

    /// A file of one PROP chunk, and this chunk. It is compressed to `body` if it has another length.
    fn one(length: usize, body: &[u8]) -> (Vec<u8>, ChunkRef) {
        let number = |length: usize| u32::try_from(length).unwrap();
        let compressed_length = if body.len() == length { 0 } else { number(body.len()) };
        let header = ChunkHeader { name: ChunkName::PROP, compressed_length, length: number(length) };
        let mut file = Vec::new();
        generate_into(gen_header(Header { version: 0, class_count: 0, instance_count: 0 }), &mut file).unwrap();
        generate_into(gen_chunk(&Chunk { header, body }), &mut file).unwrap();
        (file, ChunkRef { offset: HEADER, header })
    }

    /// Up to 1 MiB, and up to a sixteenth of the limit.
    #[test]
    fn memory_is_kept_for_the_data_of_the_next_chunk() {
        for (limit, most) in [(1 << 20, 1 << 16), (64 << 20, 1 << 20)] {
            for (length, kept) in [(most, most), (most + 1, 0)] {
                let (bytes, chunk) = one(length, &vec![7; length]);
                let mut file = in_memory(&bytes, &Options::new().max_memory(limit)).unwrap();
                let seen = file.with_data(chunk, |_, data, _| Ok(data.len())).unwrap();
                assert_eq!((seen, file.spare.capacity()), (length, kept), "{limit}");
            }
        }
    }

    #[test]
    fn all_chunks_together_unpack_to_no_more_than_the_limit() {
        let (bytes, chunk) = one(10, &[7; 10]);
        let mut file = in_memory(&bytes, &Options::new().max_total(20)).unwrap();
        let mut unpack = || file.with_data(chunk, |_, data, _| Ok(data.len())).map_err(|error| error.to_string());
        assert_eq!([unpack(), unpack()], [Ok(10), Ok(10)]);
        let error = "all chunks together unpack to more than the limit of 20 bytes (PROP chunk at byte 0x20)";
        assert_eq!(unpack(), Err(error.to_owned()));
    }

    /// Telling the property of a zstd chunk counts as much as its first block may unpack to. Beside the limit, 64 bytes are
    /// allowed for each byte of the file.
    #[test]
    fn starts_of_zstd_chunks_are_unpacked_up_to_a_limit() {
        // one raw block of 14 bytes: `Tags` of class 0, and one empty value
        let zstd = hex("28 b5 2f fd 20 11  89 00 00  00000000 04000000 54616773 01 00000000");
        let (bytes, chunk) = one(17, &zstd);
        let by_size = 64 * to_u64(bytes.len());
        let peeks = by_size / 17 + 1;
        let limit = 17 * peeks;
        let mut file = in_memory(&bytes, &Options::new().max_total(limit - by_size)).unwrap();
        for _ in 0..peeks {
            assert!(matches!(file.head(chunk).unwrap().wanted, Wanted::Kind(Kind::Tags)));
        }
        let error = file.head(chunk).map(drop).unwrap_err().to_string();
        let expected =
            format!("all chunks together unpack to more than the limit of {limit} bytes (PROP chunk at byte 0x20)");
        assert_eq!(error, expected);
    }
}
