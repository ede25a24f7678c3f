//! Transform3D.

use super::basis::Basis;
use super::number::Number;
use super::vector3::Vector3;
use crate::structure::structure;

structure! {
    /// A transformation of space; in version 3, Transform.
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Transform3D.
    #[doc(alias = "Transform")]
    pub struct Transform3D<N: Number>(transform3d, gen_transform3d) {
        /// The axes after the transformation.
        pub basis: Basis<N>,
        /// The origin after the transformation.
        pub origin: Vector3<N>,
    }
    "00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0 40 00 00 e0 40 00 00 00 41 \
     00 00 10 41 00 00 20 41 00 00 30 41 00 00 40 41"
    is Transform3D {
        basis: Basis { rows: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]] },
        origin: Vector3 { x: 10.0, y: 11.0, z: 12.0 },
    }
}
