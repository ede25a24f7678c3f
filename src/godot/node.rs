//! A Variant as values that are found and changed by their paths.

use std::collections::BTreeSet;

use serde_json::Value;

use super::json::{read_leaf, Bare};
use super::v4::TypeId;
use super::{v3, Array, Dictionary, Entry, FullObject, Object, Options, Property, Variant, Version};
use crate::dynamic::node::{
    distinct, insert_keyed, keyed, keyed_steps, numbered_steps, push_next, remove_from, rename_keyed, type_of, Keyed,
};
use crate::dynamic::plain::Untyped;
use crate::dynamic::plain_json::plain_json;
use crate::dynamic::{EditError, Node, Notation, Shape, Step, TypedText};
use crate::json::JsonError;
use crate::member::{Give, Receiver};
use crate::wire::IntoByteString;

fn version(notation: Notation) -> Version {
    if notation.version == 3 {
        Version::V3
    } else {
        Version::V4
    }
}

/// Reads a value from text: of the type with this name, else of the type `current`, else of the type that the text shows.
fn read(given: TypedText<'_>, current: Option<TypeId>, notation: Notation) -> Result<Variant<'static>, EditError> {
    let version = version(notation);
    let named = |name| match version {
        Version::V3 => type_of::<v3::TypeId>(name).map(v3::TypeId::to_v4),
        Version::V4 => type_of::<TypeId>(name),
    };
    let wanted = given.type_name.map(named).transpose()?.or(current);
    Variant::from_gdscript(given.text, wanted, &Options::new(version)).map_err(EditError::text)
}

/// The step to the value of a key.
fn step(key: &Variant<'_>, notation: Notation) -> Step {
    match key {
        Variant::String(text) => Step::key(&**text),
        key => Step::Item(key.to_gdscript(version(notation))),
    }
}

/// The key of a step.
pub(crate) fn key(step: &Step, notation: Notation) -> Result<Variant<'static>, EditError> {
    match step {
        Step::Key(key) => Ok(Variant::String(key.to_vec().into_byte_string())),
        Step::Item(text) => read(TypedText { type_name: None, text }, None, notation),
    }
}

keyed!(Property { name, value: Variant });

/// A number without a fraction is an int, as in GDScript.
impl Untyped for Variant<'_> {
    fn is_nothing(&self) -> bool {
        matches!(self, Variant::Null)
    }

    fn of_json(json: &Value) -> Option<Self> {
        match json {
            Value::Null => Some(Variant::Null),
            Value::Bool(value) => Some((*value).into()),
            Value::Number(number) if number.is_f64() => number.as_f64().map(Variant::from),
            Value::Number(number) => number.as_i64().map(Variant::from),
            Value::String(text) => Some(text.clone().into()),
            _ => None,
        }
    }
}

impl Variant<'_> {
    /// Adds a value, as the last.
    fn put(&mut self, step: &Step, value: Variant<'static>, notation: Notation) -> Result<(), EditError> {
        match self {
            Variant::Array(array) => push_next(&mut array.elements, step, value),
            Variant::Dictionary(dictionary) => {
                dictionary.entries.push(Entry { key: key(step, notation)?, value });
                Ok(())
            }
            Variant::Object(Object::Full(object)) => insert_keyed(&mut object.properties, step, value),
            other => Err(EditError::holds_none(other.type_name(notation))),
        }
    }
}

