//! Containers.
//!
//! | form | value |
//! |---|---|
//! | `[1, 2]`, `Array[int]([1, 2])` | an Array, of a type or none |
//! | `{ "k": 1 }`, `Dictionary[String, int]({ "k": 1 })` | a Dictionary, with types or none |
//! | `Object(Node, "name": "Player")` | an Object with its class and properties |
//! | `Object(null)` | no object, in the full form |
//! | `ExtResource("1_a")`, `SubResource("a")` | an Object of this class, whose only property is `id` |
//!
//! | type of a container | form |
//! |---|---|
//! | a type of the engine | its name: `int` |
//! | a class | its name: `Node`, or `Class("int")` where the name is one of something else |
//! | a script | its path: `Resource("res://a.gd")`; or as text files name it: `ExtResource("1_a")`, which is the path then |
//! | none, beside another | `Variant` |

use std::fmt;
use std::marker::PhantomData;

use bstr::ByteSlice;
use nom::Parser;

use super::dialect::GdScript;
use super::types::{is_in, read_leaf, shape, shown, write_leaf};
use crate::godot::v4::TypeId;
use crate::godot::{Array, Dictionary, Entry, EntryType, FullObject, Object, Property};
use crate::godot::{ContainerType, Variant, Version};
use crate::notation::{
    comma, expected, is_name, items, name, parenthesised, separator, shaped, sign, space, word, write_quoted, Dialect,
    Form, Head, Nested, Read, WriteNested,
};
use crate::wire::{ByteString, IntoByteString};

/// Reads values of a version.
pub(super) struct Reader {
    pub(super) version: Version,
}

/// A container that is being read.
pub(super) struct Open {
    container: Container,
    /// True if a closing parenthesis follows the items, as in `Array[int]([1])`.
    is_typed: bool,
}

enum Container {
    Array(Array<'static>),
    /// And the key of the value that is being read.
    Dictionary(Dictionary<'static>, Option<Variant<'static>>),
    /// And the name of the property that is being read.
    Object(FullObject<'static>, ByteString<'static>),
}

/// The expected text where no value begins.
pub(super) fn any_value(version: Version) -> String {
    format!("a value of Godot {version} such as 17, \"text\", [1, 2] or Vector2(1, 2)")
}

type HeadOf = Head<Variant<'static>, Open>;

fn open(container: Container, is_typed: bool) -> HeadOf {
    Head::Container(Open { container, is_typed })
}

/// The type of a container, or that it has none.
fn container_type(input: &str) -> Read<'_, Option<ContainerType<'static>>> {
    let input = space(input);
    let text = || parenthesised(<ByteString<'static> as Form<GdScript>>::read);
    let (rest, word) = word(input)?;
    match (word, sign('(')(rest).is_ok()) {
        ("Class", true) => text().map(ContainerType::Class).map(Some).parse(rest),
        ("Resource", true) => {
            // of the two that the engine may write, the path is the last
            let (rest, mut texts) = items('(', ')', <ByteString<'static> as Form<GdScript>>::read)(rest)?;
            match texts.pop() {
                Some(path) => Ok((rest, Some(ContainerType::Script(path)))),
                None => expected(input, "a script such as Resource(\"res://a.gd\")"),
            }
        }
        ("ExtResource" | "SubResource", true) => {
            let (rest, _) = text().parse(rest)?;
            let reference = input.get(..input.len().saturating_sub(rest.len())).unwrap_or_default();
            Ok((rest, Some(ContainerType::Script(reference.to_owned().into_byte_string()))))
        }
        ("Variant", _) => Ok((rest, None)),
        (name, _) => {
            let builtin = TypeId::ALL.iter().find(|id| id.name() == name).copied();
            let class = || ContainerType::Class(name.to_owned().into_byte_string());
            Ok((rest, Some(builtin.map_or_else(class, ContainerType::Builtin))))
        }
    }
}

/// True if the path of a script is instead a reference as text files have it, which comes back as it is.
fn is_reference(path: &[u8]) -> bool {
    let text = path.to_str().ok().filter(|text| text.starts_with("ExtResource(") || text.starts_with("SubResource("));
    let read = text.and_then(|text| container_type(text).ok());
    matches!(read, Some(("", Some(ContainerType::Script(script)))) if *script == *path)
}

/// The text of the only property of an object that text files write as the name of its class and this text.
fn reference<'o>(object: &'o FullObject<'_>) -> Option<&'o ByteString<'o>> {
    let [Property { name, value: Variant::String(text) }] = &object.properties[..] else { return None };
    let is_reference = [&b"ExtResource"[..], b"SubResource"].contains(&&**object.class) && **name == *b"id";
    is_reference.then_some(text)
}

/// Writes the type of a container; without one, `Variant`.
pub(crate) fn write_type(container_type: Option<&ContainerType<'_>>, out: &mut dyn fmt::Write) -> fmt::Result {
    let is_plain = |class: &[u8]| {
        is_name(class) && class != b"Variant" && !TypeId::ALL.iter().any(|id| id.name().as_bytes() == class)
    };
    let quoted = |name: &str, text: &[u8], out: &mut dyn fmt::Write| {
        write!(out, "{name}(")?;
        write_quoted(text, GdScript::PRINTABLE, out)?;
        out.write_char(')')
    };
    match container_type {
        None => out.write_str("Variant"),
        Some(ContainerType::Builtin(id)) => out.write_str(id.name()),
        Some(ContainerType::Class(class)) if is_plain(class) => write!(out, "{}", class.as_bstr()),
        Some(ContainerType::Class(class)) => quoted("Class", class, out),
        Some(ContainerType::Script(path)) if is_reference(path) => write!(out, "{}", path.as_bstr()),
        Some(ContainerType::Script(path)) => quoted("Resource", path, out),
    }
}

/// Reads an Array up to its elements.
fn array(input: &str) -> Read<'_, HeadOf> {
    if let Some(rest) = input.strip_prefix('[') {
        return Ok((rest, open(Container::Array(Array::default()), false)));
    }
    let (rest, (_, _, element_type, ..)) =
        (name("Array"), sign('['), container_type, sign(']'), sign('('), sign('[')).parse(input)?;
    let array = Array { element_type: element_type.map(Box::new), elements: Vec::new() };
    Ok((rest, open(Container::Array(array), true)))
}

/// Reads a Dictionary up to its entries.
fn dictionary(input: &str) -> Read<'_, HeadOf> {
    if let Some(rest) = input.strip_prefix('{') {
        return Ok((rest, open(Container::Dictionary(Dictionary::default(), None), false)));
    }
    let (rest, (_, _, key, _, value, ..)) =
        (name("Dictionary"), sign('['), container_type, comma, container_type, sign(']'), sign('('), sign('{'))
            .parse(input)?;
    let types = Some(Box::new(EntryType { key, value }));
    Ok((rest, open(Container::Dictionary(Dictionary { types, entries: Vec::new() }, None), true)))
}

