//! Compiled scripts: `.gdc` files.

use std::borrow::Cow;
use std::ops::ControlFlow;

use bstr::BStr;
use nom::combinator::cond;
use nom::Parser;
use serde_json::json;

use super::compressed::{BlockError, Compressed, Mode};
use super::settings_file::unread;
use crate::address::item;
use crate::containers::{located, Container, ContainerError, Embedded, ValueChange};
use enginewire::error::{DecodeError, Fault};
use enginewire::godot::{Options, VariantFormat, Version};
use enginewire::number::{to_u64, to_usize};
use enginewire::wire::format::length;
use enginewire::wire::{field, flat_map, magic, repeat, run, take, uint32, verify, Le, Source, WireError};

/// The first bytes of a compiled script.
const MAGIC: &[u8] = b"GDSC";

/// The length of what comes before the contents of a script of Godot 4, in bytes.
const HEAD: usize = 12;

/// The versions of Godot 2 and 3, whose contents are not compressed.
const OLD: std::ops::RangeInclusive<u32> = 10..=13;

/// Reads what comes before the contents: the version, and the size of the contents if they are compressed, else 0.
///
/// | field | type |
/// |---|---|
/// | magic | `GDSC` |
/// | version | uint32: 10 to 13 of Godot 2 and 3, 100 or 101 |
/// | size | uint32, from version 100 on |
/// | contents | all other bytes; a zstd frame if `size` is not 0 |
///
/// Specification: `docs/spec/godot-files.md`, section Compiled script.
fn head<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>() -> impl Parser<I, Output = (u32, u32), Error = E> {
    let known = |found| match found {
        // of Godot 4.3 and 4.5
        10..=13 | 100 | 101 => Ok(found),
        found => Err(Fault::Other(format!("compiled scripts of version {found} are not known"))),
    };
    let version = field("version", verify(uint32::<Le, I, E>(), known));
    let size = |version| cond(!OLD.contains(&version), field("size", uint32::<Le, I, E>()));
    let version = flat_map(version, move |version| size(version).map(move |size| (version, size.unwrap_or_default())));
    (field("magic", magic(MAGIC)), version).map(|(_, head)| head)
}

/// Reads the contents up to the constants, and returns the number of these. The constants follow each other as Variants.
///
/// | field | type |
/// |---|---|
/// | counts | uint32 each: identifiers, constants, lines |
/// | unused | uint32, in version 100 only |
/// | tokens | uint32 |
/// | identifiers | each a uint32 length, and as many characters of 4 bytes, before version 100 of 1, with all bits of 0xb6 changed |
fn contents<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>(version: u32) -> impl Parser<I, Output = u32, Error = E> {
    let count = |name| field(name, uint32::<Le, I, E>());
    let unread = (count("lines"), cond(version == 100, count("unused")), count("tokens"));
    let width = if OLD.contains(&version) { 1 } else { 4 };
    let characters = move |length| take(u64::from(length).saturating_mul(width)).map(|_| ());
    let identifier = move || flat_map(count("length"), characters);
    flat_map((count("identifiers"), count("constants"), unread), move |(identifiers, constants, _): (u32, u32, _)| {
        field("identifiers", repeat(identifiers, 4, identifier())).map(move |_| constants)
    })
}

/// True if these first bytes are those of a compiled script. Lower numbers are those of shader caches.
pub(crate) fn is_script(head: &[u8]) -> bool {
    let version = head.strip_prefix(MAGIC).and_then(<[u8]>::first_chunk);
    let version = version.map(|version| u32::from_le_bytes(*version));
    version.is_some_and(|version| OLD.contains(&version) || version >= 100)
}

/// The constants of a compiled script as a [`Container`], which cannot be changed. The address of a value is its number.
#[derive(Debug)]
pub struct ScriptFile {
    file: Vec<u8>,
    /// The contents, if they are compressed in the file.
    unpacked: Option<Vec<u8>>,
    /// The offset of the contents in the file.
    start: usize,
    version: u32,
}

impl ScriptFile {
    /// The script in these bytes, which may take `max_memory` bytes together with its contents.
    ///
    /// # Errors
    ///
    /// If it is not a compiled script, cannot be unpacked, or takes more memory.
    pub fn open(bytes: Vec<u8>, max_memory: usize) -> Result<Self, ContainerError> {
        let (rest, (version, size)) = run(&*bytes, head()).map_err(|error| unread(&error))?;
        let (start, mut unpacked) = (bytes.len().saturating_sub(rest.len()), None);
        if size > 0 {
            // as a compressed file with one block
            let blocks = vec![rest];
            let file = Compressed { mode: Mode::Zstd, block_size: size, total: size, blocks, ..Compressed::default() };
            let limit = max_memory.saturating_sub(bytes.len());
            if file.memory() > to_u64(limit) {
                return Err(ContainerError::TooLarge { what: "unpacking the script takes more memory than", limit });
            }
            let (contents, fault) = file.unpack_partial();
            if let Some(BlockError { reason, .. }) = fault {
                return Err(ContainerError::Malformed(format!("the contents are broken: {reason}, at byte {HEAD:#x}")));
            }
            unpacked = Some(contents);
        }
        Ok(ScriptFile { file: bytes, unpacked, start, version })
    }

