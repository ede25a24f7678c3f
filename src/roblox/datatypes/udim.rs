//! UDim.

use crate::structure::{constructor, structure};
use crate::wire::{float32, gen_float32, gen_int32, int32};

structure! {
    /// A length on the screen: a share of the parent and a number of pixels.
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section UDim.
    #[derive(Copy, Default)]
    pub struct UDim(udim, gen_udim) {
        /// The share of the parent: 1 is all of it.
        pub scale: f32 = float32, gen_float32;
        /// The pixels added to it.
        pub offset: i32 = int32, gen_int32;
    }
    "00 00 f6 42 c8 01 00 00"
    is UDim { scale: 123.0, offset: 456 }
}

constructor!(UDim { scale: f32, offset: i32 });
