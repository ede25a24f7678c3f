//! Faces.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use super::super::options::ValueOptions;
use crate::wire::{field_value, gen_uint32, never_borrows, uint32, Be, Source, WireError};

/// A set of the six sides of a part. Bits without a meaning are kept. The bits are in the reverse order of those in
/// [attributes](crate::roblox::datatypes::Faces).
///
/// | bit | 5 | 4 | 3 | 2 | 1 | 0 |
/// |---|---|---|---|---|---|---|
/// | uint32 | right | top | back | left | bottom | front |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(transparent))]
pub struct Faces(pub u32);

#[cfg(feature = "json")]
crate::json::member_by_serde!(Faces);

impl Faces {
    /// Whether bit 5 is set.
    #[must_use]
    pub const fn right(self) -> bool {
        self.0 & 1 << 5 != 0
    }

    /// Whether bit 4 is set.
    #[must_use]
    pub const fn top(self) -> bool {
        self.0 & 1 << 4 != 0
    }

    /// Whether bit 3 is set.
    #[must_use]
    pub const fn back(self) -> bool {
        self.0 & 1 << 3 != 0
    }

    /// Whether bit 2 is set.
    #[must_use]
    pub const fn left(self) -> bool {
        self.0 & 1 << 2 != 0
    }

    /// Whether bit 1 is set.
    #[must_use]
    pub const fn bottom(self) -> bool {
        self.0 & 1 << 1 != 0
    }

    /// Whether bit 0 is set.
    #[must_use]
    pub const fn front(self) -> bool {
        self.0 & 1 << 0 != 0
    }
}

/// Reads a [`Faces`].
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Faces.
#[inline]
pub fn faces<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Faces, Error = E> {
    uint32::<Be, I, E>().map(Faces)
}

/// Writes a [`Faces`].
#[inline]
pub fn gen_faces<W: Write>(value: Faces) -> impl SerializeFn<W> {
    gen_uint32::<Be, W>(value.0)
}

never_borrows!(Faces);
field_value!(ValueOptions: Faces = |nesting, value| faces(), gen_faces(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_example() {
        both_ways(&hex("00000021"), Faces(0x00000021), faces, gen_faces(Faces(0x00000021)));
        let members = |set: Faces| [set.right(), set.top(), set.back(), set.left(), set.bottom(), set.front()];
        for bit in 0..6 {
            let expected: [bool; 6] = std::array::from_fn(|member| member + bit == 5);
            assert_eq!(members(Faces(1 << bit)), expected);
        }
    }
}
