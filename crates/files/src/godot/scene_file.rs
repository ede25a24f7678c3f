//! A scene as a container of the values that its nodes have.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

use bstr::ByteSlice;
use serde_json::json;

use crate::address::{Address, Component, Syntax};
use crate::containers::{located, within, Container, ContainerError, Embedded, ValueChange};
use enginewire::error::Fault;
use enginewire::godot::resource::Reference;
use enginewire::godot::resource::{decode_with, encode_with, Options};
use enginewire::godot::resource::{External, Internal, Resource, NAMED_IDS};
use enginewire::godot::resource::{NodeProperty, Scene, SceneNode, SceneProperty};
use enginewire::godot::Options as VariantOptions;
use enginewire::godot::Version;
use enginewire::godot::{Array, Dictionary, Entry, FullObject, Object, Property, Variant};
use enginewire::number::to_usize;
use enginewire::wire::ByteString;

/// The most memory that a decoded file takes, in bytes for each of its own: 40 for a value of 4.
pub(super) const MEMORY: usize = 24;

/// The nodes of a scene as a [`Container`]. The address of a value is the path of its node: `:root`, `Player/Sprite`. The value
/// is a dictionary of the properties that the scene sets. One that is added has the type of its value: a scene does not tell the types
/// of what it leaves out.
///
/// A reference to a resource is an object there: `Object(SubResource,"path":…)` for one in the file, `Object(ExtResource,"path":…)`
/// for one of another file that the scene names. After the nodes come the resources in the file, as dictionaries of their
/// properties: `:sub.Circle_1`, by the name in their path; then `:ext`, the list of resources in other files, each with its class,
/// path and uid, empty for none: engines look for the uid first. Of the list only these change. The connections of signals are the
/// last value, `:connections`, which does not change. Lists are left out where they are empty.
#[derive(Debug)]
pub struct SceneFile {
    bytes: Vec<u8>,
    max_memory: usize,
    options: Options,
}

impl SceneFile {
    /// The scene in these bytes. They and all that is decoded of them may together take `max_memory` bytes.
    ///
    /// # Errors
    ///
    /// If they might take more memory.
    pub fn open(bytes: Vec<u8>, max_memory: usize) -> Result<Self, ContainerError> {
        if bytes.len().saturating_mul(MEMORY.saturating_add(1)) > max_memory {
            return Err(ContainerError::TooLarge { what: "the scene takes more memory than", limit: max_memory });
        }
        Ok(SceneFile { bytes, max_memory, options: Options::new().any_text(true) })
    }

    /// Sets whether bytes may follow the scene. By default they are an error; if allowed, the scene can be read but not changed.
    #[must_use]
    pub fn trailing_bytes(self, allowed: bool) -> Self {
        SceneFile { options: self.options.trailing_bytes(allowed), ..self }
    }

    fn decode(&self) -> Result<Resource<'_>, ContainerError> {
        decode_with(&self.bytes, &self.options).map_err(|error| match error.fault() {
            Fault::Truncated { .. } => ContainerError::Truncated(error.to_string()),
            _ => ContainerError::malformed(error),
        })
    }
}

