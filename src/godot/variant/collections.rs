//! Arrays and dictionaries as collections of Rust.

use std::ops::{Index, IndexMut};

use super::value::{Array, Dictionary, Entry, Variant};
use crate::error::{require, RequireError, TypeError};

impl<'a> Dictionary<'a> {
    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if it has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry<'a>> {
        self.entries.iter()
    }

    /// The entries in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Entry<'a>> {
        self.entries.iter_mut()
    }

    /// Returns true if there is a value for this String or StringName key.
    ///
    /// ```
    /// # use enginewire::godot::Dictionary;
    /// let dictionary = Dictionary::from([("hp", 7)]);
    /// assert!(dictionary.contains_key("hp") && !dictionary.contains_key("mana"));
    /// ```
    #[must_use]
    pub fn contains_key(&self, key: impl AsRef<[u8]>) -> bool {
        self.get(key).is_some()
    }

    /// The value of a String or StringName key, to be changed: of several, the last.
    pub fn get_mut(&mut self, key: impl AsRef<[u8]>) -> Option<&mut Variant<'a>> {
        let key = key.as_ref();
        self.entries.iter_mut().rfind(|entry| entry.key.as_bytes() == Some(key)).map(|entry| &mut entry.value)
    }

    /// The value of a String or StringName key as a type of Rust: of several, the last.
    ///
    /// `T` is what a [`Variant`] can be taken as: an integer, `f64`, `&str`, `String`, a vector, `&Dictionary`. Integers must
    /// fit, and `Vector3<f64>` takes reals of either width.
    ///
    /// ```
    /// use enginewire::godot::Dictionary;
    ///
    /// let dictionary = Dictionary::from([("hp", 300)]);
    /// assert_eq!(dictionary.require::<i32>("hp")?, 300);
    /// let error = dictionary.require::<&str>("hp").unwrap_err();
    /// assert_eq!(error.to_string(), r#""hp": expected &str, found int"#);
    /// let error = dictionary.require::<u8>("hp").unwrap_err();
    /// assert_eq!(error.to_string(), r#""hp": expected u8, found int that does not fit u8"#);
    /// # Ok::<(), enginewire::RequireError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If no such key, or its value is of another type.
    pub fn require<'s, T>(&'s self, key: impl AsRef<[u8]>) -> Result<T, RequireError>
    where
        T: TryFrom<&'s Variant<'a>>,
        T::Error: Into<TypeError>,
    {
        require(key.as_ref(), self.get(&key))
    }

    /// Sets the value of `key` and gives the one it had. The entry keeps its place, or comes last. Where the key occurs more than
    /// once, the last of them is changed. A String and a StringName with the same text are the same key, as in the engine.
    ///
    /// ```
    /// # use enginewire::godot::Dictionary;
    /// let mut dictionary = Dictionary::from([("hp", 7)]);
    /// assert_eq!(dictionary.insert("hp", 8), Some(7.into()));
    /// assert_eq!(dictionary.insert("name", "Torch"), None);
    /// assert_eq!((&dictionary["hp"], dictionary.len()), (&8.into(), 2));
    /// ```
    pub fn insert(&mut self, key: impl Into<Variant<'a>>, value: impl Into<Variant<'a>>) -> Option<Variant<'a>> {
        let entry = Entry { key: key.into(), value: value.into() };
        let is_same = |other: &&mut Entry<'a>| match (entry.key.as_bytes(), other.key.as_bytes()) {
            (Some(key), Some(other)) => key == other,
            _ => entry.key == other.key,
        };
        if let Some(old) = self.entries.iter_mut().rfind(is_same) {
            return Some(std::mem::replace(&mut old.value, entry.value));
        }
        self.entries.push(entry);
        None
    }

    /// Removes every entry of a String or StringName key and gives the value it had.
    ///
    /// ```
    /// # use enginewire::godot::Dictionary;
    /// let mut dictionary = Dictionary::from([("hp", 7)]);
    /// assert_eq!((dictionary.remove("hp"), dictionary.len()), (Some(7.into()), 0));
    /// ```
    pub fn remove(&mut self, key: impl AsRef<[u8]>) -> Option<Variant<'a>> {
        let key = key.as_ref();
        let last = self.entries.iter().rposition(|entry| entry.key.as_bytes() == Some(key))?;
        let removed = self.entries.remove(last);
        self.entries.retain(|entry| entry.key.as_bytes() != Some(key));
        Some(removed.value)
    }
}

impl<'a> Array<'a> {
    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns true if it has no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The values in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Variant<'a>> {
        self.elements.iter()
    }

    /// The values in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Variant<'a>> {
        self.elements.iter_mut()
    }
}

impl<'a, K: Into<Variant<'a>>, V: Into<Variant<'a>>> From<(K, V)> for Entry<'a> {
    fn from((key, value): (K, V)) -> Self {
        Entry { key: key.into(), value: value.into() }
    }
}

/// Keeps every pair, also those whose key was there before.
///
/// ```
/// use enginewire::godot::Dictionary;
///
/// let dictionary = Dictionary::from([("hp", 7), ("mana", 3)]);
/// assert_eq!(dictionary["mana"], 3.into());
/// ```
impl<'a, K: Into<Variant<'a>>, V: Into<Variant<'a>>, const N: usize> From<[(K, V); N]> for Dictionary<'a> {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

/// The value that [`get`](Dictionary::get) gives.
///
/// # Panics
///
/// If no entry has this key. [`require`](Dictionary::require) returns an error instead.
impl<'a, K: AsRef<[u8]>> Index<K> for Dictionary<'a> {
    type Output = Variant<'a>;

    #[allow(clippy::expect_used)] // as the maps of the standard library do it
    fn index(&self, key: K) -> &Variant<'a> {
        self.get(key).expect("no entry has this key")
    }
}

