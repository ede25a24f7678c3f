//! The arguments of constructors.
//!
//! | type | arguments |
//! |---|---|
//! | vectors, matrices | their numbers, in the order of the bytes |
//! | Color | the same, with or without alpha; or its name or its hexadecimal digits in quotes |
//! | packed arrays | the numbers of their elements, in order, or elements; in brackets or not |
//! | PackedStringArray | strings; in brackets or not |
//! | PackedByteArray | numbers, in brackets or not, or all bytes as base64 in quotes |
//! | RID | a number, or nothing for 0 |
//! | Signal | its name and the id of its object; `var_to_str` writes neither |
//!
//! The shape of a type names its parts, so that only types with another form are named here.

use std::fmt;

use base64::prelude::{Engine, BASE64_STANDARD};
use bstr::ByteSlice;

use super::dialect::GdScript;
use crate::godot::v4::TypeId;
use crate::godot::{Rid, Variant, Version};
use crate::member::{Give, Receiver, Scalar, Shape, Tag};
use crate::notation::{
    color_bytes, comma, expected, items, sign, space, word, write_all, write_quoted, Dialect, Form, Read,
};
use crate::typed::Neutral;
use crate::wire::ByteString;

/// Reads what follows the name of a type: its arguments, with reals of 64 bits if `double`, or a constant.
pub(super) fn read_arguments(id: TypeId, double: bool, version: Version, input: &str) -> Read<'_, Variant<'static>> {
    let shape = match Variant::shape_of(id) {
        Shape::Reals(_, wide) if double => *wide,
        Shape::Reals(single, _) => *single,
        _ if double => return expected(input, "something made of reals"),
        shape => shape,
    };
    if id == TypeId::PackedByteArray {
        return byte_array(input);
    }
    let (rest, parts) = constructed(id.name(), shape, version, input)?;
    match parts.take(|given| Variant::take_leaf(id, given.double(double))) {
        Ok(value) => Ok((rest, value)),
        Err(error) => expected(input, error),
    }
}

/// Reads what follows the name of a type: `(1, 2)`, `.UP`, and for colors `("red")`.
fn constructed<'t>(name: &str, shape: Shape, version: Version, input: &'t str) -> Read<'t, Neutral<'static>> {
    if let Ok((start, ())) = sign('.')(input) {
        let (rest, constant) = word(start)?;
        return match constant_of(name, shape, version, constant) {
            Some(parts) => Ok((rest, parts)),
            None => expected(start, format_args!("a constant of {name}")),
        };
    }
    let (start, ()) = sign('(')(input)?;
    let (rest, parts) = match shape {
        Shape::List(item) => {
            let (rest, items) = read_items(input, |input| parts(*item, version, &mut true, input))?;
            return Ok((rest, Neutral::Seq(items)));
        }
        Shape::U64 if space(start).starts_with(')') => (start, Neutral::Uint(0)),
        Shape::Structure("Color", ..) if space(start).starts_with('"') => {
            let (rest, text) = <ByteString<'_> as Form<GdScript>>::read(start)?;
            let text = text.to_str().unwrap_or_default();
            match constant_of(name, shape, version, text).or_else(|| color(text, version, |byte| byte / 255.0)) {
                Some(parts) => (rest, parts),
                None => return expected(start, "the name of a color or its hexadecimal digits"),
            }
        }
        // without alpha it is opaque
        Shape::Structure("Color", names, [rgb @ .., alpha]) => {
            let (rest, mut color) = parts(Shape::Structure("", names, rgb), version, &mut true, start)?;
            let is_opaque = space(rest).starts_with(')');
            let (rest, alpha) =
                if is_opaque { (rest, Neutral::Single(1.0)) } else { parts(*alpha, version, &mut false, rest)? };
            if let Neutral::Seq(parts) = &mut color {
                parts.push(alpha);
            }
            (rest, color)
        }
        // not its own constructor once more
        Shape::Structure(_, names, shapes) => parts(Shape::Structure("", names, shapes), version, &mut true, start)?,
        shape => parts(shape, version, &mut true, start)?,
    };
    let (rest, ()) = sign(')')(rest)?;
    Ok((rest, parts))
}

/// A constant of a type. The list has its name in lower case and without `_`, and colors without the name of their type.
fn constant_of(type_name: &str, shape: Shape, version: Version, constant: &str) -> Option<Neutral<'static>> {
    let type_name = type_name.strip_prefix("Color").unwrap_or(type_name);
    let row = format!("{type_name}.{constant} ").replace('_', "").to_ascii_lowercase();
    let row = include_str!("constants.txt").lines().find_map(|line| line.strip_prefix(&row))?;
    match (shape, version) {
        // Godot 3 has two decimals of them
        (Shape::Structure("Color", ..), Version::V3) => color(row, Version::V4, |byte| (byte / 2.55).round() / 100.0),
        (Shape::Structure("Color", ..), Version::V4) => color(row, Version::V4, |byte| byte / 255.0),
        (shape, version) => Some(parts(shape, version, &mut true, row).ok()?.1),
    }
}

