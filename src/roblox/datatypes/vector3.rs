//! Vector3.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::structure;
use crate::wire::{field, field_value, float32, gen_float32s, ByteOrder, Source, WireError};

structure! {
    /// A point or direction in space, in studs where it is a position.
    ///
    /// | field | type |
    /// |---|---|
    /// | x | float32 |
    /// | y | float32 |
    /// | z | float32 |
    #[derive(Copy, Default)]
    pub struct Vector3 {
        /// Along x.
        pub x: f32,
        /// Along y: up.
        pub y: f32,
        /// Along z.
        pub z: f32,
    }
}

/// Reads a [`Vector3`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section Vector3.
#[inline]
pub fn vector3<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Vector3, Error = E> {
    (field("x", float32::<B, I, E>()), field("y", float32::<B, I, E>()), field("z", float32::<B, I, E>()))
        .map(|(x, y, z)| Vector3 { x, y, z })
}

/// Writes a [`Vector3`].
#[inline]
pub fn gen_vector3<B: ByteOrder, W: Write>(value: Vector3) -> impl SerializeFn<W> {
    gen_float32s::<B, 3, W>([value.x, value.y, value.z])
}

field_value!(Vector3: vector3, gen_vector3);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 20 41 00 00 a0 41 00 00 f0 41");
        let value = Vector3 { x: 10.0, y: 20.0, z: 30.0 };
        both_ways(&bytes, value, vector3::<Le, _, _>, gen_vector3::<Le, _>(value));
    }
}
