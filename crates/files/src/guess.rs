//! Detects the kind of a file: a signature, a container, a stream of values or a value.
//!
//! [`guess`] lists the possible kinds of a file, the likeliest first, with the reason. [`instead`] finds another way to read bytes that are
//! invalid in the assumed format, and [`search`] finds values anywhere in a file.
//!
//! ```
//! use enginewire_files::guess::{guess, signature, Kind};
//! use enginewire::formats::FormatOptions;
//!
//! // what `store_var` of Godot writes: a length, and a value
//! let file = b"\x0c\0\0\0\x1c\0\0\0\x01\0\0\0\0\0\0\0";
//! let found = guess(file, &FormatOptions::new()).remove(0);
//! assert_eq!(found.to_string(), "likely: 1 value with its length");
//! assert!(matches!(found.kind, Kind::Values(_, format) if format.name() == "godot-4"));
//!
//! let zip = signature(b"PK\x03\x04\x14\0\0\0").unwrap();
//! assert_eq!(zip.to_string(), "the file is a ZIP archive; unpack it first");
//! ```

use std::fmt;
use std::ops::ControlFlow;

use crate::containers::ContainerKind;
#[cfg(feature = "roblox")]
use crate::containers::FileSource;
#[cfg(feature = "godot")]
use crate::godot::FramedFile;
use enginewire::error::Fault;
use enginewire::formats::{detectable_of, detected, DETECTABLE};
use enginewire::formats::{Checked, Confidence, Detectable, Detection, FormatOptions};
#[cfg(feature = "godot")]
use enginewire::godot::Framing;
use enginewire::number::to_usize;
use enginewire::signature::{self, changed_model, Signature, TEXT};

pub(crate) fn by_name(name: &str) -> Option<&'static dyn Detectable> {
    DETECTABLE.iter().copied().find(|format| format.name() == name)
}

/// The signature of a file, if it has one that is of no format and no container. `file` is the file, or its first
/// [`HEAD`](signature::HEAD) bytes at least.
///
/// ```
/// use enginewire_files::guess::signature;
///
/// assert_eq!(signature(b"{\"errors\": []}").unwrap().about, "the file is JSON text, not a model file");
/// assert!(signature(b"\x02\0\0\0\x07\0\0\0").is_none()); // an integer of Godot
/// ```
#[must_use]
pub fn signature(file: &[u8]) -> Option<Signature> {
    match ContainerKind::detect(file) {
        Some(_) => changed_model(file),
        None => signature::signature(file),
    }
}

/// A kind of file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// No file of this crate.
    Other(Signature),
    /// A JSON document of this format, for encoding.
    Document(&'static dyn Detectable),
    /// A container with a signature.
    Container(ContainerKind),
    /// Several values of a format, or one with its length before it.
    Values(ContainerKind, &'static dyn Detectable),
    /// A value.
    Value(&'static dyn Detectable),
}

/// A possible kind of a file, and the reason.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Guess {
    /// The kind.
    pub kind: Kind,
    /// The confidence in it.
    pub confidence: Confidence,
    /// The reason, in a few words.
    pub reason: String,
    /// The number of valid fields, counted up to some hundreds.
    pub fields: usize,
    /// The offset of the value in the file, in bytes.
    pub offset: usize,
    /// The length of the value in bytes, if other bytes follow.
    pub length: Option<usize>,
    /// The name of the [option](FormatOptions::set) that reading needs.
    pub option: Option<&'static str>,
}

impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.confidence, self.reason)
    }
}

impl Guess {
    fn new(kind: Kind, confidence: Confidence, reason: impl Into<String>) -> Self {
        Guess { kind, confidence, reason: reason.into(), fields: 1, offset: 0, length: None, option: None }
    }

    /// A value that was detected.
    fn of((format, found): (&'static dyn Detectable, Detection)) -> Self {
        let Detection { confidence, reason, fields, length, .. } = found;
        Guess { fields, length, ..Guess::new(Kind::Value(format), confidence, reason) }
    }

    /// The format of its values, if it is known.
    #[must_use]
    pub fn format(&self) -> Option<&'static dyn Detectable> {
        match self.kind {
            Kind::Document(format) | Kind::Values(_, format) | Kind::Value(format) => Some(format),
            Kind::Other(_) | Kind::Container(_) => None,
        }
    }

