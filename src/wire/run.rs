//! Running a parser over a whole input: for its value, or only to check.

use std::cell::RefCell;
use std::fmt;

use nom::{Check, Complete, Emit, Err, OutputM, OutputMode, PResult, Parser};

use super::error::{fault, Traceback, WireError};
use super::source::{Note, Source};
use super::trace::{Traced, Tracer};
use crate::error::{DecodeError, Fault};
use crate::Offset;

/// `parser`, and then the end of the input. Bytes after it are [`Fault::Trailing`], or a note where `trailing` allows
/// them; they are left unread.
#[inline]
pub fn all_consuming<P>(trailing: bool, parser: P) -> AllConsuming<P> {
    AllConsuming { trailing, parser }
}

/// What is said of bytes after the end of a value, where they are allowed.
pub(crate) const TRAILING: Note = Note::NonCanonical("bytes after the end of the value");

/// A parser that must reach the end of the input. Made by [`all_consuming`].
#[derive(Clone, Copy, Debug)]
pub struct AllConsuming<P> {
    trailing: bool,
    parser: P,
}

impl<I: Source, P: Parser<I>> Parser<I> for AllConsuming<P>
where
    P::Error: WireError<I>,
{
    type Output = P::Output;
    type Error = P::Error;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        let (rest, value) = self.parser.process::<OM>(input)?;
        if rest.remaining() > 0 {
            if !self.trailing {
                // moved here: a value that is dropped has to stand in memory from its start
                let _dropped = value;
                return Err(fault::<I, OM, P::Error>(rest, Fault::Trailing));
            }
            rest.note(TRAILING);
        }
        Ok((rest, value))
    }
}

/// Runs `parser` over `input`, which is complete: the rest, and the value.
///
/// # Errors
///
/// What the parser failed with, its offset counted from the start of `input`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<I, P>(input: I, mut parser: P) -> Result<(I, P::Output), DecodeError>
where
    I: Source,
    P: Parser<I, Error = Traceback<I>>,
{
    match parser.process::<OutputM<Emit, Emit, Complete>>(input.clone()) {
        Ok(done) => Ok(done),
        Err(error) => Err(located(error, &input)),
    }
}

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

/// A single remark.
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
        let (remark, what) = match note {
            Note::NonCanonical(what) => (&mut self.non_canonical, what),
            Note::Draft(what) => (&mut self.drafts, what),
        };
        remark.count = remark.count.saturating_add(1);
        remark.first.get_or_insert(Finding { offset, what });
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

/// Who hears of what is remarkable.
type Listener<'f> = &'f mut dyn FnMut(Offset, Note);

impl<'f> Checker<'f> {
    /// `each` hears of everything remarkable, with its offset.
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

/// The error that a parser came out with, by itself.
#[cold]
pub(crate) fn located<I: Source>(error: Err<Traceback<I>>, start: &I) -> DecodeError {
    match error {
        Err::Error(error) | Err::Failure(error) => error.into_error(start),
        // a parser outside this crate that takes no notice of the mode
        Err::Incomplete(_) => {
            Traceback::fault(start.clone(), Fault::Other("it asks for more input".into())).into_error(start)
        }
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
