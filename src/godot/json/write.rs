//! Writing the JSON form.

use super::type_name;
use crate::godot::datatypes::Rid;
use crate::godot::variant::{Array, ContainerType, Dictionary, Entry, EntryType, Object, Property, Variant};
use crate::godot::version::Version;
use crate::godot::versioned::Versioned;
use crate::json::Document;
use crate::member::{Give, Receiver, Scalar};
use crate::typed::growing;

/// A value with its type: `{"type": …, "value": …}`.
pub(in crate::godot) struct Typed<'v, 'a>(pub(in crate::godot) Version, pub(in crate::godot) &'v Variant<'a>);

impl Give for Typed<'_, '_> {
    fn give(&self, to: &mut dyn Receiver) {
        let length = if self.1.is_double() { 3 } else { 2 };
        // values may nest deeper than the stack of the thread allows
        growing(|| to.structure("Typed", length, &mut |member| self.give_members(member)));
    }
}

impl Typed<'_, '_> {
    /// Gives the members `type`, `double` and `value`.
    fn give_members(&self, member: &mut dyn FnMut(&'static str, &dyn Give)) {
        let Typed(version, value) = *self;
        member("type", &type_name(version, value.type_id()));
        if value.is_double() {
            member("double", &true);
        }
        member("value", &Bare(version, value));
    }
}

impl Give for Versioned<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("Versioned", if self.value.is_double() { 5 } else { 4 }, &mut |member| {
            member("format", &Self::FORMAT);
            member("version", &self.version.number());
            Typed(self.version, &self.value).give_members(member);
        });
    }
}

/// A value without its type.
pub(in crate::godot) struct Bare<'v, 'a>(pub(in crate::godot) Version, pub(in crate::godot) &'v Variant<'a>);

impl Give for Bare<'_, '_> {
    fn give(&self, to: &mut dyn Receiver) {
        let Bare(version, value) = *self;
        match value {
            Variant::Rid(Rid(0)) if version == Version::V3 => to.scalar(Scalar::Unit),
            Variant::Object(object) => Part(version, object).give(to),
            Variant::Dictionary(dictionary) => Part(version, dictionary).give(to),
            Variant::Array(array) => Part(version, array).give(to),
            leaf => leaf.leaf().give(to),
        }
    }
}

/// A part of a container, in a version.
struct Part<'v, T: ?Sized>(Version, &'v T);

impl<T> Give for Part<'_, [T]>
where
    for<'v> Part<'v, T>: Give,
{
    fn give(&self, to: &mut dyn Receiver) {
        to.list(self.1.len(), &mut |item| self.1.iter().for_each(|part| item(&Part(self.0, part))));
    }
}

impl Give for Part<'_, Variant<'_>> {
    fn give(&self, to: &mut dyn Receiver) {
        Typed(self.0, self.1).give(to);
    }
}

impl Give for Part<'_, Entry<'_>> {
    fn give(&self, to: &mut dyn Receiver) {
        let Part(version, Entry { key, value }) = *self;
        to.structure("Parts", 2, &mut |member| {
            member("key", &Typed(version, key));
            member("value", &Typed(version, value));
        });
    }
}

impl Give for Part<'_, Property<'_>> {
    fn give(&self, to: &mut dyn Receiver) {
        let Part(version, Property { name, value }) = *self;
        to.structure("Parts", 2, &mut |member| {
            member("name", name);
            member("value", &Typed(version, value));
        });
    }
}

impl Give for Part<'_, Array<'_>> {
    fn give(&self, to: &mut dyn Receiver) {
        let elements = Part(self.0, &self.1.elements[..]);
        let Some(element_type) = &self.1.element_type else { return elements.give(to) };
        to.structure("Array", 2, &mut |member| {
            member("typed", element_type);
            member("elements", &elements);
        });
    }
}

impl Give for Part<'_, Dictionary<'_>> {
    fn give(&self, to: &mut dyn Receiver) {
        let entries = Part(self.0, &self.1.entries[..]);
        let Some(types) = &self.1.types else { return entries.give(to) };
        to.structure("Dictionary", 2, &mut |member| {
            member("typed", &**types);
            member("entries", &entries);
        });
    }
}

/// The types of the keys and values of a dictionary.
impl Give for EntryType<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("Types", 2, &mut |member| {
            member("key", &self.key);
            member("value", &self.value);
        });
    }
}

impl Give for Part<'_, Object<'_>> {
    fn give(&self, to: &mut dyn Receiver) {
        match self.1 {
            Object::Null => to.scalar(Scalar::Unit),
            Object::Id(id) => to.structure("Object", 1, &mut |member| member("id", id)),
            Object::Full(object) => to.structure("Object", 2, &mut |member| {
                member("class", &object.class);
                member("properties", &Part(self.0, &object.properties[..]));
            }),
        }
    }
}

/// As `{"builtin": …}`, `{"class": …}` or `{"script": …}`.
impl Give for ContainerType<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("ContainerType", 1, &mut |member| match self {
            ContainerType::Builtin(id) => member("builtin", id),
            ContainerType::Class(name) => member("class", name),
            ContainerType::Script(path) => member("script", path),
        });
    }
}
