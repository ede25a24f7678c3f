//! Model and place files.

use crate::support::random;
use crate::tested::{model, model_manifest as manifest};
use std::cell::Cell;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;

use allocation_counter::measure;
use bstr::BStr;
use enginewire::roblox::attributes;
use enginewire::roblox::Tags;
use enginewire::wire::generate_into;
use enginewire_files::roblox::model::binary::{chunk, gen_sstr, sstr, unpack, Chunk, Sstr};
use enginewire_files::roblox::model::{
    edit, edit_to, list, list_bytes, Change, ChunkHeader, ChunkName, Compression, FileKind, InstancePlace, Kind,
    Listing, ModelError, Options, Place, PropertyError, Store, UnpackError, ValueError,
};
use model::{
    chunks, files, folder, hold, in_zstd, listed, made as made_of, problems, sample, stored, truncation, values,
    without_places, Class, BROKEN, ON,
};
use nom::Parser;
use pretty_assertions::assert_eq;
use random::Random;

fn blobs() -> PathBuf {
    folder().join("../roblox-attributes")
}

#[test]
fn every_file_has_what_its_manifest_says() {
    for entry in manifest::read_list(&folder().join("manifest.json")) {
        manifest::finds(&folder(), &entry, &blobs());
    }
}

#[test]
fn every_replacement_comes_out_as_listed() {
    for entry in manifest::read_list(&folder().join("replacements.json")) {
        manifest::replaces(&folder(), &entry, &blobs());
    }
}

#[test]
fn what_is_made_here_is_in_the_fixtures() {
    let [made, raw] = [Store::Lz4, Store::Raw].map(sample);
    let attributes = std::fs::read(folder().join("attributes.rbxm")).unwrap();
    let xml = std::fs::read(folder().join("attributes.rbxmx")).unwrap();
    let mut chunk = sample(Store::Raw);
    // the length of the first value of the first property
    let at = prop(&chunk, "AttributesSerialize") + 16 + 4 + 4 + 19 + 1;
    chunk[at] = 200;
    let twins = Class {
        name: "Folder",
        referents: &[1, 2],
        strings: &[("AttributesSerialize", &[ON, b""]), ("Name", &[b"Twin", b"Twin"])],
        shared: &[],
    };
    for (name, bytes) in [
        ("made.rbxm", &made[..]),
        ("made.none.rbxm", &raw),
        ("bad/cut.rbxm", &attributes[..attributes.len() - 100]),
        ("bad/cut.rbxmx", &xml[..xml.len() - 100]),
        ("bad/chunk.rbxm", &chunk),
        ("bad/twins.rbxm", &made_of(&[twins], &[(1, -1), (2, -1)], &[], Store::Raw)),
    ] {
        let path = folder().join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, bytes).unwrap();
        }
        assert!(std::fs::read(path).unwrap() == bytes, "{name}");
    }
}

#[test]
fn instances_have_paths() {
    for store in [Store::Raw, Store::Lz4] {
        let listing = listed(&sample(store), &Options::new());
        let found: Vec<_> = listing
            .properties()
            .map(|property| {
                let class = listing.instance_of(&property).unwrap().class.to_string();
                (listing.path(property.instance).to_string(), class, property.kind, property.bytes.unwrap().to_vec())
            })
            .collect();
        let row =
            |path: &str, class: &str, kind, bytes: &[u8]| (path.to_owned(), class.to_owned(), kind, bytes.to_vec());
        let tags = b"Hot\0Bright";
        assert_eq!(
            found,
            [
                row("Workspace.Torch.Torch", "Part", Kind::AttributesSerialize, ON),
                row("Workspace.Torch", "Part", Kind::AttributesSerialize, BROKEN),
                row("Workspace.Torch.Torch", "Part", Kind::Tags, tags),
                row("Workspace.Torch.Torch.Fire \u{fffd}", "Part", Kind::Tags, tags),
                row("Rule", "StyleRule", Kind::PropertiesSerialize, ON),
                row("", "Path2D", Kind::PropertiesSerialize, b"\0\0\0\0"),
            ],
        );
        assert_eq!(listing.find("Workspace.Torch".into()).count(), 1);
        assert!(listing.find("#7".into()).eq(listing.find(b"Workspace.Torch.Torch.Fire \xff".as_slice().into())));
        assert!(listing.find("Torch".into()).next().is_none());
        assert_eq!(listing.instances().len(), 6);
        let kinds = listing
            .properties()
            .map(|property| property.kind.is_attributes(listing.instance_of(&property).unwrap().class));
        assert_eq!(kinds.collect::<Vec<_>>(), [true, true, false, false, true, false]);
    }
}

/// A number counts the instances that are not listed too, and those whose names are missing or broken.
#[test]
fn addresses_are_the_same_however_many_instances_are_listed() {
    let (ten, two): ([&[u8]; 10], [&[u8]; 2]) = ([b"Part"; 10], [b"Folder", b"Part"]);
    let mut on: [&[u8]; 10] = [b""; 10];
    (on[3], on[9]) = (ON, ON);
    let referents: Vec<i32> = (1..=10).collect();
    let part = |strings| Class { name: "Part", referents: &referents, strings, shared: &[] };
    let names: [(&str, &[&[u8]]); 1] = [("Name", &two)];
    let other = || Class { name: "Folder", referents: &[11, 12], strings: &names, shared: &[] };
    let named = [("AttributesSerialize", &on[..]), ("Name", &ten[..])];
    // the last part and the folder that is called so are in the other folder
    let parents: Vec<_> = (1..=9).map(|child| (child, -1)).chain([(10, 11), (11, -1), (12, 11)]).collect();
    let mut broken = made_of(&[other(), part(&named)], &parents, &[], Store::Raw);
    let at = prop(&broken, "Name");
    let name = at + 16 + 4 + 4 + 4 + 1;
    let parts = made_of(&[part(&named), other()], &parents, &[], Store::Lz4);
    let nameless = made_of(&[part(&named[..1]), other()], &parents, &[], Store::Lz4);
    let mut expected = vec![(parts, vec!["Part[4]", "Folder.Part[1]"]), (nameless, vec!["\"\"[4]", "Folder.\"\""])];
    expected.push((broken.clone(), vec!["Part[4]", "Folder.Part[2]"]));
    // the length of the first name of the folders
    broken[name] = 200;
    expected.push((broken, vec!["Part[4]", "\"\".Part"]));
    for (file, expected) in expected {
        let listed = |all| list_bytes(&file, &Options::new().all_instances(all)).unwrap();
        let (some, all) = (listed(false), listed(true));
        assert!(some.instances().len() < all.instances().len());
        let addresses = |listing: &Listing| -> Vec<String> {
            listing.properties().map(|property| listing.address(property.instance).to_string()).collect()
        };
        assert_eq!(addresses(&some), expected);
        assert_eq!(addresses(&all), expected);
    }
    for (_, file) in files() {
        let listed = |all| list_bytes(&file, &Options::new().all_instances(all)).unwrap();
        let (some, all) = (listed(false), listed(true));
        for (one, other) in some.properties().zip(all.properties()) {
            let address = some.address(one.instance);
            assert_eq!(address, all.address(other.instance));
            let text = address.to_string();
            assert_eq!(all.find(BStr::new(&text)).collect::<Vec<_>>(), [other.instance], "{address}");
        }
    }
}

