//! Vector2.

use super::number::structure_of_numbers;
use crate::structure::vector;

structure_of_numbers! {
    /// A point or direction in the plane; of integers, Vector2i.
    ///
    /// | field | type |
    /// |---|---|
    /// | x | number |
    /// | y | number |
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Vector2.
    pub struct Vector2<N> {
        /// Along x.
        pub x: N,
        /// Along y: down.
        pub y: N,
    }
    /// In little-endian, with reals of 32 bits, the bytes `00 00 80 3f 00 00 00 40` are `Vector2 { x: 1.0, y: 2.0 }`.
    vector2 gen_vector2
}

vector!("godot", Vector2<N> [f32; 2] { x, y });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn numbers_in_order() {
        let value = Vector2 { x: 1.0_f32, y: 2.0 };
        both_ways(&hex("00 00 80 3f 00 00 00 40"), value, vector2, gen_vector2(value));
    }
}
