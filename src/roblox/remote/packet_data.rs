//! Packet data: one event of a packet.

use std::io::Write;
use std::marker::PhantomData;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::event::{event_id, gen_event_id, EventId, EventName};
use super::options::Options;
use super::packet::{Byte, DELIMITER};
use super::reference::{gen_reference, reference, Ref};
use super::text::{gen_text, text};
use super::tuple::{gen_tuple, tuple};
use super::value::Value;
use crate::error::{EncodeFault, Radix};
use crate::wire::{
    encode_fault, field, gen_field, gen_uint8, gen_zigzag32, switch_to, uint8, unknown, verify, zigzag32, ByteString,
    Source, ValueVec, Valued, WireError,
};

/// The type of a part of a packet that is an event. The others (new instances, properties, physics, …) are not decoded.
pub const SUBTYPE: u8 = 0x07;

/// An event of a remote.
///
/// | field | type | the documentation calls it |
/// |---|---|---|
/// | subtype | uint8: 7 | the first byte of Packet Subtype `0701` |
/// | remote | [`Ref`] or none | its second byte, Remote Id, and the first byte of Enigma `000b` |
/// | event | uint16, one of the [`EventIds`](super::EventIds) | the rest of the Enigma, and Client To Server Id or Server To Client Id |
/// | call | zigzag LEB128 | Call Count (VLQ), which counts by 2 because of the zigzag |
/// | player | [`Ref`] or none | User Information |
/// | argument_count, arguments | a [`tuple`](super::tuple()) | Argument Count, Data 1, Data 2, … |
/// | message | text | |
///
/// Only a RemoteFunction has a call, and only an event from a client to the server has a player. RemoteOnInvokeError
/// has a message and no arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketData<'a> {
    /// The RemoteEvent or RemoteFunction.
    pub remote: Option<Ref>,
    /// The event, as it is on the wire.
    pub event_id: u16,
    /// The event that the id means, with its fields.
    pub event: Event<'a>,
}

