//! RID.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::wire::{gen_uint64, never_borrows, uint64, Le, Source, WireError};

/// The id of a resource, which only the engine that wrote it can resolve.
///
/// | field | type |
/// |---|---|
/// | rid | uint64; nothing in version 3, where it is always 0 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rid(pub u64);

never_borrows!(Rid);

#[cfg(feature = "text")]
crate::member::by_part!([] "RID", Rid { 0: u64 });

/// Reads a [`Rid`], as version 4 writes it.
///
/// In little-endian, the bytes `02 00 00 00 01 00 00 00` are `Rid(0x1_0000_0002)`. Only too few bytes are refused.
///
/// Specification: `docs/spec/godot-variant.md`, section RID.
#[inline]
pub fn rid<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Rid, Error = E> {
    uint64::<Le, I, E>().map(Rid)
}

/// Writes a [`Rid`] as version 4 does, and as [`rid`] reads it.
#[inline]
pub fn gen_rid<W: Write>(rid: Rid) -> impl SerializeFn<W> {
    gen_uint64::<Le, W>(rid.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        both_ways(&hex("02000000 01000000"), Rid(0x1_0000_0002), rid, gen_rid(Rid(0x1_0000_0002)));
    }
}
