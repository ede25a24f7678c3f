//! Values in Luau.

use std::fmt;
use std::num::NonZeroU32;

use nom::branch::alt;
use nom::combinator::value;
use nom::Parser;

use super::cframe::{CFrame, Rotation};
use super::dictionary::Pair;
use super::options::Options;
use super::quaternion::{Component, PackedQuaternion};
use super::reference::Ref;
use super::value::{TypeId, Value};
use crate::notation::{call, expected, name, numbers, space, write_all, Form, Lua, Read};
use crate::roblox::luau::cframe::{placed, write_aligned, write_new, Turn};
use crate::roblox::luau::{luau_methods, luau_types};

luau_types! {
    Value, TypeId, Pair;
    nothing { Nil = "nil"; }
    leaves {
        String Quote "\"text\"";
        Boolean Words("true" "false") "true";
        Number Number "17.5";
        Vector2 Name "Vector2.new(1, 2)";
        Vector3 Name "Vector3.new(1, 2, 3)";
        Vector2int16 Name "Vector2int16.new(1, 2)";
        Vector3int16 Name "Vector3int16.new(1, 2, 3)";
        CFrame Name "CFrame.new(1, 2, 3)";
        Instance Words("Ref") "Ref.new(1, 1142143)";
    }
    list Array "{1, 2}";
    pairs Dictionary "{health = 82.1, [\"a key\"] = true}";
}

/// `Ref.new(1, 1142143)`: the peer, and the number of the instance. Luau has no form for it.
impl Form<Lua> for Ref {
    fn read(input: &str) -> Read<'_, Self> {
        let start = space(input);
        let (rest, [peer, id]) = call("Ref.new", numbers::<Lua, u32, 2>).parse(input)?;
        match NonZeroU32::new(peer) {
            Some(peer) => Ok((rest, Ref { peer, id })),
            None => expected(start, "a Ref whose first number, the peer, is not 0"),
        }
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "Ref.new({}, {})", self.peer, self.id)
    }
}

/// `nil`, where there is none.
impl Form<Lua> for Option<Ref> {
    fn read(input: &str) -> Read<'_, Self> {
        alt((Ref::read.map(Some), value(None, name("nil")))).parse(input)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Some(reference) => reference.write(out),
            None => out.write_str("nil"),
        }
    }
}

const COMPONENTS: [(char, Component); 4] =
    [('X', Component::X), ('Y', Component::Y), ('Z', Component::Z), ('W', Component::W)];

/// The quaternion in 32 bits, which is exact for three components of 15 bits, if reading it packs it the same way.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // compared afterwards
fn unpacked(packed: PackedQuaternion) -> Option<[f32; 4]> {
    let numbers = packed.to_quaternion().map(|component| component as f32);
    let again = numbers.map(|component| component.to_string().parse().unwrap_or(f64::NAN));
    (PackedQuaternion::from_quaternion(again) == Some(packed)).then_some(numbers)
}

/// Like a [CFrame of attributes](crate::roblox::datatypes::CFrame), unless it is not axis-aligned. Then it is `CFrame.new(x, y,
/// z, qX, qY, qZ, qW)`, or `CFrame.fromPackedQuaternion` with the fields of the packet if a sender would have packed the rotation
/// differently.
impl Form<Lua> for CFrame {
    fn read(input: &str) -> Read<'_, Self> {
        let start = space(input);
        let (rest, (position, turn)) = placed(input)?;
        let rotation = match turn {
            Turn::None => Some(Rotation::Aligned(crate::roblox::datatypes::RotationId::IDENTITY)),
            Turn::Matrix(matrix) | Turn::Computed(matrix) => Rotation::from_matrix(&matrix.map(f64::from)),
            Turn::Stored(matrix) => PackedQuaternion::from_matrix(&matrix.map(f64::from)).map(Rotation::Quaternion),
            Turn::Quaternion(quaternion) => PackedQuaternion::from_quaternion(quaternion).map(Rotation::Quaternion),
            Turn::Packed(omitted, fields) => {
                let component = COMPONENTS.iter().find(|(letter, _)| *letter == omitted);
                let packed = component.and_then(|(_, component)| PackedQuaternion::new(*component, fields).ok());
                packed.map(Rotation::Quaternion)
            }
        };
        match rotation {
            Some(rotation) => Ok((rest, CFrame { position, rotation })),
            None => expected(start, "a CFrame with a rotation that a packet can hold"),
        }
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let CFrame { position, rotation } = *self;
        let packed = match rotation {
            Rotation::Aligned(id) => return write_aligned(position, id, out),
            Rotation::Quaternion(packed) => packed,
        };
        if let Some(numbers) = unpacked(packed) {
            return write_new(position, &numbers, out);
        }
        let omitted = COMPONENTS.iter().find(|(_, component)| *component == packed.omitted());
        out.write_str("CFrame.fromPackedQuaternion(")?;
        position.write(out)?;
        write!(out, ", \"{}\", ", omitted.map_or('W', |(letter, _)| *letter))?;
        write_all::<Lua, i16>(&packed.fields(), out)?;
        out.write_char(')')
    }
}

luau_methods! {
    /// ```
    /// use enginewire::roblox::remote::{TypeId, Value};
    ///
    /// assert_eq!(Value::Number(82.1).to_luau(), "82.1");
    /// assert_eq!(Value::from_luau("82.1", Some(TypeId::Number))?, Value::Number(82.1));
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    Value, TypeId, |options: &Options| &options.values
}
