//! The JSON form of an object.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::object::{LuaObject, VERSION};
use crate::json::Document;
use crate::limits::Limits;
use crate::member::{deserialize_by_member, field, to_json_by_serde, typed, Given, Member, Mismatch, Shape};

impl Document for LuaObject<'_> {
    const FORMAT: &'static str = "scrap-mechanic-lua";

    /// Up to four objects and lists for each table, between the document and a Userdata.
    const LEVELS: usize = 4 * Limits::MAX_LEVELS + 8;
}

/// `{"format": "scrap-mechanic-lua", "version": 1, "type": …, "value": …}`
impl Serialize for LuaObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Typed", 4)?;
        members.serialize_field("format", Self::FORMAT)?;
        members.serialize_field("version", &VERSION)?;
        typed::write(&self.data, members)
    }
}

impl Member for LuaObject<'_> {
    const SHAPE: Shape = Shape::Any;
    to_json_by_serde!();

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let [format, version, type_name, value] =
            given.fields("an object with format, version, type, value", &["format", "version", "type", "value"])?;
        let data = typed::take(given, type_name, value)?;
        given.format(format, Self::FORMAT)?;
        match field(given, "version", version)? {
            VERSION => Ok(LuaObject { data }),
            version => Err(given.custom(format_args!("there is no version {version}, only {VERSION}"))),
        }
    }
}

deserialize_by_member!([] LuaObject<'_>);
