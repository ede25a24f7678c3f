//! Roblox remote packets: what RemoteEvents and RemoteFunctions send, packet 0x83 of the network protocol.
//!
//! This is what is left when the lower layers have decrypted and decompressed it. Numbers are big-endian, but for the ids
//! of references; lengths and counts are LEB128.
//!
//! | what | how |
//! |---|---|
//! | decode | [`decode`], [`decode_with`]; [`decode_partial`] keeps what comes before an error |
//! | encode | [`encode`], [`encode_to`] |
//! | check | [`check`], [`check_with`]: valid? types that no capture shows? |
//! | see every field | [`inspect`], [`inspect_with`], [`inspect_within`] |
//! | stream | [`Decoder`], [`Decoder::read`](crate::wire::Decoder::read) |
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
//! assert_eq!(data.event, Event::OnClientEvent { arguments: vec![true.into(), "Hi".into()] });
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
//! `encode(decode(bytes)) == bytes` for everything that decodes, except:
//!
//! 1. an OptimizedString whose length is longer than it need be: one of the [unverified
//!    types](Options::unverified_types);
//! 2. bytes after the packet, where [`Options::trailing_bytes`] allows them: they are dropped.
//!
//! # What is an error
//!
//! Another packet type or subtype; an event id that is not in the [table](EventIds); a type without a meaning, or that was
//! never captured; a rotation id without a meaning, a Boolean other than 0 and 1, a reserved bit; an integer that takes
//! more bytes than it needs or more than 32 bits; a length or count beyond the input; arrays and dictionaries deeper than
//! [`Limits::depth`](crate::Limits::depth); bytes after the packet. Nothing has a length of its own, so nothing behind an
//! error can be read.
//!
//! # What was never captured
//!
//! The two answers of RemoteFunctions, LEB128 of more than one byte, references to nothing, peers other than 1, and all
//! that [`Options::unverified_types`] switches on.

mod array;
mod boolean;
mod cframe;
mod check;
mod dictionary;
pub mod dump;
mod event;
#[cfg(feature = "json")]
mod json;
mod options;
mod packet;
mod packet_data;
pub mod quaternion;
mod reference;
mod stream;
mod text;
mod tuple;
pub mod unverified;
mod value;

use std::io;

pub use array::{array, gen_array};
pub use boolean::{boolean, gen_boolean};
pub use cframe::{cframe, gen_cframe, gen_rotation, rotation, CFrame, Rotation};
pub use check::{check, check_with};
pub use dictionary::{dictionary, gen_dictionary, gen_pair, pair, Pair};
pub use event::{event_id, gen_event_id, EventId, EventIds, EventIdsError, EventName};
pub use options::{Nesting, Options, ValueOptions};
pub use packet::{gen_packet, packet, Packet, DELIMITER, PACKET_TYPE};
pub use packet_data::{gen_packet_data, packet_data, Event, PacketData, SUBTYPE};
pub use quaternion::{gen_packed_quaternion, packed_quaternion, Component, PackedQuaternion, QuaternionError};
pub use reference::{gen_reference, reference, Ref};
pub use stream::{Decoder, Packets};
pub use text::{gen_text, text};
pub use tuple::{gen_tuple, tuple};
pub use value::{gen_value, value, TypeId, Value};

pub use crate::wire::{ByteString, Findings, IntoByteString, Provenance};

use crate::budget;
use crate::error::{DecodeError, EncodeError, EncodeFault, Segment, WriteError};
use crate::wire::{self, all_consuming, generate_into, measure, Log, Tree};

/// Decodes a packet. It borrows from the input.
///
/// # Errors
///
/// Anything that the [module](self) calls an error, with its offset and path.
pub fn decode(input: &[u8]) -> Result<Packet<'_>, DecodeError> {
    decode_with(input, &Options::new())
}

/// Decodes a packet as the options say.
///
/// # Errors
///
/// As for [`decode`], but for what the options allow.
pub fn decode_with<'a>(input: &'a [u8], options: &Options) -> Result<Packet<'a>, DecodeError> {
    wire::run(input, all_consuming(options.trailing_bytes, packet(*options))).map(|(_, packet)| packet)
}

/// What could be decoded of a packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial<'a> {
    /// The data before the error; all of them, if there is none.
    pub packet: Packet<'a>,
    /// The data that the error lies in, with the arguments before it, and every array and dictionary that it lies in
    /// ending there; `None` if it does not lie in arguments.
    pub unfinished: Option<PacketData<'a>>,
    /// The bytes from the data on that could not be decoded.
    pub rest: &'a [u8],
    /// Why.
    pub error: Option<DecodeError>,
}

