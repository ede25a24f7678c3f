//! The types of [`rbx_types`]: datatypes, values and attributes.

use bstr::{BStr, ByteSlice};
use rbx_types::Variant;

use super::ConvertError;
use crate::roblox::attributes::{Attributes, ColorSequence, Entry, EnumItem, Font, NumberSequence, Value};
use crate::roblox::datatypes::*;
use crate::roblox::Tags;
use crate::wire::IntoByteString;

/// Who cannot hold what we have.
const THEIRS: &str = "rbx_types";

/// Who cannot hold what they have.
const OURS: &str = "an attribute";

/// Structures with the same names and fields.
macro_rules! alike {
    ($($type:ident { $($field:ident)* })*) => {$(
        impl From<$type> for rbx_types::$type {
            fn from(value: $type) -> Self {
                rbx_types::$type { $($field: value.$field.into()),* }
            }
        }

        impl From<rbx_types::$type> for $type {
            fn from(value: rbx_types::$type) -> Self {
                $type { $($field: value.$field.into()),* }
            }
        }
    )*};
}

alike! {
    UDim { scale offset }
    UDim2 { x y }
    Color3 { r g b }
    Vector2 { x y }
    Vector3 { x y z }
    Vector2int16 { x y }
    Vector3int16 { x y z }
    NumberRange { min max }
    NumberSequenceKeypoint { envelope time value }
    Rect { min max }
    Ray { origin direction }
    Region3 { min max }
    Region3int16 { min max }
}

/// The matrix of an id has no negative zeros, as there.
impl From<Rotation> for rbx_types::Matrix3 {
    fn from(rotation: Rotation) -> Self {
        let [a, b, c, d, e, f, g, h, i] = match rotation {
            Rotation::Aligned(id) => id.matrix().map(|number| number + 0.0),
            Rotation::Matrix(matrix) => matrix,
        };
        let row = rbx_types::Vector3::new;
        rbx_types::Matrix3::new(row(a, b, c), row(d, e, f), row(g, h, i))
    }
}

/// A matrix that has an id becomes that id, as when `rbx_types` writes it. Zeros of either sign are equal.
impl From<rbx_types::Matrix3> for Rotation {
    fn from(rbx_types::Matrix3 { x, y, z }: rbx_types::Matrix3) -> Self {
        let matrix = [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z];
        RotationId::from_matrix(&matrix).map_or(Rotation::Matrix(matrix), Rotation::Aligned)
    }
}

impl From<CFrame> for rbx_types::CFrame {
    fn from(CFrame { position, rotation }: CFrame) -> Self {
        rbx_types::CFrame { position: position.into(), orientation: rotation.into() }
    }
}

impl From<rbx_types::CFrame> for CFrame {
    fn from(rbx_types::CFrame { position, orientation }: rbx_types::CFrame) -> Self {
        CFrame { position: position.into(), rotation: orientation.into() }
    }
}

/// # Errors
///
/// If the palette has no colour of this number.
impl TryFrom<BrickColor> for rbx_types::BrickColor {
    type Error = ConvertError;

    fn try_from(BrickColor(number): BrickColor) -> Result<Self, ConvertError> {
        let known = u16::try_from(number).ok().and_then(rbx_types::BrickColor::from_number);
        known.ok_or_else(|| ConvertError::of_part(THEIRS, "BrickColor", format_args!("the number {number}")))
    }
}

impl From<rbx_types::BrickColor> for BrickColor {
    #[allow(clippy::as_conversions)] // there is no other way to the number
    fn from(color: rbx_types::BrickColor) -> Self {
        BrickColor(color as u32)
    }
}

/// Sets, which there have no other bits than those with a meaning.
macro_rules! sets {
    ($($type:ident)*) => {$(
        /// # Errors
        ///
        /// If a bit without a meaning is set.
        impl TryFrom<$type> for rbx_types::$type {
            type Error = ConvertError;

            fn try_from($type(bits): $type) -> Result<Self, ConvertError> {
                let known = u8::try_from(bits).ok().and_then(rbx_types::$type::from_bits);
                known.ok_or_else(|| ConvertError::of_part(THEIRS, stringify!($type), format_args!("the bits {bits:#x}")))
            }
        }

        impl From<rbx_types::$type> for $type {
            fn from(set: rbx_types::$type) -> Self {
                $type(set.bits().into())
            }
        }
    )*};
}

sets! { Faces Axes }

/// A text of a value.
fn text(bytes: &BStr, type_name: &'static str) -> Result<String, ConvertError> {
    let lacks = |_| ConvertError::of_part(THEIRS, type_name, format_args!("{bytes:?}, which is not UTF-8,"));
    bytes.to_str().map(str::to_owned).map_err(lacks)
}

/// # Errors
///
/// If the name of the enum is not UTF-8.
impl TryFrom<&EnumItem<'_>> for rbx_types::EnumItem {
    type Error = ConvertError;

    fn try_from(EnumItem { enum_name, value }: &EnumItem<'_>) -> Result<Self, ConvertError> {
        Ok(rbx_types::EnumItem { ty: text(enum_name, "EnumItem")?, value: *value })
    }
}

