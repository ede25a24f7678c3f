//! Packs: `.pck` files, and those at the end of exported programs.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::OnceLock;

use base16ct::lower::encode_string;
use bstr::{BStr, ByteSlice};
use cookie_factory::combinator::cond as gen_cond;
use cookie_factory::multi::all;
use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use md5::{Digest, Md5};
use nom::combinator::cond;
use nom::Parser;
use serde_json::json;

use super::encrypted::{self, Key, KeyError};
use super::settings_file::unread;
use crate::address::{Address, Component, Syntax};
use crate::containers::{
    append, Addition, Arranged, Container, ContainerError, Embedded, FileSource, Repeated, ValueChange,
};
use enginewire::error::{DecodeError, Fault, Radix};
use enginewire::formats::nearest;
use enginewire::number::{to_u64, to_usize};
use enginewire::wire::{
    field, fixed, flat_map, gen_bytes, gen_length, gen_length_prefixed, gen_uint32, gen_uint64, generate_into,
    length_prefixed, magic, recover, repeat, run, uint32, uint64, verify, ByteString, Le, Source, WireError,
};

/// The first bytes of a pack.
pub const PACK_MAGIC: &[u8] = b"GDPC";

/// The formats of packs that are known.
const KNOWN: [u32; 5] = [0, 1, 2, 3, 4];

/// The start of a pack.
///
/// | field | type | in formats |
/// |---|---|---|
/// | magic | `GDPC` | |
/// | format | uint32: 0 of Godot 2, 1 of 3, 2 of 4.0, 3 of 4.5, 4 of 4.7 | |
/// | engine | 3 × uint32: the version of the engine | |
/// | flags | uint32 | from 2 |
/// | file base | uint64 | from 2 |
/// | directory | uint64: the offset of the directory from the start of the pack | from 3 |
/// | reserved | 64 bytes, after which the directory follows | 0 to 2 |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackHeader {
    /// The format: 0 to 4.
    pub format: u32,
    /// The version of the engine: major, minor and patch.
    pub engine: [u32; 3],
    /// 1: the directory is encrypted; 2: the file base counts from the start of the pack; 4: the contents are in other files.
    pub flags: u32,
    /// Offsets of entries count from this offset.
    pub file_base: u64,
    /// The offset of the directory from the start of the pack.
    pub directory: u64,
}

/// An entry of the directory.
///
/// | field | type | in formats |
/// |---|---|---|
/// | path | uint32 length, and `length` bytes; the last may be zeros | |
/// | offset | uint64 | |
/// | size | uint64 | |
/// | md5 | 16 bytes: of the content; zeros if it was not computed | |
/// | flags | uint32 | from 2 |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackEntry<'a> {
    /// The path with the zeros after it.
    pub path: ByteString<'a>,
    /// The offset of the content from the base of its pack.
    pub offset: u64,
    /// The size of the content, in bytes; if it is encrypted, before that.
    pub size: u64,
    /// The MD5 of the content, or zeros.
    pub md5: [u8; 16],
    /// 1: the content is encrypted; 2: the file of another pack is removed; 4: the content changes the file of another pack.
    pub flags: u32,
}

/// A flag of a header or an entry.
const ENCRYPTED: u32 = 1;
const RELATIVE_BASE: u32 = 2;
const SPARSE: u32 = 4;
const REMOVED: u32 = 2;
const DELTA: u32 = 4;

/// The size of the header before the directory, in bytes.
const fn header_size(format: u32) -> u64 {
    match format {
        0 | 1 => 20 + 64,
        2 => 32 + 64,
        _ => 40,
    }
}

/// Reads a [`PackHeader`].
///
/// Specification: `docs/spec/godot-files.md`, section Pack.
#[inline]
pub fn pack_header<'a, I, E>() -> impl Parser<I, Output = PackHeader, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    let known = |found| match KNOWN.contains(&found) {
        true => Ok(found),
        false => Err(Fault::Unknown { what: "format of packs", found, radix: Radix::Decimal, known: KNOWN.to_vec() }),
    };
    let format = (field("magic", magic(PACK_MAGIC)), field("format", verify(uint32::<Le, I, E>(), known)));
    flat_map(format.map(|(_, format)| format), |format| {
        let engine = (uint32::<Le, I, E>(), uint32::<Le, I, E>(), uint32::<Le, I, E>());
        let flags = (field("flags", uint32::<Le, I, E>()), field("file_base", uint64::<Le, I, E>()));
        let header = (
            field("engine", engine),
            cond(format >= 2, flags),
            cond(format >= 3, field("directory", uint64::<Le, I, E>())),
            cond(format <= 2, field("reserved", fixed::<64, I, E>())),
        );
        header.map(move |((major, minor, patch), flags, directory, _)| {
            let (flags, file_base) = flags.unwrap_or_default();
            let directory = directory.unwrap_or(header_size(format));
            PackHeader { format, engine: [major, minor, patch], flags, file_base, directory }
        })
    })
}

/// Writes a [`PackHeader`], with zeros for what is reserved.
pub fn gen_pack_header<'v, W: Write + 'v>(header: &'v PackHeader) -> impl SerializeFn<W> + 'v {
    tuple((
        gen_bytes(PACK_MAGIC),
        gen_uint32::<Le, W>(header.format),
        all(header.engine.iter().map(|part| gen_uint32::<Le, W>(*part))),
        gen_cond(header.format >= 2, tuple((gen_uint32::<Le, W>(header.flags), gen_uint64::<Le, W>(header.file_base)))),
        gen_cond(header.format >= 3, gen_uint64::<Le, W>(header.directory)),
        gen_cond(header.format <= 2, gen_bytes([0; 64])),
    ))
}

/// Reads a [`PackEntry`] of a format.
///
/// Specification: `docs/spec/godot-files.md`, section Pack entry.
#[inline]
pub fn pack_entry<'a, I, E>(format: u32) -> impl Parser<I, Output = PackEntry<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    let entry = (
        field("path", length_prefixed::<Le, I, E>()),
        field("offset", uint64::<Le, I, E>()),
        field("size", uint64::<Le, I, E>()),
        field("md5", fixed::<16, I, E>()),
        cond(format >= 2, field("flags", uint32::<Le, I, E>())),
    );
    entry.map(|(path, offset, size, md5, flags): (&BStr, _, _, _, Option<_>)| PackEntry {
        path: path.into(),
        offset,
        size,
        md5,
        flags: flags.unwrap_or_default(),
    })
}

/// Writes a [`PackEntry`] of a format.
pub fn gen_pack_entry<'v, W: Write + 'v>(format: u32, entry: &'v PackEntry<'_>) -> impl SerializeFn<W> + 'v {
    tuple((
        gen_length_prefixed::<Le, W>(&entry.path),
        gen_uint64::<Le, W>(entry.offset),
        gen_uint64::<Le, W>(entry.size),
        gen_bytes(entry.md5),
        gen_cond(format >= 2, gen_uint32::<Le, W>(entry.flags)),
    ))
}

/// Reads the directory of a pack: a uint32 count, and as many entries, which are not encrypted.
///
/// Specification: `docs/spec/godot-files.md`, section Pack.
#[inline]
pub fn pack_directory<'a, I, E>(format: u32) -> impl Parser<I, Output = Vec<PackEntry<'a>>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("count", uint32::<Le, I, E>()), move |count| field("entries", repeat(count, 36, pack_entry(format))))
}

/// Writes the directory of a pack.
pub fn gen_pack_directory<'v, W: Write + 'v>(format: u32, entries: &'v [PackEntry<'_>]) -> impl SerializeFn<W> + 'v {
    let all = all(entries.iter().map(move |entry| gen_pack_entry(format, entry)));
    tuple((gen_length::<Le, W>(entries.len()), all))
}

impl PackEntry<'_> {
    /// True if it has no content, but removes the file of another pack.
    #[must_use]
    pub const fn is_removed(&self) -> bool {
        self.flags & REMOVED != 0
    }

    /// The path, which begins with `res://`; packs of later formats store it without.
    #[must_use]
    pub fn full_path(&self) -> String {
        let path = self.path.trim_end_with(|char| char == '\0').to_str_lossy();
        if path.contains("://") {
            path.into_owned()
        } else {
            format!("res://{path}")
        }
    }

    /// The number of bytes in the pack: encrypted contents have 40 bytes before them, and are padded to blocks of 16.
    fn stored_size(&self) -> u64 {
        match self.flags & ENCRYPTED {
            0 => self.size,
            _ => encrypted_size(self.size),
        }
    }
}

/// The number of encrypted bytes for plain ones.
fn encrypted_size(size: u64) -> u64 {
    size.checked_next_multiple_of(16).and_then(|size| size.checked_add(HEAD)).unwrap_or(u64::MAX)
}

impl From<KeyError> for ContainerError {
    fn from(error: KeyError) -> Self {
        ContainerError::Refused(error.to_string())
    }
}

/// The key, if there is one.
fn needed<'k>(key: Option<&'k Key>, what: &str) -> Result<&'k Key, ContainerError> {
    key.ok_or_else(|| ContainerError::NeedsKey(what.to_owned()))
}

