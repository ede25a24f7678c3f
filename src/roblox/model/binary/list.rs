//! What a binary file has, found without decompressing what is not asked for.

use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::HashMap;
use std::io::{Cursor, Read, Seek};
use std::ops::RangeInclusive;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use nom::Parser;

use super::chunk::{chunk_header, Chunk, ChunkHeader, ChunkName};
use super::header::{header, Header};
use super::inst::inst;
use super::prnt::prnt;
use super::prop::{prop_head, value_type, PropHead, SHARED_STRING, STRING};
use super::referents::interleaved;
use super::sstr::sstr;
use super::storage::{ends_in_zeros, plain_start, unpack_start, unpack_to, Compression, UnpackError, START};
use crate::error::{DecodeError, Fault, Segment};
use crate::roblox::model::error::{ChunkFault, ModelError, ValueError};
use crate::roblox::model::listing::{BinaryPlace, Instance, Kind, Listing, Place, Property, Referent};
use crate::roblox::model::options::Options;
use crate::roblox::model::window::Window;
use crate::wire::{self, field, item, length_prefixed, to_u64, to_usize, uint32, whole, Le, Source, Traceback};

/// Bytes that the header of a file takes.
const HEADER: u64 = 32;

/// A chunk that was passed by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    pub(super) offset: u64,
    pub(super) header: ChunkHeader,
}

/// How many classes a file may claim to have before room is made for each as it comes.
const CLASSES: usize = 256;

/// As much of a body as mostly tells what it is of.
const GLIMPSE: usize = 64;

/// A file, and how much of it was unpacked.
pub(super) struct File<R> {
    window: Window<R>,
    header: Header,
    /// Room for the data of the next chunk: there may be many classes.
    spare: Vec<u8>,
    unpacked: u64,
    pub(super) options: Options,
}

impl<R: Read + Seek> File<R> {
    /// The file, and its header.
    pub(super) fn open(mut window: Window<R>, options: &Options) -> Result<Self, ModelError> {
        let head = window.view(0, HEADER)?;
        let (_, header) = wire::run(head, header::<_, Traceback<&[u8]>>(options.any_reserved))?;
        if header.version != 0 && !options.any_reserved {
            let fault = Fault::Other(format!("version {} is unknown", header.version));
            return Err(at(14, [Segment::Field("version")], fault).into());
        }
        Ok(File { window, header, spare: Vec::new(), unpacked: 0, options: *options })
    }

    /// Goes through the headers of the chunks; the first error is the last there is.
    pub(super) fn each_chunk(
        &mut self,
        mut work: impl FnMut(&mut Self, Passed) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        let mut offset = HEADER;
        for index in 0usize.. {
            if offset == self.window.length() {
                return Err(ModelError::NoEnd { offset });
            }
            let any = self.options.any_reserved;
            let head = self.window.view(offset, to_u64(ChunkHeader::SIZE))?;
            let parser = field("chunks", item(index, chunk_header::<_, Traceback<&[u8]>>(any)));
            let (_, header) = wire::run(head, parser).map_err(|error| error.shifted(offset))?;
            let body = offset.saturating_add(to_u64(ChunkHeader::SIZE));
            let [needed, left] = [header.stored_length().into(), self.window.length().saturating_sub(body)];
            if needed > left {
                let path = [Segment::Field("chunks"), Segment::Index(index), Segment::Field("body")];
                return Err(at(body, path, Fault::Truncated { needed, left }).into());
            }
            work(self, Passed { offset, header })?;
            offset = body.saturating_add(needed);
            if header.name == ChunkName::END {
                break;
            }
        }
        if offset < self.window.length() && !self.options.trailing_bytes {
            return Err(ModelError::Trailing { offset });
        }
        Ok(())
    }