/// The options of values as a file has them, and the format.
fn values(file: &Resource<'_>) -> (VariantOptions, &'static [&'static str]) {
    let (version, formats): (_, &[&str]) = match file.version {
        ..=3 => (Version::V3, &["godot-3"]),
        _ => (Version::V4, &["godot-4"]),
    };
    (VariantOptions::new(version).any_text(true), formats)
}

/// The class of references to resources in the file, and of references to resources in other files.
pub(super) const SUB_RESOURCE: &str = "SubResource";
pub(super) const EXT_RESOURCE: &str = "ExtResource";

/// The addresses of the root and of the connections. No node has a colon in its name.
const ROOT: &str = ":root";
const CONNECTIONS: &str = ":connections";

/// The address of the resources in other files, and how those of resources in the file begin.
const EXTERNAL: &str = ":ext";
const INTERNAL: &str = ":sub";

/// The beginning of the path of a resource in the file.
pub(super) const LOCAL: &[u8] = b"local://";

fn property<'a>(name: &'static str, value: Variant<'a>) -> Property<'a> {
    Property { name: name.into(), value }
}

/// A reference as an object that every Variant can hold.
fn object<'a>(file: &Resource<'a>, reference: &Reference<'a>) -> Object<'a> {
    let path = |class, number: u32, path: Option<&ByteString<'a>>| {
        let path = path.map(|path| property("path", Variant::String(path.clone())));
        Object::new(class, [path.unwrap_or_else(|| property("index", Variant::Int(number.into())))])
    };
    match reference {
        Reference::Internal(number) => {
            let named = |internal: &&Internal<'_>| *internal.path == *numbered(*number).as_bytes();
            let found = match file.flags & NAMED_IDS {
                0 => file.internal.iter().find(named),
                _ => file.internal.get(to_usize(*number)),
            };
            path(SUB_RESOURCE, *number, found.map(|found| &found.path))
        }
        Reference::External(number) => {
            path(EXT_RESOURCE, *number, file.external.get(to_usize(*number)).map(|external| &external.path))
        }
        Reference::Path { class, path } => {
            let class = property("type", Variant::String(class.clone()));
            Object::new("Resource", [class, property("path", Variant::String(path.clone()))])
        }
    }
}

/// The path of a resource in a file whose references are the numbers in paths.
fn numbered(number: u32) -> String {
    format!("{}{number}", LOCAL.as_bstr())
}

/// The reference for an object made by [`object`]; `None` for other objects.
fn reference<'a>(file: &Resource<'_>, object: &FullObject<'a>) -> Result<Option<Reference<'a>>, ContainerError> {
    let value =
        |name: &str| object.properties.iter().find(|found| *found.name == *name.as_bytes()).map(|found| &found.value);
    let index = match value("index") {
        Some(Variant::Int(index)) => u32::try_from(*index).ok(),
        _ => None,
    };
    let path = value("path").and_then(Variant::as_bytes).unwrap_or_default();
    let missing = || {
        let path = path.as_bstr();
        Err(ContainerError::Refused(format!("expected the path of a resource that the scene names, found {path:?}")))
    };
    let place = |found: Option<usize>| found.and_then(|number| u32::try_from(number).ok()).or(index);
    let found = match &**object.class {
        name if name == SUB_RESOURCE.as_bytes() => {
            let number = file.internal.iter().position(|internal| *internal.path == *path);
            let in_path = || path.strip_prefix(LOCAL).and_then(|digits| digits.to_str().ok()?.parse().ok());
            let number = if file.flags & NAMED_IDS == 0 { number.and_then(|_| in_path()) } else { number };
            place(number).map(Reference::Internal)
        }
        name if name == EXT_RESOURCE.as_bytes() => {
            place(file.external.iter().position(|external| *external.path == *path)).map(Reference::External)
        }
        _ => return Ok(None),
    };
    found.map_or_else(missing, |found| Ok(Some(found)))
}

/// The reverse of [`portable`]: objects become references again.
fn native<'a>(file: &Resource<'_>, value: &mut Variant<'a>) -> Result<(), ContainerError> {
    objects(value, &mut |found| {
        let Object::Full(full) = &*found else { return Ok(()) };
        if let Some(reference) = reference(file, full)? {
            *found = reference.into();
        }
        Ok(())
    })
}

/// Calls `change` with every object in a value.
fn objects<'a>(
    value: &mut Variant<'a>,
    change: &mut dyn FnMut(&mut Object<'a>) -> Result<(), ContainerError>,
) -> Result<(), ContainerError> {
    match value {
        Variant::Object(object) => change(object),
        Variant::Array(array) => array.elements.iter_mut().try_for_each(|element| objects(element, change)),
        Variant::Dictionary(dictionary) => dictionary.entries.iter_mut().try_for_each(|Entry { key, value }| {
            objects(key, change)?;
            objects(value, change)
        }),
        _ => Ok(()),
    }
}

