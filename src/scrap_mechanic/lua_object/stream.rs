//! An object that comes in pieces.

use bstr::BStr;
use nom::combinator::success;
use nom::Parser;

use super::object::{lua_object, LuaObject};
use super::options::Options;
use crate::error::Path;
use crate::wire::{self, ItemStream, Next, Source, WireError};

/// Decodes an object that is pushed in pieces of any size.
///
/// See [`wire::Decoder`] for the methods.
pub type Decoder = wire::Decoder<Object>;

/// An object as a stream: a single item. It has no length before it, but says itself where it ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Object {
    options: Options,
    done: bool,
}

/// At the start of an object.
impl From<Options> for Object {
    fn from(options: Options) -> Self {
        Object { options, done: false }
    }
}

impl ItemStream for Object {
    type Head = ();
    type Item<'a> = LuaObject<'a>;
    type Owned = LuaObject<'static>;

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

    fn item<'a, I, E>(self) -> impl Parser<I, Output = LuaObject<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        lua_object(self.options.into())
    }

    fn advance(&mut self) {
        self.done = true;
    }

    fn into_owned(object: LuaObject<'_>) -> LuaObject<'static> {
        object.into_owned()
    }
}
