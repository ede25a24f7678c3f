//! Maps of the standard library, and `IndexMap`.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use bstr::ByteSlice;

use super::ConvertError;
#[cfg(feature = "godot")]
use crate::godot::{Dictionary, Entry, Variant};
#[cfg(feature = "roblox")]
use crate::roblox::attributes::{self, Attributes};
#[cfg(feature = "roblox")]
use crate::roblox::remote::{self, Pair};
#[cfg(feature = "scrap_mechanic")]
use crate::scrap_mechanic::lua_object::{LuaSaveData, Table};
use crate::wire::{IntoByteString, ValueVec};

/// The name of a map in errors.
const MAP: &str = "a map";

/// The key of an entry, which must be text.
fn text_key(key: &[u8]) -> Result<String, ConvertError> {
    let lacks = |_| ConvertError::of_key(MAP, key, "a key that is not UTF-8");
    key.to_str().map(str::to_owned).map_err(lacks)
}

/// A map with keys that are text.
trait TextMap<V>: Default {
    /// Adds an entry, and gives the value that the key had.
    fn put(&mut self, key: String, value: V) -> Option<V>;
}

impl<V> TextMap<V> for BTreeMap<String, V> {
    fn put(&mut self, key: String, value: V) -> Option<V> {
        self.insert(key, value)
    }
}

impl<V, S: BuildHasher + Default> TextMap<V> for HashMap<String, V, S> {
    fn put(&mut self, key: String, value: V) -> Option<V> {
        self.insert(key, value)
    }
}

#[cfg(feature = "interop")]
impl<V, S: BuildHasher + Default> TextMap<V> for indexmap::IndexMap<String, V, S> {
    fn put(&mut self, key: String, value: V) -> Option<V> {
        self.insert(key, value)
    }
}

/// The map of these entries; an error if two of them have the same key.
fn collected<V, M: TextMap<V>>(
    entries: impl Iterator<Item = Result<(String, V), ConvertError>>,
) -> Result<M, ConvertError> {
    let mut map = M::default();
    for entry in entries {
        let (key, value) = entry?;
        if map.put(key.clone(), value).is_some() {
            return Err(ConvertError::of_key(MAP, key.as_bytes(), "a second entry with this key"));
        }
    }
    Ok(map)
}

/// The entries of a map in the order of their keys.
fn sorted<K: Ord, V>(map: impl IntoIterator<Item = (K, V)>) -> Vec<(K, V)> {
    let mut entries: Vec<_> = map.into_iter().collect();
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    entries
}

/// Conversions of each collection from and into all maps. A row has the collection, its values, what its keys are made of, and
/// how it is made of a map, and entries of it.
macro_rules! maps {
    ($(
        $game:literal $collection:ty, $value:ty: $key:path,
        $map:ident => $make:expr, $entries:ident => $take:expr;
    )*) => {$(
        /// The order is that of the keys.
        #[cfg(feature = $game)]
        impl<'a, K: $key, V: Into<$value>> From<BTreeMap<K, V>> for $collection {
            fn from($map: BTreeMap<K, V>) -> Self {
                $make
            }
        }

        /// The order is that of the keys, because a `HashMap` has none.
        #[cfg(feature = $game)]
        impl<'a, K: $key + Ord, V: Into<$value>, S> From<HashMap<K, V, S>> for $collection {
            fn from(map: HashMap<K, V, S>) -> Self {
                let $map = sorted(map);
                $make
            }
        }

        /// The order stays.
        #[cfg(all(feature = $game, feature = "interop"))]
        impl<'a, K: $key, V: Into<$value>, S> From<indexmap::IndexMap<K, V, S>> for $collection {
            fn from($map: indexmap::IndexMap<K, V, S>) -> Self {
                $make
            }
        }

        /// The order becomes that of the keys.
        ///
        /// # Errors
        ///
        /// If a key is not UTF-8 text, or is there twice.
        #[cfg(feature = $game)]
        impl<'a> TryFrom<$collection> for BTreeMap<String, $value> {
            type Error = ConvertError;

            fn try_from($entries: $collection) -> Result<Self, ConvertError> {
                collected($take)
            }
        }

        /// The order is lost.
        ///
        /// # Errors
        ///
        /// If a key is not UTF-8 text, or is there twice.
        #[cfg(feature = $game)]
        impl<'a, S: BuildHasher + Default> TryFrom<$collection> for HashMap<String, $value, S> {
            type Error = ConvertError;

            fn try_from($entries: $collection) -> Result<Self, ConvertError> {
                collected($take)
            }
        }

        /// The order stays.
        ///
        /// # Errors
        ///
        /// If a key is not UTF-8 text, or is there twice.
        #[cfg(all(feature = $game, feature = "interop"))]
        impl<'a, S: BuildHasher + Default> TryFrom<$collection> for indexmap::IndexMap<String, $value, S> {
            type Error = ConvertError;

            fn try_from($entries: $collection) -> Result<Self, ConvertError> {
                collected($take)
            }
        }
    )*};
}

maps! {
    "roblox" Attributes<'a>, attributes::Value<'a>: IntoByteString<'a>,
        map => map.into_iter().collect(),
        attributes => attributes.into_iter().map(|entry| Ok((text_key(&entry.key)?, entry.value)));
    "roblox" remote::Value<'a>, remote::Value<'a>: IntoByteString<'a>,
        map => remote::Value::Dictionary(map.into_iter().map(|(key, value)| Pair::new(key, value)).collect()),
        value => pairs(value)?.into_iter().map(|pair| Ok((text_key(&pair.key)?, pair.value)));
    "godot" Dictionary<'a>, Variant<'a>: Into<Variant<'a>>,
        map => Dictionary::new(map.into_iter().map(|(key, value)| (key.into(), value.into()))),
        dictionary => dictionary.entries.into_iter().map(|Entry { key, value }| match key.as_bytes() {
            Some(text) => Ok((text_key(text)?, value)),
            None => Err(ConvertError::of_key_type(MAP, key.type_id().name())),
        });
    "scrap_mechanic" Table<'a>, LuaSaveData<'a>: Into<LuaSaveData<'a>>,
        map => Table::from_entries(map.into_iter().map(|(key, value)| (key.into(), value.into()))),
        table => table_entries(table).map(|(key, value)| match key.as_bytes() {
            Some(text) => Ok((text_key(text)?, value)),
            None => Err(ConvertError::of_key_type(MAP, key.type_id().name())),
        });
}

