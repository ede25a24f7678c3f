//! Color3.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::structure;
use crate::wire::{field, field_value, float32, gen_float32s, ByteOrder, Source, WireError};

structure! {
    /// A colour. Each part is usually between 0 and 1.
    ///
    /// | field | type |
    /// |---|---|
    /// | r | float32 |
    /// | g | float32 |
    /// | b | float32 |
    #[derive(Copy, Default)]
    pub struct Color3 {
        /// Red.
        pub r: f32,
        /// Green.
        pub g: f32,
        /// Blue.
        pub b: f32,
    }
}

/// Reads a [`Color3`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section Color3.
#[inline]
pub fn color3<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Color3, Error = E> {
    (field("r", float32::<B, I, E>()), field("g", float32::<B, I, E>()), field("b", float32::<B, I, E>()))
        .map(|(r, g, b)| Color3 { r, g, b })
}

/// Writes a [`Color3`].
#[inline]
pub fn gen_color3<B: ByteOrder, W: Write>(value: Color3) -> impl SerializeFn<W> {
    gen_float32s::<B, 3, W>([value.r, value.g, value.b])
}

field_value!(Color3: color3, gen_color3);

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
