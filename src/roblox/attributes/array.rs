//! Array.

use std::io::Write;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::options::{Nesting, Options};
use super::value::{gen_value, value, Value};
use crate::wire::{
    field, field_value, flat_map, gen_field, gen_length, gen_nested, gen_repeat, nested, repeat_values, uint32, Le,
    Source, ValueVec, WireError,
};

/// The smallest value: its type, and one byte.
pub(super) const SMALLEST_VALUE: usize = 2;

/// Reads a list of values without keys: a type of value, and the layout of `Path2D.PropertiesSerialize`.
///
/// It is not in the specification, but `PlayerEmulatorService.SerializedEmulatedPolicyInfo` of real places has arrays of
/// strings.
///
/// | field | type |
/// |---|---|
/// | length | uint32 |
/// | elements | `length` × [`Value`] |
///
/// In little-endian, the bytes `02 00 00 00 03 01 04 ff ff ff ff` are `Value::Bool(true)` and `Value::Int(-1)`. A value that
/// [`value`] refuses is refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Array.
#[inline]
pub fn array<'a, I, E>(nesting: Nesting) -> impl Parser<I, Output = ValueVec<Value<'a>>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(field("length", uint32::<Le, I, E>()), move |length| {
        field("elements", repeat_values(nesting, length, SMALLEST_VALUE, value))
    })
}

/// Writes a list of values without keys, as [`array`](array()) reads it. Too many values are refused, and a value that
/// [`gen_value`] refuses.
pub fn gen_array<'v, W: Write + 'v>(nesting: Nesting, elements: &'v [Value<'_>]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_length::<Le, W>(elements.len())(out)?;
        gen_field("elements", gen_repeat(elements, move |element| gen_value(nesting, element)))(out)
    }
}

field_value!(Options: ValueVec<Value<'a>> = |nesting, value| nested(nesting, array), gen_nested(nesting, value, |n, v| gen_array(n, v)));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_example() {
        let bytes = hex("02 00 00 00 03 01 04 ff ff ff ff");
        let elements = vec![Value::Bool(true), Value::Int(-1)];
        both_ways(
            &bytes,
            elements.clone().into(),
            || array(Nesting::default()),
            gen_array(Nesting::default(), &elements),
        );
    }
}
