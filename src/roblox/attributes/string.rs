//! String.

use std::io::Write;

use bstr::BStr;
use cookie_factory::SerializeFn;
use nom::Parser;

use super::options::Options;
use crate::wire::{field_value, gen_length_prefixed, length_prefixed, ByteString, Le, Source, WireError};

/// Reads a string of any bytes.
///
/// | field | type |
/// |---|---|
/// | length | uint32 |
/// | content | `length` bytes |
///
/// In little-endian, the bytes `02 00 00 00 48 69` are `"Hi"`. Only too few bytes are refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section String.
#[inline]
pub fn string<'a, I, E>() -> impl Parser<I, Output = ByteString<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    length_prefixed::<Le, I, E>().map(ByteString::from)
}

/// Writes a string, as [`string`] reads it. A string whose length does not fit the length field is refused.
#[inline]
pub fn gen_string<'v, W: Write + 'v>(value: &'v BStr) -> impl SerializeFn<W> + 'v {
    gen_length_prefixed::<Le, W>(value)
}

field_value!(Options: ByteString<'a> = |nesting, value| string(), gen_string(value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_examples() {
        for (bytes, value) in [("02 00 00 00 48 69", &b"Hi"[..]), ("03 00 00 00 ff 00 c3", b"\xff\0\xc3")] {
            let value = BStr::new(value);
            both_ways(&hex(bytes), ByteString::from(value), string, gen_string(value));
        }
    }
}
