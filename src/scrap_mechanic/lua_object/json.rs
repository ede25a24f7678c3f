//! The JSON form of an object.

use super::object::{LuaObject, VERSION};
use crate::json::Document;
use crate::limits::Limits;
use crate::member::{field, serde_by_member, typed, Give, Given, Member, Mismatch, Receiver, Shape};

impl Document for LuaObject<'_> {
    const FORMAT: &'static str = "scrap-mechanic-lua";

    /// Up to four objects and lists for each table, between the document and a Userdata.
    const LEVELS: usize = 4 * Limits::MAX_LEVELS + 8;
}

/// `{"format": "scrap-mechanic-lua", "version": 1, "type": …, "value": …}`
impl Give for LuaObject<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("Typed", 4);
        to.member("format", &Self::FORMAT);
        to.member("version", &VERSION);
        typed::give_members(&self.data, to);
        to.end();
    }
}

impl Member for LuaObject<'_> {
    const SHAPE: Shape = Shape::Any;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let [format, version, type_name, value] =
            given.fields("an object with format, version, type, value", &["format", "version", "type", "value"])?;
        let data = typed::take(given, type_name, value)?;
        given.format(format, &[Self::FORMAT])?;
        match field(given, "version", version)? {
            VERSION => Ok(LuaObject { data }),
            version => Err(given.custom(format_args!("unknown version {version}; expected {VERSION}"))),
        }
    }
}

serde_by_member!([] LuaObject<'_>);
