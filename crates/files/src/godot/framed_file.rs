//! Values with a length before each as a container.

use std::borrow::Cow;
use std::io::Read;
use std::ops::ControlFlow;

use serde_json::json;

use super::settings_file::{of_one_version, FORMATS};
use crate::address::{item, Address};
use crate::containers::{append, Arranged, Container, ContainerError, Embedded, Member, ValueChange, AFTER_BROKEN};
use enginewire::budget;
use enginewire::godot::Framing;
use enginewire::godot::{check_with, Options, Version};
use enginewire::number::{to_u64, to_usize};
use enginewire::resync::{skipped, Resync};

/// Values with a length before each as a [`Container`]. The address of a value is its number: `[3]`.
#[derive(Clone, Debug)]
pub struct FramedFile<'f> {
    bytes: Cow<'f, [u8]>,
    framing: Framing,
    max_memory: usize,
    resync: bool,
}

impl<'f> FramedFile<'f> {
    /// A file with these bytes, whose lengths have this byte order.
    #[must_use]
    pub fn new(bytes: impl Into<Cow<'f, [u8]>>, framing: Framing) -> Self {
        FramedFile { bytes: bytes.into(), framing, max_memory: budget::DEFAULT, resync: false }
    }

    /// The file may have this size after a change, in bytes; 256 MiB unless set.
    #[must_use]
    pub fn max_memory(self, bytes: usize) -> Self {
        FramedFile { max_memory: bytes, ..self }
    }

    /// Sets whether reading continues after a broken frame, at the next plausible one. A frame is plausible if its value is
    /// valid and it is followed by the end of the file or by a length that fits. Bytes that are not a frame may look like
    /// one.
    #[must_use]
    pub fn resync(self, resync: bool) -> Self {
        FramedFile { resync, ..self }
    }

    fn append_frame(&self, file: &mut Vec<u8>, value: &[u8]) -> Result<(), ContainerError> {
        let length = u32::try_from(value.len())
            .map_err(|_| ContainerError::malformed("the value is too long for a frame: at most 4294967295 bytes"))?;
        append(file, &self.framing.length_bytes(length), self.max_memory)?;
        append(file, value, self.max_memory)
    }

    /// Splits bytes into the value of their first frame and the rest.
    fn split<'b>(&self, bytes: &'b [u8]) -> Option<(&'b [u8], &'b [u8])> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        rest.split_at_checked(to_usize(self.framing.length(*length)))
    }

    /// True if these bytes can follow a frame: they are empty, or they begin with a length that fits and is not 0.
    fn may_follow(&self, bytes: &[u8]) -> bool {
        bytes.is_empty() || self.split(bytes).is_some_and(|(value, _)| !value.is_empty())
    }

    /// Returns true if these bytes are a value of some version, and the number of bytes that were read to determine it.
    fn is_value(value: &[u8]) -> (bool, usize) {
        let mut read = 0usize;
        let is_value = [Version::V3, Version::V4].into_iter().any(|version| {
            match check_with(value, &Options::new(version), |_, _| {}) {
                Ok(_) => true,
                Err(error) => {
                    read = read.saturating_add(to_usize(error.offset().byte()));
                    false
                }
            }
        });
        (is_value, if is_value { read.saturating_add(value.len()) } else { read })
    }

    /// Returns true if bytes begin with a frame whose value is valid and after which the end or a length that fits comes,
    /// and the number of bytes that were read to determine it.
    fn begins(&self, bytes: &[u8]) -> (bool, usize) {
        match self.split(bytes) {
            Some((value, rest)) if self.may_follow(rest) => Self::is_value(value),
            _ => (false, 0),
        }
    }

    /// Calls `each` with every frame, and with the bytes between frames, until it breaks.
    fn parts(&self, each: &mut dyn FnMut(Part<'_>) -> ControlFlow<()>) {
        let mut resync = Resync::new(self.bytes.len());
        let mut rest = &*self.bytes;
        while !rest.is_empty() {
            let offset = self.bytes.len().saturating_sub(rest.len());
            let found = self.split(rest);
            // a broken value with the right length is followed by another frame
            let mut is_frame =
                |value, after| !self.resync || self.may_follow(after) || resync.is_found(|| Self::is_value(value));
            let (part, after) = match found.filter(|(value, after)| is_frame(value, after)) {
                Some((value, after)) => (Part::Frame { offset, value }, after),
                None => {
                    let length = if self.resync { resync.skip(rest, |bytes| self.begins(bytes)) } else { rest.len() };
                    let (bytes, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
                    (Part::Other { offset, bytes }, after)
                }
            };
            if each(part).is_break() {
                return;
            }
            rest = after;
        }
    }

    /// The error for bytes that are not a frame.
    fn broken(&self, offset: usize, bytes: &[u8]) -> ContainerError {
        let length = bytes.first_chunk::<4>().map(|length| self.framing.length(*length));
        if offset.saturating_add(bytes.len()) < self.bytes.len() {
            let size = length.map(|length| format!(" of {length} bytes")).unwrap_or_default();
            let reason = match self.split(self.bytes.get(offset..).unwrap_or_default()) {
                Some(_) => format!("a frame{size} holds no valid value and is not followed by another"),
                None => format!("a frame{size} goes beyond the end of the file"),
            };
            return ContainerError::Malformed(skipped(reason, offset, bytes.len()));
        }
        cut_frame(to_u64(offset), length)
    }
}

/// The length of the length before a value.
const LENGTH: u64 = 4;

/// A part of a file of frames.
enum Part<'b> {
    Frame {
        offset: usize,
        value: &'b [u8],
    },
    /// Bytes that are not a frame.
    Other {
        offset: usize,
        bytes: &'b [u8],
    },
}

