//! Integers of variable length: LEB128, with zigzag for signed integers.
//!
//! Each byte has seven bits of the number, the least significant first. Its highest bit is set if another byte follows. Only the
//! shortest form of a number is valid: more bytes are [`Fault::Overlong`], and more bits than the type has are
//! [`Fault::TooManyBits`].
//!
//! Zigzag stores the sign in the lowest bit: 0, −1, 1, −2 are written as 0, 1, 2, 3.
//!
//! | leaf | bits | parser | generator |
//! |---|---|---|---|
//! | unsigned | 32 64 | [`varint32`] [`varint64`] | [`gen_varint32`] [`gen_varint64`] |
//! | signed, zigzag | 32 64 | [`zigzag32`] [`zigzag64`] | [`gen_zigzag32`] [`gen_zigzag64`] |

use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::bytes::bounded_length;
use super::encode::{length_error, put};
use crate::error::Fault;
use crate::number::to_u64;
use crate::wire::{fault, truncated, truncated_with, Source, WireError};

/// Bits of a number in each byte.
const GROUP: u32 = 7;

/// The bit that is set if more bytes follow.
const MORE: u8 = 0x80;

/// An unsigned integer of at most `BITS` bits.
#[derive(Debug)]
struct Varint<const BITS: u32, E>(PhantomData<fn() -> E>);

impl<const BITS: u32, I: Source, E: WireError<I>> Parser<I> for Varint<BITS, E> {
    type Output = u64;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, u64, E> {
        match input.chunk::<1>() {
            Some(([byte], rest)) if byte < MORE => Ok((rest, OM::Output::bind(|| byte.into()))),
            Some(_) => long::<BITS, OM, I, E>(input),
            None => Err(truncated::<I, OM, E>(input, 1)),
        }
    }
}

/// A number of several bytes.
#[inline(never)]
fn long<const BITS: u32, OM: OutputMode, I: Source, E: WireError<I>>(input: I) -> PResult<OM, I, u64, E> {
    let (mut value, mut shift, mut rest) = (0, 0u32, input.clone());
    loop {
        let Some(([byte], behind)) = rest.chunk::<1>() else {
            let left = to_u64(input.remaining());
            return Err(truncated_with::<I, OM, E>(input, left.saturating_add(1), left));
        };
        let group = u64::from(byte & !MORE);
        let (room, following) = (BITS.saturating_sub(shift), shift.saturating_add(GROUP));
        let is_last = byte < MORE;
        if group.checked_shr(room).is_some_and(|beyond| beyond > 0) || (!is_last && following >= BITS) {
            return Err(fault::<I, OM, E>(input, Fault::TooManyBits { bits: BITS }));
        }
        if byte == 0 {
            return Err(fault::<I, OM, E>(input, Fault::Overlong));
        }
        value |= group.wrapping_shl(shift);
        if is_last {
            return Ok((behind, OM::Output::bind(|| value)));
        }
        (shift, rest) = (following, behind);
    }
}

/// Reads an unsigned integer of at most 32 bits, in 1 to 5 bytes.
///
/// The bytes `ac 02` are `300`. A longer form than needed is refused, and a number of more than 32 bits.
///
/// ```
/// use enginewire::wire::varint32;
/// use nom::Parser;
///
/// assert_eq!(varint32::<_, ()>().parse_complete(&b"\xac\x02"[..]), Ok((&b""[..], 300)));
/// assert!(varint32::<_, ()>().parse_complete(&b"\x80\x00"[..]).is_err());
/// ```
#[inline]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // it has no more bits
pub fn varint32<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u32, Error = E> {
    Varint::<32, E>(PhantomData).map(|value| value as u32)
}

/// Reads an unsigned integer of at most 64 bits, in 1 to 10 bytes.
///
/// The bytes `ac 02` are `300`. A longer form than needed is refused, and a number of more than 64 bits.
#[inline]
pub fn varint64<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u64, Error = E> {
    Varint::<64, E>(PhantomData)
}

