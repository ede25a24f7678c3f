//! Tables that find instances by path and by referent.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::OnceLock;

use super::in_brackets;
use super::stored::{StoredInstance, NONE};
use enginewire::budget::Budget;
use enginewire::number::to_usize;

/// The tables. Each is built when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Lookup {
    /// The memory that all may take, in bytes.
    room: usize,
    hash: Hash,
    paths: OnceLock<Option<Table>>,
    /// Of the paths with numbers.
    numbered: OnceLock<Option<Table>>,
    referents: OnceLock<Option<Table>>,
}

/// The hash of the path or referent of each instance, and the index of the instance; sorted.
pub(super) type Table = Vec<(u32, u32)>;

impl Lookup {
    /// The memory for each instance, in bytes: in all tables together, and in one more list while a table is built.
    const EACH: usize = size_of::<(u32, u32)>().saturating_mul(3).saturating_add(size_of::<u32>());

    /// Allows the tables what is left of a budget.
    pub(super) fn allow(&mut self, budget: &Budget) {
        self.room = budget.left();
    }

    pub(super) const fn hash(&self) -> Hash {
        self.hash
    }

    /// The table of the paths; `None` if there is not enough memory for it.
    pub(super) fn paths<'l>(
        &self,
        instances: &[StoredInstance],
        name: impl Fn(&StoredInstance) -> &'l [u8],
    ) -> Option<&Table> {
        let hash = |above, instance: &StoredInstance| self.hash.more(above, name(instance));
        let build = || self.is_room(instances).then(|| by_path(self.hash, instances, hash));
        self.paths.get_or_init(build).as_ref()
    }

    /// The table of the paths with numbers; `None` if there is not enough memory for it.
    pub(super) fn numbered<'l>(
        &self,
        instances: &[StoredInstance],
        name: impl Fn(&StoredInstance) -> &'l [u8],
    ) -> Option<&Table> {
        let hash = |above, instance: &StoredInstance| {
            let hash = self.hash.more(above, name(instance));
            match instance.number {
                0 => hash,
                number => self.hash.more(hash, in_brackets(number).as_bytes()),
            }
        };
        let build = || self.is_room(instances).then(|| by_path(self.hash, instances, hash));
        self.numbered.get_or_init(build).as_ref()
    }

    /// The table of the referents; `None` if there is not enough memory for it. `hash` returns the hash of a referent.
    pub(super) fn referents(
        &self,
        instances: &[StoredInstance],
        hash: impl Fn(&StoredInstance) -> u32,
    ) -> Option<&Table> {
        let build = || self.is_room(instances).then(|| by_referent(instances, hash));
        self.referents.get_or_init(build).as_ref()
    }

    pub(super) fn is_room(&self, instances: &[StoredInstance]) -> bool {
        instances.len().saturating_mul(Self::EACH) <= self.room
    }

    /// The memory that the tables can take, in bytes.
    pub(super) fn most_memory(&self, instances: &[StoredInstance]) -> usize {
        match self.is_room(instances) {
            true => instances.len().saturating_mul(Self::EACH),
            false => 0,
        }
    }

    /// The memory that the tables take, in bytes.
    pub(super) fn memory(&self) -> usize {
        let tables =
            [&self.paths, &self.numbered, &self.referents].into_iter().filter_map(|table| table.get()?.as_ref());
        let rows = tables.fold(0usize, |rows, table| rows.saturating_add(table.capacity()));
        rows.saturating_mul(size_of::<(u32, u32)>())
    }
}

/// The rows of a table with this hash.
pub(super) fn rows(table: &Table, hash: u32) -> Range<usize> {
    table.partition_point(|row| row.0 < hash)..table.partition_point(|row| row.0 <= hash)
}