/// A color by its digits. Alpha is the last, in Godot 3 the first; without it the color is opaque.
fn color(digits: &str, version: Version, part: fn(f32) -> f32) -> Option<Neutral<'static>> {
    let [r, g, b, a] = match (&*color_bytes(digits)?, version) {
        (&[r, g, b], _) => [r, g, b, 255],
        (&[a, r, g, b], Version::V3) | (&[r, g, b, a], Version::V4) => [r, g, b, a],
        _ => return None,
    };
    let part = |byte: u8| Neutral::Single(part(byte.into()));
    Some(Neutral::Seq(vec![part(r), part(g), part(b), part(a)]))
}

/// Reads what a shape is made of: numbers and texts, with commas between them. A structure in another may have its constructor.
fn parts<'t>(shape: Shape, version: Version, is_first: &mut bool, input: &'t str) -> Read<'t, Neutral<'static>> {
    let all = |shapes: &mut dyn Iterator<Item = Shape>, is_first: &mut bool| {
        let (mut rest, mut items) = (input, Vec::new());
        for shape in shapes {
            let item;
            (rest, item) = parts(shape, version, is_first, rest)?;
            items.push(item);
        }
        Ok((rest, Neutral::Seq(items)))
    };
    match shape {
        Shape::Structure(name, _, shapes) => {
            let start = if *is_first { input } else { comma(input).map_or(input, |(start, ())| start) };
            return match word(space(start)) {
                Ok((rest, found)) if found.trim_end_matches('i') == name => {
                    *is_first = false;
                    constructed(found, shape, version, rest)
                }
                _ => all(&mut shapes.iter().copied(), is_first),
            };
        }
        Shape::Tuple(length, item) => return all(&mut std::iter::repeat_n(*item, length), is_first),
        _ => {}
    }
    fn leaf<'t, T: Form<GdScript>>(input: &'t str, plain: fn(T) -> Neutral<'static>) -> Read<'t, Neutral<'static>> {
        T::read(input).map(|(rest, value)| (rest, plain(value)))
    }
    let (input, ()) = if std::mem::take(is_first) { (input, ()) } else { comma(input)? };
    match shape {
        Shape::F32 => leaf(input, Neutral::Single),
        Shape::F64 => leaf(input, Neutral::Double),
        Shape::I32 => leaf(input, |number: i32| Neutral::Int(number.into())),
        Shape::I64 => leaf(input, Neutral::Int),
        Shape::U64 => leaf(input, Neutral::Uint),
        Shape::Text => leaf(input, |text: ByteString<'static>| Neutral::Text(text.into())),
        _ => expected(input, "a number or a text"),
    }
}

/// Reads items in parentheses, or in brackets in them.
fn read_items<'t, T>(input: &'t str, item: impl Fn(&'t str) -> Read<'t, T>) -> Read<'t, Vec<T>> {
    let (start, ()) = sign('(')(input)?;
    let is_bare = !space(start).starts_with('[');
    let (open, close, from) = if is_bare { ('(', ')', input) } else { ('[', ']', start) };
    let (rest, items) = items(open, close, item)(from)?;
    let (rest, ()) = if is_bare { (rest, ()) } else { sign(')')(rest)? };
    Ok((rest, items))
}

fn byte_array(input: &str) -> Read<'_, Variant<'static>> {
    let (start, ()) = sign('(')(input)?;
    if !space(start).starts_with('"') {
        return read_items(input, <u8 as Form<GdScript>>::read).map(|(rest, bytes)| (rest, bytes.into()));
    }
    let (rest, text) = <ByteString<'_> as Form<GdScript>>::read(start)?;
    let (rest, ()) = sign(')')(rest)?;
    match BASE64_STANDARD.decode(&*text) {
        Ok(bytes) => Ok((rest, bytes.into())),
        Err(_) => expected(start, "base64 in quotes"),
    }
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
            assert_eq!(
                read_arguments(id, false, Version::V4, bare).unwrap(),
                read_arguments(id, false, Version::V4, bracketed).unwrap()
            );
        }
        for wrong in ["([1, 2)", "([1, 2", "(1, 2])", "([1] [2])"] {
            assert!(read_arguments(TypeId::PackedByteArray, false, Version::V4, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn base64_as_the_engine_writes_it() {
        for length in 0..20_u8 {
            let bytes: Vec<u8> = (0..length).map(|byte| byte.wrapping_mul(83)).collect();
            let text = format!("(\"{}\")", BASE64_STANDARD.encode(&bytes));
            let read = read_arguments(TypeId::PackedByteArray, false, Version::V4, &text);
            assert_eq!(read.unwrap().1, bytes.into());
        }
        for wrong in ["AQID=", "AQI", "A===", "AQ=I", "AR==", "A Q=", "===="] {
            let text = format!("(\"{wrong}\")");
            assert!(read_arguments(TypeId::PackedByteArray, false, Version::V4, &text).is_err(), "{wrong}");
        }
    }
}
