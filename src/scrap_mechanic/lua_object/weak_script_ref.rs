//! WeakScriptRef.

use std::io::Write;

use cookie_factory::{SerializeFn, WriteContext};
use nom::Parser;

use super::options::Options;
use crate::structure::structure;
use crate::wire::{bit, field, field_value, gen_bit, gen_uint32, uint32, Be, BitWriter, Bits, Source, WireError};

structure! {
    /// A reference to a script that does not keep it. Documented, but never seen in a file.
    ///
    /// | field | bits | type |
    /// |---|---|---|
    /// | ref_id | 32 | uint32, big-endian |
    /// | flag | 1 | bit |
    #[derive(Copy, Default)]
    pub struct WeakScriptRef {
        /// The number of the script.
        pub ref_id: u32,
        /// Of unknown meaning.
        pub flag: bool,
    }
}

/// Reads a [`WeakScriptRef`].
///
/// At a whole byte, in big-endian, the bytes `00 00 00 07 80` begin with `WeakScriptRef { ref_id: 7, flag: true }`, which takes
/// 33 bits. Only too few bits are refused.
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section WeakScriptRef.
#[inline]
pub fn weak_script_ref<I, E>() -> impl Parser<Bits<I>, Output = WeakScriptRef, Error = E>
where
    I: Source,
    E: WireError<Bits<I>>,
{
    (field("ref_id", uint32::<Be, _, E>()), field("flag", bit())).map(|(ref_id, flag)| WeakScriptRef { ref_id, flag })
}

/// Writes a [`WeakScriptRef`], as [`weak_script_ref`] reads it.
#[inline]
pub fn gen_weak_script_ref<W: Write>(WeakScriptRef { ref_id, flag }: WeakScriptRef) -> impl SerializeFn<BitWriter<W>> {
    move |out: WriteContext<BitWriter<W>>| gen_bit(flag)(gen_uint32::<Be, _>(ref_id)(out)?)
}

field_value!(Options: WeakScriptRef = |nesting, value| weak_script_ref(), gen_weak_script_ref(*value));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::{bits, gen_bits};

    #[test]
    fn worked_example() {
        let value = WeakScriptRef { ref_id: 7, flag: true };
        both_ways(&hex("00 00 00 07 80"), value, || bits(weak_script_ref()), gen_bits(gen_weak_script_ref(value)));
    }
}
