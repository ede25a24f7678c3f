//! Parts whose byte order the input tells.
//!
//! The numbers of most formats have one byte order, which is a type: [`Le`](crate::wire::Le) or [`Be`](crate::wire::Be). Where a field decides
//! it, [`ordered`] runs a parser of little-endian numbers on an [`Ordered`] source, which can give the bytes of each number in
//! reverse. So the parser is compiled once for both orders.

use std::fmt::Debug;

use nom::error::{ErrorKind, ParseError};
use nom::{Err, Mode, OutputMode, PResult, Parser};

use super::frame::Frame;
use super::source::{Label, Note, Source};
use crate::error::Fault;
use crate::wire::WireError;
use crate::Offset;

/// A [`Source`] whose numbers are little-endian, also if its input is big-endian. Borrowed bytes stay as they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ordered<I> {
    input: I,
    big_endian: bool,
}

impl<I: Source> Ordered<I> {
    /// A source of numbers in this order.
    pub(crate) fn new(input: I, big_endian: bool) -> Self {
        Ordered { input, big_endian }
    }

    #[cfg_attr(fast, inline(always))]
    fn with(&self, input: I) -> Self {
        Ordered { input, big_endian: self.big_endian }
    }
}

impl<I: Source> Source for Ordered<I> {
    type Bytes = I::Bytes;
    const INSTRUMENTED: bool = I::INSTRUMENTED;

    fn is_traced(&self) -> bool {
        self.input.is_traced()
    }

    fn is_recovered(&self) -> bool {
        self.input.is_recovered()
    }

    fn may_grow(&self) -> bool {
        self.input.may_grow()
    }

    fn completed(self) -> Self {
        Ordered { input: self.input.completed(), ..self }
    }

    fn remaining(&self) -> usize {
        self.input.remaining()
    }

    fn offset_from(&self, start: &Self) -> Offset {
        self.input.offset_from(&start.input)
    }

    #[cfg_attr(fast, inline(always))]
    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        let (mut bytes, rest) = self.input.chunk::<N>()?;
        if self.big_endian {
            bytes.reverse();
        }
        Some((bytes, self.with(rest)))
    }

    fn bytes(&self, count: usize) -> Option<(I::Bytes, Self)> {
        self.input.bytes(count).map(|(bytes, rest)| (bytes, self.with(rest)))
    }

    fn part(&self, length: usize) -> Option<(Self, Self)> {
        self.input.part(length).map(|(part, rest)| (self.with(part), self.with(rest)))
    }

    fn at_bit(&self, bit: u8) -> Self {
        self.with(self.input.at_bit(bit))
    }

    fn bit(&self) -> u8 {
        self.input.bit()
    }

    fn open(&self, label: Label<'_>) {
        self.input.open(label);
    }

    fn close(&self, value: &dyn Debug) {
        self.input.close(value);
    }

    fn key(&self, key: &dyn Debug) {
        self.input.key(key);
    }

    fn note_at_bit(&self, bit: u8, note: Note) {
        self.input.note_at_bit(bit, note);
    }

    fn exhaust(self) -> Self {
        Ordered { input: self.input.exhaust(), ..self }
    }

    fn is_exhausted(&self) -> bool {
        self.input.is_exhausted()
    }

    fn resume(&self) -> Option<(usize, Self)> {
        self.input.resume().map(|(count, input)| (count, self.with(input)))
    }

    fn reached(&self, count: usize) {
        self.input.reached(count);
    }

    fn leave(self) -> Self {
        Ordered { input: self.input.leave(), ..self }
    }

    fn recall(&self) -> Option<(Vec<Frame>, Self)> {
        self.input.recall().map(|(opened, input)| (opened, self.with(input)))
    }

    fn remember(&self, start: &Self, depth: usize, opened: Frame) {
        self.input.remember(&start.input, depth, opened);
    }
}

/// The error of a parser on [`Ordered`], where that of the parser around it is `E`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderedError<E>(E);

impl<I, E: ParseError<I>> ParseError<Ordered<I>> for OrderedError<E> {
    #[cold]
    fn from_error_kind(at: Ordered<I>, kind: ErrorKind) -> Self {
        OrderedError(E::from_error_kind(at.input, kind))
    }

    #[cold]
    fn append(at: Ordered<I>, kind: ErrorKind, other: Self) -> Self {
        OrderedError(E::append(at.input, kind, other.0))
    }
}

impl<I, E: WireError<I>> WireError<Ordered<I>> for OrderedError<E> {
    const LABELLED: bool = E::LABELLED;

    #[cold]
    fn fault(at: Ordered<I>, fault: Fault) -> Self {
        OrderedError(E::fault(at.input, fault))
    }

    #[cold]
    fn at_bit(self, bit: u8) -> Self {
        OrderedError(self.0.at_bit(bit))
    }

    #[cold]
    fn within(self, label: Label<'_>) -> Self {
        OrderedError(self.0.within(label))
    }

    #[cold]
    fn in_complete_part(self) -> Self {
        OrderedError(self.0.in_complete_part())
    }
}

/// Reads numbers in this order with a parser of little-endian numbers.
pub(crate) fn ordered<P>(big_endian: bool, parser: P) -> InOrder<P> {
    InOrder { big_endian, parser }
}

/// A part in a byte order. Made by [`ordered`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct InOrder<P> {
    big_endian: bool,
    parser: P,
}

impl<I, P, E> Parser<I> for InOrder<P>
where
    I: Source,
    P: Parser<Ordered<I>, Error = OrderedError<E>>,
    E: WireError<I>,
{
    type Output = P::Output;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, E> {
        match self.parser.process::<OM>(Ordered::new(input, self.big_endian)) {
            Ok((rest, value)) => Ok((rest.input, value)),
            Err(Err::Error(error)) => Err(Err::Error(OM::Error::map(error, |OrderedError(error)| error))),
            Err(Err::Failure(OrderedError(error))) => Err(Err::Failure(error)),
            Err(Err::Incomplete(needed)) => Err(Err::Incomplete(needed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::input::source::tests::{reads_like_any_other, BYTES};
    use crate::wire::{field, run, uint16, uint32, Le};
    use pretty_assertions::assert_eq;

    #[test]
    fn little_endian_bytes_read_like_any_other() {
        reads_like_any_other(&Ordered::new(BYTES, false));
    }

    /// Numbers are reversed and bytes are not; an error keeps its place and path.
    #[test]
    fn numbers_of_either_order() {
        let pair = || (field("a", uint16::<Le, _, _>()), field("b", uint32::<Le, _, _>()));
        let read = |big_endian, input: &'static [u8]| run(input, ordered(big_endian, pair())).map(|(_, read)| read);
        assert_eq!(read(false, BYTES), Ok((0x0201, 0x0605_0403)));
        assert_eq!(read(true, BYTES), Ok((0x0102, 0x0304_0506)));
        let error = read(true, &BYTES[..5]).unwrap_err();
        assert_eq!(error.to_string(), "input ends too early: 4 bytes needed, 3 left, at byte 0x2 in b");
        let (bytes, rest) = Ordered::new(BYTES, true).bytes(2).unwrap();
        assert_eq!((bytes.as_ref(), rest.chunk::<1>().unwrap().0), (&BYTES[..2], [3]));
    }
}
