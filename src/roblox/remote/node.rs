//! The arguments of packets as values that are found and changed by their paths: `packets[0].arguments[1].damage`.

use super::{Event, Packet, PacketData, Pair, TypeId, Value};
use crate::formats::node::{
    insert_keyed, keyed_steps, numbered_steps, push_next, remove_from, rename_keyed, type_of, Keyed,
};
use crate::formats::{EditError, Node, Notation, Step};
use crate::wire::IntoByteString;

/// The value that a text stands for, of the type with this name, else of the type `current`, else of the one that the text
/// shows.
fn read(type_name: Option<&str>, text: &str, current: Option<TypeId>) -> Result<Value<'static>, EditError> {
    let wanted = type_name.map(type_of::<TypeId>).transpose()?.or(current);
    Value::from_luau(text, wanted).map_err(EditError::text)
}

impl<'a> Keyed for Pair<'a> {
    type Value = Value<'a>;

    fn keyed(key: Vec<u8>, value: Value<'a>) -> Self {
        Pair::new(key, value)
    }

    fn key(&self) -> &[u8] {
        &self.key
    }

    fn set_key(&mut self, key: Vec<u8>) {
        self.key = key.into_byte_string();
    }

    fn value(&self) -> &Value<'a> {
        &self.value
    }

    fn value_mut(&mut self) -> &mut Value<'a> {
        &mut self.value
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
        push_next(self, step, read(type_name, text, None)?)
    }

    fn remove(&mut self, number: usize) -> Result<(), EditError> {
        remove_from(self, number)
    }
}

impl Node for Value<'_> {
    fn type_name(&self, _: Notation) -> &'static str {
        self.type_id().name()
    }

    fn steps(&self, _: Notation) -> Vec<Step> {
        match self {
            Value::Array(values) | Value::Tuple(values) => numbered_steps(values.len()),
            Value::Dictionary(pairs) | Value::Map(pairs) => keyed_steps(pairs),
            _ => Vec::new(),
        }
    }

    fn list_length(&self) -> Option<usize> {
        if let Value::Array(values) | Value::Tuple(values) = self {
            Some(values.len())
        } else {
            None
        }
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        match self {
            Value::Array(values) | Value::Tuple(values) => Some(values.get(number)?),
            Value::Dictionary(pairs) | Value::Map(pairs) => Some(pairs.get(number)?.value()),
            _ => None,
        }
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        match self {
            Value::Array(values) | Value::Tuple(values) => Some(values.get_mut(number)?),
            Value::Dictionary(pairs) | Value::Map(pairs) => Some(pairs.get_mut(number)?.value_mut()),
            _ => None,
        }
    }

    fn text(&self, notation: Notation) -> String {
        if notation.typed {
            self.to_typed_luau()
        } else {
            self.to_luau()
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.as_string().map(|text| &**text)
    }

    fn assign(&mut self, type_name: Option<&str>, text: &str, _: Notation) -> Result<(), EditError> {
        *self = read(type_name, text, Some(self.type_id()))?;
        Ok(())
    }

    fn insert(&mut self, key: &Step, type_name: Option<&str>, text: &str, _: Notation) -> Result<(), EditError> {
        let value = read(type_name, text, None)?;
        match self {
            Value::Array(values) | Value::Tuple(values) => push_next(values, key, value),
            Value::Dictionary(pairs) | Value::Map(pairs) => insert_keyed(pairs, key, value),
            other => Err(EditError::holds_none(other.type_id().name())),
        }
    }

    fn remove(&mut self, number: usize) -> Result<(), EditError> {
        match self {
            Value::Array(values) | Value::Tuple(values) => remove_from(values, number),
            Value::Dictionary(pairs) | Value::Map(pairs) => remove_from(pairs, number),
            other => Err(EditError::holds_none(other.type_id().name())),
        }
    }

    fn rename(&mut self, number: usize, key: &Step, _: Notation) -> Result<(), EditError> {
        match self {
            Value::Dictionary(pairs) | Value::Map(pairs) => rename_keyed(pairs, number, key),
            other => Err(EditError::has_no_keys(other.type_id().name())),
        }
    }
}
