//! The progress in an unfinished item, so that a check whether it is complete reads nothing again.

use std::cell::RefCell;

use crate::wire::frame::Frame;
use crate::Offset;

/// The progress of earlier runs in the item. A [`Checked`](crate::wire::Checked) source keeps it.
#[derive(Debug, Default)]
pub(crate) struct Memory(RefCell<Progress>);

#[derive(Debug, Default)]
struct Progress {
    /// The lists, in the order of their starts.
    marks: Vec<Mark>,
    /// The number of lists that this run came to.
    met: usize,
    /// The number, from 1, of the innermost list that is being read; 0 outside of lists.
    list: usize,
    open: Containers,
}

/// The containers of a value that are open.
#[derive(Debug, Default)]
struct Containers {
    /// The start of the value.
    start: Offset,
    list: Vec<Frame>,
    /// The bytes from there to the next position in the innermost.
    read: usize,
}

#[derive(Debug)]
struct Mark {
    /// The number of the list around it.
    around: usize,
    /// The bytes of the input that are left at its start, in this run.
    left: usize,
    /// The number of items read.
    count: usize,
    /// The bytes from its start to the next item, and the bits after them.
    read: usize,
    bit: u8,
}

impl Memory {
    /// Forgets the item.
    pub(in crate::wire) fn clear(&mut self) {
        let Progress { marks, open, .. } = self.0.get_mut();
        marks.clear();
        open.list.clear();
    }

    /// A run begins at the start of the item.
    pub(in crate::wire) fn begin(&self) {
        let progress = &mut *self.0.borrow_mut();
        (progress.met, progress.list) = (0, 0);
    }

    /// A list begins where `left` bytes are left, and at this bit: how many of its items were read, and the bytes and bits of them.
    pub(in crate::wire) fn resume(&self, left: usize, bit: u8) -> (usize, usize, u8) {
        let Progress { marks, met, list, .. } = &mut *self.0.borrow_mut();
        let around = std::mem::replace(list, met.saturating_add(1));
        if marks.len() == *met {
            marks.push(Mark { around, left, count: 0, read: 0, bit });
        }
        let mark = marks.get_mut(*met);
        *met = *list;
        mark.map_or((0, 0, bit), |mark| {
            mark.left = left;
            (mark.count, mark.read, mark.bit)
        })
    }

    /// `count` items of the innermost list were read, up to where `left` bytes are left, and this bit.
    #[cold]
    #[inline(never)]
    pub(in crate::wire) fn reached(&self, count: usize, left: usize, bit: u8) {
        let progress = &mut *self.0.borrow_mut();
        progress.finish_inner();
        if let Some(mark) = progress.marks.last_mut() {
            (mark.count, mark.read, mark.bit) = (count, mark.left.saturating_sub(left), bit);
        }
    }

    /// The innermost list ends.
    #[cold]
    #[inline(never)]
    pub(in crate::wire) fn leave(&self) {
        let Progress { marks, list, .. } = &mut *self.0.borrow_mut();
        *list = list.checked_sub(1).and_then(|index| marks.get(index)).map_or(0, |mark| mark.around);
    }

    /// The open containers of the value that begins at `start`, and the bytes up to where the innermost continues.
    pub(in crate::wire) fn recall(&self, start: Offset) -> Option<(Vec<Frame>, usize)> {
        let open = &self.0.borrow().open;
        let is_known = open.start == start && !open.list.is_empty();
        is_known.then(|| (open.list.clone(), open.read))
    }

    /// In the value that begins at `start`, the container `opened`, inside `depth` others, continues after `read` bytes.
    #[inline]
    pub(in crate::wire) fn remember(&self, start: impl FnOnce() -> Offset, depth: usize, opened: Frame, read: usize) {
        let progress = &mut *self.0.borrow_mut();
        let open = &mut progress.open;
        if depth == 0 {
            open.start = start();
        }
        match open.list.get_mut(depth) {
            // mostly the next item of the same container
            Some(known) => {
                *known = opened;
                open.list.truncate(depth.saturating_add(1));
            }
            None => open.list.push(opened),
        }
        open.read = read;
        progress.finish_inner();
    }
}

impl Progress {
    /// The lists inside the item just read are finished.
    #[inline]
    fn finish_inner(&mut self) {
        self.marks.truncate(self.list);
        self.met = self.list;
    }
}
