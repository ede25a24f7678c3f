//! A limit for the memory that reading a container takes.

use thiserror::Error;

/// The memory that a reader may take. Readers count it where they take it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    limit: usize,
    used: usize,
}

/// More memory is needed than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("more memory is needed than the limit of {}", size(*limit))]
pub struct OverBudget {
    /// The limit, in bytes.
    pub limit: usize,
}

/// The default limit: 256 MiB, in bytes.
pub const DEFAULT: usize = 256 << 20;

impl Budget {
    /// A budget of `limit` bytes.
    pub const fn new(limit: usize) -> Self {
        Budget::with(limit, 0)
    }

    /// A budget of `limit` bytes. `used` bytes are taken already.
    pub const fn with(limit: usize, used: usize) -> Self {
        Budget { limit, used }
    }

    /// The limit, in bytes.
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// The memory that may still be taken, in bytes.
    pub const fn left(&self) -> usize {
        self.limit.saturating_sub(self.used)
    }

    /// The error of exceeding this budget.
    pub const fn exceeded(&self) -> OverBudget {
        OverBudget { limit: self.limit }
    }

    /// Counts memory that is taken.
    #[inline]
    pub fn take(&mut self, bytes: usize) -> Result<(), OverBudget> {
        self.room_for(bytes)?;
        self.used = self.used.saturating_add(bytes);
        Ok(())
    }

    /// Fails if this many bytes do not fit. They are not counted, because they are taken only for a moment.
    #[inline]
    pub fn room_for(&self, bytes: usize) -> Result<(), OverBudget> {
        if self.used.saturating_add(bytes) > self.limit {
            return Err(self.exceeded());
        }
        Ok(())
    }

    /// Counts memory that was taken and is freed.
    #[inline]
    pub fn give_back(&mut self, bytes: usize) {
        self.used = self.used.saturating_sub(bytes);
    }

    /// Adds an item to a list, which doubles when it is full, and counts its memory.
    #[inline]
    pub fn push<T>(&mut self, list: &mut Vec<T>, item: T) -> Result<(), OverBudget> {
        if list.len() == list.capacity() {
            self.grow(list, 1)?;
        }
        list.push(item);
        Ok(())
    }

    /// Makes room for `count` more items of a list, and counts its memory.
    #[cold]
    #[inline(never)]
    pub fn grow<T>(&mut self, list: &mut Vec<T>, count: usize) -> Result<(), OverBudget> {
        let size = size_of::<T>().max(1);
        let before = list.capacity().saturating_mul(size);
        let capacity = list.len().saturating_add(count).max(list.capacity().saturating_mul(2)).max(4);
        let after = capacity.saturating_mul(size);
        // the old memory and the new one exist while the items move
        self.room_for(after)?;
        list.reserve_exact(capacity.saturating_sub(list.len()));
        self.give_back(before);
        self.take(after)
    }
}

/// A size in the largest unit that divides it: `256 MiB`, or `1000 bytes`.
#[doc(hidden)] // for the package of files
pub fn size(bytes: usize) -> String {
    for (unit, name) in [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
        if bytes > 0 && bytes.checked_rem(unit) == Some(0) {
            return format!("{} {name}", bytes.checked_div(unit).unwrap_or_default());
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_is_held_counts() {
        let mut budget = Budget::new(1 << 10);
        assert_eq!(budget.take(1000), Ok(()));
        assert_eq!(budget.room_for(24), Ok(()));
        assert_eq!((budget.left(), Budget::with(1, 2).left()), (24, 0));
        let error = budget.take(25).unwrap_err();
        assert_eq!(error.to_string(), "more memory is needed than the limit of 1 KiB");
        budget.give_back(1);
        assert_eq!(budget.take(25), Ok(()));
        assert_eq!(Budget::new(1000).take(1001).unwrap_err().to_string().rsplit("of ").next(), Some("1000 bytes"));
        assert!(Budget::new(usize::MAX).take(usize::MAX).is_ok());
    }

    #[test]
    fn lists_grow_within_it() {
        let mut budget = Budget::new(100);
        let mut list: Vec<u32> = Vec::new();
        while budget.push(&mut list, 7).is_ok() {
            assert!(list.capacity() * 4 <= 100);
        }
        assert_eq!(list.len(), 16);
    }

    #[test]
    fn a_limit_is_told_in_the_largest_unit_that_fits() {
        for (limit, expected) in [
            (0, "0 bytes"),
            (1, "1 bytes"),
            (1023, "1023 bytes"),
            (1 << 10, "1 KiB"),
            ((1 << 10) + 1, "1025 bytes"),
            (1025 << 10, "1025 KiB"),
            (5 << 20, "5 MiB"),
            (3 << 30, "3 GiB"),
        ] {
            let budget = Budget::new(limit);
            assert_eq!(budget.limit(), limit);
            assert_eq!(budget.exceeded().to_string(), format!("more memory is needed than the limit of {expected}"));
        }
    }

    #[test]
    fn what_a_list_takes_counts() {
        let mut budget = Budget::new(1000);
        let mut list: Vec<u32> = Vec::new();
        assert_eq!(budget.push(&mut list, 7), Ok(()));
        assert_eq!((&list[..], list.capacity(), budget.left()), (&[7][..], 4, 1000 - 16));
        assert_eq!(budget.grow(&mut list, 10), Ok(()));
        assert_eq!((list.capacity(), budget.left()), (11, 1000 - 44));
        assert_eq!(budget.grow(&mut list, 1), Ok(()));
        assert_eq!((list.capacity(), budget.left()), (22, 1000 - 88));
        // the old and the new memory exist while the items move
        assert_eq!(budget.grow(&mut list, 300), Err(OverBudget { limit: 1000 }));
        assert_eq!((list.capacity(), budget.left()), (22, 1000 - 88));
    }
}
