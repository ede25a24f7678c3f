//! Ray.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::vector3::{gen_vector3, vector3, Vector3};
use crate::structure::structure;
use crate::wire::{field, field_value, ByteOrder, Source, WireError};

structure! {
    /// A half-line.
    ///
    /// | field | type |
    /// |---|---|
    /// | origin | Vector3 |
    /// | direction | Vector3 |
    #[derive(Copy, Default)]
    pub struct Ray {
        /// Where it begins.
        pub origin: Vector3,
        /// Where it goes.
        pub direction: Vector3,
    }
}

/// Reads a [`Ray`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section Ray.
#[inline]
pub fn ray<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Ray, Error = E> {
    (field("origin", vector3::<B, I, E>()), field("direction", vector3::<B, I, E>()))
        .map(|(origin, direction)| Ray { origin, direction })
}

/// Writes a [`Ray`].
#[inline]
pub fn gen_ray<B: ByteOrder, W: Write>(value: Ray) -> impl SerializeFn<W> {
    tuple((gen_vector3::<B, W>(value.origin), gen_vector3::<B, W>(value.direction)))
}

field_value!(Ray: ray, gen_ray);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 00");
        let value = Ray { origin: Vector3::default(), direction: Vector3 { x: 0.0, y: 1.0, z: 0.0 } };
        both_ways(&bytes, value, ray::<Le, _, _>, gen_ray::<Le, _>(value));
    }
}
