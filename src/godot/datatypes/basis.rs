//! Basis.

use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use super::number::Number;
use crate::wire::{array, unit, IntoOwned, Packed, Source, WireError};

/// A rotation and scale of space, as a matrix of three by three.
///
/// | field | type |
/// |---|---|
/// | rows | 3 × 3 numbers, row by row |
///
/// The axes x, y and z are its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Basis<N> {
    /// The rows, from the first to the third.
    pub rows: [[N; 3]; 3],
}

impl<N: Number> Packed for Basis<N> {
    #[allow(clippy::arithmetic_side_effects)] // known when compiled
    const SIZE: usize = 9 * N::SIZE;
    const NUMBER: usize = N::NUMBER;

    #[inline]
    fn parser<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Self, Error = E> {
        array(array(N::parser::<I, E>())).map(|rows| Basis { rows })
    }

    #[inline]
    fn generator<W: Write>(self) -> impl SerializeFn<W> {
        move |out| self.rows.into_iter().flatten().try_fold(out, |out, number| number.generator()(out))
    }
}

/// In reals of 64 bits.
impl From<Basis<f32>> for Basis<f64> {
    fn from(value: Basis<f32>) -> Self {
        Basis { rows: value.rows.map(|row| row.map(f64::from)) }
    }
}

/// From its rows.
impl<N> From<[[N; 3]; 3]> for Basis<N> {
    fn from(rows: [[N; 3]; 3]) -> Self {
        Basis { rows }
    }
}

/// Its rows.
impl<N> From<Basis<N>> for [[N; 3]; 3] {
    fn from(value: Basis<N>) -> Self {
        value.rows
    }
}

impl<N> IntoOwned for Basis<N> {
    type Owned = Self;

    #[inline]
    fn into_owned(self) -> Self {
        self
    }
}

/// Reads a [`Basis`]. If it is cut off, the error is at its first number.
///
/// In little-endian, the bytes `00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0 40 00 00 e0 40 00 00 00 41
/// 00 00 10 41` are `Basis { rows: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]] }`. Only too few bytes are refused.
///
/// Specification: `docs/spec/godot-variant.md`, section Basis.
#[inline]
pub fn basis<N: Number, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Basis<N>, Error = E> {
    unit()
}

/// Writes a [`Basis`], as [`basis`] reads it.
#[inline]
pub fn gen_basis<N: Number, W: Write>(value: Basis<N>) -> impl SerializeFn<W> {
    value.generator()
}

// three lists of three numbers
#[cfg(feature = "text")]
crate::member::by_part!([N: crate::member::Member] "Basis", Basis<N> { rows: [[N; 3]; 3] });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};

    #[test]
    fn numbers_in_order() {
        let value = Basis { rows: [[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]] };
        let bytes = hex("00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 00 00 c0 40
             00 00 e0 40 00 00 00 41 00 00 10 41");
        both_ways(&bytes, value, basis, gen_basis(value));
    }
}
