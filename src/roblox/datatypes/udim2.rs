//! UDim2.

use super::udim::{gen_udim, udim, UDim};
use crate::structure::structure;

structure! {
    /// A position or size on the screen.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section UDim2.
    #[derive(Copy, Default)]
    pub struct UDim2(udim2, gen_udim2) {
        /// From left to right.
        pub x: UDim = udim, gen_udim;
        /// From top to bottom.
        pub y: UDim = udim, gen_udim;
    }
    "00 00 80 3f 02 00 00 00 00 00 40 40 04 00 00 00"
    is UDim2 { x: UDim { scale: 1.0, offset: 2 }, y: UDim { scale: 3.0, offset: 4 } }
}

impl UDim2 {
    /// Makes a value from the scale and the offset of x, and those of y, like `UDim2.new`.
    ///
    /// ```
    /// use enginewire::roblox::datatypes::{UDim, UDim2};
    ///
    /// let value = UDim2::new(0.5, -10, 1.0, 0);
    /// assert_eq!((value.x, value.y), (UDim::new(0.5, -10), UDim::new(1.0, 0)));
    /// ```
    #[must_use]
    pub const fn new(x_scale: f32, x_offset: i32, y_scale: f32, y_offset: i32) -> Self {
        UDim2 { x: UDim::new(x_scale, x_offset), y: UDim::new(y_scale, y_offset) }
    }
}
