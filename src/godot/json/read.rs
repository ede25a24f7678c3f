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
use crate::json::{self, Document, JsonError};
use crate::member::{ByMember, Name};
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

/// The version of a document, and how many containers a value in it lies in.
#[derive(Clone, Copy)]
struct Level {
    version: Version,
    depth: u16,
}

impl Level {
    /// The level of the values in a container.
    fn inside<E: serde::de::Error>(self) -> Result<Self, E> {
        let depth = self.depth.saturating_add(1);
        if depth > Options::MAX_DEPTH {
            return Err(E::custom(format_args!("values are nested deeper than {} levels", Options::MAX_DEPTH)));
        }
        Ok(Level { depth, ..self })
    }
}

/// Reads a value of this type.
struct OfType {
    level: Level,
    id: TypeId,
    double: bool,
}

impl<'de> DeserializeSeed<'de> for OfType {
    type Value = Variant<'static>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Variant<'static>, D::Error> {
        let OfType { level, id, double } = self;
        match id {
            TypeId::RID if level.version == Version::V3 => {
                <()>::deserialize(deserializer).map(|()| Variant::Rid(Rid(0)))
            }
            TypeId::Object => deserializer.deserialize_any(ObjectForm(level)).map(Variant::Object),
            TypeId::Dictionary => deserializer.deserialize_any(DictionaryForm(level)).map(Variant::from),
            TypeId::Array => deserializer.deserialize_any(ArrayForm(level)).map(Variant::from),
            id => Variant::read_leaf(id, double, deserializer),
        }
    }
}

/// Reads a value that holds no others in the place of `current`, with its type.
pub(in crate::godot) fn read_leaf(
    version: Version,
    current: &Variant<'_>,
    json: &serde_json::Value,
) -> Result<Variant<'static>, JsonError> {
    let (id, double, level) = (current.type_id(), current.is_double(), Level { version, depth: 0 });
    let value = json::read_value(json, |reader| OfType { level, id, double }.deserialize(reader))?;
    match &value {
        Variant::Object(Object::Full(_)) => {
            Err(JsonError::new(String::new(), "expected null, or an object with an id alone".to_owned()))
        }
        _ => Ok(value),
    }
}

/// Reads a value of version 4 with its type.
pub(in crate::godot) fn read_variant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Variant<'static>, D::Error> {
    let level = Level { version: Version::V4, depth: 0 };
    Members { level: Some(level) }.deserialize(deserializer).map(|versioned| versioned.value)
}

/// Reads the object that a value is in JSON, with its type. A whole document is such an object too, and also names its format
/// and version.
struct Members {
    /// The level of the value; of a document none, until its version is read.
    level: Option<Level>,
}

impl<'de> DeserializeSeed<'de> for Members {
    type Value = Versioned<'static>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Versioned<'static>, D::Error> {
        deserializer.deserialize_struct("Typed", self.names(), self)
    }
}

impl Members {
    fn names(&self) -> &'static [&'static str] {
        match self.level {
            Some(_) => &["type", "double", "value"],
            None => &["format", "version", "type", "double", "value"],
        }
    }
}

/// The version with this number.
fn version_of<E: serde::de::Error>(number: u8) -> Result<Version, E> {
    Version::from_number(number).ok_or_else(|| E::custom(format_args!("unknown version {number}, expected 3 or 4")))
}

/// Reads a value whose type has this name.
struct OfName<'t> {
    level: Level,
    name: Name<'t>,
    double: bool,
}

impl<'de> DeserializeSeed<'de> for OfName<'_> {
    type Value = Variant<'static>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Variant<'static>, D::Error> {
        let OfName { level, name, double } = self;
        let unknown = || D::Error::custom(format_args!("unknown type `{name}` in version {}", level.version));
        let id = type_named(level.version, &name).ok_or_else(unknown)?;
        let value = OfType { level, id, double }.deserialize(deserializer)?;
        if double != value.is_double() {
            return Err(D::Error::custom(format_args!("`double` is only for reals, which {name} does not have")));
        }
        Ok(value)
    }
}

