//! Events: the subject of a packet, and the ids for them.

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;
use std::str::FromStr;

use cookie_factory::SerializeFn;
use nom::{Mode, OutputMode, PResult, Parser};
use thiserror::Error;

use crate::error::{Fault, Radix};
use crate::wire::{fault, gen_uint16, uint16, Be, Source, Valued, WireError};

/// Writes the table of events.
macro_rules! events {
    ($($name:ident $call:literal $player:literal $doc:literal;)*) => {
        /// An event of a remote. The name alone determines which fields follow in a packet.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EventName {
            $(#[doc = $doc] $name,)*
        }

        #[cfg(feature = "text")]
        crate::member::by_name!(EventName { $($name stringify!($name),)* });

        impl EventName {
            /// Every event.
            pub const ALL: &'static [Self] = &[$(EventName::$name,)*];

            /// The name that the engine uses.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(EventName::$name => stringify!($name),)*
                }
            }

            /// Returns true if the number of a call comes before the arguments.
            #[must_use]
            pub const fn has_call(self) -> bool {
                match self {
                    $(EventName::$name => $call,)*
                }
            }

            /// Returns true if the player comes before the arguments.
            #[must_use]
            pub const fn has_player(self) -> bool {
                match self {
                    $(EventName::$name => $player,)*
                }
            }
        }
    };
}

events! {
    OnClientEvent false false "A RemoteEvent, from the server to a client.";
    OnServerEvent false true "A RemoteEvent, from a client to the server.";
    RemoteOnInvokeClient true false "A call of a RemoteFunction, from the server to a client.";
    RemoteOnInvokeServer true true "A call of a RemoteFunction, from a client to the server.";
    RemoteOnInvokeError true false "The answer to a call that failed: a message and no arguments. Never captured.";
    RemoteOnInvokeSuccess true false "The answer to a call. Never captured.";
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EventName {
    type Err = EventIdsError;

    fn from_str(name: &str) -> Result<Self, EventIdsError> {
        let found = EventName::ALL.iter().find(|event| event.name() == name);
        found.copied().ok_or_else(|| EventIdsError::UnknownName(name.to_owned()))
    }
}

/// The ids of the events. They differ from one build of the engine to the next.
///
/// | id | event | the documentation calls it |
/// |---|---|---|
/// | `0b6f` | OnClientEvent | the rest of Enigma `000b`, and Server To Client Id `6f` |
/// | `0b70` | OnServerEvent | … and Client To Server Id `70` |
/// | `0b79` | RemoteOnInvokeClient | … and Server To Client Id `79` |
/// | `0b7b` | RemoteOnInvokeServer | … and Client To Server Id `7b` |
///
/// These four, captured in the middle of July 2023, are the default. Two weeks before, OnServerEvent was `0b50`; in 2019
/// all were below `0600`. The answers to calls are expected at `0b7a` (error) and `0b7c` (success) beside these four, but
/// were never captured.
///
/// In text, a table is lines of `NAME = ID`, with comments after `#`:
///
/// ```
/// use enginewire::roblox::remote::{EventIds, EventName};
///
/// let ids: EventIds = "OnServerEvent = 0x0b50 # 2 July 2023".parse()?;
/// assert_eq!(ids.name(0x0b50), Some(EventName::OnServerEvent));
/// assert_eq!(ids.id(EventName::OnClientEvent), None);
/// # Ok::<(), enginewire::roblox::remote::EventIdsError>(())
/// ```
#[derive(Clone, Copy)]
pub struct EventIds {
    rows: [Option<(u16, EventName)>; Self::MOST],
}

/// Why a table of ids cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EventIdsError {
    /// More ids than a table can have.
    #[error("a table has at most {} ids", EventIds::MOST)]
    Full,
    /// No event is called this.
    #[error("no event is called {0:?}")]
    UnknownName(String),
    /// A line of a text is not `NAME = ID`.
    #[error("line {line}: {reason}")]
    Line {
        /// The number of the line, counted from 1.
        line: usize,
        /// The reason.
        reason: String,
    },
}

impl EventIds {
    /// The most ids that a table can have: those of five builds.
    pub const MOST: usize = 32;