#[test]
fn a_bad_blob_does_not_hide_the_others() {
    let listing = listed(&sample(Store::Lz4), &Options::new());
    let decoded: Vec<_> = listing
        .properties()
        .filter(|property| property.kind == Kind::AttributesSerialize)
        .map(|property| property.decode(&attributes::Options::new()).map(|attributes| attributes.len()))
        .collect();
    assert_eq!(decoded[0], Ok(1));
    let error = decoded[1].as_ref().unwrap_err().to_string();
    assert_eq!(error, r#"unknown type id 0xff, at byte 0x9 in entries[0] "a".value.type"#);
}

/// An array of strings, which is not in the specification, as real places have it here.
const POLICIES: &[u8] = b"\x01\0\0\0\x18\0\0\0AllowedExternalLinkTypes\x07\x02\0\0\0\
    \x02\x07\0\0\0Discord\x02\x07\0\0\0YouTube";

#[test]
fn policies_are_attributes_too() {
    let class = |name: &'static str| Class {
        name,
        referents: &[0],
        strings: &[("SerializedEmulatedPolicyInfo", &[POLICIES]), ("AttributesSerialize", &[ON]), ("Name", &[b"a"])],
        shared: &[],
    };
    let binary = |name| made_of(&[class(name)], &[(0, -1)], &[], Store::Lz4);
    let xml = |name| {
        let policies = data_encoding::BASE64.encode(POLICIES);
        format!(
            r#"<roblox version="4"><Item class="{name}" referent="A"><Properties><BinaryString
            name="SerializedEmulatedPolicyInfo">{policies}</BinaryString></Properties></Item></roblox>"#
        )
    };
    let strict = attributes::Options::new().draft_types(false);
    for make in [&binary as &dyn Fn(&'static str) -> Vec<u8>, &|name| xml(name).into_bytes()] {
        let file = make("PlayerEmulatorService");
        let listing = listed(&file, &Options::new());
        let property = listing.property(0, Kind::SerializedEmulatedPolicyInfo).unwrap();
        assert!(property.kind.is_attributes(listing.instance(0).unwrap().class));
        assert_eq!(property.bytes, Ok(POLICIES.into()));
        let read = property.decode(&strict).unwrap();
        let elements = ["Discord", "YouTube"].map(attributes::Value::from).to_vec();
        assert_eq!(read.get("AllowedExternalLinkTypes"), Some(&attributes::Value::Array(elements.into())));
        assert_eq!(attributes::check(POLICIES).unwrap().findings.drafts.count, 0);

        // an empty list of attributes is written as zero bytes, as in the place below
        let none = property.kind.encode(&attributes::Attributes::new(), &attributes::Options::new()).unwrap();
        assert_eq!((&none[..], property.kind.none()), (&[][..], &[][..]));
        let changed = edit(&file, &[Change::of(&property, &none)], Store::AsBefore, &Options::new()).unwrap();
        assert!(listed(&changed, &Options::new()).property(0, property.kind).is_none());
        let changed = listed(&changed, &Options::new().empty(true));
        assert_eq!(changed.property(0, property.kind).unwrap().bytes, Ok("".into()));
        // of no other class
        let other = make("Folder");
        let other = listed(&other, &Options::new());
        let property = other.property(0, Kind::SerializedEmulatedPolicyInfo).unwrap();
        assert!(!property.kind.is_attributes(other.instance(0).unwrap().class));
    }
}

/// Two bytes are before them in the file, which are not listed and are written again.
#[test]
fn transitions_have_bytes_before_them() {
    let stored = [b"\x02\0", ON].concat();
    let strings: &[(&str, &[&[u8]])] =
        &[("PropertyTransitionsSerialize", &[&stored, b"", b"\x03\0\x01"]), ("Name", &[b"a", b"b", b"c"])];
    let class = Class { name: "StyleRule", referents: &[0, 1, 2], strings, shared: &[] };
    let file = made_of(&[class], &[(0, -1), (1, -1), (2, -1)], &[], Store::Raw);
    let kind = Kind::PropertyTransitionsSerialize;
    let listing = listed(&file, &Options::new().all_instances(true));
    let property = listing.property(0, kind).unwrap();
    assert!(property.kind.is_attributes(listing.instance(0).unwrap().class));
    assert_eq!(property.bytes, Ok(ON.into()));
    let at = usize::try_from(property.place.file_offset().unwrap()).unwrap();
    assert!(file[at..].starts_with(ON), "the place is that of what is listed");
    assert_eq!(listing.property(1, kind), None);
    let wrong = listing.property(2, kind).unwrap().bytes.unwrap_err();
    assert_eq!(wrong.to_string(), "expected the bytes 02 00 before the attributes, found 03 00");

    let [first, second] = [0, 1].map(|index| listing.instance(index).unwrap());
    for (changes, expected) in [
        (vec![Change::of(&property, ON)], [ON, b"", b"\x03\0\x01"]),
        (vec![Change::of(&property, b"\0\0\0\0")], [&[0; 4][..], b"", b"\x03\0\x01"]),
        (vec![Change::of_instance(&first, kind, b"")], [b"", b"", b"\x03\0\x01"]),
        (vec![Change::of_instance(&second, kind, ON)], [ON, ON, b"\x03\0\x01"]),
        (vec![Change::of(&listing.property(2, kind).unwrap(), ON)], [ON, b"", ON]),
    ] {
        let changed = edit(&file, &changes, Store::AsBefore, &Options::new()).unwrap();
        let changed = listed(&changed, &Options::new().empty(true).all_instances(true));
        for (index, expected) in expected.iter().enumerate() {
            match changed.property(index, kind).unwrap().bytes {
                Ok(bytes) => assert_eq!(bytes, *expected),
                Err(error) => assert_eq!(error, wrong),
            }
        }
    }
    let plain = Class { name: "StyleRule", referents: &[0], strings: &[("Name", &[b"a"])], shared: &[] };
    let plain = made_of(&[plain], &[(0, -1)], &[], Store::Raw);
    let listing = listed(&plain, &Options::new().all_instances(true));
    let change = [Change::of_instance(&listing.instance(0).unwrap(), kind, ON)];
    let changed = edit(&plain, &change, Store::Raw, &Options::new()).unwrap();
    assert!(changed.windows(stored.len()).any(|bytes| bytes == stored));
    assert_eq!(listed(&changed, &Options::new()).property(0, kind).unwrap().bytes, Ok(ON.into()));
}

#[test]
fn a_place_of_studio_has_no_policies_and_no_bytes() {
    let file = std::fs::read(folder().join("baseplate-566.rbxl")).unwrap();
    let listing = listed(&file, &Options::new().empty(true));
    let mut found = listing.properties().filter(|property| property.kind == Kind::SerializedEmulatedPolicyInfo);
    let property = found.next().unwrap();
    assert_eq!(property.bytes, Ok(BStr::new("")));
    assert_eq!(listing.instance_of(&property).unwrap().class, "PlayerEmulatorService");
    // as an independent reader has it
    assert!(matches!(&property.place, Place::Binary(place) if (place.property, place.index) == (17360, 0)));
    assert_eq!(found.count(), 0);
}

#[test]
fn all_instances_and_all_properties_on_request() {
    let listing = listed(&sample(Store::Raw), &Options::new().all_instances(true).empty(true));
    assert_eq!((listing.instances().len(), listing.properties().len()), (6, 9));
}

/// The PROP chunk for this property of the class with this number, whose header is at such an offset.
fn prop(file: &[u8], name: &str) -> usize {
    let has = |at: &usize| {
        let data = &file[at + 16..];
        let length = u32::from_le_bytes(data[4..8].try_into().unwrap()) as usize;
        data[8..][..length] == *name.as_bytes()
    };
    chunks(file, ChunkName::PROP).into_iter().find(has).unwrap()
}

#[test]
fn what_is_not_asked_for_is_not_unpacked() {
    // a compressed body that is broken shortly after the name of the property
    let mut file = sample(Store::Raw);
    let head = b"\0\0\0\0\x06\0\0\0CFrame\x10";
    let mut broken = b"PROP\x2a\0\0\0\xff\xff\0\0\0\0\0\0\xf0\x10".to_vec();
    broken.extend(head);
    broken.extend([0; 16]);
    broken.extend([0xff; 9]);
    let at = prop(&file, "Name");
    file.splice(at..at, broken);
    assert_eq!(listed(&file, &Options::new()).properties().len(), 6);
    // where not even the name can be read, it may have been one that is wanted
    let nameless = b"PROP\x04\0\0\0\xff\0\0\0\0\0\0\0\x10\0\xff\xff";
    file.splice(at..at, *nameless);
    let listing = list_bytes(&file, &Options::new()).unwrap();
    assert!(problems(&listing)[0].contains("lz4 data"), "{:?}", problems(&listing));
    assert_eq!((listing.properties().len(), listing.problems.len()), (6, 1));
}

#[test]
fn empty_values_are_not_unpacked() {
    let referents: Vec<i32> = (0..100_000).collect();
    let parents: Vec<_> = referents.iter().map(|referent| (*referent, -1)).collect();
    let peak = |strings: &[(&'static str, &[&[u8]])]| {
        let file = made_of(
            &[Class { name: "Folder", referents: &referents, strings, shared: &[] }],
            &parents,
            &[],
            Store::Lz4,
        );
        let mut listing = Listing::default();
        let peak = measure(|| listing = listed(&file, &Options::new())).bytes_max;
        assert_eq!(listing.properties().len(), 0);
        // only the INST chunk is
        let instances = 4 + 4 + 6 + 1 + 4 + 4 * 100_000;
        listed(&file, &Options::new().max_total(instances));
        let more = list_bytes(&file, &Options::new().max_total(instances - 1)).unwrap();
        assert!(problems(&more)[0].starts_with("all chunks together unpack to more"), "{:?}", problems(&more));
        assert_eq!(listed(&file, &Options::new().empty(true)).properties().len(), strings.len() * referents.len());
        peak
    };
    let empty: Vec<&[u8]> = vec![b""; referents.len()];
    let [without, with] = [peak(&[]), peak(&[("AttributesSerialize", &empty), ("Tags", &empty)])];
    assert!(with < without + 10_000, "{without} {with}");
}

/// Values as long as two empty ones are not empty for that.
#[test]
fn a_value_that_breaks_off_is_a_problem() {
    let class = Class { name: "Folder", referents: &[1, 2], strings: &[("Name", &[b"a", b"b"])], shared: &[] };
    let file = made_of(&[class], &[(1, -1), (2, -1)], &[], Store::Raw);
    let at = chunks(&file, ChunkName::PRNT)[0];
    for store in [Store::Raw, Store::Lz4] {
        let data = b"\0\0\0\0\x04\0\0\0Tags\x01\x04\0\0\0\0\0\0\0".to_vec();
        let broken = [&file[..at], &stored(ChunkName::PROP, data, store), &file[at..]].concat();
        let listing = list_bytes(&broken, &Options::new()).unwrap();
        let expected = "input ends too early: 4 bytes needed, 0 left, at byte 0x15 in values[1].length of the data";
        assert_eq!(problems(&listing), [format!("{expected} (PROP chunk at byte {at:#x})")]);
    }
}

/// A file that counts what is read of it.
struct Counted<'c> {
    file: Cursor<&'c [u8]>,
    read: &'c Cell<usize>,
}

impl Read for Counted<'_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read(room)?;
        self.read.set(self.read.get() + count);
        Ok(count)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.file.seek(to)
    }
}

