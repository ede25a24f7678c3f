//! Scenes and resources as text, `.tscn` and `.tres`, as containers of the values of their nodes and resources.

mod convert;
mod structure;

pub use convert::{resource_to_text, text_to_resource, ConvertedResource};

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use bstr::ByteSlice;
use serde_json::json;

use super::config::{
    after_space, has, hides_parts, key_text, named, string_end, term, uncertain, unquoted, unread, ITEM,
};
use super::scene_file::{sign, EXT_RESOURCE, LOCAL, SUB_RESOURCE};
use super::ConfigFile;
use crate::address::{Address, Component, Syntax};
use crate::containers::{texts_apart, within, Arranged, Container, ContainerError};
use crate::containers::{Addition, Embedded, Member, Repeated, ValueChange};
use enginewire::error::EncodeError;
use enginewire::godot::resource::{id_of, text_of, External, Reference, NO_UID};
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
/// A property changes alone, and can be added and removed; the list of resources of other files changes, and connections are added,
/// changed and removed. A node is removed if nothing else in the file names it: no child, connection, path or `editable`. A tag that is unknown or broken is an error of the value `:tag.NAME`. A property that cannot be read is an error of a value of
/// its own, `Player:hp`. It can be replaced if it is certain where its text ends, and stays as it is in every other change.
///
/// Specification: `docs/spec/godot-files.md`, section Text resources.
#[derive(Debug)]
pub struct TextResource {
    file: ConfigFile,
    /// Of the addresses.
    repeated: OnceLock<Repeated>,
}

/// Ranges of the text, and the bytes that take their places.
type Splices = Vec<(Range<usize>, Vec<u8>)>;

/// A range of the text, and the text that takes its place.
type Edit = (Range<usize>, String);

/// An error, and its offset.
type Broken = (ContainerError, usize);

/// A line: its number from 1, and the offset of its start.
#[derive(Clone, Copy, Debug)]
struct Line {
    number: usize,
    start: usize,
}

impl Line {
    /// The line after this text, which begins in this line at an offset.
    fn after(self, offset: usize, text: &[u8]) -> Self {
        let lines = text.iter().filter(|byte| **byte == b'\n').count();
        let start = text.rfind_byte(b'\n').map(|end| offset.saturating_add(end).saturating_add(1));
        Line { number: self.number.saturating_add(lines), start: start.unwrap_or(self.start) }
    }

    /// The line and the column of an offset in the text, if this is the line with the offset `from`.
    fn place(self, text: &[u8], from: usize, offset: usize) -> String {
        let line = self.after(from, text.get(from..offset).unwrap_or_default());
        let column = offset.saturating_sub(line.start).saturating_add(1);
        format!("in line {}, column {column} (byte {offset:#x})", line.number)
    }
}

/// A name and its value: a field of a tag, or a property.
#[derive(Debug)]
struct Part<'t> {
    name: Cow<'t, [u8]>,
    start: usize,
    /// The offset after the name.
    end: usize,
    value: Range<usize>,
}

/// A tag, and the properties below it.
#[derive(Debug)]
struct Section<'t> {
    tag: &'t [u8],
    fields: Vec<Part<'t>>,
    properties: Vec<Part<'t>>,
    start: usize,
    line: Line,
    /// The offset after the tag, or its start if it does not end.
    head: usize,
    broken: Option<Broken>,
}

/// The properties of a section.
#[derive(Debug, Default)]
struct Properties<'s> {
    read: Vec<(&'s Part<'s>, Variant<'static>)>,
    broken: Vec<Unread<'s>>,
}

/// A property that cannot be read and gets a value, or that gets such a text again.
type Repair<'c> = (ByteString<'static>, New<'c>);

/// The replacement for the text of a property.
#[derive(Debug)]
enum New<'c> {
    /// The bytes of a value.
    Value(Vec<u8>),
    Text(&'c [u8]),
}

/// The flags of a connection that a text leaves out: it is kept in the scene.
const PERSIST: i32 = 2;

/// A property that cannot be read, and why.
type Unread<'s> = (&'s Part<'s>, Broken);

/// The sections of a text.
struct Sections<'t> {
    file: &'t ConfigFile,
    at: usize,
    /// Lines are counted up to this offset. Then the line there.
    line: (usize, Line),
    /// The bytes that may still be read to find the ends of values that do not end.
    effort: usize,
    /// The memory that the values of this section may still take; `None` if it is too little.
    left: Option<usize>,
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
    let at = after_space(head, 0);
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
        self.line = (start, self.line.1.after(self.line.0, passed));
        self.left = Some(self.file.max_memory.saturating_sub(text.len()));
        let (fields, properties, line) = (Vec::new(), Vec::new(), self.line.1);
        let mut section = Section { tag: b"", fields, properties, start, line, head: start, broken: None };
        if let Err((error, offset)) = self.tag(&mut section).and_then(|()| self.properties(&mut section)) {
            // a quote that is open may end in the next tag
            self.at = self.next_tag(self.file.line_start(offset).saturating_sub(1).max(start));
            section.broken = Some((error, offset));
            return Some(section);
        }
        let holds = TAGS.get(1..4).is_some_and(|tags| tags.contains(&section.tag));
        let more = section.properties.first().filter(|_| !holds).map(|part| part.start);
        section.broken = match more {
            _ if !TAGS.contains(&section.tag) && !HEADS.contains(&section.tag) => {
                let tag = section.tag.as_bstr();
                Some(self.broken(start, format!("expected a tag such as node or sub_resource, found {tag:?}")))
            }
            _ if self.left.is_none() => {
                let what = "the values below a tag may take more memory than";
                Some((ContainerError::TooLarge { what, limit: self.file.max_memory }, start))
            }
            more => more.map(|at| self.broken(at, "expected a tag, because this one has no properties")),
        };
        Some(section)
    }
}

