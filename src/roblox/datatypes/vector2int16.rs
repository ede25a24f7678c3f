//! Vector2int16.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::structure;
use crate::wire::{field, field_value, gen_int16, int16, ByteOrder, Source, WireError};

structure! {
    /// A point in the plane, in whole numbers.
    ///
    /// | field | type |
    /// |---|---|
    /// | x | int16 |
    /// | y | int16 |
    #[derive(Copy, Default, Eq, Hash)]
    pub struct Vector2int16 {
        /// Along x.
        pub x: i16,
        /// Along y.
        pub y: i16,
    }
}

/// Reads a [`Vector2int16`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section Vector2int16.
#[inline]
pub fn vector2int16<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Vector2int16, Error = E> {
    (field("x", int16::<B, I, E>()), field("y", int16::<B, I, E>())).map(|(x, y)| Vector2int16 { x, y })
}

/// Writes a [`Vector2int16`].
#[inline]
pub fn gen_vector2int16<B: ByteOrder, W: Write>(value: Vector2int16) -> impl SerializeFn<W> {
    tuple((gen_int16::<B, W>(value.x), gen_int16::<B, W>(value.y)))
}

field_value!(Vector2int16: vector2int16, gen_vector2int16);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("01 00 ff ff");
        let value = Vector2int16 { x: 1, y: -1 };
        both_ways(&bytes, value, vector2int16::<Le, _, _>, gen_vector2int16::<Le, _>(value));
    }
}
