//! Bytes and strings.

use std::fmt::{self, Debug};
use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::encode::{length_error, put};
use super::field::{field, flat_map, Valued};
use super::number::{uint32, ByteOrder};
use super::verify::verify;
use crate::error::Fault;
use crate::number::{to_u64, to_usize};
use crate::wire::{truncated, truncated_with, ByteString, Source, WireError};

/// Reads the next `count` bytes.
///
/// If `count` is 2, the bytes `48 69` are read. Fewer bytes than `count` are refused.
#[inline]
pub fn take<I: Source, E: WireError<I>>(count: u64) -> impl Parser<I, Output = I::Bytes, Error = E> {
    Take(count, PhantomData)
}

#[derive(Debug)]
struct Take<E>(u64, PhantomData<fn() -> E>);

impl<I: Source, E: WireError<I>> Parser<I> for Take<E> {
    type Output = I::Bytes;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, I::Bytes, E> {
        match input.bytes(to_usize(self.0)) {
            Some((bytes, rest)) => Ok((rest, OM::Output::bind(|| bytes))),
            None => Err(truncated::<I, OM, E>(input, self.0)),
        }
    }
}

/// Reads the bytes that a format begins with, which are always the same. Others are [`Fault::Magic`].
///
/// If `b"Hi"` is expected, the bytes `48 69` are read.
#[inline]
pub fn magic<I: Source, E: WireError<I>>(expected: &'static [u8]) -> impl Parser<I, Output = I::Bytes, Error = E> {
    verify(take(to_u64(expected.len())), move |found: I::Bytes| match found.as_ref() == expected {
        true => Ok(found),
        false => Err(no_magic(found.as_ref(), expected)),
    })
}

#[cold]
fn no_magic(found: &[u8], expected: &[u8]) -> Fault {
    Fault::Magic { found: found.into(), expected: expected.into() }
}

/// The length or count, read by `length`, of items that take at least `smallest` bytes each. If the input cannot hold so
/// many, the error is at the length, and no item is read.
#[inline]
pub fn bounded_length<I, P>(smallest: u32, length: P) -> impl Parser<I, Output = P::Output, Error = P::Error>
where
    I: Source,
    P: Parser<I>,
    P::Output: Copy + Into<u64>,
    P::Error: WireError<I>,
{
    Fitting { smallest, length }
}

#[derive(Debug)]
struct Fitting<P> {
    smallest: u32,
    length: P,
}

impl<I, P> Parser<I> for Fitting<P>
where
    I: Source,
    P: Parser<I>,
    P::Output: Copy + Into<u64>,
    P::Error: WireError<I>,
{
    type Output = P::Output;
    type Error = P::Error;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        let (rest, length) = self.length.process::<Valued<OM>>(input.clone())?;
        let (needed, left) = (length.into().saturating_mul(self.smallest.into()), to_u64(rest.remaining()));
        // broken input is kept as far as it goes
        if needed > left && !input.is_recovered() {
            return Err(truncated_with::<I, OM, P::Error>(input, needed, left));
        }
        Ok((rest, OM::Output::bind(|| length)))
    }
}

/// Reads a string of bytes with its length before it.
///
/// | field | type |
/// |---|---|
/// | length | uint32 |
/// | content | `length` bytes |
///
/// In little-endian, the bytes `02 00 00 00 48 69` are `"Hi"`. Only too few bytes are refused. A part that a parser reads, or whose
/// length has another width, is read by [`length_delimited`](crate::wire::length_delimited()).
#[inline]
pub fn length_prefixed<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = I::Bytes, Error = E> {
    flat_map(field("length", uint32::<B, I, E>()), |length| field("content", take(u64::from(length)).map(Content)))
        .map(|Content(bytes)| bytes)
}

/// Bytes that are shown like a [`ByteString`], which is faster to write than a `BStr`.
struct Content<B>(B);

impl<B: AsRef<[u8]>> Debug for Content<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&ByteString::from(self.0.as_ref()), f)
    }
}

/// Writes a string of bytes, as [`length_prefixed`] reads it.
///
/// Fails with [`GenError::CustomError`](cookie_factory::GenError::CustomError) if the length does not fit 32 bits.
#[inline]
pub fn gen_length_prefixed<'v, B: ByteOrder + 'v, W: Write + 'v>(content: &'v [u8]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| put(gen_length::<B, W>(content.len())(out)?, content)
}

/// Writes a length or count as the 32 bits before strings and lists.
///
/// Fails with [`GenError::CustomError`](cookie_factory::GenError::CustomError) if it does not fit.
#[inline]
pub fn gen_length<B: ByteOrder, W: Write>(length: usize) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| match u32::try_from(length) {
        Ok(length) => put(out, &B::order(length.to_le_bytes())),
        Err(_) => Err(length_error()),
    }
}

/// Returns true if `text` is UTF-8. Most text is ASCII, which is faster to detect.
#[inline]
pub(crate) fn is_utf8(text: &[u8]) -> bool {
    is_ascii(text) || is_other_utf8(text)
}

/// A call of its own, because most text is ASCII.
#[cold]
fn is_other_utf8(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok()
}

/// Returns true if all of `text` is ASCII. Most text is short: for 4 to 16 bytes, two loads are enough.
#[inline]
fn is_ascii(text: &[u8]) -> bool {
    const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);
    match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) if text.len() <= 16 => {
            (u64::from_ne_bytes(*first) | u64::from_ne_bytes(*last)) & HIGH_BITS == 0
        }
        (Some(_), Some(_)) => text.is_ascii(),
        _ => match (text.first_chunk(), text.last_chunk()) {
            (Some(first), Some(last)) => {
                u64::from(u32::from_ne_bytes(*first) | u32::from_ne_bytes(*last)) & HIGH_BITS == 0
            }
            _ => text.iter().fold(0, |all, byte| all | byte) < 0x80,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::combinators::encode::{gen_bytes, generated};
    use crate::wire::{run, Be, Le};
    use bstr::BStr;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_length_comes_before_its_bytes() {
        both_ways(
            &hex("02 00 00 00 48 69"),
            BStr::new("Hi"),
            length_prefixed::<Le, _, _>,
            gen_length_prefixed::<Le, _>(b"Hi"),
        );
        assert_eq!(generated(gen_length_prefixed::<Be, _>(b"Hi")).unwrap(), b"\0\0\0\x02Hi");
    }

    #[test]
    fn bytes_of_a_known_number() {
        both_ways(&hex("48 69"), BStr::new("Hi"), || take(2), gen_bytes(b"Hi"));
        both_ways(&hex("48 69"), BStr::new("Hi"), || magic(b"Hi"), gen_bytes(b"Hi"));
        let error = run(&b"Ho"[..], magic(b"Hi")).unwrap_err();
        assert_eq!(error.fault(), &Fault::Magic { found: (*b"Ho").into(), expected: (*b"Hi").into() });
    }

    #[test]
    fn ascii_is_told_at_every_length_and_place() {
        for length in 0..40 {
            let mut text = vec![0x7f; length];
            assert!(is_ascii(&text), "{length}");
            assert_eq!(is_ascii(&vec![0x80; length]), length == 0, "{length}");
            for place in 0..length {
                text[place] = 0x80;
                assert!(!is_ascii(&text), "{place} of {length}");
                text[place] = 0;
            }
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_length_beyond_32_bits_is_not_written() {
        assert!(generated(gen_length::<Le, _>(0xffff_ffff)).is_ok());
        assert!(generated(gen_length::<Le, _>(0x1_0000_0000)).is_err());
    }
}