/// A pack as a [`Container`], alone or at the end of a program. The address of an entry is its path; its bytes are its content,
/// which may be another container.
///
/// Contents are read one at a time, from files without reading the rest.
#[derive(Debug)]
pub struct PackFile {
    source: FileSource,
    max_memory: usize,
    /// The start and the end of the pack in the file.
    start: u64,
    end: u64,
    header: PackHeader,
    key: Option<Key>,
    /// The bytes of the directory, decrypted if it is encrypted. The last may be missing.
    directory: Vec<u8>,
    /// Why the directory has no more entries.
    broken: Option<DecodeError>,
    warnings: OnceLock<Vec<String>>,
}

/// Gets the path of a file in a pack, its content or why it cannot be read, and a warning if its MD5 is another.
pub type Extracted<'e> = dyn FnMut(&str, Result<Cow<'_, [u8]>, ContainerError>, Option<String>) + 'e;

/// Bytes that are read in parts.
trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// The bytes at an offset, which must be in the file.
fn read_at(reader: &mut dyn ReadSeek, at: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(to_usize(length));
    reader.seek(SeekFrom::Start(at))?;
    reader.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The size of the count of entries, which is never encrypted.
const COUNT: u64 = 4;

/// The size of what comes before encrypted bytes.
const HEAD: u64 = 40;

/// The first bytes of the directory that are read; more if it is larger.
const PIECE: u64 = 1 << 16;

/// All contents together may be this many times the file, because entries can share them.
const SHARED: u64 = 4;

impl PackFile {
    /// Opens the pack in this source, and reads its header and directory. The data held at once may take `max_memory` bytes.
    /// The key is for encrypted directories and contents.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not a pack of a known format, the key does not fit an encrypted directory, or it takes more
    /// memory.
    pub fn open(source: FileSource, max_memory: usize, key: Option<Key>) -> Result<Self, ContainerError> {
        let held = if let FileSource::Bytes(bytes) = &source { bytes.len() } else { 0 };
        crate::containers::within_limit(held, max_memory)?;
        let mut reader = reader(&source)?;
        let length = reader.seek(SeekFrom::End(0))?;
        let (start, end) = located(&mut *reader, length)?;
        let left = end.saturating_sub(start);
        let head = read_at(&mut *reader, start, left.min(header_size(2)))?;
        let header = run(&*head, pack_header()).map_err(|error| unread(&error.shifted(start)))?.1;
        let at = start.saturating_add(header.directory);
        if at > end {
            let text = format!("the pack ends before its directory, which is at byte {at:#x}");
            return Err(ContainerError::Truncated(text));
        }
        if header.directory < header_size(header.format) {
            let text = format!("the directory of the pack begins in its header, at byte {at:#x}");
            return Err(ContainerError::Malformed(text));
        }
        let (left, mut size) = (end.saturating_sub(at), PIECE);
        // a list of entries takes less than three times their bytes
        let fits =
            |size: u64| match size.saturating_mul(4).saturating_add(to_u64(held)) > to_u64(max_memory).max(PIECE * 4) {
                false => Ok(()),
                true => {
                    let what = "the directory of the pack takes more memory than";
                    Err(ContainerError::TooLarge { what, limit: max_memory })
                }
            };
        let (directory, broken) = loop {
            if header.flags & ENCRYPTED != 0 && left >= COUNT {
                let key = needed(key.as_ref(), "the directory of the pack")?;
                break decrypted_directory(&mut *reader, (at, end), header.format, key, &fits)?;
            }
            fits(left.min(size))?;
            let mut directory = read_at(&mut *reader, at, left.min(size))?;
            match run(&*directory, pack_directory(header.format)) {
                Ok((rest, _)) => {
                    let rest = rest.len();
                    directory.truncate(directory.len().saturating_sub(rest));
                    directory.shrink_to_fit();
                    break (directory, None);
                }
                Err(error) if size >= left => break (directory, Some(error.shifted(at))),
                Err(_) => size = size.saturating_mul(4),
            }
        };
        drop(reader);
        let warnings = OnceLock::new();
        Ok(PackFile { source, max_memory, start, end, header, key, directory, broken, warnings })
    }

    /// The entry of a new file, beside these. Its path is written as theirs are.
    fn new_entry(&self, entries: &[PackEntry<'_>], new: &Addition<'_>) -> Result<PackEntry<'static>, ContainerError> {
        let path = new.address.components().first().and_then(Component::text).unwrap_or_default().to_str_lossy();
        let path = path.into_owned();
        safe_path(&path)?;
        if !path.starts_with("res://") || entries.iter().any(|entry| entry.full_path() == path) {
            let reason = if path.starts_with("res://") { "is there already" } else { "does not begin with res://" };
            return Err(ContainerError::Refused(format!("{path} {reason}")));
        }
        let is_full = |entry: &PackEntry<'_>| entry.path.starts_with(b"res://");
        let mut stored = match entries.first().map_or(self.header.format < 3, is_full) {
            true => path.into_bytes(),
            false => path.into_bytes().split_off("res://".len()),
        };
        stored.resize(stored.len().next_multiple_of(4), 0);
        let md5 = Md5::digest(new.bytes).into();
        Ok(PackEntry { path: stored.into(), offset: 0, size: to_u64(new.bytes.len()), md5, flags: 0 })
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &PackHeader {
        &self.header
    }

    /// The entries of the directory, in their order, as far as it can be read.
    #[must_use]
    pub fn entries(&self) -> Vec<PackEntry<'_>> {
        recover_entries(&self.directory, self.header.format)
    }

    /// The content of the file with this path, which begins with `res://`. No other content is read.
    ///
    /// # Errors
    ///
    /// If there is no such path, the content is not in the pack, it cannot be decrypted, or it takes more memory than allowed.
    pub fn content_of(&self, path: &str) -> Result<Vec<u8>, ContainerError> {
        // of two entries with a path, the engine takes the last
        let mut entries = self.entries();
        let Some(found) = entries.iter().rposition(|entry| entry.full_path() == path) else {
            let similar = nearest(path, entries.iter().map(PackEntry::full_path));
            let near = similar.first().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            let advice =
                if path.contains('*') { "; one file is opened, and a pattern may name several" } else { &near };
            return Err(ContainerError::NoSuchValue(format!("{path}{advice}")));
        };
        let entry = entries.swap_remove(found);
        let at = self.place(&entry)?;
        self.content(&mut *reader(&self.source)?, &entry, at).map(Cow::into_owned)
    }

    /// Reads the contents of the files whose paths are wanted, one at a time, in the order of the directory. All contents together
    /// may be four times the file, because entries can share them.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn extract(&self, wanted: &dyn Fn(&str) -> bool, each: &mut Extracted<'_>) -> Result<(), ContainerError> {
        let (entries, mut paths) = (self.entries(), HashSet::new());
        // of two entries with a path, the engine takes the last
        let chosen = entries.into_iter().rev().filter(|entry| {
            let path = entry.full_path();
            !entry.is_removed() && wanted(&path) && paths.insert(path)
        });
        let mut chosen: Vec<_> = chosen.collect();
        chosen.reverse();
        let mut reader = reader(&self.source)?;
        for (entry, place) in self.contents_of(chosen) {
            let content = place.and_then(|at| Ok((at, self.content(&mut *reader, &entry, at)?)));
            let warning =
                content.as_ref().ok().and_then(|(at, content)| other_md5(&entry, *at, Md5::digest(content).into()));
            each(&entry.full_path(), content.map(|(_, content)| content), warning);
        }
        Ok(())
    }

    /// The number of bytes that the directory takes in the file.
    fn directory_size(&self) -> u64 {
        let size = to_u64(self.directory.len());
        match self.header.flags & ENCRYPTED {
            0 => size,
            _ => encrypted_size(size.saturating_sub(COUNT)).saturating_add(COUNT),
        }
    }

    /// Offsets of entries count from this offset in the file.
    fn base(&self) -> u64 {
        let is_relative = self.header.format > 2 || self.header.flags & RELATIVE_BASE != 0;
        let start = if self.header.format > 1 && is_relative { self.start } else { 0 };
        self.header.file_base.saturating_add(start)
    }

    /// The offset of the content of an entry, or why it has none in the file.
    fn place(&self, entry: &PackEntry<'_>) -> Result<u64, ContainerError> {
        let refused = |reason: &str| Err(ContainerError::Unreadable(reason.to_owned()));
        if self.header.flags & SPARSE != 0 {
            return refused("the content is in a file of its own");
        }
        if entry.is_removed() {
            return refused("the entry has no content: it removes the file of another pack");
        }
        let at = self.base().saturating_add(entry.offset);
        if self.end_of(entry).is_some_and(|end| end <= self.end) {
            return Ok(at);
        }
        let text = format!("the content is beyond the end of the pack: {} bytes at byte {at:#x}", entry.size);
        Err(ContainerError::Truncated(text))
    }

    /// The offset of the end of an entry's content.
    fn end_of(&self, entry: &PackEntry<'_>) -> Option<u64> {
        self.base().checked_add(entry.offset)?.checked_add(entry.stored_size())
    }

    /// The entries with the offset of each content, or why it has none. The bytes of all are bounded by the size of the file.
    fn contents(&self) -> impl Iterator<Item = (PackEntry<'_>, Result<u64, ContainerError>)> {
        self.contents_of(self.entries())
    }

    /// The same for some of the entries.
    fn contents_of<'e>(
        &'e self,
        entries: Vec<PackEntry<'e>>,
    ) -> impl Iterator<Item = (PackEntry<'e>, Result<u64, ContainerError>)> {
        let mut left = self.end.saturating_mul(SHARED);
        entries.into_iter().map(move |entry| {
            let place = self.place(&entry).and_then(|at| {
                left = left.checked_sub(entry.stored_size()).ok_or_else(|| {
                    ContainerError::TooMuch(format!("all contents together are more than {SHARED} times the file"))
                })?;
                Ok(at)
            });
            (entry, place)
        })
    }

    /// The numbers of the entries whose contents are, in part, those of others too.
    fn shared(&self) -> HashSet<usize> {
        let places = self.entries().into_iter().enumerate().filter_map(|(number, entry)| {
            // also those that the end of the file cuts
            let end = self.end_of(&entry).filter(|_| entry.stored_size() > 0 && !entry.is_removed())?;
            Some((end.saturating_sub(entry.stored_size()), end, number))
        });
        let mut places: Vec<_> = places.collect();
        places.sort_unstable();
        let next = places.iter().skip(1).map(|place| place.0).chain([u64::MAX]);
        let mut before = 0;
        let shares = |((at, end, number), next): (&(u64, u64, usize), u64)| {
            let is_shared = before > *at || next < *end;
            before = before.max(*end);
            is_shared.then_some(*number)
        };
        places.iter().zip(next).filter_map(shares).collect()
    }

    /// The content of an entry at its offset.
    fn content(
        &self,
        reader: &mut dyn ReadSeek,
        entry: &PackEntry<'_>,
        at: u64,
    ) -> Result<Cow<'_, [u8]>, ContainerError> {
        let (size, is_encrypted) = (entry.stored_size(), entry.flags & ENCRYPTED != 0);
        let held = if let FileSource::Bytes(bytes) = &self.source { bytes.len() } else { 0 };
        let copies = if held == 0 { 1u64 } else { 0 }.saturating_add(is_encrypted.into());
        let held = self.directory.len().saturating_mul(4).saturating_add(held);
        if copies > 0 && size.saturating_mul(copies) > to_u64(self.max_memory.saturating_sub(held)) {
            return Err(ContainerError::TooLarge { what: "the content is larger than", limit: self.max_memory });
        }
        let content = match &self.source {
            FileSource::Bytes(bytes) => {
                let end = to_usize(at.saturating_add(size));
                Cow::Borrowed(bytes.get(to_usize(at)..end).unwrap_or_default())
            }
            FileSource::File(_) => Cow::Owned(read_at(reader, at, size)?),
        };
        if !is_encrypted {
            return Ok(content);
        }
        let key = needed(self.key.as_ref(), "the content")?;
        let encrypted = encrypted::decode_in_pack(&content).map_err(|error| unread(&error.shifted(at)))?;
        Ok(Cow::Owned(encrypted.decrypted(key)?))
    }

    /// New plain bytes encrypted as the old ones are, which begin these.
    fn encrypted_as(&self, old: &[u8], new: &[u8], what: &str) -> Result<Vec<u8>, ContainerError> {
        let old = encrypted::decode_in_pack(old).map_err(ContainerError::malformed)?;
        let key = needed(self.key.as_ref(), what)?;
        let iv = old.iv.filter(|_| old.decrypted(key).is_ok_and(|same| same == new));
        Ok(old.encrypted(new, key, iv))
    }

    /// Reads the contents, and compares the MD5 of each.
    fn differing(&self) -> Result<Vec<String>, ContainerError> {
        let (mut reader, mut texts) = (reader(&self.source)?, Vec::new());
        for (entry, place) in self.contents() {
            let Some(at) = place.ok().filter(|_| entry.md5 != [0; 16]) else { continue };
            let (mut hash, mut left) = (Md5::new(), entry.size);
            if entry.flags & ENCRYPTED != 0 {
                // why it cannot be decrypted is an error of the entry
                let Ok(content) = self.content(&mut *reader, &entry, at) else { continue };
                hash.update(content);
                left = 0;
            }
            reader.seek(SeekFrom::Start(at))?;
            let mut piece = [0; 4096];
            while left > 0 {
                let wanted = to_usize(left).min(piece.len());
                let piece = piece.get_mut(..wanted).unwrap_or_default();
                reader.read_exact(piece)?;
                hash.update(&piece);
                left = left.saturating_sub(to_u64(wanted));
            }
            texts.extend(other_md5(&entry, at, hash.finalize().into()));
        }
        Ok(texts)
    }
}