impl<'a> From<&'a rbx_types::EnumItem> for EnumItem<'a> {
    fn from(rbx_types::EnumItem { ty, value }: &'a rbx_types::EnumItem) -> Self {
        EnumItem { enum_name: ty.as_str().into_byte_string(), value: *value }
    }
}

/// # Errors
///
/// If the weight or style has no name, or a text is not UTF-8.
impl TryFrom<&Font<'_>> for rbx_types::Font {
    type Error = ConvertError;

    fn try_from(Font { weight, style, family, cached_face_id }: &Font<'_>) -> Result<Self, ConvertError> {
        let lacks = |what, number| ConvertError::of_part(THEIRS, "Font", format_args!("the {what} {number}"));
        Ok(rbx_types::Font {
            weight: rbx_types::FontWeight::from_u16(*weight).ok_or_else(|| lacks("weight", *weight))?,
            style: rbx_types::FontStyle::from_u8(*style).ok_or_else(|| lacks("style", (*style).into()))?,
            family: text(family, "Font")?,
            cached_face_id: (!cached_face_id.is_empty()).then(|| text(cached_face_id, "Font")).transpose()?,
        })
    }
}

/// No cached face is an empty one.
impl<'a> From<&'a rbx_types::Font> for Font<'a> {
    fn from(font: &'a rbx_types::Font) -> Self {
        Font {
            weight: font.weight.as_u16(),
            style: font.style.as_u8(),
            family: font.family.as_str().into_byte_string(),
            cached_face_id: font.cached_face_id.as_deref().unwrap_or_default().into_byte_string(),
        }
    }
}

impl From<&NumberSequence<'_>> for rbx_types::NumberSequence {
    fn from(keypoints: &NumberSequence<'_>) -> Self {
        rbx_types::NumberSequence { keypoints: keypoints.iter().map(Into::into).collect() }
    }
}

impl From<&rbx_types::NumberSequence> for NumberSequence<'_> {
    fn from(sequence: &rbx_types::NumberSequence) -> Self {
        sequence.keypoints.iter().map(|keypoint| NumberSequenceKeypoint::from(*keypoint)).collect()
    }
}

/// # Errors
///
/// If the envelope is not 0.
impl TryFrom<ColorSequenceKeypoint> for rbx_types::ColorSequenceKeypoint {
    type Error = ConvertError;

    fn try_from(keypoint: ColorSequenceKeypoint) -> Result<Self, ConvertError> {
        let ColorSequenceKeypoint { envelope, time, value } = keypoint;
        match envelope.to_bits() {
            0 => Ok(rbx_types::ColorSequenceKeypoint { time, color: value.into() }),
            _ => Err(ConvertError::of_part(THEIRS, "ColorSequence", format_args!("the envelope {envelope:?}"))),
        }
    }
}

impl From<rbx_types::ColorSequenceKeypoint> for ColorSequenceKeypoint {
    fn from(rbx_types::ColorSequenceKeypoint { time, color }: rbx_types::ColorSequenceKeypoint) -> Self {
        ColorSequenceKeypoint { envelope: 0.0, time, value: color.into() }
    }
}

/// # Errors
///
/// If the envelope of a keypoint is not 0.
impl TryFrom<&ColorSequence<'_>> for rbx_types::ColorSequence {
    type Error = ConvertError;

    fn try_from(keypoints: &ColorSequence<'_>) -> Result<Self, ConvertError> {
        let keypoints = keypoints.iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
        Ok(rbx_types::ColorSequence { keypoints })
    }
}

impl From<&rbx_types::ColorSequence> for ColorSequence<'_> {
    fn from(sequence: &rbx_types::ColorSequence) -> Self {
        sequence.keypoints.iter().map(|keypoint| ColorSequenceKeypoint::from(*keypoint)).collect()
    }
}

/// # Errors
///
/// If a tag is not UTF-8.
impl TryFrom<&Tags> for rbx_types::Tags {
    type Error = ConvertError;

    fn try_from(tags: &Tags) -> Result<Self, ConvertError> {
        let tags = tags.iter().map(|tag| text(tag, "Tags")).collect::<Result<Vec<_>, _>>()?;
        Ok(tags.into())
    }
}

/// # Errors
///
/// If a tag is empty and the only one, or contains a byte 0, which separates tags.
impl TryFrom<&rbx_types::Tags> for Tags {
    type Error = ConvertError;

    fn try_from(tags: &rbx_types::Tags) -> Result<Self, ConvertError> {
        let ours = Tags::from_bytes(&tags.encode());
        let as_many = ours.iter().len() == tags.len();
        match as_many {
            true => Ok(ours),
            false => Err(ConvertError::of_part("an instance", "Tags", "an empty tag or one with a byte 0")),
        }
    }
}

