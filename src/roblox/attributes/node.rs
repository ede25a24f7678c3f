//! Attributes as values that are found and changed by their paths.

use std::collections::BTreeSet;

use super::{Attributes, Value};
use serde_json::Value as Json;

use crate::dynamic::node::{insert_keyed, keyed_steps, remove_from, rename_keyed, repeated_keys, sorted_keys, Keyed};
use crate::dynamic::plain::Untyped;
use crate::dynamic::{Contents, Node, Notation, PlainJson, Step, TypedText};
use crate::roblox::luau::read_node;
use crate::TextError;

/// A number is a Double, as in Luau.
impl Untyped for Value<'_> {
    fn is_nothing(&self) -> bool {
        false
    }

    fn of_json(json: &Json) -> Option<Self> {
        match json {
            Json::Bool(value) => Some((*value).into()),
            Json::Number(number) => number.as_f64().map(Value::from),
            Json::String(text) => Some(text.clone().into()),
            _ => None,
        }
    }
}

/// The entries.
impl Node for Attributes<'_> {
    fn steps(&self, _: Notation) -> Vec<Step> {
        keyed_steps(self.entries())
    }

    fn keys(&self) -> Option<Vec<&[u8]>> {
        sorted_keys(self.entries())
    }

    /// The specification takes the first of several with a key, and rbx_types the last.
    fn repeated(&self) -> Vec<Vec<usize>> {
        repeated_keys(self.entries())
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        Some(self.entries().get(number)?.value())
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        Some(self.entries_mut().get_mut(number)?.value_mut())
    }

    fn text(&self, _: Notation) -> String {
        self.to_luau()
    }

    fn assign(&mut self, given: TypedText<'_>, _: Notation) -> Result<(), TextError> {
        *self = Attributes::from_luau(given.text)?;
        Ok(())
    }

    fn insert(&mut self, key: &Step, text: TypedText<'_>, _: Notation) -> Result<(), TextError> {
        insert_keyed(self.entries_mut(), key, read_node(Value::from_luau, text, None)?)
    }

    fn contents(&self) -> Contents {
        Contents::Object
    }

    fn insert_json(&mut self, key: &Step, json: &Json, _: Notation) -> Result<(), TextError> {
        insert_keyed(self.entries_mut(), key, Value::by_itself(json)?)
    }

    fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), TextError> {
        remove_from(self.entries_mut(), numbers)
    }

    fn rename(&mut self, number: usize, key: &Step, _: Notation) -> Result<(), TextError> {
        rename_keyed(self.entries_mut(), number, key)
    }
}

impl PlainJson for Attributes<'_> {
    fn from_plain_json(json: &Json) -> Result<Self, TextError> {
        let mut attributes = Attributes::new();
        attributes.set_plain_json(json)?;
        Ok(attributes)
    }
}
