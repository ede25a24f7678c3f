//! The error of texts.

use std::borrow::Cow;
use std::fmt::Display;

/// Why a text is not what it should be: a document, a value in the notation of an engine, the path of a value, or what a value can
/// be changed to.
///
/// ```
/// use enginewire::roblox::attributes::{Attributes, TypeId, Value};
/// use enginewire::{json, TextError};
///
/// let error: TextError = Value::from_luau("5", Some(TypeId::Vector3)).unwrap_err();
/// assert_eq!(error.to_string(), "expected a Vector3 such as Vector3.new(1, 2, 3), found 5");
/// let error: TextError = Value::from_luau("Vector3.new(1, x)", None).unwrap_err();
/// assert_eq!(error.to_string(), "expected a number, found x, at offset 15, in a Vector3 such as Vector3.new(1, 2, 3)");
/// assert_eq!((error.reason(), error.offset()), ("expected a number, found x", Some(15)));
///
/// let text = br#"{"format": "roblox-attributes", "entries": [7]}"#;
/// let error: TextError = json::from_slice::<Attributes<'_>>(text).unwrap_err();
/// assert_eq!(error.path(), "entries[0]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}{}{reason}{place}", if .path.is_empty() { "" } else { ": " })]
pub struct TextError {
    path: String,
    offset: Option<usize>,
    reason: Cow<'static, str>,
    place: String,
}

impl TextError {
    /// An error in a text as a whole.
    pub fn new(reason: impl Into<Cow<'static, str>>) -> Self {
        TextError { path: String::new(), offset: None, reason: reason.into(), place: String::new() }
    }

    /// The same at an offset or a line, which `place` says in the words that follow the reason.
    pub(crate) fn at(self, offset: Option<usize>, place: impl Into<String>) -> Self {
        TextError { offset, place: place.into(), ..self }
    }

    /// The same with words after its place.
    pub(crate) fn and(self, more: &str) -> Self {
        TextError { place: self.place + more, ..self }
    }

    /// The same in a value that lies at `path` in another, where the path of this error goes on.
    pub(crate) fn inside(self, path: impl Display) -> Self {
        let outer = path.to_string();
        let dot = if outer.is_empty() || self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        TextError { path: format!("{outer}{dot}{}", self.path), ..self }
    }

    /// The member at fault: `entries[3].value.x`. Empty if the text has no members, is not JSON, or is at fault as a whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The offset in the text, in bytes. JSON has none: its [message](Self::message) names a line and a column.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.offset
    }

    /// The expected and the found text, or another reason. Characters of the text that could disturb a terminal are escaped.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The reason with its offset, or its line and column: everything except the [path](Self::path).
    #[must_use]
    pub fn message(&self) -> String {
        format!("{}{}", self.reason, self.place)
    }
}
