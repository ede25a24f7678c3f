//! Roblox remote packets, as the promises see them.

use std::num::NonZeroU32;

use arbitrary::Unstructured;
use enginewire::formats::FormatOptions;
use enginewire::roblox::datatypes::*;
use enginewire::roblox::remote::{
    self, Component, Event, EventIds, EventName, Options, PackedQuaternion, Packet, PacketData, Packets, Pair, Ref,
    TypeId, Value,
};
use enginewire::wire::{ItemOf, Note, Tree};
use enginewire::TextError;
use enginewire::{DecodeError, EncodeError, Limits, Offset};
use nom::{Err, Parser};

use super::codec::{self, every_flag, Codec};
use super::typed::Any;
use super::{bytes, hex, list, string, LARGE};

pub(crate) struct RobloxRemote;

impl Codec for RobloxRemote {
    type Described = remote::RemoteFormat;
    const MEMORY: usize = 32;

    fn lenient() -> FormatOptions {
        every_flag::<Self::Described>().set("event_ids", ALL_EVENTS).unwrap()
    }

    fn items<'a>(value: &codec::Value<'a, Self>) -> Vec<ItemOf<'a, codec::FormatOf<Self>>> {
        value.packets.clone()
    }

    /// The arguments of each event, in a list.
    fn typed(bytes: &[u8], options: &Options) -> [Result<Any, DecodeError>; 2] {
        let read = remote::decode_with(bytes, options).map(|packet| {
            let arguments = |data: PacketData<'_>| {
                let arguments: Vec<_> = data.event.arguments().to_vec();
                let written = tuple_bytes(&arguments);
                let read: Any = remote::from_bytes(&written).unwrap();
                assert_eq!(read, remote::from_arguments(arguments).unwrap());
                read
            };
            Any::List(packet.packets.into_iter().map(arguments).collect())
        });
        [read.clone(), read]
    }

    fn exact(value: Packet<'static>) -> Packet<'static> {
        for data in &value.packets {
            let arguments = data.event.arguments();
            let written = remote::to_arguments(arguments).unwrap();
            assert_eq!(tuple_bytes(&written), tuple_bytes(arguments));
            let read: Vec<Value<'static>> = remote::from_arguments(written).unwrap();
            assert_eq!(tuple_bytes(&read), tuple_bytes(arguments));
        }
        value
    }

    fn depth(value: &Packet<'_>) -> usize {
        let arguments = value.packets.iter().flat_map(|data| data.event.arguments());
        arguments.map(depth).max().unwrap_or_default()
    }

    fn notation(value: &codec::Value<'_, Self>) -> Vec<(String, Result<codec::Value<'static, Self>, TextError>)> {
        type Again = fn(&str, TypeId) -> Result<Value<'static>, TextError>;
        let with = |text: fn(&Value<'_>) -> String, again: Again| {
            let mut packet = value.clone().into_owned();
            let (mut texts, mut failed) = (Vec::new(), None);
            for data in &mut packet.packets {
                match &mut data.event {
                    Event::OnClientEvent { arguments }
                    | Event::OnServerEvent { arguments, .. }
                    | Event::RemoteOnInvokeClient { arguments, .. }
                    | Event::RemoteOnInvokeServer { arguments, .. }
                    | Event::RemoteOnInvokeSuccess { arguments, .. } => {
                        for argument in arguments {
                            texts.push(text(argument));
                            match again(texts.last().unwrap(), argument.type_id()) {
                                Ok(read) => *argument = read,
                                Err(error) => failed = Some(error),
                            }
                        }
                    }
                    _ => {}
                }
            }
            (texts.join("; "), failed.map_or(Ok(packet), Err))
        };
        let text = value.to_luau();
        let again = Packet::from_luau(&text);
        vec![
            (text, again),
            with(|value| value.to_luau(), |text, id| Value::from_luau(text, Some(id))),
            with(|value| value.to_typed_luau(), |text, _| Value::from_luau(text, None)),
        ]
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Packet<'static>> {
        Ok(Packet { packets: list(entropy, packet_data)? })
    }

    fn deepest() -> [Vec<u8>; 2] {
        let depth = usize::from(Limits::MAX_DEPTH);
        [depth, depth + 1].map(|depth| {
            // dictionaries take more stack than arrays
            let value = [hex("1f 01 00").repeat(depth), vec![1]].concat();
            packet(&[&[1][..], &value].concat())
        })
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let mut inputs = Vec::new();
        // a length or count of 0xffffffff wherever there is one
        for arguments in
            ["ffffffff0f", "01 02 ffffffff0f", "01 1e ffffffff0f", "01 1f ffffffff0f", "01 1f 01 ffffffff0f"]
        {
            inputs.push((format!("a length beyond the input: {arguments}"), packet(&hex(arguments))));
            let longer = [hex(arguments), vec![1; 1000]].concat();
            inputs.push((format!("a length beyond a longer input: {arguments}"), packet(&longer)));
        }
        let nils = vec![1; LARGE];
        for (how, count) in [("exactly", LARGE), ("one too few", LARGE + 1), ("some too many", LARGE - 5)] {
            inputs.push((format!("the smallest arguments, {how}"), packet(&[varint(count), nils.clone()].concat())));
            let array = [hex("01 1e"), varint(count), nils.clone()].concat();
            inputs.push((format!("the smallest elements, {how}"), packet(&array)));
        }
        let pairs = hex("00 01").repeat(LARGE / 2);
        inputs.push(("the smallest pairs".to_owned(), packet(&[hex("01 1f"), varint(LARGE / 2), pairs].concat())));
        let data = hex("07 00 0b6f 00").repeat(LARGE / 5);
        inputs.push(("the smallest data".to_owned(), [&[0x83][..], &data, &[0]].concat()));
        inputs.push(("the smallest data, and no end".to_owned(), [&[0x83][..], &data].concat()));
        // the data that take the most memory, followed by lists that declare the largest lengths
        let half = hex("07 00 0b6f 00").repeat(LARGE / 10);
        let arguments = [hex("07 00 0b6f"), varint(LARGE / 2), vec![1; LARGE / 2], vec![0]].concat();
        inputs.push(("small data, then arguments".to_owned(), [&[0x83][..], &half, &arguments].concat()));
        let empty = hex("1e 00").repeat(LARGE / 2);
        inputs.push(("empty arrays".to_owned(), packet(&[varint(LARGE / 2), empty].concat())));
        for count in [1usize, 20, 100_000, 0xffff_ffff] {
            for (name, head, key) in [("arrays", hex("1e"), vec![]), ("dictionaries", hex("1f"), vec![0])] {
                let level = [head, varint(count), key].concat();
                let nested = [varint(count), level.repeat(127), nils.clone()].concat();
                inputs.push((format!("127 {name} in each other, each of {count}"), packet(&nested)));
                let cut = packet(&nested)[..1000].to_vec();
                inputs.push((format!("127 {name} in each other, each of {count}, cut"), cut));
                let endless = [varint(1), level.repeat(50_000)].concat();
                inputs.push((format!("{name} without end, each of {count}"), packet(&endless)));
            }
        }
        inputs
    }
}

