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
    quaternion gen_quaternion
}

vector!("godot", Quaternion<N> [f32; 4] { x, y, z, w });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::datatypes::test::numbers;

    #[test]
    fn numbers_in_order() {
        let value = Quaternion { x: 1.0_f32, y: 2.0, z: 3.0, w: 4.0 };
        numbers(value, quaternion, gen_quaternion(value));
    }
}
