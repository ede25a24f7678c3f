//! Quat.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::{structure, vector};
use crate::wire::{field, float32, gen_float32s, Be, Source, WireError};

structure! {
    /// A rotation.
    ///
    /// | field | bits | type |
    /// |---|---|---|
    /// | x | 32 | float32, big-endian |
    /// | y | 32 | float32, big-endian |
    /// | z | 32 | float32, big-endian |
    /// | w | 32 | float32, big-endian |
    #[doc(alias = "Quaternion")]
    #[derive(Copy, Default)]
    pub struct Quat {
        /// Of the vector part.
        pub x: f32,
        /// Of the vector part.
        pub y: f32,
        /// Of the vector part.
        pub z: f32,
        /// The scalar part.
        pub w: f32,
    }
}

/// Reads a [`Quat`].
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Quat.
#[inline]
pub fn quat<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Quat, Error = E> {
    (
        field("x", float32::<Be, I, E>()),
        field("y", float32::<Be, I, E>()),
        field("z", float32::<Be, I, E>()),
        field("w", float32::<Be, I, E>()),
    )
        .map(|(x, y, z, w)| Quat { x, y, z, w })
}

/// Writes a [`Quat`].
#[inline]
pub fn gen_quat<W: Write>(Quat { x, y, z, w }: Quat) -> impl SerializeFn<W> {
    gen_float32s::<Be, 4, W>([x, y, z, w])
}

vector!("scrap_mechanic::lua_object", Quat [f32; 4] { x, y, z, w });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 00 00 3f 00 00 00 80 00 00 00 3f 80 00 00");
        let value = Quat { x: 0.0, y: 0.5, z: -0.0, w: 1.0 };
        both_ways(&bytes, value, quat, gen_quat(value));
    }
}