    fn variants(&self) -> (Version, &'static [&'static str]) {
        match OLD.contains(&self.version) {
            true => (Version::V3, &["godot-3"]),
            false => (Version::V4, &["godot-4"]),
        }
    }
}

impl Container for ScriptFile {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        // what is compressed has no place in the file
        let start = self.unpacked.is_none().then_some(to_u64(self.start));
        let (all, place) = (self.unpacked.as_deref().or(self.file.get(self.start..)), start.unwrap_or_default());
        let all = all.unwrap_or_default();
        let (mut rest, count) = run(all, contents(self.version)).map_err(|error| unread(&error.shifted(place)))?;
        let (variants, formats) = self.variants();
        for number in 0..count {
            let at = to_u64(all.len().saturating_sub(rest.len())).saturating_add(place);
            let length = length::<VariantFormat>(rest, &Options::new(variants).trailing_bytes(true));
            let is_broken = length.is_err();
            let (value, after) = rest.split_at_checked(*length.as_ref().unwrap_or(&0)).unwrap_or_default();
            let broken = |error: DecodeError| ContainerError::malformed(error.of_complete_input().shifted(at));
            let bytes = length.map(|_| Cow::Borrowed(value)).map_err(broken);
            let members = vec![("index", json!(number))];
            let place = start.map(|_| at);
            let (start, broken_at) = if is_broken { (None, place) } else { (place, None) };
            let embedded = Embedded::new(item(to_usize(number)), formats, bytes).with_members(members);
            let embedded = Embedded { start, broken_at, ..embedded };
            // the next constant has no place without the end of this one
            if each(embedded).is_break() || is_broken {
                break;
            }
            rest = after;
        }
        Ok(())
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        if located(self, changes)?.is_empty() {
            return Ok(self.file.clone());
        }
        Err(ContainerError::Refused("a compiled script is not changed; change its source and compile it".to_owned()))
    }

    fn format(&self) -> Option<&'static str> {
        self.variants().1.first().copied()
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)] // a test may panic
mod tests {
    use super::*;
    use crate::containers::ValueChange;
    use crate::zstd;
    use enginewire::budget::DEFAULT;
    use enginewire::godot::{v3, v4, Variant};
    use pretty_assertions::assert_eq;

    /// A script with these constants and two identifiers, and the offset of the first constant.
    fn made(version: u32, is_packed: bool, constants: &[Variant<'_>]) -> (Vec<u8>, usize) {
        let count = u32::try_from(constants.len()).unwrap();
        let counts: &[u32] = if version == 100 { &[2, count, 1, 0, 3] } else { &[2, count, 1, 3] };
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
        let identifiers = words(&[1, 0xb6b6_b6d7, 2, 0xb6b6_b6d7, 0xb6b6_b6d4]);
        let values = constants.iter().flat_map(|value| v4::encode(value).unwrap());
        let tokens = [0x85, 0, 1, 2];
        let contents: Vec<u8> = words(counts).into_iter().chain(identifiers).chain(values).chain(tokens).collect();
        let size = if is_packed { u32::try_from(contents.len()).unwrap() } else { 0 };
        let body = if is_packed { zstd::pack(&contents, 1 << 10).unwrap() } else { contents };
        let head = [MAGIC, &version.to_le_bytes(), &size.to_le_bytes()].concat();
        ([head, body].concat(), HEAD + counts.len() * 4 + 20)
    }

    fn constants() -> Vec<Variant<'static>> {
        vec![Variant::Int(7), "text".into(), Variant::Null, vec![Variant::Float(0.5)].into()]
    }

