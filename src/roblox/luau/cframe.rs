//! CFrame. Attributes and packets write its rotation in different ways.
//!
//! | form | rotation |
//! |---|---|
//! | `CFrame.new(x, y, z)` | none |
//! | `CFrame.new(x, y, z, R00, R01, …, R22)` | a matrix, row by row |
//! | `CFrame.new(x, y, z, qX, qY, qZ, qW)` | a quaternion |
//! | `CFrame.fromMatrix(position, right, up, back)` | a matrix that is stored as such, also where there is an id for it |
//! | `CFrame.fromPackedQuaternion(position, "W", a, b, c)` | the bits of a packet; not in Luau |
//! | `CFrame.fromOrientation(x, y, z)`, `CFrame.fromEulerAnglesYXZ` | angles, in radians |
//! | `CFrame.Angles(x, y, z)`, `CFrame.fromEulerAnglesXYZ` | angles, in radians |
//! | `CFrame.fromAxisAngle(axis, angle)` | an angle around an axis |
//!
//! The last three have no position; `CFrame.new(1, 2, 3) * CFrame.Angles(0, math.rad(90), 0)` has. Numbers that are exactly those of
//! an axis-aligned rotation are stored as its id, as Roblox does.

use std::fmt;

use nom::branch::alt;
use nom::combinator::value;
use nom::multi::fold_many0;
use nom::sequence::preceded;
use nom::Parser;

use crate::notation::{
    call, comma, expected, items, name, numbers, one_of, parenthesised, sign, space, write_all, Form, Lua, Read,
};
use crate::roblox::datatypes::{CFrame, Rotation, RotationId, Vector3};

/// A rotation in the form of its text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    None,
    /// Nine numbers, row by row.
    Matrix([f32; 9]),
    /// Nine numbers that are stored as a matrix, even if they have an id.
    Stored([f32; 9]),
    Quaternion([f64; 4]),
    /// The component that is left out, and the other three.
    Packed(char, [i16; 3]),
    /// The result of angles and products, which the engine computes with 32 bits.
    Computed([f32; 9]),
}

const IDENTITY: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

impl Turn {
    /// The matrix, row by row; `None` for a packed quaternion.
    fn matrix(self) -> Option<[f32; 9]> {
        match self {
            Turn::None => Some(IDENTITY),
            Turn::Matrix(matrix) | Turn::Stored(matrix) | Turn::Computed(matrix) => Some(matrix),
            Turn::Quaternion(quaternion) => Some(matrix_of(quaternion).map(single)),
            Turn::Packed(..) => None,
        }
    }
}

/// The matrix of a quaternion of any length but 0.
fn matrix_of([x, y, z, w]: [f64; 4]) -> [f64; 9] {
    let scale = 2.0 / (x * x + y * y + z * z + w * w);
    [
        1.0 - scale * (y * y + z * z),
        scale * (x * y - z * w),
        scale * (x * z + y * w),
        scale * (x * y + z * w),
        1.0 - scale * (x * x + z * z),
        scale * (y * z - x * w),
        scale * (x * z - y * w),
        scale * (y * z + x * w),
        1.0 - scale * (x * x + y * y),
    ]
}

/// A matrix times another, row by row.
fn product(one: &[f32; 9], other: &[f32; 9]) -> [f32; 9] {
    let [a, b, c, d, e, f, g, h, i] = *other;
    let row = |[x, y, z]: [f32; 3]| [x * a + y * d + z * g, x * b + y * e + z * h, x * c + y * f + z * i];
    let [a, b, c, d, e, f, g, h, i] = *one;
    let ([a, b, c], [d, e, f], [g, h, i]) = (row([a, b, c]), row([d, e, f]), row([g, h, i]));
    [a, b, c, d, e, f, g, h, i]
}

/// The matrices of turns around the three axes.
fn axes([x, y, z]: [f32; 3]) -> [[f32; 9]; 3] {
    // the nearest numbers of 32 bits, on every system
    let turn = |angle: f32| [f64::from(angle).sin(), f64::from(angle).cos()].map(single);
    let ([sx, cx], [sy, cy], [sz, cz]) = (turn(x), turn(y), turn(z));
    [
        [1.0, 0.0, 0.0, 0.0, cx, -sx, 0.0, sx, cx],
        [cy, 0.0, sy, 0.0, 1.0, 0.0, -sy, 0.0, cy],
        [cz, -sz, 0.0, sz, cz, 0.0, 0.0, 0.0, 1.0],
    ]
}

/// A position and a rotation, in the form of their text.
type Placed = (Vector3, Turn);