/// The types that both have: ours and theirs, copied or borrowed.
macro_rules! variants {
    (* { $($copied:ident = $copied_there:ident)* } & { $($lent:ident = $lent_there:ident)* }) => {
        /// A String becomes a `BinaryString`, as in `rbx_types`.
        ///
        /// # Errors
        ///
        /// If `rbx_types` has no such type, or not this value of it.
        impl TryFrom<&Value<'_>> for Variant {
            type Error = ConvertError;

            fn try_from(value: &Value<'_>) -> Result<Self, ConvertError> {
                Ok(match value {
                    Value::String(bytes) => Variant::BinaryString(bytes.as_bytes().into()),
                    $(Value::$copied(value) => Variant::$copied_there((*value).try_into()?),)*
                    $(Value::$lent(value) => Variant::$lent_there(value.try_into()?),)*
                    other => return Err(ConvertError::of_type(THEIRS, other.type_id().name())),
                })
            }
        }

        /// Texts are borrowed.
        ///
        /// # Errors
        ///
        /// If attributes have no such type.
        impl<'a> TryFrom<&'a Variant> for Value<'a> {
            type Error = ConvertError;

            fn try_from(value: &'a Variant) -> Result<Self, ConvertError> {
                Ok(match value {
                    Variant::BinaryString(bytes) => AsRef::<[u8]>::as_ref(bytes).into(),
                    Variant::String(text) => text.as_str().into(),
                    $(Variant::$copied_there(value) => Value::$copied((*value).try_into()?),)*
                    $(Variant::$lent_there(value) => Value::$lent(value.try_into()?),)*
                    other => return Err(ConvertError::of_type(OURS, format!("{:?}", other.ty()))),
                })
            }
        }
    };
}

variants! {
    * {
        Bool = Bool
        Int = Int32
        Float = Float32
        Double = Float64
        UDim = UDim
        UDim2 = UDim2
        Ray = Ray
        Faces = Faces
        Axes = Axes
        BrickColor = BrickColor
        Color3 = Color3
        Vector2 = Vector2
        Vector3 = Vector3
        Vector2int16 = Vector2int16
        Vector3int16 = Vector3int16
        CFrame = CFrame
        NumberRange = NumberRange
        Rect = Rect
        Region3 = Region3
        Region3int16 = Region3int16
    }
    & {
        EnumItem = EnumItem
        NumberSequence = NumberSequence
        ColorSequence = ColorSequence
        Font = Font
    }
}

/// As for a reference.
///
/// # Errors
///
/// As for a reference.
impl TryFrom<Value<'_>> for Variant {
    type Error = ConvertError;

    fn try_from(value: Value<'_>) -> Result<Self, ConvertError> {
        Variant::try_from(&value)
    }
}

/// As for a reference, borrowing nothing.
///
/// # Errors
///
/// As for a reference.
impl TryFrom<Variant> for Value<'static> {
    type Error = ConvertError;

    fn try_from(value: Variant) -> Result<Self, ConvertError> {
        Value::try_from(&value).map(Value::into_owned)
    }
}

/// The order becomes that of the names, and it is lost how it was written that there are none.
///
/// # Errors
///
/// If a name is not UTF-8 or is there twice, or `rbx_types` does not have the type or value of an attribute. The error names the
/// attribute.
impl TryFrom<&Attributes<'_>> for rbx_types::Attributes {
    type Error = ConvertError;

    fn try_from(attributes: &Attributes<'_>) -> Result<Self, ConvertError> {
        let mut theirs = rbx_types::Attributes::new();
        for Entry { key, value } in attributes {
            let lacks = |what| ConvertError::of_key(THEIRS, key, what);
            let name = key.to_str().map_err(|_| lacks("a name that is not UTF-8"))?.to_owned();
            let value = Variant::try_from(value).map_err(|error| error.at(key))?;
            if theirs.insert(name, value).is_some() {
                return Err(lacks("a second attribute with this name"));
            }
        }
        Ok(theirs)
    }
}

/// As for a reference.
///
/// # Errors
///
/// As for a reference.
impl TryFrom<Attributes<'_>> for rbx_types::Attributes {
    type Error = ConvertError;

    fn try_from(attributes: Attributes<'_>) -> Result<Self, ConvertError> {
        rbx_types::Attributes::try_from(&attributes)
    }
}

/// Texts are borrowed. The order is that of the names.
///
/// # Errors
///
/// If attributes have not the type of a value. The error names the attribute.
impl<'a> TryFrom<&'a rbx_types::Attributes> for Attributes<'a> {
    type Error = ConvertError;

    fn try_from(attributes: &'a rbx_types::Attributes) -> Result<Self, ConvertError> {
        let entry = |(name, value): (&'a String, &'a Variant)| -> Result<_, ConvertError> {
            let value = Value::try_from(value).map_err(|error| error.at(name.as_bytes()))?;
            Ok(Entry::new(name.as_str(), value))
        };
        attributes.iter().map(entry).collect()
    }
}

/// As for a reference, borrowing nothing.
///
/// # Errors
///
/// As for a reference.
impl TryFrom<rbx_types::Attributes> for Attributes<'static> {
    type Error = ConvertError;

    fn try_from(attributes: rbx_types::Attributes) -> Result<Self, ConvertError> {
        Attributes::try_from(&attributes).map(Attributes::into_owned)
    }
}
