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
}

constructor!(UDim { scale: f32, offset: i32 });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 f6 42 c8 01 00 00");
        let value = UDim { scale: 123.0, offset: 456 };
        both_ways(&bytes, value, udim::<Le, _, _>, gen_udim::<Le, _>(value));
    }
}
