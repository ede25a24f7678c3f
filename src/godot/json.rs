//! The JSON form of a value.

use std::borrow::Cow;
use std::fmt;

use bstr::BStr;
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::container::{Array, Dictionary, Entry, EntryType, FullObject, Object, Property};
use super::container_type::ContainerType;
use super::datatypes::*;
use super::options::Options;
use super::v3;
use super::v4::TypeId;
use super::variant::Variant;
use super::version::Version;
use super::versioned::Versioned;
use crate::json::member::{single, ByMember};
use crate::json::{Document, Member};
use crate::wire::{ByteString, List, Packed};

/// `{"format": "godot-variant", "version": 3, "type": …, "value": …}`
impl Document for Versioned<'_> {
    const FORMAT: &'static str = "godot-variant";

    /// Up to four objects and lists for each value inside another, and a structure in the innermost.
    const LEVELS: usize = 4 * 1024 + 8;
}

/// The name of a type in a version.
fn name_of(version: Version, id: TypeId) -> Option<&'static str> {
    match version {
        Version::V3 => v3::TypeId::from_v4(id).map(v3::TypeId::name),
        Version::V4 => Some(id.name()),
    }
}

/// The type with this name in a version.
fn type_of(version: Version, name: &str) -> Option<TypeId> {
    match version {
        Version::V3 => v3::TypeId::ALL.iter().find(|id| id.name() == name).map(|id| id.to_v4()),
        Version::V4 => TypeId::ALL.iter().find(|id| id.name() == name).copied(),
    }
}

/// How the payload of a type is written and read.
pub(super) trait Form: Sized {
    /// Whether it is made of reals of 64 bits.
    fn is_double(&self) -> bool {
        false
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    fn read<'de, D: Deserializer<'de>>(double: bool, deserializer: D) -> Result<Self, D::Error>;
}

macro_rules! by_member {
    ($($type:ty),*) => {$(
        impl Form for $type {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.to_json(serializer)
            }

            fn read<'de, D: Deserializer<'de>>(_: bool, deserializer: D) -> Result<Self, D::Error> {
                Self::from_json(deserializer)
            }
        }
    )*};
}

by_member! {
    bool, i64, f64, ByteString<'_>, Signal<'_>, Color, Vector2<f32>, Vector2<f64>, Vector2<i32>, Vector3<f32>,
    Vector3<f64>, Vector3<i32>, Vector4<f32>, Vector4<f64>, Vector4<i32>, Rect2<f32>, Rect2<f64>, Rect2<i32>,
    Plane<f32>, Plane<f64>, Quaternion<f32>, Quaternion<f64>, Aabb<f32>, Aabb<f64>, Transform2D<f32>, Transform2D<f64>,
    Basis<f32>, Basis<f64>, Transform3D<f32>, Transform3D<f64>, Projection<f32>, Projection<f64>
}

impl Form for Rid {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.to_json(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(_: bool, deserializer: D) -> Result<Self, D::Error> {
        Member::from_json(deserializer).map(Rid)
    }
}

impl<T: Form> Form for Box<T> {
    fn is_double(&self) -> bool {
        T::is_double(self)
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::write(self, serializer)
    }

    fn read<'de, D: Deserializer<'de>>(double: bool, deserializer: D) -> Result<Self, D::Error> {
        T::read(double, deserializer).map(Box::new)
    }
}

impl<S: Form, D: Form> Form for Reals<S, D> {
    fn is_double(&self) -> bool {
        matches!(self, Reals::Double(_))
    }

    fn write<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        match self {
            Reals::Single(value) => value.write(serializer),
            Reals::Double(value) => value.write(serializer),
        }
    }

    fn read<'de, R: Deserializer<'de>>(double: bool, deserializer: R) -> Result<Self, R::Error> {
        if double {
            D::read(double, deserializer).map(|value| Reals::Double(Box::new(value)))
        } else {
            S::read(double, deserializer).map(Reals::Single)
        }
    }
}

impl<T: Packed + Member> Form for List<'_, T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(ByMember))
    }

    fn read<'de, D: Deserializer<'de>>(_: bool, deserializer: D) -> Result<Self, D::Error> {
        struct Items<T>(std::marker::PhantomData<T>);

        impl<'de, T: Packed + Member> Visitor<'de> for Items<T> {
            type Value = List<'static, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut list = List::default();
                while let Some(ByMember(item)) = items.next_element::<ByMember<T>>()? {
                    list.extend([item]);
                }
                Ok(list)
            }
        }
        deserializer.deserialize_seq(Items(std::marker::PhantomData)).map(List::into_owned)
    }
}

