//! The data of a chunk, unpacked piece by piece.

use std::io::{Read, Seek};

use bstr::BStr;

use super::chunk_ref::ChunkRef;
use super::compression::{malformed, Compression, UnpackError};
use crate::roblox::model::error::ModelError;
use crate::roblox::model::window::{self, Window};
use enginewire::budget::Budget;
use enginewire::number::{to_u64, to_usize};
use enginewire::wire::{self, field, item, length_prefixed, Le, Traceback};

/// The greatest distance from a copy in an LZ4 block back to its source.
const HISTORY: usize = 1 << 16;

/// The shortest copy.
const LEAST: usize = 4;

/// The memory that unpacking takes in pieces of usual size, in bytes.
pub(super) const MEMORY: usize = 1 << 20;

/// Reads the data of a chunk that is not compressed, or an LZ4 block, from its start to its end. Only what copies of an LZ4 block can
/// refer to is kept, and what is asked for at once.
#[derive(Debug)]
pub(in crate::roblox::model) struct Pieces {
    pub(in crate::roblox::model) chunk: ChunkRef,
    compression: Compression,
    /// The offset in the file of the next byte of the body.
    body: u64,
    /// The offset of the end of the body.
    end: u64,
    data: Vec<u8>,
    /// The index in `data` of the next byte that is asked for.
    next: usize,
    /// The offset in the chunk of the first byte of `data`.
    start: u64,
    step: Step,
    /// The bytes of the sequence that are still missing: literals, and copied ones.
    literals: usize,
    copy: usize,
    distance: usize,
}

/// The next part of a [sequence](super::lz4).
#[derive(Clone, Copy, Debug)]
enum Step {
    Token,
    MoreLiterals,
    Literals,
    Distance,
    MoreCopy,
    Copy,
}

impl Pieces {
    /// The data from its start on; `None` if it is compressed in another way.
    pub(in crate::roblox::model) fn new(chunk: ChunkRef, compression: Compression) -> Option<Self> {
        let (step, literals) = match compression {
            // as one sequence of literals only
            Compression::None => (Step::Literals, to_usize(chunk.header.length)),
            Compression::Lz4 => (Step::Token, 0),
            Compression::Zstd => return None,
        };
        let (body, end, data) = (chunk.body(), chunk.end(), Vec::new());
        Some(Pieces { chunk, compression, body, end, data, next: 0, start: 0, step, literals, copy: 0, distance: 0 })
    }

    /// The same data, whose body is all of another file.
    pub(super) fn alone(self) -> Self {
        Pieces { body: 0, end: self.chunk.header.stored_length().into(), ..self }
    }

    /// Calls `each` with all data, piece by piece.
    pub(super) fn each<R: Read + Seek>(
        &mut self,
        file: &mut Window<R>,
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), ModelError> {
        while self.left() > 0 {
            let piece = self.view(file, HISTORY)?;
            each(piece);
            let count = piece.len();
            self.next = self.next.saturating_add(count);
        }
        self.finish(file)
    }

    /// The offset in the data of the next byte.
    pub(in crate::roblox::model) fn offset(&self) -> u64 {
        self.start.saturating_add(to_u64(self.next))
    }

    /// The number of bytes that follow.
    pub(super) fn left(&self) -> u64 {
        u64::from(self.chunk.header.length).saturating_sub(self.offset())
    }

    /// The next `count` bytes, or fewer if the data ends before.
    pub(super) fn view<R: Read + Seek>(&mut self, file: &mut Window<R>, count: usize) -> Result<&[u8], ModelError> {
        let count = count.min(to_usize(self.left()));
        if self.data.len().saturating_sub(self.next) < count {
            self.forget();
            self.unpack(file, self.next.saturating_add(count.max(HISTORY)))?;
        }
        let bytes = self.data.get(self.next..).unwrap_or_default();
        Ok(bytes.get(..count).unwrap_or(bytes))
    }

    /// Leaves out the next `count` bytes.
    pub(in crate::roblox::model) fn skip<R: Read + Seek>(
        &mut self,
        file: &mut Window<R>,
        count: u64,
    ) -> Result<(), ModelError> {
        let mut left = count.min(self.left());
        while left > 0 {
            let skipped = self.view(file, to_usize(left.min(to_u64(HISTORY))))?.len();
            self.next = self.next.saturating_add(skipped);
            left = left.saturating_sub(to_u64(skipped));
        }
        Ok(())
    }

