//! NumberSequence, whose keypoints have another order than those of attributes.

use std::io::Write;

use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::super::options::{Nesting, ValueOptions};
use super::TimeFirst;
use crate::roblox::datatypes::NumberSequenceKeypoint;
use crate::wire::{
    bounded_length, field, field_value, flat_map, float32, gen_float32s, gen_length, repeat_nested, uint32, Be, Source,
    WireError,
};

/// Reads a keypoint.
///
/// | field | type |
/// |---|---|
/// | time | float32 |
/// | value | float32 |
/// | envelope | float32 |
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section NumberSequence.
#[inline]
pub fn number_keypoint<I: Source, E: WireError<I>>() -> impl Parser<I, Output = NumberSequenceKeypoint, Error = E> {
    (
        field("time", float32::<Be, I, E>()),
        field("value", float32::<Be, I, E>()),
        field("envelope", float32::<Be, I, E>()),
    )
        .map(|(time, value, envelope)| NumberSequenceKeypoint { envelope, time, value })
}

/// Writes a keypoint.
#[inline]
pub fn gen_number_keypoint<W: Write>(value: NumberSequenceKeypoint) -> impl SerializeFn<W> {
    gen_float32s::<Be, 3, W>([value.time, value.value, value.envelope])
}

/// Reads a sequence.
///
/// | field | type |
/// |---|---|
/// | count | uint32 |
/// | keypoints | `count` keypoints |
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section NumberSequence.
#[inline]
pub fn number_sequence<I: Source, E: WireError<I>>(
    nesting: Nesting,
) -> impl Parser<I, Output = Vec<NumberSequenceKeypoint>, Error = E> {
    flat_map(field("count", bounded_length(12, uint32::<Be, I, E>())), move |count| {
        field("keypoints", repeat_nested(nesting, count, 12, |_| number_keypoint()))
    })
}

/// Writes a sequence.
pub fn gen_number_sequence<'v, W: Write + 'v>(keypoints: &'v [NumberSequenceKeypoint]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_length::<Be, W>(keypoints.len())(out)?;
        keypoints.iter().try_fold(out, |out, keypoint| gen_number_keypoint(*keypoint)(out))
    }
}

field_value!(ValueOptions: NumberSequenceKeypoint as TimeFirst = |nesting, value| number_keypoint(), gen_number_keypoint(*value));
field_value!(ValueOptions: Vec<NumberSequenceKeypoint> = |nesting, value| number_sequence(nesting), gen_number_sequence(value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn examples() {
        let keypoint = NumberSequenceKeypoint { envelope: 0.0, time: 1.0, value: 0.5 };
        for (bytes, keypoints) in [("00000000", vec![]), ("00000001 3f800000 3f000000 00000000", vec![keypoint])] {
            let parser = || number_sequence(Nesting::default());
            both_ways(&hex(bytes), keypoints.clone(), parser, gen_number_sequence(&keypoints));
        }
    }
}
