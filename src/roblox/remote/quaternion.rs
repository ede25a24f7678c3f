//! The rotation of a CFrame that is not a multiple of 90°: a quaternion in 48 bits.
//!
//! # The layout
//!
//! The documentation of the packets calls these six bytes unknown. They are a unit quaternion in the form that is known as
//! *smallest three*: the component of largest magnitude is left out, because it follows from the other three and the
//! length of 1. None of these three can exceed 1/√2. From the most significant bit of six big-endian bytes on:
//!
//! | bits | field | |
//! |---|---|---|
//! | 1 | reserved | 0 |
//! | 15 | a | two's complement |
//! | 2 | omitted | which component is left out: x, y, z, w are 0, 1, 2, 3 |
//! | 15 | b | two's complement |
//! | 15 | c | two's complement |
//!
//! As integers: the first two bytes are a, and the other four are `omitted << 30 | b << 15 | c`.
//!
//! a, b and c are the components that are left, in the order x, y, z, w, times 16383 · √2, so that 1/√2 is 16383. The
//! quaternion and its negative are the same rotation; the one whose omitted component is positive is written.
//!
//! # Decoding
//!
//! Divide a, b and c by 16383 · √2; the omitted component is √(1 − a² − b² − c²). A sum of squares over 1, which no
//! sender writes, counts as 1.
//!
//! # Encoding
//!
//! Make the length 1. Leave out the component of largest magnitude, the first of several; if it is negative, negate all
//! four. Multiply by 16383 · √2 and round half away from zero.
//!
//! # Evidence
//!
//! Four captures are published with the rotation that was sent (angles in radians). The quaternion of that rotation,
//! encoded as above, gives each of them bit for bit:
//!
//! | six bytes | sent | omitted | a, b, c | decoded, it is off by |
//! |---|---|---|---|---|
//! | `5400 9391a6cc` | `CFrame.fromEulerAnglesYXZ(5, -1, 9)` | z | −11264, 10019, 9932 | 0.0024° |
//! | `1c1d 16b1de9e` | `CFrame.fromEulerAnglesYXZ(-1, 2, 3)` | x | 7197, 11619, −8546 | 0.0040° |
//! | `1dff d4e79151` | `CFrame.Angles(math.pi/4, math.pi/3, 0)` | w | 7679, 10703, 4433 | 0.0033° |
//! | `6f42 7b6daa6a` | `CFrame.Angles(math.pi, 1, 9)` | y | −4286, −2341, 10858 | 0.0029° |
//!
//! Every component is left out once, and every field has either sign. A scale of 16384 · √2 gives other bytes for three
//! of the four, and so do rounding down and rounding toward zero. The tests of this file redo all of that from the
//! angles. The documentation lists the fourth capture with other angles, which are wrong; those given here were found
//! by search. The idea came from a description of physics packets, whose rotations have this layout.
//!
//! It is unknown which component is left out if two are largest, because none of the four captures has a tie.
//!
//! # Precision
//!
//! A rotation comes back to within 0.007°. Decoding and encoding again gives the same bytes, except where two components
//! tie and for values that no sender writes. Hence a [`PackedQuaternion`] keeps the fields, and derives the rest.

use std::f64::consts::SQRT_2;
use std::io::Write;

use cookie_factory::SerializeFn;
use nom::Parser;
use thiserror::Error;

use crate::error::Fault;
use crate::roblox::datatypes::quaternion;
use crate::wire::{fixed, gen_bytes, verify, Source, WireError};

/// The factor of a component.
const SCALE: f64 = 16383.0 * SQRT_2;

/// A component of a quaternion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // they are what they are
pub enum Component {
    X,
    Y,
    Z,
    W,
}

impl Component {
    /// In the order of their numbers.
    const ALL: [Self; 4] = [Component::X, Component::Y, Component::Z, Component::W];

    const fn number(self) -> u8 {
        match self {
            Component::X => 0,
            Component::Y => 1,
            Component::Z => 2,
            Component::W => 3,
        }
    }

    const fn from_number(number: u64) -> Self {
        match number & 3 {
            0 => Component::X,
            1 => Component::Y,
            2 => Component::Z,
            _ => Component::W,
        }
    }
}