    fn is_of(&self, format: &str) -> bool {
        self.format().is_some_and(|found| found.name() == format)
    }
}

/// The kind of a file, if its first bytes prove it: a document, a container, a signature, or a format with one. `file` is
/// the file, or its first [`HEAD`](signature::HEAD) bytes at least.
#[must_use]
pub fn certain(file: &[u8]) -> Option<Guess> {
    if let Some(kind) = ContainerKind::detect(file) {
        return Some(Guess::new(Kind::Container(kind), Confidence::Certain, "recognised by its first bytes"));
    }
    if let Some(format) = document(file) {
        return Some(Guess::new(Kind::Document(format), Confidence::Certain, "a JSON document"));
    }
    if let Some(signature) = signature(file) {
        return Some(Guess::new(Kind::Other(signature), Confidence::Certain, signature.to_string()));
    }
    let mut formats = DETECTABLE.iter().copied().filter(|format| !format.magic().is_empty());
    formats.find_map(|format| format.detect(file).map(|found| Guess::of((format, found))))
}

/// The format that a JSON document names; of the beginning of one, if that comes first.
#[must_use]
pub fn document(file: &[u8]) -> Option<&'static dyn Detectable> {
    let tokens: [&[u8]; 4] = [b"{", b"\"format\"", b":", b"\""];
    let rest = tokens.into_iter().try_fold(file, |rest, token| rest.trim_ascii_start().strip_prefix(token));
    let name = rest.and_then(|rest| rest.split(|byte| *byte == b'"').next());
    let name = name.and_then(|name| std::str::from_utf8(name).ok());
    let first = name.and_then(|name| DETECTABLE.iter().copied().find(|format| format.reads(name, file)));
    first.or_else(|| file.trim_ascii_start().starts_with(b"{").then(|| detectable_of(file)).flatten())
}

/// The possible kinds of a file, the likeliest first. A guess that is only [possible](Confidence::Possible) is listed if nothing is
/// likelier. It is not enough to choose a format. Beside the file, it takes no more memory than the option `max_memory`
/// allows, and time in proportion to its length.
#[must_use]
pub fn guess(file: &[u8], options: &FormatOptions) -> Vec<Guess> {
    if let Some(found) = certain(file) {
        #[cfg(feature = "roblox")]
        let lines = || several(ContainerKind::PacketLines, file, options);
        #[cfg(feature = "roblox")]
        let found = matches!(found.kind, Kind::Other(TEXT)).then(lines).flatten().unwrap_or(found);
        return vec![found];
    }
    let mut all = Vec::new();
    #[cfg(feature = "roblox")]
    all.extend(several(ContainerKind::Packets, file, options));
    all.extend(in_stream(file, options));
    all.extend(detected(file).into_iter().map(Guess::of));
    if all.iter().all(|guess| guess.confidence == Confidence::Possible) {
        all.extend(DETECTABLE.iter().flat_map(|format| lenient(file, *format, options)));
    }
    if all.iter().all(|guess| guess.confidence == Confidence::Possible) {
        // more of what begins here may be valid, such as a value that nests too deep
        let fields = all.iter().map(|guess| guess.fields).max().unwrap_or_default();
        all.extend(behind_prefix(file, options).into_iter().filter(|guess| guess.fields > fields));
    }
    let mut sorted: Vec<Guess> = Vec::with_capacity(all.len());
    // they are few; equally sure ones keep their order
    for guess in all {
        let is_before = |other: &Guess| (other.confidence, other.fields) >= (guess.confidence, guess.fields);
        sorted.insert(sorted.partition_point(is_before), guess);
    }
    if sorted.first().is_some_and(|first| first.confidence > Confidence::Possible) {
        sorted.retain(|guess| guess.confidence > Confidence::Possible);
    }
    sorted
}

