//! Repetitions in a block of a zstd frame.

use std::mem::{replace, take};

use ruzstd::encoding::{CompressionLevel, Matcher, Sequence};

use super::BLOCK;
use enginewire::number::to_usize;

/// The shortest repetition, in bytes. A sequence takes about four.
const SHORTEST: usize = 5;

/// The number of earlier places that are compared with each place.
const DEPTH: usize = 8;

/// The length of a key of five bytes, in bits.
const KEY: u32 = 16;

/// No place.
const NONE: u32 = u32::MAX;

/// Finds what repeats within a block.
///
/// Nothing is copied from the block before, so that the first occurrence of each byte is a literal. ruzstd 0.9.1 panics where
/// all literals of a block are one byte, and where no sequence has literals.
///
/// Its own matcher keeps only the first of several equal places, so that its frames are longer.
pub(super) struct Matches {
    block: Vec<u8>,
    /// The last place noted for each key.
    latest: Vec<u32>,
    /// For each place that was noted, the one before it with the same key.
    earlier: Vec<u32>,
}

/// A repetition.
struct Match {
    length: usize,
    distance: usize,
}

impl Matches {
    pub(super) fn new() -> Self {
        Matches { block: Vec::new(), latest: vec![NONE; 1 << KEY], earlier: Vec::new() }
    }

    /// The key of the five bytes at a place.
    fn key(&self, at: usize) -> Option<usize> {
        let [a, b, c, d, e] = *self.block.get(at..)?.first_chunk()?;
        // the upper bits of the product depend on all five
        let product = u64::from_le_bytes([0, 0, 0, a, b, c, d, e]).wrapping_mul(889_523_592_379);
        Some(to_usize(product >> u64::BITS.saturating_sub(KEY)))
    }

    /// Notes a place. All places are noted in their order; the last four have no key.
    fn note(&mut self, at: usize) {
        let Some(latest) = self.key(at).and_then(|key| self.latest.get_mut(key)) else { return };
        self.earlier.push(replace(latest, u32::try_from(at).unwrap_or(NONE)));
    }

    /// The longest repetition of what was noted. Of equally long ones it is the nearest.
    fn longest(&self, at: usize) -> Option<Match> {
        let here = self.block.get(at..)?;
        let mut place = *self.latest.get(self.key(at)?)?;
        let (mut length, mut found) = (SHORTEST.saturating_sub(1), None);
        for _ in 0..DEPTH {
            // there is no longer one where this one reaches the end
            let (Some(there), Some(longer)) = (self.block.get(to_usize(place)..), here.get(..=length)) else { break };
            if there.starts_with(longer) {
                length = there.iter().zip(here).take_while(|(there, here)| there == here).count();
                found = Some(Match { length, distance: at.saturating_sub(to_usize(place)) });
            }
            place = self.earlier.get(to_usize(place)).copied().unwrap_or(NONE);
        }
        found
    }
}

impl Matcher for Matches {
    fn get_next_space(&mut self) -> Vec<u8> {
        let mut space = take(&mut self.block);
        space.resize(to_usize(BLOCK), 0);
        space
    }

    fn get_last_space(&mut self) -> &[u8] {
        &self.block
    }

    fn commit_space(&mut self, space: Vec<u8>) {
        self.block = space;
        self.latest.fill(NONE);
        self.earlier.clear();
    }

    fn skip_matching(&mut self) {}

