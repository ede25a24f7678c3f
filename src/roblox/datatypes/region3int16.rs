//! Region3int16.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::vector3int16::{gen_vector3int16, vector3int16, Vector3int16};
use crate::structure::structure;
use crate::wire::{field, field_value, ByteOrder, Source, WireError};

structure! {
    /// A box in space, in whole numbers.
    ///
    /// | field | type |
    /// |---|---|
    /// | min | Vector3int16 |
    /// | max | Vector3int16 |
    #[derive(Copy, Default, Eq, Hash)]
    pub struct Region3int16 {
        /// The corner with the least coordinates.
        pub min: Vector3int16,
        /// The corner with the greatest coordinates.
        pub max: Vector3int16,
    }
}

/// Reads a [`Region3int16`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section Region3int16.
#[inline]
pub fn region3int16<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Region3int16, Error = E> {
    (field("min", vector3int16::<B, I, E>()), field("max", vector3int16::<B, I, E>()))
        .map(|(min, max)| Region3int16 { min, max })
}

/// Writes a [`Region3int16`].
#[inline]
pub fn gen_region3int16<B: ByteOrder, W: Write>(value: Region3int16) -> impl SerializeFn<W> {
    tuple((gen_vector3int16::<B, W>(value.min), gen_vector3int16::<B, W>(value.max)))
}

field_value!(Region3int16: region3int16, gen_region3int16);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 00 00 00 00 01 00 01 00 01 00");
        let value = Region3int16 { min: Vector3int16::default(), max: Vector3int16 { x: 1, y: 1, z: 1 } };
        both_ways(&bytes, value, region3int16::<Le, _, _>, gen_region3int16::<Le, _>(value));
    }
}
