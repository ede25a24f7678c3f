//! Vector2.

use super::number::Number;
use crate::structure::{structure, vector};

structure! {
    /// A point or direction in the plane; of integers, Vector2i.
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Vector2.
    pub struct Vector2<N: Number>(vector2, gen_vector2) {
        /// Along x.
        pub x: N,
        /// Along y: down.
        pub y: N,
    }
    "00 00 80 3f 00 00 00 40"
    is Vector2 { x: 1.0, y: 2.0 }
}

vector!("godot", Vector2<N> [f32; 2] { x, y });
