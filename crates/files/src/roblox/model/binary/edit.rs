//! Editing a binary file.

use std::collections::btree_map::{BTreeMap, Entry};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Cursor, Read, Seek, Write};
use std::ops::Range;

use bstr::{BStr, ByteSlice};
use twox_hash::XxHash64;

use super::chunk::{gen_chunk, gen_chunk_header, Chunk, ChunkHeader, ChunkName};
use super::chunk_ref::ChunkRef;
use super::compression::Compression;
use super::file::{in_memory, File, Wanted};
use super::inst::{inst, inst_head};
use super::lz4::Packer;
use super::pack::Store;
use super::pieces::Pieces;
use super::prop::{gen_prop_head, prop_head, PropHead, SHARED_STRING, STRING};
use super::sstr::{memory, sstr};
use super::unpack::unpack;
use super::values::{values, Value};
use crate::roblox::model::change::{Change, Edits, Site};
use crate::roblox::model::error::{ChunkFault, ModelError, ValueError};
use crate::roblox::model::kind::Kind;
use crate::roblox::model::listing::Made;
use crate::roblox::model::options::Options;
use crate::roblox::model::window::Window;
use enginewire::budget::Budget;
use enginewire::error::{EncodeError, EncodeFault};
use enginewire::number::{to_u64, to_usize};
use enginewire::wire::{self, all_consuming, gen_length_prefixed, generate_into, ByteString, Le};

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
    /// The chunk of a property that has no value type, and so no values.
    untyped: BTreeMap<(u32, Kind), ChunkRef>,
    shared: Option<ChunkRef>,
    /// The offset of a new PROP chunk: after all others, or before the PRNT chunk.
    end: u64,
    /// The compression of the last PROP chunk.
    compression: Option<Compression>,
}

impl Layout {
    /// The class with this id, and its index.
    fn of(&self, id: u32) -> Option<(usize, &Class)> {
        let number = *self.numbers.get(&id)?;
        Some((number, self.classes.get(number)?))
    }

    /// The class whose INST chunk begins here.
    fn at(&self, offset: u64) -> Option<&Class> {
        let place = self.classes.binary_search_by_key(&offset, |class| class.chunk.offset).ok()?;
        self.classes.get(place)
    }
}

/// An edit at one place of the file.
struct Step<'c> {
    /// The range of the file that it replaces.
    range: Range<u64>,
    work: Work,
    values: Values<'c>,
}

/// The chunk that a step makes.
#[derive(Clone, Copy)]
enum Work {
    /// A chunk with other values.
    Change(ChunkRef),
    /// A new chunk for the class that has this index. It may replace a chunk without a value type.
    Add(usize, Kind),
}

/// Options for making chunks.
#[derive(Clone, Copy)]
struct How {
    store: Store,
    /// If true, each chunk is unpacked again and compared.
    read_back: bool,
}

