//! The classes of a file.

use std::collections::BTreeMap;

use super::super::chunk_ref::ChunkRef;
use super::super::inst::Inst;
use crate::roblox::model::error::ChunkFault;
use crate::roblox::model::listing::{Listing, Text, NONE};
use enginewire::budget::{Budget, OverBudget};
use enginewire::number::to_usize;

/// About the memory that a class takes in a map, in bytes.
const ENTRY: usize = 256;

/// A class, with its instances. Instances are numbered in the order of the file.
pub(super) struct Class {
    pub(super) id: u32,
    /// Its INST chunk.
    pub(super) chunk: ChunkRef,
    pub(super) name: Text,
    pub(super) referents: Vec<i32>,
    /// The number of its first instance.
    pub(super) first: u32,
    /// The PROP chunk with the names of its instances.
    pub(super) names: Option<ChunkRef>,
}

/// The classes of a file, in the order of the file.
#[derive(Default)]
pub(super) struct Classes {
    all: Vec<Class>,
    /// The index of each class, by its id.
    by_id: BTreeMap<u32, usize>,
    /// The index of the class that was asked for last.
    latest: usize,
    /// The number of instances.
    total: u32,
}

impl Classes {
    /// Adds the class of an INST chunk.
    pub(super) fn add(
        &mut self,
        budget: &mut Budget,
        listing: &mut Listing,
        chunk: ChunkRef,
        inst: Inst<'_>,
    ) -> Result<(), ChunkFault> {
        let Inst { class_id: id, class_name, referents, .. } = inst;
        let total = u32::try_from(referents.len()).ok().and_then(|count| self.total.checked_add(count));
        let total = total.filter(|total| *total != NONE).ok_or(OverBudget { limit: to_usize(NONE) })?;
        if self.by_id.contains_key(&id) {
            return Err(ChunkFault::DuplicateClass(id));
        }
        budget.take(referents.capacity().saturating_mul(size_of::<i32>()).saturating_add(ENTRY))?;
        let name = listing.keep(budget, &class_name)?;
        let index = self.all.len();
        budget.push(&mut self.all, Class { id, chunk, name, referents, first: self.total, names: None })?;
        self.by_id.insert(id, index);
        self.total = total;
        Ok(())
    }

    /// The class with this id: mostly the same as the last time, or the next one.
    pub(super) fn by_id(&mut self, id: u32) -> Option<&mut Class> {
        let mut near = (self.latest..).zip(self.all.iter().skip(self.latest).take(2));
        let near = near.find(|(_, class)| class.id == id).map(|(index, _)| index);
        self.latest = near.or_else(|| self.by_id.get(&id).copied())?;
        self.all.get_mut(self.latest)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Class> {
        self.all.iter()
    }

    /// The number of instances.
    pub(super) fn instance_count(&self) -> usize {
        to_usize(self.total)
    }

    /// The referent of the instance with this number.
    pub(super) fn referent(&self, number: u32) -> Option<i32> {
        let class = self.all.partition_point(|class| class.first <= number).checked_sub(1);
        let class = self.all.get(class?)?;
        class.referents.get(to_usize(number.saturating_sub(class.first))).copied()
    }
}
