//! Checks whether input is valid, and collects the notes about it.

use std::cell::RefCell;
use std::fmt;

use nom::{Check, Complete, Emit, OutputM, Parser};

use crate::error::DecodeError;
use crate::wire::error::located;
use crate::wire::{Note, Source, Traceback};
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
    heard: RefCell<(Findings, Listener<'f>)>,
}

/// A callback for every finding.
pub(crate) type Listener<'f> = &'f mut dyn FnMut(Offset, Note);

impl<'f, I: Source> Checker<'f, I> {
    /// For `input`, which is complete. `each` is called for every finding, with its offset.
    pub fn new(input: I, each: &'f mut dyn FnMut(Offset, Note)) -> Self {
        Checker { start: input, heard: RefCell::new((Findings::default(), each)) }
    }

    /// The input for parsers.
    #[must_use]
    pub fn input(&self) -> Checked<'_, 'f, I> {
        Checked { input: self.start.clone(), checker: self }
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
        let offset = at.offset_from(&self.start).after(Offset::new(0, bit));
        let (findings, each) = &mut *self.heard.borrow_mut();
        findings.add(offset, note);
        each(offset, note);
    }
}

impl<I> crate::wire::Tracer for Checker<'_, I> {
    fn note(&self, at: Offset, note: Note) {
        let (findings, each) = &mut *self.heard.borrow_mut();
        findings.add(at, note);
        each(at, note);
    }
}

impl<I> fmt::Debug for Checker<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}

/// The [`Source`] of a [`Checker`], which only receives the notes of parsers.
#[derive(Debug)]
pub struct Checked<'t, 'f, I> {
    input: I,
    checker: &'t Checker<'f, I>,
}

impl<I: Clone> Clone for Checked<'_, '_, I> {
    #[cfg_attr(fast, inline(always))]
    fn clone(&self) -> Self {
        Checked { input: self.input.clone(), checker: self.checker }
    }
}

impl<I: Source> Source for Checked<'_, '_, I> {
    type Bytes = I::Bytes;

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
        Some((bytes, Checked { input, checker: self.checker }))
    }

    #[cfg_attr(fast, inline(always))]
    fn bytes(&self, count: usize) -> Option<(I::Bytes, Self)> {
        let (bytes, input) = self.input.bytes(count)?;
        Some((bytes, Checked { input, checker: self.checker }))
    }

    #[cfg_attr(fast, inline(always))]
    fn part(&self, length: usize) -> Option<(Self, Self)> {
        let (part, rest) = self.input.part(length)?;
        Some((Checked { input: part, checker: self.checker }, Checked { input: rest, checker: self.checker }))
    }

    #[cfg_attr(fast, inline(always))]
    fn note_at_bit(&self, bit: u8, note: Note) {
        self.checker.hear(self.input.clone(), bit, note);
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
    use pretty_assertions::assert_eq;

    #[test]
    fn checked_input_reads_like_any_other() {
        crate::wire::input::source::tests::reads_like_any_other(
            &Checker::new(crate::wire::input::source::tests::BYTES, &mut |_, _| {}).input(),
        );
    }

    #[test]
    fn a_checker_can_be_shown() {
        assert_eq!(format!("{:?}", Checker::new(&[][..], &mut |_, _| {})), "Checker { .. }");
    }
}
