//! Values with their lengths before them: files of `store_var`, and streams of `put_var`.

use std::io::Write;

use bstr::BStr;
use nom::Parser;

use crate::error::{EncodeError, EncodeFault, Path, Segment, WriteError};
use crate::godot::options::Options;
use crate::godot::variant::{variant, Variant};
use crate::limits::Limited;
use crate::number::to_u64;
use crate::wire::{self, exactly, field, fixed, flat_map, item, moved, ItemStream, Next, Puts, Source, WireError};

/// The byte order of a length. The value after it is little-endian in either case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Framing {
    /// Least significant byte first.
    #[default]
    LittleEndian,
    /// Most significant byte first: with `endian_swap` or `big_endian`.
    BigEndian,
}

impl Framing {
    /// The bytes of the length, as written before a value.
    #[must_use]
    pub const fn length_bytes(self, length: u32) -> [u8; 4] {
        match self {
            Framing::LittleEndian => length.to_le_bytes(),
            Framing::BigEndian => length.to_be_bytes(),
        }
    }

    /// The length that these bytes are.
    #[must_use]
    pub const fn length(self, bytes: [u8; 4]) -> u32 {
        match self {
            Framing::LittleEndian => u32::from_le_bytes(bytes),
            Framing::BigEndian => u32::from_be_bytes(bytes),
        }
    }
}

/// Reads a value with its length before it.
///
/// | field | type |
/// |---|---|
/// | length | uint32, in either order |
/// | value | [`Variant`], `length` bytes |
///
/// ```
/// use enginewire::godot::{frame, Framing, Options, Variant, Version};
/// use enginewire::wire::Traceback;
/// use nom::Parser;
///
/// let mut parser = frame::<_, Traceback<&[u8]>>(Framing::LittleEndian, Options::new(Version::V4));
/// let bytes = b"\x08\0\0\0\x02\0\0\0\x2a\0\0\0rest";
/// assert_eq!(parser.parse_complete(&bytes[..]).unwrap(), (&b"rest"[..], Variant::Int(42)));
/// ```
///
/// Bytes after the value within its length are an error, unless [`Options::trailing_bytes`] allows them. Engines ignore
/// them.
///
/// With [`Framing::BigEndian`], the bytes `00 00 00 08 02 00 00 00 2a 00 00 00` are `Variant::Int(42)`. A value that is longer
/// than its length is refused, and one that [`variant`] refuses.
///
/// Specification: `docs/spec/godot-variant.md`, section Frame.
#[inline]
pub fn frame<'a, I, E>(framing: Framing, options: Options) -> impl Parser<I, Output = Variant<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    let length = fixed::<4, I, E>().map(move |bytes| framing.length(bytes));
    flat_map(field("length", length), move |length| {
        field("value", exactly(length, options.allows_trailing_bytes(), variant(options)))
    })
}

/// Appends a value with its length before it.
///
/// ```
/// use enginewire::godot::{encode_frame, Framing, Options, Variant, Version};
///
/// let mut bytes = Vec::new();
/// encode_frame(&Variant::Int(42), Framing::LittleEndian, &Options::new(Version::V4), &mut bytes)?;
/// assert_eq!(bytes, b"\x08\0\0\0\x02\0\0\0\x2a\0\0\0");
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// As for [`encode_with`](super::encode_with), or if the value is too long for its length. Nothing is appended then.
#[inline]
pub fn encode_frame(
    value: &Variant<'_>,
    framing: Framing,
    options: &Options,
    bytes: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let encoded = super::encode_with(value, options)?;
    let too_long = |_| EncodeError::new(Path::default(), EncodeFault::TooLong);
    let length = u32::try_from(encoded.len()).map_err(too_long)?;
    bytes.extend_from_slice(&framing.length_bytes(length));
    bytes.extend_from_slice(&encoded);
    Ok(())
}

/// Decodes values with their lengths before them, pushed in pieces of any size.
///
/// See [`wire::Decoder`] for the methods; [`item_limit`](wire::Decoder::item_limit) limits the size of a frame, with the four
/// bytes of its length. A value borrows from the decoder until the next one; `into_owned` keeps it.
///
/// ```
/// use enginewire::godot::{FrameDecoder, Framing, Options, Variant, Version};
///
/// let mut decoder = FrameDecoder::framed(Framing::LittleEndian, Options::new(Version::V4)).item_limit(1 << 16);
/// decoder.push(b"\x04\0\0\0\0\0\0\0\x08\0\0\0\x02\0\0");
/// assert_eq!(decoder.next().unwrap()?, Variant::Null);
/// assert!(decoder.next().is_none());
/// decoder.push(b"\0\x2a\0\0\0");
/// assert_eq!(decoder.next().unwrap()?, Variant::Int(42));
/// decoder.finish()?;
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
pub type FrameDecoder = wire::Decoder<Frames>;

impl FrameDecoder {
    /// At the start of a stream.
    #[must_use]
    pub fn framed(framing: Framing, options: Options) -> Self {
        Self::with_options((framing, options))
    }
}

/// Values with their lengths before them as a stream, which may end after any of them.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    pub(super) framing: Framing,
    pub(super) options: Options,
    index: usize,
}

impl ItemStream for Frames {
    type Item<'a> = Variant<'a>;
    type Options = (Framing, Options);

    fn new((framing, options): (Framing, Options)) -> Self {
        Frames { framing, options, index: 0 }
    }

    fn next(&self) -> Next {
        Next::Item
    }

    fn path(&self) -> Path {
        [Segment::Index(self.index)].into_iter().collect()
    }

    fn may_end(&self) -> bool {
        true
    }

    fn may_lack_end(&self) -> bool {
        self.options.unpadded_bytes
    }

