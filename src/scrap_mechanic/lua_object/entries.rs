//! Tables as collections of Rust.

use std::borrow::Cow;
use std::ops::Index;

use super::save_data::LuaSaveData;
use super::table::{Table, TableKeyValuePair};
use crate::error::{require, RequireError, TypeError};
use crate::wire::ValueVec;

impl<'a> Table<'a> {
    /// The keys and values in order. The keys of an array are made, each in its narrowest width.
    ///
    /// ```
    /// use enginewire::scrap_mechanic::lua_object::{LuaSaveData, Table};
    ///
    /// let table = Table::list(["a".into(), "b".into()]);
    /// let keys: Vec<_> = table.iter().map(|(key, _)| key.into_owned()).collect();
    /// assert_eq!(keys, [LuaSaveData::Int8(1), LuaSaveData::Int8(2)]);
    /// ```
    pub fn iter(&self) -> Iter<'_, 'a> {
        let (key, elements, pairs) = match self {
            Table::Array { offset, elements } => ((*offset).into(), &elements[..], &[][..]),
            Table::Pairs(pairs) => (0, &[][..], &pairs[..]),
        };
        Iter(Entries { key, elements: elements.iter(), pairs: pairs.iter() })
    }

    /// The keys and values in order, the values to be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_, 'a> {
        let (key, elements, pairs) = match self {
            Table::Array { offset, elements } => ((*offset).into(), &mut elements[..], &mut [][..]),
            Table::Pairs(pairs) => (0, &mut [][..], &mut pairs[..]),
        };
        IterMut(Entries { key, elements: elements.iter_mut(), pairs: pairs.iter_mut() })
    }

    /// Returns true if there is a value for this string key.
    ///
    /// ```
    /// # use enginewire::scrap_mechanic::lua_object::Table;
    /// let table = Table::from([("mode", true)]);
    /// assert!(table.contains_key("mode") && !table.contains_key("state"));
    /// ```
    #[must_use]
    pub fn contains_key(&self, key: impl AsRef<[u8]>) -> bool {
        self.get(key).is_some()
    }

    /// The value of a key that is a string as a type of Rust: of several, the first.
    ///
    /// `T` is what a [`LuaSaveData`] can be taken as: a number, `&str`, `String`, `&Table`, or a structure such as `Vec3`. A number
    /// is taken from all types and widths that it holds: `f64` from every one.
    ///
    /// ```
    /// use enginewire::scrap_mechanic::lua_object::Table;
    ///
    /// let table = Table::from([("mode", 2_i8)]);
    /// assert_eq!((table.require::<i32>("mode")?, table.require::<f64>("mode")?), (2, 2.0));
    /// let error = table.require::<&str>("mode").unwrap_err();
    /// assert_eq!(error.to_string(), r#""mode": expected &str, found Int8"#);
    /// # Ok::<(), enginewire::RequireError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If no such key, or its value is of another type.
    pub fn require<'s, T>(&'s self, key: impl AsRef<[u8]>) -> Result<T, RequireError>
    where
        T: TryFrom<&'s LuaSaveData<'a>>,
        T::Error: Into<TypeError>,
    {
        require(key.as_ref(), self.get(&key))
    }
}

/// The elements of an array with their keys, or pairs. One of the two is empty.
#[derive(Clone, Debug)]
struct Entries<E, P> {
    /// The key of the next element.
    key: i64,
    elements: E,
    pairs: P,
}

impl<E: Iterator, P: Iterator> Entries<E, P> {
    fn next<'a, T>(
        &mut self,
        element: impl FnOnce(LuaSaveData<'a>, E::Item) -> T,
        pair: impl FnOnce(P::Item) -> T,
    ) -> Option<T> {
        let Some(value) = self.elements.next() else { return self.pairs.next().map(pair) };
        let key = self.key;
        self.key = key.saturating_add(1);
        Some(element(integer(key), value))
    }
}

