//! Reading the JSON form.

use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::type_named;
use crate::godot::datatypes::Rid;
use crate::godot::options::Options;
use crate::godot::v4::TypeId;
use crate::godot::variant::{
    Array, ContainerType, Dictionary, Entry, EntryType, FullObject, Object, Property, Variant,
};
use crate::godot::version::Version;
use crate::godot::versioned::Versioned;
use crate::json::member::ByMember;
use crate::json::Document;
use crate::wire::ByteString;

impl<'de> Deserialize<'de> for ContainerType<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Parts {
            Builtin(TypeId),
            Class(ByMember<ByteString<'static>>),
            Script(ByMember<ByteString<'static>>),
        }
        Parts::deserialize(deserializer).map(|parts| match parts {
            Parts::Builtin(id) => ContainerType::Builtin(id),
            Parts::Class(ByMember(name)) => ContainerType::Class(name),
            Parts::Script(ByMember(path)) => ContainerType::Script(path),
        })
    }
}

/// Where a value stands in a document.
#[derive(Clone, Copy)]
struct Place {
    version: Version,
    depth: u16,
}

impl Place {
    /// Where the values inside stand.
    fn inside<E: serde::de::Error>(self) -> Result<Self, E> {
        let depth = self.depth.saturating_add(1);
        if depth > Options::MAX_DEPTH {
            return Err(E::custom(format_args!("values are nested deeper than {} levels", Options::MAX_DEPTH)));
        }
        Ok(Place { depth, ..self })
    }
}

/// Reads the value of a type that is known.
struct OfType {
    place: Place,
    id: TypeId,
    double: bool,
}

impl<'de> DeserializeSeed<'de> for OfType {
    type Value = Variant<'static>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Variant<'static>, D::Error> {
        let OfType { place, id, double } = self;
        match id {
            TypeId::RID if place.version == Version::V3 => {
                <()>::deserialize(deserializer).map(|()| Variant::Rid(Rid(0)))
            }
            TypeId::Object => deserializer.deserialize_any(ObjectForm(place)).map(Variant::Object),
            TypeId::Dictionary => deserializer.deserialize_any(DictionaryForm(place)).map(Variant::Dictionary),
            TypeId::Array => deserializer.deserialize_any(ArrayForm(place)).map(Variant::Array),
            id => Variant::read_leaf(id, double, deserializer),
        }
    }
}

/// Reads a value with its type, and of a document also the version.
struct Members {
    /// That of the document, if this is not the document itself.
    place: Option<Place>,
}

impl<'de> DeserializeSeed<'de> for Members {
    type Value = Versioned<'static>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Versioned<'static>, D::Error> {
        deserializer.deserialize_struct("Typed", self.names(), self)
    }
}

impl Members {
    fn names(&self) -> &'static [&'static str] {
        match self.place {
            Some(_) => &["type", "double", "value"],
            None => &["format", "version", "type", "double", "value"],
        }
    }
}

/// The number of a version.
fn version_of<E: serde::de::Error>(number: u8) -> Result<Version, E> {
    Version::from_number(number).ok_or_else(|| E::custom(format_args!("there is no version {number}, only 3 and 4")))
}

/// What says how a value is to be read.
struct Known {
    place: Place,
    name: String,
    double: bool,
}

impl Known {
    fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<Variant<'static>, D::Error> {
        let Known { place, name, double } = self;
        let unknown = || D::Error::custom(format_args!("unknown type `{name}` in version {}", place.version));
        let id = type_named(place.version, &name).ok_or_else(unknown)?;
        let value = OfType { place, id, double }.deserialize(deserializer)?;
        if double != value.is_double() {
            return Err(D::Error::custom(format_args!("`double` has no meaning for {name}")));
        }
        Ok(value)
    }
}

impl<'de> DeserializeSeed<'de> for Known {
    type Value = Variant<'static>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Variant<'static>, D::Error> {
        self.read(deserializer)
    }
}

