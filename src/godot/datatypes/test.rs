//! A helper for the tests of structures.

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::test::both_ways;
use crate::wire::{Packed, Traceback};

/// `value` is made of 1, 2, 3, … in the order of the wire.
pub(super) fn numbers<T, P>(value: T, parser: impl Fn() -> P, generator: impl SerializeFn<Vec<u8>>)
where
    T: Packed,
    P: Parser<&'static [u8], Output = T, Error = Traceback<&'static [u8]>>,
{
    let count = u16::try_from(T::SIZE / 4).unwrap();
    let bytes: Vec<u8> = (1..=count).flat_map(|number| f32::from(number).to_le_bytes()).collect();
    both_ways(bytes.leak(), value, parser, generator);
}
