//! Values with their lengths before them, for tokio.

use super::frame::{encode_frame, Frames, Framing};
use crate::godot::options::Options;
use crate::godot::variant::Variant;
use crate::wire::{codec_encodes, Codec};

/// A codec for `tokio_util::codec::Framed`. Its frames are those of `put_var` and `get_var` of a StreamPeer.
///
/// See [`wire::Codec`](Codec) for the methods; [`item_limit`](Codec::item_limit) limits the size of a frame, with the four bytes of its
/// length.
///
/// ```
/// use bytes::BytesMut;
/// use enginewire::godot::{FrameCodec, Framing, Options, Variant, Version};
/// use tokio_util::codec::{Decoder, Encoder};
///
/// let mut codec = FrameCodec::framed(Framing::LittleEndian, Options::new(Version::V4));
/// let mut bytes = BytesMut::new();
/// codec.encode(&Variant::Int(42), &mut bytes)?;
/// assert_eq!(codec.decode(&mut bytes)?, Some(Variant::Int(42)));
/// assert_eq!(codec.decode(&mut bytes)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type FrameCodec = Codec<Frames>;

impl FrameCodec {
    /// At the start of a stream.
    #[must_use]
    pub fn framed(framing: Framing, options: Options) -> Self {
        Self::with_options((framing, options))
    }
}

codec_encodes!(Frames, Variant<'_>, |frames, value| {
    let mut bytes = Vec::new();
    encode_frame(value, frames.framing, &frames.options, &mut bytes)?;
    Ok(bytes)
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::version::Version;
    use bytes::{BufMut, BytesMut};
    use pretty_assertions::assert_eq;
    use tokio_util::codec::{Decoder, Encoder};

    fn codec(version: Version) -> FrameCodec {
        FrameCodec::framed(Framing::LittleEndian, Options::new(version))
    }

    #[test]
    fn values_come_when_they_are_whole() {
        let mut codec = FrameCodec::framed(Framing::BigEndian, Options::new(Version::V3)).item_limit(20);
        let mut bytes = BytesMut::new();
        codec.encode(&Variant::Int(1), &mut bytes).unwrap();
        codec.encode(&"abc".into(), &mut bytes).unwrap();
        let whole = bytes.split().freeze();
        let mut values = Vec::new();
        for byte in whole.iter() {
            bytes.put_u8(*byte);
            values.extend(codec.decode(&mut bytes).unwrap());
        }
        assert_eq!(values, [Variant::Int(1), "abc".into()]);
        bytes.put_slice(&[0, 0, 0, 17]);
        let error = codec.decode(&mut bytes).unwrap_err();
        let expected = format!("an item takes more than the limit of 20 bytes, at byte {:#x} in [2]", whole.len());
        assert_eq!(error.to_string(), expected);
    }

    /// With the length before it.
    #[test]
    fn the_limit_is_that_of_the_frame() {
        let mut bytes = BytesMut::new();
        codec(Version::V4).encode(&"abcd".into(), &mut bytes).unwrap();
        // 4 bytes of length, then 12 of the value
        for (limit, fits) in [(17, true), (16, true), (15, false), (0, false)] {
            let read = codec(Version::V4).item_limit(limit).decode(&mut bytes.clone());
            if fits {
                assert_eq!(read.unwrap(), Some("abcd".into()));
            } else {
                let text = format!("an item takes more than the limit of {} bytes, at byte 0x0 in [0]", limit.max(1));
                assert_eq!(read.unwrap_err().to_string(), text);
            }
        }
        assert_eq!(FrameCodec::LIMIT, 8_388_608);
        let longest = u32::try_from(FrameCodec::LIMIT - 4).unwrap();
        let of_length = |length: u32| codec(Version::V4).decode(&mut BytesMut::from(&length.to_le_bytes()[..]));
        assert!(matches!(of_length(longest), Ok(None)));
        assert!(of_length(longest + 1).is_err());
    }

    /// Offsets count all frames before, and the path has the number of the frame.
    #[test]
    fn errors_are_those_of_the_stream() {
        let mut bytes = BytesMut::new();
        for value in [Variant::Null, Variant::Int(7), "abcde".into()] {
            codec(Version::V4).encode(&value, &mut bytes).unwrap();
        }
        let frames = bytes.len();
        for (broken, offset, path) in [
            // an unknown type, a byte too many, a value that ends too early
            (&[4, 0, 0, 0, 99, 0, 0, 0][..], 4, "[3].value.header"),
            (&[5, 0, 0, 0, 0, 0, 0, 0, 1], 8, "[3].value"),
            (&[4, 0, 0, 0, 2, 0, 0, 0], 8, "[3].value.int"),
        ] {
            let mut bytes = bytes.clone();
            bytes.put_slice(broken);
            let mut codec = codec(Version::V4);
            for _ in 0..3 {
                assert!(codec.decode(&mut bytes).unwrap().is_some());
            }
            let crate::wire::ReadError::Decode(error) = codec.decode(&mut bytes).unwrap_err() else { panic!() };
            let found = (usize::try_from(error.offset().byte()).unwrap(), error.path().to_string());
            assert_eq!(found, (frames + offset, path.to_owned()));
        }
    }

    #[test]
    fn a_length_alone_takes_no_memory() {
        let mut codec = codec(Version::V4).item_limit(usize::MAX);
        let mut bytes = BytesMut::from(&[0xff, 0xff, 0xff, 0x7f][..]);
        let peak = allocation_counter::measure(|| assert!(codec.decode(&mut bytes).unwrap().is_none())).bytes_max;
        assert!(peak < 1 << 10, "{peak}");
    }

    #[test]
    fn options_are_those_that_were_given() {
        let latin_1: &[u8] = b"\x0c\0\0\0\x04\0\0\0\x01\0\0\0\xe4\0\0\0";
        assert!(codec(Version::V4).decode(&mut latin_1.into()).is_err());
        let options = Options::new(Version::V4).any_text(true);
        let value = FrameCodec::framed(Framing::LittleEndian, options).decode(&mut latin_1.into()).unwrap().unwrap();
        assert_eq!(value.as_bytes(), Some(&b"\xe4"[..]));
        let mut bytes = BytesMut::new();
        assert!(codec(Version::V3).encode(&Variant::Callable, &mut bytes).is_err() && bytes.is_empty());
    }
}
