//! Model and place files as containers.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use arbitrary::Unstructured;
use enginewire::roblox::attributes;
use enginewire_files::containers::{ContainerKind, Embedded};
use enginewire_files::roblox::model::{
    edit, edit_to, list, list_bytes, Change, FileKind, Kind, Listing, Options, Place, Property, Store, ValueError,
};

use super::{peak_of, without_offsets, Contents, Edited, Shape, TestedContainer, MORE};
use crate::support::random::Random;
use crate::tested::model_maker::{
    binary, chunk, file, inst, mutated_binary, mutated_xml, pieces, prnt, prop, prop_shared, sstr, string, xml, Packing,
};

/// `.rbxm` and `.rbxl`.
pub(crate) struct BinaryModel;

/// `.rbxmx` and `.rbxlx`.
pub(crate) struct XmlModel;

pub(crate) fn options(limit: usize) -> Options {
    Options::new().max_memory(limit).max_total(4 * limit as u64)
}

/// A file that counts what is read of it.
struct Counted<'b> {
    file: Cursor<&'b [u8]>,
    steps: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.steps += 1 + read as u64;
        Ok(read)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.steps += 1;
        self.file.seek(to)
    }
}

/// Values longer than this are not decoded: that takes more memory than listing, and has bounds of its own.
const DECODED: usize = 4096;

fn read(bytes: &[u8], limit: usize) -> u64 {
    let mut counted = Counted { file: Cursor::new(bytes), steps: 0 };
    for all in [false, true] {
        let options = options(limit).empty(all).all_instances(all);
        if let Ok(listing) = list(&mut counted, &options) {
            walk(&listing);
        }
        if let Ok(listing) = list_bytes(bytes, &options) {
            walk(&listing);
        }
    }
    counted.steps
}

/// Everything that can be asked of a listing, of some of its properties.
pub(crate) fn walk(listing: &Listing) {
    let count = listing.properties().len();
    for index in (0..count).filter(|index| *index < 16 || index + 16 > count) {
        let property = listing.property_at(index).unwrap();
        let path = listing.path(property.instance);
        if index < 2 {
            let _ = listing.find(path.as_slice().into()).count();
        }
        if property.bytes.as_ref().is_ok_and(|bytes| bytes.len() <= DECODED) {
            let _ = property.decode(&attributes::Options::new());
        }
        let _ = property.tags().count();
        let _ = listing.property(property.instance, property.kind);
        let _ = listing.instance_of(&property);
    }
    let _ = listing.find("#0".into()).count();
    let _ = listing.find("a.b".into()).count();
}

/// A listed property: its instance, its kind, and its bytes or the error for them.
type Found = (usize, Kind, Result<Vec<u8>, String>);

/// A value. If it is long, only its start, its length and a hash are kept, because very many properties may share it.
fn short(bytes: &[u8], known: &mut HashMap<(*const u8, usize), Vec<u8>>) -> Vec<u8> {
    if bytes.len() <= LONG {
        return bytes.to_vec();
    }
    let hashed = || {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        [&bytes[..LONG], &bytes.len().to_le_bytes(), &hasher.finish().to_le_bytes()].concat()
    };
    known.entry((bytes.as_ptr(), bytes.len())).or_insert_with(hashed).clone()
}

/// The most bytes of a value that are kept.
const LONG: usize = 256;

