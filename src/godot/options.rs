//! Options of decoding and encoding.

use super::version::Version;
use crate::limits::{common_options, CommonOptions};

/// Options for decoding and encoding. By default, text must be UTF-8, nothing may follow the value, and objects are
/// allowed, as plain data.
///
/// ```
/// use enginewire::godot::{self, Options, Version};
///
/// let latin_1 = b"\x04\0\0\0\x01\0\0\0\xe4\0\0\0";
/// assert!(godot::v4::decode(latin_1).is_err());
/// assert!(godot::decode_with(latin_1, &Options::new(Version::V4).any_text(true)).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub(super) version: Version,
    common: CommonOptions<{ Options::MAX_DEPTH }>,
    pub(super) objects: bool,
    pub(in crate::godot) any_text: bool,
    pub(super) unpadded_bytes: bool,
}

impl Options {
    /// The maximum nesting depth of containers: the engine's own limit.
    pub const MAX_DEPTH: u16 = 1024;

    /// The default options for values of this version. The bytes do not identify the version that wrote them.
    #[must_use]
    pub const fn new(version: Version) -> Self {
        Options { version, common: CommonOptions::new(), objects: true, any_text: false, unpadded_bytes: false }
    }

    /// The version of the values.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Sets whether objects in their full form, with their properties, are allowed; true by default. They are plain data:
    /// nothing is instantiated, loaded or run. Engines refuse them by default.
    ///
    /// The id of an object is allowed in either case, as in engines: as [`Object::Id`](super::Object::Id), at any depth, and in a
    /// [`Signal`](super::Signal). It is a number that the sender chose.
    #[must_use]
    pub const fn objects(self, allowed: bool) -> Self {
        Options { objects: allowed, ..self }
    }

    /// Sets whether text that is not UTF-8 is allowed; false by default. Its bytes are kept. Some engines of version 3 write
    /// surrogates.
    #[must_use]
    pub const fn any_text(self, allowed: bool) -> Self {
        Options { any_text: allowed, ..self }
    }

    /// Sets whether a string or byte array at the end of the input may lack its padding; false by default. Other writers
    /// leave the padding out. Engines read such arrays, but not such strings.
    ///
    /// A [`Decoder`](super::Decoder) returns such a value only after a call of [`end`](super::Decoder::end).
    #[must_use]
    pub const fn unpadded_bytes(self, allowed: bool) -> Self {
        Options { unpadded_bytes: allowed, ..self }
    }

    pub(super) const fn depth(&self) -> u16 {
        self.common.limits().depth()
    }
}

common_options!(Options, common, "Options::MAX_DEPTH");