/// `add` returns the hash of a path. It takes the hash of the part before the last name, and the instance with that name.
fn by_path(hash: Hash, instances: &[StoredInstance], add: impl Fn(u32, &StoredInstance) -> u32) -> Table {
    // the index of a row is NONE until the path of its instance is hashed
    let mut table: Table = vec![(0, NONE); instances.len()];
    let mut open: Vec<u32> = Vec::with_capacity(instances.len());
    for (start, _) in (0..NONE).zip(instances) {
        let mut next = start;
        // up to an instance whose path has a hash; an instance inside itself has no path, so any hash will do
        while let Some(row) = table.get_mut(to_usize(next)).filter(|row| row.1 == NONE) {
            row.1 = next;
            open.push(next);
            next = instances.get(to_usize(next)).map_or(NONE, |instance| instance.parent);
        }
        // and down again
        while let Some(index) = open.pop() {
            let Some(instance) = instances.get(to_usize(index)) else { continue };
            let above = table.get(to_usize(instance.parent)).map_or(Hash::EMPTY, |above| hash.more(above.0, b"."));
            if let Some(row) = table.get_mut(to_usize(index)) {
                row.0 = add(above, instance);
            }
        }
    }
    table.sort_unstable();
    table
}

fn by_referent(instances: &[StoredInstance], hash: impl Fn(&StoredInstance) -> u32) -> Table {
    // not collected: that might take more room than is needed
    let mut table = Table::with_capacity(instances.len());
    table.extend((0..NONE).zip(instances).map(|(index, instance)| (hash(instance), index)));
    table.sort_unstable();
    table
}

/// A polynomial hash: the bytes of a text are the coefficients, the variable is random, and the sum is modulo a prime. The
/// hash of a path follows from that of the path above it and the last name. Who does not know the variable cannot choose
/// texts with the same hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash {
    variable: u64,
}

impl Hash {
    /// The hash of no bytes.
    pub(super) const EMPTY: u32 = 0;

    /// The largest prime of 32 bits.
    const PRIME: u64 = 4_294_967_291;

    /// The hash of a text that ends with `bytes`, if `start` is the hash of all before them.
    pub(super) fn more(self, start: u32, bytes: &[u8]) -> u32 {
        let add = |hash: u64, byte: &u8| {
            // both factors have 32 bits; 1 more, so that a byte of 0 counts
            let sum = hash.saturating_mul(self.variable).saturating_add(u64::from(*byte)).saturating_add(1);
            sum.checked_rem(Self::PRIME).unwrap_or_default()
        };
        u32::try_from(bytes.iter().fold(u64::from(start), add)).unwrap_or_default()
    }

    /// The hash of a text.
    pub(super) fn of(self, bytes: &[u8]) -> u32 {
        self.more(Self::EMPTY, bytes)
    }
}

impl Default for Hash {
    fn default() -> Self {
        let random = RandomState::new().hash_one(0);
        Hash { variable: random.checked_rem(Self::PRIME).unwrap_or_default().max(1 << 16) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_hash_goes_on() {
        let hash = Hash::default();
        assert_eq!(hash.more(hash.of(b"Work"), b"space"), hash.of(b"Workspace"));
        assert_eq!(hash.of(b""), Hash::EMPTY);
        assert_ne!(hash.of(b"\0"), hash.of(b"\0\0"));
        assert_ne!(hash.of(b"ab"), hash.of(b"ba"));
    }

    #[test]
    fn the_numbers_are_as_large_as_can_be() {
        let hash = Hash { variable: Hash::PRIME - 1 };
        let largest = u32::try_from(Hash::PRIME - 1).unwrap();
        // both the variable and the start are -1
        assert_eq!(hash.more(largest, &[255]), 257);
    }

    #[test]
    fn rows_with_one_hash_are_found() {
        let table = vec![(1, 4), (3, 0), (3, 2), (u32::MAX, 1)];
        assert_eq!([0, 1, 3, 4, u32::MAX].map(|hash| rows(&table, hash)), [0..0, 0..1, 1..3, 3..3, 3..4]);
    }
}
