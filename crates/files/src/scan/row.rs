//! The rows of a file.

use std::borrow::Cow;

use base16ct::lower;
use bstr::ByteSlice;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::Value;

use crate::roblox::model::{ChunkFault, Listing, ModelError, Property, ValueError};
use enginewire::roblox::attributes::Entry;
use enginewire::DecodeError;

/// The name of the type of attributes that hold references.
pub const REFERENCE: &str = "Reference";

/// A member of a JSON object.
pub(super) type Member = (&'static str, Value);

/// A row: a property of an instance, a fact about it, and its place in the file. As JSON it is an object with all of these.
#[derive(Debug)]
pub struct Row<'r> {
    /// The members that name the instance and the property.
    pub(super) owner: &'r [Member],
    /// The members that give the place of the property in the file.
    pub(super) place: &'r [Member],
    /// The property, unless the row is about the whole file or about a reference.
    pub property: Option<(&'r Listing, &'r Property<'r>)>,
    /// The fact.
    pub fact: Fact<'r>,
}

/// The fact that a row states.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fact<'r> {
    /// An attribute.
    Attribute(&'r Entry<'r>),
    /// The tags of an instance.
    Tags(Tags<'r>),
    /// An attribute that holds a reference.
    Reference {
        /// Its name.
        key: String,
        /// The path of the instance that it refers to, unless it is nil.
        target: Option<String>,
    },
    /// An error in a value, or in the file.
    Problem(Problem<'r>),
    /// The file has none of these.
    Nothing,
}

/// The tags of a property, as an iterator: a small file can have millions of them. As JSON they are a list.
#[derive(Clone, Copy, Debug)]
pub struct Tags<'r>(pub(super) &'r Property<'r>);

impl<'r> Tags<'r> {
    /// The tags as text.
    pub fn iter(self) -> impl Iterator<Item = Cow<'r, str>> {
        self.0.tags().map(|tag| tag.to_str_lossy())
    }
}

/// An error in a file or a value.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem<'r> {
    /// Nothing of the file can be read.
    Unread {
        /// The reason.
        message: &'r str,
        /// The error, unless the file could not even be opened.
        error: Option<&'r ModelError>,
    },
    /// An error in a part of the file.
    File(&'r ModelError),
    /// The bytes of a property cannot be read.
    Value(&'r ValueError),
    /// The attributes of a property are invalid from some byte on.
    Decode(DecodeError),
    /// The limit of memory is too low, with the reason.
    Limit(Cow<'r, str>),
}

impl Problem<'_> {
    /// The message.
    #[must_use]
    pub fn message(&self) -> Cow<'_, str> {
        match self {
            Problem::Unread { message, .. } => (*message).into(),
            Problem::File(ModelError::File(error)) | Problem::Decode(error) => error.fault().to_string().into(),
            Problem::File(error) => error.to_string().into(),
            Problem::Value(error) => error.to_string().into(),
            Problem::Limit(message) => (&**message).into(),
        }
    }

    /// A short name of this kind of error, which is the same in every version.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Problem::Unread { error: None, .. } => "not-read",
            Problem::Unread { error: Some(error), .. } | Problem::File(error) => match error {
                ModelError::Io(_) => "not-read",
                ModelError::NotAModel => "not-a-model",
                ModelError::NoEnd { .. } | ModelError::XmlEnd { .. } => "truncated",
                ModelError::Trailing { .. } => "trailing-bytes",
                ModelError::File(error) | ModelError::Chunk { fault: ChunkFault::Data(error), .. } => {
                    error.fault().code()
                }
                error if error.is_of_limit() => "over-limit",
                _ => "malformed",
            },
            Problem::Value(ValueError::Base64 { .. } | ValueError::References { .. }) => "invalid-base64",
            Problem::Value(ValueError::SharedString(_)) => "no-shared-string",
            Problem::Value(_) => "malformed",
            Problem::Decode(error) => error.fault().code(),
            Problem::Limit(_) => "over-limit",
        }
    }

    /// The byte with the error, counted from the start of the property, or of the file if the row names no property.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            Problem::Decode(error) => Some(error.offset().byte()),
            // that of a chunk is in the message
            Problem::File(ModelError::Chunk { .. } | ModelError::Limit { .. }) => None,
            Problem::File(error) => error.offset(),
            _ => None,
        }
    }

    /// The field at fault.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        match self {
            Problem::File(ModelError::File(error)) | Problem::Decode(error) => Some(error.path().to_string()),
            _ => None,
        }
    }
}