impl<'de> Visitor<'de> for Members {
    type Value = Versioned<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with type and value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Versioned<'static>, A::Error> {
        let is_document = self.level.is_none();
        let mut level = self.level;
        let mut has_format = false;
        let (mut id, mut double, mut value): (Option<Name<'_>>, bool, Option<Variant<'static>>) = (None, false, None);
        // a value that came before its type or version
        let mut early: Option<Box<RawValue>> = None;
        while let Some(member) = map.next_key::<Name<'_>>()? {
            let is_duplicate = match &*member {
                "format" if is_document => {
                    let format: String = map.next_value()?;
                    if format != Versioned::FORMAT {
                        return Err(A::Error::unknown_variant(&format, &[Versioned::FORMAT]));
                    }
                    std::mem::replace(&mut has_format, true)
                }
                "version" if is_document => {
                    let version = version_of(map.next_value()?)?;
                    level.replace(Level { version, depth: 0 }).is_some()
                }
                "type" => id.replace(map.next_value()?).is_some(),
                "double" => match map.next_value()? {
                    true if value.is_some() => return Err(A::Error::custom("`double` must come before `value`")),
                    true => std::mem::replace(&mut double, true),
                    false => return Err(A::Error::custom("`double` must be true or left out")),
                },
                "value" if value.is_some() || early.is_some() => true,
                "value" => match (level, id.take()) {
                    (Some(level), Some(name)) => {
                        let of_name = OfName { level, name: name.clone(), double };
                        value = Some(map.next_value_seed(of_name)?);
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
            if is_duplicate {
                return Err(A::Error::custom(format_args!("duplicate field `{member}`")));
            }
        }
        if is_document && !has_format {
            return Err(A::Error::missing_field("format"));
        }
        let level = level.ok_or_else(|| A::Error::missing_field("version"))?;
        let name = id.ok_or_else(|| A::Error::missing_field("type"))?;
        if let Some(early) = early {
            let mut reader = json::text_reader(early.get());
            reader.disable_recursion_limit();
            let of_name = OfName { level, name, double };
            let read = json::by_one_reader(json::growing(&mut reader), |reader| of_name.deserialize(reader));
            value = Some(read.map_err(A::Error::custom)?);
        }
        let value = value.ok_or_else(|| A::Error::missing_field("value"))?;
        Ok(Versioned { version: level.version, value })
    }
}

impl<'de> Deserialize<'de> for Versioned<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Members { level: None }.deserialize(deserializer)
    }
}

/// Reads a value in a container of this level.
#[derive(Clone, Copy)]
struct Inner(Level);

impl<'de> DeserializeSeed<'de> for Inner {
    type Value = Variant<'static>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Variant<'static>, D::Error> {
        Members { level: Some(self.0.inside()?) }.deserialize(deserializer).map(|versioned| versioned.value)
    }
}

/// Reads a list of what `S` reads.
#[derive(Clone, Copy)]
struct ListOf<S>(S);

impl<'de, S: DeserializeSeed<'de> + Copy> DeserializeSeed<'de> for ListOf<S> {
    type Value = Vec<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<S::Value>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S: DeserializeSeed<'de> + Copy> Visitor<'de> for ListOf<S> {
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

/// Reads an object that has each of two members once.
fn two_members<'de, A, K, V>(
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
    while let Some(name) = map.next_key::<Name<'_>>()? {
        let is_duplicate = match &*name {
            name if name == one => key.replace(first(&mut map)?).is_some(),
            name if name == other => value.replace(second(&mut map)?).is_some(),
            unknown => return Err(A::Error::unknown_field(unknown, names)),
        };
        if is_duplicate {
            return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
        }
    }
    let key = key.ok_or_else(|| A::Error::missing_field(one))?;
    Ok((key, value.ok_or_else(|| A::Error::missing_field(other))?))
}