    /// The data of a chunk, and how it is stored.
    pub(super) fn data(&mut self, chunk: Passed) -> Result<(Vec<u8>, Compression), ModelError> {
        let header = chunk.header;
        let length = u64::from(header.length);
        let Options { max_chunk: limit, max_total, .. } = self.options;
        if header.compressed_length != 0 && length > to_u64(limit) {
            return Err(chunk.fault(UnpackError::TooLarge { length, limit: to_u64(limit) }));
        }
        let unpacked = self.unpacked.saturating_add(length);
        if unpacked > max_total {
            return Err(chunk.fault(ChunkFault::TooMuch { limit: max_total }));
        }
        let mut data = std::mem::take(&mut self.spare);
        let body = self.window.view(chunk.body(), header.stored_length().into())?;
        let compression = Compression::of(&header, body);
        unpack_to(&Chunk { header, body }, limit, &mut data).map_err(|fault| chunk.fault(fault))?;
        // what is only claimed does not count
        self.unpacked = unpacked;
        Ok((data, compression))
    }

    /// How the data of a PROP chunk begins; `None` if its property is not wanted.
    #[inline]
    pub(super) fn head(&mut self, chunk: Passed) -> Result<Option<Head>, ModelError> {
        if let Some(head) = Head::of(self.glimpse(chunk)?, chunk.header.length) {
            return Ok(head);
        }
        let stored = u64::from(chunk.header.stored_length());
        let body = self.window.view(chunk.body(), stored.min(START.into()))?;
        if let Some(head) = Head::of(&unpack_start(&chunk.header, body, Head::LONGEST), chunk.header.length) {
            return Ok(head);
        }
        // something is wrong with it, which is told by unpacking all of it
        let (data, _) = self.data(chunk)?;
        wire::run(&data[..], prop_head()).map_err(|error| chunk.fault(error))?;
        Ok(Head::of(&data, chunk.header.length).flatten())
    }

    /// How the data of a chunk begins, as far as its first bytes tell.
    #[inline]
    fn glimpse(&mut self, chunk: Passed) -> Result<&[u8], ModelError> {
        let stored = u64::from(chunk.header.stored_length());
        let body = self.window.view(chunk.body(), stored.min(to_u64(GLIMPSE)))?;
        Ok(plain_start(&chunk.header, body))
    }

    /// Whether the values of a PROP chunk are no more than lengths of 0, seen without unpacking them.
    fn is_empty(&mut self, chunk: Passed, head: &Head) -> Result<bool, ModelError> {
        let body = self.window.view(chunk.body(), chunk.header.stored_length().into())?;
        Ok(ends_in_zeros(&chunk.header, body, head.values))
    }
}

/// How the data of a PROP chunk begins.
pub(super) struct Head {
    pub(super) class_id: u32,
    pub(super) wanted: Wanted,
    value_type: Option<u8>,
    /// The bytes that follow.
    values: usize,
}

impl Head {
    /// The most bytes that it takes: the class, the length of the name, the name, and the type.
    const LONGEST: usize = Kind::LONGEST + 9;

    /// What it says at the start of data of this length, or that it is not wanted; `None` if `start` is too short to know.
    #[inline]
    fn of(start: &[u8], length: u32) -> Option<Option<Self>> {
        let mut numbers = (uint32::<Le, _, ()>(), uint32::<Le, _, ()>());
        let (rest, (class_id, name_length)) = numbers.parse_complete(start).ok()?;
        if to_usize(name_length) > Kind::LONGEST {
            return Some(None);
        }
        let (name, rest) = rest.split_at_checked(to_usize(name_length))?;
        let Some(wanted) = Wanted::of(name) else { return Some(None) };
        let values = length.checked_sub(name_length.saturating_add(9));
        let value_type = rest.first().copied();
        if value_type.is_none() && values.is_some() {
            return None;
        }
        Some(Some(Head { class_id, wanted, value_type, values: values.map_or(0, to_usize) }))
    }

    /// Whether each of the values may be a string without bytes, which takes 4 for its length.
    fn may_be_empty(&self, count: usize) -> bool {
        self.value_type == Some(STRING) && self.values == count.saturating_mul(4)
    }
}

/// A property whose values are looked at.
pub(super) enum Wanted {
    Kind(Kind),
    /// The name of an instance.
    Name,
}

