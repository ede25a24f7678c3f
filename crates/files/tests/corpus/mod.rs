//! Real blobs and their documents, from the folder that the variable `ENGINEWIRE_CORPUS` names.

/// Scrap Mechanic LuaObject: small values, inputs to refuse, and one that is large.
mod lua;

/// Godot Variant: values that engines wrote, inputs with the results of the reference reader, and containers of values.
mod godot;
/// Roblox model and place files: their contents, and edits of them.
mod model;
/// Roblox remote packets: captures, inputs to refuse, rotations.
mod remote;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::codec::Format;
use crate::support::{Blob, Codec, RobloxAttributes, FORMATS};
use enginewire::roblox::attributes::{self, Attributes};
use enginewire::{json, Fault, Offset};
use libtest_mimic::{Arguments, Trial};
use pretty_assertions::assert_eq;

/// Every value and file of the corpus, each by its name.
#[test]
fn corpus() {
    let Some(corpus) = std::env::var_os("ENGINEWIRE_CORPUS").map(PathBuf::from) else {
        // past the capture of the tests' output
        let line = b"the corpus is skipped: ENGINEWIRE_CORPUS=FOLDER cargo test names its folder\n";
        std::io::stderr().write_all(line).unwrap();
        return;
    };
    // formats with a folder and tests of their own are left out of the first
    let trials = FORMATS.iter().filter(|format| !format.name.starts_with("godot"));
    let trials = trials.flat_map(|format| trials_of(format, &corpus.join(format.name)));
    let trials = trials.chain(cases(&corpus)).chain(lua::trials(&corpus)).chain(godot::trials(&corpus.join("godot")));
    let trials = trials.chain(remote::trials(&corpus)).chain(model::trials(&corpus)).collect();
    let arguments = Arguments { quiet: true, ..Arguments::default() };
    assert!(!libtest_mimic::run(&arguments, trials).has_failed());
}

/// Every promise for every blob of a format: those that are dear, for [every](crate::support::every) fourth.
fn trials_of(format: &'static Format, folder: &Path) -> Vec<Trial> {
    let mut trials = Vec::new();
    let folders = crate::support::folders(folder);
    for (index, blob) in folders.iter().flat_map(|folder| crate::support::blobs(folder)).enumerate() {
        let blob = Arc::new(blob);
        let mut add = |promise: &str, test: Box<dyn Fn(&Blob) + Send>| {
            let blob = blob.clone();
            trials.push(Trial::test(format!("{} {}: {promise}", format.name, blob.name), move || {
                test(&blob);
                Ok(())
            }));
        };
        add("lossless", Box::new(|blob| (format.lossless)(blob)));
        add("canonical", Box::new(|blob| assert!((format.is_canonical)(&blob.bytes))));
        if index % crate::support::every(4) != 0 {
            continue;
        }
        add("truncation", Box::new(|blob| (format.truncation)(&blob.bytes)));
        for property in format.properties {
            add(property.name, Box::new(move |blob| (property.hold)(&blob.bytes)));
        }
    }
    trials
}

/// The small inputs whose verdict is known.
fn cases(corpus: &Path) -> Vec<Trial> {
    let cases = std::fs::read(corpus.join(RobloxAttributes::NAME).join("cases.json")).unwrap();
    let cases: Vec<Case> = serde_json::from_slice(&cases).unwrap();
    let trial = |case: Case| {
        Trial::test(format!("case: {}", case.name), move || {
            case.test();
            Ok(())
        })
    };
    cases.into_iter().map(trial).collect()
}

/// A small input with its verdict.
#[derive(serde::Deserialize)]
struct Case {
    name: String,
    hex: String,
    error: Option<String>,
    entry: Option<usize>,
    min_offset: Option<u64>,
    entries: Option<serde_json::Value>,
    reencoded: Option<String>,
}

impl Case {
    fn test(&self) {
        let bytes = crate::support::hex(&self.hex);
        FORMATS.iter().for_each(|format| format.hold_all(&bytes));
        let Some(kind) = &self.error else {
            let decoded = attributes::decode(&bytes).unwrap();
            let document = serde_json::json!({"format": "roblox-attributes", "entries": self.entries});
            let expected: Attributes<'_> = json::from_slice(document.to_string().as_bytes()).unwrap();
            assert_eq!(decoded, expected);
            let reencoded = self.reencoded.as_deref().map(crate::support::hex);
            assert_eq!(Some(attributes::encode(&decoded).unwrap()), reencoded);
            assert_eq!(attributes::check(&bytes).unwrap().is_canonical(), Some(&bytes) == reencoded.as_ref());
            return;
        };
        let error = attributes::decode(&bytes).unwrap_err();
        let found = match error.fault() {
            Fault::Truncated { .. } => "truncated",
            Fault::Unknown { what: "type id", .. } => "unknown-type",
            Fault::Unknown { what: "rotation id", .. } => "rotation-id",
            Fault::Trailing => "trailing",
            other => panic!("{other}"),
        };
        assert_eq!(found, kind);
        assert_eq!(error.path().index(), self.entry);
        // we read in order and never give up early
        assert_eq!(Some(error.offset()), self.min_offset.map(Offset::from), "{error}");
        assert_eq!(attributes::check(&bytes), Err(error.clone()));
        assert_eq!(attributes::inspect(&bytes).error(), Some(&error));
    }
}
