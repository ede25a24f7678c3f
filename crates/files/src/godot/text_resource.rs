//! Scenes and resources as text, `.tscn` and `.tres`, as containers of the values of their nodes and resources.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use bstr::ByteSlice;
use serde_json::json;

use super::config::{after_space, key_text, string_end, term, unquoted, ITEM};
use super::ConfigFile;
use crate::address::{Address, Component, Syntax};
use crate::containers::{located, within, Container, ContainerError, Embedded, Member, Repeated, ValueChange};
use enginewire::godot::resource::{External, Reference, NO_UID};
use enginewire::godot::{decode_with, encode_with, ContainerType, FullObject, Object, Options, Property};
use enginewire::godot::{Array, Dictionary, Entry, Variant, Version};
use enginewire::number::to_u64;
use enginewire::wire::{ByteString, IntoByteString};

/// A scene or resource as text, as a [`Container`]. Its values have the addresses and forms that those of a binary scene have: see
/// [`SceneFile`](super::SceneFile).
///
/// | part | form | address of its value |
/// |---|---|---|
/// | head | `[gd_scene …]`, `[gd_resource …]`; without `format`, or if that is less than 3, values are those of Godot 3 | |
/// | resource of another file | `[ext_resource type="Script" path="res://a.gd" id="1_a"]` | an item of `:ext` |
/// | resource of this file | `[sub_resource type="Gradient" id="Gradient_a"]`, and its properties | `:sub.Gradient_a` |
/// | node | `[node name="Sprite" type="Sprite2D" parent="Player"]`, and its properties | `:root`, `Player/Sprite` |
/// | main resource | `[resource]`, and its properties | `:resource` |
/// | connection | `[connection signal="hit" from="." to="." method="f"]` | an item of `:connections` |
/// | children of an instance | `[editable path="Player"]` | |
/// | property | a name, which may be in quotes, `=` and a value in the form of `var_to_str`, which may continue in other lines | |
/// | comment | `;` and the rest of the line, outside strings | |
///
/// References to resources are objects there: `ExtResource("1_a")` is `Object(ExtResource,"path":…)`, or has the id if the file does
/// not name it; `SubResource("a")` is `Object(SubResource,"path":"local://a")`. `Resource("res://a.tres")` is an object with its path.
///
/// A property changes alone, and can be added and removed; the list of resources of other files changes, and the connections do
/// not. A tag that is unknown or broken is an error of the value `:tag.NAME`.
///
/// Specification: `docs/spec/godot-files.md`, section Text resources.
#[derive(Debug)]
pub struct TextResource {
    file: ConfigFile,
    /// Of the addresses.
    repeated: OnceLock<Repeated>,
}

/// A range of the text, and the text that takes its place.
type Edit = (Range<usize>, String);

/// An error, and its offset.
type Broken = (ContainerError, usize);

/// A name and its value: a field of a tag, or a property.
#[derive(Debug)]
struct Part<'t> {
    name: Cow<'t, [u8]>,
    start: usize,
    value: Range<usize>,
}

/// A tag, and the properties below it.
#[derive(Debug)]
struct Section<'t> {
    tag: &'t [u8],
    fields: Vec<Part<'t>>,
    properties: Vec<Part<'t>>,
    start: usize,
    /// The number of the line with the start, from 1.
    line: usize,
    /// The offset after the tag.
    head: usize,
    broken: Option<Broken>,
}

/// The sections of a text.
struct Sections<'t> {
    file: &'t ConfigFile,
    at: usize,
    /// A position, and the number of its line.
    line: (usize, usize),
    /// The bytes that may still be read to find the ends of values that do not end.
    effort: usize,
    /// The memory that the values of this section may still take.
    left: usize,
}

/// The resources that a file names.
#[derive(Debug, Default)]
struct Names {
    class: Option<String>,
    /// Each with its id.
    external: Vec<(Variant<'static>, External<'static>)>,
    by_id: HashMap<ByteString<'static>, usize>,
    by_path: HashMap<ByteString<'static>, usize>,
    /// The ids of resources in the file, each with the offset of its tag.
    internal: HashMap<ByteString<'static>, (Variant<'static>, usize)>,
    broken: Option<Broken>,
}

/// The tags after the first, in their order.
const TAGS: [&[u8]; 6] = [b"ext_resource", b"sub_resource", b"resource", b"node", b"connection", b"editable"];

/// The first tags.
const HEADS: [&[u8]; 2] = [b"gd_scene", b"gd_resource"];

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The beginning of the path of a resource in the file.
const LOCAL: &[u8] = b"local://";

const SUB_RESOURCE: &str = "SubResource";
const EXT_RESOURCE: &str = "ExtResource";

/// The newest form of the text.
const NEWEST: i64 = 4;

/// Returns true if a text begins as a scene or resource does: its first tag, after comments, is `gd_scene` or `gd_resource`.
///
/// ```
/// use enginewire_files::godot::is_text_resource;
///
/// assert!(is_text_resource(b"; made by hand\n[gd_scene format=3]\n"));
/// assert!(!is_text_resource(b"[application]\n"));
/// ```
#[must_use]
pub fn is_text_resource(head: &[u8]) -> bool {
    let at = after_space(head, if head.starts_with(BOM) { BOM.len() } else { 0 });
    head.get(at) == Some(&b'[') && HEADS.contains(&word(head, after_space(head, at.saturating_add(1))))
}