/// Of any other property only the start is read: 64 KiB at a time.
#[test]
fn other_properties_are_skipped() {
    let file = sample(Store::Raw);
    let data = [b"\0\0\0\0\x06\0\0\0CFrame\x10", &vec![7; 1 << 20][..]].concat();
    let other = stored(ChunkName::PROP, data, Store::Raw);
    let at = prop(&file, "Name");
    let file = [&file[..at], &other.repeat(10), &file[at..]].concat();
    let read = Cell::new(0);
    let listing = list(Counted { file: Cursor::new(&file), read: &read }, &Options::new()).unwrap();
    assert_eq!((listing.properties().len(), listing.problems.len()), (6, 0));
    assert!(read.get() <= (10 + 2) << 16, "{}", read.get());
}

/// All that are above an instance with a property, and nothing else that lies between them.
#[test]
fn instances_above_others_are_listed() {
    let class = Class {
        name: "Folder",
        referents: &[1, 2, 3, 4, 5, 6],
        strings: &[("Tags", &[b"", b"", b"", b"", b"x", b""]), ("Name", &[b"a", b"b", b"c", b"d", b"e", b"f"])],
        shared: &[],
    };
    let parents = [(1, -1), (2, 1), (3, 1), (4, 3), (5, 3), (6, 5)];
    let file = made_of(&[class], &parents, &[], Store::Raw);
    let listing = listed(&file, &Options::new());
    let names: Vec<_> = listing.instances().map(|instance| instance.name.to_string()).collect();
    assert_eq!(names, ["a", "c", "e"]);
    let paths: Vec<_> = listing.properties().map(|property| listing.path(property.instance)).collect();
    assert_eq!(paths, ["a.c.e"]);
}

/// The memory of a listing is counted: the limit `enough` suffices, and no limit is exceeded. Only the piece of the file that is
/// in memory is not counted, and neither is a chunk's buffer that is kept for the next chunk, up to a sixteenth of the limit.
#[test]
fn limits_of_memory_hold() {
    let of_one = |shared| Class { name: "Folder", referents: &[1], strings: &[], shared };
    let tags: &[(&str, &[u32])] = &[("Tags", &[0])];
    let long = vec![b'a'; 200_000];
    let referents: Vec<i32> = (0..8193).collect();
    let chain: Vec<_> = referents.iter().map(|referent| (*referent, referent - 1)).collect();
    let values = vec![&b"a name or a tag"[..]; referents.len()];
    let strings: &[(&str, &[&[u8]])] = &[("Tags", &values), ("Name", &values)];
    let of_many = |strings| Class { name: "Folder", referents: &referents, strings, shared: &[] };
    let empty = vec![&b""[..]; 20_000];
    for (enough, file) in [
        (3_270_000, made_of(&[of_one(tags)], &[(1, -1)], &empty, Store::Raw)),
        (1_670_000, made_of(&[of_one(tags)], &[(1, -1)], &[&long], Store::Raw)),
        (600_000, made_of(&[of_many(&[])], &chain, &[], Store::Raw)),
        (1_650_000, made_of(&[of_many(strings)], &chain, &[], Store::Raw)),
        (4_050_000, in_zstd(&made_of(&[of_many(strings)], &chain, &[], Store::Raw))),
    ] {
        let options = |limit| Options::new().all_instances(true).empty(true).max_memory(limit);
        let listing = listed(&file, &options(enough));
        let instance = listing.instance(0).unwrap();
        let change = [Change::of_instance(&instance, Kind::Tags, b"new")];
        let of_edit = |limit| options(limit).taken(file.len());
        assert!(edit(&file, &change, Store::AsBefore, &of_edit(4 * enough)).is_ok());
        for limit in (0..=10).map(|tenths| enough * tenths / 10) {
            let beside = limit / 16 + (66 << 10);
            let peak = measure(|| drop(list_bytes(&file, &options(limit)))).bytes_max as usize;
            assert!(peak <= limit + beside, "{peak} bytes, limit {limit} of {enough}");
            let peak = measure(|| drop(edit(&file, &change, Store::AsBefore, &of_edit(limit)))).bytes_max as usize;
            assert!(peak + file.len() <= limit.max(file.len()) + beside, "{peak} bytes, limit {limit} of {enough}");
        }
    }
}

#[test]
fn properties_may_come_in_any_order() {
    let file = sample(Store::Raw);
    let props: Vec<_> = chunks(&file, ChunkName::PROP);
    let ends = props.iter().map(|at| at + 16 + u32::from_le_bytes(file[at + 8..at + 12].try_into().unwrap()) as usize);
    let ranges: Vec<_> = props.iter().copied().zip(ends).collect();
    let [first, last] = [ranges[0].0, ranges[ranges.len() - 1].1];
    let reversed: Vec<u8> = ranges.iter().rev().flat_map(|(start, end)| file[*start..*end].to_vec()).collect();
    let other = [&file[..first], &reversed, &file[last..]].concat();
    assert!(other.len() == file.len() && other != file);
    let all = |file: &[u8]| {
        let listing = listed(file, &Options::new().empty(true));
        let of = |property: enginewire_files::roblox::model::Property<'_>| {
            (listing.path(property.instance), property.kind, property.bytes.unwrap().to_vec())
        };
        let mut all: Vec<_> = listing.properties().map(of).collect();
        all.sort();
        all
    };
    assert_eq!(all(&other), all(&file));
}

#[test]
fn a_broken_chunk_does_not_hide_the_others() {
    let mut file = sample(Store::Raw);
    let at = prop(&file, "AttributesSerialize");
    // one more value than there are instances
    file.splice(at + 16 + 27 + 5..at + 16 + 27 + 5, [0; 4]);
    file[at + 8] += 4;
    let listing = list_bytes(&file, &Options::new()).unwrap();
    let expected = "unexpected bytes after the end of the value, at byte 0x20 of the data (PROP chunk at byte 0x";
    assert!(problems(&listing)[0].starts_with(expected), "{:?}", problems(&listing));
    assert_eq!((listing.properties().len(), listing.problems.len()), (6, 1));
}

