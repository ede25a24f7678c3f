//! Reading the JSON form.

use super::{type_name, type_named};
use crate::godot::datatypes::Rid;
use crate::godot::options::Options;
use crate::godot::resource::Reference;
use crate::godot::v4::TypeId;
use crate::godot::variant::{
    Array, ContainerType, Dictionary, Entry, EntryType, FullObject, Object, Property, Variant,
};
use crate::godot::version::Version;
use crate::godot::versioned::Versioned;
use crate::json::{self, Document};
use crate::member::{field, serde_by_member, Given, Member, Mismatch, Shape};
use crate::stack::growing;
use crate::wire::ByteString;
use crate::TextError;

impl Member for ContainerType<'_> {
    const SHAPE: Shape = Shape::Any;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        match given.choice(&["builtin", "class", "script"])? {
            (0, id) => Member::take(id).map(ContainerType::Builtin),
            (1, name) => Member::take(name).map(ContainerType::Class),
            (_, path) => Member::take(path).map(ContainerType::Script),
        }
    }
}

serde_by_member!([] ContainerType<'_>);

/// The version of a document, and how many containers a value in it lies in.
#[derive(Clone, Copy)]
struct Level {
    version: Version,
    depth: u16,
}

impl Level {
    /// A value of this type.
    fn value_of(self, id: TypeId, double: bool, given: Given<'_>) -> Result<Variant<'static>, Mismatch> {
        let taken = match id {
            TypeId::RID if self.version == Version::V3 => given.null().map(|()| Variant::Rid(Rid(0))),
            TypeId::Object => self.object(given).map(Variant::Object),
            TypeId::Dictionary => self.dictionary(given).map(Variant::from),
            TypeId::Array => self.array(given).map(Variant::from),
            id => Variant::take_leaf(id, given.double(double)),
        };
        taken.map_err(|mismatch| mismatch.of(given, type_name(self.version, id)))
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
        let [key, value] = typed.structure("", &["key", "value"])?;
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
        let expected = "null, or an object with id, internal or external, or with class and properties or path";
        let names = &["id", "class", "properties", "internal", "external", "path"];
        let [id, class, properties, internal, external, path] = given.fields(expected, names)?;
        let property = |given: Given<'_>| {
            let [name, value] = given.fields("an object with name and value", &["name", "value"])?;
            let value = self.inner(value.ok_or_else(|| given.missing("value"))?)?;
            Ok(Property { name: field(given, "name", name)?, value })
        };
        let properties = properties.map(|list| list.items("a list")?.map(property).collect()).transpose()?;
        let class = class.map(ByteString::take).transpose()?;
        let reference = |reference| Ok(Object::Resource(Box::new(reference)));
        let numbers = [id.is_some(), internal.is_some(), external.is_some()];
        match (numbers, class, properties, path.map(ByteString::take).transpose()?) {
            ([true, false, false], None, None, None) => field(given, "id", id).map(Object::Id),
            ([false, true, false], None, None, None) => {
                reference(Reference::Internal(field(given, "internal", internal)?))
            }
            ([false, false, true], None, None, None) => {
                reference(Reference::External(field(given, "external", external)?))
            }
            ([false, false, false], Some(class), None, Some(path)) => reference(Reference::Path { class, path }),
            ([false, false, false], Some(class), Some(properties), None) if !class.is_empty() => {
                Ok(Object::Full(Box::new(FullObject { class, properties })))
            }
            _ => Err(given.custom(
                "expected id, internal or external alone, or class and properties or path; a class is not empty",
            )),
        }
    }
}

/// Reads a value of this type that holds no others, with reals of 64 bits if `double`.
pub(in crate::godot) fn read_leaf(
    version: Version,
    (id, double): (TypeId, bool),
    json: &serde_json::Value,
) -> Result<Variant<'static>, TextError> {
    let value = json::take_value(json, |given| Level { version, depth: 0 }.value_of(id, double, given))?;
    match &value {
        Variant::Object(Object::Full(_)) => Err(TextError::new("expected null, or an object with an id alone")),
        _ => Ok(value),
    }
}

/// A value of version 4 with its type.
impl Member for Variant<'_> {
    const SHAPE: Shape = Shape::Any;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        Level { version: Version::V4, depth: 0 }.outer(given)
    }
}

impl Member for Versioned<'_> {
    const SHAPE: Shape = Shape::Any;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let names = &["format", "version", "type", "double", "value"];
        let [format, version, members @ ..] = given.fields("an object with type and value", names)?;
        given.format(format, &[Self::FORMAT])?;
        let number = version.ok_or_else(|| given.missing("version"))?;
        let unknown = |number: u8| given.custom(format_args!("unknown version {number}, expected 3 or 4"));
        let number = u8::take(number)?;
        let version = Version::from_number(number).ok_or_else(|| unknown(number))?;
        Ok(Versioned { version, value: Level { version, depth: 0 }.value(given, members)? })
    }
}

serde_by_member!([] Versioned<'_>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::datatypes::{Reals, Vector2};
    use crate::json::from_slice;
    use crate::TextError;
    use pretty_assertions::assert_eq;

    fn read(members: &str) -> Result<Variant<'static>, TextError> {
        let text = format!(r#"{{"format":"godot-variant","version":4,{members}}}"#);
        from_slice::<Versioned<'_>>(text.as_bytes()).map(|versioned| versioned.value.into_owned())
    }

    /// A program may write members in any order, so a value can come before the members that are needed to read it.
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
}
