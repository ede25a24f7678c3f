//! Vec3.

use crate::structure::{structure, vector};
use crate::wire::float32;

structure! {
    /// A point or direction in space. Its numbers are big-endian.
    ///
    /// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Vec3.
    #[derive(Copy, Default)]
    pub struct Vec3(vec3, gen_vec3, Be) {
        /// Along x.
        pub x: f32,
        /// Along y.
        pub y: f32,
        /// Along z: up.
        pub z: f32,
    }
    "3f 80 00 00 c0 00 00 00 3f 00 00 00"
    is Vec3 { x: 1.0, y: -2.0, z: 0.5 }
}

vector!("scrap_mechanic::lua_object", Vec3 [f32; 3] { x, y, z });
