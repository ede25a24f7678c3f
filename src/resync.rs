//! Finds where a stream continues after a value that cannot be read.

/// The most bytes that the search reads for each byte of a stream.
const READ: usize = 64;

/// The search for values after broken ones. All searches in a stream take time in proportion to its length.
#[derive(Clone, Copy, Debug)]
pub struct Resync {
    /// The number of bytes that may still be read.
    left: usize,
}

impl Resync {
    /// For a stream of `length` bytes.
    pub fn new(length: usize) -> Self {
        Resync { left: length.saturating_add(1024).saturating_mul(READ) }
    }

    /// Returns true if `attempt` finds a value. It also returns the number of bytes that it read, which count towards the limit.
    pub fn is_found(&mut self, attempt: impl FnOnce() -> (bool, usize)) -> bool {
        if self.left == 0 {
            return false;
        }
        let (is_found, read) = attempt();
        self.left = self.left.saturating_sub(read.saturating_add(1));
        is_found
    }

    /// The number of bytes before the first plausible value after their start: all if there are none. `is_plausible` returns true
    /// if bytes begin with a value, and the number of bytes that it read.
    pub fn skip(&mut self, bytes: &[u8], is_plausible: impl Fn(&[u8]) -> (bool, usize)) -> usize {
        let place = (1..bytes.len()).find(|skipped| {
            let rest = bytes.get(*skipped..).unwrap_or_default();
            self.is_found(|| is_plausible(rest))
        });
        place.unwrap_or(bytes.len())
    }
}

/// The message about skipped bytes.
#[cfg(feature = "text")]
pub fn skipped(reason: impl std::fmt::Display, offset: usize, length: usize) -> String {
    let bytes = if length == 1 { "byte is" } else { "bytes are" };
    format!("{reason}; {length} {bytes} skipped, from byte {offset:#x} on")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn the_next_plausible_place_is_found() {
        let skip = |bytes: &[u8]| Resync::new(bytes.len()).skip(bytes, |rest| (rest.starts_with(b"V"), 1));
        assert_eq!([skip(b"V.V"), skip(b"..V"), skip(b"VVV"), skip(b"V.."), skip(b"")], [2, 2, 1, 3, 0]);
    }

    /// However much each attempt reads.
    #[test]
    fn the_time_is_in_proportion_to_the_length() {
        for length in [10usize, 1000, 100_000] {
            let (bytes, read) = (vec![0; length], Cell::new(0usize));
            let mut resync = Resync::new(length);
            let skipped = resync.skip(&bytes, |rest| {
                read.set(read.get() + rest.len());
                (false, rest.len())
            });
            assert_eq!(skipped, length);
            assert!(read.get() <= (length + 1024) * READ + length, "{length}: {}", read.get());
        }
    }
}
