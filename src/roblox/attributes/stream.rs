//! Attributes entry by entry, from input that comes in pieces.

use std::marker::PhantomData;

use bstr::BStr;
use nom::{OutputMode, PResult, Parser};

use super::entry::{entry, Entry};
use super::options::{Nesting, Options};
use crate::wire::{self, field, item, uint32, Feed, Le, Next, Source, WireError};

/// Decodes attributes that are pushed in pieces of any size, entry by entry.
///
/// See [`wire::Decoder`] for the methods.
pub type Decoder = wire::Decoder<Entries>;

impl Decoder {
    /// With the default options.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(Options::new())
    }

    /// With these options.
    #[must_use]
    pub fn with_options(options: Options) -> Self {
        Self::with_feed(Entries::new(options))
    }
}

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
    /// At the start of a blob.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Entries { options, state: State::Length }
    }
}

/// A part of the stream: see [`Entries`].
#[derive(Debug)]
pub enum Piece<'a> {
    /// How many entries follow.
    Length(u32),
    /// An entry.
    Entry(Entry<'a>),
}

impl Feed for Entries {
    type Item<'a> = Entry<'a>;
    type Owned = Entry<'static>;
    type Piece<'a> = Piece<'a>;

    fn next(&self) -> Next {
        match self.state {
            State::Length => Next::PieceOrEnd,
            State::Entries { index, length } if index < length => Next::Piece,
            State::Entries { .. } if self.options.trailing_bytes => Next::Ignored,
            State::Entries { .. } => Next::End,
        }
    }

    fn piece<'a, I, E>(&self) -> impl Parser<I, Output = Piece<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        PieceParser { entries: *self, error: PhantomData }
    }

    fn accept<'a>(&mut self, piece: Self::Piece<'a>) -> Option<Self::Item<'a>> {
        match (piece, &mut self.state) {
            (Piece::Length(length), state) => {
                *state = State::Entries { index: 0, length };
                None
            }
            (Piece::Entry(entry), State::Entries { index, .. }) => {
                *index = index.saturating_add(1);
                Some(entry)
            }
            (Piece::Entry(entry), State::Length) => Some(entry),
        }
    }

    fn into_owned(entry: Entry<'_>) -> Entry<'static> {
        entry.into_owned()
    }
}

struct PieceParser<E> {
    entries: Entries,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for PieceParser<E> {
    type Output = Piece<'a>;
    type Error = E;

    #[inline(always)]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Piece<'a>, E> {
        match self.entries.state {
            State::Length => field("length", uint32::<Le, I, E>()).map(Piece::Length).process::<OM>(input),
            State::Entries { index, .. } => {
                let entry = entry(Nesting::from(self.entries.options));
                field("entries", item(wire::to_usize(index), entry)).map(Piece::Entry).process::<OM>(input)
            }
        }
    }
}
