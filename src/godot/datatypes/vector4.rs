//! Vector4.

use super::number::structure_of_numbers;
use crate::structure::vector;

structure_of_numbers! {
    /// Four numbers; of integers, Vector4i.
    ///
    /// | field | type |
    /// |---|---|
    /// | x | number |
    /// | y | number |
    /// | z | number |
    /// | w | number |
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Vector4.
    pub struct Vector4<N> {
        /// The first.
        pub x: N,
        /// The second.
        pub y: N,
        /// The third.
        pub z: N,
        /// The fourth.
        pub w: N,
    }
    /// In little-endian, with reals of 32 bits, the bytes `00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40` are `Vector4 { x:
    /// 1.0, y: 2.0, z: 3.0, w: 4.0 }`.
    vector4 gen_vector4
}

vector!("godot", Vector4<N> [f32; 4] { x, y, z, w });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn numbers_in_order() {
        let value = Vector4 { x: 1.0_f32, y: 2.0, z: 3.0, w: 4.0 };
        both_ways(&hex("00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40"), value, vector4, gen_vector4(value));
    }
}
