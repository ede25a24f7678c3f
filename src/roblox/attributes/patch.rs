//! Changing single entries of a blob, with all others kept byte for byte.

use std::borrow::Cow;

use bstr::ByteSlice;
use nom::Parser;

use super::entry::{gen_entry, Entry};
use super::options::{Empty, Options};
use super::stream::Entries;
use super::{decode_with, Value};
use crate::error::{AsKey, DecodeError, EncodeError, EncodeFault, Path, Segment};
use crate::wire::combinators::encode::generated;
use crate::wire::format::run::{self, Item};
use crate::wire::{gen_field, gen_item, uint32, ByteString, IntoByteString, ItemStream, Le};

/// A blob and changes to single entries. All others keep their bytes, even if these are not canonical.
///
/// ```
/// use enginewire::roblox::attributes::{Empty, Options, Patch};
///
/// // a Bool that is written as 7
/// let blob = b"\x02\0\0\0\x01\0\0\0a\x03\x07\x01\0\0\0b\x03\x00";
/// let mut patch = Patch::new(blob, &Options::new())?;
/// patch.insert("b", true)?;
/// assert_eq!(patch.encode(Empty::NoBytes)?, b"\x02\0\0\0\x01\0\0\0a\x03\x07\x01\0\0\0b\x03\x01");
/// assert!(patch.remove("b"));
/// assert_eq!(patch.encode(Empty::NoBytes)?, b"\x01\0\0\0\x01\0\0\0a\x03\x07");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Patch<'a> {
    /// The keys, and the bytes of entries with their keys.
    entries: Vec<(ByteString<'a>, Cow<'a, [u8]>)>,
    /// The bytes after the entries.
    rest: &'a [u8],
    options: Options,
}

impl<'a> Patch<'a> {
    /// The entries of a blob, as they are.
    ///
    /// # Errors
    ///
    /// As for [`decode_with`].
    #[inline]
    pub fn new(blob: &'a [u8], options: &Options) -> Result<Self, DecodeError> {
        let attributes = decode_with(blob, options)?;
        let mut rest = uint32::<Le, _, ()>().parse_complete(blob).map_or(blob, |(rest, _)| rest);
        let mut entries = Vec::with_capacity(attributes.len());
        for Entry { key, .. } in attributes {
            let (after, _) = run::read(rest, Item(Entries::new(*options)))?;
            let size = rest.len().saturating_sub(after.len());
            entries.push((key, Cow::Borrowed(rest.get(..size).unwrap_or_default())));
            rest = after;
        }
        Ok(Patch { entries, rest, options: *options })
    }

    /// Sets the value of `key`. A new entry comes last.
    ///
    /// # Errors
    ///
    /// If the key or value cannot be encoded, or several entries have the key and the first would change: readers do not agree on
    /// the one that counts.
    #[inline]
    pub fn insert(&mut self, key: impl IntoByteString<'a>, value: impl Into<Value<'a>>) -> Result<(), EncodeError> {
        let new = Entry::new(key, value);
        let same: Vec<_> =
            (0..).zip(&self.entries).filter(|(_, (key, _))| *key == new.key).map(|(place, _)| place).collect();
        let place = same.first().copied().unwrap_or(self.entries.len());
        let bytes = encoded(&new, place, self.options)?;
        match self.entries.get_mut(place) {
            Some((_, old)) if same.len() > 1 && **old != bytes => {
                let fault = EncodeFault::SeveralKeys(same.iter().map(|place| format!("[#{place}]")).collect());
                return Err(EncodeError::new(Path::default(), fault).within(Segment::Key(new.key.to_key())));
            }
            Some((_, old)) => *old = Cow::Owned(bytes),
            None => self.entries.push((new.key, Cow::Owned(bytes))),
        }
        Ok(())
    }

    /// Removes every entry of `key`. Returns true if there was one.
    pub fn remove(&mut self, key: impl AsRef<[u8]>) -> bool {
        let before = self.entries.len();
        self.entries.retain(|(other, _)| other.as_bytes() != key.as_ref());
        self.entries.len() < before
    }

