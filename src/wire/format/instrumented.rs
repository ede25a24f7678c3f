//! The source whose purpose is chosen at run time.

use std::fmt::{self, Debug};

use bstr::BStr;

use super::stream::Memory;
use super::trace::Tracer;
use crate::number::to_u64;
use crate::wire::{Frame, Label, Note, Source};
use crate::Offset;

/// A [`Source`] whose purpose is chosen at run time: tracing, recovering, or streams; in WebAssembly also reading and checking
/// complete input. So a parser is compiled once for all of them.
#[derive(Clone, Copy)]
pub struct Instrumented<'a, 'w> {
    /// Up to the end of the innermost part.
    whole: &'a [u8],
    at: usize,
    /// Bits to add to `at` for a listener.
    bit: u8,
    may_grow: bool,
    is_exhausted: bool,
    /// The index, from 1, of the mark in the memory for the list around this position; 0 if it is not in a list.
    list: usize,
    purpose: Purpose<'w>,
}

#[derive(Clone, Copy)]
enum Purpose<'w> {
    Reading,
    Recovering,
    Tracing(&'w dyn Tracer),
    /// Only notes are reported.
    Checking(&'w dyn Tracer),
    /// Every list marks how many items were read, and continues from there in the next run.
    Scanning(&'w Memory),
}

impl<'a, 'w> Instrumented<'a, 'w> {
    fn new(whole: &'a [u8], purpose: Purpose<'w>) -> Self {
        Instrumented { whole, at: 0, bit: 0, may_grow: false, is_exhausted: false, list: 0, purpose }
    }

    /// `input`, with `tracer` listening. Offsets count from here.
    pub fn traced(input: &'a [u8], tracer: &'w dyn Tracer) -> Self {
        Instrumented::new(input, Purpose::Tracing(tracer))
    }

    /// `input`, which is broken: every list around the first error ends before the item with the error.
    pub(crate) fn broken(input: &'a [u8]) -> Self {
        Instrumented::new(input, Purpose::Recovering)
    }

    /// `input`, read only for its value.
    pub fn whole(input: &'a [u8]) -> Self {
        Instrumented::new(input, Purpose::Reading)
    }

    /// `input`, with `tracer` listening to notes alone.
    pub(crate) fn checked(input: &'a [u8], tracer: &'w dyn Tracer) -> Self {
        Instrumented::new(input, Purpose::Checking(tracer))
    }

    /// The beginning of a stream that may continue.
    pub(crate) fn beginning(input: &'a [u8]) -> Self {
        Instrumented { may_grow: true, ..Instrumented::new(input, Purpose::Reading) }
    }

    /// The same, read to check whether an item is complete. Of what earlier runs left in `memory`, only the heads of unfinished
    /// lists are read again.
    pub(crate) fn scanned(input: &'a [u8], memory: &'w Memory) -> Self {
        Instrumented { may_grow: true, ..Instrumented::new(input, Purpose::Scanning(memory)) }
    }

    /// The same input, read from a place in it on.
    #[inline]
    pub(crate) fn from(self, at: usize) -> Self {
        Instrumented { at, ..self }
    }

    /// The bytes that follow.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.whole.get(self.at..).unwrap_or_default()
    }

    /// The position that a listener gets.
    #[inline]
    pub(crate) fn place(&self) -> Offset {
        Offset::new(to_u64(self.at), self.bit)
    }

    /// This many of the bytes that follow, if they can be read.
    #[inline]
    fn following(&self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let is_readable = match self.purpose {
            Purpose::Recovering => !self.is_exhausted,
            Purpose::Tracing(tracer) => !tracer.is_full(),
            _ => true,
        };
        self.whole.get(self.at..end).filter(|_| is_readable)
    }

    #[inline]
    fn behind(&self, bytes: &[u8]) -> Self {
        Instrumented { at: self.at.saturating_add(bytes.len()), ..*self }
    }
}

impl Debug for Instrumented<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instrumented").field("at", &self.at).finish_non_exhaustive()
    }
}

