//! The unique ids of the files of a project: `.godot/uid_cache.bin`.

use std::collections::HashSet;
use std::io::Write;
use std::ops::{ControlFlow, Range};

use bstr::BStr;
use cookie_factory::sequence::pair;
use cookie_factory::SerializeFn;
use nom::Parser;
use serde_json::json;

use super::settings_file::unread;
use crate::address::{Address, Component, Syntax};
use crate::containers::{append, Arranged, Container, ContainerError, Embedded, Repeated, ValueChange};
use enginewire::error::DecodeError;
use enginewire::godot::resource::{id_of, text_of};
use enginewire::godot::{v4, Variant};
use enginewire::number::to_u64;
use enginewire::wire::{
    field, gen_length_prefixed, gen_uint64, generate_into, length_prefixed, run, uint32, uint64, IntoByteString, Le,
    Source, WireError,
};

/// The length of the count before the entries, in bytes.
const COUNT: usize = 4;

/// Reads an entry: an id and a path.
///
/// | field | type |
/// |---|---|
/// | id | uint64; bit 63 is 0 |
/// | path | uint32 length, and as many bytes |
///
/// Specification: `docs/spec/godot-files.md`, section Unique ids.
fn entry<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>() -> impl Parser<I, Output = (u64, &'a BStr), Error = E> {
    (field("id", uint64::<Le, I, E>()), field("path", length_prefixed::<Le, I, E>()))
}

/// Writes an entry.
fn gen_entry<'v, W: Write + 'v>(id: u64, path: &'v [u8]) -> impl SerializeFn<W> + 'v {
    pair(gen_uint64::<Le, W>(id), gen_length_prefixed::<Le, W>(path))
}

/// True if these first bytes are those of unique ids, whose first entry has a path. Strings in a list of Godot, and typed containers
/// with a script, begin alike and have none.
pub(crate) fn is_uid_cache(head: &[u8]) -> bool {
    let (Some(count), Some(low), Some(high)) = (word(head, 0), word(head, 4), word(head, 8)) else { return false };
    let is_typed = count > 0xffff && matches!(count & 0xffff, 27 | 28);
    let is_value = is_typed || matches!(low, 23 | 34) || matches!(high, 4 | 21);
    let path = head.get(16..).unwrap_or_default();
    let fits = word(head, 12).is_some_and(|length| (6..4096).contains(&length));
    count > 0 && high >> 31 == 0 && !is_value && fits && path.starts_with(b"res://")
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

/// The unique ids of a project as a [`Container`]. The address of a value is the text of the id, and the value is the path, as a
/// String of Godot 4.
#[derive(Debug)]
pub struct UidCache {
    bytes: Vec<u8>,
    max_memory: usize,
}

/// The range of an entry in the file, its id and its path.
type Entry<'a> = (Range<usize>, u64, &'a BStr);

impl UidCache {
    /// The ids in these bytes. A changed file may have `max_memory` bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>, max_memory: usize) -> Self {
        UidCache { bytes, max_memory }
    }

    /// The number of entries that the file claims.
    fn count(&self) -> Result<u32, ContainerError> {
        let read = run(&*self.bytes, field("count", uint32::<Le, _, _>()));
        read.map(|(_, count)| count).map_err(|error: DecodeError| unread(&error))
    }

    /// The entries up to the end of the file, or up to an error.
    fn entries(&self) -> impl Iterator<Item = Result<Entry<'_>, ContainerError>> {
        let mut rest = self.bytes.get(COUNT..).unwrap_or_default();
        std::iter::from_fn(move || {
            let start = self.bytes.len().saturating_sub(rest.len());
            let read = (!rest.is_empty()).then(|| run(rest, field("entry", entry())))?;
            rest = read.as_ref().map_or(&[][..], |(rest, _)| rest);
            let end = self.bytes.len().saturating_sub(rest.len());
            let entry = read.map(|(_, (id, path))| (start..end, id, path));
            Some(entry.map_err(|error: DecodeError| unread(&error.shifted(to_u64(start)))))
        })
    }
}

/// The path that a value is.
fn path_of(bytes: &[u8]) -> Result<Vec<u8>, ContainerError> {
    match v4::decode(bytes).map_err(ContainerError::malformed)? {
        Variant::String(path) => Ok(path.to_vec()),
        _ => Err(ContainerError::Refused("expected a path such as \"res://a.tscn\"".to_owned())),
    }
}

