//! The JSON form of an object.

use serde::de::{Error as _, MapAccess};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::object::{LuaObject, VERSION};
use crate::json::Document;
use crate::limits::Limits;
use crate::member::typed::{self, Lead};

/// `{"format": "scrap-mechanic-lua", "version": 1, "type": …, "value": …}`
struct Head;

#[derive(Clone, Copy, Serialize, Deserialize)]
enum Format {
    #[serde(rename = "scrap-mechanic-lua")]
    ScrapMechanicLua,
}

impl Lead for Head {
    const NAMES: &'static [&'static str] = &["format", "version", "type", "value"];
    type Parts = (Option<Format>, Option<u32>);

    fn write<S: SerializeStruct>(&self, members: &mut S) -> Result<(), S::Error> {
        members.serialize_field("format", &Format::ScrapMechanicLua)?;
        members.serialize_field("version", &VERSION)
    }

    fn read<'de, A: MapAccess<'de>>(parts: &mut Self::Parts, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let (format, version) = parts;
        match name {
            "format" => Ok(format.replace(map.next_value()?).is_some()),
            "version" => Ok(version.replace(map.next_value()?).is_some()),
            other => Err(A::Error::unknown_field(other, Self::NAMES)),
        }
    }

    fn finish<E: serde::de::Error>(parts: Self::Parts) -> Result<Self, E> {
        match parts {
            (None, _) => Err(E::missing_field("format")),
            (_, None) => Err(E::missing_field("version")),
            (Some(Format::ScrapMechanicLua), Some(VERSION)) => Ok(Head),
            (Some(Format::ScrapMechanicLua), Some(version)) => {
                Err(E::custom(format_args!("there is no version {version}, only {VERSION}")))
            }
        }
    }
}

impl Document for LuaObject<'_> {
    const FORMAT: &'static str = "scrap-mechanic-lua";

    /// Up to four objects and lists for each table, between the document and a Userdata.
    const LEVELS: usize = 4 * Limits::MAX_LEVELS + 8;
}

impl Serialize for LuaObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        typed::serialize(&Head, &self.data, serializer)
    }
}

impl<'de> Deserialize<'de> for LuaObject<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        typed::deserialize(deserializer).map(|(Head, data)| LuaObject { data })
    }
}