/// Several packets in a row.
#[cfg(feature = "roblox")]
fn several(kind: ContainerKind, file: &[u8], options: &FormatOptions) -> Option<Guess> {
    let is_packet = kind == ContainerKind::PacketLines || file.starts_with(b"\x83");
    let format = kind.formats().first().and_then(|name| by_name(name)).filter(|_| is_packet)?;
    // the container has bytes of its own
    let part = file.get(..options.max_memory() / 4).unwrap_or(file);
    let container = kind.open(FileSource::Bytes(part.to_vec()), None, options).ok()?;
    let (mut count, mut is_whole) = (0usize, true);
    let listed = container.values(&mut |value| {
        is_whole = value.bytes.as_ref().is_ok_and(|bytes| format.check(bytes, options).is_ok());
        if !is_whole {
            return ControlFlow::Break(());
        }
        count = count.saturating_add(1);
        ControlFlow::Continue(())
    });
    is_whole &= part.len() == file.len();
    let (confidence, more) = if is_whole { (Confidence::Likely, "") } else { (Confidence::Possible, ", and more") };
    let lines = if kind == ContainerKind::PacketLines { ", each a line of hex" } else { "" };
    let found = Guess::new(Kind::Values(kind, format), confidence, format!("{count} packets{lines}{more}"));
    (count > 1 && listed.is_ok()).then_some(Guess { fields: count.saturating_mul(2), ..found })
}

/// A stream of Godot: values with their lengths before them, as written by `store_var` and `put_var`.
#[cfg(feature = "godot")]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Framed {
    /// The order of the bytes of a length.
    pub framing: Framing,
    /// The formats that accept its values.
    pub formats: Vec<&'static dyn Detectable>,
    /// The number of valid values from the first on.
    pub count: usize,
    /// True if these are all.
    pub is_whole: bool,
}

#[cfg(feature = "godot")]
impl Framed {
    /// The content of the file: `"5 values with their lengths"`.
    #[must_use]
    pub fn content(&self) -> String {
        let (what, more) = match self.count {
            1 => ("value with its length", ""),
            _ => ("values with their lengths", if self.is_whole { "" } else { ", and more" }),
        };
        format!("{} {what}{more}", self.count)
    }
}

/// Detects values with their lengths before them: all of the file is valid, or more than one value from the first on.
#[cfg(feature = "godot")]
#[must_use]
pub fn framed(file: &[u8], options: &FormatOptions) -> Option<Framed> {
    // the values come without their lengths
    let options = &options.clone().set("framing", "none").unwrap_or_default();
    let framed = [Framing::LittleEndian, Framing::BigEndian].map(|framing| {
        use crate::containers::Container;
        let known = ContainerKind::Frames(framing).formats().iter().copied().filter_map(by_name);
        let (mut formats, mut count, mut is_whole): (Vec<_>, _, _) = (known.collect(), 0usize, true);
        let end = FramedFile::new(file, framing).values(&mut |value| {
            let is_valid = |format: &&'static dyn Detectable| {
                value.bytes.as_ref().is_ok_and(|bytes| format.check(bytes, options).is_ok())
            };
            let valid: Vec<_> = formats.iter().copied().filter(is_valid).collect();
            is_whole = !valid.is_empty();
            if !is_whole {
                return ControlFlow::Break(());
            }
            (formats, count) = (valid, count.saturating_add(1));
            ControlFlow::Continue(())
        });
        Framed { framing, formats, count, is_whole: is_whole && end.is_ok() }
    });
    framed.into_iter().filter(|framed| framed.count > usize::from(!framed.is_whole)).max_by_key(|framed| framed.count)
}

/// True if the first bytes of a file allow that it consists of values with their lengths before them. `length` is that of the
/// file, if it is known.
#[cfg(feature = "godot")]
#[must_use]
pub fn may_be_framed(head: &[u8], length: Option<u64>) -> bool {
    let Some((first, rest)) = head.split_first_chunk::<4>() else { return false };
    [Framing::LittleEndian, Framing::BigEndian].into_iter().any(|framing| {
        let value = framing.length(*first);
        let known = ContainerKind::Frames(framing).formats().iter().copied().filter_map(by_name);
        let is_there = length.is_none_or(|length| length.saturating_sub(4) >= value.into());
        let content = rest.get(..to_usize(value)).unwrap_or(rest);
        // whatever options allow in it, it begins with a type
        let begins = |format: &dyn Detectable| match format.check(content, &FormatOptions::new()) {
            Ok(_) => true,
            Err(error) => error.offset().byte() >= 4 || (content.len() < 4 && error.is_truncated()),
        };
        value >= 4 && is_there && known.into_iter().any(begins)
    })
}