/// An event with all that came with it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs)] // the fields are explained above
pub enum Event<'a> {
    /// A RemoteEvent, from the server to a client.
    OnClientEvent { arguments: ValueVec<Value<'a>> },
    /// A RemoteEvent, from a client to the server.
    OnServerEvent { player: Option<Ref>, arguments: ValueVec<Value<'a>> },
    /// A call of a RemoteFunction, from the server to a client.
    RemoteOnInvokeClient { call: i32, arguments: ValueVec<Value<'a>> },
    /// A call of a RemoteFunction, from a client to the server.
    RemoteOnInvokeServer { call: i32, player: Option<Ref>, arguments: ValueVec<Value<'a>> },
    /// The answer to a call that failed.
    RemoteOnInvokeError { call: i32, message: ByteString<'a> },
    /// The answer to a call.
    RemoteOnInvokeSuccess { call: i32, arguments: ValueVec<Value<'a>> },
}

impl<'a> Event<'a> {
    /// The name.
    #[must_use]
    pub const fn name(&self) -> EventName {
        match self {
            Event::OnClientEvent { .. } => EventName::OnClientEvent,
            Event::OnServerEvent { .. } => EventName::OnServerEvent,
            Event::RemoteOnInvokeClient { .. } => EventName::RemoteOnInvokeClient,
            Event::RemoteOnInvokeServer { .. } => EventName::RemoteOnInvokeServer,
            Event::RemoteOnInvokeError { .. } => EventName::RemoteOnInvokeError,
            Event::RemoteOnInvokeSuccess { .. } => EventName::RemoteOnInvokeSuccess,
        }
    }

    /// The number of the call, where the event has one: the first is 1.
    #[must_use]
    pub const fn call(&self) -> Option<i32> {
        match self {
            Event::OnClientEvent { .. } | Event::OnServerEvent { .. } => None,
            Event::RemoteOnInvokeClient { call, .. }
            | Event::RemoteOnInvokeServer { call, .. }
            | Event::RemoteOnInvokeError { call, .. }
            | Event::RemoteOnInvokeSuccess { call, .. } => Some(*call),
        }
    }

    /// The player that an event comes from, if the event has this field. The field may be empty.
    #[must_use]
    pub const fn player(&self) -> Option<Option<Ref>> {
        match self {
            Event::OnServerEvent { player, .. } | Event::RemoteOnInvokeServer { player, .. } => Some(*player),
            _ => None,
        }
    }

    /// The arguments.
    #[must_use]
    pub fn arguments(&self) -> &[Value<'a>] {
        match self {
            Event::OnClientEvent { arguments }
            | Event::OnServerEvent { arguments, .. }
            | Event::RemoteOnInvokeClient { arguments, .. }
            | Event::RemoteOnInvokeServer { arguments, .. }
            | Event::RemoteOnInvokeSuccess { arguments, .. } => arguments,
            Event::RemoteOnInvokeError { .. } => &[],
        }
    }

    /// The event of this name with these arguments, or with a message. What the event does not have is dropped.
    #[cfg_attr(fast, inline(always))]
    pub(super) fn with_arguments(
        name: EventName,
        call: i32,
        player: Option<Ref>,
        arguments: ValueVec<Value<'a>>,
    ) -> Self {
        match name {
            EventName::OnClientEvent => Event::OnClientEvent { arguments },
            EventName::OnServerEvent => Event::OnServerEvent { player, arguments },
            EventName::RemoteOnInvokeClient => Event::RemoteOnInvokeClient { call, arguments },
            EventName::RemoteOnInvokeServer => Event::RemoteOnInvokeServer { call, player, arguments },
            EventName::RemoteOnInvokeSuccess => Event::RemoteOnInvokeSuccess { call, arguments },
            EventName::RemoteOnInvokeError => Event::RemoteOnInvokeError { call, message: ByteString::default() },
        }
    }

    /// The same event, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        let (name, call, player) = (self.name(), self.call(), self.player());
        match self {
            Event::OnClientEvent { arguments }
            | Event::OnServerEvent { arguments, .. }
            | Event::RemoteOnInvokeClient { arguments, .. }
            | Event::RemoteOnInvokeServer { arguments, .. }
            | Event::RemoteOnInvokeSuccess { arguments, .. } => Event::with_arguments(
                name,
                call.unwrap_or_default(),
                player.flatten(),
                arguments.into_iter().map(Value::into_owned).collect(),
            ),
            Event::RemoteOnInvokeError { call, message } => {
                Event::RemoteOnInvokeError { call, message: message.into_owned() }
            }
        }
    }
}

impl PacketData<'_> {
    /// The same data, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> PacketData<'static> {
        PacketData { remote: self.remote, event_id: self.event_id, event: self.event.into_owned() }
    }

    /// About how many bytes it takes.
    pub(super) fn size_hint(&self) -> usize {
        let arguments = self.event.arguments().iter().map(Value::size_hint);
        arguments.fold(24, usize::wrapping_add)
    }
}

/// The fewest bytes that data take: no remote, no arguments.
pub(super) const SMALLEST_DATA: usize = 5;

/// Reads [`PacketData`].
///
/// The bytes `07 01 7f 6d 11 00 0b 6f 00` are one OnClientEvent without arguments. Numbers are big-endian, except for the id of
/// a [`Ref`]. Another first byte is refused, and a field that [`reference`](reference()), [`event_id`], [`zigzag32`], [`text`]
/// or [`tuple`](tuple()) refuses.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section PacketData.
#[inline]
pub fn packet_data<'a, I, E>(options: Options) -> impl Parser<I, Output = PacketData<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    PacketDataParser { options, error: PhantomData }
}

struct PacketDataParser<E> {
    options: Options,
    error: PhantomData<fn() -> E>,
}

/// The fields before the arguments.
struct Head {
    remote: Option<Ref>,
    event: EventId,
    call: i32,
    player: Option<Ref>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for PacketDataParser<E> {
    type Output = PacketData<'a>;
    type Error = E;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, PacketData<'a>, E> {
        let (rest, head) = head::<Valued<OM>, I, E>(input, &self.options)?;
        let Head { remote, event: EventId { id: event_id, name }, call, player } = head;
        let (rest, event) = match name {
            EventName::RemoteOnInvokeError => switch_to::<OM, _, _>(rest, || {
                field("message", text()).map(|message| Event::RemoteOnInvokeError { call, message })
            })?,
            _ => switch_to::<OM, _, _>(rest, || {
                let arguments = tuple(self.options.into());
                arguments.map(|arguments| Event::with_arguments(name, call, player, arguments))
            })?,
        };
        Ok((rest, OM::Output::map(event, |event| PacketData { remote, event_id, event })))
    }
}

#[cfg_attr(fast, inline(always))]
fn subtype<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Byte, Error = E> {
    verify(uint8(), |found| match found {
        SUBTYPE => Ok(Byte(found)),
        _ => Err(unknown("packet subtype", Radix::Hexadecimal, found, [DELIMITER, SUBTYPE])),
    })
}

#[cfg_attr(fast, inline(always))]
fn head<OM, I, E>(input: I, options: &Options) -> PResult<OM, I, Head, E>
where
    OM: OutputMode,
    I: Source,
    E: WireError<I>,
{
    let (rest, _) = field("subtype", subtype()).process::<Valued<OM>>(input)?;
    let (rest, remote) = field("remote", reference()).process::<Valued<OM>>(rest)?;
    let (rest, event) = field("event", event_id(&options.event_ids)).process::<Valued<OM>>(rest)?;
    let (rest, call) = match event.name.has_call() {
        true => field("call", zigzag32()).process::<Valued<OM>>(rest)?,
        false => (rest, 0),
    };
    let (rest, player) = match event.name.has_player() {
        true => field("player", reference()).process::<Valued<OM>>(rest)?,
        false => (rest, None),
    };
    Ok((rest, OM::Output::bind(|| Head { remote, event, call, player })))
}

/// Writes [`PacketData`], as [`packet_data`] reads them. An event whose id does not mean it in the options is refused, a message
/// that is too long, and arguments that [`gen_tuple`] refuses.
pub fn gen_packet_data<'v, W: Write + 'v>(options: Options, data: &'v PacketData<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let PacketData { remote, event_id, event } = data;
        if options.event_ids.name(*event_id) != Some(event.name()) {
            return gen_field("event", |_| Err(encode_fault(wrong_id(*event_id, event))))(out);
        }
        let out = gen_event_id(*event_id)(gen_reference(*remote)(gen_uint8(SUBTYPE)(out)?)?)?;
        let out = match event.call() {
            Some(call) => gen_zigzag32(call)(out)?,
            None => out,
        };
        let out = match event.player() {
            Some(player) => gen_reference(player)(out)?,
            None => out,
        };
        match event {
            Event::RemoteOnInvokeError { message, .. } => gen_field("message", gen_text(message))(out),
            event => gen_tuple(options.into(), event.arguments())(out),
        }
    }
}

