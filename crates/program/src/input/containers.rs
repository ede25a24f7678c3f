//! Containers: files that hold values of a format. Every command goes through these values one by one.

use std::ops::ControlFlow;

use enginewire_files::containers::{Address, Container, ContainerError, ContainerKind, Embedded};
use enginewire_files::roblox::model::FileKind;
use serde::{Serialize, Serializer};
use serde_json::{json, Value};

use crate::exit_status::Status;
use crate::input::pattern::{is_like, is_like_text};
use crate::output::escape::escaped;
use crate::output::name::Name;
use crate::size::size_text;

/// Names of containers that `--format` accepts.
pub const CONTAINERS: [&str; 3] = ["rbxm", "rbxmx", "godot-packets"];

/// The description of a part that is not a value of the format.
const NOT_A_VALUE: &str = "not an attribute or Lua value (skipped)";

/// Returns true if a container can hold values of this format, or if `format` is the name of the container itself.
pub fn is_of(kind: ContainerKind, format: &str) -> bool {
    match (kind, format) {
        (ContainerKind::Model(FileKind::Binary), "rbxm") | (ContainerKind::Model(FileKind::Xml), "rbxmx") => true,
        (ContainerKind::ScenePackets, "godot-packets") => true,
        (kind, format) => kind.formats().contains(&format),
    }
}

/// The name of a container.
pub fn name(kind: ContainerKind) -> &'static str {
    match kind {
        ContainerKind::Model(FileKind::Binary) => "rbxm",
        ContainerKind::Model(FileKind::Xml) => "rbxmx",
        ContainerKind::Packets | ContainerKind::PacketLines => "roblox-remote --dump",
        ContainerKind::Save => "save",
        ContainerKind::Blueprint => "blueprint",
        ContainerKind::Project => "project.binary",
        ContainerKind::Config => "ConfigFile",
        ContainerKind::Pack => "pack",
        ContainerKind::Script => "compiled script",
        ContainerKind::Frames(_) => "frames",
        ContainerKind::Values(_) => "values",
        ContainerKind::ScenePackets => "godot-packets",
        ContainerKind::Scene => "scene",
        _ => "container",
    }
}

/// The address of a value: members of a JSON object, in their order.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    members: Vec<(&'static str, Value)>,
    /// The location of its bytes, for messages.
    pub stored: Option<String>,
}

