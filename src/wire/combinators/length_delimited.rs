//! Parts with their length before them.

use nom::{Complete, OutputM, OutputMode, PResult, Parser};

use super::field::Valued;
use crate::error::Fault;
use crate::number::to_usize;
use crate::wire::error::in_complete_part;
use crate::wire::{fault, truncated, Source, WireError, TRAILING};

/// A length, read by `length`, and then that number of bytes, which `parser` must read to the end. Bytes that it leaves are
/// [`Fault::Trailing`]; nom's `length_value` and `and_then` drop them silently. Bytes that it lacks are [`Fault::TooShort`].
///
/// `length` reads an unsigned number of any width. It may be a parser of nom, such as `le_u16`. Where all bytes of the part are
/// there, `parser` never asks for more, also in nom's `parse`.
///
/// ```
/// use enginewire::wire::{length_delimited, run, uint8, Traceback};
/// use nom::Parser;
///
/// let mut boxed = length_delimited(uint8::<_, Traceback<&[u8]>>(), uint8());
/// assert_eq!(boxed.parse_complete(&[1, 7, 9][..]).unwrap(), (&[9][..], 7));
/// assert_eq!(run(&[2, 7, 9][..], boxed).unwrap_err().to_string(), "unexpected bytes after the end of the value, at byte 0x2");
/// ```
#[inline]
pub fn length_delimited<L, P>(length: L, parser: P) -> LengthDelimited<L, P> {
    LengthDelimited { length, parser }
}

/// A parser of bytes with their length before them. Made by [`length_delimited`].
#[derive(Clone, Copy, Debug)]
pub struct LengthDelimited<L, P> {
    length: L,
    parser: P,
}

impl<I, L, P> Parser<I> for LengthDelimited<L, P>
where
    I: Source,
    L: Parser<I, Error = P::Error>,
    L::Output: Into<u64>,
    P: Parser<I>,
    P::Error: WireError<I>,
{
    type Output = P::Output;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        let (rest, length) = self.length.process::<Valued<OM>>(input)?;
        process::<OM, I, P>(&mut self.parser, length.into(), false, rest)
    }
}

/// The next `length` bytes. `parser` must read them to the end, unless `trailing` allows it to leave some.
///
/// `parser` runs only if all of them are there.
#[inline]
pub fn exactly<P>(length: u32, trailing: bool, parser: P) -> Exactly<P> {
    Exactly { length, trailing, parser }
}

/// A parser of a fixed number of bytes. Made by [`exactly`].
#[derive(Clone, Copy, Debug)]
pub struct Exactly<P> {
    length: u32,
    trailing: bool,
    parser: P,
}

impl<I, P> Parser<I> for Exactly<P>
where
    I: Source,
    P: Parser<I>,
    P::Error: WireError<I>,
{
    type Output = P::Output;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        process::<OM, I, P>(&mut self.parser, self.length.into(), self.trailing, input)
    }
}

/// The mode for the bytes of the part, which are complete.
type InPart<OM> = OutputM<<OM as OutputMode>::Output, <OM as OutputMode>::Error, Complete>;

/// Runs `parser` over the next `length` bytes.
#[cfg_attr(fast, inline(always))]
fn process<OM, I, P>(parser: &mut P, length: u64, trailing: bool, input: I) -> PResult<OM, I, P::Output, P::Error>
where
    OM: OutputMode,
    I: Source,
    P: Parser<I>,
    P::Error: WireError<I>,
{
    let (size, left) = (to_usize(length), input.remaining());
    // broken input may end anywhere
    let Some((part, rest)) = input.part(if input.is_recovered() { size.min(left) } else { size }) else {
        return Err(truncated::<I, OM, P::Error>(input, length));
    };
    let (behind, value) = match parser.process::<InPart<OM>>(part.completed()) {
        Ok(done) => done,
        // only where recovering does a part have fewer bytes than its length
        Err(error) if size > left => return Err(error),
        Err(error) => return Err(in_complete_part::<I, OM, P::Error>(error)),
    };
    if behind.is_exhausted() {
        return Ok((rest.exhaust(), value));
    }
    if size > left {
        return Err(truncated::<I, OM, P::Error>(input, length));
    }
    if behind.remaining() > 0 {
        if !trailing {
            return Err(fault::<I, OM, P::Error>(behind, Fault::Trailing));
        }
        behind.note(TRAILING);
    }
    Ok((rest, value))
}
