//! String.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use crate::wire::{
    align, bounded_length, field, field_value, flat_map, gen_align, gen_bytes, gen_length, take, uint32, Be, BitWriter,
    Bits, ByteString, Source, WireError,
};

use super::options::Options;

/// Reads a string of any bytes, usually UTF-8.
///
/// | field | bits | type |
/// |---|---|---|
/// | size | 32 | uint32, big-endian |
/// | padding | 0 to 7 | up to a whole byte |
/// | string | 8 × `size` | bytes |
///
/// If fewer bytes are left, the error is at the size.
///
/// At a whole byte, the bytes `00 00 00 01 61` are `"a"`. Padding that is not 0 is refused, unless [`Options::any_padding`]
/// allows it.
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section String.
#[inline]
pub fn string<'a, I, E>(options: Options) -> impl Parser<Bits<I>, Output = ByteString<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<Bits<I>>,
{
    let content = move |size: u32| (align(options.any_padding), field("string", take(u64::from(size))));
    flat_map(field("size", bounded_length(1, uint32::<Be, _, E>())), content).map(|((), bytes)| ByteString::from(bytes))
}

/// Writes a string, as [`string`] reads it. A string that is longer than its size can say is refused.
#[inline]
pub fn gen_string<'v, W: Write + 'v>(value: &'v BStr) -> impl SerializeFn<BitWriter<W>> + 'v {
    move |out: WriteContext<BitWriter<W>>| gen_bytes(value)(gen_align()(gen_length::<Be, _>(value.len())(out)?)?)
}

field_value!(Options: ByteString<'a> = |nesting, value| string(nesting.options()), gen_string(value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::{bit, bits, gen_bit, gen_bits};
    use cookie_factory::sequence::pair;

    #[test]
    fn worked_examples() {
        let value = BStr::new("a");
        let parser = || bits(string(Options::new()));
        both_ways(&hex("00 00 00 01 61"), ByteString::from(value), parser, gen_bits(gen_string(value)));
        let parser = || bits((bit(), string(Options::new())));
        let generator = gen_bits(pair(gen_bit(true), gen_string(value)));
        both_ways(&hex("80 00 00 00 80 61"), (true, ByteString::from(value)), parser, generator);
    }
}