#[cfg(feature = "godot")]
fn in_stream(file: &[u8], options: &FormatOptions) -> Vec<Guess> {
    let Some(framed) = framed(file, options) else { return in_cut_frame(file) };
    let confidence = if framed.is_whole { Confidence::Likely } else { Confidence::Possible };
    let kind = ContainerKind::Frames(framed.framing);
    let found = framed.formats.iter().map(|format| {
        let guess = Guess::new(Kind::Values(kind, *format), confidence, framed.content());
        // a value and its length have two fields at least; several lengths that fit say more than the fields of one value
        let each = if framed.is_whole { 2 } else { 16 };
        Guess { fields: framed.count.saturating_mul(each), ..guess }
    });
    found.collect()
}

/// A value with its length before it, whose end is missing.
#[cfg(feature = "godot")]
fn in_cut_frame(file: &[u8]) -> Vec<Guess> {
    let Some((first, rest)) = file.split_first_chunk::<4>() else { return Vec::new() };
    let orders = [Framing::LittleEndian, Framing::BigEndian].into_iter();
    // the other order gives a length that no file has
    let likelier = orders.filter(|framing| to_usize(framing.length(*first)) > rest.len());
    let likelier = likelier.min_by_key(|framing| framing.length(*first));
    let cut = likelier.into_iter().flat_map(|framing| {
        let kind = ContainerKind::Frames(framing);
        let known = kind.formats().iter().copied().filter_map(by_name);
        let length = framing.length(*first);
        known.filter_map(move |format| {
            let found = format
                .detect(rest)
                .filter(|found| found.length.is_none() && found.confidence == Confidence::Possible)?;
            let is_cut = format.check(rest, &FormatOptions::new()).is_err_and(|error| error.is_truncated());
            let reason = format!("1 value of {length} bytes with its length, of which {} are there", rest.len());
            let guess = Guess::new(Kind::Values(kind, format), Confidence::Possible, reason);
            is_cut.then_some(Guess { fields: found.fields.saturating_add(1), ..guess })
        })
    });
    cut.collect()
}

#[cfg(not(feature = "godot"))]
fn in_stream(_: &[u8], _: &FormatOptions) -> Vec<Guess> {
    Vec::new()
}

/// Options that allow what is refused by default, and what that is.
const LENIENT: [(&str, &str); 4] = [
    ("unpadded_bytes", "without the padding of its last string or byte array"),
    ("any_text", "with text that is not UTF-8"),
    ("any_padding", "with padding bits that are not 0"),
    ("refs", "with references to instances"),
];

/// The guess for all bytes in a format with one more option.
fn lenient(file: &[u8], format: &'static dyn Detectable, options: &FormatOptions) -> Option<Guess> {
    let has = |name: &str| format.options().iter().any(|row| row.name == name);
    // what is valid without them needs no option
    if format.check(file, options).is_ok() {
        return None;
    }
    let reads = |(name, what): (&'static str, &str)| {
        let options = options.clone().set(name, true).ok()?;
        let found = if format.check(file, &options).is_ok() {
            Guess::new(Kind::Value(format), Confidence::Likely, "all bytes are a value")
        } else {
            let mut framed = in_stream(file, &options).into_iter();
            framed.find(|guess| guess.confidence == Confidence::Likely && guess.is_of(format.name()))?
        };
        let comma = if matches!(found.kind, Kind::Values(..)) { "," } else { "" };
        Some(Guess { option: Some(name), reason: format!("{}{comma} {what}", found.reason), ..found })
    };
    LENIENT.into_iter().filter(|(name, _)| has(name)).find_map(reads)
}

/// [`guess`] skips at most this many bytes before a value; [`search`] skips any number.
const PREFIX: usize = 16;

/// The least bytes and fields of a value among others. Fewer are found in most files by chance.
const LEAST: (usize, usize) = (12, 4);

/// The guess for the bytes after a short prefix.
fn behind_prefix(file: &[u8], options: &FormatOptions) -> Vec<Guess> {
    let found = (1..=PREFIX).find_map(|offset| {
        let rest = file.get(offset..).filter(|rest| rest.len() >= LEAST.0)?;
        let is_whole = |guess: &Guess| guess.confidence == Confidence::Likely && guess.length.is_none();
        let mut found: Vec<_> = in_stream(rest, options).into_iter().filter(is_whole).collect();
        if found.is_empty() {
            let whole = DETECTABLE.iter().filter(|format| format.check(rest, options).is_ok());
            let detected = whole.filter_map(|format| Some(Guess::of((*format, format.detect(rest)?))));
            found.extend(detected.filter(|guess| guess.confidence > Confidence::Possible && guess.fields >= LEAST.1));
        }
        let placed = found.into_iter().map(|guess| {
            let reason = match guess.kind {
                Kind::Values(..) => format!("{}, from byte {offset:#x} on", guess.reason),
                _ => format!("all bytes from {offset:#x} on are a value"),
            };
            Guess { offset, reason, ..guess }
        });
        let placed: Vec<_> = placed.collect();
        (!placed.is_empty()).then_some(placed)
    });
    found.unwrap_or_default()
}