/// The warning about a content at `at` with another MD5 than its entry has.
fn other_md5(entry: &PackEntry<'_>, at: u64, found: [u8; 16]) -> Option<String> {
    let (path, stored) = (entry.full_path(), encode_string(&entry.md5));
    let text = || format!("the MD5 of {path} is {}, not {stored}, at byte {at:#x}", encode_string(&found));
    (entry.md5 != [0; 16] && entry.md5 != found).then(text)
}

/// The bytes of a file as they are needed.
fn reader(source: &FileSource) -> io::Result<Box<dyn ReadSeek + '_>> {
    Ok(match source {
        FileSource::Bytes(bytes) => Box::new(Cursor::new(bytes)),
        FileSource::File(path) => Box::new(File::open(path)?),
    })
}

/// The start and the end of a pack in a file: a program with a pack ends with a uint64 size of the pack and its magic.
fn located(reader: &mut dyn ReadSeek, length: u64) -> Result<(u64, u64), ContainerError> {
    let none = || ContainerError::malformed("the file is not a Godot pack: it neither begins nor ends with \"GDPC\"");
    if read_at(reader, 0, 4)? == PACK_MAGIC {
        return Ok((0, length));
    }
    let end = length.checked_sub(TRAILER).ok_or_else(none)?;
    let trailer = read_at(reader, end, TRAILER)?;
    let size = trailer.strip_suffix(PACK_MAGIC).and_then(|size| size.first_chunk::<8>()).ok_or_else(none)?;
    match end.checked_sub(u64::from_le_bytes(*size)) {
        Some(start) => Ok((start, end)),
        None => {
            Err(ContainerError::Malformed(format!("the size of the pack is larger than the file, at byte {end:#x}")))
        }
    }
}

/// The size of what follows a pack in a program, in bytes.
const TRAILER: u64 = 12;

/// Decrypts the directory between two offsets, as far as it goes, and says why there is no more.
fn decrypted_directory(
    reader: &mut dyn ReadSeek,
    (at, end): (u64, u64),
    format: u32,
    key: &Key,
    fits: &dyn Fn(u64) -> Result<(), ContainerError>,
) -> Result<(Vec<u8>, Option<DecodeError>), ContainerError> {
    let (mut directory, at) = (read_at(reader, at, COUNT)?, at.saturating_add(COUNT));
    let left = end.saturating_sub(at);
    let head = read_at(reader, at, left.min(HEAD))?;
    let size = match encrypted::decode_in_pack_partial(&head) {
        Ok((head, _)) => left.min(encrypted_size(head.length)),
        Err(error) => return Ok((directory, Some(error.shifted(at)))),
    };
    fits(size.saturating_add(COUNT))?;
    let bytes = read_at(reader, at, size)?;
    let (encrypted, fault) = encrypted::decode_in_pack_partial(&bytes).map_err(|error| unread(&error.shifted(at)))?;
    directory.extend(match fault {
        None => encrypted.decrypted(key)?,
        Some(_) => encrypted.decrypted_unverified(key),
    });
    drop(bytes);
    let unread =
        || run(&*directory, pack_directory(format)).err().map(|error| error.shifted(at.saturating_add(HEAD - COUNT)));
    let fault = fault.map(|error| error.shifted(at)).or_else(unread);
    Ok((directory, fault))
}

/// The entries of a directory, as far as it can be read.
fn recover_entries(directory: &[u8], format: u32) -> Vec<PackEntry<'_>> {
    match run(directory, pack_directory(format)) {
        Ok((_, entries)) => entries,
        Err(_) => recover(directory, pack_directory(format)).unwrap_or_default(),
    }
}

/// A number with commas between its thousands.
fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let pieces: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|piece| piece.to_str_lossy()).collect();
    pieces.join(",")
}

