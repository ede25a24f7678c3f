//! Options of the formats.

use enginewire::godot::Framing;
use enginewire::roblox::remote::EventIds;

/// How values are decoded and encoded. Each format takes the options it has.
#[derive(Clone, Debug)]
pub struct FormatOptions {
    /// Maximum nesting; by default that of the format.
    pub max_depth: Option<u16>,
    /// Memory that a file may take, in bytes.
    pub max_memory: usize,
    pub no_draft_types: bool,
    pub refs: bool,
    pub event_ids: EventIds,
    pub unverified_types: bool,
    pub allow_padding: bool,
    pub no_objects: bool,
    pub any_text: bool,
    pub allow_trailing: bool,
    /// How the length before each value is written, if there is one.
    pub framing: Option<Framing>,
    /// Encode an empty list as a zero length instead of zero bytes.
    pub zero_length: bool,
}
