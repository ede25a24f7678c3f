//! Checks whether input is valid, and collects the notes about it.

use std::cell::RefCell;
use std::fmt;

use nom::{Check, Complete, Emit, OutputM, Parser};

use super::error::{located, Traceback};
use super::frame::Frame;
use super::source::{Note, Source};
use super::stream::Memory;
use crate::error::DecodeError;
use crate::Offset;

/// The notes about valid input, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// Bytes that decode, but are not the bytes that encoding gives.
    pub non_canonical: FindingSummary,
    /// Types that were never seen in real data.
    pub drafts: FindingSummary,
}

/// All findings of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FindingSummary {
    /// The number of findings.
    pub count: u64,
    /// The first of them.
    pub first: Option<Finding>,
}

/// A single finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The place in the input where it begins.
    pub offset: Offset,
    /// The text of its [`Note`].
    pub what: &'static str,
}

impl Findings {
    /// Returns true if the input is canonical: encoding the decoded value gives the same bytes.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.non_canonical.count == 0
    }

    pub(crate) fn add(&mut self, offset: Offset, note: Note) {
        let (summary, what) = match note {
            Note::NonCanonical(what) => (&mut self.non_canonical, what),
            Note::Draft(what) => (&mut self.drafts, what),
        };
        summary.count = summary.count.saturating_add(1);
        summary.first.get_or_insert(Finding { offset, what });
    }
}

/// Checks input: nothing is built, and nothing allocated but an error.
///
/// ```
/// use enginewire::roblox::attributes::{dictionary, Nesting};
/// use enginewire::wire::Checker;
///
/// let input = &b"\x01\0\0\0\x01\0\0\0a\x0c\x05\0\0\0"[..];
/// let mut each = |offset, note| println!("{offset}: {note:?}");
/// let findings = Checker::new(input, &mut each).check(dictionary(Nesting::default()))?;
/// assert_eq!((findings.non_canonical.count, findings.drafts.count), (0, 1));
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
pub struct Checker<'f, I> {
    start: I,
    /// For the item of a stream: what earlier runs left.
    memory: Option<&'f Memory>,
    heard: RefCell<(Findings, Listener<'f>)>,
}

/// A callback for every finding.
pub(crate) type Listener<'f> = &'f mut dyn FnMut(Offset, Note);

impl<'f, I: Source> Checker<'f, I> {
    /// For `input`, which is complete. `each` is called for every finding, with its offset.
    pub fn new(input: I, each: &'f mut dyn FnMut(Offset, Note)) -> Self {
        Checker { start: input, memory: None, heard: RefCell::new((Findings::default(), each)) }
    }

    /// For `input` that more may follow. Earlier runs left their progress in `memory`.
    pub(super) fn of_stream(input: I, each: Listener<'f>, memory: &'f Memory) -> Self {
        memory.begin();
        Checker { memory: Some(memory), ..Checker::new(input, each) }
    }

    /// The input for parsers.
    #[must_use]
    pub fn input(&self) -> Checked<'_, 'f, I> {
        Checked { input: self.start.clone(), checker: self, may_grow: self.memory.is_some() }
    }

    /// Runs `parser` over the input. Bytes that it leaves unread are not checked.
    ///
    /// # Errors
    ///
    /// The error of the parser, with its offset counted from the start of the input.
    #[inline]
    pub fn check<'t, P>(&'t self, parser: P) -> Result<Findings, DecodeError>
    where
        P: Parser<Checked<'t, 'f, I>, Error = Traceback<Checked<'t, 'f, I>>>,
    {
        self.check_part(parser).map(|_| self.findings())
    }

    /// The findings so far.
    pub(crate) fn findings(&self) -> Findings {
        self.heard.borrow().0
    }

    /// The same, and where `parser` stopped.
    #[cfg_attr(fast, inline(always))]
    pub(crate) fn check_part<'t, P>(&'t self, mut parser: P) -> Result<Offset, DecodeError>
    where
        P: Parser<Checked<'t, 'f, I>, Error = Traceback<Checked<'t, 'f, I>>>,
    {
        match parser.process::<OutputM<Check, Emit, Complete>>(self.input()) {
            Ok((rest, _)) => Ok(rest.input.offset_from(&self.start)),
            Err(error) => Err(located(error, &self.input())),
        }
    }

    #[cold]
    #[inline(never)]
    fn hear(&self, at: I, bit: u8, note: Note) {
        let offset = self.place(&at, bit);
        let (findings, each) = &mut *self.heard.borrow_mut();
        findings.add(offset, note);
        each(offset, note);
    }

    /// The distance of `at` from the start, `bit` bits further.
    fn place(&self, at: &I, bit: u8) -> Offset {
        at.offset_from(&self.start).after(Offset::new(0, bit))
    }

    /// The source that is `read` bytes ahead of `at`.
    fn ahead(&self, at: &I, read: usize) -> Option<Checked<'_, 'f, I>> {
        at.bytes(read).map(|(_, input)| Checked { input, ..self.input() })
    }

    // The hooks of a stream are not inlined, and get copies, so that other checks cost nothing for them: see `perf`.

    #[cold]
    #[inline(never)]
    fn resume(&self, memory: &Memory, at: I, bit: u8) -> Option<(usize, Checked<'_, 'f, I>, u8)> {
        let (count, read, bit) = memory.resume(at.remaining(), bit);
        self.ahead(&at, read).map(|at| (count, at, bit))
    }

    #[cold]
    #[inline(never)]
    fn recall(&self, memory: &Memory, at: I) -> Option<(Vec<Frame>, Checked<'_, 'f, I>)> {
        let (opened, read) = memory.recall(self.place(&at, 0))?;
        self.ahead(&at, read).map(|at| (opened, at))
    }

    #[cold]
    #[inline(never)]
    fn remember(&self, memory: &Memory, start: &I, depth: usize, opened: Frame, left: usize) {
        let read = start.remaining().saturating_sub(left);
        memory.remember(|| self.place(start, 0), depth, opened, read);
    }
}

