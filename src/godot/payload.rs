//! What follows the header of a value that holds no others.

use std::borrow::Cow;
use std::io::Write;

use bstr::BStr;
use cookie_factory::{GenResult, WriteContext};
use nom::{OutputMode, PResult, Parser};

use super::datatypes::*;
use super::header::{Header, WIDE};
use super::options::Options;
use crate::wire::{ByteString, List, Packed, Source, WireError};

/// What follows a header, for [`Variant`](super::Variant) to be made of.
pub(super) trait Payload<'a>: Sized {
    /// The same, borrowing nothing.
    type Owned;

    /// Whether it is read in a call of its own, because it is rare or long.
    const OUTLINED: bool = false;

    /// Runs its parser.
    fn read<OM, I, E>(header: Header, options: Options, input: I) -> PResult<OM, I, Self, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>;

    /// What its header must say.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn flags(&self) -> u8 {
        0
    }

    /// Runs its generator.
    fn write<W: Write>(&self, options: Options, out: WriteContext<W>) -> GenResult<W>;

    /// Copies what it borrows.
    fn into_owned(self) -> Self::Owned;
}

/// A payload as its parser and generator say.
macro_rules! payload {
    (($header:ident, $options:ident, $value:ident) $($type:ty, $owned:ty: $parser:expr, $flags:expr, $generator:expr, $into_owned:expr;)*) => {$(
        impl<'a> Payload<'a> for $type {
            type Owned = $owned;

            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(unused_variables)] // not every payload wants all of them
            fn read<OM, I, E>($header: Header, $options: Options, input: I) -> PResult<OM, I, Self, E>
            where
                OM: OutputMode,
                I: Source<Bytes = &'a BStr>,
                E: WireError<I>,
            {
                ($parser).process::<OM>(input)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(unused_variables)]
            fn flags(&self) -> u8 {
                let $value = self;
                $flags
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(unused_variables)]
            fn write<W: Write>(&self, $options: Options, out: WriteContext<W>) -> GenResult<W> {
                let $value = self;
                ($generator)(out)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn into_owned(self) -> $owned {
                let $value = self;
                $into_owned
            }
        }
    )*};
}

/// The flag for 64 bits.
#[cfg_attr(not(debug_assertions), inline(always))]
fn wide(wide: bool) -> u8 {
    if wide {
        WIDE
    } else {
        0
    }
}

payload! {
    (header, options, value)
    bool, bool: bool(), 0, gen_bool(*value), value;
    i64, i64: int(header.is_wide()), wide(is_wide_int(*value)), gen_int(*value), value;
    f64, f64: float(header.is_wide()), wide(is_wide_float(*value)), gen_float(*value), value;
    ByteString<'a>, ByteString<'static>:
        string(options), 0, gen_string(options, BStr::new(value.as_ref())), value.into_owned().into();
    Rid, Rid: rid(), 0, gen_rid(*value), value;
    NodePath<'a>, NodePath<'static>: node_path(options), 0, gen_node_path(options, value), value.into_owned();
    Signal<'a>, Signal<'static>: signal(options), 0, gen_signal(options, value), value.into_owned();
    Cow<'a, [u8]>, Cow<'static, [u8]>:
        packed_byte_array(options), 0, gen_packed_byte_array(value), Cow::Owned(value.into_owned());
    Vec<ByteString<'a>>, Vec<ByteString<'static>>:
        packed_string_array(options), 0, gen_packed_string_array(options, value), owned(value);
}

macro_rules! structures {
    ($($type:ty),*) => {$(
        impl<'a> Payload<'a> for $type {
            type Owned = Self;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn read<OM, I, E>(_: Header, _: Options, input: I) -> PResult<OM, I, Self, E>
            where
                OM: OutputMode,
                I: Source<Bytes = &'a BStr>,
                E: WireError<I>,
            {
                unit::<Self, I, E>().process::<OM>(input)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn write<W: Write>(&self, _: Options, out: WriteContext<W>) -> GenResult<W> {
                (*self).generator()(out)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn into_owned(self) -> Self {
                self
            }
        }
    )*};
}

structures! {
    Vector2<f32>, Vector2<f64>, Vector2<i32>, Vector3<f32>, Vector3<f64>, Vector3<i32>, Vector4<f32>, Vector4<f64>,
    Vector4<i32>, Rect2<f32>, Rect2<f64>, Rect2<i32>, Plane<f32>, Plane<f64>, Quaternion<f32>, Quaternion<f64>,
    Aabb<f32>, Aabb<f64>, Transform2D<f32>, Transform2D<f64>, Basis<f32>, Basis<f64>, Transform3D<f32>,
    Transform3D<f64>, Projection<f32>, Projection<f64>, Color
}

impl<'a, T: Packed> Payload<'a> for List<'a, T> {
    type Owned = List<'static, T>;
    const OUTLINED: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read<OM, I, E>(_: Header, _: Options, input: I) -> PResult<OM, I, Self, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        packed_array::<T, I, E>().process::<OM>(input)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<W: Write>(&self, _: Options, out: WriteContext<W>) -> GenResult<W> {
        gen_packed_array(self)(out)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn into_owned(self) -> Self::Owned {
        List::into_owned(self)
    }
}

impl<'a, T: Payload<'a>> Payload<'a> for Box<T> {
    type Owned = Box<T::Owned>;
    const OUTLINED: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read<OM, I, E>(header: Header, options: Options, input: I) -> PResult<OM, I, Self, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        let (rest, value) = T::read::<OM, I, E>(header, options, input)?;
        Ok((rest, <OM::Output as nom::Mode>::map(value, Box::new)))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn flags(&self) -> u8 {
        T::flags(self)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<W: Write>(&self, options: Options, out: WriteContext<W>) -> GenResult<W> {
        T::write(self, options, out)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn into_owned(self) -> Self::Owned {
        Box::new(T::into_owned(*self))
    }
}

impl<'a, S: Payload<'a>, D: Payload<'a>> Payload<'a> for Reals<S, D> {
    type Owned = Reals<S::Owned, D::Owned>;
    const OUTLINED: bool = S::OUTLINED;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read<OM, I, E>(header: Header, options: Options, input: I) -> PResult<OM, I, Self, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        if header.is_wide() {
            let (rest, value) = Box::<D>::read::<OM, I, E>(header, options, input)?;
            return Ok((rest, <OM::Output as nom::Mode>::map(value, Reals::Double)));
        }
        let (rest, value) = S::read::<OM, I, E>(header, options, input)?;
        Ok((rest, <OM::Output as nom::Mode>::map(value, Reals::Single)))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn flags(&self) -> u8 {
        wide(matches!(self, Reals::Double(_)))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<W: Write>(&self, options: Options, out: WriteContext<W>) -> GenResult<W> {
        match self {
            Reals::Single(value) => value.write(options, out),
            Reals::Double(value) => value.write(options, out),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn into_owned(self) -> Self::Owned {
        match self {
            Reals::Single(value) => Reals::Single(value.into_owned()),
            Reals::Double(value) => Reals::Double(value.into_owned()),
        }
    }
}