#[test]
fn an_instance_within_itself_ends_somewhere() {
    let class = Class {
        name: "Folder",
        referents: &[0, 1],
        strings: &[("AttributesSerialize", &[ON, ON]), ("Name", &[b"a", b"b"])],
        shared: &[],
    };
    let file = made_of(&[class], &[(0, 1), (1, 0)], &[], Store::Lz4);
    let listing = listed(&file, &Options::new());
    let path = listing.path(0).to_string();
    assert!(path.starts_with('…') && path.ends_with("b.a"), "{path}");
}

#[test]
fn shared_strings_become_strings_of_their_own() {
    let file = sample(Store::Raw);
    let listing = listed(&file, &Options::new());
    let tags: Vec<_> = listing.properties().filter(|property| property.kind == Kind::Tags).collect();
    assert_eq!(tags[0].tags().collect::<Vec<_>>(), ["Hot", "Bright"]);
    let [first, second] = [&tags[0], &tags[1]].map(|tags| tags.place.file_offset().unwrap() as usize);
    assert_eq!((first, &file[first..][..10]), (second, &b"Hot\0Bright"[..]));
    let changed = edit(&file, &[Change::of(&tags[0], b"Cold")], Store::Raw, &Options::new()).unwrap();
    let changed = listed(&changed, &Options::new());
    assert_eq!(values(&changed, Kind::Tags), [&b"Cold"[..], b"Hot\0Bright"]);

    let mut lost = file.clone();
    let at = prop(&lost, "Tags") + 16 + 4 + 4 + 4 + 1;
    lost[at + 9] = 9;
    let listing = listed(&lost, &Options::new());
    let errors: Vec<_> = listing.properties().filter_map(|property| property.bytes.clone().err()).collect();
    assert_eq!(errors, [ValueError::SharedString("9".into())]);
}

/// The names of the chunks, with their unpacked data.
fn unpacked(file: &[u8]) -> Vec<(ChunkName, Vec<u8>)> {
    let mut rest = &file[32..];
    let mut all = Vec::new();
    while !rest.is_empty() {
        let (after, found) = chunk::<_, nom::error::Error<&[u8]>>(false).parse_complete(rest).unwrap();
        all.push((found.header.name, unpack(&found, usize::MAX).unwrap()));
        rest = after;
    }
    all
}

/// The file with other data for its shared strings.
fn with_shared(file: &[u8], change: impl Fn(&[u8]) -> Vec<u8>, store: Store) -> Vec<u8> {
    let chunks = unpacked(file).into_iter().map(|(name, data)| match name {
        ChunkName::SSTR => stored(name, change(&data), store),
        name => stored(name, data, store),
    });
    [vec![file[..32].to_vec()], chunks.collect()].concat().concat()
}

/// Strings of version 1 have no hash before them.
fn version_1(data: &[u8]) -> Vec<u8> {
    let (_, sstr) = sstr::<_, nom::error::Error<&[u8]>>().parse_complete(data).unwrap();
    let mut new = Vec::new();
    generate_into(gen_sstr(&Sstr { version: 1, ..sstr }), &mut new).unwrap();
    assert_eq!(new.len() + 32, data.len());
    new
}

#[test]
fn shared_strings_have_one_of_two_versions() {
    for store in [Store::Raw, Store::Lz4] {
        let old = sample(store);
        let new = with_shared(&old, version_1, store);
        let [before, after] = [&old, &new].map(|file| listed(file, &Options::new().empty(true)));
        let bytes = |listing: &Listing| {
            listing
                .properties()
                .map(|found| (found.instance, found.kind, found.bytes.unwrap().to_vec()))
                .collect::<Vec<_>>()
        };
        assert_eq!(bytes(&before), bytes(&after));
        for property in after.properties() {
            if let (Some(offset), Ok(value)) = (property.place.file_offset(), &property.bytes) {
                assert_eq!(&new[offset as usize..][..value.len()], &value[..]);
            }
        }
        // an edit keeps the version, and the strings that others share
        let tags = after.properties().find(|property| property.kind == Kind::Tags).unwrap();
        let changed = edit(&new, &[Change::of(&tags, b"Cold")], store, &Options::new()).unwrap();
        let of = |file: &[u8]| unpacked(file).into_iter().find(|(name, _)| *name == ChunkName::SSTR).unwrap().1;
        assert_eq!(of(&changed), of(&new));
        assert_eq!(values(&listed(&changed, &Options::new()), Kind::Tags), [&b"Cold"[..], b"Hot\0Bright"]);
        hold(&new);

        // any other version is refused by its number, where a value needs it
        let other = with_shared(&old, |data| [&[2, 0, 0, 0], &data[4..]].concat(), store);
        let listing = list_bytes(&other, &Options::new()).unwrap();
        let [problem] = &problems(&listing)[..] else { panic!("{:?}", listing.problems) };
        assert!(problem.starts_with("version 2 of shared strings is unknown; expected 0 or 1"), "{problem}");
        let errors = listing.properties().filter(|property| property.bytes.is_err()).count();
        assert_eq!((listing.properties().len(), errors), (7, 3));
        let on = listing.properties().find(|property| property.bytes.as_deref() == Ok(BStr::new(ON))).unwrap();
        let changed = edit(&other, &[Change::of(&on, b"")], store, &Options::new()).unwrap();
        assert_eq!(of(&changed), of(&other));
    }
}

/// Attributes and tags can be shared strings, and an edit leaves the string and the others that share it alone.
#[test]
fn every_property_can_be_a_shared_string() {
    for (name, property) in [
        ("Folder", "AttributesSerialize"),
        ("Folder", "Tags"),
        ("StyleRule", "PropertiesSerialize"),
        ("PlayerEmulatorService", "SerializedEmulatedPolicyInfo"),
    ] {
        let class = Class { name, referents: &[0, 1, 2], strings: &[], shared: &[(property, &[1, 1, 0])] };
        let file = made_of(&[class], &[(0, -1), (1, -1), (2, -1)], &[b"", ON], Store::Raw);
        for file in [with_shared(&file, version_1, Store::Raw), file] {
            let listing = listed(&file, &Options::new());
            let found: Vec<_> = listing.properties().map(|found| (found.instance, found.bytes.unwrap())).collect();
            assert_eq!(found, [(0, BStr::new(ON)), (1, BStr::new(ON))], "{property}");
            let kind = Kind::of(property.as_bytes()).unwrap();
            let second = listing.instance(1).unwrap();
            for change in
                [Change::of(&listing.property_at(1).unwrap(), b"New"), Change::of_instance(&second, kind, b"New")]
            {
                let changed = edit(&file, &[change], Store::Raw, &Options::new()).unwrap();
                assert_eq!(values(&listed(&changed, &Options::new()), kind), [ON, b"New"], "{property}");
                let shared = |file: &[u8]| unpacked(file).remove(1);
                assert_eq!(shared(&changed), shared(&file));
            }
        }
    }
}

