//! Values with their lengths before them, for tokio.

use bytes::{Buf, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

use super::frame::{encode_frame, Framing};
use super::options::Options;
use super::variant::Variant;
use super::version::Version;
use crate::error::{DecodeError, Fault, Path, WriteError};
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
    version: Version,
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
        FrameCodec { version, framing, options: Options::new(), limit: Self::LIMIT, offset: 0 }
    }

    /// With these options.
    #[must_use]
    pub const fn options(self, options: Options) -> Self {
        FrameCodec { options, ..self }
    }

    /// With another limit of bytes for a value.
    #[must_use]
    pub const fn limit(self, limit: usize) -> Self {
        FrameCodec { limit, ..self }
    }
}

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
            bytes.reserve(size.saturating_sub(bytes.len()));
            return Ok(None);
        }
        let head = to_u64(head.len());
        bytes.advance(to_usize(head));
        let value = bytes.split_to(length);
        let start = self.offset.saturating_add(head);
        let value = super::decode_with(self.version, &value, &self.options).map_err(|error| error.shifted(start))?;
        self.offset = self.offset.saturating_add(to_u64(size));
        Ok(Some(value.into_owned()))
    }
}

impl Encoder<Variant<'_>> for FrameCodec {
    type Error = WriteError;

    fn encode(&mut self, value: Variant<'_>, bytes: &mut BytesMut) -> Result<(), WriteError> {
        let mut frame = Vec::new();
        encode_frame(self.version, self.framing, &value, &mut frame)?;
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
}