impl Container for UidCache {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let count = self.count()?;
        let repeated = Repeated::of(self.entries().flatten().map(|(_, id, _)| id));
        let mut found = 0u32;
        for (number, entry) in self.entries().enumerate() {
            let (range, id, path) = entry?;
            let text = text_of(id);
            let address = Address::new(Syntax::Keys, [Component::name(text.as_bytes())]);
            let address = address.earlier(repeated.earlier(number));
            let value = v4::encode(&Variant::String(path.into_byte_string())).map_err(ContainerError::malformed);
            let broken_at = value.is_err().then_some(to_u64(range.start));
            let members = vec![("uid", json!(text)), ("offset", json!(range.start))];
            let embedded = Embedded::new(address, &["godot-4"], value).with_members(members);
            if each(Embedded { broken_at, ..embedded }).is_break() {
                return Ok(());
            }
            found = found.saturating_add(1);
        }
        match found < count {
            true => Err(ContainerError::Truncated(format!("the file claims {count} ids, but ends after {found}"))),
            false => Ok(()),
        }
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let changes = Arranged::new(self, changes)?;
        let entries: Vec<_> = self.entries().collect::<Result<_, _>>()?;
        let mut ids: HashSet<_> = entries.iter().map(|(_, id, _)| *id).collect();
        let put = |to: &mut Vec<u8>, id, bytes: &[u8]| {
            let (path, mut entry) = (path_of(bytes)?, Vec::new());
            generate_into(gen_entry(id, &path), &mut entry).map_err(ContainerError::malformed)?;
            append(to, &entry, self.max_memory)
        };
        let mut added = |to: &mut Vec<u8>, list: &[crate::containers::Addition<'_>]| {
            list.iter().try_for_each(|addition| {
                let key = addition.address.components().first().and_then(Component::text);
                let id = key.and_then(|key| id_of(key)).ok_or_else(|| {
                    ContainerError::Refused(format!(
                        "expected a unique id such as uid://b1, found {}",
                        addition.address
                    ))
                })?;
                match ids.insert(id) {
                    true => put(to, id, addition.bytes),
                    false => Err(ContainerError::Refused(format!("there is a value {} already", addition.address))),
                }
            })
        };
        let (mut file, mut removed) = (vec![0; COUNT], 0usize);
        added(&mut file, &changes.first)?;
        for (number, (range, id, _)) in entries.iter().enumerate() {
            match changes.values.get(&number) {
                None => append(&mut file, self.bytes.get(range.clone()).unwrap_or_default(), self.max_memory)?,
                Some(Some(bytes)) => put(&mut file, *id, bytes)?,
                Some(None) => removed = removed.saturating_add(1),
            }
        }
        added(&mut file, &changes.last)?;
        let (claimed, new) = (self.count()?, changes.first.len().saturating_add(changes.last.len()));
        let count = match entries.len() == usize::try_from(claimed).unwrap_or(usize::MAX) {
            true => u32::try_from(entries.len().saturating_add(new).saturating_sub(removed)).unwrap_or(u32::MAX),
            false if new == 0 && removed == 0 => claimed,
            false => {
                let reason =
                    format!("the file claims {claimed} ids, but has {}; none is added or removed", entries.len());
                return Err(ContainerError::Refused(reason));
            }
        };
        file.splice(..COUNT, count.to_le_bytes());
        Ok(file)
    }

    fn format(&self) -> Option<&'static str> {
        Some("godot-4")
    }

    fn warnings(&self) -> Vec<String> {
        let (claimed, found) = (self.count().map_or(0, u64::from), to_u64(self.entries().flatten().count()));
        let more = (found > claimed).then(|| format!("the file claims {claimed} ids, but has {found} (at byte 0x0)"));
        more.into_iter().collect()
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)] // a test may panic
mod tests {
    use super::*;
    use crate::containers::Addition;
    use enginewire::budget::DEFAULT;
    use enginewire::godot::Version;
    use pretty_assertions::assert_eq;

    const FILE: &[u8] = b"\x02\0\0\0\x23\x66\x7d\xf9\x7a\x35\x19\x4d\x0c\0\0\0res://a.tscn\
                          \x78\xe1\xf6\xc7\x93\xe2\x6e\x45\x0d\0\0\0res://b/c.png";

    fn open(bytes: &[u8]) -> UidCache {
        UidCache::new(bytes.to_vec(), DEFAULT)
    }

    fn listed(bytes: &[u8]) -> Vec<(String, String)> {
        let path = |value: &Embedded<'_>| v4::decode(value.bytes.as_ref().unwrap()).unwrap().to_gdscript(Version::V4);
        let values = open(bytes).list().unwrap();
        values.iter().map(|value| (value.address.to_string(), path(value))).collect()
    }

