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
}

/// The flags of [`CommonOptions`] that are options here.
const NO_DRAFT_TYPES: u16 = 1 << 14;
const REFS: u16 = 1 << 13;
const ZERO_LENGTH: u16 = 1 << 12;

impl Options {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Options { common: CommonOptions::new() }
    }

    /// Sets whether types are read that only drafts describe and that were never seen in a file; true by default.
    /// [`TypeId::provenance`](super::TypeId::provenance) identifies these types.
    #[must_use]
    pub const fn draft_types(self, allowed: bool) -> Self {
        Options { common: self.common.with_flag(NO_DRAFT_TYPES, !allowed) }
    }

    /// Sets whether type 0x25 is read as the number of an instance in the binary file around it; false by default. One
    /// source describes it, and nothing contradicts that source.
    #[must_use]
    pub const fn refs(self, allowed: bool) -> Self {
        Options { common: self.common.with_flag(REFS, allowed) }
    }

    /// Sets the encoding of empty attributes; no bytes by default. Both forms decode.
    #[must_use]
    pub const fn empty(self, empty: Empty) -> Self {
        Options { common: self.common.with_flag(ZERO_LENGTH, matches!(empty, Empty::ZeroLength)) }
    }

    #[cfg_attr(fast, inline(always))]
    pub(super) const fn has_draft_types(self) -> bool {
        !self.common.flag(NO_DRAFT_TYPES)
    }

    #[cfg_attr(fast, inline(always))]
    pub(super) const fn has_refs(self) -> bool {
        self.common.flag(REFS)
    }

    pub(super) const fn writes_zero_length(self) -> bool {
        self.common.flag(ZERO_LENGTH)
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

/// The context of a value: the options, and how many more levels may be nested in it. Made from [`Options`]:
/// `value(Options::new().into())`.
pub type Nesting = wire::Nesting<Options>;
