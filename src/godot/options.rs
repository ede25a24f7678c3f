//! Options of decoding and encoding.

use super::version::Version;
use crate::limits::{common_options, CommonOptions};

/// What decoding and encoding allow. By default, text must be UTF-8, nothing may follow the value, and objects are allowed,
/// as plain data.
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
    /// How deep containers may nest at most: the engine's own limit.
    pub const MAX_DEPTH: u16 = 1024;

    /// The default options for values of this version. The bytes do not say which version wrote them.
    #[must_use]
    pub const fn new(version: Version) -> Self {
        Options { version, common: CommonOptions::new(), objects: true, any_text: false, unpadded_bytes: false }
    }

    /// The version of the values.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Whether objects in their full form, with their properties, are allowed; true by default. They are plain data: nothing
    /// is instantiated, loaded or run. Engines refuse them by default.
    #[must_use]
    pub const fn objects(self, allowed: bool) -> Self {
        Options { objects: allowed, ..self }
    }

    /// Whether text that is not UTF-8 is allowed; false by default. Its bytes are kept. Some engines of version 3 write
    /// surrogates.
    #[must_use]
    pub const fn any_text(self, allowed: bool) -> Self {
        Options { any_text: allowed, ..self }
    }

    /// Whether the padding of a string or byte array may be missing at the end of the input; false by default. Other writers
    /// leave it out. Engines read such arrays, but not such strings.
    ///
    /// A [`Decoder`](super::Decoder) gives such a value when it knows of the [end](super::Decoder::end) of the input.
    #[must_use]
    pub const fn unpadded_bytes(self, allowed: bool) -> Self {
        Options { unpadded_bytes: allowed, ..self }
    }
}

common_options!(Options, common, "Options::MAX_DEPTH");

impl Options {
    pub(super) const fn depth(&self) -> u16 {
        self.common.limits().depth()
    }
}