/// A packet with an event that has these arguments, their count included.
fn packet(arguments: &[u8]) -> Vec<u8> {
    [&hex("83 07 01 7f6d1100 0b6f")[..], arguments, &[0]].concat()
}

fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// The captured ids, and one for each other event.
pub(crate) fn all_events() -> EventIds {
    ALL_EVENTS.parse().unwrap()
}

const ALL_EVENTS: &str = "OnClientEvent = 0x0b6f\nOnServerEvent = 0x0b70\n\
    RemoteOnInvokeClient = 0x0b79\nRemoteOnInvokeServer = 0x0b7b\n\
    RemoteOnInvokeError = 0x0b7a\nRemoteOnInvokeSuccess = 0x0b7c";

/// Arguments with their count before them.
fn tuple_bytes(arguments: &[Value<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    enginewire::wire::generate_into(remote::gen_tuple(Options::new().into(), arguments), &mut bytes).unwrap();
    bytes
}

fn depth(value: &Value<'_>) -> usize {
    let inner: Vec<&Value<'_>> = match value {
        Value::Array(elements) => elements.iter().collect(),
        Value::Dictionary(pairs) => pairs.iter().map(|pair| &pair.value).collect(),
        _ => return 0,
    };
    1 + inner.into_iter().map(depth).max().unwrap_or_default()
}

