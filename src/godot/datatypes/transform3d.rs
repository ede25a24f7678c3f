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
    /// In little-endian, with reals of 32 bits, the bytes `00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0
    /// 40 00 00 e0 40 00 00 00 41 00 00 10 41 00 00 20 41 00 00 30 41 00 00 40 41` are `Transform3D { basis: Basis { rows:
    /// [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]] }, origin: Vector3 { x: 10.0, y: 11.0, z: 12.0 } }`.
    transform3d gen_transform3d
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn numbers_in_order() {
        let value = Transform3D {
            basis: Basis { rows: [[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]] },
            origin: Vector3 { x: 10.0, y: 11.0, z: 12.0 },
        };
        let bytes = hex("00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0 40
             00 00 e0 40 00 00 00 41 00 00 10 41 00 00 20 41 00 00 30 41 00 00 40 41");
        both_ways(&bytes, value, transform3d, gen_transform3d(value));
    }
}
