//! Writing the JSON form.

use super::type_name;
use crate::godot::datatypes::Rid;
use crate::godot::variant::{Array, ContainerType, Dictionary, Entry, EntryType, Object, Property, Variant};
use crate::godot::version::Version;
use crate::godot::versioned::Versioned;
use crate::json::Document;
use crate::member::{All, Give, Receiver, Scalar};
use crate::stack::growing;

/// A value with its type: `{"type": …, "value": …}`.
pub(in crate::godot) struct Typed<'v, 'a>(pub(in crate::godot) Version, pub(in crate::godot) &'v Variant<'a>);

impl Give for Typed<'_, '_> {
    fn give(&self, to: &mut dyn Receiver) {
        // values may nest deeper than the stack of the thread allows
        growing(|| {
            to.structure("Typed", if self.1.is_double() { 3 } else { 2 });
            self.give_members(to);
            to.end();
        });
    }
}

impl Typed<'_, '_> {
    /// Gives the members `type`, `double` and `value`.
    #[inline(always)]
    pub(in crate::godot) fn give_members(&self, to: &mut dyn Receiver) {
        let Typed(version, value) = *self;
        to.member("type", &type_name(version, value.type_id()));
        if value.is_double() {
            to.member("double", &true);
        }
        to.member("value", &Bare(version, value));
    }
}

impl Give for Versioned<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("Versioned", if self.value.is_double() { 5 } else { 4 });
        to.member("format", &Self::FORMAT);
        to.member("version", &self.version.number());
        Typed(self.version, &self.value).give_members(to);
        to.end();
    }
}

/// A value without its type.
pub(in crate::godot) struct Bare<'v, 'a>(pub(in crate::godot) Version, pub(in crate::godot) &'v Variant<'a>);

impl Give for Bare<'_, '_> {
    // few functions for a level of values in values: WebAssembly has little stack
    fn give(&self, to: &mut dyn Receiver) {
        let Bare(version, value) = *self;
        match value {
            Variant::Rid(Rid(0)) if version == Version::V3 => to.scalar(Scalar::Unit),
            Variant::Array(Array { element_type: None, elements }) => give_elements(version, elements, to),
            Variant::Array(Array { element_type, elements }) => {
                to.structure("Array", 2);
                to.member("typed", element_type);
                to.member("elements", &All(|to: &mut dyn Receiver| give_elements(version, elements, to)));
                to.end();
            }
            Variant::Dictionary(Dictionary { types: None, entries }) => give_entries(version, entries, to),
            Variant::Dictionary(Dictionary { types, entries }) => {
                to.structure("Dictionary", 2);
                to.member("typed", types);
                to.member("entries", &All(|to: &mut dyn Receiver| give_entries(version, entries, to)));
                to.end();
            }
            Variant::Object(Object::Null) => to.scalar(Scalar::Unit),
            Variant::Object(Object::Id(id)) => {
                to.structure("Object", 1);
                to.member("id", id);
                to.end();
            }
            Variant::Object(Object::Full(object)) => {
                to.structure("Object", 2);
                to.member("class", &object.class);
                to.member("properties", &All(|to: &mut dyn Receiver| give_properties(version, &object.properties, to)));
                to.end();
            }
            Variant::Object(Object::Resource(reference)) => reference.give(to),
            leaf => leaf.leaf().give(to),
        }
    }
}

#[inline(always)]
fn give_elements(version: Version, elements: &[Variant<'_>], to: &mut dyn Receiver) {
    to.list(elements.len());
    elements.iter().for_each(|value| to.item(&Typed(version, value)));
    to.end();
}

#[inline(always)]
fn give_entries(version: Version, entries: &[Entry<'_>], to: &mut dyn Receiver) {
    to.list(entries.len());
    for Entry { key, value } in entries {
        to.item(&All(|to: &mut dyn Receiver| {
            to.structure("Parts", 2);
            to.member("key", &Typed(version, key));
            to.member("value", &Typed(version, value));
            to.end();
        }));
    }
    to.end();
}

#[inline(always)]
fn give_properties(version: Version, properties: &[Property<'_>], to: &mut dyn Receiver) {
    to.list(properties.len());
    for property in properties {
        to.item(&All(|to: &mut dyn Receiver| give_property(version, property, to)));
    }
    to.end();
}

/// Gives a name and a value.
#[inline(always)]
pub(in crate::godot) fn give_property(
    version: Version,
    Property { name, value }: &Property<'_>,
    to: &mut dyn Receiver,
) {
    to.structure("Parts", 2);
    to.member("name", name);
    to.member("value", &Typed(version, value));
    to.end();
}

/// The types of the keys and values of a dictionary.
impl Give for EntryType<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("Types", 2);
        to.member("key", &self.key);
        to.member("value", &self.value);
        to.end();
    }
}

/// As `{"builtin": …}`, `{"class": …}` or `{"script": …}`.
impl Give for ContainerType<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("ContainerType", 1);
        match self {
            ContainerType::Builtin(id) => to.member("builtin", id),
            ContainerType::Class(name) => to.member("class", name),
            ContainerType::Script(path) => to.member("script", path),
        }
        to.end();
    }
}
