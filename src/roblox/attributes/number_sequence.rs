//! NumberSequence.

use std::io::Write;

use bstr::BStr;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::options::Options;
use crate::roblox::datatypes::NumberSequenceKeypoint;
use crate::wire::{field_value, gen_list, list, Le, List, Source, WireError};

/// A number that changes over time.
pub type NumberSequence<'a> = List<'a, NumberSequenceKeypoint>;

/// Reads a [`NumberSequence`], which borrows its keypoints.
///
/// | field | type |
/// |---|---|
/// | length | uint32 |
/// | keypoints | `length` × [`NumberSequenceKeypoint`] |
///
/// In little-endian, the bytes `02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 3f 00 00 80 3f 00 00 80 3f` are two
/// keypoints: value 0 at time 0, and value 1 at time 1 with the envelope 0.5. Only too few bytes are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section NumberSequence.
#[inline]
pub fn number_sequence<'a, I, E>() -> impl Parser<I, Output = NumberSequence<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    list::<Le, NumberSequenceKeypoint, I, E>("keypoints")
}

/// Writes a [`NumberSequence`], as [`number_sequence`] reads it. Too many keypoints are refused.
#[inline]
pub fn gen_number_sequence<'v, W: Write + 'v>(keypoints: &'v NumberSequence<'_>) -> impl SerializeFn<W> + 'v {
    gen_list::<Le, NumberSequenceKeypoint, W>(keypoints)
}

field_value!(Options: NumberSequence<'a> = |nesting, value| number_sequence(), gen_number_sequence(value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 3f 00 00 80 3f 00 00 80 3f");
        let [first, last] = [(0.0, 0.0, 0.0), (0.5, 1.0, 1.0)].map(|(envelope, time, value)| NumberSequenceKeypoint {
            envelope,
            time,
            value,
        });
        let keypoints: NumberSequence<'_> = [first, last].into_iter().collect();
        both_ways(&bytes, keypoints.clone(), number_sequence, gen_number_sequence(&keypoints));
    }

    #[test]
    fn a_sequence_may_be_empty() {
        let keypoints = NumberSequence::default();
        both_ways(&[0; 4], keypoints.clone(), number_sequence, gen_number_sequence(&keypoints));
    }
}
