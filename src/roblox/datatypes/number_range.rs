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
    "00 00 a0 40 00 00 20 41"
    is NumberRange { min: 5.0, max: 10.0 }
}

constructor!(NumberRange { min: f32, max: f32 });