/// Decodes a packet as far as it goes.
///
/// ```
/// use enginewire::roblox::remote::{decode_partial, Options};
///
/// let partial = decode_partial(b"\x83\x07\0\x0b\x6f\0\x07\0\x0b\x50\0\0", &Options::new());
/// assert_eq!(partial.packet.packets.len(), 1);
/// assert_eq!(partial.rest, b"\x07\0\x0b\x50\0\0");
/// assert_eq!(partial.error.unwrap().to_string(), "unknown event id 0x0b50, at byte 0x8 in packets[1].event");
/// ```
#[must_use]
pub fn decode_partial<'a>(input: &'a [u8], options: &Options) -> Partial<'a> {
    partial(input, options, *options)
}

/// Decodes the packet at the start of `input`; what follows it is the rest.
pub(crate) fn decode_prefix<'a>(input: &'a [u8], options: &Options) -> Partial<'a> {
    partial(input, options, options.trailing_bytes(true))
}

fn partial<'a>(input: &'a [u8], options: &Options, reading: Options) -> Partial<'a> {
    let mut packet = Packet::default();
    let (rest, error) = wire::items(Packets::from(reading), input, |data| packet.packets.push(data));
    let unfinished = error.as_ref().and_then(|_| wire::recover(rest, packet_data(*options)));
    Partial { packet, unfinished, rest, error }
}

/// Every field of a packet with its place and value; of a broken packet, those before the error.
#[must_use]
pub fn inspect(input: &[u8]) -> Tree {
    inspect_with(input, &Options::new())
}

/// Every field of a packet, read as the options say.
#[must_use]
pub fn inspect_with(input: &[u8], options: &Options) -> Tree {
    inspect_within(input, options, budget::DEFAULT)
}

/// Every field, read as the options say, as far as the tree takes no more than so many bytes of memory; 256 MiB unless said
/// otherwise. A tree that would take more ends there and says so: see [`Tree::limit`].
#[must_use]
pub fn inspect_within(input: &[u8], options: &Options, max_memory: usize) -> Tree {
    Log::within(max_memory).trace(input, all_consuming(options.trailing_bytes, packet(*options)))
}

/// Encodes a packet.
///
/// # Errors
///
/// If a string or list is too long for its length, or arrays and dictionaries nest too deep.
pub fn encode(packet: &Packet<'_>) -> Result<Vec<u8>, EncodeError> {
    let size = packet.packets.iter().map(PacketData::size_hint).fold(2, usize::saturating_add);
    let mut bytes = Vec::with_capacity(size);
    generate_into(gen_packet(Nesting::DEEPEST, packet), &mut bytes).map_err(|reason| located(packet, reason))?;
    Ok(bytes)
}

/// Encodes a packet and writes it out, in one piece.
///
/// # Errors
///
/// As for [`encode`], in which case nothing is written; or if writing fails.
pub fn encode_to(packet: &Packet<'_>, mut writer: impl io::Write) -> Result<(), WriteError> {
    Ok(writer.write_all(&encode(packet)?)?)
}

/// The error with the argument that it came of. A generator cannot say where it failed, so it runs again, part by part.
#[cold]
fn located(packet: &Packet<'_>, reason: EncodeFault) -> EncodeError {
    let fails = |data: &&PacketData<'_>| measure(gen_packet_data(Nesting::DEEPEST, data)).is_err();
    let mut path = Vec::new();
    if let Some((index, data)) = packet.packets.iter().enumerate().find(|(_, data)| fails(data)) {
        path.extend([Segment::Field("packets"), Segment::Index(index)]);
        let fails = |value: &Value<'_>| measure(gen_value(Nesting::DEEPEST, value)).is_err();
        if let Some(index) = data.event.arguments().iter().position(fails) {
            path.extend([Segment::Field("arguments"), Segment::Index(index)]);
        }
    }
    EncodeError::new(path.into_iter().collect(), reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_cannot_be_encoded_is_named() {
        let nest = |levels: usize| (0..levels).fold(Value::Nil, |inner, _| vec![inner].into());
        let packet = |values: Vec<Value<'static>>| -> Packet<'static> {
            let event = Event::OnClientEvent { arguments: values };
            [PacketData { remote: None, event_id: 0x0b6f, event }].into_iter().collect()
        };
        assert!(encode(&packet(vec![nest(128)])).is_ok());
        let error = encode_to(&packet(vec![nest(128), nest(129)]), Vec::new()).unwrap_err();
        let expected = "containers are nested deeper than 128 levels in packets[0].arguments[1]";
        assert_eq!(error.to_string(), expected);
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
