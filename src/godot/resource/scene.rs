//! Scenes: the tree of nodes in a resource of the class PackedScene.

use std::borrow::Cow;
#[cfg(feature = "text")]
use std::collections::HashMap;

use bstr::ByteSlice;
use thiserror::Error;

use super::file::{Resource, MAGIC};
use crate::godot::variant::Variant;
#[cfg(feature = "text")]
use crate::godot::{variant::Dictionary, NodePath, Version};
use crate::number::to_usize;
use crate::wire::{ByteString, List};

/// The class of a scene.
const CLASS: &[u8] = b"PackedScene";

/// The property with everything in a scene.
const BUNDLED: &str = "_bundled";

/// The type of a node that is an instance of another scene, or changes a node of one.
const INSTANCED: i32 = 0x7fff_ffff;

/// The parent of a node without one, beside -1.
const NO_PARENT: i32 = 0x7fff_ffff;

/// The bit of a number that is an index of `node_paths`, a placeholder, or the name of a property that holds a node.
const FLAG: i32 = 1 << 30;

/// The bits of an index of nodes and paths.
const INDEX: i32 = (1 << 24) - 1;

/// The bits of the name of a node. Above them is its place among its siblings.
const NAME: i32 = (1 << 18) - 1;

/// The longest path of a node, in bytes, and the most nodes in it.
const LONGEST_PATH: usize = 1 << 12;

/// Why a scene cannot be read or changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The main resource is not a scene.
    #[error("the main resource is not a PackedScene")]
    NoScene,
    /// A part of the scene is missing, or of another type.
    #[error("the scene has no {0}")]
    Missing(&'static str),
    /// The numbers of nodes or connections end too early.
    #[error("the numbers of {0} end too early")]
    Truncated(&'static str),
    /// A number counts on a name, value, path or node that is not there.
    #[error("the scene has no {what} {index}")]
    NoSuch {
        /// The kind of the missing item, such as "name".
        what: &'static str,
        /// Its index.
        index: i32,
    },
    /// The path of a node is longer than 4096 bytes, or the node is its own ancestor.
    #[error("the path of node {0} has no end")]
    Endless(usize),
    /// No node has this path.
    #[error("the scene has no node {0}")]
    NotFound(String),
    /// There are more items than the numbers of a scene can count.
    #[error("there are more {0} than the numbers of a scene can count")]
    TooMany(&'static str),
}

/// Returns true if a file of resources begins as a scene does: its class is PackedScene. A compressed file does not.
#[must_use]
pub fn is_scene(file: &[u8]) -> bool {
    let class = |head: &[u8; 28]| match head.last_chunk() {
        Some([12, 0, 0, 0] | [0, 0, 0, 12]) => file.get(head.len()..),
        _ => None,
    };
    let text = file.first_chunk().filter(|_| file.starts_with(MAGIC)).and_then(class);
    text.and_then(|text| text.strip_prefix(CLASS)).is_some_and(|rest| rest.starts_with(b"\0"))
}

/// The scene that the main resource of a file is.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use enginewire::godot::resource::{self, Scene};
///
/// let bytes = std::fs::read("fixtures/godot-resource/scene.bin")?;
/// let file = resource::decode(&bytes)?;
/// let scene = Scene::new(&file)?;
/// let nodes = scene.nodes().collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(nodes.iter().map(|node| node.path.as_str()).collect::<Vec<_>>(), [".", "Player", "Player/Sprite", "Timer"]);
/// assert_eq!(*nodes[1].groups[0], "players");
/// # Ok(())
/// # }
/// ```
///
/// Specification: `docs/spec/godot-resource.md`, section PackedScene.
#[derive(Clone, Debug)]
pub struct Scene<'r, 'a> {
    names: &'r [ByteString<'a>],
    variants: &'r [Variant<'a>],
    node_paths: &'r [Variant<'a>],
    numbers: &'r List<'a, i32>,
    connections: Option<&'r List<'a, i32>>,
    /// The numbers of each node begin here.
    starts: Vec<usize>,
    /// The offset after the numbers of the last node.
    end: usize,
    node_ids: Option<&'r List<'a, i32>>,
    id_paths: &'r [Variant<'a>],
    /// True if a connection has a number of arguments that are left out.
    has_unbinds: bool,
}

/// A node that another one names: its path, and the unique ids of the nodes on the way to it, if they are known.
pub type NamedNode<'r, 'a> = (String, Option<&'r Variant<'a>>);

/// The place of a [`SceneNode`], in the words of a scene in text.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)] // for the package of files
pub struct NodePlace<'r, 'a> {
    /// The name of the node.
    pub name: &'r ByteString<'a>,
    /// Its parent; `None` for the root.
    pub parent: Option<NamedNode<'r, 'a>>,
    /// The node that owns it.
    pub owner: Option<NamedNode<'r, 'a>>,
    /// Its place among its siblings.
    pub index: Option<i32>,
    /// True if its instance is the path of a placeholder.
    pub is_placeholder: bool,
    /// Its unique id; 0 for none.
    pub id: i32,
}

