//! The places of entries in attributes, by their keys.

use std::collections::hash_map::{Entry as MapEntry, HashMap};
use std::hash::BuildHasher;

use bstr::ByteSlice;

use super::entry::Entry;

/// The places of the entries of each key. It is built when a key is inserted and there are at least [`Index::FEW`] entries.
///
/// Keys are identified by a randomly seeded hash, so that nobody can choose keys that are slow.
#[derive(Default)]
#[allow(clippy::box_collection)] // attributes stay small: nearly none have an index
pub(super) struct Index(Option<Box<HashMap<u64, Place>>>);

/// The places of the entries with a certain hash.
enum Place {
    /// The only one.
    Only(usize),
    /// There are several, of one key or of keys with the same hash.
    Several,
}

/// The result of looking up a key in an [`Index`].
pub(super) enum Found {
    /// No entry has it.
    Nowhere,
    /// This entry has it, and no other.
    Only(usize),
    /// The entries have to be looked at.
    Perhaps,
}

impl Index {
    /// No index.
    pub(super) const NONE: Self = Index(None);

    /// Below this number, searching the entries is faster than looking them up.
    const FEW: usize = 32;

    /// Builds it, unless it is there or the entries are few.
    pub(super) fn build(&mut self, entries: &[Entry<'_>]) {
        if self.0.is_none() && entries.len() >= Self::FEW {
            self.0 = Some(Box::new(HashMap::with_capacity(entries.len())));
            entries.iter().enumerate().for_each(|(place, entry)| self.push(&entry.key, place));
        }
    }

    /// Adds an entry, if there is an index.
    pub(super) fn push(&mut self, key: &[u8], place: usize) {
        let Some(places) = &mut self.0 else { return };
        #[cfg(test)]
        tests::count_step();
        let hash = places.hasher().hash_one(key);
        match places.entry(hash) {
            MapEntry::Vacant(vacant) => drop(vacant.insert(Place::Only(place))),
            MapEntry::Occupied(mut occupied) => drop(occupied.insert(Place::Several)),
        }
    }

    pub(super) fn find(&self, entries: &[Entry<'_>], key: &[u8]) -> Found {
        let Some(places) = &self.0 else { return Found::Perhaps };
        match places.get(&places.hasher().hash_one(key)) {
            None => Found::Nowhere,
            Some(Place::Only(place)) if entries.get(*place).is_some_and(|entry| has(key)(&entry)) => {
                Found::Only(*place)
            }
            Some(_) => Found::Perhaps,
        }
    }
}

/// A copy of attributes has no index until it needs one.
impl Clone for Index {
    fn clone(&self) -> Self {
        Index::NONE
    }
}

/// A predicate: true for an entry with this key.
pub(super) fn has<'k>(key: &'k [u8]) -> impl Fn(&&Entry<'_>) -> bool + 'k {
    move |entry| {
        #[cfg(test)]
        tests::count_step();
        entry.key.as_bytes() == key
    }
}

#[cfg(test)]
mod tests {
    use super::super::blob::Attributes;
    use super::super::value::Value;
    use super::*;
    use pretty_assertions::assert_eq;
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    /// Counts a key that is compared or indexed.
    pub(super) fn count_step() {
        STEPS.set(STEPS.get().saturating_add(1));
    }

    #[test]
    fn inserting_takes_the_same_few_steps_however_many_there_are() {
        let mut attributes = Attributes::new();
        for round in 0..3 {
            for number in 0..100_000 {
                let old = attributes.insert(format!("key {number}"), number + round);
                assert_eq!(old, (round > 0).then(|| Value::Int(number + round - 1)));
            }
            assert_eq!(attributes.len(), 100_000);
            // each key once, as a new one or as the old one, except the few before there is an index
            let steps = STEPS.replace(0);
            assert!(steps <= 100_000 + Index::FEW * Index::FEW, "{steps}");
        }
        for number in 0..1000 {
            assert_eq!(attributes.get(format!("key {number}")), Some(&Value::Int(number + 2)));
        }
        assert_eq!(STEPS.get(), 1000);
    }

    /// Attributes that were decoded get an index with the first insertion, if they are not few.
    #[test]
    fn many_entries_are_indexed_once() {
        for count in [Index::FEW - 1, Index::FEW, 1000] {
            let mut attributes: Attributes<'_> = (0..count).map(|key| Entry::new(key.to_string(), true)).collect();
            STEPS.set(0);
            for _ in 0..2 {
                assert!(attributes.insert("0", false).is_some());
            }
            // the entries are looked at every time, or each key is indexed once
            let steps = if count < Index::FEW { 2 * (count + 1) } else { count + 2 };
            assert_eq!(STEPS.get(), steps, "{count}");
        }
    }

    /// Inserts as [`Attributes::insert`] does, looking at every entry.
    #[allow(clippy::arithmetic_side_effects)] // a test may panic
    fn insert_slowly<'a>(entries: &mut Vec<Entry<'a>>, entry: Entry<'a>) -> Option<Value<'a>> {
        let old = entries.iter().position(|other| other.key == entry.key);
        let value = old.map(|place| entries[place].value.clone());
        let key = entry.key.clone();
        match old {
            Some(place) => entries[place] = entry,
            None => entries.push(entry),
        }
        let kept = old.unwrap_or(entries.len() - 1);
        let mut place = 0;
        entries.retain(|other| {
            place += 1;
            place == kept + 1 || other.key != key
        });
        value
    }

    #[test]
    fn an_index_changes_nothing() {
        for seed in 0..20 {
            let mut state: u64 = seed;
            let mut below = |count: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                usize::try_from(state >> 33).unwrap() % count
            };
            let mut attributes = Attributes::new();
            let mut expected: Vec<Entry<'_>> = Vec::new();
            for step in 0..2000 {
                let (key, value) = (format!("{}", below(120)), Value::Int(step));
                let entry = Entry::new(key.clone(), value.clone());
                match below(40) {
                    0 => {
                        attributes.extend([entry.clone(), entry.clone()]);
                        expected.extend([entry.clone(), entry]);
                    }
                    1 => {
                        attributes.entries_mut().insert(0, entry.clone());
                        expected.insert(0, entry);
                    }
                    2 => {
                        attributes.sort();
                        expected.sort_by(|one, other| one.key.cmp(&other.key));
                    }
                    3 | 4 => {
                        let old = expected.iter().find(|entry| *entry.key == key.as_bytes()).cloned();
                        assert_eq!(attributes.remove(&key), old.map(|entry| entry.value));
                        expected.retain(|entry| *entry.key != key.as_bytes());
                    }
                    5 => attributes = attributes.clone(),
                    6 => attributes = attributes.into_owned(),
                    7 => {
                        let old = expected.iter_mut().find(|entry| *entry.key == key.as_bytes());
                        assert_eq!(attributes.get(&key), old.as_ref().map(|entry| &entry.value));
                        if let Some((changed, old)) = attributes.get_mut(&key).zip(old) {
                            (*changed, old.value) = (value.clone(), value);
                        }
                    }
                    _ => {
                        assert_eq!(attributes.insert(key, value), insert_slowly(&mut expected, entry));
                    }
                }
                assert_eq!(attributes.entries(), expected);
            }
            assert!(expected.len() >= Index::FEW);
        }
    }
}
