//! The parents of instances.

use std::io::{Read, Seek};

use super::super::chunk_ref::ChunkRef;
use super::super::file::File;
use super::super::prnt::prnt;
use crate::roblox::model::error::ModelError;
use enginewire::budget::Budget;
use enginewire::number::to_usize;
use enginewire::wire::{self, all_consuming};

/// The referent of each instance and that of its parent, sorted.
#[derive(Default)]
pub(super) struct Parents(Vec<(i32, i32)>);

impl Parents {
    /// Reads a PRNT chunk.
    pub(super) fn read<R: Read + Seek>(file: &mut File<R>, chunk: ChunkRef) -> Result<Self, ModelError> {
        let parents = file.with_data(chunk, |budget, data, _| {
            // the referents, those of children with their places, and pairs
            budget.room_for(data.len().saturating_mul(3)).map_err(|error| chunk.fault(error))?;
            let (_, prnt) = wire::run(data, all_consuming(false, prnt())).map_err(|error| chunk.fault(error))?;
            let mut children: Vec<(i32, u32)> = prnt.children.into_iter().zip(0..).collect();
            // of two parents of one instance the first counts
            children.sort_unstable();
            children.dedup_by_key(|(child, _)| *child);
            let parent = |place| prnt.parents.get(to_usize(place)).copied().unwrap_or(-1);
            Ok(children.into_iter().map(|(child, place)| (child, parent(place))).collect::<Vec<_>>())
        })?;
        file.budget.take(parents.capacity().saturating_mul(size_of::<(i32, i32)>()))?;
        Ok(Parents(parents))
    }

    /// The parent of an instance, if it has one.
    pub(super) fn of(&self, child: i32) -> Option<i32> {
        let found = self.0.binary_search_by_key(&child, |(child, _)| *child).ok()?;
        self.0.get(found).map(|(_, parent)| *parent).filter(|parent| *parent != -1)
    }

    /// Gives the memory back to the budget.
    pub(super) fn give_back(self, budget: &mut Budget) {
        budget.give_back(self.0.capacity().saturating_mul(size_of::<(i32, i32)>()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::model::binary::chunk::{gen_chunk, Chunk, ChunkHeader, ChunkName};
    use crate::roblox::model::binary::file::in_memory;
    use crate::roblox::model::binary::header::{gen_header, Header};
    use crate::roblox::model::binary::prnt::{gen_prnt, Prnt};
    use crate::roblox::model::Options;
    use enginewire::number::to_u64;
    use enginewire::wire::generate_into;
    use pretty_assertions::assert_eq;

    #[test]
    fn of_two_parents_the_first_counts() {
        let prnt = Prnt { version: 0, children: vec![5, 3, 5, 7], parents: vec![3, -1, 7, 9] };
        let mut data = Vec::new();
        generate_into(gen_prnt(&prnt), &mut data).unwrap();
        let header = ChunkHeader { name: ChunkName::PRNT, compressed_length: 0, length: 37 };
        let mut bytes = Vec::new();
        generate_into(gen_header(Header { version: 0, class_count: 0, instance_count: 0 }), &mut bytes).unwrap();
        let chunk = ChunkRef { offset: to_u64(bytes.len()), header };
        generate_into(gen_chunk(&Chunk { header, body: &data }), &mut bytes).unwrap();
        let mut file = in_memory(&bytes, &Options::new()).unwrap();
        let left = file.budget.left();
        let parents = Parents::read(&mut file, chunk).unwrap();
        assert_eq!([3, 5, 7, 9].map(|child| parents.of(child)), [None, Some(3), Some(9), None]);
        // 8 bytes for each, until they are given back
        assert_eq!(left - file.budget.left(), 4 * 8);
        parents.give_back(&mut file.budget);
        assert_eq!(file.budget.left(), left);
    }
}
