//! Boolean.

use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::SerializeFn;
use nom::{Mode, OutputMode, PResult, Parser};

use super::options::ValueOptions;
use crate::error::{Fault, Radix};
use crate::wire::{fault, field_value, gen_uint8, uint8, Source, Valued, WireError};

/// Reads a Boolean: a uint8, 0 or 1. Anything else is [`Fault::Unknown`].
#[inline]
pub fn boolean<I: Source, E: WireError<I>>() -> impl Parser<I, Output = bool, Error = E> {
    Boolean(PhantomData)
}

struct Boolean<E>(PhantomData<fn() -> E>);

impl<I: Source, E: WireError<I>> Parser<I> for Boolean<E> {
    type Output = bool;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, bool, E> {
        let (rest, byte) = uint8().process::<Valued<OM>>(input.clone())?;
        if byte > 1 {
            let (found, known) = (byte.into(), vec![0, 1]);
            let unknown = Fault::Unknown { what: "boolean", found, radix: Radix::Hexadecimal, known };
            return Err(fault::<I, OM, E>(input, unknown));
        }
        Ok((rest, OM::Output::bind(|| byte == 1)))
    }
}

/// Writes a Boolean.
#[inline]
pub fn gen_boolean<W: Write>(value: bool) -> impl SerializeFn<W> {
    gen_uint8(value.into())
}

field_value!(ValueOptions: bool = |nesting, value| boolean(), gen_boolean(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::both_ways;
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_boolean_is_0_or_1() {
        both_ways(&[0], false, boolean, gen_boolean(false));
        both_ways(&[1], true, boolean, gen_boolean(true));
        let error = run(&[2][..], boolean()).unwrap_err();
        assert_eq!(error.to_string(), "unknown boolean 0x02, at byte 0x0");
    }
}
