//! A dump as a container.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use base16ct::lower;
use serde_json::json;

use crate::address::{item, line as line_at};
use crate::containers::{append, Arranged, Container, ContainerError, Embedded, ValueChange, AFTER_BROKEN};
use enginewire::budget;
use enginewire::error::DecodeError;
use enginewire::number::to_u64;
use enginewire::resync::skipped;
use enginewire::roblox::remote::dump::{lines, packets};
use enginewire::roblox::remote::{check_with, Options, RemoteFormat};
use enginewire::wire::format::length;

const FORMATS: &[&str] = &["roblox-remote"];

/// Several packets in one file as a [`Container`]. The address of a packet is its offset, or its line.
#[derive(Clone, Debug)]
pub struct Dump {
    bytes: Vec<u8>,
    is_hex: bool,
    options: Options,
    max_memory: usize,
    resync: bool,
}

/// A packet: its offset, its bytes, and why it cannot be decoded.
type Found<'d> = (usize, &'d [u8], Option<DecodeError>);

impl Dump {
    /// The packets in these bytes: either following each other directly, or each a line of hexadecimal digits.
    #[must_use]
    pub fn new(bytes: Vec<u8>, is_hex: bool, options: Options) -> Self {
        Dump { bytes, is_hex, options, max_memory: budget::DEFAULT, resync: false }
    }

    /// The file may have this size after a change, in bytes; 256 MiB unless set.
    #[must_use]
    pub fn max_memory(self, bytes: usize) -> Self {
        Dump { max_memory: bytes, ..self }
    }

    /// Sets whether to read the packets after a broken one, found by
    /// [`Packets::resync`](enginewire::roblox::remote::dump::Packets::resync). In a dump of lines they are always read.
    #[must_use]
    pub fn resync(self, resync: bool) -> Self {
        Dump { resync, ..self }
    }

    /// The packets that follow each other, found by [`packets`]. Nothing is decoded, unless `resync` is set.
    fn packets(&self) -> Box<dyn Iterator<Item = Found<'_>> + '_> {
        if self.resync {
            let found = packets(&self.bytes, self.options).resync();
            return Box::new(found.map(|found| (found.offset, found.bytes, found.partial.error)));
        }
        let mut rest = &*self.bytes;
        Box::new(std::iter::from_fn(move || {
            let (start, offset) = (rest, self.bytes.len().saturating_sub(rest.len()));
            let length = length::<RemoteFormat>(start, &self.options.trailing_bytes(true)).unwrap_or(start.len());
            let (bytes, behind) = start.split_at_checked(length).filter(|_| !start.is_empty())?;
            rest = behind;
            Some((offset, bytes, None))
        }))
    }

    /// The lines with other packets. Comments are kept, except those of packets that are removed.
    fn changed_lines(&self, changes: &Arranged<'_>) -> Result<Vec<u8>, ContainerError> {
        let numbers: BTreeMap<usize, Option<&[u8]>> = lines(&self.bytes)
            .enumerate()
            .filter_map(|(index, line)| changes.values.get(&index).map(|bytes| (line.number, *bytes)))
            .collect();
        let (mut changed, mut next) = (Vec::new(), 1usize);
        let added = |bytes: &[u8]| [lower::encode_string(bytes).as_bytes(), b"\n"].concat();
        for addition in &changes.first {
            append(&mut changed, &added(addition.bytes), self.max_memory)?;
        }
        for (line, number) in self.bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
            next = next.saturating_add(1);
            let mut kept = line;
            if let Some(bytes) = numbers.get(&number) {
                let Some(bytes) = bytes else { continue };
                let digits = line.iter().position(|byte| *byte == b'#').unwrap_or(line.len());
                let digits = line.get(..digits).unwrap_or_default().trim_ascii_end().len();
                append(&mut changed, lower::encode_string(bytes).as_bytes(), self.max_memory)?;
                kept = line.get(digits..).unwrap_or_default();
            }
            append(&mut changed, kept, self.max_memory)?;
        }
        changes.check_addresses((1, next), line_at)?;
        for addition in &changes.last {
            if !changed.is_empty() && !changed.ends_with(b"\n") {
                append(&mut changed, b"\n", self.max_memory)?;
            }
            append(&mut changed, &added(addition.bytes), self.max_memory)?;
        }
        Ok(changed)
    }
}

