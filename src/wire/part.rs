//! Parts whose length is known beforehand.

use nom::{Complete, Err, OutputM, OutputMode, PResult, Parser};

use super::error::{fault, short, WireError};
use super::run::TRAILING;
use super::source::{to_usize, Source};
use crate::error::Fault;

/// The next `length` bytes, of which `parser` must read all, unless `trailing` allows others behind it.
///
/// They must all be there before `parser` sees one of them.
#[inline]
pub fn part<P>(length: u32, trailing: bool, parser: P) -> InPart<P> {
    InPart { length, trailing, parser }
}

/// A parser within a part. Made by [`part`].
#[derive(Clone, Copy, Debug)]
pub struct InPart<P> {
    length: u32,
    trailing: bool,
    parser: P,
}

impl<I, P> Parser<I> for InPart<P>
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
        let Some((part, rest)) = input.part(if I::SALVAGED { length.min(left) } else { length }) else {
            return Err(short::<I, OM, P::Error>(input, self.length.into()));
        };
        let (behind, value) = match self.parser.process::<OutputM<OM::Output, OM::Error, Complete>>(part) {
            Ok(done) => done,
            Err(Err::Error(error)) => return Err(Err::Error(error)),
            Err(Err::Failure(error)) => return Err(Err::Failure(error)),
            Err(Err::Incomplete(needed)) => return Err(Err::Incomplete(needed)),
        };
        if behind.is_over() {
            return Ok((rest.over(), value));
        }
        if length > left {
            return Err(short::<I, OM, P::Error>(input, self.length.into()));
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
