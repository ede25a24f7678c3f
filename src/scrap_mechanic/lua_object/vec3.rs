//! Vec3.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::{structure, vector};
use crate::wire::{field, float32, gen_float32s, Be, Source, WireError};

structure! {
    /// A point or direction in space.
    ///
    /// | field | bits | type |
    /// |---|---|---|
    /// | x | 32 | float32, big-endian |
    /// | y | 32 | float32, big-endian |
    /// | z | 32 | float32, big-endian |
    #[derive(Copy, Default)]
    pub struct Vec3 {
        /// Along x.
        pub x: f32,
        /// Along y.
        pub y: f32,
        /// Along z: up.
        pub z: f32,
    }
}

/// Reads a [`Vec3`].
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Vec3.
#[inline]
pub fn vec3<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Vec3, Error = E> {
    (field("x", float32::<Be, I, E>()), field("y", float32::<Be, I, E>()), field("z", float32::<Be, I, E>()))
        .map(|(x, y, z)| Vec3 { x, y, z })
}

/// Writes a [`Vec3`].
#[inline]
pub fn gen_vec3<W: Write>(Vec3 { x, y, z }: Vec3) -> impl SerializeFn<W> {
    gen_float32s::<Be, 3, W>([x, y, z])
}

vector!("scrap_mechanic::lua_object", Vec3 [f32; 3] { x, y, z });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("3f 80 00 00 c0 00 00 00 3f 00 00 00");
        let value = Vec3 { x: 1.0, y: -2.0, z: 0.5 };
        both_ways(&bytes, value, vec3, gen_vec3(value));
    }
}
