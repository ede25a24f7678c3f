//! Searches for instances.

use std::ops::Range;

use bstr::{BStr, ByteSlice};

use super::lookup::{rows, Table};
use super::stored::{StoredInstance, StoredReferent};
use super::{in_brackets, Listing};
use crate::roblox::model::instance::InstancePlace;
use enginewire::number::to_usize;

/// The target of a search.
#[derive(Clone, Copy, Debug)]
enum Sought<'t> {
    Place(InstancePlace),
    /// A referent of a binary file; `None` if the text is not a number.
    Number(Option<i32>),
    /// A referent of an XML file.
    Referent(&'t [u8]),
    Path(&'t BStr, Numbers),
}

/// The names of a path that are followed by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    None,
    /// The names of all instances that have a number. If an instance has no number, but its name itself ends like one, it
    /// does not match: the end of the name could be mistaken for a number.
    All,
    /// Some may be left out.
    Some,
}

impl Listing {
    /// The instances with this path, such as `Workspace.Torch`; with this referent, such as `#7`; or at this place, such as
    /// `@0x20:3`.
    ///
    /// A number in brackets, counted from 1, chooses one of several instances that have the same parent and name:
    /// `Workspace.Part[2].Torch`, see [`numbered_path`](Self::numbered_path). Without the number, all of them are found. Where a name itself ends so, the
    /// instance that has the number comes before the one that has the name.
    ///
    /// An instance whose path begins with `#` can only be found by its referent or place.
    ///
    /// A search by place takes logarithmic time. The first search by path builds tables of all paths, and the first by
    /// referent a table of all referents; together they take 28 bytes for each instance. If less is left of
    /// [`Options::max_memory`](crate::roblox::model::Options::max_memory), every search looks at all instances.
    pub fn find<'l>(&'l self, path: &'l BStr) -> impl Iterator<Item = usize> + 'l {
        self.found(self.sought(path))
    }

    fn found<'l>(&'l self, sought: Sought<'l>) -> impl Iterator<Item = usize> + 'l {
        let is_it = move |index: &usize| self.instances.get(*index).is_some_and(|stored| self.is_it(stored, sought));
        self.candidates(sought).filter(is_it)
    }

    /// Returns true if there is enough memory for the tables of [`find`](Self::find). Without them, a search by path or
    /// referent looks at all instances.
    #[must_use]
    pub fn has_tables(&self) -> bool {
        self.lookup.is_room(&self.instances)
    }