impl<'a> Source for Instrumented<'a, '_> {
    type Bytes = &'a BStr;
    const INSTRUMENTED: bool = true;

    #[inline]
    fn is_traced(&self) -> bool {
        matches!(self.purpose, Purpose::Tracing(_))
    }

    #[inline]
    fn is_recovered(&self) -> bool {
        matches!(self.purpose, Purpose::Recovering)
    }

    #[inline]
    fn may_grow(&self) -> bool {
        self.may_grow
    }

    #[inline]
    fn completed(self) -> Self {
        Instrumented { may_grow: false, ..self }
    }

    #[inline]
    fn remaining(&self) -> usize {
        if self.is_exhausted {
            return 0;
        }
        self.whole.len().saturating_sub(self.at)
    }

    fn offset_from(&self, start: &Self) -> Offset {
        to_u64(self.at.saturating_sub(start.at)).into()
    }

    #[inline]
    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        let bytes = self.following(N)?;
        Some((*bytes.first_chunk()?, self.behind(bytes)))
    }

    #[inline]
    fn bytes(&self, count: usize) -> Option<(&'a BStr, Self)> {
        let bytes = self.following(count)?;
        Some((BStr::new(bytes), self.behind(bytes)))
    }

    #[inline]
    fn part(&self, length: usize) -> Option<(Self, Self)> {
        let rest = self.behind(self.following(length)?);
        Some((Instrumented { whole: self.whole.get(..rest.at)?, ..*self }, rest))
    }

    #[inline]
    fn at_bit(&self, bit: u8) -> Self {
        Instrumented { bit, ..*self }
    }

    #[inline]
    fn bit(&self) -> u8 {
        self.bit
    }

    #[inline]
    fn open(&self, label: Label<'_>) {
        if let Purpose::Tracing(tracer) = self.purpose {
            tracer.open(self.place(), label);
        }
    }

    #[inline]
    fn close(&self, value: &dyn Debug) {
        if let Purpose::Tracing(tracer) = self.purpose {
            tracer.close(self.place(), value);
        }
    }

    #[inline]
    fn key(&self, key: &dyn Debug) {
        if let Purpose::Tracing(tracer) = self.purpose {
            tracer.key(key);
        }
    }

    #[inline(never)]
    fn note_at_bit(&self, bit: u8, note: Note) {
        let tracer = match self.purpose {
            Purpose::Tracing(tracer) => tracer,
            Purpose::Checking(tracer) => tracer,
            _ => return,
        };
        tracer.note(self.place().after(Offset::new(0, bit)), note);
    }

    fn exhaust(self) -> Self {
        Instrumented { is_exhausted: true, ..self }
    }

    #[inline]
    fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    fn resume(&self) -> Option<(usize, Self)> {
        let Purpose::Scanning(memory) = self.purpose else { return None };
        let (count, (at, bit), list) = memory.resume(self.list, (self.at, self.bit))?;
        Some((count, Instrumented { at, bit, list, ..*self }))
    }

    #[inline]
    fn reached(&self, count: usize) {
        if let Purpose::Scanning(memory) = self.purpose {
            memory.reached(self.list, count, (self.at, self.bit));
        }
    }

    #[inline]
    fn leave(self) -> Self {
        match self.purpose {
            Purpose::Scanning(memory) => Instrumented { list: memory.around(self.list), ..self },
            _ => self,
        }
    }

    fn recall(&self) -> Option<(Vec<Frame>, Self)> {
        let Purpose::Scanning(memory) = self.purpose else { return None };
        let (opened, at) = memory.recall(self.at)?;
        Some((opened, self.from(at)))
    }

    #[inline]
    fn remember(&self, start: &Self, depth: usize, opened: Frame) {
        if let Purpose::Scanning(memory) = self.purpose {
            memory.remember(start.at, self.list, depth, opened, self.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::input::frame::{Item, Kind};
    use crate::wire::input::source::tests::{reads_like_any_other, BYTES};
    use crate::wire::Log;
    use pretty_assertions::assert_eq;

    #[test]
    fn it_reads_like_any_other_source_for_every_purpose() {
        let (log, memory) = (Log::default(), Memory::default());
        for source in [
            Instrumented::traced(BYTES, &log),
            Instrumented::broken(BYTES),
            Instrumented::beginning(BYTES),
            Instrumented::scanned(BYTES, &memory),
        ] {
            reads_like_any_other(&source);
            assert_eq!(source.at_bit(3).bit(), 3);
        }
    }

    #[test]
    fn nothing_is_read_behind_a_list_that_was_broken_off() {
        let end = Instrumented::broken(BYTES).exhaust();
        assert!(end.is_exhausted() && end.remaining() == 0);
        assert!(end.chunk::<1>().is_none() && end.bytes(1).is_none() && end.part(1).is_none());
    }

    #[test]
    fn open_containers_are_recalled_where_their_value_began() {
        static LIST: Kind = Kind { field: "list", items: "items", item: Item::Value, smallest: 1 };
        let mut memory = Memory::default();
        let start = Instrumented::scanned(BYTES, &memory);
        assert!(start.recall().is_none());
        let (_, inside) = start.bytes(2).unwrap();
        inside.remember(&start, 0, Frame { kind: &LIST, count: 3, index: 1, keyed: false, left: 6, owed: 0 });
        let (opened, at) = start.recall().unwrap();
        assert_eq!((opened.len(), opened[0].index, at.offset_from(&start)), (1, 1, 2.into()));
        assert!(inside.recall().is_none(), "a value that begins elsewhere");
        memory.clear();
        assert!(Instrumented::scanned(BYTES, &memory).recall().is_none());
    }
}
