//! The JSON form of attributes.

use std::borrow::Cow;

use bstr::ByteSlice;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::blob::Attributes;
use super::entry::Entry;
use crate::json::Document;
use crate::limits::Limits;
use crate::member::typed::{self, Key};
use crate::member::ByMember;
use crate::wire::ByteString;

/// `{"format": "roblox-attributes", "entries": [{"key": …, "type": …, "value": …}, …]}`
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form<'a> {
    format: Format,
    entries: Cow<'a, [Entry<'a>]>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum Format {
    #[serde(rename = "roblox-attributes")]
    RobloxAttributes,
}

impl Document for Attributes<'_> {
    const FORMAT: &'static str = "roblox-attributes";

    /// A list and an object for each array or dictionary, between the document and the parts of a CFrame.
    const LEVELS: usize = 2 * Limits::MAX_LEVELS + 8;
}

impl Serialize for Attributes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Form { format: Format::RobloxAttributes, entries: Cow::Borrowed(self.entries()) }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Attributes<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Form::deserialize(deserializer).map(|form| form.entries.into_owned().into_iter().collect())
    }
}

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        typed::serialize(&Key(ByMember(ByteString::from(self.key.as_bstr()))), &self.value, serializer)
    }
}

impl<'de> Deserialize<'de> for Entry<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        typed::deserialize(deserializer).map(|(Key(ByMember(key)), value)| Entry { key, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// A document of the deepest value: 128 arrays around a CFrame, whose rotation is a list in an object.
    #[test]
    fn documents_may_be_as_deep_as_values() {
        assert_eq!(Attributes::LEVELS, 264);
    }
}