    /// No id at all.
    #[must_use]
    pub const fn none() -> Self {
        EventIds { rows: [None; Self::MOST] }
    }

    /// The four captured ids.
    #[must_use]
    pub const fn captured() -> Self {
        let mut rows = [None; Self::MOST];
        rows[0] = Some((0x0b6f, EventName::OnClientEvent));
        rows[1] = Some((0x0b70, EventName::OnServerEvent));
        rows[2] = Some((0x0b79, EventName::RemoteOnInvokeClient));
        rows[3] = Some((0x0b7b, EventName::RemoteOnInvokeServer));
        EventIds { rows }
    }

    /// The same table, where `id` means this event and nothing else. An event may have several ids.
    ///
    /// # Errors
    ///
    /// If there are too many.
    pub fn with(mut self, id: u16, name: EventName) -> Result<Self, EventIdsError> {
        let is_place = |row: &&mut Option<(u16, EventName)>| row.is_none_or(|(found, _)| found == id);
        let place = self.rows.iter_mut().find(is_place).ok_or(EventIdsError::Full)?;
        *place = Some((id, name));
        Ok(self)
    }

    /// The ids with their events, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = (u16, EventName)> + '_ {
        self.rows.iter().map_while(|row| *row)
    }

    /// The event that an id means.
    #[must_use]
    #[inline]
    pub fn name(&self, id: u16) -> Option<EventName> {
        self.iter().find(|(found, _)| *found == id).map(|(_, name)| name)
    }

    /// The id of an event, if it has exactly one.
    #[must_use]
    pub fn id(&self, name: EventName) -> Option<u16> {
        let mut ids = self.iter().filter(|(_, found)| *found == name);
        match (ids.next(), ids.next()) {
            (Some((id, _)), None) => Some(id),
            _ => None,
        }
    }

    fn with_row(self, row: &str) -> Result<Self, String> {
        let (name, id) = row.split_once('=').ok_or_else(|| format!("{row:?} is not NAME = ID"))?;
        let (name, id) = (name.trim(), id.trim());
        let name: EventName = name.parse().map_err(|error: EventIdsError| error.to_string())?;
        let number = match id.strip_prefix("0x") {
            Some(digits) => u16::from_str_radix(digits, 16),
            None => id.parse(),
        };
        let id = number.map_err(|_| format!("{id:?} is not an id from 0x0000 to 0xffff"))?;
        match self.name(id) {
            Some(other) => Err(format!("0x{id:04x} is that of {other} already")),
            None => self.with(id, name).map_err(|error| error.to_string()),
        }
    }
}

impl Default for EventIds {
    fn default() -> Self {
        Self::captured()
    }
}

impl PartialEq for EventIds {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for EventIds {}

impl fmt::Debug for EventIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.iter().map(|(id, name)| EventId { id, name });
        f.debug_set().entries(rows).finish()
    }
}

/// Lines of `NAME = ID`. An id is decimal, or hexadecimal after `0x`, and may be in one line only.
impl FromStr for EventIds {
    type Err = EventIdsError;

    fn from_str(text: &str) -> Result<Self, EventIdsError> {
        let mut ids = EventIds::none();
        for (index, line) in text.lines().enumerate() {
            let row = line.split_once('#').map_or(line, |(row, _)| row).trim();
            if !row.is_empty() {
                let wrong = |reason| EventIdsError::Line { line: index.saturating_add(1), reason };
                ids = ids.with_row(row).map_err(wrong)?;
            }
        }
        Ok(ids)
    }
}

/// An id with the event that it means.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventId {
    /// On the wire.
    pub id: u16,
    /// In the table.
    pub name: EventName,
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#06x} {}", self.id, self.name)
    }
}

/// Reads an [`EventId`], a big-endian uint16. One that is not in the table is [`Fault::Unknown`].
///
/// With the captured ids, the bytes `0b 6f` mean `EventName::OnClientEvent`.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Event ids.
#[inline]
pub fn event_id<'i, I: Source, E: WireError<I> + 'i>(
    ids: &'i EventIds,
) -> impl Parser<I, Output = EventId, Error = E> + 'i {
    EventIdParser { ids, error: PhantomData }
}

