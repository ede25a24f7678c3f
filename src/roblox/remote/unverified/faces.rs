//! Faces.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use super::super::options::ValueOptions;
use crate::roblox::datatypes::bit_set;
use crate::wire::{field_value, gen_uint32, uint32, Be, Source, WireError};

bit_set! {
    /// A set of the six sides of a part. Bits without a meaning are kept. The bits are in the reverse order of those in
    /// [attributes](crate::roblox::datatypes::Faces).
    ///
    /// | bit | 5 | 4 | 3 | 2 | 1 | 0 |
    /// |---|---|---|---|---|---|---|
    /// | uint32 | right | top | back | left | bottom | front |
    pub struct Faces { right: 5, top: 4, back: 3, left: 2, bottom: 1, front: 0 }
}

/// Reads [`Faces`].
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Faces.
#[inline]
pub fn faces<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Faces, Error = E> {
    uint32::<Be, I, E>().map(Faces)
}

/// Writes [`Faces`].
#[inline]
pub fn gen_faces<W: Write>(value: Faces) -> impl SerializeFn<W> {
    gen_uint32::<Be, W>(value.0)
}

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
