use std::collections::BTreeMap;
use std::path::Path;

use enginewire::scrap_mechanic::lua_object::{
    check, decode, decode_with, encode, inspect, LuaObject, LuaSaveData, Options, Table,
};
use enginewire::{json, Fault};
use libtest_mimic::Trial;
use pretty_assertions::assert_eq;
use serde::Deserialize;
use serde_json::Value;

use crate::support::{hex, Codec, ScrapMechanicLua, FORMATS};

pub(crate) fn trials(corpus: &Path) -> Vec<Trial> {
    let folder = corpus.join(ScrapMechanicLua::NAME);
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let cases = |name: &str| {
        let text = read(name);
        let mut reader = serde_json::Deserializer::from_slice(&text);
        // documents of deep objects are deeper than serde_json would have it
        reader.disable_recursion_limit();
        Vec::<Value>::deserialize(&mut reader).unwrap()
    };
    let trial = |case: Value, test: fn(&Value)| {
        Trial::test(format!("lua case: {}", case["name"]), move || {
            test(&case);
            Ok(())
        })
    };
    let valid = cases("synthetic/values.json").into_iter().chain(cases("carriers/blueprint-strings.json"));
    let mut trials: Vec<Trial> = valid.map(|case| trial(case, value)).collect();
    trials.extend(cases("synthetic/invalid.json").into_iter().map(|case| trial(case, invalid)));
    let block = read("large/terrain.lz4");
    let summary = serde_json::from_slice(&read("large/terrain.summary.json")).unwrap();
    trials.push(Trial::test("lua: terrain", move || {
        terrain(&block, &summary);
        Ok(())
    }));
    trials
}

fn document(value: &Value) -> LuaObject<'static> {
    json::from_slice(value.to_string().as_bytes()).unwrap()
}

/// A small object and its document.
fn value(case: &Value) {
    let bytes = hex(case["hex"].as_str().unwrap());
    FORMATS.iter().for_each(|format| format.hold_all(&bytes));
    let decoded = decode(&bytes).unwrap();
    assert_eq!(encode(&decoded).unwrap(), bytes);
    let expected = document(&case["document"]);
    assert_eq!(encode(&expected).unwrap(), bytes);
    assert_eq!(format!("{decoded:?}"), format!("{expected:?}"));
}

/// An input to refuse, with the kind of its error and its first bit.
fn invalid(case: &Value) {
    let bytes = hex(case["hex"].as_str().unwrap());
    FORMATS.iter().for_each(|format| format.hold_all(&bytes));
    let error = decode(&bytes).unwrap_err();
    let field = error.path().to_string();
    let kind = match error.fault() {
        Fault::Truncated { .. } if field.ends_with(".size") && error.offset().bits() + 32 <= bits(&bytes) => "length",
        Fault::Truncated { .. } if field.ends_with(".count") && error.offset().bits() + 33 <= bits(&bytes) => "count",
        Fault::Truncated { .. } => "truncated",
        Fault::Magic { .. } => "magic",
        Fault::Unknown { what: "version", .. } => "version",
        Fault::Unknown { what: "type", .. } => "tag",
        Fault::Unknown { what: "userdata type", .. } | Fault::Refused { .. } => "userdata",
        Fault::Padding { .. } => "padding",
        Fault::Trailing => "trailing",
        Fault::TooDeep { .. } => "depth",
        other => panic!("{other}"),
    };
    assert_eq!(case["error"], kind, "{error}");
    assert_eq!(case["bit"].as_u64(), Some(error.offset().bits()), "{error}");
    assert_eq!(check(&bytes), Err(error.clone()));
    assert_eq!(inspect(&bytes).error(), Some(&error));
    let lenient = decode_with(&bytes, &Options::new().any_padding(true).trailing_bytes(true));
    match case.get("lenient") {
        Some(expected) => assert_eq!(lenient.unwrap(), document(expected)),
        None => assert!(lenient.is_err()),
    }
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.len() as u64 * 8
}

/// An object as large as any, whose summary is known.
fn terrain(block: &[u8], summary: &Value) {
    let size = summary["size"].as_u64().unwrap() as usize;
    let bytes = lz4_flex::block::decompress(block, size).unwrap();
    assert_eq!(bytes.len(), size);
    let object = decode(&bytes).unwrap();
    assert!(check(&bytes).unwrap().is_canonical());
    assert!(encode(&object).unwrap() == bytes, "it comes back");

    let mut counts = BTreeMap::new();
    let depth = count(&object.data, 0, &mut counts);
    assert_eq!(summary["nodes"].as_u64(), Some(counts.values().sum()));
    counts.insert("depth".to_owned(), depth);
    assert_eq!(summary["counts"], serde_json::to_value(&counts).unwrap());
    for probe in summary["probes"].as_array().unwrap() {
        let steps = probe["path"].as_array().unwrap().iter().map(|step| step.as_u64().unwrap() as usize);
        let found = steps.fold(&object.data, |value, step| value.as_table().unwrap().values().nth(step).unwrap());
        let found: Value = serde_json::to_value(found).unwrap();
        assert_eq!((&found["type"], &found["value"]), (&probe["type"], &probe["value"]), "{probe}");
    }
}

/// Counts values by their type; returns the depth of the deepest.
fn count(value: &LuaSaveData<'_>, depth: u64, counts: &mut BTreeMap<String, u64>) -> u64 {
    let name = match value.as_userdata() {
        Some(userdata) => format!("Userdata:{}", userdata.type_id().name()),
        None => value.type_id().name().to_owned(),
    };
    *counts.entry(name).or_default() += 1;
    let mut inside = |value| count(value, depth + 1, counts);
    let deepest = match value.as_table() {
        Some(Table::Array { elements, .. }) => elements.iter().map(inside).max(),
        Some(Table::Pairs(pairs)) => pairs.iter().map(|pair| inside(&pair.key).max(inside(&pair.value))).max(),
        None => None,
    };
    deepest.unwrap_or(depth)
}
