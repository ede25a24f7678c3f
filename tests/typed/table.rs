//! The same rows as the Python package: `type: value => result`, below the name of a format. A value is in the notation of its engine or
//! has hexadecimal digits, and the result is its JSON, with the bytes if it is written in another way, or `refused`. `UPDATE_GOLDEN=1`
//! writes the results.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use enginewire::formats::{self, FormatOptions};
use enginewire::godot::{self, Version};
use enginewire::roblox::attributes;
use enginewire::scrap_mechanic::lua_object;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::support::golden::golden;

#[derive(Serialize, Deserialize)]
struct Point {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Serialize, Deserialize)]
struct Slot {
    item: String,
    #[serde(default = "one")]
    count: i64,
    note: Option<String>,
}

fn one() -> i64 {
    1
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Team {
    Red,
    Blue,
}

/// A type by its name in Python.
macro_rules! types {
    ($($name:literal $type:ty;)*) => {
        fn result(format: &str, name: &str, bytes: &[u8]) -> String {
            match (name, format) {
                // the outermost value of attributes is a dictionary
                $(($name, "roblox-attributes") => read::<BTreeMap<String, $type>>(format, bytes),)*
                $(($name, _) => read::<$type>(format, bytes),)*
                (other, _) => panic!("{other} is not a type of the table"),
            }
        }
    };
}

types! {
    "None" ();
    "bool" bool;
    "int" i64;
    "float" f64;
    "str" String;
    "int | None" Option<i64>;
    "list[int]" Vec<i64>;
    "list[float]" Vec<f64>;
    "list[str]" Vec<String>;
    "list[list[float]]" Vec<Vec<f64>>;
    "list[tuple[float, float, float]]" Vec<(f64, f64, f64)>;
    "tuple[float, float, float]" (f64, f64, f64);
    "tuple[int, str]" (i64, String);
    "dict[str, int]" BTreeMap<String, i64>;
    "dict[str, float]" BTreeMap<String, f64>;
    "dict[int, str]" BTreeMap<i64, String>;
    "Point" Point;
    "list[Point]" Vec<Point>;
    "Slot" Slot;
    "list[Slot]" Vec<Slot>;
    "Slot | None" Option<Slot>;
    "Team" Team;
    "dict[str, Team]" BTreeMap<String, Team>;
}

fn read<T: Serialize + DeserializeOwned>(format: &str, bytes: &[u8]) -> String {
    let read: Result<T, _> = match format {
        "roblox-attributes" => attributes::from_bytes(bytes),
        "godot-4" => godot::from_bytes(Version::V4, bytes),
        _ => lua_object::from_bytes(bytes),
    };
    let Ok(value) = read else { return "refused".to_owned() };
    let written = match format {
        "roblox-attributes" => attributes::to_bytes(&value),
        "godot-4" => godot::to_bytes(Version::V4, &value),
        _ => lua_object::to_bytes(&value),
    };
    let shown = serde_json::to_string(&value).unwrap();
    match written.unwrap() {
        written if written == bytes => shown,
        written => format!("{shown} writes 0x{}", data_encoding::HEXLOWER.encode(&written)),
    }
}

#[test]
fn types_of_both_languages() {
    let path = "tests/typed/table.txt";
    let (mut format, mut said) = (String::new(), String::new());
    for line in fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap().lines() {
        if let Some(name) = line.strip_prefix("== ") {
            name.clone_into(&mut format);
            writeln!(said, "{line}").unwrap();
            continue;
        }
        let row = line.rsplit_once(" => ").map_or(line, |(row, _)| row);
        let (name, value) = row.split_once(": ").unwrap();
        let bytes = match value.strip_prefix("0x") {
            Some(digits) => data_encoding::HEXLOWER.decode(digits.as_bytes()).unwrap(),
            None => formats::by_name(&format).unwrap().encode_notation(value, &FormatOptions::new()).unwrap(),
        };
        writeln!(said, "{row} => {}", result(&format, name, &bytes)).unwrap();
    }
    golden(path, &said);
}
