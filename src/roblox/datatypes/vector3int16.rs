//! Vector3int16.

use crate::structure::{structure, vector};
use crate::wire::{gen_int16, int16};

structure! {
    /// A point in space, in whole numbers.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section Vector3int16.
    #[derive(Copy, Default, Eq, Hash)]
    pub struct Vector3int16(vector3int16, gen_vector3int16) {
        /// Along x.
        pub x: i16 = int16, gen_int16;
        /// Along y: up.
        pub y: i16 = int16, gen_int16;
        /// Along z.
        pub z: i16 = int16, gen_int16;
    }
    "01 00 02 00 fd ff"
    is Vector3int16 { x: 1, y: 2, z: -3 }
}

vector!("roblox::datatypes", Vector3int16 [i16; 3] { x, y, z });