impl<'de> Visitor<'de> for Members {
    type Value = Versioned<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with type and value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Versioned<'static>, A::Error> {
        let is_document = self.place.is_none();
        let mut place = self.place;
        let mut is_ours = false;
        let (mut id, mut double, mut value): (Option<String>, bool, Option<Variant<'static>>) = (None, false, None);
        // a value that came before something that is said about it
        let mut early: Option<Box<RawValue>> = None;
        while let Some(member) = map.next_key::<String>()? {
            let again = match member.as_str() {
                "format" if is_document => {
                    let format: String = map.next_value()?;
                    if format != Versioned::FORMAT {
                        return Err(A::Error::unknown_variant(&format, &[Versioned::FORMAT]));
                    }
                    std::mem::replace(&mut is_ours, true)
                }
                "version" if is_document => {
                    let version = version_of(map.next_value()?)?;
                    place.replace(Place { version, depth: 0 }).is_some()
                }
                "type" => id.replace(map.next_value()?).is_some(),
                "double" => match map.next_value()? {
                    true if value.is_some() => return Err(A::Error::custom("`double` must come before `value`")),
                    true => std::mem::replace(&mut double, true),
                    false => return Err(A::Error::custom("`double` is true or not there")),
                },
                "value" if value.is_some() || early.is_some() => true,
                "value" => match (place, id.take()) {
                    (Some(place), Some(name)) => {
                        let known = Known { place, name: name.clone(), double };
                        value = Some(map.next_value_seed(known)?);
                        id = Some(name);
                        false
                    }
                    (_, name) => {
                        id = name;
                        early = Some(map.next_value()?);
                        false
                    }
                },
                other => return Err(A::Error::unknown_field(other, self.names())),
            };
            if again {
                return Err(A::Error::custom(format_args!("duplicate field `{member}`")));
            }
        }
        if is_document && !is_ours {
            return Err(A::Error::missing_field("format"));
        }
        let place = place.ok_or_else(|| A::Error::missing_field("version"))?;
        let name = id.ok_or_else(|| A::Error::missing_field("type"))?;
        if let Some(early) = early {
            let mut reader = serde_json::Deserializer::from_str(early.get());
            reader.disable_recursion_limit();
            let known = Known { place, name, double };
            value = Some(known.read(crate::json::growing(&mut reader)).map_err(A::Error::custom)?);
        }
        let value = value.ok_or_else(|| A::Error::missing_field("value"))?;
        Ok(Versioned { version: place.version, value })
    }
}

impl<'de> Deserialize<'de> for Versioned<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Members { place: None }.deserialize(deserializer)
    }
}

/// Reads a value inside another.
#[derive(Clone, Copy)]
struct Bounded(Place);

impl<'de> DeserializeSeed<'de> for Bounded {
    type Value = Variant<'static>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Variant<'static>, D::Error> {
        Members { place: Some(self.0.inside()?) }.deserialize(deserializer).map(|versioned| versioned.value)
    }
}

/// Reads a list, each item of which `item` reads.
#[derive(Clone, Copy)]
struct Listed<S>(S);

impl<'de, S: DeserializeSeed<'de> + Copy> DeserializeSeed<'de> for Listed<S> {
    type Value = Vec<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<S::Value>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S: DeserializeSeed<'de> + Copy> Visitor<'de> for Listed<S> {
    type Value = Vec<S::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<S::Value>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(self.0)? {
            items.push(item);
        }
        Ok(items)
    }
}

/// Reads an object of two members, of which each must be there once.
fn two<'de, A, K, V>(
    mut map: A,
    names: &'static [&'static str; 2],
    mut first: impl FnMut(&mut A) -> Result<K, A::Error>,
    mut second: impl FnMut(&mut A) -> Result<V, A::Error>,
) -> Result<(K, V), A::Error>
where
    A: MapAccess<'de>,
{
    let [one, other] = *names;
    let (mut key, mut value) = (None, None);
    while let Some(name) = map.next_key::<String>()? {
        let again = match name.as_str() {
            name if name == one => key.replace(first(&mut map)?).is_some(),
            name if name == other => value.replace(second(&mut map)?).is_some(),
            unknown => return Err(A::Error::unknown_field(unknown, names)),
        };
        if again {
            return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
        }
    }
    let key = key.ok_or_else(|| A::Error::missing_field(one))?;
    Ok((key, value.ok_or_else(|| A::Error::missing_field(other))?))
}

