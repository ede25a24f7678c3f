//! Conversion of resources and scenes between their binary form and their text.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;

use base64::prelude::{Engine, BASE64_STANDARD};
use bstr::ByteSlice;

use super::super::config::{string_end, ConfigFile, ITEM};
use super::super::scene_file::{EXT_RESOURCE, LOCAL, MEMORY, SUB_RESOURCE};
use super::{only, property, reference, refused, visit, Broken, Found, Names, Part, Section, TextResource, PERSIST};
use crate::containers::{within, Container, ContainerError};
use enginewire::godot::resource::{
    decode_with, encode_with, id_of, text_of, External, Internal, NamedNode, NewConnection, NewNode, Options,
    Reference, Resource, Scene, SceneBuilder, DOUBLE_REALS, NAMED_IDS, NO_UID, SCRIPT_CLASS,
};
use enginewire::godot::{Array, Dictionary, FullObject, Object, Property, Reals, Saved};
use enginewire::godot::{Variant, Version};
use enginewire::number::to_usize;
use enginewire::wire::{ByteString, IntoByteString};

/// A resource or scene in its other form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConvertedResource {
    /// The file.
    pub bytes: Vec<u8>,
    /// Differences between the two forms, as the engine itself makes them.
    pub warnings: Vec<String>,
}

/// The class of a scene.
const SCENE: &[u8] = b"PackedScene";

/// The newest version of the dictionary of a scene.
const NEWEST_SCENE: i64 = 3;

/// A PackedByteArray with more bytes is written in base64, and makes the format of the text 4.
const LONG: usize = 64;

/// The parts of a scene. A text has all of them.
const SCENE_PARTS: &str = "names variants node_count nodes node_ids conn_count conns node_paths id_paths editable_instances base_scene version";

/// The text of a binary resource or scene, in the form that the `ResourceSaver` of Godot 4.6.3 writes; of one of version 3, in that of
/// 3.2.3. The file and what is decoded of it may take `max_memory` bytes, and so may the text.
///
/// | part | text |
/// |---|---|
/// | resource of another file | the id `1_Script`: its place and class |
/// | resource in the file | the id is the name in its path; in version 3 its number |
/// | property `script` that is null | none, because [`text_to_resource`] adds it |
/// | dictionary | sorted by keys, like groups. A warning counts those that had another order, and the numbers that get the digits of 32 bits. Version 3 keeps both |
///
/// A text does not hold the byte order, the version of the engine, and the path of the main resource.
///
/// ```
/// use enginewire_files::godot::{resource_to_text, text_to_resource};
///
/// let scene = std::fs::read("../../fixtures/godot-files/v4/scn/inner.scn")?;
/// let text = resource_to_text(&scene, 1 << 20)?.bytes;
/// assert!(text.starts_with(b"[gd_scene format=3]\n\n[node name=\"Inner\" type=\"Node2D\" unique_id="));
/// let again = text_to_resource(&text, 1 << 20)?.bytes;
/// assert_eq!(resource_to_text(&again, 1 << 20)?.bytes, text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, or has something that a text cannot hold: a reference to a resource that is not before it, a resource with
/// the path of another file, reals of 64 bits, a part of a scene that is unknown. The error names its address.
///
/// Specification: `docs/spec/godot-files.md`, section Text resources.
pub fn resource_to_text(file: &[u8], max_memory: usize) -> Result<ConvertedResource, ContainerError> {
    if file.len().saturating_mul(MEMORY.saturating_add(1)) > max_memory {
        return Err(ContainerError::TooLarge { what: "the resource takes more memory than", limit: max_memory });
    }
    let file = decode_with(file, &Options::new().any_text(true)).map_err(ContainerError::malformed)?;
    let mut writer = TextWriter::new(&file, max_memory)?;
    writer.file()?;
    all_held(&writer.refusals)?;
    let (mut warnings, version) = (writer.warnings(), writer.version);
    let bytes = within(writer.out.into_bytes(), max_memory)?;
    if version == Version::V3 {
        // what its engines refuse
        warnings.extend(TextResource::new(bytes.clone(), max_memory).warnings());
    }
    Ok(ConvertedResource { bytes, warnings })
}

/// The most values that a message names.
const NAMED: usize = 20;

/// The first of these parts of a message; `None` if there are none.
fn listed(parts: &[String], separator: &str) -> Option<String> {
    let more = parts.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {more} more"));
    let all: Vec<_> = parts.iter().take(NAMED).map(String::as_str).chain(more.as_deref()).collect();
    (!all.is_empty()).then(|| all.join(separator))
}

/// An error with these reasons, if there are some.
fn all_held(refusals: &[String]) -> Result<(), ContainerError> {
    listed(refusals, "; ").map_or(Ok(()), |reasons| Err(refused(reasons)))
}

/// Counts of differences between a text of version 4 and the file.
#[derive(Debug, Default)]
struct Otherwise {
    /// The dictionaries and lists of groups that have another order.
    sorted: usize,
    /// The numbers that are read as others.
    rounded: usize,
}

/// A writer of a text.
#[derive(Debug)]
struct TextWriter<'r, 'a> {
    file: &'r Resource<'a>,
    version: Version,
    /// A text without content, which writes values.
    config: ConfigFile,
    /// The places of resources in the file by their paths.
    places: HashMap<&'r [u8], usize>,
    /// The places of resources of other files, and of those in the file without the main one, in the order of the text.
    orders: [Vec<usize>; 2],
    /// The numbers of those of other files in this order, by their places.
    numbers: Vec<usize>,
    /// The resources in the file that values may name: those before them.
    before: HashSet<usize>,
    /// True if the text has format 3, where engines of version 4 read bytes as numbers alone.
    is_compatible: bool,
    otherwise: Otherwise,
    /// Why values have no text, each with its address.
    refusals: Vec<String>,
    max_memory: usize,
    out: String,
}

