//! The arguments of packets as values that are found and changed by their paths: `packets[0].arguments[1].damage`.

use super::{Event, Packet, PacketData, Value};
use crate::formats::node::{numbered_steps, push_next, remove_from};
use crate::formats::{EditError, Node, Notation, Step};

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
}

impl Node for Vec<PacketData<'_>> {
    fn steps(&self, _: Notation) -> Vec<Step> {
        numbered_steps(self.len())
    }

    fn list_length(&self) -> Option<usize> {
        Some(self.len())
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        Some(self.get(number)?)
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        Some(self.get_mut(number)?)
    }

    fn remove(&mut self, number: usize) -> Result<(), EditError> {
        remove_from(self, number)
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
}

/// The arguments of an event.
impl Node for Vec<Value<'_>> {
    fn steps(&self, _: Notation) -> Vec<Step> {
        numbered_steps(self.len())
    }

    fn list_length(&self) -> Option<usize> {
        Some(self.len())
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

    fn remove(&mut self, number: usize) -> Result<(), EditError> {
        remove_from(self, number)
    }
}
