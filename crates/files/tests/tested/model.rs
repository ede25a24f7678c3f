//! Model and place files: properties for any bytes, the contents that a reader must find, and files made by hand.
#![allow(dead_code, unreachable_pub)] // no test needs all of it

use std::borrow::Cow;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use allocation_counter::measure;
use bstr::BStr;
use enginewire::roblox::attributes;
use enginewire::wire::{generate_into, ByteString};
use enginewire_files::roblox::model::binary::{
    chunk, gen_chunk, gen_header, gen_inst, gen_interleaved, gen_meta, gen_prnt, gen_prop_head, gen_sstr,
    gen_string_prop, unpack, Header, Inst, Meta, Prnt, PropHead, SharedString, Sstr, StringProp, SHARED_STRING,
};
use enginewire_files::roblox::model::{
    edit, edit_to, list_bytes, Change, ChunkName, Compression, Kind, Listing, ModelError, Options, Place, Referent,
    Store,
};
use nom::Parser;

/// The folder with the model files of this repository.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/roblox-model")
}

/// The model files, with their names.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension.to_str().unwrap().starts_with("rbx")))
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap()))
        .collect();
    files.sort();
    assert!(files.len() >= 12);
    files
}

/// The limit of memory here.
const MEMORY: usize = 4 << 20;

/// The memory that may be taken beyond it: for an error, and for the reader of XML.
const BESIDE: usize = 16 << 10;

/// Reading returns valid results within the memory limit. An edit changes the property that it names, and nothing else.
pub fn hold(bytes: &[u8]) {
    let options = Options::new().max_memory(MEMORY);
    let mut listing = None;
    let peak = measure(|| listing = Some(list_bytes(bytes, &options))).bytes_max;
    assert!(peak <= (MEMORY + BESIDE) as u64, "listing {} bytes takes {peak}", bytes.len());
    let Some(Ok(listing)) = listing else { return };
    for (index, instance) in listing.instances().enumerate() {
        assert!(instance.parent.is_none_or(|parent| parent < listing.instances().len()));
        let _ = listing.path(index).len();
    }
    for property in listing.properties() {
        assert!(property.instance < listing.instances().len());
        let _ = property.decode(&attributes::Options::new());
        let _ = property.tags().count();
        if let (Some(offset), Ok(value)) = (property.place.file_offset(), &property.bytes) {
            assert_eq!(&bytes[offset as usize..][..value.len()], &value[..]);
        }
    }
    assert!(listing.warnings.len() <= listing.warning_count.min(Listing::MOST_WARNINGS));
    assert!(listing.warnings.iter().all(|warning| warning.offset().is_some_and(|at| at <= bytes.len() as u64)));
    if let Ok(same) = edit(bytes, &[], Store::Raw, &options) {
        assert!(matches!(same, Cow::Borrowed(same) if same == bytes));
    }
    for (index, property) in listing.properties().enumerate().take(3) {
        let new = b"\x01\0\0\0new";
        let change = [Change::of(&property, new)];
        let Ok(changed) = edit(bytes, &change, Store::Raw, &options) else { continue };
        let mut written = Vec::new();
        match edit_to(Cursor::new(bytes), &mut written, &change, Store::Raw, &options) {
            Ok(()) => assert!(written == *changed, "written piece by piece, it is another file"),
            // the file is in memory as well, if it is XML
            Err(error) => assert!(error.is_of_limit(), "{error}"),
        }
        let changed = list_bytes(&changed, &options.max_memory(2 * MEMORY)).unwrap();
        assert_eq!(changed.properties().len(), listing.properties().len());
        assert!(without_places(&changed).eq(without_places(&listing)));
        assert!(
            changed.warning_count <= listing.warning_count || !listing.problems.is_empty(),
            "an edit adds no faults"
        );
        for (other, (before, after)) in listing.properties().zip(changed.properties()).enumerate() {
            if other == index {
                assert_eq!(after.bytes, Ok(BStr::new(new)));
            } else {
                // the offset in an error about base64 may change
                assert_eq!(before.bytes.clone().ok(), after.bytes.ok());
            }
        }
    }
}

