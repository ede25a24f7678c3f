//! Summaries of listings. They are used to check an edit.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use bstr::{BStr, ByteSlice};

use super::stored::{StoredBytes, Text};
use super::Listing;
use crate::roblox::model::error::ValueError;
use crate::roblox::model::kind::Kind;
use enginewire::budget::{Budget, OverBudget};

/// A value of at least this length is hashed once, even if many properties share it. For shorter values, the map would
/// cost more memory than the time saved is worth.
const LONG: u32 = 128;

impl Listing {
    /// A summary of all that is listed, in little memory: an edit compares those before and after.
    pub(crate) fn summary(&self, mut budget: Budget) -> Result<Summary, OverBudget> {
        budget.take(self.memory())?;
        let mut values = Vec::new();
        budget.grow(&mut values, self.properties.len())?;
        let mut hasher = DefaultHasher::new();
        for instance in self.instances() {
            (instance.class, instance.name, instance.parent).hash(&mut hasher);
            instance.referent.hash(&mut hasher);
        }
        self.references().for_each(|reference| reference.hash(&mut hasher));
        let mut known: HashMap<Text, Option<Value>> = HashMap::new();
        budget.take(self.text.len())?;
        values.extend(self.properties.iter().filter_map(|stored| {
            let value = || Value::of(&self.property_view(stored).bytes);
            let value = match stored.bytes {
                StoredBytes::Here(text) if text.length >= LONG => *known.entry(text).or_insert_with(value),
                _ => value(),
            };
            Some((stored.instance, stored.kind, value?))
        }));
        values.sort_unstable();
        Ok(Summary { instances: hasher.finish(), values, problems: self.problems.len() })
    }
}

/// The hash of a value that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Value(u64);

impl Value {
    fn of(bytes: &Result<&BStr, ValueError>) -> Option<Self> {
        let mut hasher = DefaultHasher::new();
        match bytes {
            Ok(bytes) if bytes.is_empty() => return None,
            Ok(bytes) => bytes.hash(&mut hasher),
            // not the offset, which an edit may move
            Err(ValueError::Base64 { .. } | ValueError::References { .. }) => hasher.write_u8(1),
            // an edit lists all values at once
            Err(ValueError::Later { .. } | ValueError::Again(_)) => hasher.write_u8(2),
            Err(ValueError::SharedString(key)) => key.hash(&mut hasher),
            Err(ValueError::Prefix { found }) => found.hash(&mut hasher),
        }
        Some(Value(hasher.finish()))
    }
}

/// All instances and problems of a file, and all values that are not empty. Warnings do not count: an edit may mend what it
/// changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    instances: u64,
    values: Vec<(u32, Kind, Value)>,
    problems: usize,
}

/// A value that an edit replaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    /// The index of the instance in the file.
    instance: u32,
    kind: Kind,
    old: Option<Value>,
    new: Option<Value>,
}

impl Made {
    /// `new` has the bytes as they are in the file, with their prefix.
    pub(crate) fn new(instance: u32, kind: Kind, old: &Result<&BStr, ValueError>, new: &[u8]) -> Self {
        Made { instance, kind, old: Value::of(old), new: Value::of(&kind.content(new.as_bstr())) }
    }
}

impl Summary {
    /// The memory that it takes, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.values.capacity().saturating_mul(size_of::<(u32, Kind, Value)>())
    }

    /// The summary that a file has after these edits.
    pub(crate) fn with(self, made: &[Made]) -> Self {
        let mut gone: Vec<_> = made.iter().filter_map(|made| Some((made.instance, made.kind, made.old?))).collect();
        gone.sort_unstable();
        let mut gone = gone.into_iter().peekable();
        let mut values = self.values;
        values.retain(|value| gone.next_if_eq(value).is_none());
        values.reserve_exact(made.len());
        values.extend(made.iter().filter_map(|made| Some((made.instance, made.kind, made.new?))));
        values.sort_unstable();
        Summary { values, ..self }
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)] // a test may panic
mod tests {
    use super::*;
    use crate::roblox::model::listing::samples::chain;
    use crate::roblox::model::listing::stored::{StoredPlace, StoredProperty};
    use pretty_assertions::assert_eq;

    #[test]
    fn values_differ_where_they_tell_something_else() {
        let shared = |key: &str| Err(ValueError::SharedString(key.into()));
        let of = |bytes: Result<&str, ValueError>| Value::of(&bytes.map(BStr::new));
        assert_eq!(of(Ok("")), None);
        assert_ne!(of(Ok("a")), None);
        assert_ne!(of(Ok("a")), of(Ok("b")));
        assert_ne!(of(shared("a")), of(shared("b")));
        assert_eq!(of(Err(ValueError::Base64 { offset: 1 })), of(Err(ValueError::Base64 { offset: 2 })));
    }

    /// Tags of one instance after the other, all of them kept once.
    fn tagged(texts: &[&[u8]], uses: &[usize]) -> Listing {
        let mut listing = chain(&["n"; 3]);
        let mut budget = Budget::new(1 << 30);
        let texts: Vec<Text> = texts.iter().map(|text| listing.keep(&mut budget, text).unwrap()).collect();
        for (instance, text) in (0..).zip(uses) {
            let bytes = StoredBytes::Here(texts[*text]);
            let place = StoredPlace::Xml(0);
            listing.add_property(&mut budget, StoredProperty { instance, kind: Kind::Tags, place, bytes }).unwrap();
        }
        listing
    }

    #[test]
    fn a_summary_has_every_value_and_takes_what_it_says() {
        let [long, other] = [[7; 128], [8; 128]];
        let summary = |uses: &[usize]| {
            let listing = tagged(&[b"", b"a", &long, &other], uses);
            listing.summary(Budget::new(1 << 30)).unwrap()
        };
        assert_eq!(summary(&[0, 1, 2]).values.len(), 2);
        assert_eq!(summary(&[2, 2, 3]).values[1].2, Value::of(&Ok(long.as_bstr())).unwrap());
        assert_ne!(summary(&[2, 2, 3]), summary(&[2, 2, 2]));
        let row = size_of::<(u32, Kind, Value)>();
        assert_eq!(summary(&[1, 2, 3]).memory(), 4 * row);
        // what the listing takes, room for the values, and the texts
        let listing = tagged(&[b"", b"a", &long, &other], &[1, 2, 3]);
        let needed = listing.memory() + 4 * row + listing.text.len();
        assert!(listing.summary(Budget::new(needed)).is_ok());
        assert!(listing.summary(Budget::new(needed - 1)).is_err());
    }
}
