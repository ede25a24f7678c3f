//! Vector2.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::structure;
use crate::wire::{field, field_value, float32, gen_float32s, ByteOrder, Source, WireError};

structure! {
    /// A point or direction in the plane.
    ///
    /// | field | type |
    /// |---|---|
    /// | x | float32 |
    /// | y | float32 |
    #[derive(Copy, Default)]
    pub struct Vector2 {
        /// Along x.
        pub x: f32,
        /// Along y.
        pub y: f32,
    }
}

/// Reads a [`Vector2`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section Vector2.
#[inline]
pub fn vector2<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Vector2, Error = E> {
    (field("x", float32::<B, I, E>()), field("y", float32::<B, I, E>())).map(|(x, y)| Vector2 { x, y })
}

/// Writes a [`Vector2`].
#[inline]
pub fn gen_vector2<B: ByteOrder, W: Write>(value: Vector2) -> impl SerializeFn<W> {
    gen_float32s::<B, 2, W>([value.x, value.y])
}

field_value!(Vector2: vector2, gen_vector2);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 20 41 00 00 a0 41");
        let value = Vector2 { x: 10.0, y: 20.0 };
        both_ways(&bytes, value, vector2::<Le, _, _>, gen_vector2::<Le, _>(value));
    }
}
