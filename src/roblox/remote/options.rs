//! What a decode allows.

use super::event::EventIds;
use crate::limits::Limits;
use crate::wire::{self, Limited};

/// What decoding allows beyond what was captured, how far it goes, and which event ids there are. The default is strict.
///
/// ```
/// use enginewire::roblox::remote::{self, EventIds, EventName, Options};
///
/// let packet = b"\x83\x07\x01\x7f\x6d\x11\0\x0b\x50\0\0\0";
/// assert!(remote::decode(packet).is_err());
/// let ids = EventIds::none().with(0x0b50, EventName::OnServerEvent)?;
/// assert!(remote::decode_with(packet, &Options::new().event_ids(ids)).is_ok());
/// # Ok::<(), enginewire::roblox::remote::EventIdsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub(super) event_ids: EventIds,
    pub(super) trailing_bytes: bool,
    pub(super) values: ValueOptions,
}

/// What of the [`Options`] is about values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueOptions {
    limits: Limits,
    pub(super) unverified_types: bool,
}

impl Options {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        let limits = Limits::new().with_depth(Limits::MAX_DEPTH);
        Options {
            event_ids: EventIds::captured(),
            trailing_bytes: false,
            values: ValueOptions { limits, unverified_types: false },
        }
    }

    /// Which ids stand for which events, instead of the captured ones.
    #[must_use]
    pub const fn event_ids(self, event_ids: EventIds) -> Self {
        Options { event_ids, ..self }
    }

    /// How deep arrays and dictionaries may nest; 128 unless said otherwise.
    #[must_use]
    pub const fn limits(self, limits: Limits) -> Self {
        Options { values: ValueOptions { limits, ..self.values }, ..self }
    }

    /// Whether types are read that one description of 2020 has and no capture shows; false unless said otherwise. Sources
    /// disagree about some, and none is to be relied on. [`TypeId::provenance`](super::TypeId::provenance) says which they are.
    #[must_use]
    pub const fn unverified_types(self, allowed: bool) -> Self {
        Options { values: ValueOptions { unverified_types: allowed, ..self.values }, ..self }
    }

    /// Whether bytes may follow the packet; false unless said otherwise. They are dropped.
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

impl Default for ValueOptions {
    fn default() -> Self {
        Options::new().values
    }
}

impl Limited for ValueOptions {
    fn limits(&self) -> Limits {
        self.limits
    }
}

/// Where a value stands: the options, and how much deeper it may go. Made from [`Options`].
pub type Nesting = wire::Nesting<ValueOptions>;

impl Nesting {
    /// The default options, but as deep as any can be.
    pub const DEEPEST: Self = Self::deepest(Options::new().values);
}

impl From<Options> for Nesting {
    fn from(options: Options) -> Self {
        options.values.into()
    }
}
