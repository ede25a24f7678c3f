//! Strings: with padding, and in packed arrays also with a NUL.

use std::io::Write;
use std::marker::PhantomData;

use bstr::{BStr, ByteSlice};
use cookie_factory::{GenResult, SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use crate::error::{EncodeFault, Fault};
use crate::godot::options::Options;
use crate::number::{to_u64, to_usize};
use crate::wire::{
    encode_fault, fault, field, flat_map, gen_bytes, int32, is_utf8, length_error, may_go_on, truncated, verify,
    ByteString, Failed, Le, Note, Source, WireError,
};

/// Reads a length or count of 32 bits. One below 0 is [`Fault::Negative`].
#[inline]
pub(crate) fn length<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u32, Error = E> {
    verify(int32::<Le, I, E>(), |number: i32| {
        u32::try_from(number).map_err(|_| Fault::Negative { found: number.into() })
    })
}

/// Writes a length or count. Fails if it does not fit 31 bits.
#[inline]
pub(crate) fn gen_length<W: Write>(length: usize) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| match i32::try_from(length) {
        Ok(length) => gen_bytes(length.to_le_bytes())(out),
        Err(_) => Err(length_error()),
    }
}

/// The number of padding bytes after `length` bytes.
#[inline]
pub(super) const fn padding(length: u64) -> u64 {
    length.wrapping_neg() & 3
}

/// Writes bytes, and zeros up to a multiple of four.
#[inline]
pub(in crate::godot) fn write_padded<W: Write>(out: WriteContext<W>, bytes: &[u8]) -> GenResult<W> {
    let out = gen_bytes(bytes)(out)?;
    write_padding(out, bytes.len())
}

#[inline]
fn write_padding<W: Write>(out: WriteContext<W>, length: usize) -> GenResult<W> {
    match padding(to_u64(length)) {
        0 => Ok(out),
        1 => gen_bytes([0])(out),
        2 => gen_bytes([0; 2])(out),
        _ => gen_bytes([0; 3])(out),
    }
}

/// `length` bytes and their padding, if all of it is there. Padding that is not 0 is noted.
#[inline]
pub(super) fn padded<'a, I: Source<Bytes = &'a BStr>>(input: &I, length: u64) -> Option<(&'a BStr, I)> {
    let (padded, rest) = input.bytes(to_usize(length.saturating_add(padding(length))))?;
    let (bytes, padding) = padded.split_at_checked(to_usize(length))?;
    if padding.iter().any(|byte| *byte != 0) {
        note_padding(input, bytes.len());
    }
    Some((BStr::new(bytes), rest))
}

/// Notes the padding after `length` bytes, which is not 0.
#[cold]
#[inline(never)]
fn note_padding<I: Source>(input: &I, length: usize) {
    if let Some((_, padding)) = input.bytes(length) {
        padding.note(Note::NonCanonical("padding that is not 0"));
    }
}

/// Reads a string.
///
/// | field | type |
/// |---|---|
/// | length | int32, of the text alone |
/// | text | `length` bytes, then 0 to 3 more up to a multiple of four |
///
/// Text that is not UTF-8 is [`Fault::Text`] at its first invalid byte, unless [`Options::any_text`] allows it. A BOM or NUL
/// is part of the text, although engines drop a BOM and stop at a NUL. At the end of the input the padding may be missing, if
/// [`Options::unpadded_bytes`] allows it.
///
/// In little-endian, the bytes `05 00 00 00 68 65 6c 6c 6f 00 00 00` are `"hello"`. A length below 0 is refused.
///
/// Specification: `docs/spec/godot-variant.md`, section String.
#[inline]
pub fn string<'a, I, E>(options: Options) -> impl Parser<I, Output = ByteString<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("length", length()), move |length| {
        field("text", Text { length, options, terminated: false, error: PhantomData })
    })
    .map(ByteString::from)
}

/// Reads a string of a packed array. It ends with a NUL, which its length includes.
///
/// | field | type |
/// |---|---|
/// | length | int32, of the text and a NUL |
/// | text | `length` bytes, then 0 to 3 more up to a multiple of four |
///
/// A string without the NUL is read too, but is not canonical.
///
/// In little-endian, the bytes `05 00 00 00 74 65 73 74 00 00 00 00` are `"test"`. What [`string`] refuses is refused.
///
/// Specification: `docs/spec/godot-variant.md`, section Terminated string.
#[inline]
pub fn terminated_string<'a, I, E>(options: Options) -> impl Parser<I, Output = ByteString<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("length", length()), move |length| {
        field("text", Text { length, options, terminated: true, error: PhantomData })
    })
    .map(ByteString::from)
}

