//! Promise: the plain JSON form. `docs/plain.md` shows the text that is written for each type, and the texts that are accepted.
//! The property `plain` requires that any value is read back unchanged if its types are known.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use enginewire::formats::{
    self, at, change, set_plain, Edit, FormatOptions, JsonForm, JsonWriter, Node, Notation, Plain,
};
use enginewire::formats::{Step, ValuePath};
use pretty_assertions::assert_eq;
use serde_json::Value;

use super::notation::{Section, SECTIONS};

/// Every row has a type, a value in the notation, and its plain form; a row for each type. `UPDATE_GOLDEN=1` writes the plain forms.
#[test]
fn the_document_is_right() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/plain.md");
    let document = fs::read_to_string(&path).unwrap();
    let (mut section, mut seen, mut missing) = (None, BTreeSet::new(), BTreeSet::new());
    let mut lines = Vec::new();
    for line in document.lines() {
        if line.starts_with("##") {
            section = SECTIONS.iter().find(|section| line == format!("### {}", section.title));
        }
        let cells: Vec<_> = line.trim_matches(['|', ' ']).split(" | ").map(|cell| cell.trim_matches('`')).collect();
        let (Some(Section { title, value, version, .. }), [name, text, _], false) =
            (section, &cells[..], line.starts_with("| type ") || line.starts_with("|---"))
        else {
            lines.push(line.to_owned());
            continue;
        };
        seen.insert((*title, *name));
        let notation = Notation { typed: false, version: *version };
        let mut node = value(Some(name), text).unwrap();
        let written = node.text(notation);
        let plain = serde_json::to_string(&Plain::new(&*node, notation)).unwrap();
        set_plain(&mut *node, plain.as_bytes(), notation).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(node.text(notation), written, "{line}");
        missing.extend(parts(&mut *node, &plain, notation).into_iter().map(|step| format!("{name} {step}")));
        lines.push(format!("| `{name}` | `{text}` | `{plain}` |"));
    }
    // forms of a value as a whole; axes of a Basis are its columns; and items of tables, which have their keys
    let wholes = ["CFrame rotation", "Double bits", "Object class", "Object external", "Object id", "Object internal"];
    let wholes = wholes.into_iter().chain(["Object path", "Userdata id", "float bits"]);
    let bytes = ["PackedByteArray hex", "PoolByteArray hex", "String hex"];
    let items =
        ["Basis [0]", "Basis [1]", "Basis [2]", r#"Table "[1]""#, r#"Table "[3]""#, r#"Table "[5]""#, "Table [0]"];
    assert_eq!(missing, wholes.chain(bytes).chain(items).map(str::to_owned).collect());
    let types = SECTIONS.iter().flat_map(|section| (section.types)().into_iter().map(|name| (section.title, name)));
    assert_eq!(seen, types.collect());
    let right = lines.join("\n") + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &right).unwrap();
    }
    assert_eq!(document, right);
}

/// Sets every member and item of a value to what it is, by its path: nothing changes. Returns the paths that lead nowhere.
fn parts(node: &mut dyn Node, plain: &str, notation: Notation) -> Vec<String> {
    let json: Value = serde_json::from_str(plain).unwrap();
    let steps: Vec<Step> = match &json {
        Value::Object(members) => members.keys().map(Step::key).collect(),
        Value::Array(items) => (0..items.len()).map(Step::index).collect(),
        _ => return Vec::new(),
    };
    let whole = node.text(Notation { typed: true, ..notation });
    let mut missing = Vec::new();
    for path in steps.into_iter().map(|step| ValuePath(vec![step])) {
        let Ok(part) = at(node, &path, notation).map(|part| part.text(notation)) else {
            missing.push(path.to_string());
            continue;
        };
        let edit = Edit::Set { type_name: None, text: part };
        change(node, &path, &edit, notation).unwrap_or_else(|error| panic!("{plain} {path}: {error}"));
        assert_eq!(node.text(Notation { typed: true, ..notation }), whole, "{plain} {path}");
    }
    missing
}

