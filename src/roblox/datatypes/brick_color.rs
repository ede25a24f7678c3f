//! BrickColor.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::wire::{field_value, gen_uint32, never_borrows, uint32, ByteOrder, Source, WireError};

/// A colour of the palette, by its number. A number that the palette lacks is kept.
///
/// | field | type |
/// |---|---|
/// | number | uint32 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BrickColor(pub u32);

#[cfg(feature = "text")]
crate::member::by_part!([] "BrickColor", BrickColor { 0: u32 });

/// The numbers that have a colour, as ranges with both ends included.
const PALETTE: [(u32, u32); 32] = [
    (1, 3),
    (5, 6),
    (9, 9),
    (11, 12),
    (18, 18),
    (21, 29),
    (36, 45),
    (47, 50),
    (100, 108),
    (110, 113),
    (115, 116),
    (118, 121),
    (123, 128),
    (131, 131),
    (133, 138),
    (140, 141),
    (143, 143),
    (145, 151),
    (153, 154),
    (157, 158),
    (168, 168),
    (176, 176),
    (178, 180),
    (190, 196),
    (198, 200),
    (208, 213),
    (216, 226),
    (232, 232),
    (268, 268),
    (301, 325),
    (327, 365),
    (1001, 1032),
];

impl BrickColor {
    /// Medium stone grey, which Roblox shows for every number without a colour.
    pub const DEFAULT: Self = BrickColor(194);

    /// Returns true if the palette has a colour with this number.
    #[must_use]
    pub fn is_known(self) -> bool {
        PALETTE.iter().any(|(first, last)| (*first..=*last).contains(&self.0))
    }

    /// The colour that Roblox shows: this one if it is known, else [`DEFAULT`](Self::DEFAULT).
    #[must_use]
    pub fn known_or_default(self) -> Self {
        if self.is_known() {
            self
        } else {
            Self::DEFAULT
        }
    }
}

/// Reads a [`BrickColor`].
///
/// In little-endian, the bytes `c2 00 00 00` are `BrickColor(194)`. Only too few bytes are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section BrickColor.
#[inline]
pub fn brick_color<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = BrickColor, Error = E> {
    uint32::<B, I, E>().map(BrickColor)
}

/// Writes a [`BrickColor`], as [`brick_color`] reads it.
#[inline]
pub fn gen_brick_color<B: ByteOrder, W: Write>(value: BrickColor) -> impl SerializeFn<W> {
    gen_uint32::<B, W>(value.0)
}

never_borrows!(BrickColor);
field_value!(BrickColor: brick_color, gen_brick_color);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_example() {
        let colour = BrickColor(194);
        both_ways(&hex("c2 00 00 00"), colour, brick_color::<Le, _, _>, gen_brick_color::<Le, _>(colour));
    }

    #[test]
    fn the_palette_has_208_colours() {
        assert_eq!((0..2000).filter(|number| BrickColor(*number).is_known()).count(), 208);
        assert_eq!(BrickColor(1032).known_or_default(), BrickColor(1032));
        assert_eq!(BrickColor(4).known_or_default(), BrickColor::DEFAULT);
        assert_eq!(BrickColor(65536 + 194).known_or_default(), BrickColor::DEFAULT);
    }
}