/// A rotation in 48 bits, as it is on the wire; the [module](self) describes the layout.
///
/// ```
/// use enginewire::roblox::remote::{Component, PackedQuaternion};
///
/// let packed = PackedQuaternion::from_bytes([0x54, 0x00, 0x93, 0x91, 0xa6, 0xcc])?;
/// assert_eq!((packed.omitted(), packed.fields()), (Component::Z, [-11264, 10019, 9932]));
/// let [x, y, z, w] = packed.to_quaternion();
/// assert!((z - 0.626805).abs() < 1e-6);
/// assert_eq!(PackedQuaternion::from_quaternion([x, y, z, w]), Some(packed));
/// # Ok::<(), enginewire::roblox::remote::QuaternionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedQuaternion {
    omitted: Component,
    a: i16,
    b: i16,
    c: i16,
}

/// Why there is no such quaternion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QuaternionError {
    /// A field that does not fit its 15 bits.
    #[error("{0} is not from -16384 to 16383")]
    OutOfRange(i16),
    /// The first bit is not 0.
    #[error("the reserved bit is 1, not 0")]
    ReservedBit,
}

/// The least and the greatest number of 15 bits.
const RANGE: std::ops::RangeInclusive<i16> = -0x4000..=0x3fff;

impl PackedQuaternion {
    /// No rotation. A sender writes a [`RotationId`](crate::roblox::datatypes::RotationId) instead.
    pub const IDENTITY: Self = PackedQuaternion { omitted: Component::W, a: 0, b: 0, c: 0 };

    /// From its fields.
    ///
    /// # Errors
    ///
    /// If one of the numbers does not fit 15 bits.
    pub fn new(omitted: Component, [a, b, c]: [i16; 3]) -> Result<Self, QuaternionError> {
        match [a, b, c].iter().find(|field| !RANGE.contains(field)) {
            Some(field) => Err(QuaternionError::OutOfRange(*field)),
            None => Ok(PackedQuaternion { omitted, a, b, c }),
        }
    }

    /// The component that is left out.
    #[must_use]
    pub const fn omitted(&self) -> Component {
        self.omitted
    }

    /// a, b and c: the other components, in order, times 16383 · √2.
    #[must_use]
    pub const fn fields(&self) -> [i16; 3] {
        [self.a, self.b, self.c]
    }

    /// From the six bytes.
    ///
    /// # Errors
    ///
    /// If the reserved bit is set.
    #[inline]
    pub fn from_bytes([first, second, third, fourth, fifth, sixth]: [u8; 6]) -> Result<Self, QuaternionError> {
        let bits = u64::from_be_bytes([0, 0, first, second, third, fourth, fifth, sixth]);
        if bits >> 47 != 0 {
            return Err(QuaternionError::ReservedBit);
        }
        let omitted = Component::from_number(bits >> 30);
        Ok(PackedQuaternion { omitted, a: field(bits >> 32), b: field(bits >> 15), c: field(bits) })
    }

    /// The six bytes.
    #[must_use]
    #[inline]
    pub fn to_bytes(&self) -> [u8; 6] {
        let PackedQuaternion { omitted, a, b, c } = *self;
        let bits = unsigned(a) << 32 | u64::from(omitted.number()) << 30 | unsigned(b) << 15 | unsigned(c);
        let [_, _, bytes @ ..] = bits.to_be_bytes();
        bytes
    }

    /// The quaternion: x, y, z, w. Its length is 1, except for values that no sender writes.
    #[must_use]
    pub fn to_quaternion(&self) -> [f64; 4] {
        let [a, b, c] = self.fields().map(|field| f64::from(field) / SCALE);
        let omitted = (1.0 - (a * a + b * b + c * c)).max(0.0).sqrt();
        match self.omitted {
            Component::X => [omitted, a, b, c],
            Component::Y => [a, omitted, b, c],
            Component::Z => [a, b, omitted, c],
            Component::W => [a, b, c, omitted],
        }
    }

    /// The rotation matrix, row by row: the columns are the right, the up and the back vector.
    #[must_use]
    pub fn to_matrix(&self) -> [f64; 9] {
        quaternion::to_matrix(self.to_quaternion())
    }

    /// The fields that a quaternion x, y, z, w of any length is sent as; `None` if its length is 0 or not finite.
    #[must_use]
    pub fn from_quaternion(quaternion: [f64; 4]) -> Option<Self> {
        let largest = quaternion.iter().fold(0.0, |largest: f64, component| largest.max(component.abs()));
        let is_largest = |(_, component): &(Component, f64)| component.abs() >= largest;
        let (omitted, sign) = Component::ALL.into_iter().zip(quaternion).find(is_largest)?;
        let [x, y, z, w] =
            quaternion::normalised(quaternion)?.map(|component| rounded(component * SCALE * sign.signum()));
        let fields = match omitted {
            Component::X => [y, z, w],
            Component::Y => [x, z, w],
            Component::Z => [x, y, w],
            Component::W => [x, y, z],
        };
        Self::new(omitted, fields).ok()
    }

