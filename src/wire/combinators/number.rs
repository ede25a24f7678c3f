//! Numbers of fixed width, in either byte order.
//!
//! | leaf | bytes | parser | generator |
//! |---|---|---|---|
//! | unsigned | 1 2 4 8 | [`uint8`] [`uint16`] [`uint32`] [`uint64`] | [`gen_uint8`] … |
//! | signed, two's complement | 1 2 4 8 | [`int8`] [`int16`] [`int32`] [`int64`] | [`gen_int8`] … |
//! | IEEE 754 | 4 8 | [`float32`] [`float64`] | [`gen_float32`] … |
//!
//! The byte order is the first type parameter, [`Le`] or [`Be`]; leaves of one byte have none. Float bits are kept as
//! they are, signalling NaNs too.

use std::fmt::Debug;
use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::encode::{gen_bytes, put};
use crate::number::to_u64;
use crate::wire::{truncated, Source, WireError};

/// The order of the bytes of a number: [`Le`] or [`Be`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a byte order",
    note = "use `enginewire::wire::Le` or `enginewire::wire::Be`"
)]
pub trait ByteOrder: Copy + Debug {
    /// Puts the bytes of a number, least significant first, into this order; the same call puts them back.
    fn order<const N: usize>(bytes: [u8; N]) -> [u8; N];
}

/// Least significant byte first.
#[derive(Clone, Copy, Debug)]
pub enum Le {}

/// Most significant byte first.
#[derive(Clone, Copy, Debug)]
pub enum Be {}

impl ByteOrder for Le {
    #[inline]
    fn order<const N: usize>(bytes: [u8; N]) -> [u8; N] {
        bytes
    }
}

impl ByteOrder for Be {
    #[inline]
    fn order<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
        bytes.reverse();
        bytes
    }
}

/// Reads the next `N` bytes as an array.
///
/// If `N` is 2, the bytes `01 02` are `[1, 2]`. Only too few bytes are refused.
#[inline]
pub fn fixed<const N: usize, I: Source, E: WireError<I>>() -> impl Parser<I, Output = [u8; N], Error = E> {
    Fixed(PhantomData)
}

#[derive(Debug)]
struct Fixed<const N: usize, E>(PhantomData<fn() -> E>);

impl<const N: usize, I: Source, E: WireError<I>> Parser<I> for Fixed<N, E> {
    type Output = [u8; N];
    type Error = E;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, [u8; N], E> {
        match input.chunk::<N>() {
            Some((bytes, rest)) => Ok((rest, OM::Output::bind(|| bytes))),
            None => Err(truncated::<I, OM, E>(input, to_u64(N))),
        }
    }
}

