//! A packet that comes in pieces.

use std::marker::PhantomData;

use bstr::BStr;
use nom::{Mode, OutputMode, PResult, Parser};

use super::options::Options;
use super::packet::{delimiter, packet_type, DELIMITER};
use super::packet_data::{packet_data, PacketData};
use crate::error::{Path, Segment};
use crate::number::to_u64;
use crate::wire::{field, item, moved, ItemStream, Next, Puts, Source, WireError};

/// A packet as a stream: its type, then data, then its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packets {
    options: Options,
    state: State,
    /// The number of data that were read.
    count: usize,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// The type of the packet comes next.
    #[default]
    Start,
    /// More data come next, or the end; the next byte decides.
    Between,
    /// Data come next.
    Data,
    /// The end has come.
    End,
}

/// The bytes between data: the type of the packet, its end, or nothing. It returns the state after them.
struct Head<E> {
    state: State,
    error: PhantomData<fn() -> E>,
}

impl<I: Source, E: WireError<I>> Parser<I> for Head<E> {
    type Output = State;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, State, E> {
        if let State::Start = self.state {
            return packet_type().map(|_| State::Between).process::<OM>(input);
        }
        match input.chunk::<1>() {
            Some(([byte], _)) if byte != DELIMITER => Ok((input, OM::Output::bind(|| State::Data))),
            _ => delimiter().map(|_| State::End).process::<OM>(input),
        }
    }
}

impl ItemStream for Packets {
    type Item<'a> = PacketData<'a>;
    type Options = Options;

    fn new(options: Options) -> Self {
        Packets { options, ..Self::default() }
    }

    #[inline]
    fn next(&self) -> Next {
        match self.state {
            State::Start | State::Between => Next::Head,
            State::Data => Next::Item,
            State::End if self.options.values.common.trailing_bytes() => Next::Ignored,
            State::End => Next::End,
        }
    }

    fn path(&self) -> Path {
        match self.state {
            State::Data => [Segment::Field("packets"), Segment::Index(self.count)].into_iter().collect(),
            _ => Path::default(),
        }
    }

    fn head<'a, I, E>(self) -> impl Parser<I, Output = Self, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        Head { state: self.state, error: PhantomData }.map(move |state| Packets { state, ..self })
    }

    #[inline]
    fn item<'a, I, E>(self) -> impl Puts<I, Output = PacketData<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        moved(field("packets", item(self.count, packet_data(self.options))))
    }

    #[inline]
    fn advance(&mut self) {
        self.count = self.count.saturating_add(1);
        self.state = State::Between;
    }

    fn count(&self) -> Option<u64> {
        Some(to_u64(self.count))
    }
}

#[cfg(feature = "interop")]
crate::wire::codec_encodes!(Packets, super::Packet<'_>, |packets, value| super::encode_with(value, &packets.options));

#[cfg(test)]
mod tests {
    use super::super::{Decoder, Options};
    use crate::test::hex;
    use pretty_assertions::assert_eq;

    /// Data come as soon as their last byte is there.
    #[test]
    fn data_come_at_once() {
        let bytes = hex("83 07 00 0b6f 00 07 00 0b6f 01 01 00");
        let mut decoder = Decoder::new();
        let mut ends = Vec::new();
        for (index, byte) in bytes.iter().enumerate() {
            decoder.push(&[*byte]);
            while let Some(data) = decoder.next() {
                data.unwrap();
                ends.push(index + 1);
            }
        }
        assert_eq!(ends, [6, 12]);
        decoder.finish().unwrap();
    }

    /// A packet marks its own end. Bytes after it are an error, or ignored if the options allow them.
    #[test]
    fn bytes_after_the_end() {
        let bytes = hex("83 07 00 0b6f 00 00 ff");
        let read = |options, bytes: &[u8]| {
            let mut decoder = Decoder::with_options(options);
            decoder.push(bytes);
            let count = std::iter::from_fn(|| decoder.next().map(|item| item.is_ok())).filter(|good| *good).count();
            (count, decoder.finish().map_err(|error| error.to_string()))
        };
        let trailing = "unexpected bytes after the end of the value, at byte 0x7".to_owned();
        assert_eq!(read(Options::new(), &bytes), (1, Err(trailing)));
        assert_eq!(read(Options::new().trailing_bytes(true), &bytes), (1, Ok(())));
        assert_eq!(read(Options::new(), &bytes[..7]), (1, Ok(())));
        assert!(read(Options::new(), &bytes[..6]).1.is_err());
    }

    #[test]
    fn data_are_counted() {
        let bytes = hex("83 07 00 0b6f 00 07 00 0b6f 01 01 00");
        assert_eq!(Decoder::new().check(&bytes[..], |_, _| {}).unwrap().items, Some(2));
        let mut decoder = Decoder::new();
        decoder.push(&bytes[..8]);
        assert!(decoder.next().unwrap().is_ok() && decoder.next().is_none());
        let error = decoder.finish().unwrap_err().to_string();
        assert!(error.ends_with("in packets[1].event"), "{error}");
        let error = Decoder::new().item_limit(4).check(&bytes[..], |_, _| {}).unwrap_err().to_string();
        assert_eq!(error, "an item takes more than the limit of 4 bytes, at byte 0x1 in packets[0]");
    }
}