/// A node of a [`Scene`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneNode<'r, 'a> {
    /// Its path from the root, which is `.`: `Player/Sprite`.
    pub path: String,
    /// Its class; `None` if it is an instance of another scene, or changes a node of one.
    pub class: Option<&'r ByteString<'a>>,
    /// The scene that it is an instance of: a reference, or the path of a placeholder.
    pub instance: Option<&'r Variant<'a>>,
    /// The index of the node that owns it.
    pub owner: Option<usize>,
    /// The properties that the scene sets.
    pub properties: Vec<SceneProperty<'r, 'a>>,
    /// The names of its groups.
    pub groups: Vec<&'r ByteString<'a>>,
}

/// A property of a [`SceneNode`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneProperty<'r, 'a> {
    /// Its name.
    pub name: &'r ByteString<'a>,
    /// Its value. Several properties may have the same one.
    pub value: &'r Variant<'a>,
    /// True if the value is the path of a node, and the property holds that node.
    pub is_node: bool,
}

/// A signal that is connected to a method.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Connection<'r, 'a> {
    /// The path of the node with the signal.
    pub from: String,
    /// The path of the node with the method.
    pub to: String,
    /// The name of the signal.
    pub signal: &'r ByteString<'a>,
    /// The name of the method.
    pub method: &'r ByteString<'a>,
    /// The flags of the connection.
    pub flags: i32,
    /// Arguments after those of the signal.
    pub binds: Vec<&'r Variant<'a>>,
    /// The number of arguments of the signal that are left out.
    pub unbinds: i32,
}

/// A reader of numbers.
struct Numbers<'r, 'a> {
    list: &'r List<'a, i32>,
    at: usize,
    what: &'static str,
}

impl Numbers<'_, '_> {
    fn next(&mut self) -> Result<i32, SceneError> {
        let number = self.list.get(self.at).ok_or(SceneError::Truncated(self.what))?;
        self.at = self.at.saturating_add(1);
        Ok(number)
    }

    /// Skips a count and as many items of `size` numbers.
    fn skip(&mut self, size: usize) -> Result<(), SceneError> {
        let count = to_usize(self.next()?);
        self.at = self.at.saturating_add(count.saturating_mul(size));
        if self.at > self.list.len() {
            return Err(SceneError::Truncated(self.what));
        }
        Ok(())
    }
}

/// The item of a list with this index.
fn item<'r, T>(list: &'r [T], index: i32, what: &'static str) -> Result<&'r T, SceneError> {
    usize::try_from(index).ok().and_then(|number| list.get(number)).ok_or(SceneError::NoSuch { what, index })
}

impl<'r, 'a> Scene<'r, 'a> {
    /// The scene that the main resource of a file is.
    ///
    /// # Errors
    ///
    /// If it is not a scene, or lacks a part.
    pub fn new(file: &'r Resource<'a>) -> Result<Self, SceneError> {
        let main = file.main().filter(|main| main.class.as_bytes() == CLASS).ok_or(SceneError::NoScene)?;
        let bundled = main.properties.iter().find(|property| property.name == BUNDLED);
        let Some(Variant::Dictionary(bundled)) = bundled.map(|property| &property.value) else {
            return Err(SceneError::Missing(BUNDLED));
        };
        let Some(Variant::PackedStringArray(names)) = bundled.get("names") else {
            return Err(SceneError::Missing("names"));
        };
        let list = |name| match bundled.get(name) {
            Some(Variant::Array(array)) => Some(&*array.elements),
            _ => None,
        };
        let numbers = |name| match bundled.get(name) {
            Some(Variant::PackedInt32Array(list)) => Some(list),
            _ => None,
        };
        let mut scene = Scene {
            names,
            variants: list("variants").ok_or(SceneError::Missing("variants"))?,
            node_paths: list("node_paths").unwrap_or_default(),
            numbers: numbers("nodes").ok_or(SceneError::Missing("nodes"))?,
            connections: numbers("conns"),
            starts: Vec::new(),
            end: 0,
            node_ids: numbers("node_ids"),
            id_paths: list("id_paths").unwrap_or_default(),
            has_unbinds: matches!(bundled.get("version"), Some(Variant::Int(version)) if *version >= 3),
        };
        let Some(Variant::Int(count)) = bundled.get("node_count") else {
            return Err(SceneError::Missing("node_count"));
        };
        let mut numbers = Numbers { list: scene.numbers, at: 0, what: "nodes" };
        for _ in 0..*count {
            scene.starts.push(numbers.at);
            for _ in 0..5 {
                numbers.next()?;
            }
            numbers.skip(2)?;
            numbers.skip(1)?;
        }
        scene.end = numbers.at;
        Ok(scene)
    }

