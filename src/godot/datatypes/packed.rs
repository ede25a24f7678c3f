//! Packed arrays: bytes, numbers and structures of numbers, strings.

use std::borrow::Cow;
use std::io::Write;
use std::marker::PhantomData;

use bstr::{BStr, ByteSlice};
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::string::{
    gen_length, gen_terminated_string, length, padding, skip_padding, terminated_string, write_padded,
};
use crate::godot::options::Options;
use crate::wire::{
    field, flat_map, gen_bytes, gen_field, gen_repeat, repeat, to_u64, to_usize, truncated, ByteString, IntoOwned,
    List, Note, Packed, Source, Valued, WireError,
};

/// Reads an array of numbers, vectors or colours. They are borrowed as the bytes they are.
///
/// | field | type |
/// |---|---|
/// | count | int32 |
/// | elements | `count` × `T` |
///
/// They are missed as one: where the last is cut off, the error is at the first.
///
/// Specification: `docs/spec/godot-variant.md`, section Packed arrays.
#[inline]
pub fn packed_array<'a, T, I, E>() -> impl Parser<I, Output = List<'a, T>, Error = E>
where
    T: Packed,
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("count", length()), |count| field("elements", Elements { count, elements: PhantomData }))
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
        if I::TRACED {
            repeat(self.count, T::SIZE, T::parser::<I, E>()).process::<Valued<OM>>(input)?;
        }
        Ok((rest, OM::Output::bind(|| List::of_bytes(bytes.as_bytes()))))
    }
}

/// Writes what [`packed_array`] reads. Fails if there are too many elements.
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
/// Specification: `docs/spec/godot-variant.md`, section Packed byte array.
#[inline]
pub fn packed_byte_array<'a, I, E>(options: Options) -> impl Parser<I, Output = Cow<'a, [u8]>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("count", length()), move |count| field("bytes", Bytes { count, options, error: PhantomData }))
        .map(|bytes: &'a BStr| Cow::Borrowed(bytes.as_bytes()))
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
        let size = count.saturating_add(padding(count));
        let Some((bytes, rest)) = input.bytes(to_usize(count)) else {
            return Err(truncated::<I, OM, E>(input, size));
        };
        if to_usize(size) > input.remaining() {
            if !self.options.unpadded_bytes {
                return Err(truncated::<I, OM, E>(input, size));
            }
            rest.note(Note::NonCanonical("a byte array without its padding"));
            let rest = rest.bytes(rest.remaining()).map_or_else(|| rest.clone(), |(_, end)| end);
            return Ok((rest, OM::Output::bind(|| bytes)));
        }
        Ok((skip_padding(rest, count), OM::Output::bind(|| bytes)))
    }
}

impl IntoOwned for Cow<'_, [u8]> {
    type Owned = Cow<'static, [u8]>;

    fn into_owned(self) -> Cow<'static, [u8]> {
        Cow::Owned(Cow::into_owned(self))
    }
}

/// Writes an array of bytes. Fails if there are too many.
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
/// Specification: `docs/spec/godot-variant.md`, section Packed string array.
#[inline]
pub fn packed_string_array<'a, I, E>(options: Options) -> impl Parser<I, Output = Vec<ByteString<'a>>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("count", length()), move |count| field("elements", repeat(count, 4, terminated_string(options))))
}

/// Writes an array of strings. Fails if there are too many or they are too long.
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
    use crate::test::{both_ways, hex};
    use crate::wire::IntoByteString;

    #[test]
    fn worked_examples() {
        let value: List<'_, Vector2<f32>> = [Vector2 { x: 0.5, y: -1.0 }].into_iter().collect();
        let bytes = hex("01000000 0000003f 000080bf");
        both_ways(&bytes, value.clone(), packed_array, gen_packed_array(&value));
        let parser = || packed_byte_array(Options::new(Version::V4));
        both_ways(&hex("03000000 01020300"), Cow::Borrowed(&[1, 2, 3][..]), parser, gen_packed_byte_array(&[1, 2, 3]));
        let value = vec!["test".into_byte_string(), "".into_byte_string()];
        let parser = || packed_string_array(Options::new(Version::V4));
        let bytes = hex("02000000 05000000 74657374 00000000 01000000 00000000");
        both_ways(&bytes, value.clone(), parser, gen_packed_string_array(Options::new(Version::V4), &value));
    }
}