/// A chunk that ends after the name of its property has no values, and is replaced where it gets some.
#[test]
fn a_property_without_a_type_is_a_warning() {
    let class = |strings| Class { name: "StyleRule", referents: &[4, 7], strings, shared: &[] };
    for store in [Store::Raw, Store::Lz4, Store::AsBefore] {
        let whole = made_of(&[class(&[("Name", &[b"a", b"b"])])], &[(4, -1), (7, -1)], &[], store);
        let at = chunks(&whole, ChunkName::PROP)[0];
        for (name, kind) in [
            ("AttributesSerialize", Some(Kind::AttributesSerialize)),
            ("PropertiesSerialize", Some(Kind::PropertiesSerialize)),
            ("Tags", Some(Kind::Tags)),
            ("Name", None),
            ("A property that nobody lists, with a long name", None),
        ] {
            let data = [&[0; 4], &(name.len() as u32).to_le_bytes()[..], name.as_bytes()].concat();
            let untyped = match store {
                Store::AsBefore => {
                    in_zstd(&[&whole[..32], &stored(ChunkName::PROP, data, Store::Raw)].concat())[32..].to_vec()
                }
                store => stored(ChunkName::PROP, data, store),
            };
            let file = [&whole[..at], &untyped, &whole[at..]].concat();
            let listing = listed(&file, &Options::new().all_instances(true));
            let expected = format!("the property has no value type and no values (PROP chunk at byte {at:#x})");
            assert_eq!(listing.warning_texts(), [expected], "{name}");
            assert_eq!(listing.warnings[0].offset(), Some(at as u64));
            assert_eq!((listing.properties().len(), listing.path(1)), (0, "b".into()), "{name}");
            let instance = listing.instance(1).unwrap();
            for changed in [Kind::AttributesSerialize, Kind::PropertiesSerialize, Kind::Tags] {
                let change = [Change::of_instance(&instance, changed, ON)];
                let edited = edit(&file, &change, Store::Raw, &Options::new()).unwrap();
                let after = listed(&edited, &Options::new().all_instances(true));
                assert_eq!(after.property(1, changed).unwrap().bytes, Ok(BStr::new(ON)), "{name} {changed:?}");
                let is_kept = edited.windows(untyped.len()).any(|window| window == untyped);
                let is_there = kind == Some(changed);
                assert_eq!((is_kept, after.warning_count), (!is_there, usize::from(!is_there)), "{name} {changed:?}");
                let mut written = Vec::new();
                edit_to(Cursor::new(&file), &mut written, &change, Store::Raw, &Options::new()).unwrap();
                assert!(written == *edited);
            }
            hold(&file);
        }
    }
    // one with values counts, wherever the other is
    let whole = made_of(&[class(&[("Tags", &[b"x", b"y"])])], &[(4, -1), (7, -1)], &[], Store::Raw);
    let untyped = stored(ChunkName::PROP, b"\0\0\0\0\x04\0\0\0Tags".to_vec(), Store::Raw);
    for name in [ChunkName::PROP, ChunkName::PRNT] {
        let at = chunks(&whole, name)[0];
        let file = [&whole[..at], &untyped, &whole[at..]].concat();
        let listing = listed(&file, &Options::new());
        assert_eq!(values(&listing, Kind::Tags), [b"x", b"y"]);
        let change = [Change::of_instance(&listing.instance(1).unwrap(), Kind::Tags, b"z")];
        let edited = edit(&file, &change, Store::Raw, &Options::new()).unwrap();
        let mut expected = file.clone();
        let value = file.windows(5).position(|window| window == b"\x01\0\0\0y").unwrap();
        expected[value + 4] = b'z';
        assert_eq!(*edited, expected);
    }
}

#[test]
fn what_an_instance_lacks_is_added() {
    for store in [Store::Raw, Store::Lz4] {
        let file = sample(store);
        let listing = listed(&file, &Options::new().all_instances(true));
        let of = |listing: &Listing, referent: &str| listing.find(referent.into()).next().unwrap();
        let [rule, workspace] = ["#5", "#0"].map(|referent| listing.instance(of(&listing, referent)).unwrap());
        let changes = [
            Change::of_instance(&rule, Kind::AttributesSerialize, ON),
            Change::of_instance(&rule, Kind::Tags, b"New"),
            Change::of_instance(&workspace, Kind::AttributesSerialize, ON),
        ];
        let changed = edit(&file, &changes, store, &Options::new()).unwrap();
        let [before, after] = [&file, changed.as_ref()].map(|file| chunks(file, ChunkName::PROP).len());
        assert_eq!(after, before + 2);
        let listing = listed(&changed, &Options::new());
        assert_eq!(values(&listing, Kind::AttributesSerialize).len(), 4);
        assert_eq!(values(&listing, Kind::Tags).last().unwrap(), b"New");
        let rule = of(&listing, "#5");
        assert_eq!(listing.property(rule, Kind::AttributesSerialize).unwrap().bytes, Ok(ON.into()));
        // nothing is not added
        let nothing = [Change::of_instance(&listing.instance(rule).unwrap(), Kind::Tags, b"")];
        let same = edit(&file, &nothing, store, &Options::new()).unwrap();
        assert!(same == file);
    }
}

#[test]
fn of_two_instances_with_one_number_the_first_is_changed() {
    let class = |name| Class { name, referents: &[7], strings: &[("Tags", &[b"old"])], shared: &[] };
    for _ in 0..8 {
        let file = made_of(&[class("A"), class("B"), class("C")], &[(7, -1)], &[], Store::Raw);
        let listing = listed(&file, &Options::new());
        let instance = listing.instance(0).unwrap();
        let changed = edit(&file, &[Change::of_instance(&instance, Kind::Tags, b"new")], Store::Raw, &Options::new());
        let changed = changed.unwrap();
        assert_eq!(values(&listed(&changed, &Options::new()), Kind::Tags), [&b"new"[..], b"old", b"old"]);
    }
}

#[test]
fn every_other_chunk_stays_as_it_is() {
    for (name, file) in files() {
        if FileKind::of(&file) != Some(FileKind::Binary) {
            continue;
        }
        let listing = listed(&file, &Options::new());
        for property in listing.properties() {
            let Place::Binary(place) = &property.place else { panic!("{name} is binary") };
            for store in [Store::AsBefore, Store::Raw, Store::Lz4] {
                let new = b"twelve bytes, and twelve bytes, and twelve bytes";
                let changed = edit(&file, &[Change::of(&property, new)], store, &Options::new()).unwrap();
                let start = place.property as usize;
                let header = &file[start..start + 16];
                let number = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().unwrap()) as usize;
                let end = start + 16 + if number(4) == 0 { number(8) } else { number(4) };
                assert_eq!(changed[..start + 4], file[..start + 4], "{name}");
                assert!(changed.ends_with(&file[end..]), "{name}");
                let again = listed(&changed, &Options::new());
                assert!(without_places(&again).eq(without_places(&listing)));
            }
        }
    }
}

#[test]
fn what_was_zstd_is_zstd_still() {
    let numbers: Vec<i32> = (0..20_000).collect();
    let parents: Vec<_> = numbers.iter().map(|number| (*number, -1)).collect();
    let names: Vec<Vec<u8>> = numbers.iter().map(|number| format!("Torch {}", number * 7919 % 977).into()).collect();
    let names: Vec<&[u8]> = names.iter().map(|name| &name[..]).collect();
    let strings: &[(&str, &[&[u8]])] = &[("Tags", &names), ("Name", &names)];
    let class = Class { name: "Folder", referents: &numbers, strings, shared: &[] };
    let large = in_zstd(&made_of(&[class], &parents, &[], Store::Raw));
    let small = std::fs::read(folder().join("attributes.zstd.rbxm")).unwrap();
    for file in [small, large] {
        let listing = listed(&file, &Options::new());
        let property = listing.property_at(0).unwrap();
        let new = match property.kind {
            Kind::Tags => b"Cold".to_vec(),
            kind => {
                let mut attributes = property.decode(&attributes::Options::new()).unwrap();
                attributes.insert("Number", 100.0);
                kind.encode(&attributes, &attributes::Options::new()).unwrap()
            }
        };
        let change = [Change::of(&property, &new)];
        let [kept, lz4, raw] = [Store::AsBefore, Store::Lz4, Store::Raw].map(|store| {
            let changed = edit(&file, &change, store, &Options::new()).unwrap();
            let again = listed(&changed, &Options::new());
            let mut expected = values(&listing, property.kind);
            expected[0].clone_from(&new);
            assert_eq!(values(&again, property.kind), expected);
            let Place::Binary(place) = again.property_at(0).unwrap().place.clone() else { panic!("it is binary") };
            (place.compression, changed.len())
        });
        assert_eq!((kept.0, lz4.0, raw.0), (Compression::Zstd, Compression::Lz4, Compression::None));
        assert!(kept.1 < lz4.1 && lz4.1 < raw.1);
        // a new chunk is as the one before it, unless LZ4 is shorter
        let policy = [b"a policy of a thousand bytes".repeat(20), vec![0; 440]].concat();
        let instance = listing.instance(0).unwrap();
        let change = [Change::of_instance(&instance, Kind::SerializedEmulatedPolicyInfo, &policy)];
        let added = edit(&file, &change, Store::AsBefore, &Options::new()).unwrap();
        let place =
            listed(&added, &Options::new()).property(0, Kind::SerializedEmulatedPolicyInfo).unwrap().place.clone();
        let Place::Binary(place) = place else { panic!("it is binary") };
        let expected = if instance.name == "Folder" { Compression::Lz4 } else { Compression::Zstd };
        assert_eq!(place.compression, expected);
    }
}

