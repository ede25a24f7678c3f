//! Checking: whether input is valid, and what is remarkable about it.

use std::cell::RefCell;
use std::fmt;

use nom::{Check, Complete, Emit, OutputM, Parser};

use super::error::{located, Traceback};
use super::source::{Note, Source};
use super::trace::{Traced, Tracer};
use crate::error::DecodeError;
use crate::Offset;

/// What is remarkable about valid input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Bytes that decode, but are not those that encoding gives.
    pub non_canonical: FindingSummary,
    /// Types that were never seen in real data.
    pub drafts: FindingSummary,
}

/// All findings of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FindingSummary {
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub first: Option<Finding>,
}

/// A single finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where it begins.
    pub offset: Offset,
    /// What it is.
    pub what: &'static str,
}

impl Findings {
    /// Whether nothing is not canonical: encoding what was decoded gives the same bytes.
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
/// let mut each = |offset, note| println!("{offset}: {note:?}");
/// let checker = Checker::new(&mut each);
/// let findings = checker.check(&b"\x01\0\0\0\x01\0\0\0a\x0c\x05\0\0\0"[..], dictionary(Nesting::default()))?;
/// assert_eq!((findings.non_canonical.count, findings.drafts.count), (0, 1));
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
pub struct Checker<'f>(RefCell<(Findings, Listener<'f>)>);

/// What is called for every finding.
type Listener<'f> = &'f mut dyn FnMut(Offset, Note);

impl<'f> Checker<'f> {
    /// `each` is called for every finding, with its offset.
    pub fn new(each: &'f mut dyn FnMut(Offset, Note)) -> Self {
        Checker(RefCell::new((Findings::default(), each)))
    }

    /// Runs `parser` over `input`, which is complete. What it leaves unread is not looked at.
    ///
    /// # Errors
    ///
    /// What the parser failed with, its offset counted from the start of `input`.
    #[inline]
    pub fn check<'t, I, P>(&'t self, input: I, parser: P) -> Result<Findings, DecodeError>
    where
        I: Source + 't,
        P: Parser<Traced<'t, I, Self>, Error = Traceback<Traced<'t, I, Self>>>,
    {
        self.check_part(input, parser).map(|_| self.0.borrow().0)
    }

    /// The same, and where `parser` stopped.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn check_part<'t, I, P>(&'t self, input: I, mut parser: P) -> Result<Offset, DecodeError>
    where
        I: Source + 't,
        P: Parser<Traced<'t, I, Self>, Error = Traceback<Traced<'t, I, Self>>>,
    {
        let start = Traced::new(input, self);
        match parser.process::<OutputM<Check, Emit, Complete>>(start.clone()) {
            Ok((rest, _)) => Ok(rest.offset_from(&start)),
            Err(error) => Err(located(error, &start)),
        }
    }
}

impl fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}

impl Tracer for Checker<'_> {
    const FIELDS: bool = false;

    fn note(&self, at: Offset, note: Note) {
        let (findings, each) = &mut *self.0.borrow_mut();
        findings.add(at, note);
        each(at, note);
    }
}

/// The result of a check of valid input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How many items there are, if the input says so before them.
    pub items: Option<u64>,
    /// What is not canonical, and which types were never seen in real data.
    pub findings: Findings,
}

impl Report {
    pub(crate) fn new(items: Option<u64>, findings: Findings) -> Self {
        Report { items, findings }
    }

    /// Whether encoding what the input decodes to gives the same bytes.
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
    fn a_checker_can_be_shown() {
        assert_eq!(format!("{:?}", Checker::new(&mut |_, _| {})), "Checker { .. }");
    }
}
