//! The JSON form of a packet.

use super::event::{EventIds, EventName};
use super::packet::Packet;
use super::packet_data::{Event, PacketData};
use super::reference::Ref;
use super::value::Value;
use crate::json::{self, Document, Input};
use crate::limits::Limits;
use crate::member::{field, serde_by_member, Give, Given, Items, Member, Mismatch, Receiver, Shape};
use crate::wire::{ByteString, ValueVec};
use crate::TextError;

/// The members of data. An event need not have an id.
const NAMES: &[&str; 7] = &["remote", "event", "event_id", "call", "player", "arguments", "message"];

/// The data in the form of the document.
struct DataForm {
    remote: Option<Ref>,
    event: EventName,
    event_id: Option<u16>,
    call: Option<i32>,
    player: Option<Option<Ref>>,
    arguments: Option<ValueVec<Value<'static>>>,
    message: Option<ByteString<'static>>,
}

impl DataForm {
    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let [remote, event, event_id, call, player, arguments, message] = given.structure("", NAMES)?;
        Ok(DataForm {
            remote: field(given, "remote", remote)?,
            event: field(given, "event", event)?,
            event_id: event_id.map_or(Ok(None), Member::take)?,
            call: call.map_or(Ok(None), Member::take)?,
            player: player.map(Member::take).transpose()?,
            arguments: arguments.map_or(Ok(None), Member::take)?,
            message: message.map(Member::take).transpose()?,
        })
    }

    /// Adds the id that the table has for the event, if the document has none. An error names the member first, and
    /// then the reason.
    fn resolved(self, ids: &EventIds) -> Result<PacketData<'static>, (&'static str, String)> {
        let DataForm { remote, event: name, event_id, call, player, arguments, message } = self;
        let event_id = match event_id {
            Some(id) => match ids.name(id) {
                Some(other) if other != name => {
                    return Err(("event_id", format!("{id} (0x{id:04x}) is the id of {other}, not of {name}")));
                }
                _ => id,
            },
            None => ids.id(name).ok_or_else(|| ("event_id", format!("the table has no id, or several, for {name}")))?,
        };
        let is_error = name == EventName::RemoteOnInvokeError;
        let members = [
            ("call", call.is_some(), name.has_call()),
            ("player", player.is_some(), name.has_player()),
            ("arguments", arguments.is_some(), !is_error),
            ("message", message.is_some(), is_error),
        ];
        if let Some((member, is_there, _)) = members.into_iter().find(|(_, is_there, wanted)| is_there != wanted) {
            let has = if is_there { "has no" } else { "must have a member" };
            return Err((member, format!("{name} {has} `{member}`")));
        }
        let (call, player) = (call.unwrap_or_default(), player.flatten());
        let event = match message {
            Some(message) => Event::RemoteOnInvokeError { call, message },
            None => Event::with_arguments(name, call, player, arguments.unwrap_or_default()),
        };
        Ok(PacketData { remote, event_id, event })
    }
}

impl Document for Packet<'_> {
    const FORMAT: &'static str = "roblox-remote";

    /// A list and two objects for each dictionary, between the document and the parts of a CFrame.
    const LEVELS: usize = 3 * Limits::MAX_LEVELS + 8;
}

/// `{"format": "roblox-remote", "packets": [{"remote": …, "event": …, …}, …]}`
impl Give for Packet<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("Form", 2);
        to.member("format", &Self::FORMAT);
        to.member("packets", &self.packets);
        to.end();
    }
}

/// With the [captured](EventIds::captured) event ids; [`Packet::from_json`] takes others.
impl Member for Packet<'_> {
    const SHAPE: Shape = Shape::Any;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        packets(given)?.map(PacketData::take).collect()
    }
}