/// The key of an element, in its narrowest width. The last keys of an array may pass the greatest integer.
#[allow(clippy::as_conversions, clippy::cast_precision_loss)] // it takes 33 bits at most
fn integer(key: i64) -> LuaSaveData<'static> {
    i32::try_from(key).map_or_else(|_| LuaSaveData::number(key as f64), LuaSaveData::integer)
}

/// Defines an iterator over a table.
macro_rules! iterators {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident<$($lifetime:lifetime),*>($elements:ty, $pairs:ty) -> ($key:ty, $value:ty);
        $element:expr, $pair:expr;
    )*) => {$(
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name<$($lifetime),*>(Entries<$elements, $pairs>);

        impl<$($lifetime),*> Iterator for $name<$($lifetime),*> {
            type Item = ($key, $value);

            fn next(&mut self) -> Option<Self::Item> {
                self.0.next($element, $pair)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                let left = self.0.elements.len().saturating_add(self.0.pairs.len());
                (left, Some(left))
            }
        }

        impl<$($lifetime),*> ExactSizeIterator for $name<$($lifetime),*> {}
    )*};
}

iterators! {
    /// The keys and values of a [`Table`]. Made by [`Table::iter`].
    #[derive(Clone)]
    pub struct Iter<'s, 'a>(std::slice::Iter<'s, LuaSaveData<'a>>, std::slice::Iter<'s, TableKeyValuePair<'a>>)
        -> (Cow<'s, LuaSaveData<'a>>, &'s LuaSaveData<'a>);
    |key, value| (Cow::Owned(key), value), |pair| (Cow::Borrowed(&pair.key), &pair.value);

    /// The keys and values of a [`Table`], the values to be changed. Made by [`Table::iter_mut`].
    pub struct IterMut<'s, 'a>(std::slice::IterMut<'s, LuaSaveData<'a>>, std::slice::IterMut<'s, TableKeyValuePair<'a>>)
        -> (Cow<'s, LuaSaveData<'a>>, &'s mut LuaSaveData<'a>);
    |key, value| (Cow::Owned(key), value), |pair| (Cow::Borrowed(&pair.key), &mut pair.value);

    /// The keys and values of a [`Table`], out of it.
    pub struct IntoIter<'a>(std::vec::IntoIter<LuaSaveData<'a>>, std::vec::IntoIter<TableKeyValuePair<'a>>)
        -> (LuaSaveData<'a>, LuaSaveData<'a>);
    |key, value| (key, value), |pair| (pair.key, pair.value);
}

impl<'a> IntoIterator for Table<'a> {
    type Item = (LuaSaveData<'a>, LuaSaveData<'a>);
    type IntoIter = IntoIter<'a>;

    fn into_iter(self) -> IntoIter<'a> {
        let (key, elements, pairs) = match self {
            Table::Array { offset, elements } => (offset.into(), elements, ValueVec::new()),
            Table::Pairs(pairs) => (0, ValueVec::new(), pairs),
        };
        IntoIter(Entries { key, elements: elements.into_iter(), pairs: pairs.into_iter() })
    }
}

impl<'s, 'a> IntoIterator for &'s Table<'a> {
    type Item = (Cow<'s, LuaSaveData<'a>>, &'s LuaSaveData<'a>);
    type IntoIter = Iter<'s, 'a>;

    fn into_iter(self) -> Iter<'s, 'a> {
        self.iter()
    }
}

impl<'s, 'a> IntoIterator for &'s mut Table<'a> {
    type Item = (Cow<'s, LuaSaveData<'a>>, &'s mut LuaSaveData<'a>);
    type IntoIter = IterMut<'s, 'a>;

    fn into_iter(self) -> IterMut<'s, 'a> {
        self.iter_mut()
    }
}

/// In the form of [`Table::from_entries`].
impl<'a, K: Into<LuaSaveData<'a>>, V: Into<LuaSaveData<'a>>> FromIterator<(K, V)> for Table<'a> {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(entries: T) -> Self {
        Table::from_entries(entries.into_iter().map(|(key, value)| (key.into(), value.into())))
    }
}

