//! CFrame.

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::options::ValueOptions;
use super::quaternion::{gen_packed_quaternion, packed_quaternion, PackedQuaternion};
use crate::roblox::datatypes::{gen_vector3, quaternion, rotation_form, vector3, Form, RotationId, Vector3};
use crate::structure::structure;
use crate::wire::{field, field_value, gen_uint8, switch_to, Be, Source, Valued, WireError};

structure! {
    /// A position and a rotation, in the form used in packets. Attributes use
    /// [`datatypes::CFrame`](crate::roblox::datatypes::CFrame), which writes a matrix for a rotation without an id.
    ///
    /// | field | type | the documentation calls it |
    /// |---|---|---|
    /// | position | Vector3 | X, Y, Z |
    /// | rotation | [`Rotation`] | Id; Rotation |
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
/// | quaternion | 6 bytes | a [`PackedQuaternion`]; only if the id is 0 |
#[derive(Clone, Copy, PartialEq)]
pub enum Rotation {
    /// One of the 24 axis-aligned rotations, by its id.
    Aligned(RotationId),
    /// Any other rotation. A quaternion that happens to be axis-aligned stays a quaternion.
    Quaternion(PackedQuaternion),
}

#[cfg(feature = "text")]
crate::member::by_choice!(Rotation { Aligned(RotationId) "id" 0, Quaternion(PackedQuaternion) "quaternion" 1, });

/// With a minus, as in a tree of fields, in the words of the specification: `id 0x02`.
impl fmt::Debug for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rotation::Aligned(id) if f.sign_minus() => write!(f, "id {:#04x}", u8::from(*id)),
            Rotation::Quaternion(quaternion) if f.sign_minus() => fmt::Debug::fmt(quaternion, f),
            Rotation::Aligned(id) => f.debug_tuple("Aligned").field(id).finish(),
            Rotation::Quaternion(quaternion) => f.debug_tuple("Quaternion").field(quaternion).finish(),
        }
    }
}

impl Rotation {
    /// The rotation matrix, row by row.
    #[must_use]
    pub fn matrix(&self) -> [f64; 9] {
        match self {
            Rotation::Aligned(id) => id.matrix().map(f64::from),
            Rotation::Quaternion(quaternion) => quaternion.to_matrix(),
        }
    }

    /// The same rotation as a quaternion x, y, z, w of length 1.
    #[doc(alias = "Quat")]
    #[must_use]
    pub fn quaternion(&self) -> [f64; 4] {
        match self {
            Rotation::Aligned(_) => {
                quaternion::normalised(quaternion::of_matrix(&self.matrix())).unwrap_or([f64::NAN; 4])
            }
            Rotation::Quaternion(quaternion) => quaternion.to_quaternion(),
        }
    }

    /// The form that a sender uses for a matrix: an id if the numbers are exactly those of one, otherwise a quaternion.
    /// `None` if the matrix is not finite.
    ///
    /// ```
    /// use enginewire::roblox::{datatypes::RotationId, remote::Rotation};
    ///
    /// let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    /// assert_eq!(Rotation::from_matrix(&identity), Some(Rotation::Aligned(RotationId::IDENTITY)));
    /// ```
    #[must_use]
    pub fn from_matrix(matrix: &[f64; 9]) -> Option<Self> {
        let is_same = |id: &RotationId| id.matrix().map(f64::from) == *matrix;
        match RotationId::all().find(is_same) {
            Some(id) => Some(Rotation::Aligned(id)),
            None => PackedQuaternion::from_matrix(matrix).map(Rotation::Quaternion),
        }
    }
}

impl From<RotationId> for Rotation {
    fn from(id: RotationId) -> Self {
        Rotation::Aligned(id)
    }
}

impl From<PackedQuaternion> for Rotation {
    fn from(quaternion: PackedQuaternion) -> Self {
        Rotation::Quaternion(quaternion)
    }
}