    fn start_matching(&mut self, mut handle_sequence: impl for<'a> FnMut(Sequence<'a>)) {
        let (mut at, mut done) = (0usize, 0);
        while self.key(at).is_some() {
            let found = self.longest(at);
            self.note(at);
            let next = at.saturating_add(1);
            let Some(mut found) = found else {
                at = next;
                continue;
            };
            // a repetition that begins one byte later saves more if it is longer by two
            if let Some(later) = self.longest(next).filter(|later| later.length > found.length.saturating_add(1)) {
                self.note(next);
                (at, found) = (next, later);
            }
            let literals = self.block.get(done..at).unwrap_or_default();
            handle_sequence(Sequence::Triple { literals, offset: found.distance, match_len: found.length });
            done = at.saturating_add(found.length);
            (at.saturating_add(1)..done).for_each(|at| self.note(at));
            at = done;
        }
        if let Some(literals) = self.block.get(done..).filter(|literals| !literals.is_empty()) {
            handle_sequence(Sequence::Literals { literals });
        }
    }

    fn reset(&mut self, _: CompressionLevel) {}

    fn window_size(&self) -> u64 {
        BLOCK.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    /// The literals of a sequence, its length and its distance; of the last literals both are 0.
    type Part = (Vec<u8>, usize, usize);

    fn parts(matches: &mut Matches, data: &[u8]) -> Vec<Part> {
        let mut space = matches.get_next_space();
        assert!(space.len() >= data.len());
        space.clear();
        space.extend(data);
        matches.commit_space(space);
        let mut parts = Vec::new();
        matches.start_matching(|sequence| {
            parts.push(match sequence {
                Sequence::Triple { literals, offset, match_len } => (literals.to_owned(), match_len, offset),
                Sequence::Literals { literals } => (literals.to_owned(), 0, 0),
            });
        });
        assert_eq!(matches.get_last_space(), data);
        parts
    }

    fn part(literals: &str, length: usize, distance: usize) -> Part {
        (literals.as_bytes().to_owned(), length, distance)
    }

    #[test]
    fn the_longest_and_nearest_is_taken() {
        let mut matches = Matches::new();
        let mut parts = |data: &str| parts(&mut matches, data.as_bytes());
        assert_eq!(parts(""), []);
        assert_eq!(parts("abcd"), [part("abcd", 0, 0)]);
        // four bytes are too few; what repeats may reach into itself, and to the end
        assert_eq!(parts("abcd-abcd"), [part("abcd-abcd", 0, 0)]);
        assert_eq!(parts("abcde-abcde"), [part("abcde-", 5, 6)]);
        assert_eq!(parts("aaaaaaaaa"), [part("a", 8, 1)]);
        assert_eq!(parts("abcdef-abcde+abcdef!"), [part("abcdef-", 5, 7), part("+", 6, 13), part("!", 0, 0)]);
        assert_eq!(parts("abcde-abcde+abcde!"), [part("abcde-", 5, 6), part("+", 5, 6), part("!", 0, 0)]);
        // a literal more, for two bytes more
        assert_eq!(parts("bcdefgh.abcde:abcdefgh"), [part("bcdefgh.abcde:a", 7, 15)]);
        assert_eq!(parts("bcdefg.abcde:abcdefg"), [part("bcdefg.abcde:", 5, 6), part("fg", 0, 0)]);
        // the previous block is gone
        assert_eq!(parts("abcde"), [part("abcde", 0, 0)]);
    }

    #[test]
    fn few_places_are_compared() {
        let last = |between: usize| {
            let between: String = (0..between).map(|number| format!("abcde-{number}+")).collect();
            let data = ["abcdef.", &between, "!abcdef"].concat();
            let parts = parts(&mut Matches::new(), data.as_bytes());
            let (_, length, distance) = parts.iter().rfind(|part| part.1 > 0).unwrap();
            (*length, *distance)
        };
        // the first one is longer by a byte
        assert_eq!(last(DEPTH - 1), (6, 8 + 8 * (DEPTH - 1)));
        assert_eq!(last(DEPTH), (5, 9));
    }

    proptest! {
        #[test]
        fn the_parts_are_the_data(
            pieces in vec((vec(0u8..3, 0..12), 1usize..200, 0usize..60), 0..40),
            other in vec(any::<u8>(), 0..30),
        ) {
            let mut data = Vec::new();
            for (literals, distance, length) in pieces {
                data.extend(literals);
                for from in data.len().saturating_sub(distance)..data.len().min(length) {
                    data.push(data[from]);
                }
            }
            let mut matches = Matches::new();
            for data in [&data, &other, &data] {
                let mut made = Vec::new();
                for (literals, length, distance) in parts(&mut matches, data) {
                    made.extend(literals);
                    if length > 0 {
                        prop_assert!(length >= SHORTEST && (1..=made.len()).contains(&distance));
                        let from = made.len().saturating_sub(distance);
                        (from..).take(length).for_each(|from| made.push(made[from]));
                    }
                }
                prop_assert_eq!(&made, data);
            }
        }
    }
}
