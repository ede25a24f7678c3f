//! Rect2.

use super::number::structure_of_numbers;
use super::vector2::Vector2;

structure_of_numbers! {
    /// A rectangle in the plane; of integers, Rect2i.
    ///
    /// | field | type |
    /// |---|---|
    /// | position | [`Vector2`] |
    /// | size | [`Vector2`] |
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Rect2.
    pub struct Rect2<N> {
        /// The corner where it begins.
        pub position: Vector2<N>,
        /// From there to the opposite corner.
        pub size: Vector2<N>,
    }
    /// In little-endian, with reals of 32 bits, the bytes `00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40` are `Rect2 {
    /// position: Vector2 { x: 1.0, y: 2.0 }, size: Vector2 { x: 3.0, y: 4.0 } }`.
    rect2 gen_rect2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn numbers_in_order() {
        let value = Rect2 { position: Vector2 { x: 1.0_f32, y: 2.0 }, size: Vector2 { x: 3.0, y: 4.0 } };
        both_ways(&hex("00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40"), value, rect2, gen_rect2(value));
    }
}
