//! Axes.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use super::bit_set::bit_set;
use crate::wire::{field_value, gen_uint32, uint32, ByteOrder, Source, WireError};

bit_set! {
    /// A set of the three axes. Bits without a meaning are kept.
    ///
    /// | bit | 0 | 1 | 2 |
    /// |---|---|---|---|
    /// | uint32 | x | y | z |
    pub struct Axes { x: 0, y: 1, z: 2 }
}

/// Reads [`Axes`].
///
/// In little-endian, the bytes `03 00 00 00` are `Axes(3)`. Only too few bytes are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Axes.
#[inline]
pub fn axes<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Axes, Error = E> {
    uint32::<B, I, E>().map(Axes)
}

/// Writes [`Axes`], as [`axes`] reads them.
#[inline]
pub fn gen_axes<B: ByteOrder, W: Write>(value: Axes) -> impl SerializeFn<W> {
    gen_uint32::<B, W>(value.0)
}

field_value!(Axes: axes, gen_axes);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_example() {
        both_ways(&hex("03 00 00 00"), Axes(3), axes::<Le, _, _>, gen_axes::<Le, _>(Axes(3)));
        assert_eq!(
            [Axes(1), Axes(2), Axes(4)].map(|axes| [axes.x(), axes.y(), axes.z()]),
            [[true, false, false], [false, true, false], [false, false, true],]
        );
    }
}
