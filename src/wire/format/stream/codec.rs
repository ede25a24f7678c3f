//! Streams as codecs of tokio.

use std::mem::take;

use bytes::{Buf, BytesMut};
use tokio::io::AsyncRead;
use tokio_util::codec::{self, FramedRead};

use super::decoder::Progress;
use super::{Decoder, ItemStream, Next, ReadError};
use crate::error::WriteError;
use crate::wire::format::encode;
use crate::wire::{Format, IntoOwned, Single};

/// A stream as a codec of tokio: for `Framed`, `FramedRead` and `FramedWrite` of `tokio_util`.
///
/// It decodes the items that a [`Decoder`] gives, with the same errors and offsets, and keeps no bytes itself. An error is
/// the end: it is returned again for any bytes that follow. The codecs of this crate encode whole values, which they borrow.
///
/// ```
/// use bytes::BytesMut;
/// use enginewire::roblox::attributes::{Attributes, Codec, Entry};
/// use tokio_util::codec::{Decoder, Encoder};
///
/// let mut codec = Codec::new();
/// let mut bytes = BytesMut::new();
/// codec.encode(&Attributes::from_iter([("Health", 100.0)]), &mut bytes)?;
/// assert_eq!(codec.decode(&mut bytes)?, Some(Entry::new("Health", 100.0)));
/// assert_eq!(codec.decode_eof(&mut bytes)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Codec<F> {
    progress: Progress<F>,
}

impl<F: ItemStream + Default> Codec<F> {
    /// With the default options of its format.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl<F: ItemStream + Default> Default for Codec<F> {
    fn default() -> Self {
        Self::with_stream(F::default())
    }
}

impl<F: ItemStream> Codec<F> {
    /// The most bytes that an item may take by default: 8 MiB, the most that engines encode.
    pub const LIMIT: usize = 8 << 20;

    /// With these options of its format.
    #[must_use]
    pub fn with_options(options: F::Options) -> Self {
        Self::with_stream(F::new(options))
    }

    /// At the start of a stream.
    #[must_use]
    pub fn with_stream(stream: F) -> Self {
        Codec { progress: Progress::new(stream) }.item_limit(Self::LIMIT)
    }

    /// Sets how many bytes an item may take; [`LIMIT`](Self::LIMIT) unless it is set. A longer item is
    /// [`Fault::TooLarge`](crate::Fault::TooLarge), and is not waited for.
    ///
    /// ```
    /// use enginewire::roblox::remote::Codec;
    ///
    /// let codec = Codec::new().item_limit(1 << 10);
    /// # let _ = codec;
    /// ```
    #[must_use]
    pub fn item_limit(mut self, bytes: usize) -> Self {
        self.progress.set_limit(bytes);
        self
    }

    /// The stream, as far as it was read.
    #[must_use]
    pub fn stream(&self) -> &F {
        self.progress.stream()
    }

    /// If `ended` is true, no bytes will follow.
    fn next(&mut self, bytes: &mut BytesMut, ended: bool) -> Result<Option<F::Item<'static>>, ReadError> {
        if let Some(error) = self.progress.failed() {
            return Err(error.clone().into());
        }
        self.progress.set_ended(ended);
        let item = self.progress.next(bytes).map(|item| item.map(IntoOwned::into_owned));
        bytes.advance(take(&mut self.progress.start));
        if self.stream().next() == Next::Ignored {
            bytes.clear();
        }
        Ok(item.transpose()?)
    }
}

impl<F: ItemStream> codec::Decoder for Codec<F> {
    type Item = F::Item<'static>;
    type Error = ReadError;

    fn decode(&mut self, bytes: &mut BytesMut) -> Result<Option<Self::Item>, ReadError> {
        self.next(bytes, false)
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> Result<Option<Self::Item>, ReadError> {
        self.next(bytes, true)
    }
}

impl<F: Format> codec::Encoder<&F::Value<'_>> for Codec<Single<F>> {
    type Error = WriteError;

    fn encode(&mut self, value: &F::Value<'_>, bytes: &mut BytesMut) -> Result<(), WriteError> {
        bytes.extend_from_slice(&encode::<F>(value, &self.stream().options)?);
        Ok(())
    }
}

/// Makes the codec of `$stream` encode values. `$encode` is called with the stream and a value.
macro_rules! codec_encodes {
    ($stream:ty, $value:ty, $encode:expr) => {
        impl tokio_util::codec::Encoder<&$value> for $crate::wire::Codec<$stream> {
            type Error = $crate::WriteError;

            fn encode(&mut self, value: &$value, bytes: &mut bytes::BytesMut) -> Result<(), $crate::WriteError> {
                let encode: fn(&$stream, &$value) -> Result<Vec<u8>, $crate::EncodeError> = $encode;
                bytes.extend_from_slice(&encode(self.stream(), value)?);
                Ok(())
            }
        }
    };
}
pub(crate) use codec_encodes;