impl Container for PackFile {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let mut reader = reader(&self.source)?;
        let entries = self.entries();
        let repeated = Repeated::of(entries.iter().map(PackEntry::full_path));
        for (number, (entry, place)) in self.contents_of(entries).enumerate() {
            let at = self.base().saturating_add(entry.offset);
            let (path, md5) = (entry.full_path(), encode_string(&entry.md5));
            let members =
                [("path", json!(path)), ("offset", json!(at)), ("size", json!(entry.size)), ("md5", json!(md5))];
            let start = place.as_ref().ok().copied();
            let is_removed = entry.is_removed();
            let content = match is_removed {
                true => Ok(Cow::Borrowed(&[][..])),
                false => place.and_then(|at| self.content(&mut *reader, &entry, at)),
            };
            let md5 = if entry.md5 == [0; 16] { "no md5".to_owned() } else { format!("md5 {md5}") };
            let delta = if entry.flags & DELTA == 0 { "" } else { ", changes to the file of another pack" };
            let stored = Some(match is_removed {
                true => "removes the file of another pack".to_owned(),
                false => format!("{} bytes, {md5}{delta}", with_commas(entry.size)),
            });
            let address = Address::new(Syntax::Entries, [Component::name(path)]).earlier(repeated.earlier(number));
            let embedded = Embedded::new(address, &[], content).with_members(members.to_vec()).with_stored(stored);
            if each(Embedded { start, ..embedded }).is_break() {
                return Ok(());
            }
        }
        self.broken.as_ref().map_or(Ok(()), |error| Err(unread(error)))
    }

    /// A new content takes the place of the old one. If it does not fit there, or another entry has bytes of that place too, it is
    /// at the end of the pack, as that of a new file is. Removed entries leave their contents. Encrypted parts keep their key
    /// and have another IV: see [`Encrypted::encrypted`](encrypted::Encrypted::encrypted).
    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let bytes = self.source.clone().bytes(self.max_memory)?;
        let pack = PackFile::open(FileSource::Bytes(bytes), self.max_memory, self.key.clone())?;
        let changes = Arranged::new(&pack, changes)?;
        let refused = |reason: String| Err(ContainerError::Refused(reason));
        if !changes.first.is_empty() {
            return refused("a file is added to a pack after all others".to_owned());
        }
        if let Some(error) = &pack.broken {
            return Err(unread(error));
        }
        let (mut entries, base) = (pack.entries(), pack.base());
        let FileSource::Bytes(bytes) = &pack.source else { return Ok(Vec::new()) };
        let (before, trailer) = bytes.split_at_checked(to_usize(pack.end)).unwrap_or((bytes, &[]));
        let at = to_usize(pack.start.saturating_add(pack.header.directory));
        let (from, end) = (to_u64(at), to_u64(at).saturating_add(pack.directory_size()));
        let overlaps = |entry: &PackEntry<'_>| {
            let size = entry.stored_size();
            pack.place(entry).is_ok_and(|at| at < end && at.saturating_add(size) > from && size > 0)
        };
        if let Some(entry) = entries.iter().find(|entry| overlaps(entry)) {
            return refused(format!("the directory of the pack is part of the content of {}", entry.full_path()));
        }
        let (shared, first) = (pack.shared(), pack.start.saturating_add(header_size(pack.header.format)));
        let mut last =
            entries.iter().filter_map(|entry| pack.place(entry).ok().and(pack.end_of(entry))).max().map_or(0, to_usize);
        let aligned = |by: &u64| entries.iter().all(|entry| base.saturating_add(entry.offset).is_multiple_of(*by));
        let alignment = [32, 16].into_iter().find(aligned).unwrap_or(1);
        let from_base = |start: usize| {
            let beyond = || ContainerError::Refused("the base of the pack is beyond its end".to_owned());
            to_u64(start).checked_sub(base).ok_or_else(beyond)
        };
        let mut file = Vec::new();
        append(&mut file, before, self.max_memory)?;
        for (number, content) in &changes.values {
            let (Some(entry), Some(content)) = (entries.get_mut(*number), content) else { continue };
            if entry.flags & !ENCRYPTED != 0 || pack.header.flags & SPARSE != 0 {
                let path = entry.full_path();
                return refused(format!("{path} cannot be replaced: the pack does not have its whole content"));
            }
            let stored = match entry.flags & ENCRYPTED {
                0 => Cow::Borrowed(*content),
                _ => {
                    // with another key the others would be lost to the game
                    let at = pack.place(entry)?;
                    pack.content(&mut Cursor::new(bytes), entry, at)?;
                    let old = bytes.get(to_usize(at)..).unwrap_or_default();
                    Cow::Owned(pack.encrypted_as(old, content, "the content")?)
                }
            };
            // a content may also lie in the header, or in the program before the pack
            let is_own = |at: &u64| *at >= first && !shared.contains(number);
            let place = pack.place(entry).ok().filter(is_own).map(to_usize);
            let old = place.map(|at| at..at.saturating_add(to_usize(entry.stored_size())));
            let room = old.clone().filter(|old| old.len() >= stored.len()).and_then(|old| file.get_mut(old));
            let start = match (room, old) {
                (Some(room), Some(old)) => {
                    room.fill(0);
                    room.iter_mut().zip(&*stored).for_each(|(byte, new)| *byte = *new);
                    old.start
                }
                (_, old) => {
                    let is_padding = |rest: &[u8]| rest.len() < 32 && rest.iter().all(|byte| *byte == 0);
                    match old.filter(|old| to_u64(old.start) >= end && old.end == last) {
                        Some(old) if file.get(old.end..).is_some_and(is_padding) => file.truncate(old.start),
                        _ => pad(&mut file, alignment, 0, self.max_memory)?,
                    }
                    let start = file.len();
                    append(&mut file, &stored, self.max_memory)?;
                    last = file.len();
                    start
                }
            };
            (entry.offset, entry.size) = (from_base(start)?, to_u64(content.len()));
            if entry.md5 != [0; 16] {
                entry.md5 = Md5::digest(content).into();
            }
        }
        for addition in &changes.last {
            let mut entry = pack.new_entry(&entries, addition)?;
            pad(&mut file, alignment, 0, self.max_memory)?;
            entry.offset = from_base(file.len())?;
            append(&mut file, addition.bytes, self.max_memory)?;
            entries.push(entry);
        }
        // a missing content, whose place the new ones have reached
        let is_missing = |entry: &PackEntry<'_>| {
            let reached = pack.end.saturating_add(1)..=to_u64(file.len());
            !entry.is_removed() && pack.end_of(entry).is_some_and(|end| reached.contains(&end))
        };
        let kept = pack.entries().into_iter().enumerate().filter(|(number, _)| !changes.values.contains_key(number));
        if let Some(entry) = kept.map(|(_, entry)| entry).find(is_missing) {
            let path = entry.full_path();
            return refused(format!(
                "the pack ends before the content of {path}, and would have other bytes there; replace or remove that too"
            ));
        }
        let is_removed = |number: &usize| matches!(changes.values.get(number), Some(None));
        let mut entries: Vec<_> =
            entries.into_iter().enumerate().filter(|(number, _)| !is_removed(number)).map(|(_, entry)| entry).collect();
        let written = |entries: &[PackEntry<'_>]| {
            let mut directory = Vec::new();
            let done = generate_into(gen_pack_directory(pack.header.format, entries), &mut directory);
            done.map_err(ContainerError::malformed).map(|()| directory)
        };
        let more = to_u64(written(&entries)?.len().saturating_sub(pack.directory.len()));
        let more = more.checked_next_multiple_of(alignment).unwrap_or(more);
        if more > 0 && pack.header.flags & ENCRYPTED != 0 {
            return refused("a file cannot be added to a pack whose directory is encrypted".to_owned());
        }
        if more > 0 {
            // what comes after the directory moves
            let behind = file.split_off(to_usize(end).min(file.len()));
            append(&mut file, &vec![0; to_usize(more)], self.max_memory)?;
            append(&mut file, &behind, self.max_memory)?;
            let moves = |entry: &&mut PackEntry<'_>| base.saturating_add(entry.offset) >= end;
            entries.iter_mut().filter(moves).for_each(|entry| entry.offset = entry.offset.saturating_add(more));
        }
        let mut directory = written(&entries)?;
        directory.resize(pack.directory.len().max(directory.len()), 0);
        if let (true, Some((count, entries))) = (pack.header.flags & ENCRYPTED != 0, directory.split_first_chunk::<4>())
        {
            let old = bytes.get(at.saturating_add(count.len())..).unwrap_or_default();
            directory = [&count[..], &pack.encrypted_as(old, entries, "the directory of the pack")?].concat();
        }
        if let Some(place) = file.get_mut(at..at.saturating_add(directory.len())) {
            place.copy_from_slice(&directory);
        }
        if trailer.is_empty() {
            return Ok(file);
        }
        // the engine ends programs so
        let alignment = if bytes.len().is_multiple_of(8) && file.len() > before.len() { 8 } else { 1 };
        pad(&mut file, alignment, TRAILER, self.max_memory)?;
        let size = to_u64(file.len()).saturating_sub(pack.start);
        append(&mut file, &[&size.to_le_bytes(), PACK_MAGIC].concat(), self.max_memory)?;
        Ok(file)
    }

    /// The contents are read for them, once.
    fn warnings(&self) -> Vec<String> {
        self.warnings.get_or_init(|| self.differing().unwrap_or_else(|error| vec![error.to_string()])).clone()
    }
}

/// Appends zeros to a file, until its length with `more` bytes is a multiple of `alignment`.
fn pad(file: &mut Vec<u8>, alignment: u64, more: u64, limit: usize) -> Result<(), ContainerError> {
    let length = to_u64(file.len()).saturating_add(more);
    let padding = length.checked_next_multiple_of(alignment).unwrap_or(length).saturating_sub(length);
    append(file, [0; 32].get(..to_usize(padding)).unwrap_or_default(), limit)
}