impl Wanted {
    #[inline]
    fn of(name: &[u8]) -> Option<Self> {
        match Kind::of(name) {
            Some(kind) => Some(Wanted::Kind(kind)),
            None => (name == b"Name").then_some(Wanted::Name),
        }
    }
}

fn at(offset: u64, path: impl IntoIterator<Item = Segment>, fault: Fault) -> DecodeError {
    DecodeError::new(offset.into(), path.into_iter().collect(), fault)
}

impl Passed {
    /// Where its body begins in the file.
    fn body(self) -> u64 {
        self.offset.saturating_add(to_u64(ChunkHeader::SIZE))
    }

    pub(super) fn fault(self, fault: impl Into<ChunkFault>) -> ModelError {
        ModelError::Chunk { name: self.header.name, offset: self.offset, fault: fault.into() }
    }

    fn place(self, property: u64, index: u32, compression: Compression, offset: u64) -> Place {
        Place::Binary(BinaryPlace { property, index, chunk: self.offset, header: self.header, compression, offset })
    }
}

/// The instances of a class.
struct Class {
    id: u32,
    name: BString,
    referents: Vec<i32>,
    /// The chunk with their names.
    names: Option<Passed>,
}

/// A property as it was found.
struct Found {
    class: usize,
    index: u32,
    kind: Kind,
    place: Place,
    bytes: Result<BString, ValueError>,
}

#[derive(Default)]
struct Lister {
    classes: Vec<Class>,
    /// Where a class is among them, by its number.
    numbers: BTreeMap<u32, usize>,
    /// The one that was asked for last.
    latest: usize,
    found: Vec<Found>,
    shared: Option<Passed>,
    parents: Option<Passed>,
    problems: Vec<ModelError>,
}

/// What a file has.
pub(in crate::roblox::model) fn list<R: Read + Seek>(
    file: Window<R>,
    options: &Options,
) -> Result<Listing, ModelError> {
    let mut file = File::open(file, options)?;
    let mut lister = Lister::default();
    lister.classes.reserve_exact(usize::try_from(file.header.class_count).unwrap_or_default().min(CLASSES));
    let ended = file.each_chunk(|file, chunk| lister.chunk(file, chunk));
    lister.settle(ended)?;
    lister.finish(&mut file)
}

