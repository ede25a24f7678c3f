//! Plane.

use super::number::Number;
use super::vector3::Vector3;
use crate::structure::structure;

structure! {
    /// A plane in space.
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Plane.
    pub struct Plane<N: Number>(plane, gen_plane) {
        /// The direction it faces.
        pub normal: Vector3<N>,
        /// Its distance from the origin, along the normal.
        pub d: N,
    }
    "00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40"
    is Plane { normal: Vector3 { x: 1.0, y: 2.0, z: 3.0 }, d: 4.0 }
}