    /// Reads the argument of [`find`](Self::find).
    fn sought<'t>(&self, text: &'t BStr) -> Sought<'t> {
        match (InstancePlace::parse(text), text.strip_prefix(b"#")) {
            (Some(place), _) => Sought::Place(place),
            (None, Some(referent)) if self.is_xml => Sought::Referent(referent),
            (None, Some(number)) => Sought::Number(number.to_str().ok().and_then(|number| number.parse().ok())),
            (None, None) => {
                // a path mostly has all numbers or none
                let is_found = |numbers: &Numbers| self.found(Sought::Path(text, *numbers)).next().is_some();
                let most = if self.has_namesakes { Numbers::All } else { Numbers::None };
                Sought::Path(text, [most, Numbers::None].into_iter().find(is_found).unwrap_or(Numbers::Some))
            }
        }
    }

    /// The instances that are sought and few others, in the order of the file.
    fn candidates(&self, sought: Sought<'_>) -> impl Iterator<Item = usize> + '_ {
        let within = |table: Option<_>, hash| match table {
            Some(table) => (Some(table), rows(table, hash)),
            None => (None, 0..self.instances.len()),
        };
        let (table, range): (Option<&Table>, _) = match sought {
            Sought::Place(place) => (None, self.at_place(place)),
            Sought::Number(None) => (None, 0..0),
            Sought::Number(Some(number)) => within(self.referents(), number.cast_unsigned()),
            Sought::Referent(text) => within(self.referents(), self.lookup.hash().of(text)),
            Sought::Path(path, numbers) => {
                let name = |instance: &StoredInstance| self.text(instance.name);
                match numbers {
                    Numbers::All => within(self.lookup.numbered(&self.instances, name), self.lookup.hash().of(path)),
                    Numbers::None => within(self.lookup.paths(&self.instances, name), self.lookup.hash().of(path)),
                    Numbers::Some => {
                        let hash = self.lookup.hash().of(&without_numbers(path));
                        within(self.lookup.paths(&self.instances, name), hash)
                    }
                }
            }
        };
        range.filter_map(move |row| table.map_or(Some(row), |table| table.get(row).map(|(_, index)| to_usize(*index))))
    }

    fn referents(&self) -> Option<&Table> {
        self.lookup.referents(&self.instances, |instance| match instance.referent {
            StoredReferent::Number(number) => number.cast_unsigned(),
            StoredReferent::Text(text) => self.lookup.hash().of(self.text(text)),
        })
    }

    /// The instance at a place, if there is one. Instances are in the order of their places.
    fn at_place(&self, place: InstancePlace) -> Range<usize> {
        let key = |place: InstancePlace| (place.offset, place.index);
        let start = self.instances.partition_point(|stored| key(self.place(stored)) < key(place));
        let end = self.instances.partition_point(|stored| key(self.place(stored)) <= key(place));
        start..end
    }

    fn is_it(&self, stored: &StoredInstance, sought: Sought<'_>) -> bool {
        match (sought, stored.referent) {
            (Sought::Place(place), _) => self.place(stored) == place,
            (Sought::Number(number), StoredReferent::Number(other)) => number == Some(other),
            (Sought::Referent(text), StoredReferent::Text(other)) => self.text(other) == text,
            (Sought::Path(path, numbers), _) => self.has_path(stored, path, numbers),
            _ => false,
        }
    }

    /// Returns true if an instance has this path. Every step towards the root consumes at least one byte of the path, so the
    /// loop ends even if an instance is inside itself.
    fn has_path(&self, instance: &StoredInstance, path: &BStr, numbers: Numbers) -> bool {
        let mut rest: &[u8] = path;
        let mut next = instance;
        loop {
            let name = self.text(next.name);
            let numbered = |number| rest.strip_suffix(in_brackets(number).as_bytes())?.strip_suffix(name);
            let numbered = match (numbers, next.number) {
                (Numbers::None, _) | (Numbers::All, 0) => None,
                // the only one is the first
                (_, number) => numbered(number.max(1)),
            };
            let may_lack = match numbers {
                Numbers::All => next.number == 0 && split_number(name).is_none(),
                Numbers::None | Numbers::Some => true,
            };
            let Some(before) = numbered.or_else(|| rest.strip_suffix(name).filter(|_| may_lack)) else { return false };
            match (self.stored(next.parent), before.strip_suffix(b".")) {
                (None, _) => return before.is_empty(),
                (Some(_), None) => return false,
                (Some(parent), Some(before)) => (next, rest) = (parent, before),
            }
        }
    }
}

/// A path without the numbers in it.
fn without_numbers(path: &[u8]) -> Vec<u8> {
    let names: Vec<&[u8]> =
        path.split(|byte| *byte == b'.').map(|name| split_number(name).map_or(name, |(name, _)| name)).collect();
    names.join(&b'.')
}

/// A name and the digits in brackets after it.
fn split_number(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, digits) = name.strip_suffix(b"]")?.rsplit_once_str(b"[")?;
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some((name, digits))
}

#[cfg(test)]
impl Listing {
    /// The number of instances that a search examines.
    pub(super) fn candidates_of(&self, path: &BStr) -> usize {
        self.candidates(self.sought(path)).count()
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)] // a test may panic
mod tests {
    use super::*;
    use crate::roblox::model::instance::Instance;
    use crate::roblox::model::listing::samples::listing;
    use crate::roblox::model::listing::stored::NONE;
    use crate::roblox::model::FileKind;
    use bstr::BString;
    use enginewire::budget::Budget;
    use pretty_assertions::assert_eq;