/// Text and its padding. If any of it is missing, the error counts all of it.
struct Text<E> {
    length: u32,
    options: Options,
    /// True if a NUL at the end terminates the text and is not part of it.
    terminated: bool,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Text<E> {
    type Output = &'a BStr;
    type Error = E;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, &'a BStr, E> {
        let length = u64::from(self.length);
        let (bytes, rest) = match padded(&input, length) {
            Some(found) => found,
            None => unpadded::<OM, I, E>(input.clone(), length, self.options, "a string without its padding")?,
        };
        let text = self.text::<OM, I>(&input, bytes)?;
        Ok((rest, OM::Output::bind(|| text)))
    }
}

impl<E> Text<E> {
    /// The text of these bytes at the start of `input`.
    #[cfg_attr(fast, inline(always))]
    fn text<'a, OM: OutputMode, I>(&self, input: &I, bytes: &'a BStr) -> Result<&'a BStr, Failed<OM, E>>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        if !is_text(self.options, bytes) {
            return Err(no_text::<OM, I, E>(input.clone(), bytes));
        }
        match bytes.strip_suffix(b"\0").filter(|_| self.terminated) {
            Some(text) => Ok(BStr::new(text)),
            None => {
                if self.terminated {
                    input.note(Note::NonCanonical("a string of an array without its NUL"));
                }
                Ok(bytes)
            }
        }
    }
}

/// Bytes that lack some of their padding, followed by the end of the input, if the options allow that.
#[cold]
#[inline(never)]
pub(super) fn unpadded<'a, OM: OutputMode, I, E>(
    input: I,
    length: u64,
    options: Options,
    note: &'static str,
) -> Result<(&'a BStr, I), Failed<OM, E>>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    // of a stream, the padding may still come
    let is_allowed = options.unpadded_bytes && !may_go_on::<OM, I>(&input);
    match input.bytes(to_usize(length)).filter(|_| is_allowed) {
        Some((bytes, rest)) => {
            rest.note(Note::NonCanonical(note));
            let end = rest.bytes(rest.remaining()).map_or_else(|| rest.clone(), |(_, end)| end);
            Ok((bytes, end))
        }
        None => Err(truncated::<I, OM, E>(input, length.saturating_add(padding(length)))),
    }
}

/// The error of `text` at the start of `input`, which is not UTF-8.
#[cold]
#[inline(never)]
pub(in crate::godot) fn no_text<OM: OutputMode, I: Source, E: WireError<I>>(
    input: I,
    text: &BStr,
) -> nom::Err<E, <OM::Error as Mode>::Output<E>> {
    let good = text.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    let at = input.bytes(good).map_or_else(|| input.clone(), |(_, rest)| rest);
    let [found] = at.chunk::<1>().map(|(found, _)| found).unwrap_or_default();
    fault::<I, OM, E>(at, Fault::Text { found })
}

/// Writes a string, as [`string`] reads it. Text that is too long for its length field is refused, and text that is not UTF-8,
/// unless the options allow it.
#[inline]
pub fn gen_string<'v, W: Write + 'v>(options: Options, value: &'v BStr) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        if !is_text(options, value) {
            return Err(encode_fault(EncodeFault::Text));
        }
        write_padded(gen_length(value.len())(out)?, value)
    }
}

/// True if the options accept these bytes as text.
#[inline]
pub(in crate::godot) fn is_text(options: Options, value: &BStr) -> bool {
    options.any_text || is_utf8(value)
}

