//! A packet that comes in pieces.

use std::marker::PhantomData;

use bstr::BStr;
use nom::{Mode, OutputMode, PResult, Parser};

use super::options::Options;
use super::packet::{delimiter, packet_type, DELIMITER};
use super::packet_data::{packet_data, PacketData};
use crate::error::{Path, Segment};
use crate::wire::{field, item, to_u64, ItemStream, Next, Source, WireError};

/// A packet as a stream: its type, then data, then its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packets {
    options: Options,
    state: State,
    /// How many data were read.
    count: usize,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// The type of the packet comes next.
    #[default]
    Start,
    /// More data come next, or the end: the next byte says which.
    Between,
    /// Data come next.
    Data,
    /// The end has come.
    End,
}

/// What comes between data: the type of the packet, its end, or nothing. It gives the state after that.
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

    fn may_end(&self) -> bool {
        false
    }

    fn head<'a, I, E>(self) -> impl Parser<I, Output = Self, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        Head { state: self.state, error: PhantomData }.map(move |state| Packets { state, ..self })
    }

    #[inline]
    fn item<'a, I, E>(self) -> impl Parser<I, Output = PacketData<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        field("packets", item(self.count, packet_data(self.options)))
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

#[cfg(test)]
mod tests {
    use super::super::Decoder;
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
}