/// Reads a signed integer of 32 bits.
///
/// The bytes `ff 01` are `-128`. What [`varint32`] refuses is refused.
#[inline]
#[allow(clippy::as_conversions)] // the same bits
pub fn zigzag32<I: Source, E: WireError<I>>() -> impl Parser<I, Output = i32, Error = E> {
    varint32().map(|value| (value >> 1) as i32 ^ ((value & 1) as i32).wrapping_neg())
}

/// Reads a signed integer of 64 bits.
///
/// The bytes `ff 01` are `-128`. What [`varint64`] refuses is refused.
#[inline]
#[allow(clippy::as_conversions)] // the same bits
pub fn zigzag64<I: Source, E: WireError<I>>() -> impl Parser<I, Output = i64, Error = E> {
    varint64().map(|value| (value >> 1) as i64 ^ ((value & 1) as i64).wrapping_neg())
}

/// Writes an unsigned integer in its shortest form, as [`varint64`] reads it.
#[inline]
pub fn gen_varint64<W: Write>(value: u64) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| match u8::try_from(value) {
        Ok(byte) if byte < MORE => put(out, &[byte]),
        _ => put_long(out, value),
    }
}

/// A number of several bytes. Most take one, which is written where this is called.
#[inline(never)]
fn put_long<W: Write>(out: WriteContext<W>, mut value: u64) -> cookie_factory::GenResult<W> {
    let mut bytes = [0u8; 10];
    let mut count = 0usize;
    for slot in &mut bytes {
        let [group, ..] = value.to_le_bytes();
        value >>= GROUP;
        *slot = if value > 0 { group | MORE } else { group & !MORE };
        count = count.saturating_add(1);
        if value == 0 {
            break;
        }
    }
    put(out, bytes.get(..count).unwrap_or_default())
}

/// Writes an unsigned integer in its shortest form, as [`varint32`] reads it.
#[inline]
pub fn gen_varint32<W: Write>(value: u32) -> impl SerializeFn<W> {
    gen_varint64(value.into())
}

/// Writes a signed integer, as [`zigzag32`] reads it.
#[inline]
#[allow(clippy::as_conversions)] // the same bits
pub fn gen_zigzag32<W: Write>(value: i32) -> impl SerializeFn<W> {
    gen_varint32((value.wrapping_shl(1) ^ (value >> 31)) as u32)
}

/// Writes a signed integer, as [`zigzag64`] reads it.
#[inline]
#[allow(clippy::as_conversions)] // the same bits
pub fn gen_zigzag64<W: Write>(value: i64) -> impl SerializeFn<W> {
    gen_varint64((value.wrapping_shl(1) ^ (value >> 63)) as u64)
}

/// Writes a length or count, as [`varlength`] reads it.
///
/// Fails with [`EncodeFault::TooLong`](crate::EncodeFault::TooLong) if it does not fit 32 bits.
#[inline]
pub fn gen_varlength<W: Write>(length: usize) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| match u32::try_from(length) {
        Ok(length) => gen_varint32(length)(out),
        Err(_) => Err(length_error()),
    }
}

