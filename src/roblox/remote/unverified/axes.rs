//! Axes.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use super::super::options::ValueOptions;
use crate::wire::{field_value, gen_uint32, never_borrows, uint32, Be, Source, WireError};

/// A set of axes. Bits without a meaning are kept. The bits are in the reverse order of those in
/// [attributes](crate::roblox::datatypes::Axes).
///
/// | bit | 2 | 1 | 0 |
/// |---|---|---|---|
/// | uint32 | x | y | z |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(transparent))]
pub struct Axes(pub u32);

#[cfg(feature = "json")]
crate::json::member_by_serde!(Axes);

impl Axes {
    /// Whether bit 2 is set.
    #[must_use]
    pub const fn x(self) -> bool {
        self.0 & 1 << 2 != 0
    }

    /// Whether bit 1 is set.
    #[must_use]
    pub const fn y(self) -> bool {
        self.0 & 1 << 1 != 0
    }

    /// Whether bit 0 is set.
    #[must_use]
    pub const fn z(self) -> bool {
        self.0 & 1 << 0 != 0
    }
}

/// Reads a [`Axes`].
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Axes.
#[inline]
pub fn axes<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Axes, Error = E> {
    uint32::<Be, I, E>().map(Axes)
}

/// Writes a [`Axes`].
#[inline]
pub fn gen_axes<W: Write>(value: Axes) -> impl SerializeFn<W> {
    gen_uint32::<Be, W>(value.0)
}

never_borrows!(Axes);
field_value!(ValueOptions: Axes = |nesting, value| axes(), gen_axes(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_example() {
        both_ways(&hex("00000006"), Axes(0x00000006), axes, gen_axes(Axes(0x00000006)));
        let members = |set: Axes| [set.x(), set.y(), set.z()];
        for bit in 0..3 {
            let expected: [bool; 3] = std::array::from_fn(|member| member + bit == 2);
            assert_eq!(members(Axes(1 << bit)), expected);
        }
    }
}