/// The instances without their places, which move when something before them changes.
pub fn without_places(listing: &Listing) -> impl Iterator<Item = (&BStr, &BStr, Referent<'_>, Option<usize>)> {
    listing.instances().map(|instance| (instance.class, instance.name, instance.referent, instance.parent))
}

/// Reading a file that is cut reports a problem. The properties that are found are those of the whole file.
pub fn truncation(bytes: &[u8]) {
    let all = list_bytes(bytes, &Options::new()).unwrap();
    assert!(all.problems.is_empty(), "{:?}", all.problems);
    for cut in 0..bytes.len() {
        let Ok(listing) = list_bytes(&bytes[..cut], &Options::new()) else { continue };
        assert!(!listing.problems.is_empty(), "nobody noticed a cut at {cut}");
        assert!(listing.properties().len() <= all.properties().len());
        for (found, expected) in listing.properties().zip(all.properties()) {
            assert_eq!((found.kind, &found.place), (expected.kind, &expected.place));
            assert!(found.bytes == expected.bytes || found.bytes.is_err());
        }
    }
}

/// A chunk, stored as it should be.
pub fn stored(name: ChunkName, data: Vec<u8>, store: Store) -> Vec<u8> {
    let mut bytes = Vec::new();
    generate_into(gen_chunk(&store.pack(name, data, Compression::None).unwrap()), &mut bytes).unwrap();
    bytes
}

fn generated(generator: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    generator(&mut bytes);
    bytes
}

fn text(text: &str) -> ByteString<'_> {
    text.into()
}

/// A class of a file that is made: its name, its referents, and the values of its properties.
pub struct Class<'a> {
    pub name: &'a str,
    pub referents: &'a [i32],
    pub strings: &'a [(&'a str, &'a [&'a [u8]])],
    pub shared: &'a [(&'a str, &'a [u32])],
}