    /// The fields that the rotation of a matrix is sent as, given row by row; `None` if it is not finite. A matrix that is
    /// not a rotation gives a rotation close to it.
    ///
    /// A sender writes a [`RotationId`](crate::roblox::datatypes::RotationId) where there is one; see
    /// [`Rotation::from_matrix`](super::Rotation::from_matrix).
    #[must_use]
    pub fn from_matrix(matrix: &[f64; 9]) -> Option<Self> {
        Self::from_quaternion(quaternion::of_matrix(matrix))
    }
}

/// The lowest 15 bits as two's complement.
#[inline]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // all bits except 15 are shifted out
fn field(bits: u64) -> i16 {
    ((bits << 1) as u16 as i16) >> 1
}

/// The 15 bits of a field.
#[inline]
fn unsigned(field: i16) -> u64 {
    let [low, high] = field.to_le_bytes();
    u16::from_le_bytes([low, high & 0x7f]).into()
}

/// Rounds half away from zero. The component that is left out may be out of range, but its result is not used.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // rounding is what is asked for
fn rounded(number: f64) -> i16 {
    number.round() as i16
}

/// Reads a [`PackedQuaternion`]. A reserved bit that is set is [`Fault::ReservedBit`].
///
/// In big-endian, the bytes `54 00 93 91 a6 cc` are the fields −11264, 10019 and 9932, without z.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Packed quaternion.
#[inline]
pub fn packed_quaternion<I: Source, E: WireError<I>>() -> impl Parser<I, Output = PackedQuaternion, Error = E> {
    verify(fixed::<6, I, E>(), |bytes| PackedQuaternion::from_bytes(bytes).map_err(|_| Fault::ReservedBit))
}

/// Writes a [`PackedQuaternion`], as [`packed_quaternion`] reads it.
#[inline]
pub fn gen_packed_quaternion<W: Write>(value: PackedQuaternion) -> impl SerializeFn<W> {
    gen_bytes(value.to_bytes())
}

#[cfg(feature = "text")]
mod json {
    use super::{Component, PackedQuaternion};
    use crate::member::{by_name, field, serde_by_member, Give, Given, Member, Mismatch, Receiver, Shape};

    by_name!(Component { X "x", Y "y", Z "z", W "w", });

    const NAMES: &[&str; 4] = &["omitted", "a", "b", "c"];

    /// `{"omitted": "z", "a": -11264, "b": 10019, "c": 9932}`
    impl Give for PackedQuaternion {
        fn give(&self, to: &mut dyn Receiver) {
            to.structure("Form", NAMES.len());
            to.member("omitted", &self.omitted);
            to.member("a", &self.a);
            to.member("b", &self.b);
            to.member("c", &self.c);
            to.end();
        }
    }

    impl Member for PackedQuaternion {
        const SHAPE: Shape =
            Shape::Structure("PackedQuaternion", NAMES, &[Component::SHAPE, Shape::I16, Shape::I16, Shape::I16]);

        fn take(given: Given<'_>) -> Result<Self, Mismatch> {
            let [omitted, a, b, c] = given.structure("PackedQuaternion", NAMES)?;
            let omitted = field(given, "omitted", omitted)?;
            let fields = [field(given, "a", a)?, field(given, "b", b)?, field(given, "c", c)?];
            PackedQuaternion::new(omitted, fields).map_err(|error| given.custom(error))
        }
    }

    serde_by_member!([] PackedQuaternion);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    type Matrix = [f64; 9];

    fn times(one: Matrix, other: Matrix) -> Matrix {
        let dot = |row: &[f64], column| row.iter().zip(other.iter().skip(column).step_by(3)).map(|(a, b)| a * b).sum();
        let rows = one.chunks(3).flat_map(|row| [0, 1, 2].map(|column| dot(row, column)));
        rows.collect::<Vec<f64>>().try_into().unwrap()
    }

    fn about_x(angle: f64) -> Matrix {
        let (sin, cos) = angle.sin_cos();
        [1.0, 0.0, 0.0, 0.0, cos, -sin, 0.0, sin, cos]
    }

    fn about_y(angle: f64) -> Matrix {
        let (sin, cos) = angle.sin_cos();
        [cos, 0.0, sin, 0.0, 1.0, 0.0, -sin, 0.0, cos]
    }

