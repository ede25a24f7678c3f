//! zstd frames. What a frame asks for is checked before it is decompressed, so that it cannot take more memory than expected.
//!
//! | field | |
//! |---|---|
//! | magic | `28 b5 2f fd` |
//! | descriptor | 1 byte: which of the next three fields are present, and their sizes |
//! | window | 1 byte: how far back the data refers at most |
//! | dictionary | 1, 2 or 4 bytes; frames that need one are refused |
//! | content size | 1, 2, 4 or 8 bytes |
//! | blocks | each 3 bytes (whether it is the last, its type, its size) and a body |
//! | checksum | 4 bytes, if announced by the descriptor: the lower half of the XXH64 of the data |
//!
//! Several frames may follow one another, and their data too. A frame whose magic is `50` to `5f`, `2a 4d 18` is skipped: a length of
//! 4 bytes and as many bytes follow.

mod matches;
mod pack;

pub(crate) use pack::{pack, PACKING};

use std::hash::Hasher;
use std::io::{self, Cursor, Read};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use twox_hash::XxHash64;

use enginewire::number::{to_u64, to_usize};

/// The first bytes of every frame.
pub(crate) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Why a frame cannot be unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ZstdError {
    /// It is malformed, or ends too early.
    Malformed(String),
    /// Its header says that it unpacks to this many bytes, which is another number than expected.
    Length(u64),
}

/// The most bytes that a block can unpack to.
pub(crate) const BLOCK: u32 = 128 << 10;

/// Unpacks frames to `length` bytes, or to more if they have more.
pub(crate) fn unpack(body: &[u8], length: u32) -> Result<Vec<u8>, ZstdError> {
    let mut data = Vec::with_capacity(to_usize(length));
    unpack_into(&mut FrameDecoder::new(), body, length, &mut data)?;
    Ok(data)
}

/// Appends the data of frames to `data`: `length` bytes, or more if they have more. `decoder` may have been used before: making
/// one takes time.
pub(crate) fn unpack_into(
    decoder: &mut FrameDecoder,
    body: &[u8],
    length: u32,
    data: &mut Vec<u8>,
) -> Result<(), ZstdError> {
    let malformed = |reason: &str| ZstdError::Malformed(reason.to_owned());
    let (start, mut rest) = (data.len(), body);
    let unpacked = |data: &Vec<u8>| to_u64(data.len().saturating_sub(start));
    loop {
        while let Some(skipped) = after_skippable(rest) {
            rest = skipped.ok_or_else(|| malformed("it ends inside a frame to skip"))?;
        }
        if rest.is_empty() && rest.len() < body.len() {
            return Ok(());
        }
        let frame = Parts::next(&mut rest).map_err(|error| malformed(&error.to_string()))?;
        if frame.head.has_dictionary {
            return Err(malformed("it needs a dictionary"));
        }
        // a frame alone, or the last of several, has all that is left
        let left = u64::from(length).saturating_sub(unpacked(data));
        let is_last = rest.is_empty();
        match frame.head.content_size {
            Some(size) if size > left || (is_last && size < left) => {
                return Err(ZstdError::Length(unpacked(data).saturating_add(size)));
            }
            _ => {}
        }
        let size = frame.head.content_size.unwrap_or(left);
        let size = u32::try_from(size).map_err(|_| malformed("it is too long"))?;
        let window = frame.head.window.filter(|window| window.size() < size.into());
        let begin = data.len();
        // one more, to see whether there is more
        let most = u64::from(size).saturating_add(1);
        reader(decoder, window, size, frame.blocks)
            .and_then(|reader| reader.take(most).read_to_end(data))
            .map_err(|error| malformed(&error.to_string()))?;
        let unpacked = data.get(begin..).unwrap_or_default();
        // what is longer than expected is not all here
        if let Some(checksum) = frame.checksum.filter(|_| to_u64(unpacked.len()) < most) {
            let [a, b, c, d, ..] = XxHash64::oneshot(0, unpacked).to_le_bytes();
            if checksum != [a, b, c, d] {
                return Err(malformed("its checksum is that of other data"));
            }
        }
        if is_last || to_u64(unpacked.len()) == most {
            return Ok(());
        }
    }
}