    fn listed(bytes: Vec<u8>) -> Vec<Embedded<'static>> {
        ScriptFile::open(bytes, DEFAULT).unwrap().list().unwrap()
    }

    #[test]
    fn constants_of_both_versions() {
        for (version, is_packed) in [(100, false), (100, true), (101, false), (101, true)] {
            let (bytes, first) = made(version, is_packed, &constants());
            let values = listed(bytes.clone());
            let found: Vec<_> = values.iter().map(|value| v4::decode(value.bytes.as_ref().unwrap()).unwrap()).collect();
            assert_eq!(found, constants());
            let addresses: Vec<_> = values.iter().map(|value| value.address.to_string()).collect();
            assert_eq!(addresses, ["[0]", "[1]", "[2]", "[3]"]);
            let starts: Vec<_> = values.iter().map(|value| value.start).collect();
            let places = [0, 8, 20, 24].map(|place| Some(to_u64(first + place)).filter(|_| !is_packed));
            assert_eq!(starts, places);
            let script = ScriptFile::open(bytes.clone(), DEFAULT).unwrap();
            let same = values[1].bytes.as_ref().unwrap();
            let same = [ValueChange::Replace { address: &values[1].address, bytes: same }];
            assert_eq!(script.changed(&same).unwrap(), bytes);
            let refused = script.changed(&[ValueChange::Remove(&values[0].address)]).unwrap_err();
            assert_eq!(refused.to_string(), "no value can be added to or removed from such a file");
            let refused =
                script.changed(&[ValueChange::Replace { address: &values[0].address, bytes: b"" }]).unwrap_err();
            assert_eq!(refused.to_string(), "a compiled script is not changed; change its source and compile it");
        }
        assert_eq!(ScriptFile::open(made(101, true, &[]).0, DEFAULT).unwrap().format(), Some("godot-4"));
    }

    /// Version 13 as a file has it; the others are laid out alike.
    #[test]
    fn constants_of_godot_3() {
        let values = [Variant::from("hi"), Variant::Int(-5), vec![Variant::Float(0.5)].into()];
        for version in OLD {
            let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
            let constants: Vec<u8> = values.iter().flat_map(|value| v3::encode(value).unwrap()).collect();
            let identifiers = b"\x08\0\0\0\xe9\xdf\xd8\xdf\xc2\xb6\xb6\xb6";
            let counts = words(&[version, 1, 3, 0, 1]);
            let bytes = [MAGIC, &counts, identifiers, &constants, b"\x01"].concat();
            assert!(is_script(&bytes));
            let found = listed(bytes.clone());
            let read: Vec<_> = found.iter().map(|value| v3::decode(value.bytes.as_ref().unwrap()).unwrap()).collect();
            assert_eq!(read, values);
            let places: Vec<_> = found.iter().map(|value| value.start.unwrap()).collect();
            assert_eq!(places, [36, 48, 56]);
            assert_eq!(found[0].formats, ["godot-3"]);
            assert_eq!(ScriptFile::open(bytes.clone(), DEFAULT).unwrap().format(), Some("godot-3"));
            for cut in 0..73 {
                let list = ScriptFile::open(bytes[..cut].to_vec(), DEFAULT).and_then(|script| script.list());
                let read = list.iter().flatten().filter(|value| value.bytes.is_ok()).count();
                assert_eq!(read, [48, 56, 72].iter().filter(|end| **end <= cut).count(), "{cut}");
                assert_eq!(list.is_ok(), cut >= 36, "{cut}");
            }
        }
    }

    /// The constants before a cut are listed. The constant with the cut is an error. A cut before the constants is one too.
    #[test]
    fn every_cut_keeps_what_is_before() {
        let (bytes, first) = made(101, false, &constants());
        let whole = listed(bytes.clone());
        for cut in 0..first + 36 {
            let Ok(script) = ScriptFile::open(bytes[..cut].to_vec(), DEFAULT) else {
                assert!(cut < HEAD, "{cut}");
                continue;
            };
            let Ok(values) = script.list() else {
                assert!(cut < first, "{cut}");
                continue;
            };
            let (last, before) = values.split_last().unwrap();
            assert_eq!(before.len(), [8, 20, 24].iter().filter(|end| first + **end <= cut).count(), "{cut}");
            for (value, whole) in before.iter().zip(&whole) {
                assert_eq!(value.bytes.as_ref().unwrap(), whole.bytes.as_ref().unwrap());
            }
            assert_eq!((last.start, last.broken_at, last.bytes.is_err()), (None, whole[before.len()].start, true));
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let error = |bytes: Vec<u8>, limit| ScriptFile::open(bytes, limit).unwrap_err().to_string();
        let older = error(b"GDSC\x09\0\0\0\0\0\0\0".to_vec(), DEFAULT);
        assert_eq!(older, "compiled scripts of version 9 are not known, at byte 0x4 in version");
        let newer = error(b"GDSC\x66\0\0\0\0\0\0\0".to_vec(), DEFAULT);
        assert_eq!(newer, "compiled scripts of version 102 are not known, at byte 0x4 in version");
        let (packed, _) = made(100, true, &constants());
        let large = error(packed.clone(), 1 << 20);
        assert!(large.starts_with("unpacking the script takes more memory than the limit of"), "{large}");
        let more = (90, "it unpacks to 84 bytes, expected 90".to_owned());
        let less = (60, "it unpacks to at least 84 bytes, expected 60".to_owned());
        let impossible = (0x0100_0000, "78 bytes of zstd cannot unpack to 16777216".to_owned());
        for (size, reason) in [more, less, impossible] {
            let mut lies = packed.clone();
            lies[8..12].copy_from_slice(&u32::to_le_bytes(size));
            assert_eq!(error(lies, DEFAULT), format!("the contents are broken: {reason}, at byte 0xc"));
        }
        let cut = error(packed[..packed.len() - 1].to_vec(), DEFAULT);
        assert_eq!(cut, "the contents are broken: invalid zstd data: it ends inside a block, at byte 0xc");
        let claims = [&made(101, false, &[]).0[..HEAD], &[0xff; 16]].concat();
        let error = ScriptFile::open(claims, DEFAULT).unwrap().list().unwrap_err();
        assert_eq!(
            error.to_string(),
            "input ends too early: 4 bytes needed, 0 left, at byte 0x1c in identifiers[0].length"
        );
    }
}
