//! The arguments of constructors.
//!
//! | type | arguments |
//! |---|---|
//! | vectors, matrices, Color | their numbers, in the order of the bytes |
//! | packed arrays | the numbers of their elements, in order; in brackets or not |
//! | PackedStringArray | strings; in brackets or not |
//! | PackedByteArray | numbers, in brackets or not, or all bytes as base64 in quotes |
//! | RID | a number, or nothing for 0 |
//! | Signal | its name and the id of its object; `var_to_str` writes neither |
//!
//! The shape of a type names its parts, so that only types with another form are named here.

use std::fmt;

use data_encoding::BASE64;
use nom::combinator::{cond, opt};

use super::dialect::GdScript;
use crate::godot::v4::TypeId;
use crate::godot::{Rid, Variant};
use crate::member::{Give, Receiver, Scalar, Shape, Tag};
use crate::notation::{comma, expected, sign, space, write_all, write_quoted, Dialect, Form, Read};
use crate::typed::Plain;
use crate::wire::ByteString;

/// Reads the arguments of a type in their parentheses, with reals of 64 bits if `double`.
pub(super) fn read_arguments(id: TypeId, double: bool, input: &str) -> Read<'_, Variant<'static>> {
    let shape = match Variant::shape_of(id) {
        Shape::Reals(_, wide) if double => *wide,
        Shape::Reals(single, _) => *single,
        _ if double => return expected(input, "something made of reals"),
        shape => shape,
    };
    let (start, ()) = sign('(')(input)?;
    let (rest, value) = match id {
        TypeId::RID if space(start).starts_with(')') => (start, Rid(0).into()),
        TypeId::PackedByteArray => byte_array(start)?,
        _ => {
            let (rest, parts) = parts(shape, &mut true, start)?;
            match parts.take(|given| Variant::take_leaf(id, given.double(double))) {
                Ok(value) => (rest, value),
                Err(error) => return expected(start, error),
            }
        }
    };
    let (rest, ()) = sign(')')(rest)?;
    Ok((rest, value))
}

/// Reads what a shape is made of: numbers and texts, with commas between them.
fn parts<'t>(shape: Shape, is_first: &mut bool, input: &'t str) -> Read<'t, Plain<'static>> {
    let mut all = |shapes: &mut dyn Iterator<Item = Shape>| {
        let (mut rest, mut items) = (input, Vec::new());
        for shape in shapes {
            let item;
            (rest, item) = parts(shape, is_first, rest)?;
            items.push(item);
        }
        Ok((rest, Plain::Seq(items)))
    };
    match shape {
        Shape::Structure(_, _, shapes) => return all(&mut shapes.iter().copied()),
        Shape::Tuple(length, item) => return all(&mut std::iter::repeat_n(*item, length)),
        Shape::List(item) => {
            let items = read_items(input, |input| parts(*item, &mut true, input));
            return items.map(|(rest, items)| (rest, Plain::Seq(items)));
        }
        _ => {}
    }
    fn leaf<'t, T: Form<GdScript>>(input: &'t str, plain: fn(T) -> Plain<'static>) -> Read<'t, Plain<'static>> {
        T::read(input).map(|(rest, value)| (rest, plain(value)))
    }
    let (input, ()) = if std::mem::take(is_first) { (input, ()) } else { comma(input)? };
    match shape {
        Shape::F32 => leaf(input, Plain::Single),
        Shape::F64 => leaf(input, Plain::Double),
        Shape::I32 => leaf(input, |number: i32| Plain::Int(number.into())),
        Shape::I64 => leaf(input, Plain::Int),
        Shape::U64 => leaf(input, Plain::Uint),
        Shape::Text => leaf(input, |text: ByteString<'static>| Plain::Text(text.into())),
        _ => expected(input, "a number or a text"),
    }
}

