//! What each format says of values that do not fit a Rust type. `UPDATE_GOLDEN=1` rewrites the file of the errors.

use std::collections::BTreeMap;
use std::fmt::Write;

use enginewire::godot::{self, Version};
use enginewire::roblox::{attributes, remote};
use enginewire::scrap_mechanic::lua_object;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::support::golden::golden;

#[derive(Debug, Deserialize)]
enum Tool {
    Sword,
    Bow(#[allow(dead_code)] u8), // all fields are read
}

#[derive(Debug, Deserialize)]
enum Single {
    Only,
}

#[derive(Debug, Deserialize)]
enum Nothing {}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Internal {
    Sword {
        #[allow(dead_code)]
        length: u8,
    },
    Bow,
    Sling,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", content = "of", rename_all = "lowercase")]
enum Adjacent {
    Sword(#[allow(dead_code)] u8),
    Bow,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(#[allow(dead_code)] u8),
    Text(#[allow(dead_code)] String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Player {
    name: String,
    level: i8,
}

/// Several values of a map, in a list.
type Map<T> = BTreeMap<&'static str, T>;

struct Said(String);

impl Said {
    /// Adds what each format says when it reads `value` as a `T`.
    fn of<T: DeserializeOwned + std::fmt::Debug>(&mut self, value: &impl Serialize) {
        let held = Map::from([("v", value)]);
        type Held<T> = BTreeMap<String, T>;
        let name = std::any::type_name::<T>().replace("main::typed::said::", "");
        writeln!(self.0, "== {name}: {}", serde_json::to_string(value).unwrap()).unwrap();
        let bytes = attributes::to_bytes(&held).unwrap();
        let mut says = |format: &str, error: Option<enginewire::DecodeError>| {
            let error =
                error.map_or("no error".to_owned(), |error| format!("{error} | {:?}", error.fault().expected()));
            writeln!(self.0, "{format}: {error}").unwrap();
        };
        says("attributes", attributes::from_bytes::<Held<T>>(&bytes).err());
        let bytes = remote::to_bytes(&(value,)).unwrap();
        says("remotes", remote::from_bytes::<(T,)>(&bytes).err());
        for (format, version) in [("Godot 3", Version::V3), ("Godot 4", Version::V4)] {
            let bytes = godot::to_bytes(version, &held).unwrap();
            says(format, godot::from_bytes::<Held<T>>(version, &bytes).err());
        }
        let bytes = lua_object::to_bytes(&held).unwrap();
        says("LuaObject", lua_object::from_bytes::<Held<T>>(&bytes).err());
    }
}

#[test]
fn every_format_names_what_fits() {
    let mut said = Said(String::new());
    said.of::<Tool>(&"Axe");
    said.of::<Tool>(&Map::from([("Axe", 1)]));
    said.of::<Tool>(&Map::from([("Bow", 300)]));
    said.of::<Tool>(&7);
    said.of::<Tool>(&Map::from([("Bow", 1), ("Sword", 2)]));
    said.of::<Vec<Tool>>(&["Sword", "Axe"]);
    said.of::<Single>(&"Axe");
    said.of::<Single>(&true);
    said.of::<Nothing>(&"Axe");
    said.of::<Internal>(&Map::from([("kind", "axe")]));
    said.of::<Internal>(&Map::from([("of", "axe")]));
    said.of::<Internal>(&Map::from([("kind", "sword")]));
    said.of::<Internal>(&"bow");
    said.of::<Adjacent>(&Map::from([("kind", "axe")]));
    said.of::<Adjacent>(&Map::from([("of", 300)]));
    said.of::<Untagged>(&true);
    said.of::<Player>(&Map::from([("nme", "Ada")]));
    said.of::<Player>(&Map::from([("name", "Ada")]));
    said.of::<Player>(&"Ada");
    said.of::<Player>(&Map::from([("level", 300)]));
    said.of::<u8>(&-1);
    said.of::<u64>(&-1);
    said.of::<i32>(&3_000_000_000_u32);
    said.of::<Vec<i16>>(&[1, 40_000]);
    said.of::<usize>(&-1);
    said.of::<char>(&"ab");
    golden("tests/typed/said.txt", &said.0);
}
