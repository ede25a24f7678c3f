//! Vector2int16.

use crate::structure::{structure, vector};
use crate::wire::{gen_int16, int16};

structure! {
    /// A point in the plane, in whole numbers.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section Vector2int16.
    #[derive(Copy, Default, Eq, Hash)]
    pub struct Vector2int16(vector2int16, gen_vector2int16) {
        /// Along x.
        pub x: i16 = int16, gen_int16;
        /// Along y.
        pub y: i16 = int16, gen_int16;
    }
    "01 00 ff ff"
    is Vector2int16 { x: 1, y: -1 }
}

vector!("roblox::datatypes", Vector2int16 [i16; 2] { x, y });
