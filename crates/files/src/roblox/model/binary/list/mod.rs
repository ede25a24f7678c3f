//! Lists a binary file. Chunks that are not needed are not unpacked.

mod classes;
mod instances;
mod parents;

use std::io::{Read, Seek};

use bstr::{BStr, ByteSlice};

use super::chunk::ChunkName;
use super::chunk_ref::ChunkRef;
use super::edit::with_enough;
use super::file::{File, Head, Wanted};
use super::inst::inst;
use super::pieces::Pieces;
use super::sstr::{memory, sstr};
use super::values::{values, Value};
use crate::roblox::model::error::{ChunkFault, ModelError};
use crate::roblox::model::kind::Kind;
use crate::roblox::model::listing::{
    Listing, Namesakes, StoredBytes, StoredPlace, StoredProperty, Text, NONE, PROBLEM,
};
use crate::roblox::model::options::Options;
use crate::roblox::model::window::Window;
use crate::roblox::model::FileKind;
use classes::Classes;
use enginewire::budget::Budget;
use enginewire::number::{to_u64, to_usize};
use enginewire::wire::{self, all_consuming, Source};
use instances::add_instances;
use parents::Parents;

/// A listing that is being made.
struct Lister {
    classes: Classes,
    /// Until all instances are known, its properties have the numbers of their instances in the file.
    listing: Listing,
    /// True if some property is a shared string.
    is_shared: bool,
    /// True if there is not enough memory for more problems.
    is_full: bool,
    /// The SSTR chunk.
    shared: Option<ChunkRef>,
    /// The PRNT chunk.
    parents: Option<ChunkRef>,
}

/// Lists a binary file.
pub(crate) fn list<R: Read + Seek>(file: Window<R>, options: &Options) -> Result<Listing, ModelError> {
    let mut file = File::open(file, options)?;
    let mut lister = Lister {
        classes: Classes::default(),
        listing: Listing::new(FileKind::Binary),
        is_shared: false,
        is_full: false,
        shared: None,
        parents: None,
    };
    let ended = file.each_chunk(|file, chunk| lister.chunk(file, chunk));
    lister.settle(&mut file.budget, ended)?;
    let mut listing = lister.finish(&mut file).map_err(|error| with_enough(&mut file, error))?;
    // the first says it: for each of them, all chunks would be gone through again
    if let Some(first) = listing.problems.iter().position(ModelError::is_of_limit) {
        let error = listing.problems.remove(first);
        listing.problems.insert(first, with_enough(&mut file, error));
    }
    Ok(listing)
}

