//! Quaternion.

use super::number::structure_of_numbers;
use crate::structure::vector;

structure_of_numbers! {
    /// A rotation; in version 3, Quat.
    ///
    /// | field | type |
    /// |---|---|
    /// | x | number |
    /// | y | number |
    /// | z | number |
    /// | w | number |
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Quaternion.
    #[doc(alias = "Quat")]
    pub struct Quaternion<N> {
        /// Imaginary part along x.
        pub x: N,
        /// Imaginary part along y.
        pub y: N,
        /// Imaginary part along z.
        pub z: N,
        /// Real part.
        pub w: N,
    }
    /// In little-endian, with reals of 32 bits, the bytes `00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40` are `Quaternion {
    /// x: 1.0, y: 2.0, z: 3.0, w: 4.0 }`.
    quaternion gen_quaternion
}

vector!("godot", Quaternion<N> [f32; 4] { x, y, z, w });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn numbers_in_order() {
        let value = Quaternion { x: 1.0_f32, y: 2.0, z: 3.0, w: 4.0 };
        both_ways(&hex("00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40"), value, quaternion, gen_quaternion(value));
    }
}