/// Writes a string of a packed array, as [`terminated_string`] reads it. What [`gen_string`] refuses is refused.
#[inline]
pub fn gen_terminated_string<'v, W: Write + 'v>(options: Options, value: &'v BStr) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        if !is_text(options, value) {
            return Err(encode_fault(EncodeFault::Text));
        }
        let length = value.len().saturating_add(1);
        let out = gen_bytes(value.as_bytes())(gen_length(length)(out)?)?;
        write_padding(gen_bytes([0])(out)?, length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::version::Version;
    use crate::godot::{v4, Variant};
    use crate::test::{both_ways, hex};
    use crate::wire::combinators::encode::generated;
    use crate::wire::IntoByteString;
    use crate::wire::Traceback;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        for (bytes, text) in [("00000000", ""), ("05000000 68656c6c 6f000000", "hello")] {
            let generator = gen_string(Options::new(Version::V4), BStr::new(text));
            both_ways(&hex(bytes), text.into_byte_string(), || string(Options::new(Version::V4)), generator);
        }
        for (bytes, text) in [("05000000 74657374 00000000", "test"), ("01000000 00000000", "")] {
            let generator = gen_terminated_string(Options::new(Version::V4), BStr::new(text));
            both_ways(&hex(bytes), text.into_byte_string(), || terminated_string(Options::new(Version::V4)), generator);
        }
    }

    #[test]
    fn the_first_byte_that_is_not_text() {
        let bytes = hex("04000000 61ff6263");
        let Err(nom::Err::Error(error)) =
            string::<_, Traceback<_>>(Options::new(Version::V4)).parse_complete(&bytes[..])
        else {
            panic!("it is text")
        };
        let error = error.into_error(&bytes[..]);
        assert_eq!(error.to_string(), "text is not UTF-8: unexpected byte 0xff, at byte 0x5 in text");
        let (_, text) = string::<_, ()>(Options::new(Version::V4).any_text(true)).parse_complete(&bytes[..]).unwrap();
        assert_eq!(*text, *b"a\xffbc");
    }

    #[test]
    fn padding_fills_four_bytes() {
        assert_eq!([0, 1, 2, 3, 4, 5, 0xffff_ffff].map(padding), [0, 3, 2, 1, 0, 3, 1]);
        for (length, size) in [(0, 8), (1, 12), (2, 12), (3, 12), (4, 12), (5, 16)] {
            let text = "x".repeat(length);
            let bytes = v4::encode(&text.as_str().into()).unwrap();
            assert_eq!((bytes.len(), &bytes[8 + length..]), (size, &vec![0; size - 8 - length][..]), "{length}");
            assert_eq!(v4::decode(&bytes), Ok(text.into()));
        }
    }

    /// Any byte of the padding that is not 0 is reported, and no byte after the padding is.
    #[test]
    fn padding_that_is_not_0() {
        for (bytes, is_canonical) in [
            ("04000000 01000000 61000000", true),
            ("04000000 01000000 61010000", false),
            ("04000000 01000000 61000001", false),
            ("04000000 04000000 61626364", true),
            ("1d000000 01000000 61000000", true),
            ("1d000000 01000000 61000100", false),
        ] {
            assert_eq!(v4::check(&hex(bytes)).unwrap().is_canonical(), is_canonical, "{bytes}");
        }
    }

    /// A string and its padding are missed as one.
    #[test]
    fn strings_that_are_cut_off() {
        let message = |bytes: &str| v4::decode(&hex(bytes)).unwrap_err().to_string();
        let needed = "input ends too early: 8 bytes needed";
        assert_eq!(message("04000000 05000000 6162"), format!("{needed}, 2 left, at byte 0x8 in string.text"));
        assert_eq!(
            message("04000000 05000000 61626364 650000"),
            format!("{needed}, 7 left, at byte 0x8 in string.text")
        );
        assert_eq!(message("04000000 ffffffff"), "negative length -1, at byte 0x4 in string.length");
        assert_eq!(message("04000000 00000080"), "negative length -2147483648, at byte 0x4 in string.length");
        assert!(message("04000000 ffffff7f").contains("2147483648 bytes needed"));
    }

    #[test]
    fn strings_of_arrays_end_with_a_nul() {
        let array = |text: &str| hex(&format!("22000000 01000000 {text}"));
        for (text, expected, is_canonical) in [
            ("02000000 61000000", "a", true),
            ("01000000 61000000", "a", false),
            ("03000000 61000000", "a\0", true),
            ("01000000 00000000", "", true),
            ("00000000", "", false),
        ] {
            let bytes = array(text);
            let strings = vec![expected.into_byte_string()];
            assert_eq!(v4::decode(&bytes), Ok(Variant::PackedStringArray(strings)), "{text}");
            assert_eq!(v4::check(&bytes).unwrap().is_canonical(), is_canonical, "{text}");
        }
        // only there does a NUL at the end count as none of the text
        assert_eq!(v4::decode(&hex("04000000 02000000 61000000")), Ok("a\0".into()));
    }

    #[test]
    fn only_text_is_written() {
        for text in ["", "abc", "\u{e9}\u{10ffff}"] {
            assert!(is_text(Options::new(Version::V4), BStr::new(text)));
        }
        let surrogate = BStr::new(b"a\xed\xa0\x80");
        let strict = Options::new(Version::V3);
        let lenient = strict.any_text(true);
        for (options, is_written) in [(strict, false), (lenient, true)] {
            assert_eq!(generated(gen_string(options, surrogate)).is_ok(), is_written);
            assert_eq!(generated(gen_terminated_string(options, surrogate)).is_ok(), is_written);
        }
        let error = generated(gen_terminated_string(strict, surrogate)).unwrap_err();
        assert_eq!(error.to_string(), "text is not UTF-8");
        assert!(generated(gen_length(0x7fff_ffff)).is_ok() && generated(gen_length(0x8000_0000)).is_err());
    }
}
