//! How files are read.

/// How far reading goes, and what it gives.
///
/// ```
/// use enginewire::roblox::model::Options;
///
/// let options = Options::new().max_chunk(1 << 20).empty(true);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub(super) max_chunk: usize,
    pub(super) max_total: u64,
    pub(super) max_items: usize,
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
            max_chunk: 256 << 20,
            max_total: 1 << 30,
            max_items: 2 << 20,
            empty: false,
            all_instances: false,
            any_reserved: false,
            trailing_bytes: false,
        }
    }

    /// How large the data of a single compressed chunk may be, or an XML file that is read; 256 MiB unless said otherwise.
    #[must_use]
    pub const fn max_chunk(self, bytes: usize) -> Self {
        Options { max_chunk: bytes, ..self }
    }

    /// How large the data of all chunks that are decompressed may be together; 1 GiB unless said otherwise. One is held at
    /// a time.
    #[must_use]
    pub const fn max_total(self, bytes: u64) -> Self {
        Options { max_total: bytes, ..self }
    }

    /// How many properties are listed, and how many instances; two million of each unless said otherwise. A small file can
    /// have very many.
    #[must_use]
    pub const fn max_items(self, count: usize) -> Self {
        Options { max_items: count, ..self }
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