    /// True if no numbers are left after those of the nodes.
    #[doc(hidden)] // for the package of files
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.end == self.numbers.len() && self.node_ids.is_none_or(|ids| ids.len() == self.starts.len())
    }

    /// The place of the node with this number.
    #[doc(hidden)] // for the package of files
    pub fn place(&self, node: usize) -> Result<NodePlace<'r, 'a>, SceneError> {
        let at = self.starts.get(node).copied().ok_or(SceneError::Missing("node"))?;
        let mut numbers = Numbers { list: self.numbers, at, what: "nodes" };
        let (parent, owner, _) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let (name, instance) = (numbers.next()?, numbers.next()?);
        Ok(NodePlace {
            name: item(self.names, name & NAME, "name")?,
            parent: self.named(parent)?,
            owner: self.named(owner)?,
            index: (name >> NAME.count_ones()).checked_sub(1).filter(|index| *index >= 0),
            is_placeholder: instance >= 0 && instance & FLAG != 0,
            id: self.node_ids.and_then(|ids| ids.get(node)).unwrap_or_default(),
        })
    }

    /// The node that a number names, if it is one.
    fn named(&self, number: i32) -> Result<Option<NamedNode<'r, 'a>>, SceneError> {
        if number < 0 || number == NO_PARENT {
            return Ok(None);
        }
        let ids = self.id_paths.get(to_usize(number & INDEX)).filter(|_| number & FLAG != 0);
        let ids = match ids {
            Some(Variant::PackedInt32Array(numbers)) => ids.filter(|_| !numbers.is_empty()),
            Some(_) => return Err(SceneError::Missing("id_paths")),
            None => None,
        };
        Ok(Some((self.end(number)?, ids)))
    }

    /// The nodes, each after its parent. A node that cannot be read is an error, and the others follow.
    pub fn nodes(&self) -> impl Iterator<Item = Result<SceneNode<'r, 'a>, SceneError>> + '_ {
        (0..self.starts.len()).map(|index| self.node(index))
    }

    fn node(&self, index: usize) -> Result<SceneNode<'r, 'a>, SceneError> {
        let at = self.starts.get(index).copied().unwrap_or_default();
        let mut numbers = Numbers { list: self.numbers, at, what: "nodes" };
        let (_, owner, class) = (numbers.next(), numbers.next(), numbers.next());
        let (_, instance) = (numbers.next(), numbers.next());
        let class = match class? {
            INSTANCED => None,
            class => Some(item(self.names, class, "name")?),
        };
        let instance = match instance? {
            instance if instance < 0 => None,
            instance => Some(item(self.variants, instance & INDEX, "value")?),
        };
        let (mut properties, mut groups) = (Vec::new(), Vec::new());
        for _ in 0..numbers.next()? {
            let name = numbers.next()?;
            let value = item(self.variants, numbers.next()? & INDEX, "value")?;
            let is_node = name & FLAG != 0;
            properties.push(SceneProperty { name: item(self.names, name & !FLAG, "name")?, value, is_node });
        }
        for _ in 0..numbers.next()? {
            groups.push(item(self.names, numbers.next()?, "name")?);
        }
        let owner = usize::try_from(owner?).ok().filter(|owner| *owner < self.starts.len());
        Ok(SceneNode { path: self.path(index)?, class, instance, owner, properties, groups })
    }

    /// The path of a node.
    fn path(&self, index: usize) -> Result<String, SceneError> {
        let (mut parts, mut length, mut next) = (Vec::new(), 0_usize, index);
        loop {
            let start = self.starts.get(next).copied();
            let Some(start) = start else { return Err(SceneError::Missing("node")) };
            let mut numbers = Numbers { list: self.numbers, at: start, what: "nodes" };
            let parent = numbers.next()?;
            if parent < 0 || parent == NO_PARENT {
                break;
            }
            numbers.at = start.saturating_add(3);
            let name = item(self.names, numbers.next()? & NAME, "name")?.to_str_lossy();
            length = length.saturating_add(name.len()).saturating_add(1);
            parts.push(name);
            if length > LONGEST_PATH {
                return Err(SceneError::Endless(index));
            }
            if parent & FLAG != 0 {
                let base = self.node_path(parent & INDEX)?;
                if base != "." {
                    parts.push(base.into());
                }
                break;
            }
            next = to_usize(parent & INDEX);
        }
        parts.reverse();
        Ok(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
    }

    /// The path with this index among those of nodes in other scenes.
    fn node_path(&self, index: i32) -> Result<String, SceneError> {
        match item(self.node_paths, index, "path")? {
            Variant::NodePath(path) => {
                // a scene that was loaded from a text names its root here too
                let names = path.names.iter().filter(|name| ***name != *b".");
                let names: Vec<Cow<'_, str>> = names.map(|name| name.to_str_lossy()).collect();
                Ok(if names.is_empty() { ".".to_owned() } else { names.join("/") })
            }
            _ => Err(SceneError::NoSuch { what: "path", index }),
        }
    }

    /// The connections, in their order.
    pub fn connections(&self) -> impl Iterator<Item = Result<Connection<'r, 'a>, SceneError>> + '_ {
        let mut numbers = self.connections.map(|list| Numbers { list, at: 0, what: "connections" });
        std::iter::from_fn(move || {
            let reader = numbers.as_mut().filter(|numbers| numbers.at < numbers.list.len())?;
            let connection = self.connection(reader);
            if connection.is_err() {
                numbers = None;
            }
            Some(connection)
        })
    }

    fn connection(&self, numbers: &mut Numbers<'_, '_>) -> Result<Connection<'r, 'a>, SceneError> {
        let (from, to) = (self.end(numbers.next()?)?, self.end(numbers.next()?)?);
        let (signal, method) = (item(self.names, numbers.next()?, "name")?, item(self.names, numbers.next()?, "name")?);
        let flags = numbers.next()?;
        let mut binds = Vec::new();
        for _ in 0..numbers.next()? {
            binds.push(item(self.variants, numbers.next()?, "value")?);
        }
        let unbinds = if self.has_unbinds { numbers.next()? } else { 0 };
        Ok(Connection { from, to, signal, method, flags, binds, unbinds })
    }

    /// The path of a node that a connection names.
    fn end(&self, number: i32) -> Result<String, SceneError> {
        match number & FLAG {
            0 => self.path(to_usize(number & INDEX)),
            _ => self.node_path(number & INDEX),
        }
    }

    /// The number of properties, instances and connections that have each value.
    fn uses(&self) -> Result<Vec<u32>, SceneError> {
        let mut uses = vec![0_u32; self.variants.len()];
        let mut count = |number: i32| {
            if let Some(uses) = uses.get_mut(to_usize(number & INDEX)) {
                *uses = uses.saturating_add(1);
            }
        };
        for start in &self.starts {
            let mut numbers = Numbers { list: self.numbers, at: start.saturating_add(4), what: "nodes" };
            match numbers.next()? {
                instance if instance < 0 => {}
                instance => count(instance),
            }
            for _ in 0..numbers.next()? {
                numbers.next()?;
                count(numbers.next()?);
            }
        }
        let Some(list) = self.connections else { return Ok(uses) };
        let mut numbers = Numbers { list, at: 0, what: "connections" };
        while numbers.at < list.len() {
            for _ in 0..5 {
                numbers.next()?;
            }
            for _ in 0..numbers.next()? {
                count(numbers.next()?);
            }
            if self.has_unbinds {
                numbers.next()?;
            }
        }
        Ok(uses)
    }
}

