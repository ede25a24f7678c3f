//! What stands in the parentheses of constructors.
//!
//! | type | arguments |
//! |---|---|
//! | vectors, matrices, Color | their numbers, in the order of the bytes |
//! | packed arrays | the numbers of their elements, one after the other |
//! | PackedStringArray | strings |
//! | PackedByteArray | numbers, or all bytes as base64 in quotes |
//! | RID | a number, or nothing for 0 |
//! | Signal | its name and the id of its object; `var_to_str` writes neither |

use std::fmt;

use nom::combinator::opt;
use nom::sequence::preceded;
use nom::Parser;

use super::dialect::GdScript;
use crate::godot::{
    Aabb, Basis, Color, Number, Plane, Projection, Quaternion, Reals, Rect2, Rid, Signal, Transform2D, Transform3D,
    Vector2, Vector3, Vector4,
};
use crate::notation::{comma, expected, sign, space, write_all, Form, Read};
use crate::wire::{ByteArray, ByteString, List, Packed};

/// The arguments that make a value, up to the parenthesis behind them.
pub(super) trait Arguments: Sized {
    /// Whether there is one with reals of 32 bits and one with 64.
    const HAS_WIDTHS: bool = false;

    /// Whether its reals have 64 bits.
    fn is_double(&self) -> bool {
        false
    }

    fn read(double: bool, input: &str) -> Read<'_, Self>;

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result;
}

/// Something made of numbers of one type.
pub(super) trait Flat: Sized {
    type Number: Form<GdScript>;

    /// Makes it of the numbers that `next` gives, unless one is missing.
    fn read(next: &mut dyn FnMut() -> Option<Self::Number>) -> Option<Self>;

    /// Hands out its numbers.
    fn write(&self, hear: &mut dyn FnMut(&Self::Number) -> fmt::Result) -> fmt::Result;
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl Flat for $type {
            type Number = $type;

            fn read(next: &mut dyn FnMut() -> Option<$type>) -> Option<Self> {
                next()
            }

            fn write(&self, hear: &mut dyn FnMut(&$type) -> fmt::Result) -> fmt::Result {
                hear(self)
            }
        }
    )*};
}

numbers!(f32 f64 i32 i64);

/// The arguments of something that is [`Flat`].
macro_rules! flat_arguments {
    () => {
        fn read(_: bool, input: &str) -> Read<'_, Self> {
            read_flat(input)
        }

        fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
            write_flat(self, &mut true, out)
        }
    };
}

macro_rules! structures {
    ($($type:ident<N> { $($field:ident)* })*) => {$(
        impl<N: Number + Flat<Number = N> + Form<GdScript>> Flat for $type<N> {
            type Number = N;

            fn read(next: &mut dyn FnMut() -> Option<N>) -> Option<Self> {
                $(let $field = Flat::read(next)?;)*
                Some($type { $($field),* })
            }

            fn write(&self, hear: &mut dyn FnMut(&N) -> fmt::Result) -> fmt::Result {
                $(Flat::write(&self.$field, hear)?;)*
                Ok(())
            }
        }

        impl<N: Number + Flat<Number = N> + Form<GdScript>> Arguments for $type<N> {
            flat_arguments!();
        }
    )*};
}

structures! {
    Vector2<N> { x y }
    Vector3<N> { x y z }
    Vector4<N> { x y z w }
    Rect2<N> { position size }
    Plane<N> { normal d }
    Quaternion<N> { x y z w }
    Aabb<N> { position size }
    Transform2D<N> { x y origin }
    Basis<N> { rows }
    Transform3D<N> { basis origin }
    Projection<N> { x y z w }
}

impl<T: Flat + Copy + Default> Flat for [T; 3] {
    type Number = T::Number;

    fn read(next: &mut dyn FnMut() -> Option<T::Number>) -> Option<Self> {
        Some([T::read(next)?, T::read(next)?, T::read(next)?])
    }

    fn write(&self, hear: &mut dyn FnMut(&T::Number) -> fmt::Result) -> fmt::Result {
        self.iter().try_for_each(|part| part.write(hear))
    }
}

impl Flat for Color {
    type Number = f32;

    fn read(next: &mut dyn FnMut() -> Option<f32>) -> Option<Self> {
        Some(Color { r: next()?, g: next()?, b: next()?, a: next()? })
    }

    fn write(&self, hear: &mut dyn FnMut(&f32) -> fmt::Result) -> fmt::Result {
        [self.r, self.g, self.b, self.a].iter().try_for_each(hear)
    }
}

/// Reads all numbers of one value, with commas between them.
fn read_flat<T: Flat>(input: &str) -> Read<'_, T> {
    let (mut rest, mut failure, mut is_first) = (input, None, true);
    let value = T::read(&mut || {
        let start = if std::mem::take(&mut is_first) { Ok((rest, ())) } else { comma(rest) };
        match start.and_then(|(start, ())| T::Number::read(start)) {
            Ok((behind, number)) => {
                rest = behind;
                Some(number)
            }
            Err(error) => {
                failure = Some(error);
                None
            }
        }
    });
    match (value, failure) {
        (Some(value), _) => Ok((rest, value)),
        (None, Some(error)) => Err(error),
        (None, None) => expected(rest, "a number"),
    }
}

/// Writes numbers behind others.
fn write_flat<T: Flat>(value: &T, is_first: &mut bool, out: &mut dyn fmt::Write) -> fmt::Result {
    value.write(&mut |number| {
        out.write_str(if std::mem::take(is_first) { "" } else { ", " })?;
        number.write(out)
    })
}

