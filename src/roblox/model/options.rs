//! How files are read.

use crate::budget::{self, Budget};

/// How far reading goes, and what it gives.
///
/// ```
/// use enginewire::roblox::model::Options;
///
/// let options = Options::new().max_memory(1 << 20).empty(true);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    max_memory: usize,
    taken: usize,
    pub(super) max_total: u64,
    pub(super) empty: bool,
    pub(super) all_instances: bool,
    pub(super) any_reserved: bool,
    pub(super) trailing_bytes: bool,
}

impl Options {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Options {
            max_memory: budget::DEFAULT,
            taken: 0,
            max_total: 1 << 30,
            empty: false,
            all_instances: false,
            any_reserved: false,
            trailing_bytes: false,
        }
    }

    /// How much memory reading a file or changing it may take, beside a file that is in memory already; 256 MiB unless
    /// said otherwise. Everything counts: what is unpacked, what is built of it, and what is found.
    #[must_use]
    pub const fn max_memory(self, bytes: usize) -> Self {
        Options { max_memory: bytes, ..self }
    }

    /// Counts memory that is taken already, by the file itself for example, in [`max_memory`](Self::max_memory).
    #[must_use]
    pub const fn taken(self, bytes: usize) -> Self {
        Options { taken: self.taken.saturating_add(bytes), ..self }
    }

    /// What is left of the memory.
    pub(super) fn budget(&self) -> Budget {
        Budget::with(self.max_memory, self.taken)
    }

    /// How many bytes may be unpacked in all, one chunk after the other; 1 GiB unless said otherwise. This bounds the time
    /// that a small file can take.
    #[must_use]
    pub const fn max_total(self, bytes: u64) -> Self {
        Options { max_total: bytes, ..self }
    }

    /// Whether properties are listed that have no bytes, as nearly all have; false unless said otherwise.
    #[must_use]
    pub const fn empty(self, listed: bool) -> Self {
        Options { empty: listed, ..self }
    }

    /// Whether instances are listed that have no such property; false unless said otherwise. Those above an instance in
    /// the tree always are.
    #[must_use]
    pub const fn all_instances(self, listed: bool) -> Self {
        Options { all_instances: listed, ..self }
    }

    /// Whether what is reserved may be other than 0, and the version too; false unless said otherwise.
    #[must_use]
    pub const fn any_reserved(self, allowed: bool) -> Self {
        Options { any_reserved: allowed, ..self }
    }

    /// Whether bytes may follow the end; false unless said otherwise.
    #[must_use]
    pub const fn trailing_bytes(self, allowed: bool) -> Self {
        Options { trailing_bytes: allowed, ..self }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn each_option_changes_one_thing() {
        let new = Options::new();
        assert_eq!(Options::default(), new);
        assert_eq!(new.budget(), Budget::with(256 << 20, 0));
        assert_eq!(new.max_memory(5).taken(2).taken(1).budget(), Budget::with(5, 3));
        assert_eq!(new.max_total(7), Options { max_total: 7, ..new });
        assert_eq!(new.empty(true), Options { empty: true, ..new });
        assert_eq!(new.all_instances(true), Options { all_instances: true, ..new });
        assert_eq!(new.any_reserved(true), Options { any_reserved: true, ..new });
        assert_eq!(new.trailing_bytes(true), Options { trailing_bytes: true, ..new });
    }
}
