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
}

constructor!(Rect { min: Vector2, max: Vector2 });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 20 41 00 00 a0 41 00 00 f0 41 00 00 20 42");
        let value = Rect { min: Vector2 { x: 10.0, y: 20.0 }, max: Vector2 { x: 30.0, y: 40.0 } };
        both_ways(&bytes, value, rect::<Le, _, _>, gen_rect::<Le, _>(value));
    }
}