/// Reads an Object up to its properties, or one that has none.
fn object(input: &str, version: Version) -> Read<'_, HeadOf> {
    let Ok((rest, ())) = name("Object")(input) else {
        return read_leaf(TypeId::Object, version, input).map(|(rest, value)| (rest, Head::Value(value)));
    };
    let (rest, ()) = sign('(')(rest)?;
    let rest = space(rest);
    let (rest, class): (_, ByteString<'static>) = match word(rest) {
        Ok((rest, "null")) => {
            let (rest, ()) = sign(')')(rest)?;
            return Ok((rest, Head::Value(Variant::Object(Object::Null))));
        }
        Ok((rest, class)) => (rest, class.to_owned().into_byte_string()),
        Err(_) => match <ByteString<'static> as Form<GdScript>>::read(rest) {
            Ok(read) => read,
            Err(_) => return expected(rest, "the name of a class"),
        },
    };
    let rest = comma(rest).map_or(rest, |(rest, ())| rest);
    Ok((rest, open(Container::Object(FullObject { class, properties: Vec::new() }, ByteString::default()), false)))
}

impl Nested for Reader {
    type Value = Variant<'static>;
    type Type = TypeId;
    type Open = Open;

    // as in the bytes
    const EMPTY_IS_NO_LEVEL: bool = true;

