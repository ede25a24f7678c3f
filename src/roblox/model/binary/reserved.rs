//! Bytes that are kept for later.

use std::marker::PhantomData;

use nom::{Mode, OutputMode, PResult, Parser};

use crate::error::Fault;
use crate::wire::{fault, to_u64, truncated, Note, Source, WireError};

/// `N` bytes of 0, or, where that is allowed, any.
pub(super) fn reserved<const N: usize, I: Source, E: WireError<I>>(
    any: bool,
) -> impl Parser<I, Output = [u8; N], Error = E> {
    Reserved(any, PhantomData)
}

struct Reserved<const N: usize, E>(bool, PhantomData<fn() -> E>);

impl<const N: usize, I: Source, E: WireError<I>> Parser<I> for Reserved<N, E> {
    type Output = [u8; N];
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, [u8; N], E> {
        match input.chunk::<N>() {
            Some((bytes, rest)) if bytes == [0; N] => Ok((rest, OM::Output::bind(|| bytes))),
            Some((bytes, rest)) if self.0 => {
                input.note(Note::NonCanonical("reserved bytes that are not 0"));
                Ok((rest, OM::Output::bind(|| bytes)))
            }
            Some(_) => Err(fault::<I, OM, E>(input, Fault::Other("reserved bytes are not 0".to_owned()))),
            None => Err(truncated::<I, OM, E>(input, to_u64(N))),
        }
    }
}