/// Calls `each` with what frames unpack to, piece by piece, until it returns false. A frame that does not say how long its data is has
/// at most `most` bytes. Returns the error and how many bytes were read before it.
pub(crate) fn unpack_pieces(body: &[u8], most: u32, each: &mut dyn FnMut(&[u8]) -> bool) -> Option<(io::Error, u64)> {
    let (mut decoder, mut rest) = (FrameDecoder::new(), body);
    let mut unpack = |rest: &mut &[u8]| {
        if let Some(skipped) = after_skippable(rest) {
            *rest = skipped.ok_or_else(|| cut("it ends inside a frame to skip"))?;
            return Ok(true);
        }
        let Parts { head, blocks, checksum } = Parts::next(rest)?;
        if head.has_dictionary {
            return Err(io::Error::other("it needs a dictionary"));
        }
        let size = u32::try_from(head.content_size.unwrap_or(most.into())).map_err(io::Error::other)?;
        let window = head.window.filter(|window| window.size() < size.into());
        let mut reader = reader(&mut decoder, window, size, blocks)?;
        let (mut buffer, mut hash, mut length) = ([0; 8192], XxHash64::with_seed(0), 0u64);
        loop {
            let count = reader.read(&mut buffer)?;
            let piece = buffer.get(..count).unwrap_or_default();
            if piece.is_empty() || length > size.into() {
                break;
            }
            hash.write(piece);
            length = length.saturating_add(to_u64(piece.len()));
            if !each(piece) {
                return Ok(false);
            }
        }
        if head.content_size.is_some_and(|size| size != length) {
            return Err(io::Error::other(format!("it unpacks to {length} bytes, its header says {size}")));
        }
        let [a, b, c, d, ..] = hash.finish().to_le_bytes();
        match checksum {
            Some(checksum) if checksum != [a, b, c, d] => Err(io::Error::other("its checksum is that of other data")),
            _ => Ok(true),
        }
    };
    while !rest.is_empty() {
        match unpack(&mut rest) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return Some((error, to_u64(body.len().saturating_sub(rest.len())))),
        }
    }
    None
}

/// A frame of this data with a checksum if the first frame of `like` has one.
pub(crate) fn pack_like(like: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    // three bytes are before each block, a header before the first
    let most = data.len().saturating_add(data.len().div_ceil(to_usize(BLOCK)).saturating_mul(3)).saturating_add(16);
    let mut frame = if data.is_empty() { EMPTY.to_vec() } else { pack(data, most)? };
    let mut first = like;
    while let Some(skipped) = after_skippable(first) {
        first = skipped?;
    }
    if Frame::next(&mut first)?.checksum > 0 {
        frame.get_mut(MAGIC.len()).into_iter().for_each(|descriptor| *descriptor |= 4);
        frame.extend(XxHash64::oneshot(0, data).to_le_bytes().iter().take(4));
    }
    Some(frame)
}

/// The error of a frame that ends too early.
fn cut(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, reason)
}

/// The bytes after a frame to skip, if a body begins with one; `None` inside if the frame is cut.
fn after_skippable(rest: &[u8]) -> Option<Option<&[u8]>> {
    let (head, rest) = rest.split_first_chunk::<4>()?;
    if !is_skippable(*head) {
        return None;
    }
    Some(rest.split_first_chunk::<4>().and_then(|(length, rest)| rest.get(to_usize(u32::from_le_bytes(*length))..)))
}

const fn is_skippable([first, rest @ ..]: [u8; 4]) -> bool {
    first >> 4 == 5 && matches!(rest, [0x2a, 0x4d, 0x18])
}

/// Returns true if bytes begin with a frame, or with one to skip.
fn is_zstd(body: &[u8]) -> bool {
    body.first_chunk().is_some_and(|head| *head == MAGIC || is_skippable(*head))
}

/// A frame, with its blocks apart.
struct Parts<'b> {
    head: Frame,
    blocks: &'b [u8],
    checksum: Option<[u8; 4]>,
}

impl<'b> Parts<'b> {
    fn next(rest: &mut &'b [u8]) -> io::Result<Self> {
        let head = Frame::next(rest).ok_or_else(|| cut("it ends inside its header"))?;
        let blocks = *rest;
        loop {
            let block = Block::next(rest).ok_or_else(|| cut("it ends inside a block"))?;
            if !block.is_modest() {
                return Err(io::Error::other("one of its blocks claims too many literals, or too large a table"));
            }
            if block.is_last() {
                break;
            }
        }
        let checksum = match head.checksum {
            0 => None,
            _ => Some(next(rest).ok_or_else(|| cut("its checksum is missing"))?),
        };
        if !rest.is_empty() && !is_zstd(rest) {
            return Err(io::Error::other("there are bytes after the frame"));
        }
        Ok(Parts { head, blocks, checksum })
    }
}

/// A frame without data: a block of 0 bytes.
pub(crate) const EMPTY: [u8; 9] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0];

