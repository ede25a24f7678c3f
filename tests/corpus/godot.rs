use std::path::Path;
use std::sync::Arc;

use enginewire::godot::{self, Options, Variant, Version, Versioned};
use enginewire::{json, Fault};
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
        for case in index["cases"].as_array().unwrap() {
            let name = case["name"].as_str().unwrap().to_owned();
            let bytes = std::fs::read(folder.join(format!("{name}.bin"))).unwrap();
            let document = std::fs::read(folder.join(format!("{name}.json"))).unwrap();
            let case = Arc::new((case.clone(), Blob { name: name.clone(), bytes, document }));
            let title = format!("godot {} {name}", folder.file_name().unwrap().to_str().unwrap());
            let same = case.clone();
            trials.push(trial(title.clone(), move || value(version, &same.0, &same.1)));
            for property in format(version).properties {
                let case = case.clone();
                trials.push(trial(format!("{title}: {}", property.name), move || (property.hold)(&case.1.bytes)));
            }
            trials.push(trial(format!("{title}: truncation"), move || {
                if godot::decode(version, &case.1.bytes).is_ok() {
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
    trials
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

/// JSON, however deep.
fn read(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap();
    let mut reader = serde_json::Deserializer::from_slice(&text);
    reader.disable_recursion_limit();
    serde::Deserialize::deserialize(&mut reader).unwrap()
}

fn document(text: &[u8]) -> Versioned<'static> {
    json::from_slice(text).unwrap()
}

/// What both hold, bit by bit.
fn assert_same(one: &Versioned<'_>, other: &Versioned<'_>) {
    assert_eq!(one.encode().unwrap(), other.encode().unwrap());
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
}

/// What an engine wrote.
fn value(version: Version, case: &Value, blob: &Blob) {
    let is_lossless = case.get("text").is_some();
    assert_eq!(godot::decode(version, &blob.bytes).is_err(), is_lossless);
    let options = Options::new().any_text(is_lossless);
    let decoded = godot::decode_with(version, &blob.bytes, &options).unwrap();
    let decoded = Versioned { version, value: decoded };
    let expected = document(&blob.document);
    assert_same(&decoded, &expected);
    let is_canonical = case["canonical"].as_bool().unwrap();
    let report = godot::check_with(version, &blob.bytes, &options, |_, _| {}).unwrap();
    assert_eq!((report.is_canonical(), decoded.encode().unwrap() == blob.bytes), (is_canonical, is_canonical));
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

/// What the rules of the reference say about any bytes.
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
    match godot::decode(version, &bytes) {
        Ok(value) => {
            assert_eq!(expected.get("error"), None);
            let decoded = Versioned { version, value };
            if let Some(expected) = expected.get("document") {
                assert_same(&decoded, &document_of(expected));
            }
            let is_canonical = godot::check(version, &bytes).unwrap().is_canonical();
            assert_eq!(is_canonical, decoded.encode().unwrap() == bytes);
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
                let value = godot::decode_with(version, &bytes, &Options::new().trailing_bytes(true)).unwrap();
                assert_same(&Versioned { version, value }, &document_of(&expected["document"]));
            }
            if let Some(expected) = case.get("lossless") {
                let value = godot::decode_with(version, &bytes, &Options::new().any_text(true)).unwrap();
                assert_same(&Versioned { version, value }, &document_of(&expected["document"]));
            }
        }
    }
    // engines accept it, and so may we
    if case["name"] == "bytes_nopad_top" {
        let options = Options::new().unpadded_bytes(true);
        let value = godot::decode_with(version, &bytes, &options).unwrap();
        assert_eq!(value, Variant::from(vec![1, 2, 3]));
        assert!(!godot::check_with(version, &bytes, &options, |_, _| {}).unwrap().is_canonical());
    }
}
