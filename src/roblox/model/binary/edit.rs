//! Writing other values into a binary file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use bstr::BStr;

use super::chunk::{gen_chunk, Chunk, ChunkName};
use super::inst::inst;
use super::list::{in_memory, opened, Head, Passed, Value, Wanted};
use super::prop::{gen_string_prop, prop_head, PropHead, StringProp};
use super::sstr::sstr;
use super::storage::{Compression, Store};
use crate::error::EncodeError;
use crate::roblox::model::edit::{spliced, Change, Site};
use crate::roblox::model::error::ModelError;
use crate::roblox::model::listing::Kind;
use crate::roblox::model::options::Options;
use crate::wire::{self, generate_into, to_usize, whole, ByteString};

/// What part of the file becomes what.
type Piece = (Range<usize>, Vec<u8>);

/// What is to be written into a chunk, by index.
type Values<'c> = BTreeMap<usize, &'c [u8]>;

/// The bytes of the file with the changes made, or those it has.
pub(in crate::roblox::model) fn edit<'f>(
    file: &'f [u8],
    changes: &[Change<'_>],
    store: Store,
    options: &Options,
) -> Result<Cow<'f, [u8]>, ModelError> {
    let mut pieces = Vec::new();
    let mut changed: BTreeMap<u64, Values<'_>> = BTreeMap::new();
    let mut added: BTreeMap<(i32, Kind), &[u8]> = BTreeMap::new();
    for change in changes {
        match &change.site {
            Site::Value { chunk, index } => {
                changed.entry(*chunk).or_default().insert(to_usize(*index), change.bytes);
            }
            Site::Referent { referent, kind } => {
                added.insert((*referent, *kind), change.bytes);
            }
            Site::Element { .. } | Site::Item { .. } => {
                return Err(ModelError::NoPlace("the file is not in XML".to_owned()))
            }
        }
    }
    let mut chunks = Vec::new();
    let mut reader = in_memory(file, options)?;
    // what is behind a chunk that cannot be read stays as it is
    let ended = reader.each_chunk(|_, chunk| {
        chunks.push(chunk);
        Ok(())
    });
    if let Err(error) = ended {
        if !matches!(error, ModelError::NoEnd { .. } | ModelError::Trailing { .. }) {
            return Err(error);
        }
    }

    let mut classes: BTreeMap<u32, Vec<i32>> = BTreeMap::new();
    for chunk in chunks.iter().filter(|chunk| chunk.header.name == ChunkName::INST) {
        let (data, _) = reader.data(*chunk)?;
        let (_, inst) = wire::run(&data[..], whole(false, inst())).map_err(|error| chunk.fault(error))?;
        classes.entry(inst.class_id).or_insert(inst.referents);
    }

    if !added.is_empty() {
        place(&mut reader, &chunks, &classes, added, &mut changed, store, &mut pieces)?;
    }

    let shared = chunks.iter().rfind(|chunk| chunk.header.name == ChunkName::SSTR).copied();
    for (offset, values) in changed {
        let found = chunks.binary_search_by_key(&offset, |chunk| chunk.offset).ok();
        let chunk = found.and_then(|found| chunks.get(found)).filter(|chunk| chunk.header.name == ChunkName::PROP);
        let Some(chunk) = chunk.copied() else {
            return Err(ModelError::NoPlace(format!("there is no PROP chunk at byte {offset:#x}")));
        };
        let (data, compression) = reader.data(chunk)?;
        let (_, head) = wire::run(&data[..], prop_head()).map_err(|error| chunk.fault(error))?;
        let count = classes.get(&head.class_id).map_or(0, Vec::len);
        let opened = opened(&data, count).map_err(|error| chunk.fault(error))?;
        if !opened.is_strings {
            return Err(ModelError::NoPlace(format!("the PROP chunk at byte {offset:#x} has no strings")));
        }
        let strings = match shared.filter(|_| opened.values.iter().any(|value| matches!(value, Value::Shared(_)))) {
            Some(shared) => Some((shared, reader.data(shared)?.0)),
            None => None,
        };
        let strings = match &strings {
            Some((chunk, data)) => {
                wire::run(&data[..], whole(false, sstr())).map_err(|error| chunk.fault(error))?.1.strings
            }
            None => Vec::new(),
        };
        let mut new: Vec<ByteString<'_>> = Vec::new();
        for value in &opened.values {
            new.push(match value {
                Value::String(bytes, _) => Cow::Borrowed(*bytes),
                Value::Shared(index) => match strings.get(to_usize(*index)) {
                    Some(string) => string.content.clone(),
                    None => return Err(ModelError::NoPlace(format!("shared string {index} is not there"))),
                },
            });
        }
        let mut is_other = false;
        for (index, bytes) in values {
            let Some(value) = new.get_mut(index) else {
                return Err(ModelError::NoPlace(format!("the PROP chunk at byte {offset:#x} has no value {index}")));
            };
            is_other |= ***value != *bytes;
            *value = Cow::Borrowed(BStr::new(bytes));
        }
        if is_other {
            let bytes = packed(&StringProp { head: opened.head, values: new }, compression, store)?;
            pieces.push((to_usize(offset)..to_usize(end(chunk)), bytes));
        }
    }
    Ok(spliced(file, pieces))
}