    fn head<'t>(&self, input: &'t str, wanted: Option<TypeId>) -> Read<'t, HeadOf> {
        let version = self.version;
        let found = match input.chars().next() {
            Some('[') => Some(TypeId::Array),
            Some('{') => Some(TypeId::Dictionary),
            _ => shown(input, version),
        };
        let found = match (found, wanted) {
            (Some(TypeId::int), Some(TypeId::float)) => Some(TypeId::float),
            (found, _) => found.filter(|id| is_in(*id, version)),
        };
        let id = match (found, wanted) {
            (Some(id), None) => id,
            (Some(id), Some(wanted)) if id == wanted => id,
            (_, Some(wanted)) => return expected(input, shape(wanted, version)),
            (None, None) => {
                return expected(input, any_value(version));
            }
        };
        shaped(shape(id, version), input, |input| match id {
            TypeId::Array => array(input),
            TypeId::Dictionary => dictionary(input),
            TypeId::Object => object(input, version),
            id => read_leaf(id, version, input).map(|(rest, value)| (rest, Head::Value(value))),
        })
    }

    fn next<'t>(&self, input: &'t str, open: &mut Open, item: Option<Variant<'static>>) -> Read<'t, bool> {
        let mut input = space(input);
        let end = match open.container {
            Container::Array(_) => ']',
            Container::Dictionary(..) => '}',
            Container::Object(..) => ')',
        };
        if let Some(item) = item {
            match &mut open.container {
                Container::Array(array) => array.elements.push(item),
                Container::Dictionary(_, key @ None) => {
                    let (rest, ()) = sign(':')(input)?;
                    *key = Some(item);
                    return Ok((rest, true));
                }
                Container::Dictionary(dictionary, key) => {
                    dictionary.entries.push(Entry { key: key.take().unwrap_or_default(), value: item });
                }
                Container::Object(object, name) => {
                    object.properties.push(Property { name: std::mem::take(name), value: item });
                }
            }
            (input, ()) = separator(input, &[','], end)?;
        }
        if let Some(rest) = input.strip_prefix(end) {
            let (rest, ()) = if open.is_typed { sign(')')(rest)? } else { (rest, ()) };
            return Ok((rest, false));
        }
        if let Container::Object(_, name) = &mut open.container {
            let (rest, property) = <ByteString<'static> as Form<GdScript>>::read(input)?;
            *name = property;
            return sign(':')(rest).map(|(rest, ())| (rest, true));
        }
        Ok((input, true))
    }

    fn close(&self, open: Open) -> Variant<'static> {
        match open.container {
            Container::Array(mut array) => {
                array.elements.shrink_to_fit();
                array.into()
            }
            Container::Dictionary(mut dictionary, _) => {
                dictionary.entries.shrink_to_fit();
                dictionary.into()
            }
            Container::Object(mut object, _) => {
                object.properties.shrink_to_fit();
                Variant::Object(Object::Full(Box::new(object)))
            }
        }
    }
}

/// Writes values of a version, which borrow for `'a`.
pub(super) struct Writer<'a> {
    version: Version,
    values: PhantomData<Variant<'a>>,
}

impl Writer<'_> {
    pub(super) fn new(version: Version) -> Self {
        Writer { version, values: PhantomData }
    }
}

/// A container that is being written.
pub(super) struct Frame<'v, 'a> {
    items: Items<'v, 'a>,
    is_first: bool,
    is_typed: bool,
}

enum Items<'v, 'a> {
    Array(std::slice::Iter<'v, Variant<'a>>),
    /// With the value whose key was written.
    Dictionary(std::slice::Iter<'v, Entry<'a>>, Option<&'v Variant<'a>>),
    Object(std::slice::Iter<'v, Property<'a>>),
}