    /// The next bytes as a string, which is value number `index` of a property.
    pub(in crate::roblox::model) fn string<R: Read + Seek>(
        &mut self,
        file: &mut Window<R>,
        budget: &Budget,
        index: usize,
    ) -> Result<&BStr, ModelError> {
        let (chunk, offset) = (self.chunk, self.offset());
        let length = self.view(file, 4)?.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
        let size = to_usize(u64::from(length).saturating_add(4).min(self.left()));
        budget.room_for(size).map_err(|error| chunk.fault(error))?;
        self.view(file, size)?;
        let begin = self.next;
        self.next = begin.saturating_add(size);
        let bytes = self.data.get(begin..self.next).unwrap_or_default();
        let string = field("values", item(index, length_prefixed::<Le, _, Traceback<&[u8]>>()));
        let (_, string) = wire::run(bytes, string).map_err(|error| chunk.fault(error.shifted(offset)))?;
        Ok(string)
    }

    /// Fails if the body does not end with the data. All data must be read.
    pub(super) fn finish<R: Read + Seek>(&mut self, file: &mut Window<R>) -> Result<(), ModelError> {
        let end = self.next;
        self.unpack(file, end.saturating_add(1))
    }

    /// Removes the data before the next byte, as far as no copy can refer to it.
    fn forget(&mut self) {
        let gone = self.next.saturating_sub(HISTORY);
        self.data.drain(..gone);
        self.next = self.next.saturating_sub(gone);
        self.start = self.start.saturating_add(to_u64(gone));
        self.data.shrink_to(HISTORY.saturating_mul(4));
    }

    /// Unpacks until there are `count` bytes of data, or the body ends.
    fn unpack<R: Read + Seek>(&mut self, file: &mut Window<R>, count: usize) -> Result<(), ModelError> {
        let chunk = self.chunk;
        while self.data.len() < count {
            let left = self.end.saturating_sub(self.body);
            let body = file.view(self.body, left.min(window::SIZE))?;
            let before = body.len();
            let rest = self.sequences(body, count).map_err(|error| chunk.fault(error))?;
            let read = before.saturating_sub(rest);
            self.body = self.body.saturating_add(to_u64(read));
            let (found, expected) = (self.start.saturating_add(to_u64(self.data.len())), chunk.header.length.into());
            let is_end = self.body == self.end && self.data.len() < count;
            if found > expected || (is_end && found < expected) {
                return Err(chunk.fault(UnpackError::Length { found, expected }));
            }
            if is_end {
                // only literals end a block
                let is_whole = matches!(self.step, Step::Literals | Step::Distance) && self.literals == 0;
                return if is_whole { Ok(()) } else { Err(chunk.fault(self.fault("it ends inside a sequence"))) };
            }
            if read == 0 && self.data.len() < count {
                return Err(chunk.fault(self.fault("it ends inside a sequence")));
            }
        }
        Ok(())
    }

    fn fault(&self, reason: &str) -> UnpackError {
        malformed(self.compression, reason)
    }

