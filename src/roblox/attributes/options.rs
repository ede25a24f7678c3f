//! Options for reading and writing attributes.

use std::io::Write;

use crate::limits::{common_options, CommonOptions, Limits};
use crate::wire::{self, Layout, Le, Source};

/// The two encodings of empty attributes.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Blob.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Empty {
    /// No bytes at all, as in `AttributesSerialize`.
    #[default]
    NoBytes,
    /// A dictionary of length 0, as `StyleRule.PropertiesSerialize` must have it.
    ZeroLength,
}

/// Options for decoding: extensions of the specification, and the limits. The default is strict, but reads draft types:
/// a value of an unread type cannot be skipped, so refusing one loses everything after it.
///
/// ```
/// use enginewire::roblox::attributes::{self, Options};
///
/// let faces = b"\x01\0\0\0\x01\0\0\0a\x0c\0\0\0\0";
/// assert!(attributes::decode(faces).is_ok());
/// assert!(attributes::decode_with(faces, &Options::new().draft_types(false)).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub(super) common: CommonOptions<{ Limits::MAX_DEPTH }>,
    pub(super) draft_types: bool,
    pub(super) refs: bool,
    pub(super) empty: Empty,
}

impl Options {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Options { common: CommonOptions::new(), draft_types: true, refs: false, empty: Empty::NoBytes }
    }

    /// Sets whether types are read that only drafts describe and that were never seen in a file; true by default.
    /// [`TypeId::provenance`](super::TypeId::provenance) identifies these types.
    #[must_use]
    pub const fn draft_types(self, allowed: bool) -> Self {
        Options { draft_types: allowed, ..self }
    }

    /// Sets whether type 0x25 is read as the number of an instance in the binary file around it; false by default. One
    /// source describes it, and nothing contradicts that source.
    #[must_use]
    pub const fn refs(self, allowed: bool) -> Self {
        Options { refs: allowed, ..self }
    }

    /// Sets the encoding of empty attributes; no bytes by default. Both forms decode.
    #[must_use]
    pub const fn empty(self, empty: Empty) -> Self {
        Options { empty, ..self }
    }
}

common_options!(Options, common, "Limits::MAX_DEPTH");

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Layout for Options {
    type Order = Le;
    type Input<I: Source> = I;
    type Writer<W: Write> = W;
}

/// The context of a value: the options, and how many more levels may be nested in it. Made from [`Options`].
pub type Nesting = wire::Nesting<Options>;
