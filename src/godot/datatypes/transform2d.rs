//! Transform2D.

use super::number::Number;
use super::vector2::Vector2;
use crate::structure::structure;

structure! {
    /// A transformation of the plane, by columns.
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Transform2D.
    pub struct Transform2D<N: Number>(transform2d, gen_transform2d) {
        /// The x axis after the transformation.
        pub x: Vector2<N>,
        /// The y axis after the transformation.
        pub y: Vector2<N>,
        /// The origin after the transformation.
        pub origin: Vector2<N>,
    }
    "00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0 40"
    is Transform2D {
        x: Vector2 { x: 1.0, y: 2.0 },
        y: Vector2 { x: 3.0, y: 4.0 },
        origin: Vector2 { x: 5.0, y: 6.0 },
    }
}