impl<'t> Sections<'t> {
    fn broken(&self, offset: usize, reason: impl ToString) -> Broken {
        let (start, line) = self.line;
        let place = line.place(&self.file.text, start, offset);
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
            let end = at.saturating_add(name.len());
            let part = self.assigned(name.into(), at..end, equals, false)?;
            at = part.value.end;
            section.fields.extend(Some(part).filter(|_| self.left.is_some()));
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
            let part = self.assigned(name, at..end, equals, true)?;
            self.at = part.value.end;
            section.properties.extend(Some(part).filter(|_| self.left.is_some()));
        }
    }

    /// The value after an `=`. That of a property may be one that cannot be read.
    fn assigned(
        &mut self,
        name: Cow<'t, [u8]>,
        at: Range<usize>,
        equals: usize,
        is_property: bool,
    ) -> Result<Part<'t>, Broken> {
        let (text, from) = (&self.file.text, equals.saturating_add(1));
        let begins = after_space(text, from);
        let end = term(text, begins, &mut self.effort);
        // without a value, the next name would be one
        let is_missing = begins > self.file.line_end(from);
        let next = end.filter(|_| is_property && is_missing).and_then(|end| text.get(after_space(text, end)));
        let range = match end.filter(|_| next != Some(&b'=')) {
            Some(end) => Some(begins..end),
            None => unread(text, from, &mut self.effort).filter(|_| is_property),
        };
        let reason = "expected a value whose quotes and brackets are closed";
        let range = range.ok_or_else(|| self.broken(begins, reason))?;
        let value = text.get(range.clone()).unwrap_or_default();
        let separators = value.iter().filter(|byte| b",[{(:".contains(byte)).count().saturating_add(4);
        let size = name.len().saturating_add(value.len()).saturating_mul(4);
        let size = separators.saturating_mul(ITEM).saturating_add(size);
        self.left = self.left.and_then(|left| left.checked_sub(size));
        Ok(Part { name, start: at.start, end: at.end, value: range })
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
        if class == EXT_RESOURCE {
            self.by_id.contains_key(id)
        } else {
            self.internal.contains_key(id)
        }
    }

    /// A value whose references are objects with paths.
    fn portable(&self, value: &mut Variant<'static>) {
        // nothing is refused
        let _ = visit(value, &mut |found| {
            match found {
                Found::Object(object) => {
                    if let Some((class, id)) = reference(object) {
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
            let named: Option<ByteString<'static>> =
                path.and_then(|path| Some(path.strip_prefix(LOCAL)?.to_vec().into()));
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
                    let mut classes = [EXT_RESOURCE, SUB_RESOURCE].into_iter();
                    let Some(class) = classes.find(|class| *full.class == *class.as_bytes()) else { return Ok(()) };
                    let path = only(full, "path").or(only(full, "id")).map(|path| path.as_bstr());
                    let missing = || {
                        let reason = "expected the path of a resource that the file names before";
                        ContainerError::Refused(format!("{reason}, found {:?}", path.unwrap_or_default()))
                    };
                    *object = self.refers(class, full, at).ok_or_else(missing)?;
                }
                Found::Type(ContainerType::Script(script)) => {
                    let object = FullObject { class: "".into(), properties: vec![property("path", script.clone())] };
                    let found =
                        [EXT_RESOURCE, SUB_RESOURCE].into_iter().find_map(|class| self.refers(class, &object, at));
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

fn refused(reason: impl ToString) -> ContainerError {
    ContainerError::Refused(reason.to_string())
}

impl TextResource {
    /// The file with this text. The text and the values below one tag at a time may together take `max_memory` bytes.
    #[must_use]
    pub fn new(text: Vec<u8>, max_memory: usize) -> Self {
        let file = TextResource {
            file: ConfigFile::new(text, max_memory).of_resource().of_version(Version::V4),
            repeated: OnceLock::new(),
        };
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
        Sections { file: &self.file, at: 0, line: (0, Line { number: 1, start: 0 }), effort, left: None }
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
                    let place = section.line.place(&self.file.text, section.start, offset);
                    (ContainerError::Malformed(format!("{text}, {place}")), offset)
                }
                error => (error, offset),
            }
        })
    }

    /// A field of a tag, the last of this name.
    fn field(&self, section: &Section<'_>, name: &str) -> Result<Option<Variant<'static>>, Broken> {
        let part = section.fields.iter().rfind(|part| *part.name == *name.as_bytes());
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
        let place = section.line.place(&self.file.text, section.start, section.start);
        (ContainerError::Malformed(format!("{}, {place}", reason.to_string())), section.start)
    }

    /// The address of a section that is a value.
    fn address(&self, section: &Section<'_>) -> Option<Address> {
        let found = match section.tag {
            b"ext_resource" | b"connection" => return None,
            // a tag that does not end may lack a field
            _ if section.head == section.start => return Some(self.of_tag(section)),
            b"node" => self.needed(section, "name").and_then(|name| {
                let Some(parent) = self.text(section, "parent")? else { return Ok(sign(":root")) };
                let parents = parent.split(|byte| *byte == b'/').filter(|_| !parent.is_empty() && *parent != *b".");
                Ok(Address::new(Syntax::Nodes, parents.chain([&**name]).map(Component::name)))
            }),
            b"sub_resource" => {
                self.needed(section, "id").map(|id| Address::new(Syntax::Nodes, [Component::resource(":sub", &id)]))
            }
            b"resource" => Ok(sign(":resource")),
            tag if section.broken.is_none() && (HEADS.contains(&tag) || TAGS.contains(&tag)) => return None,
            _ => Ok(self.of_tag(section)),
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
        match self.field(&first, "format").map_err(|(error, _)| error)? {
            None => {}
            Some(Variant::Int(form)) if form <= NEWEST => {}
            Some(form) => {
                let found = form.to_gdscript(Version::V4);
                return Err(ContainerError::Malformed(format!("expected a format up to {NEWEST}, found {found}")));
            }
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
        let uid = self.text(section, "uid")?.map_or(NO_UID, |uid| id_of(&uid).unwrap_or(NO_UID));
        Ok((id, text, External { class: self.needed(section, "type")?, path: self.needed(section, "path")?, uid }))
    }

    /// The properties of a section that can be read, and the errors of all others.
    fn properties<'s>(&self, names: &Names, section: &'s Section<'_>) -> Result<Properties<'s>, Broken> {
        section.broken.clone().map_or(Ok(()), Err)?;
        match section.tag {
            b"node" => drop(self.needed(section, "name")?),
            b"sub_resource" => drop(self.needed(section, "id")?),
            _ => {}
        }
        section.fields.iter().try_for_each(|part| self.value(section, part).map(drop))?;
        let mut properties = Properties::default();
        for part in &section.properties {
            match self.value(section, part) {
                Ok(mut value) => {
                    names.portable(&mut value);
                    properties.read.push((part, value));
                }
                Err(error) => properties.broken.push((part, error)),
            }
        }
        Ok(properties)
    }

    /// The bytes of the value that a section is, and its properties that cannot be read.
    fn bytes<'s>(&self, names: &Names, section: &'s Section<'_>) -> Result<(Vec<u8>, Vec<Unread<'s>>), Broken> {
        let Properties { read, broken } = self.properties(names, section)?;
        Ok((self.encoded(read.iter()).map_err(|error| self.broken(section, error))?, broken))
    }

    /// The bytes of properties as one value.
    fn encoded<'p>(
        &self,
        properties: impl Iterator<Item = &'p (&'p Part<'p>, Variant<'static>)>,
    ) -> Result<Vec<u8>, EncodeError> {
        let entries = properties.map(|(part, value)| (Variant::String(part.name.to_vec().into()), value.clone()));
        encode_with(&Dictionary::new(entries).into(), &self.options())
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
                ("flags", number(&section, "flags", PERSIST.into())?),
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
        Some(all.and_then(|list| self.encoded_list(list)))
    }

    fn encoded_list(&self, list: Vec<Variant<'static>>) -> Result<Vec<u8>, Broken> {
        encode_with(&Array::new(list).into(), &self.options()).map_err(|error| (ContainerError::malformed(error), 0))
    }

    /// The changes of the text that give a section these properties, and the bytes that it then has: a reference by its id becomes one
    /// by its path.
    fn section_edits(
        &self,
        names: &Names,
        (section, address): (&Section<'_>, &Address),
        bytes: &[u8],
        repairs: &[Repair<'_>],
    ) -> Result<(Vec<Edit>, Vec<u8>), ContainerError> {
        let expected = || refused("expected properties by their names, each once");
        let Properties { read: mut before, broken } = self.properties(names, section).map_err(|(error, _)| error)?;
        before.retain(|(part, _)| !repairs.iter().any(|(name, _)| **name == *part.name));
        let mut new = decode_with(bytes, &self.options()).map_err(ContainerError::malformed)?.into_owned();
        names.portable(&mut new);
        let encoded = |value: &Variant<'_>| encode_with(value, &self.options()).map_err(ContainerError::malformed);
        let bytes = encoded(&new)?;
        let Variant::Dictionary(Dictionary { types: None, entries }) = new else { return Err(expected()) };
        let keys =
            || entries.iter().map(|entry| entry.key.as_bytes().filter(|_| matches!(entry.key, Variant::String(_))));
        let old = || before.iter().map(|(part, _)| &*part.name);
        let is_alike = keys().eq(old().map(Some));
        let places: HashMap<&[u8], usize> = old().zip(0..).collect();
        let wanted = keys().collect::<Option<HashSet<_>>>().ok_or_else(expected)?;
        if !is_alike && (places.len() < before.len() || wanted.len() < entries.len()) {
            return Err(expected());
        }
        if let Some((part, (error, _))) = broken.into_iter().find(|(part, _)| wanted.contains(&*part.name)) {
            let address = address.clone().with_property(Some(&part.name));
            return Err(ContainerError::Malformed(format!("{error}; the address {address} replaces its text")));
        }
        if let Some((name, _)) = repairs.iter().find(|(name, _)| wanted.contains(name.as_bytes())) {
            return Err(ContainerError::ChangedTwice(address.clone().with_property(Some(name)).to_string()));
        }
        // what is added comes after the line with the offset `place`
        let (mut edits, mut next, mut place) = (Vec::new(), 0usize, section.head);
        let remove = |edits: &mut Vec<Edit>, from: usize, to: usize| {
            for (part, _) in before.get(from..to).unwrap_or_default() {
                edits.push((self.file.removed(part.start, &part.value), String::new()));
            }
        };
        for Entry { key, mut value } in entries.iter().cloned() {
            let key = key.as_bytes().unwrap_or_default();
            let found = if is_alike { Some(next) } else { places.get(key).copied() };
            let part = found.and_then(|found| Some((found, before.get(found)?)));
            let Some((number, (part, before))) = part else {
                let name = key.to_str().map_err(|_| expected())?;
                let gone = before.get(next).filter(|(part, _)| !wanted.contains(&*part.name));
                if let Some((part, before)) = gone
                    && encoded(before)? == encoded(&value)?
                {
                    edits.push((part.start..part.end, key_text("-", name).into_owned()));
                    (next, place) = (next.saturating_add(1), part.value.end);
                    continue;
                }
                names.native(&mut value, section.start)?;
                let text = self.file.text(&value, b"").map_err(|error| named(error, &name))?;
                let (line, ending) = (format!("{} = {text}", key_text("-", name)), self.file.ending());
                let place = self.file.next_line(place);
                let is_last = place == self.file.text.len() && !self.file.text.ends_with(b"\n");
                let line = if is_last { format!("{ending}{line}") } else { format!("{line}{ending}") };
                edits.push((place..place, line));
                continue;
            };
            if number < next {
                return Err(refused("the properties have another order"));
            }
            remove(&mut edits, next, number);
            (next, place) = (number.saturating_add(1), part.value.end);
            if encoded(before)? != encoded(&value)? {
                names.native(&mut value, section.start)?;
                let old = self.file.text.get(part.value.clone()).unwrap_or_default();
                let text = self.file.text(&value, old).map_err(|error| named(error, &part.name.as_bstr()))?;
                edits.push((part.value.clone(), text + self.gap(part)));
            }
        }
        remove(&mut edits, next, before.len());
        Ok((edits, bytes))
    }

    /// The space that a new value needs after it.
    fn gap(&self, part: &Part<'_>) -> &'static str {
        let next = self.file.text.get(part.value.end);
        if next.is_some_and(|byte| *byte > b' ' && !b",]}):;".contains(byte)) {
            " "
        } else {
            ""
        }
    }

    /// The changes of the text that repair properties, or take that back.
    fn repair_edits(
        &self,
        names: &Names,
        (section, address): (&Section<'_>, &Address),
        repairs: &mut [Repair<'_>],
    ) -> Result<Splices, ContainerError> {
        let mut edits = Vec::new();
        for (name, new) in repairs {
            let address = || address.clone().with_property(Some(name)).to_string();
            let mut found = section.properties.iter().filter(|part| *part.name == **name);
            let part = match (found.next(), found.next()) {
                (Some(part), None) => part,
                (None, _) => return Err(ContainerError::NoSuchValue(address())),
                _ => return Err(refused(format!("{} names several properties, which are not changed", address()))),
            };
            let text = match new {
                New::Text(text) => text.to_vec(),
                New::Value(_) if !self.is_certain(part) => return Err(uncertain(&address())),
                New::Value(bytes) => {
                    let mut value =
                        decode_with(bytes, &self.options()).map_err(ContainerError::malformed)?.into_owned();
                    names.portable(&mut value);
                    let portable = encode_with(&value, &self.options()).map_err(ContainerError::malformed)?;
                    names.native(&mut value, section.start)?;
                    *bytes = portable;
                    self.file.text(&value, b"")?.into_bytes()
                }
            };
            edits.push((part.value.clone(), text));
        }
        Ok(edits)
    }

    /// True if it is certain where the text of a property ends that cannot be read.
    fn is_certain(&self, part: &Part<'_>) -> bool {
        self.gap(part).is_empty() && !hides_parts(self.file.text.get(part.value.clone()).unwrap_or_default())
    }

    /// True if a section has these bytes after a change, and these properties are repaired. `None` if it cannot be read.
    fn is_as_changed(
        &self,
        names: &Names,
        (old, new): (&Section<'_>, (&TextResource, &Section<'_>)),
        bytes: Option<&Vec<u8>>,
        repairs: &[Repair<'_>],
    ) -> Option<bool> {
        let (after, new) = new;
        let (before, now) = (self.properties(names, old).ok()?, after.properties(names, new).ok()?);
        let is_other = |part: &Part<'_>| !repairs.iter().any(|(name, _)| **name == *part.name);
        let others =
            |properties: &Properties<'_>| self.encoded(properties.read.iter().filter(|(part, _)| is_other(part))).ok();
        let texts = |file: &ConfigFile, properties: &Properties<'_>| {
            let text = |part: &Part<'_>| file.text.get(part.value.clone()).map(<[u8]>::to_vec);
            let broken = properties.broken.iter().filter(|(part, _)| is_other(part));
            broken.map(|(part, _)| text(part)).collect::<Vec<_>>()
        };
        let is_made = |(name, made): &Repair<'_>| match made {
            New::Text(text) => {
                let mut part = new.properties.iter().filter(|part| *part.name == **name);
                part.next().is_some_and(|part| after.file.text.get(part.value.clone()) == Some(*text))
            }
            New::Value(bytes) => {
                let value = now.read.iter().find(|(part, _)| *part.name == **name);
                value.is_some_and(|(_, value)| encode_with(value, &self.options()).is_ok_and(|now| now == *bytes))
            }
        };
        let expected = bytes.cloned().or_else(|| others(&before))?;
        let is_same = others(&now)? == expected && texts(&self.file, &before) == texts(&after.file, &now);
        Some(is_same && repairs.iter().all(is_made))
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
            let uid = |number| if number == NO_UID { ByteString::default() } else { text_of(number).into() };
            let fields = [
                ("type", old.class.clone(), new.class),
                ("path", old.path.clone(), new.path),
                ("uid", uid(old.uid), uid(new.uid)),
            ];
            for (name, _, new) in fields.into_iter().filter(|(_, old, new)| old != new) {
                let field = section.fields.iter().rfind(|part| *part.name == *name.as_bytes());
                let is_none = name == "uid" && new.is_empty();
                let text = self.file.text(&Variant::String(new), b"")?;
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
    fn comes_back(
        &self,
        names: &Names,
        after: &TextResource,
        edited: &HashMap<usize, (Option<Vec<u8>>, Vec<Repair<'_>>)>,
        (list, connections): (Option<&[u8]>, Option<&[u8]>),
        removed: &[(usize, Address)],
    ) -> bool {
        let is_kept = |section: &Section<'_>| connections.is_none() || section.tag != b"connection";
        let is_there = |section: &Section<'_>| !removed.iter().any(|(start, _)| *start == section.start);
        let mut before = self.sections().filter(|section| is_kept(section) && is_there(section));
        let mut sections = after.sections().filter(is_kept);
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
                    Some((bytes, repairs)) => {
                        self.is_as_changed(names, (&old, (after, &new)), bytes.as_ref(), repairs) == Some(true)
                    }
                    None => are_same(&old.properties, &new.properties) && old.broken.is_some() == new.broken.is_some(),
                };
                is_kept && holds && old.tag == new.tag
            })
        });
        let lists = |bytes: &&[u8]| {
            after.names().is_ok_and(|names| after.external_bytes(&names).is_ok_and(|list| list == **bytes))
        };
        let has_connections = |bytes: &&[u8]| {
            let found = after.names().ok().and_then(|names| after.connections(&names));
            found.unwrap_or_else(|| self.encoded_list(Vec::new())).is_ok_and(|found| found == **bytes)
        };
        let has_lists = list.as_ref().is_none_or(lists) && connections.as_ref().is_none_or(has_connections);
        all && sections.next().is_none() && has_lists
    }
}

/// The memory that the names of a resource take, in bytes.
const NAMED: usize = 512;

impl Container for TextResource {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let (names, repeated) = (self.names()?, self.repeated());
        let mut give = |address: Address, bytes: Result<Vec<u8>, Broken>, members, line: Option<usize>, unread| {
            let broken_at = bytes.as_ref().err().map(|(_, offset)| to_u64(*offset));
            let value = Embedded::new(address, self.file.formats(), bytes.map_err(|(error, _)| error));
            let value = value.with_members(members).with_stored(line.map(|line| format!("line {line}")));
            each(Embedded { broken_at, unread, ..value }).is_break()
        };
        for (number, (section, address)) in self.listed().enumerate() {
            let members = self.members(&names, &section, &address);
            let (address, line) = (address.earlier(repeated.earlier(number)), Some(section.line.number));
            let (bytes, broken) = match self.bytes(&names, &section) {
                Ok((bytes, broken)) => (Ok(bytes), broken),
                Err(error) => (Err(error), Vec::new()),
            };
            if give(address.clone(), bytes, members, line, None) {
                return Ok(());
            }
            for (part, error) in broken {
                let address = address.clone().with_property(Some(&part.name));
                let members = vec![("node", json!(address.to_string()))];
                let unread = self.file.text.get(part.value.clone()).filter(|_| self.is_certain(part));
                if give(address, Err(error), members, line, unread.map(Cow::Borrowed)) {
                    return Ok(());
                }
            }
        }
        let mut list = |text, bytes| give(sign(text), bytes, vec![("node", json!(text))], None, None);
        let has_external = !names.external.is_empty() || names.broken.is_some();
        if has_external && list(":ext", self.external_bytes(&names)) {
            return Ok(());
        }
        self.connections(&names).map(|bytes| list(":connections", bytes));
        Ok(())
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let (mut texts, changes) = texts_apart(changes)?;
        let Arranged { values: changes, first, last } = Arranged::new(self, &changes)?;
        if changes.is_empty() && texts.is_empty() && first.is_empty() && last.is_empty() {
            return within(self.file.text.clone(), self.file.max_memory);
        }
        let (names, repeated) = (self.names()?, self.repeated());
        let (mut edits, mut edited, mut count, mut made) = (Vec::new(), HashMap::new(), 0usize, 0usize);
        let mut removed = Vec::new();
        for (number, (section, address)) in self.listed().enumerate() {
            let address = address.earlier(repeated.earlier(number));
            let broken = self.properties(&names, &section).map_or_else(|_| Vec::new(), |properties| properties.broken);
            let bytes = match changes.get(&count) {
                Some(None) => {
                    removed.push((section.start, address.clone()));
                    None
                }
                bytes => bytes.copied().flatten(),
            };
            count = count.saturating_add(1);
            let mut repairs: Vec<Repair<'_>> = Vec::new();
            for (part, _) in broken {
                if let Some(Some(bytes)) = changes.get(&count) {
                    repairs.push((part.name.to_vec().into(), New::Value(bytes.to_vec())));
                }
                count = count.saturating_add(1);
            }
            made = made.saturating_add(repairs.len()).saturating_add(usize::from(bytes.is_some()));
            texts.retain(|_, (of, text)| {
                let is_here = of.property().is_some() && of.clone().with_property(None) == address;
                let name = of.property().filter(|_| is_here).map(|name| name.to_vec().into());
                repairs.extend(name.map(|name| (name, New::Text(text))));
                !is_here
            });
            if bytes.is_none() && repairs.is_empty() {
                continue;
            }
            let (made, bytes) = match bytes {
                Some(bytes) => {
                    let (made, bytes) = self.section_edits(&names, (&section, &address), bytes, &repairs)?;
                    (made, Some(bytes))
                }
                None => (Vec::new(), None),
            };
            edits.extend(made.into_iter().map(|(range, text)| (range, text.into_bytes())));
            edits.extend(self.repair_edits(&names, (&section, &address), &mut repairs)?);
            edited.insert(section.start, (bytes, repairs));
        }
        if let Some((address, _)) = texts.pop_first() {
            return Err(ContainerError::NoSuchValue(address));
        }
        made = made.saturating_add(removed.len());
        if removed.iter().any(|(start, _)| edited.contains_key(start)) {
            return Err(refused("a node that is removed has other changes"));
        }
        let (nodes, paths) = self.node_edits(&names, &removed)?;
        edits.extend(nodes);
        let has_external = !names.external.is_empty() || names.broken.is_some();
        let list = changes.get(&count).copied().flatten().filter(|_| has_external);
        if let Some(bytes) = list {
            made = made.saturating_add(1);
            let made = self.external_edits(&names, bytes)?;
            edits.extend(made.into_iter().map(|(range, text)| (range, text.into_bytes())));
        }
        count = count.saturating_add(usize::from(has_external));
        let connections = match (changes.get(&count), &first[..], &last[..]) {
            (Some(Some(bytes)), [], []) => Some(*bytes),
            (None, [], [Addition { address, bytes, .. }]) if **address == sign(":connections") => Some(*bytes),
            (None, [], []) => None,
            (Some(None), ..) => return Err(refused("give :connections the list [] to remove all")),
            _ => return Err(refused("only connections can be added, as the list :connections")),
        };
        let connections = match connections {
            Some(bytes) => {
                made = made.saturating_add(usize::from(last.is_empty()));
                let (made, bytes) = self.connection_edits(&names, bytes)?;
                edits.extend(made);
                Some(bytes)
            }
            None => None,
        };
        if made < changes.len() {
            return Err(refused("only nodes can be removed"));
        }
        let changed = self.file.spliced(edits)?;
        let after = TextResource::new(changed, self.file.max_memory.saturating_mul(2));
        after.is_not_named(&paths, &removed)?;
        match self.comes_back(&names, &after, &edited, (list, connections.as_deref()), &removed) {
            true => Ok(after.file.text),
            false => Err(refused("the change would not be read as it is, or would change another value")),
        }
    }

    fn format(&self) -> Option<&'static str> {
        self.file.formats().first().copied()
    }

    /// References to resources that the file does not name, which engines refuse; numbers that they read as others.
    fn warnings(&self) -> Vec<String> {
        let mut all = Vec::new();
        let Ok(names) = self.names() else { return all };
        for section in self.sections().filter(|section| section.broken.is_none()) {
            for part in section.fields.iter().chain(&section.properties) {
                let place = |offset| section.line.place(&self.file.text, section.start, offset);
                all.extend(self.file.other_numbers(&part.value, place));
                let text = self.file.text.get(part.value.clone()).filter(|text| has(text, b"Resource("));
                let Some(Ok(mut value)) = text.map(|_| self.value(&section, part)) else { continue };
                // nothing is refused
                let _ = visit(&mut value, &mut |found| {
                    let named = match found {
                        Found::Object(object) => reference(object),
                        Found::Type(ContainerType::Script(script)) => script_reference(script),
                        Found::Type(_) => None,
                    };
                    if let Some((class, id)) = named.filter(|(class, id)| !names.has(class, id)) {
                        let place = section.line.place(&self.file.text, section.start, part.value.start);
                        all.push(format!("{class}({id:?}) is not a resource that the file names, {place}"));
                    }
                    Ok(())
                });
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Pattern;
    use enginewire::budget::DEFAULT;
    use pretty_assertions::assert_eq;

    fn open(text: &str) -> TextResource {
        TextResource::new(text.as_bytes().to_vec(), DEFAULT)
    }

    /// Each value as its address, and its notation or its error.
    fn listed(text: &str) -> Vec<String> {
        let file = open(text);
        let notation = |bytes: &[u8]| decode_with(bytes, &file.options()).unwrap().to_gdscript(file.file.version());
        let mut all = Vec::new();
        let end = file.values(&mut |value| {
            let shown = match &value.bytes {
                Ok(bytes) => notation(bytes),
                Err(error) => format!("{error}; {:#x}", value.broken_at.unwrap()),
            };
            all.push(format!("{} {shown}", value.address));
            ControlFlow::Continue(())
        });
        all.extend(end.err().map(|error| format!("the file: {error}")));
        all
    }

    /// The text after the values with these addresses become others, which are given in GDScript.
    fn changed(text: &str, changes: &[(&str, &str)]) -> Result<String, String> {
        let file = open(text);
        let options = Options::new(file.file.version());
        let of = |(address, value): &(&str, &str)| {
            let value = Variant::from_gdscript(value, None, &options).unwrap();
            let address = Pattern::parse(Syntax::Nodes, address).unwrap().address().unwrap();
            (address, encode_with(&value, &options).unwrap())
        };
        let new: Vec<_> = changes.iter().map(of).collect();
        let new: Vec<_> = new.iter().map(|(address, bytes)| ValueChange::Replace { address, bytes }).collect();
        let changed = file.changed(&new).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(changed).unwrap())
    }

    const SCENE: &str = r#"[gd_scene load_steps=3 format=3 uid="uid://c"]

[ext_resource type="Script" uid="uid://ba" path="res://a.gd" id="1_a"]
[ext_resource type="Texture2D" path="res://t.png" id="2_t"]

[sub_resource type="Gradient" id="G_1"]
offsets = PackedFloat32Array(0, 1)

[node name="Main" type="Node2D"] ; the root
script = ExtResource("1_a")
; before hp
hp   =   10 ; points
"a b" = {
"k": [SubResource("G_1"), Resource("res://x.tres")]
}

[node name="B.1" type="Node" parent="." groups=["g"]]
text = "two
[node name="

[node name="C" parent="B.1" instance=ExtResource("2_t")]
[connection signal="hit" from="." to="B.1" method="f"]
[editable path="B.1/C"]
"#;

    #[test]
    fn nodes_and_resources_are_dictionaries() {
        assert_eq!(
            listed(SCENE),
            [
                r#":root { "script": Object(ExtResource, "path": "res://a.gd"), "hp": 10, "a b": { "k": [Object(SubResource, "path": "local://G_1"), Object(Resource, "resource_path": "res://x.tres")] } }"#,
                r#""B.1" { "text": "two\n[node name=" }"#,
                r#""B.1"/C {}"#,
                r#":sub.G_1 { "offsets": PackedFloat32Array(0, 1) }"#,
                r#":ext [{ "class": "Script", "path": "res://a.gd", "uid": "uid://ba" }, { "class": "Texture2D", "path": "res://t.png", "uid": "" }]"#,
                r#":connections [{ "from": ".", "signal": "hit", "to": "B.1", "method": "f", "flags": 2, "binds": [], "unbinds": 0 }]"#,
            ]
        );
        let members = open(SCENE).list().unwrap();
        let given = |number: usize| members[number].about.given().to_vec();
        assert_eq!(given(0), [("node", json!(".")), ("class", json!("Node2D"))]);
        assert_eq!(given(1)[1..], [("class", json!("Node")), ("groups", json!(["g"]))]);
        assert_eq!(given(2)[1], ("instance", json!(r#"Object(ExtResource, "path": "res://t.png")"#)));
        assert_eq!(members[0].about.stored().as_deref(), Some("line 9"));
    }

    #[test]
    fn what_is_read() {
        for (text, expected) in [
            ("[gd_resource type=\"A\" format=3]\n[resource]\na=1 b = 2\r\n", &[":resource { \"a\": 1, \"b\": 2 }"][..]),
            ("; c\n [ gd_scene ; c\n format = 3 ]\n[node\nname=\"A\"]", &[":root {}"]),
            ("[gd_scene]\n[node name=\"A\"]\na = PoolIntArray( 1 )", &[":root { \"a\": PoolIntArray(1) }"]),
            (
                "[gd_scene format=2]\n[ext_resource path=\"p\" type=\"T\" id=7]\n[sub_resource type=\"S\" id=1]\n\
                 [node name=\"A\"]\na = [ ExtResource( 7 ), SubResource( 1 ), ExtResource( 8 ) ]",
                &[
                    ":root { \"a\": [Object(ExtResource, \"path\": \"p\"), Object(SubResource, \"path\": \"local://1\"), ExtResource(\"8\")] }",
                    ":sub.\"1\" {}",
                    ":ext [{ \"class\": \"T\", \"path\": \"p\", \"uid\": \"\" }]",
                ],
            ),
            (
                "[gd_resource format=3]\n[ext_resource type=\"Script\" path=\"res://a.gd\" id=\"1\"]\n[resource]\n\
                 a = Array[ExtResource(\"1\")]([])\nb = Dictionary[String, SubResource(\"x\")]({})\nc = Array[Gradient]([null])\n\
                 d = Resource(\"uid://a\", \"res://b\")",
                &[
                    ":resource { \"a\": Array[Resource(\"res://a.gd\")]([]), \"b\": Dictionary[String, Resource(\"local://x\")]({}), \
                     \"c\": Array[Gradient]([null]), \"d\": Object(Resource, \"resource_uid\": \"uid://a\", \"resource_path\": \"res://b\") }",
                    ":ext [{ \"class\": \"Script\", \"path\": \"res://a.gd\", \"uid\": \"\" }]",
                ],
            ),
            // two ids of one file: the second is not named by its path
            (
                "[gd_scene format=3]\n[ext_resource type=\"T\" path=\"p\" id=\"1\"]\n[ext_resource type=\"T\" path=\"p\" id=\"2\"]\n\
                 [node name=\"A\"]\na = ExtResource(\"1\")\nb = ExtResource(\"2\")",
                &[
                    ":root { \"a\": Object(ExtResource, \"path\": \"p\"), \"b\": ExtResource(\"2\") }",
                    ":ext [{ \"class\": \"T\", \"path\": \"p\", \"uid\": \"\" }, { \"class\": \"T\", \"path\": \"p\", \"uid\": \"\" }]",
                ],
            ),
            (
                "[gd_scene format=3]\n[node name=\"A\"]\na=1\n[node name=\"A\"]\na=2\n[node name=\"A\" parent=\"..\"]",
                &[":root[#0] { \"a\": 1 }", ":root { \"a\": 2 }", "\"..\"/A {}"],
            ),
            ("[gd_scene format=4]", &[]),
        ] {
            assert_eq!(listed(text), expected, "{text}");
        }
    }

    #[test]
    fn a_broken_value_does_not_hide_the_others() {
        let after = "[gd_scene format=3]\n[node name=\"A\"]\n";
        let end = "\n[node name=\"Z\" parent=\".\"]\nz = 1\n";
        let unknown = "expected a value of Godot 4 such as 17, \"text\", [1, 2] or Vector2(1, 2), found x";
        let open = "expected a value whose quotes and brackets are closed";
        for (text, error) in [
            ("a = x", format!(":root:a {unknown}, in line 3, column 5 (byte 0x28); 0x28")),
            (
                "a = [1,\n x]",
                ":root:a expected a value, found x, in line 4, column 2 (byte 0x2d); 0x2d"
                    .replace("expected a value", &unknown[..unknown.len() - 9]),
            ),
            ("a = [1, 2", format!(":root {open}, in line 3, column 5 (byte 0x28); 0x28")),
            ("a = Vector2(\"x, 2)\nb = 2", format!(":root {open}, in line 3, column 5 (byte 0x28); 0x28")),
            (
                "a b = 1",
                ":root expected the name of a property and `=`, in line 3, column 1 (byte 0x24); 0x24".to_owned(),
            ),
            (
                "\"a = 1\nb = \\",
                ":root expected the name of a property and `=`, in line 3, column 1 (byte 0x24); 0x24".to_owned(),
            ),
            ("a", ":root expected the name of a property and `=`, in line 3, column 1 (byte 0x24); 0x24".to_owned()),
        ] {
            let found = listed(&[after, text, end].concat());
            // the other properties of the node are given
            let node = error.starts_with(":root:a ").then(|| ":root {}".to_owned());
            let all: Vec<_> = node.into_iter().chain([error, "Z { \"z\": 1 }".to_owned()]).collect();
            assert_eq!(found, all, "{text}");
        }
        for (tag, error) in [
            ("[other a=1]\nb = 2", ":tag.other expected a tag such as node or sub_resource, found \"other\", in line 2, column 1 (byte 0x14); 0x14"),
            ("[node type=\"A\"]", ":tag.node expected name=… in the tag, in line 2, column 1 (byte 0x14); 0x14"),
            ("[node name=[1]]", ":tag.node expected a text as the name of the tag, in line 2, column 1 (byte 0x14); 0x14"),
            ("[node name=\"A\"", ":tag.node expected `]` at the end of a tag, or a name and `=`, in line 3, column 1 (byte 0x23); 0x23"),
            ("[node name=\"A\" x]", ":tag.node expected `]` at the end of a tag, or a name and `=`, in line 2, column 16 (byte 0x23); 0x23"),
            ("[sub_resource type=\"A\"]", ":tag.sub_resource expected id=… in the tag, in line 2, column 1 (byte 0x14); 0x14"),
            ("[editable]\na = 1", ":tag.editable expected a tag, because this one has no properties, in line 3, column 1 (byte 0x1f); 0x1f"),
            ("[ext_resource path=\"a\" id=1]", ":ext expected type=… in the tag, in line 2, column 1 (byte 0x14); 0x14"),
            ("[connection from=\".\"]", ":connections expected signal=… in the tag, in line 2, column 1 (byte 0x14); 0x14"),
            (
                "a = 1",
                ":tag.gd_scene expected a tag, because this one has no properties, in line 2, column 1 (byte 0x14); 0x14",
            ),
        ] {
            let found = listed(&["[gd_scene format=3]\n", tag, end].concat());
            let found: Vec<_> = found.iter().filter(|line| *line != "Z { \"z\": 1 }").collect();
            assert_eq!(found, [error], "{tag}");
        }
        for (text, error) in [
            ("[node name=\"A\"]", "the file: expected [gd_scene …] or [gd_resource …] as the first tag"),
            ("", "the file: expected [gd_scene …] or [gd_resource …] as the first tag"),
            ("[gd_scene format=5]", "the file: expected a format up to 4, found 5"),
            ("[gd_scene format=3 format=\"3\"]", "the file: expected a format up to 4, found \"3\""),
        ] {
            assert_eq!(listed(text), [error], "{text}");
        }
    }

    #[test]
    fn a_change_writes_the_value_alone() {
        let crlf = SCENE.replace('\n', "\r\n").replace("two\r\n", "two\n");
        let root = r#"{ "script": Object(ExtResource, "path": "res://a.gd"), "hp": 10, "a b": { "k": [Object(SubResource, "path": "local://G_1"), Object(Resource, "resource_path": "res://x.tres")] } }"#;
        let list = r#"[{ "class": "Script", "path": "res://a.gd", "uid": "uid://ba" }, { "class": "Texture2D", "path": "res://t.png", "uid": "" }]"#;
        for (address, new, old, text) in [
            (":root", root.replace("10", "11.5"), "=   10 ;", "=   11.5 ;"),
            (":root", root.replace("\"hp\": 10, ", ""), "hp   =   10 ; points\n", ""),
            (":root", root.replace("\"hp\"", "\"mp\""), "hp   = ", "mp   = "),
            (
                ":root",
                root.replace("\"hp\": 10", "\"hp\": 10, \"é\": [&\"n\"]"),
                "; points\n",
                "; points\n\"é\" = [&\"n\"]\n",
            ),
            (":root", root.replace("a.gd", "t.png"), "script = ExtResource(\"1_a\")", "script = ExtResource(\"2_t\")"),
            (
                ":root",
                root.replace("Object(Resource, \"resource_path\": \"res://x.tres\")", "ExtResource(\"2_t\")"),
                "Resource(\"res://x.tres\")",
                "ExtResource(\"2_t\")",
            ),
            (
                ":root",
                root.replace(
                    "\"resource_path\": \"res://x.tres\"",
                    "\"resource_uid\": \"uid://a\", \"resource_path\": \"b\"",
                ),
                "Resource(\"res://x.tres\")",
                "Resource(\"uid://a\", \"b\")",
            ),
            ("\"B.1\"", "{}".to_owned(), "text = \"two\n[node name=\"\n", ""),
            ("\"B.1\"", "{ \"text\": 1, \"more\": 2 }".to_owned(), "\"two\n[node name=\"\n", "1\nmore = 2\n"),
            ("\"B.1\"/C", "{ \"a\": 1, \"b\": 2 }".to_owned(), "\"2_t\")]\n", "\"2_t\")]\na = 1\nb = 2\n"),
            (":sub.G_1", "{ \"offsets\": PackedFloat32Array(0, 0.5) }".to_owned(), "(0, 1)", "(0, 0.5)"),
            (
                ":root",
                root.replace("{ \"k\": [", "{ \"k\": [{ \"n\": \"two\\n\" }, "),
                "[SubResource",
                "[{\n\"n\": \"two\n\"\n}, SubResource",
            ),
            (":ext", list.replace("a.gd", "b.gd"), "res://a.gd", "res://b.gd"),
            (":ext", list.replace("uid://ba", "uid://bb"), "uid://ba", "uid://bb"),
            (":ext", list.replace("uid://ba", ""), " uid=\"uid://ba\"", ""),
            (":ext", list.replace("\"\" }", "\"uid://a\" }"), "id=\"2_t\"", "id=\"2_t\" uid=\"uid://a\""),
        ] {
            assert!(SCENE.contains(old), "{old}");
            assert_eq!(changed(SCENE, &[(address, &new)]), Ok(SCENE.replacen(old, text, 1)), "{address} {new}");
            let [old, text] = [old, text].map(|text| text.replace('\n', "\r\n").replace("two\r\n", "two\n"));
            assert!(crlf.contains(&old), "{old}");
            assert_eq!(changed(&crlf, &[(address, &new)]), Ok(crlf.replacen(&old, &text, 1)), "{address} {new}");
        }
        let both = changed(SCENE, &[(":root", &root.replace("10", "1")), (":sub.G_1", "{}")]);
        assert_eq!(both, Ok(SCENE.replace("=   10", "=   1").replace("offsets = PackedFloat32Array(0, 1)\n", "")));
        assert_eq!(changed(SCENE, &[(":root", root)]), Ok(SCENE.to_owned()));
        // inside a value, where comments and spaces stay
        let inside = "[gd_resource format=3]\n[resource]\na = { ; c\n \"k\" : [1,2, {}, ] , &\"n\": Array [ int ] ( [ 3 ] ), [] : Dictionary[int, String]({4:\"x\",})}\n";
        let value =
            "{ \"a\": { \"k\": [1, 2, {}], &\"n\": Array[int]([3]), []: Dictionary[int, String]({ 4: \"x\" }) } }";
        for (old, new, text, with) in [
            ("2,", "-2.5,", "1,2,", "1,-2.5,"),
            ("[3]", "[4]", "[ 3 ]", "[ 4 ]"),
            ("\"x\"", "\"y\"", "\"x\"", "\"y\""),
            ("{}", "[]", "{}", "[]"),
            ("[3]", "[3, 4]", "Array [ int ] ( [ 3 ] )", "Array [ int ] ( [ 3, 4 ] )"),
            ("[1, 2, {}]", "null", "[1,2, {}, ]", "null"),
        ] {
            let changed = changed(inside, &[(":resource", &value.replace(old, new))]);
            assert_eq!(changed, Ok(inside.replace(text, with)), "{new}");
        }
        // without a line end
        let end = "[gd_scene format=2]\n[node name=\"A\"]\na = [  ]";
        assert_eq!(
            changed(end, &[(":root", "{ \"a\": [], \"b\": [1], \"c\": 2 }")]),
            Ok(format!("{end}\nb = [ 1 ]\nc = 2"))
        );
        // and beside a value that is broken
        let broken = "[gd_scene format=3]\n[node name=\"A\"]\na = [\n[node name=\"B\" parent=\".\"]\nb = 1\n[x y]";
        assert_eq!(changed(broken, &[("B", "{ \"b\": 2 }")]), Ok(broken.replace("b = 1", "b = 2")));
    }

    #[test]
    fn references_keep_their_form() {
        let v3 =
            "[gd_scene format=2]\n\n[ext_resource path=\"p\" type=\"T\" id=7]\n\n[sub_resource type=\"S\" id=1]\n\n\
                  [node name=\"A\"]\na = [ ExtResource( 7 ), SubResource( 1 ) ]\n";
        let [first, second] = ["Object(ExtResource, \"path\": \"p\")", "Object(SubResource, \"path\": \"local://1\")"];
        let new = format!("{{ \"a\": [{second}, {first}, 3, SubResource(\"1\")] }}");
        let expected =
            v3.replace("ExtResource( 7 ), SubResource( 1 )", "SubResource( 1 ), ExtResource( 7 ), 3, SubResource( 1 )");
        assert_eq!(changed(v3, &[(":root", &new)]), Ok(expected));
        let typed =
            "[gd_resource format=3]\n[ext_resource type=\"Script\" path=\"res://a.gd\" id=\"1_a\"]\n[resource]\n\
                     a = Array[ExtResource(\"1_a\")]([null])\n";
        let new = "{ \"a\": Array[Resource(\"res://a.gd\")]([]), \"b\": Array[Resource(\"res://b.gd\")]([]) }";
        let expected = format!("{}b = Array[Resource(\"res://b.gd\")]([])\n", typed.replace("null", ""));
        assert_eq!(changed(typed, &[(":resource", new)]), Ok(expected));
    }

    #[test]
    fn what_is_refused() {
        let missing =
            |found: &str| format!("expected the path of a resource that the file names before, found {found:?}");
        let twice = "[gd_scene format=3]\n[node name=\"A\"]\na = 1\na = 2\nb = 3\n";
        let order = "[gd_scene format=3]\n[sub_resource type=\"A\" id=\"a\"]\n[sub_resource type=\"A\" id=\"b\"]\n[node name=\"A\"][node name=\"B\" parent=\".\"]\n";
        let by_name = "expected properties by their names, each once";
        for (text, address, new, reason) in [
            (SCENE, ":connections", "[{}]", "expected a list of connections, each with signal, from, to and method"),
            (SCENE, ":ext", "[]", "a resource of another file can be changed, not added or removed"),
            (SCENE, ":ext", "{}", "expected the list of resources of other files"),
            (SCENE, ":sub.G_1", "{ \"a\": ExtResource(\"9\") }", &missing("9")),
            (SCENE, ":sub.G_1", "{ \"a\": Object(ExtResource, \"path\": \"no\") }", &missing("no")),
            (order, ":sub.a", "{ \"a\": SubResource(\"b\") }", &missing("local://b")),
            (order, ":sub.a", "{ \"a\": Object(SubResource) }", &missing("")),
            (SCENE, ":sub.G_1", "[]", by_name),
            (SCENE, ":sub.G_1", "{ 1: 2 }", by_name),
            (SCENE, ":sub.G_1", "{ &\"offsets\": 2 }", by_name),
            (SCENE, ":sub.G_1", "{ \"a\": 1, \"a\": 1 }", by_name),
            (SCENE, ":sub.G_1", "Dictionary[String, int]({})", by_name),
            (twice, ":root", "{ \"a\": 1, \"b\": 3 }", by_name),
            (SCENE, ":root", "{ \"hp\": 10, \"script\": 1 }", "the properties have another order"),
            (SCENE, ":sub.G_1", "{ \"a\": \"\\u0000\" }", "a: Godot 4 cannot read this value from a text"),
            (SCENE, "No", "{}", "the file has no value No"),
            (order, ":root", "{ \"a\": 1 }", "the change would not be read as it is, or would change another value"),
        ] {
            assert_eq!(changed(text, &[(address, new)]), Err(reason.to_owned()), "{address} {new}");
        }
        assert_eq!(
            changed(twice, &[(":root", "{ \"a\": 1, \"a\": 5, \"b\": 3 }")]),
            Ok(twice.replace("a = 2", "a = 5"))
        );
        let address = &sign(":sub.new");
        let add = ValueChange::Add(Addition { address, bytes: b"\x1b\0\0\0\0\0\0\0", about: &[], is_first: false });
        assert!(matches!(open(SCENE).changed(&[add]), Err(ContainerError::Refused(_))));
    }

    /// The text after properties that cannot be read get values, which are given in GDScript, or texts.
    fn repaired(text: &str, values: &[(&str, &str)], texts: &[(&str, &str)]) -> Result<String, String> {
        let file = open(text);
        let address = |text: &str| Pattern::parse(Syntax::Nodes, text).unwrap().address().unwrap();
        let bytes = |text: &str| {
            let value = Variant::from_gdscript(text, None, &Options::new(file.file.version())).unwrap();
            encode_with(&value, &file.options()).unwrap()
        };
        let values: Vec<_> = values.iter().map(|(of, value)| (address(of), bytes(value))).collect();
        let texts: Vec<_> = texts.iter().map(|(of, text)| (address(of), *text)).collect();
        let values = values.iter().map(|(address, bytes)| ValueChange::Replace { address, bytes });
        let texts = texts.iter().map(|(address, text)| ValueChange::Text { address, text: text.as_bytes() });
        let changed = file.changed(&values.chain(texts).collect::<Vec<_>>()).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(changed).unwrap())
    }

    #[test]
    fn what_cannot_be_read_is_replaced_and_comes_back() {
        let text = "[gd_scene format=3]\r\n[ext_resource type=\"T\" path=\"p\" id=\"1\"]\r\n[node name=\"A\"]\r\n\
                    a = Vector9( ; c\r\n 1) ; d\r\nb = 1\r\n\"c\" = x d = 'é'";
        let text = &text.replace("'é'", "y");
        let whole = "[gd_scene format=3]\r\n[ext_resource type=\"T\" path=\"p\" id=\"1\"]\r\n[node name=\"A\"]\r\n\
                     a = ExtResource(\"1\") ; d\r\nb = 1\r\n\"c\" = [] d = y";
        let values = [(":root:a", "Object(ExtResource, \"path\": \"p\")"), (":root:c", "[]")];
        assert_eq!(repaired(text, &values, &[]), Ok(whole.to_owned()));
        let unread = |value: &Embedded<'_>| Some(String::from_utf8(value.unread.clone()?.into_owned()).unwrap());
        let found: Vec<_> = open(text).list().unwrap().iter().filter_map(unread).collect();
        assert_eq!(found, ["Vector9( ; c\r\n 1)", "x", "y"]);
        assert_eq!(repaired(whole, &[], &[(":root:a", &found[0]), (":root:c", "x")]), Ok(text.clone()));
        // beside a change of other properties
        let both = repaired(text, &[(":root", "{ \"b\": 2 }"), (":root:d", "2")], &[]).unwrap();
        assert_eq!(both, text.replace("b = 1", "b = 2").replace("d = y", "d = 2"));
        assert_eq!(repaired(&both, &[(":root", "{ \"b\": 1 }")], &[(":root:d", "y")]), Ok(text.clone()));
        let twice = "[gd_scene format=3]\n[node name=\"A\"]\na = x\na = y\nb = 1";
        let hidden = "[gd_scene format=3]\n[node name=\"A\"]\na = F(\"x)\nb = 2\nc = \")";
        let would = "the change would not be read as it is, or would change another value";
        for (text, values, texts, reason) in [
            (twice, &[(":root:a", "1")][..], &[][..], ":root:a names several values, which are not changed"),
            (twice, &[], &[(":root:a", "x")], ":root:a names several properties, which are not changed"),
            (twice, &[], &[(":root:z", "x")], "the file has no value :root:z"),
            (twice, &[], &[("B:b", "x")], "the file has no value B:b"),
            (twice, &[], &[(":root", "x")], "the file has no value :root"),
            (twice, &[], &[(":root:b", "1\nc = 2")], would),
            (twice, &[], &[(":root:b", "(")], would),
            (twice, &[(":root", "{ \"b\": 2 }")], &[(":root:b", "x")], ":root:b is changed twice"),
            (
                hidden,
                &[(":root:a", "1")],
                &[],
                ":root:a cannot be read, and is not replaced: it is not certain where its text ends",
            ),
        ] {
            assert_eq!(repaired(text, values, texts), Err(reason.to_owned()), "{text} {values:?} {texts:?}");
        }
        for (text, repaired_text) in [
            ("a = 'x' ; c\nb = 1", "a = 7 ; c\nb = 1"),
            ("a = $B\n\n[node name=\"B\" parent=\".\"]", "a = 7\n\n[node name=\"B\" parent=\".\"]"),
            ("a =\nb = 1", "a =7\nb = 1"),
            ("a = \r\n\r\n[node name=\"B\" parent=\".\"]", "a = 7\r\n\r\n[node name=\"B\" parent=\".\"]"),
            ("a = ", "a = 7"),
        ] {
            let [text, expected] =
                [text, repaired_text].map(|text| format!("[gd_scene format=3]\n[node name=\"A\"]\n{text}"));
            assert_eq!(repaired(&text, &[(":root:a", "7")], &[]), Ok(expected), "{text}");
        }
        let later = "[gd_scene format=3]\n[node name=\"A\"]\na =\n[1]\nb =\n; c\n2";
        assert_eq!(listed(later), [":root { \"a\": [1], \"b\": 2 }"]);
        assert!(open(hidden).list().unwrap().iter().all(|value| value.unread.is_none()));
    }

    #[test]
    fn references_to_nothing_are_warnings() {
        assert_eq!(open(SCENE).warnings(), [""; 0]);
        let text = "[gd_scene format=3]\n[node name=\"A\" instance=ExtResource(\"9\")]\na = [SubResource(\"x\")]\n";
        let warnings = [
            "ExtResource(\"9\") is not a resource that the file names, in line 2, column 25 (byte 0x2c)",
            "SubResource(\"x\") is not a resource that the file names, in line 3, column 5 (byte 0x42)",
        ];
        assert_eq!(open(text).warnings(), warnings);
    }

    #[test]
    fn every_cut_gives_the_values_before_it() {
        let whole = listed(SCENE);
        for cut in (0..SCENE.len()).filter(|cut| SCENE.is_char_boundary(*cut)) {
            let found = listed(&SCENE[..cut]);
            if cut > SCENE.find("[node name=\"B.1\"").unwrap() {
                assert_eq!(found[0], whole[0], "{cut}");
            }
            assert!(found.len() <= whole.len() + 1, "{cut}: {found:?}");
        }
    }

    #[test]
    fn a_section_takes_no_more_memory_than_allowed() {
        let text = format!(
            "[gd_scene format=3]\n[node name=\"A\"]\na=[{}]\n[node name=\"B\" parent=\".\"]\nb=1",
            "0,".repeat(10_000)
        );
        let values = TextResource::new(text.into_bytes(), 1 << 20).list().unwrap();
        let error = values[0].bytes.as_ref().unwrap_err().to_string();
        assert_eq!(error, "the values below a tag may take more memory than the limit of 1048576 bytes");
        assert!(values[1].bytes.is_ok());
        let text = format!("[gd_scene format=3]\n{}", "[sub_resource id=1]\n".repeat(10_000));
        let error = TextResource::new(text.into_bytes(), 1 << 20).list().unwrap_err().to_string();
        assert_eq!(error, "the names of resources take more memory than the limit of 1048576 bytes");
    }
}
