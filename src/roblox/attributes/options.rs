//! What reading and writing attributes allows.

use std::io::Write;

use crate::limits::{common_options, CommonOptions, Limits};
use crate::wire::{self, Layout, Le, Source};

/// The two ways to write that there are no attributes.
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

/// What decoding allows beyond the specification, and how far it goes. The default is strict, but reads draft types:
/// the layout of a value cannot be skipped, so refusing one loses everything behind it.
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

    /// How to encode that there are no attributes: as no bytes, unless said otherwise. Both forms decode.
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

/// Where a value stands: the options, and how much deeper it may go. Made from [`Options`].
pub type Nesting = wire::Nesting<Options>;
