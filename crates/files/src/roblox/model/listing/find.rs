//! Searches for instances.

use std::ops::Range;

use bstr::{BStr, ByteSlice};

use super::lookup::{rows, Table};
use super::stored::{StoredInstance, StoredReferent};
use super::{in_brackets, Listing, MOST_NAMES};
use crate::address::{Address, Component, Index, Pattern, Syntax};
use crate::roblox::model::instance::InstancePlace;
use enginewire::number::to_usize;

/// A name of a path, and the number after it.
type Name<'n> = (&'n [u8], Option<u32>);

impl Listing {
    /// The instances with this address, such as `Workspace.Torch`; with this referent, such as `#7`; or at this place, such as
    /// `@0x20:3`. A property after it is passed over.
    ///
    /// A number in brackets, counted from 1, chooses one of several instances that have the same parent and name:
    /// `Workspace.Part[2].Torch`. Without the number, all of them are found. A dot in quotes is part of a name: `Model."Cube.001"`.
    ///
    /// Any other text finds the instances whose names, with dots between them, are this text: `Model.Cube.001` finds a
    /// `Cube.001` in `Model`, and also a `001` in a `Cube`.
    ///
    /// A search by place takes logarithmic time. The first search by path builds tables of all paths, and the first by
    /// referent a table of all referents; together they take 28 bytes for each instance. If less is left of
    /// [`Options::max_memory`](crate::roblox::model::Options::max_memory), every search looks at all instances.
    pub fn find<'l>(&'l self, path: &'l BStr) -> impl Iterator<Item = usize> + 'l {
        let pattern = path.to_str().ok().and_then(|text| Pattern::parse(Syntax::Instances, text).ok());
        let found = match pattern.map(|pattern| pattern.address()) {
            Some(address) => address.map(|address| self.with_address(&address)).unwrap_or_default(),
            None => self.unquoted(path),
        };
        found.into_iter()
    }

