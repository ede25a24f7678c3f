use std::path::Path;
use std::sync::Arc;

use enginewire::godot::{self, encode_frame, FrameDecoder, Framing, Options, Variant, Version, Versioned};
use enginewire::{json, Fault};
use enginewire_files::godot::debugger::Messages;
use enginewire_files::godot::project;
use libtest_mimic::Trial;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::codec::Format;
use crate::support::{hex, Blob};

pub(crate) fn trials(corpus: &Path) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (folder, version) in [("v3", Version::V3), ("v4", Version::V4), ("v4-double", Version::V4)] {
        let folder = corpus.join(folder);
        let index = read(&folder.join("index.json"));
        for (number, case) in index["cases"].as_array().unwrap().iter().enumerate() {
            let name = case["name"].as_str().unwrap().to_owned();
            let bytes = std::fs::read(folder.join(format!("{name}.bin"))).unwrap();
            let document = std::fs::read(folder.join(format!("{name}.json"))).unwrap();
            let case = Arc::new((case.clone(), Blob { name: name.clone(), bytes, document }));
            let title = format!("godot {} {name}", folder.file_name().unwrap().to_str().unwrap());
            let same = case.clone();
            trials.push(trial(title.clone(), move || value(version, &same.0, &same.1)));
            if number % crate::support::every(4) != 0 {
                continue;
            }
            for property in format(version).properties {
                let case = case.clone();
                trials.push(trial(format!("{title}: {}", property.name), move || (property.hold)(&case.1.bytes)));
            }
            trials.push(trial(format!("{title}: truncation"), move || {
                if godot::decode_with(&case.1.bytes, &Options::new(version)).is_ok() {
                    (format(version).truncation)(&case.1.bytes);
                }
            }));
        }
    }
    for (folder, version) in [("v3", Version::V3), ("v4", Version::V4)] {
        let cases = read(&corpus.join(folder).join("malformed.json"));
        for case in cases["cases"].as_array().unwrap() {
            let case = case.clone();
            trials.push(trial(format!("godot {folder} input {}", case["name"]), move || input(version, &case)));
        }
    }
    let framing = corpus.join("framing");
    for (name, version) in [("3", Version::V3), ("4", Version::V4)] {
        for name in ["store_var", "tcp", "debugger"].map(|kind| format!("{kind}_v{name}")) {
            for name in [name.clone(), format!("{name}_be")] {
                let path = framing.join(format!("{name}.bin"));
                if path.exists() {
                    trials.push(trial(format!("godot framing {name}"), move || frames(version, &path)));
                }
            }
        }
        let path = framing.join(format!("project_v{name}.binary"));
        trials.push(trial(format!("godot framing project_v{name}"), move || settings(version, &path)));
    }
    let groups = read(&framing.join("packets.json"));
    for group in groups["packets"].as_array().unwrap() {
        let group = group.clone();
        trials.push(trial(format!("godot framing {}", group["what"]), move || packets(&group)));
    }
    trials
}

/// Values with their lengths before them, and messages where they are those of a debugger.
fn frames(version: Version, path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let expected = read(&path.with_extension("json"));
    let framing = if expected["length_order"] == "big" { Framing::BigEndian } else { Framing::LittleEndian };
    for size in [1, 7, bytes.len()] {
        let mut decoder = FrameDecoder::framed(framing, Options::new(version));
        let (mut values, mut error) = (Vec::new(), None);
        for piece in bytes.chunks(size) {
            decoder.push(piece);
            while let Some(value) = decoder.next() {
                match value {
                    Ok(value) => values.push(value.into_owned()),
                    Err(found) => error = error.or(Some(found)),
                }
            }
        }
        let (mut written, mut messages) = (Vec::new(), Messages::new(version));
        let frames = expected["frames"].as_array().unwrap();
        for (index, frame) in frames.iter().enumerate() {
            if let Some(raw) = frame.get("raw") {
                // a packet that is not a value ends the values that can be read
                assert_eq!((index, frames.len()), (values.len(), index + 1));
                assert!(bytes.ends_with(&hex(raw["hex"].as_str().unwrap())));
                assert_eq!(error.take().unwrap().offset().byte(), written.len() as u64 + 4);
                continue;
            }
            let value = Versioned { version, value: values[index].clone() };
            assert_same(&value, &document(frame.to_string().as_bytes()));
            encode_frame(&value.value, framing, &Options::new(version), &mut written).unwrap();
            if path.to_str().unwrap().contains("debugger")
                && let Some(message) = messages.push(value.value).unwrap()
            {
                let start = index + 1 - message.clone().into_values(version).len();
                assert_eq!(message.into_values(version), values[start..=index]);
            }
        }
        assert_eq!(error, None);
        assert!(bytes.starts_with(&written) && !messages.is_within());
    }
}