    /// A tree: models with parts that all have the same names.
    fn models(models: u32, parts: u32) -> impl Iterator<Item = (u32, String)> {
        (0..=models * (parts + 1)).map(move |index| match (index.checked_sub(1), parts + 1) {
            (None, _) => (NONE, "Workspace".to_owned()),
            (Some(index), each) if index % each == 0 => (0, format!("Model{}", index / each)),
            (Some(index), each) => (1 + index / each * each, format!("Part{}", index % each)),
        })
    }

    fn searches(listing: &Listing) -> Vec<BString> {
        let of = |(index, instance): (usize, Instance<'_>)| {
            [listing.path(index), format!("#{}", instance.referent).into(), instance.place.to_string().into()]
        };
        listing.instances().enumerate().flat_map(of).collect()
    }

    /// Time would be in proportion to the square of the number of instances if every search looked at all of them.
    #[test]
    fn a_search_looks_at_what_it_finds_and_at_little_else() {
        for kind in [FileKind::Binary, FileKind::Xml] {
            let listing = listing(kind, true, models(300, 99));
            let searches = searches(&listing);
            assert_eq!(searches.len(), 3 * 30_001);
            let found: usize = searches.iter().map(|text| listing.find(text.as_bstr()).count()).sum();
            // each path and place is found once; each referent belongs to two instances, except the last
            assert_eq!(found, 4 * 30_000 + 3);
            let seen = searches.iter().map(|text| listing.candidates(listing.sought(text.as_bstr())).count());
            // two texts may have the same hash, but it takes very many to make that likely
            assert!(seen.sum::<usize>() <= found + 20);
        }
    }

    #[test]
    fn tables_change_nothing() {
        let names = ["a", "b", "a.b", ".", "", "a.", "\u{ff}", "#1", "@0x20"];
        let texts =
            ["", ".", "a", "a.b", "a.b.a", "..", "a..b", "#", "#-2", "#+1", "#01", "#x", "@0x20:0", "@0x2", "@0x"];
        let mut found = 0;
        for seed in 0..60u64 {
            let mut state = seed;
            let mut below = |count: u32| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                u32::try_from(state >> 33).unwrap() % count
            };
            // with any parents, some instances are inside themselves; with parents before them, no instance is
            let instances: Vec<_> = (0..40)
                .map(|index| {
                    let parent = if seed % 2 == 0 { below(60) } else { below(index + 3) };
                    let parent = if parent < (if seed % 2 == 0 { 40 } else { index }) { parent } else { NONE };
                    (parent, names[to_usize(below(9))].to_owned())
                })
                .collect();
            for kind in [FileKind::Binary, FileKind::Xml] {
                let [with, without] = [true, false].map(|room| listing(kind, room, instances.iter().cloned()));
                let texts = texts.iter().map(|text| BString::from(*text));
                for text in searches(&with).into_iter().chain(texts) {
                    let sought = with.sought(text.as_bstr());
                    let all = (0..40).filter(|index| with.is_it(&with.instances[*index], sought));
                    let all: Vec<usize> = all.collect();
                    for listing in [&with, &without] {
                        assert_eq!(listing.find(text.as_bstr()).collect::<Vec<_>>(), all, "{text:?}");
                    }
                    found += all.len();
                }
                assert!(with.lookup.memory() > 0 && without.lookup.memory() == 0);
            }
        }
        assert!(found > 10_000, "{found}");
    }

    #[test]
    fn tables_take_what_is_left_and_no_more() {
        for (room, has_tables) in [(28 * 101 + 3, true), (28 * 101 + 2, false)] {
            let mut listing = listing(FileKind::Binary, true, models(10, 9));
            let before = listing.memory();
            // what is taken already is the odd bytes
            listing.lookup.allow(&Budget::with(room, 3));
            assert_eq!(listing.find("Workspace.Model3.Part7".into()).count(), 1);
            assert_eq!(listing.find("#7".into()).count(), 2);
            assert_eq!(listing.memory() - before, if has_tables { 16 * 101 } else { 0 });
            assert_eq!(listing.has_tables(), has_tables);
        }
    }
}
