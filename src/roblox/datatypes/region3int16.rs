//! Region3int16.

use super::vector3int16::{gen_vector3int16, vector3int16, Vector3int16};
use crate::structure::structure;

structure! {
    /// A box in space, in whole numbers.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section Region3int16.
    #[derive(Copy, Default, Eq, Hash)]
    pub struct Region3int16(region3int16, gen_region3int16) {
        /// The corner with the least coordinates.
        pub min: Vector3int16 = vector3int16, gen_vector3int16;
        /// The corner with the greatest coordinates.
        pub max: Vector3int16 = vector3int16, gen_vector3int16;
    }
    "00 00 00 00 00 00 01 00 01 00 01 00"
    is Region3int16 { min: Vector3int16::default(), max: Vector3int16 { x: 1, y: 1, z: 1 } }
}