/// The settings of a project.
fn settings(version: Version, path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let expected = read(&path.with_extension("json"));
    let found = project::decode(&bytes).unwrap();
    assert_eq!(project::encode(&found).unwrap(), bytes);
    let expected = expected["settings"].as_array().unwrap();
    assert_eq!(found.settings.len(), expected.len());
    for (setting, expected) in found.settings.iter().zip(expected) {
        assert_eq!(setting.key.to_string(), expected["key"].as_str().unwrap());
        let value = setting.decode(&Options::new(version)).unwrap();
        assert_same(&Versioned { version, value }, &document(expected["value"].to_string().as_bytes()));
    }
}

/// Packets of values: with a protocol header, with a length, or as base64.
fn packets(group: &Value) {
    let forty_two = Variant::Int(42);
    for version in [Version::V3, Version::V4] {
        if let Some(text) = group.get("base64").and_then(Value::as_str) {
            assert_eq!(godot::from_base64(text, &Options::new(version)), Ok(forty_two.clone()));
            assert_eq!(godot::to_base64(&forty_two, &Options::new(version)).unwrap(), text);
        }
        if let Some(digits) = group.get("hex") {
            let mut bytes = Vec::new();
            encode_frame(&forty_two, Framing::BigEndian, &Options::new(version), &mut bytes).unwrap();
            assert_eq!(bytes, hex(digits.as_str().unwrap()));
        }
    }
    let Some(list) = group.get("packets").and_then(Value::as_array) else { return };
    let version = Version::from_number(group["version"].as_u64().unwrap() as u8).unwrap();
    // the header: a type, the sender and the receiver
    let head = if group["what"].as_str().unwrap().contains("multiplayer protocol") { 9 } else { 0 };
    for packet in list {
        let bytes = hex(packet["hex"].as_str().unwrap());
        let value = godot::decode_with(&bytes[head..], &Options::new(version)).unwrap();
        assert_same(&Versioned { version, value }, &document(packet["document"].to_string().as_bytes()));
        format(version).hold_all(&bytes[head..]);
    }
}

fn trial(name: String, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

fn format(version: Version) -> &'static Format {
    Format::by_name(&format!("godot-{version}")).unwrap()
}

/// Reads JSON of any depth.
fn read(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap();
    let mut reader = serde_json::Deserializer::from_slice(&text);
    reader.disable_recursion_limit();
    serde::Deserialize::deserialize(&mut reader).unwrap()
}

fn document(text: &[u8]) -> Versioned<'static> {
    json::from_slice(text).unwrap()
}

/// The bytes of a value, whose text may be anything.
fn encode(value: &Versioned<'_>) -> Vec<u8> {
    godot::encode_with(&value.value, &Options::new(value.version).any_text(true)).unwrap()
}

/// Compares the values bit by bit.
fn assert_same(one: &Versioned<'_>, other: &Versioned<'_>) {
    assert_eq!(encode(one), encode(other));
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
}

