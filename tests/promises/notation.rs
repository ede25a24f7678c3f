//! Promise: values as text. `docs/notation.md` shows what is written and read, `tests/doors/refused/notation.txt` what is refused;
//! every value is read back as it was written, which the property `notation` checks for any value; and no text takes more time,
//! stack or memory than its length allows.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use allocation_counter::measure;
use enginewire::formats::{self, AnyFormat, FormatOptions};
use enginewire::godot::{self, Variant, Version};
use enginewire::roblox::{attributes, remote};
use enginewire::scrap_mechanic::lua_object::{LuaSaveData, LuaSaveDataType};
use pretty_assertions::assert_eq;

use crate::support::properties::CONSTANT;

/// A section of the document: reads a text as a value of a type, and writes that again.
struct Section {
    title: &'static str,
    again: fn(&str, &str) -> Result<String, String>,
    types: fn() -> Vec<&'static str>,
}

fn godot_again(version: Version, name: &str, text: &str) -> Result<String, String> {
    let id = match version {
        Version::V3 => godot::v3::TypeId::ALL.iter().find(|id| id.name() == name).unwrap().to_v4(),
        _ => *godot::v4::TypeId::ALL.iter().find(|id| id.name() == name).unwrap(),
    };
    let value = Variant::from_gdscript(text, Some(id), &godot::Options::new(version));
    value.map(|value| value.to_gdscript(version)).map_err(|error| error.to_string())
}

const SECTIONS: [Section; 5] = [
    Section {
        title: "Types of attributes",
        again: |name, text| {
            let id = attributes::TypeId::ALL.iter().find(|id| id.name() == name).unwrap();
            let value = attributes::Value::from_luau(text, Some(*id)).map_err(|error| error.to_string())?;
            assert_eq!(attributes::Value::from_luau(&value.to_typed_luau(), None).unwrap().to_luau(), value.to_luau());
            Ok(value.to_luau())
        },
        types: || attributes::TypeId::ALL.iter().map(|id| id.name()).collect(),
    },
    Section {
        title: "Types of packets",
        again: |name, text| {
            let id = remote::TypeId::ALL.iter().find(|id| id.name() == name).unwrap();
            let value = remote::Value::from_luau(text, Some(*id)).map_err(|error| error.to_string())?;
            assert_eq!(remote::Value::from_luau(&value.to_typed_luau(), None).unwrap().to_luau(), value.to_luau());
            Ok(value.to_luau())
        },
        types: || remote::TypeId::ALL.iter().map(|id| id.name()).collect(),
    },
    Section {
        title: "Types of Godot 4",
        again: |name, text| godot_again(Version::V4, name, text),
        types: || godot::v4::TypeId::ALL.iter().map(|id| id.name()).collect(),
    },
    Section {
        title: "Types of Godot 3",
        again: |name, text| godot_again(Version::V3, name, text),
        types: || godot::v3::TypeId::ALL.iter().map(|id| id.name()).collect(),
    },
    Section {
        title: "Types of LuaObject",
        again: |name, text| {
            let id = LuaSaveDataType::ALL.iter().find(|id| id.name() == name).unwrap();
            let value = LuaSaveData::from_lua(text, Some(*id)).map_err(|error| error.to_string())?;
            assert_eq!(LuaSaveData::from_lua(&value.to_typed_lua(), None).unwrap().to_lua(), value.to_lua());
            Ok(value.to_lua())
        },
        types: || LuaSaveDataType::ALL.iter().map(|id| id.name()).collect(),
    },
];

/// The texts in the cells of a row, without backquotes.
fn cells(row: &str) -> Vec<&str> {
    row.trim_matches(['|', ' ']).split(" | ").map(|cell| cell.trim().trim_matches('`')).collect()
}

#[test]
fn the_document_is_right() {
    let document = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/notation.md")).unwrap();
    for section in SECTIONS {
        let (_, text) = document.split_once(&format!("### {}\n", section.title)).unwrap();
        let text = text.split("\n## ").next().unwrap().split("\n### ").next().unwrap();
        let (mut header, mut seen) = ("", BTreeSet::new());
        for row in text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("|---")) {
            if row.starts_with("| type ") {
                header = row;
                continue;
            }
            let [name, middle, last] = cells(row)[..] else { panic!("{row}") };
            seen.insert(name);
            let again = |text: &str| (section.again)(name, text);
            match (header.ends_with("| read as |"), last) {
                (false, example) => assert_eq!(again(example).as_deref(), Ok(example), "{row}"),
                (true, "error") => assert!(again(middle).is_err(), "{row}"),
                (true, other) => {
                    assert_eq!((again(middle), again(other)), (Ok(other.to_owned()), Ok(other.to_owned())))
                }
            }
        }
        assert_eq!(seen, (section.types)().into_iter().collect(), "{}", section.title);
    }
}