impl Lister {
    /// Adds an error to the problems or warnings, unless the file cannot be read. If there is not enough memory for more
    /// problems, one of them reports that.
    #[inline]
    fn settle(&mut self, budget: &mut Budget, done: Result<(), ModelError>) -> Result<(), ModelError> {
        match done {
            Err(error @ ModelError::Io(_)) => Err(error),
            Err(warning @ ModelError::Trailing { .. }) => {
                self.listing.warn(budget, warning);
                Ok(())
            }
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
        match budget.take(PROBLEM) {
            Ok(()) => problems.push(error),
            Err(full) => {
                self.is_full = true;
                problems.push(full.into());
            }
        }
    }

    #[inline]
    fn chunk<R: Read + Seek>(&mut self, file: &mut File<R>, chunk: ChunkRef) -> Result<(), ModelError> {
        let mut head = None;
        if chunk.header.name == ChunkName::PROP {
            head = Head::of(file.peek(chunk)?, chunk.header.length);
            // most chunks are properties that are not listed
            if head.as_ref().is_some_and(|head| matches!(head.wanted, Wanted::Nothing) && head.has_type) {
                return Ok(());
            }
        }
        self.wanted(file, chunk, head)
    }

    /// `head` is that of a PROP chunk, if it is known already.
    #[inline(never)]
    fn wanted<R: Read + Seek>(
        &mut self,
        file: &mut File<R>,
        chunk: ChunkRef,
        head: Option<Head>,
    ) -> Result<(), ModelError> {
        let done = match chunk.header.name {
            ChunkName::INST => self.inst(file, chunk),
            ChunkName::PROP => self.prop(file, chunk, head),
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
        // not enough memory for more problems
        if self.is_full {
            return Err(file.budget.exceeded().into());
        }
        Ok(())
    }

    fn inst<R: Read + Seek>(&mut self, file: &mut File<R>, chunk: ChunkRef) -> Result<(), ModelError> {
        file.with_data(chunk, |budget, data, _| {
            // the referents take 4 bytes for each instance, as in the data
            budget.room_for(data.len()).map_err(|error| chunk.fault(error))?;
            let (_, inst) = wire::run(data, all_consuming(false, inst())).map_err(|error| chunk.fault(error))?;
            self.classes.add(budget, &mut self.listing, chunk, inst).map_err(|fault| chunk.fault(fault))
        })
    }

    fn prop<R: Read + Seek>(
        &mut self,
        file: &mut File<R>,
        chunk: ChunkRef,
        known: Option<Head>,
    ) -> Result<(), ModelError> {
        let head = match known {
            Some(head) => head,
            None => file.head(chunk)?,
        };
        let is_wanted = !matches!(head.wanted, Wanted::Nothing);
        let class = self.classes.by_id(head.class_id);
        if is_wanted && class.is_none() {
            return Err(chunk.fault(ChunkFault::UnknownClass(head.class_id)));
        }
        if !head.has_type {
            self.listing.warn(&mut file.budget, chunk.fault(ChunkFault::NoType));
        }
        let Some(class) = class.filter(|_| is_wanted && head.has_type) else { return Ok(()) };
        let (count, first) = (class.referents.len(), class.first);
        match head.wanted {
            // most classes have only empty values
            Wanted::Kind(_) if !file.options.empty && head.may_be_empty(count) && file.is_empty(chunk, &head)? => {
                Ok(())
            }
            Wanted::Kind(kind) => match file.options.later.then(|| file.pieces(chunk, &head)).transpose()?.flatten() {
                Some(pieces) => self.later(file, (pieces, &head), chunk, (count, first), kind),
                None => self.values(file, chunk, (count, first), kind),
            },
            Wanted::Name => {
                class.names = Some(chunk);
                Ok(())
            }
            Wanted::Nothing => Ok(()),
        }
    }

    /// Adds the values of a property of `count` instances. The number of the first instance is `first`.
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
            // the indices of shared strings take as much as the data
            budget.room_for(data.len()).map_err(|error| chunk.fault(error))?;
            let is_wanted = |value: &Value<'_>| match value {
                Value::String(bytes, _) => with_empty || !bytes.is_empty(),
                Value::Shared(_) => true,
            };
            // the first pass keeps nothing: a chunk with an error is not listed at all
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
                    // its bytes are set at the end
                    Value::Shared(string) => {
                        *is_shared = true;
                        (Ok(StoredBytes::Shared(string)), 0)
                    }
                };
                let place = StoredPlace::Binary { property: number, chunk: number, offset };
                let instance = first.saturating_add(index);
                done = bytes
                    .and_then(|bytes| listing.add_property(budget, StoredProperty { instance, kind, place, bytes }));
            });
            again.map_err(|error| chunk.fault(error))?;
            done.map_err(|error| chunk.fault(error))
        })
    }

    /// As [`values`](Self::values), but only the places of the values are kept.
    fn later<R: Read + Seek>(
        &mut self,
        file: &mut File<R>,
        (pieces, head): (Pieces, &Head),
        chunk: ChunkRef,
        (count, first): (usize, u32),
        kind: Kind,
    ) -> Result<(), ModelError> {
        let (with_empty, listing, mut found) = (file.options.empty, &mut self.listing, 0usize);
        let is_wanted = |bytes: &BStr| with_empty || !bytes.is_empty();
        file.each_string(pieces, count, |_, _, bytes, _| {
            found = found.saturating_add(usize::from(is_wanted(bytes)));
            Ok(())
        })?;
        let Some(pieces) = file.pieces(chunk, head)?.filter(|_| found > 0) else { return Ok(()) };
        let compression = file.compression(chunk)?;
        listing.expect_properties(&mut file.budget, found).map_err(|error| chunk.fault(error))?;
        let number = listing.add_chunk(&mut file.budget, chunk, compression).map_err(|error| chunk.fault(error))?;
        file.each_string(pieces, count, |budget, index, bytes, offset| {
            if !is_wanted(bytes) {
                return Ok(());
            }
            let [offset, length] = [offset, to_u64(bytes.len())].map(|it| u32::try_from(it).unwrap_or(u32::MAX));
            let place = StoredPlace::Binary { property: number, chunk: number, offset };
            let (instance, bytes) = (first.saturating_add(index), StoredBytes::Later(length));
            let added = listing.add_property(budget, StoredProperty { instance, kind, place, bytes });
            added.map_err(|error| chunk.fault(error))
        })
    }

    fn finish<R: Read + Seek>(mut self, file: &mut File<R>) -> Result<Listing, ModelError> {
        let done = self.share(file);
        self.settle(&mut file.budget, done)?;
        let all = file.options.all_instances;
        if all || !self.listing.stored_properties().is_empty() {
            let parents = self.parents(file)?;
            let classes = std::mem::take(&mut self.classes);
            match add_instances(&mut file.budget, &classes, &parents, &mut self.listing, all) {
                Ok(numbers) => {
                    self.name(file, &classes, &numbers)?;
                    let is_all = numbers.len() == classes.instance_count();
                    if !is_all {
                        self.number(file, &classes, &parents, &numbers)?;
                    }
                    file.budget.give_back(numbers.capacity().saturating_mul(size_of::<u32>()));
                    drop(numbers);
                    parents.give_back(&mut file.budget);
                    if is_all {
                        self.listing.number(&file.budget);
                    }
                }
                Err(error) => {
                    // a property is listed with its instance or not at all
                    self.listing.stored_properties_mut().clear();
                    self.settle(&mut file.budget, Err(error.into()))?;
                    parents.give_back(&mut file.budget);
                }
            }
        }
        let indexed = self.listing.index(&mut file.budget);
        self.settle(&mut file.budget, indexed.map_err(ModelError::from))?;
        Ok(self.listing)
    }

    /// The parents of the instances; empty if the chunk with them is missing or has an error.
    fn parents<R: Read + Seek>(&mut self, file: &mut File<R>) -> Result<Parents, ModelError> {
        let Some(chunk) = self.parents else { return Ok(Parents::default()) };
        match Parents::read(file, chunk) {
            Ok(parents) => Ok(parents),
            Err(error) => {
                self.settle(&mut file.budget, Err(error))?;
                Ok(Parents::default())
            }
        }
    }

    /// Sets the bytes of properties that are shared strings. Each string is kept once.
    fn share<R: Read + Seek>(&mut self, file: &mut File<R>) -> Result<(), ModelError> {
        let with_empty = file.options.empty;
        let Some(chunk) = self.shared.filter(|_| self.is_shared) else { return Ok(()) };
        let listing = &mut self.listing;
        file.with_data(chunk, |budget, data, compression| {
            let mut share = || {
                budget.room_for(memory(data))?;
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

    /// Sets the names of the instances with these numbers.
    fn name<R: Read + Seek>(
        &mut self,
        file: &mut File<R>,
        classes: &Classes,
        numbers: &[u32],
    ) -> Result<(), ModelError> {
        let mut rest = numbers;
        let mut position = 0usize;
        for class in classes.iter() {
            let (first, count) = (class.first, class.referents.len());
            let end = first.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
            let (own, others) = rest.split_at_checked(rest.partition_point(|number| *number < end)).unwrap_or_default();
            let start = position;
            position = position.saturating_add(own.len());
            rest = others;
            let Some(chunk) = class.names.filter(|_| !own.is_empty()) else { continue };
            let listing = &mut self.listing;
            let done = file.with_data(chunk, |budget, data, _| {
                if own.len() == count {
                    let size = data.len().saturating_sub(count.saturating_mul(4));
                    // for all names at once; if that is too much, each name makes its own room
                    let _ = listing.make_room(budget, size);
                }
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
                // that a name was left out comes first, also where the chunk has another error after it
                done.map_err(|error| chunk.fault(error))?;
                named.map_err(|error| chunk.fault(error))
            });
            self.settle(&mut file.budget, done)?;
        }
        Ok(())
    }

    /// Numbers the listed instances among all with the same parent and name. `numbers` are the numbers of the listed instances in
    /// the file. Without enough memory, they get none.
    fn number<R: Read + Seek>(
        &mut self,
        file: &mut File<R>,
        classes: &Classes,
        parents: &Parents,
        numbers: &[u32],
    ) -> Result<(), ModelError> {
        let room = numbers.len().saturating_mul(Namesakes::EACH.saturating_add(size_of::<(i32, u32)>()));
        if file.budget.take(room).is_err() {
            return Ok(());
        }
        let done = self.count_namesakes(file, classes, parents, numbers);
        file.budget.give_back(room);
        if let Some(namesakes) = done? {
            namesakes.finish(&mut self.listing);
        }
        Ok(())
    }

    /// Counts all instances with the parent and the name of a listed one. `None` if a chunk with names needs too much memory.
    fn count_namesakes<R: Read + Seek>(
        &self,
        file: &mut File<R>,
        classes: &Classes,
        parents: &Parents,
        numbers: &[u32],
    ) -> Result<Option<Namesakes>, ModelError> {
        let listing = &self.listing;
        let mut namesakes = Namesakes::of(listing);
        let mut listed: Vec<(i32, u32)> = Vec::with_capacity(numbers.len());
        listed.extend(numbers.iter().zip(0..).map(|(number, index)| (classes.referent(*number).unwrap_or(-1), index)));
        listed.sort_unstable();
        // the index of a parent; `None` if it is not listed, and then its children are not either
        let parent_of = |referent: i32| match parents.of(referent) {
            None => Some(NONE),
            Some(parent) => {
                let first = listed.get(listed.partition_point(|(other, _)| *other < parent))?;
                (first.0 == parent).then_some(first.1)
            }
        };
        let mut rest = (0..).zip(numbers).peekable();
        for class in classes.iter() {
            let mut next = 0usize;
            let mut count = |name: &[u8]| {
                let Some(referent) = class.referents.get(next) else { return false };
                let number = class.first.saturating_add(u32::try_from(next).unwrap_or(u32::MAX));
                let index = rest.next_if(|(_, listed)| **listed == number).map(|(index, _)| index);
                namesakes.count(listing, name, index, || parent_of(*referent));
                next = next.saturating_add(1);
                true
            };
            if let Some(chunk) = class.names {
                let done = file.with_data(chunk, |_, data, _| {
                    let counted = values(data, class.referents.len(), |_, value| {
                        count(if let Value::String(name, _) = value { name } else { b"" });
                    });
                    counted.map_err(|error| chunk.fault(error))
                });
                match done {
                    Err(error @ ModelError::Io(_)) => return Err(error),
                    Err(error) if error.is_of_limit() => return Ok(None),
                    // nothing of this chunk is listed, so its errors are not reported
                    _ => {}
                }
            }
            // the remaining instances have no name in the file
            while count(b"") {}
        }
        Ok(Some(namesakes))
    }
}
