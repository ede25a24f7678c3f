//! What reading and writing objects allows.

use std::io::Write;

use crate::limits::{common_options, CommonOptions, Limits};
use crate::wire::{self, Be, BitWriter, Bits, Layout, Source};

/// What decoding allows beyond what the game writes, and how far it goes. The default is strict, but reads types that
/// were never seen in real data: the layout of a value cannot be skipped, so refusing one loses everything behind it.
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

    /// Whether types are read that were never seen in files of the game: Json, JsonTemplate and WeakScriptRef; true
    /// unless said otherwise. Refused, they are unknown types.
    #[must_use]
    pub const fn unverified_types(self, allowed: bool) -> Self {
        Options { unverified_types: allowed, ..self }
    }

    /// Whether the bits before a string and after the whole may be other than 0; false unless said otherwise. They are
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

/// Where a value stands: the options, and how much deeper it may go. Made from [`Options`].
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