/// Reads items with commas between them, up to the parenthesis, or in brackets.
fn read_items<'t, T>(input: &'t str, mut item: impl FnMut(&'t str) -> Read<'t, T>) -> Read<'t, Vec<T>> {
    let (mut rest, bracket) = nom::Parser::parse(&mut opt(sign('[')), input)?;
    let (end, mut items) = (if bracket.is_some() { ']' } else { ')' }, Vec::new());
    while !space(rest).starts_with(end) {
        let (behind, value) = item(rest)?;
        items.push(value);
        let (behind, comma) = nom::Parser::parse(&mut opt(comma), behind)?;
        rest = behind;
        if comma.is_none() {
            break;
        }
    }
    items.shrink_to_fit();
    let (rest, _) = nom::Parser::parse(&mut cond(bracket.is_some(), sign(']')), rest)?;
    Ok((rest, items))
}

fn byte_array(input: &str) -> Read<'_, Variant<'static>> {
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

/// The bytes of base64, whose padding is at its end.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.split(|byte| *byte == b'=').next()?;
    let is_one = text.len().saturating_sub(digits.len()) < 3;
    BASE64.decode(text).ok().filter(|_| is_one)
}

/// Writes the arguments of a value.
pub(super) fn write_arguments(value: &Variant<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match value {
        Variant::Rid(Rid(0)) => Ok(()),
        Variant::PackedByteArray(bytes) => write_all::<GdScript, u8>(bytes.iter(), out),
        value => {
            let mut arguments = Arguments { out, is_first: true, written: Ok(()) };
            value.leaf().give(&mut arguments);
            arguments.written
        }
    }
}

/// Writes the numbers and texts of a value, with commas between them.
struct Arguments<'o> {
    out: &'o mut dyn fmt::Write,
    is_first: bool,
    written: fmt::Result,
}

impl Arguments<'_> {
    fn write(&mut self, scalar: Scalar<'_>) -> fmt::Result {
        self.out.write_str(if std::mem::take(&mut self.is_first) { "" } else { ", " })?;
        match scalar {
            Scalar::F32(number) => Form::<GdScript>::write(&number, self.out),
            Scalar::F64(number) => Form::<GdScript>::write(&number, self.out),
            Scalar::I32(number) => write!(self.out, "{number}"),
            Scalar::I64(number) => write!(self.out, "{number}"),
            Scalar::U64(number) => write!(self.out, "{number}"),
            Scalar::Text(text) => write_quoted(text.as_bytes(), GdScript::PRINTABLE, self.out),
            Scalar::Bytes(text) => write_quoted(text, GdScript::PRINTABLE, self.out),
            _ => Err(fmt::Error),
        }
    }
}

impl Receiver for Arguments<'_> {
    fn scalar(&mut self, scalar: Scalar<'_>) {
        if self.written.is_ok() {
            self.written = self.write(scalar);
        }
    }

    fn tagged(&mut self, _: Tag, value: &dyn Give) {
        value.give(self);
    }

    fn list(&mut self, _: usize) {}

    fn item(&mut self, value: &dyn Give) {
        value.give(self);
    }

    fn structure(&mut self, _: &'static str, _: usize) {}

    fn member(&mut self, _: &'static str, value: &dyn Give) {
        value.give(self);
    }

    fn map(&mut self, _: Option<usize>) {}

    fn entry(&mut self, _: &str, value: &dyn Give) {
        value.give(self);
    }

    fn end(&mut self) {}

    fn refuse(&mut self, _: &str) {
        self.written = Err(fmt::Error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// As a script has them.
    #[test]
    fn items_in_brackets() {
        for (id, bare, bracketed) in [
            (TypeId::PackedByteArray, "(1, 2)", "([1, 2])"),
            (TypeId::PackedInt32Array, "()", "( [ ] )"),
            (TypeId::PackedStringArray, "(\"a\", \"b\")", "([\"a\", \"b\",])"),
            (TypeId::PackedVector2Array, "(1, 2, 3, 4)", "([1, 2, 3, 4])"),
        ] {
            assert_eq!(read_arguments(id, false, bare).unwrap(), read_arguments(id, false, bracketed).unwrap());
        }
        for wrong in ["([1, 2)", "([1, 2", "(1, 2])", "([1] [2])"] {
            assert!(read_arguments(TypeId::PackedByteArray, false, wrong).is_err(), "{wrong}");
        }
    }

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