/// Reads a count of items that take at least `smallest` bytes each: a [`varint32`] with [`bounded_length`].
///
/// If `smallest` is 1, the first of the bytes `03 00 00 00` is the count `3`. A count that [`varint32`] refuses is refused, and
/// one of more items than the rest of the input can hold.
#[inline]
pub fn varlength<I: Source, E: WireError<I>>(smallest: u32) -> impl Parser<I, Output = u32, Error = E> {
    bounded_length(smallest, varint32())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::combinators::encode::generated;
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        for (bytes, value) in [
            ("00", 0),
            ("01", 1),
            ("7f", 127),
            ("80 01", 128),
            ("ac 02", 300),
            ("ff 7f", 16383),
            ("80 80 01", 16384),
            ("ff ff ff ff 0f", u32::MAX),
        ] {
            both_ways(&hex(bytes), value, varint32, gen_varint32(value));
            both_ways(&hex(bytes), value.into(), varint64, gen_varint64(value.into()));
        }
        both_ways(&hex("ff ff ff ff ff ff ff ff ff 01"), u64::MAX, varint64, gen_varint64(u64::MAX));
        both_ways(&hex("80 80 80 80 80 80 80 80 80 01"), 1 << 63, varint64, gen_varint64(1 << 63));
    }

    #[test]
    fn zigzag() {
        for (bytes, value) in [("00", 0), ("01", -1), ("02", 1), ("03", -2), ("05", -3), ("80 01", 64), ("ff 01", -128)]
        {
            both_ways(&hex(bytes), value, zigzag32, gen_zigzag32(value));
            both_ways(&hex(bytes), value.into(), zigzag64, gen_zigzag64(value.into()));
        }
        both_ways(&hex("fe ff ff ff 0f"), i32::MAX, zigzag32, gen_zigzag32(i32::MAX));
        both_ways(&hex("ff ff ff ff 0f"), i32::MIN, zigzag32, gen_zigzag32(i32::MIN));
        both_ways(&hex("fe ff ff ff ff ff ff ff ff 01"), i64::MAX, zigzag64, gen_zigzag64(i64::MAX));
        both_ways(&hex("ff ff ff ff ff ff ff ff ff 01"), i64::MIN, zigzag64, gen_zigzag64(i64::MIN));
    }

    #[test]
    fn there_is_one_way_to_write_a_number() {
        let error = |bytes: &str| run(&hex(bytes)[..], varint32()).unwrap_err().fault().clone();
        for bytes in ["80 00", "81 00", "ff 80 00", "ff ff ff ff 00"] {
            assert_eq!(error(bytes), Fault::Overlong, "{bytes}");
        }
        for bytes in ["ff ff ff ff 10", "ff ff ff ff 1f", "ff ff ff ff 8f", "80 80 80 80 80 00"] {
            assert_eq!(error(bytes), Fault::TooManyBits { bits: 32 }, "{bytes}");
        }
        let error = |bytes: &str| run(&hex(bytes)[..], varint64()).unwrap_err().fault().clone();
        assert_eq!(error("ff ff ff ff ff ff ff ff ff 02"), Fault::TooManyBits { bits: 64 });
        assert_eq!(error("ff ff ff ff ff ff ff ff ff 81"), Fault::TooManyBits { bits: 64 });
        assert_eq!(error("ff ff ff ff ff ff ff ff ff 00"), Fault::Overlong);
    }

    #[test]
    fn every_number_of_two_bytes_comes_back() {
        for value in 0..=u32::from(u16::MAX) {
            let bytes = generated(gen_varint32(value)).unwrap();
            assert_eq!(varint32::<_, ()>().parse_complete(&bytes[..]), Ok((&[][..], value)));
        }
    }

    #[test]
    fn a_length_is_at_fault_where_the_input_cannot_hold_it() {
        let error = run(&[3, 0, 0][..], varlength(1)).unwrap_err();
        assert_eq!((error.offset(), error.fault()), (0.into(), &Fault::Truncated { needed: 3, left: 2 }));
        assert_eq!(run(&hex("03 00 00 00")[..], varlength(1)).unwrap().1, 3);
        assert!(run(&[3, 0, 0, 0, 0, 0][..], varlength(2)).is_err_and(|error| error.is_truncated()));
        assert!(matches!(
            varlength::<_, ()>(2).parse(&[3, 0, 0][..]),
            Err(nom::Err::Incomplete(nom::Needed::Size(size))) if size.get() == 4
        ));
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_length_beyond_32_bits_is_not_written() {
        assert_eq!(generated(gen_varlength(0xffff_ffff)).unwrap(), hex("ff ff ff ff 0f"));
        assert!(generated(gen_varlength(0x1_0000_0000)).is_err());
    }
}
