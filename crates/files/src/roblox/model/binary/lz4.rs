//! LZ4 blocks: properties of their data that can be determined without unpacking all of it.
//!
//! A block is a list of sequences. Each appends literals to the data, and then a copy of earlier data.
//!
//! | field | |
//! |---|---|
//! | token | 1 byte: in its upper half the number of literals, in its lower half the length of the copy less 4 |
//! | more of the number | if it is 15: bytes that are added to it, up to the first that is not 255 |
//! | literals | this number of bytes; the last sequence ends here |
//! | distance | 2 bytes: how far back the copy begins |
//! | more of the length | as for the number of literals |

use lz4_flex::block::compress;

use crate::zstd::next;

/// Packs data that comes piece by piece as one block. No copy reaches into another piece.
#[derive(Default)]
pub(super) struct Packer {
    body: Vec<u8>,
    /// Literals that are not in the block yet: only at its end may they be without a copy.
    literals: Vec<u8>,
}

impl Packer {
    /// With room for a block of this length.
    pub(super) fn with_capacity(length: usize) -> Self {
        Packer { body: Vec::with_capacity(length), literals: Vec::new() }
    }

    /// Adds a piece of data.
    pub(super) fn add(&mut self, piece: &[u8]) {
        let block = compress(piece);
        // a block that was packed here does not end early
        let _ = self.join(&block);
    }

    fn join(&mut self, mut block: &[u8]) -> Option<()> {
        let (first, token) = literals(&mut block)?;
        self.literals.extend_from_slice(first);
        let (copies, mut copy) = (block, token & 0xf);
        let mut last = (block, &[][..]);
        while !block.is_empty() {
            let _: [u8; 2] = next(&mut block)?;
            read_length(&mut block, copy)?;
            let sequence = block;
            let (literals, token) = literals(&mut block)?;
            (copy, last) = (token & 0xf, (sequence, literals));
        }
        if !copies.is_empty() {
            self.sequence(token & 0xf);
            self.body.extend_from_slice(copies.get(..copies.len().saturating_sub(last.0.len()))?);
            self.literals.extend_from_slice(last.1);
        }
        Some(())
    }

    /// Writes the token of a sequence, and the literals.
    fn sequence(&mut self, copy: u8) {
        let count = self.literals.len();
        let Some(mut more) = count.checked_sub(15) else {
            self.body.push(u8::try_from(count << 4).unwrap_or_default() | copy);
            return self.body.append(&mut self.literals);
        };
        self.body.push(0xf0 | copy);
        while let Some(less) = more.checked_sub(255) {
            self.body.push(255);
            more = less;
        }
        self.body.push(u8::try_from(more).unwrap_or_default());
        self.body.append(&mut self.literals);
    }

    /// The block with all pieces.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.sequence(0);
        self.body
    }
}

/// Puts the first `count` bytes of the data of a block into `start`; `None` if this much of the block does not have them.
pub(super) fn unpack_start(mut body: &[u8], count: usize, start: &mut Vec<u8>) -> Option<()> {
    loop {
        let (literals, token) = literals(&mut body)?;
        start.extend(literals.iter().take(count.saturating_sub(start.len())));
        let room = count.saturating_sub(start.len());
        if room == 0 {
            return Some(());
        }
        let distance = usize::from(u16::from_le_bytes(next(&mut body)?));
        let matched = read_length(&mut body, token & 0xf)?.saturating_add(4).min(room);
        let from = start.len().checked_sub(distance).filter(|_| distance > 0)?;
        // a copy may reach into the bytes that it makes
        for at in from..from.saturating_add(matched) {
            start.push(*start.get(at)?);
        }
    }
}

/// The length of the data of a block, if its first literals are at least `start` bytes and everything after these `start`
/// bytes is 0. Nothing is unpacked: literals are looked at where they are, and a copy that reaches into the first `start`
/// bytes must find zeros there.
#[inline]
pub(super) fn length_if_zeros(mut body: &[u8], start: usize) -> Option<usize> {
    let mut head: &[u8] = &[];
    let mut length = 0usize;
    loop {
        let (count, token) = read_token(&mut body)?;
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
        let copied = read_length(&mut body, token & 0xf)?.saturating_add(4);
        head.iter().skip(from).take(copied).all(|byte| *byte == 0).then_some(())?;
        length = length.saturating_add(copied);
    }
}

/// The literals of the next sequence, and its token. In a truncated block, these are the literals up to its end.
#[inline]
pub(super) fn literals<'b>(body: &mut &'b [u8]) -> Option<(&'b [u8], u8)> {
    let (count, token) = read_token(body)?;
    let (literals, rest) = body.split_at_checked(count).unwrap_or((body, &[]));
    *body = rest;
    Some((literals, token))
}

/// The number of literals of the next sequence, and its token.
#[inline]
fn read_token(body: &mut &[u8]) -> Option<(usize, u8)> {
    let [token] = next(body)?;
    Some((read_length(body, token >> 4)?, token))
}

/// The length that begins with `nibble`.
#[inline]
fn read_length(body: &mut &[u8], nibble: u8) -> Option<usize> {
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

/// Returns true if all of these bytes are 0.
pub(super) fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}
