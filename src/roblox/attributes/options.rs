//! What a decode allows.

use crate::limits::Limits;
use crate::wire::{self, Limited};

/// What decoding allows beyond the specification, and how far it goes. The default is strict, but reads draft types:
/// the layout of a value cannot be skipped, so refusing one loses everything behind it.
///
/// ```
/// use enginewire::roblox::attributes::{self, Options};
///
/// let array = b"\x01\0\0\0\x01\0\0\0a\x07\0\0\0\0";
/// assert!(attributes::decode(array).is_ok());
/// assert!(attributes::decode_with(array, &Options::new().draft_types(false)).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub(super) limits: Limits,
    pub(super) draft_types: bool,
    pub(super) refs: bool,
    pub(super) trailing_bytes: bool,
}

impl Options {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Options { limits: Limits::new(), draft_types: true, refs: false, trailing_bytes: false }
    }

    /// How deep draft arrays and dictionaries may nest; 64 unless said otherwise.
    #[must_use]
    pub const fn limits(self, limits: Limits) -> Self {
        Options { limits: limits.at_most(Limits::MAX_DEPTH), ..self }
    }

    /// Whether types are read that are written down in drafts only and were never seen in a file; true unless said
    /// otherwise. [`TypeId::provenance`](super::TypeId::provenance) says which they are.
    #[must_use]
    pub const fn draft_types(self, allowed: bool) -> Self {
        Options { draft_types: allowed, ..self }
    }

    /// Whether type 0x25 is read as the number of an instance in the binary file around it; false unless said
    /// otherwise. One source describes it, and nothing contradicts that one.
    #[must_use]
    pub const fn refs(self, allowed: bool) -> Self {
        Options { refs: allowed, ..self }
    }

    /// Whether bytes may follow the last entry; false unless said otherwise. They are dropped.
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

impl Limited for Options {
    fn limits(&self) -> Limits {
        self.limits
    }
}

/// Where a value stands: the options, and how much deeper it may go. Made from [`Options`].
pub type Nesting = wire::Nesting<Options>;

impl Nesting {
    /// The default options, but as deep as any can be.
    pub const DEEPEST: Self = Self::deepest(Options::new());
}