fn found(listing: &Listing) -> Vec<Found> {
    let mut known = HashMap::new();
    let mut bytes = |bytes: Result<&bstr::BStr, ValueError>| match bytes {
        Ok(bytes) => Ok(short(bytes, &mut known)),
        // the offset in this error may change
        Err(ValueError::Base64 { .. }) => Err("no base64".to_owned()),
        Err(ValueError::References { .. }) => Err("character references".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    listing.properties().map(|property| (property.instance, property.kind, bytes(property.bytes))).collect()
}

/// Instances and problems, and the properties of instances that have bytes; those that one instance has twice stay in their
/// order.
fn contents(listing: &Listing, mut found: Vec<Found>) -> Contents {
    let instances = listing.instances().map(|instance| {
        format!("{} {:?} {:?} in {:?}", instance.class, instance.name, instance.referent, instance.parent)
    });
    let problems = listing.problems.iter().map(|problem| without_offsets(&problem.to_string()));
    let places = listing.properties().len() + Kind::ALL.len() * listing.instances().len();
    // that there is nothing can be said in several ways
    found.retain(|(_, kind, bytes)| !matches!(bytes, Ok(bytes) if bytes.is_empty() || bytes == kind.none()));
    found.sort_by_key(|(instance, kind, _)| (*instance, *kind));
    let values = found.into_iter().map(|(instance, kind, bytes)| (format!("{instance}.{}", kind.name()), bytes));
    Contents { frame: instances.chain(problems).collect(), values: values.collect(), places }
}

fn listed(bytes: &[u8], limit: usize) -> Result<Listing, String> {
    let options = options(limit).empty(true).all_instances(true);
    let listing = list_bytes(bytes, &options).map_err(|error| error.to_string())?;
    match listing.problems.iter().find(|problem| problem.is_of_limit()) {
        Some(problem) => Err(problem.to_string()),
        None => Ok(listing),
    }
}

/// Everything in the file except the properties.
fn rest(bytes: &[u8]) -> Result<Vec<String>, String> {
    let listing = listed(bytes, MORE * super::LIMIT)?;
    Ok(contents(&listing, Vec::new()).frame)
}

fn edited(bytes: &[u8], which: usize, value: &[u8], limit: usize) -> Option<Edited> {
    // what the edit has no memory for must not be lost either
    let listing = listed(bytes, MORE * limit).ok()?;
    let mut found = found(&listing);
    let new = short(value, &mut HashMap::new());
    // first the properties that there are, then those that each instance may have
    let change = match which.checked_sub(found.len()) {
        None => {
            found[which].2 = Ok(new.clone());
            Change::of(&listing.property_at(which)?, value)
        }
        Some(which) => {
            let (instance, kind) = (which / Kind::ALL.len(), Kind::ALL[which % Kind::ALL.len()]);
            // of several, the last counts
            match found.iter_mut().rfind(|found| (found.0, found.1) == (instance, kind)) {
                Some(property) => property.2 = Ok(new.clone()),
                None => found.push((instance, kind, Ok(new.clone()))),
            }
            Change::of_instance(&listing.instance(instance)?, kind, value)
        }
    };
    let store = [Store::AsBefore, Store::Raw, Store::Lz4][Random::of(bytes).below(3)];
    let change = [change];
    let (file, peak) = peak_of(|| edit(bytes, &change, store, &options(limit)).map(|file| file.into_owned()));
    if let Ok(file) = &file {
        // written piece by piece, it is the same
        let mut written = Vec::new();
        edit_to(Cursor::new(bytes), &mut written, &change, store, &options(MORE * limit)).unwrap();
        assert!(written == *file);
    }
    Some(Edited { file: file.map_err(|error| error.to_string()), expected: contents(&listing, found), peak })
}

fn all_edited(bytes: &[u8], value: &[u8], limit: usize) -> Option<Result<Vec<u8>, String>> {
    let listing = listed(bytes, limit).ok()?;
    let changes: Vec<Change<'_>> = listing.properties().map(|property| Change::of(&property, value)).collect();
    let file = edit(bytes, &changes, Store::Lz4, &options(limit));
    Some(file.map(|file| file.into_owned()).map_err(|error| error.to_string()))
}

/// The hostile files of a kind.
fn hostile(kind: FileKind) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hostile/models");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        if FileKind::of(&bytes) == Some(kind) {
            files.push((path.file_name().unwrap().to_string_lossy().into_owned(), bytes));
        }
    }
    files.sort();
    files
}

/// On is true.
const ON: &[u8] = b"\x01\0\0\0\x02\0\0\0On\x03\x01";

fn count(count: usize) -> i32 {
    i32::try_from(count).unwrap()
}

/// Instances of one class, each in such a parent and with such a name, with attributes.
fn instances(size: usize, parent: impl Fn(i32) -> i32, name: impl Fn(i32) -> Vec<u8>, packing: Packing) -> Vec<u8> {
    let numbers: Vec<i32> = (0..count(size)).collect();
    let parents: Vec<i32> = numbers.iter().map(|number| parent(*number)).collect();
    let names: Vec<Vec<u8>> = numbers.iter().map(|number| name(*number)).collect();
    let chunks = [
        chunk(b"INST", &inst(0, "Folder", &numbers, false), packing),
        chunk(b"PROP", &prop(0, "AttributesSerialize", &vec![ON.to_vec(); size]), packing),
        chunk(b"PROP", &prop(0, "Name", &names), packing),
        chunk(b"PRNT", &prnt(&numbers, &parents), packing),
    ];
    file(1, count(size), &chunks)
}

fn numbered(number: i32) -> Vec<u8> {
    format!("Torch{number}").into_bytes()
}

