//! Rect2.

use super::number::Number;
use super::vector2::Vector2;
use crate::structure::structure;

structure! {
    /// A rectangle in the plane; of integers, Rect2i.
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Rect2.
    pub struct Rect2<N: Number>(rect2, gen_rect2) {
        /// The corner where it begins.
        pub position: Vector2<N>,
        /// From there to the opposite corner.
        pub size: Vector2<N>,
    }
    "00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40"
    is Rect2 { position: Vector2 { x: 1.0, y: 2.0 }, size: Vector2 { x: 3.0, y: 4.0 } }
}