/// The edit that makes these changes.
pub(crate) fn edit(file: &[u8], changes: &[Change<'_>], store: Store, options: &Options) -> Result<Edits, ModelError> {
    let mut pieces = Vec::new();
    let mut reader = in_memory(file, options)?;
    // both files are compared when all is done
    let how = How { store, read_back: false };
    let made = each_chunk(&mut reader, changes, how, |reader, range, chunk| {
        let mut piece = Vec::with_capacity(chunk.body.len().saturating_add(ChunkHeader::SIZE));
        generate_into(gen_chunk(&chunk), &mut piece)?;
        reader.budget.take(piece.capacity())?;
        pieces.push((to_usize(range.start)..to_usize(range.end), piece));
        Ok(())
    });
    let made = made.map_err(|error| with_enough(&mut reader, error))?;
    Ok(Edits { pieces, made })
}

/// Writes the file with these changes, one chunk after the other.
pub(crate) fn edit_to<R: Read + Seek>(
    file: Window<R>,
    writer: &mut impl Write,
    changes: &[Change<'_>],
    store: Store,
    options: &Options,
) -> Result<(), ModelError> {
    let mut reader = File::open(file, options)?;
    let mut done = 0;
    let written = each_chunk(&mut reader, changes, How { store, read_back: true }, |reader, range, chunk| {
        reader.copy(done..range.start, writer)?;
        let mut header = Vec::new();
        generate_into(gen_chunk_header(chunk.header), &mut header)?;
        writer.write_all(&header)?;
        writer.write_all(&chunk.body)?;
        done = range.end;
        Ok(())
    });
    written.map_err(|error| with_enough(&mut reader, error))?;
    let end = reader.length();
    Ok(reader.copy(done..end, writer)?)
}

/// Calls `each` with every chunk that an edit makes, and the part of the file that it replaces, in the order of the file. One
/// chunk is in memory at a time.
fn each_chunk<R: Read + Seek>(
    reader: &mut File<R>,
    changes: &[Change<'_>],
    how: How,
    mut each: impl FnMut(&mut File<R>, Range<u64>, Chunk<Vec<u8>>) -> Result<(), ModelError>,
) -> Result<Vec<Made>, ModelError> {
    let layout = layout(reader)?;
    let mut made = Vec::new();
    // every place is found before anything is written
    for Step { range, work, values } in steps(&layout, changes)? {
        let chunk = match work {
            Work::Change(chunk) => change(reader, &layout, chunk, &values, how, &mut made)?,
            Work::Add(class, kind) => match layout.classes.get(class) {
                Some(class) => Some(add(&mut reader.budget, &layout, class, kind, &values, how, &mut made)?),
                None => None,
            },
        };
        if let Some(chunk) = chunk {
            each(reader, range, chunk)?;
        }
    }
    Ok(made)
}

/// The steps of an edit, in the order of the file.
fn steps<'c>(layout: &Layout, changes: &'c [Change<'_>]) -> Result<Vec<Step<'c>>, ModelError> {
    let mut changed: BTreeMap<u64, Values<'_>> = BTreeMap::new();
    let mut added: BTreeMap<(u32, Kind), Values<'_>> = BTreeMap::new();
    for Change { site, bytes } in changes {
        let (values, index) = match site {
            Site::Value { chunk, index } => (changed.entry(*chunk).or_default(), *index),
            Site::Instance { place, kind } => {
                let class = layout.at(place.offset);
                let index = place.index.filter(|index| class.is_some_and(|class| to_usize(*index) < class.count));
                let (Some(class), Some(index)) = (class, index) else {
                    return Err(ModelError::NoPlace(format!("no instance {place}")));
                };
                match layout.properties.get(&(class.id, *kind)) {
                    Some(chunk) => (changed.entry(chunk.offset).or_default(), index),
                    None => (added.entry((class.id, *kind)).or_default(), index),
                }
            }
            Site::Element { .. } => return Err(ModelError::NoPlace("the file is not in XML".to_owned())),
        };
        if values.insert(index, bytes).is_some() {
            return Err(ModelError::NoPlace("a property is changed twice".to_owned()));
        }
    }
    let mut steps = Vec::new();
    for (offset, values) in changed {
        let place = layout.chunks.binary_search_by_key(&offset, |chunk| chunk.offset).ok();
        let Some(chunk) = place.and_then(|place| layout.chunks.get(place)).copied() else {
            return Err(ModelError::NoPlace(format!("no PROP chunk at byte {offset:#x}")));
        };
        steps.push(Step { range: chunk.offset..chunk.end(), work: Work::Change(chunk), values });
    }
    for ((id, kind), values) in added {
        // a property that is empty everywhere is not added
        if values.values().all(|bytes| bytes.is_empty()) {
            continue;
        }
        if let Some((number, class)) = layout.of(id) {
            let first = class.chunk.end();
            let untyped = layout.untyped.get(&(id, kind)).filter(|chunk| chunk.offset >= first);
            // after all other properties, and after the INST chunk of its class
            let place = layout.end.max(first);
            let range = untyped.map_or(place..place, |chunk| chunk.offset..chunk.end());
            // they do not overlap
            let is_before = |step: &Step<'_>| (step.range.start, step.range.end) <= (range.start, range.end);
            steps.insert(steps.partition_point(is_before), Step { range, work: Work::Add(number, kind), values });
        }
    }
    Ok(steps)
}

/// Reads the layout of a file.
fn layout<R: Read + Seek>(reader: &mut File<R>) -> Result<Layout, ModelError> {
    let mut layout = Layout::default();
    let mut total = 0u32;
    let ended = reader.each_chunk(|reader, chunk| {
        match chunk.header.name {
            ChunkName::INST => {
                let (id, count) = class(reader, chunk)?;
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
                let head = reader.head(chunk)?;
                if let Wanted::Kind(kind) = head.wanted {
                    reader.budget.take(BESIDE)?;
                    if head.has_type {
                        reader.budget.push(&mut layout.chunks, chunk)?;
                        layout.properties.insert((head.class_id, kind), chunk);
                    } else {
                        layout.untyped.insert((head.class_id, kind), chunk);
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

/// About the memory that listing an instance takes, with its property and the tables to find it, in bytes.
const INSTANCE: usize = 256;

/// Adds a limit that is enough to an error of the memory limit. It is enough for listing and for editing the file.
#[cold]
pub(super) fn with_enough<R: Read + Seek>(file: &mut File<R>, error: ModelError) -> ModelError {
    if !matches!(error, ModelError::Memory(_) | ModelError::Chunk { fault: ChunkFault::Memory(_), .. }) {
        return error;
    }
    file.budget = file.options.budget();
    match layout(file).ok().and_then(|layout| enough(&layout, file)) {
        Some(enough) => ModelError::Limit { error: Box::new(error), enough },
        None => error,
    }
}

fn enough<R: Read + Seek>(layout: &Layout, file: &File<R>) -> Option<usize> {
    let lengths = layout.chunks.iter().chain(&layout.shared).map(|chunk| to_usize(chunk.header.length));
    let instances = layout.classes.iter().map(|class| class.count).fold(0, usize::saturating_add);
    let listing = lengths.clone().fold(instances.saturating_mul(INSTANCE), usize::saturating_add);
    let editing = Store::AsBefore.memory(Compression::Zstd, lengths.max().unwrap_or_default());
    let taken = file.budget.limit().saturating_sub(file.options.budget().left());
    // some readers give a file three quarters of their memory
    let needed = listing.max(editing).saturating_add(taken);
    needed.saturating_add(needed / 3).checked_next_power_of_two()
}

/// The number of bytes at the start of an INST chunk's data that usually contain its class and its number of instances.
const HEAD: usize = 256;

/// The id of a class, and the number of its instances. The referents, which can be millions, are unpacked only if the length
/// of the chunk does not match that number.
fn class<R: Read + Seek>(reader: &mut File<R>, chunk: ChunkRef) -> Result<(u32, usize), ModelError> {
    let start = reader.start(chunk, HEAD)?;
    if let Ok((rest, (id, _, is_service, count))) = wire::run(&start[..], inst_head()) {
        let (head, count) = (start.len().saturating_sub(rest.len()), to_usize(count));
        let each = if is_service == 0 { 4 } else { 5 };
        let length = to_u64(head.saturating_add(count.saturating_mul(each)));
        if length == u64::from(chunk.header.length) && length <= reader.options.max_total {
            return Ok((id, count));
        }
    }
    reader.with_data(chunk, |budget, data, _| {
        budget.room_for(data.len()).map_err(|error| chunk.fault(error))?;
        let (_, inst) = wire::run(data, all_consuming(false, inst())).map_err(|error| chunk.fault(error))?;
        Ok((inst.class_id, inst.referents.len()))
    })
}

/// A callback for each value of a chunk, also for those that cannot be read.
type Strings<'s> = dyn FnMut(u32, Result<&BStr, ValueError>) + 's;

/// The values of a PROP chunk.
enum Opened {
    /// Strings, with the changes made: the data of the new chunk, or `None` if nothing changes.
    Done(Option<Vec<u8>>),
    /// The indices of shared strings.
    Shared(Vec<u32>),
}

/// A PROP chunk with other values; `None` if nothing changes.
fn change<R: Read + Seek>(
    reader: &mut File<R>,
    layout: &Layout,
    chunk: ChunkRef,
    changes: &Values<'_>,
    how: How,
    made: &mut Vec<Made>,
) -> Result<Option<Chunk<Vec<u8>>>, ModelError> {
    let nothing = |what: &str| ModelError::NoPlace(format!("the PROP chunk at byte {:#x} {what}", chunk.offset));
    let head = reader.head(chunk)?;
    let (_, class) = layout.of(head.class_id).ok_or_else(|| nothing("belongs to no class"))?;
    let Wanted::Kind(kind) = head.wanted else { return Err(nothing("has another property")) };
    if let Some(index) = changes.keys().find(|index| to_usize(**index) >= class.count) {
        return Err(nothing(&format!("has no value {index}")));
    }
    let before = reader.compression(chunk)?;
    if how.read_back
        && before == Compression::Lz4
        && how.store != Store::Raw
        && let Some(pieces) = reader.pieces(chunk, &head)?
    {
        return change_in_pieces(reader, (class, kind), pieces, changes, made);
    }
    let opened = reader.with_data(chunk, |budget, data, _| {
        let (rest, head) = wire::run(data, prop_head()).map_err(|error| chunk.fault(error))?;
        match rest.first() {
            Some(&STRING) => {
                let strings = |each: &mut Strings<'_>| {
                    let all = values(data, class.count, |index, value| {
                        if let Value::String(bytes, _) = value {
                            each(index, Ok(bytes));
                        }
                    });
                    all.map_err(|error| chunk.fault(error))
                };
                Ok(Opened::Done(changed(budget, (class, kind), &head, rest.len(), strings, changes, made)?))
            }
            Some(&SHARED_STRING) => {
                let size = class.count.saturating_mul(size_of::<u32>());
                budget.room_for(size).map_err(|error| chunk.fault(error))?;
                let mut indices = Vec::with_capacity(class.count.min(data.len()));
                let all = values(data, class.count, |_, value| {
                    if let Value::Shared(index) = value {
                        indices.push(index);
                    }
                });
                all.map_err(|error| chunk.fault(error))?;
                Ok(Opened::Shared(indices))
            }
            _ => Err(nothing("has no strings")),
        }
    })?;
    let data = match opened {
        Opened::Done(data) => data,
        Opened::Shared(indices) => {
            let lost = |index: u32| ModelError::NoPlace(format!("no shared string {index}"));
            let Some(shared) = layout.shared else { return Err(lost(indices.first().copied().unwrap_or_default())) };
            reader.with_data(shared, |budget, data, _| {
                let size = memory(data).saturating_add(indices.len().saturating_mul(size_of::<u32>()));
                budget.take(size).map_err(|error| shared.fault(error))?;
                let (_, sstr) = wire::run(data, all_consuming(false, sstr())).map_err(|error| shared.fault(error))?;
                let string = |index: u32| sstr.strings.get(to_usize(index)).map(|string| &*string.content);
                let lengths = indices.iter().map(|index| string(*index).map_or(0, |string| string.len()));
                let all = lengths.fold(0usize, |all, length| all.saturating_add(length).saturating_add(4));
                let strings = |each: &mut Strings<'_>| {
                    for (index, shared) in (0..).zip(&indices) {
                        match string(*shared) {
                            Some(string) => each(index, Ok(string)),
                            // what is replaced may be broken
                            None if changes.contains_key(&index) => {
                                each(index, Err(ValueError::SharedString(shared.to_string().into())));
                            }
                            None => return Err(lost(*shared)),
                        }
                    }
                    Ok(())
                };
                let head = PropHead { class_id: class.id, name: kind.name().into() };
                let data = changed(budget, (class, kind), &head, all, strings, changes, made)?;
                budget.give_back(size);
                Ok(data)
            })?
        }
    };
    data.map(|data| packed(&mut reader.budget, data, before, how)).transpose()
}

/// The number of bytes that are packed at once.
const PIECE: usize = 1 << 18;

/// As [`change`], of a chunk that is an LZ4 block, piece by piece. What was packed is unpacked again and compared.
fn change_in_pieces<R: Read + Seek>(
    reader: &mut File<R>,
    (class, kind): (&Class, Kind),
    pieces: Pieces,
    changes: &Values<'_>,
    made: &mut Vec<Made>,
) -> Result<Option<Chunk<Vec<u8>>>, ModelError> {
    let (chunk, unchanged) = (pieces.chunk, made.len());
    let new = changes.values().fold(PIECE, |size, new| size.saturating_add(new.len()));
    let size = to_usize(chunk.header.stored_length()).saturating_add(new);
    reader.budget.room_for(size.saturating_add(new))?;
    let (mut packer, mut piece) = (Packer::with_capacity(size), Vec::new());
    let (mut length, mut hash) = (0u64, XxHash64::with_seed(0));
    let mut add = |piece: &mut Vec<u8>| {
        length = length.saturating_add(to_u64(piece.len()));
        hash.write(piece);
        packer.add(piece);
        piece.clear();
    };
    generate_into(gen_prop_head(&PropHead { class_id: class.id, name: kind.name().into() }), &mut piece)?;
    piece.push(STRING);
    reader.each_string(pieces, class.count, |_, index, old, _| {
        let new = changes.get(&index).map_or(old, |new| new.as_bstr());
        if old != new {
            made.push(Made::new(class.first.saturating_add(index), kind, &kind.content(old), new));
        }
        generate_into(gen_length_prefixed::<Le, _>(new), &mut piece)?;
        if piece.len() >= PIECE {
            add(&mut piece);
        }
        Ok(())
    })?;
    add(&mut piece);
    if made.len() == unchanged {
        return Ok(None);
    }
    let (body, expected) = (packer.finish(), hash.finish());
    let too_long = |_| EncodeError::new(std::iter::empty().collect(), EncodeFault::TooLong);
    let length = u32::try_from(length).map_err(too_long)?;
    let compressed_length = u32::try_from(body.len()).map_err(too_long)?;
    let header = ChunkHeader { name: ChunkName::PROP, compressed_length, length };
    let mut hash = XxHash64::with_seed(0);
    let again = Pieces::new(ChunkRef { offset: 0, header }, Compression::Lz4).map(Pieces::alone);
    let again = again.map(|mut again| again.each(&mut Window::open(Cursor::new(&body))?, |piece| hash.write(piece)));
    match again {
        Some(Ok(())) if hash.finish() == expected => Ok(Some(Chunk { header, body })),
        _ => Err(ModelError::NotOnly),
    }
}

/// The data of a PROP chunk with the changes made; `None` if nothing changes. `strings` passes on the existing values,
/// which take `size` bytes with their lengths.
fn changed(
    budget: &mut Budget,
    (class, kind): (&Class, Kind),
    head: &PropHead<'_>,
    size: usize,
    strings: impl FnOnce(&mut Strings<'_>) -> Result<(), ModelError>,
    changes: &Values<'_>,
    made: &mut Vec<Made>,
) -> Result<Option<Vec<u8>>, ModelError> {
    let unchanged = made.len();
    let size = changes.values().fold(size, |size, new| size.saturating_add(new.len()));
    budget.room_for(size)?;
    let data = string_data(head, size, |each| {
        strings(&mut |index, old| {
            let new = changes.get(&index).map(|new| new.as_bstr());
            let new = new.or(old.as_ref().ok().copied()).unwrap_or_default();
            if !old.as_ref().is_ok_and(|old| *old == new) {
                let old = old.and_then(|old| kind.content(old));
                made.push(Made::new(class.first.saturating_add(index), kind, &old, new));
            }
            each(new);
        })
    })?;
    Ok((made.len() > unchanged).then_some(data))
}

/// A new PROP chunk.
fn add(
    budget: &mut Budget,
    layout: &Layout,
    class: &Class,
    kind: Kind,
    values: &Values<'_>,
    how: How,
    made: &mut Vec<Made>,
) -> Result<Chunk<Vec<u8>>, ModelError> {
    let count = u32::try_from(class.count).unwrap_or(u32::MAX);
    let none = kind.stored(ByteString::from(BStr::new(kind.none())));
    let bytes_of = |index: u32| values.get(&index).copied().unwrap_or(none.as_ref()).as_bstr();
    let mut size = 0usize;
    for index in 0..count {
        let bytes = bytes_of(index);
        if !bytes.is_empty() {
            budget.push(made, Made::new(class.first.saturating_add(index), kind, &Ok(BStr::new("")), bytes))?;
        }
        size = size.saturating_add(bytes.len()).saturating_add(4);
    }
    budget.room_for(size)?;
    let head = PropHead { class_id: class.id, name: kind.name().into() };
    let data = string_data(&head, size, |each| {
        (0..count).for_each(|index| each(bytes_of(index)));
        Ok(())
    })?;
    packed(budget, data, layout.compression.unwrap_or(Compression::Lz4), how)
}

/// The data of a PROP chunk of strings that `strings` hands on. With their lengths, they take at most `size` bytes.
fn string_data(
    head: &PropHead<'_>,
    size: usize,
    strings: impl FnOnce(&mut dyn FnMut(&BStr)) -> Result<(), ModelError>,
) -> Result<Vec<u8>, ModelError> {
    // before them come the id of the class, the name with its length, and the value type
    let mut data = Vec::with_capacity(size.saturating_add(head.name.len()).saturating_add(9));
    generate_into(gen_prop_head(head), &mut data)?;
    data.push(STRING);
    let mut done = Ok(());
    strings(&mut |string| {
        if done.is_ok() {
            done = generate_into(gen_length_prefixed::<Le, _>(string), &mut data);
        }
    })?;
    done?;
    Ok(data)
}

/// A PROP chunk with this data. It replaces a chunk that had the compression `before`.
fn packed(budget: &mut Budget, data: Vec<u8>, before: Compression, how: How) -> Result<Chunk<Vec<u8>>, ModelError> {
    budget.room_for(how.store.memory(before, data.len()))?;
    let expected = how.read_back.then(|| hash(&data));
    let chunk = how.store.pack(ChunkName::PROP, data, before)?;
    if chunk.header.compressed_length > 0 {
        let unpacked = expected.map(|expected| unpack(&chunk, usize::MAX).is_ok_and(|data| hash(&data) == expected));
        if unpacked == Some(false) {
            return Err(ModelError::NotOnly);
        }
    }
    Ok(chunk)
}

fn hash(data: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    hasher.finish()
}