    /// Unpacks a part of the body until there are about `count` bytes of data. Returns how many bytes of the part are left.
    fn sequences(&mut self, mut body: &[u8], count: usize) -> Result<usize, UnpackError> {
        while self.data.len() < count {
            match self.step {
                Step::Token => {
                    let Some((token, rest)) = body.split_first() else { break };
                    body = rest;
                    (self.literals, self.copy) =
                        (usize::from(token >> 4), usize::from(token & 0xf).saturating_add(LEAST));
                    self.step = if self.literals == 15 { Step::MoreLiterals } else { Step::Literals };
                }
                Step::MoreLiterals | Step::MoreCopy => {
                    let Some((more, rest)) = body.split_first() else { break };
                    body = rest;
                    let (length, next) = match self.step {
                        Step::MoreLiterals => (&mut self.literals, Step::Literals),
                        _ => (&mut self.copy, Step::Copy),
                    };
                    *length = length.saturating_add(usize::from(*more));
                    self.step = if *more == 255 { self.step } else { next };
                }
                Step::Literals => {
                    let most = self.literals.min(count.saturating_sub(self.data.len()));
                    let (literals, rest) = body.split_at(most.min(body.len()));
                    self.data.extend_from_slice(literals);
                    self.literals = self.literals.saturating_sub(literals.len());
                    body = rest;
                    match self.literals {
                        0 => self.step = Step::Distance,
                        _ if body.is_empty() => break,
                        _ => {}
                    }
                }
                Step::Distance => {
                    let Some((distance, rest)) = body.split_first_chunk() else { break };
                    body = rest;
                    self.distance = u16::from_le_bytes(*distance).into();
                    if self.distance == 0 || self.distance > self.data.len() {
                        return Err(self.fault("a copy begins before the data"));
                    }
                    self.step = if self.copy == LEAST.saturating_add(15) { Step::MoreCopy } else { Step::Copy };
                }
                Step::Copy => {
                    let mut room = self.copy.min(count.saturating_sub(self.data.len()));
                    self.copy = self.copy.saturating_sub(room);
                    let from = self.data.len().saturating_sub(self.distance);
                    // a copy may reach into the bytes that it makes, which repeat
                    while room > 0 {
                        let length = room.min(self.data.len().saturating_sub(from));
                        self.data.extend_from_within(from..from.saturating_add(length));
                        room = room.saturating_sub(length);
                    }
                    if self.copy == 0 {
                        self.step = Step::Token;
                    }
                }
            }
        }
        Ok(body.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::model::binary::chunk::{Chunk, ChunkHeader, ChunkName};
    use crate::roblox::model::binary::lz4::Packer;
    use crate::roblox::model::binary::unpack;
    use lz4_flex::block::compress;
    use pretty_assertions::assert_eq;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, proptest};
    use std::io::Cursor;

    fn stored(compressed: bool, length: usize, body: &[u8]) -> Chunk<Vec<u8>> {
        let compressed_length = if compressed { u32::try_from(body.len()).unwrap() } else { 0 };
        let header = ChunkHeader { name: ChunkName::PROP, compressed_length, length: u32::try_from(length).unwrap() };
        Chunk { header, body: body.to_owned() }
    }

    /// All data, which is asked for in pieces of this length.
    fn data(chunk: &Chunk<Vec<u8>>, length: usize) -> Result<Vec<u8>, String> {
        let compression = Compression::of(&chunk.header, &chunk.body);
        let mut pieces = Pieces::new(ChunkRef { offset: 7, header: chunk.header }, compression).unwrap().alone();
        let (mut file, mut data) = (Window::open(Cursor::new(&chunk.body)).unwrap(), Vec::new());
        while pieces.left() > 0 {
            let piece = pieces.view(&mut file, length).map_err(|error| error.to_string())?.to_owned();
            data.extend(&piece);
            pieces.skip(&mut file, to_u64(piece.len())).map_err(|error| error.to_string())?;
            let most = (4 * HISTORY).saturating_add(length.saturating_mul(2));
            assert!(pieces.data.capacity() <= most, "{}", pieces.data.capacity());
        }
        pieces.finish(&mut file).map_err(|error| error.to_string())?;
        Ok(data)
    }

    /// Text that repeats itself near and far, a run, and what cannot be packed.
    fn sample() -> Vec<u8> {
        let mut data: Vec<u8> =
            (0u32..40_000).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        data.extend([0].repeat(300_000));
        data.extend((0..20_000).flat_map(|number| format!("Part{}", number % 700).into_bytes()));
        data
    }

    #[test]
    fn pieces_are_the_whole() {
        let expected = sample();
        for chunk in [stored(false, expected.len(), &expected), stored(true, expected.len(), &compress(&expected))] {
            for length in [1000, 65_536, 200_000, expected.len()] {
                assert!(data(&chunk, length) == Ok(expected.clone()), "{length}");
            }
        }
    }

    #[test]
    fn what_is_packed_in_pieces_is_one_block() {
        let expected = sample();
        for length in [1, 13, 14, 15, 30, 1000, 100_000, expected.len()] {
            let part = expected.get(..expected.len().min(length * 2000)).unwrap();
            let mut packer = Packer::default();
            part.chunks(length).for_each(|piece| packer.add(piece));
            let chunk = stored(true, part.len(), &packer.finish());
            assert!(unpack(&chunk, usize::MAX).as_deref() == Ok(part), "{length}");
            assert!(data(&chunk, 1000).as_deref() == Ok(part), "{length}");
        }
    }

    #[test]
    fn lengths_must_be_as_promised() {
        let block = compress(&b"some text, ".repeat(9));
        let error = |length| data(&stored(true, length, &block), 10).unwrap_err();
        assert_eq!(error(98), "the length of its data is at least 99, its header says 98 (PROP chunk at byte 0x7)");
        assert_eq!(error(100), "the length of its data is 99, its header says 100 (PROP chunk at byte 0x7)");
        let begins_before = data(&stored(true, 8, &[0x10, b'a', 2, 0, 0]), 10).unwrap_err();
        assert_eq!(begins_before, "invalid lz4 data: a copy begins before the data (PROP chunk at byte 0x7)");
        for cut in 0..block.len() {
            assert!(data(&stored(true, 99, &block[..cut.max(1)]), 10).is_err(), "{cut}");
        }
    }

    proptest! {
        /// Any bytes are a block or none, as they are when they are unpacked at once.
        #[test]
        fn any_block_is_as_unpacked_at_once(body in vec(any::<u8>(), 1..40), small in vec(0u8..4, 1..40), length in 0usize..90) {
            for body in [body, small] {
                let chunk = stored(true, length, &body);
                if Compression::of(&chunk.header, &body) == Compression::Lz4 && length > 0 {
                    prop_assert_eq!(data(&chunk, 7).ok(), unpack(&chunk, 1000).ok(), "{:?}", chunk);
                }
            }
        }
    }
}
