//! Numbers, and the two widths of reals.

use std::fmt::{self, Debug};
use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;

use crate::wire::{
    float32, float64, gen_float32, gen_float64, gen_int32, gen_int64, int32, int64, IntoOwned, Le, Packed, Source,
    WireError,
};

/// A number in a vector, matrix or packed array.
pub trait Number: Packed + Default {}

macro_rules! numbers {
    ($($type:ident $bytes:literal $parser:ident $generator:ident;)*) => {$(
        impl Number for $type {}

        /// Little-endian.
        impl Packed for $type {
            const SIZE: usize = $bytes;
            const NUMBER: usize = $bytes;

            #[inline]
            fn parser<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Self, Error = E> {
                $parser::<Le, I, E>()
            }

            #[inline]
            fn generator<W: Write>(self) -> impl SerializeFn<W> {
                $generator::<Le, W>(self)
            }
        }
    )*};
}

numbers! {
    f32 4 float32 gen_float32;
    f64 8 float64 gen_float64;
    i32 4 int32 gen_int32;
    i64 8 int64 gen_int64;
}

/// A value made of reals. Its header specifies whether they have 32 or 64 bits.
///
/// Most engines write 32 bits. Engines of version 4 that are built with double precision always write 64. All engines of
/// version 4 read both. The width is kept even without any reals, as in an empty array.
///
/// Specification: `docs/spec/godot-variant.md`, section Double precision.
#[derive(Clone, PartialEq)]
pub enum Reals<S, D> {
    /// The reals have 32 bits.
    Single(S),
    /// The reals have 64 bits; in version 4 only.
    Double(Box<D>),
}

/// With a minus, as in a tree of fields, the value alone.
impl<S: Debug, D: Debug> Debug for Reals<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reals::Single(value) if f.sign_minus() => value.fmt(f),
            Reals::Double(value) if f.sign_minus() => value.fmt(f),
            Reals::Single(value) => f.debug_tuple("Single").field(value).finish(),
            Reals::Double(value) => f.debug_tuple("Double").field(value).finish(),
        }
    }
}

impl<S, D> Reals<S, D> {
    /// The value, if its reals have 32 bits.
    pub fn as_single(&self) -> Option<&S> {
        match self {
            Reals::Single(value) => Some(value),
            Reals::Double(_) => None,
        }
    }

    /// The value, if its reals have 64 bits.
    pub fn as_double(&self) -> Option<&D> {
        match self {
            Reals::Single(_) => None,
            Reals::Double(value) => Some(value),
        }
    }
}

impl<S: Clone + Into<D>, D: Clone> Reals<S, D> {
    /// The value in reals of 64 bits, which hold all of 32.
    ///
    /// ```
    /// use enginewire::godot::{Reals, Vector2};
    ///
    /// let single: Reals<Vector2<f32>, Vector2<f64>> = Reals::Single(Vector2::new(0.5, 2.0));
    /// assert_eq!(single.to_double(), Vector2::new(0.5, 2.0));
    /// ```
    #[must_use]
    pub fn to_double(&self) -> D {
        match self {
            Reals::Single(value) => value.clone().into(),
            Reals::Double(value) => D::clone(value),
        }
    }
}

impl<S: IntoOwned, D: IntoOwned> IntoOwned for Reals<S, D> {
    type Owned = Reals<S::Owned, D::Owned>;

    #[inline]
    fn into_owned(self) -> Self::Owned {
        match self {
            Reals::Single(value) => Reals::Single(value.into_owned()),
            Reals::Double(value) => Reals::Double(value.into_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn reals_are_of_one_width() {
        let (single, double): (Reals<f32, f64>, Reals<f32, f64>) = (Reals::Single(1.5), Reals::Double(Box::new(2.5)));
        assert_eq!((single.as_single(), single.as_double()), (Some(&1.5), None));
        assert_eq!((double.as_single(), double.as_double()), (None, Some(&2.5)));
        assert_eq!((single.to_double(), double.to_double()), (1.5, 2.5));
        assert_eq!([format!("{single:?}"), format!("{single:-?}")], ["Single(1.5)", "1.5"]);
        assert_eq!([format!("{double:?}"), format!("{double:-?}")], ["Double(2.5)", "2.5"]);
    }
}
