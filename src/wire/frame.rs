//! The containers of a value that are being read. A source remembers them, to go on there in another run.

use super::source::to_usize;

/// What the items of a container are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A value.
    Value,
    /// A value called `key`, and another called `value`.
    Pair,
    /// What [`Recursive::name`](super::Recursive::name) reads, and a value called `value`.
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
    pub(super) kind: &'static Kind,
    pub(super) count: u32,
    pub(super) index: u32,
    /// Whether the key of the item was read.
    pub(super) keyed: bool,
    /// How many bytes were left where the item begins.
    pub(super) left: usize,
    /// How many bytes the items that follow in the containers around take at least.
    pub(super) owed: usize,
}

impl Frame {
    /// How many bytes the items that follow take at least, in this container and those around.
    pub(super) fn behind(&self) -> usize {
        let items = self.count.saturating_sub(self.index).saturating_sub(1);
        to_usize(items).saturating_mul(self.kind.smallest).saturating_add(self.owed)
    }
}