/// The most bytes that a frame of `stored` bytes can unpack to: four bytes make at most one block.
pub(crate) fn most(stored: u64) -> u64 {
    stored.saturating_mul((BLOCK / 4).into()).saturating_add(BLOCK.into())
}

/// The most memory that unpacking a frame takes in addition to its data, in bytes. The decoder keeps as much of the data as
/// the frame refers back to, in a buffer that doubles as it grows.
pub(crate) fn memory(body: &[u8], length: u32) -> u64 {
    let (mut rest, mut largest) = (body, 0);
    loop {
        while let Some(Some(skipped)) = after_skippable(rest) {
            rest = skipped;
        }
        let mut head = rest;
        let size = |frame: Frame| frame.window.map_or(frame.content_size.unwrap_or(u64::MAX), Window::size);
        largest = largest.max(Frame::next(&mut head).map_or(0, size));
        // what is broken is refused before it is unpacked
        if Parts::next(&mut rest).is_err() || rest.is_empty() {
            return largest.min(length.into()).saturating_mul(3).saturating_add(SCRATCH);
        }
    }
}

/// The most that the decoder takes for its tables and for one block, in bytes. A block may make a window of 128 KiB and one
/// repetition as long as that before it is refused, in a buffer that doubles as it grows.
pub(crate) const SCRATCH: u64 = 1 << 20;

/// Puts the first `count` bytes of the data of a frame into `start`, as far as its first block has them. `None` if that
/// block cannot be unpacked.
pub(crate) fn unpack_start(
    decoder: &mut FrameDecoder,
    mut body: &[u8],
    count: usize,
    start: &mut Vec<u8>,
) -> Option<()> {
    while let Some(skipped) = after_skippable(body) {
        body = skipped?;
    }
    Frame::next(&mut body).filter(|frame| !frame.has_dictionary)?;
    let block = Block::next(&mut body).filter(Block::is_modest)?;
    match (Block::kind(block.head), block.body) {
        (0, raw) => start.extend(raw.iter().take(count)),
        _ => {
            let [first, second, third] = block.head;
            // with the bit for the last block set, it is a complete frame
            let only = Cursor::new([first | 1, second, third]).chain(block.body);
            reader(decoder, None, BLOCK, only).ok()?.take(to_u64(count)).read_to_end(start).ok()?;
        }
    }
    Some(())
}

/// A reader of `length` bytes of data that refer back at most `window` bytes, or anywhere without one. It gets a header made
/// here, because the one in the file may ask for any window.
fn reader<R: Read>(
    decoder: &mut FrameDecoder,
    window: Option<Window>,
    length: u32,
    blocks: R,
) -> io::Result<impl Read + use<'_, R>> {
    // `memory` was compared with the budget before
    decoder.set_max_window_size(u64::MAX);
    StreamingDecoder::new_with_decoder(Cursor::new(header(window, length)).chain(blocks), decoder)
        .map_err(io::Error::other)
}

/// The header of a frame of `length` bytes of data: descriptor, window unless it is a single segment, content size in 4
/// bytes.
fn header(window: Option<Window>, length: u32) -> Vec<u8> {
    let [a, b, c, d] = MAGIC;
    let [e, f, g, h] = length.to_le_bytes();
    match window {
        Some(Window(window)) => vec![a, b, c, d, 0x80, window, e, f, g, h],
        None => vec![a, b, c, d, 0xa0, e, f, g, h],
    }
}

/// The window of a frame, as in its header: 5 bits of exponent and 3 of mantissa. It limits how far back the data refers.
#[derive(Clone, Copy)]
struct Window(u8);

impl Window {
    /// As large as a block.
    const BLOCK: Self = Window(0x38);

    fn size(self) -> u64 {
        let base = 1u64 << (self.0 >> 3).saturating_add(10);
        base.saturating_add((base / 8).saturating_mul((self.0 & 7).into()))
    }
}

/// Takes the next bytes of a body.
pub(crate) fn next<const N: usize>(body: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, rest) = body.split_first_chunk()?;
    *body = rest;
    Some(*bytes)
}

/// The header of a frame.
struct Frame {
    /// The size of the data in bytes, if the header has it.
    content_size: Option<u64>,
    /// The limit for how far back the data refers; `None` if unlimited.
    window: Option<Window>,
    has_dictionary: bool,
    /// The length of the checksum after the last block: 4 or 0.
    checksum: usize,
}

