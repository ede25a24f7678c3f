//! Editing a binary file.

use std::borrow::Cow;
use std::collections::btree_map::{BTreeMap, Entry};

use bstr::BStr;

use super::chunk::{gen_chunk, ChunkName};
use super::chunk_ref::ChunkRef;
use super::compression::Compression;
use super::file::{in_memory, Wanted};
use super::inst::inst;
use super::pack::Store;
use super::prop::{gen_string_prop, prop_head, PropHead, StringProp, SHARED_STRING, STRING};
use super::sstr::{sstr, SharedString};
use super::values::{values, Value};
use crate::budget::Budget;
use crate::roblox::model::change::{Change, Edits, Site};
use crate::roblox::model::error::ModelError;
use crate::roblox::model::kind::Kind;
use crate::roblox::model::listing::Made;
use crate::roblox::model::options::Options;
use crate::wire::{self, all_consuming, generate_into, to_usize, ByteString};

/// About the memory that an entry of a map takes, in bytes.
const BESIDE: usize = 128;

/// The new values of a chunk, by index.
type Values<'c> = BTreeMap<u32, &'c [u8]>;

/// The instances of a class.
struct Class {
    id: u32,
    chunk: ChunkRef,
    count: usize,
    /// The number of its first instance in the file.
    first: u32,
}

/// The chunks of a file that an edit needs.
#[derive(Default)]
struct Layout {
    /// In the order of the file.
    classes: Vec<Class>,
    /// The index of each class, by its id.
    numbers: BTreeMap<u32, usize>,
    /// The chunks of properties that can be changed, in the order of the file.
    chunks: Vec<ChunkRef>,
    /// The chunk of each property of a class; of several, the last, as Roblox Studio does.
    properties: BTreeMap<(u32, Kind), ChunkRef>,
    shared: Option<ChunkRef>,
    /// The offset of a new PROP chunk: after all others, or before the PRNT chunk.
    end: u64,
    /// The compression of the last PROP chunk.
    compression: Option<Compression>,
}

impl Layout {
    fn of(&self, id: u32) -> Option<&Class> {
        self.classes.get(*self.numbers.get(&id)?)
    }

    /// The class whose INST chunk begins here.
    fn at(&self, offset: u64) -> Option<&Class> {
        let place = self.classes.binary_search_by_key(&offset, |class| class.chunk.offset).ok()?;
        self.classes.get(place)
    }
}

type File<'f> = super::file::File<std::io::Cursor<&'f [u8]>>;

