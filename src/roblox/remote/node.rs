//! The arguments of packets as values that are found and changed by their paths: `packets[0].arguments[1].damage`.

use std::collections::BTreeSet;

use serde_json::value::RawValue;
use serde_json::Value as Json;

use super::{Event, Packet, PacketData, Value};
use crate::formats::node::{numbered_steps, push_next, remove_from};
use crate::formats::plain::Untyped;
use crate::formats::{to_raw_value, EditError, Node, Notation, Shape, Step};
use crate::json::JsonError;
use crate::member::MemberRef;

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

    fn shape(&self) -> Shape {
        Shape::Object
    }
}

impl Node for Vec<PacketData<'_>> {
    fn steps(&self, _: Notation) -> Vec<Step> {
        numbered_steps(self.len())
    }

    fn list_length(&self) -> Option<usize> {
        Some(self.len())
    }

    fn shape(&self) -> Shape {
        Shape::list(self.len())
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        Some(self.get(number)?)
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        Some(self.get_mut(number)?)
    }

    fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), EditError> {
        remove_from(self, numbers)
    }
}

impl Node for PacketData<'_> {
    fn steps(&self, _: Notation) -> Vec<Step> {
        match &self.event {
            Event::RemoteOnInvokeError { .. } => Vec::new(),
            _ => vec![Step::key("arguments")],
        }
    }

    fn item(&self, _: usize) -> Option<&dyn Node> {
        match &self.event {
            Event::OnClientEvent { arguments }
            | Event::OnServerEvent { arguments, .. }
            | Event::RemoteOnInvokeClient { arguments, .. }
            | Event::RemoteOnInvokeServer { arguments, .. }
            | Event::RemoteOnInvokeSuccess { arguments, .. } => Some(arguments),
            Event::RemoteOnInvokeError { .. } => None,
        }
    }

    fn item_mut(&mut self, _: usize) -> Option<&mut dyn Node> {
        match &mut self.event {
            Event::OnClientEvent { arguments }
            | Event::OnServerEvent { arguments, .. }
            | Event::RemoteOnInvokeClient { arguments, .. }
            | Event::RemoteOnInvokeServer { arguments, .. }
            | Event::RemoteOnInvokeSuccess { arguments, .. } => Some(arguments),
            Event::RemoteOnInvokeError { .. } => None,
        }
    }

    fn shape(&self) -> Shape {
        Shape::Object
    }

    /// All but the arguments.
    fn fixed_members(&self) -> serde_json::Result<Vec<(&'static str, Box<RawValue>)>> {
        let PacketData { remote, event_id, event } = self;
        let mut members = vec![
            ("remote", to_raw_value(remote)?),
            ("event", to_raw_value(&event.name())?),
            ("event_id", to_raw_value(event_id)?),
        ];
        if let Some(call) = event.call() {
            members.push(("call", to_raw_value(&call)?));
        }
        if let Some(player) = event.player() {
            members.push(("player", to_raw_value(&player)?));
        }
        if let Event::RemoteOnInvokeError { message, .. } = event {
            members.push(("message", to_raw_value(&MemberRef(message))?));
        }
        Ok(members)
    }
}

/// The arguments of an event.
impl Node for Vec<Value<'_>> {
    fn steps(&self, _: Notation) -> Vec<Step> {
        numbered_steps(self.len())
    }

    fn list_length(&self) -> Option<usize> {
        Some(self.len())
    }

    fn shape(&self) -> Shape {
        Shape::list(self.len())
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        Some(self.get(number)?)
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        Some(self.get_mut(number)?)
    }

    fn insert(&mut self, step: &Step, type_name: Option<&str>, text: &str, _: Notation) -> Result<(), EditError> {
        push_next(self, step, Value::from_node_text(type_name, text, None)?)
    }

    fn insert_json(&mut self, step: &Step, json: &Json, _: Notation) -> Result<(), JsonError> {
        Ok(push_next(self, step, Value::by_itself(json)?)?)
    }

    fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), EditError> {
        remove_from(self, numbers)
    }
}
