//! Value: the table of types, and the dispatch on it.

use std::borrow::Cow;
use std::io::Write;
use std::marker::PhantomData;

use bstr::{BStr, BString, ByteSlice};
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::array::{array, gen_array};
use super::boolean::{boolean, gen_boolean};
use super::cframe::{cframe, gen_cframe, CFrame};
use super::dictionary::{dictionary, gen_dictionary, Pair};
use super::options::{Nesting, ValueOptions};
use super::reference::{gen_reference, reference, Ref};
use super::text::{gen_text, text};
use super::tuple::{gen_tuple, tuple};
use super::unverified::*;
use crate::roblox::datatypes::{self, *};
use crate::wire::{
    fault, field, float32, float64, gen_field, gen_float32, gen_float64, gen_nested, gen_switch_to, gen_type,
    gen_uint16, gen_uint64, gen_uint8, gen_varint64, gen_zigzag32, gen_zigzag64, nested, switch_to, too_deep,
    type_number, type_numbers, uint16, uint64, uint8, varint64, zigzag32, zigzag64, Be, ByteString, IntoByteString,
    Provenance, Source, TypePolicy, Valued, WireError,
};

/// What of a value borrows, and how to stop that.
macro_rules! into_owned {
    (copied $value:ident) => {
        $value
    };
    (text $value:ident) => {
        Cow::Owned($value.into_owned())
    };
    (itself $value:ident) => {
        $value.into_owned()
    };
    (values $value:ident) => {
        $value.into_iter().map(Value::into_owned).collect()
    };
    (pairs $value:ident) => {
        $value.into_iter().map(Pair::into_owned).collect()
    };
}

