//! Vector2.

use crate::structure::{structure, vector};
use crate::wire::float32;

structure! {
    /// A point or direction in the plane.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section Vector2.
    #[derive(Copy, Default)]
    pub struct Vector2(vector2, gen_vector2) {
        /// Along x.
        pub x: f32,
        /// Along y.
        pub y: f32,
    }
    "00 00 20 41 00 00 a0 41"
    is Vector2 { x: 10.0, y: 20.0 }
}

vector!("roblox::datatypes", Vector2 [f32; 2] { x, y });