#[test]
fn files_that_are_cut() {
    for (_, file) in files() {
        if file.len() < 2000 {
            truncation(&file);
        }
    }
    truncation(&sample(Store::Raw));
    truncation(&sample(Store::Lz4));
}

#[test]
fn any_bytes() {
    let mut samples: Vec<Vec<u8>> = files().into_iter().map(|(_, file)| file).collect();
    samples.extend([sample(Store::Raw), sample(Store::Lz4)]);
    for name in ["07-entity-unterminated.rbxlx", "26-prop-empty.rbxm", "53c-attr-unquoted.rbxlx"] {
        samples.push(std::fs::read(folder().join("../reports").join(name)).unwrap());
    }
    for file in &samples {
        hold(file);
    }
    let mut random = Random::new(7);
    for file in samples.iter().filter(|file| file.len() < 1000) {
        for at in 0..file.len() {
            for byte in [0xff, random.next() as u8] {
                let mut changed = file.clone();
                changed[at] = byte;
                hold(&changed);
            }
        }
        for _ in 0..50 {
            let mut changed = file.clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(changed.len());
                match random.below(3) {
                    0 if changed.len() > 1 => drop(changed.remove(at)),
                    1 => changed.insert(at, random.next() as u8),
                    _ => changed.truncate(at + 1),
                }
            }
            hold(&changed);
        }
    }
}

fn with_chunk(name: &[u8; 4], stored: u32, length: u32, body: &[u8]) -> Vec<u8> {
    let mut file = sample(Store::Raw)[..32].to_vec();
    file.extend(name);
    [stored, length, 0].iter().for_each(|number| file.extend(number.to_le_bytes()));
    file.extend(body);
    file
}

#[test]
fn hostile_claims_take_no_memory() {
    let many = |count: u32| [&[0, 0, 0, 0, 1, 0, 0, 0, b'a', 0][..], &count.to_le_bytes()].concat();
    let zeros = lz4_flex::block::compress(&vec![0; 1 << 20]);
    let length = zeros.len() as u32;
    for (file, reason) in [
        (with_chunk(b"INST", 2, 100, &[0x28, 0xb5]), "invalid lz4 data"),
        (with_chunk(b"INST", 0, u32::MAX, &[0; 4]), "input ends too early: 4294967295 bytes needed, 4 left"),
        (with_chunk(b"INST", 4, 0xffff_ffff, &[0x10, 0, 0, 0]), "its header says that it unpacks to 4294967295 bytes"),
        (with_chunk(b"INST", 2, 100, &[0x10, 1]), "the length of its data is 1, its header says 100"),
        (with_chunk(b"INST", 0, 14, &many(u32::MAX)), "17179869180 bytes needed, 0 left"),
        (with_chunk(b"INST", 0, 14, &many(1 << 30)), "input ends too early"),
        (with_chunk(b"INST", length, 1 << 28, &zeros), "its header says that it unpacks to 268435456 bytes"),
        (with_chunk(b"SSTR", u32::MAX, 4, &[]), "input ends too early"),
        (with_chunk(b"WHAT", 0, 0, &[]), "the END chunk is missing"),
        (with_chunk(b"PROP", 0, 12, b"\x07\0\0\0\x04\0\0\0Tags"), "no class 7"),
    ] {
        let mut found = None;
        let peak = measure(|| found = Some(list_bytes(&file, &Options::new()))).bytes_max;
        let listing = found.unwrap().unwrap();
        assert!(problems(&listing)[0].contains(reason), "{:?}", problems(&listing));
        assert!(peak < 64 << 10, "{reason}: {peak}");
    }
}

#[test]
fn chunks_may_be_so_large_and_no_larger() {
    let file = sample(Store::Lz4);
    let listing = list_bytes(&file, &Options::new().max_memory(file.len() + 1000)).unwrap();
    assert!(!listing.problems.is_empty() && listing.problems.iter().all(ModelError::is_of_limit));
    assert!(problems(&listing)[0].starts_with("more memory is needed than the limit of "), "{:?}", problems(&listing));
    assert!(matches!(list_bytes(&file, &Options::new().max_memory(30)), Err(ModelError::Memory(_))));
    let listing = list_bytes(&file, &Options::new().max_total(100)).unwrap();
    assert!(problems(&listing).iter().any(|problem| problem.contains("the limit of 100 bytes")));
    let xml = std::fs::read(folder().join("tags.rbxmx")).unwrap();
    let read = |limit| list(Cursor::new(&xml), &Options::new().max_memory(limit));
    assert_eq!(read(xml.len() + 10_000).unwrap().properties().len(), 1);
    // it is read in pieces, as far as there is memory
    let problems = read(xml.len() - 1).unwrap().problems;
    assert!(!problems.is_empty() && problems.iter().all(ModelError::is_of_limit), "{problems:?}");
}

/// An error of the memory limit names a larger limit. With it, every instance is listed and every value can be changed.
#[test]
fn a_limit_that_is_told_to_be_enough_is_enough() {
    let referents: Vec<i32> = (0..4000).collect();
    let (names, tags) = ([&b"name"[..]; 4000], (0..4000).map(|tag| format!("{tag:0100}")).collect::<Vec<_>>());
    let tags: Vec<_> = tags.iter().map(String::as_bytes).collect();
    let strings = &[("Name", &names[..]), ("Tags", &tags[..])];
    let file = made_of(&[Class { name: "Folder", referents: &referents, strings, shared: &[] }], &[], &[], Store::Lz4);
    let options = |limit| Options::new().all_instances(true).max_memory(limit);
    let listed = list_bytes(&file, &options(64 << 20)).unwrap();
    let changes: Vec<_> = listed.properties().map(|property| Change::of(&property, b"new".to_vec())).collect();
    let written = |limit| edit_to(Cursor::new(&file), Vec::new(), &changes, Store::AsBefore, &options(limit));
    let enough = |error: &ModelError| match error {
        ModelError::Limit { enough, .. } => Some(*enough),
        error if error.is_of_limit() => None,
        error => panic!("{error}"),
    };
    let mut told = 0;
    for limit in (100_000..2_000_000).step_by(20_000) {
        let problems = list_bytes(&file, &options(limit)).unwrap().problems;
        assert!(problems.iter().filter_map(enough).count() < 2);
        for limit in problems.iter().chain(&written(limit).err()).filter_map(enough) {
            assert!(list_bytes(&file, &options(limit / 4 * 3)).unwrap().problems.is_empty());
            written(limit).unwrap();
            told += 1;
        }
    }
    assert!(told > 20, "{told}");
}

/// A name that is left out because of the limit is reported, even if the names after it are broken.
#[test]
fn a_name_over_the_limit_is_told_of_before_what_is_broken() {
    let referents: Vec<i32> = (0..40).collect();
    // one too few
    let names: &[&[u8]] = &[&[b'n'; 10_000][..]; 39];
    let class = Class { name: "Folder", referents: &referents, strings: &[("Name", names)], shared: &[] };
    let file = made_of(&[class], &[], &[], Store::Lz4);
    let mut some = 0;
    for limit in (100_000..2_000_000).step_by(20_000) {
        let listing = list_bytes(&file, &Options::new().all_instances(true).max_memory(limit)).unwrap();
        let named = listing.instances().filter(|instance| !instance.name.is_empty()).count();
        let is_told = listing.problems.iter().any(ModelError::is_of_limit);
        assert_eq!(is_told, named < 39, "{limit}: {named} names, {:?}", problems(&listing));
        some += usize::from(named > 0 && named < 39);
    }
    assert!(some > 0);
}