impl<I> fmt::Debug for Checker<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}

/// The [`Source`] of a [`Checker`], which only receives the notes of parsers, and in a stream how far they came.
#[derive(Debug)]
pub struct Checked<'t, 'f, I> {
    input: I,
    checker: &'t Checker<'f, I>,
    may_grow: bool,
}

impl<I: Clone> Clone for Checked<'_, '_, I> {
    #[cfg_attr(fast, inline(always))]
    fn clone(&self) -> Self {
        self.at(self.input.clone())
    }
}

impl<I> Checked<'_, '_, I> {
    /// The same source with other input.
    #[cfg_attr(fast, inline(always))]
    fn at(&self, input: I) -> Self {
        Checked { input, ..*self }
    }
}

impl<I: Source> Source for Checked<'_, '_, I> {
    type Bytes = I::Bytes;

    #[cfg_attr(fast, inline(always))]
    fn may_grow(&self) -> bool {
        self.may_grow
    }

    #[cfg_attr(fast, inline(always))]
    fn completed(self) -> Self {
        Checked { may_grow: false, ..self }
    }

    #[cfg_attr(fast, inline(always))]
    fn remaining(&self) -> usize {
        self.input.remaining()
    }

    fn offset_from(&self, start: &Self) -> Offset {
        self.input.offset_from(&start.input)
    }

    #[cfg_attr(fast, inline(always))]
    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        let (bytes, input) = self.input.chunk()?;
        Some((bytes, self.at(input)))
    }

    #[cfg_attr(fast, inline(always))]
    fn bytes(&self, count: usize) -> Option<(I::Bytes, Self)> {
        let (bytes, input) = self.input.bytes(count)?;
        Some((bytes, self.at(input)))
    }

    #[cfg_attr(fast, inline(always))]
    fn part(&self, length: usize) -> Option<(Self, Self)> {
        let (part, rest) = self.input.part(length)?;
        Some((self.at(part), self.at(rest)))
    }

    #[cfg_attr(fast, inline(always))]
    fn note_at_bit(&self, bit: u8, note: Note) {
        self.checker.hear(self.input.clone(), bit, note);
    }

    #[cfg_attr(fast, inline(always))]
    fn resume(&self, bit: u8) -> Option<(usize, Self, u8)> {
        self.checker.resume(self.checker.memory?, self.input.clone(), bit)
    }

    #[cfg_attr(fast, inline(always))]
    fn reached(&self, bit: u8, count: usize) {
        if let Some(memory) = self.checker.memory {
            memory.reached(count, self.input.remaining(), bit);
        }
    }

    #[cfg_attr(fast, inline(always))]
    fn leave(&self) {
        if let Some(memory) = self.checker.memory {
            memory.leave();
        }
    }

    #[cfg_attr(fast, inline(always))]
    fn recall(&self) -> Option<(Vec<Frame>, Self)> {
        self.checker.recall(self.checker.memory?, self.input.clone())
    }

    #[cfg_attr(fast, inline(always))]
    fn remember(&self, start: &Self, depth: usize, opened: Frame) {
        if let Some(memory) = self.checker.memory {
            self.checker.remember(memory, &start.input, depth, opened, self.input.remaining());
        }
    }
}

/// The result of a check of valid input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The number of items, if the format counts them.
    pub items: Option<u64>,
    /// Findings that are not canonical, and types that were never seen in real data.
    pub findings: Findings,
}

impl Report {
    pub(crate) fn new(items: Option<u64>, findings: Findings) -> Self {
        Report { items, findings }
    }

    /// Returns true if encoding the decoded value gives the same bytes.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.findings.is_canonical()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::frame::{Item, Kind};
    use crate::wire::source::tests::BYTES;
    use pretty_assertions::assert_eq;

    #[test]
    fn checked_input_reads_like_any_other() {
        crate::wire::source::tests::reads_like_any_other(&Checker::new(BYTES, &mut |_, _| {}).input());
    }

    #[test]
    fn open_containers_are_recalled_where_their_value_began() {
        static LIST: Kind = Kind { field: "list", items: "items", item: Item::Value, smallest: 1 };
        let (mut memory, mut unheard) = (Memory::default(), |_, _| {});
        {
            let checker = Checker::of_stream(BYTES, &mut unheard, &memory);
            let start = checker.input();
            assert!(start.recall().is_none());
            let (_, inside) = start.bytes(2).unwrap();
            inside.remember(&start, 0, Frame { kind: &LIST, count: 3, index: 1, keyed: false, left: 6, owed: 0 });
            let (opened, at) = start.recall().unwrap();
            assert_eq!((opened.len(), opened[0].index, at.offset_from(&start)), (1, 1, 2.into()));
            assert!(inside.recall().is_none(), "a value that begins elsewhere");
        }
        memory.clear();
        assert!(Checker::of_stream(BYTES, &mut unheard, &memory).input().recall().is_none());
    }

    #[test]
    fn a_checker_can_be_shown() {
        assert_eq!(format!("{:?}", Checker::new(&[][..], &mut |_, _| {})), "Checker { .. }");
    }
}