macro_rules! numbers {
    ($($(#[$example:meta])* $name:ident $generator:ident $type:ty, $bytes:literal, $text:literal;)*) => {$(
        #[doc = concat!("Reads ", $text, " of ", $bytes, " bytes.")]
        ///
        $(#[$example])*
        /// Only too few bytes are refused.
        #[inline]
        pub fn $name<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = $type, Error = E> {
            fixed::<$bytes, I, E>().map(|bytes| <$type>::from_le_bytes(B::order(bytes)))
        }

        #[doc = concat!("Writes ", $text, " of ", $bytes, " bytes, as [`", stringify!($name), "`] reads it.")]
        #[inline]
        pub fn $generator<B: ByteOrder, W: Write>(value: $type) -> impl SerializeFn<W> {
            gen_bytes(B::order(value.to_le_bytes()))
        }
    )*};
}

numbers! {
    /// In little-endian, the bytes `01 02` are `0x0201`.
    uint16  gen_uint16  u16, 2, "an unsigned integer";
    /// In little-endian, the bytes `01 02 03 04` are `0x0403_0201`.
    uint32  gen_uint32  u32, 4, "an unsigned integer";
    /// In little-endian, the bytes `01 02 03 04 05 06 07 08` are `0x0807_0605_0403_0201`.
    uint64  gen_uint64  u64, 8, "an unsigned integer";
    /// In little-endian, the bytes `fe ff` are `-2`.
    int16   gen_int16   i16, 2, "a signed integer";
    /// In little-endian, the bytes `fe ff ff ff` are `-2`.
    int32   gen_int32   i32, 4, "a signed integer";
    /// In little-endian, the bytes `fe ff ff ff ff ff ff ff` are `-2`.
    int64   gen_int64   i64, 8, "a signed integer";
    /// In little-endian, the bytes `00 00 c0 bf` are `-1.5`.
    float32 gen_float32 f32, 4, "a floating-point number";
    /// In little-endian, the bytes `00 00 00 00 00 00 f8 bf` are `-1.5`.
    float64 gen_float64 f64, 8, "a floating-point number";
}

/// Writes floating-point numbers of 4 bytes in order, as one piece.
#[inline]
pub fn gen_float32s<B: ByteOrder, const N: usize, W: Write>(values: [f32; N]) -> impl SerializeFn<W> {
    let bytes = values.map(|value| B::order(value.to_le_bytes()));
    move |out: WriteContext<W>| put(out, bytes.as_flattened())
}

/// Reads an unsigned integer of one byte.
///
/// The byte `fe` is `254`. Only a missing byte is refused.
#[inline]
pub fn uint8<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u8, Error = E> {
    fixed::<1, I, E>().map(u8::from_le_bytes)
}

/// Writes an unsigned integer of one byte, as [`uint8`] reads it.
#[inline]
pub fn gen_uint8<W: Write>(value: u8) -> impl SerializeFn<W> {
    gen_bytes([value])
}

/// Reads a signed integer of one byte.
///
/// The byte `fe` is `-2`. Only a missing byte is refused.
#[inline]
pub fn int8<I: Source, E: WireError<I>>() -> impl Parser<I, Output = i8, Error = E> {
    fixed::<1, I, E>().map(i8::from_le_bytes)
}

/// Writes a signed integer of one byte, as [`int8`] reads it.
#[inline]
pub fn gen_int8<W: Write>(value: i8) -> impl SerializeFn<W> {
    gen_bytes(value.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::combinators::encode::generated;
    use pretty_assertions::assert_eq;

    /// Parser and generator of a number agree with the bytes, in both orders.
    macro_rules! both_orders {
        ($($name:ident $generator:ident $value:expr, $little:expr;)*) => {$(
            let little = &hex($little)[..];
            let big: Vec<u8> = little.iter().rev().copied().collect();
            assert_eq!($name::<Le, _, ()>().parse_complete(little), Ok((&[][..], $value)));
            assert_eq!($name::<Be, _, ()>().parse_complete(&big[..]), Ok((&[][..], $value)));
            assert_eq!(generated($generator::<Le, _>($value)).unwrap(), little);
            assert_eq!(generated($generator::<Be, _>($value)).unwrap(), big);
        )*};
    }

    #[test]
    fn every_width_in_both_orders() {
        both_orders! {
            uint16 gen_uint16 0x0201, "01 02";
            uint32 gen_uint32 0x0403_0201, "01 02 03 04";
            uint64 gen_uint64 0x0807_0605_0403_0201, "01 02 03 04 05 06 07 08";
            int16 gen_int16 -2, "fe ff";
            int32 gen_int32 -2, "fe ff ff ff";
            int64 gen_int64 -2, "fe ff ff ff ff ff ff ff";
            float32 gen_float32 -1.5, "00 00 c0 bf";
            float64 gen_float64 -1.5, "00 00 00 00 00 00 f8 bf";
        }
        both_ways(&hex("fe"), 254, uint8, gen_uint8(254));
        both_ways(&hex("fe"), -2, int8, gen_int8(-2));
        both_ways(&hex("01 02"), [1, 2], fixed, gen_bytes([1, 2]));
    }

    #[test]
    fn signalling_nans_keep_their_bits() {
        let input: &[u8] = &[0x01, 0x23, 0xa0, 0x7f];
        let (_, value) = float32::<Le, _, ()>().parse_complete(input).unwrap();
        assert_eq!(value.to_bits(), 0x7fa0_2301);
        assert_eq!(generated(gen_float32::<Le, _>(value)).unwrap(), input);
    }
}
