//! The JSON form of attributes.

use super::blob::Attributes;
use super::entry::Entry;
use crate::json::Document;
use crate::limits::Limits;
use crate::member::{field, serde_by_member, typed, Give, Given, Member, Mismatch, Receiver, Shape};
use crate::wire::ByteString;
use bstr::ByteSlice;

impl Document for Attributes<'_> {
    const FORMAT: &'static str = "roblox-attributes";

    /// A list and an object for each array or dictionary, between the document and the parts of a CFrame.
    const LEVELS: usize = 2 * Limits::MAX_LEVELS + 8;
}

/// `{"format": "roblox-attributes", "entries": [{"key": …, "type": …, "value": …}, …]}`
impl Give for Attributes<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("Form", 2);
        to.member("format", &Self::FORMAT);
        to.member("entries", &self.entries());
        to.end();
    }
}

impl Member for Attributes<'_> {
    const SHAPE: Shape = Shape::Any;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let [format, entries] = given.structure("", &["format", "entries"])?;
        given.format(format, &[Self::FORMAT])?;
        field::<Vec<Entry<'_>>>(given, "entries", entries).map(|entries| entries.into_iter().collect())
    }
}

serde_by_member!([] Attributes<'_>);

impl Give for Entry<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("Typed", 3);
        to.member("key", &ByteString::from(self.key.as_bstr()));
        typed::give_members(&self.value, to);
        to.end();
    }
}

impl Member for Entry<'_> {
    const SHAPE: Shape = Shape::Form("Entry");

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let [key, type_name, value] = given.fields("an object with key, type, value", &["key", "type", "value"])?;
        let value = typed::take(given, type_name, value)?;
        Ok(Entry { key: field(given, "key", key)?, value })
    }
}

serde_by_member!([] Entry<'_>);
