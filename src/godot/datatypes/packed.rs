//! Packed arrays: bytes, numbers and structures of numbers, strings.

use std::io::Write;
use std::marker::PhantomData;

use bstr::{BStr, ByteSlice};
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::string::{gen_length, gen_terminated_string, length, padded, terminated_string, unpadded, write_padded};
use crate::godot::options::Options;
use crate::number::{to_u64, to_usize};
use crate::wire::{
    field, flat_map, gen_bytes, gen_field, gen_repeat, repeat, truncated, ByteArray, ByteString, List, Packed, Source,
    Valued, WireError,
};

/// Reads an array of numbers, vectors or colours. The list borrows their bytes.
///
/// | field | type |
/// |---|---|
/// | count | int32 |
/// | elements | `count` × `T` |
///
/// If the last element is cut off, the error is at the first, and counts the bytes of all.
///
/// In little-endian, the bytes `01 00 00 00 00 00 00 3f 00 00 80 bf` are one `Vector2 { x: 0.5, y: -1.0 }`. A count below 0 is
/// refused.
///
/// Specification: `docs/spec/godot-variant.md`, section Packed arrays.
#[inline]
pub fn packed_array<'a, T, I, E>() -> impl Parser<I, Output = List<'a, T>, Error = E>
where
    T: Packed,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("count", length()), |count| field("elements", elements(count)))
}

/// Reads `count` elements.
#[inline]
pub(in crate::godot) fn elements<'a, T, I, E>(count: u32) -> impl Parser<I, Output = List<'a, T>, Error = E>
where
    T: Packed,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    Elements { count, elements: PhantomData }
}

struct Elements<T, E> {
    count: u32,
    elements: PhantomData<fn() -> (T, E)>,
}

impl<'a, T: Packed, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Elements<T, E> {
    type Output = List<'a, T>;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, List<'a, T>, E> {
        let size = u64::from(self.count).saturating_mul(to_u64(T::SIZE));
        let Some((bytes, rest)) = input.bytes(to_usize(size)) else {
            return Err(truncated::<I, OM, E>(input, size));
        };
        if input.is_traced() {
            repeat(self.count, T::SIZE, T::parser::<I, E>()).process::<Valued<OM>>(input)?;
        }
        Ok((rest, OM::Output::bind(|| List::of_bytes(bytes.as_bytes()))))
    }
}

/// Writes an array of numbers, vectors or colours, as [`packed_array`] reads it. Too many elements are refused.
#[inline]
pub fn gen_packed_array<'v, T: Packed, W: Write + 'v>(list: &'v List<'_, T>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| gen_bytes(list.as_bytes())(gen_length(list.len())(out)?)
}

/// Reads an array of bytes.
///
/// | field | type |
/// |---|---|
/// | count | int32 |
/// | bytes | `count` bytes, then 0 to 3 more up to a multiple of four |
///
/// In little-endian, the bytes `03 00 00 00 01 02 03 00` are the three bytes 1, 2 and 3. A count below 0 is refused. Missing
/// padding is refused too, unless [`Options::unpadded_bytes`] allows it at the end of the input.
///
/// Specification: `docs/spec/godot-variant.md`, section Packed byte array.
#[inline]
pub fn packed_byte_array<'a, I, E>(options: Options) -> impl Parser<I, Output = ByteArray<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("count", length()), move |count| field("bytes", Bytes { count, options, error: PhantomData }))
        .map(|bytes: &'a BStr| ByteArray::from(bytes.as_bytes()))
}

struct Bytes<E> {
    count: u32,
    options: Options,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Bytes<E> {
    type Output = &'a BStr;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, &'a BStr, E> {
        let count = u64::from(self.count);
        let (bytes, rest) = match padded(&input, count) {
            Some(found) => found,
            None => unpadded::<OM, I, E>(input, count, self.options, "a byte array without its padding")?,
        };
        Ok((rest, OM::Output::bind(|| bytes)))
    }
}

/// Writes an array of bytes, as [`packed_byte_array`] reads it. Too many bytes are refused.
#[inline]
pub fn gen_packed_byte_array<'v, W: Write + 'v>(bytes: &'v [u8]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| write_padded(gen_length(bytes.len())(out)?, bytes)
}

/// Reads an array of strings.
///
/// | field | type |
/// |---|---|
/// | count | int32 |
/// | elements | `count` × [`terminated_string`] |
///
/// In little-endian, the bytes `02 00 00 00 05 00 00 00 74 65 73 74 00 00 00 00 01 00 00 00 00 00 00 00` are `["test", ""]`. A
/// count below 0 is refused, and a string that [`terminated_string`] refuses.
///
/// Specification: `docs/spec/godot-variant.md`, section Packed string array.
#[inline]
pub fn packed_string_array<'a, I, E>(options: Options) -> impl Parser<I, Output = Vec<ByteString<'a>>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("count", length()), move |count| field("elements", repeat(count, 4, terminated_string(options))))
}

