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
    vector2 gen_vector2
}

vector!("godot", Vector2<N> [f32; 2] { x, y });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::datatypes::test::numbers;

    #[test]
    fn numbers_in_order() {
        let value = Vector2 { x: 1.0_f32, y: 2.0 };
        numbers(value, vector2, gen_vector2(value));
    }
}