/// The bytes of a value in the notation of its format.
fn bytes(name: &str, text: &str) -> Vec<u8> {
    formats::by_name(name).unwrap().encode_notation(text, &FormatOptions::new()).unwrap()
}

/// Changes a value with a text in the plain form. Returns the new value in the notation.
fn changed(name: &str, like: Option<&str>, text: &str) -> Result<String, String> {
    let (format, options) = (formats::by_name(name).unwrap(), FormatOptions::new());
    let like = like.map(|like| bytes(name, like));
    let bytes = format.encode_form(JsonForm::Plain, text.as_bytes(), like.as_deref(), &options);
    Ok(format.decode_notation(&bytes.map_err(|error| error.to_string())?, &options).unwrap())
}

#[test]
fn types_are_those_of_the_value_that_is_there() {
    for (name, like, text, after) in [
        (
            "roblox-attributes",
            r#"{a = Int(1), b = Float(0.5), c = Vector3.new(0, 0, 0), d = "x", e = Dictionary({k = Int(2)})}"#,
            r#"{"e": {"l": 3, "k": 4}, "c": {"z": 1, "y": "NaN", "x": 0.5}, "a": -7, "f": true, "b": 2}"#,
            r#"{a = Int(-7), b = Float(2), c = Vector3.new(0.5, 0/0, 1), e = {k = Int(4), l = 3}, f = true}"#,
        ),
        ("roblox-attributes", "{a = Array({1, Int(2), 3})}", r#"{"a": [4, 5]}"#, "{a = {4, Int(5)}}"),
        ("roblox-attributes", "{a = Array({Int(1)})}", r#"{"a": [4, 5, "x"]}"#, r#"{a = {Int(4), 5, "x"}}"#),
        (
            "roblox-attributes",
            r#"{["[1]"] = 1}"#,
            r#"{"[\"[1]\"]": 2, "[\"[2]\"]": 3}"#,
            r#"{["[1]"] = 2, ["[2]"] = 3}"#,
        ),
        (
            "godot-4",
            r#"{ "at": Vector2(1, 2), 2: 1.0, &"n": null, "typed": Array[int]([1]) }"#,
            r#"{"at": {"x": 3, "y": 4}, "[2]": 5, "[&\"n\"]": "now", "typed": [6, 7], "[3]": 8, "new": 0.5}"#,
            r#"{ "at": Vector2(3, 4), 2: 5.0, &"n": "now", "typed": Array[int]([6, 7]), 3: 8, "new": 0.5 }"#,
        ),
        ("godot-3", r#"Object(C, "p": 1, "q": [])"#, r#"{"p": 2, "r": null}"#, r#"Object(C, "p": 2, "r": null)"#),
        ("godot-4", "null", "7", "7"),
        (
            "godot-4",
            "[EncodedObjectAsID(1), Object(null)]",
            r#"[{"id": 2}, null]"#,
            "[EncodedObjectAsID(2), Object(null)]",
        ),
        (
            "scrap-mechanic-lua",
            r#"{mode = 2, [5] = {"a", true}, t = Array(0, {1}), n = Number(2)}"#,
            r#"{"mode": 3, "[5]": ["b", false, 300], "t": [4, 0.5], "[7]": null, "n": 0.1}"#,
            r#"{mode = 3, [5] = {"b", false, 300}, t = Array(0, {4, 0.5}), n = Number(0.1), [7] = nil}"#,
        ),
        (
            "roblox-remote",
            r#"{{event = "OnClientEvent", event_id = 2927, arguments = {{1, nil}, {k = "x"}}}}"#,
            r#"{"packets": [{"event": "OnClientEvent", "arguments": [[2, true, null], {"k": "y", "l": 3}, "z"]}]}"#,
            r#"{{event = "OnClientEvent", event_id = 2927, arguments = {{2, true, nil}, {k = "y", l = 3}, "z"}}}"#,
        ),
    ] {
        let found = changed(name, Some(like), text).unwrap_or_else(|error| panic!("{text}: {error}"));
        // compared as bytes, because the notation may have several forms for a value
        assert_eq!(bytes(name, &found), bytes(name, after), "{found}");
    }
}

/// In every format, numbers, texts and booleans have a default type. So has null, in formats with a type for it.
#[test]
fn types_of_values_without_another() {
    for (name, text, after) in [
        ("roblox-attributes", r#"{"b": 1, "a": "x", "c": false}"#, r#"{b = 1, a = "x", c = false}"#),
        ("roblox-attributes", "{}", "{}"),
        ("godot-3", "1", "1"),
        ("godot-4", "1.0", "1.0"),
        ("godot-4", "true", "true"),
        ("godot-4", "null", "null"),
        ("godot-4", r#""a""#, r#""a""#),
        ("scrap-mechanic-lua", "300", "300"),
        ("scrap-mechanic-lua", "0.1", "0.1"),
        ("scrap-mechanic-lua", r#""a""#, r#""a""#),
        ("scrap-mechanic-lua", "null", "nil"),
        ("roblox-remote", r#"{"packets": []}"#, "{}"),
    ] {
        let found = changed(name, None, text).unwrap();
        assert_eq!(bytes(name, &found), bytes(name, after), "{found}");
    }
}

#[test]
fn a_form_that_a_format_lacks_is_refused() {
    let format = formats::by_name("godot-4").unwrap();
    let error = format.encode_form(JsonForm::Rojo, b"{}", None, &FormatOptions::new()).unwrap_err();
    assert_eq!(error.to_string(), "godot-4 has no form rojo; expected exact or plain");
}

/// The entries after an unknown type would stay, though the document does not have them.
#[test]
fn the_value_with_the_types_is_whole() {
    let format = formats::by_name("roblox-attributes").unwrap();
    let broken = b"\x02\0\0\0\x01\0\0\0a\x03\x01\x01\0\0\0b\xba\0\0\0\0";
    let encoded = format.encode_form(JsonForm::Plain, br#"{"a": false}"#, Some(broken), &FormatOptions::new());
    assert_eq!(encoded.unwrap_err().to_string(), format.check(broken, &FormatOptions::new()).unwrap_err().to_string());
}

/// Different keys have different member names, whatever their types.
#[test]
fn every_key_has_its_name() {
    for (name, value, text) in [
        (
            "roblox-attributes",
            r#"{["a.b"] = 1, [""] = 2, ["[x"] = 3, ["\xff"] = 4}"#,
            r#"{"a.b":1,"":2,"[\"[x\"]":3,"[\"\\xff\"]":4}"#,
        ),
        (
            "godot-4",
            r#"{ "1": 1, 1: 2, "[1]": 3, [1]: 4, null: 5 }"#,
            r#"{"1":1,"[1]":2,"[\"[1]\"]":3,"[[1]]":4,"[null]":5}"#,
        ),
        ("scrap-mechanic-lua", r#"{a = 1, [true] = 2, [0.5] = 3}"#, r#"{"a":1,"[true]":2,"[0.5]":3}"#),
    ] {
        let format = formats::by_name(name).unwrap();
        let (bytes, mut written) = (bytes(name, value), Vec::new());
        let mut out = JsonWriter::new(&mut written).form(JsonForm::Plain);
        format.decode_json(&bytes, &FormatOptions::new(), &mut out).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), text);
    }
    // the second of two equal keys has its place
    let twice = b"\x02\0\0\0\x01\0\0\0a\x03\0\x01\0\0\0a\x03\x01";
    let format = formats::by_name("roblox-attributes").unwrap();
    let text = br##"{"a": true, "[#1]": false}"##;
    let changed = format.encode_form(JsonForm::Plain, text, Some(twice), &FormatOptions::new()).unwrap();
    assert_eq!(changed, b"\x02\0\0\0\x01\0\0\0a\x03\x01\x01\0\0\0a\x03\0");
}
