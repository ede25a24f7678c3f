//! Axes.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::wire::{field_value, gen_uint32, never_borrows, uint32, ByteOrder, Source, WireError};

/// A set of the three axes. Bits without a meaning are kept.
///
/// | bit | 0 | 1 | 2 |
/// |---|---|---|---|
/// | uint32 | x | y | z |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(transparent))]
pub struct Axes(pub u32);

#[cfg(feature = "json")]
crate::json::member_by_serde!(Axes);

impl Axes {
    /// Whether bit 0 is set.
    #[must_use]
    pub const fn x(self) -> bool {
        self.0 & 1 << 0 != 0
    }

    /// Whether bit 1 is set.
    #[must_use]
    pub const fn y(self) -> bool {
        self.0 & 1 << 1 != 0
    }

    /// Whether bit 2 is set.
    #[must_use]
    pub const fn z(self) -> bool {
        self.0 & 1 << 2 != 0
    }
}

/// Reads a [`Axes`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section Axes.
#[inline]
pub fn axes<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Axes, Error = E> {
    uint32::<B, I, E>().map(Axes)
}

/// Writes a [`Axes`].
#[inline]
pub fn gen_axes<B: ByteOrder, W: Write>(value: Axes) -> impl SerializeFn<W> {
    gen_uint32::<B, W>(value.0)
}

never_borrows!(Axes);
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