#[test]
fn strict_by_default() {
    let file = sample(Store::Raw);
    for (at, offset) in [(14, 14), (31, 24), (32 + 15, 44)] {
        let mut changed = file.clone();
        changed[at] = 1;
        let error = match list_bytes(&changed, &Options::new()) {
            Err(error) => error,
            Ok(mut listing) => listing.problems.remove(0),
        };
        let ModelError::File(error) = error else { panic!("{error}") };
        assert_eq!(error.offset(), offset);
        assert_eq!(listed(&changed, &Options::new().any_reserved(true)).properties().len(), 6);
    }
    let trailing = [&file[..], b"more"].concat();
    let listing = listed(&trailing, &Options::new());
    assert!(matches!(listing.warnings[..], [ModelError::Trailing { offset }] if offset == file.len() as u64));
    assert_eq!(listing.properties().len(), 6);
    assert_eq!(listed(&trailing, &Options::new().trailing_bytes(true)).warning_count, 0);
    // and what follows is kept
    let changes = [Change::of(&listing.property_at(0).unwrap(), b"")];
    assert!(edit(&trailing, &changes, Store::Raw, &Options::new()).unwrap().ends_with(b"</roblox>more"));
    for no_model in [&b""[..], b"<roblox", b"<robloxx>", b"PK\x03\x04"] {
        assert!(matches!(list_bytes(no_model, &Options::new()), Err(ModelError::NotAModel)));
        assert!(matches!(edit(no_model, &[], Store::Raw, &Options::new()), Err(ModelError::NotAModel)));
    }
}

#[test]
fn classes_are_there_once() {
    let mut file = sample(Store::Raw);
    let at = chunks(&file, ChunkName::INST)[0];
    let twice = stored(ChunkName::INST, b"\0\0\0\0\x01\0\0\0a\0\0\0\0\0".to_vec(), Store::Raw);
    let end = at + 16 + file[at + 8] as usize;
    file.splice(end..end, twice);
    let listing = list_bytes(&file, &Options::new()).unwrap();
    assert!(problems(&listing)[0].starts_with("class 0 occurs twice"));
    assert_eq!(listing.properties().len(), 6);
}

#[test]
fn nothing_is_changed_where_nothing_is() {
    let file = sample(Store::Raw);
    let listing = listed(&file, &Options::new());
    let mut elsewhere = listing.property_at(0).unwrap().clone();
    let Place::Binary(place) = &mut elsewhere.place else { panic!("it is binary") };
    place.index = 3;
    let refused = |change: Change<'_>, reason: &str| {
        let error = edit(&file, &[change], Store::Raw, &Options::new()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    };
    refused(Change::of(&elsewhere, b"a"), "has no value 3");
    let Place::Binary(place) = &mut elsewhere.place else { panic!("it is binary") };
    place.property = 32;
    refused(Change::of(&elsewhere, b"a"), "no PROP chunk at byte 0x20");
    let mut nobody = listing.instance(0).unwrap().clone();
    nobody.place.index = Some(1);
    refused(Change::of_instance(&nobody, Kind::Tags, b"a"), &format!("no instance {}", nobody.place));
    nobody.place.index = None;
    refused(Change::of_instance(&nobody, Kind::Tags, b"a"), &format!("no instance @{:#x}", nobody.place.offset));
    let xml = std::fs::read(folder().join("tags.rbxmx")).unwrap();
    let listing = listed(&xml, &Options::new());
    refused(Change::of(&listing.property_at(0).unwrap(), b"a"), "the file is not in XML");
}

/// A chunk of zeros as a zstd frame, and what its header promises.
fn zeros_in_zstd(size: u32, promised: u32) -> Chunk<Vec<u8>> {
    // one segment, its size, and blocks of 128 KiB that repeat one byte
    let mut body = b"\x28\xb5\x2f\xfd\xa0".to_vec();
    body.extend(size.to_le_bytes());
    for block in 0..size.div_ceil(1 << 17) {
        let length = (size - (block << 17)).min(1 << 17);
        let is_last = (block + 1) << 17 >= size;
        body.extend(&(length << 3 | 2 | u32::from(is_last)).to_le_bytes()[..3]);
        body.push(0);
    }
    let compressed_length = body.len() as u32;
    Chunk { header: ChunkHeader { name: ChunkName::PROP, compressed_length, length: promised }, body }
}

#[test]
fn zstd_unpacks_to_what_was_promised_and_no_further() {
    assert_eq!(unpack(&zeros_in_zstd(100_000, 100_000), 100_000), Ok(vec![0; 100_000]));
    assert!(matches!(unpack(&zeros_in_zstd(100_000, 100_000), 99_999), Err(UnpackError::TooLarge { .. })));
    for (size, promised) in [(1000, 999), (64 << 20, 10), (64 << 20, 1 << 20), (10, 11), (1 << 17, (1 << 17) + 1)] {
        let mut found = None;
        let peak = measure(|| found = Some(unpack(&zeros_in_zstd(size, promised), usize::MAX))).bytes_max;
        assert!(matches!(found, Some(Err(_))), "{size} {promised}: {found:?}");
        assert!(peak < u64::from(promised) + (2 << 20), "{size} {promised}: {peak}");
    }
}

#[test]
fn a_property_is_changed_once() {
    let xml = std::fs::read(folder().join("attributes.rbxmx")).unwrap();
    for file in [sample(Store::Raw), sample(Store::Lz4), xml] {
        let listing = listed(&file, &Options::new());
        let property = listing.property_at(0).unwrap();
        let instance = listing.instance(property.instance).unwrap();
        for second in [Change::of(&property, b"b"), Change::of_instance(&instance, property.kind, b"b")] {
            for changes in
                [[Change::of(&property, b"a"), second.clone()], [second.clone(), Change::of(&property, b"a")]]
            {
                let error = edit(&file, &changes, Store::Raw, &Options::new()).unwrap_err().to_string();
                assert!(error.contains("a property is changed twice"), "{error}");
            }
        }
    }
}

#[test]
fn of_two_chunks_for_one_property_the_last_counts() {
    let class = Class {
        name: "Folder",
        referents: &[1, 2],
        strings: &[("Tags", &[b"first", b"a"]), ("Tags", &[b"last", b"b"])],
        shared: &[],
    };
    let file = made_of(&[class], &[(1, -1), (2, -1)], &[], Store::Raw);
    let listing = listed(&file, &Options::new());
    assert_eq!(listing.property(0, Kind::Tags).unwrap().bytes.unwrap(), "last");
    let instance = listing.instance(0).unwrap();
    let changed =
        edit(&file, &[Change::of_instance(&instance, Kind::Tags, b"new")], Store::Raw, &Options::new()).unwrap();
    assert_eq!(values(&listed(&changed, &Options::new()), Kind::Tags), [&b"first"[..], b"a", b"new", b"b"]);
    // one that is named by its place is changed, whether it counts or not
    let change = Change::of(&listing.property_at(0).unwrap(), b"new");
    let changed = edit(&file, &[change], Store::Raw, &Options::new()).unwrap();
    assert_eq!(values(&listed(&changed, &Options::new()), Kind::Tags), [&b"new"[..], b"a", b"last", b"b"]);
}

#[test]
fn a_mark_of_byte_order_counts() {
    let plain = std::fs::read(folder().join("attributes.rbxmx")).unwrap();
    let file = [b"\xef\xbb\xbf", &plain[..]].concat();
    let listing = listed(&file, &Options::new());
    for property in listing.properties() {
        let Place::Xml(place) = &property.place else { panic!("it is XML") };
        let element = &file[place.element.start as usize..place.element.end as usize];
        assert!(element.starts_with(b"<") && element.ends_with(b">"), "{}", element.escape_ascii());
        let content = place.content.clone().unwrap();
        assert_eq!(file[content.end as usize..][..2], *b"</");
    }
    let changes: Vec<_> = listing.properties().map(|property| Change::of(&property, b"new")).collect();
    let changed = edit(&file, &changes, Store::Raw, &Options::new()).unwrap();
    let listing = listed(&plain, &Options::new());
    let changes: Vec<_> = listing.properties().map(|property| Change::of(&property, b"new")).collect();
    let expected = edit(&plain, &changes, Store::Raw, &Options::new()).unwrap();
    assert_eq!(changed.strip_prefix(b"\xef\xbb\xbf"), Some(expected.as_ref()));
    // the offset of an error counts from the start of the file
    let broken = |file: &[u8]| list_bytes(&file[..file.len() - 30], &Options::new()).unwrap().problems.remove(0);
    let [with, without] = [broken(&file), broken(&plain)].map(|problem| match problem {
        ModelError::Xml { offset, .. } | ModelError::XmlEnd { offset, .. } => offset,
        other => panic!("{other}"),
    });
    assert_eq!(with, without + 3);
}

