//! Remote packets as a format that is chosen at run time.

use std::borrow::Cow;

use super::{EventIds, EventIdsError, Options, Packet, RemoteFormat, Value};
use crate::dynamic::{
    check_as_stream, Accepts, Counts, Described, FormatOptions, Node, OptionRow, OptionValue, TypeRow, ValueOf,
    MAX_DEPTH, MAX_MEMORY, RESYNC, TRAILING_BYTES,
};
use crate::error::DecodeError;
use crate::json::{typed::Typed, Give, Input};
use crate::wire::{ItemOf, Report};
use crate::TextError;

/// By default those of [`EventIds::captured`].
const EVENT_IDS: OptionRow = OptionRow {
    name: "event_ids",
    about: "The ids of events, in lines NAME = ID such as `OnServerEvent = 0x0b50`",
    default: OptionValue::Text(Cow::Borrowed(
        "OnClientEvent = 0x0b6f\nOnServerEvent = 0x0b70\nRemoteOnInvokeClient = 0x0b79\nRemoteOnInvokeServer = 0x0b7b\n",
    )),
    accepts: Accepts::Text(|text| event_ids(text).map(drop).map_err(|error| error.to_string())),
};

fn event_ids(text: &str) -> Result<EventIds, EventIdsError> {
    text.parse()
}

/// The ids that were given, whose text was found right when it was set.
fn ids(given: &FormatOptions) -> EventIds {
    match given.is_set(&EVENT_IDS) {
        true => event_ids(given.text(&EVENT_IDS)).unwrap_or_default(),
        false => EventIds::default(),
    }
}

impl Described for RemoteFormat {
    type Format = Self;

    const NAME: &'static str = "roblox-remote";
    const ABOUT: &'static str = "RemoteEvents and RemoteFunctions of Roblox";
    const FOUND_IN: &'static str = "packet 0x83, decrypted";
    const OPTIONS: &'static [OptionRow] = &[MAX_DEPTH, MAX_MEMORY, TRAILING_BYTES, EVENT_IDS, RESYNC];

    const TYPES: fn() -> Vec<TypeRow> = || TypeRow::all(Value::shape_of);

    fn options(given: &FormatOptions) -> Options {
        Options::new().limits(given.limits(&MAX_DEPTH)).trailing_bytes(given.is(&TRAILING_BYTES)).event_ids(ids(given))
    }

    fn to_json<'a>(value: ValueOf<'a, Self>) -> impl Give + 'a {
        value
    }

    /// The bytes do not contain the number of events.
    fn check(bytes: &[u8], given: &FormatOptions) -> Result<Report, DecodeError> {
        check_as_stream::<Self>(bytes, given)
    }

    fn item_to_json<'a>(item: ItemOf<'a, Self::Format>) -> impl Give + 'a {
        item
    }

    fn from_json(document: Input<'_>, given: &FormatOptions) -> Result<(Packet<'static>, Options), TextError> {
        let ids = ids(given);
        Packet::from_json(document, &ids).map(|packet| (packet, Options::new().event_ids(ids)))
    }

    /// A packet without data.
    fn node<'v>(value: &'v Packet<'_>) -> &'v dyn Node {
        value
    }

    fn node_mut<'v>(value: &'v mut Packet<'_>) -> &'v mut dyn Node {
        value
    }

    const NOTATION: &'static str = "Luau";
    const NOTHING: &'static str = "{}";

    fn to_notation(value: &Packet<'_>) -> String {
        value.to_luau()
    }

    fn from_notation(text: &str, given: &FormatOptions) -> Result<(Packet<'static>, Options), TextError> {
        let options = Self::options(given);
        Packet::from_luau_with(text, &options).map(|packet| (packet, options))
    }

    fn count(value: &Packet<'_>, counts: &mut Counts) {
        for data in &value.packets {
            counts.add(data.event.name().name(), 0);
            counts.add_all(data.event.arguments(), |value| value.type_id().name());
        }
    }

    fn recovered<'a>(
        value: Option<ValueOf<'a, Self>>,
        unfinished: Option<ItemOf<'a, Self::Format>>,
    ) -> Option<ValueOf<'a, Self>> {
        let mut packet = value.unwrap_or_default();
        packet.packets.extend(unfinished);
        Some(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Event, PacketData, Pair};
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_default_is_what_was_captured() {
        assert_eq!(RemoteFormat::options(&FormatOptions::new()), Options::new());
        assert_eq!(event_ids(FormatOptions::new().text(&EVENT_IDS)).unwrap(), EventIds::default());
    }

    fn event(arguments: Vec<Value<'static>>) -> PacketData<'static> {
        PacketData { remote: None, event_id: 0x0b6f, event: Event::OnClientEvent { arguments: arguments.into() } }
    }

    #[test]
    fn every_value_is_counted_with_its_depth() {
        let inner =
            Value::Dictionary([Pair::new("k", Value::Nil), Pair::new("l", Value::Array([Value::Nil].into()))].into());
        let packet: Packet<'_> =
            [event(vec![Value::Array([inner].into()), Value::Nil]), event(vec![])].into_iter().collect();
        let mut counts = Counts::default();
        RemoteFormat::count(&packet, &mut counts);
        let expected = [("Array", 2), ("Dictionary", 1), ("Nil", 3), ("OnClientEvent", 2)];
        assert_eq!(counts, Counts { types: expected.into(), depth: 3 });
    }

    /// The data before the error, then those of the broken one that could be decoded.
    #[test]
    fn a_broken_packet_is_recovered() {
        let packet = |data: &[PacketData<'static>]| data.iter().cloned().collect::<Packet<'static>>();
        let [whole, part] = [event(vec![true.into()]), event(vec![])];
        let both = RemoteFormat::recovered(Some(packet(std::slice::from_ref(&whole))), Some(part.clone()));
        assert_eq!(both, Some(packet(&[whole, part.clone()])));
        assert_eq!(RemoteFormat::recovered(None, Some(part.clone())), Some(packet(&[part])));
        assert_eq!(RemoteFormat::recovered(None, None), Some(packet(&[])));
    }
}