/// `CFrame.new(…)` with 0, 3, 7 or 12 numbers, or a Vector3.
fn new(input: &str) -> Read<'_, Placed> {
    let (arguments, ()) = name("CFrame.new")(input)?;
    let position = nom::sequence::delimited(sign('('), <Vector3 as Form<Lua>>::read, sign(')')).parse(arguments);
    if let Ok((rest, position)) = position {
        return Ok((rest, (position, Turn::None)));
    }
    // those of a quaternion are rounded once only
    let (rest, all) = items('(', ')', both_widths)(arguments)?;
    let (position, turn) = match *all.as_slice() {
        [] => (Vector3::default(), &[][..]),
        [(x, _), (y, _), (z, _), ref turn @ ..] => (Vector3 { x, y, z }, turn),
        _ => return expected(space(arguments), "3, 7 or 12 numbers"),
    };
    let turn = match *turn {
        [] => Turn::None,
        [(_, x), (_, y), (_, z), (_, w)] => Turn::Quaternion([x, y, z, w]),
        [a, b, c, d, e, f, g, h, i] => Turn::Matrix([a, b, c, d, e, f, g, h, i].map(|(single, _)| single)),
        _ => return expected(space(arguments), "3, 7 or 12 numbers"),
    };
    Ok((rest, (position, turn)))
}

/// A number of 32 bits, and the same of 64.
fn both_widths(input: &str) -> Read<'_, (f32, f64)> {
    let (rest, single) = <f32 as Form<Lua>>::read(input)?;
    let double = <f64 as Form<Lua>>::read(input).map_or(f64::from(single), |(_, double)| double);
    Ok((rest, (single, double)))
}

fn from_matrix(input: &str) -> Read<'_, Placed> {
    let vector = || preceded(comma, <Vector3 as Form<Lua>>::read);
    let arguments = (<Vector3 as Form<Lua>>::read, vector(), vector(), vector());
    let columns = |(position, r, u, b): (Vector3, Vector3, Vector3, Vector3)| {
        (position, Turn::Stored([r.x, u.x, b.x, r.y, u.y, b.y, r.z, u.z, b.z]))
    };
    call("CFrame.fromMatrix", arguments).map(columns).parse(input)
}

fn from_packed_quaternion(input: &str) -> Read<'_, Placed> {
    let component = alt(["\"X\"", "\"Y\"", "\"Z\"", "\"W\""].map(|letter| {
        let char = letter.chars().nth(1).unwrap_or_default();
        preceded(|input| Ok((space(input), ())), value(char, nom::bytes::complete::tag(letter)))
    }));
    let arguments = (<Vector3 as Form<Lua>>::read, preceded(comma, component), preceded(comma, numbers::<Lua, i16, 3>));
    let packed = |(position, omitted, fields)| (position, Turn::Packed(omitted, fields));
    call("CFrame.fromPackedQuaternion", arguments).map(packed).parse(input)
}

/// Functions of three angles, and whether they turn around Y before X. The turn around Z is the last.
const ANGLES: [(&str, bool); 4] = [
    ("CFrame.fromOrientation", true),
    ("CFrame.fromEulerAnglesYXZ", true),
    ("CFrame.fromEulerAnglesXYZ", false),
    ("CFrame.Angles", false),
];

fn from_angles(input: &str) -> Read<'_, Placed> {
    let (rest, (is_y_first, angles)) = (one_of(&ANGLES), parenthesised(numbers::<Lua, f32, 3>)).parse(input)?;
    let [x, y, z] = axes(angles);
    let (first, second) = if is_y_first { (y, x) } else { (x, y) };
    Ok((rest, (Vector3::default(), Turn::Computed(product(&product(&first, &second), &z)))))
}

fn from_axis_angle(input: &str) -> Read<'_, Placed> {
    let axis_angle = (<Vector3 as Form<Lua>>::read, preceded(comma, <f64 as Form<Lua>>::read));
    let (rest, (axis, angle)) = call("CFrame.fromAxisAngle", axis_angle).parse(input)?;
    let [x, y, z] = [axis.x, axis.y, axis.z].map(f64::from);
    let length = (x * x + y * y + z * z).sqrt();
    let (sin, cos) = (angle / 2.0).sin_cos();
    let quaternion = [x / length * sin, y / length * sin, z / length * sin, cos];
    Ok((rest, (Vector3::default(), Turn::Computed(matrix_of(quaternion).map(single)))))
}

fn factor(input: &str) -> Read<'_, Placed> {
    let identity = value((Vector3::default(), Turn::None), name("CFrame.identity"));
    alt((new, from_matrix, from_packed_quaternion, from_angles, from_axis_angle, identity)).parse(input)
}

/// One CFrame, or the product of several.
pub(crate) fn placed(input: &str) -> Read<'_, Placed> {
    let start = space(input);
    let (rest, first) = factor(input)?;
    let factors = fold_many0(
        preceded(sign('*'), factor),
        || Some(first),
        |all, (position, turn)| {
            let (at, by) = all?;
            let ([mine, theirs], p) = ([by.matrix()?, turn.matrix()?], [position.x, position.y, position.z]);
            let [a, b, c, d, e, f, g, h, i] = mine;
            let [x, y, z] = p;
            let moved = [a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z];
            let [dx, dy, dz] = moved;
            let [x, y, z] = [at.x + dx, at.y + dy, at.z + dz];
            Some((Vector3 { x, y, z }, Turn::Computed(product(&mine, &theirs))))
        },
    )
    .parse(rest);
    match factors? {
        (rest, Some(placed)) => Ok((rest, placed)),
        (_, None) => expected(start, "a CFrame that can be multiplied"),
    }
}