/// The edit that makes these changes.
pub(in crate::roblox::model) fn edit(
    file: &[u8],
    changes: &[Change<'_>],
    store: Store,
    options: &Options,
) -> Result<Edits, ModelError> {
    let mut reader = in_memory(file, options)?;
    let layout = layout(&mut reader)?;
    let mut changed: BTreeMap<u64, Values<'_>> = BTreeMap::new();
    let mut added: BTreeMap<(u32, Kind), Values<'_>> = BTreeMap::new();
    for Change { site, bytes } in changes {
        let (values, index) = match site {
            Site::Value { chunk, index } => (changed.entry(*chunk).or_default(), *index),
            Site::Instance { place, kind } => {
                let class = layout.at(place.offset);
                let index = place.index.filter(|index| class.is_some_and(|class| to_usize(*index) < class.count));
                let (Some(class), Some(index)) = (class, index) else {
                    return Err(ModelError::NoPlace(format!("there is no instance {place}")));
                };
                match layout.properties.get(&(class.id, *kind)) {
                    Some(chunk) => (changed.entry(chunk.offset).or_default(), index),
                    None => (added.entry((class.id, *kind)).or_default(), index),
                }
            }
            Site::Element { .. } => return Err(ModelError::NoPlace("the file is not in XML".to_owned())),
        };
        if values.insert(index, *bytes).is_some() {
            return Err(ModelError::NoPlace("a property is changed twice".to_owned()));
        }
    }
    let mut edits = Edits::default();
    for (offset, values) in changed {
        let place = layout.chunks.binary_search_by_key(&offset, |chunk| chunk.offset).ok();
        let Some(chunk) = place.and_then(|place| layout.chunks.get(place)).copied() else {
            return Err(ModelError::NoPlace(format!("there is no PROP chunk at byte {offset:#x}")));
        };
        change(&mut reader, &layout, chunk, &values, store, &mut edits)?;
    }
    for ((id, kind), values) in added {
        if let Some(class) = layout.of(id).filter(|_| values.values().any(|bytes| !bytes.is_empty())) {
            add(&mut reader.budget, &layout, class, kind, &values, store, &mut edits)?;
        }
    }
    Ok(edits)
}

/// Reads the layout of a file.
fn layout(reader: &mut File<'_>) -> Result<Layout, ModelError> {
    let mut layout = Layout::default();
    let mut total = 0u32;
    let ended = reader.each_chunk(|reader, chunk| {
        match chunk.header.name {
            ChunkName::INST => {
                let (id, count) = reader.with_data(chunk, |budget, data, _| {
                    budget.room_for(data.len()).map_err(|error| chunk.fault(error))?;
                    let (_, inst) =
                        wire::run(data, all_consuming(false, inst())).map_err(|error| chunk.fault(error))?;
                    Ok((inst.class_id, inst.referents.len()))
                })?;
                reader.budget.take(BESIDE)?;
                if let Entry::Vacant(place) = layout.numbers.entry(id) {
                    place.insert(layout.classes.len());
                    reader.budget.push(&mut layout.classes, Class { id, chunk, count, first: total })?;
                    total = total.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
                }
            }
            ChunkName::PROP => {
                layout.end = chunk.end();
                layout.compression = Some(reader.compression(chunk)?);
                if let Some(head) = reader.head(chunk)? {
                    if let Wanted::Kind(kind) = head.wanted {
                        reader.budget.take(BESIDE)?;
                        reader.budget.push(&mut layout.chunks, chunk)?;
                        layout.properties.insert((head.class_id, kind), chunk);
                    }
                }
            }
            ChunkName::PRNT if layout.end == 0 => layout.end = chunk.offset,
            ChunkName::SSTR => layout.shared = Some(chunk),
            _ => {}
        }
        Ok(())
    });
    match ended {
        Ok(()) | Err(ModelError::NoEnd { .. } | ModelError::Trailing { .. }) => Ok(layout),
        Err(error) => Err(error),
    }
}

/// The values of a PROP chunk.
enum Frame {
    /// Strings, with the changes made: the new chunk, or `None` if nothing changes.
    Done(Option<Vec<u8>>),
    /// The indices of shared strings.
    Shared(Kind, Vec<u32>, Compression),
}

/// Changes values of a PROP chunk.
fn change(
    reader: &mut File<'_>,
    layout: &Layout,
    chunk: ChunkRef,
    changes: &Values<'_>,
    store: Store,
    edits: &mut Edits,
) -> Result<(), ModelError> {
    let nothing = |what: &str| ModelError::NoPlace(format!("the PROP chunk at byte {:#x} {what}", chunk.offset));
    let made = &mut edits.made;
    let mut of_class = None;
    let opened = reader.with_data(chunk, |budget, data, compression| {
        let (rest, head) = wire::run(data, prop_head()).map_err(|error| chunk.fault(error))?;
        let class = layout.of(head.class_id).ok_or_else(|| nothing("belongs to no class"))?;
        let kind = Kind::of(&head.name).ok_or_else(|| nothing("has another property"))?;
        if let Some(index) = changes.keys().find(|index| to_usize(**index) >= class.count) {
            return Err(nothing(&format!("has no value {index}")));
        }
        of_class = Some(class);
        let size = class.count.saturating_mul(size_of::<ByteString<'_>>());
        match rest.first() {
            Some(&STRING) => {
                budget.take(size).map_err(|error| chunk.fault(error))?;
                let mut strings: Vec<ByteString<'_>> = Vec::with_capacity(class.count);
                let all = values(data, class.count, |_, value| {
                    if let Value::String(bytes, _) = value {
                        strings.push(Cow::Borrowed(bytes));
                    }
                });
                all.map_err(|error| chunk.fault(error))?;
                let prop = StringProp { head, values: strings };
                let done = changed(budget, class, kind, prop, changes, (compression, store), made)?;
                budget.give_back(size);
                Ok(Frame::Done(done))
            }
            Some(&SHARED_STRING) => {
                budget.room_for(size).map_err(|error| chunk.fault(error))?;
                let mut indices = Vec::with_capacity(class.count);
                let all = values(data, class.count, |_, value| {
                    if let Value::Shared(index) = value {
                        indices.push(index);
                    }
                });
                all.map_err(|error| chunk.fault(error))?;
                Ok(Frame::Shared(kind, indices, compression))
            }
            _ => Err(nothing("has no strings")),
        }
    })?;
    let new = match (opened, of_class) {
        (Frame::Done(new), _) => new,
        (Frame::Shared(kind, indices, compression), Some(class)) => {
            let lost = |index: u32| ModelError::NoPlace(format!("there is no shared string {index}"));
            let Some(shared) = layout.shared else { return Err(lost(indices.first().copied().unwrap_or_default())) };
            reader.with_data(shared, |budget, data, _| {
                let most = (data.len() / 20).saturating_mul(size_of::<SharedString<'_>>().saturating_mul(3));
                let size = most.saturating_add(indices.len().saturating_mul(size_of::<ByteString<'_>>()));
                budget.take(size).map_err(|error| shared.fault(error))?;
                let (_, sstr) = wire::run(data, all_consuming(false, sstr())).map_err(|error| shared.fault(error))?;
                let string = |index: &u32| match sstr.strings.get(to_usize(*index)) {
                    Some(string) => Ok(string.content.clone()),
                    None => Err(lost(*index)),
                };
                let values = indices.iter().map(string).collect::<Result<Vec<_>, _>>()?;
                let head = PropHead { class_id: class.id, name: Cow::Borrowed(BStr::new(kind.name())) };
                let prop = StringProp { head, values };
                let done = changed(budget, class, kind, prop, changes, (compression, store), made)?;
                budget.give_back(size);
                Ok(done)
            })?
        }
        (Frame::Shared(..), None) => None,
    };
    if let Some(new) = new {
        reader.budget.take(new.capacity())?;
        edits.pieces.push((to_usize(chunk.offset)..to_usize(chunk.end()), new));
    }
    Ok(())
}

/// A PROP chunk with the changes made; `None` if nothing changes.
fn changed(
    budget: &mut Budget,
    class: &Class,
    kind: Kind,
    mut prop: StringProp<'_>,
    changes: &Values<'_>,
    how: (Compression, Store),
    made: &mut Vec<Made>,
) -> Result<Option<Vec<u8>>, ModelError> {
    let before = made.len();
    for (index, bytes) in changes {
        let Some(value) = prop.values.get_mut(to_usize(*index)) else { continue };
        if ***value == **bytes {
            continue;
        }
        made.push(Made::new(class.first.saturating_add(*index), kind, &Ok(&**value), bytes));
        *value = Cow::Owned((*bytes).into());
    }
    if made.len() == before {
        return Ok(None);
    }
    packed(budget, &prop, how).map(Some)
}

/// Adds a PROP chunk after all others, and after the INST chunk of its class.
fn add(
    budget: &mut Budget,
    layout: &Layout,
    class: &Class,
    kind: Kind,
    values: &Values<'_>,
    store: Store,
    edits: &mut Edits,
) -> Result<(), ModelError> {
    let size = class.count.saturating_mul(size_of::<ByteString<'_>>());
    budget.take(size)?;
    let bytes_of = |index: u32| values.get(&index).copied().unwrap_or(kind.none());
    for (index, bytes) in (0..).map(|index| (index, bytes_of(index))).take(class.count) {
        if !bytes.is_empty() {
            let made = Made::new(class.first.saturating_add(index), kind, &Ok(BStr::new("")), bytes);
            budget.push(&mut edits.made, made)?;
        }
    }
    let values = (0..).take(class.count).map(|index| Cow::Borrowed(BStr::new(bytes_of(index)))).collect();
    let head = PropHead { class_id: class.id, name: Cow::Borrowed(BStr::new(kind.name())) };
    let before = layout.compression.unwrap_or(Compression::Lz4);
    let place = to_usize(layout.end.max(class.chunk.end()));
    let chunk = packed(budget, &StringProp { head, values }, (before, store))?;
    budget.give_back(size);
    budget.take(chunk.capacity())?;
    edits.pieces.push((place..place, chunk));
    Ok(())
}

/// The bytes of a PROP chunk of strings.
fn packed(
    budget: &mut Budget,
    prop: &StringProp<'_>,
    (before, store): (Compression, Store),
) -> Result<Vec<u8>, ModelError> {
    let size = prop.values.iter().fold(64, |size: usize, value| size.saturating_add(value.len()).saturating_add(4));
    // with the chunk, which is made when packing has ended
    budget.room_for(store.memory(before, size))?;
    let mut data = Vec::with_capacity(size);
    generate_into(gen_string_prop(prop), &mut data).map_err(ModelError::Encode)?;
    let chunk = store.pack(ChunkName::PROP, data, before)?;
    let mut bytes = Vec::new();
    generate_into(gen_chunk(&chunk), &mut bytes).map_err(ModelError::Encode)?;
    Ok(bytes)
}