/// A property of a node after a change. The numbers are places among the properties that the node had.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)] // for the package of files
pub enum NodeProperty<'a> {
    /// It stays as it was.
    Kept(usize),
    /// It has another value.
    Set(usize, Variant<'a>),
    /// The node did not have it.
    Added(ByteString<'a>, Variant<'a>),
}

impl<'a> Resource<'a> {
    /// Sets a property of a node in the scene that the main resource is; adds it if the scene does not set it yet. A value that
    /// others have too stays, and a new one is added.
    ///
    /// # Errors
    ///
    /// If the main resource is not a scene, or has no such node.
    pub fn set_in_scene(&mut self, path: &str, property: &str, value: Variant<'a>) -> Result<(), SceneError> {
        let scene = Scene::new(self)?;
        let found = scene.nodes().enumerate().find(|(_, node)| node.as_ref().is_ok_and(|node| node.path == path));
        let Some((index, Ok(node))) = found else { return Err(SceneError::NotFound(path.to_owned())) };
        let mut properties: Vec<_> = (0..node.properties.len()).map(NodeProperty::Kept).collect();
        let place = node.properties.iter().rposition(|found| found.name.as_bytes() == property.as_bytes());
        match place.and_then(|place| Some((place, properties.get_mut(place)?))) {
            Some((place, found)) => *found = NodeProperty::Set(place, value),
            None => properties.push(NodeProperty::Added(property.to_owned().into(), value)),
        }
        self.set_nodes(vec![(index, properties)])
    }