impl Arguments for Color {
    flat_arguments!();
}

impl<T: Arguments> Arguments for Box<T> {
    const HAS_WIDTHS: bool = T::HAS_WIDTHS;

    fn is_double(&self) -> bool {
        T::is_double(self)
    }

    fn read(double: bool, input: &str) -> Read<'_, Self> {
        T::read(double, input).map(|(rest, value)| (rest, Box::new(value)))
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        T::write(self, out)
    }
}

impl<S: Arguments, D: Arguments> Arguments for Reals<S, D> {
    const HAS_WIDTHS: bool = true;

    fn is_double(&self) -> bool {
        matches!(self, Reals::Double(_))
    }

    fn read(double: bool, input: &str) -> Read<'_, Self> {
        match double {
            true => <Box<D>>::read(double, input).map(|(rest, value)| (rest, Reals::Double(value))),
            false => S::read(double, input).map(|(rest, value)| (rest, Reals::Single(value))),
        }
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Reals::Single(value) => value.write(out),
            Reals::Double(value) => value.write(out),
        }
    }
}

/// Items with commas between them, up to the parenthesis.
fn read_items<'t, T>(input: &'t str, item: impl Fn(&'t str) -> Read<'t, T>) -> Read<'t, Vec<T>> {
    let (mut rest, mut items) = (input, Vec::new());
    while !space(rest).starts_with(')') {
        let (behind, value) = item(rest)?;
        items.push(value);
        let (behind, comma) = opt(comma).parse(behind)?;
        rest = behind;
        if comma.is_none() {
            break;
        }
    }
    items.shrink_to_fit();
    Ok((rest, items))
}

impl<T: Packed + Flat> Arguments for List<'_, T> {
    fn read(_: bool, input: &str) -> Read<'_, Self> {
        read_items(input, read_flat).map(|(rest, items)| (rest, items.into()))
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let mut is_first = true;
        self.iter().try_for_each(|item| write_flat(&item, &mut is_first, out))
    }
}

impl Arguments for Vec<ByteString<'_>> {
    fn read(_: bool, input: &str) -> Read<'_, Self> {
        read_items(input, Form::<GdScript>::read)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write_all::<GdScript, ByteString<'_>>(self, out)
    }
}

impl Arguments for ByteArray<'_> {
    fn read(_: bool, input: &str) -> Read<'_, Self> {
        let start = space(input);
        if !start.starts_with('"') {
            return read_items(input, <u8 as Form<GdScript>>::read).map(|(rest, bytes)| (rest, bytes.into()));
        }
        let (rest, text) = <ByteString<'_> as Form<GdScript>>::read(start)?;
        match base64(&text) {
            Some(bytes) => Ok((rest, bytes.into())),
            None => expected(start, "base64 in quotes"),
        }
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write_all::<GdScript, u8>(self.iter(), out)
    }
}

/// The bytes of base64 with its padding.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let unpadded = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let mut bytes = Vec::with_capacity(text.len());
    for group in unpadded.chunks(4) {
        let mut bits = 0_u32;
        for digit in group {
            let value = match digit {
                b'A'..=b'Z' => digit.wrapping_sub(b'A'),
                b'a'..=b'z' => digit.wrapping_sub(b'a').wrapping_add(26),
                b'0'..=b'9' => digit.wrapping_sub(b'0').wrapping_add(52),
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        // three bytes of four digits; fewer digits have bits left over, which are 0
        let [_, all @ ..] = match group.len() {
            4 => bits,
            3 if bits & 0x3 == 0 => bits << 6,
            2 if bits & 0xf == 0 => bits << 12,
            _ => return None,
        }
        .to_be_bytes();
        bytes.extend(all.into_iter().take(group.len().saturating_sub(1)));
    }
    (text.len() % 4 == 0).then_some(bytes)
}

impl Arguments for Rid {
    fn read(_: bool, input: &str) -> Read<'_, Self> {
        if space(input).starts_with(')') {
            return Ok((input, Rid(0)));
        }
        <u64 as Form<GdScript>>::read(input).map(|(rest, id)| (rest, Rid(id)))
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Rid(0) => Ok(()),
            Rid(id) => write!(out, "{id}"),
        }
    }
}

impl Arguments for Signal<'_> {
    fn read(_: bool, input: &str) -> Read<'_, Self> {
        let (rest, name) = <ByteString<'_> as Form<GdScript>>::read(input)?;
        let (rest, object_id) = preceded(comma, <u64 as Form<GdScript>>::read).parse(rest)?;
        Ok((rest, Signal { name, object_id }))
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        Form::<GdScript>::write(&self.name, out)?;
        write!(out, ", {}", self.object_id)
    }
}

/// What stands in parentheses.
pub(super) fn read_arguments<T: Arguments>(double: bool, input: &str) -> Read<'_, T> {
    let (rest, ()) = sign('(')(input)?;
    let (rest, value) = T::read(double, rest)?;
    let (rest, ()) = sign(')')(rest)?;
    Ok((rest, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn base64_as_the_engine_writes_it() {
        for length in 0..20_u8 {
            let bytes: Vec<u8> = (0..length).map(|byte| byte.wrapping_mul(83)).collect();
            assert_eq!(base64(data_encoding::BASE64.encode(&bytes).as_bytes()), Some(bytes));
        }
        for wrong in ["AQID=", "AQI", "A===", "AQ=I", "AR==", "A Q=", "===="] {
            assert_eq!(base64(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
