//! Color.

use crate::structure::{structure, vector};
use crate::wire::float32;

structure! {
    /// A colour. Its numbers are big-endian.
    ///
    /// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Color.
    #[derive(Copy, Default)]
    pub struct Color(color, gen_color, Be) {
        /// Red, from 0 to 1.
        pub r: f32,
        /// Green, from 0 to 1.
        pub g: f32,
        /// Blue, from 0 to 1.
        pub b: f32,
        /// Opacity, from 0 to 1.
        pub a: f32,
    }
    "3f 80 00 00 3f 00 00 00 00 00 00 00 3f 80 00 00"
    is Color { r: 1.0, g: 0.5, b: 0.0, a: 1.0 }
}

vector!("scrap_mechanic::lua_object", Color [f32; 4] { r, g, b, a });
