//! Containers inside containers: how deep they may nest, and how much memory they may reserve.

use std::io::Write;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{Err, OutputMode, PResult, Parser};

use super::encode::encode_fault;
use super::field::{Builds, Unvalued};
#[cfg(all(feature = "text", feature = "roblox"))]
use crate::error::{EncodeError, Path};
use crate::error::{EncodeFault, Fault};
use crate::limits::Limited;
use crate::wire::{fault, Source, WireError};

/// The options, and how many levels of containers may follow. Made from the options of a format.
#[derive(Clone, Copy, Debug)]
pub struct Nesting<O> {
    options: O,
    /// The number of levels of containers that may follow.
    levels: u16,
    room: Room,
    /// The minimum size, in bytes, of the items that follow in the innermost list. It is not added to `room` for each item,
    /// because most items are not containers and do not use it.
    following: usize,
}

/// The part of the input that the items of a list may take, so that the list reserves no more memory than that.
///
/// A count in the input may be wrong, and lists inside lists could count on the same bytes at every level. In valid input,
/// all items that are still to come, also those of the lists around, fit into the rest of the input. If they do not fit,
/// the input is broken, and no memory is reserved for them.
#[derive(Clone, Copy, Debug)]
enum Room {
    /// No container is around it.
    Any,
    /// The items that follow in the lists around take at least this many bytes.
    Within(usize),
    /// The container around it is known to be valid: every list has as many items as its count.
    Proven,
}

impl<O: Limited> From<O> for Nesting<O> {
    fn from(options: O) -> Self {
        Nesting { options, levels: options.limits().depth(), room: Room::Any, following: 0 }
    }
}

impl<O: Limited> From<&O> for Nesting<O> {
    fn from(options: &O) -> Self {
        (*options).into()
    }
}

impl<O: Limited + Default> Default for Nesting<O> {
    fn default() -> Self {
        O::default().into()
    }
}

impl<O: Copy> Nesting<O> {
    /// The options.
    #[cfg_attr(fast, inline(always))]
    pub fn options(&self) -> O {
        self.options
    }

    /// The nesting inside a container; `None` if that is one too many.
    #[cfg_attr(fast, inline(always))]
    pub fn deeper(self) -> Option<Self> {
        self.deeper_by(1)
    }

    #[cfg_attr(fast, inline(always))]
    fn deeper_by(self, levels: u16) -> Option<Self> {
        Some(Nesting { levels: self.levels.checked_sub(levels)?, ..self })
    }

    /// The same for the items of a list. Each item then receives [the size of those after it](Self::before).
    #[cfg_attr(fast, inline(always))]
    pub(crate) fn of_items(self) -> Self {
        let room = self.behind().map_or(self.room, Room::Within);
        Nesting { room, following: 0, ..self }
    }

    /// The same for an item of a list. The items after it take at least `following` bytes.
    #[cfg_attr(fast, inline(always))]
    pub(crate) fn before(self, following: usize) -> Self {
        Nesting { following, ..self }
    }

    /// The minimum size, in bytes, of the items that follow in the surrounding lists; `None` if that does not limit a list.
    #[cfg_attr(fast, inline(always))]
    pub(crate) fn behind(self) -> Option<usize> {
        match self.room {
            Room::Within(behind) => Some(behind.saturating_add(self.following)),
            Room::Any | Room::Proven => None,
        }
    }
}

#[cfg(all(feature = "text", feature = "roblox"))]
impl<O: Copy> Nesting<O> {
    /// The nesting of a value in `levels` containers, which are read or written elsewhere; `None` if that is too many.
    #[cfg_attr(fast, inline(always))]
    pub(crate) fn inside(self, levels: u16) -> Option<Self> {
        self.deeper_by(levels)
    }
}

/// The error of one container too many.
#[cfg(all(feature = "text", feature = "roblox"))]
#[cold]
pub(crate) fn too_deep_to_write(options: impl Limited) -> EncodeError {
    EncodeError::new(Path::default(), EncodeFault::TooDeep { limit: options.limits().depth() })
}

/// The fault of one container too many.
#[cold]
pub(crate) fn too_deep(options: impl Limited) -> Fault {
    Fault::TooDeep { limit: options.limits().depth() }
}

/// A container inside another, one level deeper. All its lists, made by [`repeat_nested`](crate::wire::repeat_nested), together
/// reserve no more memory than the input can fill.
#[inline]
pub fn nested<O, C, P>(nesting: Nesting<O>, container: C) -> Nested<O, C>
where
    C: Fn(Nesting<O>) -> P,
{
    Nested { nesting, levels: 1, container }
}

/// The same for a container that does not count as a level, such as the outermost list of a format.
#[inline]
pub fn bounded<O, C, P>(nesting: Nesting<O>, container: C) -> Nested<O, C>
where
    C: Fn(Nesting<O>) -> P,
{
    Nested { nesting, levels: 0, container }
}

/// A parser for a container inside another. Made by [`nested`].
#[derive(Clone, Copy, Debug)]
pub struct Nested<O, C> {
    nesting: Nesting<O>,
    /// The number of levels that it is deeper inside.
    levels: u16,
    container: C,
}

impl<I, O, C, P> Parser<I> for Nested<O, C>
where
    I: Source,
    O: Limited,
    C: Fn(Nesting<O>) -> P,
    P: Parser<I>,
    P::Error: WireError<I>,
{
    type Output = P::Output;
    type Error = P::Error;

    #[inline(never)]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        let Some(nesting) = self.nesting.deeper_by(self.levels) else {
            return Err(fault::<I, OM, P::Error>(input, too_deep(self.nesting.options)));
        };
        // a traced field must be reported once, and broken input may end anywhere: there, lists grow as they are read
        if Builds::<OM>::VALUES && !input.is_traced() && !input.is_recovered() && matches!(nesting.room, Room::Any) {
            (self.nesting.room, self.nesting.following) = (Room::Within(0), 0);
            match self.process::<OM>(input.clone()) {
                Err(Err::Error(_) | Err::Failure(_)) => {}
                done => return done,
            }
            // The error may be that a list had no room. A run without values then finds another error, unless items take less
            // than the smallest size of their list.
            self.process::<Unvalued<OM>>(input.clone())?;
            self.nesting.room = Room::Proven;
            return self.process::<OM>(input);
        }
        (self.container)(nesting).process::<OM>(input)
    }
}

/// Writes a container inside another, or fails with [`EncodeFault::TooDeep`] if it is one too many.
pub fn gen_nested<'v, O, T, W, G>(
    nesting: Nesting<O>,
    container: &'v T,
    generator: impl Fn(Nesting<O>, &'v T) -> G + 'v,
) -> impl SerializeFn<W> + 'v
where
    O: Limited + 'v,
    T: ?Sized,
    W: Write + 'v,
    G: SerializeFn<W>,
{
    move |out: WriteContext<W>| match nesting.deeper() {
        Some(nesting) => generator(nesting, container)(out),
        None => Err(encode_fault(EncodeFault::TooDeep { limit: nesting.options.limits().depth() })),
    }
}
