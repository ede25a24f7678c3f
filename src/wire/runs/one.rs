//! One source for all ways.

use std::cell::RefCell;
use std::fmt::{self, Debug};

use bstr::BStr;
use nom::{Check, Emit, Err, OutputM, OutputMode, PResult, Parser, Streaming};

use super::{missing, Streamed, Structure};
use crate::error::DecodeError;
use crate::wire::check::{Findings, Listener};
use crate::wire::error::{located, Traceback};
use crate::wire::frame::Frame;
use crate::wire::source::{to_u64, Label, Note, Source};
use crate::wire::stream::{Memory, Prescan};
use crate::wire::trace::{Log, Tracer, Tree};
use crate::Offset;

/// How the part with a length before it is read, which nothing follows: its source knows that.
pub(crate) type InPart<OM> = OutputM<<OM as OutputMode>::Output, <OM as OutputMode>::Error, Streaming>;

/// Bytes that parsers read, in any of the ways.
#[derive(Clone, Copy)]
struct Any<'a, 'w> {
    /// Up to the end of the innermost part.
    whole: &'a [u8],
    at: usize,
    /// Where a listener hears that this is.
    bit: u8,
    /// See [`Prescan`].
    list: usize,
    is_complete: bool,
    is_exhausted: bool,
    way: &'w Way<'w>,
}

/// What a source is for.
enum Way<'w> {
    Reading,
    Recovering,
    Checking(RefCell<(Findings, Listener<'w>)>),
    Tracing(&'w dyn Tracer),
    Prescanning(&'w Memory),
}

type Read<'a, 'w, M, V> = PResult<OutputM<M, Emit, Streaming>, Any<'a, 'w>, V, Traceback<Any<'a, 'w>>>;

impl<'a, 'w> Any<'a, 'w> {
    fn new(whole: &'a [u8], way: &'w Way<'w>) -> Self {
        Any { whole, at: 0, bit: 0, list: 0, is_complete: true, is_exhausted: false, way }
    }

    /// The only call of a parser that builds values.
    fn build<S: Structure<'a>>(self, structure: S) -> Read<'a, 'w, Emit, S::Value> {
        structure.parser().process::<OutputM<Emit, Emit, Streaming>>(self)
    }

    /// The only call of a parser that builds none.
    fn check<S: Structure<'a>>(self, structure: S) -> Read<'a, 'w, Check, S::Value> {
        structure.parser().process::<OutputM<Check, Emit, Streaming>>(self)
    }

    fn rest(&self) -> &'a [u8] {
        self.whole.get(self.at..).unwrap_or_default()
    }

    /// This many of the bytes that follow, if they can be read.
    fn following(&self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let is_readable = match self.way {
            Way::Recovering => !self.is_exhausted,
            Way::Tracing(tracer) => !tracer.is_full(),
            _ => true,
        };
        self.whole.get(self.at..end).filter(|_| is_readable)
    }

    fn behind(&self, bytes: &[u8]) -> Self {
        Any { at: self.at.saturating_add(bytes.len()), ..*self }
    }

    fn place(&self, bit: u8) -> Offset {
        Offset::new(to_u64(self.at), self.bit).after(Offset::new(0, bit))
    }

    fn prescan(&self) -> Option<Prescan<'a, 'w>> {
        match self.way {
            Way::Prescanning(memory) => {
                Some(Prescan { whole: self.whole, at: self.at, bit: self.bit, list: self.list, memory })
            }
            _ => None,
        }
    }

    fn of_prescan(self, Prescan { whole, at, bit, list, .. }: Prescan<'a, 'w>) -> Self {
        Any { whole, at, bit, list, ..self }
    }
}

impl Debug for Any<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Any").field("at", &self.at).finish_non_exhaustive()
    }
}

impl<'a> Source for Any<'a, '_> {
    type Bytes = &'a BStr;
    const TRACED: bool = true;
    const RECOVERED: bool = true;

    fn is_traced(&self) -> bool {
        matches!(self.way, Way::Tracing(_))
    }

    fn is_recovered(&self) -> bool {
        matches!(self.way, Way::Recovering)
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn completed(self) -> Self {
        Any { is_complete: true, ..self }
    }

    fn remaining(&self) -> usize {
        if self.is_exhausted {
            return 0;
        }
        self.whole.len().saturating_sub(self.at)
    }

    fn offset_from(&self, start: &Self) -> Offset {
        to_u64(self.at.saturating_sub(start.at)).into()
    }

    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        let bytes = self.following(N)?;
        Some((*bytes.first_chunk()?, self.behind(bytes)))
    }

    fn bytes(&self, count: usize) -> Option<(&'a BStr, Self)> {
        let bytes = self.following(count)?;
        Some((BStr::new(bytes), self.behind(bytes)))
    }

    fn part(&self, length: usize) -> Option<(Self, Self)> {
        let rest = self.behind(self.following(length)?);
        Some((Any { whole: self.whole.get(..rest.at)?, ..*self }, rest))
    }

    fn at_bit(&self, bit: u8) -> Self {
        Any { bit, ..*self }
    }

    fn bit(&self) -> u8 {
        self.bit
    }

    fn open(&self, label: Label<'_>) {
        if let Way::Tracing(tracer) = self.way {
            tracer.open(self.place(0), label);
        }
    }

    fn close(&self, value: &dyn Debug) {
        if let Way::Tracing(tracer) = self.way {
            tracer.close(self.place(0), value);
        }
    }

    fn key(&self, key: &dyn Debug) {
        if let Way::Tracing(tracer) = self.way {
            tracer.key(key);
        }
    }

    #[inline(never)]
    fn note_at_bit(&self, bit: u8, note: Note) {
        match self.way {
            Way::Tracing(tracer) => tracer.note(self.place(bit), note),
            Way::Checking(heard) => {
                let (findings, each) = &mut *heard.borrow_mut();
                findings.add(self.place(bit), note);
                each(self.place(bit), note);
            }
            _ => {}
        }
    }

    fn exhaust(self) -> Self {
        Any { is_exhausted: true, ..self }
    }

    fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    fn resume(&self) -> Option<(usize, Self)> {
        let (count, resumed) = self.prescan()?.resume()?;
        Some((count, self.of_prescan(resumed)))
    }

    fn reached(&self, count: usize) {
        if let Some(prescan) = self.prescan() {
            prescan.reached(count);
        }
    }

    fn leave(self) -> Self {
        self.prescan().map_or(self, |prescan| self.of_prescan(prescan.leave()))
    }

    fn recall(&self) -> Option<(Vec<Frame>, Self)> {
        let (opened, recalled) = self.prescan()?.recall()?;
        Some((opened, self.of_prescan(recalled)))
    }

    fn remember(&self, start: &Self, depth: usize, opened: Frame) {
        if let (Some(prescan), Some(start)) = (self.prescan(), start.prescan()) {
            prescan.remember(&start, depth, opened);
        }
    }
}

