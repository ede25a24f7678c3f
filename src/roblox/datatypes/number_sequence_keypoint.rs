//! NumberSequenceKeypoint.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::structure;
use crate::wire::{field, field_value, float32, gen_float32s, ByteOrder, Le, Packed, Source, WireError};

structure! {
    /// A number at a time of a [`NumberSequence`](crate::roblox::attributes::NumberSequence).
    ///
    /// | field | type |
    /// |---|---|
    /// | envelope | float32 |
    /// | time | float32 |
    /// | value | float32 |
    #[derive(Copy, Default)]
    pub struct NumberSequenceKeypoint {
        /// How far the value may stray to either side.
        pub envelope: f32,
        /// When, between 0 and 1.
        pub time: f32,
        /// The number.
        pub value: f32,
    }
}

/// Reads a [`NumberSequenceKeypoint`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section NumberSequenceKeypoint.
#[inline]
pub fn number_sequence_keypoint<B: ByteOrder, I: Source, E: WireError<I>>(
) -> impl Parser<I, Output = NumberSequenceKeypoint, Error = E> {
    (field("envelope", float32::<B, I, E>()), field("time", float32::<B, I, E>()), field("value", float32::<B, I, E>()))
        .map(|(envelope, time, value)| NumberSequenceKeypoint { envelope, time, value })
}

/// Writes a [`NumberSequenceKeypoint`].
#[inline]
pub fn gen_number_sequence_keypoint<B: ByteOrder, W: Write>(value: NumberSequenceKeypoint) -> impl SerializeFn<W> {
    gen_float32s::<B, 3, W>([value.envelope, value.time, value.value])
}

impl Packed for NumberSequenceKeypoint {
    const SIZE: usize = 12;

    #[inline]
    fn parser<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Self, Error = E> {
        number_sequence_keypoint::<Le, I, E>()
    }

    #[inline]
    fn generator<W: Write>(self) -> impl SerializeFn<W> {
        gen_number_sequence_keypoint::<Le, W>(self)
    }
}

field_value!(NumberSequenceKeypoint: number_sequence_keypoint, gen_number_sequence_keypoint);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 00 00 00 00 00 3f 00 00 80 3f");
        let value = NumberSequenceKeypoint { envelope: 0.0, time: 0.5, value: 1.0 };
        both_ways(&bytes, value, number_sequence_keypoint::<Le, _, _>, gen_number_sequence_keypoint::<Le, _>(value));
    }
}