    /// Sets the properties of nodes. A node is named by its number in the order of the scene. Names and values that no property
    /// has any more stay in the lists, because others are counted from their beginning.
    #[doc(hidden)] // for the package of files
    pub fn set_nodes(&mut self, nodes: Vec<(usize, Vec<NodeProperty<'a>>)>) -> Result<(), SceneError> {
        let scene = Scene::new(self)?;
        let (starts, numbers, mut uses) =
            (scene.starts.clone(), scene.numbers.iter().collect::<Vec<_>>(), scene.uses()?);
        let bundled = self.main_mut().and_then(|main| main.properties.iter_mut().find(|found| found.name == BUNDLED));
        let Some(Variant::Dictionary(bundled)) = bundled.map(|property| &mut property.value) else {
            return Err(SceneError::Missing(BUNDLED));
        };
        if let Some(Variant::Int(base)) = bundled.get("base_scene")
            && let Some(uses) = uses.get_mut(to_usize(*base))
        {
            *uses = uses.saturating_add(1);
        }
        let number = |length: usize| i32::try_from(length).unwrap_or(i32::MAX);
        let (mut after, mut copied) = (Vec::with_capacity(numbers.len()), 0);
        for (node, properties) in nodes {
            let missing = || SceneError::Missing("node");
            let start = starts.get(node).ok_or_else(missing)?.saturating_add(5);
            after.extend(numbers.get(copied..start).ok_or_else(missing)?);
            after.push(number(properties.len()));
            let (count, rest) = numbers.get(start..).and_then(<[i32]>::split_first).ok_or_else(missing)?;
            let (pairs, _) = rest.as_chunks::<2>();
            copied = start.saturating_add(1).saturating_add(to_usize(*count).saturating_mul(2));
            let pair = |place: usize| pairs.get(place).copied().ok_or(SceneError::Missing("property"));
            for property in properties {
                let (name, index, value) = match property {
                    NodeProperty::Kept(place) => {
                        after.extend(pair(place)?);
                        continue;
                    }
                    NodeProperty::Set(place, value) => {
                        let [name, index] = pair(place)?;
                        (name, Some(to_usize(index & INDEX)), value)
                    }
                    NodeProperty::Added(name, value) => {
                        let Some(Variant::PackedStringArray(names)) = bundled.get_mut("names") else {
                            return Err(SceneError::Missing("names"));
                        };
                        let found = names.iter().position(|found| *found == name);
                        (number(found.unwrap_or_else(|| push(names, name))), None, value)
                    }
                };
                let Some(Variant::Array(variants)) = bundled.get_mut("variants") else {
                    return Err(SceneError::Missing("variants"));
                };
                let index = match index.and_then(|index| Some((index, uses.get_mut(index)?))) {
                    Some((index, 0 | 1)) => {
                        *variants.elements.get_mut(index).ok_or(SceneError::Missing("variants"))? = value;
                        index
                    }
                    shared => {
                        if let Some((_, uses)) = shared {
                            *uses = uses.saturating_sub(1);
                        }
                        push(&mut variants.elements, value)
                    }
                };
                after.extend([name, number(index)]);
            }
        }
        after.extend(numbers.get(copied..).unwrap_or_default());
        if let Some(numbers) = bundled.get_mut("nodes") {
            *numbers = Variant::PackedInt32Array(after.into());
        }
        Ok(())
    }
}

/// A node that is added to a scene.
#[cfg(feature = "text")]
#[derive(Debug, Default)]
#[doc(hidden)] // for the package of files
pub struct NewNode<'a> {
    /// Its name.
    pub name: ByteString<'a>,
    /// Its class; `None` if it is an instance of another scene, or changes a node of one.
    pub class: Option<ByteString<'a>>,
    /// The path of its parent from the root, and the unique ids on the way; `None` for the root.
    pub parent: Option<(String, Option<Variant<'a>>)>,
    /// The node that owns it, likewise.
    pub owner: Option<(String, Option<Variant<'a>>)>,
    /// Its place among its siblings.
    pub index: Option<i32>,
    /// The scene that it is an instance of.
    pub instance: Option<Variant<'a>>,
    /// True if that is the path of a placeholder.
    pub is_placeholder: bool,
    /// Its unique id; 0 for none.
    pub id: i32,
    /// Its properties: the name, the value, and true if the value is the path of a node that the property holds.
    pub properties: Vec<(ByteString<'a>, Variant<'a>, bool)>,
    /// The names of its groups.
    pub groups: Vec<ByteString<'a>>,
}

/// A connection that is added to a scene. The nodes are named by paths from the root, with the unique ids on the way.
#[cfg(feature = "text")]
#[derive(Debug, Default)]
#[doc(hidden)] // for the package of files
pub struct NewConnection<'a> {
    /// The node with the signal.
    pub from: (String, Option<Variant<'a>>),
    /// The node with the method.
    pub to: (String, Option<Variant<'a>>),
    /// The name of the signal.
    pub signal: ByteString<'a>,
    /// The name of the method.
    pub method: ByteString<'a>,
    /// The flags.
    pub flags: i32,
    /// Arguments after those of the signal.
    pub binds: Vec<Variant<'a>>,
    /// The number of arguments of the signal that are left out.
    pub unbinds: i32,
}

/// Makes the dictionary of a [`Scene`] from its nodes and connections. A node that was added before is named by its number, others by
/// their paths. Equal names, values and paths are there once.
#[cfg(feature = "text")]
#[derive(Debug)]
#[doc(hidden)] // for the package of files
pub struct SceneBuilder<'a> {
    version: Version,
    names: Vec<ByteString<'a>>,
    variants: Vec<Variant<'a>>,
    node_paths: Vec<Variant<'a>>,
    id_paths: Vec<Variant<'a>>,
    nodes: Vec<i32>,
    node_ids: Vec<i32>,
    connections: Vec<i32>,
    connection_count: i64,
    editable: Vec<Variant<'a>>,
    base_scene: Option<i32>,
    /// The numbers of names, of values by their notation, of paths, and of nodes by their paths.
    places: [HashMap<Vec<u8>, i32>; 4],
}

#[cfg(feature = "text")]
impl<'a> SceneBuilder<'a> {
    /// A scene of this version without nodes.
    #[must_use]
    pub fn new(version: Version) -> Self {
        SceneBuilder {
            version,
            names: Vec::new(),
            variants: Vec::new(),
            node_paths: Vec::new(),
            id_paths: Vec::new(),
            nodes: Vec::new(),
            node_ids: Vec::new(),
            connections: Vec::new(),
            connection_count: 0,
            editable: Vec::new(),
            base_scene: None,
            places: Default::default(),
        }
    }

    /// Adds a node. The instance of the root is the scene that this one inherits from.
    ///
    /// # Errors
    ///
    /// If the numbers cannot count its names, values or place.
    pub fn node(&mut self, node: NewNode<'a>) -> Result<(), SceneError> {
        let path = match &node.parent {
            None => ".".to_owned(),
            Some((parent, _)) if parent == "." => node.name.to_str_lossy().into_owned(),
            Some((parent, _)) => format!("{parent}/{}", node.name.to_str_lossy()),
        };
        let name = self.name(node.name)?;
        let is_root = node.parent.is_none() && self.node_ids.is_empty();
        let parent = node.parent.map_or(Ok(-1), |parent| self.named(parent))?;
        let owner = node.owner.map_or(Ok(-1), |owner| self.named(owner))?;
        let class = node.class.map_or(Ok(INSTANCED), |class| self.name(class))?;
        let instance = node.instance.map_or(Ok(-1), |instance| self.value(instance))?;
        let instance = match is_root && instance >= 0 {
            true => {
                self.base_scene = Some(instance);
                -1
            }
            false => instance | if node.is_placeholder { FLAG } else { 0 },
        };
        // the place of a node has the bits above its name
        let place =
            node.index.map_or(Some(0), |index| index.checked_add(1)).filter(|place| (0..1 << 13).contains(place));
        let (Some(place), true) = (place, name <= NAME) else { return Err(SceneError::TooMany("nodes and names")) };
        let number = number(self.node_ids.len(), INDEX, "nodes")?;
        self.nodes.extend([parent, owner, class, name | place << NAME.count_ones(), instance]);
        self.nodes.push(number_of(&node.properties)?);
        for (name, value, is_node) in node.properties {
            let (name, value) = (self.name(name)?, self.value(value)?);
            self.nodes.extend([name | if is_node { FLAG } else { 0 }, value]);
        }
        self.nodes.push(number_of(&node.groups)?);
        for group in node.groups {
            let group = self.name(group)?;
            self.nodes.push(group);
        }
        self.node_ids.push(node.id);
        let [.., nodes] = &mut self.places;
        nodes.entry(path.into_bytes()).or_insert(number);
        Ok(())
    }

    /// Adds a connection.
    ///
    /// # Errors
    ///
    /// If the numbers cannot count its names and values.
    pub fn connection(&mut self, connection: NewConnection<'a>) -> Result<(), SceneError> {
        let (from, to) = (self.named(connection.from)?, self.named(connection.to)?);
        let (signal, method) = (self.name(connection.signal)?, self.name(connection.method)?);
        self.connections.extend([from, to, signal, method, connection.flags, number_of(&connection.binds)?]);
        for bind in connection.binds {
            let bind = self.value(bind)?;
            self.connections.push(bind);
        }
        // version 3 of the engine writes version 2 of a scene
        self.connections.extend((self.version == Version::V4).then_some(connection.unbinds));
        self.connection_count = self.connection_count.saturating_add(1);
        Ok(())
    }

    /// Adds an instance whose children are changed.
    pub fn editable(&mut self, path: &str) {
        self.editable.push(node_path(path));
    }

    /// The value of `_bundled`.
    #[must_use]
    pub fn bundled(self) -> Variant<'a> {
        let numbers = |numbers: Vec<i32>| Variant::PackedInt32Array(numbers.into());
        let count = i64::try_from(self.node_ids.len()).unwrap_or(i64::MAX);
        let has_ids = self.node_ids.iter().any(|id| *id != 0) || self.id_paths.iter().any(|ids| *ids != no_ids());
        let parts = [
            Some(("names", Variant::PackedStringArray(self.names))),
            Some(("variants", self.variants.into())),
            Some(("node_count", count.into())),
            Some(("nodes", numbers(self.nodes))),
            has_ids.then(|| ("node_ids", numbers(self.node_ids))),
            Some(("conn_count", self.connection_count.into())),
            Some(("conns", numbers(self.connections))),
            Some(("node_paths", self.node_paths.into())),
            has_ids.then(|| ("id_paths", self.id_paths.into())),
            Some(("editable_instances", self.editable.into())),
            self.base_scene.map(|base| ("base_scene", i64::from(base).into())),
            Some(("version", (if self.version == Version::V3 { 2 } else { 3 }).into())),
        ];
        Dictionary::new(parts.into_iter().flatten().map(|(name, value)| (name.into(), value))).into()
    }

    fn name(&mut self, name: ByteString<'a>) -> Result<i32, SceneError> {
        let [names, ..] = &mut self.places;
        if let Some(number) = names.get(name.as_bytes()) {
            return Ok(*number);
        }
        let number = number(self.names.len(), FLAG, "names")?;
        names.insert(name.to_vec(), number);
        self.names.push(name);
        Ok(number)
    }

    fn value(&mut self, value: Variant<'a>) -> Result<i32, SceneError> {
        let [_, values, ..] = &mut self.places;
        let text = value.to_gdscript(self.version).into_bytes();
        if let Some(number) = values.get(&text) {
            return Ok(*number);
        }
        let number = number(self.variants.len(), INDEX, "values")?;
        values.insert(text, number);
        self.variants.push(value);
        Ok(number)
    }

    /// The number that names a node.
    fn named(&mut self, (path, ids): (String, Option<Variant<'a>>)) -> Result<i32, SceneError> {
        let [.., paths, nodes] = &mut self.places;
        if let Some(number) =
            nodes.get(path.as_bytes()).filter(|_| ids.is_none()).or_else(|| paths.get(path.as_bytes()))
        {
            return Ok(*number);
        }
        let number = number(self.node_paths.len(), INDEX, "paths")? | FLAG;
        self.node_paths.push(node_path(&path));
        self.id_paths.push(ids.unwrap_or_else(no_ids));
        paths.insert(path.into_bytes(), number);
        Ok(number)
    }
}

#[cfg(feature = "text")]
fn no_ids<'a>() -> Variant<'a> {
    Variant::PackedInt32Array(Vec::new().into())
}

/// The NodePath of this text.
#[cfg(feature = "text")]
fn node_path(path: &str) -> Variant<'static> {
    let names = path.split('/').filter(|name| !name.is_empty());
    let names = names.map(|name| name.to_owned().into()).collect();
    Variant::NodePath(Box::new(NodePath { absolute: path.starts_with('/'), names, subnames: Vec::new() }))
}

/// The number of the item that is added to a list with this length.
#[cfg(feature = "text")]
fn number(length: usize, most: i32, what: &'static str) -> Result<i32, SceneError> {
    i32::try_from(length).ok().filter(|number| *number < most).ok_or(SceneError::TooMany(what))
}

#[cfg(feature = "text")]
fn number_of<T>(list: &[T]) -> Result<i32, SceneError> {
    i32::try_from(list.len()).map_err(|_| SceneError::TooMany("properties"))
}

/// Adds an item at the end of a list, and gives its index.
fn push<T>(list: &mut Vec<T>, item: T) -> usize {
    list.push(item);
    list.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::resource::{decode, encode};
    use crate::godot::{Dictionary, Reals, Vector2};
    use pretty_assertions::assert_eq;

    const SCENE: &[u8] = include_bytes!("../../../fixtures/godot-resource/scene.bin");

    fn position(x: f32, y: f32) -> Variant<'static> {
        Variant::Vector2(Reals::Single(Vector2 { x, y }))
    }