fn packet_data(entropy: &mut Unstructured<'_>) -> arbitrary::Result<PacketData<'static>> {
    let name = *entropy.choose(EventName::ALL)?;
    let (remote, call) = (reference(entropy)?, entropy.arbitrary()?);
    let player = reference(entropy)?;
    let event = match name {
        EventName::RemoteOnInvokeError => Event::RemoteOnInvokeError { call, message: string(entropy)? },
        name => {
            let arguments = list(entropy, |entropy| value(entropy, 3))?.into();
            match name {
                EventName::OnClientEvent => Event::OnClientEvent { arguments },
                EventName::OnServerEvent => Event::OnServerEvent { player, arguments },
                EventName::RemoteOnInvokeClient => Event::RemoteOnInvokeClient { call, arguments },
                EventName::RemoteOnInvokeServer => Event::RemoteOnInvokeServer { call, player, arguments },
                EventName::RemoteOnInvokeSuccess => Event::RemoteOnInvokeSuccess { call, arguments },
                other => panic!("{other} is not made here yet"),
            }
        }
    };
    Ok(PacketData { remote, event_id: all_events().id(name).unwrap(), event })
}

fn reference(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Option<Ref>> {
    let peer = if entropy.ratio(3, 4)? { 1 } else { entropy.arbitrary()? };
    let id = entropy.arbitrary()?;
    Ok(NonZeroU32::new(peer).map(|peer| Ref { peer, id }))
}

fn vector2(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vector2> {
    let (x, y) = entropy.arbitrary()?;
    Ok(Vector2 { x, y })
}

fn vector3(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vector3> {
    let (x, y, z) = entropy.arbitrary()?;
    Ok(Vector3 { x, y, z })
}

fn vector3int16(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vector3int16> {
    let (x, y, z) = entropy.arbitrary()?;
    Ok(Vector3int16 { x, y, z })
}

fn id(entropy: &mut Unstructured<'_>) -> arbitrary::Result<RotationId> {
    let ids: Vec<RotationId> = RotationId::all().collect();
    entropy.choose(&ids).copied()
}

fn rotation(entropy: &mut Unstructured<'_>) -> arbitrary::Result<remote::Rotation> {
    if entropy.ratio(1, 2)? {
        return Ok(id(entropy)?.into());
    }
    let omitted = *entropy.choose(&[Component::X, Component::Y, Component::Z, Component::W])?;
    let fields: [i16; 3] = entropy.arbitrary()?;
    Ok(PackedQuaternion::new(omitted, fields.map(|field| field >> 1)).unwrap().into())
}

fn pairs(entropy: &mut Unstructured<'_>, levels: usize) -> arbitrary::Result<Vec<Pair<'static>>> {
    list(entropy, |entropy| Ok(Pair::new(bytes(entropy)?, value(entropy, levels)?)))
}

/// A value of any type, with up to `levels` containers inside each other.
fn value(entropy: &mut Unstructured<'_>, levels: usize) -> arbitrary::Result<Value<'static>> {
    Ok(match *entropy.choose(TypeId::ALL)? {
        TypeId::Nil => Value::Nil,
        TypeId::String => Value::String(string(entropy)?),
        TypeId::Boolean => Value::Boolean(entropy.arbitrary()?),
        TypeId::Number => Value::Number(entropy.arbitrary()?),
        TypeId::Array | TypeId::Dictionary if levels == 0 => Value::Array([].into()),
        TypeId::Array => Value::Array(list(entropy, |entropy| value(entropy, levels - 1))?.into()),
        TypeId::Dictionary => Value::Dictionary(pairs(entropy, levels - 1)?.into()),
        TypeId::Vector2 => Value::Vector2(vector2(entropy)?),
        TypeId::Vector3 => Value::Vector3(vector3(entropy)?),
        TypeId::Vector2int16 => {
            let (x, y) = entropy.arbitrary()?;
            Value::Vector2int16(Vector2int16 { x, y })
        }
        TypeId::Vector3int16 => Value::Vector3int16(vector3int16(entropy)?),
        TypeId::CFrame => Value::CFrame(remote::CFrame { position: vector3(entropy)?, rotation: rotation(entropy)? }),
        TypeId::Instance => Value::Instance(reference(entropy)?),
        other => panic!("values of type {other:?} are not made here yet"),
    })
}
