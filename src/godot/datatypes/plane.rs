//! Plane.

use super::number::structure_of_numbers;
use super::vector3::Vector3;

structure_of_numbers! {
    /// A plane in space.
    ///
    /// | field | type |
    /// |---|---|
    /// | normal | [`Vector3`] |
    /// | d | number |
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Plane.
    pub struct Plane<N> {
        /// The direction it faces.
        pub normal: Vector3<N>,
        /// Its distance from the origin, along the normal.
        pub d: N,
    }
    /// In little-endian, with reals of 32 bits, the bytes `00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40` are `Plane {
    /// normal: Vector3 { x: 1.0, y: 2.0, z: 3.0 }, d: 4.0 }`.
    plane gen_plane
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn numbers_in_order() {
        let value = Plane { normal: Vector3 { x: 1.0_f32, y: 2.0, z: 3.0 }, d: 4.0 };
        both_ways(&hex("00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40"), value, plane, gen_plane(value));
    }
}
