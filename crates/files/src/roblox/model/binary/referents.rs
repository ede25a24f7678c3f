//! Referents.

use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use enginewire::number::to_usize;
use enginewire::wire::{gen_bytes, truncated, Source, WireError};

/// Reads the referents of `count` instances: differences, zigzag-coded, and [interleaved](interleaved()).
///
/// | field | type |
/// |---|---|
/// | bytes | the `count` most significant bytes, then the `count` next, … |
///
/// Each number `u` encodes `(u >> 1) xor -(u & 1)`, the difference from the previous referent.
///
/// Specification: `docs/spec/roblox-model-files.md`, section Referents.
#[inline]
pub fn referents<I: Source, E: WireError<I>>(count: u32) -> impl Parser<I, Output = Vec<i32>, Error = E> {
    interleaved(count).map(|mut numbers: Vec<u32>| {
        let mut last = 0i32;
        numbers.iter_mut().for_each(|number| {
            last = last.wrapping_add_unsigned((*number >> 1) ^ (*number & 1).wrapping_neg());
            *number = u32::from_le_bytes(last.to_le_bytes());
        });
        numbers.into_iter().map(|number| i32::from_le_bytes(number.to_le_bytes())).collect()
    })
}

/// Writes what [`referents`] reads.
pub fn gen_referents<'v, W: Write + 'v>(referents: &'v [i32]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let mut last = 0i32;
        let numbers = referents.iter().map(|referent| {
            let difference = referent.wrapping_sub(last);
            last = *referent;
            let number = (difference.wrapping_shl(1)) ^ (difference >> 31);
            u32::from_le_bytes(number.to_le_bytes())
        });
        gen_interleaved(&numbers.collect::<Vec<_>>())(out)
    }
}

/// Reads `count` interleaved big-endian numbers: first the first bytes of all, then the second bytes of all, and so on.
///
/// Specification: `docs/spec/roblox-model-files.md`, section Interleaved integers.
#[inline]
pub fn interleaved<I: Source, E: WireError<I>>(count: u32) -> impl Parser<I, Output = Vec<u32>, Error = E> {
    Interleaved { count, error: PhantomData }
}

struct Interleaved<E> {
    count: u32,
    error: PhantomData<fn() -> E>,
}

impl<I: Source, E: WireError<I>> Parser<I> for Interleaved<E> {
    type Output = Vec<u32>;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Vec<u32>, E> {
        let size = u64::from(self.count).saturating_mul(4);
        let Some((bytes, rest)) = input.bytes(to_usize(size)) else {
            return Err(truncated::<I, OM, E>(input, size));
        };
        Ok((rest, OM::Output::bind(|| woven(bytes.as_ref(), to_usize(self.count)))))
    }
}

/// The `count` numbers in four times as many bytes.
fn woven(bytes: &[u8], count: usize) -> Vec<u32> {
    let mut columns = bytes.chunks_exact(count.max(1));
    let [first, second, third, fourth] = [(); 4].map(|()| columns.next().unwrap_or_default());
    let columns = first.iter().zip(second).zip(third).zip(fourth);
    columns.map(|(((a, b), c), d)| u32::from_be_bytes([*a, *b, *c, *d])).collect()
}

/// Writes what [`interleaved`] reads.
pub fn gen_interleaved<'v, W: Write + 'v>(numbers: &'v [u32]) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let column =
            |shift: u32| numbers.iter().map(move |number| (number >> shift).to_le_bytes()).map(|[low, ..]| low);
        let bytes: Vec<u8> = column(24).chain(column(16)).chain(column(8)).chain(column(0)).collect();
        gen_bytes(bytes)(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn worked_examples() {
        let bytes = hex("00 00 00  00 00 00  00 00 00  00 02 03");
        both_ways(&bytes, vec![0, 1, -1], || referents(3), gen_referents(&[0, 1, -1]));
        let bytes = hex("ff 00  ff 00  ff 00  ff 01");
        both_ways(&bytes, vec![i32::MIN, i32::MAX], || referents(2), gen_referents(&[i32::MIN, i32::MAX]));
        both_ways(
            &hex("01 05 02 06 03 07 04 08"),
            vec![0x0102_0304, 0x0506_0708],
            || interleaved(2),
            gen_interleaved(&[0x0102_0304, 0x0506_0708]),
        );
        both_ways(&[], vec![], || interleaved(0), gen_interleaved(&[]));
    }
}