/// The byte behind a chunk.
fn end(chunk: Passed) -> u64 {
    chunk.offset.saturating_add(16).saturating_add(chunk.header.stored_length().into())
}

fn packed(prop: &StringProp<'_>, before: Compression, store: Store) -> Result<Vec<u8>, ModelError> {
    let unwritable = |fault| ModelError::Encode(EncodeError::new(std::iter::empty().collect(), fault));
    let mut data = Vec::new();
    generate_into(gen_string_prop(prop), &mut data).map_err(unwritable)?;
    let chunk: Chunk<Vec<u8>> = store.pack(ChunkName::PROP, data, before)?;
    let mut bytes = Vec::new();
    generate_into(gen_chunk(&chunk), &mut bytes).map_err(unwritable)?;
    Ok(bytes)
}

/// Finds the values of instances: in the chunk that their class has for the property, or in a new one before PRNT.
fn place<'c, R: std::io::Read + std::io::Seek>(
    reader: &mut super::list::File<R>,
    chunks: &[Passed],
    classes: &BTreeMap<u32, Vec<i32>>,
    added: BTreeMap<(i32, Kind), &'c [u8]>,
    changed: &mut BTreeMap<u64, Values<'c>>,
    store: Store,
    pieces: &mut Vec<Piece>,
) -> Result<(), ModelError> {
    let mut props: BTreeMap<(u32, Kind), u64> = BTreeMap::new();
    let mut before = Compression::Lz4;
    let mut behind = None;
    for chunk in chunks {
        match chunk.header.name {
            ChunkName::PROP => {
                before = if chunk.header.compressed_length == 0 { Compression::None } else { Compression::Lz4 };
                behind = Some(end(*chunk));
                if let Some(Head { class_id: class, wanted: Wanted::Kind(kind), .. }) = reader.head(*chunk)? {
                    // of several, the last counts
                    props.insert((class, kind), chunk.offset);
                }
            }
            ChunkName::PRNT => behind = behind.or(Some(chunk.offset)),
            _ => {}
        }
    }
    let mut places: BTreeMap<i32, Option<(u32, usize)>> = added.keys().map(|(referent, _)| (*referent, None)).collect();
    for (class, referents) in classes {
        for (index, referent) in referents.iter().enumerate() {
            if let Some(place) = places.get_mut(referent) {
                place.get_or_insert((*class, index));
            }
        }
    }
    let mut new: BTreeMap<(u32, Kind), Values<'c>> = BTreeMap::new();
    for ((referent, kind), bytes) in added {
        let Some((class, index)) = places.get(&referent).copied().flatten() else {
            return Err(ModelError::NoPlace(format!("there is no instance {referent}")));
        };
        match props.get(&(class, kind)) {
            Some(chunk) => changed.entry(*chunk).or_default().insert(index, bytes),
            None => new.entry((class, kind)).or_default().insert(index, bytes),
        };
    }
    for ((class_id, kind), values) in new {
        if values.values().all(|bytes| bytes.is_empty()) {
            continue;
        }
        let Some(place) = behind else {
            return Err(ModelError::NoPlace("there is neither a PROP nor a PRNT chunk".to_owned()));
        };
        let count = classes.get(&class_id).map_or(0, Vec::len);
        let value = |index| Cow::Borrowed(BStr::new(values.get(&index).copied().unwrap_or(kind.none())));
        let name = Cow::Borrowed(BStr::new(kind.name()));
        let prop = StringProp { head: PropHead { class_id, name }, values: (0..count).map(value).collect() };
        pieces.push((to_usize(place)..to_usize(place), packed(&prop, before, store)?));
    }
    Ok(())
}