impl Container for FramedFile<'_> {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let mut number = 0usize;
        self.parts(&mut |part| {
            let (bytes, offset) = match part {
                Part::Frame { offset, value } => (Ok(value), offset),
                Part::Other { offset, bytes } => (Err(self.broken(offset, bytes)), offset),
            };
            let (address, members) = frame_address(number, self.resync.then_some(offset));
            number = number.saturating_add(1);
            let broken_at = bytes.is_err().then(|| to_u64(offset));
            let start = bytes.is_ok().then(|| to_u64(offset).saturating_add(LENGTH));
            each(Embedded { start, broken_at, ..Embedded::new(address, FORMATS, bytes).with_members(members) })
        });
        Ok(())
    }

    /// Bytes that are not a frame stay as they are, unless a change removes them or puts a frame in their place.
    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let changes = Arranged::new(self, changes)?;
        of_one_version(self, &changes)?;
        let (mut file, mut number, mut done) = (Vec::new(), 0usize, Ok(()));
        for addition in &changes.first {
            self.append_frame(&mut file, addition.bytes)?;
        }
        self.parts(&mut |part| {
            done = match (part, changes.values.get(&number)) {
                (_, Some(None)) => Ok(()),
                (Part::Frame { value, .. }, None) => self.append_frame(&mut file, value),
                (_, Some(Some(new))) => self.append_frame(&mut file, new),
                (Part::Other { .. }, None) if !self.resync && !changes.last.is_empty() => {
                    Err(ContainerError::Refused(AFTER_BROKEN.to_owned()))
                }
                (Part::Other { bytes, .. }, None) => append(&mut file, bytes, self.max_memory),
            };
            number = number.saturating_add(1);
            if done.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        done?;
        changes.check_addresses((0, number), item)?;
        for addition in &changes.last {
            self.append_frame(&mut file, addition.bytes)?;
        }
        Ok(file)
    }
}

/// The address of the value with this number, and its members: with `resync`, also the offset.
fn frame_address(number: usize, offset: Option<usize>) -> (Address, Vec<Member>) {
    let offset = offset.map(|offset| ("offset", json!(offset)));
    (item(number), [("index", json!(number))].into_iter().chain(offset).collect())
}

/// The error for a frame at byte `at` that is cut, perhaps within its length.
fn cut_frame(at: u64, length: Option<u32>) -> ContainerError {
    let size = length.map(|length| format!(" of {length} bytes")).unwrap_or_default();
    ContainerError::Truncated(format!("input ends inside a frame{size} that begins at byte {at:#x}"))
}

/// Values with a length before each, from a reader. Each is there as soon as its last byte is, and one is in memory at a
/// time. The values and errors are those of a [`FramedFile`].
///
/// ```
/// use enginewire::godot::Framing;
/// use enginewire_files::godot::FramedReader;
///
/// let input: &[u8] = b"\x04\0\0\0\0\0\0\0\x08\0\0\0\x02\0\0\0\x2a\0\0\0"; // a file, a socket, …
/// let sizes: Vec<_> = FramedReader::new(input, Framing::LittleEndian).map(|value| value.bytes.unwrap().len()).collect();
/// assert_eq!(sizes, [4, 8]);
/// ```
#[derive(Debug)]
pub struct FramedReader<R> {
    reader: R,
    framing: Framing,
    max_memory: usize,
    number: usize,
    /// The offset of the next frame; `None` after the last.
    at: Option<u64>,
}

impl<R: Read> FramedReader<R> {
    /// Reads frames from `reader`, whose lengths have this byte order. The reader should be buffered.
    pub fn new(reader: R, framing: Framing) -> Self {
        FramedReader { reader, framing, max_memory: budget::DEFAULT, number: 0, at: Some(0) }
    }

