//! Values in Luau: the datatypes that attributes and packets share, each with its parser and its generator, and the tables that hold
//! them.
//!
//! `docs/notation.md` lists the form of each type.

mod brick_color;
pub(super) mod cframe;
pub(super) mod enums;
mod node;
mod sequences;
mod table;

pub(super) use brick_color::is_of_palette;
use enums::Bits;
pub(super) use enums::{item, item_of, write_item};
pub(crate) use node::{luau_nodes, read_node};
pub(super) use table::{
    luau_methods, luau_types, read, write, write_pairs, write_to, Items, Kind, Lead, LuauValue, Row,
};

use std::fmt;

use bstr::ByteSlice;
use nom::branch::alt;
use nom::sequence::preceded;
use nom::Parser;

use super::datatypes::*;
pub(super) use crate::notation::written;
use crate::notation::{call, calls, color_bytes, comma, expected, numbers, one_of, space, write_all, Form, Lua, Read};
use crate::wire::ByteString;

calls! {
    Lua;
    UDim = "UDim.new"(scale, offset);
    Ray = "Ray.new"(origin, direction);
    Color3 = "Color3.new"(r, g, b) or color3_of_bytes or color3_of_hex;
    Vector2 = "Vector2.new"(x, y) or vector2_by_name;
    Vector3 = "Vector3.new"(x, y, z) or vector3_by_name;
    Vector2int16 = "Vector2int16.new"(x, y);
    Vector3int16 = "Vector3int16.new"(x, y, z);
    NumberRange = "NumberRange.new"(min, max) or number_range_of_one;
    Region3 = "Region3.new"(min, max);
    Region3int16 = "Region3int16.new"(min, max);
}

/// `Color3.fromRGB(255, 0, 0)`: each part is a byte.
fn color3_of_bytes(input: &str) -> Read<'_, Color3> {
    call("Color3.fromRGB", numbers::<Lua, u8, 3>).map(of_bytes).parse(input)
}

fn of_bytes([r, g, b]: [u8; 3]) -> Color3 {
    let part = |part| f32::from(part) / 255.0;
    Color3 { r: part(r), g: part(g), b: part(b) }
}

/// `Color3.fromHex("#ff0000")`, `Color3.fromHex("f00")`
fn color3_of_hex(input: &str) -> Read<'_, Color3> {
    let (rest, text) = call("Color3.fromHex", <ByteString<'_> as Form<Lua>>::read).parse(input)?;
    match color_bytes(text.to_str().unwrap_or_default()).as_deref() {
        Some(&[r, g, b]) => Ok((rest, of_bytes([r, g, b]))),
        _ => expected(space(input), "six hexadecimal digits such as Color3.fromHex(\"ff0000\")"),
    }
}

fn vector2_by_name(input: &str) -> Read<'_, Vector2> {
    const NAMES: [(&str, Vector2); 4] = [
        ("Vector2.zero", Vector2 { x: 0.0, y: 0.0 }),
        ("Vector2.one", Vector2 { x: 1.0, y: 1.0 }),
        ("Vector2.xAxis", Vector2 { x: 1.0, y: 0.0 }),
        ("Vector2.yAxis", Vector2 { x: 0.0, y: 1.0 }),
    ];
    one_of(&NAMES)(input)
}

fn vector3_by_name(input: &str) -> Read<'_, Vector3> {
    const NAMES: [(&str, Vector3); 5] = [
        ("Vector3.zero", Vector3 { x: 0.0, y: 0.0, z: 0.0 }),
        ("Vector3.one", Vector3 { x: 1.0, y: 1.0, z: 1.0 }),
        ("Vector3.xAxis", Vector3 { x: 1.0, y: 0.0, z: 0.0 }),
        ("Vector3.yAxis", Vector3 { x: 0.0, y: 1.0, z: 0.0 }),
        ("Vector3.zAxis", Vector3 { x: 0.0, y: 0.0, z: 1.0 }),
    ];
    one_of(&NAMES)(input)
}