    /// Every node as a line.
    fn nodes(file: &Resource<'_>) -> Vec<String> {
        let scene = Scene::new(file).unwrap();
        let line = |node: Result<SceneNode<'_, '_>, SceneError>| match node {
            Ok(node) => {
                let class = node.class.map(ToString::to_string).unwrap_or_default();
                let values = node.properties.iter().map(|property| format!(" {}={:-?}", property.name, property.value));
                format!("{} {class} {:?} {:?}{}", node.path, node.owner, node.groups, values.collect::<String>())
            }
            Err(error) => error.to_string(),
        };
        scene.nodes().map(line).collect()
    }

    #[test]
    fn a_scene_of_the_engine() {
        assert!(is_scene(SCENE) && !is_scene(&SCENE[..30]) && !is_scene(b"RSRC"));
        let file = decode(SCENE).unwrap();
        assert_eq!(
            nodes(&file),
            [
                r#". Node2D None []"#,
                r#"Player Node2D Some(0) ["players"] position=Vector2(10, 20) metadata/health=7"#,
                r#"Player/Sprite Sprite2D Some(0) [] position=Vector2(10, 20) texture=SubResource(0)"#,
                r#"Timer Timer Some(0) []"#,
            ]
        );
        let scene = Scene::new(&file).unwrap();
        let connections: Vec<_> = scene.connections().map(Result::unwrap).collect();
        let shown = connections.iter().map(|found| {
            format!(
                "{}.{} to {}.{} {} {:?}",
                found.from, found.signal, found.to, found.method, found.flags, found.binds
            )
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                "Timer.timeout to Player/Sprite.hide 2 []",
                "Timer.timeout to Player.set_position 2 [Vector2(Single(Vector2 { x: 3.0, y: 4.0 }))]",
            ]
        );
    }

