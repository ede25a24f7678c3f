//! Array.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::options::{Nesting, ValueOptions};
use super::value::{gen_value, value, Value, SMALLEST_VALUE};
use crate::number::to_usize;
use crate::wire::{
    field, field_value, flat_map, gen_field, gen_nested, gen_repeat, gen_varlength, nested, repeat_values, varlength,
    Source, ValueVec, WireError,
};

/// Reads an array: a table whose keys are 1, 2, 3, …
///
/// | field | type | the documentation calls it |
/// |---|---|---|
/// | count | LEB128 | Element Count (VLQ) |
/// | elements | `count` × [`Value`] | Element 1, Element 2, … |
///
/// A sender ends it before the first nil. If the input cannot hold that many, the error is at the count.
///
/// The bytes `01 09 01` are one value, `Value::Boolean(true)`. A count that [`varlength`] refuses is refused, and a value that
/// [`value`] refuses.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Array.
#[inline]
pub fn array<'a, I, E>(nesting: Nesting) -> impl Parser<I, Output = ValueVec<Value<'a>>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("count", varlength(SMALLEST_VALUE)), move |count| {
        field("elements", repeat_values(nesting, count, to_usize(SMALLEST_VALUE), value))
    })
}

/// Writes an array, as [`array`](array()) reads it. Too many values are refused, and a value that [`gen_value`] refuses.
pub fn gen_array<'v, W: Write + 'v>(nesting: Nesting, elements: &'v [Value<'_>]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_varlength(elements.len())(out)?;
        gen_field("elements", gen_repeat(elements, move |element| gen_value(nesting, element)))(out)
    }
}

field_value!(ValueOptions: ValueVec<Value<'a>> = |nesting, value| nested(nesting, array), gen_nested(nesting, value, |n, v| gen_array(n, v)));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        for (bytes, elements) in [
            ("00", Vec::new()),
            ("01 09 01", vec![true.into()]),
            ("02 02 08 736f666120697320 0c 4020000000000000", vec!["sofa is ".into(), 8.0.into()]),
        ] {
            let generator = gen_array(Nesting::default(), &elements);
            both_ways(&hex(bytes), elements.clone().into(), || array(Nesting::default()), generator);
        }
    }

    #[test]
    fn a_count_beyond_the_input_is_at_fault() {
        let error = run(&hex("02 01")[..], array(Nesting::default())).unwrap_err();
        assert_eq!((error.offset(), error.path().to_string()), (0.into(), "count".to_owned()));
    }
}
