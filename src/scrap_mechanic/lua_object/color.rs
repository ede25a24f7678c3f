//! Color.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::{structure, vector};
use crate::wire::{field, float32, gen_float32s, Be, Source, WireError};

structure! {
    /// A colour.
    ///
    /// | field | bits | type |
    /// |---|---|---|
    /// | r | 32 | float32, big-endian |
    /// | g | 32 | float32, big-endian |
    /// | b | 32 | float32, big-endian |
    /// | a | 32 | float32, big-endian |
    #[derive(Copy, Default)]
    pub struct Color {
        /// Red, from 0 to 1.
        pub r: f32,
        /// Green, from 0 to 1.
        pub g: f32,
        /// Blue, from 0 to 1.
        pub b: f32,
        /// Opacity, from 0 to 1.
        pub a: f32,
    }
}

/// Reads a [`Color`].
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Color.
#[inline]
pub fn color<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Color, Error = E> {
    (
        field("r", float32::<Be, I, E>()),
        field("g", float32::<Be, I, E>()),
        field("b", float32::<Be, I, E>()),
        field("a", float32::<Be, I, E>()),
    )
        .map(|(r, g, b, a)| Color { r, g, b, a })
}

/// Writes a [`Color`].
#[inline]
pub fn gen_color<W: Write>(Color { r, g, b, a }: Color) -> impl SerializeFn<W> {
    gen_float32s::<Be, 4, W>([r, g, b, a])
}

vector!("scrap_mechanic::lua_object", Color [f32; 4] { r, g, b, a });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("3f 80 00 00 3f 00 00 00 00 00 00 00 3f 80 00 00");
        let value = Color { r: 1.0, g: 0.5, b: 0.0, a: 1.0 };
        both_ways(&bytes, value, color, gen_color(value));
    }
}
