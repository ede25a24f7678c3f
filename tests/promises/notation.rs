//! Promise: values as text. `docs/notation.md` shows what is written and read, `tests/doors/refused/notation.txt` what is refused;
//! every value is read back as it was written, which the property `notation` checks for any value; and no text takes more time,
//! stack or memory than its length allows.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use allocation_counter::measure;
use enginewire::formats::{self, FormatOptions, Node, Notation};
use enginewire::godot::resource::ValueType;
use enginewire::godot::{self, Variant, Version};
use enginewire::roblox::{attributes, remote};
use enginewire::scrap_mechanic::lua_object::{LuaSaveData, LuaSaveDataType};
use enginewire::wire::TypeNumber;
use enginewire::TextError;
use pretty_assertions::assert_eq;

use crate::support::properties::CONSTANT;

type Read = Result<Box<dyn Node>, TextError>;

/// A section about the types of a format, in `docs/notation.md` and `docs/plain.md`.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    /// Reads a text as a value: of the type with this name, else of the one that it shows.
    pub(crate) value: fn(Option<&str>, &str) -> Read,
    pub(crate) types: fn() -> Vec<&'static str>,
    pub(crate) version: u8,
}

fn names<T: TypeNumber>() -> Vec<&'static str> {
    T::ALL.iter().map(|id| id.name()).collect()
}

fn id<T: TypeNumber>(name: Option<&str>) -> Option<T> {
    name.map(|name| T::ALL.iter().copied().find(|id| id.name() == name).unwrap())
}

fn node<V: Node + 'static>(value: Result<V, TextError>) -> Read {
    value.map(|value| Box::new(value) as Box<dyn Node>)
}

pub(crate) const SECTIONS: [Section; 6] = [
    Section {
        title: "Types of attributes",
        value: |name, text| node(attributes::Value::from_luau(text, id(name))),
        types: names::<attributes::TypeId>,
        version: 0,
    },
    Section {
        title: "Types of packets",
        value: |name, text| node(remote::Value::from_luau(text, id(name))),
        types: names::<remote::TypeId>,
        version: 0,
    },
    Section {
        title: "Types of Godot 4",
        value: |name, text| node(Variant::from_gdscript(text, id(name), &godot::Options::new(Version::V4))),
        types: names::<godot::v4::TypeId>,
        version: 4,
    },
    Section {
        title: "Types of Godot 3",
        value: |name, text| {
            let id = id(name).map(godot::v3::TypeId::to_v4);
            node(Variant::from_gdscript(text, id, &godot::Options::new(Version::V3)))
        },
        types: names::<godot::v3::TypeId>,
        version: 3,
    },
    Section {
        title: "Types of binary resources",
        value: |name, text| {
            let id = id(name).map(ValueType::type_id);
            node(Variant::from_gdscript(text, id, &godot::Options::new(Version::V4)))
        },
        types: names::<ValueType>,
        version: 4,
    },
    Section {
        title: "Types of LuaObject",
        value: |name, text| node(LuaSaveData::from_lua(text, id(name))),
        types: names::<LuaSaveDataType>,
        version: 0,
    },
];

/// The texts in the cells of a row, without backquotes.
fn cells(row: &str) -> Vec<&str> {
    row.trim_matches(['|', ' ']).split(" | ").map(|cell| cell.trim().trim_matches('`')).collect()
}

#[test]
fn the_document_is_right() {
    let document = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/notation.md")).unwrap();
    assert_eq!(SECTIONS.len(), formats::formats().len());
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
            let again = |text: &str| {
                let node = (section.value)(Some(name), text).map_err(|error| error.to_string())?;
                let [bare, typed] = [false, true].map(|typed| node.text(Notation { typed, version: section.version }));
                let by_itself = (section.value)(None, &typed).unwrap();
                assert_eq!(by_itself.text(Notation { typed: false, version: section.version }), bare);
                Ok::<_, String>(bare)
            };
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

    let values = vec![Value::Nil, Value::Instance(None), Value::Dictionary([].into())];
    let text = "{nil, Instance(nil), Dictionary({})}";
    assert_eq!(Value::Array(values.clone().into()).to_luau(), text);
    assert_eq!(Value::from_luau(text, None), Ok(Value::Array(values.into())));
}
