//! Options for reading and writing packets.

use std::io::Write;

use super::event::EventIds;
use crate::limits::{common_options, CommonOptions, Limited, Limits};
use crate::wire::{self, Be, Layout, Source};

/// Options for decoding: the limits, and the event ids. The default is strict.
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
    pub(super) values: ValueOptions,
}

/// The part of the [`Options`] that concerns values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueOptions {
    pub(super) common: CommonOptions<{ Limits::MAX_DEPTH }>,
}

impl Options {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Options { event_ids: EventIds::captured(), values: ValueOptions { common: CommonOptions::new() } }
    }

    /// Sets the ids of the events, instead of the captured ones.
    #[must_use]
    pub const fn event_ids(self, event_ids: EventIds) -> Self {
        Options { event_ids, ..self }
    }
}

common_options!(Options, values.common, "Limits::MAX_DEPTH");

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
        self.common.limits()
    }

    fn allows_trailing_bytes(&self) -> bool {
        self.common.trailing_bytes()
    }
}

impl Layout for ValueOptions {
    type Order = Be;
    type Input<I: Source> = I;
    type Writer<W: Write> = W;
}

/// The context of a value: the options, and how many more levels may be nested in it. Made from [`Options`]:
/// `value(Options::new().into())`.
pub type Nesting = wire::Nesting<ValueOptions>;

impl From<Options> for Nesting {
    fn from(options: Options) -> Self {
        options.values.into()
    }
}
