//! Boolean.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use super::options::ValueOptions;
use crate::error::Radix;
use crate::wire::{field_value, gen_uint8, uint8, unknown, verify, Source, WireError};

/// Reads a Boolean: a uint8, 0 or 1. Anything else is [`Fault::Unknown`](crate::Fault::Unknown).
///
/// The byte `01` is `true`.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Boolean.
#[inline]
pub fn boolean<I: Source, E: WireError<I>>() -> impl Parser<I, Output = bool, Error = E> {
    verify(uint8(), |byte| match byte {
        0 | 1 => Ok(byte == 1),
        _ => Err(unknown("boolean", Radix::Hexadecimal, byte, [0u8, 1])),
    })
}

/// Writes a Boolean, as [`boolean`] reads it.
#[inline]
pub fn gen_boolean<W: Write>(value: bool) -> impl SerializeFn<W> {
    gen_uint8(value.into())
}

field_value!(ValueOptions: bool = |nesting, value| boolean(), gen_boolean(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_boolean_is_0_or_1() {
        both_ways(&hex("00"), false, boolean, gen_boolean(false));
        both_ways(&hex("01"), true, boolean, gen_boolean(true));
        let error = run(&[2][..], boolean()).unwrap_err();
        assert_eq!(error.to_string(), "unknown boolean 0x02, at byte 0x0");
    }
}
