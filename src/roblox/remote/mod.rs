//! Roblox remote packets: what RemoteEvents and RemoteFunctions send, packet 0x83 of the network protocol.
//!
//! This is the data after the lower layers have decrypted and decompressed it. Numbers are big-endian, except the ids of
//! references; lengths and counts are LEB128.
//!
//! | what | how |
//! |---|---|
//! | decode | [`decode`], [`decode_with`]; [`decode_partial`] keeps what comes before an error |
//! | decode into a value without a lifetime | [`decode_owned`], [`decode_owned_with`] |
//! | encode | [`encode`], [`encode_to`] |
//! | your own types as arguments | `from_arguments` and `to_arguments`, with the feature `text` |
//! | check | [`check`], [`check_with`]: valid? |
//! | see every field | [`inspect`], [`inspect_with`], [`inspect_within`]; [`inspect_parts`], part by part |
//! | stream | [`Decoder`], [`Decoder::read`](crate::wire::Decoder::read); `Codec`, with the feature `interop` |
//! | several packets | [`dump`] |
//! | reuse in a larger parser | [`packet`](packet()), [`packet_data`](packet_data()), [`value`](value()), [`cframe`](cframe()), … |
//!
//! ```
//! use enginewire::roblox::remote::{self, Event, Value};
//!
//! let bytes = b"\x83\x07\x01\x7f\x6d\x11\0\x0b\x6f\x02\x09\x01\x02\x02Hi\0";
//! let packet = remote::decode(bytes)?; // borrows from `bytes`
//! let data = &packet.packets[0];
//! assert_eq!(data.remote.unwrap().id, 1142143);
//! assert_eq!(data.event, Event::OnClientEvent { arguments: [true.into(), "Hi".into()].into() });
//! assert_eq!(remote::encode(&packet)?, bytes);
//!
//! let error = remote::decode(&bytes[..13]).unwrap_err();
//! assert_eq!(error.path().to_string(), "packets[0].arguments[1].string.length");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Names
//!
//! The public documentation of these packets, that of the library Squash, describes them as its authors saw them, and
//! leaves some bytes unexplained: "enigmas". The table of each structure here has its names beside the real ones. The
//! rotation of a CFrame, the last of the enigmas, is explained in [`quaternion`].
//!
//! # What is canonical
//!
//! `encode(decode(bytes)) == bytes` for everything that decodes, except bytes after the packet, where
//! [`Options::trailing_bytes`] allows them: they are dropped.
//!
//! # Rejected bytes
//!
//! Another packet type or subtype; an event id that is not in the [table](EventIds); a type that was never captured; a rotation id without a meaning, a Boolean other than 0 and 1, a reserved bit; an integer that takes
//! more bytes than it needs or more than 32 bits; a length or count beyond the input; arrays and dictionaries deeper than
//! [`Limits::depth`](crate::Limits::depth); bytes after the packet. Nothing has a length of its own, so nothing after an
//! error can be read.
//!
//! # Never captured
//!
//! The two answers of RemoteFunctions, LEB128 of more than one byte, references to nothing, and peers other than 1.

mod array;
mod boolean;
mod cframe;
#[cfg(feature = "text")]
mod described;
mod dictionary;
pub mod dump;
mod event;
#[cfg(feature = "text")]
mod json;
#[cfg(feature = "text")]
mod luau;
#[cfg(feature = "text")]
mod luau_packet;
#[cfg(feature = "text")]
mod node;
mod options;
mod packet;
mod packet_data;
pub mod quaternion;
mod reference;
mod stream;
mod text;
mod tuple;
#[cfg(feature = "text")]
mod typed;
mod value;

pub use array::{array, gen_array};
pub use boolean::{boolean, gen_boolean};
pub use cframe::{cframe, gen_cframe, gen_rotation, rotation, CFrame, Rotation};
pub use dictionary::{dictionary, gen_dictionary, gen_pair, pair, Pair};
pub use event::{event_id, gen_event_id, EventId, EventIds, EventIdsError, EventName};
pub use options::{Nesting, Options, ValueOptions};
pub use packet::{gen_packet, packet, Packet, DELIMITER, PACKET_TYPE};
pub use packet_data::{gen_packet_data, packet_data, Event, PacketData, SUBTYPE};
pub use quaternion::{gen_packed_quaternion, packed_quaternion, Component, PackedQuaternion, QuaternionError};
pub use reference::{gen_reference, reference, Ref};
pub use stream::Packets;
pub use text::{gen_text, text};
pub use tuple::{gen_tuple, tuple};
#[cfg(feature = "text")]
pub use typed::{
    from_arguments, from_arguments_with, from_bytes, from_bytes_with, to_arguments, to_bytes, to_bytes_with,
};
pub use value::{gen_value, value, TypeId, Value};

pub use crate::wire::{ByteString, IntoByteString, Provenance};

use std::io::Write;

use bstr::BStr;
use cookie_factory::SerializeFn;
use nom::Parser;

use crate::wire::{default_functions, format_functions, owned_by_method, Format, ItemOf, Source, WireError};

/// Roblox remote packets as a [`Format`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RemoteFormat;

impl Format for RemoteFormat {
    type Options = Options;
    type Value<'a> = Packet<'a>;
    type Stream = Packets;

    fn parser<'a, I, E>(options: Options) -> impl Parser<I, Output = Packet<'a>, Error = E>
    where
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        packet(options)
    }

    fn generator<'v, W: Write + 'v>(options: Options, value: &'v Self::Value<'_>) -> impl SerializeFn<W> + 'v {
        gen_packet(options, value)
    }

    fn from_items<'a>(items: Vec<ItemOf<'a, Self>>) -> Option<Self::Value<'a>> {
        Some(items.into_iter().collect())
    }

    fn size_hint(value: &Packet<'_>) -> usize {
        value.packets.iter().map(PacketData::size_hint).fold(2, usize::wrapping_add)
    }
}

owned_by_method!(Packet, PacketData);
format_functions!(RemoteFormat);
default_functions!(RemoteFormat, Options::new());

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_packet_is_written_to_a_writer() {
        let mut written = Vec::new();
        encode_to(&Packet::default(), &mut written).unwrap();
        assert_eq!(written, [PACKET_TYPE, DELIMITER]);
    }

    /// The end of the packet where the bytes end, and what may follow it.
    #[test]
    fn bytes_after_a_packet_are_allowed_by_name() {
        let bytes = [PACKET_TYPE, DELIMITER, 7];
        assert_eq!(decode(&bytes).unwrap_err().offset(), 2);
        assert_eq!(decode_with(&bytes, &Options::new().trailing_bytes(true)), Ok(Packet::default()));
    }
}
