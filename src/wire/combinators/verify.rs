//! Tests of single values, which give an error or a note.

use nom::{Mode, OutputMode, PResult, Parser};

use super::field::Valued;
use crate::error::{Fault, Radix};
use crate::wire::{fault, Note, Source, WireError};

/// The value that `parser` reads, as `test` returns it. If `test` returns a [`Fault`], that is the error, at the place
/// where the value begins.
///
/// ```
/// use enginewire::wire::{uint8, verify, Traceback};
/// use enginewire::Fault;
/// use nom::Parser;
///
/// let at_most_23 = |hour| if hour < 24 { Ok(hour) } else { Err(Fault::Other(format!("there is no hour {hour}"))) };
/// let mut hour = verify(uint8::<_, Traceback<&[u8]>>(), at_most_23);
/// assert_eq!(hour.parse_complete(&[7][..]).unwrap(), (&[][..], 7));
/// assert!(hour.parse_complete(&[24][..]).is_err());
/// ```
#[inline]
pub fn verify<P, F>(parser: P, test: F) -> Verify<P, F> {
    Verify { parser, test }
}

/// A value that is tested. Made by [`verify`].
#[derive(Clone, Copy, Debug)]
pub struct Verify<P, F> {
    parser: P,
    test: F,
}

impl<I, P, T, F> Parser<I> for Verify<P, F>
where
    I: Source,
    P: Parser<I>,
    P::Error: WireError<I>,
    F: Fn(P::Output) -> Result<T, Fault>,
{
    type Output = T;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, T, P::Error> {
        let (rest, value) = self.parser.process::<Valued<OM>>(input.clone())?;
        match (self.test)(value) {
            Ok(value) => Ok((rest, OM::Output::bind(|| value))),
            Err(reason) => Err(fault::<I, OM, P::Error>(input, reason)),
        }
    }
}

/// The value that `parser` reads. If `test` returns a [`Note`], it is noted at the place where the value begins.
#[inline]
pub fn noted<P, F>(parser: P, test: F) -> Noted<P, F> {
    Noted { parser, test }
}

/// A value that may get a note. Made by [`noted`].
#[derive(Clone, Copy, Debug)]
pub struct Noted<P, F> {
    parser: P,
    test: F,
}

impl<I, P, F> Parser<I> for Noted<P, F>
where
    I: Source,
    P: Parser<I>,
    P::Error: WireError<I>,
    F: Fn(&P::Output) -> Option<Note>,
{
    type Output = P::Output;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        let (rest, value) = self.parser.process::<Valued<OM>>(input.clone())?;
        if let Some(note) = (self.test)(&value) {
            input.note(note);
        }
        Ok((rest, OM::Output::bind(|| value)))
    }
}

/// The fault of a number without a meaning.
#[cold]
pub fn unknown(
    what: &'static str,
    radix: Radix,
    found: impl Into<u32>,
    known: impl IntoIterator<Item = impl Into<u32>>,
) -> Fault {
    Fault::Unknown { what, found: found.into(), radix, known: known.into_iter().map(Into::into).collect() }
}