impl Frame {
    fn next(body: &mut &[u8]) -> Option<Self> {
        let [.., descriptor] = next::<5>(body)?;
        let is_single = descriptor & 0x20 != 0;
        let window = if is_single { None } else { Some(Window(u8::from_le_bytes(next(body)?))) };
        let content_size = match descriptor >> 6 {
            0 if is_single => Some(u64::from(u8::from_le_bytes(next(body)?))),
            0 => None,
            1 => Some(u64::from(u16::from_le_bytes(next(body)?)).saturating_add(256)),
            2 => Some(u64::from(u32::from_le_bytes(next(body)?))),
            _ => Some(u64::from_le_bytes(next(body)?)),
        };
        let checksum = if descriptor & 4 != 0 { 4 } else { 0 };
        Some(Frame { content_size, window, has_dictionary: descriptor & 3 != 0, checksum })
    }
}

/// A block of a frame.
struct Block<'b> {
    head: [u8; 3],
    body: &'b [u8],
}

impl<'b> Block<'b> {
    fn next(rest: &mut &'b [u8]) -> Option<Self> {
        let block = Block { head: next(rest)?, body: &[] };
        // type 1 is one byte that is repeated `size` times
        let stored = if Self::kind(block.head) == 1 { 1 } else { to_usize(block.size()) };
        let (body, behind) = rest.split_at_checked(stored)?;
        *rest = behind;
        Some(Block { body, ..block })
    }

    /// The length of the body in bytes, or how often its one byte is repeated.
    fn size(&self) -> u32 {
        let [first, second, third] = self.head;
        u32::from_le_bytes([first, second, third, 0]) >> 3
    }

    fn kind([first, ..]: [u8; 3]) -> u8 {
        (first >> 1) & 3
    }

    fn is_last(&self) -> bool {
        let [first, ..] = self.head;
        first & 1 != 0
    }

    /// Returns true if it claims no more than the format allows: at most as many literals as a block can unpack to, and a
    /// table of at most 64 entries for compressed Huffman codes. The decoder would take memory for a million of either.
    fn is_modest(&self) -> bool {
        self.literals() <= BLOCK && self.has_small_table()
    }

    /// The number of literals that it claims; 0 for the short forms of this number, which cannot claim too many.
    fn literals(&self) -> u32 {
        match self.body {
            [a, b, c, ..] if Self::kind(self.head) == 2 && *a & 0xc == 0xc => {
                // 20 bits for literals that are not compressed, 18 for those that are
                let c = if *a & 2 == 0 { *c } else { *c & 0x3f };
                u32::from_le_bytes([*a, *b, c, 0]) >> 4
            }
            _ => 0,
        }
    }

