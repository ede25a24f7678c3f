//! TweenInfo.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::options::Options;
use super::scalar::{bool, gen_bool};
use crate::structure::structure;
use crate::wire::{
    field, field_value, float32, gen_float32, gen_int32, gen_uint32, int32, uint32, Le, Source, WireError,
};

structure! {
    /// The course of an animation from one value to another. The numbers of the enums are kept as they are, known or not.
    ///
    /// | field | type |
    /// |---|---|
    /// | time | float32 |
    /// | delay | float32 |
    /// | repeat_count | int32 |
    /// | easing_style | uint32 |
    /// | easing_direction | uint32 |
    /// | reverses | Bool |
    #[derive(Copy)]
    pub struct TweenInfo {
        /// The duration in seconds.
        pub time: f32,
        /// The delay before it begins, in seconds.
        pub delay: f32,
        /// The number of repetitions; a negative number means forever.
        pub repeat_count: i32,
        /// An item of `Enum.EasingStyle`: 0 is Linear, 1 Sine.
        pub easing_style: u32,
        /// An item of `Enum.EasingDirection`: 0 is In, 1 Out, 2 InOut.
        pub easing_direction: u32,
        /// True if it also goes back.
        pub reverses: bool,
    }
}

/// The default of `TweenInfo.new()`: one second, Quad, Out.
impl Default for TweenInfo {
    fn default() -> Self {
        TweenInfo { time: 1.0, delay: 0.0, repeat_count: 0, easing_style: 3, easing_direction: 1, reverses: false }
    }
}

/// Reads a [`TweenInfo`].
///
/// In little-endian, the bytes `00 00 c0 3f 00 00 d0 40 04 00 00 00 01 00 00 00 02 00 00 00 00` are `TweenInfo { time: 1.5,
/// delay: 6.5, repeat_count: 4, easing_style: 1, easing_direction: 2, reverses: false }`. Only too few bytes are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section TweenInfo.
#[inline]
pub fn tween_info<I: Source, E: WireError<I>>() -> impl Parser<I, Output = TweenInfo, Error = E> {
    (
        field("time", float32::<Le, I, E>()),
        field("delay", float32::<Le, I, E>()),
        field("repeat_count", int32::<Le, I, E>()),
        field("easing_style", uint32::<Le, I, E>()),
        field("easing_direction", uint32::<Le, I, E>()),
        field("reverses", bool()),
    )
        .map(|(time, delay, repeat_count, easing_style, easing_direction, reverses)| TweenInfo {
            time,
            delay,
            repeat_count,
            easing_style,
            easing_direction,
            reverses,
        })
}

/// Writes a [`TweenInfo`], as [`tween_info`] reads it.
#[inline]
pub fn gen_tween_info<W: Write>(tween: TweenInfo) -> impl SerializeFn<W> {
    tuple((
        gen_float32::<Le, W>(tween.time),
        gen_float32::<Le, W>(tween.delay),
        gen_int32::<Le, W>(tween.repeat_count),
        gen_uint32::<Le, W>(tween.easing_style),
        gen_uint32::<Le, W>(tween.easing_direction),
        gen_bool(tween.reverses),
    ))
}

field_value!(Options: TweenInfo = |nesting, value| tween_info(), gen_tween_info(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 c0 3f 00 00 d0 40 04 00 00 00 01 00 00 00 02 00 00 00 00");
        let tween =
            TweenInfo { time: 1.5, delay: 6.5, repeat_count: 4, easing_style: 1, easing_direction: 2, reverses: false };
        both_ways(&bytes, tween, tween_info, gen_tween_info(tween));
    }
}
