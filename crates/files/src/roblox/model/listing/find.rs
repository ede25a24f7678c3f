//! Searches for instances.

use std::borrow::Cow;
use std::ops::Range;

use bstr::{BStr, BString, ByteSlice};

use super::lookup::{rows, Table};
use super::stored::{StoredInstance, StoredReferent};
use super::{in_brackets, Listing, MOST_NAMES};
use crate::roblox::model::instance::InstancePlace;
use crate::roblox::model::kind::Kind;
use enginewire::formats::{Step, ValuePath};
use enginewire::notation::is_unprintable;
use enginewire::number::to_usize;

/// The target of a search.
#[derive(Clone, Copy, Debug)]
enum Sought<'t> {
    Place(InstancePlace),
    /// A referent of a binary file; `None` if the text is not a number.
    Number(Option<i32>),
    /// A referent of an XML file.
    Referent(&'t [u8]),
    /// If `is_strict`, every dot of the text is between two names.
    Path {
        text: &'t BStr,
        numbers: Numbers,
        is_strict: bool,
    },
}

/// A name of a path, and the number after it.
type Name = (BString, Option<u32>);

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
    /// `Model.Cube.001` is `001` in `Cube`, if there is one; else also a `Cube.001` in `Model`. In quotes a name stands for itself:
    /// `Model."Cube.001"`, `"#1"`, `""`, with the escapes of [`ValuePath`].
    ///
    /// A search by place takes logarithmic time. The first search by path builds tables of all paths, and the first by
    /// referent a table of all referents; together they take 28 bytes for each instance. If less is left of
    /// [`Options::max_memory`](crate::roblox::model::Options::max_memory), every search looks at all instances.
    pub fn find<'l>(&'l self, path: &'l BStr) -> impl Iterator<Item = usize> + 'l {
        let quoted = self.found_quoted(path);
        let other = quoted.is_empty().then(|| self.found(self.sought(path)));
        quoted.into_iter().chain(other.into_iter().flatten())
    }

    /// The instances whose paths have the same names as that of the instance with this index, in the order of the file. The
    /// instance itself is one of them, unless its path has more than 100 names.
    #[must_use]
    pub fn namesakes(&self, index: usize) -> Vec<usize> {
        let mut names = Vec::new();
        let mut next = self.instances.get(index);
        while let Some(instance) = next.filter(|_| names.len() < MOST_NAMES) {
            names.insert(0, (self.text(instance.name).into(), None));
            next = self.stored(instance.parent);
        }
        self.with_names(&names)
    }

    fn found_quoted(&self, path: &BStr) -> Vec<usize> {
        let names = path.to_str().ok().filter(|path| path.contains('"')).and_then(names);
        names.map(|names| self.with_names(&names)).unwrap_or_default()
    }

    /// The instances whose paths have these names.
    fn with_names(&self, names: &[Name]) -> Vec<usize> {
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
        let search = |numbers: Numbers| {
            let number = |number: Option<u32>| number.filter(|_| numbers == Numbers::All).map(in_brackets);
            let name = |(name, of): &Name| [name.as_bytes(), number(*of).unwrap_or_default().as_bytes()].concat();
            let text = names.iter().map(name).collect::<Vec<_>>().join(&b'.');
            let sought = Sought::Path { text: text.as_bstr(), numbers, is_strict: true };
            self.candidates(sought).filter(is_it).collect::<Vec<_>>()
        };
        let found = [Numbers::All, Numbers::None].into_iter().map(search).find(|found| !found.is_empty());
        found.unwrap_or_default()
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
                let most = if self.has_namesakes { Numbers::All } else { Numbers::None };
                let ways = [true, false].into_iter().flat_map(|is_strict| {
                    [most, Numbers::None, Numbers::Some].map(|numbers| Sought::Path { text, numbers, is_strict })
                });
                let any = Sought::Path { text, numbers: Numbers::Some, is_strict: false };
                ways.into_iter().find(|way| self.found(*way).next().is_some()).unwrap_or(any)
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
            Sought::Path { text: path, numbers, .. } => {
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
            (Sought::Path { text, numbers, is_strict }, _) => self.has_path(stored, text, (numbers, is_strict)),
            _ => false,
        }
    }

    /// Returns true if an instance has this path. Every step towards the root consumes at least one byte of the path, so the
    /// loop ends even if an instance is inside itself.
    fn has_path(&self, instance: &StoredInstance, path: &BStr, (numbers, is_strict): (Numbers, bool)) -> bool {
        let mut rest: &[u8] = path;
        let mut next = instance;
        loop {
            let name = self.text(next.name);
            if is_strict && name.contains(&b'.') {
                return false;
            }
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

/// A name as it is in a path: in quotes if it could be taken for something else.
pub(super) fn quoted(name: &[u8]) -> Cow<'_, [u8]> {
    // most names
    if !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric) {
        return name.into();
    }
    let is_property = |text: &str| Kind::ALL.iter().any(|kind| text.ends_with(&format!(" {}", kind.name())));
    let is_bare = |text: &str| {
        let is_other = |char| ['.', '"'].contains(&char) || is_unprintable(char);
        !text.is_empty() && !text.starts_with(['#', '@', '…']) && !text.contains(is_other) && !is_property(text)
    };
    if name.to_str().is_ok_and(is_bare) && split_number(name).is_none() {
        return name.into();
    }
    match ValuePath(vec![Step::key(name)]).to_string() {
        text if text.starts_with('"') => text.into_bytes().into(),
        text => format!("\"{text}\"").into_bytes().into(),
    }
}