impl<'v, 'a: 'v> WriteNested<'v> for Writer<'a> {
    type Value = Variant<'a>;
    type Frame = Frame<'v, 'a>;

    fn head(
        &self,
        value: &'v Variant<'a>,
        _: bool,
        out: &mut dyn fmt::Write,
    ) -> Result<Option<Frame<'v, 'a>>, fmt::Error> {
        let (items, is_typed) = match value {
            Variant::Array(array) => {
                let Array { element_type, elements } = array;
                if let Some(element_type) = element_type {
                    out.write_str("Array[")?;
                    write_type(Some(element_type), out)?;
                    out.write_str("](")?;
                }
                out.write_char('[')?;
                (Items::Array(elements.iter()), element_type.is_some())
            }
            Variant::Dictionary(dictionary) => {
                let Dictionary { types, entries } = dictionary;
                if let Some(types) = types {
                    out.write_str("Dictionary[")?;
                    write_type(types.key.as_ref(), out)?;
                    out.write_str(", ")?;
                    write_type(types.value.as_ref(), out)?;
                    out.write_str("](")?;
                }
                out.write_char('{')?;
                (Items::Dictionary(entries.iter(), None), types.is_some())
            }
            Variant::Object(Object::Full(object)) => {
                if let Some(text) = reference(object) {
                    write!(out, "{}(", object.class.as_bstr())?;
                    write_quoted(text, GdScript::PRINTABLE, out)?;
                    return out.write_char(')').map(|()| None);
                }
                out.write_str("Object(")?;
                match object.class.to_str() {
                    Ok(class) if is_name(&object.class) && class != "null" => out.write_str(class)?,
                    _ => write_quoted(&object.class, GdScript::PRINTABLE, out)?,
                }
                (Items::Object(object.properties.iter()), false)
            }
            leaf => return write_leaf(leaf, self.version, out).map(|()| None),
        };
        Ok(Some(Frame { items, is_first: true, is_typed }))
    }

    fn next(&self, frame: &mut Frame<'v, 'a>, out: &mut dyn fmt::Write) -> Result<Option<&'v Variant<'a>>, fmt::Error> {
        let is_first = frame.is_first;
        let item = match &mut frame.items {
            Items::Array(elements) => elements.next().map(|element| (if is_first { "" } else { ", " }, element)),
            Items::Dictionary(entries, value) => match value.take() {
                Some(value) => Some((": ", value)),
                None => entries.next().map(|entry| {
                    *value = Some(&entry.value);
                    (if is_first { " " } else { ", " }, &entry.key)
                }),
            },
            Items::Object(properties) => match properties.next() {
                Some(Property { name, value }) => {
                    out.write_str(", ")?;
                    write_quoted(name, GdScript::PRINTABLE, out)?;
                    Some((": ", value))
                }
                None => None,
            },
        };
        if let Some((before, item)) = item {
            frame.is_first = false;
            out.write_str(before)?;
            return Ok(Some(item));
        }
        out.write_str(match frame.items {
            Items::Array(_) => "]",
            Items::Dictionary(..) if is_first => "}",
            Items::Dictionary(..) => " }",
            Items::Object(_) => ")",
        })?;
        out.write_str(if frame.is_typed { ")" } else { "" })?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::Options;
    use pretty_assertions::assert_eq;

    fn read(text: &str) -> Result<Variant<'static>, String> {
        Variant::from_gdscript(text, None, &Options::new(Version::V4)).map_err(|error| error.to_string())
    }

    /// As text files have them.
    #[test]
    fn references_to_resources() {
        for (class, name) in [("ExtResource", "id"), ("SubResource", "id")] {
            let property = |name: &'static str, value| Property { name: name.into(), value };
            let object = |properties: Vec<Property<'static>>| Variant::Object(Object::new(class, properties));
            let value = object(vec![property(name, "1_\"a".into())]);
            let text = format!("{class}(\"1_\\\"a\")");
            assert_eq!((read(&text), value.to_gdscript(Version::V4)), (Ok(value.clone()), text));
            assert_eq!(read(&format!("Object({class}, \"{name}\": \"1_\\\"a\")")), Ok(value));
            for other in [
                object(vec![]),
                object(vec![property(name, 1.into())]),
                object(vec![property("other", "a".into())]),
                object(vec![property(name, "a".into()), property(name, "a".into())]),
            ] {
                let text = other.to_gdscript(Version::V4);
                assert_eq!((text.starts_with("Object("), read(&text)), (true, Ok(other)));
            }
        }
        for path in
            ["ExtResource(\"1_a\")", "SubResource( \"a\" )", "ExtResource(\"a\") ", "ExtResource(1)", "ExtResource(\"a"]
        {
            let script = ContainerType::Script(path.to_owned().into_byte_string());
            let value = Variant::from(Array { element_type: Some(Box::new(script)), elements: Vec::new() });
            assert_eq!(read(&value.to_gdscript(Version::V4)), Ok(value));
        }
        assert_eq!(
            read("Array[ExtResource(\"1_a\")]([])").unwrap().to_gdscript(Version::V4),
            "Array[ExtResource(\"1_a\")]([])"
        );
        for (text, error) in [
            (
                "ExtResource(\"a\"",
                "expected `)`, found the end, at offset 15, in an Object such as Object(Node, \"name\": \"Player\")",
            ),
            (
                "[ExtResource(x)]",
                "expected a whole number from 0 to 4294967295, found x, at offset 13, in an Object such as Object(Node, \"name\": \"Player\")",
            ),
            (
                "Array[ExtResource(1)]([])",
                "expected a string in quotes, found 1, at offset 18, in an Array such as [1, 2]",
            ),
        ] {
            assert_eq!(read(text), Err(error.to_owned()));
        }
    }
}
