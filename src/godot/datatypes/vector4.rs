//! Vector4.

use super::number::Number;
use crate::structure::{structure, vector};

structure! {
    /// Four numbers; of integers, Vector4i.
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Vector4.
    pub struct Vector4<N: Number>(vector4, gen_vector4) {
        /// The first.
        pub x: N,
        /// The second.
        pub y: N,
        /// The third.
        pub z: N,
        /// The fourth.
        pub w: N,
    }
    "00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40"
    is Vector4 { x: 1.0, y: 2.0, z: 3.0, w: 4.0 }
}

vector!("godot", Vector4<N> [f32; 4] { x, y, z, w });
