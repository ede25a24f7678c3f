//! Values in Luau.

use std::fmt;
use std::num::NonZeroU32;

use nom::branch::alt;
use nom::combinator::value;
use nom::sequence::preceded;
use nom::Parser;

use super::cframe::{CFrame, Rotation};
use super::dictionary::Pair;
use super::options::Options;
use super::quaternion::{Component, PackedQuaternion};
use super::reference::Ref;
use super::unverified::{Axes, Color3uint8, EnumItem, Faces, OptimizedString, PathWaypoint, PhysicalProperties};
use super::value::{TypeId, Value};
use crate::notation::{call, calls, comma, expected, name, numbers, space, write_all, Form, Lua, Read};
use crate::roblox::datatypes::{BrickColor, Vector3};
use crate::roblox::luau::cframe::{placed, write_aligned, write_new, Turn};
use crate::roblox::luau::{self, bits, item_of, luau_methods, luau_types, write_item, Bits};
use crate::wire::ByteString;

luau_types! {
    Value, TypeId, Pair;
    nothing { Nil = "nil"; }
    leaves {
        String Quote "\"text\"";
        EnumItem Name "EnumItem.new(52, 3)";
        BinaryString Nothing "\"\\x00\\xff\"";
        Boolean Words("true" "false") "true";
        Int Nothing "42";
        Float Nothing "0.5";
        Number Number "17.5";
        UDim Name "UDim.new(0, 12)";
        UDim2 Name "UDim2.new(0, 1, 0, 2)";
        Ray Name "Ray.new(Vector3.new(0, 0, 0), Vector3.new(0, 1, 0))";
        Faces Name "Faces.new(Enum.NormalId.Right, Enum.NormalId.Top)";
        Axes Name "Axes.new(Enum.Axis.X, Enum.Axis.Z)";
        BrickColor Name "BrickColor.new(\"Bright red\")" = read_brick_color, write_brick_color;
        Color3 Name "Color3.new(1, 0, 0)";
        Color3uint8 Nothing "Color3.fromRGB(255, 128, 0)";
        Vector2 Name "Vector2.new(1, 2)";
        Vector3 Name "Vector3.new(1, 2, 3)";
        Vector2int16 Name "Vector2int16.new(1, 2)";
        Vector3int16 Name "Vector3int16.new(1, 2, 3)";
        SimpleCFrame Nothing "CFrame.new(1, 2, 3)";
        CFrame Name "CFrame.new(1, 2, 3)";
        Instance Words("Ref") "Ref.new(1, 1142143)";
        SystemAddress Nothing "7";
        NumberSequence Name
            "NumberSequence.new({NumberSequenceKeypoint.new(0, 1), NumberSequenceKeypoint.new(1, 0.5, 0.25)})";
        NumberSequenceKeypoint Name "NumberSequenceKeypoint.new(0, 1, 0.5)";
        NumberRange Name "NumberRange.new(5, 10)";
        ColorSequence Name
            "ColorSequence.new({ColorSequenceKeypoint.new(0, Color3.new(1, 0, 0)), ColorSequenceKeypoint.new(1, Color3.new(0, 0, 1))})";
        ColorSequenceKeypoint Name "ColorSequenceKeypoint.new(0, Color3.new(1, 0, 0))";
        Rect Name "Rect.new(10, 20, 30, 40)";
        PhysicalProperties Name "PhysicalProperties.new(0.7, 0.3, 0.5, 1, 1)";
        Region3 Name "Region3.new(Vector3.new(0, 0, 0), Vector3.new(1, 1, 1))";
        Region3int16 Name "Region3int16.new(Vector3int16.new(0, 0, 0), Vector3int16.new(1, 1, 1))";
        Int64 Nothing "42";
        PathWaypoint Name "PathWaypoint.new(Vector3.new(1, 2, 3), Enum.PathWaypointAction.Walk)";
        DateTime Name "DateTime.fromUnixTimestampMillis(1689379200000)" = read_date_time, write_date_time;
        OptimizedString Nothing "\"text\"";
    }
    lists {
        Array "{1, 2}";
        Tuple "{1, 2}";
    }
    pairs {
        Dictionary "{health = 82.1, [\"a key\"] = true}";
        Map "{health = 82.1}";
    }
}