/// Writes the table of types as an enum of values, an enum of ids, and a `match` for every way to use them.
macro_rules! types {
    (
        ($nesting:ident, $value:ident)
        $nil_id:literal Nil $nil_status:ident $nil_doc:literal;
        $(
            $id:literal $name:ident($type:ty) $owned:ident $field:literal
            $parser:expr, $generator:expr, $provenance:ident $doc:literal;
        )*
    ) => {
        type_numbers! {
            /// The type of a [`Value`].
            pub enum TypeId(u8, "type id", Hexadecimal) {
                $nil_id Nil $nil_status $nil_doc;
                $($id $name $provenance $doc;)*
            }
        }

        /// A value: an argument, or part of one.
        ///
        /// | field | type | the documentation calls it |
        /// |---|---|---|
        /// | type | uint8, a [`TypeId`] | Type |
        /// | value | as the type says | Value |
        #[derive(Clone, Debug, Default, PartialEq)]
        #[repr(C)] // every payload in the same place, where it can be written at once
        #[non_exhaustive]
        pub enum Value<'a> {
            #[doc = concat!("Type `", stringify!($nil_id), "`: ", $nil_doc)]
            #[default]
            Nil,
            $(
                #[doc = concat!("Type `", stringify!($id), "`: ", $doc)]
                $name($type),
            )*
        }

        impl Value<'_> {
            /// The type.
            #[must_use]
            pub const fn type_id(&self) -> TypeId {
                match self {
                    Value::Nil => TypeId::Nil,
                    $(Value::$name(_) => TypeId::$name,)*
                }
            }

            /// The same value, borrowing nothing.
            #[must_use]
            pub fn into_owned(self) -> Value<'static> {
                match self {
                    Value::Nil => Value::Nil,
                    $(Value::$name(value) => Value::$name(into_owned!($owned value)),)*
                }
            }
        }

        impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for ValueParser<E> {
            type Output = Value<'a>;
            type Error = E;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Value<'a>, E> {
                let $nesting = self.nesting;
                let (rest, id) = field("type", Type { nesting: $nesting, error: PhantomData })
                    .process::<Valued<OM>>(input)?;
                // what recurses has a call of its own for all that does not: see `switch_to`
                match id {
                    TypeId::Array => switch_to::<OM, _, _>(rest, || {
                        field("array", nested($nesting, array)).map(Value::Array)
                    }),
                    TypeId::Dictionary => switch_to::<OM, _, _>(rest, || {
                        field("dictionary", nested($nesting, dictionary)).map(Value::Dictionary)
                    }),
                    TypeId::Tuple => switch_to::<OM, _, _>(rest, || {
                        field("tuple", nested($nesting, tuple)).map(Value::Tuple)
                    }),
                    TypeId::Map => switch_to::<OM, _, _>(rest, || {
                        field("map", nested($nesting, dictionary)).map(Value::Map)
                    }),
                    id => payload::<OM, I, E>(rest, $nesting, id),
                }
            }
        }

        /// What comes after the type.
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn payload<'a, OM, I, E>(rest: I, $nesting: Nesting, id: TypeId) -> PResult<OM, I, Value<'a>, E>
        where
            OM: OutputMode,
            I: Source<Bytes = &'a BStr>,
            E: WireError<I>,
        {
            match id {
                TypeId::Nil => Ok((rest, OM::Output::bind(|| Value::Nil))),
                $(TypeId::$name => switch_to::<OM, _, _>(rest, || field($field, $parser).map(Value::$name)),)*
            }
        }

        /// Writes a [`Value`].
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn gen_value<'v, W: Write + 'v>($nesting: Nesting, value: &'v Value<'_>) -> impl SerializeFn<W> + 'v {
            move |out: WriteContext<W>| match value {
                Value::Nil => gen_uint8($nil_id)(out),
                $(Value::$name($value) => {
                    gen_type(TypeId::$name, policy($nesting.options()))?;
                    gen_switch_to(gen_uint8($id)(out)?, || gen_field($field, $generator))
                })*
            }
        }

        #[cfg(feature = "json")]
        impl crate::json::typed::Typed for Value<'_> {
            type Type = TypeId;

            fn type_of(&self) -> TypeId {
                self.type_id()
            }

            fn write<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    Value::Nil => serializer.serialize_unit(),
                    $(Value::$name(value) => crate::json::Member::to_json(value, serializer),)*
                }
            }

            fn read<'de, D: serde::Deserializer<'de>>(id: TypeId, deserializer: D) -> Result<Self, D::Error> {
                match id {
                    TypeId::Nil => serde::Deserialize::deserialize(deserializer).map(|()| Value::Nil),
                    $(TypeId::$name => crate::json::Member::from_json(deserializer).map(Value::$name),)*
                }
            }
        }
    };
}

