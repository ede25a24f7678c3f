//! Text: strings, keys, messages.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::options::ValueOptions;
use crate::wire::{
    field, field_value, flat_map, gen_bytes, gen_varlength, take, varlength, ByteString, Source, WireError,
};

/// Reads a string of any bytes, usually UTF-8.
///
/// | field | type | the documentation calls it |
/// |---|---|---|
/// | length | LEB128 | Length (VLQ) |
/// | content | `length` bytes | Value |
///
/// If fewer bytes are left, the error is at the length.
///
/// The bytes `05 73 77 6f 75 73` are `"swous"`. A length that [`varlength`] refuses is refused.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Text.
#[inline]
pub fn text<'a, I, E>() -> impl Parser<I, Output = ByteString<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("length", varlength(1)), |length: u32| field("content", take(length.into()))).map(ByteString::from)
}

/// Writes a string, as [`text`] reads it. A string whose length does not fit 32 bits is refused.
#[inline]
pub fn gen_text<'v, W: Write + 'v>(value: &'v BStr) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| gen_bytes(value)(gen_varlength(value.len())(out)?)
}

field_value!(ValueOptions: ByteString<'a> = |nesting, value| text(), gen_text(value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        let long = [hex("ac02"), vec![b'x'; 300]].concat();
        for (bytes, value) in [(hex("05 73776f7573"), &b"swous"[..]), (vec![0], b""), (long, &[b'x'; 300])] {
            let value = BStr::new(value);
            both_ways(&bytes, ByteString::from(value), text, gen_text(value));
        }
    }

    #[test]
    fn a_length_beyond_the_input_is_at_fault() {
        let error = run(&hex("05 61")[..], text()).unwrap_err();
        assert_eq!(error.to_string(), "input ends too early: 5 bytes needed, 1 left, at byte 0x0 in length");
    }
}
