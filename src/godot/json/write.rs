//! Writing the JSON form.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::type_name;
use crate::formats::to_raw_value;
use crate::godot::datatypes::Rid;
use crate::godot::variant::{Array, ContainerType, Dictionary, Entry, Object, Property, Variant};
use crate::godot::version::Version;
use crate::godot::versioned::Versioned;
use crate::json::Document;
use crate::member::MemberRef;
use crate::wire::ByteString;

/// A value with its type: `{"type": …, "value": …}`.
pub(in crate::godot) struct Typed<'v, 'a>(pub(in crate::godot) Version, pub(in crate::godot) &'v Variant<'a>);

impl Serialize for Typed<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Typed(version, value) = *self;
        // values may nest deeper than the stack of the thread allows
        crate::typed::growing(|| {
            let members = serializer.serialize_struct("Typed", if value.is_double() { 3 } else { 2 })?;
            write_members(members, version, value)
        })
    }
}

impl Serialize for Versioned<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Versioned", if self.value.is_double() { 5 } else { 4 })?;
        members.serialize_field("format", Self::FORMAT)?;
        members.serialize_field("version", &self.version.number())?;
        write_members(members, self.version, &self.value)
    }
}

/// Writes the members `type`, `double` and `value`.
fn write_members<S: SerializeStruct>(mut members: S, version: Version, value: &Variant<'_>) -> Result<S::Ok, S::Error> {
    members.serialize_field("type", type_name(version, value.type_id()))?;
    if value.is_double() {
        members.serialize_field("double", &true)?;
    }
    members.serialize_field("value", &Bare(version, value))?;
    members.end()
}

/// The JSON of a value that holds no others, without its type.
pub(in crate::godot) fn write_leaf(version: Version, leaf: &Variant<'_>) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(&Bare(version, leaf))
}

/// A value without its type.
struct Bare<'v, 'a>(Version, &'v Variant<'a>);

impl Serialize for Bare<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Bare(version, value) = *self;
        match value {
            Variant::Rid(Rid(0)) if version == Version::V3 => serializer.serialize_unit(),
            Variant::Object(object) => write_object(version, object, serializer),
            Variant::Dictionary(dictionary) => write_dictionary(version, dictionary, serializer),
            Variant::Array(array) => write_array(version, array, serializer),
            leaf => leaf.write_leaf(serializer),
        }
    }
}

/// The values, entries or properties of a container.
struct Values<'v, T>(Version, &'v [T]);

impl Serialize for Values<'_, Variant<'_>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|value| Typed(self.0, value)))
    }
}

impl Serialize for Values<'_, Entry<'_>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Parts<'v, 'a> {
            key: Typed<'v, 'a>,
            value: Typed<'v, 'a>,
        }
        let Values(version, entries) = *self;
        let typed = |value| Typed(version, value);
        serializer
            .collect_seq(entries.iter().map(|Entry { key, value }| Parts { key: typed(key), value: typed(value) }))
    }
}

impl Serialize for Values<'_, Property<'_>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Parts<'v, 'a> {
            name: MemberRef<'v, ByteString<'a>>,
            value: Typed<'v, 'a>,
        }
        let Values(version, properties) = *self;
        serializer.collect_seq(
            properties
                .iter()
                .map(|Property { name, value }| Parts { name: MemberRef(name), value: Typed(version, value) }),
        )
    }
}

fn write_array<S: Serializer>(version: Version, array: &Array<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let elements = Values(version, &array.elements[..]);
    let Some(element_type) = &array.element_type else { return elements.serialize(serializer) };
    let mut members = serializer.serialize_struct("Array", 2)?;
    members.serialize_field("typed", &**element_type)?;
    members.serialize_field("elements", &elements)?;
    members.end()
}

fn write_dictionary<S: Serializer>(
    version: Version,
    dictionary: &Dictionary<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let entries = Values(version, &dictionary.entries[..]);
    let Some(types) = &dictionary.types else { return entries.serialize(serializer) };
    #[derive(Serialize)]
    struct Types<'t, 'a> {
        key: &'t Option<ContainerType<'a>>,
        value: &'t Option<ContainerType<'a>>,
    }
    let mut members = serializer.serialize_struct("Dictionary", 2)?;
    members.serialize_field("typed", &Types { key: &types.key, value: &types.value })?;
    members.serialize_field("entries", &entries)?;
    members.end()
}

fn write_object<S: Serializer>(version: Version, object: &Object<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    match object {
        Object::Null => serializer.serialize_unit(),
        Object::Id(id) => {
            let mut members = serializer.serialize_struct("Object", 1)?;
            members.serialize_field("id", &MemberRef(id))?;
            members.end()
        }
        Object::Full(object) => {
            let mut members = serializer.serialize_struct("Object", 2)?;
            members.serialize_field("class", &MemberRef(&object.class))?;
            members.serialize_field("properties", &Values(version, &object.properties[..]))?;
            members.end()
        }
    }
}

/// As `{"builtin": …}`, `{"class": …}` or `{"script": …}`.
impl Serialize for ContainerType<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("ContainerType", 1)?;
        match self {
            ContainerType::Builtin(id) => members.serialize_field("builtin", id)?,
            ContainerType::Class(name) => members.serialize_field("class", &MemberRef(name))?,
            ContainerType::Script(path) => members.serialize_field("script", &MemberRef(path))?,
        }
        members.end()
    }
}