    /// A value of two nodes is set for one of them, and then for the other.
    #[test]
    fn shared_values_are_set_for_one_node() {
        let mut file = decode(SCENE).unwrap();
        file.set_in_scene("Player", "position", position(1.0, 2.0)).unwrap();
        let changed = encode(&file).unwrap();
        let again = decode(&changed).unwrap();
        assert!(nodes(&again)[1].contains("position=Vector2(1, 2)"));
        assert!(nodes(&again)[2].contains("position=Vector2(10, 20)"));
        file.set_in_scene("Player/Sprite", "position", position(5.0, 6.0)).unwrap();
        // the first value has only this node left, and is replaced
        assert_eq!(encode(&file).unwrap().len(), changed.len());
        assert!(nodes(&file)[2].contains("position=Vector2(5, 6)"));
        let error = file.set_in_scene("Players", "none", Variant::Null).unwrap_err();
        assert_eq!(error.to_string(), "the scene has no node Players");
    }

    /// Each line gets the property that was added to its node, and stays otherwise.
    #[test]
    fn properties_are_added_to_nodes() {
        let mut file = decode(SCENE).unwrap();
        let mut lines = nodes(&file);
        for (path, property, number) in
            [("Timer", "autostart", 3), (".", "position", 0), ("Player/Sprite", "autostart", 2)]
        {
            file.set_in_scene(path, property, Variant::Bool(true)).unwrap();
            lines[number] += &format!(" {property}=true");
            let again = encode(&file).unwrap();
            assert_eq!(nodes(&decode(&again).unwrap()), lines);
        }
        let connections = Scene::new(&file).unwrap().connections().map(|found| found.unwrap().to).collect::<Vec<_>>();
        assert_eq!(connections, ["Player/Sprite", "Player"]);
    }

