//! Containers inside containers: how deep they go, and what they may reserve.

use std::io::Write;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{Err, OutputMode, PResult, Parser};

use super::encode::encode_fault;
use super::error::{fault, WireError};
use super::field::{Builds, Unvalued};
use super::source::Source;
use crate::error::{EncodeFault, Fault};
use crate::limits::Limits;

/// Options that say how far a decoder goes.
pub trait Limited: Copy {
    /// How far.
    fn limits(&self) -> Limits;
}

/// Where a value stands: the options, and how much deeper it may go. Made from a format's options.
#[derive(Clone, Copy, Debug)]
pub struct Nesting<O> {
    options: O,
    /// How many levels of containers may follow.
    levels: u16,
    room: Room,
}

/// What the lists around a value leave of the input, for knowing what a list inside may reserve.
///
/// A count is only a promise, and lists inside lists can promise the same bytes at every level anew. In valid input all
/// items that are still to come, those of the lists around too, fit into the rest of it; so where they do not, the input
/// is broken, and memory for them is never needed.
#[derive(Clone, Copy, Debug)]
enum Room {
    /// No container is around it.
    Any,
    /// The items that are still to come in the lists around it take so many bytes at least.
    Within(usize),
    /// The container around it was found valid: what is promised is there.
    Proven,
}

impl<O: Limited> From<O> for Nesting<O> {
    fn from(options: O) -> Self {
        Nesting { options, levels: options.limits().depth(), room: Room::Any }
    }
}

impl<O: Limited + Default> Default for Nesting<O> {
    fn default() -> Self {
        O::default().into()
    }
}

impl<O: Copy> Nesting<O> {
    /// The options.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn options(&self) -> O {
        self.options
    }

    /// What holds inside a container, unless that is one too many.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn deeper(self) -> Option<Self> {
        self.deeper_by(1)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn deeper_by(self, levels: u16) -> Option<Self> {
        Some(Nesting { levels: self.levels.checked_sub(levels)?, ..self })
    }

    /// The same for an item behind which others of its list take so many bytes at least.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn before(self, bytes: usize) -> Self {
        match self.room {
            Room::Within(behind) => Nesting { room: Room::Within(behind.saturating_add(bytes)), ..self },
            Room::Any | Room::Proven => self,
        }
    }

    /// How many bytes the items of the lists around take at least, if that is known and not yet proven.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn behind(self) -> Option<usize> {
        match self.room {
            Room::Within(behind) => Some(behind),
            Room::Any | Room::Proven => None,
        }
    }
}

/// The fault of one container too many.
#[cold]
pub(crate) fn too_deep(options: impl Limited) -> Fault {
    Fault::TooDeep { limit: options.limits().depth() }
}

/// A container inside another, one level deeper. Its lists, made by [`repeat_nested`](super::repeat_nested), reserve no
/// more than the input can hold, all of them together.
#[inline]
pub fn nested<O, C, P>(nesting: Nesting<O>, container: C) -> Nested<O, C>
where
    C: Fn(Nesting<O>) -> P,
{
    Nested { nesting, levels: 1, container }
}

/// The same for a container that is no level by itself, as the outermost list of a format may be.
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
    /// How many levels deeper it is inside.
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

    // a call of its own, so that recursion takes no more stack than it must
    #[inline(never)]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, P::Error> {
        let Some(nesting) = self.nesting.deeper_by(self.levels) else {
            return Err(fault::<I, OM, P::Error>(input, too_deep(self.nesting.options)));
        };
        // a listener wants to hear of every field once, and what is salvaged ends somewhere
        if Builds::<OM>::VALUES && !I::TRACED && !I::RECOVERED && matches!(nesting.room, Room::Any) {
            self.nesting.room = Room::Within(0);
            match self.process::<OM>(input.clone()) {
                Err(Err::Error(_) | Err::Failure(_)) => {}
                done => return done,
            }
            // no room for a list may have been the error; the one to report comes before or behind it, or there is none,
            // if items are smaller than their list said
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
