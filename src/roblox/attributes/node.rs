//! Attributes as values that are found and changed by their paths.

use super::{Attributes, Entry, TypeId, Value};
use crate::formats::node::{
    insert_keyed, keyed_steps, numbered_steps, push_next, remove_from, rename_keyed, type_of, Keyed,
};
use crate::formats::{EditError, Node, Notation, Step};
use crate::json::typed::Typed;
use crate::wire::IntoByteString;

/// The value that a text stands for, of the type with this name, else of the type `current`, else of the one that the text
/// shows.
fn read(type_name: Option<&str>, text: &str, current: Option<TypeId>) -> Result<Value<'static>, EditError> {
    let wanted = type_name.map(type_of::<TypeId>).transpose()?.or(current);
    Value::from_luau(text, wanted).or_else(|error| from_json(wanted, text).ok_or_else(|| EditError::text(error)))
}

/// The value that a JSON object stands for, as documents have it.
fn from_json(wanted: Option<TypeId>, text: &str) -> Option<Value<'static>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let mut document = serde_json::Deserializer::from_str(text);
    let value = Value::read(wanted?, &mut document).ok()?;
    document.end().ok().map(|()| value.into_owned())
}

impl<'a> Keyed for Entry<'a> {
    type Value = Value<'a>;

    fn keyed(key: Vec<u8>, value: Value<'a>) -> Self {
        Entry::new(key, value)
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

/// The entries.
impl Node for Attributes<'_> {
    fn steps(&self, _: Notation) -> Vec<Step> {
        keyed_steps(self.entries())
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

    fn assign(&mut self, _: Option<&str>, text: &str, _: Notation) -> Result<(), EditError> {
        *self = Attributes::from_luau(text).map_err(EditError::text)?;
        Ok(())
    }

    fn insert(&mut self, key: &Step, type_name: Option<&str>, text: &str, _: Notation) -> Result<(), EditError> {
        insert_keyed(self.entries_mut(), key, read(type_name, text, None)?)
    }

    fn remove(&mut self, number: usize) -> Result<(), EditError> {
        remove_from(self.entries_mut(), number)
    }

    fn rename(&mut self, number: usize, key: &Step, _: Notation) -> Result<(), EditError> {
        rename_keyed(self.entries_mut(), number, key)
    }
}

impl Node for Value<'_> {
    fn type_name(&self, _: Notation) -> &'static str {
        self.type_id().name()
    }

    fn steps(&self, _: Notation) -> Vec<Step> {
        match self {
            Value::Array(elements) => numbered_steps(elements.len()),
            Value::Dictionary(entries) => keyed_steps(entries),
            _ => Vec::new(),
        }
    }

    fn list_length(&self) -> Option<usize> {
        if let Value::Array(elements) = self {
            Some(elements.len())
        } else {
            None
        }
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        match self {
            Value::Array(elements) => Some(elements.get(number)?),
            Value::Dictionary(entries) => Some(entries.get(number)?.value()),
            _ => None,
        }
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        match self {
            Value::Array(elements) => Some(elements.get_mut(number)?),
            Value::Dictionary(entries) => Some(entries.get_mut(number)?.value_mut()),
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
            Value::Dictionary(entries) => insert_keyed(entries, key, value),
            Value::Array(elements) => push_next(elements, key, value),
            other => Err(EditError::holds_none(other.type_id().name())),
        }
    }

    fn remove(&mut self, number: usize) -> Result<(), EditError> {
        match self {
            Value::Array(elements) => remove_from(elements, number),
            Value::Dictionary(entries) => remove_from(entries, number),
            other => Err(EditError::holds_none(other.type_id().name())),
        }
    }

    fn rename(&mut self, number: usize, key: &Step, _: Notation) -> Result<(), EditError> {
        match self {
            Value::Dictionary(entries) => rename_keyed(entries, number, key),
            other => Err(EditError::has_no_keys(other.type_id().name())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::datatypes::Color3;
    use pretty_assertions::assert_eq;

    /// One object, and nothing behind it that would be taken for a member of the document.
    #[test]
    fn an_object_is_read_as_documents_have_it() {
        let wanted = Some(TypeId::Color3);
        let color = r#"{"r":1,"g":0.5,"b":0}"#;
        assert_eq!(from_json(wanted, color), Some(Value::Color3(Color3 { r: 1.0, g: 0.5, b: 0.0 })));
        assert_eq!(from_json(wanted, &format!(" {color}\n")), from_json(wanted, color));
        for text in [&format!("{color},"), &format!(r#"{color}, "type": "Bool""#), &format!("{color}}}"), "{", "[1]"] {
            assert_eq!(from_json(wanted, text), None, "{text}");
        }
        assert_eq!([from_json(None, color), from_json(Some(TypeId::Bool), color)], [None, None]);
    }
}