    /// A scene of these numbers, with the names `A` and `B` and one value.
    fn scene(numbers: &[i32], count: i64) -> Resource<'static> {
        let mut file = decode(SCENE).unwrap().into_owned();
        let bundled = Dictionary::new([
            ("names".into(), Variant::PackedStringArray(vec!["A".into(), "B".into()])),
            ("variants".into(), vec![Variant::Int(1)].into()),
            ("node_count".into(), count.into()),
            ("nodes".into(), Variant::PackedInt32Array(numbers.into())),
        ]);
        file.main_mut().unwrap().properties[0].value = bundled.into();
        file
    }

    #[test]
    fn numbers_that_do_not_fit() {
        let root = [-1, -1, 0, 0, -1, 0, 0];
        let with = |node: [i32; 7]| [&root[..], &node].concat();
        assert_eq!(nodes(&scene(&with([0, 0, INSTANCED, 1, -1, 0, 0]), 2))[1], "B  Some(0) []");
        for (node, error) in [
            ([0, 0, 5, 1, -1, 0, 0], "the scene has no name 5"),
            ([0, 0, 0, 9, -1, 0, 0], "the scene has no name 9"),
            ([0, 0, 0, 1, 3, 0, 0], "the scene has no value 3"),
            ([1, 0, 0, 1, -1, 0, 0], "the path of node 1 has no end"),
            ([7, 0, 0, 1, -1, 0, 0], "the scene has no node"),
            ([FLAG | 2, 0, 0, 1, -1, 0, 0], "the scene has no path 2"),
        ] {
            assert_eq!(nodes(&scene(&with(node), 2))[1], error);
        }
        for (numbers, count) in [(&root[..6], 1), (&root, 2), (&root, i64::MAX), (&[-1, -1, 0, 0, -1, i32::MAX, 0], 1)]
        {
            let file = scene(numbers, count);
            assert_eq!(Scene::new(&file).unwrap_err(), SceneError::Truncated("nodes"), "{count}");
        }
        let mut file = scene(&root, 1);
        file.main_mut().unwrap().class = "Resource".into();
        assert_eq!(Scene::new(&file).unwrap_err(), SceneError::NoScene);
    }
}
