//! CFrame.

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::sequence::tuple;
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::quaternion;
use super::rotation_id::RotationId;
use super::vector3::{gen_vector3, vector3, Vector3};
use crate::error::{Fault, Radix};
use crate::structure::structure;
use crate::wire::{
    array, field, field_value, float32, gen_float32s, gen_uint8, uint8, unknown, verify, ByteOrder, Source, Valued,
    WireError,
};

structure! {
    /// A position and a rotation.
    ///
    /// | field | type |
    /// |---|---|
    /// | position | Vector3 |
    /// | rotation | [`Rotation`] |
    #[derive(Copy)]
    pub struct CFrame {
        /// The position, in studs.
        pub position: Vector3,
        /// The rotation.
        pub rotation: Rotation,
    }
}

/// The rotation of a [`CFrame`], in the form it had on the wire.
///
/// | field | type | |
/// |---|---|---|
/// | id | uint8 | 0, or a [`RotationId`] |
/// | matrix | 9 × float32 | row by row; only if the id is 0 |
#[derive(Clone, Copy, PartialEq)]
pub enum Rotation {
    /// One of the 24 axis-aligned rotations, by its id.
    Aligned(RotationId),
    /// Nine numbers, row by row: the columns are the right, the up and the back vector. They are not checked, and a
    /// matrix that happens to be axis-aligned stays a matrix.
    Matrix([f32; 9]),
}

#[cfg(feature = "text")]
crate::member::by_choice!(Rotation { Aligned(RotationId) "id" 0, Matrix([f32; 9]) "matrix" 1, });

/// With a minus, as in a tree of fields, in the words of the specification: `id 0x02`.
impl fmt::Debug for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rotation::Aligned(id) if f.sign_minus() => write!(f, "id {:#04x}", u8::from(*id)),
            Rotation::Matrix(matrix) if f.sign_minus() => write!(f, "matrix {matrix:?}"),
            Rotation::Aligned(id) => f.debug_tuple("Aligned").field(id).finish(),
            Rotation::Matrix(matrix) => f.debug_tuple("Matrix").field(matrix).finish(),
        }
    }
}

impl Rotation {
    /// The rotation matrix, row by row.
    #[must_use]
    pub fn matrix(&self) -> [f32; 9] {
        match self {
            Rotation::Aligned(id) => id.matrix(),
            Rotation::Matrix(matrix) => *matrix,
        }
    }

    /// The form that Studio uses for a matrix: an id if the numbers are exactly those of one, otherwise the matrix.
    #[must_use]
    pub fn from_matrix(matrix: [f32; 9]) -> Self {
        RotationId::from_matrix(&matrix).map_or(Rotation::Matrix(matrix), Rotation::Aligned)
    }

    /// The same rotation as a quaternion x, y, z, w of length 1, where w is not negative. A matrix that is not a rotation gives
    /// a quaternion close to it, and numbers that are not finite give NaN.
    ///
    /// ```
    /// use enginewire::roblox::datatypes::{Rotation, RotationId};
    ///
    /// assert_eq!(Rotation::from(RotationId::IDENTITY).quaternion(), [0.0, 0.0, 0.0, 1.0]);
    /// let half_turn = Rotation::from_quaternion([0.0, 2.0, 0.0, 0.0]).unwrap(); // of any length
    /// assert_eq!(half_turn.quaternion(), [0.0, 1.0, 0.0, 0.0]);
    /// ```
    #[doc(alias = "Quat")]
    #[must_use]
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // rounding is what is asked for
    pub fn quaternion(&self) -> [f32; 4] {
        let quaternion = quaternion::normalised(quaternion::of_matrix(&self.matrix().map(f64::from)));
        let quaternion = quaternion.unwrap_or([f64::NAN; 4]);
        let sign = if matches!(quaternion, [.., w] if w < 0.0) { -1.0 } else { 1.0 };
        // adding 0 makes -0 the usual 0
        quaternion.map(|component| (component * sign + 0.0) as f32)
    }