    /// The instances with this address, in the order of the file, whatever its property is.
    #[must_use]
    pub fn with_address(&self, address: &Address) -> Vec<usize> {
        let sign = address.components().first().and_then(Component::sign_text);
        if let Some(place) = sign.and_then(|sign| InstancePlace::parse(sign.into())) {
            return self.at_place(place).collect();
        }
        if let Some(referent) = sign.and_then(|sign| sign.strip_prefix('#')) {
            return self.with_referent(referent);
        }
        let name = |component: &'_ Component| {
            let number = match component.index() {
                None => None,
                Some(Index::Number(number)) => Some(u32::try_from(*number).ok()?),
                Some(Index::Columns(_)) => return None,
            };
            Some((component.text()?.to_vec(), number))
        };
        let names: Option<Vec<_>> = address.components().iter().map(name).collect();
        let names = names.unwrap_or_default();
        self.with_names(&names.iter().map(|(name, number)| (&name[..], *number)).collect::<Vec<_>>())
    }

    /// The instances that a pattern fits, in the order of the file, whatever their properties are.
    #[must_use]
    pub fn matching(&self, pattern: &Pattern) -> Vec<usize> {
        match pattern.address() {
            Some(address) => self.with_address(&address),
            None => (0..self.instances.len()).filter(|index| pattern.fits_names(&self.address(*index))).collect(),
        }
    }

    /// The instances whose paths have the same names as that of the instance with this index, in the order of the file. The
    /// instance itself is one of them, unless its path has more than 100 names.
    #[must_use]
    pub fn namesakes(&self, index: usize) -> Vec<usize> {
        let mut names = Vec::new();
        let mut next = self.instances.get(index);
        while let Some(instance) = next.filter(|_| names.len() < MOST_NAMES) {
            names.insert(0, (self.text(instance.name), None));
            next = self.stored(instance.parent);
        }
        self.with_names(&names)
    }

    /// The instances whose paths have these names.
    fn with_names(&self, names: &[Name<'_>]) -> Vec<usize> {
        let is_it = |index: &usize| {
            let mut left = names.iter().rev();
            let mut next = self.instances.get(*index);
            while let Some(instance) = next {
                let is_next = left.next().is_some_and(|(name, number)| {
                    *name == self.text(instance.name) && number.is_none_or(|number| number == instance.number.max(1))
                });
                if !is_next {
                    return false;
                }
                next = self.stored(instance.parent);
            }
            left.next().is_none()
        };
        let search = |is_numbered: bool| {
            let number = |number: Option<u32>| number.filter(|_| is_numbered).map(in_brackets).unwrap_or_default();
            let name = |(name, of): &Name<'_>| [*name, number(*of).as_bytes()].concat();
            let text = names.iter().map(name).collect::<Vec<_>>().join(&b'.');
            self.candidates(is_numbered, &text).filter(is_it).collect::<Vec<_>>()
        };
        // a path mostly has all numbers or none
        let found = [true, false].into_iter().filter(|numbered| !numbered || self.has_namesakes).map(search);
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The instances whose names are this text, with dots between them. Numbers may be left out.
    fn unquoted(&self, text: &[u8]) -> Vec<usize> {
        let plain = without_numbers(text);
        let has_path =
            |index: &usize| self.instances.get(*index).is_some_and(|instance| self.is_unquoted(instance, text));
        self.candidates(false, &plain).filter(has_path).collect()
    }

    /// Every step towards the root consumes at least one byte of the path, so the loop ends even if an instance is inside itself.
    fn is_unquoted(&self, instance: &StoredInstance, path: &[u8]) -> bool {
        let (mut rest, mut next) = (path, instance);
        loop {
            let name = self.text(next.name);
            // the only one is the first
            let number = in_brackets(next.number.max(1));
            let numbered = rest.strip_suffix(number.as_bytes()).and_then(|rest| rest.strip_suffix(name));
            let Some(before) = numbered.or_else(|| rest.strip_suffix(name)) else { return false };
            match (self.stored(next.parent), before.strip_suffix(b".")) {
                (None, _) => return before.is_empty(),
                (Some(_), None) => return false,
                (Some(parent), Some(before)) => (next, rest) = (parent, before),
            }
        }
    }

    /// Returns true if there is enough memory for the tables of [`find`](Self::find). Without them, a search by path or
    /// referent looks at all instances.
    #[must_use]
    pub fn has_tables(&self) -> bool {
        self.lookup.is_room(&self.instances)
    }

    /// The instances with this path and few others, in the order of the file.
    pub(super) fn candidates(&self, is_numbered: bool, path: &[u8]) -> impl Iterator<Item = usize> + '_ {
        let name = |instance: &StoredInstance| self.text(instance.name);
        let table = match is_numbered {
            true => self.lookup.numbered(&self.instances, name),
            false => self.lookup.paths(&self.instances, name),
        };
        self.in_table(table, self.lookup.hash().of(path))
    }

    /// The instances with this hash; without a table, all of them.
    fn in_table<'l>(&self, table: Option<&'l Table>, hash: u32) -> impl Iterator<Item = usize> + use<'l> {
        let range = table.map_or(0..self.instances.len(), |table| rows(table, hash));
        range.filter_map(move |row| table.map_or(Some(row), |table| table.get(row).map(|(_, index)| to_usize(*index))))
    }

    pub(super) fn with_referent(&self, text: &str) -> Vec<usize> {
        let table = self.lookup.referents(&self.instances, |instance| match instance.referent {
            StoredReferent::Number(number) => number.cast_unsigned(),
            StoredReferent::Text(text) => self.lookup.hash().of(self.text(text)),
        });
        let number = text.parse::<i32>().ok();
        let hash = match self.is_xml {
            true => Some(self.lookup.hash().of(text.as_bytes())),
            false => number.map(i32::cast_unsigned),
        };
        let Some(hash) = hash else { return Vec::new() };
        let is_it = |index: &usize| match self.instances.get(*index).map(|instance| instance.referent) {
            Some(StoredReferent::Number(other)) => number == Some(other),
            Some(StoredReferent::Text(other)) => self.text(other) == text.as_bytes(),
            None => false,
        };
        self.in_table(table, hash).filter(is_it).collect()
    }

    /// The instance at a place, if there is one. Instances are in the order of their places.
    fn at_place(&self, place: InstancePlace) -> Range<usize> {
        let key = |place: InstancePlace| (place.offset, place.index);
        let start = self.instances.partition_point(|stored| key(self.place(stored)) < key(place));
        let end = self.instances.partition_point(|stored| key(self.place(stored)) <= key(place));
        start..end
    }
}

/// A path without the numbers in it.
fn without_numbers(path: &[u8]) -> Vec<u8> {
    let names: Vec<&[u8]> = path.split(|byte| *byte == b'.').map(|name| split_number(name).unwrap_or(name)).collect();
    names.join(&b'.')
}

