//! The whole value of `Instance.AttributesSerialize`.

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;
use std::mem;
use std::ops;

use bstr::{BStr, ByteSlice};
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::dictionary::{dictionary, gen_dictionary};
use super::entry::Entry;
use super::index::{has, Found, Index};
use super::key_rules::{KeyError, KeyRules};
use super::options::{Empty, Nesting};
use super::value::Value;
use crate::error::{require, RequireError, TypeError};
use crate::wire::{may_go_on, IntoByteString, IntoOwned, Note, Source, ValueVec, WireError};

/// Named, typed values, in the order of the wire, with duplicates kept.
///
/// | | layout |
/// |---|---|
/// | blob | nothing at all, or a [`dictionary`](super::dictionary()) |
///
/// ```
/// use enginewire::roblox::attributes::{Attributes, Value};
/// use enginewire::roblox::datatypes::Color3;
///
/// let mut attributes = Attributes::new();
/// attributes.insert("Name", "Torch");
/// attributes.insert("Lit", true);
/// attributes.insert("Glow", Color3 { r: 1.0, g: 0.5, b: 0.0 });
/// attributes.sort();
/// assert_eq!(attributes.iter().map(|entry| entry.key.to_string()).collect::<Vec<_>>(), ["Glow", "Lit", "Name"]);
/// assert_eq!(attributes.get("Name").and_then(Value::as_str), Some("Torch"));
/// ```
#[doc(alias = "AttributesSerialize")]
#[doc(alias = "GetAttributes")]
#[derive(Clone, Default)]
pub struct Attributes<'a> {
    entries: ValueVec<Entry<'a>>,
    empty: Empty,
    index: Index,
}

impl<'a> Attributes<'a> {
    /// No attributes.
    #[must_use]
    pub const fn new() -> Self {
        Attributes { entries: ValueVec::new(), empty: Empty::NoBytes, index: Index::NONE }
    }

    /// The number of entries, duplicates included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if it has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The form of the decoded bytes, if these attributes were empty when they were decoded.
    #[must_use]
    pub fn empty_form(&self) -> Empty {
        self.empty
    }