impl Lister {
    /// Keeps an error for later, unless it is one of reading.
    #[inline]
    fn settle(&mut self, done: Result<(), ModelError>) -> Result<(), ModelError> {
        match done {
            Err(error @ ModelError::Io(_)) => Err(error),
            Err(error) => {
                self.problems.push(error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    #[inline]
    fn chunk<R: Read + Seek>(&mut self, file: &mut File<R>, chunk: Passed) -> Result<(), ModelError> {
        // most are properties that are not wanted
        if chunk.header.name == ChunkName::PROP {
            if let Some(None) = Head::of(file.glimpse(chunk)?, chunk.header.length) {
                return Ok(());
            }
        }
        self.wanted(file, chunk)
    }

    #[inline(never)]
    fn wanted<R: Read + Seek>(&mut self, file: &mut File<R>, chunk: Passed) -> Result<(), ModelError> {
        let done = match chunk.header.name {
            ChunkName::INST => self.inst(file, chunk),
            ChunkName::PROP => self.prop(file, chunk),
            ChunkName::SSTR => {
                self.shared = Some(chunk);
                Ok(())
            }
            ChunkName::PRNT => {
                self.parents = Some(chunk);
                Ok(())
            }
            _ => Ok(()),
        };
        self.settle(done)
    }

    fn inst<R: Read + Seek>(&mut self, file: &mut File<R>, chunk: Passed) -> Result<(), ModelError> {
        let (data, _) = file.data(chunk)?;
        let (_, inst) = wire::run(&data[..], whole(false, inst())).map_err(|error| chunk.fault(error))?;
        match self.numbers.entry(inst.class_id) {
            Entry::Occupied(_) => return Err(chunk.fault(ChunkFault::DuplicateClass(inst.class_id))),
            Entry::Vacant(place) => place.insert(self.classes.len()),
        };
        let name = inst.class_name.into_owned();
        self.classes.push(Class { id: inst.class_id, name, referents: inst.referents, names: None });
        file.spare = data;
        Ok(())
    }

    fn prop<R: Read + Seek>(&mut self, file: &mut File<R>, chunk: Passed) -> Result<(), ModelError> {
        let Some(head) = file.head(chunk)? else { return Ok(()) };
        let Some(class) = self.class(head.class_id) else {
            return Err(chunk.fault(ChunkFault::UnknownClass(head.class_id)));
        };
        let count = self.classes.get(class).map_or(0, |class| class.referents.len());
        match head.wanted {
            // so it is of nearly all classes
            Wanted::Kind(_) if !file.options.empty && head.may_be_empty(count) && file.is_empty(chunk, &head)? => {
                Ok(())
            }
            Wanted::Kind(kind) => self.values(file, chunk, class, kind),
            Wanted::Name => {
                if let Some(class) = self.classes.get_mut(class) {
                    class.names = Some(chunk);
                }
                Ok(())
            }
        }
    }

    /// Where a class is among them: mostly the same as before, or the next one.
    fn class(&mut self, id: u32) -> Option<usize> {
        let mut near = (self.latest..).zip(self.classes.iter().skip(self.latest).take(2));
        let near = near.find(|(_, class)| class.id == id).map(|(index, _)| index);
        self.latest = near.or_else(|| self.numbers.get(&id).copied())?;
        Some(self.latest)
    }

    /// Takes the values of a property.
    fn values<R: Read + Seek>(
        &mut self,
        file: &mut File<R>,
        chunk: Passed,
        class: usize,
        kind: Kind,
    ) -> Result<(), ModelError> {
        let count = self.classes.get(class).map_or(0, |class| class.referents.len());
        let Options { empty: with_empty, max_items: limit, .. } = file.options;
        let (data, compression) = file.data(chunk)?;
        let found = &mut self.found;
        let before = found.len();
        let mut is_full = false;
        let done = values(&data, count, |index, value| match value {
            Value::String(bytes, offset) => {
                let is_wanted = with_empty || !bytes.is_empty();
                is_full |= is_wanted && found.len() == limit;
                if is_wanted && found.len() < limit {
                    let place = chunk.place(chunk.offset, index, compression, offset);
                    found.push(Found { class, index, kind, place, bytes: Ok(bytes.to_owned()) });
                }
            }
            Value::Shared(_) if found.len() == limit => is_full = true,
            // the string takes its place at the end
            Value::Shared(string) => {
                let place = chunk.place(chunk.offset, index, compression, string.into());
                let bytes = Err(ValueError::SharedString(string.to_string().into()));
                found.push(Found { class, index, kind, place, bytes });
            }
        });
        if let Err(error) = done {
            // whatever it has, it is not what it seems to be
            found.truncate(before);
            return Err(chunk.fault(error));
        }
        if is_full {
            return Err(ModelError::TooMany { limit });
        }
        Ok(())
    }

    fn finish<R: Read + Seek>(mut self, file: &mut File<R>) -> Result<Listing, ModelError> {
        let done = self.share(file);
        self.settle(done)?;
        let mut tree = Tree::new(file.options.max_items);
        let mut properties = Vec::new();
        for Found { class, index, kind, place, bytes } in std::mem::take(&mut self.found) {
            let referent = self.classes.get(class).and_then(|class| class.referents.get(to_usize(index)).copied());
            let instance = tree.instance(referent.unwrap_or_default());
            // there are no more of them than properties
            if let Some(instance) = instance {
                properties.push(Property { instance, kind, place, bytes });
            }
        }
        if file.options.all_instances {
            self.classes.iter().flat_map(|class| &class.referents).for_each(|referent| {
                tree.instance(*referent);
            });
        }
        if !tree.instances.is_empty() {
            if let Some(chunk) = self.parents {
                let done = tree.climb(file, chunk);
                self.settle(done)?;
            }
            for class in &self.classes {
                let done = tree.name(file, class);
                match done {
                    Err(error @ ModelError::Io(_)) => return Err(error),
                    Err(error) => self.problems.push(error),
                    Ok(()) => {}
                }
            }
        }
        if tree.is_full {
            self.problems.push(ModelError::TooMany { limit: tree.limit });
        }
        Ok(Listing { instances: tree.instances, properties, problems: self.problems })
    }

    /// Gives the properties whose strings are shared their bytes.
    fn share<R: Read + Seek>(&mut self, file: &mut File<R>) -> Result<(), ModelError> {
        let with_empty = file.options.empty;
        let Some(chunk) = self.shared.filter(|_| self.found.iter().any(|found| found.bytes.is_err())) else {
            return Ok(());
        };
        let (data, compression) = file.data(chunk)?;
        let (_, shared) = wire::run(&data[..], whole(false, sstr())).map_err(|error| chunk.fault(error))?;
        for found in &mut self.found {
            let Place::Binary(place) = &found.place else { continue };
            if let (Err(_), Some(string)) = (&found.bytes, shared.strings.get(to_usize(place.offset))) {
                let bytes: &[u8] = &string.content;
                let offset = bytes.as_bytes();
                let offset = (&offset).offset_from(&&data[..]).byte();
                found.place = chunk.place(place.property, place.index, compression, offset);
                found.bytes = Ok(bytes.into());
            }
        }
        self.found.retain(|found| with_empty || !found.bytes.as_ref().is_ok_and(|bytes| bytes.is_empty()));
        Ok(())
    }
}

/// A value of a property.
pub(super) enum Value<'a> {
    /// A string, and where its first byte is in the data.
    String(&'a BStr, u64),
    /// The index of a shared string.
    Shared(u32),
}

/// Goes through the values of a property of `count` instances. One of another type has none, and so has one without a
/// type.
pub(super) fn values<'a>(
    data: &'a [u8],
    count: usize,
    mut each: impl FnMut(u32, Value<'a>),
) -> Result<(), DecodeError> {
    let start = data;
    let located = |error: DecodeError, rest: &&[u8]| error.shifted(rest.offset_from(&start).byte());
    let (rest, _) = wire::run(data, prop_head())?;
    if rest.is_empty() {
        return Ok(());
    }
    let behind = rest;
    let (mut rest, value_type) =
        wire::run(rest, field("value_type", value_type())).map_err(|error| located(error, &behind))?;
    match value_type {
        STRING => {
            for index in 0..count {
                let before = rest;
                let string = field("values", item(index, length_prefixed::<Le, _, Traceback<&[u8]>>()));
                let (after, bytes) = wire::run(before, string).map_err(|error| located(error, &before))?;
                let offset = to_u64(start.len().saturating_sub(after.len()).saturating_sub(bytes.len()));
                each(u32::try_from(index).unwrap_or(u32::MAX), Value::String(bytes, offset));
                rest = after;
            }
        }
        SHARED_STRING => {
            let before = rest;
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            let indices = field("values", interleaved::<_, Traceback<&[u8]>>(count));
            let (after, indices) = wire::run(before, indices).map_err(|error| located(error, &before))?;
            (0..).zip(indices).for_each(|(index, string)| each(index, Value::Shared(string)));
            rest = after;
        }
        _ => return Ok(()),
    }
    if rest.is_empty() {
        return Ok(());
    }
    Err(at(rest.offset_from(&start).byte(), [], Fault::Trailing))
}

/// The instances that are wanted, and those above them.
struct Tree {
    instances: Vec<Instance>,
    /// Where an instance is among them, by its number.
    places: HashMap<i32, usize>,
    /// Between which of the numbers all of them lie.
    range: RangeInclusive<i32>,
    /// How many there may be.
    limit: usize,
    /// Whether there are more.
    is_full: bool,
}

impl Tree {
    fn new(limit: usize) -> Self {
        // of none yet
        let range = RangeInclusive::new(i32::MAX, i32::MIN);
        Tree { instances: Vec::new(), places: HashMap::new(), range, limit, is_full: false }
    }

    /// Where an instance is, which becomes one of them if there is room.
    fn instance(&mut self, referent: i32) -> Option<usize> {
        let count = self.instances.len();
        if let Some(place) = self.places.get(&referent) {
            return Some(*place);
        }
        if count >= self.limit {
            self.is_full = true;
            return None;
        }
        self.places.insert(referent, count);
        self.range = *self.range.start().min(&referent)..=*self.range.end().max(&referent);
        let referent = Referent::Number(referent);
        self.instances.push(Instance { class: Arc::default(), referent, name: BString::default(), parent: None });
        Some(count)
    }

    /// Finds the parents of all instances, and theirs.
    fn climb<R: Read + Seek>(&mut self, file: &mut File<R>, chunk: Passed) -> Result<(), ModelError> {
        let (data, _) = file.data(chunk)?;
        let (_, prnt) = wire::run(&data[..], whole(false, prnt())).map_err(|error| chunk.fault(error))?;
        drop(data);
        let mut parents: Vec<(i32, i32)> = prnt.children.into_iter().zip(prnt.parents).collect();
        parents.sort_unstable();
        let mut index = 0usize;
        while let Some(Referent::Number(child)) = self.instances.get(index).map(|instance| &instance.referent) {
            let found = parents.binary_search_by_key(child, |(child, _)| *child).ok();
            let parent = found.and_then(|found| parents.get(found)).map(|(_, parent)| *parent);
            if let Some(parent) = parent.filter(|parent| *parent != -1) {
                let parent = self.instance(parent);
                if let Some(instance) = self.instances.get_mut(index) {
                    instance.parent = parent;
                }
            }
            index = index.saturating_add(1);
        }
        Ok(())
    }

    /// Gives the instances of a class their names.
    fn name<R: Read + Seek>(&mut self, file: &mut File<R>, class: &Class) -> Result<(), ModelError> {
        let mut name = None;
        let mut wanted = Vec::new();
        for (index, referent) in class.referents.iter().enumerate() {
            // most are none of them, which is told sooner by this
            if !self.range.contains(referent) {
                continue;
            }
            let Some(place) = self.places.get(referent).copied() else { continue };
            if let Some(instance) = self.instances.get_mut(place) {
                instance.class = name.get_or_insert_with(|| Arc::new(class.name.clone())).clone();
                wanted.push((index, place));
            }
        }
        let Some(chunk) = class.names.filter(|_| !wanted.is_empty()) else { return Ok(()) };
        let (data, _) = file.data(chunk)?;
        let mut wanted = wanted.into_iter().peekable();
        let done = values(&data, class.referents.len(), |index, value| {
            let Some((_, place)) = wanted.next_if(|(wanted, _)| *wanted == to_usize(index)) else { return };
            if let (Value::String(name, _), Some(instance)) = (value, self.instances.get_mut(place)) {
                instance.name = name.to_owned();
            }
        });
        done.map_err(|error| chunk.fault(error))
    }
}

/// What a PROP chunk has, for those who change it.
pub(super) struct Opened<'a> {
    pub(super) head: PropHead<'a>,
    pub(super) values: Vec<Value<'a>>,
    /// Whether it has a type that can be changed.
    pub(super) is_strings: bool,
}

/// The values of a property of any number of instances.
pub(super) fn opened(data: &[u8], count: usize) -> Result<Opened<'_>, DecodeError> {
    let (rest, head) = wire::run(data, prop_head())?;
    let is_strings = matches!(rest.first(), Some(&STRING | &SHARED_STRING));
    let mut found = Vec::new();
    values(data, count, |_, value| found.push(value))?;
    Ok(Opened { head, values: found, is_strings })
}

/// A file in memory.
pub(super) fn in_memory<'f>(bytes: &'f [u8], options: &Options) -> Result<File<Cursor<&'f [u8]>>, ModelError> {
    File::open(Window::open(Cursor::new(bytes))?, options)
}
