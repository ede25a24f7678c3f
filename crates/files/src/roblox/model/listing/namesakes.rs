//! Numbers of instances that have the same parent and the same name: `Part[1]`, `Part[2]`.

use std::cmp::Ordering;
use std::iter;

use super::stored::NONE;
use super::Listing;
use enginewire::budget::Budget;
use enginewire::number::{to_u64, to_usize};

/// Counts the instances of a file that have the parent and the name of a listed one.
pub(crate) struct Namesakes {
    /// The listed instances, sorted by the digest of the name, the parent and the name, and then as in the file.
    rows: Vec<Row>,
    /// At the first of the rows with one parent and name: how many instances were counted.
    counts: Vec<u32>,
    /// The numbers of the listed instances.
    numbers: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    digest: u32,
    parent: u32,
    index: u32,
}

/// A number that differs for most names of another length, beginning or end.
fn digest(name: &[u8]) -> u32 {
    let short = || name.iter().fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte));
    let start = name.first_chunk().map_or_else(short, |start| u64::from_le_bytes(*start));
    let end = name.last_chunk().map_or(0, |end| u64::from_le_bytes(*end));
    let mixed = (start ^ end.rotate_left(32) ^ to_u64(name.len())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    u32::try_from(mixed >> 32).unwrap_or_default()
}

impl Namesakes {
    /// The memory that it takes for each listed instance, in bytes.
    pub(crate) const EACH: usize = size_of::<Row>().saturating_add(size_of::<u32>().saturating_mul(2));

    /// For the instances of a listing, whose names are known.
    pub(crate) fn of(listing: &Listing) -> Self {
        let count = listing.instances.len();
        Namesakes { rows: listing.rows(), counts: vec![0; count], numbers: vec![0; count] }
    }

    /// Counts the next instance of the file: `listed` is its index, if it is listed. Its parent is asked for if it matters.
    pub(crate) fn count(
        &mut self,
        listing: &Listing,
        name: &[u8],
        listed: Option<u32>,
        parent: impl FnOnce() -> Option<u32>,
    ) {
        let digest = digest(name);
        let start = self.rows.partition_point(|row| row.digest < digest);
        let is_known = self.rows.get(start).is_some_and(|row| row.digest == digest);
        let Some(parent) = is_known.then(parent).flatten() else { return };
        let order = |row: &Row| {
            let with_name = || name_of(listing, row).cmp(name);
            (row.digest, row.parent).cmp(&(digest, parent)).then_with(with_name)
        };
        let first = self.rows.partition_point(|row| order(row) == Ordering::Less);
        if self.rows.get(first).map(order) != Some(Ordering::Equal) {
            return;
        }
        let Some(count) = self.counts.get_mut(first) else { return };
        *count = count.saturating_add(1);
        if let Some(number) = listed.and_then(|index| self.numbers.get_mut(to_usize(index))) {
            *number = *count;
        }
    }

    /// Numbers the listed instances that are not the only ones of their parent and name.
    pub(crate) fn finish(self, listing: &mut Listing) {
        listing.is_numbered = true;
        let mut count = 0;
        for (row, counted) in self.rows.iter().zip(self.counts) {
            // only the first with the same parent and name has the count; the others have 0
            count = if counted > 0 { counted } else { count };
            if let Some(number) = self.numbers.get(to_usize(row.index)).filter(|_| count > 1) {
                listing.set_number(row, *number);
            }
        }
    }
}

impl Listing {
    /// Numbers the instances, if there is enough memory. All instances of the file must be listed.
    pub(crate) fn number(&mut self, budget: &Budget) {
        if budget.room_for(self.instances.len().saturating_mul(size_of::<Row>())).is_err() {
            return;
        }
        self.is_numbered = true;
        let mut number: u32 = 0;
        for pair in self.rows().windows(2) {
            let [before, row] = pair else { continue };
            if !is_near(before, row) || name_of(self, before) != name_of(self, row) {
                number = 0;
                continue;
            }
            for row in [before, row].into_iter().skip(usize::from(number > 0)) {
                number = number.saturating_add(1);
                self.set_number(row, number);
            }
        }
    }

    fn set_number(&mut self, row: &Row, number: u32) {
        if let Some(instance) = self.instances.get_mut(to_usize(row.index)) {
            instance.number = number;
            self.has_namesakes = true;
        }
    }