/// Writes an array of strings, as [`packed_string_array`] reads it. Too many strings are refused, and a string that
/// [`gen_terminated_string`] refuses.
#[inline]
pub fn gen_packed_string_array<'v, W: Write + 'v>(
    options: Options,
    strings: &'v [ByteString<'_>],
) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_length(strings.len())(out)?;
        gen_field(
            "elements",
            gen_repeat(strings, move |string| gen_terminated_string(options, BStr::new(string.as_ref()))),
        )(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::datatypes::vector2::Vector2;
    use crate::godot::version::Version;
    use crate::godot::{check_with, decode_with, v4, Variant};
    use crate::test::{both_ways, hex};
    use crate::wire::IntoByteString;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        let value: List<'_, Vector2<f32>> = [Vector2 { x: 0.5, y: -1.0 }].into_iter().collect();
        let bytes = hex("01000000 0000003f 000080bf");
        both_ways(&bytes, value.clone(), packed_array, gen_packed_array(&value));
        let parser = || packed_byte_array(Options::new(Version::V4));
        both_ways(
            &hex("03000000 01020300"),
            ByteArray::from(&[1, 2, 3][..]),
            parser,
            gen_packed_byte_array(&[1, 2, 3]),
        );
        let value = vec!["test".into_byte_string(), "".into_byte_string()];
        let parser = || packed_string_array(Options::new(Version::V4));
        let bytes = hex("02000000 05000000 74657374 00000000 01000000 00000000");
        both_ways(&bytes, value.clone(), parser, gen_packed_string_array(Options::new(Version::V4), &value));
    }

    /// Elements are missed as one, whatever their count claims.
    #[test]
    fn counts_beyond_the_input() {
        let message = |bytes: &str| v4::decode(&hex(bytes)).unwrap_err().to_string();
        let of_numbers = "at byte 0x8 in packed_int32_array.elements";
        let needed = "input ends too early: 8 bytes needed, 7 left";
        assert_eq!(message("1e000000 02000000 01000000 020000"), format!("{needed}, {of_numbers}"));
        assert!(message("1e000000 ffffff7f").contains("8589934588 bytes needed"));
        assert_eq!(message("1e000000 ffffffff"), "negative length -1, at byte 0x4 in packed_int32_array.count");
        let message_of_bytes = message("1d000000 05000000 0102030405 0000");
        assert_eq!(message_of_bytes, format!("{needed}, at byte 0x8 in packed_byte_array.bytes"));
        assert!(message("1d000000 05000000 01020304").contains("8 bytes needed, 4 left"));
        assert_eq!(
            message("22000000 02000000 01000000 00000000 ffffffff"),
            "negative length -1, at byte 0x10 in packed_string_array.elements[1].length"
        );
    }

    /// Bytes and strings may lack their padding only if the options allow it, and only at the end of the input.
    #[test]
    fn values_without_padding() {
        let strict = Options::new(Version::V4);
        let lenient = strict.unpadded_bytes(true);
        for (id, expected) in
            [("1d", Variant::PackedByteArray(vec![1, 2, 3, 4, 5].into())), ("04", "\u{1}\u{2}\u{3}\u{4}\u{5}".into())]
        {
            for (padding, is_canonical) in [("", false), ("00", false), ("0000", false), ("000000", true)] {
                let bytes = hex(&format!("{id}000000 05000000 0102030405 {padding}"));
                assert_eq!(decode_with(&bytes, &strict).is_ok(), is_canonical, "{padding}");
                assert_eq!(decode_with(&bytes, &lenient), Ok(expected.clone()), "{padding}");
                assert_eq!(check_with(&bytes, &lenient, |_, _| {}).unwrap().is_canonical(), is_canonical, "{padding}");
            }
            let cut = decode_with(&hex(&format!("{id}000000 05000000 01020304")), &lenient).unwrap_err();
            assert!(cut.is_truncated());
            let inside = hex(&format!("1c000000 02000000 {id}000000 01000000 01 00000000"));
            assert!(decode_with(&inside, &lenient).is_err());
        }
    }

    /// A list of numbers is read in one piece, and shown as its elements.
    #[test]
    fn every_element_is_shown() {
        let tree = v4::inspect(&hex("23000000 02000000 0000003f 000080bf 00000000 0000803f"));
        assert_eq!(tree.error(), None);
        let paths: Vec<_> = tree.nodes().map(|node| tree.path(&node).to_string()).collect();
        assert!(paths.iter().any(|path| path == "packed_vector2_array.elements[1].y"), "{paths:?}");
    }

    #[test]
    fn strings_that_cannot_be_written_are_named() {
        let strings = vec!["a".into_byte_string(), b"\xff".to_vec().into_byte_string()];
        let error = v4::encode(&Variant::PackedStringArray(strings)).unwrap_err();
        assert_eq!(error.to_string(), "text is not UTF-8 in packed_string_array.elements[1]");
    }
}
