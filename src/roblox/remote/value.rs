//! Value: the table of types.

use bstr::{BStr, ByteSlice};
use nom::Parser;

use super::cframe::CFrame;
use super::dictionary::Pair;
use super::options::{Nesting, ValueOptions};
use super::reference::Ref;
use super::tuple::Tuple;
use super::unverified::*;
use super::unverified::{Axes, Faces};
use crate::roblox::datatypes::{self, *};
use crate::wire::{
    list_conversions, text_conversions, too_deep, type_number, uint8, value_table, verify, ByteString, Provenance,
    Source, TypePolicy, ValueVec, Varint, WireError, Zigzag,
};

value_table! {
    /// A value: an argument, or part of one.
    ///
    /// | field | type | the documentation calls it |
    /// |---|---|---|
    /// | type | uint8, a [`TypeId`] | Type |
    /// | value | as the type says | Value |
    ///
    /// Specification: `docs/spec/roblox-remote-packets.md`, section Value.
    #[derive(Clone, Default, PartialEq)]
    #[repr(C)] // every payload in the same place, where it can be written at once
    #[non_exhaustive]
    pub enum Value<'a>;

    /// The type of a [`Value`].
    pub enum TypeId(u8, "type id", Hexadecimal);

    /// Reads a [`Value`].
    ///
    /// A type without a meaning is [`Fault::Unknown`](crate::Fault::Unknown). So is a type that was never captured, unless
    /// the options allow it. An array or dictionary that is nested too deeply is [`Fault::TooDeep`](crate::Fault::TooDeep),
    /// at its type.
    pub fn value(ValueOptions) -> I, type_id;

    /// Writes a [`Value`].
    pub fn gen_value(ValueOptions) -> W, policy;

    /// Access by type: the value if it has this type, `None` if it has another.
    ///
    /// ```
    /// use enginewire::roblox::remote::Value;
    ///
    /// assert_eq!(Value::from(82.1).as_number(), Some(82.1));
    /// assert_eq!(Value::from("82.1").as_number(), None);
    /// ```
    impl access;

    #[default]
    unit 0x01 Nil Spec "nothing.";
    0x02 String(ByteString<'a>) "string" &as_string(BStr) Spec "bytes, usually text.";
    0x07 EnumItem(EnumItem) "enum_item" Proposed "an item of an enum.";
    0x08 BinaryString(ByteString<'a>) "binary_string" Proposed "bytes." without From;
    0x09 Boolean(bool) "boolean" *as_boolean Spec "true or false.";
    0x0a Int(i32 as Zigzag) "int" Proposed "an integer." without From;
    0x0b Float(f32) "float" Proposed "a number of 32 bits." without From;
    0x0c Number(f64) "number" *as_number Spec "a number.";
    0x0d UDim(UDim) "udim" Proposed "a length on the screen.";
    0x0e UDim2(UDim2) "udim2" Proposed "a position or size on the screen.";
    0x0f Ray(Ray) "ray" Proposed "a half-line.";
    0x10 Faces(Faces) "faces" Proposed "a set of sides.";
    0x11 Axes(Axes) "axes" Proposed "a set of axes.";
    0x12 BrickColor(u16) "brick_color" Proposed "the number of a colour of the palette." without From;
    0x13 Color3(Color3) "color3" Proposed "a colour.";
    0x14 Color3uint8(Color3uint8) "color3uint8" Proposed "a colour of 24 bits.";
    0x15 Vector2(Vector2) "vector2" *as_vector2 Spec "a point in the plane.";
    0x16 Vector3(Vector3) "vector3" *as_vector3 Spec "a point in space.";
    0x18 Vector2int16(Vector2int16) "vector2int16" *as_vector2int16 Spec "a point in the plane, in whole numbers.";
    0x19 Vector3int16(Vector3int16) "vector3int16" *as_vector3int16 Spec "a point in space, in whole numbers.";
    0x1a SimpleCFrame(Box<datatypes::CFrame>) "simple_cframe" Proposed
        "a position and a rotation, with a matrix for what has no id." without From;
    0x1b CFrame(CFrame) "cframe" *as_cframe Spec "a position and a rotation.";
    0x1c Instance(Option<Ref>) "instance" *as_instance Spec "an instance, or none.";
    0x1d Tuple(ValueVec<Value<'a>> as Tuple) "tuple" Proposed "values." without From;
    0x1e Array(ValueVec<Value<'a>>) "array" &as_array([Value<'a>]) Spec "a table whose keys are 1, 2, 3, …";
    0x1f Dictionary(ValueVec<Pair<'a>>) "dictionary" &as_dictionary([Pair<'a>]) Spec "a table whose keys are strings.";
    0x20 Map(ValueVec<Pair<'a>>) "map" Proposed "values with keys that are strings." without From;
    0x22 SystemAddress(u64 as Varint) "system_address" Proposed "a peer." without From;
    0x23 NumberSequence(Vec<NumberSequenceKeypoint>) "number_sequence" Proposed
        "how a number changes over time.";
    0x24 NumberSequenceKeypoint(NumberSequenceKeypoint as TimeFirst) "number_sequence_keypoint" Proposed
        "a number at a time.";
    0x25 NumberRange(NumberRange) "number_range" Proposed "a range of numbers.";
    0x26 ColorSequence(Vec<ColorSequenceKeypoint>) "color_sequence" Proposed
        "how a colour changes over time.";
    0x27 ColorSequenceKeypoint(ColorSequenceKeypoint as TimeFirst) "color_sequence_keypoint" Proposed
        "a colour at a time.";
    0x28 Rect(Rect) "rect" Proposed "a rectangle.";
    0x29 PhysicalProperties(Option<PhysicalProperties>) "physical_properties" Proposed
        "how a part behaves." without From;
    0x2a Region3(Region3) "region3" Proposed "a box in space.";
    0x2b Region3int16(Region3int16) "region3int16" Proposed "a box in space, in whole numbers.";
    0x2c Int64(i64 as Zigzag) "int64" Proposed "an integer of 64 bits." without From;
    0x2d PathWaypoint(PathWaypoint) "path_waypoint" Proposed "a point of a path.";
    0x30 DateTime(u64) "date_time" Proposed "milliseconds since the beginning of 1970." without From;
    0x31 OptimizedString(OptimizedString<'a>) "optimized_string" Proposed
        "a string, or the place of one in a table.";
}

/// The fewest bytes that a value takes: its type.
pub(super) const SMALLEST_VALUE: u32 = 1;

/// The type, if the options allow it, and no container that is one too many.
#[inline]
pub(super) fn type_id<I: Source, E: WireError<I>>(nesting: Nesting) -> impl Parser<I, Output = TypeId, Error = E> {
    verify(type_number(uint8(), policy(nesting.options())), move |id| {
        let is_container = matches!(id, TypeId::Array | TypeId::Dictionary | TypeId::Tuple | TypeId::Map);
        match is_container && nesting.deeper().is_none() {
            true => Err(too_deep(nesting.options())),
            false => Ok(id),
        }
    })
}

/// The policy of the options for each type.
#[cfg_attr(fast, inline(always))]
fn policy(options: ValueOptions) -> impl Fn(Provenance) -> TypePolicy + Copy {
    move |provenance| match provenance {
        Provenance::Proposed if !options.unverified_types => TypePolicy::Unknown,
        _ => TypePolicy::Allowed,
    }
}

impl<'a> Value<'a> {
    /// The text of a `String`, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.as_string()?.to_str().ok()
    }

    /// The value of a key in a `Dictionary`: of several, the first.
    #[must_use]
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<&Value<'a>> {
        let has_key = |pair: &&Pair<'_>| pair.key.as_bytes() == key.as_ref();
        self.as_dictionary()?.iter().find(has_key).map(|pair| &pair.value)
    }

    /// Its approximate size in bytes. A value that holds many bytes counts in full.
    pub(super) fn size_hint(&self) -> usize {
        match self {
            Value::Nil => 1,
            Value::String(text) => text.len().wrapping_add(4),
            Value::Number(_) => 9,
            _ => 16,
        }
    }
}

text_conversions!(Value String);
list_conversions!(Value: Array(Value), Dictionary(Pair));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::{run, IntoByteString};
    use crate::{DecodeError, Fault};
    use pretty_assertions::assert_eq;

    fn unverified() -> Nesting {
        super::super::Options::new().unverified_types(true).into()
    }

    fn error(bytes: &[u8], nesting: Nesting) -> DecodeError {
        run(bytes, value(nesting)).unwrap_err()
    }

    /// As the reference has them.
    #[test]
    fn worked_examples() {
        let quaternion = super::super::PackedQuaternion::from_bytes(hex("54009391a6cc").try_into().unwrap()).unwrap();
        for (bytes, read) in [
            ("01", Value::Nil),
            ("09 01", true.into()),
            ("09 00", false.into()),
            ("0c c014000000000000", (-5.0).into()),
            ("02 05 73776f7573", "swous".into()),
            ("15 40a00000 bf800000", Vector2 { x: 5.0, y: -1.0 }.into()),
            ("16 426ccccd bf8ced91 4114cccd", Vector3 { x: 59.2, y: -1.101, z: 9.3 }.into()),
            ("18 fffb 0007", Vector2int16 { x: -5, y: 7 }.into()),
            ("19 fffb 0007 0009", Vector3int16 { x: -5, y: 7, z: 9 }.into()),
            (
                "1b 446a8000 00000000 c0000000 02",
                CFrame { position: Vector3 { x: 938.0, y: 0.0, z: -2.0 }, rotation: RotationId::IDENTITY.into() }
                    .into(),
            ),
            (
                "1b 00000000 00000000 00000000 00 5400 9391a6cc",
                CFrame { position: Vector3::default(), rotation: quaternion.into() }.into(),
            ),
            ("1c 01 90c80600", Some(Ref::of_server(444_560)).into()),
            ("1c 00", None.into()),
            ("1e 00", Value::Array([].into())),
            ("1f 01 01 61 1e 01 01", vec![Pair::new("a", vec![Value::Nil])].into()),
        ] {
            let generator = gen_value(Nesting::default(), &read);
            both_ways(&hex(bytes), read.clone(), || value(Nesting::default()), generator);
        }
    }

    #[test]
    fn unverified_types_are_unknown_until_asked_for() {
        for (bytes, read) in [
            ("07 0034 03", Value::EnumItem(EnumItem { enum_id: 52, value: 3 })),
            ("08 02 ff00", Value::BinaryString(b"\xff\0".as_slice().into_byte_string())),
            ("0a 05", Value::Int(-3)),
            ("0b 3fc00000", Value::Float(1.5)),
            ("0d 3f000000 0000000a", Value::UDim(UDim { scale: 0.5, offset: 10 })),
            ("10 00000021", Value::Faces(Faces(33))),
            ("11 00000006", Value::Axes(Axes(6))),
            ("12 00c2", Value::BrickColor(194)),
            ("13 3f800000 3f000000 00000000", Value::Color3(Color3 { r: 1.0, g: 0.5, b: 0.0 })),
            ("14 ff8000", Value::Color3uint8(Color3uint8 { r: 255, g: 128, b: 0 })),
            ("1d 01 01", Value::Tuple([Value::Nil].into())),
            ("20 01 01 61 01", Value::Map([Pair::new("a", Value::Nil)].into())),
            ("22 01", Value::SystemAddress(1)),
            ("23 00000000", Value::NumberSequence(vec![])),
            ("25 00000000 3f800000", Value::NumberRange(NumberRange { min: 0.0, max: 1.0 })),
            ("26 00000000", Value::ColorSequence(vec![])),
            ("29 00", Value::PhysicalProperties(None)),
            ("2c 01", Value::Int64(-1)),
            ("30 0000018a00000000", Value::DateTime(0x018a_0000_0000)),
        ] {
            let bytes = hex(bytes);
            both_ways(&bytes, read.clone(), || value(unverified()), gen_value(unverified(), &read));
            let refused = crate::wire::measure(gen_value(Nesting::default(), &read)).unwrap_err();
            assert!(matches!(refused.reason(), crate::EncodeFault::Refused { .. }), "{refused}");
            let error = error(&bytes, Nesting::default());
            assert!(matches!(error.fault(), Fault::Unknown { what: "type id", known, .. } if known.len() == 12));
        }
        for unknown in [0x00, 0x17, 0x21, 0x2e, 0x2f, 0x32, 0xff] {
            assert!(matches!(error(&[unknown; 30], unverified()).fault(), Fault::Unknown { .. }), "{unknown}");
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_value_takes_32_bytes() {
        assert_eq!(std::mem::size_of::<Value<'_>>(), 32);
    }

    #[test]
    fn values_are_found_by_their_keys() {
        let pairs = vec![Pair::new("a", 1.0), Pair::new("b", "x"), Pair::new("a", 2.0)];
        let table = Value::from(pairs);
        assert_eq!(table.get("a").and_then(Value::as_number), Some(1.0));
        assert_eq!(table.get("b").and_then(Value::as_str), Some("x"));
        assert_eq!((table.get("c"), Value::Nil.get("a")), (None, None));
    }
}