/// The letters, digits, `_` and `.` at an offset.
fn word(text: &[u8], at: usize) -> &[u8] {
    let rest = text.get(at..).unwrap_or_default();
    let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"_.".contains(byte));
    rest.get(..length.unwrap_or(rest.len())).unwrap_or_default()
}

impl<'t> Iterator for Sections<'t> {
    type Item = Section<'t>;

    fn next(&mut self) -> Option<Section<'t>> {
        let text = &self.file.text;
        let start = after_space(text, self.at);
        text.get(start)?;
        let passed = text.get(self.line.0..start).unwrap_or_default();
        let lines = passed.iter().filter(|byte| **byte == b'\n').count();
        self.line = (start, self.line.1.saturating_add(lines));
        self.left = self.file.max_memory.saturating_sub(text.len());
        let (fields, properties, line) = (Vec::new(), Vec::new(), self.line.1);
        let mut section = Section { tag: b"", fields, properties, start, line, head: start, broken: None };
        let read = self.tag(&mut section).and_then(|()| self.properties(&mut section));
        let holds = TAGS.get(1..4).is_some_and(|tags| tags.contains(&section.tag));
        let is_known = TAGS.contains(&section.tag) || HEADS.contains(&section.tag);
        let more = section.properties.first().filter(|_| !holds);
        let read = read.and_then(|()| match more {
            _ if !is_known => {
                let tag = section.tag.as_bstr();
                Err(self.broken(start, format!("expected a tag such as node or sub_resource, found {tag:?}")))
            }
            Some(part) => Err(self.broken(part.start, "expected a tag, because this one has no properties")),
            None => Ok(()),
        });
        if let Err((error, offset)) = read {
            self.at = self.at.max(self.next_tag(offset.saturating_sub(1).max(start)));
            section.broken = Some((error, offset));
        }
        Some(section)
    }
}

impl<'t> Sections<'t> {
    fn broken(&self, offset: usize, reason: impl ToString) -> Broken {
        let place = self.file.place(self.line.0, self.line.1, offset);
        (ContainerError::Malformed(format!("{}, {place}", reason.to_string())), offset)
    }

    /// The offset of the next line that begins with a known tag.
    fn next_tag(&self, from: usize) -> usize {
        let text = &self.file.text;
        let rest = text.get(from..).unwrap_or_default();
        let lines = rest.find_iter(b"\n[").map(|at| from.saturating_add(at).saturating_add(1));
        let is_tag = |at: &usize| TAGS.contains(&word(text, at.saturating_add(1)));
        lines.into_iter().find(is_tag).unwrap_or(text.len())
    }

    fn tag(&mut self, section: &mut Section<'t>) -> Result<(), Broken> {
        let text = &self.file.text;
        if text.get(section.start) != Some(&b'[') {
            return Err(self.broken(section.start, "expected `[` and a tag"));
        }
        let mut at = after_space(text, section.start.saturating_add(1));
        section.tag = word(text, at);
        at = at.saturating_add(section.tag.len());
        loop {
            at = after_space(text, at);
            if text.get(at) == Some(&b']') {
                self.at = at.saturating_add(1);
                section.head = self.at;
                return Ok(());
            }
            let name = word(text, at);
            let equals = after_space(text, at.saturating_add(name.len()));
            if name.is_empty() || text.get(equals) != Some(&b'=') {
                return Err(self.broken(at, "expected `]` at the end of a tag, or a name and `=`"));
            }
            let part = self.assigned(name.into(), at, equals)?;
            at = part.value.end;
            section.fields.push(part);
        }
    }

    fn properties(&mut self, section: &mut Section<'t>) -> Result<(), Broken> {
        let text = &self.file.text;
        loop {
            let at = after_space(text, self.at);
            self.at = at;
            let (name, end) = match text.get(at) {
                None | Some(b'[') => return Ok(()),
                Some(b'"') => {
                    let end = string_end(text, at);
                    let end = end.ok_or_else(|| self.broken(at, "the string of a name does not end"))?;
                    (Cow::Owned(unquoted(text.get(at..end).unwrap_or_default())), end)
                }
                Some(_) => {
                    let rest = text.get(at..).unwrap_or_default();
                    let length = rest.iter().position(|byte| *byte <= b' ' || b"=\";".contains(byte));
                    let name = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
                    (Cow::Borrowed(name), at.saturating_add(name.len()))
                }
            };
            let rest = text.get(end..).unwrap_or_default();
            let blanks = rest.iter().take_while(|byte| b" \t".contains(byte)).count();
            let equals = end.saturating_add(blanks);
            if name.is_empty() || text.get(equals) != Some(&b'=') {
                return Err(self.broken(at, "expected the name of a property and `=`"));
            }
            let part = self.assigned(name, at, equals)?;
            self.at = part.value.end;
            section.properties.push(part);
        }
    }

