//! Quat.

use crate::structure::{structure, vector};
use crate::wire::float32;

structure! {
    /// A rotation. Its numbers are big-endian.
    ///
    /// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Quat.
    #[doc(alias = "Quaternion")]
    #[derive(Copy, Default)]
    pub struct Quat(quat, gen_quat, Be) {
        /// Of the vector part.
        pub x: f32,
        /// Of the vector part.
        pub y: f32,
        /// Of the vector part.
        pub z: f32,
        /// The scalar part.
        pub w: f32,
    }
    "00 00 00 00 3f 00 00 00 80 00 00 00 3f 80 00 00"
    is Quat { x: 0.0, y: 0.5, z: -0.0, w: 1.0 }
}

vector!("scrap_mechanic::lua_object", Quat [f32; 4] { x, y, z, w });
