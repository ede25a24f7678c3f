//! Transform3D.

use super::basis::Basis;
use super::number::structure_of_numbers;
use super::vector3::Vector3;

structure_of_numbers! {
    /// A transformation of space; in version 3, Transform.
    ///
    /// | field | type |
    /// |---|---|
    /// | basis | [`Basis`] |
    /// | origin | [`Vector3`] |
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Transform3D.
    #[doc(alias = "Transform")]
    pub struct Transform3D<N> {
        /// The axes after the transformation.
        pub basis: Basis<N>,
        /// The origin after the transformation.
        pub origin: Vector3<N>,
    }
    transform3d gen_transform3d
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::datatypes::test::numbers;

    #[test]
    fn numbers_in_order() {
        let value = Transform3D {
            basis: Basis { rows: [[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]] },
            origin: Vector3 { x: 10.0, y: 11.0, z: 12.0 },
        };
        numbers(value, transform3d, gen_transform3d(value));
    }
}