    /// The rotation of a quaternion x, y, z, w of any length, in the form of [`from_matrix`](Self::from_matrix); `None` if its
    /// length is 0 or not finite.
    #[must_use]
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // rounding is what is asked for
    pub fn from_quaternion(quaternion: [f32; 4]) -> Option<Self> {
        let quaternion = quaternion::normalised(quaternion.map(f64::from))?;
        Some(Self::from_matrix(quaternion::to_matrix(quaternion).map(|number| number as f32)))
    }
}

impl CFrame {
    /// At the origin, and not turned.
    pub const IDENTITY: Self = CFrame::new(Vector3::new(0.0, 0.0, 0.0));

    /// At a position, and not turned.
    ///
    /// ```
    /// use enginewire::roblox::datatypes::{CFrame, Vector3};
    ///
    /// let above = CFrame::new(Vector3::new(0.0, 5.0, 0.0));
    /// assert_eq!(above.quaternion(), [0.0, 0.0, 0.0, 1.0]);
    /// ```
    #[must_use]
    pub const fn new(position: Vector3) -> Self {
        CFrame { position, rotation: Rotation::Aligned(RotationId::IDENTITY) }
    }

    /// The rotation as a quaternion x, y, z, w: see [`Rotation::quaternion`].
    #[must_use]
    pub fn quaternion(&self) -> [f32; 4] {
        self.rotation.quaternion()
    }

    /// From a position and a quaternion x, y, z, w: see [`Rotation::from_quaternion`].
    #[must_use]
    pub fn from_quaternion(position: Vector3, quaternion: [f32; 4]) -> Option<Self> {
        Rotation::from_quaternion(quaternion).map(|rotation| CFrame { position, rotation })
    }
}

/// Not turned.
impl From<Vector3> for CFrame {
    fn from(position: Vector3) -> Self {
        CFrame::new(position)
    }
}

/// Makes a CFrame from the position and the rotation matrix, row by row: the order of `CFrame:GetComponents()`. The rotation
/// has the form of [`Rotation::from_matrix`].
///
/// ```
/// use enginewire::roblox::datatypes::CFrame;
///
/// let components = [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// assert_eq!(<[f32; 12]>::from(CFrame::from(components)), components);
/// ```
impl From<[f32; 12]> for CFrame {
    fn from([x, y, z, matrix @ ..]: [f32; 12]) -> Self {
        CFrame { position: Vector3 { x, y, z }, rotation: Rotation::from_matrix(matrix) }
    }
}

/// The position and the rotation matrix, row by row.
impl From<CFrame> for [f32; 12] {
    fn from(CFrame { position: Vector3 { x, y, z }, rotation }: CFrame) -> Self {
        let [a, b, c, d, e, f, g, h, i] = rotation.matrix();
        [x, y, z, a, b, c, d, e, f, g, h, i]
    }
}

impl From<RotationId> for Rotation {
    fn from(id: RotationId) -> Self {
        Rotation::Aligned(id)
    }
}

impl From<[f32; 9]> for Rotation {
    /// Always a matrix. [`RotationId::from_matrix`] finds the shorter form, where there is one.
    fn from(matrix: [f32; 9]) -> Self {
        Rotation::Matrix(matrix)
    }
}

/// Reads a [`CFrame`].
///
/// In little-endian, the bytes `00 00 80 3f 00 00 00 40 00 00 40 40 02` are `CFrame::new(Vector3::new(1.0, 2.0, 3.0))`. A
/// rotation that [`rotation`] refuses is refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section CFrame.
#[inline]
pub fn cframe<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = CFrame, Error = E> {
    (field("position", vector3::<B, I, E>()), field("rotation", rotation::<B, I, E>()))
        .map(|(position, rotation)| CFrame { position, rotation })
}