/// As many classes, of one instance each.
fn classes(size: usize, packing: Packing) -> Vec<u8> {
    let ids = || 0..count(size);
    let class = |id: i32| chunk(b"INST", &inst(id as u32, "Folder", &[id], false), packing);
    let property = |id: i32| chunk(b"PROP", &prop(id as u32, "AttributesSerialize", &[ON.to_vec()]), packing);
    let all: Vec<i32> = ids().collect();
    let parents = chunk(b"PRNT", &prnt(&all, &vec![-1; size]), packing);
    let chunks: Vec<Vec<u8>> = ids().map(class).chain(ids().map(property)).chain([parents]).collect();
    file(count(size), count(size), &chunks)
}

/// As many properties that are one shared string.
fn sharing(size: usize) -> Vec<u8> {
    let numbers: Vec<i32> = (0..count(size)).collect();
    let text = [b"\x01\0\0\0\x01\0\0\0k\x02", &string(&[b's'; 1000])[..]].concat();
    let chunks = [
        chunk(b"SSTR", &sstr(&[text]), Packing::Lz4),
        chunk(b"INST", &inst(0, "Folder", &numbers, false), Packing::Lz4),
        chunk(b"PROP", &prop_shared(0, "AttributesSerialize", &vec![0; size]), Packing::Lz4),
        chunk(b"PRNT", &prnt(&numbers, &vec![-1; size]), Packing::Lz4),
    ];
    file(1, count(size), &chunks)
}

/// The parts of the implementation that binary files and XML share.
macro_rules! same_for_both {
    () => {
        const HAS_OWN_EDIT: bool = true;
        // the file is held, and the limit counts it
        const EACH: usize = 0;
        const EDIT_EACH: usize = 4;
        const STEPS: u64 = 64;

        fn read(bytes: &[u8], limit: usize) -> u64 {
            read(bytes, limit)
        }

        /// Two instances can have one path, because names may have dots. Their addresses are their referents then, until only one
        /// of them is listed.
        fn name(_: usize, value: &Embedded<'_>) -> String {
            let is_of_owner = |name: &str| ["instance", "class", "referent", "property"].contains(&name);
            let members = value.about.members();
            let members = members.iter().filter(|(name, _)| is_of_owner(name));
            members.map(|(_, value)| format!("{value} ")).collect()
        }

        fn rest(bytes: &[u8]) -> Result<Vec<String>, String> {
            rest(bytes)
        }

        fn list(bytes: &[u8], limit: usize) -> Result<Contents, String> {
            listed(bytes, limit).map(|listing| contents(&listing, found(&listing)))
        }

        fn edit(bytes: &[u8], which: usize, value: &[u8], limit: usize) -> Option<Edited> {
            edited(bytes, which, value, limit)
        }

        fn edit_all(bytes: &[u8], value: &[u8], limit: usize) -> Option<Result<Vec<u8>, String>> {
            all_edited(bytes, value, limit)
        }
    };
}

impl TestedContainer for BinaryModel {
    const NAME: &'static str = "model";
    const KIND: ContainerKind = ContainerKind::Model(FileKind::Binary);

    same_for_both!();

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        binary(entropy)
    }

    fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
        mutated_binary(bytes, random)
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let mut files = hostile(FileKind::Binary);
        // each zero ends a tag, and bytes that are not UTF-8 become text of three times their length
        for (name, tags) in [("300,000 empty tags", vec![0; 300_000]), ("a tag of 300,000 bytes", vec![0xff; 300_000])]
        {
            let chunks = [
                chunk(b"INST", &inst(0, "Folder", &[0], false), Packing::Lz4),
                chunk(b"PROP", &prop(0, "Tags", &[tags]), Packing::Lz4),
                chunk(b"PRNT", &prnt(&[0], &[-1]), Packing::Lz4),
            ];
            files.push((name.to_owned(), file(1, 1, &chunks)));
        }
        files
    }

    fn shapes() -> Vec<Shape> {
        vec![
            Shape { name: "instances", made: |size| instances(size, |_| -1, numbered, Packing::None), few: 1000 },
            Shape { name: "instances, LZ4", made: |size| instances(size, |_| -1, numbered, Packing::Lz4), few: 1000 },
            Shape { name: "instances, zstd", made: |size| instances(size, |_| -1, numbered, Packing::Zstd), few: 1000 },
            Shape {
                name: "instances in each other",
                made: |size| instances(size, |number| number - 1, numbered, Packing::None),
                few: 1000,
            },
            Shape {
                name: "instances of one path",
                made: |size| instances(size, |_| -1, |_| b"a".to_vec(), Packing::None),
                few: 1000,
            },
            Shape { name: "classes", made: |size| classes(size, Packing::None), few: 300 },
            Shape { name: "classes, zstd", made: |size| classes(size, Packing::Zstd), few: 300 },
            Shape { name: "properties that share", made: sharing, few: 1000 },
        ]
    }

    fn is_local(before: &[u8], after: &[u8]) -> bool {
        let (mut before, mut after) = (pieces(before), pieces(after));
        while matches!((before.first(), after.first()), (Some(one), Some(other)) if one == other) {
            (before, after) = (before.split_off(1), after.split_off(1));
        }
        while matches!((before.last(), after.last()), (Some(one), Some(other)) if one == other) {
            before.pop();
            after.pop();
        }
        before.len() <= 1 && after.len() <= 1
    }
}

