//! What a decode allows.

use crate::limits::Limits;

/// What decoding allows, and how far it goes. The default is strict about text and trailing bytes, and reads objects as
/// the data they are.
///
/// ```
/// use enginewire::godot::{self, Options, Version};
///
/// let latin_1 = b"\x04\0\0\0\x01\0\0\0\xe4\0\0\0";
/// assert!(godot::decode(Version::V4, latin_1).is_err());
/// assert!(godot::decode_with(Version::V4, latin_1, &Options::new().any_text(true)).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub(super) limits: Limits,
    pub(super) objects: bool,
    pub(super) any_text: bool,
    pub(super) unpadded_bytes: bool,
    pub(super) trailing_bytes: bool,
}

impl Options {
    /// The deepest nesting there is: the engine's own limit.
    pub const MAX_DEPTH: u16 = 1024;

    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        let limits = Limits::new().with_depth(Self::MAX_DEPTH);
        Options { limits, objects: true, any_text: false, unpadded_bytes: false, trailing_bytes: false }
    }

    /// How deep values may nest; 1024 unless said otherwise, as in the engine, and no more.
    ///
    /// The outermost value lies at depth 0, and what it holds at depth 1. So an empty container may lie as deep as any
    /// other value.
    #[must_use]
    pub const fn limits(self, limits: Limits) -> Self {
        Options { limits: limits.at_most(Self::MAX_DEPTH), ..self }
    }

    /// Whether objects are read in their full form, with their properties; true unless said otherwise. They are data
    /// here: nothing is made, loaded or run. Engines refuse them unless told otherwise.
    #[must_use]
    pub const fn objects(self, allowed: bool) -> Self {
        Options { objects: allowed, ..self }
    }

    /// Whether text may be other than UTF-8; false unless said otherwise. Its bytes are kept. Some engines of version 3
    /// write surrogates.
    #[must_use]
    pub const fn any_text(self, allowed: bool) -> Self {
        Options { any_text: allowed, ..self }
    }

    /// Whether the padding of a byte array may be missing at the end of the input; false unless said otherwise. Engines
    /// read that, and do not write it.
    ///
    /// A stream cannot say that it is at the end of a value, so that a [`Decoder`](super::Decoder) does not heed this.
    #[must_use]
    pub const fn unpadded_bytes(self, allowed: bool) -> Self {
        Options { unpadded_bytes: allowed, ..self }
    }

    /// Whether bytes may follow the value; false unless said otherwise. They are dropped.
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