/// The path for extracting an entry to a file, relative to a folder. It stays within the folder on every system.
///
/// ```
/// use enginewire_files::godot::safe_path;
///
/// assert_eq!(safe_path("res://icons/a.png")?.to_str(), Some("icons/a.png"));
/// assert!(safe_path("res://../a.png").is_err());
/// # Ok::<(), enginewire_files::containers::ContainerError>(())
/// ```
///
/// # Errors
///
/// If it is empty or absolute, or a part of it is empty, `.` or `..`, ends with a dot or a space, is the name of a device of Windows,
/// or has a colon, a backslash or a control character.
pub fn safe_path(path: &str) -> Result<PathBuf, ContainerError> {
    let relative = path.strip_prefix("res://").unwrap_or(path);
    let reason = relative.split('/').find_map(|part| match part {
        "" => Some("a part of it is empty"),
        "." | ".." => Some("it leaves its folder"),
        part if part.contains([':', '\\']) => Some("it has a colon or a backslash"),
        part if part.contains(char::is_control) => Some("it has a control character"),
        part if part.ends_with(['.', ' ']) => Some("a part of it ends with a dot or a space"),
        part if is_device(part) => Some("it is the name of a device"),
        _ => None,
    });
    match reason {
        Some(reason) => Err(ContainerError::Refused(format!("the path {path:?} is refused: {reason}"))),
        None => Ok(relative.split('/').collect()),
    }
}

/// Returns true if Windows takes a name as that of a device. Windows ignores the text after its first dot.
fn is_device(name: &str) -> bool {
    let name = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let number = ["com", "lpt"].iter().find_map(|port| name.strip_prefix(port));
    ["con", "prn", "aux", "nul", "conin$", "conout$"].contains(&&*name)
        || number.is_some_and(|number| {
            let mut chars = number.chars();
            chars.next().is_some_and(|digit| digit.is_ascii_digit() || "¹²³".contains(digit)) && chars.next().is_none()
        })
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)] // a test may panic
mod tests {
    use super::*;
    use allocation_counter::measure;
    use enginewire::budget::DEFAULT;
    use pretty_assertions::assert_eq;

    /// A pack made for a test, and the offset of its directory.
    struct Made {
        bytes: Vec<u8>,
        directory: usize,
    }

    /// A pack of these files after `before`, as engines make it.
    fn made(format: u32, relative: bool, before: &[u8], files: &[(&str, &[u8])]) -> Made {
        let start = to_u64(before.len());
        let padded =
            |path: &str| path.bytes().chain(vec![0; path.len().next_multiple_of(4) - path.len()]).collect::<Vec<_>>();
        let mut entries: Vec<_> = files
            .iter()
            .map(|(path, content)| PackEntry {
                path: ByteString::from(padded(path)),
                size: to_u64(content.len()),
                md5: if format == 1 { [0; 16] } else { Md5::digest(content).into() },
                ..PackEntry::default()
            })
            .collect();
        let directory_size =
            |entries: &[PackEntry<'_>]| enginewire::wire::measure(gen_pack_directory(format, entries)).unwrap();
        let first = header_size(format) + if format <= 2 { directory_size(&entries) } else { 64 };
        let first = (start + first).next_multiple_of(16);
        let base = if format == 1 { 0 } else { first };
        let mut contents = Vec::new();
        for (entry, (_, content)) in entries.iter_mut().zip(files) {
            entry.offset = first + to_u64(contents.len()) - base;
            contents.extend_from_slice(content);
            contents.resize(contents.len().next_multiple_of(16), 0);
        }
        let is_relative = relative || format > 2;
        let header = PackHeader {
            format,
            engine: [4, 1, 2],
            flags: if is_relative && format > 1 { RELATIVE_BASE } else { 0 },
            file_base: if format == 1 {
                0
            } else if is_relative {
                base - start
            } else {
                base
            },
            directory: if format <= 2 { header_size(format) } else { first - start + to_u64(contents.len()) },
        };
        let mut bytes = before.to_vec();
        generate_into(gen_pack_header(&header), &mut bytes).unwrap();
        let directory = before.len() + to_usize(header.directory);
        if format <= 2 {
            generate_into(gen_pack_directory(format, &entries), &mut bytes).unwrap();
        }
        bytes.resize(to_usize(first), 0);
        bytes.extend(contents);
        if format > 2 {
            generate_into(gen_pack_directory(format, &entries), &mut bytes).unwrap();
        }
        if !before.is_empty() {
            let size = to_u64(bytes.len()) - start;
            bytes.extend([&size.to_le_bytes(), PACK_MAGIC].concat());
        }
        Made { bytes, directory }
    }

    const FILES: [(&str, &[u8]); 3] = [("res://a.txt", b"first"), ("b/c.bin", &[7; 2104]), ("res://empty", b"")];

    /// Every layout, with the bytes before the pack.
    fn layouts() -> Vec<(u32, Made, &'static [u8])> {
        let program: &[u8] = &[0x7f; 100];
        let all = [(1, false), (2, false), (2, true), (3, true), (4, true)];
        let each = all.into_iter().flat_map(|layout| [(layout, &b""[..]), (layout, program)]);
        each.map(|((format, relative), before)| (format, made(format, relative, before, &FILES), before)).collect()
    }

    fn open(bytes: &[u8]) -> PackFile {
        PackFile::open(FileSource::Bytes(bytes.to_vec()), DEFAULT, None).unwrap()
    }

    fn listed(pack: &PackFile) -> Vec<(String, Result<Vec<u8>, String>)> {
        let values = pack.list().unwrap().into_iter();
        let shown = |bytes: Result<Cow<'_, [u8]>, ContainerError>| {
            bytes.map(Cow::into_owned).map_err(|error| error.to_string())
        };
        values.map(|value| (value.address.to_string(), shown(value.bytes))).collect()
    }

    fn expected() -> Vec<(String, Result<Vec<u8>, String>)> {
        let path = |path: &str| if path.contains("://") { path.to_owned() } else { format!("res://{path}") };
        FILES.iter().map(|(name, content)| (path(name), Ok(content.to_vec()))).collect()
    }