/// In the form of [`Table::from_entries`].
///
/// ```
/// use enginewire::scrap_mechanic::lua_object::Table;
///
/// let table = Table::from([("x", 1.5_f32), ("y", 2.5)]);
/// assert_eq!(table["y"], 2.5_f32.into());
/// ```
impl<'a, K: Into<LuaSaveData<'a>>, V: Into<LuaSaveData<'a>>, const N: usize> From<[(K, V); N]> for Table<'a> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

/// All entries together, in the form of [`Table::from_entries`]. If nothing is added, the form stays.
impl<'a, K: Into<LuaSaveData<'a>>, V: Into<LuaSaveData<'a>>> Extend<(K, V)> for Table<'a> {
    fn extend<T: IntoIterator<Item = (K, V)>>(&mut self, entries: T) {
        let mut entries = entries.into_iter().map(|(key, value)| (key.into(), value.into())).peekable();
        if entries.peek().is_some() {
            let before = std::mem::take(self).into_iter();
            *self = Table::from_entries(before.chain(entries));
        }
    }
}

/// The value that [`get`](Table::get) gives.
///
/// # Panics
///
/// If no value has this key. [`require`](Table::require) returns an error instead.
impl<'a> Index<&str> for Table<'a> {
    type Output = LuaSaveData<'a>;

    #[allow(clippy::expect_used)] // as the maps of the standard library do it
    fn index(&self, key: &str) -> &LuaSaveData<'a> {
        self.get(key).expect("no value of this key")
    }
}

/// The value that [`at`](Table::at) gives.
///
/// # Panics
///
/// If no value has this key.
impl<'a> Index<i64> for Table<'a> {
    type Output = LuaSaveData<'a>;

    #[allow(clippy::expect_used)]
    fn index(&self, key: i64) -> &LuaSaveData<'a> {
        self.at(key).expect("no value of this key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_table_of_pairs_is_used_like_any_other_map() {
        let mut table = Table::from([("a", true), ("b", false)]);
        table.extend([("c", "three")]);
        assert_eq!((table.len(), &table["c"], table.contains_key("d")), (3, &"three".into(), false));
        assert_eq!((table.require::<bool>("a"), table.require::<&LuaSaveData<'_>>("b")), (Ok(true), Ok(&false.into())));
        for (key, value) in &mut table {
            if *key == "b".into() {
                *value = 7_i8.into();
            }
        }
        let entries: Vec<_> = (&table).into_iter().map(|(key, value)| (key.into_owned(), value.clone())).collect();
        assert_eq!(entries, [("a".into(), true.into()), ("b".into(), 7_i8.into()), ("c".into(), "three".into())]);
        assert_eq!(table.clone().into_iter().collect::<Table<'_>>(), table);
        assert_eq!((table.iter().len(), table.iter_mut().len(), table.into_iter().len()), (3, 3, 3));
    }

    /// The keys of an array are those of its values. An array stays an array if the added keys continue them.
    #[test]
    fn a_table_keeps_the_form_that_its_keys_allow() {
        let mut table = Table::list([true.into()]);
        table.extend([(2_i8, false)]);
        assert_eq!(table, Table::list([true.into(), false.into()]));
        assert_eq!((&table[2], table.iter().len()), (&false.into(), 2));
        table.extend(Table::default());
        assert_eq!(table, Table::list([true.into(), false.into()]));
        table.extend([("a", "b")]);
        assert!(matches!(&table, Table::Pairs(pairs) if pairs.len() == 3), "{table:?}");
        let mut array = Table::Array { offset: i32::MAX, elements: [LuaSaveData::Nil, LuaSaveData::Nil].into() };
        array.extend(Table::default());
        let keys: Vec<_> = array.iter_mut().map(|(key, _)| key.into_owned()).collect();
        assert_eq!(keys, [LuaSaveData::Int32(i32::MAX), LuaSaveData::Number(2_147_483_648.0)]);
    }

    #[test]
    #[should_panic(expected = "no value of this key")]
    fn a_missing_key_is_no_place() {
        let _ = &Table::default()["a"];
    }

    #[test]
    #[should_panic(expected = "no value of this key")]
    fn a_missing_index_is_no_place() {
        let _ = &Table::default()[1];
    }
}