    fn item<'a, I, E>(self) -> impl Puts<I, Output = Variant<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        moved(item(self.index, frame(self.framing, self.options)))
    }

    fn advance(&mut self) {
        self.index = self.index.saturating_add(1);
    }

    fn count(&self) -> Option<u64> {
        Some(to_u64(self.index))
    }
}

/// Writes a value with its length before it, in one piece.
///
/// ```
/// use enginewire::godot::{write_frame, Framing, Options, Variant, Version};
///
/// let mut socket = Vec::new(); // a TcpStream, a file, …
/// write_frame(&Variant::Int(42), Framing::LittleEndian, &Options::new(Version::V4), &mut socket)?;
/// assert_eq!(socket, b"\x08\0\0\0\x02\0\0\0\x2a\0\0\0");
/// # Ok::<(), enginewire::WriteError>(())
/// ```
///
/// # Errors
///
/// As for [`encode_frame`], and then nothing is written; or if writing fails.
#[inline]
pub fn write_frame(
    value: &Variant<'_>,
    framing: Framing,
    options: &Options,
    mut writer: impl Write,
) -> Result<(), WriteError> {
    let mut bytes = Vec::new();
    encode_frame(value, framing, options, &mut bytes)?;
    Ok(writer.write_all(&bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::version::Version;
    use crate::test::hex;
    use pretty_assertions::assert_eq;

    fn read(bytes: &[u8], framing: Framing, options: Options, size: usize) -> (Vec<Variant<'static>>, Option<String>) {
        let mut decoder = FrameDecoder::framed(framing, options);
        let mut values = Vec::new();
        for piece in bytes.chunks(size) {
            decoder.push(piece);
            while let Some(Ok(value)) = decoder.next() {
                values.push(value.into_owned());
            }
        }
        (values, decoder.finish().err().map(|error| error.to_string()))
    }

    #[test]
    fn frames_in_any_pieces() {
        let bytes = hex("08000000 02000000 2a000000 10000000 1c000000 01000000 02000000 05000000 04000000 00000000");
        let expected = vec![Variant::Int(42), vec![Variant::Int(5)].into(), Variant::Null];
        for size in 1..bytes.len() {
            assert_eq!(read(&bytes, Framing::LittleEndian, Options::new(Version::V4), size), (expected.clone(), None));
        }
        let bytes = hex("00000008 02000000 2a000000");
        assert_eq!(read(&bytes, Framing::BigEndian, Options::new(Version::V4), 5), (vec![Variant::Int(42)], None));
    }

    #[test]
    fn a_value_keeps_to_its_frame() {
        for size in [1, 3, 100] {
            // the array claims what belongs to the next frame
            let bytes = hex("0c000000 1c000000 02000000 00000000 04000000 00000000");
            let error =
                "value ends too early: 4 bytes needed, 0 left, at byte 0x10 in [0].value.array.elements[1].header";
            assert_eq!(
                read(&bytes, Framing::LittleEndian, Options::new(Version::V4), size),
                (vec![], Some(error.to_owned()))
            );
            let bytes = hex("08000000 00000000 deadbeef 04000000 00000000");
            let error = "unexpected bytes after the end of the value, at byte 0x8 in [0].value";
            assert_eq!(
                read(&bytes, Framing::LittleEndian, Options::new(Version::V4), size),
                (vec![], Some(error.to_owned()))
            );
            let lenient = Options::new(Version::V4).trailing_bytes(true);
            let nothing = vec![Variant::Null, Variant::Null];
            assert_eq!(read(&bytes, Framing::LittleEndian, lenient, size), (nothing, None));
        }
    }

    #[test]
    fn frames_are_written_as_they_are_read() {
        for framing in [Framing::LittleEndian, Framing::BigEndian] {
            let mut bytes = Vec::new();
            for value in [Variant::Int(7), "a".into()] {
                encode_frame(&value, framing, &Options::new(Version::V4), &mut bytes).unwrap();
            }
            assert_eq!(read(&bytes, framing, Options::new(Version::V4), 7), (vec![Variant::Int(7), "a".into()], None));
        }
        let before = vec![1];
        let mut bytes = before.clone();
        assert!(encode_frame(&Variant::Callable, Framing::default(), &Options::new(Version::V3), &mut bytes).is_err());
        assert!(write_frame(&Variant::Callable, Framing::default(), &Options::new(Version::V3), &mut bytes).is_err());
        assert_eq!(bytes, before);
        let mut full: &mut [u8] = &mut [0; 7];
        let written = write_frame(&Variant::Null, Framing::default(), &Options::new(Version::V3), &mut full);
        assert!(matches!(written, Err(WriteError::Io(_))), "{written:?}");
    }

    /// The path of an error contains the number of its frame. The report contains the number of frames.
    #[test]
    fn frames_are_counted() {
        let framed = || FrameDecoder::framed(Framing::LittleEndian, Options::new(Version::V4));
        let bytes = hex("04000000 00000000 08000000 02000000 2a000000 04000000 63000000");
        assert_eq!(framed().check(&bytes[..20], |_, _| {}).unwrap().items, Some(2));
        let mut decoder = framed();
        decoder.push(&bytes);
        assert!(decoder.next().unwrap().is_ok() && decoder.next().unwrap().is_ok());
        assert_eq!(decoder.next().unwrap().unwrap_err().path().to_string(), "[2].value.header");
        // also for an incomplete frame
        let mut decoder = framed();
        decoder.push(&bytes[..21]);
        assert_eq!(decoder.finish().unwrap_err().path().to_string(), "[2].length");
        let small = framed().item_limit(8).check(&bytes[8..], |_, _| {}).unwrap_err();
        assert_eq!(small.to_string(), "an item takes more than the limit of 8 bytes, at byte 0x0 in [0]");
    }
}
