//! Real blobs and their documents, from the folder that the variable `ENGINEWIRE_CORPUS` names.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects
)] // a test that fails may as well panic

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use enginewire::roblox::attributes::{self, Attributes, Options};
use enginewire::{json, Fault};
use libtest_mimic::{Arguments, Trial};
use pretty_assertions::assert_eq;

fn main() {
    let arguments = Arguments::from_args();
    let trials = match std::env::var_os("ENGINEWIRE_CORPUS") {
        Some(folder) => trials(&PathBuf::from(folder).join("roblox-attributes")),
        None => vec![Trial::test("skipped, for ENGINEWIRE_CORPUS is not set", || Ok(())).with_ignored_flag(true)],
    };
    libtest_mimic::run(&arguments, trials).exit();
}

fn trials(folder: &Path) -> Vec<Trial> {
    let mut trials = Vec::new();
    for blob in support::blobs(folder) {
        let blob = Arc::new(blob);
        let mut add = |promise: &str, test: fn(&support::Blob)| {
            let blob = blob.clone();
            trials.push(Trial::test(format!("{}: {promise}", blob.name), move || {
                test(&blob);
                Ok(())
            }));
        };
        add("lossless", support::lossless);
        add("canonical", |blob| assert!(attributes::check(&blob.bytes).unwrap().is_canonical()));
        add("truncation", |blob| support::truncation(&blob.bytes));
        add("chunking", |blob| support::chunking(&blob.bytes, Options::new()));
    }
    let cases: Vec<Case> = serde_json::from_slice(&std::fs::read(folder.join("cases.json")).unwrap()).unwrap();
    for case in cases {
        trials.push(Trial::test(format!("case: {}", case.name), move || {
            case.test();
            Ok(())
        }));
    }
    trials
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
        let bytes = support::hex(&self.hex);
        support::chunking(&bytes, Options::new());
        let Some(kind) = &self.error else {
            let decoded = attributes::decode(&bytes).unwrap();
            let document = serde_json::json!({"format": "roblox-attributes", "entries": self.entries});
            let expected: Attributes<'_> = json::from_slice(document.to_string().as_bytes()).unwrap();
            assert_eq!(decoded, expected);
            let reencoded = self.reencoded.as_deref().map(support::hex);
            assert_eq!(Some(attributes::encode(&decoded).unwrap()), reencoded);
            assert_eq!(attributes::check(&bytes).unwrap().is_canonical(), Some(bytes) == reencoded);
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
        assert_eq!(Some(error.offset()), self.min_offset, "{error}");
        assert_eq!(attributes::check(&bytes), Err(error.clone()));
        assert_eq!(attributes::inspect(&bytes).error(), Some(&error));
    }
}