    /// The bytes of the blob with the changes made. `empty` determines their form if no entries are left.
    ///
    /// # Errors
    ///
    /// If there are more entries than can be counted.
    #[inline]
    pub fn encode(&self, empty: Empty) -> Result<Vec<u8>, EncodeError> {
        let count = u32::try_from(self.entries.len())
            .map_err(|_| EncodeError::new(std::iter::empty().collect(), EncodeFault::TooLong))?;
        let size = self.entries.iter().fold(self.rest.len(), |size, (_, entry)| size.saturating_add(entry.len()));
        let mut bytes = Vec::with_capacity(size.saturating_add(4));
        if count > 0 || empty == Empty::ZeroLength {
            bytes.extend(count.to_le_bytes());
        }
        self.entries.iter().for_each(|(_, entry)| bytes.extend_from_slice(entry));
        bytes.extend_from_slice(self.rest);
        Ok(bytes)
    }
}

/// The bytes of entry number `number`. The generator for a `&mut Vec<u8>` is left to `encode`: with a second caller it would not
/// be inlined there.
fn encoded(entry: &Entry<'_>, number: usize, options: Options) -> Result<Vec<u8>, EncodeError> {
    generated(gen_field("entries", gen_item(number, gen_entry(options.into(), entry))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::attributes::{decode, encode, Attributes};
    use pretty_assertions::assert_eq;

    #[test]
    fn what_is_not_named_keeps_its_bytes() {
        let blob = b"\x02\0\0\0\x01\0\0\0b\x03\x02\x01\0\0\0a\x03\xff??";
        let options = Options::new().trailing_bytes(true);
        let mut patch = Patch::new(blob, &options).unwrap();
        assert_eq!(patch.encode(Empty::NoBytes).unwrap(), blob);
        patch.insert("b", false).unwrap();
        assert_eq!(patch.encode(Empty::NoBytes).unwrap(), b"\x02\0\0\0\x01\0\0\0b\x03\0\x01\0\0\0a\x03\xff??");
        patch.insert("c", 1.0f32).unwrap();
        assert!(patch.remove("b") && !patch.remove("b"));
        let expected = b"\x02\0\0\0\x01\0\0\0a\x03\xff\x01\0\0\0c\x05\0\0\x80\x3f??";
        assert_eq!(patch.encode(Empty::NoBytes).unwrap(), expected);
        assert!(Patch::new(blob, &Options::new()).is_err());
    }

    #[test]
    fn of_several_entries_with_a_key_none_changes() {
        let blob = b"\x03\0\0\0\x01\0\0\0b\x03\0\x01\0\0\0a\x03\0\x01\0\0\0b\x03\x01";
        let mut patch = Patch::new(blob, &Options::new()).unwrap();
        let expected =
            "several values have this key, and readers do not agree on the one that counts: remove them first, or name [#0] or [#2]";
        assert!(patch.insert("b", true).unwrap_err().to_string().starts_with(expected));
        patch.insert("b", false).unwrap();
        assert_eq!(patch.encode(Empty::NoBytes).unwrap(), blob);
        assert!(patch.remove("b") && patch.insert("b", true).is_ok());
    }

    #[test]
    fn a_blob_may_be_empty_before_and_after() {
        for blob in [&b""[..], b"\0\0\0\0"] {
            let mut patch = Patch::new(blob, &Options::new()).unwrap();
            patch.insert("a", true).unwrap();
            let expected: Attributes<'_> = [("a", true)].into_iter().collect();
            assert_eq!(decode(&patch.encode(Empty::NoBytes).unwrap()), Ok(expected.clone()));
            assert_eq!(patch.encode(Empty::NoBytes), encode(&expected));
            assert!(patch.remove("a"));
            assert_eq!(patch.encode(Empty::NoBytes).unwrap(), b"");
            assert_eq!(patch.encode(Empty::ZeroLength).unwrap(), b"\0\0\0\0");
        }
    }

    #[test]
    fn what_cannot_be_written_is_an_error_with_its_key() {
        let deep = (0..200).fold(Value::Bool(true), |inner, _| Value::Array([inner].into()));
        let error = Patch::new(b"", &Options::new()).unwrap().insert("deep", deep).unwrap_err();
        let expected =
            r#"containers are nested deeper than 128 levels in entries[0] "deep".value.array.elements[0].array"#;
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
