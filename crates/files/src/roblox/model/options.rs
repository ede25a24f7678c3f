//! Options for reading files.

use enginewire::budget::{self, Budget};

/// Limits for reading a file, and what is listed.
///
/// ```
/// use enginewire_files::roblox::model::Options;
///
/// let options = Options::new().max_memory(1 << 20).empty(true);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    max_memory: usize,
    taken: usize,
    pub(super) max_total: u64,
    /// True if values that take too much memory are read when they are asked for.
    pub(super) later: bool,
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
            later: false,
            empty: false,
            all_instances: false,
            any_reserved: false,
            trailing_bytes: false,
        }
    }

    /// The memory that listing or editing a file may take, in bytes; 256 MiB by default. Everything counts: unpacked data, the
    /// listing, and what both need meanwhile. A file that the caller has in memory does not count, see [`taken`](Self::taken).
    #[must_use]
    pub const fn max_memory(self, bytes: usize) -> Self {
        Options { max_memory: bytes, ..self }
    }

    /// Counts `bytes` that are taken already, by the file for example, towards [`max_memory`](Self::max_memory).
    #[must_use]
    pub const fn taken(self, bytes: usize) -> Self {
        Options { taken: self.taken.saturating_add(bytes), ..self }
    }

    /// Reads values that take too much memory when they are asked for.
    pub(super) const fn later(self) -> Self {
        Options { later: true, ..self }
    }

    /// The memory that is left.
    pub(super) fn budget(&self) -> Budget {
        Budget::with(self.max_memory, self.taken)
    }

    /// Sets the number of bytes that all chunks together may unpack to; 1 GiB by default. This bounds the time that a small
    /// file can take.
    #[must_use]
    pub const fn max_total(self, bytes: u64) -> Self {
        Options { max_total: bytes, ..self }
    }

    /// Sets whether properties without bytes are listed; false by default. Most properties have no bytes.
    #[must_use]
    pub const fn empty(self, listed: bool) -> Self {
        Options { empty: listed, ..self }
    }

    /// Sets whether instances without a listed property are listed too; false by default. The ancestors of an instance with
    /// a listed property are always listed.
    #[must_use]
    pub const fn all_instances(self, listed: bool) -> Self {
        Options { all_instances: listed, ..self }
    }

    /// Sets whether reserved bytes and the version may be other than 0; false by default.
    #[must_use]
    pub const fn any_reserved(self, allowed: bool) -> Self {
        Options { any_reserved: allowed, ..self }
    }

    /// Sets whether bytes may follow the END chunk or the outermost element without a [warning](super::Listing::warnings);
    /// false by default.
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