impl<F: ItemStream> Decoder<F> {
    /// Reads the stream from an asynchronous `reader`, which needs no buffer of its own. Items that were pushed before come
    /// with the first bytes that are read.
    ///
    /// The result is a `Stream`, whose `next` is that of `futures_util::StreamExt` or `tokio_stream::StreamExt`. The last item may
    /// be an error.
    ///
    /// ```
    /// use enginewire::roblox::attributes::Decoder;
    /// use futures_util::StreamExt;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), enginewire::wire::ReadError> {
    /// let input: &[u8] = b"\x01\0\0\0\x01\0\0\0a\x03\x01"; // a file, a socket, …
    /// let mut entries = Decoder::new().item_limit(1 << 16).into_stream(input);
    /// while let Some(entry) = entries.next().await {
    ///     println!("{:?}", entry?);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn into_stream<R: AsyncRead>(self, reader: R) -> FramedRead<R, Codec<F>> {
        let (unused, progress) = self.into_parts();
        let mut stream = FramedRead::new(reader, Codec { progress });
        stream.read_buffer_mut().extend_from_slice(&unused);
        stream
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{field, item, moved, uint16, Le, Puts, Source, WireError};
    use crate::{Path, Segment};
    use bstr::BStr;
    use nom::Parser;
    use pretty_assertions::assert_eq;
    use tokio_util::codec::Decoder as _;

    /// Numbers of 16 bits, after their count. Bytes after them are ignored.
    #[derive(Clone, Copy, Debug, Default)]
    struct Numbers {
        left: Option<u16>,
        index: usize,
    }

    impl ItemStream for Numbers {
        type Item<'a> = u16;
        type Options = ();

        fn new((): ()) -> Self {
            Numbers::default()
        }

        fn next(&self) -> Next {
            match self.left {
                None => Next::Head,
                Some(0) => Next::Ignored,
                Some(_) => Next::Item,
            }
        }

        fn path(&self) -> Path {
            [Segment::Index(self.index)].into_iter().collect()
        }

        fn head<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>(self) -> impl Parser<I, Output = Self, Error = E> {
            field("count", uint16::<Le, I, E>()).map(|count| Numbers { left: Some(count), index: 0 })
        }

        fn item<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>(self) -> impl Puts<I, Output = u16, Error = E> {
            moved(item(self.index, uint16::<Le, I, E>()))
        }

        fn advance(&mut self) {
            self.left = self.left.map(|left| left.saturating_sub(1));
            self.index = self.index.saturating_add(1);
        }
    }

    /// All items of `bytes`, which come in pieces of this size, and the error at the end.
    fn read(bytes: &[u8], size: usize) -> (Vec<u16>, Option<String>) {
        let mut codec = Codec::<Numbers>::new();
        let mut buffer = BytesMut::new();
        let mut items = Vec::new();
        for piece in bytes.chunks(size) {
            buffer.extend_from_slice(piece);
            while let Some(item) = codec.decode(&mut buffer).unwrap() {
                items.push(item);
            }
            assert!(buffer.len() < 2, "what was used is gone");
        }
        loop {
            match codec.decode_eof(&mut buffer) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => return (items, None),
                Err(error) => return (items, Some(error.to_string())),
            }
        }
    }

    #[test]
    fn items_come_in_any_pieces() {
        for size in 1..10 {
            assert_eq!(read(b"\x02\0\x07\0\x08\0and more", size), (vec![7, 8], None));
            let cut = "input ends too early: 2 bytes needed, 1 left, at byte 0x4 in [1]";
            assert_eq!(read(b"\x02\0\x07\0\x08", size), (vec![7], Some(cut.to_owned())));
        }
    }

    #[test]
    fn an_error_is_the_end() {
        let mut codec = Codec::<Numbers>::new().item_limit(1);
        let mut bytes = BytesMut::from(&b"\x02\0\x07\0\x08\0"[..]);
        let error = codec.decode(&mut bytes).unwrap_err().to_string();
        assert_eq!(error, "an item takes more than the limit of 1 bytes, at byte 0x0 in [0]");
        bytes.extend_from_slice(b"more");
        assert_eq!(codec.decode(&mut bytes).unwrap_err().to_string(), error);
        assert_eq!(codec.decode_eof(&mut bytes).unwrap_err().to_string(), error);
    }

    /// A file that grows continues after its first end.
    #[test]
    fn more_may_come_after_an_end() {
        let mut codec = Codec::<Numbers>::new();
        let mut bytes = BytesMut::from(&b"\x02\0\x07\0"[..]);
        assert_eq!(codec.decode(&mut bytes).unwrap(), Some(7));
        assert_eq!(codec.decode(&mut bytes).unwrap(), None);
        bytes.extend_from_slice(b"\x08");
        assert_eq!(codec.decode(&mut bytes).unwrap(), None);
        bytes.extend_from_slice(b"\0");
        assert_eq!(codec.decode_eof(&mut bytes).unwrap(), Some(8));
        assert_eq!((codec.decode_eof(&mut bytes).unwrap(), codec.stream().index), (None, 2));
    }

    #[tokio::test]
    async fn a_reader_becomes_a_stream() {
        use futures_util::StreamExt;

        let bytes: &[u8] = b"\x03\0\x07\0\x08\0\x09";
        let mut decoder = Decoder::<Numbers>::new();
        decoder.push(&bytes[..5]);
        assert_eq!(decoder.next(), Some(Ok(7)));
        let mut items = decoder.into_stream(&bytes[5..]);
        assert_eq!(items.next().await.unwrap().unwrap(), 8);
        let error = items.next().await.unwrap().unwrap_err().to_string();
        assert_eq!(error, "input ends too early: 2 bytes needed, 1 left, at byte 0x6 in [2]");
        assert!(items.next().await.is_none());
    }
}
