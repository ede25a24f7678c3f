//! Color3.

use crate::structure::structure;
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 00 00 cd cc cc 3e 00 00 80 3f");
        let value = Color3 { r: 0.0, g: 0.4, b: 1.0 };
        both_ways(&bytes, value, color3::<Le, _, _>, gen_color3::<Le, _>(value));
    }
}
