//! Containers: files that hold values of a format. Every command goes through these values one by one.

use std::fmt;
use std::ops::ControlFlow;

use enginewire_files::address::{Address, Component, Syntax};
use enginewire_files::containers::{About, Container, ContainerError, ContainerKind, Embedded, Member, ValueAddress};
use serde::{Serialize, Serializer};
use serde_json::{json, Value};

use crate::exit_status::{Refusal, Status};
use crate::output::escape::escaped;
use crate::output::name::Name;
use crate::size::size_text;

/// The description of a part that is not a value of the format.
const NOT_A_VALUE: &str = "not an attribute or Lua value (skipped)";

/// The place of a value: its address for people, and the members of a JSON object for programs.
#[derive(Clone, Debug)]
pub struct Place<'v> {
    /// The file in a pack that holds it.
    pub entry: Option<String>,
    pub address: ValueAddress<'v>,
    pub about: About<'v>,
}

impl Place<'_> {
    /// The members of a JSON object, in their order.
    pub fn members(&self) -> Vec<Member> {
        let entry = self.entry.iter().map(|entry| ("entry", json!(entry)));
        entry.chain(self.about.members().iter().cloned()).collect()
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entry.iter().try_for_each(|entry| write!(f, "{entry} "))?;
        fmt::Display::fmt(&self.address, f)
    }
}

impl Serialize for Place<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.members())
    }
}

/// The address of a value: members of a JSON object, in their order, which are made when they are asked for.
#[derive(Clone, Debug, Default)]
pub struct Origin<'v> {
    /// Those before the others.
    first: Vec<Member>,
    file: Option<&'v Name>,
    pub about: About<'v>,
}

impl<'v> Origin<'v> {
    /// Of these members.
    pub fn of(members: Vec<Member>) -> Self {
        Origin { first: members, ..Origin::default() }
    }

    /// Of a value in a file.
    pub fn embedded(file: &'v Name, about: About<'v>) -> Self {
        Origin { first: Vec::new(), file: Some(file), about }
    }

    /// The same without the file.
    #[must_use]
    pub fn without_file(&self) -> Self {
        Origin { file: None, ..self.clone() }
    }

    /// True if one of its members is the file.
    pub fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// The members. A list of tags, if there is one, becomes a member after the address.
    pub fn members(&self) -> Vec<Member> {
        let (file, tags) = (self.file.map(|file| ("file", json!(file))), self.about.tags());
        let tags = (!tags.is_empty()).then(|| ("tags", json!(tags)));
        let first = file.into_iter().chain(self.first.iter().cloned());
        first.chain(self.about.members().iter().cloned()).chain(tags).collect()
    }
}

impl Serialize for Origin<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.members())
    }
}

/// The shape of a part of a blueprint, or the class of a node of a scene: `shape=3c1c…`.
pub fn about(members: &[Member]) -> Vec<String> {
    let about = members.iter().filter(|(name, _)| ["shape", "class"].contains(name));
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
    if !embedded.formats.is_empty() {
        return None;
    }
    let about = &embedded.about;
    let mut members = about.given().iter();
    if let Some((_, target)) = members.find(|(name, _)| *name == "target") {
        return Some(format!("attribute that refers to {}", target.as_str().map_or("nothing".to_owned(), escaped)));
    }
    match &about.tags()[..] {
        [] => Some(about.stored().map_or(NOT_A_VALUE.to_owned(), escaped)),
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

impl From<&ContainerError> for Refusal {
    fn from(error: &ContainerError) -> Self {
        status(error).because(error_text(error))
    }
}

impl From<ContainerError> for Refusal {
    fn from(error: ContainerError) -> Self {
        (&error).into()
    }
}

/// Adds how to raise the limit to an error about memory.
pub fn more(error: impl ToString) -> String {
    format!("{}; raise the limit with --max-memory", error.to_string())
}
