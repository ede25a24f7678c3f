//! Attributes entry by entry, from input that comes in pieces.

use bstr::BStr;
use nom::Parser;

use super::blob::ZERO_LENGTH;
use super::entry::{entry, Entry};
use super::options::{Nesting, Options};
use crate::error::{Path, Segment};
use crate::number::to_usize;
use crate::wire::{field, item, noted, uint32, ItemStream, Le, Next, Puts, Source, WireError};

/// Attributes as a stream: the length, then one entry after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entries {
    options: Options,
    state: State,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// The length comes next.
    #[default]
    Length,
    /// Entry number `index` of `length` comes next, or the end.
    Entries { index: u32, length: u32 },
}

impl Entries {
    /// The number of entries that the length promises, once it was read.
    #[must_use]
    pub fn length(&self) -> Option<u32> {
        match self.state {
            State::Length => None,
            State::Entries { length, .. } => Some(length),
        }
    }
}

impl ItemStream for Entries {
    type Item<'a> = Entry<'a>;
    type Options = Options;

    fn new(options: Options) -> Self {
        Entries { options, state: State::Length }
    }

    #[inline]
    fn next(&self) -> Next {
        match self.state {
            State::Length => Next::Head,
            State::Entries { index, length } if index < length => Next::Item,
            State::Entries { .. } if self.options.common.trailing_bytes() => Next::Ignored,
            State::Entries { .. } => Next::End,
        }
    }

    fn path(&self) -> Path {
        match self.state {
            State::Length => Path::default(),
            State::Entries { index, .. } => {
                [Segment::Field("entries"), Segment::Index(to_usize(index))].into_iter().collect()
            }
        }
    }

    fn may_end(&self) -> bool {
        matches!(self.state, State::Length)
    }

    fn head<'a, I, E>(self) -> impl Parser<I, Output = Self, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        let zero = |length: &u32| (*length == 0).then_some(ZERO_LENGTH);
        let length = noted(field("length", uint32::<Le, I, E>()), zero);
        length.map(move |length| Entries { state: State::Entries { index: 0, length }, ..self })
    }

    #[inline]
    fn item<'a, I, E>(self) -> impl Puts<I, Output = Entry<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        let index = match self.state {
            State::Entries { index, .. } => index,
            State::Length => 0,
        };
        field("entries", item(to_usize(index), entry(Nesting::from(self.options))))
    }

    #[inline]
    fn advance(&mut self) {
        if let State::Entries { index, .. } = &mut self.state {
            *index = index.saturating_add(1);
        }
    }

    fn count(&self) -> Option<u64> {
        Some(self.length().unwrap_or_default().into())
    }
}

#[cfg(feature = "interop")]
crate::wire::codec_encodes!(Entries, super::Attributes<'_>, |entries, value| super::encode_with(
    value,
    &entries.options
));

#[cfg(test)]
mod tests {
    use super::super::Decoder;
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_decoder_heeds_its_options() {
        let reference = b"\x01\0\0\0\x01\0\0\0a\x25\x07\0\0\0";
        for allowed in [false, true] {
            let mut decoder = Decoder::with_options(Options::new().refs(allowed));
            decoder.push(reference);
            assert_eq!(decoder.next().unwrap().is_ok(), allowed);
        }
    }
}
