//! The progress in an unfinished item, so that a check whether it is complete reads nothing again.

use crate::wire::Frame;
use std::cell::RefCell;

/// A place: byte and bit.
type Place = (usize, u8);

/// The progress of earlier runs in the item, for an [`Instrumented`](crate::wire::Instrumented) source.
#[derive(Debug, Default)]
pub(crate) struct Memory(RefCell<Progress>);

#[derive(Debug, Default)]
struct Progress {
    /// Sorted by the start of their lists.
    marks: Vec<Checkpoint>,
    open: Containers,
}

/// The containers of a value that are open.
#[derive(Debug, Default)]
struct Containers {
    /// The start of the value.
    start: usize,
    list: Vec<Frame>,
    /// The next position in the innermost.
    at: usize,
}

#[derive(Debug)]
struct Checkpoint {
    /// The number of lists around it.
    level: usize,
    /// The place of the innermost of these.
    around: usize,
    /// The start of the list.
    start: Place,
    /// The number of items read, and the start of the next.
    count: usize,
    at: Place,
}

impl Memory {
    /// Forgets the item.
    pub(in crate::wire) fn clear(&mut self) {
        let Progress { marks, open } = self.0.get_mut();
        marks.clear();
        open.list.clear();
    }

    /// A list begins `here`, in the list with the place `around`: how many of its items were read, where the next one begins,
    /// and the list's place.
    pub(in crate::wire) fn resume(&self, around: usize, here: Place) -> Option<(usize, Place, usize)> {
        let marks = &mut self.0.borrow_mut().marks;
        let level = match around.checked_sub(1).and_then(|index| marks.get(index)) {
            Some(list) => list.level.saturating_add(1),
            None => 0,
        };
        // sorted by start, outer lists first
        let found = marks.binary_search_by_key(&(here, level), |mark| (mark.start, mark.level));
        let index = found.unwrap_or_else(|index| {
            marks.insert(index, Checkpoint { level, around, start: here, count: 0, at: here });
            index
        });
        let mark = marks.get(index)?;
        Some((mark.count, mark.at, index.saturating_add(1)))
    }

    /// `count` items of the list were read, up to a place.
    #[inline]
    pub(in crate::wire) fn reached(&self, list: usize, count: usize, at: Place) {
        let marks = &mut self.0.borrow_mut().marks;
        // the lists inside the item just read are done with
        marks.truncate(list);
        if let Some(mark) = marks.last_mut() {
            (mark.count, mark.at) = (count, at);
        }
    }

    /// The place of the list around this one.
    #[inline]
    pub(in crate::wire) fn around(&self, list: usize) -> usize {
        let marks = &self.0.borrow().marks;
        list.checked_sub(1).and_then(|index| marks.get(index)).map_or(0, |list| list.around)
    }

    /// The open containers of the value that begins at `start`, and where the innermost continues.
    pub(in crate::wire) fn recall(&self, start: usize) -> Option<(Vec<Frame>, usize)> {
        let open = &self.0.borrow().open;
        let is_known = open.start == start && !open.list.is_empty();
        is_known.then(|| (open.list.clone(), open.at))
    }

    /// In the value that begins at `start`, the container `opened`, inside `depth` others and `list`, continues at `at`.
    #[inline]
    pub(in crate::wire) fn remember(&self, start: usize, list: usize, depth: usize, opened: Frame, at: usize) {
        let Progress { marks, open } = &mut *self.0.borrow_mut();
        match open.list.get_mut(depth) {
            // mostly the next item of the same container
            Some(known) => {
                *known = opened;
                open.list.truncate(depth.saturating_add(1));
            }
            None => open.list.push(opened),
        }
        (open.start, open.at) = (start, at);
        // the lists inside the item just read are finished
        marks.truncate(list);
    }
}
