//! ColorSequence.

use std::io::Write;

use bstr::BStr;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::options::Options;
use crate::roblox::datatypes::ColorSequenceKeypoint;
use crate::wire::{field_value, gen_list, list, Le, List, Source, WireError};

/// A colour that changes over time.
pub type ColorSequence<'a> = List<'a, ColorSequenceKeypoint>;

/// Reads a [`ColorSequence`], which borrows its keypoints.
///
/// | field | type |
/// |---|---|
/// | length | uint32 |
/// | keypoints | `length` × [`ColorSequenceKeypoint`] |
///
/// In little-endian, the bytes `01 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 00 00 00 00 00` are one keypoint,
/// which is red at time 0. Only too few bytes are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section ColorSequence.
#[inline]
pub fn color_sequence<'a, I, E>() -> impl Parser<I, Output = ColorSequence<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    list::<Le, ColorSequenceKeypoint, I, E>("keypoints")
}

/// Writes a [`ColorSequence`], as [`color_sequence`] reads it. Too many keypoints are refused.
#[inline]
pub fn gen_color_sequence<'v, W: Write + 'v>(keypoints: &'v ColorSequence<'_>) -> impl SerializeFn<W> + 'v {
    gen_list::<Le, ColorSequenceKeypoint, W>(keypoints)
}

field_value!(Options: ColorSequence<'a> = |nesting, value| color_sequence(), gen_color_sequence(value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::datatypes::Color3;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("01 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 00 00 00 00 00");
        let red = Color3 { r: 1.0, g: 0.0, b: 0.0 };
        let keypoints: ColorSequence<'_> =
            [ColorSequenceKeypoint { envelope: 0.0, time: 0.0, value: red }].into_iter().collect();
        both_ways(&bytes, keypoints.clone(), color_sequence, gen_color_sequence(&keypoints));
    }

    #[test]
    fn a_sequence_may_be_empty() {
        let keypoints = ColorSequence::default();
        both_ways(&[0; 4], keypoints.clone(), color_sequence, gen_color_sequence(&keypoints));
    }
}