/// The pairs of a dictionary.
#[cfg(feature = "roblox")]
fn pairs(value: remote::Value<'_>) -> Result<Vec<Pair<'_>>, ConvertError> {
    match value {
        remote::Value::Dictionary(pairs) => Ok(pairs.into_vec()),
        other => Err(ConvertError::of_type(MAP, other.type_id().name())),
    }
}

/// The keys and values of a table.
#[cfg(feature = "scrap_mechanic")]
fn table_entries<'a>(table: Table<'a>) -> impl Iterator<Item = (LuaSaveData<'a>, LuaSaveData<'a>)> {
    let (first, elements, pairs) = match table {
        Table::Array { offset, elements } => (offset, elements, ValueVec::new()),
        Table::Pairs(pairs) => (0, ValueVec::new(), pairs),
    };
    let elements = (first..=i32::MAX).zip(elements).map(|(key, value)| (LuaSaveData::integer(key), value));
    elements.chain(pairs.into_iter().map(|pair| (pair.key, pair.value)))
}

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    type Sorted<V> = BTreeMap<String, V>;
    type Hashed<V> = HashMap<String, V>;

    /// A collection of `b` and `a` goes into every map and comes back in the order of keys.
    macro_rules! there_and_back {
        ($collection:ty, $value:ty, $of:expr) => {
            let (in_order, sorted): ($collection, $collection) = ($of(["b", "a"]), $of(["a", "b"]));
            let map = Sorted::<$value>::try_from(in_order.clone()).unwrap();
            assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "b"]);
            assert_eq!(<$collection>::from(map), sorted);
            let map = Hashed::<$value>::try_from(in_order.clone()).unwrap();
            assert_eq!(map.len(), 2);
            assert_eq!(<$collection>::from(map), sorted);
            #[cfg(feature = "interop")]
            {
                type Ordered<V> = indexmap::IndexMap<String, V, std::hash::RandomState>;
                let map = Ordered::<$value>::try_from(in_order.clone()).unwrap();
                assert_eq!(map.keys().collect::<Vec<_>>(), ["b", "a"]);
                assert_eq!(<$collection>::from(map), in_order);
            }
        };
    }

    #[test]
    fn collections_become_maps_and_come_back() {
        there_and_back!(Attributes<'_>, attributes::Value<'_>, |keys: [&'static str; 2]| {
            keys.into_iter().map(|key| (key, key == "a")).collect::<Attributes<'_>>()
        });
        there_and_back!(remote::Value<'_>, remote::Value<'_>, |keys: [&'static str; 2]| {
            remote::Value::from(keys.map(|key| Pair::new(key, key == "a")).to_vec())
        });
        there_and_back!(Dictionary<'_>, Variant<'_>, |keys: [&'static str; 2]| {
            Dictionary::new(keys.map(|key| (key.into(), (key == "a").into())))
        });
        there_and_back!(Table<'_>, LuaSaveData<'_>, |keys: [&'static str; 2]| {
            Table::from_entries(keys.map(|key| (key.into(), (key == "a").into())))
        });
    }

    #[test]
    fn keys_are_of_any_type_where_the_collection_has_such() {
        let dictionary = Dictionary::from(BTreeMap::from([(2, "b"), (1, "a")]));
        assert_eq!(dictionary, Dictionary::new([(1.into(), "a".into()), (2.into(), "b".into())]));
        let table = Table::from(HashMap::from([(2_i8, "b"), (1, "a")]));
        assert_eq!(table, Table::list(["a".into(), "b".into()]));
    }

    #[test]
    fn what_a_map_cannot_hold_is_named() {
        let failed = |error: Result<String, ConvertError>| error.unwrap_err().to_string();
        let sorted = |attributes: Attributes<'static>| {
            failed(Sorted::<attributes::Value<'_>>::try_from(attributes).map(|map| format!("{map:?}")))
        };
        assert_eq!(
            sorted([("a", 1), ("b", 2), ("a", 3)].into_iter().collect()),
            "\"a\": a map cannot hold a second entry with this key"
        );
        assert_eq!(
            sorted([(&b"\xff"[..], 1)].into_iter().collect()),
            "\"\\xff\": a map cannot hold a key that is not UTF-8"
        );
        let dictionary = Dictionary::new([(Variant::Int(1), Variant::Null)]);
        let error = Sorted::<Variant<'_>>::try_from(dictionary).unwrap_err();
        assert_eq!((error.key(), error.type_name()), (None, Some("int")));
        assert_eq!(error.to_string(), "a map cannot hold keys of the type int");
        let error = Hashed::<LuaSaveData<'_>>::try_from(Table::list([LuaSaveData::Nil])).unwrap_err();
        assert_eq!(error.to_string(), "a map cannot hold keys of the type Int8");
        assert_eq!(Hashed::<LuaSaveData<'_>>::try_from(Table::default()), Ok(HashMap::new()));
        let error = Hashed::<remote::Value<'_>>::try_from(remote::Value::Nil).unwrap_err();
        assert_eq!(error.to_string(), "a map cannot hold values of the type Nil");
    }
}