/// A name before digits in brackets.
fn split_number(name: &[u8]) -> Option<&[u8]> {
    let (name, digits) = name.strip_suffix(b"]")?.rsplit_once_str(b"[")?;
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(name)
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
            [
                listing.address(index).to_string().into(),
                format!("#{}", instance.referent).into(),
                instance.place.to_string().into(),
            ]
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
            // a path is looked for in both tables; two texts may have the same hash, but it takes very many to make that likely
            let seen = |numbered| searches.iter().map(move |text| (numbered, text));
            let seen = [true, false]
                .into_iter()
                .flat_map(seen)
                .map(|(numbered, text)| listing.candidates(numbered, text).count());
            assert!(seen.sum::<usize>() <= 2 * 30_001 + 20);
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
                    let all: Vec<usize> = without.find(text.as_bstr()).collect();
                    assert_eq!(with.find(text.as_bstr()).collect::<Vec<_>>(), all, "{text:?}");
                    found += all.len();
                }
                assert!(with.lookup.memory() > 0 && without.lookup.memory() == 0);
            }
        }
        assert!(found > 10_000, "{found}");
    }

    /// The names and numbers in an address are those of the instance, in whatever file it is read.
    #[test]
    fn an_address_has_one_reading() {
        let parts = [
            "a", "b", "a.b", ".", "", "a.", "\"", "\"a\"", "\\", "a[2]", "[1]", "#1", "@0x20", "…", "a Tags",
            "\u{202e}",
        ];
        for seed in 0..60u64 {
            let mut state = seed;
            let mut below = |count: u32| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                u32::try_from(state >> 33).unwrap() % count
            };
            let instances: Vec<_> = (0..40)
                .map(|index| {
                    let parent = below(index + 3);
                    let name = [parts[to_usize(below(16))], parts[to_usize(below(16))]];
                    let length = to_usize(below(3));
                    (if parent < index { parent } else { NONE }, name[..length].concat())
                })
                .collect();
            for kind in [FileKind::Binary, FileKind::Xml] {
                let listing = listing(kind, true, instances.iter().cloned());
                for index in 0..40 {
                    let address = listing.address(index).to_string();
                    assert_eq!(listing.find(BStr::new(&address)).collect::<Vec<_>>(), [index], "{address}");
                    let pattern = Pattern::parse(Syntax::Instances, &address).unwrap();
                    let names = names_of(&listing, index);
                    let found = pattern.address().unwrap();
                    assert!(
                        found.components().iter().map(|component| component.text().unwrap()).eq(&names),
                        "{address}"
                    );
                    let fits = (0..40).filter(|other| pattern.fits(&listing.address(*other)));
                    assert_eq!(fits.collect::<Vec<_>>(), [index], "{address}");
                    let same = (0..40).filter(|other| names_of(&listing, *other) == names);
                    assert_eq!(listing.namesakes(index), same.collect::<Vec<_>>(), "{address}");
                }
            }
        }
    }

    fn names_of(listing: &Listing, index: usize) -> Vec<BString> {
        let above = listing.instances().nth(index).unwrap().parent;
        let mut names = above.map(|above| names_of(listing, above)).unwrap_or_default();
        names.push(listing.instance(index).unwrap().name.into());
        names
    }

    #[test]
    fn a_text_that_is_no_address_is_a_path_without_quotes() {
        let tree =
            [(NONE, "M"), (0, "Cube"), (0, "Cube.001"), (1, "001"), (0, "Spawn Location"), (0, "Cube.x"), (1, "x")];
        let listing = listing(FileKind::Xml, true, tree.iter().map(|(at, name)| (*at, (*name).to_owned())));
        let found = |path: &str| listing.find(BStr::new(path)).collect::<Vec<_>>();
        assert_eq!(
            (found("M.Cube.001"), found(r#"M."Cube.001""#), found(r#"M.Cube."001""#)),
            (vec![2, 3], vec![2], vec![3])
        );
        assert_eq!(
            (found("M.Spawn Location"), found("M.Spawn Location[1]"), found("M.Spawn")),
            (vec![4], vec![4], vec![])
        );
        // a bare spelling has one reading
        assert_eq!((found("M.Cube.x"), found(r#"M."Cube.x""#)), (vec![6], vec![5]));
        assert_eq!((found("M.*"), found("**"), found("M.Cube[0]")), (vec![], vec![], vec![]));
        let addresses = [2, 3, 4, 5].map(|index| listing.address(index).to_string());
        assert_eq!(addresses, [r#"M."Cube.001""#, r#"M.Cube."001""#, r#"M."Spawn Location""#, r#"M."Cube.x""#]);
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