impl Origin {
    /// Of these members.
    pub fn of(members: Vec<(&'static str, Value)>) -> Self {
        Origin { members, stored: None }
    }

    /// Of these members, in a file.
    pub fn new(file: &Name, mut members: Vec<(&'static str, Value)>) -> Self {
        members.insert(0, ("file", json!(file)));
        Origin::of(members)
    }

    /// The same without the file.
    #[must_use]
    pub fn without_file(&self) -> Self {
        Origin::of(self.members.iter().filter(|(name, _)| *name != "file").cloned().collect())
    }

    /// The members.
    pub fn members(&self) -> &[(&'static str, Value)] {
        &self.members
    }

    /// The class of its instance.
    pub fn class(&self) -> Option<&str> {
        self.members.iter().find(|(name, _)| *name == "class").and_then(|(_, class)| class.as_str())
    }

    /// For the value with this address in a file. A list of tags, if there is one, becomes a member after the address.
    pub fn embedded(file: &Name, address: &Address, stored: Option<String>, tags: Vec<String>) -> Self {
        let mut origin = Origin { stored, ..Origin::new(file, address.members().to_vec()) };
        if !tags.is_empty() {
            origin.members.push(("tags", tags.into_iter().map(Value::String).collect()));
        }
        origin
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.members.iter().map(|(name, value)| (name, value)))
    }
}

/// Returns true if `wanted` names a value of a container. It is an address given by the user, and may be a pattern. For
/// attributes and tags, the path or referent of the instance is enough.
pub fn is_named(value: &Embedded<'_>, wanted: &str) -> bool {
    let member = |name: &str| {
        let mut members = value.address.members().iter();
        members.find_map(|(member, value)| value.as_str().filter(|_| *member == name))
    };
    let address = value.address.to_string();
    if is_like(&address, wanted) || has_keys(&address, value.address.members(), wanted) {
        return true;
    }
    let Some(property) = member("property") else { return false };
    let instance = address.strip_suffix(property).and_then(|path| path.strip_suffix(' ')).unwrap_or(&address);
    let referent = member("referent").map(|referent| format!("#{referent}"));
    let is_path = |path: &String| is_like(path, wanted) || is_like(&format!("{path} {property}"), wanted);
    is_like(instance, wanted)
        || value.path.as_ref().is_some_and(is_path)
        || referent.is_some_and(|referent| wanted == referent || wanted == format!("{referent} {property}"))
}

/// An address that names a value by members instead of a number: `ScriptData`, and `id` with `158`, of `ScriptData[id=158]`.
pub fn keyed(wanted: &str) -> Option<(&str, Vec<(&str, &str)>)> {
    let (list, keys) = wanted.strip_suffix(']')?.rsplit_once('[')?;
    Some((list, keys.split(',').map(|key| key.split_once('=')).collect::<Option<_>>()?))
}

/// Returns true if a value has the members that an address gives: see [`keyed`].
pub fn has_keys(address: &str, members: &[(&'static str, Value)], wanted: &str) -> bool {
    let Some((wanted, keys)) = keyed(wanted) else { return false };
    let has = |(key, text): &(&str, &str)| {
        let member = members.iter().find(|(name, _)| *name == key.trim()).map(|(_, member)| text_of(member));
        member.is_some_and(|member| is_like_text(&member.to_ascii_lowercase(), &text.trim().to_ascii_lowercase()))
    };
    address.rsplit_once('[').is_some_and(|(list, _)| is_like(list, wanted)) && keys.iter().all(has)
}

/// The members that name a value, in the form of [`keyed`]: `id=158,channel=41`.
pub fn keys(members: &[(&'static str, Value)]) -> String {
    let is_known = members.iter().any(|(name, _)| ["table", "child", "node"].contains(name));
    let keys = members.iter().filter(|(name, _)| is_known && KEYS.contains(name));
    keys.map(|(name, member)| format!("{name}={}", escaped(text_of(member)))).collect::<Vec<_>>().join(",")
}

/// The members that identify a value, whatever its number is in another file.
pub fn identity(members: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    let identifies = |name| ["id", "channel", "uid", "key", "shape", "section"].contains(&name);
    members.iter().filter(|(name, _)| identifies(*name)).cloned().collect()
}

/// The address of a row by all of its keys: `ScriptData[id=158,channel=41]`.
pub fn row(members: &[(&'static str, Value)]) -> Option<String> {
    let (_, table) = members.iter().find(|(name, _)| *name == "table")?;
    Some(format!("{}[{}]", table.as_str()?, keys(members))).filter(|row| is_row(row))
}

/// Returns true if an address gives all keys of a row, in the form of [`row`]. Such rows are found without going through all.
pub fn is_row(address: &str) -> bool {
    keyed(address).is_some_and(|(_, keys)| {
        let is_other = |text: &str| text.contains(|char: char| char.is_ascii_uppercase() || "* ".contains(char));
        matches!(keys[..], [("id", _), ("channel", _)] | [("uid", _), ("key", _)])
            && !keys.iter().any(|(_, text)| is_other(text))
    })
}

fn text_of(member: &Value) -> String {
    member.as_str().map_or_else(|| member.to_string(), str::to_owned)
}

/// The members that name rows of saves, parts of blueprints, and nodes of scenes.
const KEYS: [&str; 6] = ["id", "channel", "uid", "key", "shape", "type"];

/// The address of the only value of a stream, which needs none.
pub fn only_address(kind: ContainerKind, container: &dyn Container) -> Option<&'static str> {
    let mut count = 0usize;
    if matches!(kind, ContainerKind::Frames(_)) {
        let counted = container.values(&mut |_| {
            count = count.saturating_add(1);
            if count > 1 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        // an error in it is reported when it is read
        count = counted.map_or(0, |()| count);
    }
    (count == 1).then_some("[0]")
}

/// A description of what is not a value of the format.
pub fn other(embedded: &Embedded<'_>) -> Option<String> {
    let mut members = embedded.address.members().iter();
    if let Some((_, target)) = members.find(|(name, _)| *name == "target") {
        return Some(format!("attribute that refers to {}", target.as_str().map_or("nothing".to_owned(), escaped)));
    }
    match &embedded.tags[..] {
        _ if !embedded.formats.is_empty() => None,
        [] => Some(embedded.stored.as_deref().map_or(NOT_A_VALUE.to_owned(), escaped)),
        tags => {
            let parts = tags.iter().flat_map(|tag| [", ", tag]).skip(1);
            let mut text: String = parts.flat_map(str::chars).take(TAGS + 1).collect();
            if let Some((end, _)) = text.char_indices().nth(TAGS) {
                text.replace_range(end.., "…");
            }
            Some(escaped(text))
        }
    }
}

/// The most characters of tags that are shown.
const TAGS: usize = 4096;

/// The text of an error, with how to raise a limit that was reached.
pub fn error_text(error: &ContainerError) -> String {
    match error {
        ContainerError::TooLarge { what, limit } => more(format!("{what} the limit of {}", size_text(*limit))),
        ContainerError::OverLimit(text) => more(escaped(text)),
        ContainerError::NeedsKey(what) => format!(
            "{what} is encrypted; pass its --password or --key-file, or set ENGINEWIRE_PASSWORD or ENGINEWIRE_KEY"
        ),
        other => escaped(other),
    }
}

/// The exit status that an error gives.
pub fn status(error: &ContainerError) -> Status {
    match error {
        ContainerError::Unreadable(_) => Status::Io,
        ContainerError::Truncated(_) => Status::Truncated,
        ContainerError::Refused(_) | ContainerError::NeedsKey(_) => Status::Usage,
        ContainerError::NoSuchValue(_) => Status::NotFound,
        _ => Status::Malformed,
    }
}

/// Adds how to raise the limit to an error about memory.
pub fn more(error: impl ToString) -> String {
    format!("{}; raise the limit with --max-memory", error.to_string())
}