    /// The largest value to accept, in bytes; 256 MiB unless set.
    #[must_use]
    pub fn max_memory(self, bytes: usize) -> Self {
        FramedReader { max_memory: bytes, ..self }
    }

    /// The bytes of the next value, and where the frame after it begins. `None` at the end.
    fn frame(&mut self, at: u64) -> Result<Option<(Vec<u8>, u64)>, ContainerError> {
        let head = self.part(4)?;
        let length = match <[u8; 4]>::try_from(head) {
            Ok(length) => self.framing.length(length),
            Err(head) if head.is_empty() => return Ok(None),
            Err(_) => return Err(cut_frame(at, None)),
        };
        if to_usize(length) > self.max_memory {
            return Err(ContainerError::TooLarge { what: "the value is larger than", limit: self.max_memory });
        }
        let bytes = self.part(length)?;
        if bytes.len() < to_usize(length) {
            return Err(cut_frame(at, Some(length)));
        }
        Ok(Some((bytes, at.saturating_add(LENGTH).saturating_add(length.into()))))
    }

    /// The next bytes, fewer at the end. Memory is taken as they come.
    fn part(&mut self, length: u32) -> Result<Vec<u8>, ContainerError> {
        let mut bytes = Vec::new();
        self.reader.by_ref().take(length.into()).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl<R: Read> Iterator for FramedReader<R> {
    type Item = Embedded<'static>;

    fn next(&mut self) -> Option<Embedded<'static>> {
        // nothing follows the end or an error
        let at = self.at.take()?;
        let bytes = match self.frame(at).transpose()? {
            Ok((bytes, next)) => {
                self.at = Some(next);
                Ok(bytes)
            }
            Err(error) => Err(error),
        };
        let (address, members) = frame_address(self.number, None);
        self.number = self.number.saturating_add(1);
        let broken_at = bytes.is_err().then_some(at);
        let start = bytes.is_ok().then(|| at.saturating_add(LENGTH));
        Some(Embedded { start, broken_at, ..Embedded::new(address, FORMATS, bytes).with_members(members) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::SettingsFile;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_frame_is_replaced_and_its_length_too() {
        let bytes: &[u8] = b"\x04\0\0\0\0\0\0\0\x08\0\0\0\x02\0\0\0\x2a\0\0\0";
        let file = FramedFile::new(bytes, Framing::LittleEndian);
        let values = file.list().unwrap();
        assert_eq!((values.len(), values[1].address.to_string()), (2, "[1]".to_owned()));
        let change = |address, bytes| ValueChange::Replace { address, bytes };
        let changed = file.changed(&[change(&values[1].address, b"\0\0\0\0")]).unwrap();
        assert_eq!(changed, b"\x04\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0");
        assert_eq!(file.changed(&[]).unwrap(), bytes);
        let twice = [change(&values[0].address, b""), change(&values[0].address, b"")];
        assert_eq!(file.changed(&twice).unwrap_err().to_string(), "[0] is changed twice");
        let missing = item(9);
        let error = file.changed(&[change(&missing, b"")]).unwrap_err();
        assert_eq!(error.to_string(), "the file has no value [9]");
        // a frame that is cut stays so, and can be replaced
        let cut = FramedFile::new(&bytes[..18], Framing::LittleEndian);
        let values = cut.list().unwrap();
        let changed = |number: usize| cut.changed(&[change(&values[number].address, b"\0\0\0\0")]).unwrap();
        assert_eq!(cut.changed(&[]).unwrap(), &bytes[..18]);
        assert_eq!((changed(0), changed(1)), (bytes[..18].to_vec(), b"\x04\0\0\0\0\0\0\0".repeat(2)));
        let within = |limit| file.clone().max_memory(limit).changed(&[change(&values[0].address, b"\0\0\0\0\0")]);
        assert_eq!(within(21).unwrap().len(), 21);
        assert_eq!(within(20).unwrap_err().to_string(), "the changed file is larger than the limit of 20 bytes");
    }

    /// A reader returns the same values and errors as the whole bytes, each as soon as its last byte has been read.
    #[test]
    fn values_of_a_reader() {
        let bytes: &[u8] = b"\0\0\0\x04\0\0\0\0\0\0\0\0\0\0\0\x08\x02\0\0\0\x2a\0\0\0";
        let told = |value: Embedded<'_>| {
            let bytes = value.bytes.map(Cow::into_owned).map_err(|error| error.to_string());
            (value.address.to_string(), bytes, value.broken_at)
        };
        for end in 0..=bytes.len() {
            let cut = &bytes[..end];
            let whole: Vec<_> =
                FramedFile::new(cut, Framing::BigEndian).list().unwrap().into_iter().map(told).collect();
            let read: Vec<_> = FramedReader::new(cut, Framing::BigEndian).map(told).collect();
            assert_eq!(read, whole, "{end}");
        }
        let limited =
            |limit| FramedReader::new(bytes, Framing::BigEndian).max_memory(limit).map(told).collect::<Vec<_>>();
        assert_eq!((limited(8).len(), limited(7).len(), limited(3).len()), (3, 3, 1));
        let large = "the value is larger than the limit of 7 bytes".to_owned();
        assert_eq!(limited(7)[2], ("[2]".to_owned(), Err(large), Some(12)));
        // a length alone does not allocate memory
        let endless = FramedReader::new(&b"\xff\xff\xff\x7f"[..], Framing::LittleEndian).max_memory(usize::MAX);
        assert!(endless.map(told).all(|(_, bytes, _)| bytes.is_err()));
    }

    /// A caller can stop after enough values. A frame that is cut off is an error after the values before it.
    #[test]
    fn values_one_at_a_time() {
        let bytes: &[u8] = b"\0\0\0\x04\0\0\0\0\0\0\0\0\0\0\0";
        let file = FramedFile::new(bytes, Framing::BigEndian);
        let seen = |most: usize| {
            let mut seen = Vec::new();
            file.values(&mut |value| {
                seen.push(value.bytes.map(|bytes| bytes.len()).map_err(|error| error.to_string()));
                if seen.len() == most {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .unwrap();
            seen
        };
        let cut = "input ends inside a frame that begins at byte 0xc".to_owned();
        assert_eq!(seen(9), [Ok(4), Ok(0), Err(cut)]);
        assert_eq!(seen(1), [Ok(4)]);
        let settings = b"ECFG\x02\0\0\0\x01\0\0\0a\x01\0\0\0\0\x01\0\0\0b\x01\0\0\0\0";
        let settings = SettingsFile::open(settings.to_vec(), 1 << 10).unwrap();
        let mut count = 0;
        settings
            .values(&mut |_| {
                count += 1;
                ControlFlow::Break(())
            })
            .unwrap();
        assert_eq!((count, settings.list().unwrap().len()), (1, 2));
    }

    /// Bytes between frames are skipped, whatever length they claim.
    #[test]
    fn frames_go_on_behind_what_is_none() {
        let frame = |value: &[u8]| [&[u8::try_from(value.len()).unwrap(), 0, 0, 0], value].concat();
        let (one, two) = (frame(b"\x02\0\0\0\x01\0\0\0"), frame(b"\x02\0\0\0\x02\0\0\0"));
        let broken = frame(b"\xff\0\0\0");
        let long = b"\xff\xff\xff\xff\x02\0\0\0".to_vec();
        let within = [9, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0];
        let goes_beyond =
            "a frame of 4294967295 bytes goes beyond the end of the file; 8 bytes are skipped, from byte 0xc on";
        for (bytes, offsets, skipped) in [
            ([&one[..], &two].concat(), &[0, 12][..], None),
            // a broken value of a right length
            ([&one[..], &broken, &two].concat(), &[0, 12, 20], None),
            ([&one[..], &long, &two].concat(), &[0, 12, 20], Some((1, goes_beyond))),
            ([b"!", &one[..], &two].concat(), &[0, 1, 13], Some((0, "1 byte is skipped, from byte 0x0 on"))),
            // a length that ends within the next frame
            (
                [&within[..], &two, &one].concat(),
                &[0, 12, 24],
                Some((0, "a frame of 9 bytes holds no valid value and")),
            ),
            // nothing follows
            ([&one[..], &long].concat(), &[0, 12], Some((1, "input ends inside a frame of 4294967295 bytes"))),
        ] {
            let file = FramedFile::new(bytes.clone(), Framing::LittleEndian).resync(true);
            let values = file.list().unwrap();
            let found: Vec<_> = values.iter().map(|value| value.about.given()[1].1.as_u64().unwrap()).collect();
            assert_eq!(found, offsets);
            let error =
                |(number, value): (usize, &Embedded<'_>)| Some((number, value.bytes.as_ref().err()?.to_string()));
            let errors: Vec<_> = values.iter().enumerate().filter_map(error).collect();
            assert_eq!(errors.len(), usize::from(skipped.is_some()), "{errors:?}");
            for ((number, error), (expected, reason)) in errors.iter().zip(skipped) {
                assert!((*number, error.contains(reason)) == (expected, true), "{errors:?}");
            }
            assert_eq!(file.changed(&[]).unwrap(), bytes);
            // what is skipped stays, and can be replaced
            for value in &values {
                let changed =
                    file.changed(&[ValueChange::Replace { address: &value.address, bytes: &two[4..] }]).unwrap();
                let changed = FramedFile::new(changed, Framing::LittleEndian).resync(true).list().unwrap();
                assert!(changed.iter().any(|value| value.bytes.as_deref().is_ok_and(|bytes| bytes == &two[4..])));
            }
        }
    }
}