/// A value whose references to resources are replaced by objects: see [`object`].
fn portable<'a>(file: &Resource<'a>, value: &Variant<'a>) -> Variant<'a> {
    let mut value = value.clone();
    // nothing is refused
    let _ = objects(&mut value, &mut |found| {
        if let Object::Resource(reference) = found {
            *found = object(file, reference);
        }
        Ok(())
    });
    value
}

/// The properties of a node.
fn dictionary<'a>(file: &Resource<'a>, node: &SceneNode<'_, 'a>) -> Variant<'a> {
    let key = |property: &SceneProperty<'_, 'a>| Variant::String(property.name.clone());
    let entries = node.properties.iter().map(|property| (key(property), portable(file, property.value)));
    Dictionary::new(entries).into()
}

pub(super) fn sign(text: &str) -> Address {
    Address::new(Syntax::Nodes, [Component::sign(text)])
}

/// A node with its address.
fn embedded(file: &Resource<'_>, node: &SceneNode<'_, '_>) -> Embedded<'static> {
    let (options, formats) = values(file);
    let class = node.class.map(|class| ("class", json!(class.to_str_lossy())));
    let instance =
        node.instance.map(|instance| ("instance", json!(portable(file, instance).to_gdscript(options.version()))));
    let groups: Vec<_> = node.groups.iter().map(|group| group.to_str_lossy()).collect();
    let groups = (!groups.is_empty()).then(|| ("groups", json!(groups)));
    let members = [Some(("node", json!(node.path))), class, instance, groups].into_iter().flatten().collect();
    let bytes = enginewire::godot::encode_with(&dictionary(file, node), &options).map_err(ContainerError::malformed);
    let address = match &*node.path {
        "." => sign(ROOT),
        path => Address::new(Syntax::Nodes, path.split('/').map(Component::name)),
    };
    Embedded::new(address, formats, bytes).with_members(members)
}

/// The resources in the file except the scene itself, which is the last.
fn resources<'f, 'a>(file: &'f Resource<'a>) -> impl Iterator<Item = (&'f Internal<'a>, Variant<'a>)> {
    let (_, resources) = file.internal.split_last().unzip();
    resources.into_iter().flatten().map(|internal| {
        let entry = |property: &Property<'a>| (Variant::String(property.name.clone()), portable(file, &property.value));
        (internal, Dictionary::new(internal.object.properties.iter().map(entry)).into())
    })
}

/// The values of a file after those of its nodes.
fn others(file: &Resource<'_>) -> Vec<Embedded<'static>> {
    let (options, formats) = values(file);
    let value = |address: Address, value: &Variant<'_>, about| {
        let bytes = enginewire::godot::encode_with(value, &options).map_err(ContainerError::malformed);
        let node = json!(address.to_string());
        let members = [Some(("node", node)), about].into_iter().flatten().collect();
        Embedded::new(address, formats, bytes).with_members(members)
    };
    let resources = resources(file).map(|(internal, properties)| {
        let name = internal.path.strip_prefix(LOCAL).unwrap_or(&internal.path);
        let class = ("class", json!(internal.object.class.to_str_lossy()));
        value(Address::new(Syntax::Nodes, [Component::resource(INTERNAL, name)]), &properties, Some(class))
    });
    let external = Array::new(file.external.iter().map(External::to_variant)).into();
    let external = (!file.external.is_empty()).then(|| value(sign(EXTERNAL), &external, None));
    resources.chain(external).collect()
}

/// A property after a change: its place before, its name, and its value if it is another.
type Changed<'a> = (Option<usize>, ByteString<'a>, Option<Variant<'a>>);

/// The properties of a node or resource after a change. A value that is given as it was stays as it is.
fn properties<'a>(
    file: &Resource<'_>,
    before: &Variant<'_>,
    new: Variant<'a>,
    what: &str,
) -> Result<Vec<Changed<'a>>, ContainerError> {
    let refused = || ContainerError::Refused(format!("expected the properties of {what}"));
    let (Variant::Dictionary(before), Variant::Dictionary(new)) = (before, new) else { return Err(refused()) };
    let options = values(file).0;
    let bytes =
        |value: &Variant<'_>| enginewire::godot::encode_with(value, &options).map_err(ContainerError::malformed);
    let mut places: BTreeMap<&[u8], VecDeque<usize>> = BTreeMap::new();
    for (place, entry) in before.entries.iter().enumerate() {
        places.entry(entry.key.as_bytes().unwrap_or_default()).or_default().push_back(place);
    }
    let change = |Entry { key, mut value }: Entry<'a>| {
        let Variant::String(name) = key else { return Err(refused()) };
        let place = places.get_mut(&**name).and_then(VecDeque::pop_front);
        if let Some(old) = place.and_then(|place| before.entries.get(place))
            && bytes(&old.value)? == bytes(&value)?
        {
            return Ok((place, name, None));
        }
        native(file, &mut value)?;
        Ok((place, name, Some(value)))
    };
    new.entries.into_iter().map(change).collect()
}

