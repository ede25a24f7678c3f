//! NumberRange.

use crate::structure::{constructor, structure};
use crate::wire::float32;

structure! {
    /// A range of numbers.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section NumberRange.
    #[derive(Copy, Default)]
    pub struct NumberRange(number_range, gen_number_range) {
        /// The least.
        pub min: f32,
        /// The greatest.
        pub max: f32,
    }
}

constructor!(NumberRange { min: f32, max: f32 });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 a0 40 00 00 20 41");
        let value = NumberRange { min: 5.0, max: 10.0 };
        both_ways(&bytes, value, number_range::<Le, _, _>, gen_number_range::<Le, _>(value));
    }
}
