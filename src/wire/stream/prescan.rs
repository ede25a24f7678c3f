//! Finding out whether all of an item is there, without reading any of it again.

use std::cell::RefCell;

use bstr::BStr;

use crate::wire::frame::Frame;
use crate::wire::source::{to_u64, Source};
use crate::Offset;

/// The bytes of one item, read to find out whether all of it is there.
///
/// Every list leaves a mark of how many items were read, and goes on from there in the next run. Nothing is read again but
/// the heads of the lists that are unfinished.
#[derive(Clone, Debug)]
pub(in crate::wire) struct Prescan<'a, 'm> {
    pub(in crate::wire) whole: &'a [u8],
    pub(in crate::wire) at: usize,
    /// The bit of that byte, for the marks.
    pub(in crate::wire) bit: u8,
    /// The place of the list that this position lies in, among the marks, counted from 1; 0: in none.
    pub(in crate::wire) list: usize,
    pub(in crate::wire) memory: &'m Memory,
}

/// How far the item came in earlier runs.
#[derive(Debug, Default)]
pub(crate) struct Memory(RefCell<Progress>);

#[derive(Debug, Default)]
struct Progress {
    /// In the order in which the lists begin.
    marks: Vec<Checkpoint>,
    open: Containers,
}

impl Memory {
    /// Forgets the item.
    pub(super) fn clear(&mut self) {
        let Progress { marks, open } = self.0.get_mut();
        marks.clear();
        open.list.clear();
    }
}

/// The containers of a value that are open.
#[derive(Debug, Default)]
struct Containers {
    /// Where the value begins.
    start: usize,
    list: Vec<Frame>,
    /// Where the innermost goes on.
    at: usize,
}

#[derive(Debug)]
struct Checkpoint {
    /// How many lists it lies in.
    level: usize,
    /// The place of the innermost of these.
    around: usize,
    /// Where the list begins: byte and bit.
    start: (usize, u8),
    /// How many items were read, and where the next begins.
    count: usize,
    at: (usize, u8),
}

impl<'a, 'm> Prescan<'a, 'm> {
    /// Of the item at the start of `input`.
    #[cfg(any(test, not(any(target_family = "wasm", enginewire_small))))]
    pub(in crate::wire) fn new(input: &'a [u8], memory: &'m Memory) -> Self {
        Prescan { whole: input, at: 0, bit: 0, list: 0, memory }
    }

    #[inline]
    fn rest(&self) -> &'a [u8] {
        self.whole.get(self.at..).unwrap_or_default()
    }

    /// Behind so many bytes, which are there.
    #[inline]
    fn behind(&self, count: usize) -> Self {
        Prescan { at: self.at.wrapping_add(count), ..self.clone() }
    }
}

impl<'a> Source for Prescan<'a, '_> {
    type Bytes = &'a BStr;

    #[inline]
    fn remaining(&self) -> usize {
        self.rest().len()
    }

    fn offset_from(&self, start: &Self) -> Offset {
        to_u64(self.at.saturating_sub(start.at)).into()
    }

    #[inline]
    fn at_bit(&self, bit: u8) -> Self {
        Prescan { bit, ..self.clone() }
    }

    #[inline]
    fn bit(&self) -> u8 {
        self.bit
    }

    #[inline]
    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        self.rest().chunk().map(|(bytes, _)| (bytes, self.behind(N)))
    }

    #[inline]
    fn bytes(&self, count: usize) -> Option<(&'a BStr, Self)> {
        self.rest().bytes(count).map(|(bytes, _)| (bytes, self.behind(count)))
    }

    #[inline]
    fn part(&self, length: usize) -> Option<(Self, Self)> {
        let end = self.at.checked_add(length)?;
        Some((Prescan { whole: self.whole.get(..end)?, ..self.clone() }, Prescan { at: end, ..self.clone() }))
    }

    fn resume(&self) -> Option<(usize, Self)> {
        let marks = &mut self.memory.0.borrow_mut().marks;
        let around = self.list;
        let level = match around.checked_sub(1).and_then(|index| marks.get(index)) {
            Some(list) => list.level.saturating_add(1),
            None => 0,
        };
        let here = (self.at, self.bit);
        // they stand in the order in which they were made
        let found = marks.binary_search_by_key(&(here, level), |mark| (mark.start, mark.level));
        let index = found.unwrap_or_else(|index| {
            marks.insert(index, Checkpoint { level, around, start: here, count: 0, at: here });
            index
        });
        let mark = marks.get(index)?;
        Some((mark.count, Prescan { at: mark.at.0, bit: mark.at.1, list: index.saturating_add(1), ..self.clone() }))
    }

    #[inline]
    fn reached(&self, count: usize) {
        let marks = &mut self.memory.0.borrow_mut().marks;
        // the lists inside the item just read are done with
        marks.truncate(self.list);
        if let Some(mark) = marks.last_mut() {
            (mark.count, mark.at) = (count, (self.at, self.bit));
        }
    }

    #[inline]
    fn leave(self) -> Self {
        let marks = &self.memory.0.borrow().marks;
        let list = self.list.checked_sub(1).and_then(|index| marks.get(index)).map_or(0, |list| list.around);
        Prescan { list, ..self }
    }

    fn recall(&self) -> Option<(Vec<Frame>, Self)> {
        let open = &self.memory.0.borrow().open;
        let is_known = open.start == self.at && !open.list.is_empty();
        is_known.then(|| (open.list.clone(), Prescan { at: open.at, ..self.clone() }))
    }

    #[cfg_attr(not(any(debug_assertions, target_family = "wasm")), inline(always))] // after each item
    fn remember(&self, start: &Self, depth: usize, opened: Frame) {
        let Progress { marks, open } = &mut *self.memory.0.borrow_mut();
        match open.list.get_mut(depth) {
            // mostly the next item of the same container
            Some(known) => {
                *known = opened;
                open.list.truncate(depth.saturating_add(1));
            }
            None => open.list.push(opened),
        }
        (open.start, open.at) = (start.at, self.at);
        // the lists inside what was just read are done with
        marks.truncate(self.list);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::frame::{Item, Kind};
    use crate::wire::source::tests::{reads_like_any_other, BYTES};
    use pretty_assertions::assert_eq;

    #[test]
    fn an_item_that_is_tried_reads_like_any_other() {
        reads_like_any_other(&Prescan::new(BYTES, &Memory::default()));
    }

    #[test]
    fn open_containers_are_recalled_where_their_value_began() {
        static LIST: Kind = Kind { field: "list", items: "items", item: Item::Value, smallest: 1 };
        let mut memory = Memory::default();
        let start = Prescan::new(BYTES, &memory);
        assert!(start.recall().is_none());
        let (_, inside) = start.bytes(2).unwrap();
        inside.remember(&start, 0, Frame { kind: &LIST, count: 3, index: 1, keyed: false, left: 6, owed: 0 });
        let (opened, at) = start.recall().unwrap();
        assert_eq!((opened.len(), opened[0].index, at.offset_from(&start)), (1, 1, 2.into()));
        assert!(inside.recall().is_none(), "a value that begins elsewhere");
        memory.clear();
        assert!(Prescan::new(BYTES, &memory).recall().is_none());
    }
}