    /// The entries in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    /// The entries in order, to be changed in any way.
    pub fn entries_mut(&mut self) -> &mut Vec<Entry<'a>> {
        self.index = Index::NONE;
        self.entries.to_mut()
    }

    /// The entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry<'a>> {
        self.entries.iter()
    }

    /// The entries in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Entry<'a>> {
        self.entries_mut().iter_mut()
    }

    /// The value of `key`. If several entries have this key, it is that of the first, following the specification.
    #[must_use]
    #[doc(alias = "GetAttribute")]
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<&Value<'a>> {
        self.position(key.as_ref()).and_then(|place| self.entries.get(place)).map(|entry| &entry.value)
    }

    /// The value of `key` as a type of Rust: of several entries with this key, the first.
    ///
    /// `T` is what a value can be taken as: a number, `&str`, `String`, one of the
    /// [datatypes](crate::roblox::datatypes), or a reference to what a value holds. `f64` takes numbers of every type.
    ///
    /// ```
    /// use enginewire::roblox::attributes::Attributes;
    /// use enginewire::roblox::datatypes::Vector3;
    ///
    /// let mut attributes = Attributes::from([("Name", "Torch")]);
    /// attributes.insert("Health", 100.0);
    /// attributes.insert("Spawn", Vector3::new(0.0, 5.0, 0.0));
    /// assert_eq!(attributes.require::<&str>("Name")?, "Torch");
    /// assert_eq!(attributes.require::<f64>("Health")?, 100.0);
    /// assert_eq!(attributes.require::<Vector3>("Spawn")?.y, 5.0);
    ///
    /// let error = attributes.require::<bool>("Health").unwrap_err();
    /// assert_eq!(error.to_string(), r#""Health": expected bool, found Double"#);
    /// # Ok::<(), enginewire::RequireError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If no such key, or its value is of another type.
    pub fn require<'s, T>(&'s self, key: impl AsRef<[u8]>) -> Result<T, RequireError>
    where
        T: TryFrom<&'s Value<'a>>,
        T::Error: Into<TypeError>,
    {
        require(key.as_ref(), self.get(&key))
    }

    /// Returns true if `key` has a value.
    ///
    /// ```
    /// # use enginewire::roblox::attributes::Attributes;
    /// let attributes = Attributes::from([("Lit", true)]);
    /// assert!(attributes.contains_key("Lit") && !attributes.contains_key("Name"));
    /// ```
    #[must_use]
    pub fn contains_key(&self, key: impl AsRef<[u8]>) -> bool {
        self.get(key).is_some()
    }

    /// The value of `key`. If several entries have this key, it is that of the last, like in `rbx_types`.
    #[must_use]
    pub fn get_last(&self, key: impl AsRef<[u8]>) -> Option<&Value<'a>> {
        self.iter().rfind(has(key.as_ref())).map(|entry| &entry.value)
    }

    /// The value of `key`, to be changed: of several entries with this key, the first.
    pub fn get_mut(&mut self, key: impl AsRef<[u8]>) -> Option<&mut Value<'a>> {
        let place = self.position(key.as_ref())?;
        self.entries.get_mut(place).map(|entry| &mut entry.value)
    }

    /// The entries whose key an entry before them has.
    pub fn duplicates(&self) -> impl Iterator<Item = &Entry<'a>> {
        let mut seen = std::collections::HashSet::new();
        self.iter().filter(move |entry| !seen.insert(entry.key.as_bytes()))
    }

    /// Sets the value of `key` and returns the previous one. The entry keeps its place, or comes last; if the key had
    /// several entries, it then has one.
    ///
    /// Many inserts take time in proportion to their number: if there are more than a few entries, an index locates each
    /// key. It takes about 50 bytes for each entry. The first insert that needs it builds it. It is built again after
    /// entries were removed, sorted or changed in other ways, which includes an insert whose key had several entries.
    #[doc(alias = "SetAttribute")]
    pub fn insert(&mut self, key: impl IntoByteString<'a>, value: impl Into<Value<'a>>) -> Option<Value<'a>> {
        let entry = Entry::new(key, value);
        self.index.build(&self.entries);
        match self.index.find(&self.entries, &entry.key) {
            Found::Nowhere => {
                self.index.push(&entry.key, self.entries.len());
                self.entries.push(entry);
                None
            }
            Found::Only(place) => self.entries.get_mut(place).map(|old| mem::replace(old, entry).value),
            Found::Perhaps => {
                let place = self.position(&entry.key);
                let old = self.remove(entry.key.as_bytes());
                let place = place.unwrap_or(self.entries.len());
                self.entries.to_mut().insert(place, entry);
                old
            }
        }
    }

    /// Removes every entry of `key` and returns the value it had.
    pub fn remove(&mut self, key: impl AsRef<[u8]>) -> Option<Value<'a>> {
        let key = key.as_ref();
        let place = self.position(key)?;
        self.index = Index::NONE;
        let removed = self.entries.to_mut().remove(place);
        self.entries.to_mut().retain(|entry| !has(key)(&entry));
        Some(removed.value)
    }

    /// The place of the first entry of `key`.
    fn position(&self, key: &[u8]) -> Option<usize> {
        match self.index.find(&self.entries, key) {
            Found::Nowhere => None,
            Found::Only(place) => Some(place),
            Found::Perhaps => self.iter().position(|entry| has(key)(&entry)),
        }
    }

    /// Sorts the entries by the bytes of their keys, like Studio. Duplicates keep their order.
    pub fn sort(&mut self) {
        self.index = Index::NONE;
        self.entries.sort_by(|one, other| one.key.cmp(&other.key));
    }

    /// Checks the keys against the rules that Roblox has for names. Decoding never does.
    ///
    /// # Errors
    ///
    /// The first key that breaks a rule.
    pub fn validate_keys(&self, rules: KeyRules) -> Result<(), KeyError> {
        self.iter().enumerate().try_for_each(|(index, entry)| match rules.broken_by(&entry.key) {
            Some(rule) => Err(KeyError { index, key: entry.key.clone().into(), rule }),
            None => Ok(()),
        })
    }

    /// The same attributes, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Attributes<'static> {
        Attributes { entries: self.entries.into_owned(), empty: self.empty, index: Index::NONE }
    }
}

