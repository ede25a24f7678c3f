//! Reserved bytes.

use nom::Parser;

use crate::error::Fault;
use crate::wire::{fixed, noted, verify, Note, Source, WireError};

/// `N` reserved bytes, which must be 0 unless `any` is true.
pub(super) fn reserved<const N: usize, I: Source, E: WireError<I>>(
    any: bool,
) -> impl Parser<I, Output = [u8; N], Error = E> {
    let zero = move |bytes: [u8; N]| match any || bytes == [0; N] {
        true => Ok(bytes),
        false => Err(Fault::Other("reserved bytes are not 0".to_owned())),
    };
    let other = |bytes: &[u8; N]| (*bytes != [0; N]).then_some(Note::NonCanonical("reserved bytes that are not 0"));
    noted(verify(fixed::<N, I, E>(), zero), other)
}
