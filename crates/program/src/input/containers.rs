//! Containers: files that hold values of a format. Every command goes through these values one by one.

use std::fmt;
use std::ops::ControlFlow;

use enginewire_files::address::{Address, Component, Syntax};
use enginewire_files::containers::{Container, ContainerError, ContainerKind, Embedded, Member};
use serde::{Serialize, Serializer};
use serde_json::{json, Value};

use crate::exit_status::Status;
use crate::output::escape::escaped;
use crate::output::name::Name;
use crate::size::size_text;

/// The description of a part that is not a value of the format.
const NOT_A_VALUE: &str = "not an attribute or Lua value (skipped)";

/// The place of a value: its address for people, and the members of a JSON object for programs.
#[derive(Clone, Debug)]
pub struct Place {
    pub text: String,
    pub members: Vec<Member>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.members.iter().map(|(name, value)| (name, value)))
    }
}

/// The address of a value: members of a JSON object, in their order.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    members: Vec<Member>,
    /// The location of its bytes, for messages.
    pub stored: Option<String>,
}

impl Origin {
    /// Of these members.
    pub fn of(members: Vec<Member>) -> Self {
        Origin { members, stored: None }
    }

    /// Of these members, in a file.
    pub fn new(file: &Name, mut members: Vec<Member>) -> Self {
        members.insert(0, ("file", json!(file)));
        Origin::of(members)
    }

    /// The same without the file.
    #[must_use]
    pub fn without_file(&self) -> Self {
        Origin::of(self.members.iter().filter(|(name, _)| *name != "file").cloned().collect())
    }

    /// The members.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The class of its instance.
    pub fn class(&self) -> Option<&str> {
        self.members.iter().find(|(name, _)| *name == "class").and_then(|(_, class)| class.as_str())
    }

    /// For the value with these members in a file. A list of tags, if there is one, becomes a member after the address.
    pub fn embedded(file: &Name, members: Vec<Member>, stored: Option<String>, tags: Vec<String>) -> Self {
        let mut origin = Origin { stored, ..Origin::new(file, members) };
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

/// The shape of a part of a blueprint, or the type of a node of a scene: `shape=3c1c…`.
pub fn about(members: &[Member]) -> Vec<String> {
    let about = members.iter().filter(|(name, _)| ["shape", "type"].contains(name));
    about.map(|(name, member)| format!("{name}={}", escaped(text_of(member)))).collect()
}

/// The members that identify a value, whatever its number is in another file.
pub fn identity(members: &[Member]) -> Vec<Member> {
    let identifies = |name| ["id", "channel", "uid", "key", "shape", "section"].contains(&name);
    members.iter().filter(|(name, _)| identifies(*name)).cloned().collect()
}

fn text_of(member: &Value) -> String {
    member.as_str().map_or_else(|| member.to_string(), str::to_owned)
}

/// The address of the only value of a stream, which needs none.
pub fn only_address(kind: ContainerKind, container: &dyn Container) -> Option<Address> {
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
    (count == 1).then(|| Address::new(Syntax::Items, [Component::number(0)]))
}

/// A description of what is not a value of the format.
pub fn other(embedded: &Embedded<'_>) -> Option<String> {
    let mut members = embedded.members.iter();
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
        ContainerError::ChangedMeanwhile(_) => Status::ChangedMeanwhile,
        _ => Status::Malformed,
    }
}

/// Adds how to raise the limit to an error about memory.
pub fn more(error: impl ToString) -> String {
    format!("{}; raise the limit with --max-memory", error.to_string())
}
