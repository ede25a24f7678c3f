//! What a binary file has, found without decompressing what is not asked for.

use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::HashSet;
use std::io::{Read, Seek};

use bstr::{BStr, ByteSlice};

use super::chunk::{ChunkName, ChunkRef};
use super::file::{at, File, Head, Wanted};
use super::inst::inst;
use super::prnt::prnt;
use super::prop::{prop_head, value_type, SHARED_STRING, STRING};
use super::referents::interleaved;
use super::sstr::{sstr, SharedString};
use crate::budget::{Budget, OverBudget};
use crate::error::{DecodeError, Fault};
use crate::roblox::model::error::{ChunkFault, ModelError};
use crate::roblox::model::listing::{
    Kind, Listing, StoredBytes, StoredInstance, StoredPlace, StoredProperty, StoredReferent, Text, NONE,
};
use crate::roblox::model::options::Options;
use crate::roblox::model::window::Window;
use crate::roblox::model::FileKind;
use crate::wire::{self, all_consuming, field, item, length_prefixed, to_u64, to_usize, Le, Source, Traceback};

/// How many classes a file may claim to have before room is made for each as it comes.
const CLASSES: usize = 256;

/// About what a class takes in a map, and a problem beside its place in the list.
const BESIDE: usize = 256;

/// The instances of a class.
struct Class {
    id: u32,
    /// Its INST chunk.
    chunk: ChunkRef,
    name: Text,
    referents: Vec<i32>,
    /// How many instances come before these in the file.
    first: u32,
    /// The chunk with their names.
    names: Option<ChunkRef>,
}

#[derive(Default)]
struct Lister {
    classes: Vec<Class>,
    /// Where a class is among them, by its number.
    numbers: BTreeMap<u32, usize>,
    /// The one that was asked for last.
    latest: usize,
    /// How many instances there are.
    total: u32,
    /// Until all instances are known, a property has the number of its instance in the file.
    listing: Listing,
    /// Whether a property is a shared string.
    is_shared: bool,
    /// Whether there is no memory for more.
    is_full: bool,
    shared: Option<ChunkRef>,
    parents: Option<ChunkRef>,
}

/// What a file has.
pub(in crate::roblox::model) fn list<R: Read + Seek>(
    file: Window<R>,
    options: &Options,
) -> Result<Listing, ModelError> {
    let mut file = File::open(file, options)?;
    let mut lister = Lister { listing: Listing::new(FileKind::Binary), ..Lister::default() };
    lister.classes.reserve_exact(file.class_count().min(CLASSES));
    let ended = file.each_chunk(|file, chunk| lister.chunk(file, chunk));
    lister.settle(&mut file.budget, ended)?;
    lister.finish(&mut file)
}