    #[test]
    fn every_format_alone_and_in_a_program() {
        for (format, Made { bytes, .. }, _) in layouts() {
            let pack = open(&bytes);
            assert_eq!((pack.header().format, pack.header().engine), (format, [4, 1, 2]));
            assert_eq!(listed(&pack), expected());
            assert_eq!(pack.warnings(), [""; 0]);
            let value = pack.list().unwrap().remove(1);
            let start = to_usize(value.start.unwrap());
            assert_eq!(&bytes[start..start + 2104], &[7; 2104]);
            let md5: [u8; 16] = Md5::digest([7; 2104]).into();
            let md5 = if format == 1 { "no md5".to_owned() } else { format!("md5 {}", encode_string(&md5)) };
            assert_eq!(value.about.stored().unwrap(), format!("2,104 bytes, {md5}"));
            let members: Vec<_> = value.about.given().iter().map(|(name, _)| *name).collect();
            assert_eq!(members, ["path", "offset", "size", "md5"]);
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &bytes).unwrap();
            let pack = PackFile::open(FileSource::File(file.path().to_owned()), 1 << 19, None).unwrap();
            assert_eq!((listed(&pack), pack.warnings()), (expected(), Vec::new()));
        }
    }

    #[test]
    fn headers_and_directories_come_back() {
        for (format, Made { bytes, directory }, before) in layouts() {
            let pack = open(&bytes);
            let mut again = Vec::new();
            generate_into(gen_pack_header(pack.header()), &mut again).unwrap();
            assert!(bytes[before.len()..].starts_with(&again));
            let mut again = Vec::new();
            generate_into(gen_pack_directory(format, &pack.entries()), &mut again).unwrap();
            assert_eq!((&bytes[directory..][..again.len()], &pack.directory), (&*again, &again));
        }
    }

    /// A cut within the header or the directory is an error with its offset; the entries before it are listed.
    #[test]
    fn every_cut_is_an_error() {
        for (format, Made { bytes, directory }, before) in layouts() {
            if !before.is_empty() {
                continue;
            }
            let whole = open(&bytes).directory.len();
            for cut in 0..directory + whole {
                let source = FileSource::Bytes(bytes[..cut].to_vec());
                let Ok(pack) = PackFile::open(source, DEFAULT, None) else {
                    assert!(cut < directory, "{cut}");
                    continue;
                };
                let mut count = 0;
                let error = pack.values(&mut |_| {
                    count += 1;
                    ControlFlow::Continue(())
                });
                let error = error.unwrap_err();
                assert!(matches!(error, ContainerError::Truncated(_)), "{error}");
                let offset = pack.broken.as_ref().unwrap().offset().byte();
                assert!(offset <= to_u64(cut) && count < FILES.len(), "{format} {cut}: {error}");
            }
        }
        let pack = made(2, true, b"", &FILES);
        let broken = open(&pack.bytes[..pack.directory + 110]);
        assert_eq!(broken.entries().len(), 2);
    }

    #[test]
    fn new_contents_are_at_the_end() {
        for (format, Made { bytes, directory }, before) in layouts() {
            let pack = open(&bytes);
            let (length, values) = (pack.directory.len(), pack.list().unwrap());
            let replacements = [
                ValueChange::Replace { address: &values[0].address, bytes: b"a new content" },
                ValueChange::Replace { address: &values[2].address, bytes: b"!" },
            ];
            let changed = pack.changed(&replacements).unwrap();
            let end = bytes.len() - if before.is_empty() { 0 } else { 12 };
            assert_eq!(changed[..directory], bytes[..directory]);
            assert_eq!(changed[directory + length..end], bytes[directory + length..end]);
            let again = open(&changed);
            let mut expected = expected();
            (expected[0].1, expected[2].1) = (Ok(b"a new content".to_vec()), Ok(b"!".to_vec()));
            assert_eq!((listed(&again), again.warnings()), (expected, Vec::new()));
            assert!(again.list().unwrap().iter().all(|value| value.start.unwrap().is_multiple_of(16)));
            assert_eq!(again.entries()[0].md5 == [0; 16], format == 1);
            assert_eq!(pack.changed(&[]).unwrap(), bytes);
        }
    }

    #[test]
    fn entries_are_removed_and_added() {
        for (format, Made { bytes, directory }, _) in layouts() {
            let pack = open(&bytes);
            let (length, values) = (pack.directory.len(), pack.list().unwrap());
            let changed = pack.changed(&[ValueChange::Remove(&values[0].address)]).unwrap();
            assert_eq!(changed.len(), bytes.len());
            assert_eq!(changed[directory + length..], bytes[directory + length..]);
            assert_eq!(listed(&open(&changed)), expected()[1..]);
            let address = |path: &str| Address::new(Syntax::Entries, [Component::name(path)]);
            let paths = ["res://new.cfg", "res://deep/er/ü [1].bin", "res://nothing"].map(address);
            let contents = [&b"[a]"[..], &[9; 5000], b""];
            fn add<'c>(address: &'c Address, bytes: &'c [u8]) -> ValueChange<'c> {
                ValueChange::Add(Addition { address, bytes, about: &[], is_first: false })
            }
            let all: Vec<_> = paths.iter().zip(contents).map(|(path, bytes)| add(path, bytes)).collect();
            let more = pack.changed(&all).unwrap();
            let again = open(&more);
            let found = listed(&again);
            assert_eq!(found[..FILES.len()], expected());
            let added = paths.iter().zip(contents).map(|(path, content)| (path.to_string(), Ok(content.to_vec())));
            assert_eq!(found[FILES.len()..], added.collect::<Vec<_>>());
            assert_eq!(again.warnings(), [""; 0]);
            // written as the paths beside them
            let stored =
                |pack: &PackFile| pack.entries().iter().map(|entry| entry.path.starts_with(b"res://")).collect();
            let is_full: std::collections::BTreeSet<bool> = stored(&again);
            assert_eq!(is_full, stored(&pack), "{format}");
            for entry in again.entries() {
                assert_eq!((again.base() + entry.offset) % 16, (pack.base() + pack.entries()[0].offset) % 16);
            }
            // removed again, in one change with another that is added
            let mut back: Vec<_> = paths.iter().map(ValueChange::Remove).collect();
            let other = address("res://other");
            back.push(add(&other, b"1"));
            let back = open(&again.changed(&back).unwrap());
            assert_eq!(listed(&back)[..FILES.len()], expected());
            assert_eq!(listed(&back)[FILES.len()..], [("res://other".to_owned(), Ok(b"1".to_vec()))]);
            for (path, reason) in [
                (Address::clone(&values[0].address), "is there already"),
                (address("user://a"), "it has a colon"),
                (address("a.cfg"), "does not begin with res://"),
                (address("res://a/../b"), "it leaves its folder"),
                (address("res://"), "a part of it is empty"),
            ] {
                let refused = pack.changed(&[add(&path, b"")]).unwrap_err().to_string();
                assert!(refused.contains(reason), "{refused}");
            }
        }
    }

    /// The path of a file, its content and a warning.
    type Told = (String, Result<Vec<u8>, String>, Option<String>);

    /// The files that are extracted.
    fn extracted(pack: &PackFile, wanted: &dyn Fn(&str) -> bool) -> Vec<Told> {
        let mut found = Vec::new();
        let each = &mut |path: &str, content: Result<Cow<'_, [u8]>, ContainerError>, warning| {
            let content = content.map(Cow::into_owned).map_err(|error| error.to_string());
            found.push((path.to_owned(), content, warning));
        };
        pack.extract(wanted, each).unwrap();
        found
    }

    #[test]
    fn of_two_entries_with_a_path_the_last_is_extracted() {
        let pack = open(&made(3, true, b"", &[("a", b"1"), ("b", b"2"), ("a", b"3")]).bytes);
        let file = |path: &str, content: &[u8]| (path.to_owned(), Ok(content.to_vec()), None);
        assert_eq!(extracted(&pack, &|_| true), [file("res://b", b"2"), file("res://a", b"3")]);
        assert_eq!(extracted(&pack, &|path| path == "res://a"), [file("res://a", b"3")]);
        let broken = with_entries(3, 0, |entries| entries[0].md5 = [1; 16]);
        let found = extracted(&open(&broken), &|_| true);
        assert_eq!(found[0].1, Ok(b"first".to_vec()));
        assert_eq!(found[0].2.as_slice(), open(&broken).warnings());
        assert_eq!(found[1].2, None);
    }

    #[test]
    fn contents_that_are_shared_are_extracted_up_to_four_times_the_file() {
        let files: Vec<_> = (0..50).map(|number| format!("{number}")).collect();
        let mut files: Vec<_> = files.iter().map(|path| (path.as_str(), &b""[..])).collect();
        files.push(("all", &[7; 20_000]));
        let Made { mut bytes, directory } = made(3, true, b"", &files);
        let (pack, mut again) = (open(&bytes), Vec::new());
        let mut entries = pack.entries();
        let all = entries[50].clone();
        entries.iter_mut().for_each(|entry| (entry.offset, entry.size, entry.md5) = (all.offset, all.size, all.md5));
        generate_into(gen_pack_directory(3, &entries), &mut again).unwrap();
        bytes[directory..].copy_from_slice(&again);
        let pack = open(&bytes);
        let found = extracted(&pack, &|_| true);
        let whole = found.iter().filter(|(_, content, _)| content.is_ok()).count();
        assert_eq!((found.len(), whole), (51, bytes.len() * 4 / 20_000));
        assert_eq!(found[50].1, Err("all contents together are more than 4 times the file".to_owned()));
        // what is not wanted does not count
        assert_eq!(extracted(&pack, &|path| path == "res://all")[0].1, Ok(vec![7; 20_000]));
    }

    #[test]
    fn ten_times_as_many_files_are_ten_times_the_work_to_extract() {
        let work = |count: usize| {
            let paths: Vec<_> = (0..count).map(|number| format!("res://{number:05}")).collect();
            let files: Vec<_> = paths.iter().map(|path| (path.as_str(), &b"content"[..])).collect();
            let pack = open(&made(3, true, b"", &files).bytes);
            let work = measure(|| drop(extracted(&pack, &|_| true)));
            (work.count_total, work.bytes_total)
        };
        let (few, many) = (work(100), work(1000));
        assert!(many.0 <= 11 * few.0 && many.1 <= 11 * few.1, "{few:?} {many:?}");
    }

    /// A content takes the place of the old one if it fits there, or if nothing follows it, and if no other entry has it.
    #[test]
    fn edits_again_and_again_do_not_grow_a_pack() {
        for (format, Made { bytes, .. }, before) in layouts() {
            let (pack, number) = (open(&bytes), 1);
            let set = |pack: &PackFile, new: &[u8]| {
                let list = pack.list().unwrap();
                pack.changed(&[ValueChange::Replace { address: &list[number].address, bytes: new }]).unwrap()
            };
            assert_eq!(set(&pack, &[7; 2104]), bytes, "{format}");
            let shorter = set(&pack, b"short");
            let at = to_usize(pack.place(&pack.entries()[number]).unwrap());
            assert_eq!((shorter.len(), &shorter[at..at + 7]), (bytes.len(), &b"short\0\0"[..]));
            let longer = set(&pack, &[8; 3000]);
            let again = set(&open(&set(&open(&longer), &[9; 4000])), &[8; 3000]);
            assert!(again.len() <= longer.len() + 1000 + 32, "{format}");
            let mut expected = listed(&pack);
            expected[number].1 = Ok(vec![8; 3000]);
            assert_eq!((listed(&open(&again)), open(&again).warnings()), (expected, Vec::new()));
            assert!(again.starts_with(before));
        }
        // an empty content may be anywhere, also within the directory, whose last bytes are zeros
        let bytes = made(3, true, b"", &FILES).bytes;
        let offset = to_u64(bytes.len()) - 2 - open(&bytes).base();
        let inside = with_entries(3, 0, |entries| entries[2].offset = offset);
        let pack = open(&inside);
        let list = pack.list().unwrap();
        let changed = pack.changed(&[ValueChange::Replace { address: &list[2].address, bytes: b"new" }]).unwrap();
        assert_eq!(listed(&open(&changed))[2].1, Ok(b"new".to_vec()));
        // or begin before the pack, or in its header: these bytes stay
        for (format, Made { bytes, directory }, before) in layouts().into_iter().filter(|(format, ..)| *format == 1) {
            let (pack, mut again, mut inside) = (open(&bytes), Vec::new(), bytes.clone());
            let mut entries = pack.entries();
            (entries[0].offset, entries[0].size) = (8, 40);
            generate_into(gen_pack_directory(format, &entries), &mut again).unwrap();
            inside[directory..][..again.len()].copy_from_slice(&again);
            let pack = open(&inside);
            let list = pack.list().unwrap();
            let changed = pack.changed(&[ValueChange::Replace { address: &list[0].address, bytes: b"new" }]).unwrap();
            assert_eq!(listed(&open(&changed))[0].1, Ok(b"new".to_vec()));
            assert_eq!(changed[..before.len() + 84], inside[..before.len() + 84]);
        }
        // both have one content, and one of them keeps it
        let shared = with_entries(3, 0, |entries| entries[0].offset = entries[1].offset);
        let pack = open(&shared);
        assert_eq!(pack.shared(), HashSet::from([0, 1]));
        let list = pack.list().unwrap();
        let changed = pack.changed(&[ValueChange::Replace { address: &list[0].address, bytes: b"other" }]).unwrap();
        assert_eq!(listed(&open(&changed))[1].1, Ok(vec![7; 2104]));
    }

    /// The pack with its entries changed.
    fn with_entries(format: u32, flags: u32, change: impl Fn(&mut [PackEntry<'_>])) -> Vec<u8> {
        let Made { mut bytes, directory } = made(format, true, b"", &FILES);
        if format > 1 {
            bytes[20] |= u8::try_from(flags).unwrap();
        }
        let pack = open(&bytes[..]);
        let mut entries = pack.entries();
        change(&mut entries);
        let mut again = Vec::new();
        generate_into(gen_pack_directory(format, &entries), &mut again).unwrap();
        bytes[directory..][..again.len()].copy_from_slice(&again);
        bytes
    }

    #[test]
    fn an_entry_without_content_does_not_hide_the_others() {
        let pack = open(&with_entries(3, 0, |entries| entries[0].flags = REMOVED));
        let found = listed(&pack);
        assert_eq!((&found[0].1, &found[1..]), (&Ok(Vec::new()), &expected()[1..]));
        let values = pack.list().unwrap();
        let error = pack.changed(&[ValueChange::Replace { address: &values[0].address, bytes: b"x" }]).unwrap_err();
        let reason = "res://a.txt cannot be replaced: the pack does not have its whole content";
        assert_eq!(error.to_string(), reason);
        let sparse = listed(&open(&with_entries(4, SPARSE, |_| {})));
        assert_eq!(sparse[1].1, Err("the content is in a file of its own".to_owned()));
        let beyond = |offset, size| {
            let found =
                listed(&open(&with_entries(1, 0, |entries| (entries[1].offset, entries[1].size) = (offset, size))));
            assert_eq!(found[2], expected()[2]);
            found[1].1.clone().unwrap_err()
        };
        assert_eq!(
            beyond(0x10, 1 << 40),
            "the content is beyond the end of the pack: 1099511627776 bytes at byte 0x10"
        );
        assert_eq!(
            beyond(u64::MAX, 2),
            "the content is beyond the end of the pack: 2 bytes at byte 0xffffffffffffffff"
        );
        // an edit of another file makes the pack longer
        let length = to_u64(made(1, true, b"", &FILES).bytes.len());
        let cut = with_entries(1, 0, |entries| (entries[1].offset, entries[1].size) = (length + 1, 0));
        let (pack, values) = (open(&cut), open(&cut).list().unwrap());
        let [first, second] =
            [0, 1].map(|number| ValueChange::Replace { address: &values[number].address, bytes: b"longer" });
        let refused = pack.changed(&[first]).unwrap_err().to_string();
        let path = &values[1].address;
        let reason = "and would have other bytes there; replace or remove that too";
        assert_eq!(refused, format!("the pack ends before the content of {path}, {reason}"));
        let both = listed(&open(&pack.changed(&[first, second]).unwrap()));
        assert!(both[..2].iter().all(|(_, content)| content == &Ok(b"longer".to_vec())), "{both:?}");
        let delta = open(&with_entries(4, 0, |entries| entries[1].flags = DELTA)).list().unwrap().remove(1);
        assert!(delta.about.stored().unwrap().ends_with(", changes to the file of another pack"));
    }

    #[test]
    fn contents_that_differ_from_their_md5_are_warnings() {
        let mut bytes = with_entries(2, 0, |entries| entries[0].md5 = [0; 16]);
        let place = bytes.len() - 16;
        bytes[place - 16] = 8;
        let at = open(&bytes).list().unwrap()[1].start.unwrap();
        let found: [u8; 16] = Md5::digest(&bytes[to_usize(at)..][..2104]).into();
        let stored: [u8; 16] = Md5::digest([7; 2104]).into();
        let text = format!(
            "the MD5 of res://b/c.bin is {}, not {}, at byte {at:#x}",
            encode_string(&found),
            encode_string(&stored)
        );
        assert_eq!(open(&bytes).warnings(), [text]);
    }

    #[test]
    fn what_is_no_pack_is_named() {
        let error = |bytes: Vec<u8>| PackFile::open(FileSource::Bytes(bytes), DEFAULT, None).unwrap_err().to_string();
        let none = "the file is not a Godot pack: it neither begins nor ends with \"GDPC\"";
        assert_eq!(error(Vec::new()), none);
        assert_eq!(error([[0; 100], [1; 100]].concat()), none);
        assert_eq!(
            error([&[0; 8][..], &[9; 8], PACK_MAGIC].concat()),
            "the size of the pack is larger than the file, at byte 0x8"
        );
        assert_eq!(error(b"GDPC\x05\0\0\0".to_vec()), "unknown format of packs 5, at byte 0x4 in format");
        let mut wrong = made(3, true, b"", &FILES).bytes;
        wrong[32] = 0;
        wrong[33] = 0;
        assert_eq!(error(wrong), "the directory of the pack begins in its header, at byte 0x0");
    }

    /// A directory with a count that lies, and entries that share their content.
    #[test]
    fn memory_and_time_are_bounded() {
        let mut header = made(1, false, b"", &[]).bytes;
        header.truncate(84);
        let lies = [&header[..], &[0xff; 4], &[0; 100_000]].concat();
        let peak = allocation_counter::measure(|| {
            let _ = open(&lies).values(&mut |_| ControlFlow::Continue(()));
        })
        .bytes_max;
        assert!(peak < 6 * to_u64(lies.len()), "{peak}");
        let shared = with_entries(1, 0, |entries| (entries[0].offset, entries[0].size) = (0, 2000));
        let entry = &shared[88..][..4 + 12 + 32];
        let many = [&header[..], &1000u32.to_le_bytes(), &entry.repeat(1000)].concat();
        let values = open(&many).list().unwrap();
        let total: usize = values.iter().flat_map(|value| &value.bytes).map(|bytes| bytes.len()).sum();
        assert!(total <= 4 * many.len() && values.len() == 1000);
        let error = values[999].bytes.as_ref().unwrap_err();
        assert_eq!(error.to_string(), "all contents together are more than 4 times the file");
        let large = PackFile::open(FileSource::Bytes(many), 10_000, None).unwrap_err();
        assert_eq!(large.to_string(), "the file is larger than the limit of 10000 bytes");
    }

    /// Packs of Godot 4.6.3: all contents encrypted except one, and the same with an encrypted directory.
    const ENTRIES: &[u8] = include_bytes!("../../../../fixtures/godot-files/v4/pck/entries_encrypted.pck");
    const ALL: &[u8] = include_bytes!("../../../../fixtures/godot-files/v4/pck/all_encrypted.pck");
    const NEEDED: &str = "the content is encrypted; set the option password, or key to its 64 hexadecimal digits";

    fn open_with(bytes: &[u8], key: Option<[u8; 32]>) -> Result<PackFile, ContainerError> {
        PackFile::open(FileSource::Bytes(bytes.to_vec()), DEFAULT, key.map(Key::from))
    }

    /// The bytes 0 to 31.
    fn key() -> Option<[u8; 32]> {
        Some(std::array::from_fn(|byte| u8::try_from(byte).unwrap()))
    }

    #[test]
    fn encrypted_packs_need_their_key() {
        let plain = listed(&open(include_bytes!("../../../../fixtures/godot-files/v4/pck/plain.pck")));
        // this one removes the file of another pack
        let plain: Vec<_> = plain.into_iter().filter(|(path, _)| path != "res://gone.txt").collect();
        for bytes in [ENTRIES, ALL] {
            let pack = open_with(bytes, key()).unwrap();
            assert_eq!((listed(&pack), pack.warnings()), (plain.clone(), Vec::new()));
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), bytes).unwrap();
            let source = FileSource::File(file.path().to_owned());
            let pack = PackFile::open(source.clone(), 1 << 19, key().map(Key::from)).unwrap();
            assert_eq!((listed(&pack), pack.warnings()), (plain.clone(), Vec::new()));
        }
        let error = open_with(ALL, None).unwrap_err().to_string();
        assert_eq!(error, NEEDED.replace("content", "directory of the pack"));
        let wrong = open_with(ALL, Some([1; 32])).unwrap_err().to_string();
        assert!(wrong.starts_with("the password or key does not fit: the md5 of the decrypted bytes is "), "{wrong}");
        // any key fits no content
        for (key, reason, count) in [(None, NEEDED, 1), (Some([1; 32]), "the password or key does not fit: ", 2)] {
            let pack = open_with(ENTRIES, key).unwrap();
            let found = listed(&pack);
            assert_eq!(found.iter().filter(|(_, content)| content.is_ok()).count(), count);
            let refused = |text: &String| text.starts_with(reason);
            assert!(found.iter().all(|(_, content)| content.as_ref().map_or_else(refused, |_| true)), "{found:?}");
            assert_eq!(pack.warnings(), [""; 0]);
            let address = pack.list().unwrap().into_iter().find(|value| value.bytes.is_err()).unwrap().address;
            let error =
                pack.changed(&[ValueChange::Replace { address: &address, bytes: b"" }]).unwrap_err().to_string();
            assert!(error.starts_with(reason), "{error}");
        }
    }

    /// Encrypted parts are encrypted again with another IV, and nothing else changes.
    #[test]
    fn encrypted_packs_are_changed() {
        for bytes in [ENTRIES, ALL] {
            let pack = open_with(bytes, key()).unwrap();
            assert_eq!(pack.changed(&[]).unwrap(), bytes);
            let before = listed(&pack);
            for (number, value) in pack.list().unwrap().iter().enumerate() {
                let new = [&b"new "[..]; 9].concat();
                let replaced = pack.changed(&[ValueChange::Replace { address: &value.address, bytes: &new }]).unwrap();
                let again = open_with(&replaced, key()).unwrap();
                let mut expected = before.clone();
                expected[number].1 = Ok(new.clone());
                assert_eq!((listed(&again), again.warnings()), (expected, Vec::new()));
                let (old, new) =
                    (pack.place(&pack.entries()[number]).unwrap(), again.place(&again.entries()[number]).unwrap());
                let iv = |bytes: &[u8], at| bytes[to_usize(at)..][24..40].to_vec();
                let is_encrypted = pack.entries()[number].flags == ENCRYPTED;
                assert!(!is_encrypted || iv(&replaced, new) != iv(bytes, old));
                let (room, stored) = (pack.entries()[number].stored_size(), if is_encrypted { 40 + 48 } else { 36 });
                let length = match old + room == to_u64(bytes.len()) {
                    _ if room >= stored => to_u64(bytes.len()),
                    true => old + stored,
                    false => to_u64(bytes.len().next_multiple_of(32)) + stored,
                };
                assert_eq!(to_u64(replaced.len()), length);
                let removed = pack.changed(&[ValueChange::Remove(&value.address)]).unwrap();
                let again = listed(&open_with(&removed, key()).unwrap());
                let others = before.iter().enumerate().filter(|(other, _)| *other != number);
                assert!(again.iter().eq(others.map(|(_, file)| file)) && removed.len() == bytes.len());
            }
            assert_eq!(open_with(&pack.changed(&[]).unwrap(), key()).unwrap().directory, pack.directory);
        }
    }

    /// The entries before a cut in an encrypted directory are listed.
    #[test]
    fn every_cut_of_an_encrypted_directory_is_an_error() {
        let whole = open_with(ALL, key()).unwrap();
        let (directory, entries) = (to_usize(whole.header.directory), whole.entries());
        let mut most = 0;
        for cut in directory..ALL.len() {
            let pack = open_with(&ALL[..cut], key()).unwrap();
            let found = pack.entries();
            assert_eq!(found, entries[..found.len()], "{cut}");
            let error = pack.values(&mut |_| ControlFlow::Continue(())).unwrap_err();
            assert!(matches!(error, ContainerError::Truncated(_)), "{cut}: {error}");
            assert!(found.len() >= most, "{cut}");
            most = found.len();
        }
        assert_eq!(most, entries.len() - 1);
        // a length that lies, and a content that is not as long as its entry says
        let mut lies = ALL.to_vec();
        lies[directory + 4 + 16..][..8].fill(0xff);
        let lies = open_with(&lies, key()).unwrap();
        assert!(matches!(lies.list().unwrap_err(), ContainerError::Truncated(_)));
        let mut lies = ENTRIES.to_vec();
        let number =
            open(ENTRIES).entries().iter().position(|entry| entry.flags == ENCRYPTED && entry.size > 0).unwrap();
        let at = to_usize(open(ENTRIES).list().unwrap()[number].start.unwrap());
        lies[at + 18] = 1;
        let error = open_with(&lies, key()).unwrap().list().unwrap()[number].bytes.as_ref().unwrap_err().to_string();
        assert!(
            error.starts_with("input ends too early: ")
                && error.ends_with(&format!("at byte {:#x} in content", at + 40)),
            "{error}"
        );
    }

    #[test]
    fn one_content_by_its_path() {
        for (_, Made { bytes, .. }, _) in layouts() {
            let pack = open(&bytes);
            for (path, content) in expected() {
                assert_eq!(pack.content_of(&path).unwrap(), content.unwrap());
            }
            let error = |path| pack.content_of(path).unwrap_err().to_string();
            assert_eq!(error("res://a.text"), "the file has no value res://a.text; did you mean res://a.txt?");
            assert_eq!(error("nothing like it"), "the file has no value nothing like it");
            assert!(error("res://*.txt").ends_with("*.txt; one file is opened, and a pattern may name several"));
        }
        let secret = open_with(ENTRIES, key()).unwrap();
        for (path, content) in listed(&secret) {
            assert_eq!(secret.content_of(&path).map_err(|error| error.to_string()), content);
        }
        let twice = open(&with_entries(3, 0, |entries| {
            entries[2] = PackEntry { path: entries[1].path.clone(), ..entries[0].clone() }
        }));
        assert_eq!(twice.content_of("res://b/c.bin").unwrap(), b"first");
    }

    /// Godot 4.6.3 fills up a pack of 3504 bytes with 4 zeros, and says 3508.
    #[test]
    fn a_program_with_a_pack_that_is_filled_up() {
        let mut bytes = vec![0x7f; 100];
        bytes.extend(ALL);
        bytes.resize((bytes.len() + 12).next_multiple_of(8) - 12, 0);
        assert_eq!(bytes.len() - 100 - ALL.len(), 4);
        bytes.extend(to_u64(bytes.len() - 100).to_le_bytes());
        bytes.extend(PACK_MAGIC);
        let options = enginewire::formats::FormatOptions::new().set("key", encode_string(&key().unwrap())).unwrap();
        let file = crate::containers::ContainerKind::Pack.open(FileSource::Bytes(bytes), None, &options).unwrap();
        let values = file.list().unwrap();
        let changed = file.changed(&[ValueChange::Replace { address: &values[0].address, bytes: b"new" }]).unwrap();
        assert!(changed.len().is_multiple_of(8) && changed.starts_with(&[0x7f; 100]));
        let (again, mut expected) = (open_with(&changed, key()).unwrap(), listed(&open_with(ALL, key()).unwrap()));
        expected[0].1 = Ok(b"new".to_vec());
        assert_eq!((listed(&again), again.warnings()), (expected, Vec::new()));
    }

    #[test]
    fn paths_stay_in_their_folder() {
        for path in ["res://a", "a/b.c", "res://.godot/imported/a.png-1.ctex", "console.txt", "com10", "ä/日本"] {
            let relative = path.strip_prefix("res://").unwrap_or(path);
            assert_eq!(safe_path(path).unwrap(), PathBuf::from(relative), "{path}");
        }
        for (path, reason) in [
            ("", "a part of it is empty"),
            ("res://", "a part of it is empty"),
            ("res:///etc/passwd", "a part of it is empty"),
            ("/etc/passwd", "a part of it is empty"),
            ("a//b", "a part of it is empty"),
            ("a/", "a part of it is empty"),
            ("res://../a", "it leaves its folder"),
            ("a/./b", "it leaves its folder"),
            ("a/..", "it leaves its folder"),
            ("C:/a", "it has a colon or a backslash"),
            ("user://a", "it has a colon or a backslash"),
            ("a:b", "it has a colon or a backslash"),
            ("a\\..\\b", "it has a colon or a backslash"),
            ("a\0b", "it has a control character"),
            ("a\nb", "it has a control character"),
            ("...", "a part of it ends with a dot or a space"),
            ("a /b", "a part of it ends with a dot or a space"),
            ("con", "it is the name of a device"),
            ("a/NUL.txt", "it is the name of a device"),
            ("Com1.a.b", "it is the name of a device"),
            ("lpt³", "it is the name of a device"),
            ("aux .txt", "it is the name of a device"),
            ("CONOUT$", "it is the name of a device"),
        ] {
            let error = safe_path(path).unwrap_err().to_string();
            assert_eq!(error, format!("the path {path:?} is refused: {reason}"));
        }
    }
}