serde_by_member!([] Packet<'_>);

/// The packets of a document.
fn packets(given: Given<'_>) -> Result<Items<'_>, Mismatch> {
    let [format, packets] = given.structure("", &["format", "packets"])?;
    given.format(format, &[Packet::FORMAT])?;
    packets.ok_or_else(|| given.missing("packets"))?.items("a sequence")
}

impl Packet<'_> {
    /// Reads a document whose events have these ids.
    ///
    /// ```
    /// use enginewire::json::Input;
    /// use enginewire::roblox::remote::{self, EventIds, Options, Packet};
    ///
    /// let text = br#"{"format": "roblox-remote", "packets": [{"remote": null, "event": "OnClientEvent", "arguments": []}]}"#;
    /// let ids: EventIds = "OnClientEvent = 0x0c12".parse()?;
    /// let packet = Packet::from_json(Input::Text(text), &ids)?;
    /// assert_eq!(remote::encode_with(&packet, &Options::new().event_ids(ids))?, b"\x83\x07\0\x0c\x12\0\0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`json::read`]; or if an event has no id and the table does not have exactly one for it, or if an
    /// event has the id of another event.
    pub fn from_json(document: Input<'_>, ids: &EventIds) -> Result<Packet<'static>, TextError> {
        let resolve = |(index, data): (usize, DataForm)| {
            let error = |(member, message)| TextError::new(message).inside(format_args!("packets[{index}].{member}"));
            data.resolved(ids).map_err(error)
        };
        let take = |given: Given<'_>| packets(given)?.map(DataForm::take).collect();
        let data: Vec<_> = json::take(document, Self::LEVELS, take)?;
        data.into_iter().enumerate().map(resolve).collect()
    }
}

impl Give for PacketData<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        let PacketData { remote, event_id, event } = self;
        to.structure("PacketData", 6);
        to.member("remote", remote);
        to.member("event", &event.name());
        to.member("event_id", event_id);
        if let Some(call) = event.call() {
            to.member("call", &call);
        }
        if let Some(player) = event.player() {
            to.member("player", &player);
        }
        match event {
            Event::RemoteOnInvokeError { message, .. } => to.member("message", message),
            event => to.member("arguments", &event.arguments()),
        }
        to.end();
    }
}

impl Member for PacketData<'_> {
    const SHAPE: Shape = Shape::Any;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        DataForm::take(given)?.resolved(&EventIds::captured()).map_err(|(_, message)| given.custom(message))
    }
}

serde_by_member!([] PacketData<'_>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::IntoByteString;
    use pretty_assertions::assert_eq;

    fn document(data: &str) -> String {
        format!(r#"{{"format": "roblox-remote", "packets": [{data}]}}"#)
    }

    #[test]
    fn an_event_without_an_id_has_that_of_the_table() {
        let text = document(r#"{"remote": null, "event": "OnClientEvent", "arguments": []}"#);
        let packet: Packet<'_> = json::from_slice(text.as_bytes()).unwrap();
        assert_eq!(packet.packets[0].event_id, 0x0b6f);
        let error = Packet::from_json(Input::Text(text.as_bytes()), &EventIds::none()).unwrap_err();
        assert_eq!(error.to_string(), "packets[0].event_id: the table has no id, or several, for OnClientEvent");
    }

    #[test]
    fn an_id_is_not_that_of_another_event() {
        let text = document(r#"{"remote": null, "event": "OnClientEvent", "event_id": 2928, "arguments": []}"#);
        assert_eq!(
            Packet::from_json(Input::Text(text.as_bytes()), &EventIds::none()).unwrap().packets[0].event_id,
            2928
        );
    }

    #[test]
    fn an_error_has_its_message() {
        let data = r#"{"remote":null,"event":"RemoteOnInvokeError","event_id":2938,"call":1,"message":"no"}"#;
        let packet: Packet<'_> = json::from_slice(document(data).as_bytes()).unwrap();
        let message = b"no"[..].into_byte_string();
        assert_eq!(packet.packets[0].event, crate::roblox::remote::Event::RemoteOnInvokeError { call: 1, message });
        assert!(serde_json::to_string(&packet).unwrap().contains(data));
    }
}