impl Node for Variant<'_> {
    fn type_name(&self, notation: Notation) -> &'static str {
        let id = self.type_id();
        match version(notation) {
            Version::V3 => v3::TypeId::from_v4(id).map_or(id.name(), v3::TypeId::name),
            Version::V4 => id.name(),
        }
    }

    fn steps(&self, notation: Notation) -> Vec<Step> {
        match self {
            Variant::Array(array) => numbered_steps(array.elements.len()),
            Variant::Dictionary(dictionary) => {
                distinct(dictionary.entries.iter().map(|entry| step(&entry.key, notation)))
            }
            Variant::Object(Object::Full(object)) => object.steps(notation),
            _ => Vec::new(),
        }
    }

    fn list_length(&self) -> Option<usize> {
        if let Variant::Array(array) = self {
            Some(array.elements.len())
        } else {
            None
        }
    }

    fn without_items(&self, notation: Notation) -> String {
        let empty: Variant<'_> = match self {
            Variant::Array(array) => Array { element_type: array.element_type.clone(), elements: Vec::new() }.into(),
            Variant::Dictionary(dictionary) => {
                Dictionary { types: dictionary.types.clone(), entries: Vec::new() }.into()
            }
            Variant::Object(Object::Full(object)) => return object.without_items(notation),
            _ => return String::new(),
        };
        empty.text(notation)
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        match self {
            Variant::Array(array) => Some(array.elements.get(number)?),
            Variant::Dictionary(dictionary) => Some(&dictionary.entries.get(number)?.value),
            Variant::Object(Object::Full(object)) => object.item(number),
            _ => None,
        }
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        match self {
            Variant::Array(array) => Some(array.elements.get_mut(number)?),
            Variant::Dictionary(dictionary) => Some(&mut dictionary.entries.get_mut(number)?.value),
            Variant::Object(Object::Full(object)) => object.item_mut(number),
            _ => None,
        }
    }

    fn text(&self, notation: Notation) -> String {
        self.to_gdscript(version(notation))
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.as_bytes()
    }

    fn assign(&mut self, text: TypedText<'_>, notation: Notation) -> Result<(), EditError> {
        *self = read(text, Some(self.type_id()), notation)?;
        Ok(())
    }

    fn insert(&mut self, step: &Step, text: TypedText<'_>, notation: Notation) -> Result<(), EditError> {
        self.put(step, read(text, None, notation)?, notation)
    }

    fn shape(&self) -> Shape {
        match self {
            Variant::Array(array) => Shape::list(array.elements.len()),
            Variant::Dictionary(_) | Variant::Object(Object::Full(_)) => Shape::Object,
            _ => Shape::Leaf,
        }
    }

    fn give_leaf(&self, notation: Notation, to: &mut dyn Receiver) {
        Bare(version(notation), self).give(to);
    }

    fn assign_json(&mut self, json: &Value, notation: Notation) -> Result<(), JsonError> {
        *self = match self.is_nothing() {
            true => Variant::by_itself(json)?,
            false => read_leaf(version(notation), self, json)?,
        };
        Ok(())
    }

    fn insert_json(&mut self, step: &Step, json: &Value, notation: Notation) -> Result<(), JsonError> {
        Ok(self.put(step, Variant::by_itself(json)?, notation)?)
    }

    fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), EditError> {
        match self {
            Variant::Array(array) => remove_from(&mut array.elements, numbers),
            Variant::Dictionary(dictionary) => remove_from(&mut dictionary.entries, numbers),
            Variant::Object(Object::Full(object)) => object.remove(numbers),
            other => Err(EditError::holds_none(other.type_id().name())),
        }
    }

    fn rename(&mut self, number: usize, new: &Step, notation: Notation) -> Result<(), EditError> {
        match self {
            Variant::Dictionary(dictionary) => {
                if let Some(entry) = dictionary.entries.get_mut(number) {
                    entry.key = key(new, notation)?;
                }
                Ok(())
            }
            Variant::Object(Object::Full(object)) => object.rename(number, new, notation),
            other => Err(EditError::has_no_keys(other.type_name(notation))),
        }
    }
}