impl<'r> Row<'r> {
    /// A row about a whole file.
    #[must_use]
    pub const fn of_file(fact: Fact<'r>) -> Self {
        Row { owner: &[], place: &[], property: None, fact }
    }

    /// The same row with another fact.
    #[must_use]
    pub fn with(&self, fact: Fact<'r>) -> Self {
        Row { fact, ..*self }
    }

    /// The name of the instance or the property: `name` is `instance`, `class`, `referent` or `property`.
    #[must_use]
    pub fn owner(&self, name: &str) -> Option<&'r str> {
        member(self.owner, name).and_then(Value::as_str)
    }

    /// Three offsets: of the chunk of the property in the file, of the property in the uncompressed chunk, and of the property in
    /// the file. XML has only the last, which is that of the content of the element.
    #[must_use]
    pub fn offsets(&self) -> [Option<u64>; 3] {
        let place = |name| member(self.place, name);
        let chunk = place("chunk").and_then(|chunk| chunk.get("offset"));
        let stored = place("file_offset").or_else(|| place("content").and_then(|content| content.get(0)));
        [chunk, place("offset_in_chunk"), stored].map(|offset| offset.and_then(Value::as_u64))
    }

    /// The name of the attribute.
    #[must_use]
    pub fn key(&self) -> Option<Cow<'_, str>> {
        match &self.fact {
            Fact::Attribute(entry) => Some(text_or_hex(&entry.key)),
            Fact::Reference { key, .. } => Some(key.into()),
            _ => None,
        }
    }

    /// The name of the type of the attribute.
    #[must_use]
    pub fn type_name(&self) -> Option<&'static str> {
        match &self.fact {
            Fact::Attribute(entry) => Some(entry.value.type_id().name()),
            Fact::Reference { .. } => Some(REFERENCE),
            _ => None,
        }
    }

    /// The value of the attribute, or the list of tags, as JSON.
    ///
    /// # Errors
    ///
    /// If the value cannot be written as JSON.
    pub fn value_json(&self) -> serde_json::Result<Option<String>> {
        #[derive(Deserialize)]
        struct Typed<'t> {
            /// Missing for types without a value.
            #[serde(borrow)]
            value: Option<&'t RawValue>,
        }
        Ok(match &self.fact {
            Fact::Attribute(entry) => {
                let text = serde_json::to_string(entry)?;
                let value = serde_json::from_str::<Typed<'_>>(&text)?.value;
                Some(value.map_or("null", RawValue::get).to_owned())
            }
            Fact::Reference { target, .. } => Some(serde_json::to_string(target)?),
            Fact::Tags(tags) => Some(serde_json::to_string(tags)?),
            _ => None,
        })
    }

    /// The error, if the fact is one.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem<'r>> {
        match &self.fact {
            Fact::Problem(problem) => Some(problem),
            _ => None,
        }
    }
}

fn member<'m>(members: &'m [Member], name: &str) -> Option<&'m Value> {
    members.iter().find_map(|(found, value)| (*found == name).then_some(value))
}

/// Bytes as text: UTF-8 as it is, other bytes like in JSON, such as `{"hex":"ff"}`.
#[must_use]
pub fn text_or_hex(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => format!("{{\"hex\":\"{}\"}}", lower::encode_string(bytes)).into(),
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Members<'m>(&'m [Member]);
        impl Serialize for Members<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
            }
        }
        #[derive(Serialize)]
        struct Form<'f, 'r> {
            #[serde(flatten)]
            owner: Members<'f>,
            #[serde(flatten)]
            fact: &'f Fact<'r>,
            #[serde(flatten)]
            place: Members<'f>,
        }
        Form { owner: Members(self.owner), fact: &self.fact, place: Members(self.place) }.serialize(serializer)
    }
}

impl Serialize for Fact<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Fact::Attribute(entry) => entry.serialize(serializer),
            Fact::Tags(tags) => serializer.collect_map([("tags", tags)]),
            Fact::Reference { key, target } => {
                serializer.collect_map([("key", Some(&**key)), ("type", Some(REFERENCE)), ("value", target.as_deref())])
            }
            Fact::Problem(problem) => serializer.collect_map([("error", problem)]),
            Fact::Nothing => serializer.serialize_map(Some(0))?.end(),
        }
    }
}

impl Serialize for Tags<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl Serialize for Problem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("message", &self.message())?;
        if let Some(offset) = self.offset() {
            map.serialize_entry("offset", &offset)?;
        }
        if let Some(path) = self.path() {
            map.serialize_entry("path", &path)?;
        }
        map.end()
    }
}
