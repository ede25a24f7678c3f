//! Region3.

use super::vector3::{gen_vector3, vector3, Vector3};
use crate::structure::structure;

structure! {
    /// A box in space.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section Region3.
    #[derive(Copy, Default)]
    pub struct Region3(region3, gen_region3) {
        /// The corner with the least coordinates.
        pub min: Vector3 = vector3, gen_vector3;
        /// The corner with the greatest coordinates.
        pub max: Vector3 = vector3, gen_vector3;
    }
    "00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 80 3f 00 00 80 3f"
    is Region3 { min: Vector3::default(), max: Vector3 { x: 1.0, y: 1.0, z: 1.0 } }
}
