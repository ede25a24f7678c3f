//! Vector3.

use super::number::Number;
use crate::structure::{structure, vector};

structure! {
    /// A point or direction in space; of integers, Vector3i.
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Vector3.
    pub struct Vector3<N: Number>(vector3, gen_vector3) {
        /// Along x.
        pub x: N,
        /// Along y: up.
        pub y: N,
        /// Along z.
        pub z: N,
    }
    "00 00 80 3f 00 00 00 40 00 00 40 40"
    is Vector3 { x: 1.0, y: 2.0, z: 3.0 }
}

vector!("godot", Vector3<N> [f32; 3] { x, y, z });