/// Reads a [`CFrame`].
///
/// In big-endian, the bytes `44 6a 80 00 00 00 00 00 c0 00 00 00 02` are the position 938, 0, −2, not turned. A rotation that
/// [`rotation`] refuses is refused.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section CFrame.
#[inline]
pub fn cframe<I: Source, E: WireError<I>>() -> impl Parser<I, Output = CFrame, Error = E> {
    (field("position", vector3::<Be, I, E>()), field("rotation", rotation()))
        .map(|(position, rotation)| CFrame { position, rotation })
}

/// Reads a [`Rotation`]. An id that is neither 0 nor a [`RotationId`] is [`Fault::Unknown`](crate::Fault::Unknown).
///
/// The byte `02` is `Rotation::Aligned(RotationId::IDENTITY)`. A quaternion, which is big-endian, is refused if
/// [`packed_quaternion`] refuses it.
///
/// Specification: `docs/spec/roblox-remote-packets.md`, section Rotation.
#[inline]
pub fn rotation<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Rotation, Error = E> {
    RotationParser(PhantomData)
}

struct RotationParser<E>(PhantomData<fn() -> E>);

impl<I: Source, E: WireError<I>> Parser<I> for RotationParser<E> {
    type Output = Rotation;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Rotation, E> {
        let (rest, form) = field("id", rotation_form()).process::<Valued<OM>>(input)?;
        match form {
            Form(Some(id)) => Ok((rest, OM::Output::bind(|| Rotation::Aligned(id)))),
            Form(None) => {
                switch_to::<OM, _, _>(rest, || field("quaternion", packed_quaternion()).map(Rotation::Quaternion))
            }
        }
    }
}

/// Writes a [`CFrame`], as [`cframe`] reads it.
#[inline]
pub fn gen_cframe<W: Write>(value: CFrame) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| gen_rotation(value.rotation)(gen_vector3::<Be, W>(value.position)(out)?)
}

/// Writes a [`Rotation`], as [`rotation`] reads it, in the form it has.
#[inline]
pub fn gen_rotation<W: Write>(value: Rotation) -> impl SerializeFn<W> {
    move |out: WriteContext<W>| match value {
        Rotation::Aligned(id) => gen_uint8(id.into())(out),
        Rotation::Quaternion(quaternion) => gen_packed_quaternion(quaternion)(gen_uint8(0)(out)?),
    }
}

field_value!(ValueOptions: CFrame = |nesting, value| cframe(), gen_cframe(*value));

#[cfg(test)]
mod tests {
    use super::super::quaternion::Component;
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_examples() {
        let quaternion = PackedQuaternion::new(Component::Z, [-11264, 10019, 9932]).unwrap();
        for (bytes, x, z, rotation) in [
            ("446a8000 00000000 c0000000 02", 938.0, -2.0, RotationId::IDENTITY.into()),
            ("00000000 00000000 00000000 00 5400 9391a6cc", 0.0, 0.0, quaternion.into()),
        ] {
            let value = CFrame { position: Vector3 { x, y: 0.0, z }, rotation };
            both_ways(&hex(bytes), value, cframe, gen_cframe(value));
        }
        both_ways(&hex("02"), RotationId::IDENTITY.into(), rotation, gen_rotation(RotationId::IDENTITY.into()));
    }

    #[test]
    fn an_unknown_id_is_at_fault() {
        let error = run(&hex("00000000 00000000 00000000 04")[..], cframe()).unwrap_err();
        assert_eq!(error.to_string(), "unknown rotation id 0x04, at byte 0xc in rotation.id");
    }

    #[test]
    fn matrices_take_the_form_that_a_sender_gives_them() {
        for id in RotationId::all() {
            assert_eq!(Rotation::from_matrix(&Rotation::from(id).matrix()), Some(id.into()));
        }
        let quaternion = PackedQuaternion::new(Component::X, [7197, 11619, -8546]).unwrap();
        assert_eq!(Rotation::from_matrix(&quaternion.to_matrix()), Some(quaternion.into()));
        assert_eq!(Rotation::from_matrix(&[f64::INFINITY; 9]), None);
    }
}
