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
}

vector!("roblox::datatypes", Vector2 [f32; 2] { x, y });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 20 41 00 00 a0 41");
        let value = Vector2 { x: 10.0, y: 20.0 };
        both_ways(&bytes, value, vector2::<Le, _, _>, gen_vector2::<Le, _>(value));
    }
}
