//! Packets in Luau: a list of events, each a table.
//!
//! ```luau
//! {{event = "OnServerEvent", event_id = 2928, remote = Ref.new(1, 759399), player = Ref.new(1, 690521), arguments = {true, "Hi"}}}
//! ```
//!
//! | key | value |
//! |---|---|
//! | `event` | the name of the event |
//! | `event_id` | its number in the packet |
//! | `remote` | a Ref; left out if the event has none |
//! | `call` | the number of the call, where the event has one |
//! | `player` | a Ref, for events with a player; left out if empty |
//! | `arguments` | a list of values |
//! | `message` | text, instead of arguments: of RemoteOnInvokeError |

use bstr::ByteSlice;

use super::dictionary::Pair;
use super::event::EventName;
use super::options::Options;
use super::packet::Packet;
use super::packet_data::{Event, PacketData};
use super::reference::Ref;
use super::value::{TypeId, Value};
use crate::error::{does_not_fit, range_of};
use crate::limits::Limited;
use crate::roblox::luau;
use crate::wire::ValueVec;
use crate::TextError;

/// Levels of tables around the arguments: the packet, the event, the list of arguments.
const LEVELS: u16 = 3;

fn to_value(data: &PacketData<'_>) -> Value<'static> {
    let PacketData { remote, event_id, event } = data.clone().into_owned();
    let pair = |key: &'static str, value: Value<'static>| Pair::new(key, value);
    let mut pairs = vec![pair("event", event.name().name().into()), pair("event_id", Value::Number(event_id.into()))];
    let reference = |key, reference: Option<Ref>| reference.map(|_| pair(key, Value::Instance(reference)));
    pairs.extend(reference("remote", remote));
    pairs.extend(event.call().map(|call| pair("call", Value::Number(call.into()))));
    pairs.extend(reference("player", event.player().flatten()));
    pairs.push(match event {
        Event::RemoteOnInvokeError { message, .. } => pair("message", Value::String(message)),
        event => pair("arguments", Value::Array(event.arguments().to_vec().into())),
    });
    Value::Dictionary(pairs.into())
}

/// The data in a table, or the reason why the table is invalid.
fn from_value(value: Value<'static>) -> Result<PacketData<'static>, String> {
    let Value::Dictionary(pairs) = value else { return Err("must be a table with the key `event`".to_owned()) };
    let mut data = Members::default();
    for Pair { key, value } in pairs {
        let wrong = |expected: &str| Err(format!("`{key}` must be {expected}"));
        let of_key = |reason: String| format!("`{key}`: {reason}");
        match (key.as_bytes(), value) {
            (b"event", Value::String(name)) => {
                let event = EventName::ALL.iter().find(|event| event.name().as_bytes() == name.as_bytes());
                match event {
                    Some(event) => data.event = Some(*event),
                    None => return wrong("the name of an event such as \"OnClientEvent\""),
                }
            }
            (b"event_id", id @ Value::Number(_)) => data.event_id = Some(whole_number(&id, "u16").map_err(of_key)?),
            (b"call", call @ Value::Number(_)) => data.call = Some(whole_number(&call, "i32").map_err(of_key)?),
            (b"remote", Value::Instance(remote)) => data.remote = remote,
            (b"player", Value::Instance(player)) => data.player = Some(player),
            (b"remote" | b"player", Value::Nil) => {}
            (b"arguments", Value::Array(arguments)) => data.arguments = Some(arguments),
            (b"message", Value::String(message)) => data.message = Some(message),
            (b"event" | b"message", _) => return wrong("a string in quotes"),
            (b"event_id" | b"call", _) => return wrong("a number"),
            (b"remote" | b"player", _) => return wrong("a Ref such as Ref.new(1, 1142143), or nil"),
            (b"arguments", _) => return wrong("a list such as {true, \"text\"}"),
            _ => return Err(format!("an event has no `{key}`")),
        }
    }
    data.finish()
}

/// The whole number that a number is.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // compared first
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= f64::from(u32::MAX)).then_some(number as i64)
}

