//! ColorSequence, whose keypoints have another order than those of attributes.

use std::io::Write;

use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::super::options::{Nesting, ValueOptions};
use super::TimeFirst;
use crate::roblox::datatypes::{color3, gen_color3, Color3, ColorSequenceKeypoint};
use crate::wire::{
    bounded_length, field, field_value, flat_map, float32, gen_float32, gen_length, repeat_nested, uint32, Be, Source,
    WireError,
};

/// Reads a keypoint.
///
/// | field | type |
/// |---|---|
/// | time | float32 |
/// | value | Color3 |
/// | envelope | float32 |
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section ColorSequence.
#[inline]
pub fn color_keypoint<I: Source, E: WireError<I>>() -> impl Parser<I, Output = ColorSequenceKeypoint, Error = E> {
    (
        field("time", float32::<Be, I, E>()),
        field("value", color3::<Be, I, E>()),
        field("envelope", float32::<Be, I, E>()),
    )
        .map(|(time, value, envelope): (f32, Color3, f32)| ColorSequenceKeypoint { envelope, time, value })
}

/// Writes a keypoint.
#[inline]
pub fn gen_color_keypoint<W: Write>(value: ColorSequenceKeypoint) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| {
        let out = gen_color3::<Be, W>(value.value)(gen_float32::<Be, W>(value.time)(out)?)?;
        gen_float32::<Be, W>(value.envelope)(out)
    }
}

/// Reads a sequence.
///
/// | field | type |
/// |---|---|
/// | count | uint32 |
/// | keypoints | `count` keypoints |
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section ColorSequence.
#[inline]
pub fn color_sequence<I: Source, E: WireError<I>>(
    nesting: Nesting,
) -> impl Parser<I, Output = Vec<ColorSequenceKeypoint>, Error = E> {
    flat_map(field("count", bounded_length(20, uint32::<Be, I, E>())), move |count| {
        field("keypoints", repeat_nested(nesting, count, 20, |_| color_keypoint()))
    })
}

/// Writes a sequence.
pub fn gen_color_sequence<'v, W: Write + 'v>(keypoints: &'v [ColorSequenceKeypoint]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_length::<Be, W>(keypoints.len())(out)?;
        keypoints.iter().try_fold(out, |out, keypoint| gen_color_keypoint(*keypoint)(out))
    }
}

field_value!(ValueOptions: ColorSequenceKeypoint as TimeFirst = |nesting, value| color_keypoint(), gen_color_keypoint(*value));
field_value!(ValueOptions: Vec<ColorSequenceKeypoint> = |nesting, value| color_sequence(nesting), gen_color_sequence(value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn examples() {
        let value = Color3 { r: 1.0, g: 0.5, b: 0.0 };
        let keypoint = ColorSequenceKeypoint { envelope: 0.0, time: 1.0, value };
        for (bytes, keypoints) in
            [("00000000", vec![]), ("00000001 3f800000 3f800000 3f000000 00000000 00000000", vec![keypoint])]
        {
            let parser = || color_sequence(Nesting::default());
            both_ways(&hex(bytes), keypoints.clone(), parser, gen_color_sequence(&keypoints));
        }
    }
}
