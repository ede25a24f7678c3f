//! Rect.

use super::vector2::{gen_vector2, vector2, Vector2};
use crate::structure::{constructor, structure};

structure! {
    /// A rectangle.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section Rect.
    #[derive(Copy, Default)]
    pub struct Rect(rect, gen_rect) {
        /// The corner with the least coordinates.
        pub min: Vector2 = vector2, gen_vector2;
        /// The corner with the greatest coordinates.
        pub max: Vector2 = vector2, gen_vector2;
    }
    "00 00 20 41 00 00 a0 41 00 00 f0 41 00 00 20 42"
    is Rect { min: Vector2 { x: 10.0, y: 20.0 }, max: Vector2 { x: 30.0, y: 40.0 } }
}

constructor!(Rect { min: Vector2, max: Vector2 });