    fn has_small_table(&self) -> bool {
        let is_compressed = Self::kind(self.head) == 2;
        let table = |first: u8| {
            // the bytes before the codes: the sizes of the literals
            let sizes = match (first >> 2) & 3 {
                0 | 1 => 3,
                2 => 4,
                _ => 5,
            };
            let codes = self.body.get(sizes..)?;
            // from 128 on the codes are not compressed
            let accuracy = codes.get(1).filter(|_| codes.first().is_some_and(|head| *head < 128))?;
            Some(accuracy & 0xf)
        };
        // type 2: literals with Huffman codes of their own
        let first = self.body.first().filter(|first| is_compressed && **first & 3 == 2);
        first.copied().and_then(table).is_none_or(|accuracy| accuracy <= 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// A frame of raw bytes, with a checksum or without, and with its size or without.
    fn raw(data: &[u8], checksum: Option<u32>, has_size: bool) -> Vec<u8> {
        let descriptor = if checksum.is_some() { 4 } else { 0 } | if has_size { 0x20 } else { 0 };
        let size = [u8::try_from(data.len()).unwrap()];
        let length = u32::try_from(data.len()).unwrap();
        let head = (length << 3 | 1).to_le_bytes();
        let sizes = if has_size { size } else { [0x38] };
        let checksum = checksum.map(u32::to_le_bytes);
        [&MAGIC[..], &[descriptor], &sizes, &head[..3], data, checksum.as_ref().map_or(&[], |sum| &sum[..])].concat()
    }

    fn unpacked(body: &[u8], length: u32) -> Result<Vec<u8>, ZstdError> {
        let unpacked = unpack(body, length);
        assert!(memory(body, length) >= SCRATCH);
        unpacked
    }

    #[test]
    fn a_checksum_is_compared() {
        for has_size in [true, false] {
            assert_eq!(unpacked(&raw(b"hello", Some(HELLO), has_size), 5), Ok(b"hello".to_vec()));
            let other = unpacked(&raw(b"hellO", Some(HELLO), has_size), 5);
            assert_eq!(other, Err(ZstdError::Malformed("its checksum is that of other data".to_owned())));
        }
    }

    /// The end of `printf hello | zstd --check`.
    const HELLO: u32 = 0x889f_6da3;

    #[test]
    fn frames_follow_one_another_and_some_are_skipped() {
        let skip = b"\x5f\x2a\x4d\x18\x02\0\0\0no";
        let (a, b) = (raw(b"hello", Some(HELLO), true), raw(b" world", None, true));
        for body in [[&a[..], &b].concat(), [&skip[..], &a, skip, &b, skip].concat()] {
            assert!(is_zstd(&body));
            assert_eq!(unpacked(&body, 11), Ok(b"hello world".to_vec()));
            let mut start = Vec::new();
            assert_eq!(unpack_start(&mut FrameDecoder::new(), &body, 3, &mut start), Some(()));
            assert_eq!(start, b"hel");
            assert_eq!(unpacked(&body, 10), Err(ZstdError::Length(11)));
            // what is skipped at the end may be missing
            for cut in (0..body.len()).filter(|cut| body.len() - cut != skip.len()) {
                assert_ne!(unpacked(&body[..cut], 11), Ok(b"hello world".to_vec()), "{cut}");
            }
        }
        let malformed = |reason: &str| Err(ZstdError::Malformed(reason.to_owned()));
        assert_eq!(unpacked(&[&a[..], b"more"].concat(), 5), malformed("there are bytes after the frame"));
        assert_eq!(unpacked(b"\x50\x2a\x4d\x18\xff\xff\xff\xff", 5), malformed("it ends inside a frame to skip"));
        assert_eq!(unpacked(skip, 0), Ok(Vec::new()));
    }

    #[test]
    fn a_window_has_an_exponent_and_eighths() {
        let sizes = [0, 1, 7, 8, 0x0f, 0xff].map(|byte| Window(byte).size());
        assert_eq!(sizes, [1024, 1024 + 128, 1024 + 896, 2048, 2048 + 7 * 256, (1 << 41) + 7 * (1 << 38)]);
    }

    /// A block of this type with this body.
    fn block(kind: u8, body: &[u8]) -> Block<'_> {
        Block { head: [kind << 1, 0, 0], body }
    }

    /// Literals that are not compressed, of types 0 and 1, have 20 bits for their number, others 18.
    #[test]
    fn a_block_has_no_more_literals_than_it_can_unpack_to() {
        for (kind, bits) in [(0, 20), (1, 20), (2, 18), (3, 18)] {
            for number in [0, 1, BLOCK, BLOCK + 1, (1 << bits) - 1] {
                // what follows the number is something else
                let body = (((u32::MAX << bits) | number) << 4 | 0xc | kind).to_le_bytes();
                let block = block(2, &body);
                assert_eq!((block.literals(), block.is_modest()), (number, number <= BLOCK), "{kind}");
            }
        }
        // the short forms, other blocks, and a number that is cut
        let long = [0xfc, 0xff, 0xff];
        for first in [0xf0, 0xf4, 0xf8] {
            assert_eq!(block(2, &[first, 0xff, 0xff]).literals(), 0);
        }
        assert_eq!([block(0, &long), block(1, &long), block(2, &long[..2])].map(|block| block.literals()), [0; 3]);
        assert_eq!(block(2, &long).literals(), 0xf_ffff);
    }

    /// The codes follow the sizes of the literals, which take 3 to 5 bytes.
    #[test]
    fn a_table_for_codes_has_at_most_64_entries() {
        for (form, sizes) in [(0, 3), (1, 3), (2, 4), (3, 5)] {
            let body = |kind: u8, at: usize, codes: [u8; 2]| {
                let mut body = [0; 8];
                body[at..at + 2].copy_from_slice(&codes);
                body[0] = form << 2 | kind;
                body
            };
            let is_small = |at, codes| block(2, &body(2, at, codes)).is_modest();
            assert_eq!([0, 1, 2, 15].map(|accuracy| is_small(sizes, [1, accuracy])), [true, true, false, false]);
            // only the lower half is the accuracy, and uncompressed codes do not have one
            assert!(is_small(sizes, [1, 0xf1]) && !is_small(sizes, [127, 2]) && is_small(sizes, [128, 2]));
            assert!(is_small(sizes - 1, [1, 2]) && is_small(sizes + 1, [1, 2]));
            // other literals and other blocks have no codes
            for kind in [0, 1, 3] {
                assert!(block(2, &body(kind, sizes, [1, 2])).is_modest());
            }
            assert!(block(0, &body(2, sizes, [1, 2])).is_modest());
        }
    }
}
