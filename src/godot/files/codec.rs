//! Values with their lengths before them, for tokio.

use bytes::{Buf, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

use super::frame::{encode_frame, Framing};
use crate::error::{DecodeError, Fault, Path, WriteError};
use crate::godot::options::Options;
use crate::godot::variant::Variant;
use crate::godot::version::Version;
use crate::wire::{to_u64, to_usize, ReadError};
use crate::Offset;

/// A codec for `tokio_util::codec::Framed`: what `put_var` and `get_var` of a StreamPeer write and read.
///
/// ```
/// use bytes::BytesMut;
/// use enginewire::godot::{FrameCodec, Framing, Variant, Version};
/// use tokio_util::codec::{Decoder, Encoder};
///
/// let mut codec = FrameCodec::new(Version::V4, Framing::LittleEndian);
/// let mut bytes = BytesMut::new();
/// codec.encode(Variant::Int(42), &mut bytes)?;
/// assert_eq!(codec.decode(&mut bytes)?, Some(Variant::Int(42)));
/// assert_eq!(codec.decode(&mut bytes)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FrameCodec {
    framing: Framing,
    options: Options,
    limit: usize,
    /// How many bytes of the stream lie behind.
    offset: u64,
}

impl FrameCodec {
    /// The longest value, unless said otherwise: what engines encode at most.
    pub const LIMIT: usize = 8 << 20;

    /// With the default options.
    #[must_use]
    pub const fn new(version: Version, framing: Framing) -> Self {
        FrameCodec { framing, options: Options::new(version), limit: Self::LIMIT, offset: 0 }
    }

    /// With these options.
    #[must_use]
    pub const fn options(self, options: Options) -> Self {
        FrameCodec { options, ..self }
    }

    /// With another limit of bytes for a value: a value of so many bytes is read, and one of more is an error. No more room
    /// is made for it than what has come of it already, or 8 KiB.
    #[must_use]
    pub const fn limit(self, limit: usize) -> Self {
        FrameCodec { limit, ..self }
    }
}

/// How much room there is for a value before as much has come.
const STEP: usize = 8 << 10;

impl Decoder for FrameCodec {
    type Item = Variant<'static>;
    type Error = ReadError;

    fn decode(&mut self, bytes: &mut BytesMut) -> Result<Option<Variant<'static>>, ReadError> {
        let Some(head) = bytes.first_chunk::<4>() else { return Ok(None) };
        let length = to_usize(self.framing.length(*head));
        if length > self.limit {
            let fault = Fault::TooLarge { limit: to_u64(self.limit) };
            return Err(DecodeError::new(Offset::from(self.offset), Path::default(), fault).into());
        }
        let size = length.saturating_add(head.len());
        if bytes.len() < size {
            // a length is no proof that so much will come
            let step = bytes.len().max(STEP);
            bytes.reserve(size.saturating_sub(bytes.len()).min(step));
            return Ok(None);
        }
        let start = self.offset.saturating_add(to_u64(head.len()));
        bytes.advance(head.len());
        let value = bytes.split_to(length);
        // the frame is taken, whatever is in it
        self.offset = self.offset.saturating_add(to_u64(size));
        let value =
            super::decode_with(&value, &self.options).map_err(|error| error.of_complete_input().shifted(start))?;
        Ok(Some(value.into_owned()))
    }
}