impl Container for Dump {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        if self.is_hex {
            for line in lines(&self.bytes) {
                let bytes = line.bytes.map_err(ContainerError::malformed);
                let members = vec![("line", json!(line.number))];
                if each(Embedded::new(line_at(line.number), FORMATS, bytes).with_members(members)).is_break() {
                    break;
                }
            }
            return Ok(());
        }
        for (number, (offset, bytes, error)) in self.packets().enumerate() {
            let members = vec![("offset", json!(offset))];
            let is_last = offset.saturating_add(bytes.len()) == self.bytes.len();
            let (bytes, broken_at) = match error {
                Some(error) if !is_last => {
                    let at = to_u64(offset).saturating_add(error.offset().byte());
                    (Err(ContainerError::Malformed(skipped(error, offset, bytes.len()))), Some(at))
                }
                _ => (Ok(bytes), None),
            };
            if each(Embedded {
                is_open: true,
                start: Some(to_u64(offset)),
                broken_at,
                ..Embedded::new(item(number), FORMATS, bytes).with_members(members)
            })
            .is_break()
            {
                break;
            }
        }
        Ok(())
    }

    /// Each value must be one whole packet: a dump has no lengths, so that anything else would change what follows it.
    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let changes = Arranged::new(self, changes)?;
        for bytes in changes.new_bytes() {
            check_with(bytes, &self.options.trailing_bytes(false), |_, _| {}).map_err(ContainerError::malformed)?;
        }
        if self.is_hex {
            return self.changed_lines(&changes);
        }
        let (mut changed, mut count, mut last) = (Vec::new(), 0usize, None);
        for addition in &changes.first {
            append(&mut changed, addition.bytes, self.max_memory)?;
        }
        for (number, (_, bytes, _)) in self.packets().enumerate() {
            count = number.saturating_add(1);
            let bytes = changes.values.get(&number).copied().unwrap_or(Some(bytes));
            append(&mut changed, bytes.unwrap_or_default(), self.max_memory)?;
            last = bytes.or(last);
        }
        changes.check_addresses((0, count), item)?;
        let is_broken = |bytes: &[u8]| check_with(bytes, &self.options, |_, _| {}).is_err();
        if !changes.last.is_empty() && last.is_some_and(is_broken) {
            return Err(ContainerError::Refused(AFTER_BROKEN.to_owned()));
        }
        for addition in &changes.last {
            append(&mut changed, addition.bytes, self.max_memory)?;
        }
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn packets_are_replaced() {
        let replaced = |bytes: &[u8], is_hex| {
            let dump = Dump::new(bytes.to_vec(), is_hex, Options::new());
            let values = dump.list().unwrap();
            let bytes: &[u8] = b"\x83\x07\0\x0b\x6f\0\0";
            let within = |limit| {
                dump.clone().max_memory(limit).changed(&[ValueChange::Replace { address: &values[1].address, bytes }])
            };
            let changed = within(256 << 20).unwrap();
            assert_eq!(within(changed.len()).unwrap(), changed);
            assert!(matches!(within(changed.len() - 1), Err(ContainerError::TooLarge { .. })));
            assert_eq!(dump.changed(&[]).unwrap(), dump.bytes);
            (values[1].address.to_string(), changed)
        };
        let expected = ("[1]".to_owned(), b"\x83\0\x83\x07\0\x0b\x6f\0\0\x83\0".to_vec());
        assert_eq!(replaced(b"\x83\0\x83\0\x83\0", false), expected);
        let expected = ("lines[3]".to_owned(), b"8300\n# two\n8307000b6f0000 # x\n".to_vec());
        assert_eq!(replaced(b"8300\n# two\n83 00 # x\n", true), expected);
    }

    /// Other bytes would be read as no packet, as two packets, or together with the next packet.
    #[test]
    fn only_a_whole_packet_replaces_another() {
        for is_hex in [false, true] {
            let bytes: &[u8] = if is_hex { b"8300\n8300" } else { b"\x83\0\x83\0" };
            let dump = Dump::new(bytes.to_vec(), is_hex, Options::new().trailing_bytes(true));
            let address = &dump.list().unwrap()[0].address;
            for bytes in [&b""[..], b"\x83", b"\x83\0\x83\0", b"\0"] {
                let error = dump.changed(&[ValueChange::Replace { address, bytes }]).unwrap_err();
                assert!(matches!(error, ContainerError::Malformed(_)), "{error:?}");
            }
        }
    }

    /// A packet that cannot be read ends where the next plausible one begins.
    #[test]
    fn packets_go_on_behind_what_is_none() {
        let good: &[u8] = b"\x83\x07\0\x0b\x6f\0\0";
        let bad: &[u8] = b"\x83\x07\0\xff\xff\0\0";
        for (parts, expected) in [
            (&[good, bad, good][..], &[None, Some("; 7 bytes are skipped, from byte 0x7 on"), None][..]),
            (&[bad, good], &[Some("; 7 bytes are skipped, from byte 0x0 on"), None]),
            // the second 0x83 begins no packet that can be read
            (&[b"\x83\x83\x01", good], &[Some("; 3 bytes are skipped, from byte 0x0 on"), None]),
            (&[good, b"x", good], &[None, Some("; 1 byte is skipped, from byte 0x7 on"), None]),
        ] {
            let bytes = parts.concat();
            let dump = Dump::new(bytes.clone(), false, Options::new()).resync(true);
            let values = dump.list().unwrap();
            assert_eq!(values.len(), expected.len());
            for (value, reason) in values.iter().zip(expected) {
                match (&value.bytes, reason) {
                    (Ok(bytes), None) => assert_eq!(&**bytes, good),
                    (Err(error), Some(reason)) => assert!(error.to_string().ends_with(reason), "{error}"),
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(dump.changed(&[]).unwrap(), bytes);
            let (address, all) = (&values[0].address, values.len());
            let changed = dump.changed(&[ValueChange::Replace { address, bytes: good }]).unwrap();
            assert_eq!(Dump::new(changed, false, Options::new()).resync(true).list().unwrap().len(), all);
        }
        // nothing follows the broken packet, so its bytes are all that are left
        let dump = Dump::new([good, bad].concat(), false, Options::new()).resync(true);
        assert_eq!(dump.list().unwrap()[1].bytes.as_deref().unwrap(), bad);
        // by default, nothing is read after it
        let dump = Dump::new([bad, good].concat(), false, Options::new());
        assert_eq!(dump.list().unwrap().len(), 1);
    }
}
