//! Transform2D.

use super::number::structure_of_numbers;
use super::vector2::Vector2;

structure_of_numbers! {
    /// A transformation of the plane, by columns.
    ///
    /// | field | type |
    /// |---|---|
    /// | x | [`Vector2`] |
    /// | y | [`Vector2`] |
    /// | origin | [`Vector2`] |
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Transform2D.
    pub struct Transform2D<N> {
        /// The x axis after the transformation.
        pub x: Vector2<N>,
        /// The y axis after the transformation.
        pub y: Vector2<N>,
        /// The origin after the transformation.
        pub origin: Vector2<N>,
    }
    /// In little-endian, with reals of 32 bits, the bytes `00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0
    /// 40` are `Transform2D { x: Vector2 { x: 1.0, y: 2.0 }, y: Vector2 { x: 3.0, y: 4.0 }, origin: Vector2 { x: 5.0, y: 6.0 }
    /// }`.
    transform2d gen_transform2d
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn numbers_in_order() {
        let value = Transform2D {
            x: Vector2 { x: 1.0_f32, y: 2.0 },
            y: Vector2 { x: 3.0, y: 4.0 },
            origin: Vector2 { x: 5.0, y: 6.0 },
        };
        let bytes = hex("00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0 40");
        both_ways(&bytes, value, transform2d, gen_transform2d(value));
    }
}
