//! Color.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::{structure, vector};
use crate::wire::{field, float32, gen_float32s, unit, Le, Packed, Source, WireError};

structure! {
    /// A colour. Its numbers always have 32 bits.
    ///
    /// | field | type |
    /// |---|---|
    /// | r | float32 |
    /// | g | float32 |
    /// | b | float32 |
    /// | a | float32 |
    #[derive(Copy, Default)]
    pub struct Color {
        /// Red, from 0 to 1.
        pub r: f32,
        /// Green.
        pub g: f32,
        /// Blue.
        pub b: f32,
        /// Opacity.
        pub a: f32,
    }
}

impl Packed for Color {
    const SIZE: usize = 16;
    const NUMBER: usize = 4;

    #[inline]
    fn parser<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Self, Error = E> {
        (
            field("r", float32::<Le, I, E>()),
            field("g", float32::<Le, I, E>()),
            field("b", float32::<Le, I, E>()),
            field("a", float32::<Le, I, E>()),
        )
            .map(|(r, g, b, a)| Color { r, g, b, a })
    }

    #[inline]
    fn generator<W: Write>(self) -> impl SerializeFn<W> {
        let Color { r, g, b, a } = self;
        gen_float32s::<Le, 4, W>([r, g, b, a])
    }
}

/// Reads a [`Color`]. If it is cut off, the error is at its first number.
///
/// In little-endian, the bytes `00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40` are `Color { r: 1.0, g: 2.0, b: 3.0, a: 4.0
/// }`. Only too few bytes are refused.
///
/// Specification: `docs/spec/godot-variant.md`, section Color.
#[inline]
pub fn color<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Color, Error = E> {
    unit()
}

/// Writes a [`Color`], as [`color`] reads it.
#[inline]
pub fn gen_color<W: Write>(value: Color) -> impl SerializeFn<W> {
    value.generator()
}

vector!("godot", Color [f32; 4] { r, g, b, a });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn numbers_in_order() {
        let value = Color { r: 1.0, g: 2.0, b: 3.0, a: 4.0 };
        both_ways(&hex("00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40"), value, color, gen_color(value));
    }
}
