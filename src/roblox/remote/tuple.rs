//! Tuple: arguments.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::options::Nesting;
use super::value::{gen_value, value, Value, SMALLEST_VALUE};
use crate::number::to_usize;
use crate::wire::{
    bounded, field, flat_map, gen_field, gen_repeat, gen_varlength, repeat_values, varlength, Source, ValueVec,
    WireError,
};

/// Reads the arguments of a call.
///
/// | field | type | the documentation calls it |
/// |---|---|---|
/// | argument_count | LEB128 | Argument Count |
/// | arguments | `argument_count` × [`Value`] | Data 1, Data 2, … |
///
/// Luau calls have at most 255 arguments; the format has no such limit. If the input cannot hold that many, the error
/// is at the count.
///
/// The bytes `02 09 01 01` are `Value::Boolean(true)` and `Value::Nil`. A count that [`varlength`] refuses is refused, and a
/// value that [`value`] refuses.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Tuple.
#[inline]
pub fn tuple<'a, I, E>(nesting: Nesting) -> impl Parser<I, Output = ValueVec<Value<'a>>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    bounded(nesting, |nesting| {
        flat_map(field("argument_count", varlength(SMALLEST_VALUE)), move |count| {
            field("arguments", repeat_values(nesting, count, to_usize(SMALLEST_VALUE), value))
        })
    })
}

/// Writes the arguments of a call, as [`tuple`](tuple()) reads them. Too many arguments are refused, and an argument that
/// [`gen_value`] refuses.
#[inline]
pub fn gen_tuple<'v, W: Write + 'v>(nesting: Nesting, arguments: &'v [Value<'_>]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_varlength(arguments.len())(out)?;
        gen_field("arguments", gen_repeat(arguments, move |argument| gen_value(nesting, argument)))(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_examples() {
        for (bytes, arguments) in [("00", Vec::new()), ("02 09 01 01", vec![true.into(), Value::Nil])] {
            let generator = gen_tuple(Nesting::default(), &arguments);
            both_ways(&hex(bytes), arguments.clone().into(), || tuple(Nesting::default()), generator);
        }
    }
}