    fn about_z(angle: f64) -> Matrix {
        let (sin, cos) = angle.sin_cos();
        [cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0]
    }

    /// If two components are equal and the others nearly 0, the errors of a matrix of 32 bits matter little.
    #[test]
    fn a_matrix_need_not_be_exact() {
        use std::f64::consts::{FRAC_PI_2, PI};
        for quarter in [FRAC_PI_2, -FRAC_PI_2] {
            let [x, y, z] = [about_x(quarter), about_y(quarter), about_z(quarter)];
            for exact in [x, y, z, times(x, about_y(PI)), times(y, about_z(PI)), times(z, about_x(PI))] {
                for errors in 0..8 {
                    let mut matrix = exact;
                    for axis in 0..3 {
                        matrix[4 * axis] += if errors >> axis & 1 == 1 { 5e-8 } else { -5e-8 };
                    }
                    let found = PackedQuaternion::from_matrix(&matrix).unwrap();
                    let off = angle(found.to_matrix(), exact);
                    assert!(off < 0.01, "{matrix:?} is off by {off}");
                }
            }
        }
    }

    /// The captures: six bytes, the rotation that was sent, omitted, a, b, c, and the error in degrees.
    fn captures() -> [(&'static str, Matrix, Component, [i16; 3], f64); 4] {
        use std::f64::consts::PI;
        let yxz = |x, y, z| times(times(about_y(y), about_x(x)), about_z(z));
        let xyz = |x, y, z| times(times(about_x(x), about_y(y)), about_z(z));
        [
            ("54009391a6cc", yxz(5.0, -1.0, 9.0), Component::Z, [-11264, 10019, 9932], 0.0024),
            ("1c1d16b1de9e", yxz(-1.0, 2.0, 3.0), Component::X, [7197, 11619, -8546], 0.0040),
            ("1dffd4e79151", xyz(PI / 4.0, PI / 3.0, 0.0), Component::W, [7679, 10703, 4433], 0.0033),
            ("6f427b6daa6a", xyz(PI, 1.0, 9.0), Component::Y, [-4286, -2341, 10858], 0.0029),
        ]
    }

    /// The angle between two rotations, in degrees.
    fn angle(one: Matrix, other: Matrix) -> f64 {
        let trace: f64 = one.iter().zip(other).map(|(one, other)| one * other).sum();
        // the cosine of a small angle is imprecise
        let distance: f64 = one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum();
        assert!(trace > 2.9);
        2.0 * (distance.sqrt() / (2.0 * SQRT_2)).asin().to_degrees()
    }

    #[test]
    fn the_captures_are_exact() {
        for (bytes, sent, omitted, fields, off) in captures() {
            let packed = PackedQuaternion::new(omitted, fields).unwrap();
            both_ways(&hex(bytes), packed, packed_quaternion, gen_packed_quaternion(packed));
            assert_eq!(PackedQuaternion::from_matrix(&sent), Some(packed));
            assert_eq!(PackedQuaternion::from_matrix(&packed.to_matrix()), Some(packed));
            assert_eq!(PackedQuaternion::from_quaternion(packed.to_quaternion()), Some(packed));
            assert_eq!(PackedQuaternion::from_quaternion(packed.to_quaternion().map(|part| -3.0 * part)), Some(packed));
            let found = angle(packed.to_matrix(), sent);
            assert!((found - off).abs() < 0.000_05, "{bytes} is off by {found}");
        }
    }

    /// Checks the claims of the module about other scales and ways of rounding.
    #[test]
    fn nothing_else_is_exact() {
        let fits = |scale: f64, round: fn(f64) -> f64| {
            let fits = |sent: &Matrix, packed: PackedQuaternion| {
                // the exact quaternion, with the sign that is sent: from the matrix, by way of the best row
                let near = packed.to_quaternion();
                let row = near.map(f64::abs);
                let best = row.iter().position(|part| *part == row.into_iter().fold(0.0, f64::max)).unwrap();
                let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = *sent;
                let exact = [
                    [1.0 + xx - yy - zz, xy + yx, xz + zx, zy - yz],
                    [xy + yx, 1.0 - xx + yy - zz, yz + zy, xz - zx],
                    [xz + zx, yz + zy, 1.0 - xx - yy + zz, yx - xy],
                    [zy - yz, xz - zx, yx - xy, 1.0 + xx + yy + zz],
                ][best];
                let length = exact.iter().map(|part| part * part).sum::<f64>().sqrt();
                let others = exact.iter().enumerate().filter(|(index, _)| *index != best);
                others.zip(packed.fields()).all(|((_, part), field)| round(part / length * scale) == f64::from(field))
            };
            captures()
                .iter()
                .filter(|(bytes, sent, ..)| {
                    fits(sent, PackedQuaternion::from_bytes(hex(bytes).try_into().unwrap()).unwrap())
                })
                .count()
        };
        assert_eq!(fits(SCALE, f64::round), 4);
        assert_eq!(fits(16384.0 * SQRT_2, f64::round), 1);
        assert!(fits(SCALE, f64::trunc) < 4 && fits(SCALE, f64::floor) < 4);
    }

    #[test]
    fn every_field_comes_back() {
        for omitted in Component::ALL {
            for fields in [[-0x4000, 0x3fff, 0], [1, -1, -0x3fff], [0x3fff, 0, -0x4000]] {
                let packed = PackedQuaternion::new(omitted, fields).unwrap();
                assert_eq!(PackedQuaternion::from_bytes(packed.to_bytes()), Ok(packed));
            }
        }
        assert_eq!(PackedQuaternion::IDENTITY.to_bytes()[..], hex("0000 c0000000"));
        assert_eq!(PackedQuaternion::new(Component::X, [0, 0x4000, 0]), Err(QuaternionError::OutOfRange(0x4000)));
        assert_eq!(PackedQuaternion::new(Component::X, [0, 0, -0x4001]), Err(QuaternionError::OutOfRange(-0x4001)));
    }

    #[test]
    fn the_first_bit_is_reserved() {
        let error = run(&hex("8000 00000000")[..], packed_quaternion()).unwrap_err();
        assert_eq!((error.offset(), error.fault()), (0.into(), &Fault::ReservedBit));
        assert_eq!(PackedQuaternion::from_bytes([0x80, 0, 0, 0, 0, 0]), Err(QuaternionError::ReservedBit));
    }

    #[test]
    fn what_has_no_direction_has_no_fields() {
        for nothing in [[0.0; 4], [f64::NAN, 0.0, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0, 0.0], [f64::MAX; 4]] {
            assert_eq!(PackedQuaternion::from_quaternion(nothing), None);
        }
        assert_eq!(PackedQuaternion::from_matrix(&[f64::NAN; 9]), None);
        let tiny = [0.0, 0.0, 0.0, -1e-300];
        assert_eq!(PackedQuaternion::from_quaternion(tiny), Some(PackedQuaternion::IDENTITY));
    }

    #[test]
    fn of_several_largest_the_first_is_left_out() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        for (quaternion, bytes) in
            [([half, 0.0, 0.0, half], "0000 00003fff"), ([half, 0.0, 0.0, -half], "0000 00004001")]
        {
            assert_eq!(PackedQuaternion::from_quaternion(quaternion).unwrap().to_bytes()[..], hex(bytes));
        }
    }

