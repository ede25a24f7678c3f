//! Dictionary.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::entry::{entry, gen_entry, Entry};
use super::options::{Nesting, Options};
use crate::wire::{
    field, field_value, flat_map, gen_field, gen_length, gen_nested, gen_repeat, nested, repeat_values, uint32, Le,
    Source, ValueVec, WireError,
};

/// The smallest entry: an empty key, and the smallest value.
pub(super) const SMALLEST_ENTRY: usize = 6;

/// Reads a dictionary: the attributes themselves, and a draft type among the values.
///
/// | field | type |
/// |---|---|
/// | length | uint32 |
/// | entries | `length` × [`Entry`] |
///
/// In little-endian, the bytes `01 00 00 00 01 00 00 00 6b 03 00` are one entry: `k`, which is `Value::Bool(false)`. An entry
/// that [`entry`] refuses is refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Dictionary.
#[inline]
pub fn dictionary<'a, I, E>(nesting: Nesting) -> impl Parser<I, Output = ValueVec<Entry<'a>>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("length", uint32::<Le, I, E>()), move |length| {
        field("entries", repeat_values(nesting, length, SMALLEST_ENTRY, entry))
    })
}

/// Writes a dictionary, as [`dictionary`] reads it. Too many entries are refused, and an entry that [`gen_entry`] refuses.
#[inline]
pub fn gen_dictionary<'v, W: Write + 'v>(nesting: Nesting, entries: &'v [Entry<'_>]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_length::<Le, W>(entries.len())(out)?;
        gen_field("entries", gen_repeat(entries, move |entry| gen_entry(nesting, entry)))(out)
    }
}

field_value!(Options: ValueVec<Entry<'a>> = |nesting, value| nested(nesting, dictionary), gen_nested(nesting, value, |n, v| gen_dictionary(n, v)));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::attributes::Value;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("01 00 00 00 01 00 00 00 6b 03 00");
        let entries = vec![Entry::new("k", Value::Bool(false))];
        both_ways(
            &bytes,
            entries.clone().into(),
            || dictionary(Nesting::default()),
            gen_dictionary(Nesting::default(), &entries),
        );
    }
}
