//! Failures of the parsers of text.

use std::borrow::Cow;
use std::fmt;

use nom::error::{ErrorKind, ParseError};
use nom::Err;

use super::text::{write_printable, Printable};
use crate::error::{does_not_fit, with_article};
use crate::TextError;

/// A type, and an example of its values: `a Vector3 such as Vector3.new(1, 2, 3)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Example {
    pub(crate) name: &'static str,
    pub(crate) example: &'static str,
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} such as {}", with_article(self.name), self.example)
    }
}

/// The result of a parser of text: the text after the value, and the value.
pub(crate) type Read<'t, T> = nom::IResult<&'t str, T, Failure<'t>>;

/// The place and the reason of a failure, before the start of the text is known.
#[derive(Clone, Debug)]
pub(crate) struct Failure<'t> {
    /// The text from there on.
    at: &'t str,
    reason: Cow<'static, str>,
    shows_found: bool,
    shape: Option<Example>,
    /// A number that a type of Rust cannot hold, and that type, until the name of the type is known.
    unfit: Option<Box<(String, &'static str)>>,
}

/// Fails because the text should continue with `what`.
pub(crate) fn expected<'t, T>(at: &'t str, what: impl fmt::Display) -> Read<'t, T> {
    let reason = Cow::Owned(format!("expected {what}"));
    Err(Err::Error(Failure { at, reason, shows_found: true, shape: None, unfit: None }))
}

/// Fails for another reason.
pub(crate) fn invalid<'t, T>(at: &'t str, reason: impl Into<Cow<'static, str>>) -> Read<'t, T> {
    Err(Err::Failure(Failure { at, reason: reason.into(), shows_found: false, shape: None, unfit: None }))
}

/// Fails because this type of Rust cannot hold a number.
#[cold]
pub(crate) fn unfit<'t, T>(at: &'t str, number: &str, of: &'static str) -> Read<'t, T> {
    let (reason, unfit) = (does_not_fit(&number, "", of).into(), Some(Box::new((number.to_owned(), of))));
    Err(Err::Error(Failure { at, reason, shows_found: false, shape: None, unfit }))
}

/// Runs `read`. If it fails, the error shows the shape of such values.
pub(crate) fn shaped<'t, T>(shape: Example, input: &'t str, read: impl FnOnce(&'t str) -> Read<'t, T>) -> Read<'t, T> {
    read(input).map_err(|error| error.map(|failure| failure.in_shape(shape, input)))
}

impl<'t> Failure<'t> {
    fn in_shape(self, shape: Example, start: &'t str) -> Self {
        let is_at_start = self.at.len() == start.len();
        match (self.shape, &self.unfit) {
            (None, Some(unfit)) if is_at_start => {
                Failure { reason: does_not_fit(&unfit.0, shape.name, unfit.1).into(), unfit: None, ..self }
            }
            (None, _) if is_at_start && self.shows_found => {
                Failure { reason: format!("expected {shape}").into(), shape: None, ..self }
            }
            // of several, the innermost
            (None, _) => Failure { shape: Some(shape), ..self },
            (Some(_), _) => self,
        }
    }

    /// The error. Its offset counts from the start of `text`, which this is part of.
    pub(crate) fn into_error(self, text: &str) -> TextError {
        let offset = text.len().saturating_sub(self.at.len());
        // a text that is wrong from its beginning on needs no offset
        let mut place = if offset > 0 { format!(", at offset {offset}") } else { String::new() };
        place.extend(self.shape.map(|shape| format!(", in {shape}")));
        let reason = match self.shows_found {
            true => format!("{}, found {}", self.reason, found(self.at, offset == 0)).into(),
            false => self.reason,
        };
        TextError::new(reason).at(Some(offset), place)
    }

    /// The error of a path.
    pub(crate) fn of_path(self, path: &str) -> TextError {
        let offset = path.len().saturating_sub(self.at.len());
        TextError::new(self.reason).at(Some(offset), format!(" at byte {offset} of the path {path:?}"))
    }
}

/// The most characters that are shown of the text found.
const SHOWN: usize = 24;

/// The start of the text found: a word, a number or a sign; or of all the text, if it is wrong from its start.
fn found(at: &str, is_all: bool) -> String {
    let is_sign = |char: char| ",;:()[]{}=".contains(char);
    let is_word = !at.starts_with(is_sign);
    let ends = |(index, char): &(usize, char)| {
        let ends = !is_word || char.is_whitespace() || is_sign(*char);
        (*index > 0 && ends && !is_all) || *index >= SHOWN
    };
    let end = at.char_indices().find(ends).map_or(at.len(), |(index, _)| index);
    let word = at.get(..end).unwrap_or_default();
    if word.is_empty() {
        return "the end".to_owned();
    }
    let mut shown = String::new();
    // writing to memory does not fail
    let _ = word.chars().try_for_each(|char| write_printable(char, Printable::AsUnicode, &mut shown));
    if word.len() >= SHOWN && end < at.len() {
        shown.push('…');
    }
    shown
}

impl<'t> ParseError<&'t str> for Failure<'t> {
    fn from_error_kind(at: &'t str, _: ErrorKind) -> Self {
        Failure { at, reason: "unexpected text".into(), shows_found: true, shape: None, unfit: None }
    }

    fn append(_: &'t str, _: ErrorKind, other: Self) -> Self {
        other
    }

    /// The error of the attempt that got further in the text.
    fn or(self, other: Self) -> Self {
        match other.at.len() < self.at.len() {
            true => other,
            false => self,
        }
    }
}