/// A file of such classes.
pub fn made(classes: &[Class<'_>], parents: &[(i32, i32)], shared: &[&[u8]], store: Store) -> Vec<u8> {
    let count = |count: usize| i32::try_from(count).unwrap();
    let instances = classes.iter().map(|class| class.referents.len()).sum();
    let header = Header { version: 0, class_count: count(classes.len()), instance_count: count(instances) };
    let mut file = generated(|bytes| generate_into(gen_header(header), bytes).unwrap());
    let mut add = |name, data| file.extend(stored(name, data, store));
    let meta = Meta { entries: vec![(text("ExplicitAutoJoints"), text("true"))] };
    add(ChunkName::META, generated(|bytes| generate_into(gen_meta(&meta), bytes).unwrap()));
    let string = |bytes: &&'_ [u8]| SharedString { hash: [0; 16], content: bytes.to_vec().into() };
    let sstr = Sstr { version: 0, strings: shared.iter().map(string).collect() };
    add(ChunkName::SSTR, generated(|bytes| generate_into(gen_sstr(&sstr), bytes).unwrap()));
    for (class_id, class) in (0..).zip(classes) {
        let is_service = class.name == "Workspace";
        let inst = Inst {
            class_id,
            class_name: text(class.name),
            referents: class.referents.to_vec(),
            markers: is_service.then(|| vec![1; class.referents.len()].into()),
        };
        add(ChunkName::INST, generated(|bytes| generate_into(gen_inst(&inst), bytes).unwrap()));
    }
    for (class_id, class) in (0..).zip(classes) {
        for (name, values) in class.strings {
            let values = values.iter().map(|value| ByteString::from(*value)).collect();
            let prop = StringProp { head: PropHead { class_id, name: text(name) }, values };
            add(ChunkName::PROP, generated(|bytes| generate_into(gen_string_prop(&prop), bytes).unwrap()));
        }
        for (name, indices) in class.shared {
            let head = PropHead { class_id, name: text(name) };
            let mut data = generated(|bytes| generate_into(gen_prop_head(&head), bytes).unwrap());
            data.push(SHARED_STRING);
            generate_into(gen_interleaved(indices), &mut data).unwrap();
            add(ChunkName::PROP, data);
        }
    }
    let (children, parents) = parents.iter().copied().unzip();
    let prnt = Prnt { version: 0, children, parents };
    add(ChunkName::PRNT, generated(|bytes| generate_into(gen_prnt(&prnt), bytes).unwrap()));
    file.extend(stored(ChunkName::END, b"</roblox>".to_vec(), Store::Raw));
    file
}

/// The same file with its chunks packed as those that were zstd.
pub fn in_zstd(file: &[u8]) -> Vec<u8> {
    let (head, mut rest) = file.split_at(32);
    let mut bytes = head.to_vec();
    while !rest.is_empty() {
        let (after, found) = chunk::<_, nom::error::Error<&[u8]>>(false).parse_complete(rest).unwrap();
        let data = unpack(&found, usize::MAX).unwrap();
        let packed = Store::AsBefore.pack(found.header.name, data, Compression::Zstd).unwrap();
        generate_into(gen_chunk(&packed), &mut bytes).unwrap();
        rest = after;
    }
    bytes
}

/// On is true.
pub const ON: &[u8] = b"\x01\0\0\0\x02\0\0\0On\x03\x01";

/// The number of a type that there is not.
pub const BROKEN: &[u8] = b"\x01\0\0\0\x01\0\0\0a\xff\0";

/// Names that are there twice, a broken value, shared tags, a class without attributes, an instance outside of the tree.
pub fn sample(store: Store) -> Vec<u8> {
    let classes = [
        Class {
            name: "Workspace",
            referents: &[0],
            strings: &[("AttributesSerialize", &[b""]), ("Name", &[b"Workspace"])],
            shared: &[],
        },
        Class {
            name: "Part",
            referents: &[3, 1, 7],
            strings: &[("AttributesSerialize", &[ON, BROKEN, b""]), ("Name", &[b"Torch", b"Torch", b"Fire \xff"])],
            shared: &[("Tags", &[1, 0, 1])],
        },
        Class {
            name: "StyleRule",
            referents: &[5],
            strings: &[("PropertiesSerialize", &[ON]), ("Name", &[b"Rule"])],
            shared: &[],
        },
        Class { name: "Path2D", referents: &[6], strings: &[("PropertiesSerialize", &[b"\0\0\0\0"])], shared: &[] },
    ];
    let parents = [(5, -1), (3, 1), (1, 0), (7, 3), (0, -1)];
    made(&classes, &parents, &[b"", b"Hot\0Bright"], store)
}

/// Lists a file. Panics if there is a problem.
pub fn listed(bytes: &[u8], options: &Options) -> Listing {
    let listing = list_bytes(bytes, options).unwrap();
    assert!(listing.problems.is_empty(), "{:?}", listing.problems);
    listing
}

/// The offsets of the chunks with this name.
pub fn chunks(file: &[u8], name: ChunkName) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 32;
    while let Some(head) = file.get(at..at + 16) {
        let number = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap()) as usize;
        if head[..4] == name.0 {
            found.push(at);
        }
        at += 16 + if number(4) == 0 { number(8) } else { number(4) };
    }
    found
}

/// The property that begins at this offset, or has this element.
pub fn stands_at(place: &Place, chunk: Option<u64>, index: Option<u64>, element: Option<u64>) -> bool {
    match place {
        Place::Binary(place) => Some(place.property) == chunk && Some(u64::from(place.index)) == index,
        Place::Xml(place) => Some(place.element.start) == element,
        _ => false,
    }
}

/// Only the kinds of the problems.
pub fn problems(listing: &Listing) -> Vec<String> {
    listing.problems.iter().map(ModelError::to_string).collect()
}

/// The bytes of all properties of a kind.
pub fn values(listing: &Listing, kind: Kind) -> Vec<Vec<u8>> {
    let found = listing.properties().filter(|property| property.kind == kind);
    found.map(|property| property.bytes.as_ref().unwrap().to_vec()).collect()
}
