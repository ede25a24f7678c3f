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
/// A bool other than 0 and 1 is not canonical.
///
/// In little-endian, the bytes `01 00 00 00` are `true`. Only too few bytes are refused.
///
/// Specification: `docs/spec/godot-variant.md`, section bool.
#[inline]
pub fn bool<I: Source, E: WireError<I>>() -> impl Parser<I, Output = bool, Error = E> {
    let other = |number: &u32| (*number > 1).then_some(Note::NonCanonical("a bool that is neither 0 nor 1"));
    noted(uint32::<Le, I, E>(), other).map(|number| number != 0)
}

/// Writes a bool, as [`bool`](bool()) reads it.
#[inline]
pub fn gen_bool<W: Write>(value: bool) -> impl SerializeFn<W> {
    gen_uint32::<Le, W>(value.into())
}

/// Reads an int, of 64 bits if it is wide, which its header says.
///
/// | field | type |
/// |---|---|
/// | int | int32, or int64 if it is wide |
///
/// An int of 64 bits that fits 32 is not canonical.
///
/// In little-endian, the bytes `fe ff ff ff` are `-2`, and if it is wide, `00 00 00 80 00 00 00 00` are `0x8000_0000`. Only too
/// few bytes are refused.
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

/// True if an int needs 64 bits.
#[inline]
pub(crate) fn is_wide_int(value: i64) -> bool {
    i32::try_from(value).is_err()
}

/// Writes an int, as [`int`] reads it: in 32 bits if it fits.
#[inline]
pub fn gen_int<W: Write>(value: i64) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| match i32::try_from(value) {
        Ok(value) => gen_bytes(value.to_le_bytes())(out),
        Err(_) => gen_bytes(value.to_le_bytes())(out),
    }
}

/// Reads a float, of 64 bits if it is wide, which its header says.
///
/// | field | type |
/// |---|---|
/// | float | float32, or float64 if it is wide |
///
/// A float of 64 bits that is exact in 32 is not canonical, nor is a NaN of 32 bits.
///
/// In little-endian, the bytes `00 00 00 3f` are `0.5`, and if it is wide, `9a 99 99 99 99 99 b9 3f` are `0.1`. Only too few
/// bytes are refused.
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

/// A NaN of 32 bits as a quiet NaN of 64 bits. Made bit by bit, because a conversion may change any bit of a NaN.
#[cold]
fn widened(bits: u32) -> f64 {
    let bits = u64::from(bits);
    f64::from_bits((bits & 0x8000_0000) << 32 | 0x7ff8_0000_0000_0000 | (bits & 0x007f_ffff) << 29)
}

/// The float in 32 bits, if it is exact there.
#[inline]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // compared afterwards
fn narrow(value: f64) -> Option<f32> {
    let narrow = value as f32;
    (f64::from(narrow) == value).then_some(narrow)
}

/// True if a float needs 64 bits.
#[inline]
pub(crate) fn is_wide_float(value: f64) -> bool {
    narrow(value).is_none()
}

/// Writes a float, as [`float`] reads it: in 32 bits if it is exact there.
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
    use crate::godot::{v3, v4};
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

    /// True if both versions write the value with these bytes.
    fn is_canonical(bytes: &str) -> bool {
        let bytes = hex(bytes);
        let checks = [v3::check(&bytes), v4::check(&bytes)].map(|report| report.unwrap().is_canonical());
        assert_eq!(checks[0], checks[1]);
        let written = v4::encode(&v4::decode(&bytes).unwrap()).unwrap();
        assert_eq!(written == bytes, checks[0], "{written:x?}");
        checks[0]
    }

    #[test]
    fn a_bool_is_0_or_1() {
        assert!(is_canonical("01000000 00000000") && is_canonical("01000000 01000000"));
        assert!(!is_canonical("01000000 02000000") && !is_canonical("01000000 00000080"));
        assert_eq!(v4::decode(&hex("01000000 00000080")), Ok(true.into()));
    }

    /// An int has 64 bits only where it needs them.
    #[test]
    fn the_width_of_an_int() {
        for number in [i64::from(i32::MIN), -1, 0, i64::from(i32::MAX)] {
            let narrow = v4::encode(&number.into()).unwrap();
            assert_eq!((narrow.len(), v4::decode(&narrow)), (8, Ok(number.into())));
            let wide = [&hex("02000100")[..], &number.to_le_bytes()].concat();
            assert_eq!(v4::decode(&wide), Ok(number.into()));
            assert!(!v4::check(&wide).unwrap().is_canonical(), "{number}");
        }
        for number in [i64::MIN, i64::from(i32::MIN) - 1, i64::from(i32::MAX) + 1, i64::MAX] {
            let wide = v4::encode(&number.into()).unwrap();
            assert_eq!(wide, [&hex("02000100")[..], &number.to_le_bytes()].concat());
            assert_eq!(v4::decode(&wide), Ok(number.into()));
            assert!(v4::check(&wide).unwrap().is_canonical(), "{number}");
        }
    }

    /// A float has 64 bits only where 32 bits are another number.
    #[test]
    fn the_width_of_a_float() {
        for number in [0.0, -0.0, 0.5, f64::from(f32::MAX), f64::from(f32::from_bits(1)), f64::INFINITY] {
            let narrow = v4::encode(&number.into()).unwrap();
            let decoded = v4::decode(&narrow).unwrap().as_float().unwrap();
            assert_eq!((narrow.len(), decoded.to_bits()), (8, number.to_bits()));
            let wide = [&hex("03000100")[..], &number.to_le_bytes()].concat();
            assert!(!v4::check(&wide).unwrap().is_canonical(), "{number}");
        }
        for number in [0.1, 1e300, f64::MIN_POSITIVE, f64::from(f32::MAX) * 2.0, f64::NAN] {
            let wide = v4::encode(&number.into()).unwrap();
            assert_eq!(wide, [&hex("03000100")[..], &number.to_le_bytes()].concat());
            assert!(v4::check(&wide).unwrap().is_canonical(), "{number}");
        }
    }

    /// A NaN of 32 bits keeps its sign and payload, and becomes quiet.
    #[test]
    fn every_part_of_a_nan() {
        for (narrow, wide) in [
            (0x7fc0_0000_u32, 0x7ff8_0000_0000_0000),
            (0xffc0_0000, 0xfff8_0000_0000_0000),
            (0x7f80_0001, 0x7ff8_0000_2000_0000),
            (0xffff_ffff, 0xffff_ffff_e000_0000),
            (0x7fa0_0000, 0x7ffc_0000_0000_0000),
        ] {
            let bytes = [&hex("03000000")[..], &narrow.to_le_bytes()].concat();
            let value = v4::decode(&bytes).unwrap().as_float().unwrap();
            assert_eq!(value.to_bits(), wide, "{narrow:#x}");
            assert!(!v4::check(&bytes).unwrap().is_canonical());
        }
    }
}
