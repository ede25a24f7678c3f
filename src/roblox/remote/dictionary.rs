//! Dictionary.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::options::{Nesting, ValueOptions};
use super::text::{gen_text, text};
use super::value::{gen_value, value, Value};
use crate::number::to_usize;
use crate::structure::structure;
use crate::wire::{
    field, field_value, flat_map, gen_field, gen_keyed, gen_nested, gen_repeat, gen_varlength, keyed, nested,
    repeat_values, varlength, ByteString, IntoByteString, Puts, Source, ValueVec, WireError,
};

structure! {
    /// A key and its value.
    ///
    /// | field | type | the documentation calls it |
    /// |---|---|---|
    /// | key | text, without a type | Key 1, Key 2, … |
    /// | value | [`Value`] | Value 1, Value 2, … |
    pub struct Pair<'a> {
        /// The key: any bytes, usually text.
        pub key: ByteString<'a>,
        /// The value.
        pub value: Value<'a>,
    }
}

impl<'a> Pair<'a> {
    /// A pair from anything that makes a key and a value: `Pair::new("health", 82.1)`.
    pub fn new(key: impl IntoByteString<'a>, value: impl Into<Value<'a>>) -> Self {
        Pair { key: key.into_byte_string(), value: value.into() }
    }
}

/// The fewest bytes of a pair: those of an empty key, and of a value.
pub(super) const SMALLEST_PAIR: u32 = 2;

/// Reads a dictionary: a table whose keys are strings.
///
/// | field | type | the documentation calls it |
/// |---|---|---|
/// | count | LEB128 | Pair Count (VLQ) |
/// | pairs | `count` × [`Pair`] | |
///
/// The order and repeated keys are kept. If the input cannot hold that many pairs, the error is at the count.
///
/// The bytes `01 05 73 77 6f 72 64 09 01` are one pair, `Pair::new("sword", true)`. A count that [`varlength`] refuses is
/// refused, and a pair that [`pair`] refuses.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Dictionary.
#[inline]
pub fn dictionary<'a, I, E>(nesting: Nesting) -> impl Parser<I, Output = ValueVec<Pair<'a>>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("count", varlength(SMALLEST_PAIR)), move |count| {
        field("pairs", repeat_values(nesting, count, to_usize(SMALLEST_PAIR), pair))
    })
}

/// Reads a [`Pair`]. Errors in the value name the key.
///
/// The bytes `05 73 77 6f 72 64 09 01` are `Pair::new("sword", true)`. A key that [`text`] refuses is refused, and a value that
/// [`value`] refuses.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Dictionary.
#[inline]
pub fn pair<'a, I, E>(nesting: Nesting) -> impl Puts<I, Output = Pair<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    keyed(field("key", text()), field("value", value(nesting)), |key, value| Pair { key, value })
}

/// Writes a dictionary, as [`dictionary`] reads it. Too many pairs are refused, and a pair that [`gen_pair`] refuses.
pub fn gen_dictionary<'v, W: Write + 'v>(nesting: Nesting, pairs: &'v [Pair<'_>]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_varlength(pairs.len())(out)?;
        gen_field("pairs", gen_repeat(pairs, move |pair| gen_pair(nesting, pair)))(out)
    }
}

/// Writes a [`Pair`], as [`pair`] reads it. A key that is too long is refused, and a value that [`gen_value`] refuses.
#[inline]
pub fn gen_pair<'v, W: Write + 'v>(nesting: Nesting, pair: &'v Pair<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_field("key", gen_text(&pair.key))(out)?;
        gen_keyed(&pair.key, gen_field("value", gen_value(nesting, &pair.value)))(out)
    }
}

field_value!(ValueOptions: ValueVec<Pair<'a>> = |nesting, value| nested(nesting, dictionary), gen_nested(nesting, value, |n, v| gen_dictionary(n, v)));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        for (bytes, pairs) in [
            ("00", Vec::new()),
            ("01 05 73776f7264 09 01", vec![Pair::new("sword", true)]),
            (
                "02 07 7374616d696e61 02 04 68696768 06 6865616c7468 0c 4054866666666666",
                vec![Pair::new("stamina", "high"), Pair::new("health", 82.1)],
            ),
        ] {
            let generator = gen_dictionary(Nesting::default(), &pairs);
            both_ways(&hex(bytes), pairs.clone().into(), || dictionary(Nesting::default()), generator);
        }
        let sword = Pair::new("sword", true);
        let generator = gen_pair(Nesting::default(), &sword);
        both_ways(&hex("05 73776f7264 09 01"), sword.clone(), || pair(Nesting::default()), generator);
    }

    #[test]
    fn an_error_names_the_key() {
        let error = run(&hex("01 01 61 09 02")[..], dictionary(Nesting::default())).unwrap_err();
        assert_eq!((error.offset(), error.path().to_string()), (4.into(), r#"pairs[0] "a".value.boolean"#.to_owned()));
    }
}
