//! What can be kept of broken input.

use nom::{Check, Complete, Emit, OutputM, Parser};

use super::source::Source;
use crate::Offset;

/// The value that `parser` reads from `input`, which is complete and broken. Every list around the error ends before the
/// item with the error. `None` if the error is not in a list.
///
/// ```
/// use enginewire::wire::{field, repeat, recover, uint8};
///
/// let list = || field("items", repeat(5, 1, uint8()));
/// assert_eq!(recover(&[1, 2, 3][..], list()), Some(vec![1, 2, 3]));
/// assert_eq!(recover(&[][..], field("item", uint8())), None);
/// ```
pub fn recover<I, P>(input: I, mut parser: P) -> Option<P::Output>
where
    I: Source,
    P: Parser<Recovered<I>, Error = ()>,
{
    let input = Recovered { input, is_exhausted: false };
    parser.process::<OutputM<Emit, Check, Complete>>(input).ok().map(|(_, value)| value)
}

/// A [`Source`] in which every list around the first error ends before the item with the error.
#[derive(Clone, Debug)]
pub struct Recovered<I> {
    input: I,
    is_exhausted: bool,
}

impl<I: Source> Source for Recovered<I> {
    type Bytes = I::Bytes;
    const RECOVERED: bool = true;

    fn remaining(&self) -> usize {
        if self.is_exhausted {
            0
        } else {
            self.input.remaining()
        }
    }

    fn offset_from(&self, start: &Self) -> Offset {
        self.input.offset_from(&start.input)
    }

    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        let (bytes, input) = self.input.chunk().filter(|_| !self.is_exhausted)?;
        Some((bytes, Recovered { input, is_exhausted: false }))
    }

    fn bytes(&self, count: usize) -> Option<(I::Bytes, Self)> {
        let (bytes, input) = self.input.bytes(count).filter(|_| !self.is_exhausted)?;
        Some((bytes, Recovered { input, is_exhausted: false }))
    }

    fn part(&self, length: usize) -> Option<(Self, Self)> {
        let (part, rest) = self.input.part(length).filter(|_| !self.is_exhausted)?;
        Some((Recovered { input: part, is_exhausted: false }, Recovered { input: rest, is_exhausted: false }))
    }

    fn exhaust(self) -> Self {
        Recovered { is_exhausted: true, ..self }
    }

    fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::source::tests::{reads_like_any_other, BYTES};

    #[test]
    fn broken_input_reads_like_any_other_until_a_list_is_broken_off() {
        let start = Recovered { input: BYTES, is_exhausted: false };
        reads_like_any_other(&start);
        let end = start.exhaust();
        assert!(end.is_exhausted() && end.remaining() == 0);
        assert!(end.chunk::<1>().is_none() && end.bytes(1).is_none() && end.part(1).is_none());
    }
}