    /// The largest is that of the engine.
    #[test]
    fn ids_have_texts() {
        for (id, text) in
            [(0, "a"), (24, "y"), (25, "0"), (33, "8"), (34, "ba"), (0x7fff_ffff_ffff_ffff, "d4n4ub6itg400")]
        {
            assert_eq!(text_of(id), format!("uid://{text}"));
            assert_eq!(id_of(text_of(id).as_bytes()), Some(id));
        }
        assert_eq!(text_of(u64::MAX), "uid://<invalid>");
        for wrong in
            ["uid://", "uid://ab", "uid://z", "uid://9", "uid://B", "b", "uid://<invalid>", "uid://y1234567890abc"]
        {
            assert_eq!(id_of(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn paths_are_changed_added_and_removed() {
        let ids: Vec<_> = listed(FILE).into_iter().map(|(id, _)| id).collect();
        assert!(is_uid_cache(FILE) && open(FILE).warnings().is_empty());
        assert_eq!(open(FILE).changed(&[]).unwrap(), FILE);
        let values = open(FILE).list().unwrap();
        let long = v4::encode(&"res://longer.tscn".into()).unwrap();
        let new = Address::new(Syntax::Keys, [Component::name("uid://b")]);
        let replace = ValueChange::Replace { address: &values[0].address, bytes: &long };
        let add = ValueChange::Add(Addition { address: &new, bytes: &long, about: &[], is_first: false });
        let remove = ValueChange::Remove(&values[1].address);
        let changed = open(FILE).changed(&[replace, add, remove]).unwrap();
        let expected = [
            (ids[0].clone(), "\"res://longer.tscn\"".to_owned()),
            ("\"uid://b\"".to_owned(), "\"res://longer.tscn\"".to_owned()),
        ];
        assert_eq!((listed(&changed), changed[0]), (expected.to_vec(), 2));
        let again = open(FILE).changed(&[replace]).unwrap();
        assert_eq!(again[4..12], FILE[4..12]);
        assert_eq!(again[33..], FILE[28..]);
        let wrong = ["uid://z", &text_of(0x4d19_357a_f97d_6623)];
        let wrong = wrong.map(|name| Address::new(Syntax::Keys, [Component::name(name)]));
        let refused = |change| open(FILE).changed(&[change]).unwrap_err().to_string();
        let number = ValueChange::Replace { address: &values[0].address, bytes: b"\x02\0\0\0\x02\0\0\0" };
        assert_eq!(refused(number), "expected a path such as \"res://a.tscn\"");
        for (address, reason) in
            wrong.iter().zip(["expected a unique id such as uid://b1, found ", "there is a value "])
        {
            let found = refused(ValueChange::Add(Addition { address, bytes: &long, about: &[], is_first: false }));
            assert!(found.starts_with(reason), "{found}");
        }
    }

    /// A file that has more ids than it claims is listed to its end; one id may have several paths.
    #[test]
    fn a_count_that_does_not_fit() {
        let more = [&b"\x01"[..], &FILE[1..], &FILE[4..28]].concat();
        assert_eq!(listed(&more).len(), 3);
        assert!(listed(&more)[0].0.ends_with("[#0]"));
        assert_eq!(open(&more).warnings(), ["the file claims 1 ids, but has 3 (at byte 0x0)"]);
        let values = open(&more).list().unwrap();
        let long = v4::encode(&"res://l".into()).unwrap();
        let replace = ValueChange::Replace { address: &values[0].address, bytes: &long };
        assert_eq!(open(&more).changed(&[replace]).unwrap()[0], 1);
        let refused = open(&more).changed(&[ValueChange::Remove(&values[0].address)]).unwrap_err();
        assert_eq!(refused.to_string(), "the file claims 1 ids, but has 3; none is added or removed");
        let less = [&b"\x09"[..], &FILE[1..]].concat();
        let error = open(&less).list().unwrap_err();
        assert_eq!(error.to_string(), "the file claims 9 ids, but ends after 2");
        for cut in 0..FILE.len() {
            let mut count = 0;
            let error = open(&FILE[..cut]).values(&mut |_| {
                count += 1;
                ControlFlow::Continue(())
            });
            assert!(matches!(error, Err(ContainerError::Truncated(_))), "{cut}: {error:?}");
            assert_eq!(count, usize::from(cut >= 28), "{cut}");
        }
    }

    /// Lists of paths as values of Godot, and a Dictionary whose keys are nodes and whose values have a script.
    #[test]
    fn values_are_no_ids() {
        let text = b"\x08\0\0\0res://aa";
        for head in [
            b"\x13\0\0\0\x01\0\0\0\x04\0\0\0",
            b"\x1c\0\0\0\x01\0\0\0\x15\0\0\0",
            b"\x14\0\0\0\x22\0\0\0\x01\0\0\0",
            b"\x1b\0\x0e\0\x04\0\0\0Node",
        ] {
            assert!(!is_uid_cache(&[&head[..], text].concat()));
        }
    }
}
