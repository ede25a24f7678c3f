//! Streams: input that comes in pieces of any size.
//!
//! [`Stepper`] reads items and owns no bytes; [`Decoder`] keeps the bytes of an unfinished item; [`ReadItems`] reads from a
//! [`std::io::Read`]; `Codec`, with the feature `interop`, works on the bytes of a connection. All of them give the same items and the same error, however the input is cut.

#[cfg(feature = "interop")]
mod codec;
mod decoder;
mod memory;
mod read;
mod stepper;

#[cfg(feature = "interop")]
pub(crate) use codec::codec_encodes;
#[cfg(feature = "interop")]
pub use codec::Codec;
pub use decoder::Decoder;
pub(crate) use memory::Memory;
pub use read::{ReadError, ReadItems};
pub use stepper::{Step, Stepper};

use std::fmt::Debug;

use bstr::BStr;
use nom::combinator::success;
use nom::Parser;

use crate::error::Path;
use crate::wire::format::run::{self, Head, Item};
use crate::wire::{IntoOwned, Puts, Source, WireError};

/// A stream of items, perhaps with a head before them.
pub trait ItemStream: Copy + Debug {
    /// An item of the stream, for its users.
    type Item<'a>: IntoOwned<Owned = Self::Item<'static>>;

    /// The options for reading.
    type Options;

    /// As [`Format::FAST`](crate::wire::Format::FAST).
    const FAST: bool = true;

    /// The start of a stream that is read with these options.
    fn new(options: Self::Options) -> Self;

    /// The part that must come next, unless [`may_end`](Self::may_end) allows the end.
    fn next(&self) -> Next;

    /// The path of the next item.
    fn path(&self) -> Path {
        Path::default()
    }

    /// Returns true if the stream may end here instead.
    fn may_end(&self) -> bool {
        false
    }

    /// Returns true if options allow an item that lacks its last bytes at the end of the input.
    fn may_lack_end(&self) -> bool {
        false
    }

    /// The parser for the head: the part before the items, which describes them: it may state their number, for example.
    /// It gives the stream as it is after the head.
    fn head<'a, I, E>(self) -> impl Parser<I, Output = Self, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        success(self)
    }

    /// The parser for the next item. If all of it is there, it must not ask for more.
    fn item<'a, I, E>(self) -> impl Puts<I, Output = Self::Item<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>;

    /// Takes note of an item that was read.
    fn advance(&mut self);

    /// The number of items, if the input so far states it.
    fn count(&self) -> Option<u64> {
        None
    }
}

/// The part of a stream that must come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Next {
    /// The head.
    Head,
    /// An item.
    Item,
    /// The end.
    End,
    /// Bytes that are not looked at.
    Ignored,
}

/// Passes the items of `input`, which is complete, to `each`, up to the end or an error. Returns the rest of the input,
/// from the first byte of the broken item on. The stream stays before that item.
pub(super) fn items<'a, F: ItemStream>(stream: &mut F, input: &'a [u8], mut each: impl FnMut(F::Item<'a>)) -> &'a [u8] {
    let mut rest = input;
    loop {
        let step = match stream.next() {
            Next::Head => run::read(rest, Head(*stream)).map(|(behind, begun)| {
                *stream = begun;
                behind
            }),
            Next::Item => run::read(rest, Item(*stream)).map(|(behind, item)| {
                stream.advance();
                each(item);
                behind
            }),
            Next::End | Next::Ignored => return rest,
        };
        match step {
            Ok(behind) => rest = behind,
            Err(_) => return rest,
        }
    }
}