/// Reads a [`Rotation`]. An id that is neither 0 nor a [`RotationId`] is [`Fault::Unknown`].
///
/// The byte `02` is `Rotation::Aligned(RotationId::IDENTITY)`. The numbers of a matrix are little-endian or big-endian, and
/// none of them is refused.
///
/// Specification: `docs/spec/roblox-attributes.md`, section Rotation.
#[inline]
pub fn rotation<B: ByteOrder, I: Source, E: WireError<I>>() -> impl Parser<I, Output = Rotation, Error = E> {
    RotationParser(PhantomData::<fn() -> (B, E)>)
}

struct RotationParser<B, E>(PhantomData<fn() -> (B, E)>);

impl<B: ByteOrder, I: Source, E: WireError<I>> Parser<I> for RotationParser<B, E> {
    type Output = Rotation;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Rotation, E> {
        let (rest, form) = field("id", rotation_form()).process::<Valued<OM>>(input)?;
        match form {
            Form(Some(id)) => Ok((rest, OM::Output::bind(|| Rotation::Aligned(id)))),
            Form(None) => {
                field("matrix", array::<9, _>(float32::<B, I, E>())).map(Rotation::Matrix).process::<OM>(rest)
            }
        }
    }
}

/// The id: that of an axis-aligned rotation, or `None` where something else follows: a matrix, or what another format has.
#[derive(Clone, Copy)]
pub(crate) struct Form(pub(crate) Option<RotationId>);

/// Reads the id of a rotation, or 0.
#[inline]
pub(crate) fn rotation_form<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Form, Error = E> {
    verify(uint8(), |id| match (id, RotationId::try_from(id)) {
        (0, _) => Ok(Form(None)),
        (_, Ok(id)) => Ok(Form(Some(id))),
        (found, Err(_)) => Err(unknown_rotation(found)),
    })
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#04x}", self.0.map_or(0, u8::from))
    }
}

#[cold]
fn unknown_rotation(found: u8) -> Fault {
    let known = std::iter::once(0).chain(RotationId::all().map(u8::from));
    unknown("rotation id", Radix::Hexadecimal, found, known)
}

/// Writes a [`CFrame`], as [`cframe`] reads it.
#[inline]
pub fn gen_cframe<B: ByteOrder, W: Write>(value: CFrame) -> impl SerializeFn<W> {
    tuple((gen_vector3::<B, W>(value.position), gen_rotation::<B, W>(value.rotation)))
}

/// Writes a [`Rotation`], as [`rotation`] reads it, in the form it has.
#[inline]
pub fn gen_rotation<B: ByteOrder, W: Write>(value: Rotation) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| match value {
        Rotation::Aligned(id) => gen_uint8(id.into())(out),
        Rotation::Matrix(matrix) => gen_float32s::<B, 9, W>(matrix)(gen_uint8(0)(out)?),
    }
}