/// The names of a path, if it is one. Those in quotes stand for themselves, and any other ends at a dot.
fn names(path: &str) -> Option<Vec<Name>> {
    let (mut names, mut rest) = (Vec::new(), path);
    loop {
        let (mut in_quotes, mut is_escaped) = (false, false);
        let end = rest.find(|char| {
            in_quotes ^= char == '"' && !is_escaped;
            is_escaped = in_quotes && char == '\\' && !is_escaped;
            char == '.' && !in_quotes
        });
        let (name, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        let (name, number) = split_number(name.as_bytes()).unwrap_or((name.as_bytes(), &[]));
        let number = if number.is_empty() { None } else { Some(number.to_str().ok()?.parse().ok()?) };
        let name = match name.strip_prefix(b"\"") {
            None => name.into(),
            Some(_) => match &name.to_str().ok()?.parse::<ValuePath>().ok()?.0[..] {
                [Step::Key(name)] => name.clone(),
                _ => return None,
            },
        };
        names.push((name, number));
        match after.strip_prefix('.') {
            Some(after) => rest = after,
            None => return Some(names),
        }
    }
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
                for (index, instance) in (0..).zip(&listing.instances) {
                    let address = listing.address(index);
                    let mut next = Some(instance);
                    for (name, number) in names(&address).unwrap().into_iter().rev() {
                        let instance = next.unwrap();
                        assert_eq!(
                            (name.as_bytes(), number),
                            (listing.text(instance.name), Some(instance.number).filter(|n| *n > 0))
                        );
                        next = listing.stored(instance.parent);
                    }
                    assert!(next.is_none(), "{address}");
                    assert_eq!(listing.find(BStr::new(&address)).collect::<Vec<_>>(), [index], "{address}");
                    let same = (0..40).filter(|other| names_of(&listing, *other) == names_of(&listing, index));
                    assert_eq!(listing.namesakes(index), same.collect::<Vec<_>>(), "{address}");
                }
            }
        }
        let names_are = |text: &str, expected: &[(&str, Option<u32>)]| {
            let expected = expected.iter().map(|(name, number)| (BString::from(*name), *number)).collect::<Vec<_>>();
            assert_eq!(names(text), Some(expected), "{text}");
        };
        names_are("a.b[2].", &[("a", None), ("b", Some(2)), ("", None)]);
        names_are(r#""a.b"[3]."\x41\"".c"d.e"#, &[("a.b", Some(3)), ("A\"", None), ("c\"d.e", None)]);
        for text in [r#""a"b"#, r#""a\q""#, r#""a"#, "a[99999999999]"] {
            assert_eq!(names(text), None, "{text}");
        }
    }

    fn names_of(listing: &Listing, index: usize) -> Vec<BString> {
        let above = listing.instances().nth(index).unwrap().parent;
        let mut names = above.map(|above| names_of(listing, above)).unwrap_or_default();
        names.push(listing.instance(index).unwrap().name.into());
        names
    }

    #[test]
    fn a_dot_is_between_two_names_where_it_can_be() {
        let tree = [(NONE, "M"), (0, "Cube"), (0, "Cube.001"), (1, "001"), (0, "Cube.002"), (0, "Cube.002")];
        let with = |count: usize| {
            listing(FileKind::Xml, true, tree[..count].iter().map(|(at, name)| (*at, (*name).to_owned())))
        };
        let found = |count, path: &str| with(count).find(BStr::new(path)).collect::<Vec<_>>();
        assert_eq!((found(6, "M.Cube.001"), found(3, "M.Cube.001")), (vec![3], vec![2]));
        assert_eq!(found(6, r#"M."Cube.001""#), [2]);
        assert_eq!((found(6, "M.Cube.002"), found(6, "M.Cube.002[2]")), (vec![4, 5], vec![5]));
        assert_eq!((found(6, r#"M."Cube.002""#), found(6, r#"M."Cube.002"[2]"#)), (vec![4, 5], vec![5]));
        assert_eq!(found(6, r#"M."Cube.002"[3]"#), [0; 0]);
        assert_eq!(
            [2, 3, 5].map(|index| with(6).address(index)),
            [r#"M."Cube.001""#, "M.Cube.001", r#"M."Cube.002"[2]"#]
        );
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
