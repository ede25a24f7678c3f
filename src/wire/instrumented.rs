//! The source whose purpose is chosen at run time.

use std::fmt::{self, Debug};

use bstr::BStr;

use super::source::{to_u64, Label, Note, Source};
use super::trace::Tracer;
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
    purpose: Purpose<'w>,
}

#[derive(Clone, Copy)]
enum Purpose<'w> {
    Reading,
    Recovering,
    Tracing(&'w dyn Tracer),
}

impl<'a, 'w> Instrumented<'a, 'w> {
    fn new(whole: &'a [u8], purpose: Purpose<'w>) -> Self {
        Instrumented { whole, at: 0, bit: 0, may_grow: false, is_exhausted: false, purpose }
    }

    /// `input`, with `tracer` listening. Offsets count from here.
    pub fn traced(input: &'a [u8], tracer: &'w dyn Tracer) -> Self {
        Instrumented::new(input, Purpose::Tracing(tracer))
    }

    /// `input`, which is broken: every list around the first error ends before the item with the error.
    pub(super) fn broken(input: &'a [u8]) -> Self {
        Instrumented::new(input, Purpose::Recovering)
    }

    /// `input`, read only for its value.
    #[cfg(any(test, target_family = "wasm"))]
    pub(super) fn whole(input: &'a [u8]) -> Self {
        Instrumented::new(input, Purpose::Reading)
    }

    /// The beginning of a stream that may continue.
    pub(super) fn beginning(input: &'a [u8]) -> Self {
        Instrumented { may_grow: true, ..Instrumented::new(input, Purpose::Reading) }
    }

    /// The same input, read from a place in it on.
    #[inline]
    pub(super) fn from(self, at: usize) -> Self {
        Instrumented { at, ..self }
    }

    /// The bytes that follow.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.whole.get(self.at..).unwrap_or_default()
    }

    /// The position that a listener gets.
    #[inline]
    pub(super) fn place(&self) -> Offset {
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
        if let Purpose::Tracing(tracer) = self.purpose {
            tracer.note(self.place().after(Offset::new(0, bit)), note);
        }
    }

    fn exhaust(self) -> Self {
        Instrumented { is_exhausted: true, ..self }
    }

    #[inline]
    fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::source::tests::{reads_like_any_other, BYTES};
    use crate::wire::Log;
    use pretty_assertions::assert_eq;

    #[test]
    fn it_reads_like_any_other_source_for_every_purpose() {
        let log = Log::default();
        for source in [Instrumented::traced(BYTES, &log), Instrumented::broken(BYTES), Instrumented::beginning(BYTES)] {
            reads_like_any_other(&source);
            assert_eq!(source.at_bit(3).place(), Offset::new(0, 3));
        }
    }

    #[test]
    fn nothing_is_read_behind_a_list_that_was_broken_off() {
        let end = Instrumented::broken(BYTES).exhaust();
        assert!(end.is_exhausted() && end.remaining() == 0);
        assert!(end.chunk::<1>().is_none() && end.bytes(1).is_none() && end.part(1).is_none());
    }
}
