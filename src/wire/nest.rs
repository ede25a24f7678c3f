//! Containers inside containers: how deep they go, and what they may reserve.

use std::io::Write;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{OutputMode, PResult, Parser};

use super::error::{fault, WireError};
use super::field::Unvalued;
use super::generate::depth_error;
use super::repeat::building;
use super::source::Source;
use crate::error::Fault;
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
    /// Whether the value was found valid before, as part of the container around it.
    proven: bool,
}

impl<O: Limited> From<O> for Nesting<O> {
    fn from(options: O) -> Self {
        Nesting { options, levels: options.limits().depth(), proven: false }
    }
}

impl<O: Limited + Default> Default for Nesting<O> {
    fn default() -> Self {
        O::default().into()
    }
}

impl<O: Copy> Nesting<O> {
    /// As deep as any can be.
    pub(crate) const fn deepest(options: O) -> Self {
        Nesting { options, levels: Limits::MAX_DEPTH, proven: false }
    }

    /// The options.
    #[inline(always)]
    pub fn options(&self) -> O {
        self.options
    }

    /// What holds inside a container, unless that is one too many.
    #[inline(always)]
    pub(crate) fn deeper(self) -> Option<Self> {
        Some(Nesting { levels: self.levels.checked_sub(1)?, ..self })
    }
}

/// The fault of one container too many.
#[cold]
pub(crate) fn too_deep(options: impl Limited) -> Fault {
    Fault::TooDeep { limit: options.limits().depth() }
}

/// A container inside another: one level deeper, and found valid before it is built.
#[inline]
pub(crate) fn nested<O, C, P>(nesting: Nesting<O>, container: C) -> Nested<O, C>
where
    C: Fn(Nesting<O>) -> P,
{
    Nested { nesting, container }
}

pub(crate) struct Nested<O, C> {
    nesting: Nesting<O>,
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
        let Some(nesting) = self.nesting.deeper() else {
            return Err(fault::<I, OM, P::Error>(input, too_deep(self.nesting.options)));
        };
        // A list inside a list may promise more items than there are, at every level anew. Found valid, it has them, and
        // so do all those inside it. A listener wants to hear of every field once, and of those before a fault too.
        if building::<OM>() && !nesting.proven && !I::TRACED {
            self.process::<Unvalued<OM>>(input.clone())?;
        }
        (self.container)(Nesting { proven: true, ..nesting }).process::<OM>(input)
    }
}

/// Writes a container inside another, or fails if it is one too many.
pub(crate) fn nested_generator<'v, O, T, W, G>(
    nesting: Nesting<O>,
    container: &'v T,
    generator: impl Fn(Nesting<O>, &'v T) -> G + 'v,
) -> impl SerializeFn<W> + 'v
where
    O: Copy + 'v,
    T: ?Sized,
    W: Write + 'v,
    G: SerializeFn<W>,
{
    move |out: WriteContext<W>| match nesting.deeper() {
        Some(nesting) => generator(nesting, container)(out),
        None => Err(depth_error()),
    }
}