/// Defines a visitor for each container: what it makes of a list, of an object, and of null.
macro_rules! forms {
    ($(
        $form:ident($level:ident) -> $type:ty, $expecting:literal
            $(, seq($seq:ident) $of_seq:block)? $(, map($map:ident) $of_map:block)? $(, unit $of_unit:block)?;
    )*) => {$(
        #[derive(Clone, Copy)]
        struct $form(Level);

        impl<'de> Visitor<'de> for $form {
            type Value = $type;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($expecting)
            }

            $(
                fn visit_seq<A: SeqAccess<'de>>(self, $seq: A) -> Result<$type, A::Error> {
                    let $level = self.0;
                    $of_seq
                }
            )?

            $(
                #[allow(unused_mut)]
                fn visit_map<A: MapAccess<'de>>(self, mut $map: A) -> Result<$type, A::Error> {
                    let $level = self.0;
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
    ArrayForm(level) -> Array<'static>, "a list, or an object with typed and elements",
        seq(list) { ListOf(Inner(level)).visit_seq(list).map(|elements| Array { element_type: None, elements }) },
        map(map) {
            let (element_type, elements) = two_members(
                map,
                &["typed", "elements"],
                |map| map.next_value::<ContainerType<'static>>(),
                |map| map.next_value_seed(ListOf(Inner(level))),
            )?;
            Ok(Array { element_type: Some(Box::new(element_type)), elements })
        };
    DictionaryForm(level) -> Dictionary<'static>, "a list, or an object with typed and entries",
        seq(list) { ListOf(EntryForm(level)).visit_seq(list).map(|entries| Dictionary { types: None, entries }) },
        map(map) {
            #[derive(Deserialize)]
            #[serde(deny_unknown_fields)]
            struct Types {
                key: Option<ContainerType<'static>>,
                value: Option<ContainerType<'static>>,
            }
            let (Types { key, value }, entries) = two_members(
                map,
                &["typed", "entries"],
                |map| map.next_value::<Types>(),
                |map| map.next_value_seed(ListOf(EntryForm(level))),
            )?;
            if key.is_none() && value.is_none() {
                return Err(A::Error::custom("expected the type of keys or values in `typed`, found neither"));
            }
            Ok(Dictionary { types: Some(Box::new(EntryType { key, value })), entries })
        };
    EntryForm(level) -> Entry<'static>, "an object with key and value",
        map(map) {
            let (key, value) = two_members(
                map,
                &["key", "value"],
                |map| map.next_value_seed(Inner(level)),
                |map| map.next_value_seed(Inner(level)),
            )?;
            Ok(Entry { key, value })
        };
    PropertyForm(level) -> Property<'static>, "an object with name and value",
        map(map) {
            let (ByMember(name), value) = two_members(
                map,
                &["name", "value"],
                |map| map.next_value::<ByMember<ByteString<'static>>>(),
                |map| map.next_value_seed(Inner(level)),
            )?;
            Ok(Property { name, value })
        };
    ObjectForm(level) -> Object<'static>, "null, or an object with id, or with class and properties",
        map(map) {
            let (mut id, mut class, mut properties) = (None, None, None);
            while let Some(name) = map.next_key::<Name<'_>>()? {
                let is_duplicate = match &*name {
                    "id" => id.replace(map.next_value::<ByMember<u64>>()?).is_some(),
                    "class" => class.replace(map.next_value::<ByMember<ByteString<'static>>>()?).is_some(),
                    "properties" => {
                        properties.replace(map.next_value_seed(ListOf(PropertyForm(level)))?).is_some()
                    }
                    other => return Err(A::Error::unknown_field(other, &["id", "class", "properties"])),
                };
                if is_duplicate {
                    return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
                }
            }
            match (id, class, properties) {
                (Some(ByMember(id)), None, None) => Ok(Object::Id(id)),
                (None, Some(ByMember(class)), Some(properties)) if !class.is_empty() => {
                    Ok(Object::Full(Box::new(FullObject { class, properties })))
                }
                _ => Err(A::Error::custom("expected an id alone, or a class that is not empty and properties")),
            }
        },
        unit { Ok(Object::Null) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::datatypes::{Reals, Vector2};
    use crate::json::{from_slice, to_string, JsonError};
    use pretty_assertions::assert_eq;

    fn read(members: &str) -> Result<Variant<'static>, JsonError> {
        let text = format!(r#"{{"format":"godot-variant","version":4,{members}}}"#);
        from_slice::<Versioned<'_>>(text.as_bytes()).map(|versioned| versioned.value.into_owned())
    }

    fn nested(levels: usize) -> String {
        let (begin, end) = (r#"[{"type":"Array","value":"#.repeat(levels), "}]".repeat(levels));
        format!(r#""type":"Array","value":{begin}[]{end}"#)
    }

    /// A program may write members in any order, so that a value can come before what says how to read it.
    #[test]
    fn members_in_any_order() {
        let expected = Ok(Variant::Vector2(Reals::Double(Box::new(Vector2 { x: 1.0, y: 0.1 }))));
        let value = r#""value":{"y":0.1,"x":1}"#;
        for members in [
            format!(r#""type":"Vector2","double":true,{value}"#),
            format!(r#""double":true,"type":"Vector2",{value}"#),
            format!(r#""double":true,{value},"type":"Vector2""#),
            format!(r#"{value},"double":true,"type":"Vector2""#),
            format!(r#"{value},"type":"Vector2","double":true"#),
        ] {
            assert_eq!(read(&members), expected, "{members}");
        }
        let text = r#"{"value":[{"value":"a","type":"String"}],"type":"Array","version":3,"format":"godot-variant"}"#;
        let expected = Versioned::new(Version::V3, vec![Variant::from("a")]);
        assert_eq!(from_slice::<Versioned<'_>>(text.as_bytes()), Ok(expected));
    }

    #[test]
    fn documents_that_are_none() {
        for (text, message) in [
            (r#"{"version":4,"type":"null","value":null}"#, "missing field `format`"),
            (r#"{"format":"godot-variant","type":"null","value":null}"#, "missing field `version`"),
            (r#"{"format":"other","version":4}"#, "unknown variant `other`, expected `godot-variant`"),
            (r#"{"format":"godot-variant","version":5}"#, "unknown version 5, expected 3 or 4"),
            (r#"{"format":"godot-variant","version":2}"#, "unknown version 2, expected 3 or 4"),
            (r#"{"format":"godot-variant","format":"godot-variant"}"#, "duplicate field `format`"),
            (r#"{"version":3,"version":3}"#, "duplicate field `version`"),
            (r#"{"note":1}"#, "unknown field `note`, expected one of `format`, `version`, `type`, `double`, `value`"),
            ("[]", "expected an object with type and value"),
            (
                r#"{"format":"godot-variant","version":3,"type":"StringName","value":"a"}"#,
                "unknown type `StringName` in version 3",
            ),
            (
                r#"{"format":"godot-variant","version":3,"type":"PackedByteArray","value":{"hex":""}}"#,
                "unknown type `PackedByteArray` in version 3",
            ),
            (r#"{"format":"godot-variant","version":3,"type":"RID","value":1}"#, "expected unit"),
        ] {
            let error = from_slice::<Versioned<'_>>(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(message), "{text}\n{error}");
        }
    }

    #[test]
    fn wrong_values_and_their_places() {
        let mut wrong = Vec::new();
        for (members, path, message) in [
            (r#""type":"null""#, "", "missing field `value`"),
            (r#""value":null"#, "", "missing field `type`"),
            (r#""type":"null","value":0"#, "value", "expected unit"),
            (r#""type":"Callable","value":0"#, "value", "expected unit"),
            (r#""type":"PoolByteArray","value":0"#, "value", "unknown type `PoolByteArray` in version 4"),
            (r#""type":"null","type":"int""#, "", "duplicate field `type`"),
            (r#""type":"null","value":null,"value":null"#, "", "duplicate field `value`"),
            (r#""value":null,"value":null"#, "", "duplicate field `value`"),
            (r#""double":true,"double":true"#, "", "duplicate field `double`"),
            (r#""double":false"#, "", "`double` must be true or left out"),
            (r#""type":"Vector2","value":{"x":0,"y":0},"double":true"#, "", "`double` must come before `value`"),
            (r#""type":"int","double":true,"value":1"#, "value", "`double` is only for reals, which int does not have"),
            (
                r#""type":"Array","double":true,"value":[]"#,
                "value",
                "`double` is only for reals, which Array does not have",
            ),
            (r#""type":"int","value":9223372036854775808"#, "value", "an integer of the type i64"),
            (
                r#""type":"Vector2i","value":{"x":2147483648,"y":0}"#,
                "value.x",
                "expected a whole number of 32 bits, found 2147483648",
            ),
            (r#""type":"Vector2","value":{"x":1e39,"y":0}"#, "value.x", "expected a number of 32 bits"),
            (r#""type":"RID","value":-1"#, "value", "an integer of the type u64"),
            (r#""type":"Basis","value":[[1,2,3],[4,5,6]]"#, "value", "an array of length 3"),
            (r#""type":"PackedByteArray","value":{"hex":"0"}"#, "value", "an even number of hexadecimal digits"),
            (r#""type":"PackedByteArray","value":{"hexx":"00"}"#, "value.hexx", "unknown field `hexx`"),
            (r#""type":"PackedInt32Array","value":1"#, "value", "expected a list"),
            (
                r#""type":"PackedInt32Array","value":[1,2147483648]"#,
                "value[1]",
                "expected a whole number of 32 bits, found 2147483648",
            ),
            (r#""type":"PackedByteArray","value":[1,2]"#, "value", r#"expected {"hex": "…"}, found a list"#),
            (r#""type":"NodePath","value":{"absolute":true,"names":[]}"#, "value", "missing field `subnames`"),
            (r#""type":"NodePath","value":{"absolute":true,"x":[]}"#, "value.x", "unknown field `x`"),
            (r#""type":"Array","value":1"#, "value", "expected a list, or an object with typed and elements"),
            (r#""type":"Array","value":[1]"#, "value[0]", "expected an object with type and value"),
            (r#""type":"Array","value":[{"format":1}]"#, "value[0]", "expected one of `type`, `double`, `value`"),
            (r#""type":"Array","value":{"elements":[]}"#, "value", "missing field `typed`"),
            (r#""type":"Array","value":{"typed":{"class":"A"}}"#, "value", "missing field `elements`"),
            (r#""type":"Array","value":{"elements":[],"elements":[]}"#, "value", "duplicate field `elements`"),
            (
                r#""type":"Array","value":{"typed":{"class":"A"},"typed":{"class":"A"}}"#,
                "value",
                "duplicate field `typed`",
            ),
            (
                r#""type":"Array","value":{"entries":[]}"#,
                "value",
                "unknown field `entries`, expected `typed` or `elements`",
            ),
            (r#""type":"Array","value":{"typed":{"kind":1}}"#, "value.typed", "unknown variant `kind`"),
            (r#""type":"Dictionary","value":1"#, "value", "expected a list, or an object with typed and entries"),
            (
                r#""type":"Dictionary","value":{"typed":{"key":null,"value":null},"entries":[]}"#,
                "value",
                "expected the type of keys or values in `typed`, found neither",
            ),
            (r#""type":"Dictionary","value":{"typed":{"keys":null}}"#, "value.typed.keys", "unknown field `keys`"),
            (r#""type":"Dictionary","value":{"entries":{}}"#, "value.entries", "expected a list"),
            (r#""type":"Dictionary","value":[1]"#, "value[0]", "expected an object with key and value"),
            (
                r#""type":"Object","value":1"#,
                "value",
                "expected null, or an object with id, or with class and properties",
            ),
            (
                r#""type":"Object","value":{}"#,
                "value",
                "expected an id alone, or a class that is not empty and properties",
            ),
            (r#""type":"Object","value":{"class":"C"}"#, "value", "expected an id alone"),
            (r#""type":"Object","value":{"class":"","properties":[]}"#, "value", "expected an id alone"),
            (r#""type":"Object","value":{"id":1,"class":"C","properties":[]}"#, "value", "expected an id alone"),
            (r#""type":"Object","value":{"id":1,"id":1}"#, "value", "duplicate field `id`"),
            (r#""type":"Object","value":{"class":"C","class":"C"}"#, "value", "duplicate field `class`"),
            (r#""type":"Object","value":{"properties":[],"properties":[]}"#, "value", "duplicate field `properties`"),
            (r#""type":"Object","value":{"name":1}"#, "value", "unknown field `name`"),
            (r#""type":"Object","value":{"properties":[1]}"#, "value.properties[0]", "an object with name and value"),
        ] {
            let error = read(members).expect_err(members);
            if error.path() != path || !error.message().contains(message) {
                wrong.push(format!("{members}: {error}"));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    /// As deep as bytes may be, and no deeper.
    #[test]
    fn depth_of_values() {
        let deepest = read(&nested(1024)).unwrap();
        let text = to_string(&Versioned::new(Version::V4, deepest.clone())).unwrap();
        assert_eq!(from_slice::<Versioned<'_>>(text.as_bytes()).unwrap().value, deepest);
        let error = read(&nested(1025)).unwrap_err();
        assert!(error.message().contains("values are nested deeper than 1024 levels"), "{error}");
    }

    /// They are members of the document, and not of the values in it.
    #[test]
    fn only_a_document_has_a_format_and_a_version() {
        for (member, is) in [("\"version\":4", "version"), ("\"format\":\"godot-variant\"", "format")] {
            let error =
                read(&format!(r#""type":"Array","value":[{{"type":"null","value":null,{member}}}]"#)).unwrap_err();
            assert!(error.to_string().contains(&format!("unknown field `{is}`")), "{error}");
        }
    }
}