/// Replaces the properties of a resource in the file.
fn set_resource<'a>(file: &mut Resource<'a>, number: usize, new: Variant<'a>) -> Result<(), ContainerError> {
    let before = resources(file).nth(number).map(|(_, before)| before).unwrap_or_default();
    let changed = properties(file, &before, new, "a resource")?;
    let Some(internal) = file.internal.get_mut(number) else { return Ok(()) };
    let old = &internal.object.properties;
    let after = changed.into_iter().filter_map(|(place, name, value)| match value {
        Some(value) => Some(Property { name, value }),
        None => old.get(place?).cloned(),
    });
    internal.object.properties = after.collect();
    Ok(())
}

/// Replaces the list of resources in other files by one of the same length.
fn set_external<'a>(file: &mut Resource<'a>, new: Variant<'static>) -> Result<(), ContainerError> {
    let refused = |reason: &str| ContainerError::Refused(reason.to_owned());
    let Variant::Array(new) = new else { return Err(refused("expected the list of resources in other files")) };
    if new.elements.len() != file.external.len() {
        return Err(refused("a resource of another file can be changed, not added or removed"));
    }
    let new = new.elements.into_iter().map(External::from_variant).collect::<Result<_, _>>();
    file.external = new.map_err(|error| refused(&error.to_string()))?;
    Ok(())
}

