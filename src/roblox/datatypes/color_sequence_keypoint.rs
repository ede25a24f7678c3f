//! ColorSequenceKeypoint.

use std::io::Write;

use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::color3::{color3, gen_color3, Color3};
use crate::structure::structure;
use crate::wire::{field, field_value, float32, gen_float32, ByteOrder, Le, Packed, Source, WireError};

structure! {
    /// A colour at a time of a [`ColorSequence`](crate::roblox::attributes::ColorSequence).
    ///
    /// | field | type |
    /// |---|---|
    /// | envelope | float32 |
    /// | time | float32 |
    /// | value | Color3 |
    #[derive(Copy, Default)]
    pub struct ColorSequenceKeypoint {
        /// Always 0 in what Roblox writes; kept all the same.
        pub envelope: f32,
        /// When, between 0 and 1.
        pub time: f32,
        /// The colour.
        pub value: Color3,
    }
}

/// Reads a [`ColorSequenceKeypoint`].
///
/// Specification: `docs/spec/roblox-attributes.md`, section ColorSequenceKeypoint.
#[inline]
pub fn color_sequence_keypoint<B: ByteOrder, I: Source, E: WireError<I>>(
) -> impl Parser<I, Output = ColorSequenceKeypoint, Error = E> {
    (field("envelope", float32::<B, I, E>()), field("time", float32::<B, I, E>()), field("value", color3::<B, I, E>()))
        .map(|(envelope, time, value)| ColorSequenceKeypoint { envelope, time, value })
}

/// Writes a [`ColorSequenceKeypoint`].
#[inline]
pub fn gen_color_sequence_keypoint<B: ByteOrder, W: Write>(value: ColorSequenceKeypoint) -> impl SerializeFn<W> {
    tuple((gen_float32::<B, W>(value.envelope), gen_float32::<B, W>(value.time), gen_color3::<B, W>(value.value)))
}

impl Packed for ColorSequenceKeypoint {
    const SIZE: usize = 20;

    #[inline]
    fn parser<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Self, Error = E> {
        color_sequence_keypoint::<Le, I, E>()
    }

    #[inline]
    fn generator<W: Write>(self) -> impl SerializeFn<W> {
        gen_color_sequence_keypoint::<Le, W>(self)
    }
}

field_value!(ColorSequenceKeypoint: color_sequence_keypoint, gen_color_sequence_keypoint);

impl ColorSequenceKeypoint {
    /// A keypoint without an envelope.
    ///
    /// ```
    /// use enginewire::roblox::datatypes::{Color3, ColorSequenceKeypoint};
    ///
    /// let keypoint = ColorSequenceKeypoint::new(1.0, Color3::new(1.0, 0.5, 0.0));
    /// assert_eq!((keypoint.time, keypoint.envelope), (1.0, 0.0));
    /// ```
    #[must_use]
    pub const fn new(time: f32, value: Color3) -> Self {
        ColorSequenceKeypoint { envelope: 0.0, time, value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("00 00 00 00 00 00 80 3f 00 00 80 3f 00 00 80 3f 00 00 80 3f");
        let value = ColorSequenceKeypoint { envelope: 0.0, time: 1.0, value: Color3 { r: 1.0, g: 1.0, b: 1.0 } };
        both_ways(&bytes, value, color_sequence_keypoint::<Le, _, _>, gen_color_sequence_keypoint::<Le, _>(value));
    }
}