/// A visitor that makes something of an object or a list.
macro_rules! forms {
    ($(
        $form:ident($place:ident) -> $type:ty, $expecting:literal
            $(, seq($seq:ident) $of_seq:block)? $(, map($map:ident) $of_map:block)? $(, unit $of_unit:block)?;
    )*) => {$(
        #[derive(Clone, Copy)]
        struct $form(Place);

        impl<'de> Visitor<'de> for $form {
            type Value = $type;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($expecting)
            }

            $(
                fn visit_seq<A: SeqAccess<'de>>(self, $seq: A) -> Result<$type, A::Error> {
                    let $place = self.0;
                    $of_seq
                }
            )?

            $(
                #[allow(unused_mut)]
                fn visit_map<A: MapAccess<'de>>(self, mut $map: A) -> Result<$type, A::Error> {
                    let $place = self.0;
                    $of_map
                }
            )?

            $(
                fn visit_unit<E: serde::de::Error>(self) -> Result<$type, E> {
                    $of_unit
                }
            )?
        }

        impl<'de> DeserializeSeed<'de> for $form {
            type Value = $type;

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<$type, D::Error> {
                deserializer.deserialize_any(self)
            }
        }
    )*};
}

forms! {
    ArrayForm(place) -> Array<'static>, "a list, or an object with typed and elements",
        seq(list) { Listed(Bounded(place)).visit_seq(list).map(|elements| Array { element_type: None, elements }) },
        map(map) {
            let (element_type, elements) = two(
                map,
                &["typed", "elements"],
                |map| map.next_value::<ContainerType<'static>>(),
                |map| map.next_value_seed(Listed(Bounded(place))),
            )?;
            Ok(Array { element_type: Some(Box::new(element_type)), elements })
        };
    DictionaryForm(place) -> Dictionary<'static>, "a list, or an object with typed and entries",
        seq(list) { Listed(EntryForm(place)).visit_seq(list).map(|entries| Dictionary { types: None, entries }) },
        map(map) {
            #[derive(Deserialize)]
            #[serde(deny_unknown_fields)]
            struct Types {
                key: Option<ContainerType<'static>>,
                value: Option<ContainerType<'static>>,
            }
            let (Types { key, value }, entries) = two(
                map,
                &["typed", "entries"],
                |map| map.next_value::<Types>(),
                |map| map.next_value_seed(Listed(EntryForm(place))),
            )?;
            if key.is_none() && value.is_none() {
                return Err(A::Error::custom("a typed dictionary has the type of its keys or values"));
            }
            Ok(Dictionary { types: Some(Box::new(EntryType { key, value })), entries })
        };
    EntryForm(place) -> Entry<'static>, "an object with key and value",
        map(map) {
            let (key, value) = two(
                map,
                &["key", "value"],
                |map| map.next_value_seed(Bounded(place)),
                |map| map.next_value_seed(Bounded(place)),
            )?;
            Ok(Entry { key, value })
        };
    PropertyForm(place) -> Property<'static>, "an object with name and value",
        map(map) {
            let (ByMember(name), value) = two(
                map,
                &["name", "value"],
                |map| map.next_value::<ByMember<ByteString<'static>>>(),
                |map| map.next_value_seed(Bounded(place)),
            )?;
            Ok(Property { name, value })
        };
    ObjectForm(place) -> Object<'static>, "null, or an object with id, or with class and properties",
        map(map) {
            let (mut id, mut class, mut properties) = (None, None, None);
            while let Some(name) = map.next_key::<String>()? {
                let again = match name.as_str() {
                    "id" => id.replace(map.next_value::<ByMember<u64>>()?).is_some(),
                    "class" => class.replace(map.next_value::<ByMember<ByteString<'static>>>()?).is_some(),
                    "properties" => {
                        properties.replace(map.next_value_seed(Listed(PropertyForm(place)))?).is_some()
                    }
                    other => return Err(A::Error::unknown_field(other, &["id", "class", "properties"])),
                };
                if again {
                    return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
                }
            }
            match (id, class, properties) {
                (Some(ByMember(id)), None, None) => Ok(Object::Id(id)),
                (None, Some(ByMember(class)), Some(properties)) if !class.is_empty() => {
                    Ok(Object::Full(Box::new(FullObject { class, properties })))
                }
                _ => Err(A::Error::custom("an object has an id alone, or a class and properties")),
            }
        },
        unit { Ok(Object::Null) };
}
