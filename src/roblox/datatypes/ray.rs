//! Ray.

use super::vector3::{gen_vector3, vector3, Vector3};
use crate::structure::{constructor, structure};

structure! {
    /// A half-line.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section Ray.
    #[derive(Copy, Default)]
    pub struct Ray(ray, gen_ray) {
        /// The origin.
        pub origin: Vector3 = vector3, gen_vector3;
        /// The direction.
        pub direction: Vector3 = vector3, gen_vector3;
    }
    "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 00"
    is Ray { origin: Vector3::default(), direction: Vector3 { x: 0.0, y: 1.0, z: 0.0 } }
}

constructor!(Ray { origin: Vector3, direction: Vector3 });