/// Another way to read bytes that are invalid in this format: with an option, in another format, in part or as a stream. `None` if
/// there is no such way.
///
/// ```
/// use enginewire::formats::FormatOptions;
/// use enginewire_files::guess::instead;
///
/// // a typed value of Godot 3
/// let found = instead(b"\x14\0\0\0\x02\0\0\0\x01\x02\0\0", "godot-4", &FormatOptions::new()).unwrap();
/// assert_eq!(found.format().unwrap().name(), "godot-3");
/// ```
#[must_use]
pub fn instead(file: &[u8], format: &str, options: &FormatOptions) -> Option<Guess> {
    let assumed = by_name(format)?;
    let options = &options.clone().set("framing", "none").unwrap_or_default();
    let same = lenient(file, assumed, options).or_else(|| with_event_id(file, assumed, options));
    same.or_else(|| {
        let is_assumed = |guess: &Guess| guess.is_of(format);
        let mut all = guess(file, options);
        all.extend(assumed.detect(file).map(|found| Guess::of((assumed, found))));
        all.into_iter().find(|guess| match guess.kind {
            Kind::Values(..) => true,
            // a whole value, before others
            _ if is_assumed(guess) => guess.length.is_some() || guess.offset > 0,
            _ => guess.confidence > Confidence::Possible,
        })
    })
}

/// The guess for all bytes if an unknown event id belongs to one of the known events.
#[cfg(feature = "roblox")]
fn with_event_id(file: &[u8], format: &'static dyn Detectable, options: &FormatOptions) -> Option<Guess> {
    use enginewire::roblox::remote::EventName;
    let error = format.check(file, options).err()?;
    let &Fault::Unknown { what: "event id", found, .. } = error.fault() else { return None };
    let line = EventName::ALL.iter().map(|name| format!("{} = {found:#06x}", name.name())).find(|line| {
        let options = options.clone().set("event_ids", line.clone());
        options.is_ok_and(|options| format.check(file, &options).is_ok())
    })?;
    let reason = format!("all bytes are a packet with the event id `{line}`");
    Some(Guess { option: Some("event_ids"), ..Guess::new(Kind::Value(format), Confidence::Likely, reason) })
}

#[cfg(not(feature = "roblox"))]
fn with_event_id(_: &[u8], _: &'static dyn Detectable, _: &FormatOptions) -> Option<Guess> {
    None
}

/// [`search`] reads at most this many bytes for each byte of a file.
const READ: usize = 128;

/// [`search`] first reads this many bytes of a possible value.
const WINDOW: usize = 64;

/// Calls `each` with every value in a file, at any offset, until it breaks. Values inside others are not searched for. Bytes that
/// are not a value may look like one. The search takes time in proportion to the length of the file. If too much of the file
/// resembles values, it ends early and returns the offset where it ended.
pub fn search(file: &[u8], options: &FormatOptions, each: &mut dyn FnMut(Guess) -> ControlFlow<()>) -> Option<usize> {
    let mut left = file.len().saturating_add(1024).saturating_mul(READ);
    let mut offset = 0usize;
    while let Some(rest) = file.get(offset..).filter(|rest| !rest.is_empty()) {
        if left == 0 {
            return Some(offset);
        }
        let mut found: Vec<Guess> = Vec::new();
        for format in DETECTABLE.iter().filter(|format| may_begin(rest, **format)) {
            let (length, read) = whole_length(rest, *format, options);
            left = left.saturating_sub(read);
            let value = length.filter(|length| *length >= LEAST.0).and_then(|length| rest.get(..length));
            // an engine writes them so
            let is_canonical = |checked: Checked| checked.findings.is_canonical();
            let value = value.filter(|value| format.check(value, options).is_ok_and(is_canonical));
            let detected = value.and_then(|value| format.detect(value)).filter(|found| found.fields >= LEAST.1);
            // fields of a format with a signature are not counted
            let certain = value.filter(|_| !format.magic().is_empty()).and_then(|value| format.detect(value));
            if let (Some(detected), Some(value)) = (detected.or(certain), value) {
                let (length, reason) = (value.len(), format!("a whole value of {} bytes", value.len()));
                let guess = Guess { confidence: Confidence::Possible, reason, ..Guess::of((*format, detected)) };
                found.push(Guess { offset, length: Some(length), ..guess });
            }
        }
        // of what begins here, the longest
        let longest = found.iter().filter_map(|guess| guess.length).max();
        for guess in found.into_iter().filter(|guess| guess.length == longest) {
            let ends = longest == Some(rest.len());
            if each(Guess { length: guess.length.filter(|_| !ends), ..guess }).is_break() {
                return None;
            }
        }
        offset = offset.saturating_add(longest.unwrap_or(1));
    }
    None
}

