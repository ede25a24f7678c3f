//! bool, int and float.

use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use crate::wire::{float64, gen_bytes, gen_uint32, int32, int64, noted, uint32, Le, Note, Source, Valued, WireError};

/// Reads a bool.
///
/// | field | type |
/// |---|---|
/// | bool | uint32: 0 is false, all others are true |
///
/// Other than 0 and 1 it is not canonical.
///
/// Specification: `docs/spec/godot-variant.md`, section bool.
#[inline]
pub fn bool<I: Source, E: WireError<I>>() -> impl Parser<I, Output = bool, Error = E> {
    let other = |number: &u32| (*number > 1).then_some(Note::NonCanonical("a bool that is neither 0 nor 1"));
    noted(uint32::<Le, I, E>(), other).map(|number| number != 0)
}

/// Writes a bool.
#[inline]
pub fn gen_bool<W: Write>(value: bool) -> impl SerializeFn<W> {
    gen_uint32::<Le, W>(value.into())
}

/// Reads an int, which is wide if its header says so.
///
/// | field | type |
/// |---|---|
/// | int | int32; int64 if it is wide |
///
/// A wide one that fits 32 bits is not canonical.
///
/// Specification: `docs/spec/godot-variant.md`, section int.
#[inline]
pub fn int<I: Source, E: WireError<I>>(wide: bool) -> impl Parser<I, Output = i64, Error = E> {
    Int { wide, error: PhantomData }
}

struct Int<E> {
    wide: bool,
    error: PhantomData<fn() -> E>,
}

impl<I: Source, E: WireError<I>> Parser<I> for Int<E> {
    type Output = i64;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, i64, E> {
        if !self.wide {
            return int32::<Le, I, E>().map(i64::from).process::<OM>(input);
        }
        let (rest, number) = int64::<Le, I, E>().process::<Valued<OM>>(input.clone())?;
        if !is_wide_int(number) {
            input.note(Note::NonCanonical("an int of 64 bits that fits 32"));
        }
        Ok((rest, OM::Output::bind(|| number)))
    }
}

/// Whether an int takes 64 bits.
#[inline]
pub(crate) fn is_wide_int(value: i64) -> bool {
    i32::try_from(value).is_err()
}

/// Writes an int, in 32 bits if it fits them.
#[inline]
pub fn gen_int<W: Write>(value: i64) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| match i32::try_from(value) {
        Ok(value) => gen_bytes(value.to_le_bytes())(out),
        Err(_) => gen_bytes(value.to_le_bytes())(out),
    }
}

/// Reads a float, which is wide if its header says so.
///
/// | field | type |
/// |---|---|
/// | float | float32; float64 if it is wide |
///
/// A wide one whose value 32 bits can say is not canonical, nor is a NaN of 32 bits.
///
/// Specification: `docs/spec/godot-variant.md`, section float.
#[inline]
pub fn float<I: Source, E: WireError<I>>(wide: bool) -> impl Parser<I, Output = f64, Error = E> {
    Float { wide, error: PhantomData }
}

struct Float<E> {
    wide: bool,
    error: PhantomData<fn() -> E>,
}

impl<I: Source, E: WireError<I>> Parser<I> for Float<E> {
    type Output = f64;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, f64, E> {
        if self.wide {
            let (rest, number) = float64::<Le, I, E>().process::<Valued<OM>>(input.clone())?;
            if narrow(number).is_some() {
                input.note(Note::NonCanonical("a float of 64 bits that 32 can say"));
            }
            return Ok((rest, OM::Output::bind(|| number)));
        }
        let (rest, bits) = uint32::<Le, I, E>().process::<Valued<OM>>(input.clone())?;
        let number = f32::from_bits(bits);
        if number.is_nan() {
            input.note(Note::NonCanonical("a NaN of 32 bits"));
            return Ok((rest, OM::Output::bind(|| widened(bits))));
        }
        Ok((rest, OM::Output::bind(|| number.into())))
    }
}

/// A NaN of 32 bits in 64, quiet. Bit by bit, because a conversion may do anything to a NaN.
#[cold]
fn widened(bits: u32) -> f64 {
    let bits = u64::from(bits);
    f64::from_bits((bits & 0x8000_0000) << 32 | 0x7ff8_0000_0000_0000 | (bits & 0x007f_ffff) << 29)
}

/// The float in 32 bits, if they can say it.
#[inline]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // compared afterwards
fn narrow(value: f64) -> Option<f32> {
    let narrow = value as f32;
    (f64::from(narrow) == value).then_some(narrow)
}

/// Whether a float takes 64 bits.
#[inline]
pub(crate) fn is_wide_float(value: f64) -> bool {
    narrow(value).is_none()
}

/// Writes a float, in 32 bits if they can say it.
#[inline]
pub fn gen_float<W: Write>(value: f64) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| match narrow(value) {
        Some(value) => gen_bytes(value.to_le_bytes())(out),
        None => gen_bytes(value.to_le_bytes())(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        both_ways(&hex("01000000"), true, bool, gen_bool(true));
        both_ways(&hex("feffffff"), -2, || int(false), gen_int(-2));
        both_ways(&hex("0000008000000000"), 0x8000_0000, || int(true), gen_int(0x8000_0000));
        both_ways(&hex("0000003f"), 0.5, || float(false), gen_float(0.5));
        both_ways(&hex("9a9999999999b93f"), 0.1, || float(true), gen_float(0.1));
        both_ways(&hex("000080ff"), f64::NEG_INFINITY, || float(false), gen_float(f64::NEG_INFINITY));
    }

    #[test]
    fn a_nan_becomes_quiet_and_wide() {
        let (_, value) = float::<_, ()>(false).parse_complete(&[1, 0, 0x80, 0x7f][..]).unwrap();
        assert_eq!(value.to_bits(), 0x7ff8_0000_2000_0000);
        assert!(is_wide_float(value) && is_wide_float(1e300) && !is_wide_float(-0.0));
    }
}
