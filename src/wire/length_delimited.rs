//! Parts whose length is known beforehand.

use nom::{Complete, Err, OutputM, OutputMode, PResult, Parser};

use super::error::{fault, truncated, WireError};
use super::run::TRAILING;
use super::source::{to_usize, Source};
use crate::error::Fault;

/// The next `length` bytes, of which `parser` must read all, unless `trailing` allows others behind it.
///
/// They must all be there before `parser` sees one of them.
#[inline]
pub fn length_delimited<P>(length: u32, trailing: bool, parser: P) -> LengthDelimited<P> {
    LengthDelimited { length, trailing, parser }
}

/// A parser of a part whose length is known. Made by [`length_delimited`].
#[derive(Clone, Copy, Debug)]
pub struct LengthDelimited<P> {
    length: u32,
    trailing: bool,
    parser: P,
}

impl<I, P> Parser<I> for LengthDelimited<P>
where
    I: Source,
    P: Parser<I>,
    P::Error: WireError<I>,
{
    type Output = P::Output;
    type Error = P::Error;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        let (length, left) = (to_usize(self.length), input.remaining());
        // what is salvaged may end anywhere
        let Some((part, rest)) = input.part(if I::RECOVERED { length.min(left) } else { length }) else {
            return Err(truncated::<I, OM, P::Error>(input, self.length.into()));
        };
        let (behind, value) = match self.parser.process::<OutputM<OM::Output, OM::Error, Complete>>(part) {
            Ok(done) => done,
            Err(Err::Error(error)) => return Err(Err::Error(error)),
            Err(Err::Failure(error)) => return Err(Err::Failure(error)),
            Err(Err::Incomplete(needed)) => return Err(Err::Incomplete(needed)),
        };
        if behind.is_exhausted() {
            return Ok((rest.exhaust(), value));
        }
        if length > left {
            return Err(truncated::<I, OM, P::Error>(input, self.length.into()));
        }
        if behind.remaining() > 0 {
            if !self.trailing {
                return Err(fault::<I, OM, P::Error>(behind, Fault::Trailing));
            }
            behind.note(TRAILING);
        }
        Ok((rest, value))
    }
}
