//! From item to item through bytes that somebody else keeps.

use super::{ItemStream, Memory, Next};
use crate::error::{DecodeError, Fault, Path};
use crate::number::to_u64;
use crate::wire::format::run::{self, Head, Item};
use crate::wire::{fill, Place};
use crate::Offset;

/// The result of a step of a [`Stepper`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step<T> {
    /// An item.
    Item(T),
    /// At least this many more bytes are needed to continue.
    Need(usize),
    /// The stream is at its end.
    Done,
}

/// Reads item by item from bytes that the caller keeps.
#[derive(Debug)]
pub struct Stepper<F> {
    pub(in crate::wire) stream: F,
    /// True if the next item is checked to be complete before it is read. That is the fastest way to an item that is not, and
    /// such items follow each other: those that are larger than a piece, or pieces that are small.
    checks: bool,
    /// True if the next item was not complete when it was checked.
    cut: bool,
    memory: Memory,
}

/// The place for the next item, empty before it is read. It is the result of a decoder, so that no item is moved.
pub(super) type Slot<T> = Option<Result<T, DecodeError>>;

/// A [`Slot`] that takes an item.
struct Filled<'s, T>(&'s mut Slot<T>);

impl<I, T> Place<I, T> for Filled<'_, T> {
    #[cfg_attr(fast, inline(always))]
    fn put(self, _rest: &I, item: T) {
        fill(self.0, Some(Ok(item)));
    }
}

/// The state before an item is read.
pub(super) enum Prepared {
    /// An item is there, after this many bytes of other things.
    Item(usize),
    /// At least this many more bytes are needed.
    Need(usize),
    /// There are no more items.
    Done,
}

impl<F: ItemStream> Stepper<F> {
    /// At the start of a stream.
    pub fn new(stream: F) -> Self {
        Stepper { stream, checks: true, cut: false, memory: Memory::default() }
    }

    /// The next item in `input`, and how many bytes to drop before the next call.
    ///
    /// `input` begins after the bytes that were dropped. If `end` is true, no bytes will follow it. An unfinished item is not
    /// read from its start again when there are more bytes, so that the work is linear in their number.
    ///
    /// # Errors
    ///
    /// With the offset counted from the start of `input`.
    #[inline]
    pub fn step<'a>(&mut self, input: &'a [u8], end: bool) -> Result<(usize, Step<F::Item<'a>>), DecodeError> {
        let (mut rest, mut slot) = (input, None);
        loop {
            let before = input.len().saturating_sub(rest.len());
            let used = self.item(rest, &mut slot).or_else(|| self.last_item(rest, end, &mut slot));
            if let (Some(used), Some(item)) = (used, slot.take()) {
                return Ok((before.saturating_add(used), Step::Item(item?)));
            }
            match self.prepare(rest, end).map_err(|error| error.shifted(to_u64(before)))? {
                Prepared::Item(used) => rest = rest.get(used..).unwrap_or_default(),
                Prepared::Need(more) => return Ok((before, Step::Need(more))),
                Prepared::Done => return Ok((before, Step::Done)),
            }
        }
    }

    /// Puts the next item into the slot and returns its size, if all of it is there and nothing else comes first;
    /// [`prepare`](Self::prepare) handles the other cases.
    #[cfg_attr(fast, inline(always))]
    pub(super) fn item<'a>(&mut self, input: &'a [u8], slot: &mut Slot<F::Item<'a>>) -> Option<usize> {
        if self.checks || self.stream.next() != Next::Item {
            return None;
        }
        let rest = run::put(input, self.stream, Filled(slot)).ok()?;
        // at the end of the input an item may seem to be there that is not
        if rest.is_empty() && self.stream.may_lack_end() {
            *slot = None;
            run::read_streaming(input, Item(self.stream)).ok().map(|(_, item)| *slot = Some(Ok(item)))?;
        }
        (self.checks, self.cut) = (self.cut, false);
        self.stream.advance();
        Some(input.len().saturating_sub(rest.len()))
    }

    /// The same at the `end` of the input, if an item may lack something there.
    #[cold]
    #[inline(never)]
    pub(super) fn last_item<'a>(&mut self, input: &'a [u8], end: bool, slot: &mut Slot<F::Item<'a>>) -> Option<usize> {
        if !end || !self.stream.may_lack_end() || self.stream.next() != Next::Item {
            return None;
        }
        let rest = run::put(input, self.stream, Filled(slot)).ok()?;
        self.ready();
        self.stream.advance();
        Some(input.len().saturating_sub(rest.len()))
    }

    /// Everything but reading an item: the head, the end, an item that is not all there, an error.
    #[cold]
    #[inline(never)]
    pub(super) fn prepare(&mut self, input: &[u8], end: bool) -> Result<Prepared, DecodeError> {
        let next = self.stream.next();
        if end && input.is_empty() && (next == Next::End || self.stream.may_end()) {
            return Ok(Prepared::Done);
        }
        match next {
            Next::Ignored => Ok(Prepared::Done),
            Next::End if input.is_empty() => Ok(Prepared::Done),
            Next::End => Err(DecodeError::new(Offset::default(), Path::default(), Fault::Trailing)),
            Next::Head => {
                let head = Head(self.stream);
                match if end { run::read(input, head).map_err(Err) } else { run::read_streaming(input, head) } {
                    Ok((rest, stream)) => {
                        self.stream = stream;
                        Ok(Prepared::Item(input.len().saturating_sub(rest.len())))
                    }
                    Err(stopped) => stopped.map(Prepared::Need),
                }
            }
            Next::Item if end => self.found(input),
            Next::Item => match run::scan(input, Item(self.stream), &self.memory) {
                Ok(()) => Ok(self.ready()),
                Err(Some(missing)) => {
                    (self.checks, self.cut) = (true, true);
                    Ok(Prepared::Need(missing))
                }
                Err(None) => self.found(input),
            },
        }
    }

    /// Reads the next item for its error: no more bytes will come, or the error is before the missing bytes.
    fn found(&mut self, input: &[u8]) -> Result<Prepared, DecodeError> {
        run::read(input, Item(self.stream)).map(|_| self.ready())
    }

    /// All of the next item is there.
    fn ready(&mut self) -> Prepared {
        self.checks = false;
        self.memory.clear();
        Prepared::Item(0)
    }
}
