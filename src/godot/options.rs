//! What reading and writing values allows.

use super::version::Version;
use crate::limits::{common_options, CommonOptions, Limits};
use crate::wire::Limited;

/// What decoding allows, and how far it goes. The default is strict about text and trailing bytes, and reads objects as
/// the data they are.
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
    pub(super) any_text: bool,
    pub(super) unpadded_bytes: bool,
}

impl Options {
    /// The deepest nesting there is: the engine's own limit.
    pub const MAX_DEPTH: u16 = 1024;

    /// The default options for values of this version. The bytes do not say which version wrote them.
    #[must_use]
    pub const fn new(version: Version) -> Self {
        Options { version, common: CommonOptions::new(), objects: true, any_text: false, unpadded_bytes: false }
    }

    /// The version of the engine that the values are of.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
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
}

common_options!(Options, common);

impl Limited for Options {
    fn limits(&self) -> Limits {
        self.common.limits()
    }
}

impl Options {
    pub(super) const fn depth(&self) -> u16 {
        self.common.limits().depth()
    }

    pub(super) const fn allows_trailing_bytes(&self) -> bool {
        self.common.trailing_bytes()
    }
}
