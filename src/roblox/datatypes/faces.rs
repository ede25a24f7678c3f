//! Faces.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::wire::{field_value, gen_uint32, never_borrows, uint32, ByteOrder, Source, WireError};

/// A set of the six sides of a part. Bits without a meaning are kept.
///
/// | bit | 0 | 1 | 2 | 3 | 4 | 5 |
/// |---|---|---|---|---|---|---|
/// | uint32 | right | top | back | left | bottom | front |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(transparent))]
pub struct Faces(pub u32);

#[cfg(feature = "json")]
crate::json::member_by_serde!(Faces);

impl Faces {
    /// Whether bit 0 is set.
    #[must_use]
    pub const fn right(self) -> bool {
        self.0 & 1 << 0 != 0
    }

    /// Whether bit 1 is set.
    #[must_use]
    pub const fn top(self) -> bool {
        self.0 & 1 << 1 != 0
    }

    /// Whether bit 2 is set.
    #[must_use]
    pub const fn back(self) -> bool {
        self.0 & 1 << 2 != 0
    }

    /// Whether bit 3 is set.
    #[must_use]
    pub const fn left(self) -> bool {
        self.0 & 1 << 3 != 0
    }

    /// Whether bit 4 is set.
    #[must_use]
    pub const fn bottom(self) -> bool {
        self.0 & 1 << 4 != 0
    }

    /// Whether bit 5 is set.
    #[must_use]
    pub const fn front(self) -> bool {
        self.0 & 1 << 5 != 0
    }
}

/// Reads a [`Faces`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section Faces.
#[inline]
pub fn faces<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Faces, Error = E> {
    uint32::<B, I, E>().map(Faces)
}

/// Writes a [`Faces`].
#[inline]
pub fn gen_faces<B: ByteOrder, W: Write>(value: Faces) -> impl SerializeFn<W> {
    gen_uint32::<B, W>(value.0)
}

never_borrows!(Faces);
field_value!(Faces: faces, gen_faces);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::Le;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_example() {
        both_ways(&hex("05 00 00 00"), Faces(5), faces::<Le, _, _>, gen_faces::<Le, _>(Faces(5)));
        let sides =
            |faces: Faces| [faces.right(), faces.top(), faces.back(), faces.left(), faces.bottom(), faces.front()];
        for bit in 0..6 {
            assert_eq!(sides(Faces(1 << bit)).map(u32::from), std::array::from_fn(|side| u32::from(side == bit)));
        }
    }
}
