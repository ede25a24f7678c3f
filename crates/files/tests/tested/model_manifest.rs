//! Lists of the contents that a reader must find in files, and of the files that a writer must make of them.
#![allow(dead_code, unreachable_pub)] // no test needs all of it

use std::path::Path;

use enginewire_files::roblox::model::{
    edit, list, list_bytes, Change, ChunkHeader, Compression, Kind, Listing, Options, Place, Property, Referent, Store,
};
use pretty_assertions::assert_eq;
use serde_json::Value;
use sha2::{Digest, Sha256};

pub fn read_list(path: &Path) -> Vec<Value> {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

pub fn sha256(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

/// A file has exactly the contents in the manifest. The blobs that the manifest names are in `blobs`, if that exists.
pub fn finds(folder: &Path, entry: &Value, blobs: &Path) {
    let path = folder.join(entry["file"].as_str().unwrap());
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(entry["sha256"], sha256(&bytes));
    let listing = list(std::fs::File::open(&path).unwrap(), &Options::new()).unwrap();
    assert!(listing.problems.is_empty(), "{:?}", listing.problems);
    let with_empty = list_bytes(&bytes, &Options::new().empty(true)).unwrap();
    let mut expected = 0;
    for property in entry["properties"].as_array().unwrap() {
        let values: Vec<&Value> = match property["non_empty"].as_array() {
            Some(values) => values.iter().collect(),
            None => vec![property],
        };
        for value in values {
            expected += 1;
            let found = listing.properties().find(|found| is_at(found, property, value));
            let found = found.unwrap_or_else(|| panic!("there is no {property}"));
            is_as(&listing, &found, property, value, blobs);
        }
    }
    // the independent reader did not look for this one; a test with files of its own does
    let listed = |listing: &Listing| {
        listing
            .properties()
            .filter(|property| {
                !matches!(property.kind, Kind::SerializedEmulatedPolicyInfo | Kind::PropertyTransitionsSerialize)
            })
            .count()
    };
    assert_eq!(listed(&listing), expected);
    let empty = match entry["container"].as_str() {
        Some("binary") => {
            let partly = entry["properties"].as_array().unwrap().iter().map(|property| property["empty"].as_u64());
            let wholly = entry["all_empty"].as_array().unwrap().iter().map(|property| property[3].as_u64());
            partly.chain(wholly).map(Option::unwrap).sum()
        }
        _ => entry["empty"].as_object().map_or(0, |counts| counts.values().map(|count| count.as_u64().unwrap()).sum()),
    };
    assert_eq!(listed(&with_empty) as u64, expected as u64 + empty);
    // writing every value again as it was stored gives the same file; places have many similar values, so 40 are enough
    for property in with_empty.properties().take(40) {
        let value = property.bytes.as_ref().unwrap();
        let same = edit(&bytes, &[Change::of(&property, *value)], Store::AsBefore, &Options::new()).unwrap();
        assert!(same == bytes);
        let other = edit(&bytes, &[Change::of(&property, b"other bytes")], Store::Raw, &Options::new()).unwrap();
        let listing = list_bytes(&other, &Options::new().empty(true)).unwrap();
        let place = with_empty.properties().position(|found| found == property).unwrap();
        assert_eq!(&**listing.property_at(place).unwrap().bytes.as_ref().unwrap(), b"other bytes");
        if let Place::Xml(_) = property.place {
            let back = [Change::of(&listing.property_at(place).unwrap(), *value)];
            let back = edit(&other, &back, Store::Raw, &Options::new()).unwrap();
            // what was one tag stays two
            assert!(value.is_empty() || back == bytes, "{property:?}");
        }
    }
}

fn is_at(found: &Property, property: &Value, value: &Value) -> bool {
    match &found.place {
        Place::Binary(place) => property["chunk_offset"] == place.property && value["index"] == place.index,
        Place::Xml(place) => {
            property["element"][0] == place.element.start && property["element"][1] == place.element.end
        }
        _ => false,
    }
}

fn is_as(listing: &Listing, found: &Property, property: &Value, value: &Value, blobs: &Path) {
    let instance = listing.instance_of(found).unwrap();
    assert_eq!(property["property"], found.kind.name());
    assert_eq!(property["class"], instance.class.to_string());
    assert_eq!(value["name"], instance.name.to_string());
    match &instance.referent {
        Referent::Number(referent) => assert_eq!(value["referent"], *referent),
        Referent::Text(referent) => assert_eq!(value["referent"], referent.to_string()),
    }
    let bytes = found.bytes.as_ref().unwrap();
    assert_eq!((value["len"].as_u64().unwrap(), &value["sha256"]), (bytes.len() as u64, &Value::from(sha256(bytes))));
    match &found.place {
        Place::Binary(place) => {
            let ChunkHeader { compressed_length, length, .. } = place.header;
            assert_eq!(property["chunk_compressed_len"], compressed_length);
            assert_eq!(property["chunk_len"], length);
            assert_eq!(property["compression"], place.compression.name());
            assert_eq!(value["offset_in_chunk"], place.offset);
            assert_eq!(value["file_offset"].as_u64(), found.place.file_offset());
            assert_eq!(found.place.file_offset().is_some(), place.compression == Compression::None);
        }
        Place::Xml(place) => {
            let content = place.content.as_ref().unwrap();
            assert_eq!(
                (&property["content"][0], &property["content"][1]),
                (&content.start.into(), &content.end.into())
            );
        }
        other => panic!("{other:?}"),
    }
    if let Some(blob) = value["corpus_blob"].as_str() {
        if let Ok(expected) = std::fs::read(blobs.join(blob)) {
            assert_eq!(&expected[..], &bytes[..]);
        }
        let attributes = found.decode(&enginewire::roblox::attributes::Options::new()).unwrap();
        assert!(!attributes.is_empty());
    }
    if let Some(tags) = value["tags"].as_array() {
        assert_eq!(found.kind, Kind::Tags);
        assert!(found.tags().map(|tag| Value::from(tag.to_string())).eq(tags.iter().cloned()));
    }
}

/// A file becomes what the list says.
pub fn replaces(folder: &Path, entry: &Value, blobs: &Path) {
    let bytes = std::fs::read(folder.join(entry["file"].as_str().unwrap())).unwrap();
    let new = entry["new_blob"].as_str().map_or_else(Vec::new, |blob| std::fs::read(blobs.join(blob)).unwrap());
    let listing = list_bytes(&bytes, &Options::new()).unwrap();
    let property = listing.properties().find(|found| match &found.place {
        Place::Binary(place) => entry["chunk_offset"] == place.property && entry["index"] == place.index,
        Place::Xml(place) => entry["element"][0] == place.element.start,
        _ => false,
    });
    let changes = [Change::of(&property.unwrap(), &new)];
    let changed = edit(&bytes, &changes, Store::Raw, &Options::new()).unwrap();
    assert_eq!(
        (entry["size"].as_u64().unwrap(), &entry["sha256"]),
        (changed.len() as u64, &Value::from(sha256(&changed)))
    );
}