/// A field of a tag: its name, and the text of its value if the tag has it.
type Field = (&'static str, Option<String>);

impl<'r, 'a> TextWriter<'r, 'a> {
    fn new(file: &'r Resource<'a>, max_memory: usize) -> Result<Self, ContainerError> {
        let version = if file.version > 3 { Version::V4 } else { Version::V3 };
        let (_, others) = file.internal.split_last().ok_or_else(|| refused("the file has no resource"))?;
        let mut places = HashMap::new();
        for (place, Internal { path, .. }) in others.iter().enumerate() {
            let name = path.strip_prefix(LOCAL).and_then(|name| name.to_str().ok()).unwrap_or_default();
            let is_number = || name.parse::<u32>().is_ok_and(|number| number.to_string() == name);
            if name.is_empty() || (version == Version::V3 && !is_number()) {
                return Err(refused(format!("a text cannot hold a resource in the file with the path {path:?}")));
            }
            if places.insert(path.as_bytes(), place).is_some() {
                return Err(refused(format!("two resources in the file have the path {path:?}")));
            }
        }
        let mut values = file.internal.iter().flat_map(|internal| &internal.object.properties);
        let orders = [(0..file.external.len()).collect(), (0..others.len()).collect()];
        let mut writer = TextWriter {
            file,
            version,
            config: ConfigFile::new(Vec::new(), max_memory).of_resource().of_version(version),
            places,
            orders,
            numbers: (1..=file.external.len()).collect(),
            before: HashSet::new(),
            is_compatible: values.all(|property| fits_format_3(&property.value)),
            otherwise: Otherwise::default(),
            refusals: Vec::new(),
            max_memory,
            out: String::new(),
        };
        if version == Version::V4 {
            writer.orders = writer.met();
            for (number, place) in (1..).zip(&writer.orders[0]) {
                writer.numbers.get_mut(*place).into_iter().for_each(|known| *known = number);
            }
        }
        Ok(writer)
    }

    /// The orders of a text of version 4. The engine looks into properties by their names, and meets resources of other files so. Those in
    /// the file are each after those that they need. What no value names is last.
    fn met(&self) -> [Vec<usize>; 2] {
        let main = self.file.internal.len().saturating_sub(1);
        let [mut external, mut internal] = [Vec::new(), Vec::new()];
        let mut known = HashSet::from([(true, main)]);
        let mut open = vec![(main, self.held(main))];
        while let Some((place, held)) = open.last_mut() {
            match held.pop() {
                None => {
                    internal.push(*place);
                    open.pop();
                }
                Some(found) if !known.insert(found) => {}
                Some((false, place)) => external.push(place),
                Some((true, place)) => open.push((place, self.held(place))),
            }
        }
        internal.pop();
        external.extend((0..self.file.external.len()).filter(|place| !known.contains(&(false, *place))));
        internal.extend((0..main).filter(|place| !known.contains(&(true, *place))));
        [external, internal]
    }

    /// The resources that one of the file names, the last first: whether each is in the file, and its place.
    fn held(&self, place: usize) -> Vec<(bool, usize)> {
        let object = self.file.internal.get(place).map(|internal| &internal.object);
        let mut properties: Vec<_> = object.iter().flat_map(|object| &object.properties).collect();
        properties.sort_by(|one, other| one.name.cmp(&other.name));
        let mut held = Vec::new();
        for property in properties {
            references(&property.value, &mut |reference| match reference {
                Reference::External(number) => held.push((false, to_usize(*number))),
                Reference::Internal(number) => held.extend(self.place(*number).map(|place| (true, place))),
                Reference::Path { .. } => {}
            });
        }
        let is_there = |(is_internal, place): &(bool, usize)| match is_internal {
            true => *place < self.file.internal.len(),
            false => *place < self.file.external.len(),
        };
        held.retain(is_there);
        held.reverse();
        held
    }

    /// The place of a resource in the file that a value names.
    fn place(&self, number: u32) -> Option<usize> {
        match self.file.flags & NAMED_IDS {
            0 => self.places.get(format!("{}{number}", LOCAL.as_bstr()).as_bytes()).copied(),
            _ => Some(to_usize(number)),
        }
    }

    fn warnings(&self) -> Vec<String> {
        let Otherwise { sorted, rounded } = self.otherwise;
        let order = "the engine sorts dictionaries and groups in a text; in another order before:";
        let digits = match self.version {
            Version::V3 => {
                "engines read some real numbers of a text only as their neighbours; values that are not exact:"
            }
            Version::V4 => {
                "the engine writes numbers that fit 32 bits with their digits, and 0 without a sign; not exact:"
            }
        };
        let all = [(order, sorted), (digits, rounded)].into_iter().filter(|(_, count)| *count > 0);
        all.map(|(what, count)| format!("{what} {count}")).collect()
    }

    /// The id of the resource of another file with this place.
    fn external(&self, place: usize) -> Option<Variant<'static>> {
        let class = self.file.external.get(place)?.class.to_str_lossy();
        let number = *self.numbers.get(place)?;
        Some(match self.version {
            Version::V3 => Variant::Int(i64::try_from(number).ok()?),
            Version::V4 => Variant::String(format!("{number}_{class}").into()),
        })
    }

    /// The id of the resource in the file with this place.
    fn internal(&self, place: usize) -> Option<Variant<'static>> {
        let name = self.file.internal.get(place)?.path.strip_prefix(LOCAL)?;
        Some(match self.version {
            Version::V3 => Variant::Int(name.to_str().ok()?.parse().ok()?),
            Version::V4 => Variant::String(name.to_vec().into()),
        })
    }

    /// Adds a part of the text.
    fn put(&mut self, text: &str) -> Result<(), ContainerError> {
        if self.out.len().saturating_add(text.len()) > self.max_memory {
            return Err(ContainerError::TooLarge { what: "the text is larger than", limit: self.max_memory });
        }
        self.out.push_str(text);
        Ok(())
    }

    /// Adds a line with a tag.
    fn tag(&mut self, name: &str, fields: impl IntoIterator<Item = Field>) -> Result<(), ContainerError> {
        let fields = fields.into_iter().filter_map(|(name, text)| Some(format!(" {name}={}", text?)));
        let fields: String = fields.collect();
        self.put(&format!("[{name}{fields}]\n"))
    }

    fn file(&mut self) -> Result<(), ContainerError> {
        let file = self.file;
        let Some((main, others)) = file.internal.split_last() else { return Ok(()) };
        let (is_scene, is_v3) = (*main.object.class == SCENE, self.version == Version::V3);
        let has_class = file.flags & SCRIPT_CLASS != 0;
        if is_scene && has_class {
            return Err(refused("a text cannot hold the class of the script of a scene"));
        }
        let script_class = has_class.then(|| self.quoted(&file.script_class)).transpose()?;
        let class = (!is_scene).then(|| self.quoted(&main.object.class)).transpose()?;
        let steps = file.external.len().saturating_add(file.internal.len());
        let format = match self.version {
            Version::V3 => "2",
            Version::V4 if self.is_compatible => "3",
            Version::V4 => "4",
        };
        let fields = [
            ("type", class),
            ("script_class", script_class),
            ("load_steps", (is_v3 && steps > 1).then(|| steps.to_string())),
            ("format", Some(format.to_owned())),
            ("uid", self.uid(file.uid)?),
        ];
        self.tag(if is_scene { "gd_scene" } else { "gd_resource" }, fields)?;
        self.put("\n")?;
        let [externals, internals] = self.orders.clone();
        for (place, external) in externals.into_iter().filter_map(|place| Some((place, file.external.get(place)?))) {
            let (class, path) = (self.quoted(&external.class)?, self.quoted(&external.path)?);
            let (class, path, uid) = (("type", Some(class)), ("path", Some(path)), ("uid", self.uid(external.uid)?));
            let id = ("id", Some(self.text(&self.external(place).unwrap_or_default(), EXT_RESOURCE)?));
            self.tag("ext_resource", if is_v3 { [path, class, uid, id] } else { [class, uid, path, id] })?;
        }
        self.put(if file.external.is_empty() { "" } else { "\n" })?;
        for (place, Internal { object, path }) in
            internals.into_iter().filter_map(|place| Some((place, others.get(place)?)))
        {
            let id = self.text(&self.internal(place).unwrap_or_default(), SUB_RESOURCE)?;
            self.tag("sub_resource", [("type", Some(self.quoted(&object.class)?)), ("id", Some(id))])?;
            self.properties(object, &format!(":sub.{}", path.strip_prefix(LOCAL).unwrap_or_default().as_bstr()))?;
            self.put("\n")?;
            self.before.insert(place);
        }
        if is_scene {
            return self.scene(&main.object);
        }
        self.tag("resource", [])?;
        self.properties(&main.object, ":resource")
    }

    /// The field of a unique id.
    fn uid(&self, number: u64) -> Result<Option<String>, ContainerError> {
        match i64::try_from(number) {
            _ if number == NO_UID || (self.version == Version::V3 && number == 0) => Ok(None),
            Ok(_) if self.version == Version::V4 => self.quoted(text_of(number).as_bytes()).map(Some),
            _ => Err(refused(format!("a text cannot hold the unique id {number:#x}"))),
        }
    }

    fn properties(&mut self, object: &FullObject<'_>, address: &str) -> Result<(), ContainerError> {
        for Property { name, value } in &object.properties {
            let is_none = self.version == Version::V4 && *name == "script" && *value == Variant::Null;
            if !is_none {
                self.assigned(name, value, address)?;
            }
        }
        Ok(())
    }

    /// A line with a name and its value.
    fn assigned(&mut self, name: &ByteString<'_>, value: &Variant<'_>, address: &str) -> Result<(), ContainerError> {
        let is_plain = name.iter().all(|byte| byte.is_ascii_graphic() && !b"=\";[]".contains(byte));
        let text = match name.to_str() {
            Ok("") | Err(_) => {
                return Err(refused(format!("{address}: a text cannot have a property with the name {name:?}")))
            }
            Ok(text) if is_plain => text.to_owned(),
            Ok(_) => self.text(&Variant::String(name.clone()), address)?,
        };
        let value = self.text(value, &format!("{address}: {name}"))?;
        self.put(&format!("{text} = {value}\n"))
    }

    /// A text in a tag.
    fn quoted(&self, text: &[u8]) -> Result<String, ContainerError> {
        let quoted = self.config.text(&Variant::String(text.to_vec().into()), b"");
        let quoted = quoted.map_err(|_| refused(format!("a text cannot hold the name {:?}", text.as_bstr())))?;
        Ok(quoted.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t"))
    }

    /// The text of a value, whose place is `what`.
    fn text(&mut self, value: &Variant<'_>, what: &str) -> Result<String, ContainerError> {
        let mut value = value.clone().into_owned();
        let written = visit(&mut value, &mut |found| match found {
            Found::Object(object) => self.named(object),
            Found::Type(_) => Ok(()),
        })
        .and_then(|()| {
            if self.version == Version::V4 {
                sort(&mut value, &mut self.otherwise.sorted);
            }
            if self.version == Version::V3 {
                return self.config.text(&value, b"").or_else(|_| {
                    let text = self.config.text_by_digits(&value)?;
                    self.otherwise.rounded = self.otherwise.rounded.saturating_add(1);
                    Ok(text)
                });
            }
            let text = self.config.text_by_digits(&value)?;
            Ok(as_engine(&text, self.is_compatible, &mut self.otherwise.rounded))
        });
        match written {
            Err(ContainerError::Refused(reason)) => {
                let is_double = self.file.flags & DOUBLE_REALS != 0;
                let reason = if is_double { "a text cannot hold reals of 64 bits" } else { &reason };
                self.refusals.push(format!("{what}: {reason}"));
                Ok(String::new())
            }
            written => written,
        }
    }

    /// Replaces a reference by a number with one by an id.
    fn named(&self, object: &mut Object<'static>) -> Result<(), ContainerError> {
        let Object::Resource(found) = &*object else { return Ok(()) };
        let (class, id) = match &**found {
            Reference::External(number) => (EXT_RESOURCE, self.external(to_usize(*number))),
            Reference::Internal(number) => {
                let place = self.place(*number).filter(|place| self.before.contains(place));
                (SUB_RESOURCE, place.and_then(|place| self.internal(place)))
            }
            Reference::Path { class, path } if class.is_empty() => {
                *object = Object::new("Resource", [property("resource_path", path.clone())]);
                return Ok(());
            }
            Reference::Path { class, .. } => {
                return Err(refused(format!("a text cannot hold the class {class} of a resource of another file")));
            }
        };
        *object = match (id, class) {
            (Some(Variant::String(id)), _) => Object::new(class, [property("id", id)]),
            (Some(Variant::Int(id)), EXT_RESOURCE) => Reference::External(u32::try_from(id).unwrap_or(u32::MAX)).into(),
            (Some(Variant::Int(id)), _) => Reference::Internal(u32::try_from(id).unwrap_or(u32::MAX)).into(),
            _ => {
                return Err(refused(format!("a text cannot name the {class} {found:?}, which is not before the value")))
            }
        };
        Ok(())
    }

    /// The nodes and connections of a scene.
    fn scene(&mut self, main: &FullObject<'a>) -> Result<(), ContainerError> {
        let scene = Scene::new(self.file).map_err(ContainerError::malformed)?;
        let is_known = |property: &&Property<'_>| {
            property.name == "_bundled" || (property.name == "script" && property.value == Variant::Null)
        };
        if let Some(property) = main.properties.iter().find(|property| !is_known(property)) {
            return Err(refused(format!("a text cannot hold the property {} of a scene", property.name)));
        }
        let bundled = main.properties.iter().find_map(|property| match &property.value {
            Variant::Dictionary(bundled) => Some(bundled),
            _ => None,
        });
        let Some(bundled) = bundled else { return Ok(()) };
        let is_part = |key: &[u8]| SCENE_PARTS.split(' ').any(|part| part.as_bytes() == key);
        if let Some(entry) = bundled.iter().find(|entry| !entry.key.as_bytes().is_some_and(is_part)) {
            return Err(refused(format!("a text cannot hold {:?} of a scene", entry.key)));
        }
        let number = |part: &str| match bundled.get(part) {
            Some(Variant::Int(number)) => Ok(Some(*number)),
            None => Ok(None),
            Some(_) => Err(refused(format!("expected a number as the {part} of the scene"))),
        };
        if number("version")?.is_some_and(|version| version > NEWEST_SCENE) || !scene.is_whole() {
            return Err(refused("the scene has parts that are not known"));
        }
        let base = number("base_scene")?.map(|base| match bundled.get("variants") {
            Some(Variant::Array(Array { elements, .. })) => {
                usize::try_from(base).ok().and_then(|base| elements.get(base))
            }
            _ => None,
        });
        let base = base.map(|base| base.ok_or_else(|| refused("the scene has no base scene"))).transpose()?;
        for (index, node) in scene.nodes().enumerate() {
            let node = node.map_err(ContainerError::malformed)?;
            let place = scene.place(index).map_err(ContainerError::malformed)?;
            let address = if node.path == "." { ":root" } else { &node.path };
            let is_owned = place.parent.is_some() && (node.class.is_some() || node.instance.is_some());
            if is_owned && place.owner.is_none() {
                return Err(refused(format!("{address}: a text cannot hold a node without an owner")));
            }
            if place.parent.is_none() && node.instance.is_some() {
                return Err(refused(format!("{address}: a text cannot hold a root that is an instance")));
            }
            let class = node.class.map(|class| self.quoted(class)).transpose()?;
            let [parent, parent_ids] = self.end(place.parent, address)?;
            // the nodes of the scene that this one inherits from have their root as owner anyway
            let is_usual =
                |(path, ids): &NamedNode<'_, '_>| path == "." && ids.is_none() && (is_owned || base.is_some());
            let [owner, owner_ids] = self.end(place.owner.filter(|owner| !is_usual(owner)), address)?;
            let held = node.properties.iter().filter(|property| property.is_node).map(|property| property.name.clone());
            let held: Vec<_> = held.collect();
            let held = (!held.is_empty()).then(|| self.text(&Variant::PackedStringArray(held), address)).transpose()?;
            let instance = node.instance.or(base.filter(|_| index == 0));
            let instance = instance.map(|instance| self.text(instance, address)).transpose()?;
            let (placeholder, instance) = if place.is_placeholder { (instance, None) } else { (None, instance) };
            let fields = [
                ("name", Some(self.quoted(place.name)?)),
                ("type", class),
                ("parent", parent),
                ("parent_id_path", parent_ids),
                ("owner", owner),
                ("owner_uid_path", owner_ids),
                ("index", place.index.map(|index| format!("\"{index}\""))),
                ("unique_id", (place.id != 0).then(|| place.id.to_string())),
                ("node_paths", held),
                ("groups", self.groups(&node.groups)?),
                ("instance_placeholder", placeholder),
                ("instance", instance),
            ];
            self.put(if index > 0 { "\n" } else { "" })?;
            self.tag("node", fields)?;
            for property in &node.properties {
                self.assigned(property.name, property.value, address)?;
            }
        }
        self.connections(&scene)?;
        let editable = match bundled.get("editable_instances") {
            Some(Variant::Array(editable)) => &*editable.elements,
            _ => &[],
        };
        for (number, path) in editable.iter().enumerate() {
            let path = match path {
                Variant::NodePath(path) if !path.absolute && path.subnames.is_empty() => bstr::join("/", &path.names),
                _ => return Err(refused(format!("a text cannot hold the instance {path:?} with changed children"))),
            };
            self.blank(number)?;
            self.tag("editable", [("path", Some(self.quoted(&path)?))])?;
        }
        Ok(())
    }

    /// Adds a blank line before the first tag of a kind.
    fn blank(&mut self, number: usize) -> Result<(), ContainerError> {
        self.put(if number == 0 && self.version == Version::V4 { "\n" } else { "" })
    }

    /// The texts of a node that another one names, and of the ids on the way to it.
    fn end(&mut self, node: Option<NamedNode<'_, '_>>, address: &str) -> Result<[Option<String>; 2], ContainerError> {
        let Some((path, ids)) = node else { return Ok([None, None]) };
        Ok([Some(self.quoted(path.as_bytes())?), ids.map(|ids| self.text(ids, address)).transpose()?])
    }

    /// The text of the names of groups.
    fn groups(&mut self, groups: &[&ByteString<'_>]) -> Result<Option<String>, ContainerError> {
        let mut sorted = groups.to_vec();
        if self.version == Version::V4 {
            sorted.sort();
            self.otherwise.sorted = self.otherwise.sorted.saturating_add(usize::from(sorted != groups));
        }
        let names = sorted.iter().map(|group| self.quoted(group)).collect::<Result<Vec<_>, _>>()?;
        Ok((!names.is_empty()).then(|| match self.version {
            Version::V3 => format!("[\n{},\n]", names.join(",\n")),
            Version::V4 => format!("[{}]", names.join(", ")),
        }))
    }

    fn connections(&mut self, scene: &Scene<'_, '_>) -> Result<(), ContainerError> {
        for (number, connection) in scene.connections().enumerate() {
            let found = connection.map_err(ContainerError::malformed)?;
            let binds = (!found.binds.is_empty()).then(|| Array::new(found.binds.into_iter().cloned()).into());
            let binds = binds.map(|binds| self.text(&binds, ":connections")).transpose()?;
            let fields = [
                ("signal", Some(self.quoted(found.signal)?)),
                ("from", Some(self.quoted(found.from.as_bytes())?)),
                ("to", Some(self.quoted(found.to.as_bytes())?)),
                ("method", Some(self.quoted(found.method)?)),
                ("flags", (found.flags != PERSIST).then(|| found.flags.to_string())),
                ("unbinds", (found.unbinds != 0).then(|| found.unbinds.to_string())),
                ("binds", binds.map(|binds| format!(" {binds}"))),
            ];
            self.blank(number)?;
            self.tag("connection", fields)?;
        }
        Ok(())
    }
}