/// The connections of signals.
fn connections(file: &Resource<'_>, scene: &Scene<'_, '_>) -> Option<Embedded<'static>> {
    let text = |text: &str| Variant::String(text.to_owned().into());
    let connections = scene.connections().filter_map(Result::ok).map(|found| {
        let binds = found.binds.iter().map(|value| portable(file, value)).collect::<Vec<_>>();
        let parts = [
            ("from", text(&found.from)),
            ("signal", Variant::String(found.signal.clone())),
            ("to", text(&found.to)),
            ("method", Variant::String(found.method.clone())),
            ("flags", Variant::Int(found.flags.into())),
            ("binds", binds.into()),
            ("unbinds", Variant::Int(found.unbinds.into())),
        ];
        Dictionary::new(parts.map(|(name, value)| (name.into(), value))).into()
    });
    let connections: Vec<Variant<'_>> = connections.collect();
    let (options, formats) = values(file);
    let bytes = enginewire::godot::encode_with(&Array::new(connections.clone()).into(), &options);
    let value = Embedded::new(sign(CONNECTIONS), formats, bytes.map_err(ContainerError::malformed));
    (!connections.is_empty()).then(|| value.with_members(vec![("node", json!(CONNECTIONS))]))
}

impl Container for SceneFile {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let file = self.decode()?;
        let scene = Scene::new(&file).map_err(ContainerError::malformed)?;
        let mut failed = None;
        for node in scene.nodes() {
            match node {
                Ok(node) if each(embedded(&file, &node)).is_break() => return Ok(()),
                Ok(_) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        for value in others(&file).into_iter().chain(connections(&file, &scene)) {
            if each(value).is_break() {
                return Ok(());
            }
        }
        failed.map_or(Ok(()), |error| Err(ContainerError::malformed(error)))
    }

    /// That of the version of the layout: 3, or 4 from 4 on.
    fn format(&self) -> Option<&'static str> {
        let number = self.bytes.get(20..)?.first_chunk::<4>()?;
        Some(if number.iter().any(|byte| (1..=3).contains(byte)) { "godot-3" } else { "godot-4" })
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let changes = located(self, changes)?;
        if changes.is_empty() {
            return within(self.bytes.clone(), self.max_memory);
        }
        let mut file = self.decode()?;
        if encode_with(&file, &self.options).ok().as_deref() != Some(&self.bytes) {
            let reason = "other bytes than those of the named values would change, because the file is not canonical";
            return Err(ContainerError::Refused(reason.to_owned()));
        }
        let options = values(&file).0;
        let new = |bytes: &[u8]| {
            let value = enginewire::godot::decode_with(bytes, &options).map_err(ContainerError::malformed)?;
            Ok::<_, ContainerError>(value.into_owned())
        };
        let (mut changed, mut nodes) = (Vec::new(), 0);
        let scene = Scene::new(&file).map_err(ContainerError::malformed)?;
        let readable = scene.nodes().enumerate().filter_map(|(index, node)| Some((index, node.ok()?)));
        for (number, (index, node)) in readable.enumerate() {
            nodes = number.saturating_add(1);
            let Some(bytes) = changes.get(&number) else { continue };
            let what = format!("the node {}", node.path);
            let properties = properties(&file, &dictionary(&file, &node), new(bytes)?, &what)?;
            let after = properties.into_iter().map(|found| match found {
                (Some(place), _, None) => NodeProperty::Kept(place),
                (Some(place), _, Some(value)) => NodeProperty::Set(place, value),
                (None, name, value) => NodeProperty::Added(name, value.unwrap_or_default()),
            });
            changed.push((index, after.collect()));
        }
        file.set_nodes(changed).map_err(ContainerError::malformed)?;
        let count = file.internal.len().saturating_sub(1);
        for (number, bytes) in &changes {
            let Some(number) = number.checked_sub(nodes) else { continue };
            let new = new(bytes)?;
            match number {
                number if number < count => set_resource(&mut file, number, new)?,
                number if number == count && !file.external.is_empty() => set_external(&mut file, new)?,
                _ => return Err(ContainerError::Refused("the connections of a scene are not changed".to_owned())),
            }
        }
        let changed = encode_with(&file, &self.options).map_err(ContainerError::malformed)?;
        within(changed, self.max_memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::containers::{Addition, ValueChange};
    use pretty_assertions::assert_eq;

    const SCENE: &[u8] = include_bytes!("../../../../fixtures/godot-files/v4/scn/main.scn");
    /// Two nodes have one position there.
    const SHARED: &[u8] = include_bytes!("../../../../fixtures/godot-resource/scene.bin");

    fn open(bytes: &[u8]) -> SceneFile {
        SceneFile::open(bytes.to_vec(), 1 << 20).unwrap()
    }

    /// The nodes as GDScript.
    fn nodes(file: &SceneFile) -> Vec<(String, String)> {
        let text = |value: &Embedded<'_>| {
            let value = enginewire::godot::v4::decode(value.bytes.as_ref().unwrap()).unwrap().into_owned();
            value.to_gdscript(Version::V4)
        };
        file.list().unwrap().iter().map(|value| (value.address.to_string(), text(value))).collect()
    }

    /// The scene after a text in a node is replaced.
    fn with(number: usize, old: &str, new: &str) -> Result<Vec<u8>, ContainerError> {
        let file = open(SCENE);
        let values = file.list().unwrap();
        let value = enginewire::godot::v4::decode(values[number].bytes.as_ref().unwrap()).unwrap();
        let text = value.to_gdscript(Version::V4);
        assert!(text.contains(old), "{text}");
        let options = VariantOptions::new(Version::V4);
        let value = Variant::from_gdscript(&text.replace(old, new), None, &options).unwrap();
        let bytes = &enginewire::godot::v4::encode(&value).unwrap();
        file.changed(&[ValueChange::Replace { address: &values[number].address, bytes }])
    }

    #[test]
    fn nodes_are_dictionaries() {
        let file = open(SCENE);
        let (nodes, members) = (nodes(&file), file.list().unwrap());
        assert_eq!(file.format(), Some("godot-4"));
        let (address, root) = &nodes[0];
        assert_eq!(address, ":root");
        assert!(
            root.contains(r#""script": Object(ExtResource, "path": "res://scn/player.gd"), "speed": 2.5"#),
            "{root}"
        );
        assert_eq!(nodes[1], ("Timer".to_owned(), r#"{ "unique_name_in_owner": true }"#.to_owned()));
        assert_eq!(members[1].about.given()[1], ("class", json!("Timer")));
        assert!(nodes[2].1.contains(r#""texture": Object(SubResource, "path": "local://texture")"#));
        assert_eq!(nodes.last().unwrap().0, ":connections");
        assert!(nodes.last().unwrap().1.contains(r#""signal": "timeout""#));
    }

    #[test]
    fn properties_and_references_change() {
        let changed = with(0, "2.5", "-1").unwrap();
        assert!(nodes(&open(&changed))[0].1.contains(r#""speed": -1"#));
        assert_eq!(nodes(&open(&changed))[1..], nodes(&open(SCENE))[1..]);
        // in lists, too
        let list = r#"[Object(ExtResource, "path": "res://scn/player.gd")]"#;
        let changed = with(0, "2.5", list).unwrap();
        assert!(nodes(&open(&changed))[0].1.contains(&format!(r#""speed": {list}"#)));
        let changed = with(0, "res://scn/player.gd", "res://res/outside.res").unwrap();
        assert!(nodes(&open(&changed))[0]
            .1
            .contains(r#""script": Object(ExtResource, "path": "res://res/outside.res")"#));
        // one that is not there
        let error = |number, old, new| with(number, old, new).unwrap_err().to_string();
        let missing = r#"expected the path of a resource that the scene names, found "res://no.gd""#;
        assert_eq!(error(0, "res://scn/player.gd", "res://no.gd"), missing);
        let refused = "expected the properties of the node Timer";
        assert_eq!(error(1, r#""unique_name_in_owner""#, "7"), refused);
        assert_eq!(error(10, "timeout", "hit"), "the connections of a scene are not changed");
        assert_eq!(open(SCENE).changed(&[]).unwrap(), SCENE);
    }

    #[test]
    fn resources_in_the_file_and_in_others_change() {
        let found = nodes(&open(SCENE));
        let addresses = found.iter().map(|(address, _)| &**address).collect::<Vec<_>>();
        assert_eq!(addresses[6..], ["Placeholder", ":sub.inner", ":sub.texture", ":ext", ":connections"]);
        assert_eq!(open(SCENE).list().unwrap()[7].about.given()[1], ("class", json!("Gradient")));
        let texture = r#"{ "gradient": Object(SubResource, "path": "local://inner"), "script": null }"#;
        assert_eq!(found[8].1, texture);
        assert!(found[9]
            .1
            .starts_with(r#"[{ "class": "Script", "path": "res://scn/player.gd", "uid": "" }, { "class""#));

        let only = |number: usize, old: &str, new: &str| {
            let mut after = nodes(&open(&with(number, old, new).unwrap()));
            assert!(after[number].1.contains(new), "{}", after[number].1);
            after[number] = found[number].clone();
            after
        };
        assert_eq!(only(7, "0.25", "0.75"), found);
        // properties are also added and removed, and references become others
        assert_eq!(only(8, r#""script": null"#, r#""width": 32"#), found);
        assert_eq!(
            only(
                8,
                r#"Object(SubResource, "path": "local://inner")"#,
                r#"Object(ExtResource, "path": "res://res/outside.res")"#
            ),
            found
        );
        assert_eq!(only(9, r#""class": "Script""#, r#""class": "GDScript""#), found);
        let moved = nodes(&open(&with(9, "res://scn/player.gd", "res://player.gd").unwrap()));
        assert!(moved[0].1.contains(r#""script": Object(ExtResource, "path": "res://player.gd"), "speed": 2.5"#));

        let error = |number, old, new| with(number, old, new).unwrap_err().to_string();
        let missing = r#"expected the path of a resource that the scene names, found "local://no""#;
        assert_eq!(error(8, "local://inner", "local://no"), missing);
        for (old, new, reason) in [
            ("\"uid\": \"\"", "\"uid\": \"\", \"more\": 1", r#"an external resource has no "more""#),
            ("\"uid\": \"\"", "\"uid\": \"x\"", "expected a uid such as \"uid://b2c\", found \"x\""),
            ("\"uid\": \"\"", "\"uid\": []", "expected the uid of a file of resources, found another value"),
            ("[{", "[{}, {", "a resource of another file can be changed, not added or removed"),
        ] {
            assert_eq!(error(9, old, new), reason);
        }
        assert_eq!(error(7, r#""script""#, "7"), "expected the properties of a resource");
    }

    /// All else stays: other nodes, the properties of this one, connections, and the resources after the nodes.
    #[test]
    fn properties_of_nodes_are_added_and_removed() {
        let before = nodes(&open(SCENE));
        for (number, old, new) in [
            (
                0,
                r#""speed": 2.5"#,
                r#""speed": 2.5, "mass": 3, "icon": Object(SubResource, "path": "local://texture")"#,
            ),
            (0, r#", "speed": 2.5"#, ""),
            (1, r#""unique_name_in_owner""#, r#""wait_time""#),
            (1, r#""unique_name_in_owner": true"#, ""),
            (
                1,
                r#""unique_name_in_owner": true"#,
                r#""autostart": true, "unique_name_in_owner": false, "autostart": 2"#,
            ),
        ] {
            let changed = with(number, old, new).unwrap();
            let mut expected = before.clone();
            expected[number].1 = expected[number].1.replace(old, new).replace("{  }", "{}");
            assert_eq!(nodes(&open(&changed)), expected);
        }
    }

    /// A value that two nodes have changes in one of them.
    #[test]
    fn shared_values_change_alone() {
        let file = open(SHARED);
        let before = nodes(&file);
        assert!(before[1].1.contains("Vector2(10, 20)") && before[2].1.contains("Vector2(10, 20)"));
        let player = Dictionary::new([("position".into(), 1.into()), ("metadata/health".into(), "more".into())]);
        let bytes = &enginewire::godot::v4::encode(&player.into()).unwrap();
        let address = &file.list().unwrap()[1].address;
        let after = nodes(&open(&file.changed(&[ValueChange::Replace { address, bytes }]).unwrap()));
        assert_eq!(after[1].1, r#"{ "position": 1, "metadata/health": "more" }"#);
        assert_eq!((&after[2], after.len()), (&before[2], before.len()));
    }

    #[test]
    fn every_cut_is_an_error() {
        for cut in 0..SCENE.len() {
            assert!(open(&SCENE[..cut]).list().is_err(), "{cut}");
        }
        assert!(SceneFile::open(SCENE.to_vec(), SCENE.len() * 2).is_err());
    }

    #[test]
    fn what_a_scene_refuses() {
        let address = &sign(":new");
        let addition = Addition { address, bytes: b"\0\0\0\0", about: &[], is_first: false };
        let refused = open(SHARED).changed(&[ValueChange::Add(addition)]);
        assert!(matches!(refused, Err(ContainerError::Refused(_))), "{refused:?}");
        let limit = SHARED.len() * 25;
        assert!(SceneFile::open(SHARED.to_vec(), limit).is_ok());
        let error = SceneFile::open(SHARED.to_vec(), limit - 1).unwrap_err().to_string();
        assert_eq!(error, format!("the scene takes more memory than the limit of {} bytes", limit - 1));
        let mut other = SHARED.to_vec();
        other[8] = 1;
        let list = open(&other).list().unwrap();
        let refused = open(&other).changed(&[ValueChange::Replace { address: &list[1].address, bytes: b"\0\0\0\0" }]);
        assert!(matches!(refused, Err(ContainerError::Refused(_))), "{refused:?}");
        let cut = open(&SCENE[..600]).list();
        assert!(matches!(cut, Err(ContainerError::Truncated(_))), "{cut:?}");
        let resource = include_bytes!("../../../../fixtures/godot-resource/empty.bin");
        assert_eq!(open(resource).list().unwrap_err().to_string(), "the main resource is not a PackedScene");
    }
}
