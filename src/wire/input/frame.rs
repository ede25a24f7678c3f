//! The containers of a value that are being read. A source remembers them, to go on there in another run.

use crate::number::to_usize;

/// The kind of the items of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A value.
    Value,
    /// A value called `key`, and another called `value`.
    Pair,
    /// A name, read by [`Recursive::name`](crate::wire::Recursive::name), and a value called `value`.
    Named,
}

/// A kind of container.
#[derive(Debug)]
pub(crate) struct Kind {
    /// The field of the value that it is.
    pub(crate) field: &'static str,
    /// The field with its items.
    pub(crate) items: &'static str,
    pub(crate) item: Item,
    /// The fewest bytes that an item takes, which must not be 0.
    pub(crate) smallest: usize,
}

/// A container that is open, and the item in it that is being read.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub(crate) kind: &'static Kind,
    pub(crate) count: u32,
    pub(crate) index: u32,
    /// True if the key of the item was read.
    pub(crate) keyed: bool,
    /// The number of bytes that were left at the start of the item.
    pub(crate) left: usize,
    /// The minimum size, in bytes, of the items that follow in the surrounding containers.
    pub(crate) owed: usize,
}

impl Frame {
    /// The minimum size, in bytes, of the items that follow in this container and the surrounding ones.
    pub(crate) fn behind(&self) -> usize {
        let items = self.count.saturating_sub(self.index).saturating_sub(1);
        to_usize(items).saturating_mul(self.kind.smallest).saturating_add(self.owed)
    }
}
