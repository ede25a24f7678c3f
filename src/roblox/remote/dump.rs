//! Dumps: several packets in one file.
//!
//! There are two kinds. Packets may follow each other as bytes: [`packets`]. Or each is a line of hexadecimal digits:
//! [`lines`](lines()). A packet does not contain its length. After one that cannot be read, the start of the next is
//! unknown: a dump of bytes ends there, and a dump of lines continues with the next line. A byte 0x83 is never taken for
//! the start of a packet because it looks like one, unless [`Packets::resync`] asks for that.

pub use crate::wire::{lines, Line, LineError};

use super::{decode_partial, Options, Partial, PACKET_TYPE};
use crate::number::to_usize;
use crate::resync::Resync;

/// A packet in a dump.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Found<'a> {
    /// The offset of its first byte in the dump.
    pub offset: usize,
    /// Its bytes. If it cannot be read, these are all bytes from its start on, or those before the place where
    /// [`Packets::resync`] continues.
    pub bytes: &'a [u8],
    /// The part of it that could be read. Offsets count from its start.
    pub partial: Partial<'a>,
}

/// The packets that follow each other in `input`. The last one may have an error.
///
/// ```
/// use enginewire::roblox::remote::{dump::packets, Options};
///
/// let dump = b"\x83\0\x83\x07\0\x0b\x6f\0\0\x83\x07\0\xff\xff\0\0\x83\0";
/// let found: Vec<_> = packets(dump, Options::new()).collect();
/// assert_eq!(found.iter().map(|found| found.offset).collect::<Vec<_>>(), [0, 2, 9]);
/// assert_eq!(found[2].partial.error.as_ref().unwrap().offset(), 3);
/// ```
#[must_use]
pub fn packets(input: &[u8], options: Options) -> Packets<'_> {
    Packets { rest: input, offset: 0, options, resync: None }
}

/// The packets of a dump. Made by [`packets`].
#[derive(Clone, Debug)]
pub struct Packets<'a> {
    rest: &'a [u8],
    offset: usize,
    options: Options,
    resync: Option<Resync>,
}

impl Packets<'_> {
    /// The same packets, and those after one that cannot be read. The broken one ends where the next plausible one begins. A
    /// packet is plausible if it can be read, is not empty, and is at the end of the dump or before a byte 0x83. Other bytes may
    /// look like a packet.
    ///
    /// ```
    /// use enginewire::roblox::remote::{dump::packets, Options};
    ///
    /// let dump = b"\x83\x07\0\xff\xff\0\0\x83\x07\0\x0b\x6f\0\0";
    /// let found: Vec<_> = packets(dump, Options::new()).resync().collect();
    /// assert_eq!((found[0].bytes.len(), found[0].partial.error.is_some()), (7, true));
    /// assert_eq!((found[1].offset, &found[1].partial.error), (7, &None));
    /// ```
    #[must_use]
    pub fn resync(self) -> Self {
        Packets { resync: Some(Resync::new(self.rest.len())), ..self }
    }
}

/// Returns true if the bytes begin with a packet, and the number of bytes that were read to determine that.
fn begins(bytes: &[u8], options: &Options) -> (bool, usize) {
    if bytes.first() != Some(&PACKET_TYPE) {
        return (false, 0);
    }
    match decode_partial(bytes, options) {
        Partial { error: Some(error), .. } => (false, to_usize(error.offset().byte())),
        Partial { value, rest, .. } => {
            let is_plausible = value.is_some_and(|packet| !packet.packets.is_empty());
            (
                is_plausible && rest.first().is_none_or(|next| *next == PACKET_TYPE),
                bytes.len().saturating_sub(rest.len()),
            )
        }
    }
}

impl<'a> Iterator for Packets<'a> {
    type Item = Found<'a>;

    #[inline]
    fn next(&mut self) -> Option<Found<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (offset, input) = (self.offset, self.rest);
        let partial = decode_partial(input, &self.options.trailing_bytes(true));
        let length = match (&partial.error, &mut self.resync) {
            (Some(error), Some(resync)) => {
                let options = self.options.trailing_bytes(true);
                // the packet itself was read, too
                resync.is_found(|| (false, to_usize(error.offset().byte())));
                resync.skip(input, |bytes| begins(bytes, &options))
            }
            (Some(_), None) => input.len(),
            (None, _) => input.len().saturating_sub(partial.rest.len()),
        };
        let (bytes, rest) = input.split_at_checked(length)?;
        (self.offset, self.rest) = (offset.saturating_add(length), rest);
        // what could not be read of the packet
        let read = input.len().saturating_sub(partial.rest.len());
        let left = if partial.error.is_some() { bytes.get(read..).unwrap_or_default() } else { &[] };
        Some(Found { offset, bytes, partial: Partial { rest: left, ..partial } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
    use pretty_assertions::assert_eq;

    #[test]
    fn packets_stand_one_after_the_other() {
        let bytes = hex("8300 83 07000b6f0183 00 8300");
        let found: Vec<_> = packets(&hex("8300 83 07000b6f0101 00 8300"), Options::new())
            .map(|found| {
                assert_eq!((found.partial.error, found.partial.rest.len()), (None, 0));
                (found.offset, found.bytes.len(), found.partial.value.unwrap().packets.len())
            })
            .collect();
        assert_eq!(found, [(0, 2, 0), (2, 8, 1), (10, 2, 0)]);
        // bytes after an error are not a packet, even if they look like one
        let found: Vec<_> =
            packets(&bytes, Options::new()).map(|found| (found.offset, found.partial.rest.len())).collect();
        assert_eq!(found, [(0, 0), (2, 9)]);
        assert_eq!(packets(&[], Options::new()).count(), 0);
    }

    #[test]
    fn what_was_read_of_a_broken_packet_is_kept() {
        let bytes = hex("83 07000b6f00 07000b6f03 0901 02016a 9900 00");
        let found = packets(&bytes, Options::new()).next().unwrap();
        let Partial { value, unfinished, rest, error } = found.partial;
        assert_eq!((value.unwrap().packets.len(), rest), (1, &bytes[6..]));
        assert_eq!(unfinished.unwrap().event.arguments(), [true.into(), "j".into()]);
        let expected = "unknown type id 0x99, at byte 0x10 in packets[1].arguments[2].type";
        assert_eq!(error.unwrap().to_string(), expected);
    }
}