    /// The value after an `=`.
    fn assigned(&mut self, name: Cow<'t, [u8]>, start: usize, equals: usize) -> Result<Part<'t>, Broken> {
        let text = &self.file.text;
        let begins = after_space(text, equals.saturating_add(1));
        let end = term(text, begins, &mut self.effort);
        let end = end.ok_or_else(|| self.broken(begins, "expected a value whose quotes and brackets are closed"))?;
        let value = text.get(begins..end).unwrap_or_default();
        let separators = value.iter().filter(|byte| b",[{(:".contains(byte)).count().saturating_add(4);
        let size = name.len().saturating_add(value.len()).saturating_mul(4);
        let left = self.left.checked_sub(separators.saturating_mul(ITEM).saturating_add(size));
        self.left = left.ok_or_else(|| {
            let what = "the values below a tag may take more memory than";
            (ContainerError::TooLarge { what, limit: self.file.max_memory }, begins)
        })?;
        Ok(Part { name, start, value: begins..end })
    }
}

/// An object or the type of a container, which may refer to a resource.
enum Found<'v> {
    Object(&'v mut Object<'static>),
    Type(&'v mut ContainerType<'static>),
}

/// Calls `change` with every object in a value, outer ones first, and with every type.
fn visit(
    value: &mut Variant<'static>,
    change: &mut dyn FnMut(Found<'_>) -> Result<(), ContainerError>,
) -> Result<(), ContainerError> {
    match value {
        Variant::Object(object) => {
            change(Found::Object(object))?;
            match object {
                Object::Full(full) => full.properties.iter_mut().try_for_each(|each| visit(&mut each.value, change)),
                _ => Ok(()),
            }
        }
        Variant::Array(array) => {
            array.element_type.iter_mut().try_for_each(|element_type| change(Found::Type(element_type)))?;
            array.elements.iter_mut().try_for_each(|element| visit(element, change))
        }
        Variant::Dictionary(dictionary) => {
            let types = dictionary.types.iter_mut().flat_map(|types| types.key.iter_mut().chain(&mut types.value));
            types.map(Found::Type).try_for_each(&mut *change)?;
            dictionary.entries.iter_mut().try_for_each(|Entry { key, value }| {
                visit(key, change)?;
                visit(value, change)
            })
        }
        _ => Ok(()),
    }
}

fn property(name: &'static str, value: impl IntoByteString<'static>) -> Property<'static> {
    Property { name: name.into(), value: Variant::String(value.into_byte_string()) }
}

/// The text of the only property of an object, if it has this name.
fn only<'o>(object: &'o FullObject<'static>, name: &str) -> Option<&'o ByteString<'static>> {
    match &object.properties[..] {
        [Property { name: found, value: Variant::String(text) }] if **found == *name.as_bytes() => Some(text),
        _ => None,
    }
}

