//! What a decode allows.

use crate::limits::Limits;
use crate::wire::{self, Limited};

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
    pub(super) limits: Limits,
    pub(super) unverified_types: bool,
    pub(super) any_padding: bool,
    pub(super) trailing_bytes: bool,
}

impl Options {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        let limits = Limits::new().with_depth(Limits::MAX_DEPTH);
        Options { limits, unverified_types: true, any_padding: false, trailing_bytes: false }
    }

    /// How deep tables may nest; 128 unless said otherwise.
    #[must_use]
    pub const fn limits(self, limits: Limits) -> Self {
        Options { limits: limits.at_most(Limits::MAX_DEPTH), ..self }
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

    /// Whether bytes may follow the object; false unless said otherwise. They are dropped.
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