/// Calls a function for each reference in a value, in their order.
fn references(value: &Variant<'_>, each: &mut impl FnMut(&Reference<'_>)) {
    match value {
        Variant::Object(Object::Resource(reference)) => each(reference),
        Variant::Array(array) => array.elements.iter().for_each(|element| references(element, each)),
        Variant::Dictionary(dictionary) => dictionary.iter().for_each(|entry| {
            references(&entry.key, each);
            references(&entry.value, each);
        }),
        _ => {}
    }
}

/// Returns false if engines write a value only in texts of format 4.
fn fits_format_3(value: &Variant<'_>) -> bool {
    match value {
        Variant::PackedByteArray(bytes) => bytes.len() <= LONG,
        Variant::PackedVector4Array(_) => false,
        Variant::Array(array) => array.elements.iter().all(fits_format_3),
        Variant::Dictionary(dictionary) => {
            dictionary.iter().all(|entry| fits_format_3(&entry.key) && fits_format_3(&entry.value))
        }
        _ => true,
    }
}

/// Sorts the dictionaries in a value by their keys, as the engine does in a text, and counts those that had another order.
fn sort(value: &mut Variant<'static>, sorted: &mut usize) {
    match value {
        Variant::Array(array) => array.elements.iter_mut().for_each(|element| sort(element, sorted)),
        Variant::Dictionary(Dictionary { entries, .. }) => {
            for entry in &mut *entries {
                sort(&mut entry.key, sorted);
                sort(&mut entry.value, sorted);
            }
            let all_are_texts = entries.iter().all(|entry| entry.key.as_bytes().is_some());
            let order = |one: &Variant<'_>, other: &Variant<'_>| match all_are_texts {
                true => one.as_bytes().cmp(&other.as_bytes()),
                false => in_order(one, other),
            };
            if !entries.is_sorted_by(|one, other| order(&one.key, &other.key) != Ordering::Greater) {
                entries.sort_by(|one, other| order(&one.key, &other.key));
                *sorted = sorted.saturating_add(1);
            }
        }
        _ => {}
    }
}