/// The whole number of a type of Rust that a value is.
pub(super) fn whole_number<N: TryFrom<i64>>(value: &Value<'_>, of: &str) -> Result<N, String> {
    let expected = || format!("expected a whole number from {}", range_of(of).unwrap_or_default());
    let number = value.as_number().and_then(whole).ok_or_else(expected)?;
    number.try_into().map_err(|_| does_not_fit(&number, "", of))
}

/// The members of a table.
#[derive(Default)]
struct Members {
    event: Option<EventName>,
    event_id: Option<u16>,
    remote: Option<Ref>,
    call: Option<i32>,
    player: Option<Option<Ref>>,
    arguments: Option<ValueVec<Value<'static>>>,
    message: Option<crate::wire::ByteString<'static>>,
}

impl Members {
    fn finish(self) -> Result<PacketData<'static>, String> {
        let Members { event, event_id, remote, call, player, arguments, message } = self;
        let missing = |key: &str| format!("must have the key `{key}`");
        let name = event.ok_or_else(|| missing("event"))?;
        let event_id = event_id.ok_or_else(|| missing("event_id"))?;
        let is_error = name == EventName::RemoteOnInvokeError;
        for (key, is_there, wanted) in [
            ("call", call.is_some(), name.has_call()),
            ("arguments", arguments.is_some(), !is_error),
            ("message", message.is_some(), is_error),
        ] {
            match (is_there, wanted) {
                (false, true) => return Err(missing(key)),
                (true, false) => return Err(format!("{name} has no `{key}`")),
                _ => {}
            }
        }
        if player.is_some() && !name.has_player() {
            return Err(format!("{name} has no `player`"));
        }
        let call = call.unwrap_or_default();
        let event = match message {
            Some(message) => Event::RemoteOnInvokeError { call, message },
            None => Event::with_arguments(name, call, player.flatten(), arguments.unwrap_or_default()),
        };
        Ok(PacketData { remote, event_id, event })
    }
}

impl Packet<'_> {
    /// All events as a list of tables of Luau, with types where the text does not show them.
    ///
    /// ```
    /// use enginewire::roblox::remote::{self, Packet};
    ///
    /// let packet = remote::decode(b"\x83\x07\x01\x7f\x6d\x11\0\x0b\x6f\x02\x09\x01\x02\x02Hi\0")?;
    /// let text = r#"{{event = "OnClientEvent", event_id = 2927, remote = Ref.new(1, 1142143), arguments = {true, "Hi"}}}"#;
    /// assert_eq!(packet.to_luau(), text);
    /// assert_eq!(Packet::from_luau(text)?, packet);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_luau(&self) -> String {
        Value::Array(self.packets.iter().map(to_value).collect()).to_luau()
    }

    /// Reads all events.
    ///
    /// # Errors
    ///
    /// As for [`Value::from_luau`]; or if a table is not an event, whose index the path of the error has.
    pub fn from_luau(text: &str) -> Result<Packet<'static>, TextError> {
        Packet::from_luau_with(text, &Options::new())
    }

    /// The same, with the [depth](Options::limits) of these options.
    ///
    /// # Errors
    ///
    /// As for [`from_luau`](Self::from_luau).
    pub fn from_luau_with(text: &str, options: &Options) -> Result<Packet<'static>, TextError> {
        let depth = Limited::limits(&options.values).depth().saturating_add(LEVELS);
        let Value::Array(events) = luau::read(text, Some(TypeId::Array), depth)? else {
            return Ok(Packet::default());
        };
        let data = |(index, event)| {
            from_value(event).map_err(|reason| TextError::new(reason).inside(format_args!("packets[{index}]")))
        };
        events.into_iter().enumerate().map(data).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn read(data: &str) -> Result<Packet<'static>, String> {
        Packet::from_luau(&format!("{{{{{data}}}}}")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_reference_may_be_nil() {
        let packet =
            read(r#"event = "OnServerEvent", event_id = 65535, remote = nil, player = nil, arguments = {}"#).unwrap();
        assert_eq!((packet.packets[0].remote, packet.packets[0].event.player()), (None, Some(None)));
        assert_eq!(packet.packets[0].event_id, 65535);
    }
}
