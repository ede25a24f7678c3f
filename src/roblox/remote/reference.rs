//! References to instances.

use std::io::Write;
use std::marker::PhantomData;
use std::num::NonZeroU32;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::options::ValueOptions;
use crate::structure::structure;
use crate::wire::{
    field, field_value, gen_uint32, gen_uint8, gen_varint32, uint32, varint32, Le, Source, Valued, WireError,
};

structure! {
    /// An instance that both sides know: a remote, a player, an Instance among the arguments.
    ///
    /// | field | type | the documentation calls it |
    /// |---|---|---|
    /// | peer | LEB128, not 0 | of a remote, the second byte of Packet Subtype `0701`; of a player, the first of User Information |
    /// | id | uint32, **little-endian** | of a remote, Remote Id, and the first byte of Enigma `000b`; of a player, the rest of User Information |
    ///
    /// A peer of 0 means that the instance is missing, and nothing follows it: `Option<Ref>`.
    #[derive(Copy, Eq, Hash)]
    pub struct Ref {
        /// The peer whose numbering the id belongs to. 1 is the server; other peers were never seen.
        pub peer: NonZeroU32,
        /// The number of the instance. It is not a UserId.
        pub id: u32,
    }
}

impl Ref {
    /// An instance of the server's numbering.
    #[must_use]
    pub const fn of_server(id: u32) -> Self {
        Ref { peer: NonZeroU32::MIN, id }
    }
}

/// Reads a [`Ref`]: `None` if the instance is missing.
///
/// The bytes `01 90 c8 06 00` are `Some(Ref::of_server(444_560))`, whose id is little-endian. A peer that [`varint32`] refuses
/// is refused.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Reference.
#[inline]
pub fn reference<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Option<Ref>, Error = E> {
    ReferenceParser(PhantomData)
}

struct ReferenceParser<E>(PhantomData<fn() -> E>);

impl<I: Source, E: WireError<I>> Parser<I> for ReferenceParser<E> {
    type Output = Option<Ref>;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Option<Ref>, E> {
        let (rest, peer) = field("peer", varint32()).process::<Valued<OM>>(input)?;
        match NonZeroU32::new(peer) {
            Some(peer) => field("id", uint32::<Le, I, E>()).map(|id| Some(Ref { peer, id })).process::<OM>(rest),
            None => Ok((rest, OM::Output::bind(|| None))),
        }
    }
}

/// Writes a [`Ref`] or its absence, as [`reference`](reference()) reads it.
#[inline]
pub fn gen_reference<W: Write>(value: Option<Ref>) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| match value {
        Some(Ref { peer, id }) => gen_uint32::<Le, W>(id)(gen_varint32(peer.get())(out)?),
        None => gen_uint8(0)(out),
    }
}

field_value!(ValueOptions: Option<Ref> = |nesting, value| reference(), gen_reference(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_examples() {
        let peer = NonZeroU32::new(300).unwrap();
        for (bytes, value) in [
            ("01 90c80600", Some(Ref::of_server(444_560))),
            ("01 7f6d1100", Some(Ref::of_server(1_142_143))),
            ("ac02 04030201", Some(Ref { peer, id: 0x0102_0304 })),
            ("00", None),
        ] {
            both_ways(&hex(bytes), value, reference, gen_reference(value));
        }
    }
}
