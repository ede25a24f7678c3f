//! Rect.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::vector2::{gen_vector2, vector2, Vector2};
use crate::structure::structure;
use crate::wire::{field, field_value, ByteOrder, Source, WireError};

structure! {
    /// A rectangle.
    ///
    /// | field | type |
    /// |---|---|
    /// | min | Vector2 |
    /// | max | Vector2 |
    #[derive(Copy, Default)]
    pub struct Rect {
        /// The corner with the least coordinates.
        pub min: Vector2,
        /// The corner with the greatest coordinates.
        pub max: Vector2,
    }
}

/// Reads a [`Rect`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section Rect.
#[inline]
pub fn rect<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Rect, Error = E> {
    (field("min", vector2::<B, I, E>()), field("max", vector2::<B, I, E>())).map(|(min, max)| Rect { min, max })
}

/// Writes a [`Rect`].
#[inline]
pub fn gen_rect<B: ByteOrder, W: Write>(value: Rect) -> impl SerializeFn<W> {
    tuple((gen_vector2::<B, W>(value.min), gen_vector2::<B, W>(value.max)))
}

field_value!(Rect: rect, gen_rect);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 20 41 00 00 a0 41 00 00 f0 41 00 00 20 42");
        let value = Rect { min: Vector2 { x: 10.0, y: 20.0 }, max: Vector2 { x: 30.0, y: 40.0 } };
        both_ways(&bytes, value, rect::<Le, _, _>, gen_rect::<Le, _>(value));
    }
}
