//! What was changed opens in `rbx_binary` and `rbx_xml`, with the attributes that it should have.
#![cfg(target_pointer_width = "64")] // they build C, which takes a C library of the target's
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation
)] // a test may panic

#[path = "support/model.rs"]
mod model;

use std::collections::BTreeMap;

use enginewire::roblox::attributes::{self, Attributes, Value};
use enginewire::roblox::model::{edit, Change, FileKind, Kind, Options, Store};
use pretty_assertions::assert_eq;
use rbx_dom_weak::types::Variant;
use rbx_dom_weak::WeakDom;

use model::{files, listed, sample, ON};

fn open(file: &[u8]) -> WeakDom {
    match FileKind::of(file) {
        Some(FileKind::Binary) => rbx_binary::from_reader(file).unwrap(),
        _ => rbx_xml::from_reader_default(file).unwrap(),
    }
}

/// Full names with the bytes of all attributes, as the peer has them.
fn attributes_of(dom: &WeakDom) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for instance in dom.descendants() {
        let Some(Variant::Attributes(attributes)) = instance.properties.get(&"Attributes".into()) else { continue };
        if attributes.is_empty() {
            continue;
        }
        let mut names = vec![instance.name.clone()];
        let mut parent = instance.parent();
        while let Some(above) = dom.get_by_ref(parent).filter(|above| above.parent().is_some()) {
            names.push(above.name.clone());
            parent = above.parent();
        }
        names.reverse();
        found.entry(names.join(".")).or_default().push(keys(attributes.iter().map(|(key, _)| key.clone()).collect()));
    }
    found
}

fn keys(mut keys: Vec<String>) -> String {
    keys.sort();
    keys.join(",")
}

/// The same, as they are here.
fn own(file: &[u8]) -> BTreeMap<String, Vec<String>> {
    let listing = listed(file, &Options::new());
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for property in listing.properties().filter(|property| property.kind == Kind::AttributesSerialize) {
        let attributes = property.decode(&attributes::Options::new()).unwrap();
        let keys = keys(attributes.iter().map(|entry| entry.key.to_string()).collect());
        found.entry(listing.path(property.instance).to_string()).or_default().push(keys);
    }
    found
}

#[test]
fn listings_agree_with_those_of_the_peers() {
    for (name, file) in files() {
        if !name.starts_with("made") {
            assert_eq!(attributes_of(&open(&file)), own(&file), "{name}");
        }
    }
}

#[test]
fn what_was_changed_opens() {
    let new: Attributes<'_> = [
        ("Health", Value::from(100.0)),
        ("Name", Value::from("a text that is long enough to be written in several lines of an XML file")),
    ]
    .into_iter()
    .collect();
    for (name, file) in files() {
        if name.starts_with("made") {
            continue;
        }
        let listing = listed(&file, &Options::new().all_instances(true).empty(true));
        for (index, instance) in listing.instances().enumerate().take(5) {
            for store in [Store::AsBefore, Store::Raw, Store::Lz4] {
                let bytes = Kind::AttributesSerialize.encode(&new, &attributes::Options::new().refs(true)).unwrap();
                let change = Change::of_instance(&instance, Kind::AttributesSerialize, &bytes);
                let changed = edit(&file, &[change], store, &Options::new()).unwrap();
                let found = attributes_of(&open(&changed));
                let path = listing.path(index).to_string();
                assert!(found[&path].contains(&"Health,Name".to_owned()), "{name} {path}: {found:?}");
                assert_eq!(found, own(&changed), "{name}");

                let none = [Change::of_instance(&instance, Kind::AttributesSerialize, b"")];
                let without = edit(&changed, &none, store, &Options::new()).unwrap();
                assert_eq!(attributes_of(&open(&without)), own(&without), "{name}");
            }
        }
    }
}

/// Chunks are also added where a class has none.
#[test]
fn what_was_added_opens() {
    let file = sample(Store::Lz4);
    let listing = listed(&file, &Options::new().all_instances(true));
    let torch = listing.find("Workspace.Torch".into()).next().unwrap();
    let rule = listing.find("Rule".into()).next().unwrap();
    let changes = [
        Change::of_instance(&listing.instance(torch).unwrap(), Kind::AttributesSerialize, ON),
        Change::of_instance(&listing.instance(rule).unwrap(), Kind::AttributesSerialize, ON),
    ];
    let changed = edit(&file, &changes, Store::AsBefore, &Options::new()).unwrap();
    let found = attributes_of(&open(&changed));
    assert_eq!(found, own(&changed));
    assert_eq!(found["Rule"], ["On"]);
}
