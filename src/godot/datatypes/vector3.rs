//! Vector3.

use super::number::structure_of_numbers;
use crate::structure::vector;

structure_of_numbers! {
    /// A point or direction in space; of integers, Vector3i.
    ///
    /// | field | type |
    /// |---|---|
    /// | x | number |
    /// | y | number |
    /// | z | number |
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Vector3.
    pub struct Vector3<N> {
        /// Along x.
        pub x: N,
        /// Along y: up.
        pub y: N,
        /// Along z.
        pub z: N,
    }
    /// In little-endian, with reals of 32 bits, the bytes `00 00 80 3f 00 00 00 40 00 00 40 40` are `Vector3 { x: 1.0, y: 2.0,
    /// z: 3.0 }`.
    vector3 gen_vector3
}

vector!("godot", Vector3<N> [f32; 3] { x, y, z });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn numbers_in_order() {
        let value = Vector3 { x: 1.0_f32, y: 2.0, z: 3.0 };
        both_ways(&hex("00 00 80 3f 00 00 00 40 00 00 40 40"), value, vector3, gen_vector3(value));
    }
}
