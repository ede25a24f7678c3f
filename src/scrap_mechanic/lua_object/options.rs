//! Options for reading and writing objects.

use std::io::Write;

use crate::limits::{common_options, CommonOptions, Limits};
use crate::wire::{self, Be, BitWriter, Bits, Layout, Source};

/// Options for decoding: what to accept beyond what the game writes, and limits. The default is strict, but reads types
/// that were never seen in real data: a value of a refused type cannot be skipped, so everything after it would be lost.
///
/// ```
/// use enginewire::scrap_mechanic::lua_object::{self, Options};
///
/// let padded = b"LUA\0\0\0\x01\x02\xff";
/// assert!(lua_object::decode(padded).is_err());
/// assert!(lua_object::decode_with(padded, &Options::new().any_padding(true)).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub(super) common: CommonOptions<{ Limits::MAX_DEPTH }>,
    pub(super) unverified_types: bool,
    pub(super) any_padding: bool,
}

impl Options {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Options { common: CommonOptions::new(), unverified_types: true, any_padding: false }
    }

    /// Sets whether types that were never seen in files of the game are allowed: Json, JsonTemplate and WeakScriptRef; true
    /// by default. If refused, they are unknown types.
    #[must_use]
    pub const fn unverified_types(self, allowed: bool) -> Self {
        Options { unverified_types: allowed, ..self }
    }

    /// Sets whether bits other than 0 are allowed before a string and after the whole object; false by default. They are
    /// dropped.
    #[must_use]
    pub const fn any_padding(self, allowed: bool) -> Self {
        Options { any_padding: allowed, ..self }
    }
}

common_options!(Options, common, "Limits::MAX_DEPTH");

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Layout for Options {
    type Order = Be;
    type Input<I: Source> = Bits<I>;
    type Writer<W: Write> = BitWriter<W>;
}

/// The options, and how much deeper a value may be nested. Made from [`Options`]: `table(Options::new().into())`.
pub type Nesting = wire::Nesting<Options>;

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn each_option_changes_one_thing() {
        let new = Options::new();
        assert_eq!(Options::default(), new);
        assert_eq!(new.unverified_types(false), Options { unverified_types: false, ..new });
        assert_eq!(new.any_padding(true), Options { any_padding: true, ..new });
        let both = Options { unverified_types: false, any_padding: true, ..new };
        assert_eq!(new.unverified_types(false).any_padding(true), both);
    }
}
