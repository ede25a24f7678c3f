//! The 24 rotations that turn the axes into axes, and their ids.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_3, PI};
use std::fmt;

use thiserror::Error;

use super::vector3::Vector3;

/// One of the 24 axis-aligned rotations, as one byte.
///
/// The matrix has the right vector, the up vector and the back vector for columns. With the directions +X, +Y, +Z,
/// −X, −Y, −Z numbered from 0 to 5, `id = 6·number(right) + number(up) + 1`; the back vector is the cross product of the
/// two, and where its zeros are negative, so are those of Studio.
///
/// ```
/// use enginewire::roblox::datatypes::RotationId;
///
/// let id = RotationId::try_from(0x06)?;
/// assert_eq!(id.matrix(), [1.0, 0.0, -0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0]);
/// assert_eq!(RotationId::from_matrix(&id.matrix()), Some(id));
/// # Ok::<(), enginewire::roblox::datatypes::UnknownRotationId>(())
/// ```
///
/// Specification: `docs/spec/roblox-attributes.md`, section Rotation ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RotationId(u8);

/// As the byte.
#[cfg(feature = "text")]
const _: () = {
    use crate::member::{serde_by_member, Give, Given, Member, Mismatch, Receiver, Shape};

    impl Give for RotationId {
        fn give(&self, to: &mut dyn Receiver) {
            self.0.give(to);
        }
    }

    impl Member for RotationId {
        const SHAPE: Shape = Shape::U8;

        fn take(given: Given<'_>) -> Result<Self, Mismatch> {
            u8::take(given)?.try_into().map_err(|error: UnknownRotationId| given.custom(error))
        }
    }

    serde_by_member!([] RotationId);
};

/// A byte that is the id of no rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0:#04x} is not one of the 24 rotation ids")]
pub struct UnknownRotationId(pub u8);

/// The directions in the order of their numbers.
const DIRECTIONS: [[f32; 3]; 6] =
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];

/// A third of a turn.
const THIRD: f32 = 2.0 * FRAC_PI_3;

/// For each id the angle and the direction of the axis, whose length is that of its numbers.
const AXIS_ANGLES: [(u8, f32, [f32; 3]); 24] = [
    (0x02, 0.0, [0.0, 0.0, 0.0]),
    (0x03, FRAC_PI_2, [1.0, 0.0, 0.0]),
    (0x05, PI, [1.0, 0.0, 0.0]),
    (0x06, FRAC_PI_2, [-1.0, 0.0, 0.0]),
    (0x07, PI, [1.0, 1.0, 0.0]),
    (0x09, THIRD, [1.0, 1.0, 1.0]),
    (0x0a, FRAC_PI_2, [0.0, 0.0, 1.0]),
    (0x0c, THIRD, [-1.0, -1.0, 1.0]),
    (0x0d, THIRD, [-1.0, -1.0, -1.0]),
    (0x0e, FRAC_PI_2, [0.0, -1.0, 0.0]),
    (0x10, THIRD, [1.0, -1.0, 1.0]),
    (0x11, PI, [1.0, 0.0, 1.0]),
    (0x14, PI, [0.0, 1.0, 0.0]),
    (0x15, PI, [0.0, 1.0, 1.0]),
    (0x17, PI, [0.0, 0.0, 1.0]),
    (0x18, PI, [0.0, -1.0, 1.0]),
    (0x19, FRAC_PI_2, [0.0, 0.0, -1.0]),
    (0x1b, THIRD, [1.0, -1.0, -1.0]),
    (0x1c, PI, [-1.0, 1.0, 0.0]),
    (0x1e, THIRD, [-1.0, 1.0, -1.0]),
    (0x1f, THIRD, [1.0, 1.0, -1.0]),
    (0x20, FRAC_PI_2, [0.0, 1.0, 0.0]),
    (0x22, THIRD, [-1.0, 1.0, 1.0]),
    (0x23, PI, [-1.0, 0.0, 1.0]),
];

impl RotationId {
    /// No rotation.
    pub const IDENTITY: Self = RotationId(0x02);

    /// All 24, ascending.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..=u8::MAX).filter_map(|id| Self::try_from(id).ok())
    }

    /// The rotation matrix, row by row.
    #[must_use]
    pub fn matrix(self) -> [f32; 9] {
        let [right, up] = self.numbers().map(|number| DIRECTIONS.get(usize::from(number)).copied().unwrap_or_default());
        let [[rx, ry, rz], [ux, uy, uz]] = [right, up];
        let [bx, by, bz] = [ry * uz - rz * uy, rz * ux - rx * uz, rx * uy - ry * ux];
        [rx, ux, bx, ry, uy, by, rz, uz, bz]
    }

    /// The id of a matrix whose nine numbers are exactly those of [`matrix`](Self::matrix); −0 counts as 0. A matrix
    /// that is only nearly axis-aligned has none.
    #[must_use]
    pub fn from_matrix(matrix: &[f32; 9]) -> Option<Self> {
        Self::all().find(|id| id.matrix() == *matrix)
    }

    /// The same rotation as a turn about an axis: the axis, whose length is 1, and the angle, in radians from 0 to π. No
    /// rotation has an axis of length 0.
    ///
    /// ```
    /// use enginewire::roblox::datatypes::{RotationId, Vector3};
    ///
    /// let (axis, angle) = RotationId::try_from(0x20)?.axis_angle();
    /// assert_eq!((axis, angle), (Vector3 { x: 0.0, y: 1.0, z: 0.0 }, std::f32::consts::FRAC_PI_2));
    /// # Ok::<(), enginewire::roblox::datatypes::UnknownRotationId>(())
    /// ```
    #[must_use]
    pub fn axis_angle(self) -> (Vector3, f32) {
        let row = AXIS_ANGLES.iter().find(|(id, ..)| *id == self.0);
        let (_, angle, [x, y, z]) = row.copied().unwrap_or_default();
        let length = f32::sqrt(x.abs() + y.abs() + z.abs()).max(1.0);
        (Vector3 { x: x / length, y: y / length, z: z / length }, angle)
    }

    /// The numbers of the right and the up direction.
    const fn numbers(self) -> [u8; 2] {
        let number = self.0.saturating_sub(1);
        [number / 6, number % 6]
    }
}

