//! The fields and arguments of packets as values that are found and changed by their paths: `packets[0].remote`,
//! `packets[0].arguments[1].damage`.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::luau_packet::whole_number;
use super::{ByteString, Event, Packet, PacketData, Pair, Ref, Value};
use crate::dynamic::node::{push_next, remove_from, text_key};
use crate::dynamic::plain::Untyped;
use crate::dynamic::plain_json::plain_json;
use crate::dynamic::{Contents, Node, Notation, Step, TypedText};
use crate::member::{Give, Receiver};
use crate::roblox::luau::read_node;
use crate::wire::ValueVec;
use crate::TextError;

/// A number is a Number, as in Luau.
impl Untyped for Value<'_> {
    fn is_nothing(&self) -> bool {
        matches!(self, Value::Nil)
    }

    fn of_json(json: &Json) -> Option<Self> {
        match json {
            Json::Null => Some(Value::Nil),
            Json::Bool(value) => Some((*value).into()),
            Json::Number(number) => number.as_f64().map(Value::from),
            Json::String(text) => Some(text.clone().into()),
            _ => None,
        }
    }
}

impl Node for Packet<'_> {
    fn steps(&self, _: Notation) -> Vec<Step> {
        vec![Step::key("packets")]
    }

    fn item(&self, _: usize) -> Option<&dyn Node> {
        Some(&self.packets)
    }

    fn item_mut(&mut self, _: usize) -> Option<&mut dyn Node> {
        Some(&mut self.packets)
    }

    fn contents(&self) -> Contents {
        Contents::Object
    }
}

impl Node for Vec<PacketData<'_>> {
    fn contents(&self) -> Contents {
        Contents::list(self.len())
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        Some(self.get(number)?)
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        Some(self.get_mut(number)?)
    }

    fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), TextError> {
        remove_from(self, numbers)
    }
}

impl Node for PacketData<'_> {
    fn steps(&self, _: Notation) -> Vec<Step> {
        self.fields().into_iter().map(|(name, _)| Step::key(name)).collect()
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        self.fields().get(number).map(|(_, field)| *field)
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        let (name, _) = *self.fields().get(number)?;
        match (name, &mut self.event) {
            ("remote", _) => Some(&mut self.remote),
            ("event", event) => Some(event),
            ("event_id", _) => Some(&mut self.event_id),
            (
                "call",
                Event::RemoteOnInvokeClient { call, .. }
                | Event::RemoteOnInvokeServer { call, .. }
                | Event::RemoteOnInvokeError { call, .. }
                | Event::RemoteOnInvokeSuccess { call, .. },
            ) => Some(call),
            ("player", Event::OnServerEvent { player, .. } | Event::RemoteOnInvokeServer { player, .. }) => {
                Some(player)
            }
            (_, Event::RemoteOnInvokeError { message, .. }) => Some(message),
            (
                _,
                Event::OnClientEvent { arguments }
                | Event::OnServerEvent { arguments, .. }
                | Event::RemoteOnInvokeClient { arguments, .. }
                | Event::RemoteOnInvokeServer { arguments, .. }
                | Event::RemoteOnInvokeSuccess { arguments, .. },
            ) => Some(arguments),
        }
    }

    fn contents(&self) -> Contents {
        Contents::Object
    }

    /// All but the arguments or the message, which come last.
    fn may_be_left_out(&self, number: usize) -> bool {
        number.saturating_add(1) < self.fields().len()
    }
}

impl PacketData<'_> {
    /// The fields that the event has, in the order of the document.
    fn fields(&self) -> Vec<Named<'_>> {
        let PacketData { remote, event_id, event } = self;
        let (call, player, last): (Option<&dyn Node>, Option<&dyn Node>, Named<'_>) = match event {
            Event::OnClientEvent { arguments } => (None, None, ("arguments", arguments)),
            Event::OnServerEvent { player, arguments } => (None, Some(player), ("arguments", arguments)),
            Event::RemoteOnInvokeClient { call, arguments } | Event::RemoteOnInvokeSuccess { call, arguments } => {
                (Some(call), None, ("arguments", arguments))
            }
            Event::RemoteOnInvokeServer { call, player, arguments } => {
                (Some(call), Some(player), ("arguments", arguments))
            }
            Event::RemoteOnInvokeError { call, message } => (Some(call), None, ("message", message)),
        };
        let mut fields: Vec<Named<'_>> = vec![("remote", remote), ("event", event), ("event_id", event_id)];
        fields.extend(call.map(|call| ("call", call)));
        fields.extend(player.map(|player| ("player", player)));
        fields.push(last);
        fields
    }
}