/// `{"hex": "…"}`
impl Form for Cow<'_, [u8]> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        single(serializer, "hex", &HEXLOWER.encode(self))
    }

    fn read<'de, D: Deserializer<'de>>(_: bool, deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Hex {
            hex: String,
        }
        let Hex { hex } = Hex::deserialize(deserializer)?;
        let bytes = HEXLOWER_PERMISSIVE.decode(hex.as_bytes());
        bytes.map(Cow::Owned).map_err(|_| D::Error::custom("expected an even number of hexadecimal digits"))
    }
}

/// Strings, each as a string or in hex.
fn write_strings<S: Serializer>(strings: &[ByteString<'_>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(strings.iter().map(|string| ByMember::<ByteString<'_>>(Cow::Borrowed(string))))
}

fn read_strings<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ByteString<'static>>, D::Error> {
    let strings: Vec<ByMember<ByteString<'static>>> = Deserialize::deserialize(deserializer)?;
    Ok(strings.into_iter().map(|ByMember(string)| string).collect())
}

impl Form for Vec<ByteString<'_>> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_strings(self, serializer)
    }

    fn read<'de, D: Deserializer<'de>>(_: bool, deserializer: D) -> Result<Self, D::Error> {
        read_strings(deserializer)
    }
}

impl Form for NodePath<'_> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Strings<'s>(&'s [ByteString<'s>]);
        impl Serialize for Strings<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                write_strings(self.0, serializer)
            }
        }
        let mut members = serializer.serialize_struct("NodePath", 3)?;
        members.serialize_field("absolute", &self.absolute)?;
        members.serialize_field("names", &Strings(&self.names))?;
        members.serialize_field("subnames", &Strings(&self.subnames))?;
        members.end()
    }

    fn read<'de, D: Deserializer<'de>>(_: bool, deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Parts {
            absolute: bool,
            #[serde(deserialize_with = "read_strings")]
            names: Vec<ByteString<'static>>,
            #[serde(deserialize_with = "read_strings")]
            subnames: Vec<ByteString<'static>>,
        }
        let Parts { absolute, names, subnames } = Parts::deserialize(deserializer)?;
        Ok(NodePath { absolute, names, subnames })
    }
}

/// How much stack must be left for a value, and how much more there is if it is not.
const RED_ZONE: usize = 128 << 10;
const SEGMENT: usize = 2 << 20;

/// A value with its type.
struct Typed<'v, 'a>(Version, &'v Variant<'a>);

impl Serialize for Typed<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Typed(version, value) = *self;
        // values nest deeper than there may be stack for
        stacker::maybe_grow(RED_ZONE, SEGMENT, || {
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

fn write_members<S: SerializeStruct>(mut members: S, version: Version, value: &Variant<'_>) -> Result<S::Ok, S::Error> {
    let id = value.type_id();
    // what the version does not have keeps the name of the other
    members.serialize_field("type", name_of(version, id).unwrap_or(id.name()))?;
    if value.is_double() {
        members.serialize_field("double", &true)?;
    }
    members.serialize_field("value", &Bare(version, value))?;
    members.end()
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

/// A list of values with what belongs to them.
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
        let forms = self.1.iter();
        serializer.collect_seq(
            forms.map(|Entry { key, value }| Parts { key: Typed(self.0, key), value: Typed(self.0, value) }),
        )
    }
}

impl Serialize for Values<'_, Property<'_>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Parts<'v, 'a> {
            name: ByMember<ByteString<'v>>,
            value: Typed<'v, 'a>,
        }
        let forms = self.1.iter();
        serializer.collect_seq(forms.map(|Property { name, value }| Parts {
            name: ByMember(Cow::Borrowed(BStr::new(name.as_ref()))),
            value: Typed(self.0, value),
        }))
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
            members.serialize_field("id", &ByMember(*id))?;
            members.end()
        }
        Object::Full(object) => {
            let mut members = serializer.serialize_struct("Object", 2)?;
            let class: ByteString<'_> = Cow::Borrowed(BStr::new(object.class.as_ref()));
            members.serialize_field("class", &ByMember(class))?;
            members.serialize_field("properties", &Values(version, &object.properties[..]))?;
            members.end()
        }
    }
}

/// `{"builtin": …}`, `{"class": …}` or `{"script": …}`
impl Serialize for ContainerType<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("ContainerType", 1)?;
        match self {
            ContainerType::Builtin(id) => members.serialize_field("builtin", id)?,
            ContainerType::Class(name) => {
                members.serialize_field("class", &ByMember::<ByteString<'_>>(Cow::Borrowed(name)))?;
            }
            ContainerType::Script(path) => {
                members.serialize_field("script", &ByMember::<ByteString<'_>>(Cow::Borrowed(path)))?;
            }
        }
        members.end()
    }
}

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
        let id = type_of(place.version, &name).ok_or_else(unknown)?;
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
