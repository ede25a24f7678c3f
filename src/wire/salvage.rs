//! What can be kept of broken input.

use nom::{Check, Complete, Emit, OutputM, Parser};

use super::source::Source;
use crate::Offset;

/// What `parser` makes of `input`, which is complete, where every list that an error lies in ends before the error.
/// `None` if it lies in no list.
///
/// ```
/// use enginewire::wire::{field, repeat, salvage, uint8};
///
/// let list = || field("items", repeat(5, 1, uint8()));
/// assert_eq!(salvage(&[1, 2, 3][..], list()), Some(vec![1, 2, 3]));
/// assert_eq!(salvage(&[][..], field("item", uint8())), None);
/// ```
pub fn salvage<I, P>(input: I, mut parser: P) -> Option<P::Output>
where
    I: Source,
    P: Parser<Salvaged<I>, Error = ()>,
{
    let input = Salvaged { input, is_over: false };
    parser.process::<OutputM<Emit, Check, Complete>>(input).ok().map(|(_, value)| value)
}

/// A [`Source`] that ends where the first error is, for every list around it.
#[derive(Clone, Debug)]
pub struct Salvaged<I> {
    input: I,
    is_over: bool,
}

impl<I: Source> Source for Salvaged<I> {
    type Bytes = I::Bytes;
    const SALVAGED: bool = true;

    fn remaining(&self) -> usize {
        if self.is_over {
            0
        } else {
            self.input.remaining()
        }
    }

    fn offset_from(&self, start: &Self) -> Offset {
        self.input.offset_from(&start.input)
    }

    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        let (bytes, input) = self.input.chunk().filter(|_| !self.is_over)?;
        Some((bytes, Salvaged { input, is_over: false }))
    }

    fn bytes(&self, count: usize) -> Option<(I::Bytes, Self)> {
        let (bytes, input) = self.input.bytes(count).filter(|_| !self.is_over)?;
        Some((bytes, Salvaged { input, is_over: false }))
    }

    fn part(&self, length: usize) -> Option<(Self, Self)> {
        let (part, rest) = self.input.part(length).filter(|_| !self.is_over)?;
        Some((Salvaged { input: part, is_over: false }, Salvaged { input: rest, is_over: false }))
    }

    fn over(self) -> Self {
        Salvaged { is_over: true, ..self }
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}