/// The order of two keys: by their types, and then by their numbers or texts. Others of one type keep their order.
fn in_order(one: &Variant<'_>, other: &Variant<'_>) -> Ordering {
    fn reals<const N: usize>(one: [f32; N], other: [f32; N]) -> Ordering {
        one.iter()
            .zip(&other)
            .map(|(one, other)| one.total_cmp(other))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
    let types = u8::from(one.type_id()).cmp(&u8::from(other.type_id()));
    types.then_with(|| match (one, other) {
        (Variant::Bool(one), Variant::Bool(other)) => one.cmp(other),
        (Variant::Int(one), Variant::Int(other)) => one.cmp(other),
        (Variant::Float(one), Variant::Float(other)) => one.total_cmp(other),
        (Variant::Vector2i(one), Variant::Vector2i(other)) => (one.x, one.y).cmp(&(other.x, other.y)),
        (Variant::Vector3i(one), Variant::Vector3i(other)) => (one.x, one.y, one.z).cmp(&(other.x, other.y, other.z)),
        (Variant::Vector2(Reals::Single(one)), Variant::Vector2(Reals::Single(other))) => {
            reals([one.x, one.y], [other.x, other.y])
        }
        (Variant::Vector3(Reals::Single(one)), Variant::Vector3(Reals::Single(other))) => {
            reals([one.x, one.y, one.z], [other.x, other.y, other.z])
        }
        (Variant::Array(one), Variant::Array(other)) => {
            let pairs = one.elements.iter().zip(&other.elements);
            let first = pairs.map(|(one, other)| in_order(one, other)).find(|order| order.is_ne());
            first.unwrap_or_else(|| one.elements.len().cmp(&other.elements.len()))
        }
        (one, other) => one.as_bytes().cmp(&other.as_bytes()),
    })
}

/// The text of a value with numbers and bytes as Godot 4.6.3 writes them. `rounded` counts the numbers that are read as others.
fn as_engine(text: &str, is_compatible: bool, rounded: &mut usize) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    // the constructors that are open, each with whether its numbers are reals of 32 bits
    let mut open: Vec<Option<bool>> = Vec::new();
    while let Some(first) = rest.chars().next() {
        let is_number = |text: &str| text.starts_with(|char: char| char.is_ascii_digit());
        let length = match first {
            '"' => string_end(rest.as_bytes(), 0).unwrap_or(rest.len()),
            'a'..='z' | 'A'..='Z' | '_' => {
                rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(rest.len())
            }
            '-' | '0'..='9' if is_number(rest.strip_prefix('-').unwrap_or(rest)) => {
                rest.find(|char: char| !char.is_ascii_digit() && !"+-.e".contains(char)).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let Some((part, after)) = rest.split_at_checked(length) else { break };
        rest = after;
        match first {
            // names and the texts of arrays are in one line
            '"' if out.ends_with('&') || open.last().is_some_and(Option::is_some) => {
                out.push_str(&part.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t"));
            }
            '"' => out.push_str(part),
            'a'..='z' | 'A'..='Z' | '_' => match (part, is_compatible) {
                ("inf_neg", false) => out.push_str("-inf"),
                ("PackedByteArray", false) => {
                    let (numbers, after) =
                        after.strip_prefix('(').and_then(|after| after.split_once(')')).unwrap_or(("", after));
                    let bytes: Vec<u8> = numbers.split(", ").filter_map(|byte| byte.parse().ok()).collect();
                    let base64 = if bytes.is_empty() {
                        String::new()
                    } else {
                        format!("\"{}\"", BASE64_STANDARD.encode(&bytes))
                    };
                    out.push_str(&format!("PackedByteArray({base64})"));
                    rest = after;
                }
                _ => out.push_str(part),
            },
            '-' if after.starts_with("inf") && is_compatible => {
                out.push_str("inf_neg");
                rest = after.strip_prefix("inf").unwrap_or(after);
            }
            _ if length > 1 || first.is_ascii_digit() => {
                let inside = open.last().copied().flatten();
                let is_real = part.contains(['.', 'e']) || inside == Some(true);
                match part.parse::<f64>() {
                    Ok(number) if is_real => out.push_str(&engine_number(number, inside, rounded)),
                    _ => out.push_str(part),
                }
            }
            '(' | '[' | '{' => {
                let name = out.rsplit(|char: char| !char.is_ascii_alphanumeric()).next().unwrap_or_default();
                // an Array[…](…) and a Dictionary[…](…) have no name before their bracket
                let is_single =
                    !["PackedFloat64Array", "PackedInt64Array", "RID"].contains(&name) && !name.contains("Int32");
                let is_single = is_single && !name.ends_with('i') && name != "PackedByteArray";
                open.push((first == '(' && !name.is_empty()).then_some(is_single));
                out.push(first);
            }
            ')' | ']' | '}' => {
                open.pop();
                out.push(first);
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// The digits of a number. The engine multiplies a number by a power of ten, and rounds the product (Grisu2). That decides where the number is
/// halfway between two texts: from 2^16 on 10^-4, from 2^42 on 10^-12. Below, a number of 32 bits has an exact product.
fn nearest(number: f64, digits: &str) -> String {
    let exact = format!("{:.1$e}", number, digits.len().saturating_add(HALF.len())).replace('.', "");
    let (below, half) = exact.split_at_checked(digits.len()).unwrap_or_default();
    let bits = number.to_bits();
    let (fraction, exponent) = ((1 << 63) | (bits << 11 & (u64::MAX >> 1)), (bits >> 52) & 0x7ff);
    let power = match exponent {
        1039..1065 => 10_000,
        1065..1092 => 1_000_000_000_000_u64,
        _ => return digits.to_owned(),
    };
    // the inverse of the power in 64 bits, rounded, and the product with it, rounded
    let one = 1_u128 << 64_u32.saturating_add(power.ilog2());
    let inverse = one.saturating_add(u128::from(power >> 1)).checked_div(power.into()).unwrap_or_default();
    let product = u128::from(fraction).saturating_mul(inverse);
    let rounded = product.wrapping_add(1 << 63) >> 64;
    let of_product = (rounded << 64).wrapping_sub(product).cast_signed().saturating_mul(power.into());
    let of_inverse =
        one.wrapping_sub(inverse.saturating_mul(power.into())).cast_signed().saturating_mul(fraction.into());
    if half.starts_with(HALF) && of_product < of_inverse { below } else { digits }.to_owned()
}

/// The digits after those of a number that is halfway.
const HALF: &str = "50000000000000000000";

/// A real number in the form that the engine writes: with the digits of 32 bits if it fits them, and 0 without its sign. `inside` is
/// true in constructors of reals of 32 bits, and `None` outside constructors.
fn engine_number(number: f64, inside: Option<bool>, rounded: &mut usize) -> String {
    let single = number.to_string().parse::<f32>().unwrap_or(f32::INFINITY);
    let is_single = inside == Some(true) || f64::from(single).to_bits() == number.to_bits();
    let shortest = if is_single { format!("{:e}", single.abs()) } else { format!("{:e}", number.abs()) };
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let (digits, exponent) = (
        nearest(if is_single { single.abs().into() } else { number.abs() }, &digits.replace('.', "")),
        exponent.parse::<i32>().unwrap_or_default(),
    );
    let sign = if number < 0.0 { "-" } else { "" };
    let places = usize::try_from(exponent.saturating_add(1)).unwrap_or_default();
    let zeros = |count: usize| "0".repeat(count);
    let mut text = match exponent {
        // the point is after all digits, in them, or before them
        0..15 if digits.len() <= places => format!("{digits}{}", zeros(places.saturating_sub(digits.len()))),
        0..15 => {
            let (whole, fraction) = digits.split_at_checked(places).unwrap_or((&digits, ""));
            format!("{whole}.{fraction}")
        }
        -4..0 => format!("0.{}{digits}", zeros(to_usize(exponent.saturating_add(1).abs()))),
        _ => {
            let (first, more) = digits.split_at_checked(1).unwrap_or((&digits, ""));
            let point = if more.is_empty() { "" } else { "." };
            format!("{first}{point}{more}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
        }
    };
    if inside.is_none() && !text.contains(['.', 'e']) {
        text += ".0";
    }
    let text = format!("{sign}{text}");
    let is_same = match is_single && inside.is_some() {
        true => text.parse::<f32>().is_ok_and(|again| again.to_bits() == single.to_bits()),
        false => Saved::number(&text).to_bits() == number.to_bits(),
    };
    *rounded = rounded.saturating_add(usize::from(!is_same));
    text
}

/// The binary form of a resource or scene as text, as Godot 4.6 reads it; of one of Godot 3, as 3.2.3 does. The text and what is decoded
/// of it may take `max_memory` bytes.
///
/// | text | binary |
/// |---|---|
/// | resource of another file | the same, also if no value names it |
/// | resource in the file | the path is `local://` and the id |
/// | main resource | the path is `local://`, its class and its number |
/// | a resource without the property `script`, in version 4 | it is null, as in every file of the engine |
/// | node whose parent is above it in the text | named by its number; another one by its path |
/// | types of the container that a property is | none, with a warning: engines take those of the property |
/// | comment | none, with a warning |
///
/// # Errors
///
/// If a part of the text is broken or unknown, or the binary form has nothing like it: types of containers elsewhere, objects that are not
/// references, a reference to a resource that is not above it. The error has the place in the text.
///
/// Specification: `docs/spec/godot-resource.md`, section PackedScene.
pub fn text_to_resource(text: &[u8], max_memory: usize) -> Result<ConvertedResource, ContainerError> {
    let separators = text.iter().filter(|byte| b",[{(:=".contains(byte)).count();
    let memory = separators.saturating_mul(ITEM).saturating_add(text.len().saturating_mul(8));
    if memory > max_memory {
        let what = "the values of the text may take more memory than";
        return Err(ContainerError::TooLarge { what, limit: max_memory });
    }
    let file = TextResource::new(text.to_vec(), max_memory);
    let names = file.names()?;
    names.broken.clone().map_or(Ok(()), |(error, _)| Err(error))?;
    let mut reader = Reader {
        file: &file,
        names: &names,
        version: file.file.version(),
        internal: HashMap::new(),
        refusals: RefCell::default(),
        untyped: RefCell::default(),
    };
    let resource = reader.file().map_err(|(error, _)| error)?;
    all_held(&reader.refusals.borrow())?;
    let untyped = listed(&reader.untyped.borrow(), ", ");
    let untyped = untyped
        .map(|all| format!("a binary resource has no types of containers; engines take those of the property: {all}"));
    let comments = has_comment(text).then(|| "a binary resource has no comments".to_owned());
    let bytes = encode_with(&resource, &Options::new().any_text(true));
    let bytes = bytes.map_err(|error| refused(format!("{}: {}", error.path(), error.reason())))?;
    let warnings = file.warnings().into_iter().chain(untyped).chain(comments).collect();
    Ok(ConvertedResource { bytes: within(bytes, max_memory)?, warnings })
}

/// Returns true if a text has a comment.
fn has_comment(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find_byteset(b"\";")) {
        at = at.saturating_add(next);
        match (text.get(at), string_end(text, at)) {
            (Some(b'"'), Some(end)) => at = end,
            (found, _) => return found == Some(&b';'),
        }
    }
    false
}

/// The fields of each tag that are converted.
const FIELDS: [(&str, &str); 7] = [
    ("gd_scene", "load_steps format uid"),
    ("gd_resource", "type script_class load_steps format uid"),
    ("ext_resource", "type uid path id"),
    ("sub_resource", "type id"),
    (
        "node",
        "name type parent parent_id_path owner owner_uid_path index unique_id node_paths groups instance_placeholder instance",
    ),
    ("connection", "signal from to method flags from_uid_path to_uid_path unbinds binds"),
    ("editable", "path"),
];

/// A reader of a text.
struct Reader<'t> {
    file: &'t TextResource,
    names: &'t Names,
    version: Version,
    /// The number that a reference to a resource above has, by its id.
    internal: HashMap<ByteString<'static>, u32>,
    /// Why values have no binary form, each with its address and place.
    refusals: RefCell<Vec<String>>,
    /// The addresses of properties whose containers lost their types.
    untyped: RefCell<Vec<String>>,
}

/// A node that a tag names: its path, and the ids on the way to it.
type Named = (String, Option<Variant<'static>>);

impl Reader<'_> {
    fn file(&mut self) -> Result<Resource<'static>, Broken> {
        let (mut main, mut scene) = (None, SceneBuilder::new(self.version));
        let mut resource = Resource { external: self.external(), ..Resource::default() };
        let sections = self.file.sections();
        let is_scene = self.file.sections().next().is_some_and(|head| head.tag == b"gd_scene");
        for (number, section) in sections.enumerate() {
            section.broken.clone().map_or(Ok(()), Err)?;
            let known = FIELDS.iter().find(|(tag, _)| tag.as_bytes() == section.tag);
            let known = known.map(|(_, fields)| *fields).unwrap_or_default();
            let is_known = |part: &&Part<'_>| known.split(' ').any(|field| field.as_bytes() == &*part.name);
            if let Some(part) = section.fields.iter().find(|part| !is_known(part)) {
                self.refuse(&section, part, "a binary resource has no such field");
            }
            let is_head = number == 0;
            match section.tag {
                b"gd_scene" | b"gd_resource" if is_head => self.head(&section, &mut resource)?,
                b"ext_resource" => {
                    self.file.field(&section, "uid")?.map_or(Ok(()), |uid| self.uid(&section, &uid).map(drop))?
                }
                b"sub_resource" => {
                    let id = self.file.needed(&section, "id")?;
                    let object = self.object(&section, self.file.needed(&section, "type")?)?;
                    let place = u32::try_from(resource.internal.len()).unwrap_or(u32::MAX);
                    let number = match self.version {
                        Version::V4 => Some(place),
                        Version::V3 => id.to_str().ok().and_then(|id| id.parse().ok()),
                    };
                    let number =
                        number.ok_or_else(|| self.file.broken(&section, "expected a number as the id of the tag"))?;
                    if self.internal.insert(id.clone(), number).is_some() {
                        return Err(self.file.broken(&section, format!("two resources have the id {id:?}")));
                    }
                    resource.internal.push(Internal { path: super::local(&id), object });
                }
                b"resource" if !is_scene && main.is_none() => {
                    main = Some(self.object(&section, resource.class.clone())?);
                }
                b"node" if is_scene => {
                    let node = self.node(&section)?;
                    scene.node(node).map_err(|error| self.file.broken(&section, error))?;
                }
                b"connection" if is_scene => {
                    let connection = self.connection(&section)?;
                    scene.connection(connection).map_err(|error| self.file.broken(&section, error))?;
                }
                b"editable" if is_scene => scene.editable(&path(&self.file.needed(&section, "path")?)),
                tag => {
                    let reason = format!("expected no tag {:?} here", tag.as_bstr());
                    return Err(self.file.broken(&section, reason));
                }
            }
        }
        let main = match is_scene {
            true => self.with_script(
                vec![Property { name: "_bundled".into(), value: scene.bundled() }],
                resource.class.clone(),
            ),
            false => main.ok_or_else(|| (ContainerError::Malformed("the text has no tag resource".to_owned()), 0))?,
        };
        let named = |number: usize| match self.version {
            Version::V3 => number.to_string().into(),
            Version::V4 => ByteString::from(format!("{}_{number}", resource.class)),
        };
        // one of these is free
        let ids = (resource.internal.len().saturating_add(1)..).map(named);
        let id = { ids }.find(|id| !self.internal.contains_key(id)).unwrap_or_default();
        let path = super::local(&id);
        resource.internal.push(Internal { path, object: main });
        for internal in &resource.internal {
            for Property { name, value } in &internal.object.properties {
                paths(value, &mut resource.strings);
                resource.strings.push(name.clone());
            }
        }
        let mut known = HashSet::new();
        resource.strings.retain(|string| known.insert(string.clone()));
        Ok(resource)
    }

    /// The resources of other files.
    fn external(&self) -> Vec<External<'static>> {
        self.names.external.iter().map(|(_, external)| external.clone()).collect()
    }

    fn head(&self, section: &Section<'_>, resource: &mut Resource<'static>) -> Result<(), Broken> {
        resource.class = match section.tag {
            b"gd_scene" => SCENE.to_vec().into(),
            _ => self.file.needed(section, "type")?,
        };
        if section.tag == b"gd_resource" && *resource.class == SCENE {
            return Err(self.file.broken(section, "expected a scene with the tag gd_scene"));
        }
        if self.version == Version::V3 {
            (resource.major, resource.minor, resource.version, resource.flags, resource.uid) = (3, 2, 3, 0, 0);
        }
        if let Some(uid) = self.file.field(section, "uid")? {
            resource.uid = self.uid(section, &uid)?;
        }
        if let Some(class) = self.file.text(section, "script_class")? {
            resource.flags |= SCRIPT_CLASS;
            resource.script_class = class;
        }
        Ok(())
    }

    fn uid(&self, section: &Section<'_>, uid: &Variant<'_>) -> Result<u64, Broken> {
        let found = uid.as_bytes().and_then(id_of).filter(|_| self.version == Version::V4);
        found.ok_or_else(|| {
            self.file.broken(section, format!("expected a unique id of Godot 4 such as uid://b, found {uid:?}"))
        })
    }

    /// Notes why a part has no binary form.
    fn refuse(&self, section: &Section<'_>, part: &Part<'_>, reason: impl Display) {
        let place = section.line.place(&self.file.file.text, section.start, part.value.start);
        self.refusals.borrow_mut().push(format!("{}: {reason}, {place}", self.named_part(section, part)));
    }

    /// The address and the name of a part.
    fn named_part(&self, section: &Section<'_>, part: &Part<'_>) -> String {
        let address =
            self.file.address(section).map_or_else(|| section.tag.as_bstr().to_string(), |found| found.to_string());
        format!("{address}: {}", part.name.as_bstr())
    }

    /// The value of a part, with references by numbers.
    fn value(&self, section: &Section<'_>, part: &Part<'_>) -> Result<Variant<'static>, Broken> {
        let mut value = self.file.value(section, part)?;
        let has_types = match &mut value {
            // what is metadata has no property with a type
            _ if part.name.starts_with(b"metadata/") => false,
            Variant::Array(array) => array.element_type.take().is_some(),
            Variant::Dictionary(dictionary) => dictionary.types.take().is_some(),
            _ => false,
        };
        if has_types {
            self.untyped.borrow_mut().push(self.named_part(section, part));
        }
        let read = visit(&mut value, &mut |found| match found {
            Found::Object(object) => self.numbered(object),
            Found::Type(_) => Err(refused("a binary resource does not hold the types of a container")),
        });
        match read {
            Ok(()) => Ok(value),
            Err(ContainerError::Refused(reason)) => {
                self.refuse(section, part, reason);
                Ok(Variant::Null)
            }
            Err(error) => Err((error, part.value.start)),
        }
    }

    /// Replaces a reference by an id with one by a number.
    fn numbered(&self, object: &mut Object<'static>) -> Result<(), ContainerError> {
        if let Some((class, id)) = reference(object) {
            let found = match class {
                EXT_RESOURCE => {
                    self.names.by_id.get(&id).and_then(|place| u32::try_from(*place).ok()).map(Reference::External)
                }
                _ => self.internal.get(&id).copied().map(Reference::Internal),
            };
            let missing =
                || refused(format!("expected the id of a resource that the file names before, found {class}({id:?})"));
            *object = found.ok_or_else(missing)?.into();
            return Ok(());
        }
        match object {
            Object::Null => Ok(()),
            Object::Full(full) if *full.class == *b"Resource" => {
                let path = only(full, "resource_path").cloned();
                let path =
                    path.ok_or_else(|| refused("a binary resource holds no unique id of a resource in a value"))?;
                *object = Reference::Path { class: ByteString::default(), path }.into();
                Ok(())
            }
            _ => Err(refused("a binary resource holds no objects but resources")),
        }
    }

    /// The field of a tag as a value with references by numbers.
    fn field(&self, section: &Section<'_>, name: &str) -> Result<Option<Variant<'static>>, Broken> {
        let part = section.fields.iter().rfind(|part| *part.name == *name.as_bytes());
        part.map(|part| self.value(section, part)).transpose()
    }

    /// A field of a tag that is a whole number, also in quotes.
    fn number(&self, section: &Section<'_>, name: &str) -> Result<Option<i32>, Broken> {
        let Some(value) = self.field(section, name)? else { return Ok(None) };
        let number = match &value {
            Variant::Int(number) => i32::try_from(*number).ok(),
            value => value.as_bytes().and_then(|text| text.to_str().ok()?.parse().ok()),
        };
        let wrong = || self.file.broken(section, format!("expected a whole number as the {name} of the tag"));
        number.ok_or_else(wrong).map(Some)
    }

    /// A field of a tag with texts.
    fn texts(&self, section: &Section<'_>, name: &str) -> Result<Vec<ByteString<'static>>, Broken> {
        let text = |value: Variant<'static>| match value {
            Variant::String(text) | Variant::StringName(text) => Some(text),
            _ => None,
        };
        let texts = match self.field(section, name)? {
            None => return Ok(Vec::new()),
            Some(Variant::PackedStringArray(texts)) => Some(texts),
            Some(Variant::Array(array)) => array.elements.into_iter().map(text).collect(),
            Some(_) => None,
        };
        texts.ok_or_else(|| self.file.broken(section, format!("expected texts as the {name} of the tag")))
    }

    /// The node that fields of a tag name.
    fn named(&self, section: &Section<'_>, [name, ids]: [&str; 2]) -> Result<Option<Named>, Broken> {
        let ids = self.field(section, ids)?;
        if ids.as_ref().is_some_and(|ids| !matches!(ids, Variant::PackedInt32Array(_))) {
            return Err(self.file.broken(section, format!("expected a PackedInt32Array with the ids of {name}")));
        }
        Ok(self.file.text(section, name)?.map(|text| (path(&text), ids)))
    }

    fn object(&self, section: &Section<'_>, class: ByteString<'static>) -> Result<FullObject<'static>, Broken> {
        let property = |part: &Part<'_>| {
            let value = self.value(section, part)?;
            Ok(Property { name: part.name.to_vec().into_byte_string(), value })
        };
        let properties = section.properties.iter().map(property).collect::<Result<Vec<_>, _>>()?;
        Ok(self.with_script(properties, class))
    }

    /// An object whose script is null if it has none: before its metadata, as engines of version 4 write it.
    fn with_script(&self, mut properties: Vec<Property<'static>>, class: ByteString<'static>) -> FullObject<'static> {
        let has_script = properties.iter().any(|property| property.name == "script");
        if self.version == Version::V4 && !has_script {
            let place = properties.iter().position(|property| property.name.starts_with(b"metadata/"));
            let place = place.unwrap_or(properties.len());
            properties.insert(place, Property { name: "script".into(), value: Variant::Null });
        }
        FullObject { class, properties }
    }

    fn node(&self, section: &Section<'_>) -> Result<NewNode<'static>, Broken> {
        let name = self.file.needed(section, "name")?;
        let class = self.file.text(section, "type")?;
        let placeholder = self.field(section, "instance_placeholder")?;
        let (is_placeholder, instance) = (placeholder.is_some(), self.field(section, "instance")?);
        if is_placeholder && instance.is_some() {
            return Err(self.file.broken(section, "a node has instance or instance_placeholder, not both"));
        }
        let instance = placeholder.or(instance);
        let parent = self.named(section, ["parent", "parent_id_path"])?;
        let owner = self.named(section, ["owner", "owner_uid_path"])?;
        let is_owned = parent.is_some() && (class.is_some() || instance.is_some());
        let owner = owner.or_else(|| is_owned.then(|| (".".to_owned(), None)));
        let held: HashSet<_> = self.texts(section, "node_paths")?.into_iter().collect();
        let property = |part: &Part<'_>| {
            let value = self.value(section, part)?;
            let name = part.name.to_vec().into_byte_string();
            let is_node = held.contains(&name);
            Ok((name, value, is_node))
        };
        Ok(NewNode {
            name,
            class,
            parent,
            owner,
            index: self.number(section, "index")?.filter(|index| *index != -1),
            instance,
            is_placeholder,
            id: self.number(section, "unique_id")?.unwrap_or_default(),
            properties: section.properties.iter().map(property).collect::<Result<_, _>>()?,
            groups: self.texts(section, "groups")?,
        })
    }

    fn connection(&self, section: &Section<'_>) -> Result<NewConnection<'static>, Broken> {
        let missing = |name: &str| self.file.broken(section, format!("expected {name}=… in the tag"));
        let end = |names: [&str; 2]| self.named(section, names)?.ok_or_else(|| missing(names[0]));
        let binds = match self.field(section, "binds")? {
            None => Vec::new(),
            Some(Variant::Array(binds)) => binds.elements,
            Some(_) => return Err(self.file.broken(section, "expected a list as the binds of the tag")),
        };
        let unbinds = self.number(section, "unbinds")?.unwrap_or_default();
        if self.version == Version::V3 && unbinds != 0 {
            return Err(self.file.broken(section, "Godot 3 has no unbinds"));
        }
        Ok(NewConnection {
            from: end(["from", "from_uid_path"])?,
            to: end(["to", "to_uid_path"])?,
            signal: self.file.needed(section, "signal")?,
            method: self.file.needed(section, "method")?,
            flags: self.number(section, "flags")?.unwrap_or(PERSIST),
            binds,
            unbinds,
        })
    }
}

/// The path of a node without what does not count in it: `./A/B` is `A/B`.
fn path(text: &[u8]) -> String {
    let text = text.to_str_lossy();
    let names: Vec<_> = text.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
    match (text.starts_with('/'), names.is_empty()) {
        (true, _) => format!("/{}", names.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => names.join("/"),
    }
}

/// Adds the names in the paths of nodes in a value, which are in the table of strings.
fn paths(value: &Variant<'static>, strings: &mut Vec<ByteString<'static>>) {
    match value {
        Variant::NodePath(path) => strings.extend(path.names.iter().chain(&path.subnames).cloned()),
        Variant::Array(array) => array.elements.iter().for_each(|element| paths(element, strings)),
        Variant::Dictionary(dictionary) => dictionary.iter().for_each(|entry| {
            paths(&entry.key, strings);
            paths(&entry.value, strings);
        }),
        _ => {}
    }
}
