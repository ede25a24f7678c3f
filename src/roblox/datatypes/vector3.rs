//! Vector3.

use crate::structure::{structure, vector};
use crate::wire::float32;

structure! {
    /// A point or direction in space, in studs where it is a position.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section Vector3.
    #[derive(Copy, Default)]
    pub struct Vector3(vector3, gen_vector3) {
        /// Along x.
        pub x: f32,
        /// Along y: up.
        pub y: f32,
        /// Along z.
        pub z: f32,
    }
    "00 00 20 41 00 00 a0 41 00 00 f0 41"
    is Vector3 { x: 10.0, y: 20.0, z: 30.0 }
}

vector!("roblox::datatypes", Vector3 [f32; 3] { x, y, z });