impl TryFrom<u8> for RotationId {
    type Error = UnknownRotationId;

    fn try_from(id: u8) -> Result<Self, UnknownRotationId> {
        let [right, up] = RotationId(id).numbers();
        // the axes must differ; for id 0 they do not
        if right < 6 && right % 3 != up % 3 {
            Ok(RotationId(id))
        } else {
            Err(UnknownRotationId(id))
        }
    }
}

impl From<RotationId> for u8 {
    fn from(id: RotationId) -> u8 {
        id.0
    }
}

impl fmt::Debug for RotationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RotationId({:#04x})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// As the specification prints them.
    const TABLE: &str = "
        02 +1 +0 +0 +0 +1 +0 +0 +0 +1
        03 +1 +0 +0 +0 +0 -1 +0 +1 +0
        05 +1 +0 +0 +0 -1 +0 +0 +0 -1
        06 +1 +0 -0 +0 +0 +1 +0 -1 +0
        07 +0 +1 +0 +1 +0 +0 +0 +0 -1
        09 +0 +0 +1 +1 +0 +0 +0 +1 +0
        0a +0 -1 +0 +1 +0 -0 +0 +0 +1
        0c +0 +0 -1 +1 +0 +0 +0 -1 +0
        0d +0 +1 +0 +0 +0 +1 +1 +0 +0
        0e +0 +0 -1 +0 +1 +0 +1 +0 +0
        10 +0 -1 +0 +0 +0 -1 +1 +0 +0
        11 +0 +0 +1 +0 -1 +0 +1 +0 -0
        14 -1 +0 +0 +0 +1 +0 +0 +0 -1
        15 -1 +0 +0 +0 +0 +1 +0 +1 -0
        17 -1 +0 +0 +0 -1 +0 +0 +0 +1
        18 -1 +0 -0 +0 +0 -1 +0 -1 -0
        19 +0 +1 -0 -1 +0 +0 +0 +0 +1
        1b +0 +0 -1 -1 +0 +0 +0 +1 +0
        1c +0 -1 -0 -1 +0 -0 +0 +0 -1
        1e +0 +0 +1 -1 +0 +0 +0 -1 +0
        1f +0 +1 +0 +0 +0 -1 -1 +0 +0
        20 +0 +0 +1 +0 +1 -0 -1 +0 +0
        22 +0 -1 +0 +0 +0 +1 -1 +0 +0
        23 +0 +0 -1 +0 -1 -0 -1 +0 -0";

    #[test]
    fn the_matrices_are_those_of_the_specification_signs_of_zero_too() {
        let table: Vec<(u8, [u32; 9])> = TABLE
            .lines()
            .filter_map(|line| line.trim().split_once(' '))
            .map(|(id, matrix)| {
                let numbers: Vec<u32> = matrix.split(' ').map(|n| n.parse::<f32>().unwrap().to_bits()).collect();
                (u8::from_str_radix(id, 16).unwrap(), numbers.try_into().unwrap())
            })
            .collect();
        let ours: Vec<_> = RotationId::all().map(|id| (id.0, id.matrix().map(f32::to_bits))).collect();
        assert_eq!(ours, table);
    }

    #[test]
    fn a_matrix_has_its_id_only_when_exact() {
        for id in RotationId::all() {
            assert_eq!(RotationId::from_matrix(&id.matrix()), Some(id));
            assert_eq!(RotationId::from_matrix(&id.matrix().map(|number| number + 0.0)), Some(id));
            assert_eq!(RotationId::from_matrix(&id.matrix().map(|number| number * 0.999_999_9)), None);
        }
        assert_eq!(RotationId::from_matrix(&[0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5]), None);
        assert_eq!(RotationId::from_matrix(&[f32::NAN; 9]), None);
    }

    /// By the formula of Rodrigues.
    #[test]
    fn axis_and_angle_give_the_matrix() {
        for id in RotationId::all() {
            let (Vector3 { x, y, z }, angle) = id.axis_angle();
            let (sin, cos) = angle.sin_cos();
            let rest = 1.0 - cos;
            let length = x * x + y * y + z * z;
            assert!((length - if id == RotationId::IDENTITY { 0.0 } else { 1.0 }).abs() < 1e-6, "{id:?}");
            let turned = [
                [cos + x * x * rest, x * y * rest - z * sin, x * z * rest + y * sin],
                [y * x * rest + z * sin, cos + y * y * rest, y * z * rest - x * sin],
                [z * x * rest - y * sin, z * y * rest + x * sin, cos + z * z * rest],
            ];
            for (turned, number) in turned.as_flattened().iter().zip(id.matrix()) {
                assert!((turned - number).abs() < 1e-6, "{id:?}: {turned} is not {number}");
            }
        }
    }

    #[test]
    fn a_rotation_id_is_shown_as_the_specification_writes_it() {
        assert_eq!(format!("{:?}", RotationId::try_from(0x0a).unwrap()), "RotationId(0x0a)");
    }
}