/// A quick test for the first bytes of a value: the signature of the format, a packet id, or a small number of four bytes.
fn may_begin(bytes: &[u8], format: &dyn Detectable) -> bool {
    match bytes {
        _ if !format.magic().is_empty() => bytes.starts_with(format.magic()),
        [0x83, ..] | [_, _, _, 0, ..] => true,
        _ => false,
    }
}

/// The length of the value at the start of these bytes, if there is one, and the number of bytes that were read for it.
fn whole_length(bytes: &[u8], format: &dyn Detectable, options: &FormatOptions) -> (Option<usize>, usize) {
    let (mut size, mut read) = (WINDOW, 0usize);
    loop {
        let window = bytes.get(..size).unwrap_or(bytes);
        match format.check(window, options) {
            Ok(_) if window.len() == bytes.len() => return (Some(window.len()), read.saturating_add(window.len())),
            // where a value may end after any item, others may follow
            Ok(_) => read = read.saturating_add(window.len()),
            Err(error) => {
                let end = to_usize(error.offset().ceil());
                read = read.saturating_add(end).saturating_add(1);
                match error.fault() {
                    Fault::Trailing => return (Some(end), read),
                    Fault::Truncated { needed, .. } if window.len() < bytes.len() => {
                        let needed = end.saturating_add(to_usize(*needed));
                        if needed > bytes.len() {
                            return (None, read);
                        }
                        size = size.max(needed);
                    }
                    _ => return (None, read),
                }
            }
        }
        size = size.saturating_mul(2);
    }
}

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn told(file: &[u8]) -> Vec<String> {
        let all = guess(file, &FormatOptions::new());
        let line = |guess: &Guess| {
            let name = guess.format().map_or("", |format| format.name());
            let length = guess.length.map(|length| format!(" length {length}")).unwrap_or_default();
            let option = guess.option.map(|option| format!(" {option}")).unwrap_or_default();
            format!("{name} {guess}{length}{option}")
        };
        all.iter().map(line).collect()
    }

    /// Bytes after a signature: any, or small numbers, as values have.
    fn noise(mutation: u32, random: &mut u32) -> Vec<u8> {
        let mut next = || {
            *random = random.wrapping_mul(1_664_525).wrapping_add(mutation.wrapping_add(1_013_904_223));
            let byte = random.to_be_bytes()[0];
            match (mutation % 2, byte % 2) {
                (0, _) => byte,
                (_, 0) => 0,
                _ => byte % 5,
            }
        };
        (0..200).map(|_| next()).collect()
    }

    /// Whatever follows a signature.
    #[test]
    fn signatures_come_first() {
        for magic in [
            &b"GCPF"[..],
            b"TILE",
            b"PK\x03\x04",
            b"\x1f\x8b\x08",
            b"\x89PNG\r\n\x1a\n",
            b"%PDF-",
            b"MZ\x90",
            b"<roblox!??",
        ] {
            let mut random = 1u32;
            for mutation in 0..10u32 {
                let file = [magic, &noise(mutation, &mut random)].concat();
                assert!(matches!(guess(&file, &FormatOptions::new())[..], [Guess { kind: Kind::Other(_), .. }]));
            }
        }
    }

    #[test]
    fn streams_are_found() {
        let one = b"\x0c\0\0\0\x1c\0\0\0\x01\0\0\0\0\0\0\0";
        assert_eq!(told(one), ["godot-4 likely: 1 value with its length"]);
        let big = b"\0\0\0\x0c\x1c\0\0\0\x01\0\0\0\0\0\0\0";
        assert_eq!(told(big), ["godot-4 likely: 1 value with its length"]);
        assert!(may_be_framed(one, Some(16)) && may_be_framed(big, None) && !may_be_framed(one, Some(15)));
        // after the version of a game
        let behind = [&b"\x03\0\0\0"[..], one].concat();
        assert_eq!(told(&behind), ["godot-4 likely: 1 value with its length, from byte 0x4 on"]);
        let cut = b"\x3c\0\0\0\x1c\0\0\0\x02\0\0\0\x02\0\0\0\x07\0";
        let reason = "1 value of 60 bytes with its length, of which 14 are there";
        assert_eq!(told(cut), [format!("godot-4 possible: {reason}")]);
        // an empty text is a value, too
        assert_eq!(told(b"\x04\0\0\0\0\0\0\0").len(), 4);
    }

    #[test]
    fn parts_are_found() {
        let value = b"\x13\0\0\0\x01\0\0\0\x04\0\0\0\x01\0\0\0a\0\0\0";
        let followed = [&value[..], b"and others"].concat();
        assert_eq!(told(&followed)[0], "godot-3 possible: a whole value of 20 bytes, then 10 others length 20");
        let other = instead(&followed, "godot-3", &FormatOptions::new()).unwrap();
        assert_eq!(other.length, Some(20));
        let behind = [&b"\x07"[..], value].concat();
        assert_eq!(told(&behind), ["godot-3 likely: all bytes from 0x1 on are a value"]);
        let unpadded = b"\x04\0\0\0\x05\0\0\0hello";
        assert_eq!(
            told(unpadded)[0],
            "godot-3 likely: all bytes are a value without the padding of its last string or byte array unpadded_bytes"
        );
    }

    #[test]
    fn values_are_found_anywhere() {
        let value = b"\x1b\0\0\0\x01\0\0\0\x04\0\0\0\x01\0\0\0a\0\0\0\x02\0\0\0\x07\0\0\0";
        let lua = b"LUA\0\0\0\x01\x05\0\0\0\x01\x02\0\0\0\x02\0mode\x08\0";
        let attribute = b"\x01\0\0\0\x02\0\0\0Up\x0c\x02\0\0\0";
        let file = [&[7; 5][..], value, &[0xfe; 300], lua, &[0; 64], attribute, &[0xee]].concat();
        let mut found = Vec::new();
        let end = search(&file, &FormatOptions::new(), &mut |guess| {
            found.push((guess.format().unwrap().name(), guess.offset, guess.length));
            ControlFlow::Continue(())
        });
        let lua_at = 5 + 28 + 300;
        let expected = [
            ("godot-4", 5, Some(28)),
            ("scrap-mechanic-lua", lua_at, Some(lua.len())),
            ("roblox-attributes", lua_at + lua.len() + 64, Some(15)),
        ];
        assert_eq!((&found[..], end), (&expected[..], None));
    }

    /// Lists that hold lists to the end of the file begin everywhere.
    #[test]
    fn a_search_takes_time_in_proportion_to_the_length() {
        let file = b"\x13\0\0\0\x01\0\0\0".repeat(100_000);
        let mut count = 0;
        let end = search(&file, &FormatOptions::new(), &mut |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        assert!(end.is_some_and(|end| end < file.len()), "{count} {end:?}");
    }

    #[test]
    fn a_wrong_reading_is_told() {
        let name = |file: &[u8], format| {
            let found = instead(file, format, &FormatOptions::new());
            found.map(|guess| (guess.format().map(Detectable::name), guess.option, guess.length))
        };
        let array = b"\x13\0\0\0\x01\0\0\0\x04\0\0\0\x01\0\0\0a\0\0\0";
        assert_eq!(name(array, "godot-4"), Some((Some("godot-3"), None, None)));
        assert_eq!(name(array, "roblox-attributes"), Some((Some("godot-3"), None, None)));
        assert_eq!(name(b"\x89PNG\r\n\x1a\n", "godot-4"), Some((None, None, None)));
        assert_eq!(name(b"\x04\0\0\0\x01\0\0\0\xe4\0\0\0", "godot-4"), Some((Some("godot-4"), Some("any_text"), None)));
        assert_eq!(name(b"\xff\xfe\xfd", "godot-4"), None);
    }
}
