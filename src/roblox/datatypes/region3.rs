//! Region3.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::vector3::{gen_vector3, vector3, Vector3};
use crate::structure::structure;
use crate::wire::{field, field_value, ByteOrder, Source, WireError};

structure! {
    /// A box in space.
    ///
    /// | field | type |
    /// |---|---|
    /// | min | Vector3 |
    /// | max | Vector3 |
    #[derive(Copy, Default)]
    pub struct Region3 {
        /// The corner with the least coordinates.
        pub min: Vector3,
        /// The corner with the greatest coordinates.
        pub max: Vector3,
    }
}

/// Reads a [`Region3`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section Region3.
#[inline]
pub fn region3<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Region3, Error = E> {
    (field("min", vector3::<B, I, E>()), field("max", vector3::<B, I, E>())).map(|(min, max)| Region3 { min, max })
}

/// Writes a [`Region3`].
#[inline]
pub fn gen_region3<B: ByteOrder, W: Write>(value: Region3) -> impl SerializeFn<W> {
    tuple((gen_vector3::<B, W>(value.min), gen_vector3::<B, W>(value.max)))
}

field_value!(Region3: region3, gen_region3);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 80 3f 00 00 80 3f");
        let value = Region3 { min: Vector3::default(), max: Vector3 { x: 1.0, y: 1.0, z: 1.0 } };
        both_ways(&bytes, value, region3::<Le, _, _>, gen_region3::<Le, _>(value));
    }
}
