//! Projection.

use super::number::Number;
use super::vector4::Vector4;
use crate::structure::structure;

structure! {
    /// A matrix of four by four, by columns; in version 4 only.
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Projection.
    pub struct Projection<N: Number>(projection, gen_projection) {
        /// The first column.
        pub x: Vector4<N>,
        /// The second column.
        pub y: Vector4<N>,
        /// The third column.
        pub z: Vector4<N>,
        /// The fourth column.
        pub w: Vector4<N>,
    }
    "00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0 40 00 00 e0 40 00 00 00 41 \
     00 00 10 41 00 00 20 41 00 00 30 41 00 00 40 41 00 00 50 41 00 00 60 41 00 00 70 41 00 00 80 41"
    is Projection {
        x: Vector4 { x: 1.0, y: 2.0, z: 3.0, w: 4.0 },
        y: Vector4 { x: 5.0, y: 6.0, z: 7.0, w: 8.0 },
        z: Vector4 { x: 9.0, y: 10.0, z: 11.0, w: 12.0 },
        w: Vector4 { x: 13.0, y: 14.0, z: 15.0, w: 16.0 },
    }
}
