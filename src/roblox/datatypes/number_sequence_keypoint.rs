//! NumberSequenceKeypoint.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::structure::structure;
use crate::wire::{float32, Le, Packed, Source, WireError};

structure! {
    /// A number at a time of a [`NumberSequence`](crate::roblox::attributes::NumberSequence).
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section NumberSequenceKeypoint.
    #[derive(Copy, Default)]
    pub struct NumberSequenceKeypoint(number_sequence_keypoint, gen_number_sequence_keypoint) {
        /// The largest deviation from the value, up or down.
        pub envelope: f32,
        /// The time, between 0 and 1.
        pub time: f32,
        /// The number.
        pub value: f32,
    }
    "00 00 00 00 00 00 00 3f 00 00 80 3f"
    is NumberSequenceKeypoint { envelope: 0.0, time: 0.5, value: 1.0 }
}

impl Packed for NumberSequenceKeypoint {
    const SIZE: usize = 12;
    const NUMBER: usize = 4;

    #[inline]
    fn parser<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Self, Error = E> {
        number_sequence_keypoint::<Le, I, E>()
    }

    #[inline]
    fn generator<W: Write>(self) -> impl SerializeFn<W> {
        gen_number_sequence_keypoint::<Le, W>(self)
    }
}

impl NumberSequenceKeypoint {
    /// A keypoint without an envelope.
    ///
    /// ```
    /// use enginewire::roblox::datatypes::NumberSequenceKeypoint;
    ///
    /// let keypoint = NumberSequenceKeypoint::new(1.0, 0.5);
    /// assert_eq!((keypoint.time, keypoint.envelope), (1.0, 0.0));
    /// ```
    #[must_use]
    pub const fn new(time: f32, value: f32) -> Self {
        NumberSequenceKeypoint { envelope: 0.0, time, value }
    }
}
