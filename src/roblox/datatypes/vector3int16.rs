//! Vector3int16.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::structure;
use crate::wire::{field, field_value, gen_int16, int16, ByteOrder, Source, WireError};

structure! {
    /// A point in space, in whole numbers.
    ///
    /// | field | type |
    /// |---|---|
    /// | x | int16 |
    /// | y | int16 |
    /// | z | int16 |
    #[derive(Copy, Default, Eq, Hash)]
    pub struct Vector3int16 {
        /// Along x.
        pub x: i16,
        /// Along y: up.
        pub y: i16,
        /// Along z.
        pub z: i16,
    }
}

/// Reads a [`Vector3int16`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section Vector3int16.
#[inline]
pub fn vector3int16<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Vector3int16, Error = E> {
    (field("x", int16::<B, I, E>()), field("y", int16::<B, I, E>()), field("z", int16::<B, I, E>()))
        .map(|(x, y, z)| Vector3int16 { x, y, z })
}

/// Writes a [`Vector3int16`].
#[inline]
pub fn gen_vector3int16<B: ByteOrder, W: Write>(value: Vector3int16) -> impl SerializeFn<W> {
    tuple((gen_int16::<B, W>(value.x), gen_int16::<B, W>(value.y), gen_int16::<B, W>(value.z)))
}

field_value!(Vector3int16: vector3int16, gen_vector3int16);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("01 00 02 00 fd ff");
        let value = Vector3int16 { x: 1, y: 2, z: -3 };
        both_ways(&bytes, value, vector3int16::<Le, _, _>, gen_vector3int16::<Le, _>(value));
    }
}