/// Every property of every file at once, and tags for every instance.
#[test]
fn a_file_that_is_written_piece_by_piece_is_the_same() {
    let options = Options::new().all_instances(true);
    for (name, file) in files() {
        let listing = listed(&file, &options);
        let new = |index: usize| b"new".repeat(index % 7);
        let properties = listing.properties().enumerate().map(|(index, property)| Change::of(&property, new(index)));
        let untagged = (0..listing.instances().len()).filter(|index| listing.property(*index, Kind::Tags).is_none());
        let tags = Tags::from_bytes(b"a\0b");
        let changes: Vec<_> = properties.chain(untagged.map(|index| listing.set_tags(index, &tags).unwrap())).collect();
        for store in [Store::AsBefore, Store::Raw, Store::Lz4] {
            let mut written = Vec::new();
            edit_to(Cursor::new(&file), &mut written, &changes, store, &Options::new()).unwrap();
            assert!(written == *edit(&file, &changes, store, &Options::new()).unwrap(), "{name} {store:?}");
        }
        let mut written = Vec::new();
        edit_to(Cursor::new(&file), &mut written, &[], Store::Raw, &Options::new()).unwrap();
        assert!(written == file, "{name}");
    }
}

#[test]
fn what_cannot_be_written_piece_by_piece_is_an_error() {
    let file = sample(Store::Lz4);
    let at = |offset| InstancePlace { offset, index: Some(0) };
    let inst = chunks(&file, ChunkName::INST)[1] as u64;
    let edited = |file: &[u8], places: &[u64], writer: &mut dyn std::io::Write| {
        let changes: Vec<_> = places.iter().map(|offset| Change::at(at(*offset), Kind::Tags, b"new")).collect();
        edit_to(Cursor::new(file), writer, &changes, Store::AsBefore, &Options::new())
    };
    for places in [&[1][..], &[inst, 1], &[inst, inst]] {
        let mut written = Vec::new();
        let error = edited(&file, places, &mut written).unwrap_err();
        assert!(matches!(error, ModelError::NoPlace(_)), "{error}");
        assert!(written.is_empty());
    }
    assert!(matches!(edited(b"<roblo", &[], &mut Vec::new()), Err(ModelError::NotAModel)));
    assert!(matches!(edited(&file, &[inst], &mut &mut [0; 100][..]), Err(ModelError::Io(_))));
    let cut = &file[..file.len() - 30];
    assert!(matches!(edited(cut, &[inst], &mut Vec::new()), Err(ModelError::File(_))));
}

/// A count is not believed beyond what chunks may unpack to.
#[test]
fn the_limit_of_all_chunks_is_that_of_a_class_too() {
    let referents: Vec<i32> = (0..1000).collect();
    let class = Class { name: "Folder", referents: &referents, strings: &[], shared: &[] };
    let file = made_of(&[class], &[], &[], Store::Lz4);
    let place = InstancePlace { offset: chunks(&file, ChunkName::INST)[0] as u64, index: Some(999) };
    // 4 + 4 + 6 + 1 + 4 bytes before the referents
    for (limit, fits) in [(4018, false), (4019, true)] {
        let change = [Change::at(place, Kind::Tags, b"new")];
        let options = Options::new().max_total(limit);
        let edited = edit_to(Cursor::new(&file), std::io::sink(), &change, Store::AsBefore, &options);
        assert_eq!(edited.is_ok(), fits);
        assert!(edited.map_or_else(|error| error.is_of_limit(), |()| true));
    }
}

/// The attributes and tags of an instance, and the instance of each.
#[test]
fn attributes_and_tags_are_those_of_an_instance() {
    let file = sample(Store::Raw);
    let listing = listed(&file, &Options::new().all_instances(true));
    let tagged = |tag: &str| listing.instances_with_tag(tag).collect::<Vec<_>>();
    let hot = tagged("Hot");
    assert_eq!((hot.len(), &tagged("Bright")), (2, &hot));
    assert_eq!(["Ho", "", "Hot\0Bright"].map(|tag| tagged(tag).len()), [0; 3]);
    let with_on: Vec<_> = (0..listing.instances().len())
        .filter(|index| listing.attributes_of(*index).is_ok_and(|attributes| attributes.get("On").is_some()))
        .collect();
    assert_eq!(with_on.len(), 1);
    let broken = (0..listing.instances().len()).filter(|index| listing.attributes_of(*index).is_err());
    assert_eq!(broken.count(), 1);
    let none = listing.instances().len();
    let error = listing.attributes_of(none).unwrap_err().to_string();
    assert_eq!(error, format!("no instance with index {none}"));
    assert!(matches!(listing.tags_of(none), Err(PropertyError::NoInstance(_))));
    assert!(matches!(listing.set_tags(none, &Tags::default()), Err(ModelError::NoPlace(_))));
    assert!(matches!(listing.set_attributes(none, &attributes::Attributes::new()), Err(ModelError::NoPlace(_))));
    // a change that owns its bytes is the same as one that borrows them
    let tags = listing.tags_of(hot[0]).unwrap();
    let borrowed = Change::of_instance(&listing.instance(hot[0]).unwrap(), Kind::Tags, b"Hot\0Bright");
    assert_eq!(listing.set_tags(hot[0], &tags).unwrap(), borrowed.into_owned());
}

/// A new property is added after all others, or before the parents if there are none.
#[test]
fn new_properties_have_their_place() {
    let class = |name, strings| Class { name, referents: &[1], strings, shared: &[] };
    let parents = [(1, -1)];
    let without = made_of(&[class("A", &[]), class("B", &[])], &parents, &[], Store::Raw);
    let with = made_of(&[class("A", &[("Name", &[b"a"])]), class("B", &[])], &parents, &[], Store::Raw);
    let cut = |file: &[u8], name| chunks(file, name)[0];
    // between the properties and the parents comes a chunk that nothing is known of
    let (at, other) = (cut(&with, ChunkName::PRNT), stored(ChunkName(*b"WHAT"), b"ever".to_vec(), Store::Raw));
    let behind = [&with[..at], &other, &with[at..]].concat();
    for (file, at) in [(&without, cut(&without, ChunkName::PRNT)), (&with, at), (&behind, at)] {
        let listing = listed(file, &Options::new().all_instances(true));
        let change = Change::of_instance(&listing.instance(0).unwrap(), Kind::Tags, b"new");
        let changed = edit(file, &[change], Store::Raw, &Options::new()).unwrap();
        let new = stored(ChunkName::PROP, b"\0\0\0\0\x04\0\0\0Tags\x01\x03\0\0\0new".to_vec(), Store::Raw);
        assert_eq!(changed.as_ref(), [&file[..at], &new, &file[at..]].concat());
    }
}

#[test]
fn locations_are_described() {
    use enginewire_files::roblox::model::{place, stored};
    use serde_json::json;

    let raw = sample(Store::Raw);
    let listing = listed(&raw, &Options::new());
    let described = |index: usize| stored(&listing.property_at(index).unwrap()).unwrap();
    let (attributes, shared) = (prop(&raw, "AttributesSerialize"), chunks(&raw, ChunkName::SSTR)[0]);
    // headers of 16 bytes; 4 + 4 + 19 + 1 bytes before the values of the class Part; two strings, the first of them empty
    let part = chunks(&raw, ChunkName::PROP)[2];
    assert!(part > attributes);
    let value = part + 16 + 28 + 4;
    assert_eq!(described(0), format!("at byte {value:#x}, in the PROP chunk at byte {part:#x}"));
    let value = shared + 16 + 8 + 20 + 20;
    assert_eq!(described(2), format!("at byte {value:#x}, in the SSTR chunk at byte {shared:#x}"));
    let length = u32::from_le_bytes(raw[shared + 8..shared + 12].try_into().unwrap());
    let property = prop(&raw, "Tags");
    let members = json!([
        ["chunk", {"offset": shared, "compression": "none", "compressed_length": 0, "length": length}],
        ["index", 0],
        ["offset_in_chunk", 48],
        ["file_offset", value],
        ["property_chunk", {"offset": property}],
    ]);
    assert_eq!(json!(place(&listing.property_at(2).unwrap())), members);

    let lz4 = sample(Store::Lz4);
    let listing = listed(&lz4, &Options::new());
    let shared = chunks(&lz4, ChunkName::SSTR)[0];
    let described = stored(&listing.property_at(2).unwrap());
    let expected = format!("compressed (lz4), at byte 0x30 of the data of the SSTR chunk at byte {shared:#x}");
    assert_eq!(described, Some(expected));
}
