//! A value that comes in pieces.

use bstr::BStr;
use nom::combinator::success;
use nom::Parser;

use super::options::Options;
use super::variant::{variant, Variant};
use super::version::Version;
use crate::error::Path;
use crate::wire::{self, ItemStream, Next, Source, WireError};

/// Decodes a value that is pushed in pieces of any size.
///
/// See [`wire::Decoder`] for the methods.
pub type Decoder = wire::Decoder<Value>;

impl Decoder {
    /// With the default options.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self::with_options((version, Options::new()))
    }
}

/// A value as a stream: a single item. It has no length before it, but says itself where it ends.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    version: Version,
    options: Options,
    done: bool,
}

/// At the start of a value.
impl From<(Version, Options)> for Value {
    fn from((version, options): (Version, Options)) -> Self {
        // in a stream there is no telling the end from a pause
        Value { version, options: options.unpadded_bytes(false), done: false }
    }
}

impl ItemStream for Value {
    type Head = ();
    type Item<'a> = Variant<'a>;
    type Owned = Variant<'static>;

    fn next(&self) -> Next {
        match self.done {
            false => Next::Item,
            true if self.options.trailing_bytes => Next::Ignored,
            true => Next::End,
        }
    }

    fn path(&self) -> Path {
        Path::default()
    }

    fn may_end(&self) -> bool {
        self.done
    }

    fn head<'a, I, E>(self) -> impl Parser<I, Output = (), Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        success(())
    }

    fn begin(&mut self, (): ()) {}

    fn item<'a, I, E>(self) -> impl Parser<I, Output = Variant<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        variant(self.version, self.options)
    }

    fn advance(&mut self) {
        self.done = true;
    }

    fn into_owned(value: Variant<'_>) -> Variant<'static> {
        value.into_owned()
    }
}
