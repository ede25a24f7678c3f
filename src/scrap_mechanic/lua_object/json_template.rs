//! JsonTemplate.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::options::Options;
use super::string::{gen_string, string};
use super::uuid::{gen_uuid, uuid, Uuid};
use crate::structure::structure;
use crate::wire::{field, field_value, BitWriter, Bits, ByteString, Source, WireError};

structure! {
    /// JSON text that belongs to something with an id. Not in the specification; concluded from one published value.
    ///
    /// | field | bits | type |
    /// |---|---|---|
    /// | uuid | 128 | [`Uuid`] |
    /// | json | | String |
    #[derive(Default)]
    pub struct JsonTemplate<'a> {
        /// Its id.
        pub uuid: Uuid,
        /// The text, which is not looked into.
        pub json: ByteString<'a>,
    }
}

/// Reads a [`JsonTemplate`].
///
/// At a whole byte, the bytes `00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 00 00 00 02 7b 7d` are the id
/// `0f0e0d0c-0b0a-0908-0706-050403020100` and the text `{}`. The id is little-endian, and the size of the text is big-endian.
/// Text that [`string`] refuses is refused.
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section JsonTemplate.
#[inline]
pub fn json_template<'a, I, E>(options: Options) -> impl Parser<Bits<I>, Output = JsonTemplate<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<Bits<I>>,
{
    (field("uuid", uuid()), field("json", string(options))).map(|(uuid, json)| JsonTemplate { uuid, json })
}

/// Writes a [`JsonTemplate`], as [`json_template`] reads it. Text that is too long is refused.
#[inline]
pub fn gen_json_template<'v, W: Write + 'v>(
    JsonTemplate { uuid, json }: &'v JsonTemplate<'_>,
) -> impl SerializeFn<BitWriter<W>> + 'v {
    move |out: WriteContext<BitWriter<W>>| gen_string(json)(gen_uuid(*uuid)(out)?)
}

field_value!(Options: JsonTemplate<'a> = |nesting, value| json_template(nesting.options()), gen_json_template(value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::{bits, gen_bits};

    #[test]
    fn worked_example() {
        let bytes = hex("00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 00 00 00 02 7b 7d");
        let uuid = "0f0e0d0c-0b0a-0908-0706-050403020100".parse().unwrap();
        let value = JsonTemplate { uuid, json: "{}".into() };
        let parser = || bits(json_template(Options::new()));
        both_ways(&bytes, value.clone(), parser, gen_bits(gen_json_template(&value)));
    }
}