impl fmt::Debug for Attributes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attributes").field("entries", &self.entries).field("empty", &self.empty).finish()
    }
}

/// Compares the entries and their order. The encoding of empty attributes does not matter.
impl PartialEq for Attributes<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<'a, K: IntoByteString<'a>, V: Into<Value<'a>>> FromIterator<(K, V)> for Attributes<'a> {
    /// Keeps every pair, also those whose key was there before.
    fn from_iter<T: IntoIterator<Item = (K, V)>>(pairs: T) -> Self {
        pairs.into_iter().map(|(key, value)| Entry::new(key, value)).collect()
    }
}

impl<'a> FromIterator<Entry<'a>> for Attributes<'a> {
    /// Keeps every entry, also those whose key was there before.
    fn from_iter<T: IntoIterator<Item = Entry<'a>>>(entries: T) -> Self {
        Attributes { entries: entries.into_iter().collect(), ..Attributes::new() }
    }
}

/// Keeps every pair, also those whose key was there before.
///
/// ```
/// use enginewire::roblox::attributes::Attributes;
///
/// let attributes = Attributes::from([("Lit", true), ("Fixed", false)]);
/// assert_eq!(attributes["Fixed"], false.into());
/// ```
impl<'a, K: IntoByteString<'a>, V: Into<Value<'a>>, const N: usize> From<[(K, V); N]> for Attributes<'a> {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

/// Keeps every pair, also those whose key was there before.
impl<'a, K: IntoByteString<'a>, V: Into<Value<'a>>> Extend<(K, V)> for Attributes<'a> {
    fn extend<T: IntoIterator<Item = (K, V)>>(&mut self, pairs: T) {
        self.extend(pairs.into_iter().map(|(key, value)| Entry::new(key, value)));
    }
}

/// The value that [`get`](Attributes::get) gives.
///
/// # Panics
///
/// If the key has no value. [`require`](Attributes::require) returns an error instead.
impl<'a, K: AsRef<[u8]>> ops::Index<K> for Attributes<'a> {
    type Output = Value<'a>;

    #[allow(clippy::expect_used)] // as the maps of the standard library do it
    fn index(&self, key: K) -> &Value<'a> {
        self.get(key).expect("no attribute has this key")
    }
}

impl<'a> Extend<Entry<'a>> for Attributes<'a> {
    fn extend<T: IntoIterator<Item = Entry<'a>>>(&mut self, entries: T) {
        self.index = Index::NONE;
        self.entries.extend(entries);
    }
}

