//! The JSON form of attributes.

use bstr::ByteSlice;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::blob::Attributes;
use super::entry::Entry;
use crate::json::Document;
use crate::limits::Limits;
use crate::member::{deserialize_by_member, field, to_json_by_serde, typed, ByMember, Given, Member, Mismatch, Shape};
use crate::wire::ByteString;

impl Document for Attributes<'_> {
    const FORMAT: &'static str = "roblox-attributes";

    /// A list and an object for each array or dictionary, between the document and the parts of a CFrame.
    const LEVELS: usize = 2 * Limits::MAX_LEVELS + 8;
}

/// `{"format": "roblox-attributes", "entries": [{"key": …, "type": …, "value": …}, …]}`
impl Serialize for Attributes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Form", 2)?;
        members.serialize_field("format", Self::FORMAT)?;
        members.serialize_field("entries", self.entries())?;
        members.end()
    }
}

impl Member for Attributes<'_> {
    const SHAPE: Shape = Shape::Any;
    to_json_by_serde!();

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let [format, entries] = given.structure(&["format", "entries"])?;
        given.format(format, Self::FORMAT)?;
        field::<Vec<Entry<'_>>>(given, "entries", entries).map(|entries| entries.into_iter().collect())
    }
}

deserialize_by_member!([] Attributes<'_>);

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Typed", 3)?;
        members.serialize_field("key", &ByMember(ByteString::from(self.key.as_bstr())))?;
        typed::write(&self.value, members)
    }
}

impl Member for Entry<'_> {
    const SHAPE: Shape = Shape::Any;
    to_json_by_serde!();

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let [key, type_name, value] = given.fields("an object with key, type, value", &["key", "type", "value"])?;
        let value = typed::take(given, type_name, value)?;
        Ok(Entry { key: field(given, "key", key)?, value })
    }
}

deserialize_by_member!([] Entry<'_>);