/// The value with this index, counted from 0.
///
/// # Panics
///
/// If the index is out of range.
impl<'a> Index<usize> for Array<'a> {
    type Output = Variant<'a>;

    #[allow(clippy::indexing_slicing)] // as the lists of the standard library do it
    fn index(&self, index: usize) -> &Variant<'a> {
        &self.elements[index]
    }
}

impl IndexMut<usize> for Array<'_> {
    #[allow(clippy::indexing_slicing)]
    fn index_mut(&mut self, index: usize) -> &mut Self::Output {
        &mut self.elements[index]
    }
}

/// Values without a declared type.
///
/// ```
/// use enginewire::godot::Array;
///
/// let mut array = Array::from(["a", "b"]);
/// array.extend([3]);
/// assert_eq!((array.len(), &array[2]), (3, &3.into()));
/// ```
impl<'a, T: Into<Variant<'a>>, const N: usize> From<[T; N]> for Array<'a> {
    fn from(elements: [T; N]) -> Self {
        elements.into_iter().collect()
    }
}

impl<'a, T: Into<Variant<'a>>> FromIterator<T> for Array<'a> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Array::new(elements.into_iter().map(Into::into))
    }
}

impl<'a, T: Into<Variant<'a>>> Extend<T> for Array<'a> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        self.elements.extend(elements.into_iter().map(Into::into));
    }
}

/// From entries, or from pairs of a key and a value. Equal keys are kept.
impl<'a, T: Into<Entry<'a>>> FromIterator<T> for Dictionary<'a> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        Dictionary { types: None, entries: entries.into_iter().map(Into::into).collect() }
    }
}

/// With entries, or with pairs of a key and a value. Equal keys are kept.
impl<'a, T: Into<Entry<'a>>> Extend<T> for Dictionary<'a> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        self.entries.extend(entries.into_iter().map(Into::into));
    }
}

/// The three ways to go through a collection.
macro_rules! into_iterator {
    ($($collection:ident $field:ident: $item:ident;)*) => {$(
        impl<'a> IntoIterator for $collection<'a> {
            type Item = $item<'a>;
            type IntoIter = std::vec::IntoIter<$item<'a>>;

            fn into_iter(self) -> Self::IntoIter {
                self.$field.into_iter()
            }
        }

        impl<'s, 'a> IntoIterator for &'s $collection<'a> {
            type Item = &'s $item<'a>;
            type IntoIter = std::slice::Iter<'s, $item<'a>>;

            fn into_iter(self) -> Self::IntoIter {
                self.$field.iter()
            }
        }

        impl<'s, 'a> IntoIterator for &'s mut $collection<'a> {
            type Item = &'s mut $item<'a>;
            type IntoIter = std::slice::IterMut<'s, $item<'a>>;

            fn into_iter(self) -> Self::IntoIter {
                self.$field.iter_mut()
            }
        }
    )*};
}

into_iterator! {
    Array elements: Variant;
    Dictionary entries: Entry;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::IntoByteString;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_dictionary_is_used_like_any_other_map() {
        let mut dictionary = Dictionary::from([("a", 1), ("b", 2)]);
        dictionary.extend([("a", 3)]);
        dictionary.extend([Entry::from((Variant::Int(5), true))]);
        assert_eq!((dictionary.len(), dictionary.is_empty(), Dictionary::default().is_empty()), (4, false, true));
        assert_eq!((dictionary.get("a"), &dictionary["b"]), (Some(&3.into()), &2.into()));
        // of several, the last
        assert_eq!(dictionary.insert(Variant::StringName("a".into_byte_string()), 4), Some(3.into()));
        assert_eq!(dictionary.insert(5, false), Some(true.into()));
        assert_eq!(dictionary.insert(6, false), None);
        assert_eq!((dictionary.require::<i32>("a"), dictionary.entries[0].value.as_int()), (Ok(4), Some(1)));
        assert_eq!(
            dictionary.require::<&Variant<'_>>("c").unwrap_err().to_string(),
            r#""c" is missing, expected &Variant"#
        );
        *dictionary.get_mut("b").unwrap() = "two".into();
        for entry in &mut dictionary {
            if entry.key == 6.into() {
                entry.value = Variant::Null;
            }
        }
        assert_eq!(dictionary.remove("a"), Some(4.into()));
        assert_eq!(
            (dictionary.remove("a"), dictionary.contains_key("a"), dictionary.contains_key("b")),
            (None, false, true)
        );
        let rest: Vec<_> = (&dictionary).into_iter().map(|entry| entry.value.clone()).collect();
        assert_eq!(rest, ["two".into(), false.into(), Variant::Null]);
        assert_eq!(dictionary.clone().into_iter().collect::<Dictionary<'_>>(), dictionary);
        assert_eq!((dictionary.iter().len(), dictionary.iter_mut().len()), (3, 3));
    }

    #[test]
    #[should_panic(expected = "no entry has this key")]
    fn a_missing_key_is_no_place() {
        let _ = &Dictionary::default()["a"];
    }

    #[test]
    fn an_array_is_used_like_any_other_list() {
        let mut array = Array::from([1, 2]);
        array.extend(["three"]);
        array[0] = true.into();
        for element in &mut array {
            if element.as_int() == Some(2) {
                *element = Variant::Null;
            }
        }
        assert_eq!((array.len(), array.is_empty(), &array[1]), (3, false, &Variant::Null));
        let elements: Vec<_> = (&array).into_iter().cloned().collect();
        assert_eq!(elements, [true.into(), Variant::Null, "three".into()]);
        assert_eq!((array.iter().len(), array.iter_mut().len()), (3, 3));
        assert_eq!(array.clone().into_iter().collect::<Array<'_>>(), array);
    }
}