/// Items with attributes, each in the one before or beside it.
fn items(size: usize, within: bool) -> Vec<u8> {
    let mut text = "<roblox version=\"4\">\n".to_owned();
    let on = data_encoding::BASE64.encode(ON);
    for number in 0..size {
        text += &format!("<Item class=\"Folder\" referent=\"RBX{number}\"><Properties>\n<BinaryString name=\"AttributesSerialize\">{on}</BinaryString>\n<string name=\"Name\">Torch{number}</string></Properties>\n");
        if !within {
            text += "</Item>\n";
        }
    }
    if within {
        text += &"</Item>".repeat(size);
    }
    (text + "</roblox>").into_bytes()
}

/// Items that share one string.
fn sharing_items(size: usize) -> Vec<u8> {
    let item = "<Item class=\"Folder\" referent=\"A\"><Properties><SharedString name=\"AttributesSerialize\">K</SharedString></Properties></Item>\n";
    let text = [b"\x01\0\0\0\x01\0\0\0k\x02", &string(&[b's'; 1000])[..]].concat();
    let shared = data_encoding::BASE64.encode(&text);
    let items = item.repeat(size);
    format!("<roblox version=\"4\">{items}<SharedStrings><SharedString md5=\"K\">{shared}</SharedString></SharedStrings></roblox>").into_bytes()
}

impl TestedContainer for XmlModel {
    const NAME: &'static str = "model-xml";
    const KIND: ContainerKind = ContainerKind::Model(FileKind::Xml);

    same_for_both!();

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
        xml(entropy)
    }

    fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
        mutated_xml(bytes, random)
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let mut files = hostile(FileKind::Xml);
        files.push(("20,000 items in each other".to_owned(), items(20_000, true)));
        files.push(("4,000 items that share one string".to_owned(), sharing_items(4000)));
        let text = "<Item class=\"Folder\"><Properties>";
        let like_an_item = format!("<roblox version=\"4\"><Item class=\"Folder\" referent=\"A\"><Properties><BinaryString name=\"AttributesSerialize\"><![CDATA[{text}]]></BinaryString></Properties></Item></roblox>");
        files.push(("a property whose text looks like an item".to_owned(), like_an_item.into_bytes()));
        files
    }

    fn shapes() -> Vec<Shape> {
        vec![
            Shape { name: "items", made: |size| items(size, false), few: 1000 },
            Shape { name: "items in each other", made: |size| items(size, true), few: 1000 },
            Shape { name: "items that share", made: sharing_items, few: 1000 },
        ]
    }

    fn is_local(before: &[u8], after: &[u8]) -> bool {
        // a fuzzer puts anything here
        if before.starts_with(b"<roblox!") {
            return BinaryModel::is_local(before, after);
        }
        let same = |one: &[u8], other: &[u8]| one.iter().zip(other).take_while(|(one, other)| one == other).count();
        let start = same(before, after);
        let (old, new) = (&before[start..], &after[start..]);
        let end = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
        let (old, new) = (start..before.len() - end, &new[..new.len() - end]);
        // a new property beside others, or what is within one property, which may be text that looks like an item
        let within = |property: Property<'_>| match property.place {
            Place::Xml(place) => place.element.start <= old.start as u64 && old.end as u64 <= place.element.end,
            _ => false,
        };
        // `<Properties/>`, which becomes two tags
        let is_opened = &before[old.clone()] == b"/" && before[..old.start].trim_ascii_end().ends_with(b"<Properties");
        let is_within =
            old.is_empty() || is_opened || listed(before, MORE * super::LIMIT).unwrap().properties().any(within);
        is_within && !new.windows(5).any(|part| part == b"Item ")
    }
}