/// `NumberRange.new(5)`: the least is the greatest too.
fn number_range_of_one(input: &str) -> Read<'_, NumberRange> {
    call("NumberRange.new", <f32 as Form<Lua>>::read).map(|only| NumberRange { min: only, max: only }).parse(input)
}

/// | form | what |
/// |---|---|
/// | `UDim2.new(0, 1, 0, 2)` | both scales and offsets |
/// | `UDim2.new(UDim.new(0, 1), UDim.new(0, 2))` | the same |
/// | `UDim2.fromScale(0.5, 1)` | no offsets |
/// | `UDim2.fromOffset(10, 20)` | no scales |
impl Form<Lua> for UDim2 {
    fn read(input: &str) -> Read<'_, Self> {
        let numbers_of = |input| {
            let number = <f32 as Form<Lua>>::read;
            let offset = || preceded(comma, <i32 as Form<Lua>>::read);
            let (rest, (x, dx, y, dy)) = (number, offset(), preceded(comma, number), offset()).parse(input)?;
            Ok((rest, UDim2 { x: UDim { scale: x, offset: dx }, y: UDim { scale: y, offset: dy } }))
        };
        let udim = <UDim as Form<Lua>>::read;
        let scale = |[x, y]: [f32; 2]| UDim2 { x: UDim { scale: x, offset: 0 }, y: UDim { scale: y, offset: 0 } };
        let offset = |[x, y]: [i32; 2]| UDim2 { x: UDim { scale: 0.0, offset: x }, y: UDim { scale: 0.0, offset: y } };
        alt((
            call("UDim2.new", alt((numbers_of, (udim, preceded(comma, udim)).map(|(x, y)| UDim2 { x, y })))),
            call("UDim2.fromScale", numbers::<Lua, f32, 2>).map(scale),
            call("UDim2.fromOffset", numbers::<Lua, i32, 2>).map(offset),
        ))
        .parse(input)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let UDim2 { x, y } = self;
        out.write_str("UDim2.new(")?;
        Form::<Lua>::write(&x.scale, out)?;
        write!(out, ", {}, ", x.offset)?;
        Form::<Lua>::write(&y.scale, out)?;
        write!(out, ", {})", y.offset)
    }
}

/// `Rect.new(10, 20, 30, 40)`, or with two Vector2.
impl Form<Lua> for Rect {
    fn read(input: &str) -> Read<'_, Self> {
        let corners =
            |[x, y, right, bottom]: [f32; 4]| Rect { min: Vector2 { x, y }, max: Vector2 { x: right, y: bottom } };
        let vector = <Vector2 as Form<Lua>>::read;
        let vectors = (vector, preceded(comma, vector)).map(|(min, max)| Rect { min, max });
        call("Rect.new", alt((numbers::<Lua, f32, 4>.map(corners), vectors))).parse(input)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let Rect { min, max } = self;
        out.write_str("Rect.new(")?;
        write_all::<Lua, f32>(&[min.x, min.y, max.x, max.y], out)?;
        out.write_char(')')
    }
}

/// Sets of bits as calls with their members.
macro_rules! bits {
    ($($type:ty = $bits:expr;)*) => {$(
        impl Form<Lua> for $type {
            fn read(input: &str) -> Read<'_, Self> {
                $bits.read(input).map(|(rest, bits)| (rest, Self(bits)))
            }

            fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
                $bits.write(self.0, out)
            }
        }
    )*};
}

bits! {
    Faces = Bits {
        name: "Faces.new",
        enum_name: "NormalId",
        members: &[("Right", 1), ("Top", 2), ("Back", 4), ("Left", 8), ("Bottom", 16), ("Front", 32)],
    };
    Axes = Bits { name: "Axes.new", enum_name: "Axis", members: &[("X", 1), ("Y", 2), ("Z", 4)] };
}
