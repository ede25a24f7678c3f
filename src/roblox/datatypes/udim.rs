//! UDim.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::structure;
use crate::wire::{field, field_value, float32, gen_float32, gen_int32, int32, ByteOrder, Source, WireError};

structure! {
    /// A length on the screen: a share of the parent and a number of pixels.
    ///
    /// | field | type |
    /// |---|---|
    /// | scale | float32 |
    /// | offset | int32 |
    #[derive(Copy, Default)]
    pub struct UDim {
        /// The share of the parent: 1 is all of it.
        pub scale: f32,
        /// The pixels added to it.
        pub offset: i32,
    }
}

/// Reads a [`UDim`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section UDim.
#[inline]
pub fn udim<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = UDim, Error = E> {
    (field("scale", float32::<B, I, E>()), field("offset", int32::<B, I, E>()))
        .map(|(scale, offset)| UDim { scale, offset })
}

/// Writes a [`UDim`].
#[inline]
pub fn gen_udim<B: ByteOrder, W: Write>(value: UDim) -> impl SerializeFn<W> {
    tuple((gen_float32::<B, W>(value.scale), gen_int32::<B, W>(value.offset)))
}

field_value!(UDim: udim, gen_udim);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 f6 42 c8 01 00 00");
        let value = UDim { scale: 123.0, offset: 456 };
        both_ways(&bytes, value, udim::<Le, _, _>, gen_udim::<Le, _>(value));
    }
}
