//! Bool, Int, Float, Double.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use super::options::Options;
use crate::wire::{
    field_value, float32, float64, gen_float32, gen_float64, gen_int32, gen_uint8, int32, noted, uint8, Le, Note,
    Source, WireError,
};

/// Reads a Bool: a uint8. 0 is false and 1 is true; any other byte is also true, but not canonical.
///
/// The byte `01` is `true`. Only a missing byte is refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Bool.
#[inline]
pub fn bool<I: Source, E: WireError<I>>() -> impl Parser<I, Output = bool, Error = E> {
    let other = |byte: &u8| (*byte > 1).then_some(Note::NonCanonical("a bool that is neither 0 nor 1"));
    noted(uint8(), other).map(|byte| byte != 0)
}

/// Writes a Bool, as [`bool`](bool()) reads it: 0 or 1.
#[inline]
pub fn gen_bool<W: Write>(value: bool) -> impl SerializeFn<W> {
    gen_uint8(value.into())
}

/// Reads an Int: an int32.
///
/// In little-endian, the bytes `03 00 00 00` are `3`. Only too few bytes are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Int.
#[inline]
pub fn int<I: Source, E: WireError<I>>() -> impl Parser<I, Output = i32, Error = E> {
    int32::<Le, I, E>()
}

/// Writes an Int, as [`int`] reads it.
#[inline]
pub fn gen_int<W: Write>(value: i32) -> impl SerializeFn<W> {
    gen_int32::<Le, W>(value)
}

/// Reads a Float: a float32.
///
/// In little-endian, the bytes `00 00 00 3f` are `0.5`. Only too few bytes are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Float.
#[inline]
pub fn float<I: Source, E: WireError<I>>() -> impl Parser<I, Output = f32, Error = E> {
    float32::<Le, I, E>()
}

/// Writes a Float, as [`float`] reads it.
#[inline]
pub fn gen_float<W: Write>(value: f32) -> impl SerializeFn<W> {
    gen_float32::<Le, W>(value)
}

/// Reads a Double: a float64.
///
/// In little-endian, the bytes `00 00 00 00 00 00 f0 bf` are `-1.0`. Only too few bytes are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Double.
#[inline]
pub fn double<I: Source, E: WireError<I>>() -> impl Parser<I, Output = f64, Error = E> {
    float64::<Le, I, E>()
}

/// Writes a Double, as [`double`] reads it.
#[inline]
pub fn gen_double<W: Write>(value: f64) -> impl SerializeFn<W> {
    gen_float64::<Le, W>(value)
}

field_value!(Options: bool = |nesting, value| bool(), gen_bool(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        both_ways(&hex("01"), true, bool, gen_bool(true));
        both_ways(&hex("00"), false, bool, gen_bool(false));
        both_ways(&hex("03 00 00 00"), 3, int, gen_int(3));
        both_ways(&hex("00 00 00 3f"), 0.5, float, gen_float(0.5));
        both_ways(&hex("00 00 00 00 00 00 f0 bf"), -1.0, double, gen_double(-1.0));
    }

    #[test]
    fn every_other_bool_is_true() {
        let bytes: Vec<u8> = (2..=u8::MAX).collect();
        for byte in bytes.chunks(1) {
            assert_eq!(bool::<_, ()>().parse_complete(byte), Ok((&[][..], true)));
        }
    }
}
