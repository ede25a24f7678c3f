//! Color3uint8.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use super::super::options::ValueOptions;
use crate::structure::structure;
use crate::wire::{field, field_value, gen_bytes, uint8, Source, WireError};

structure! {
    /// A colour of 24 bits.
    ///
    /// | field | type |
    /// |---|---|
    /// | r | uint8 |
    /// | g | uint8 |
    /// | b | uint8 |
    #[derive(Copy, Default, Eq)]
    pub struct Color3uint8 {
        /// Red.
        pub r: u8,
        /// Green.
        pub g: u8,
        /// Blue.
        pub b: u8,
    }
}

/// Reads a [`Color3uint8`].
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Color3uint8.
#[inline]
pub fn color3uint8<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Color3uint8, Error = E> {
    (field("r", uint8()), field("g", uint8()), field("b", uint8())).map(|(r, g, b)| Color3uint8 { r, g, b })
}

/// Writes a [`Color3uint8`].
#[inline]
pub fn gen_color3uint8<W: Write>(Color3uint8 { r, g, b }: Color3uint8) -> impl SerializeFn<W> {
    gen_bytes([r, g, b])
}

field_value!(ValueOptions: Color3uint8 = |nesting, value| color3uint8(), gen_color3uint8(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::both_ways;

    #[test]
    fn worked_example() {
        let colour = Color3uint8 { r: 255, g: 128, b: 0 };
        both_ways(&[0xff, 0x80, 0], colour, color3uint8, gen_color3uint8(colour));
    }
}
