//! Quaternion.

use super::number::Number;
use crate::structure::{structure, vector};

structure! {
    /// A rotation; in version 3, Quat.
    ///
    /// Specification: `docs/spec/godot-variant.md`, section Quaternion.
    #[doc(alias = "Quat")]
    pub struct Quaternion<N: Number>(quaternion, gen_quaternion) {
        /// Imaginary part along x.
        pub x: N,
        /// Imaginary part along y.
        pub y: N,
        /// Imaginary part along z.
        pub z: N,
        /// Real part.
        pub w: N,
    }
    "00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40"
    is Quaternion { x: 1.0, y: 2.0, z: 3.0, w: 4.0 }
}

vector!("godot", Quaternion<N> [f32; 4] { x, y, z, w });
