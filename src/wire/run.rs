//! Running a parser over a whole input.

use nom::{Complete, Emit, OutputM, OutputMode, PResult, Parser};

use super::error::{fault, located, Traceback, WireError};
use super::instrumented::Instrumented;
use super::repeat::{Place, Puts};
use super::source::{Note, Source};
use crate::error::{DecodeError, Fault};

/// `parser`, and then the end of the input. Bytes after the value are [`Fault::Trailing`]; where `trailing` allows them,
/// they get a note and are left unread.
#[inline]
pub fn all_consuming<P>(trailing: bool, parser: P) -> AllConsuming<P> {
    AllConsuming { trailing, parser }
}

/// The note about bytes after the end of a value.
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

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        let (rest, value) = self.parser.process::<OM>(input)?;
        if rest.remaining() > 0 {
            if !self.trailing {
                // a copy in memory: see `perf`
                let _dropped = value;
                return Err(fault::<I, OM, P::Error>(rest, Fault::Trailing));
            }
            rest.note(TRAILING);
        }
        Ok((rest, value))
    }
}

/// The value that `parser` reads from `input`, which is complete and broken. Every list around the error ends before the
/// item with the error. `None` if the error is not in a list.
///
/// ```
/// use enginewire::wire::{field, recover, repeat, uint8};
///
/// let list = || field("items", repeat(5, 1, uint8()));
/// assert_eq!(recover(&[1, 2, 3], list()), Some(vec![1, 2, 3]));
/// assert_eq!(recover(&[], field("item", uint8())), None);
/// ```
pub fn recover<'a, P>(input: &'a [u8], mut parser: P) -> Option<P::Output>
where
    P: Parser<Instrumented<'a, 'static>, Error = Traceback<Instrumented<'a, 'static>>>,
{
    parser.process::<OutputM<Emit, Emit, Complete>>(Instrumented::broken(input)).ok().map(|(_, value)| value)
}

/// Runs `parser` over `input`, which is complete. Returns the rest of the input, and the value.
///
/// # Errors
///
/// The error of the parser, with its offset counted from the start of `input`.
#[cfg_attr(fast, inline(always))]
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

/// The same, with the value put into its place.
#[cfg_attr(fast, inline(always))]
pub(crate) fn run_into<I, P>(input: I, mut parser: P, place: impl Place<I, P::Output>) -> Result<I, DecodeError>
where
    I: Source,
    P: Puts<I, Error = Traceback<I>>,
{
    match parser.put::<OutputM<Emit, Emit, Complete>>(input.clone(), place) {
        Ok(rest) => Ok(rest),
        Err(error) => Err(located(error, &input)),
    }
}