    #[test]
    fn a_sum_of_squares_over_1_counts_as_1() {
        let packed = PackedQuaternion::from_bytes(hex("4000 a0003fff").try_into().unwrap()).unwrap();
        assert_eq!(packed.to_quaternion()[2], 0.0);
    }

    /// Whichever components are 0, equal or the largest: the matrix of a rotation is read back as the same rotation.
    #[test]
    fn every_rotation_is_read_from_its_matrix() {
        const PARTS: [i16; 6] = [0, 5000, -5000, 11585, -11585, 16382];
        for omitted in Component::ALL {
            for fields in PARTS.iter().flat_map(|a| PARTS.iter().flat_map(move |b| PARTS.map(|c| [*a, *b, c]))) {
                let squares = fields.map(|field| (f64::from(field) / SCALE).powi(2)).iter().sum::<f64>();
                if squares > 1.0 {
                    continue;
                }
                let matrix = PackedQuaternion::new(omitted, fields).unwrap().to_matrix();
                let found = PackedQuaternion::from_matrix(&matrix).unwrap();
                let off = angle(found.to_matrix(), matrix);
                assert!(off < 0.01, "{omitted:?} {fields:?} is off by {off}");
            }
        }
        // a quarter turn; its cosine is not quite 0
        for turn in [about_x, about_y, about_z].map(|about| about(std::f64::consts::FRAC_PI_2)) {
            let found = PackedQuaternion::from_matrix(&turn).unwrap();
            assert!(angle(found.to_matrix(), turn) < 0.01, "{found:?}");
        }
    }
}
