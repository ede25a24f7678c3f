//! Errors as TypeScript receives them: JSON text, whose `kind` determines the class of the error.

use std::cell::RefCell;

use enginewire::formats::{DecodeJsonError, EditError, OptionError};
use enginewire::{DecodeError, EncodeError, TextError};
#[cfg(feature = "godot_files")]
use enginewire_files::containers::ContainerError;
#[cfg(feature = "models")]
use enginewire_files::roblox::model::{ModelError, PropertyError};
#[cfg(feature = "scrap_mechanic")]
use enginewire_files::scrap_mechanic::blueprint::{BlueprintError, PartError};
use serde::Serialize;
use wasm_bindgen::prelude::JsValue;

use crate::offered::{heeded, FORMATS};

/// The name of an option in TypeScript: `maxDepth` for `max_depth`.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let (head, tail) = part.split_at_checked(1).unwrap_or((part, ""));
        name + &head.to_ascii_uppercase() + tail
    })
}

/// The message for an option with an invalid value.
pub(crate) fn invalid_option(name: &str, reason: &str) -> String {
    format!("invalid value for the option {}: {reason}", camel(name))
}

/// An error on its way to TypeScript.
#[derive(Debug)]
pub(crate) struct Failure(Box<Details>);

/// The members of an error, by their names in TypeScript. Unknown ones are left out.
#[derive(Debug, Default, Serialize)]
struct Details {
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bit: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<String>,
}

impl Details {
    fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Failure {
    /// An invalid option or argument.
    pub(crate) fn of_options(message: impl ToString) -> Self {
        Failure(Box::new(Details { kind: "argument", message: message.to_string(), ..Details::default() }))
    }

    /// An invalid option, named as in TypeScript.
    pub(crate) fn of_option(error: &OptionError) -> Self {
        Failure::of_options(match error {
            OptionError::Unknown { name, .. } => {
                let mut known = Vec::new();
                for option in FORMATS.iter().flat_map(|(_, format)| heeded(*format)) {
                    let name = camel(option.name);
                    if let Err(place) = known.binary_search(&name) {
                        known.insert(place, name);
                    }
                }
                format!("unknown option {:?}; expected one of {}", camel(name), known.join(", "))
            }
            OptionError::Invalid { name, reason } => invalid_option(name, reason),
            other => other.to_string(),
        })
    }

    /// An error of decoding, without a report, because the bytes are not at hand.
    pub(crate) fn of_error(error: &DecodeError) -> Self {
        Failure(Box::new(Details {
            kind: "decode",
            message: error.to_string(),
            reason: Some(error.fault().to_string()),
            code: Some(error.fault().code()),
            offset: Some(error.offset().byte()),
            bit: Some(error.offset().bit()),
            path: Some(error.path().to_string()),
            expected: error.fault().expected(),
            truncated: Some(error.is_truncated()),
            report: None,
        }))
    }

    /// An error of decoding, with a report, which shows the bytes around it to people.
    pub(crate) fn of_bytes(error: &DecodeError, bytes: &[u8], name: &str) -> Self {
        let Failure(mut details) = Failure::of_error(error);
        details.report = Some(error.report(name, bytes).to_string());
        Failure(details)
    }

    /// The reason why bytes cannot be decoded to JSON text.
    pub(crate) fn of_json(error: DecodeJsonError, bytes: &[u8], name: &str) -> Self {
        match error {
            DecodeJsonError::Decode(error) => Failure::of_bytes(&error, bytes, name),
            DecodeJsonError::Form(error) => error.into(),
            other => Failure::of_file("other", &other, None),
        }
    }

    /// An error in a file that has only a message, and perhaps an offset.
    pub(crate) fn of_file(code: &'static str, error: &dyn ToString, offset: Option<u64>) -> Self {
        let (message, code) = (error.to_string(), Some(code));
        Failure(Box::new(Details { kind: "decode", message, code, offset, ..Details::default() }))
    }

    /// Why a file, or a value in it, cannot be read.
    #[cfg(feature = "godot_files")]
    pub(crate) fn of_container(error: &ContainerError, offset: Option<u64>) -> Self {
        let code = match error {
            ContainerError::Truncated(_) => "truncated",
            ContainerError::OverLimit(_) | ContainerError::TooMuch(_) | ContainerError::TooLarge { .. } => "too-large",
            ContainerError::Refused(_) | ContainerError::NeedsKey(_) | ContainerError::Unreadable(_) => "refused",
            _ => "godot-file",
        };
        let Failure(mut details) = Failure::of_file(code, error, offset);
        details.truncated = Some(code == "truncated");
        Failure(details)
    }

    /// Why a file cannot be changed so.
    #[cfg(feature = "godot_files")]
    pub(crate) fn of_change(error: &ContainerError) -> Self {
        match error {
            ContainerError::TooLarge { .. } => Failure::of_container(error, None),
            other => Failure::of_value("edit", other, other, &""),
        }
    }

    /// The same, in a part of a file: offsets count from its start.
    #[cfg(feature = "scrap_mechanic")]
    pub(crate) fn within(self, part: &str) -> Self {
        let Failure(mut details) = self;
        details.message = format!("{} of the {part}", details.message);
        Failure(details)
    }

    /// Why a value cannot be encoded.
    fn of_value(code: &'static str, message: &dyn ToString, reason: &dyn ToString, path: &dyn ToString) -> Self {
        let [message, reason, path] = [message, reason, path].map(ToString::to_string);
        let (reason, code, path) = (Some(reason), Some(code), Some(path));
        Failure(Box::new(Details { kind: "encode", message, reason, code, path, ..Details::default() }))
    }

    /// Why a text in the notation of an engine cannot be encoded.
    pub(crate) fn of_notation(error: EditError) -> Self {
        match error {
            EditError::Invalid(error) => Failure::of_value("notation", &error, &error, &""),
            other => other.into(),
        }
    }

    /// Why a value cannot be that of an attribute.
    #[cfg(feature = "models")]
    pub(crate) fn of_member(key: &str, error: &TextError) -> Self {
        Failure::of_value("document", &format!("{key}: {error}"), &error.message(), &error.path())
    }

    /// The text that TypeScript makes an exception of.
    #[cfg(feature = "godot_files")]
    pub(crate) fn text(&self) -> String {
        self.0.text()
    }

    /// As an exception.
    pub(crate) fn thrown(self) -> JsValue {
        JsValue::from_str(&self.0.text())
    }
}

impl From<EncodeError> for Failure {
    fn from(error: EncodeError) -> Self {
        Failure::of_value("value", &error, error.reason(), error.path())
    }
}

impl From<TextError> for Failure {
    fn from(error: TextError) -> Self {
        Failure::of_value("document", &error, &error.message(), &error.path())
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Invalid(error) => error.into(),
            EditError::Decode(error) => Failure::of_error(&error.of_complete_input()),
            EditError::Encode(error) => error.into(),
            other => Failure::of_value("edit", &other, &other, &""),
        }
    }
}