types! {
    (nesting, value)

    0x01 Nil Spec "nothing.";
    0x02 String(ByteString<'a>) text "string"
        text(), gen_text(value), Spec "bytes, usually text.";
    0x07 EnumItem(EnumItem) copied "enum_item"
        enum_item(), gen_enum_item(*value), Proposed "an item of an enum.";
    0x08 BinaryString(ByteString<'a>) text "binary_string"
        text(), gen_text(value), Proposed "bytes.";
    0x09 Boolean(bool) copied "boolean"
        boolean(), gen_boolean(*value), Spec "true or false.";
    0x0a Int(i32) copied "int"
        zigzag32(), gen_zigzag32(*value), Proposed "an integer.";
    0x0b Float(f32) copied "float"
        float32::<Be, I, E>(), gen_float32::<Be, W>(*value), Proposed "a number of 32 bits.";
    0x0c Number(f64) copied "number"
        float64::<Be, I, E>(), gen_float64::<Be, W>(*value), Spec "a number.";
    0x0d UDim(UDim) copied "udim"
        udim::<Be, I, E>(), gen_udim::<Be, W>(*value), Proposed "a length on the screen.";
    0x0e UDim2(UDim2) copied "udim2"
        udim2::<Be, I, E>(), gen_udim2::<Be, W>(*value), Proposed "a position or size on the screen.";
    0x0f Ray(Ray) copied "ray"
        ray::<Be, I, E>(), gen_ray::<Be, W>(*value), Proposed "a half-line.";
    0x10 Faces(Faces) copied "faces"
        faces::<Be, I, E>(), gen_faces::<Be, W>(*value), Proposed "a set of sides.";
    0x11 Axes(Axes) copied "axes"
        axes::<Be, I, E>(), gen_axes::<Be, W>(*value), Proposed "a set of axes.";
    0x12 BrickColor(u16) copied "brick_color"
        uint16::<Be, I, E>(), gen_uint16::<Be, W>(*value), Proposed "the number of a colour of the palette.";
    0x13 Color3(Color3) copied "color3"
        color3::<Be, I, E>(), gen_color3::<Be, W>(*value), Proposed "a colour.";
    0x14 Color3uint8(Color3uint8) copied "color3uint8"
        color3uint8(), gen_color3uint8(*value), Proposed "a colour of 24 bits.";
    0x15 Vector2(Vector2) copied "vector2"
        vector2::<Be, I, E>(), gen_vector2::<Be, W>(*value), Spec "a point in the plane.";
    0x16 Vector3(Vector3) copied "vector3"
        vector3::<Be, I, E>(), gen_vector3::<Be, W>(*value), Spec "a point in space.";
    0x18 Vector2int16(Vector2int16) copied "vector2int16"
        vector2int16::<Be, I, E>(), gen_vector2int16::<Be, W>(*value), Spec "a point in the plane, in whole numbers.";
    0x19 Vector3int16(Vector3int16) copied "vector3int16"
        vector3int16::<Be, I, E>(), gen_vector3int16::<Be, W>(*value), Spec "a point in space, in whole numbers.";
    0x1a SimpleCFrame(Box<datatypes::CFrame>) copied "simple_cframe"
        datatypes::cframe::<Be, I, E>().map(Box::new), datatypes::gen_cframe::<Be, W>(**value), Proposed
        "a position and a rotation, with a matrix for what has no id.";
    0x1b CFrame(CFrame) copied "cframe"
        cframe(), gen_cframe(*value), Spec "a position and a rotation.";
    0x1c Instance(Option<Ref>) copied "instance"
        reference(), gen_reference(*value), Spec "an instance, or none.";
    0x1d Tuple(Vec<Value<'a>>) values "tuple"
        nested(nesting, tuple), gen_nested(nesting, value, |n, v| gen_tuple(n, v)), Proposed "values.";
    0x1e Array(Vec<Value<'a>>) values "array"
        nested(nesting, array), gen_nested(nesting, value, |n, v| gen_array(n, v)), Spec
        "a table whose keys are 1, 2, 3, …";
    0x1f Dictionary(Vec<Pair<'a>>) pairs "dictionary"
        nested(nesting, dictionary), gen_nested(nesting, value, |n, v| gen_dictionary(n, v)), Spec
        "a table whose keys are strings.";
    0x20 Map(Vec<Pair<'a>>) pairs "map"
        nested(nesting, dictionary), gen_nested(nesting, value, |n, v| gen_dictionary(n, v)), Proposed
        "values with keys that are strings.";
    0x22 SystemAddress(u64) copied "system_address"
        varint64(), gen_varint64(*value), Proposed "a peer.";
    0x23 NumberSequence(Vec<NumberSequenceKeypoint>) copied "number_sequence"
        number_sequence(nesting), gen_number_sequence(value), Proposed "how a number changes over time.";
    0x24 NumberSequenceKeypoint(NumberSequenceKeypoint) copied "number_sequence_keypoint"
        number_keypoint(), gen_number_keypoint(*value), Proposed "a number at a time.";
    0x25 NumberRange(NumberRange) copied "number_range"
        number_range::<Be, I, E>(), gen_number_range::<Be, W>(*value), Proposed "a range of numbers.";
    0x26 ColorSequence(Vec<ColorSequenceKeypoint>) copied "color_sequence"
        color_sequence(nesting), gen_color_sequence(value), Proposed "how a colour changes over time.";
    0x27 ColorSequenceKeypoint(ColorSequenceKeypoint) copied "color_sequence_keypoint"
        color_keypoint(), gen_color_keypoint(*value), Proposed "a colour at a time.";
    0x28 Rect(Rect) copied "rect"
        rect::<Be, I, E>(), gen_rect::<Be, W>(*value), Proposed "a rectangle.";
    0x29 PhysicalProperties(Option<PhysicalProperties>) copied "physical_properties"
        physical_properties(), gen_physical_properties(*value), Proposed "how a part behaves.";
    0x2a Region3(Region3) copied "region3"
        region3::<Be, I, E>(), gen_region3::<Be, W>(*value), Proposed "a box in space.";
    0x2b Region3int16(Region3int16) copied "region3int16"
        region3int16::<Be, I, E>(), gen_region3int16::<Be, W>(*value), Proposed "a box in space, in whole numbers.";
    0x2c Int64(i64) copied "int64"
        zigzag64(), gen_zigzag64(*value), Proposed "an integer of 64 bits.";
    0x2d PathWaypoint(PathWaypoint) copied "path_waypoint"
        path_waypoint(), gen_path_waypoint(*value), Proposed "a point of a path.";
    0x30 DateTime(u64) copied "date_time"
        uint64::<Be, I, E>(), gen_uint64::<Be, W>(*value), Proposed "milliseconds since the beginning of 1970.";
    0x31 OptimizedString(OptimizedString<'a>) itself "optimized_string"
        optimized_string(), gen_optimized_string(value), Proposed "a string, or the place of one in a table.";
}

/// The fewest bytes that a value takes: its type.
pub(super) const SMALLEST_VALUE: u32 = 1;

/// Reads a [`Value`].
///
/// A type without a meaning is [`Fault::Unknown`](crate::Fault::Unknown), and so is one that was never captured, unless
/// the options ask for it. An array or dictionary too many is [`Fault::TooDeep`](crate::Fault::TooDeep), at its type.
#[inline]
pub fn value<'a, I, E>(nesting: Nesting) -> impl Parser<I, Output = Value<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    ValueParser { nesting, error: PhantomData }
}

struct ValueParser<E> {
    nesting: Nesting,
    error: PhantomData<fn() -> E>,
}

/// The type, if the options allow it, and no container that is one too many.
struct Type<E> {
    nesting: Nesting,
    error: PhantomData<fn() -> E>,
}

impl<I: Source, E: WireError<I>> Parser<I> for Type<E> {
    type Output = TypeId;
    type Error = E;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, TypeId, E> {
        let options = self.nesting.options();
        let (rest, id) = type_id(options).process::<Valued<OM>>(input.clone())?;
        let is_container = matches!(id, TypeId::Array | TypeId::Dictionary | TypeId::Tuple | TypeId::Map);
        if is_container && self.nesting.deeper().is_none() {
            return Err(fault::<I, OM, E>(input, too_deep(options)));
        }
        Ok((rest, OM::Output::bind(|| id)))
    }
}

#[inline]
fn type_id<I: Source, E: WireError<I>>(options: ValueOptions) -> impl Parser<I, Output = TypeId, Error = E> {
    type_number(uint8(), policy(options))
}

/// Which types the options allow.
#[cfg_attr(not(debug_assertions), inline(always))]
fn policy(options: ValueOptions) -> impl Fn(Provenance) -> TypePolicy + Copy {
    move |provenance| match provenance {
        Provenance::Proposed if !options.unverified_types => TypePolicy::Unknown,
        _ => TypePolicy::Allowed,
    }
}

/// One method for each type, that gives the value if it has this type.
macro_rules! accessors {
    (
        copied { $($copied:ident $copied_name:ident $copied_type:ty;)* }
        borrowed { $($borrowed:ident $borrowed_name:ident $borrowed_type:ty;)* }
    ) => {
        /// Access by type: the value if it has this type, `None` if it has another.
        ///
        /// ```
        /// use enginewire::roblox::remote::Value;
        ///
        /// assert_eq!(Value::from(82.1).as_number(), Some(82.1));
        /// assert_eq!(Value::from("82.1").as_number(), None);
        /// ```
        impl<'a> Value<'a> {
            $(
                #[doc = concat!("The value of a `", stringify!($copied_name), "`.")]
                #[must_use]
                pub fn $copied(&self) -> Option<$copied_type> {
                    match self {
                        Value::$copied_name(value) => Some(*value),
                        _ => None,
                    }
                }
            )*
            $(
                #[doc = concat!("The value of a `", stringify!($borrowed_name), "`.")]
                #[must_use]
                pub fn $borrowed(&self) -> Option<&$borrowed_type> {
                    match self {
                        Value::$borrowed_name(value) => Some(value),
                        _ => None,
                    }
                }
            )*
        }
    };
}

accessors! {
    copied {
        as_boolean Boolean bool;
        as_number Number f64;
        as_vector2 Vector2 Vector2;
        as_vector3 Vector3 Vector3;
        as_vector2int16 Vector2int16 Vector2int16;
        as_vector3int16 Vector3int16 Vector3int16;
        as_cframe CFrame CFrame;
        as_instance Instance Option<Ref>;
    }
    borrowed {
        as_string String BStr;
        as_array Array [Value<'a>];
        as_dictionary Dictionary [Pair<'a>];
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

    /// About how many bytes it takes; what holds many bytes counts in full.
    pub(super) fn size_hint(&self) -> usize {
        match self {
            Value::Nil => 1,
            Value::String(text) => text.len().saturating_add(4),
            Value::Number(_) => 9,
            _ => 16,
        }
    }
}

macro_rules! from {
    ($($type:ty => $name:ident;)*) => {$(
        impl<'a> From<$type> for Value<'a> {
            fn from(value: $type) -> Self {
                Value::$name(value)
            }
        }
    )*};
}

from! {
    bool => Boolean;
    f64 => Number;
    Vector2 => Vector2;
    Vector3 => Vector3;
    Vector2int16 => Vector2int16;
    Vector3int16 => Vector3int16;
    CFrame => CFrame;
    Option<Ref> => Instance;
    Vec<Value<'a>> => Array;
    Vec<Pair<'a>> => Dictionary;
}

macro_rules! from_bytes {
    ($($type:ty),*) => {$(
        impl<'a> From<$type> for Value<'a> {
            fn from(value: $type) -> Self {
                Value::String(value.into_byte_string())
            }
        }
    )*};
}
from_bytes!(&'a str, &'a [u8], &'a BStr, String, Vec<u8>, BString, ByteString<'a>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use crate::{DecodeError, Fault, Limits};
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
            ("1e 00", Value::Array(vec![])),
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
            ("1d 01 01", Value::Tuple(vec![Value::Nil])),
            ("20 01 01 61 01", Value::Map(vec![Pair::new("a", Value::Nil)])),
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
    fn depth_is_limited_both_ways() {
        let nest = |levels: usize| [[0x1e, 1].repeat(levels), vec![1]].concat();
        let options = super::super::Options::new().limits(Limits::new().with_depth(3));
        assert!(run(&nest(3)[..], value::<_, _>(options.into())).is_ok());
        let error = error(&nest(4), options.into());
        assert_eq!((error.offset(), error.fault()), (6.into(), &Fault::TooDeep { limit: 3 }));
        let nested = (0..4).fold(Value::Nil, |inner, _| vec![inner].into());
        assert!(crate::wire::measure(gen_value(options.into(), &nested)).is_err());
        assert!(crate::wire::measure(gen_value(Nesting::default(), &nested)).is_ok());
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