#[test]
fn errors_hide_what_would_disturb_and_depth_has_a_limit() {
    let luau = |text: &str| attributes::Value::from_luau(text, None).unwrap_err().to_string();
    for (text, expected) in [
        (
            "\"\u{202e}",
            "expected `\"` at the end of a string, found the end, at offset 4, in a String such as \"text\"",
        ),
        ("\u{1b}[31m", "expected a value such as true, 17.5, \"text\" or Vector3.new(1, 2, 3), found \\x1b[31m"),
    ] {
        assert_eq!(luau(text), expected);
    }
    let deep = "{".repeat(200) + &"}".repeat(200);
    assert_eq!(luau(&deep), "containers are nested deeper than 128 levels, at offset 128");
    let shallow = attributes::Options::new().limits(enginewire::Limits::new().with_depth(1));
    assert!(attributes::Value::from_luau_with("{1}", None, &shallow).is_ok());
    assert!(attributes::Value::from_luau_with("{{1}}", None, &shallow).is_err());
}

/// Texts that ask for as much memory or time as they can.
fn hostile() -> Vec<String> {
    const LARGE: usize = 1 << 15;
    let units = [
        "{",
        "[",
        "(",
        "1,",
        "{},",
        "{1},",
        "[],",
        "[1],",
        "{[",
        "{[1]=",
        "{a=1},",
        "\"",
        "\"\\",
        "\\",
        "'",
        "Int(",
        "Array(0,{",
        "Pairs({",
        "Dictionary({",
        "double(",
        "Array[int]([",
        "Object(Node,\"a\":",
        "{1:",
        "-",
        "0x",
        "0/",
        "1e",
        "1_",
        "math.rad(",
        "CFrame.new(1,2,3)*",
        "NumberSequence.new{",
        "Enum.Material.Grass,",
        "BrickColor.new(\"Bright red\"),",
        "nan(0x7fc00001),",
        "\u{202e}",
        "é",
        " ",
        ",",
        "Faces.new(",
        "Enum.NormalId.Top,",
        "NodePath(true,[",
        "\"\",",
        "&\"a\",",
        "a=1,",
        "Vector2(1,2),",
    ];
    let mut texts = Vec::new();
    for unit in units {
        let many = unit.repeat(LARGE / unit.len());
        texts.extend([many.clone(), format!("{{{many}}}"), format!("[{many}]"), format!("{{a={many}")]);
        texts.extend(
            ["CFrame.new(1,2,3)*", "NumberSequence.new({", "Faces.new(", "PackedFloat64Array(", "PackedByteArray("]
                .map(|head| format!("{head}{many}")),
        );
    }
    texts.push(format!("\"{}\"", "\\x00".repeat(LARGE / 4)));
    texts.push(format!("1{}", "0".repeat(LARGE)));
    texts.push(format!("PackedByteArray({})", "1,".repeat(LARGE / 2)));
    texts
}

/// The peak memory of reading a text, in bytes for each of its bytes. A constant is added.
const MEMORY: usize = 160;

#[test]
fn hostile_texts_take_no_more_than_their_length_allows() {
    let mut worst = 0.0_f64;
    for format in formats::formats() {
        for text in hostile() {
            let (start, mut encoded) = (Instant::now(), None);
            let peak = measure(|| encoded = Some(format.encode_notation(&text, &FormatOptions::new()))).bytes_max;
            let name = format!("{}: {}…", format.name(), text.chars().take(40).collect::<String>());
            worst = worst.max(peak as f64 / text.len() as f64);
            assert!(
                peak <= (CONSTANT + MEMORY * text.len()) as u64,
                "{peak} bytes of memory for {}, {name}",
                text.len()
            );
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}, {name}", start.elapsed());
            drop(encoded);
        }
    }
    println!("at most {worst:.1} bytes of memory for a byte of text");
}

/// A missing value does not show its type, so the notation names the type.
#[test]
fn nothing_of_a_type_is_named() {
    use remote::Value;

    let values = vec![Value::Nil, Value::Instance(None), Value::PhysicalProperties(None), Value::Dictionary(vec![])];
    let text = "{nil, Instance(nil), PhysicalProperties(nil), Dictionary({})}";
    assert_eq!(Value::Array(values.clone()).to_luau(), text);
    assert_eq!(Value::from_luau(text, None), Ok(Value::Array(values)));
}

#[test]
fn notations_have_names() {
    let names: Vec<_> = formats::formats().iter().map(|format| AnyFormat::notation_name(*format)).collect();
    assert_eq!(names, ["Luau", "Luau", "Lua", "GDScript", "GDScript"]);
}