#[cfg(feature = "models")]
impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        match &error {
            ModelError::Encode(error) => error.clone().into(),
            ModelError::File(error) => Failure::of_error(error),
            other => {
                let code = if other.is_of_limit() { "too-large" } else { "model" };
                Failure::of_file(code, other, other.offset())
            }
        }
    }
}

#[cfg(feature = "models")]
impl From<PropertyError> for Failure {
    fn from(error: PropertyError) -> Self {
        match &error {
            PropertyError::Decode(error) => Failure::of_error(&error.clone().of_complete_input()),
            PropertyError::NoInstance(_) => Failure::of_options(error),
            other => Failure::of_file("model", other, None),
        }
    }
}

#[cfg(feature = "scrap_mechanic")]
impl From<BlueprintError> for Failure {
    fn from(error: BlueprintError) -> Self {
        let code = if matches!(error, BlueprintError::Memory(_)) { "too-large" } else { "blueprint" };
        Failure::of_file(code, &error, None)
    }
}

#[cfg(feature = "scrap_mechanic")]
impl From<PartError> for Failure {
    fn from(error: PartError) -> Self {
        match &error {
            PartError::Object(error) => Failure::of_error(error),
            other => Failure::of_file("blueprint", other, None),
        }
    }
}

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The error that [`or_zero`] kept.
pub(crate) fn take() -> String {
    LAST.take()
}

/// The address, or 0 if there is an error, which is kept: to return a `Result` to JavaScript takes much longer.
pub(crate) fn or_zero(result: Result<usize, Failure>) -> usize {
    result.unwrap_or_else(|Failure(details)| {
        LAST.set(details.text());
        0
    })
}