/// The nearest number of 32 bits.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // rounding is what is asked for
fn single(number: f64) -> f32 {
    number as f32
}

/// A rotation, by its id where it has one.
fn shortest(matrix: [f32; 9]) -> Rotation {
    RotationId::from_matrix(&matrix).map_or(Rotation::Matrix(matrix), Rotation::Aligned)
}

/// Writes the numbers of a position, and those that follow.
pub(crate) fn write_new<const N: usize>(
    Vector3 { x, y, z }: Vector3,
    numbers: &[f32; N],
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    out.write_str("CFrame.new(")?;
    write_all::<Lua, f32>([x, y, z].iter().chain(numbers), out)?;
    out.write_char(')')
}

/// Writes a position and an axis-aligned rotation.
pub(crate) fn write_aligned(position: Vector3, id: RotationId, out: &mut dyn fmt::Write) -> fmt::Result {
    match id {
        RotationId::IDENTITY => write_new(position, &[], out),
        id => write_new(position, &id.matrix(), out),
    }
}

impl Form<Lua> for CFrame {
    fn read(input: &str) -> Read<'_, Self> {
        let start = space(input);
        let (rest, (position, turn)) = placed(input)?;
        let rotation = match turn {
            Turn::None => Rotation::Aligned(RotationId::IDENTITY),
            Turn::Matrix(matrix) | Turn::Computed(matrix) => shortest(matrix),
            Turn::Stored(matrix) => Rotation::Matrix(matrix),
            Turn::Packed(..) => return expected(start, "a CFrame without a packed quaternion"),
            Turn::Quaternion(quaternion) => shortest(matrix_of(quaternion).map(single)),
        };
        Ok((rest, CFrame { position, rotation }))
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let CFrame { position, rotation } = *self;
        match rotation {
            Rotation::Aligned(id) => write_aligned(position, id, out),
            Rotation::Matrix(matrix) if RotationId::from_matrix(&matrix).is_none() => write_new(position, &matrix, out),
            Rotation::Matrix([a, b, c, d, e, f, g, h, i]) => {
                let columns = [[a, d, g], [b, e, h], [c, f, i]].map(|[x, y, z]| Vector3 { x, y, z });
                out.write_str("CFrame.fromMatrix(")?;
                write_all::<Lua, Vector3>([position].iter().chain(&columns), out)?;
                out.write_char(')')
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn read(text: &str) -> CFrame {
        let (rest, cframe) = CFrame::read(text).unwrap();
        assert_eq!(rest, "");
        cframe
    }

    #[test]
    fn angles_turn_as_the_engine_turns() {
        let near = |text: &str, id: u8| {
            let expected = RotationId::try_from(id).unwrap().matrix();
            for (found, expected) in read(text).rotation.matrix().into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6, "{text}");
            }
        };
        near("CFrame.fromOrientation(0, math.rad(90), 0)", 0x20);
        near("CFrame.Angles(math.rad(90), 0, 0)", 0x03);
        near("CFrame.fromEulerAnglesXYZ(0, 0, math.pi)", 0x17);
        near("CFrame.fromAxisAngle(Vector3.new(0, 2, 0), math.rad(-90))", 0x0e);
        // the product of the matrices by hand: 0 -1 0, 0 0 -1, 1 0 0
        near("CFrame.Angles(math.rad(90), 0, 0) * CFrame.Angles(0, 0, math.rad(90))", 0x10);
        assert_eq!(read("CFrame.new(1, 2, 3, 0, 0, 0, 1)"), read("CFrame.new(Vector3.new(1, 2, 3))"));
        let turned = "CFrame.new(0, 0, 0, -4.371139e-08, 0, 1, 0, 1, 0, -1, 0, -4.371139e-08)";
        assert_eq!(read("CFrame.Angles(0, math.rad(90), 0)"), read(turned));
        assert_eq!(read("CFrame.identity").rotation, Rotation::Aligned(RotationId::IDENTITY));
        let moved = read("CFrame.new(1, 2, 3) * CFrame.new(1, 0, 0)");
        assert_eq!(moved.position, Vector3 { x: 2.0, y: 2.0, z: 3.0 });
    }

    #[test]
    fn ids_and_matrices_stay_what_they_are() {
        for id in RotationId::all() {
            for rotation in [Rotation::Aligned(id), Rotation::Matrix(id.matrix())] {
                let cframe = CFrame { position: Vector3 { x: 0.1, y: -0.0, z: 3.0 }, rotation };
                let mut text = String::new();
                cframe.write(&mut text).unwrap();
                assert_eq!(format!("{:?}", read(&text)), format!("{cframe:?}"), "{text}");
            }
        }
    }
}
