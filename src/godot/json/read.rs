//! Reading the JSON form.

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
use crate::member::{deserialize_by_member, field, to_json_by_serde, Given, Member, Mismatch, Shape};
use crate::typed::growing;
use crate::wire::ByteString;

impl Member for ContainerType<'_> {
    const SHAPE: Shape = Shape::Any;
    to_json_by_serde!();

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        match given.choice("enum Parts", &["builtin", "class", "script"])? {
            (0, id) => Member::take(id).map(ContainerType::Builtin),
            (1, name) => Member::take(name).map(ContainerType::Class),
            (_, path) => Member::take(path).map(ContainerType::Script),
        }
    }
}

deserialize_by_member!([] ContainerType<'_>);

/// The version of a document, and how many containers a value in it lies in.
#[derive(Clone, Copy)]
struct Level {
    version: Version,
    depth: u16,
}

impl Level {
    /// A value of this type.
    fn value_of(self, id: TypeId, double: bool, given: Given<'_>) -> Result<Variant<'static>, Mismatch> {
        match id {
            TypeId::RID if self.version == Version::V3 => given.null().map(|()| Variant::Rid(Rid(0))),
            TypeId::Object => self.object(given).map(Variant::Object),
            TypeId::Dictionary => self.dictionary(given).map(Variant::from),
            TypeId::Array => self.array(given).map(Variant::from),
            id => Variant::take_leaf(id, double, given),
        }
    }

    /// A value of the type with this name.
    fn value(
        self,
        of: Given<'_>,
        [type_name, double, value]: [Option<Given<'_>>; 3],
    ) -> Result<Variant<'static>, Mismatch> {
        if let Some(double) = double.filter(|double| double.bool() != Ok(true)) {
            double.bool()?;
            return Err(of.custom("`double` must be true or left out"));
        }
        let type_name = type_name.ok_or_else(|| of.missing("type"))?;
        let value = value.ok_or_else(|| of.missing("value"))?;
        if double.is_some_and(|double| type_name.is_before(value) && value.is_before(double)) {
            return Err(of.custom("`double` must come before `value`"));
        }
        let (name, double) = (type_name.text()?, double.is_some());
        let unknown = || value.refused(format_args!("unknown type `{name}` in version {}", self.version));
        let variant = self.value_of(type_named(self.version, name).ok_or_else(unknown)?, double, value)?;
        if double != variant.is_double() {
            return Err(value.custom(format_args!("`double` is only for reals, which {name} does not have")));
        }
        Ok(variant)
    }

    /// A value in a container of this level.
    fn inner(self, given: Given<'_>) -> Result<Variant<'static>, Mismatch> {
        let depth = self.depth.saturating_add(1);
        if depth > Options::MAX_DEPTH {
            return Err(given.refused(format_args!("values are nested deeper than {} levels", Options::MAX_DEPTH)));
        }
        growing(|| Level { depth, ..self }.outer(given))
    }

    /// The object that a value is in JSON, with its type.
    fn outer(self, given: Given<'_>) -> Result<Variant<'static>, Mismatch> {
        self.value(given, given.fields("an object with type and value", &["type", "double", "value"])?)
    }

    fn array(self, given: Given<'_>) -> Result<Array<'static>, Mismatch> {
        let expected = "a list, or an object with typed and elements";
        if !given.is_map() {
            return Ok(Array { element_type: None, elements: self.inners(given, expected)? });
        }
        let [typed, elements] = given.fields(expected, &["typed", "elements"])?;
        let element_type = Some(Box::new(field(given, "typed", typed)?));
        let elements = elements.ok_or_else(|| given.missing("elements"))?;
        Ok(Array { element_type, elements: self.inners(elements, "a list")? })
    }

    fn inners(self, given: Given<'_>, expected: &str) -> Result<Vec<Variant<'static>>, Mismatch> {
        given.items(expected)?.map(|item| self.inner(item)).collect()
    }

    fn dictionary(self, given: Given<'_>) -> Result<Dictionary<'static>, Mismatch> {
        let expected = "a list, or an object with typed and entries";
        if !given.is_map() {
            return Ok(Dictionary { types: None, entries: self.entries(given, expected)? });
        }
        let [typed, entries] = given.fields(expected, &["typed", "entries"])?;
        let entries = entries.map(|entries| self.entries(entries, "a list")).transpose()?;
        let typed = typed.ok_or_else(|| given.missing("typed"))?;
        let [key, value] = typed.structure("struct Types", &["key", "value"])?;
        let [key, value] = [key.map_or(Ok(None), Member::take)?, value.map_or(Ok(None), Member::take)?];
        if key.is_none() && value.is_none() {
            return Err(given.custom("expected the type of keys or values in `typed`, found neither"));
        }
        let entries = entries.ok_or_else(|| given.missing("entries"))?;
        Ok(Dictionary { types: Some(Box::new(EntryType { key, value })), entries })
    }

    fn entries(self, given: Given<'_>, expected: &str) -> Result<Vec<Entry<'static>>, Mismatch> {
        let entry = |given: Given<'_>| {
            let [key, value] = given.fields("an object with key and value", &["key", "value"])?;
            let key = self.inner(key.ok_or_else(|| given.missing("key"))?)?;
            Ok(Entry { key, value: self.inner(value.ok_or_else(|| given.missing("value"))?)? })
        };
        given.items(expected)?.map(entry).collect()
    }

    fn object(self, given: Given<'_>) -> Result<Object<'static>, Mismatch> {
        if given.is_null() {
            return Ok(Object::Null);
        }
        let expected = "null, or an object with id, or with class and properties";
        let [id, class, properties] = given.fields(expected, &["id", "class", "properties"])?;
        let property = |given: Given<'_>| {
            let [name, value] = given.fields("an object with name and value", &["name", "value"])?;
            let value = self.inner(value.ok_or_else(|| given.missing("value"))?)?;
            Ok(Property { name: field(given, "name", name)?, value })
        };
        let properties = properties.map(|list| list.items("a list")?.map(property).collect()).transpose()?;
        let class = class.map(ByteString::take).transpose()?;
        match (id.map(Member::take).transpose()?, class, properties) {
            (Some(id), None, None) => Ok(Object::Id(id)),
            (None, Some(class), Some(properties)) if !class.is_empty() => {
                Ok(Object::Full(Box::new(FullObject { class, properties })))
            }
            _ => Err(given.custom("expected an id alone, or a class that is not empty and properties")),
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
    let value = json::take_value(json, |given| level.value_of(id, double, given))?;
    match &value {
        Variant::Object(Object::Full(_)) => {
            Err(JsonError::new(String::new(), "expected null, or an object with an id alone".to_owned()))
        }
        _ => Ok(value),
    }
}

/// A value of version 4 with its type.
impl Member for Variant<'_> {
    const SHAPE: Shape = Shape::Any;
    to_json_by_serde!();

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        Level { version: Version::V4, depth: 0 }.outer(given)
    }
}

impl Member for Versioned<'_> {
    const SHAPE: Shape = Shape::Any;
    to_json_by_serde!();

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let names = &["format", "version", "type", "double", "value"];
        let [format, version, members @ ..] = given.fields("an object with type and value", names)?;
        given.format(format, Self::FORMAT)?;
        let number = version.ok_or_else(|| given.missing("version"))?;
        let unknown = |number: u8| given.custom(format_args!("unknown version {number}, expected 3 or 4"));
        let number = u8::take(number)?;
        let version = Version::from_number(number).ok_or_else(|| unknown(number))?;
        Ok(Versioned { version, value: Level { version, depth: 0 }.value(given, members)? })
    }
}

deserialize_by_member!([] Versioned<'_>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::datatypes::{Reals, Vector2};
    use crate::json::{from_slice, JsonError};
    use pretty_assertions::assert_eq;

    fn read(members: &str) -> Result<Variant<'static>, JsonError> {
        let text = format!(r#"{{"format":"godot-variant","version":4,{members}}}"#);
        from_slice::<Versioned<'_>>(text.as_bytes()).map(|versioned| versioned.value.into_owned())
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
