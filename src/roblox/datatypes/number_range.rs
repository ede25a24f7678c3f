//! NumberRange.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::structure;
use crate::wire::{field, field_value, float32, gen_float32s, ByteOrder, Source, WireError};

structure! {
    /// A range of numbers.
    ///
    /// | field | type |
    /// |---|---|
    /// | min | float32 |
    /// | max | float32 |
    #[derive(Copy, Default)]
    pub struct NumberRange {
        /// The least.
        pub min: f32,
        /// The greatest.
        pub max: f32,
    }
}

/// Reads a [`NumberRange`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section NumberRange.
#[inline]
pub fn number_range<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = NumberRange, Error = E> {
    (field("min", float32::<B, I, E>()), field("max", float32::<B, I, E>())).map(|(min, max)| NumberRange { min, max })
}

/// Writes a [`NumberRange`].
#[inline]
pub fn gen_number_range<B: ByteOrder, W: Write>(value: NumberRange) -> impl SerializeFn<W> {
    gen_float32s::<B, 2, W>([value.min, value.max])
}

field_value!(NumberRange: number_range, gen_number_range);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 a0 40 00 00 20 41");
        let value = NumberRange { min: 5.0, max: 10.0 };
        both_ways(&bytes, value, number_range::<Le, _, _>, gen_number_range::<Le, _>(value));
    }
}