impl Lister {
    /// Keeps an error for later, unless it is one of reading. Where there is no memory for more errors, one says so.
    #[inline]
    fn settle(&mut self, budget: &mut Budget, done: Result<(), ModelError>) -> Result<(), ModelError> {
        match done {
            Err(error @ ModelError::Io(_)) => Err(error),
            Err(error) => {
                self.keep(budget, error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    #[cold]
    fn keep(&mut self, budget: &mut Budget, error: ModelError) {
        if self.is_full {
            return;
        }
        let problems = &mut self.listing.problems;
        let size = size_of::<ModelError>().saturating_add(BESIDE);
        match budget.take(size.saturating_mul(2)) {
            Ok(()) => problems.push(error),
            Err(full) => {
                self.is_full = true;
                problems.push(full.into());
            }
        }
    }

    #[inline]
    fn chunk<R: Read + Seek>(&mut self, file: &mut File<R>, chunk: ChunkRef) -> Result<(), ModelError> {
        // most are properties that are not wanted
        if chunk.header.name == ChunkName::PROP {
            if let Some(None) = Head::of(file.peek(chunk)?, chunk.header.length) {
                return Ok(());
            }
        }
        self.wanted(file, chunk)
    }

    #[inline(never)]
    fn wanted<R: Read + Seek>(&mut self, file: &mut File<R>, chunk: ChunkRef) -> Result<(), ModelError> {
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
        self.settle(&mut file.budget, done)?;
        // nothing more would be found
        if self.is_full {
            return Err(file.budget.exceeded().into());
        }
        Ok(())
    }

    fn inst<R: Read + Seek>(&mut self, file: &mut File<R>, chunk: ChunkRef) -> Result<(), ModelError> {
        file.with_data(chunk, |budget, data, _| {
            // four bytes of referents for each instance, and they are not kept in what has them
            budget.room_for(data.len()).map_err(|error| chunk.fault(error))?;
            let (_, inst) = wire::run(data, all_consuming(false, inst())).map_err(|error| chunk.fault(error))?;
            let total = u32::try_from(inst.referents.len()).ok().and_then(|count| self.total.checked_add(count));
            let total = total.filter(|total| *total != NONE).ok_or(OverBudget { limit: to_usize(NONE) });
            let total = total.map_err(|error| chunk.fault(error))?;
            match self.numbers.entry(inst.class_id) {
                Entry::Occupied(_) => return Err(chunk.fault(ChunkFault::DuplicateClass(inst.class_id))),
                Entry::Vacant(place) => place.insert(self.classes.len()),
            };
            let (id, first, referents) = (inst.class_id, self.total, inst.referents);
            let mut keep = || {
                let taken = referents.capacity().saturating_mul(size_of::<i32>()).saturating_add(BESIDE);
                budget.take(taken)?;
                let name = self.listing.keep(budget, &inst.class_name)?;
                budget.push(&mut self.classes, Class { id, chunk, name, referents: Vec::new(), first, names: None })
            };
            if let Err(error) = keep() {
                self.numbers.remove(&id);
                return Err(chunk.fault(error));
            }
            if let Some(class) = self.classes.last_mut() {
                class.referents = referents;
            }
            self.total = total;
            Ok(())
        })
    }

    fn prop<R: Read + Seek>(&mut self, file: &mut File<R>, chunk: ChunkRef) -> Result<(), ModelError> {
        let Some(head) = file.head(chunk)? else { return Ok(()) };
        let Some(index) = self.class(head.class_id) else {
            return Err(chunk.fault(ChunkFault::UnknownClass(head.class_id)));
        };
        let Some(class) = self.classes.get_mut(index) else { return Ok(()) };
        let (count, first) = (class.referents.len(), class.first);
        match head.wanted {
            // so it is of nearly all classes
            Wanted::Kind(_) if !file.options.empty && head.may_be_empty(count) && file.is_empty(chunk, &head)? => {
                Ok(())
            }
            Wanted::Kind(kind) => self.values(file, chunk, (count, first), kind),
            Wanted::Name => {
                class.names = Some(chunk);
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

    /// Takes the values of a property of so many instances, of which the first has such a number.
    fn values<R: Read + Seek>(
        &mut self,
        file: &mut File<R>,
        chunk: ChunkRef,
        (count, first): (usize, u32),
        kind: Kind,
    ) -> Result<(), ModelError> {
        let with_empty = file.options.empty;
        let (listing, is_shared) = (&mut self.listing, &mut self.is_shared);
        file.with_data(chunk, |budget, data, compression| {
            // indices of shared strings take as much as the data
            budget.room_for(data.len()).map_err(|error| chunk.fault(error))?;
            let is_wanted = |value: &Value<'_>| match value {
                Value::String(bytes, _) => with_empty || !bytes.is_empty(),
                Value::Shared(_) => true,
            };
            // a chunk that is broken anywhere is not what it seems to be
            let (mut found, mut size) = (0usize, 0usize);
            let counted = values(data, count, |_, value| {
                found = found.saturating_add(usize::from(is_wanted(&value)));
                size = size.saturating_add(if let Value::String(bytes, _) = value { bytes.len() } else { 0 });
            });
            counted.map_err(|error| chunk.fault(error))?;
            if found == 0 {
                return Ok(());
            }
            let mut add = || {
                listing.expect_properties(budget, found)?;
                listing.make_room(budget, size)?;
                listing.add_chunk(budget, chunk, compression)
            };
            let number = add().map_err(|error| chunk.fault(error))?;
            let mut done = Ok(());
            let again = values(data, count, |index, value| {
                if !is_wanted(&value) || done.is_err() {
                    return;
                }
                let (bytes, offset) = match value {
                    Value::String(bytes, offset) => {
                        (listing.keep(budget, bytes).map(StoredBytes::Here), u32::try_from(offset).unwrap_or(u32::MAX))
                    }
                    // the string takes its place at the end
                    Value::Shared(string) => {
                        *is_shared = true;
                        (Ok(StoredBytes::Shared(string)), 0)
                    }
                };
                let place = StoredPlace::Binary { property: number, index, chunk: number, offset };
                let instance = first.saturating_add(index);
                done = bytes
                    .and_then(|bytes| listing.add_property(budget, StoredProperty { instance, kind, place, bytes }));
            });
            again.map_err(|error| chunk.fault(error))?;
            done.map_err(|error| chunk.fault(error))
        })
    }

    fn finish<R: Read + Seek>(mut self, file: &mut File<R>) -> Result<Listing, ModelError> {
        let done = self.share(file);
        self.settle(&mut file.budget, done)?;
        match self.tree(file) {
            Ok(positions) => {
                let done = self.name(file, &positions);
                self.settle(&mut file.budget, done)?;
            }
            Err(error) => {
                // without instances there is nothing that properties could be of
                self.listing.stored_properties_mut().clear();
                self.settle(&mut file.budget, Err(error))?;
            }
        }
        let indexed = self.listing.index(&mut file.budget);
        self.settle(&mut file.budget, indexed.map_err(ModelError::from))?;
        Ok(self.listing)
    }

    /// Gives the properties whose strings are shared their bytes. A string is kept once.
    fn share<R: Read + Seek>(&mut self, file: &mut File<R>) -> Result<(), ModelError> {
        let with_empty = file.options.empty;
        let Some(chunk) = self.shared.filter(|_| self.is_shared) else { return Ok(()) };
        let listing = &mut self.listing;
        file.with_data(chunk, |budget, data, compression| {
            let mut share = || {
                let most = data.len() / 20;
                budget.room_for(most.saturating_mul(size_of::<SharedString<'_>>().saturating_mul(3)))?;
                listing.add_chunk(budget, chunk, compression)
            };
            let number = share().map_err(|error| chunk.fault(error))?;
            let (_, shared) = wire::run(data, all_consuming(false, sstr())).map_err(|error| chunk.fault(error))?;
            let mut kept: Vec<Option<Text>> = vec![None; shared.strings.len()];
            for index in 0..listing.stored_properties().len() {
                let Some(found) = listing.stored_properties().get(index).copied() else { break };
                let StoredBytes::Shared(string) = found.bytes else { continue };
                let place = to_usize(string);
                let (Some(string), Some(text)) = (shared.strings.get(place), kept.get_mut(place)) else { continue };
                let text = match text {
                    Some(text) => *text,
                    None => {
                        let new = listing.keep(budget, &string.content).map_err(|error| chunk.fault(error))?;
                        *text.insert(new)
                    }
                };
                let content = string.content.as_bytes();
                let offset = u32::try_from((&content).offset_from(&data).byte()).unwrap_or(u32::MAX);
                if let Some(found) = listing.stored_properties_mut().get_mut(index) {
                    found.bytes = StoredBytes::Here(text);
                    if let StoredPlace::Binary { chunk, offset: place, .. } = &mut found.place {
                        (*chunk, *place) = (number, offset);
                    }
                }
            }
            Ok(())
        })?;
        if !with_empty {
            self.listing.without_empty();
        }
        Ok(())
    }

    /// Adds the instances of the properties and those above them, or all, in the order of the file. Gives their numbers in
    /// the file, in order.
    fn tree<R: Read + Seek>(&mut self, file: &mut File<R>) -> Result<Vec<u32>, ModelError> {
        let all = file.options.all_instances;
        if self.listing.stored_properties().is_empty() && !all {
            return Ok(Vec::new());
        }
        let parents = match self.parents {
            Some(chunk) => match Parents::read(file, chunk) {
                Ok(parents) => parents,
                Err(error) => {
                    self.settle(&mut file.budget, Err(error))?;
                    Parents::default()
                }
            },
            None => Parents::default(),
        };
        let budget = &mut file.budget;
        let needed = if all { None } else { Some(self.needed(budget, &parents)?) };
        // most are none of them, which is told sooner by this
        let range = needed.as_ref().map_or((i32::MIN, i32::MAX), |needed| {
            (needed.iter().copied().min().unwrap_or(i32::MAX), needed.iter().copied().max().unwrap_or(i32::MIN))
        });
        // of which number in the file an instance is, by its referent
        let mut index: Vec<(i32, u32)> = Vec::new();
        if all {
            budget.grow(&mut index, to_usize(self.total))?;
        }
        for class in &self.classes {
            for (number, referent) in (class.first..).zip(&class.referents) {
                let is_near = (range.0..=range.1).contains(referent);
                if is_near && needed.as_ref().map_or(true, |needed| needed.contains(referent)) {
                    budget.push(&mut index, (*referent, number))?;
                }
            }
        }
        let mut numbers: Vec<u32> = Vec::new();
        budget.grow(&mut numbers, index.len())?;
        numbers.extend(index.iter().map(|(_, number)| *number));
        index.sort_unstable();
        numbers.sort_unstable();
        let position = |number: u32| numbers.binary_search(&number).ok().and_then(|at| u32::try_from(at).ok());

        self.listing.expect_instances(budget, numbers.len())?;
        let mut classes = self.classes.iter().peekable();
        let mut current: Option<(&Class, u32)> = None;
        for number in &numbers {
            while let Some(class) = classes.next_if(|class| class.first <= *number) {
                current = Some((class, NONE));
            }
            let Some((class, added)) = &mut current else { continue };
            if *added == NONE {
                *added = self.listing.add_class(budget, class.name, class.chunk.offset)?;
            }
            let place = number.saturating_sub(class.first);
            let referent = class.referents.get(to_usize(place)).copied().unwrap_or_default();
            let parent = parents.of(referent).and_then(|parent| {
                let first = index.get(index.partition_point(|(other, _)| *other < parent))?;
                (first.0 == parent).then_some(first.1)
            });
            let instance = StoredInstance {
                class: *added,
                parent: parent.and_then(position).unwrap_or(NONE),
                name: Text::default(),
                referent: StoredReferent::Number(referent),
                place: place.into(),
            };
            self.listing.add_instance(budget, instance)?;
        }
        if !all {
            for property in self.listing.stored_properties_mut() {
                property.instance = position(property.instance).unwrap_or(NONE);
            }
        }
        budget.give_back(index.capacity().saturating_mul(size_of::<(i32, u32)>()));
        parents.give_back(budget);
        Ok(numbers)
    }

    /// The referents of the instances of properties, and of all above them.
    fn needed(&self, budget: &mut Budget, parents: &Parents) -> Result<HashSet<i32>, OverBudget> {
        let mut needed = HashSet::new();
        let mut last = None;
        for property in self.listing.stored_properties() {
            if last.replace(property.instance) == Some(property.instance) {
                continue;
            }
            let class = self.classes.partition_point(|class| class.first <= property.instance).checked_sub(1);
            let class = class.and_then(|index| self.classes.get(index));
            let mut next = class.and_then(|class| {
                class.referents.get(to_usize(property.instance.saturating_sub(class.first))).copied()
            });
            while let Some(referent) = next {
                if needed.len() == needed.capacity() {
                    budget.room_for(needed.len().saturating_mul(32))?;
                }
                if !needed.insert(referent) {
                    break;
                }
                next = parents.of(referent);
            }
        }
        budget.take(needed.capacity().saturating_mul(8))?;
        Ok(needed)
    }

    /// Gives the instances with these numbers their names.
    fn name<R: Read + Seek>(&mut self, file: &mut File<R>, numbers: &[u32]) -> Result<(), ModelError> {
        let mut rest = numbers;
        let mut position = 0usize;
        for index in 0..self.classes.len() {
            let Some(class) = self.classes.get(index) else { break };
            let (first, count) = (class.first, class.referents.len());
            let end = first.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
            let (own, others) = rest.split_at_checked(rest.partition_point(|number| *number < end)).unwrap_or_default();
            let start = position;
            position = position.saturating_add(own.len());
            rest = others;
            let Some(chunk) = class.names.filter(|_| !own.is_empty()) else { continue };
            let listing = &mut self.listing;
            let done = file.with_data(chunk, |budget, data, _| {
                let mut wanted = (start..).zip(own).peekable();
                let mut done = Ok(());
                let named = values(data, count, |index, value| {
                    let number = first.saturating_add(index);
                    let Some((position, _)) = wanted.next_if(|(_, wanted)| **wanted == number) else { return };
                    let Value::String(name, _) = value else { return };
                    match listing.keep(budget, name) {
                        Ok(name) => {
                            if let Some(instance) = listing.stored_instances_mut().get_mut(position) {
                                instance.name = name;
                            }
                        }
                        Err(error) => done = Err(error),
                    }
                });
                named.map_err(|error| chunk.fault(error))?;
                done.map_err(|error| chunk.fault(error))
            });
            self.settle(&mut file.budget, done)?;
        }
        Ok(())
    }
}

/// Which instance is in which, by their referents, in order.
#[derive(Default)]
struct Parents(Vec<(i32, i32)>);

impl Parents {
    fn read<R: Read + Seek>(file: &mut File<R>, chunk: ChunkRef) -> Result<Self, ModelError> {
        let parents = file.with_data(chunk, |budget, data, _| {
            // referents, pairs of them, and half of these again to sort them
            budget.room_for(data.len().saturating_mul(3)).map_err(|error| chunk.fault(error))?;
            let (_, prnt) = wire::run(data, all_consuming(false, prnt())).map_err(|error| chunk.fault(error))?;
            let mut parents: Vec<(i32, i32)> = prnt.children.into_iter().zip(prnt.parents).collect();
            // of two parents the first counts
            parents.sort_by_key(|(child, _)| *child);
            parents.dedup_by_key(|(child, _)| *child);
            Ok(parents)
        })?;
        file.budget.take(parents.capacity().saturating_mul(size_of::<(i32, i32)>()))?;
        Ok(Parents(parents))
    }

    /// The parent of an instance, if it has one.
    fn of(&self, child: i32) -> Option<i32> {
        let found = self.0.binary_search_by_key(&child, |(child, _)| *child).ok()?;
        self.0.get(found).map(|(_, parent)| *parent).filter(|parent| *parent != -1)
    }

    fn give_back(self, budget: &mut Budget) {
        budget.give_back(self.0.capacity().saturating_mul(size_of::<(i32, i32)>()));
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