/// An object as a value.
fn object(object: FullObject<'_>) -> Variant<'_> {
    Variant::Object(Object::Full(Box::new(object)))
}

impl Node for FullObject<'_> {
    fn type_name(&self, _: Notation) -> &'static str {
        TypeId::Object.name()
    }

    fn steps(&self, _: Notation) -> Vec<Step> {
        keyed_steps(&self.properties)
    }

    fn without_items(&self, notation: Notation) -> String {
        object(FullObject { class: self.class.clone(), properties: Vec::new() }).text(notation)
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        Some(self.properties.get(number)?.value())
    }

    fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
        Some(self.properties.get_mut(number)?.value_mut())
    }

    fn text(&self, notation: Notation) -> String {
        object(self.clone()).text(notation)
    }

    fn assign(&mut self, text: TypedText<'_>, notation: Notation) -> Result<(), EditError> {
        match read(text, Some(TypeId::Object), notation)? {
            Variant::Object(Object::Full(object)) => *self = *object,
            _ => return Err(EditError::Invalid("expected an object with a class".to_owned())),
        }
        Ok(())
    }

    fn insert(&mut self, step: &Step, text: TypedText<'_>, notation: Notation) -> Result<(), EditError> {
        insert_keyed(&mut self.properties, step, read(text, None, notation)?)
    }

    fn shape(&self) -> Shape {
        Shape::Object
    }

    fn insert_json(&mut self, step: &Step, json: &Value, _: Notation) -> Result<(), JsonError> {
        Ok(insert_keyed(&mut self.properties, step, Variant::by_itself(json)?)?)
    }

    fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), EditError> {
        remove_from(&mut self.properties, numbers)
    }

    fn rename(&mut self, number: usize, new: &Step, _: Notation) -> Result<(), EditError> {
        rename_keyed(&mut self.properties, number, new)
    }
}

plain_json!(Variant, Variant<'a>,
    step => key(step, Notation::default()),
    items => items.into(),
    members => Dictionary::new(members).into());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamic::{at, change, Edit};
    use pretty_assertions::assert_eq;

    const V4: Notation = Notation { typed: false, version: 4 };

    fn read_as(text: &str) -> Variant<'static> {
        Variant::from_gdscript(text, None, &Options::new(Version::V4)).unwrap()
    }

    fn object(class: &str) -> Variant<'static> {
        let hp = Property { name: "hp".to_owned().into_byte_string(), value: Variant::Int(5) };
        let class = class.to_owned().into_byte_string();
        Variant::Object(Object::Full(Box::new(FullObject { class, properties: vec![hp] })))
    }

    fn text(value: &Variant<'_>, path: &str) -> Option<String> {
        Some(at(value, &path.parse().unwrap(), V4).ok()?.text(V4))
    }

    #[test]
    fn items_of_every_container_are_found_and_changed() {
        let mut value = read_as(r#"{"list": [1, "two"], "node": null}"#);
        let Variant::Dictionary(dictionary) = &mut value else { panic!("{value:?}") };
        dictionary.entries[1].value = object("Node");
        let found = ["list[0]", "list[1]", "node.hp", "node.mp", "list[2]"].map(|path| text(&value, path));
        assert_eq!(found.each_ref().map(Option::as_deref), [Some("1"), Some("\"two\""), Some("5"), None, None]);
        let bytes = |path: &str| at(&value, &path.parse().unwrap(), V4).unwrap().bytes().map(<[u8]>::to_vec);
        assert_eq!((bytes("list[1]"), bytes("list[0]")), (Some(b"two".to_vec()), None));

        let mut changed = |path: &str, edit: &Edit| change(&mut value, &path.parse().unwrap(), edit, V4);
        changed("node.hp", &Edit::Set { type_name: None, text: "7".to_owned() }).unwrap();
        changed("node.hp", &Edit::Rename(Step::key("mp"))).unwrap();
        changed("list[0]", &Edit::Set { type_name: Some("float".to_owned()), text: "1.5".to_owned() }).unwrap();
        let found = ["list[0]", "node.hp", "node.mp"].map(|path| text(&value, path));
        assert_eq!(found.each_ref().map(Option::as_deref), [Some("1.5"), None, Some("7")]);
    }

    #[test]
    fn types_classes_and_lengths_tell_containers_apart() {
        let [typed, plain] = ["Array[int]([1, 2])", "[1, 2, 3]"].map(read_as);
        assert_eq!([typed.list_length(), plain.list_length(), read_as("{}").list_length()], [Some(2), Some(3), None]);
        assert_eq!([&typed, &plain].map(|array| array.without_items(V4)), ["Array[int]([])", "[]"]);
        assert_eq!(read_as("Dictionary[int, int]({1: 2})").without_items(V4), "Dictionary[int, int]({})");
        assert_ne!(object("Node").without_items(V4), object("Sprite").without_items(V4));
        assert!(!object("Node").without_items(V4).contains("hp"));
        assert_eq!(Variant::Int(1).without_items(V4), "");
    }
}
