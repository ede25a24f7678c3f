//! Color3.

use crate::structure::{structure, vector};
use crate::wire::float32;

structure! {
    /// A colour. Each part is usually between 0 and 1.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section Color3.
    #[derive(Copy, Default)]
    pub struct Color3(color3, gen_color3) {
        /// Red.
        pub r: f32,
        /// Green.
        pub g: f32,
        /// Blue.
        pub b: f32,
    }
    "00 00 00 00 cd cc cc 3e 00 00 80 3f"
    is Color3 { r: 0.0, g: 0.4, b: 1.0 }
}

vector!("roblox::datatypes", Color3 [f32; 3] { r, g, b });

impl Color3 {
    /// Makes a colour from three numbers from 0 to 255, like `Color3.fromRGB`.
    ///
    /// ```
    /// use enginewire::roblox::datatypes::Color3;
    ///
    /// let orange = Color3::from_rgb(255, 170, 0);
    /// assert_eq!((orange.r, orange.b, orange.to_rgb()), (1.0, 0.0, [255, 170, 0]));
    /// ```
    #[doc(alias = "fromRGB")]
    #[must_use]
    pub fn from_rgb(r: u8, g: u8, b: u8) -> Self {
        let [r, g, b] = [r, g, b].map(|part| f32::from(part) / 255.0);
        Color3 { r, g, b }
    }

    /// The colour as three numbers, rounded and clamped to 0 to 255.
    #[must_use]
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it ends at 0 and 255
    pub fn to_rgb(self) -> [u8; 3] {
        <[f32; 3]>::from(self).map(|part| (part * 255.0).round() as u8)
    }
}