calls! {
    Lua;
    EnumItem = "EnumItem.new"(enum_id, value);
    PhysicalProperties = "PhysicalProperties.new"(density, friction, elasticity, friction_weight, elasticity_weight);
}

bits! {
    Faces = Bits {
        members: &[("Right", 32), ("Top", 16), ("Back", 8), ("Left", 4), ("Bottom", 2), ("Front", 1)],
        ..luau::FACES
    };
    Axes = Bits { members: &[("X", 4), ("Y", 2), ("Z", 1)], ..luau::AXES };
}

/// A value that may be missing: `nil`.
macro_rules! or_nil {
    ($($type:ty)*) => {$(
        impl Form<Lua> for Option<$type> {
            fn read(input: &str) -> Read<'_, Self> {
                alt((<$type as Form<Lua>>::read.map(Some), value(None, name("nil")))).parse(input)
            }

            fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
                match self {
                    Some(value) => Form::<Lua>::write(value, out),
                    None => out.write_str("nil"),
                }
            }
        }
    )*};
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

or_nil!(Ref PhysicalProperties);

/// `BrickColor.new("Bright red")`. A packet has 16 bits for the number.
fn read_brick_color(input: &str) -> Read<'_, u16> {
    let (rest, BrickColor(number)) = <BrickColor as Form<Lua>>::read(input)?;
    match u16::try_from(number) {
        Ok(number) => Ok((rest, number)),
        Err(_) => expected(space(input), "a BrickColor of 16 bits"),
    }
}

fn write_brick_color(number: &u16, out: &mut dyn fmt::Write) -> fmt::Result {
    BrickColor((*number).into()).write(out)
}

/// `DateTime.fromUnixTimestampMillis(0)`
fn read_date_time(input: &str) -> Read<'_, u64> {
    call("DateTime.fromUnixTimestampMillis", <u64 as Form<Lua>>::read).parse(input)
}

fn write_date_time(milliseconds: &u64, out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "DateTime.fromUnixTimestampMillis({milliseconds})")
}

/// `Color3.fromRGB(255, 128, 0)`: three bytes as they are.
impl Form<Lua> for Color3uint8 {
    fn read(input: &str) -> Read<'_, Self> {
        let colour = |[r, g, b]: [u8; 3]| Color3uint8 { r, g, b };
        call("Color3.fromRGB", numbers::<Lua, u8, 3>).map(colour).parse(input)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "Color3.fromRGB({}, {}, {})", self.r, self.g, self.b)
    }
}

/// `PathWaypoint.new(Vector3.new(1, 2, 3), Enum.PathWaypointAction.Walk)`
impl Form<Lua> for PathWaypoint {
    fn read(input: &str) -> Read<'_, Self> {
        let arguments = (<Vector3 as Form<Lua>>::read, preceded(comma, item_of("PathWaypointAction")));
        let waypoint = |(position, action)| PathWaypoint { position, action };
        call("PathWaypoint.new", arguments).map(waypoint).parse(input)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str("PathWaypoint.new(")?;
        self.position.write(out)?;
        out.write_str(", ")?;
        write_item(b"PathWaypointAction", self.action, out)?;
        out.write_char(')')
    }
}

/// `"text"`, or the place of a string in the table of the session: `index(5)`, which is not Luau.
impl Form<Lua> for OptimizedString<'_> {
    fn read(input: &str) -> Read<'_, Self> {
        let index = |input| -> Read<'_, Self> {
            let start = space(input);
            let (rest, index) = call("index", <u8 as Form<Lua>>::read).parse(input)?;
            if index > 127 {
                return expected(start, "an index from 0 to 127");
            }
            Ok((rest, OptimizedString::Index(index)))
        };
        alt((<ByteString<'_> as Form<Lua>>::read.map(OptimizedString::Text), index)).parse(input)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            OptimizedString::Text(text) => Form::<Lua>::write(text, out),
            OptimizedString::Index(index) => write!(out, "index({index})"),
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
            Turn::Matrix(matrix) => Rotation::from_matrix(&matrix.map(f64::from)),
            Turn::Computed(matrix) => Rotation::from_matrix(&matrix),
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
    /// # Ok::<(), enginewire::notation::NotationError>(())
    /// ```
    Value, TypeId, |options: &Options| &options.values
}
