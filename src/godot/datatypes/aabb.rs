//! Aabb.

use super::number::Number;
use super::vector3::Vector3;
use crate::structure::structure;

structure! {
    /// A box in space, along the axes.
    ///
    /// Specification: `docs/spec/godot-variant.md`, section AABB.
    pub struct Aabb<N: Number>(aabb, gen_aabb) {
        /// The corner where it begins.
        pub position: Vector3<N>,
        /// From there to the opposite corner.
        pub size: Vector3<N>,
    }
    "00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0 40"
    is Aabb { position: Vector3 { x: 1.0, y: 2.0, z: 3.0 }, size: Vector3 { x: 4.0, y: 5.0, z: 6.0 } }
}