#[cold]
fn wrong_id(id: u16, event: &Event<'_>) -> EncodeFault {
    EncodeFault::Other(format!("event id {id:#06x} is not that of {} in the options", event.name()))
}

#[cfg(test)]
mod tests {
    use super::super::event::EventIds;
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        let ids = EventIds::default().with(0x0b7a, EventName::RemoteOnInvokeError).unwrap();
        let options = Options::new().event_ids(ids.with(0x0b7c, EventName::RemoteOnInvokeSuccess).unwrap());
        let remote = |id| Some(Ref::of_server(id));
        let arguments = Vec::new();
        for (bytes, remote, event_id, event) in [
            (
                "07 01 7f6d1100 0b6f 00",
                remote(1_142_143),
                0x0b6f,
                Event::OnClientEvent { arguments: arguments.clone().into() },
            ),
            (
                "07 01 67960b00 0b70 01 59890a00 00",
                remote(759_399),
                0x0b70,
                Event::OnServerEvent { player: remote(690_521), arguments: arguments.clone().into() },
            ),
            (
                "07 01 7cc10400 0b79 06 00",
                remote(0x0004_c17c),
                0x0b79,
                Event::RemoteOnInvokeClient { call: 3, arguments: arguments.clone().into() },
            ),
            (
                "07 01 d9be0700 0b7b 02 01 c5b60800 00",
                remote(507_609),
                0x0b7b,
                Event::RemoteOnInvokeServer { call: 1, player: remote(571_077), arguments: arguments.into() },
            ),
            (
                "07 00 0b7a 01 02 6e6f",
                None,
                0x0b7a,
                Event::RemoteOnInvokeError { call: -1, message: BStr::new("no").into() },
            ),
            (
                "07 00 0b7c 04 01 09 01",
                None,
                0x0b7c,
                Event::RemoteOnInvokeSuccess { call: 2, arguments: [true.into()].into() },
            ),
        ] {
            let data = PacketData { remote, event_id, event };
            let generator = gen_packet_data(options, &data);
            both_ways(&hex(bytes), data.clone(), || packet_data(options), generator);
            assert_eq!(data.clone().into_owned(), data);
        }
    }

    #[test]
    fn other_subtypes_are_at_fault() {
        let error = run(&hex("03 00 0b6f 00")[..], packet_data(Options::new())).unwrap_err();
        assert_eq!(error.to_string(), "unknown packet subtype 0x03, at byte 0x0 in subtype");
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn data_take_56_bytes() {
        assert_eq!(std::mem::size_of::<PacketData<'_>>(), 56);
    }
}
