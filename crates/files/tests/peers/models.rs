//! Edited files open in `rbx_binary` and `rbx_xml`, with the expected attributes.

#[allow(dead_code)] // its main()
#[path = "../../examples/with_rbx_dom.rs"]
mod with_rbx_dom;

use std::collections::BTreeMap;

use enginewire::roblox::attributes::{self, Attributes, Value};
use enginewire_files::roblox::model::{edit, Change, Compression, FileKind, Kind, Listing, Options, Place, Store};
use pretty_assertions::assert_eq;
use rbx_binary::{CompressionType, Serializer};
use rbx_dom_weak::types::{Attributes as PeerAttributes, Variant, Vector3};
use rbx_dom_weak::{InstanceBuilder, WeakDom};

use crate::model::{files, listed, sample, ON};

fn open(file: &[u8]) -> WeakDom {
    match FileKind::of(file) {
        Some(FileKind::Binary) => rbx_binary::from_reader(file).unwrap(),
        _ => rbx_xml::from_reader_default(file).unwrap(),
    }
}

/// The names of the attributes that the peer reads, by the full name of their instance.
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

/// A model of the peer's, with chunks that the reference program packed as zstd.
fn in_zstd() -> Vec<u8> {
    let mut dom = WeakDom::new(InstanceBuilder::new("DataModel"));
    let root = dom.root_ref();
    let folders = (0..3000u32).map(|number| {
        let mixed = number.wrapping_mul(2_654_435_761) >> 16;
        let attributes = [
            ("Health", Variant::Float64(f64::from(mixed % 101))),
            ("On", Variant::Bool(mixed & 1 == 0)),
            ("Owner", Variant::BinaryString(format!("player {}", mixed % 977).into_bytes().into())),
            ("Place", Variant::Vector3(Vector3::new(mixed as f32 / 7.0, 4.0, number as f32))),
        ];
        let attributes: PeerAttributes = attributes.map(|(key, value)| (key.to_owned(), value)).into_iter().collect();
        InstanceBuilder::new("Folder").with_name(format!("Torch {number}")).with_property("Attributes", attributes)
    });
    let folders: Vec<_> = folders.map(|folder| dom.insert(root, folder)).collect();
    let mut file = Vec::new();
    let serializer = Serializer::new().compression_type(CompressionType::Zstd);
    serializer.serialize(&mut file, &dom, &folders).unwrap();
    file
}

/// The attributes of all instances, with their values.
fn all_attributes(file: &[u8]) -> Vec<(String, PeerAttributes)> {
    let dom = open(file);
    let attributes = dom.descendants().filter_map(|instance| match instance.properties.get(&"Attributes".into()) {
        Some(Variant::Attributes(attributes)) => Some((instance.name.clone(), attributes.clone())),
        _ => None,
    });
    attributes.collect()
}

/// A chunk that the reference program packed as zstd is packed as zstd again after an edit, and the reference program
/// can read it. The test prints its size in every way to store it.
#[test]
fn what_was_zstd_opens() {
    let file = in_zstd();
    let listing = listed(&file, &Options::new());
    let at = |listing: &Listing| match &listing.property_at(1000).unwrap().place {
        Place::Binary(place) => place.clone(),
        place => panic!("{place:?}"),
    };
    let property = listing.property_at(1000).unwrap();
    let mut attributes = property.decode(&attributes::Options::new()).unwrap();
    attributes.insert("Health", 1234.5);
    let new = property.kind.encode(&attributes, &attributes::Options::new()).unwrap();
    let mut expected = all_attributes(&file);
    expected[1000].1.insert("Health".to_owned(), Variant::Float64(1234.5));
    let (before, start) = (at(&listing).header, at(&listing).property as usize);
    let end = start + 16 + before.compressed_length as usize;
    let [kept, lz4, raw] = [Store::AsBefore, Store::Lz4, Store::Raw].map(|store| {
        let changed = edit(&file, &[Change::of(&property, &new)], store, &Options::new()).unwrap();
        assert_eq!(changed[..start], file[..start]);
        assert!(changed.ends_with(&file[end..]));
        assert_eq!(all_attributes(&changed), expected);
        assert_eq!(own(&changed), own(&file));
        (at(&listed(&changed, &Options::new())).compression, changed.len() - (file.len() - (end - start)) - 16)
    });
    println!(
        "a chunk of {} bytes: zstd by the reference program {}, here {}, LZ4 {}, as it is {}",
        before.length, before.compressed_length, kept.1, lz4.1, raw.1
    );
    assert_eq!((at(&listing).compression, kept.0), (Compression::Zstd, Compression::Zstd));
    assert!(kept.1 < lz4.1 && kept.1 < before.compressed_length as usize * 6 / 5);
}

/// `examples/with_rbx_dom.rs`: its output for a model can be imported into the same model without attributes and restores them,
/// also after the model was written to a file. An array is kept, although `rbx_types` has no type for it.
#[test]
fn the_example_reads_and_sets_attributes() {
    use enginewire::convert::InstanceAttributes;

    // the other file has numbers that Rojo's JSON lacks
    let (_, file) = files().into_iter().find(|(name, _)| name == "enum-attribute.rbxm").unwrap();
    let exported = with_rbx_dom::export(&open(&file)).unwrap();
    assert!(!exported.is_empty());
    let mut dom = open(&file);
    let referents: Vec<_> = dom.descendants().map(|instance| instance.referent()).collect();
    for referent in referents {
        dom.get_by_ref_mut(referent).unwrap().set_attributes(&Attributes::new()).unwrap();
    }
    assert!(with_rbx_dom::export(&dom).unwrap().is_empty());
    with_rbx_dom::import(&mut dom, &exported).unwrap();
    let mut written = Vec::new();
    rbx_binary::to_writer(&mut written, &dom, dom.root().children()).unwrap();
    assert_eq!(with_rbx_dom::export(&open(&written)).unwrap(), exported);
    assert_eq!(own(&written), own(&file));

    let list = Value::Array([1.0.into(), "two".into()].into());
    let attributes: Attributes<'_> = [("List", list)].into_iter().collect();
    let top = dom.root().children()[0];
    dom.get_by_ref_mut(top).unwrap().set_attributes(&attributes).unwrap();
    let mut written = Vec::new();
    rbx_binary::to_writer(&mut written, &dom, &[top]).unwrap();
    let read = rbx_binary::from_reader(&written[..]).unwrap();
    let instance = read.get_by_ref(read.root().children()[0]).unwrap();
    assert_eq!(instance.attributes().unwrap(), attributes);
    let mut xml = Vec::new();
    rbx_xml::to_writer_default(&mut xml, &dom, &[top]).unwrap();
    let read = rbx_xml::from_reader_default(&xml[..]).unwrap();
    let instance = read.get_by_ref(read.root().children()[0]).unwrap();
    assert_eq!(instance.attributes().unwrap(), attributes);
}
