//! ColorSequenceKeypoint.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use super::color3::{color3, gen_color3, Color3};
use crate::structure::structure;
use crate::wire::{float32, gen_float32, Le, Packed, Source, WireError};

structure! {
    /// A colour at a time of a [`ColorSequence`](crate::roblox::attributes::ColorSequence).
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section ColorSequenceKeypoint.
    #[derive(Copy, Default)]
    pub struct ColorSequenceKeypoint(color_sequence_keypoint, gen_color_sequence_keypoint) {
        /// Always 0 in what Roblox writes; kept all the same.
        pub envelope: f32 = float32, gen_float32;
        /// When, between 0 and 1.
        pub time: f32 = float32, gen_float32;
        /// The colour.
        pub value: Color3 = color3, gen_color3;
    }
    "00 00 00 00 00 00 80 3f 00 00 80 3f 00 00 80 3f 00 00 80 3f"
    is ColorSequenceKeypoint { envelope: 0.0, time: 1.0, value: Color3 { r: 1.0, g: 1.0, b: 1.0 } }
}

impl Packed for ColorSequenceKeypoint {
    const SIZE: usize = 20;
    const NUMBER: usize = 4;

    #[inline]
    fn parser<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Self, Error = E> {
        color_sequence_keypoint::<Le, I, E>()
    }

    #[inline]
    fn generator<W: Write>(self) -> impl SerializeFn<W> {
        gen_color_sequence_keypoint::<Le, W>(self)
    }
}

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