/// The name of a field, and the field.
type Named<'n> = (&'static str, &'n dyn Node);

/// A field of a packet that is not a list. Its text is that of an argument with the same value.
trait Field: Give {
    /// The value as an argument.
    fn value(&self) -> Value<'_>;

    /// Sets another value, or returns a description of the valid ones.
    fn set(&mut self, value: Value<'static>) -> Result<(), TextError>;

    /// The bytes of a text.
    fn text_bytes(&self) -> Option<&[u8]> {
        None
    }
}

impl<T: Field> Node for T {
    fn type_name(&self, notation: Notation) -> &'static str {
        self.value().type_name(notation)
    }

    fn text(&self, notation: Notation) -> String {
        self.value().text(notation)
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.text_bytes()
    }

    fn assign(&mut self, given: TypedText<'_>, notation: Notation) -> Result<(), TextError> {
        let mut value = self.value().into_owned();
        // nil has no type of its own
        let value = match given.text.trim() {
            "nil" => Value::Nil,
            _ => value.assign(given, notation).map(|()| value)?,
        };
        self.set(value)
    }

    fn give_leaf(&self, _: Notation, to: &mut dyn Receiver) {
        self.give(to);
    }

    fn assign_json(&mut self, json: &Json, notation: Notation) -> Result<(), TextError> {
        let mut value = self.value().into_owned();
        value.assign_json(json, notation)?;
        self.set(value)
    }
}

/// The remote and the player.
impl Field for Option<Ref> {
    fn value(&self) -> Value<'_> {
        Value::Instance(*self)
    }

    fn set(&mut self, value: Value<'static>) -> Result<(), TextError> {
        *self = match value {
            Value::Instance(reference) => reference,
            Value::Nil => None,
            _ => return Err(TextError::new("expected a Ref such as Ref.new(1, 1142143), or nil")),
        };
        Ok(())
    }
}

/// The id of the event.
impl Field for u16 {
    fn value(&self) -> Value<'_> {
        Value::Number((*self).into())
    }

    fn set(&mut self, value: Value<'static>) -> Result<(), TextError> {
        *self = whole_number(&value, "u16").map_err(TextError::new)?;
        Ok(())
    }
}

/// The number of the call.
impl Field for i32 {
    fn value(&self) -> Value<'_> {
        Value::Number((*self).into())
    }

    fn set(&mut self, value: Value<'static>) -> Result<(), TextError> {
        *self = whole_number(&value, "i32").map_err(TextError::new)?;
        Ok(())
    }
}

/// As its name.
impl Give for Event<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        self.name().give(to);
    }
}

/// The name of the event.
impl Field for Event<'_> {
    fn value(&self) -> Value<'_> {
        self.name().name().into()
    }

    fn set(&mut self, value: Value<'static>) -> Result<(), TextError> {
        match value == self.value() {
            true => Ok(()),
            false => {
                let name = self.name();
                let reason = "the event decides which other fields there are, and stays";
                Err(TextError::new(format!("{reason} {name}: encode the packet anew")))
            }
        }
    }
}

/// The message of an error.
impl Field for ByteString<'_> {
    fn value(&self) -> Value<'_> {
        Value::String(self.clone())
    }

    fn set(&mut self, value: Value<'static>) -> Result<(), TextError> {
        match value {
            Value::String(text) => *self = text,
            _ => return Err(TextError::new("expected a text")),
        }
        Ok(())
    }

    fn text_bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
}

/// The arguments of an event.
impl Node for ValueVec<Value<'_>> {
    fn contents(&self) -> Contents {
        Contents::list(self.len())
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        Some(self.get(number)?)
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        Some(self.get_mut(number)?)
    }

    fn insert(&mut self, step: &Step, text: TypedText<'_>, _: Notation) -> Result<(), TextError> {
        push_next(self.to_mut(), step, read_node(Value::from_luau, text, None)?)
    }

    fn insert_json(&mut self, step: &Step, json: &Json, _: Notation) -> Result<(), TextError> {
        push_next(self.to_mut(), step, Value::by_itself(json)?)
    }

    fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), TextError> {
        remove_from(self.to_mut(), numbers)
    }
}

plain_json!(Value, Vec<u8>,
    step => text_key(step).map(<[u8]>::to_vec),
    items => items.into(),
    members => members.into_iter().map(|(key, value)| Pair::new(key, value)).collect::<Vec<_>>().into());
