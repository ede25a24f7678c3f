//! Axes.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use super::super::options::ValueOptions;
use crate::roblox::datatypes::bit_set;
use crate::wire::{field_value, gen_uint32, uint32, Be, Source, WireError};

bit_set! {
    /// A set of axes. Bits without a meaning are kept. The bits are in the reverse order of those in
    /// [attributes](crate::roblox::datatypes::Axes).
    ///
    /// | bit | 2 | 1 | 0 |
    /// |---|---|---|---|
    /// | uint32 | x | y | z |
    pub struct Axes { x: 2, y: 1, z: 0 }
}

/// Reads [`Axes`].
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Axes.
#[inline]
pub fn axes<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Axes, Error = E> {
    uint32::<Be, I, E>().map(Axes)
}

/// Writes [`Axes`].
#[inline]
pub fn gen_axes<W: Write>(value: Axes) -> impl SerializeFn<W> {
    gen_uint32::<Be, W>(value.0)
}

field_value!(ValueOptions: Axes = |nesting, value| axes(), gen_axes(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_example() {
        both_ways(&hex("00000006"), Axes(0x00000006), axes, gen_axes(Axes(0x00000006)));
        let members = |set: Axes| [set.x(), set.y(), set.z()];
        for bit in 0..3 {
            let expected: [bool; 3] = std::array::from_fn(|member| member + bit == 2);
            assert_eq!(members(Axes(1 << bit)), expected);
        }
    }
}
