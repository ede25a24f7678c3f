//! Aabb.

use super::number::structure_of_numbers;
use super::vector3::Vector3;

structure_of_numbers! {
    /// A box in space, along the axes.
    ///
    /// | field | type |
    /// |---|---|
    /// | position | [`Vector3`] |
    /// | size | [`Vector3`] |
    ///
    /// Specification: `docs/spec/godot-variant.md`, section AABB.
    pub struct Aabb<N> {
        /// The corner where it begins.
        pub position: Vector3<N>,
        /// From there to the opposite corner.
        pub size: Vector3<N>,
    }
    /// In little-endian, with reals of 32 bits, the bytes `00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0
    /// 40` are `Aabb { position: Vector3 { x: 1.0, y: 2.0, z: 3.0 }, size: Vector3 { x: 4.0, y: 5.0, z: 6.0 } }`.
    aabb gen_aabb
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn numbers_in_order() {
        let value = Aabb { position: Vector3 { x: 1.0_f32, y: 2.0, z: 3.0 }, size: Vector3 { x: 4.0, y: 5.0, z: 6.0 } };
        let bytes = hex("00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0 40");
        both_ways(&bytes, value, aabb, gen_aabb(value));
    }
}
