//! Faces.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use super::bit_set::bit_set;
use crate::wire::{field_value, gen_uint32, uint32, ByteOrder, Source, WireError};

bit_set! {
    /// A set of the six sides of a part. Bits without a meaning are kept.
    ///
    /// | bit | 0 | 1 | 2 | 3 | 4 | 5 |
    /// |---|---|---|---|---|---|---|
    /// | uint32 | right | top | back | left | bottom | front |
    pub struct Faces { right: 0, top: 1, back: 2, left: 3, bottom: 4, front: 5 }
}

/// Reads [`Faces`].
///
/// In little-endian, the bytes `05 00 00 00` are `Faces(5)`. Only too few bytes are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Faces.
#[inline]
pub fn faces<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Faces, Error = E> {
    uint32::<B, I, E>().map(Faces)
}

/// Writes [`Faces`], as [`faces`] reads them.
#[inline]
pub fn gen_faces<B: ByteOrder, W: Write>(value: Faces) -> impl SerializeFn<W> {
    gen_uint32::<B, W>(value.0)
}

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