impl<'a> IntoIterator for Attributes<'a> {
    type Item = Entry<'a>;
    type IntoIter = std::vec::IntoIter<Entry<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'s, 'a> IntoIterator for &'s Attributes<'a> {
    type Item = &'s Entry<'a>;
    type IntoIter = std::slice::Iter<'s, Entry<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'s, 'a> IntoIterator for &'s mut Attributes<'a> {
    type Item = &'s mut Entry<'a>;
    type IntoIter = std::slice::IterMut<'s, Entry<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// Reads a blob: a dictionary, or nothing at all if the input is empty and complete.
///
/// Like every parser it stops where the dictionary ends. The caller determines which bytes may follow; [`decode`]
/// allows none.
///
/// [`decode`]: super::decode
///
/// ```
/// use enginewire::roblox::attributes::{attributes, Options, Value};
/// use enginewire::wire::{length_delimited, run, uint32, Le};
///
/// let bytes = b"\x0b\0\0\0\x01\0\0\0\x01\0\0\0a\x03\x01rest";
/// let boxed = length_delimited(uint32::<Le, _, _>(), attributes(Options::new()));
/// let (rest, attributes) = run(&bytes[..], boxed)?;
/// assert_eq!((attributes.get("a"), rest), (Some(&Value::Bool(true)), &b"rest"[..]));
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// nom's `parse` is for streams: it returns `Incomplete` where the input ends, and so where there are none. If all bytes are there,
/// such as those of a part that was cut out, call `parse_complete`. [`length_delimited`](crate::wire::length_delimited) knows that
/// its part is complete.
///
/// In little-endian, the bytes `02 00 00 00 02 00 00 00 4f 6e 03 01 01 00 00 00 4e 06 00 00 00 00 00 00 e0 3f` are `On`, which
/// is `Value::Bool(true)`, and `N`, which is `Value::Double(0.5)`. What [`dictionary`] refuses is refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Blob.
#[inline]
pub fn attributes<'a, I, E>(options: impl Into<Nesting>) -> impl Parser<I, Output = Attributes<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    Blob { nesting: options.into(), error: PhantomData }
}

/// The note about a length of 0.
pub(super) const ZERO_LENGTH: Note = Note::NonCanonical("a length of 0 instead of no bytes");

struct Blob<E> {
    nesting: Nesting,
    error: PhantomData<fn() -> E>,
}

/// Bytes that the length takes.
const LENGTH: usize = 4;

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Blob<E> {
    type Output = Attributes<'a>;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Attributes<'a>, E> {
        if input.remaining() == 0 && !may_go_on::<OM, I>(&input) {
            return Ok((input, OM::Output::bind(Attributes::new)));
        }
        let at = input.clone();
        let (rest, entries) = dictionary(self.nesting).process::<OM>(input)?;
        let read = at.remaining().saturating_sub(rest.remaining());
        let empty = if read == LENGTH { Empty::ZeroLength } else { Empty::NoBytes };
        if empty == Empty::ZeroLength {
            at.note(ZERO_LENGTH);
        }
        Ok((rest, OM::Output::map(entries, |entries| Attributes { entries, empty, index: Index::NONE })))
    }
}

/// Writes a blob, as [`attributes`] reads it. What [`gen_dictionary`] refuses is refused.
///
/// [`Options::empty`](super::Options::empty) determines its form if it has no entries.
pub fn gen_attributes<'v, W: Write + 'v>(
    options: impl Into<Nesting>,
    attributes: &'v Attributes<'_>,
) -> impl SerializeFn<W> + 'v {
    let nesting = options.into();
    move |out: WriteContext<W>| match attributes.is_empty() && !nesting.options().writes_zero_length() {
        true => Ok(out),
        false => gen_dictionary(nesting, &attributes.entries)(out),
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::Options;
    use super::*;
    use crate::test::{both_ways, hex};
    use pretty_assertions::assert_eq;

    fn keys(attributes: &Attributes<'_>) -> Vec<String> {
        attributes.iter().map(|entry| entry.key.to_string()).collect()
    }

    #[test]
    fn attributes_are_used_like_any_other_map() {
        let mut attributes = Attributes::from([("a", 1), ("b", 2)]);
        attributes.extend([("a", 3.0)]);
        attributes.extend([Entry::new("c", true)]);
        assert_eq!((attributes.len(), attributes.contains_key("c"), attributes.contains_key("d")), (4, true, false));
        assert_eq!((&attributes["a"], attributes.require::<i32>("b")), (&Value::Int(1), Ok(2)));
        assert_eq!(attributes.require::<&Value<'_>>("b"), Ok(&Value::Int(2)));
        assert_eq!(attributes.require::<bool>("a").unwrap_err().to_string(), r#""a": expected bool, found Int"#);
        for entry in &mut attributes {
            entry.key = format!("{}!", entry.key).into_byte_string();
        }
        assert_eq!((attributes.get("a"), attributes.get("b!")), (None, Some(&Value::Int(2))));
        assert_eq!(attributes.iter_mut().len(), 4);
    }

    #[test]
    #[should_panic(expected = "no attribute has this key")]
    fn a_missing_key_is_no_place() {
        let _ = &Attributes::new()["a"];
    }

    #[test]
    fn worked_example() {
        let bytes = hex("02 00 00 00 02 00 00 00 4f 6e 03 01 01 00 00 00 4e 06 00 00 00 00 00 00 e0 3f");
        let value: Attributes<'_> = [("On", Value::Bool(true)), ("N", Value::Double(0.5))].into_iter().collect();
        let generator = gen_attributes(Nesting::default(), &value);
        let (rest, read) = attributes::<_, ()>(Nesting::default()).parse_complete(&bytes[..]).unwrap();
        assert_eq!((rest.len(), &read), (0, &value));
        assert_eq!(crate::wire::combinators::encode::generated(generator).unwrap(), bytes);
    }

    #[test]
    fn no_attributes_have_two_forms() {
        let none = Attributes::new();
        both_ways(
            &[0; 4],
            none.clone(),
            || dictionary(Nesting::default()).map(Attributes::from_iter),
            gen_attributes(Options::new().empty(Empty::ZeroLength), &none),
        );
        for (bytes, form) in [(&[][..], Empty::NoBytes), (&[0; 4], Empty::ZeroLength)] {
            let (_, read) = attributes::<_, ()>(Nesting::default()).parse_complete(bytes).unwrap();
            assert_eq!((read.empty_form(), read.len()), (form, 0));
        }
    }

    #[test]
    fn the_first_of_duplicates_counts() {
        let mut attributes: Attributes<'_> = [("a", 1), ("b", 2), ("a", 3)].into_iter().collect();
        assert_eq!(attributes.get("a"), Some(&Value::Int(1)));
        assert_eq!(attributes.get_last("a"), Some(&Value::Int(3)));
        assert_eq!(attributes.duplicates().collect::<Vec<_>>(), [&Entry::new("a", 3)]);
        assert_eq!(attributes.insert("a", 4), Some(Value::Int(1)));
        assert_eq!((keys(&attributes), attributes.get_last("a")), (vec!["a".into(), "b".into()], Some(&Value::Int(4))));
        assert_eq!(attributes.remove("c"), None);
        assert_eq!(attributes.remove("a"), Some(Value::Int(4)));
        assert_eq!(attributes.insert("c", 5), None);
        assert_eq!(keys(&attributes), ["b", "c"]);
        *attributes.get_mut("c").unwrap() = Value::from("text");
        assert_eq!(attributes.get("c").and_then(Value::as_str), Some("text"));
    }

    #[test]
    fn an_index_is_not_shown() {
        let mut attributes: Attributes<'_> = (0..100).map(|number| (number.to_string(), number)).collect();
        let shown = format!("{attributes:?}");
        attributes.insert("50", 50);
        assert_eq!(format!("{attributes:?}"), shown);
        assert_eq!(format!("{:?}", Attributes::new()), "Attributes { entries: [], empty: NoBytes }");
    }

    #[test]
    fn sorting_goes_by_bytes_and_keeps_duplicates_in_order() {
        let mut attributes: Attributes<'_> = [("b", 1), ("a", 2), ("B", 3), ("b", 4)].into_iter().collect();
        attributes.sort();
        assert_eq!(attributes, [("B", 3), ("a", 2), ("b", 1), ("b", 4)].into_iter().collect());
    }

    #[test]
    fn attributes_are_a_collection() {
        let mut attributes = Attributes::new();
        attributes.extend([Entry::new("a", true), Entry::new("b", 1.0)]);
        assert_eq!((attributes.len(), attributes.is_empty()), (2, false));
        assert_eq!((&attributes).into_iter().count(), 2);
        assert_ne!(attributes, Attributes::new());
        assert_ne!(attributes, [("a", true), ("b", false)].into_iter().collect());
        assert_eq!(attributes.clone().into_iter().map(|entry| entry.key.to_string()).collect::<Vec<_>>(), ["a", "b"]);
    }
}