struct EventIdParser<'i, E> {
    ids: &'i EventIds,
    error: PhantomData<fn() -> E>,
}

impl<I: Source, E: WireError<I>> Parser<I> for EventIdParser<'_, E> {
    type Output = EventId;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, EventId, E> {
        let (rest, id) = uint16::<Be, I, E>().process::<Valued<OM>>(input.clone())?;
        match self.ids.name(id) {
            Some(name) => Ok((rest, OM::Output::bind(|| EventId { id, name }))),
            None => Err(fault::<I, OM, E>(input, unknown(id, self.ids))),
        }
    }
}

#[cold]
fn unknown(id: u16, ids: &EventIds) -> Fault {
    let known = ids.iter().map(|(id, _)| id.into()).collect();
    Fault::Unknown { what: "event id", found: id.into(), radix: Radix::Hexadecimal, known }
}

/// Writes the number of an event id, as [`event_id`] reads it. The number is not looked up in a table.
#[inline]
pub fn gen_event_id<W: Write>(id: u16) -> impl SerializeFn<W> {
    gen_uint16::<Be, W>(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        let ids = EventIds::default();
        for (bytes, id, name) in [
            ("0b6f", 2927, EventName::OnClientEvent),
            ("0b70", 2928, EventName::OnServerEvent),
            ("0b79", 2937, EventName::RemoteOnInvokeClient),
            ("0b7b", 2939, EventName::RemoteOnInvokeServer),
        ] {
            both_ways(&hex(bytes), EventId { id, name }, || event_id(&ids), gen_event_id(id));
        }
    }

    #[test]
    fn an_id_that_is_not_in_the_table_is_at_fault() {
        let error = run(&hex("0b50")[..], event_id(&EventIds::default())).unwrap_err();
        assert_eq!(error.to_string(), "unknown event id 0x0b50, at byte 0x0");
        assert_eq!(error.fault().expected().unwrap(), "one of 0b6f 0b70 0b79 0b7b");
    }

    #[test]
    fn a_table_is_replaced_and_added_to() {
        let ids = EventIds::default().with(0x0b50, EventName::OnServerEvent).unwrap();
        assert_eq!((ids.name(0x0b50), ids.name(0x0b70)), (Some(EventName::OnServerEvent), ids.name(0x0b50)));
        assert_eq!((ids.id(EventName::OnServerEvent), ids.id(EventName::OnClientEvent)), (None, Some(0x0b6f)));
        let moved = EventIds::default().with(0x0b70, EventName::OnClientEvent).unwrap();
        assert_eq!((moved.name(0x0b70), moved.iter().count()), (Some(EventName::OnClientEvent), 4));
        assert_ne!(moved, EventIds::default());
        let full = (0..32).fold(EventIds::none(), |ids, id| ids.with(id, EventName::OnClientEvent).unwrap());
        assert_eq!(full.with(32, EventName::OnClientEvent), Err(EventIdsError::Full));
        assert_eq!(full.with(31, EventName::OnServerEvent).unwrap().name(31), Some(EventName::OnServerEvent));
    }

    #[test]
    fn a_table_is_read_from_lines() {
        let text = "# mine\n\nOnServerEvent = 0x0b50 # July\n OnServerEvent=2928\r\nRemoteOnInvokeError = 0x0b7a\n";
        let ids: EventIds = text.parse().unwrap();
        let shown = "{0x0b50 OnServerEvent, 0x0b70 OnServerEvent, 0x0b7a RemoteOnInvokeError}";
        assert_eq!(format!("{ids:?}"), shown);
        for (text, reason) in [
            ("OnServerEvent 3", r#"line 1: "OnServerEvent 3" is not NAME = ID"#),
            ("\nOnEvent = 3", r#"line 2: no event is called "OnEvent""#),
            ("OnServerEvent = 0x10000", r#"line 1: "0x10000" is not an id from 0x0000 to 0xffff"#),
            ("OnServerEvent = 3\nOnClientEvent = 3", "line 2: 0x0003 is that of OnServerEvent already"),
        ] {
            assert_eq!(text.parse::<EventIds>().unwrap_err().to_string(), reason);
        }
    }
}