impl Encoder<Variant<'_>> for FrameCodec {
    type Error = WriteError;

    fn encode(&mut self, value: Variant<'_>, bytes: &mut BytesMut) -> Result<(), WriteError> {
        let mut frame = Vec::new();
        encode_frame(&value, self.framing, &self.options, &mut frame)?;
        bytes.extend_from_slice(&frame);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::BufMut;
    use pretty_assertions::assert_eq;

    #[test]
    fn values_come_when_they_are_whole() {
        let mut codec = FrameCodec::new(Version::V3, Framing::BigEndian).limit(16);
        let mut bytes = BytesMut::new();
        codec.encode(Variant::Int(1), &mut bytes).unwrap();
        codec.encode("abc".into(), &mut bytes).unwrap();
        let whole = bytes.split().freeze();
        let mut values = Vec::new();
        for byte in whole.iter() {
            bytes.put_u8(*byte);
            values.extend(codec.decode(&mut bytes).unwrap());
        }
        assert_eq!(values, [Variant::Int(1), "abc".into()]);
        bytes.put_slice(&[0, 0, 0, 17]);
        let error = codec.decode(&mut bytes).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("an item takes more than the limit of 16 bytes, at byte {:#x}", whole.len())
        );
        bytes.clear();
        bytes.put_slice(&[0, 0, 0, 4, 99, 0, 0, 0]);
        assert!(codec.decode(&mut bytes).unwrap_err().to_string().contains("unknown type 99"));
    }

    #[test]
    fn the_limit_is_that_of_the_value() {
        let mut bytes = BytesMut::new();
        FrameCodec::new(Version::V4, Framing::LittleEndian).encode("abcd".into(), &mut bytes).unwrap();
        let whole = bytes.freeze();
        // 4 bytes of length, then 12 of the value
        for (limit, fits) in [(13, true), (12, true), (11, false), (0, false)] {
            let mut codec = FrameCodec::new(Version::V4, Framing::LittleEndian).limit(limit);
            let read = codec.decode(&mut BytesMut::from(&whole[..]));
            if fits {
                assert_eq!(read.unwrap(), Some("abcd".into()));
            } else {
                let text = format!("an item takes more than the limit of {limit} bytes, at byte 0x0");
                assert_eq!(read.unwrap_err().to_string(), text);
            }
        }
        assert_eq!(FrameCodec::LIMIT, 8_388_608);
        let default = FrameCodec::new(Version::V4, Framing::LittleEndian);
        assert!(matches!({ default }.decode(&mut BytesMut::from(&[0, 0, 0x80, 0][..])), Ok(None)));
        assert!({ default }.decode(&mut BytesMut::from(&[1, 0, 0x80, 0][..])).is_err());
    }

    /// Offsets count all frames before, those that could not be read among them.
    #[test]
    fn offsets_are_those_of_the_stream() {
        let mut codec = FrameCodec::new(Version::V4, Framing::LittleEndian).limit(64);
        let mut bytes = BytesMut::new();
        for value in [Variant::Null, Variant::Int(7), "abcde".into()] {
            codec.encode(value, &mut bytes).unwrap();
        }
        let frames = bytes.len();
        // a frame with an unknown type, one with a byte too many, and one that is too long
        bytes.put_slice(&[4, 0, 0, 0, 99, 0, 0, 0]);
        bytes.put_slice(&[5, 0, 0, 0, 0, 0, 0, 0, 1]);
        bytes.put_slice(&[65, 0, 0, 0]);
        for _ in 0..3 {
            assert!(codec.decode(&mut bytes).unwrap().is_some());
        }
        let mut offset = |bytes: &mut BytesMut| match codec.decode(bytes).unwrap_err() {
            ReadError::Decode(error) => to_usize(u32::try_from(error.offset().byte()).unwrap()),
            other => panic!("{other}"),
        };
        let offsets = [offset(&mut bytes), offset(&mut bytes), offset(&mut bytes)];
        assert_eq!(offsets, [frames + 4, frames + 8 + 8, frames + 8 + 9]);
        // what is too long stays where it is
        assert_eq!(&bytes[..], [65, 0, 0, 0]);
    }

    #[test]
    fn a_length_alone_takes_no_memory() {
        let mut codec = FrameCodec::new(Version::V4, Framing::LittleEndian).limit(usize::MAX);
        let mut bytes = BytesMut::from(&[0xff, 0xff, 0xff, 0x7f][..]);
        assert!(codec.decode(&mut bytes).unwrap().is_none());
        assert!(bytes.capacity() >= 4 + STEP && bytes.capacity() <= 4 * STEP, "{}", bytes.capacity());
        bytes.put_slice(&vec![0; 100_000]);
        assert!(codec.decode(&mut bytes).unwrap().is_none());
        assert!(bytes.capacity() >= 200_000 && bytes.capacity() <= 800_000, "{}", bytes.capacity());
        // and no more than is missing
        let mut bytes = BytesMut::with_capacity(16);
        bytes.put_slice(&[20, 0, 0, 0]);
        assert!(codec.decode(&mut bytes).unwrap().is_none());
        assert!(bytes.capacity() >= 24 && bytes.capacity() < 200, "{}", bytes.capacity());
    }

    #[test]
    fn options_are_those_that_were_given() {
        let options = Options::new(Version::V4).any_text(true);
        let mut codec = FrameCodec::new(Version::V4, Framing::LittleEndian);
        let latin_1: &[u8] = b"\x0c\0\0\0\x04\0\0\0\x01\0\0\0\xe4\0\0\0";
        assert!(codec.decode(&mut latin_1.into()).is_err());
        let value = codec.options(options).decode(&mut latin_1.into()).unwrap().unwrap();
        assert_eq!(value.as_bytes(), Some(&b"\xe4"[..]));
    }
}