/// A value that an engine wrote.
fn value(version: Version, case: &Value, blob: &Blob) {
    let is_lossless = case.get("text").is_some();
    assert_eq!(godot::decode_with(&blob.bytes, &Options::new(version)).is_err(), is_lossless);
    let options = Options::new(version).any_text(is_lossless);
    let decoded = godot::decode_with(&blob.bytes, &options).unwrap();
    let decoded = Versioned { version, value: decoded };
    let expected = document(&blob.document);
    assert_same(&decoded, &expected);
    let is_canonical = case["canonical"].as_bool().unwrap();
    let report = godot::check_with(&blob.bytes, &options, |_, _| {}).unwrap();
    assert_eq!((report.is_canonical(), encode(&decoded) == blob.bytes), (is_canonical, is_canonical));
    // the same document, member by member, unless it lies too deep for serde_json alone
    if !blob.name.contains("nested10") {
        let written = json::to_string(&decoded).unwrap();
        let tree = |text: &[u8]| {
            let mut reader = serde_json::Deserializer::from_slice(text);
            reader.disable_recursion_limit();
            <Value as serde::Deserialize>::deserialize(&mut reader).unwrap()
        };
        let (written, expected) = (tree(written.as_bytes()), tree(&blob.document));
        assert_eq!(numbers(written), numbers(expected));
    }
}

/// Whole numbers are the same with a fraction and without.
fn numbers(value: Value) -> String {
    let mut text = value.to_string();
    for (fraction, whole) in [(".0,", ","), (".0}", "}"), (".0]", "]")] {
        text = text.replace(fraction, whole);
    }
    text
}

/// Any bytes, with the result that the rules of the reference give.
fn input(version: Version, case: &Value) {
    let bytes = match case.get("hex") {
        Some(digits) => hex(digits.as_str().unwrap()),
        None => {
            let repeat = &case["repeat"];
            let [prefix, suffix] = ["prefix", "suffix"].map(|name| hex(repeat[name].as_str().unwrap()));
            [prefix.repeat(repeat["count"].as_u64().unwrap() as usize), suffix].concat()
        }
    };
    format(version).hold_all(&bytes);
    let expected = &case["default"];
    let document_of = |value: &Value| document(value.to_string().as_bytes());
    match godot::decode_with(&bytes, &Options::new(version)) {
        Ok(value) => {
            assert_eq!(expected.get("error"), None);
            let decoded = Versioned { version, value };
            if let Some(expected) = expected.get("document") {
                assert_same(&decoded, &document_of(expected));
            }
            let is_canonical = godot::check_with(&bytes, &Options::new(version), |_, _| {}).unwrap().is_canonical();
            assert_eq!(is_canonical, encode(&decoded) == bytes);
            if let Some(expected) = case.get("default_canonical") {
                assert_eq!(Value::from(is_canonical), *expected);
            }
        }
        Err(error) => {
            let kind = match error.fault() {
                Fault::Truncated { .. } => "truncated",
                Fault::Unknown { what: "type", .. } => "unknown-type",
                Fault::Unknown { what: "container type", .. } => "container-type",
                Fault::Negative { .. } => "negative-length",
                Fault::Text { .. } => "invalid-utf8",
                Fault::TooDeep { limit: 1024 } => "depth",
                Fault::Trailing => "trailing",
                Fault::Other(text) if text.contains("old form") => "old-node-path",
                other => panic!("{other}"),
            };
            assert_eq!(expected["error"], kind, "{error}");
            assert_eq!(Value::from(error.offset().byte()), expected["offset"], "{error}");
            if kind == "trailing" {
                let value = godot::decode_with(&bytes, &Options::new(version).trailing_bytes(true)).unwrap();
                assert_same(&Versioned { version, value }, &document_of(&expected["document"]));
            }
            if let Some(expected) = case.get("lossless") {
                let value = godot::decode_with(&bytes, &Options::new(version).any_text(true)).unwrap();
                assert_same(&Versioned { version, value }, &document_of(&expected["document"]));
            }
        }
    }
    // engines accept it, and so may we
    if case["name"] == "bytes_nopad_top" {
        let options = Options::new(version).unpadded_bytes(true);
        let value = godot::decode_with(&bytes, &options).unwrap();
        assert_eq!(value, Variant::from(vec![1, 2, 3]));
        assert!(!godot::check_with(&bytes, &options, |_, _| {}).unwrap().is_canonical());
    }
}
