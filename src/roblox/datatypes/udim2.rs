//! UDim2.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::udim::{gen_udim, udim, UDim};
use crate::structure::structure;
use crate::wire::{field, field_value, ByteOrder, Source, WireError};

structure! {
    /// A position or size on the screen.
    ///
    /// | field | type |
    /// |---|---|
    /// | x | UDim |
    /// | y | UDim |
    #[derive(Copy, Default)]
    pub struct UDim2 {
        /// From left to right.
        pub x: UDim,
        /// From top to bottom.
        pub y: UDim,
    }
}

/// Reads a [`UDim2`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section UDim2.
#[inline]
pub fn udim2<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = UDim2, Error = E> {
    (field("x", udim::<B, I, E>()), field("y", udim::<B, I, E>())).map(|(x, y)| UDim2 { x, y })
}

/// Writes a [`UDim2`].
#[inline]
pub fn gen_udim2<B: ByteOrder, W: Write>(value: UDim2) -> impl SerializeFn<W> {
    tuple((gen_udim::<B, W>(value.x), gen_udim::<B, W>(value.y)))
}

field_value!(UDim2: udim2, gen_udim2);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 80 3f 02 00 00 00 00 00 40 40 04 00 00 00");
        let value = UDim2 { x: UDim { scale: 1.0, offset: 2 }, y: UDim { scale: 3.0, offset: 4 } };
        both_ways(&bytes, value, udim2::<Le, _, _>, gen_udim2::<Le, _>(value));
    }
}