/// Reads a structure, and gives what follows it.
pub(crate) fn read<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Result<(&'a [u8], S::Value), DecodeError> {
    let start = Any::new(input, &Way::Reading);
    match start.build(structure) {
        Ok((rest, value)) => Ok((rest.rest(), value)),
        Err(error) => Err(located(error, &start)),
    }
}

/// What can be kept of a broken structure.
pub(crate) fn read_broken<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Option<S::Value> {
    Any::new(input, &Way::Recovering).build(structure).ok().map(|(_, value)| value)
}

/// Checks a structure, and says where it ends. `each` is called for every finding.
pub(crate) fn check<'a, S: Structure<'a>>(
    input: &'a [u8],
    structure: S,
    each: &mut dyn FnMut(Offset, Note),
) -> Result<(Offset, Findings), DecodeError> {
    let way = Way::Checking(RefCell::new((Findings::default(), each)));
    let start = Any::new(input, &way);
    let end = match start.check(structure) {
        Ok((rest, _)) => rest.offset_from(&start),
        Err(error) => return Err(located(error, &start)),
    };
    let Way::Checking(heard) = &way else { return Ok((end, Findings::default())) };
    let (findings, _) = &*heard.borrow();
    Ok((end, *findings))
}

/// Every field of a structure at `at`, which is a place in `input`, and the structure itself.
pub(crate) fn trace<'a, S: Structure<'a>>(
    log: &Log,
    input: &'a [u8],
    at: usize,
    structure: S,
) -> (Tree, Option<S::Value>) {
    let way = Way::Tracing(log);
    let start = Any::new(input, &way);
    let (read, value) = match (Any { at, ..start }).build(structure) {
        Ok((rest, value)) => (Ok(rest.place(0)), Some(value)),
        Err(error) => (Err(located(error, &start)), None),
    };
    (log.tree(to_u64(input.len()), read), value)
}

/// Reads a structure of a stream, if all of it is there and valid.
pub(crate) fn attempt<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Option<(&'a [u8], S::Value)> {
    read_streaming(input, structure).ok()
}

/// Whether all of a structure of a stream is there. If not, how many bytes are missing; `None` if it is invalid.
pub(crate) fn prescan<'a, S: Structure<'a>>(
    input: &'a [u8],
    structure: S,
    memory: &Memory,
) -> Result<(), Option<usize>> {
    let way = Way::Prescanning(memory);
    match (Any { is_complete: false, ..Any::new(input, &way) }).check(structure) {
        Ok(_) => Ok(()),
        Err(Err::Incomplete(needed)) => Err(Some(missing(needed))),
        Err(_) => Err(None),
    }
}

/// Reads a structure of a stream. If bytes of it are missing, says how many.
pub(crate) fn read_streaming<'a, S: Structure<'a>>(input: &'a [u8], structure: S) -> Streamed<'a, S::Value> {
    let start = Any { is_complete: false, ..Any::new(input, &Way::Reading) };
    match start.build(structure) {
        Ok((rest, value)) => Ok((rest.rest(), value)),
        Err(Err::Incomplete(needed)) => Err(Ok(missing(needed))),
        Err(error) => Err(Err(located(error, &start))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::source::tests::{reads_like_any_other, BYTES};

    #[test]
    fn the_source_of_all_ways_reads_like_any_other() {
        let memory = Memory::default();
        let log = Log::default();
        let ways = [Way::Reading, Way::Recovering, Way::Tracing(&log), Way::Prescanning(&memory)];
        for way in &ways {
            reads_like_any_other(&Any::new(BYTES, way));
        }
        let start = Any::new(BYTES, &Way::Recovering);
        let end = start.exhaust();
        assert!(end.is_exhausted() && end.remaining() == 0 && end.chunk::<1>().is_none());
    }
}