    /// A row for each instance, in the order of [`Namesakes`].
    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::with_capacity(self.instances.len());
        rows.extend(iter::zip(0..NONE, &self.instances).map(|(index, stored)| Row {
            digest: digest(self.text(stored.name)),
            parent: stored.parent,
            index,
        }));
        rows.sort_unstable();
        for near in rows.chunk_by_mut(is_near) {
            let name = near.first().map_or(&[][..], |row| name_of(self, row));
            // other names with this digest are rare
            if near.iter().any(|row| name_of(self, row) != name) {
                near.sort_unstable_by(|a, b| name_of(self, a).cmp(name_of(self, b)).then(a.index.cmp(&b.index)));
            }
        }
        rows
    }
}

/// True for the same parent and digest. The names may still differ.
fn is_near(a: &Row, b: &Row) -> bool {
    (a.digest, a.parent) == (b.digest, b.parent)
}

fn name_of<'l>(listing: &'l Listing, row: &Row) -> &'l [u8] {
    listing.instances.get(to_usize(row.index)).map_or(&[], |stored| listing.text(stored.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::model::listing::samples::listing;
    use crate::roblox::model::FileKind;
    use bstr::BStr;
    use pretty_assertions::assert_eq;

    fn paths(instances: &[(u32, &str)]) -> (Listing, Vec<String>) {
        let instances = instances.iter().map(|(parent, name)| (*parent, (*name).to_owned()));
        let listing = listing(FileKind::Xml, true, instances);
        let paths = (0..listing.instances().len()).map(|index| listing.address(index).to_string()).collect();
        (listing, paths)
    }

    fn found(listing: &Listing, path: &str) -> Vec<usize> {
        listing.find(BStr::new(path)).collect()
    }

    #[test]
    fn namesakes_are_numbered_among_their_siblings() {
        let (listing, paths) =
            paths(&[(NONE, "W"), (0, "a"), (0, "b"), (0, "a"), (3, "c"), (1, "c"), (3, "c"), (NONE, "a"), (4, "d")]);
        let expected = ["W", "W.a[1]", "W.b", "W.a[2]", "W.a[2].c[1]", "W.a[1].c", "W.a[2].c[2]", "a", "W.a[2].c[1].d"];
        assert_eq!(paths, expected);
        for (index, path) in paths.iter().enumerate() {
            assert_eq!(found(&listing, path), [index], "{path}");
        }
        for (path, expected) in [
            ("W.a", &[1, 3][..]),
            ("W.a.c", &[4, 5, 6]),
            ("W.a[2].c", &[4, 6]),
            ("W.a.c[1]", &[4, 5]),
            ("W.a.c.d", &[8]),
            ("W[1].b[1]", &[2]),
            ("W.a[0]", &[]),
            ("W.a[3]", &[]),
            ("W.a[01]", &[]),
            ("W.a[]", &[]),
            ("W.a[2", &[]),
            ("W.a[2].c[2].d", &[]),
        ] {
            assert_eq!(found(&listing, path), expected, "{path}");
        }
    }

    #[test]
    fn names_with_one_digest_are_told_apart() {
        let [one, two] = ["beginning 1 the end", "beginning 2 the end"];
        assert_eq!(digest(one.as_bytes()), digest(two.as_bytes()));
        let (_, paths) = paths(&[(NONE, two), (NONE, one), (NONE, two), (NONE, one), (NONE, two)]);
        let expected =
            [(two, 1), (one, 1), (two, 2), (one, 2), (two, 3)].map(|(name, number)| format!("\"{name}\"[{number}]"));
        assert_eq!(paths, expected);
    }

    #[test]
    fn without_memory_nothing_is_numbered() {
        let (mut listing, _) = paths(&[(NONE, "a"), (NONE, "a")]);
        for (room, is_numbered) in [(2 * size_of::<Row>() - 1, false), (2 * size_of::<Row>(), true)] {
            listing.instances.iter_mut().for_each(|instance| instance.number = 0);
            listing.is_numbered = false;
            listing.number(&Budget::new(room));
            // by its place, where nothing else distinguishes it from the other
            let address = if is_numbered { "a[2]" } else { "@0xa" };
            assert_eq!(listing.address(1).to_string(), address);
        }
    }

    /// However many there are: one search for each, and one for the error that lists some.
    #[test]
    fn a_number_is_found_without_looking_at_the_others() {
        let instances = (0..100_000).map(|index| (if index == 0 { NONE } else { 0 }, "Part".to_owned()));
        let listing = listing(FileKind::Binary, true, instances);
        assert_eq!(listing.address(99_999).to_string(), "Part.Part[99999]");
        for index in (1..100_000).step_by(7) {
            let path = listing.address(index).to_string();
            assert_eq!(listing.find(BStr::new(&path)).collect::<Vec<_>>(), [index]);
            assert!(listing.candidates(true, path.as_bytes()).count() < 4);
        }
    }
}
