//! Parts whose length is known beforehand.

use std::fmt::Debug;

use nom::error::{ErrorKind, ParseError};
use nom::{Complete, Err, Mode, OutputM, OutputMode, PResult, Parser};

use super::error::{fault, short, WireError};
use super::source::{to_usize, Label, Note, Source};
use super::unfold::Opened;
use crate::error::Fault;
use crate::Offset;

/// The next so many bytes of a source, as a source of their own.
#[derive(Clone, Debug)]
pub struct Part<I> {
    input: I,
    left: usize,
}

impl<I: Source> Part<I> {
    fn behind(&self, used: usize, input: I) -> Self {
        Part { input, left: self.left.saturating_sub(used) }
    }
}

impl<I: Source> Source for Part<I> {
    type Bytes = I::Bytes;
    const TRACED: bool = I::TRACED;
    const SALVAGED: bool = I::SALVAGED;

    #[inline(always)]
    fn remaining(&self) -> usize {
        self.left.min(self.input.remaining())
    }

    #[inline(always)]
    fn offset_from(&self, start: &Self) -> Offset {
        self.input.offset_from(&start.input)
    }

    #[inline(always)]
    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        let (bytes, rest) = self.input.chunk::<N>().filter(|_| N <= self.left)?;
        Some((bytes, self.behind(N, rest)))
    }

    #[inline(always)]
    fn bytes(&self, count: usize) -> Option<(I::Bytes, Self)> {
        let (bytes, rest) = self.input.bytes(count).filter(|_| count <= self.left)?;
        Some((bytes, self.behind(count, rest)))
    }

    #[inline(always)]
    fn at_bit(&self, bit: u8) -> Self {
        Part { input: self.input.at_bit(bit), left: self.left }
    }

    #[inline(always)]
    fn bit(&self) -> u8 {
        self.input.bit()
    }

    #[inline(always)]
    fn open(&self, label: Label<'_>) {
        self.input.open(label);
    }

    #[inline(always)]
    fn close(&self, value: &dyn Debug) {
        self.input.close(value);
    }

    #[inline(always)]
    fn key(&self, key: &dyn Debug) {
        self.input.key(key);
    }

    #[inline(always)]
    fn note(&self, note: Note) {
        self.input.note(note);
    }

    #[inline(always)]
    fn over(self) -> Self {
        Part { input: self.input.over(), left: 0 }
    }

    #[inline(always)]
    fn resume(&self) -> Option<(usize, Self)> {
        let (count, rest) = self.input.resume()?;
        let used = self.input.remaining().saturating_sub(rest.remaining());
        Some((count, self.behind(used, rest)))
    }

    #[inline(always)]
    fn reached(&self, count: usize) {
        self.input.reached(count);
    }

    #[inline(always)]
    fn recall(&self) -> Option<(Vec<Opened>, Self)> {
        let (opened, rest) = self.input.recall()?;
        let used = self.input.remaining().saturating_sub(rest.remaining());
        Some((opened, self.behind(used, rest)))
    }

    #[inline(always)]
    fn remember(&self, start: &Self, depth: usize, opened: Opened) {
        self.input.remember(&start.input, depth, opened);
    }

    #[inline(always)]
    fn leave(self) -> Self {
        Part { input: self.input.leave(), left: self.left }
    }
}

/// The error of a parser on a [`Part`], where that of the parser around it is `E`.
#[derive(Clone, Copy, Debug)]
pub struct PartError<E>(E);

impl<I, E: ParseError<I>> ParseError<Part<I>> for PartError<E> {
    #[cold]
    fn from_error_kind(at: Part<I>, kind: ErrorKind) -> Self {
        PartError(E::from_error_kind(at.input, kind))
    }

    #[cold]
    fn append(at: Part<I>, kind: ErrorKind, other: Self) -> Self {
        PartError(E::append(at.input, kind, other.0))
    }
}

impl<I, E: WireError<I>> WireError<Part<I>> for PartError<E> {
    #[cold]
    fn fault(at: Part<I>, fault: Fault) -> Self {
        PartError(E::fault(at.input, fault))
    }

    #[cold]
    fn at_bit(self, bit: u8) -> Self {
        PartError(self.0.at_bit(bit))
    }

    #[cold]
    fn within(self, label: Label<'_>) -> Self {
        PartError(self.0.within(label))
    }
}

/// The next `length` bytes, of which `parser` must read all, unless `trailing` allows others behind it.
///
/// They must all be there before `parser` sees one of them.
#[inline]
pub fn part<P>(length: u32, trailing: bool, parser: P) -> InPart<P> {
    InPart { length, trailing, parser }
}

/// A parser within a part. Made by [`part`].
#[derive(Clone, Copy, Debug)]
pub struct InPart<P> {
    length: u32,
    trailing: bool,
    parser: P,
}

impl<I, P, E> Parser<I> for InPart<P>
where
    I: Source,
    P: Parser<Part<I>, Error = PartError<E>>,
    E: WireError<I>,
{
    type Output = P::Output;
    type Error = E;

    #[inline(always)]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, P::Output, E> {
        let left = to_usize(self.length);
        if input.remaining() < left && !I::SALVAGED {
            return Err(short::<I, OM, E>(input, self.length.into()));
        }
        match self.parser.process::<OutputM<OM::Output, OM::Error, Complete>>(Part { input, left }) {
            Ok((Part { input, left: 0 }, value)) => Ok((input, value)),
            Ok((Part { input, left }, value)) => {
                if !self.trailing {
                    return Err(fault::<I, OM, E>(input, Fault::Trailing));
                }
                input.note(Note::NonCanonical("bytes after the end of the value"));
                let rest = input.bytes(left).map(|(_, rest)| rest);
                Ok((rest.unwrap_or_else(|| input.over()), value))
            }
            Err(Err::Error(error)) => Err(Err::Error(OM::Error::map(error, |PartError(error)| error))),
            Err(Err::Failure(PartError(error))) => Err(Err::Failure(error)),
            Err(Err::Incomplete(needed)) => Err(Err::Incomplete(needed)),
        }
    }
}