field_value!(CFrame: cframe, gen_cframe);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::{Le, Traceback};
    use pretty_assertions::assert_eq;

    #[test]
    fn trees_show_the_words_of_the_specification() {
        let shown = |rotation: Rotation| [format!("{rotation:?}"), format!("{rotation:-?}")];
        assert_eq!(shown(Rotation::Aligned(RotationId::IDENTITY)), ["Aligned(RotationId(0x02))", "id 0x02"]);
        let [usual, in_tree] = shown(Rotation::Matrix([1.0; 9]));
        assert!(usual.starts_with("Matrix([1.0, ") && in_tree.starts_with("matrix [1.0, "));
    }

    const POSITION: Vector3 = Vector3 { x: 1.0, y: 2.0, z: 3.0 };

    #[test]
    fn worked_example_with_an_id() {
        let bytes = hex("00 00 80 3f 00 00 00 40 00 00 40 40 02");
        let value = CFrame { position: POSITION, rotation: RotationId::IDENTITY.into() };
        both_ways(&bytes, value, cframe::<Le, _, _>, gen_cframe::<Le, _>(value));
        both_ways(&hex("02"), value.rotation, rotation::<Le, _, _>, gen_rotation::<Le, _>(value.rotation));
    }

    #[test]
    fn worked_example_with_a_matrix() {
        let bytes = hex("00 00 80 3f 00 00 00 40 00 00 40 40 00 f3 04 35 3f 00 00 00 00 f3 04 35 3f
                         00 00 00 00 00 00 80 3f 00 00 00 00 f3 04 35 bf 00 00 00 00 f3 04 35 3f");
        let [zero, half] = [0.0, std::f32::consts::FRAC_1_SQRT_2];
        let rotation = Rotation::Matrix([half, zero, half, zero, 1.0, zero, -half, zero, half]);
        let value = CFrame { position: POSITION, rotation };
        both_ways(&bytes, value, cframe::<Le, _, _>, gen_cframe::<Le, _>(value));
    }

    /// A quaternion and its rotation are the same, for every axis that is the longest.
    #[test]
    fn a_rotation_is_a_quaternion_and_back() {
        let near = |one: &[f32], other: &[f32]| one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-6);
        for id in RotationId::all() {
            let quaternion = Rotation::from(id).quaternion();
            let (axis, angle) = id.axis_angle();
            let (sin, cos) = (angle / 2.0).sin_cos();
            let expected = [axis.x * sin, axis.y * sin, axis.z * sin, cos];
            // half a turn is the same about either end of its axis
            assert!(near(&quaternion, &expected) || cos < 1e-6 && near(&quaternion, &expected.map(|number| -number)));
            let back = Rotation::from_quaternion(quaternion).unwrap();
            assert!(near(&back.matrix(), &id.matrix()), "{id:?}: {back:?}");
        }
        for quaternion in [[0.5, 0.1, -0.2, 0.3], [0.1, -0.9, 0.2, 0.3], [0.1, 0.2, 0.7, -0.1], [3.0, 1.0, 2.0, 9.0]] {
            let read = CFrame::from_quaternion(POSITION, quaternion).unwrap().quaternion();
            let [.., w] = quaternion;
            let length = quaternion.iter().map(|number| number * number).sum::<f32>().sqrt() * w.signum();
            assert!(near(&read, &quaternion.map(|number| number / length)), "{read:?}");
        }
        assert_eq!(Rotation::from_quaternion([0.0; 4]), None);
        assert_eq!(Rotation::from_quaternion([f32::INFINITY, 0.0, 0.0, 1.0]), None);
        assert!(Rotation::Matrix([f32::NAN; 9]).quaternion().iter().all(|number| number.is_nan()));
    }

    #[test]
    fn a_cframe_is_its_twelve_numbers() {
        assert_eq!(CFrame::from(POSITION), CFrame::new(POSITION));
        assert_eq!(<[f32; 12]>::from(CFrame::IDENTITY), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let numbers = [1.0, 2.0, 3.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let cframe = CFrame::from(numbers);
        assert!(matches!(cframe.rotation, Rotation::Matrix(_)));
        assert_eq!(<[f32; 12]>::from(cframe), numbers);
    }

    #[test]
    fn an_unknown_id_names_itself_and_the_known_ones() {
        let bytes = hex("00 00 80 3f 00 00 00 40 00 00 40 40 04");
        let Err(nom::Err::Error(error)) = cframe::<Le, _, Traceback<_>>().parse_complete(&bytes[..]) else {
            panic!("rotation id 4 was accepted")
        };
        let error = error.into_error(&bytes[..]);
        assert_eq!(error.to_string(), "unknown rotation id 0x04, at byte 0xc in rotation.id");
        assert!(error.fault().expected().unwrap().starts_with("one of 00 02 03 05 06 07 09 0a"));
    }

    #[test]
    fn every_rotation_has_a_matrix() {
        let matrix = [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        assert_eq!(Rotation::Matrix(matrix).matrix(), matrix);
        assert_eq!(format!("{:?}", Form(None)), "0x00");
        let identity = Rotation::from(RotationId::try_from(2).unwrap());
        assert_eq!(identity.matrix(), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    }
}
