//! The payload of a value that does not hold other values: the part after its header.

use std::fmt::Debug;
use std::io::Write;

use bstr::BStr;
use cookie_factory::{GenResult, WriteContext};
use nom::{OutputMode, PResult, Parser};

use super::header::{Header, WIDE};
use crate::godot::datatypes::*;
use crate::godot::options::Options;
use crate::wire::{unit, ByteArray, ByteString, List, Packed, Source, WireError};

/// The payload of a value that does not hold other values, which is the content of a [`Variant`] of its type.
pub(in crate::godot) trait Payload<'a>: Debug + Sized {
    /// True if a function that is not inlined reads it, because it is rare or long.
    const OUTLINED: bool = false;

    /// Runs its parser.
    fn read<OM, I, E>(header: Header, options: Options, input: I) -> PResult<OM, I, Self, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>;

    /// The flags that its header must have.
    #[cfg_attr(fast, inline(always))]
    fn flags(&self) -> u8 {
        0
    }

    /// Runs its generator.
    fn write<W: Write>(&self, options: Options, out: WriteContext<W>) -> GenResult<W>;
}

/// [`Payload`] from a parser, the flags and a generator.
macro_rules! payload {
    (($header:ident, $options:ident, $value:ident) $($($type:ty),+: $parser:expr, $flags:expr, $generator:expr;)*) => {$($(
        impl<'a> Payload<'a> for $type {
            #[cfg_attr(fast, inline(always))]
            #[allow(unused_variables)] // most types need only some of them
            fn read<OM, I, E>($header: Header, $options: Options, input: I) -> PResult<OM, I, Self, E>
            where
                OM: OutputMode,
                I: Source<Bytes = &'a BStr>,
                E: WireError<I>,
            {
                ($parser).process::<OM>(input)
            }

            #[cfg_attr(fast, inline(always))]
            #[allow(unused_variables)]
            fn flags(&self) -> u8 {
                let $value = self;
                $flags
            }

            #[cfg_attr(fast, inline(always))]
            #[allow(unused_variables)]
            fn write<W: Write>(&self, $options: Options, out: WriteContext<W>) -> GenResult<W> {
                let $value = self;
                ($generator)(out)
            }
        }
    )+)*};
}

/// The flag for 64 bits.
#[cfg_attr(fast, inline(always))]
fn wide(wide: bool) -> u8 {
    if wide {
        WIDE
    } else {
        0
    }
}

payload! {
    (header, options, value)
    bool: bool(), 0, gen_bool(*value);
    i64: int(header.is_wide()), wide(is_wide_int(*value)), gen_int(*value);
    f64: float(header.is_wide()), wide(is_wide_float(*value)), gen_float(*value);
    ByteString<'a>: string(options), 0, gen_string(options, BStr::new(value.as_ref()));
    Rid: rid(), 0, gen_rid(*value);
    NodePath<'a>: node_path(options), 0, gen_node_path(options, value);
    Signal<'a>: signal(options), 0, gen_signal(options, value);
    ByteArray<'a>: packed_byte_array(options), 0, gen_packed_byte_array(value);
    Vec<ByteString<'a>>: packed_string_array(options), 0, gen_packed_string_array(options, value);
    Vector2<f32>, Vector2<f64>, Vector2<i32>, Vector3<f32>, Vector3<f64>, Vector3<i32>, Vector4<f32>, Vector4<f64>,
    Vector4<i32>, Rect2<f32>, Rect2<f64>, Rect2<i32>, Plane<f32>, Plane<f64>, Quaternion<f32>, Quaternion<f64>,
    Aabb<f32>, Aabb<f64>, Transform2D<f32>, Transform2D<f64>, Basis<f32>, Basis<f64>, Transform3D<f32>,
    Transform3D<f64>, Projection<f32>, Projection<f64>, Color: unit(), 0, value.generator();
}

impl<'a, T: Packed> Payload<'a> for List<'a, T> {
    const OUTLINED: bool = true;

    #[cfg_attr(fast, inline(always))]
    fn read<OM, I, E>(_: Header, _: Options, input: I) -> PResult<OM, I, Self, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        packed_array::<T, I, E>().process::<OM>(input)
    }

    #[cfg_attr(fast, inline(always))]
    fn write<W: Write>(&self, _: Options, out: WriteContext<W>) -> GenResult<W> {
        gen_packed_array(self)(out)
    }
}

impl<'a, T: Payload<'a>> Payload<'a> for Box<T> {
    const OUTLINED: bool = true;

    #[cfg_attr(fast, inline(always))]
    fn read<OM, I, E>(header: Header, options: Options, input: I) -> PResult<OM, I, Self, E>
    where
        OM: OutputMode,
        I: Source<Bytes = &'a BStr>,
        E: WireError<I>,
    {
        let (rest, value) = T::read::<OM, I, E>(header, options, input)?;
        Ok((rest, <OM::Output as nom::Mode>::map(value, Box::new)))
    }

    #[cfg_attr(fast, inline(always))]
    fn flags(&self) -> u8 {
        T::flags(self)
    }

    #[cfg_attr(fast, inline(always))]
    fn write<W: Write>(&self, options: Options, out: WriteContext<W>) -> GenResult<W> {
        T::write(self, options, out)
    }
}

impl<'a, S: Payload<'a>, D: Payload<'a>> Payload<'a> for Reals<S, D> {
    const OUTLINED: bool = S::OUTLINED;

    #[cfg_attr(fast, inline(always))]
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

    #[cfg_attr(fast, inline(always))]
    fn flags(&self) -> u8 {
        wide(matches!(self, Reals::Double(_)))
    }

    #[cfg_attr(fast, inline(always))]
    fn write<W: Write>(&self, options: Options, out: WriteContext<W>) -> GenResult<W> {
        match self {
            Reals::Single(value) => value.write(options, out),
            Reals::Double(value) => value.write(options, out),
        }
    }
}