/// An id as text: engines before version 4 have numbers.
fn id_text(id: &Variant<'_>) -> Option<ByteString<'static>> {
    match id {
        Variant::String(text) => Some(text.clone().into_owned()),
        Variant::Int(number) => Some(number.to_string().into()),
        _ => None,
    }
}

/// The class and the id of a reference in a text.
fn reference(object: &Object<'static>) -> Option<(&'static str, ByteString<'static>)> {
    match object {
        Object::Full(full) => {
            let class = [EXT_RESOURCE, SUB_RESOURCE].into_iter().find(|class| *full.class == *class.as_bytes())?;
            Some((class, only(full, "id")?.clone()))
        }
        Object::Resource(found) => match &**found {
            Reference::External(number) => Some((EXT_RESOURCE, number.to_string().into())),
            Reference::Internal(number) => Some((SUB_RESOURCE, number.to_string().into())),
            Reference::Path { .. } => None,
        },
        _ => None,
    }
}

/// The reference that the type of a container has in a text: `ExtResource("1_a")`.
fn script_reference(script: &[u8]) -> Option<(&'static str, ByteString<'static>)> {
    let text = script.to_str().ok().filter(|text| text.contains("Resource("))?;
    match Variant::from_gdscript(text, None, &Options::new(Version::V4)) {
        Ok(Variant::Object(object)) => reference(&object),
        _ => None,
    }
}

impl Names {
    /// The path of a resource of another file, if the reference by this path is the one by this id.
    fn path(&self, id: &ByteString<'static>) -> Option<&ByteString<'static>> {
        let number = *self.by_id.get(id)?;
        let (_, external) = self.external.get(number)?;
        (self.by_path.get(&external.path) == Some(&number)).then_some(&external.path)
    }

    fn has(&self, class: &str, id: &ByteString<'static>) -> bool {
        if class == EXT_RESOURCE { self.by_id.contains_key(id) } else { self.internal.contains_key(id) }
    }

    /// A value whose references are objects with paths.
    fn portable(&self, value: &mut Variant<'static>) {
        // nothing is refused
        let _ = visit(value, &mut |found| {
            match found {
                Found::Object(object) => {
                    if let Object::Resource(path) = object
                        && let Reference::Path { class, path } = &**path
                    {
                        *object = Object::new("Resource", [property("uid", class.clone()), property("path", path.clone())]);
                    } else if let Some((class, id)) = reference(object) {
                        let path = if class == SUB_RESOURCE { Some(local(&id)) } else { self.path(&id).cloned() };
                        let path = path.map_or_else(|| property("id", id), |path| property("path", path));
                        *object = Object::new(class, [path]);
                    }
                }
                Found::Type(ContainerType::Script(script)) => match script_reference(script) {
                    Some((SUB_RESOURCE, id)) => *script = local(&id),
                    Some((_, id)) => *script = self.path(&id).unwrap_or(script).clone(),
                    None => {}
                },
                Found::Type(_) => {}
            }
            Ok(())
        });
    }

    /// The reference to a resource that the file names before the offset `at`.
    fn refers(&self, class: &str, object: &FullObject<'static>, at: usize) -> Option<Object<'static>> {
        let (path, id) = (only(object, "path"), only(object, "id"));
        let id = if class == EXT_RESOURCE {
            let number = path.map_or_else(|| self.by_id.get(id?), |path| self.by_path.get(path))?;
            &self.external.get(*number)?.0
        } else {
            let named: Option<ByteString<'static>> = path.and_then(|path| Some(path.strip_prefix(LOCAL)?.to_vec().into()));
            let (id, start) = self.internal.get(named.as_ref().or(id)?)?;
            (*start < at).then_some(id)?
        };
        Some(match (id, class) {
            (Variant::Int(number), EXT_RESOURCE) => Reference::External(u32::try_from(*number).ok()?).into(),
            (Variant::Int(number), _) => Reference::Internal(u32::try_from(*number).ok()?).into(),
            (id, EXT_RESOURCE) => Object::new(EXT_RESOURCE, [property("id", id_text(id)?)]),
            (id, _) => Object::new(SUB_RESOURCE, [property("id", id_text(id)?)]),
        })
    }

    /// The reverse of [`portable`](Self::portable), in the section at this offset.
    fn native(&self, value: &mut Variant<'static>, at: usize) -> Result<(), ContainerError> {
        visit(value, &mut |found| {
            match found {
                Found::Object(object) => {
                    let Object::Full(full) = &*object else { return Ok(()) };
                    match (&**full.class, &full.properties[..]) {
                        (class @ (b"ExtResource" | b"SubResource"), _) => {
                            let class = if class == b"ExtResource" { EXT_RESOURCE } else { SUB_RESOURCE };
                            let found = self.refers(class, full, at);
                            let path = only(full, "path").or(only(full, "id")).map(|path| path.as_bstr());
                            let path = path.unwrap_or_default();
                            let missing = || {
                                let reason = "expected the path of a resource that the file names before";
                                ContainerError::Refused(format!("{reason}, found {path:?}"))
                            };
                            *object = found.ok_or_else(missing)?;
                        }
                        (b"Resource", [uid, path]) if *uid.name == *b"uid" && *path.name == *b"path" => {
                            if let (Variant::String(class), Variant::String(path)) = (&uid.value, &path.value) {
                                *object = Reference::Path { class: class.clone(), path: path.clone() }.into();
                            }
                        }
                        _ => {}
                    }
                }
                Found::Type(ContainerType::Script(script)) => {
                    let object = FullObject { class: "".into(), properties: vec![property("path", script.clone())] };
                    let found = [EXT_RESOURCE, SUB_RESOURCE].into_iter().find_map(|class| self.refers(class, &object, at));
                    if let Some(found) = found {
                        *script = Variant::Object(found).to_gdscript(Version::V4).into();
                    }
                }
                Found::Type(_) => {}
            }
            Ok(())
        })
    }
}

fn local(id: &[u8]) -> ByteString<'static> {
    [LOCAL, id].concat().into()
}

/// The number of a uid: its digits are the letters from a to y, and 0 to 8.
fn uid_number(text: &[u8]) -> u64 {
    let digits = text.strip_prefix(b"uid://").filter(|digits| !digits.is_empty());
    let number = digits.and_then(|digits| {
        digits.iter().try_fold(0u64, |number, digit| {
            let digit = match digit {
                b'a'..=b'y' => digit.saturating_sub(b'a'),
                b'0'..=b'8' => digit.saturating_sub(b'0').saturating_add(25),
                _ => return None,
            };
            Some(number.wrapping_mul(34).wrapping_add(digit.into()))
        })
    });
    number.map_or(NO_UID, |number| number & (NO_UID >> 1))
}

/// The reverse of [`uid_number`].
fn uid_text(mut number: u64) -> String {
    let mut digits = Vec::new();
    while number > 0 || digits.is_empty() {
        let digit = u8::try_from(number % 34).unwrap_or_default();
        digits.push(char::from(if digit < 25 { digit.saturating_add(b'a') } else { digit.saturating_add(b'0' - 25) }));
        number /= 34;
    }
    format!("uid://{}", digits.into_iter().rev().collect::<String>())
}

fn sign(text: &str) -> Address {
    Address::new(Syntax::Nodes, [Component::sign(text)])
}

fn refused(reason: impl ToString) -> ContainerError {
    ContainerError::Refused(reason.to_string())
}

impl TextResource {
    /// The file with this text. The text and the values below one tag at a time may together take `max_memory` bytes.
    #[must_use]
    pub fn new(text: Vec<u8>, max_memory: usize) -> Self {
        let file = TextResource { file: ConfigFile::new(text, max_memory).of_version(Version::V4), repeated: OnceLock::new() };
        let version = if file.form().is_some_and(|form| form >= 3) { Version::V4 } else { Version::V3 };
        TextResource { file: file.file.of_version(version), repeated: OnceLock::new() }
    }

    /// The number of the form of the text.
    fn form(&self) -> Option<i64> {
        match self.field(&self.sections().next()?, "format") {
            Ok(Some(Variant::Int(form))) => Some(form),
            _ => None,
        }
    }

    fn options(&self) -> Options {
        Options::new(self.file.version()).any_text(true)
    }

    fn sections(&self) -> Sections<'_> {
        let effort = self.file.text.len().saturating_add(1024).saturating_mul(8);
        let at = if self.file.text.starts_with(BOM) { BOM.len() } else { 0 };
        Sections { file: &self.file, at, line: (0, 1), effort, left: 0 }
    }

    /// The sections that are values, each with its address: first those of nodes and the main resource.
    fn listed(&self) -> impl Iterator<Item = (Section<'_>, Address)> {
        [false, true].into_iter().flat_map(|is_internal| {
            let of_kind = move |section: &Section<'_>| (section.tag == b"sub_resource") == is_internal;
            self.sections().filter(of_kind).filter_map(|section| {
                let address = self.address(&section)?;
                Some((section, address))
            })
        })
    }

    fn repeated(&self) -> &Repeated {
        self.repeated.get_or_init(|| Repeated::of(self.listed().map(|(_, address)| address)))
    }

    /// The value of a part of a section.
    fn value(&self, section: &Section<'_>, part: &Part<'_>) -> Result<Variant<'static>, Broken> {
        let text = self.file.text.get(part.value.clone()).unwrap_or_default();
        self.file.value(text).map_err(|(error, at)| {
            let offset = part.value.start.saturating_add(at);
            match error {
                ContainerError::Malformed(text) => {
                    let place = self.file.place(section.start, section.line, offset);
                    (ContainerError::Malformed(format!("{text}, {place}")), offset)
                }
                error => (error, offset),
            }
        })
    }

    /// A field of a tag.
    fn field(&self, section: &Section<'_>, name: &str) -> Result<Option<Variant<'static>>, Broken> {
        let part = section.fields.iter().find(|part| *part.name == *name.as_bytes());
        part.map(|part| self.value(section, part)).transpose()
    }

    /// A field of a tag that is a text, or a number as text.
    fn text(&self, section: &Section<'_>, name: &str) -> Result<Option<ByteString<'static>>, Broken> {
        let Some(value) = self.field(section, name)? else { return Ok(None) };
        let wrong = || self.broken(section, format!("expected a text as the {name} of the tag"));
        id_text(&value).ok_or_else(wrong).map(Some)
    }

    fn needed(&self, section: &Section<'_>, name: &str) -> Result<ByteString<'static>, Broken> {
        self.text(section, name)?.ok_or_else(|| self.broken(section, format!("expected {name}=… in the tag")))
    }

    /// An error of a tag.
    fn broken(&self, section: &Section<'_>, reason: impl ToString) -> Broken {
        let place = self.file.place(section.start, section.line, section.start);
        (ContainerError::Malformed(format!("{}, {place}", reason.to_string())), section.start)
    }

    /// The address of a section that is a value.
    fn address(&self, section: &Section<'_>) -> Option<Address> {
        let found = match section.tag {
            b"ext_resource" | b"connection" => return None,
            b"node" => self.needed(section, "name").and_then(|name| {
                let Some(parent) = self.text(section, "parent")? else { return Ok(sign(":root")) };
                let parents = parent.split(|byte| *byte == b'/').filter(|_| !parent.is_empty() && *parent != *b".");
                Ok(Address::new(Syntax::Nodes, parents.chain([&**name]).map(Component::name)))
            }),
            b"sub_resource" => self.needed(section, "id").map(|id| {
                Address::new(Syntax::Nodes, [Component::resource(":sub", &id)])
            }),
            b"resource" => Ok(sign(":resource")),
            tag if section.broken.is_none() && (HEADS.contains(&tag) || TAGS.contains(&tag)) => return None,
            _ => return Some(self.of_tag(section)),
        };
        Some(found.unwrap_or_else(|_| self.of_tag(section)))
    }

    fn of_tag(&self, section: &Section<'_>) -> Address {
        Address::new(Syntax::Nodes, [Component::resource(":tag", section.tag)])
    }

    fn names(&self) -> Result<Names, ContainerError> {
        let (mut names, mut sections) = (Names::default(), self.sections());
        let first = sections.next().filter(|section| HEADS.contains(&section.tag));
        let Some(first) = first else {
            let reason = "expected [gd_scene …] or [gd_resource …] as the first tag".to_owned();
            return Err(ContainerError::Malformed(reason));
        };
        if let Some(form) = self.form().filter(|form| *form > NEWEST) {
            return Err(ContainerError::Malformed(format!("expected a format up to {NEWEST}, found {form}")));
        }
        names.class = self.text(&first, "type").ok().flatten().map(|class| class.to_str_lossy().into_owned());
        let mut left = self.file.max_memory.saturating_sub(self.file.text.len());
        for section in sections {
            let read = match section.tag {
                b"ext_resource" => self.external(&section).map(|(id, text, external)| {
                    let number = names.external.len();
                    names.by_id.insert(text, number);
                    names.by_path.entry(external.path.clone()).or_insert(number);
                    names.external.push((id, external));
                }),
                b"sub_resource" => {
                    // an error is that of the section
                    if let Ok(Some(id)) = self.field(&section, "id")
                        && let Some(text) = id_text(&id)
                    {
                        names.internal.insert(text, (id, section.start));
                    }
                    Ok(())
                }
                _ => continue,
            };
            names.broken = names.broken.or(read.err());
            let size = section.head.saturating_sub(section.start).saturating_mul(4).saturating_add(NAMED);
            left = left.checked_sub(size).ok_or_else(|| {
                let what = "the names of resources take more memory than";
                ContainerError::TooLarge { what, limit: self.file.max_memory }
            })?;
        }
        Ok(names)
    }

    /// The resource of another file that a tag names, after its id.
    fn external(
        &self,
        section: &Section<'_>,
    ) -> Result<(Variant<'static>, ByteString<'static>, External<'static>), Broken> {
        section.broken.clone().map_or(Ok(()), Err)?;
        let (text, id) = (self.needed(section, "id")?, self.field(section, "id")?.unwrap_or_default());
        let uid = self.text(section, "uid")?.map_or(NO_UID, |uid| uid_number(&uid));
        Ok((id, text, External { class: self.needed(section, "type")?, path: self.needed(section, "path")?, uid }))
    }

    /// The properties of a section.
    fn properties(&self, names: &Names, section: &Section<'_>) -> Result<Vec<Variant<'static>>, Broken> {
        section.broken.clone().map_or(Ok(()), Err)?;
        match section.tag {
            b"node" => drop(self.needed(section, "name")?),
            b"sub_resource" => drop(self.needed(section, "id")?),
            _ => {}
        }
        section.fields.iter().try_for_each(|part| self.value(section, part).map(drop))?;
        let portable = |part| {
            let mut value = self.value(section, part)?;
            names.portable(&mut value);
            Ok(value)
        };
        section.properties.iter().map(portable).collect()
    }

    /// The bytes of the value that a section is.
    fn bytes(&self, names: &Names, section: &Section<'_>) -> Result<Vec<u8>, Broken> {
        let properties = self.properties(names, section)?;
        let keys = section.properties.iter().map(|part| Variant::String(part.name.to_vec().into()));
        let dictionary = Dictionary::new(keys.zip(properties));
        encode_with(&dictionary.into(), &self.options()).map_err(|error| self.broken(section, error))
    }

    /// The members of the value of a node or a resource.
    fn members(&self, names: &Names, section: &Section<'_>, address: &Address) -> Vec<Member> {
        let text = |name| self.text(section, name).ok().flatten().map(|text| text.to_str_lossy().into_owned());
        let notation = |name: &str| {
            let mut value = self.field(section, name).ok().flatten()?;
            names.portable(&mut value);
            Some(value)
        };
        let root = || (section.tag == b"node" && text("parent").is_none()).then(|| ".".to_owned());
        let class = if section.tag == b"resource" { names.class.clone() } else { text("type") };
        let instance = notation("instance").or_else(|| notation("instance_placeholder"));
        let instance = instance.map(|value| json!(value.to_gdscript(self.file.version())));
        let groups = match notation("groups") {
            Some(Variant::Array(groups)) => {
                let groups = groups.elements.iter().filter_map(|group| Some(group.as_bytes()?.to_str_lossy()));
                Some(json!(groups.collect::<Vec<_>>()))
            }
            _ => None,
        };
        let node = json!(root().unwrap_or_else(|| address.to_string()));
        let members = [Some(("node", node)), class.map(|class| ("class", json!(class)))];
        let more = [instance.map(|value| ("instance", value)), groups.map(|value| ("groups", value))];
        members.into_iter().chain(more).flatten().collect()
    }

    /// The list of resources of other files.
    fn external_bytes(&self, names: &Names) -> Result<Vec<u8>, Broken> {
        names.broken.clone().map_or(Ok(()), Err)?;
        let list = Array::new(names.external.iter().map(|(_, external)| external.to_variant()));
        encode_with(&list.into(), &self.options()).map_err(|error| (ContainerError::malformed(error), 0))
    }

    /// The connections of signals, if there are some.
    fn connections(&self, names: &Names) -> Option<Result<Vec<u8>, Broken>> {
        let number = |section: &Section<'_>, name: &str, default| match self.field(section, name)? {
            None => Ok(Variant::Int(default)),
            Some(Variant::Int(number)) => Ok(Variant::Int(number)),
            Some(_) => Err(self.broken(section, format!("expected a number as the {name} of the tag"))),
        };
        let read = |section: Section<'_>| {
            section.broken.clone().map_or(Ok(()), Err)?;
            let text = |name| self.needed(&section, name).map(Variant::String);
            let mut binds = self.field(&section, "binds")?.unwrap_or_else(|| Array::default().into());
            names.portable(&mut binds);
            let parts = [
                ("from", text("from")?),
                ("signal", text("signal")?),
                ("to", text("to")?),
                ("method", text("method")?),
                // kept in a scene
                ("flags", number(&section, "flags", 2)?),
                ("binds", binds),
                ("unbinds", number(&section, "unbinds", 0)?),
            ];
            Ok(Dictionary::new(parts.map(|(name, value)| (name.into(), value))).into())
        };
        let mut left = self.file.max_memory.saturating_sub(self.file.text.len());
        let mut sections = self.sections().filter(|section| section.tag == b"connection").peekable();
        sections.peek()?;
        let limited = sections.map(|section| {
            let size = section.head.saturating_sub(section.start).saturating_mul(4).saturating_add(ITEM * 16);
            left = left.checked_sub(size).ok_or_else(|| {
                let what = "the connections take more memory than";
                (ContainerError::TooLarge { what, limit: self.file.max_memory }, section.start)
            })?;
            read(section)
        });
        let all = limited.collect::<Result<Vec<Variant<'static>>, Broken>>();
        let encoded = |list: Vec<_>| encode_with(&Array::new(list).into(), &self.options());
        Some(all.and_then(|list| encoded(list).map_err(|error| (ContainerError::malformed(error), 0))))
    }

    /// The text for a value, which must come back as it is.
    fn text_of(&self, value: &Variant<'_>) -> Result<String, ContainerError> {
        let version = self.file.version();
        let text = value.to_saved_text(version).filter(|text| {
            let again = Variant::from_gdscript(text, None, &self.options());
            again.is_ok_and(|again| again.to_gdscript(version) == value.to_gdscript(version))
        });
        text.ok_or_else(|| refused(format!("Godot {version} cannot read this value from a text")))
    }

    /// The changes of the text that give a section these properties, and the bytes that it then has: a reference by its id becomes one
    /// by its path.
    fn section_edits(
        &self,
        names: &Names,
        section: &Section<'_>,
        bytes: &[u8],
    ) -> Result<(Vec<Edit>, Vec<u8>), ContainerError> {
        let expected = || refused("expected properties by their names, each once");
        let before = self.properties(names, section).map_err(|(error, _)| error)?;
        let mut new = decode_with(bytes, &self.options()).map_err(ContainerError::malformed)?.into_owned();
        names.portable(&mut new);
        let encoded =
            |value: &Variant<'_>| encode_with(value, &self.options()).map_err(ContainerError::malformed);
        let bytes = encoded(&new)?;
        let Variant::Dictionary(Dictionary { types: None, entries }) = new else { return Err(expected()) };
        let keys = || entries.iter().map(|entry| entry.key.as_bytes().filter(|_| matches!(entry.key, Variant::String(_))));
        let old = || section.properties.iter().map(|part| &*part.name);
        let is_alike = keys().eq(old().map(Some));
        let places: HashMap<&[u8], usize> = old().zip(0..).collect();
        let count = keys().collect::<Option<HashSet<_>>>().ok_or_else(expected)?.len();
        if !is_alike && (places.len() < section.properties.len() || count < entries.len()) {
            return Err(expected());
        }
        let (mut edits, mut next, mut place) = (Vec::new(), 0usize, self.file.next_line(section.head));
        let remove = |edits: &mut Vec<Edit>, from: usize, to: usize| {
            for part in section.properties.get(from..to).unwrap_or_default() {
                edits.push((self.file.removed(part.start, &part.value), String::new()));
            }
        };
        for Entry { key, mut value } in entries.iter().cloned() {
            let key = key.as_bytes().unwrap_or_default();
            let found = if is_alike { Some(next) } else { places.get(key).copied() };
            let part = found.and_then(|found| Some((found, section.properties.get(found)?, before.get(found)?)));
            let Some((number, part, before)) = part else {
                names.native(&mut value, section.start)?;
                let name = key.to_str().map_err(|_| expected())?;
                let (line, ending) = (format!("{} = {}", key_text("-", name), self.text_of(&value)?), self.file.ending());
                let is_last = place == self.file.text.len() && !self.file.text.ends_with(b"\n");
                let line = if is_last { format!("{ending}{line}") } else { format!("{line}{ending}") };
                edits.push((place..place, line));
                continue;
            };
            if number < next {
                return Err(refused("the properties have another order"));
            }
            remove(&mut edits, next, number);
            (next, place) = (number.saturating_add(1), self.file.next_line(part.value.end));
            if encoded(before)? != encoded(&value)? {
                names.native(&mut value, section.start)?;
                let after = self.file.text.get(part.value.end).filter(|byte| **byte > b' ' && **byte != b';');
                let space = if after.is_some() { " " } else { "" };
                edits.push((part.value.clone(), self.text_of(&value)? + space));
            }
        }
        remove(&mut edits, next, section.properties.len());
        Ok((edits, bytes))
    }

    /// The changes of the text that give tags this list of resources of other files.
    fn external_edits(&self, names: &Names, bytes: &[u8]) -> Result<Vec<Edit>, ContainerError> {
        let new = decode_with(bytes, &self.options()).map_err(ContainerError::malformed)?.into_owned();
        let Variant::Array(new) = new else { return Err(refused("expected the list of resources of other files")) };
        names.broken.clone().map_or(Ok(()), |(error, _)| Err(error))?;
        if new.elements.len() != names.external.len() {
            return Err(refused("a resource of another file can be changed, not added or removed"));
        }
        let mut edits = Vec::new();
        let sections = self.sections().filter(|section| section.tag == b"ext_resource");
        for ((section, (_, old)), new) in sections.zip(&names.external).zip(new.elements) {
            let new = External::from_variant(new).map_err(refused)?;
            let uid = |number| if number == NO_UID { ByteString::default() } else { uid_text(number).into() };
            let fields = [
                ("type", old.class.clone(), new.class),
                ("path", old.path.clone(), new.path),
                ("uid", uid(old.uid), uid(new.uid)),
            ];
            for (name, _, new) in fields.into_iter().filter(|(_, old, new)| old != new) {
                let field = section.fields.iter().find(|part| *part.name == *name.as_bytes());
                let is_none = name == "uid" && new.is_empty();
                let text = self.text_of(&Variant::String(new))?;
                edits.push(match field {
                    Some(part) if is_none => {
                        let before = self.file.text.get(..part.start).unwrap_or_default();
                        (before.trim_ascii_end().len()..part.value.end, String::new())
                    }
                    Some(part) => (part.value.clone(), text),
                    None => {
                        let end = section.head.saturating_sub(1);
                        (end..end, format!(" {name}={text}"))
                    }
                });
            }
        }
        Ok(edits)
    }

    /// True if a change gave the sections with these offsets these bytes, and left all others as they were.
    fn comes_back(&self, names: &Names, after: &TextResource, edited: &HashMap<usize, Vec<u8>>, list: Option<&[u8]>) -> bool {
        let (mut before, mut sections) = (self.sections(), after.sections());
        let same = |(old, new): (&Part<'_>, &Part<'_>)| {
            let text = |file: &ConfigFile, part: &Part<'_>| file.text.get(part.value.clone()).map(<[u8]>::to_vec);
            old.name == new.name && text(&self.file, old) == text(&after.file, new)
        };
        let are_same = |old: &[Part<'_>], new: &[Part<'_>]| old.len() == new.len() && old.iter().zip(new).all(same);
        let all = before.all(|old| {
            sections.next().is_some_and(|new| {
                let is_listed = list.is_some() && old.tag == b"ext_resource";
                let is_kept = is_listed || are_same(&old.fields, &new.fields);
                let holds = match edited.get(&old.start) {
                    Some(bytes) => after.bytes(names, &new).is_ok_and(|new| new == *bytes),
                    None => are_same(&old.properties, &new.properties) && old.broken.is_some() == new.broken.is_some(),
                };
                is_kept && holds && old.tag == new.tag
            })
        });
        let lists = |bytes: &&[u8]| {
            after.names().is_ok_and(|names| after.external_bytes(&names).is_ok_and(|list| list == **bytes))
        };
        all && sections.next().is_none() && list.as_ref().is_none_or(lists)
    }
}

/// The memory that the names of a resource take, in bytes.
const NAMED: usize = 512;

impl Container for TextResource {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let (names, repeated) = (self.names()?, self.repeated());
        let mut give = |address: Address, bytes: Result<Vec<u8>, Broken>, members, line: Option<usize>| {
            let broken_at = bytes.as_ref().err().map(|(_, offset)| to_u64(*offset));
            let value = Embedded::new(address, self.file.formats(), bytes.map_err(|(error, _)| error));
            let value = value.with_members(members).with_stored(line.map(|line| format!("line {line}")));
            each(Embedded { broken_at, ..value }).is_break()
        };
        for (number, (section, address)) in self.listed().enumerate() {
            let members = self.members(&names, &section, &address);
            let bytes = self.bytes(&names, &section);
            if give(address.earlier(repeated.earlier(number)), bytes, members, Some(section.line)) {
                return Ok(());
            }
        }
        let mut list = |text, bytes| give(sign(text), bytes, vec![("node", json!(text))], None);
        let has_external = !names.external.is_empty() || names.broken.is_some();
        if has_external && list(":ext", self.external_bytes(&names)) {
            return Ok(());
        }
        self.connections(&names).map(|bytes| list(":connections", bytes));
        Ok(())
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let changes = located(self, changes)?;
        if changes.is_empty() {
            return within(self.file.text.clone(), self.file.max_memory);
        }
        let names = self.names()?;
        let (mut edits, mut edited, mut count) = (Vec::new(), HashMap::new(), 0usize);
        for (section, _) in self.listed() {
            if let Some(bytes) = changes.get(&count) {
                let (made, bytes) = self.section_edits(&names, &section, bytes)?;
                edits.extend(made);
                edited.insert(section.start, bytes);
            }
            count = count.saturating_add(1);
        }
        let list = changes.get(&count).copied().filter(|_| !names.external.is_empty() || names.broken.is_some());
        if let Some(bytes) = list {
            edits.extend(self.external_edits(&names, bytes)?);
        }
        if edited.len().saturating_add(usize::from(list.is_some())) < changes.len() {
            return Err(refused("the connections of a scene are not changed"));
        }
        let changed = self.file.spliced(edits)?;
        let after = TextResource::new(changed, self.file.max_memory.saturating_mul(2));
        match self.comes_back(&names, &after, &edited, list) {
            true => Ok(after.file.text),
            false => Err(refused("the change would not be read as it is, or would change another value")),
        }
    }

    fn format(&self) -> Option<&'static str> {
        self.file.formats().first().copied()
    }

    /// References to resources that the file does not name, which engines refuse.
    fn warnings(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.file.text.starts_with(BOM) {
            all.push("the file begins with a byte order mark, which engines refuse, at byte 0x0".to_owned());
        }
        let Ok(names) = self.names() else { return all };
        for section in self.sections().filter(|section| section.broken.is_none()) {
            for part in section.fields.iter().chain(&section.properties) {
                let text = self.file.text.get(part.value.clone()).filter(|text| text.contains_str("Resource("));
                let Some(Ok(mut value)) = text.map(|_| self.value(&section, part)) else { continue };
                // nothing is refused
                let _ = visit(&mut value, &mut |found| {
                    let named = match found {
                        Found::Object(object) => reference(object),
                        Found::Type(ContainerType::Script(script)) => script_reference(script),
                        Found::Type(_) => None,
                    };
                    if let Some((class, id)) = named.filter(|(class, id)| !names.has(class, id)) {
                        let place = self.file.place(section.start, section.line, part.value.start);
                        all.push(format!("{class}({id:?}) is no resource that the file names, {place}"));
                    }
                    Ok(())
                });
            }
        }
        all
    }
}
