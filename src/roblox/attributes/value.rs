//! Value: the table of types, and the dispatch on it.

use std::borrow::Cow;
use std::io::Write;
use std::marker::PhantomData;

use bstr::{BStr, BString, ByteSlice};
use cookie_factory::{SerializeFn, WriteContext};
use nom::{OutputMode, PResult, Parser};

use super::array::{array, gen_array};
use super::color_sequence::{color_sequence, gen_color_sequence, ColorSequence};
use super::dictionary::{dictionary, gen_dictionary};
use super::entry::Entry;
use super::enum_item::{enum_item, gen_enum_item, EnumItem};
use super::font::{font, gen_font, Font};
use super::number_sequence::{gen_number_sequence, number_sequence, NumberSequence};
use super::options::{Nesting, Options};
use super::scalar::{bool, double, float, gen_bool, gen_double, gen_float, gen_int, int};
use super::string::{gen_string, string};
use crate::roblox::datatypes::*;
use crate::wire::{
    field, gen_field, gen_int32, gen_nested, gen_type, gen_uint8, int32, nested, switch_to, type_number, type_numbers,
    uint8, ByteString, IntoByteString, Le, Provenance, Source, TypePolicy, Valued, WireError,
};

/// Writes the table of types as an enum of values, an enum of ids, and a `match` for every way to use them.
macro_rules! types {
    (
        ($nesting:ident, $value:ident)
        $($id:literal $name:ident($type:ty) $field:literal $parser:expr, $generator:expr, $provenance:ident $doc:literal;)*
    ) => {
        /// The value of an attribute.
        ///
        /// | field | type |
        /// |---|---|
        /// | type | uint8, a [`TypeId`] |
        /// | value | as the type says |
        #[derive(Clone, Debug, PartialEq)]
        #[repr(C)] // every payload in the same place, where it can be written at once
        #[non_exhaustive]
        pub enum Value<'a> {
            $(
                #[doc = concat!("Type `", stringify!($id), "`: ", $doc)]
                $name($type),
            )*
        }

        type_numbers! {
            /// The type of a [`Value`].
            pub enum TypeId(u8, "type id", Hexadecimal) {
                $($id $name $provenance $doc;)*
            }
        }

        impl<'a> Value<'a> {
            /// The type.
            #[must_use]
            pub const fn type_id(&self) -> TypeId {
                match self {
                    $(Value::$name(_) => TypeId::$name,)*
                }
            }

            /// The same value, borrowing nothing.
            #[must_use]
            pub fn into_owned(self) -> Value<'static> {
                match self {
                    $(Value::$name(value) => Value::$name(IntoOwned::into_owned(value)),)*
                }
            }
        }

        impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for ValueParser<E> {
            type Output = Value<'a>;
            type Error = E;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Value<'a>, E> {
                let $nesting = self.nesting;
                let (rest, id) = field("type", type_id($nesting.options())).process::<Valued<OM>>(input)?;
                match id {
                    $(TypeId::$name => switch_to::<OM, _, _>(rest, || field($field, $parser).map(Value::$name)),)*
                }
            }
        }

        /// Writes a [`Value`].
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn gen_value<'v, W: Write + 'v>($nesting: Nesting, value: &'v Value<'_>) -> impl SerializeFn<W> + 'v {
            move |out: WriteContext<W>| match value {
                $(Value::$name($value) => {
                    gen_type(TypeId::$name, policy($nesting.options()))?;
                    gen_field($field, $generator)(gen_uint8($id)(out)?)
                })*
            }
        }

        #[cfg(feature = "json")]
        impl Value<'_> {
            /// Writes the value by itself, without its type.
            pub(super) fn to_json<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Value::$name(value) => crate::json::Member::to_json(value, serializer),)*
                }
            }

            /// Reads a value of a known type.
            pub(super) fn from_json<'de, D: serde::Deserializer<'de>>(
                id: TypeId,
                deserializer: D,
            ) -> Result<Self, D::Error> {
                match id {
                    $(TypeId::$name => crate::json::Member::from_json(deserializer).map(Value::$name),)*
                }
            }
        }
    };
}

types! {
    (nesting, value)

    0x02 String(ByteString<'a>) "string"
        string(), gen_string(value), Spec "bytes, usually text.";
    0x03 Bool(bool) "bool"
        bool(), gen_bool(*value), Spec "true or false.";
    0x04 Int(i32) "int"
        int(), gen_int(*value), Real "a whole number, in attributes that Roblox itself sets.";
    0x05 Float(f32) "float"
        float(), gen_float(*value), Spec "a number of 32 bits; Studio writes it for a number just added.";
    0x06 Double(f64) "double"
        double(), gen_double(*value), Spec "a number.";
    0x07 Array(Vec<Value<'a>>) "array"
        nested(nesting, array), gen_nested(nesting, value, |n, v| gen_array(n, v)),
        Real "values without keys, in the policies of PlayerEmulatorService.";
    0x08 Dictionary(Vec<Entry<'a>>) "dictionary"
        nested(nesting, dictionary), gen_nested(nesting, value, |n, v| gen_dictionary(n, v)),
        Draft "values with keys.";
    0x09 UDim(UDim) "udim"
        udim::<Le, I, E>(), gen_udim::<Le, W>(*value), Spec "a length on the screen.";
    0x0a UDim2(UDim2) "udim2"
        udim2::<Le, I, E>(), gen_udim2::<Le, W>(*value), Spec "a position or size on the screen.";
    0x0b Ray(Ray) "ray"
        ray::<Le, I, E>(), gen_ray::<Le, W>(*value), Draft "a half-line.";
    0x0c Faces(Faces) "faces"
        faces::<Le, I, E>(), gen_faces::<Le, W>(*value), Draft "a set of sides.";
    0x0d Axes(Axes) "axes"
        axes::<Le, I, E>(), gen_axes::<Le, W>(*value), Draft "a set of axes.";
    0x0e BrickColor(BrickColor) "brick_color"
        brick_color::<Le, I, E>(), gen_brick_color::<Le, W>(*value), Spec "a colour of the palette.";
    0x0f Color3(Color3) "color3"
        color3::<Le, I, E>(), gen_color3::<Le, W>(*value), Spec "a colour.";
    0x10 Vector2(Vector2) "vector2"
        vector2::<Le, I, E>(), gen_vector2::<Le, W>(*value), Spec "a point in the plane.";
    0x11 Vector3(Vector3) "vector3"
        vector3::<Le, I, E>(), gen_vector3::<Le, W>(*value), Spec "a point in space.";
    0x12 Vector2int16(Vector2int16) "vector2int16"
        vector2int16::<Le, I, E>(), gen_vector2int16::<Le, W>(*value), Draft "a point in the plane, in whole numbers.";
    0x13 Vector3int16(Vector3int16) "vector3int16"
        vector3int16::<Le, I, E>(), gen_vector3int16::<Le, W>(*value), Draft "a point in space, in whole numbers.";
    0x14 CFrame(CFrame) "cframe"
        cframe::<Le, I, E>(), gen_cframe::<Le, W>(*value), Spec "a position and a rotation.";
    0x15 EnumItem(EnumItem<'a>) "enum_item"
        enum_item(), gen_enum_item(value), Real "an item of an enum.";
    0x17 NumberSequence(NumberSequence<'a>) "number_sequence"
        number_sequence(), gen_number_sequence(value), Spec "how a number changes over time.";
    0x18 NumberSequenceKeypoint(NumberSequenceKeypoint) "number_sequence_keypoint"
        number_sequence_keypoint::<Le, I, E>(), gen_number_sequence_keypoint::<Le, W>(*value),
        Draft "a number at a time.";
    0x19 ColorSequence(ColorSequence<'a>) "color_sequence"
        color_sequence(), gen_color_sequence(value), Spec "how a colour changes over time.";
    0x1a ColorSequenceKeypoint(ColorSequenceKeypoint) "color_sequence_keypoint"
        color_sequence_keypoint::<Le, I, E>(), gen_color_sequence_keypoint::<Le, W>(*value),
        Draft "a colour at a time.";
    0x1b NumberRange(NumberRange) "number_range"
        number_range::<Le, I, E>(), gen_number_range::<Le, W>(*value), Spec "a range of numbers.";
    0x1c Rect(Rect) "rect"
        rect::<Le, I, E>(), gen_rect::<Le, W>(*value), Spec "a rectangle.";
    0x1f Region3(Region3) "region3"
        region3::<Le, I, E>(), gen_region3::<Le, W>(*value), Draft "a box in space.";
    0x20 Region3int16(Region3int16) "region3int16"
        region3int16::<Le, I, E>(), gen_region3int16::<Le, W>(*value), Draft "a box in space, in whole numbers.";
    0x21 Font(Font<'a>) "font"
        font(), gen_font(value), Real "a font.";
    0x25 Ref(i32) "ref"
        int32::<Le, I, E>(), gen_int32::<Le, W>(*value), Proposed "the number of an instance in the file around.";
}

/// Reads a [`Value`].
///
/// A type id without a meaning is [`Fault::Unknown`](crate::Fault::Unknown); what the options forbid is
/// [`Fault::Refused`](crate::Fault::Refused), or unknown where they have to ask for it first.
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

/// The type id, if the options allow it.
#[inline]
fn type_id<I: Source, E: WireError<I>>(options: Options) -> impl Parser<I, Output = TypeId, Error = E> {
    type_number(uint8(), policy(options))
}

/// Which types the options allow.
#[cfg_attr(not(debug_assertions), inline(always))]
fn policy(options: Options) -> impl Fn(Provenance) -> TypePolicy + Copy {
    move |provenance| match provenance {
        Provenance::Draft if !options.draft_types => {
            TypePolicy::Refused("it is a draft type, and these are switched off")
        }
        Provenance::Proposed if !options.refs => TypePolicy::Unknown,
        _ => TypePolicy::Allowed,
    }
}

/// What a [`Value`] is made of, borrowing nothing.
trait IntoOwned {
    type Owned;
    fn into_owned(self) -> Self::Owned;
}

macro_rules! owned {
    ($($name:ty),*) => {$(
        impl IntoOwned for $name {
            type Owned = Self;
            fn into_owned(self) -> Self {
                self
            }
        }
    )*};
}
owned! {
    bool, i32, f32, f64, UDim, UDim2, Ray, Faces, Axes, BrickColor, Color3, Vector2, Vector3, Vector2int16, Vector3int16,
    CFrame, NumberSequenceKeypoint, ColorSequenceKeypoint, NumberRange, Rect, Region3, Region3int16
}

impl IntoOwned for ByteString<'_> {
    type Owned = ByteString<'static>;
    fn into_owned(self) -> ByteString<'static> {
        Cow::Owned(Cow::into_owned(self))
    }
}

impl IntoOwned for EnumItem<'_> {
    type Owned = EnumItem<'static>;
    fn into_owned(self) -> EnumItem<'static> {
        EnumItem::into_owned(self)
    }
}

impl IntoOwned for Font<'_> {
    type Owned = Font<'static>;
    fn into_owned(self) -> Font<'static> {
        Font::into_owned(self)
    }
}

impl<T: crate::wire::Packed> IntoOwned for crate::wire::List<'_, T> {
    type Owned = crate::wire::List<'static, T>;
    fn into_owned(self) -> Self::Owned {
        crate::wire::List::into_owned(self)
    }
}

impl IntoOwned for Vec<Value<'_>> {
    type Owned = Vec<Value<'static>>;
    fn into_owned(self) -> Self::Owned {
        self.into_iter().map(Value::into_owned).collect()
    }
}

impl IntoOwned for Vec<Entry<'_>> {
    type Owned = Vec<Entry<'static>>;
    fn into_owned(self) -> Self::Owned {
        self.into_iter().map(Entry::into_owned).collect()
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
        /// use enginewire::roblox::attributes::{Attributes, Value};
        ///
        /// let attributes: Attributes<'_> = [("Health", Value::from(100.0))].into_iter().collect();
        /// assert_eq!(attributes.get("Health").and_then(Value::as_double), Some(100.0));
        /// assert_eq!(attributes.get("Health").and_then(Value::as_int), None);
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
        as_bool Bool bool;
        as_int Int i32;
        as_float Float f32;
        as_double Double f64;
        as_udim UDim UDim;
        as_udim2 UDim2 UDim2;
        as_ray Ray Ray;
        as_faces Faces Faces;
        as_axes Axes Axes;
        as_brick_color BrickColor BrickColor;
        as_color3 Color3 Color3;
        as_vector2 Vector2 Vector2;
        as_vector3 Vector3 Vector3;
        as_vector2int16 Vector2int16 Vector2int16;
        as_vector3int16 Vector3int16 Vector3int16;
        as_cframe CFrame CFrame;
        as_number_sequence_keypoint NumberSequenceKeypoint NumberSequenceKeypoint;
        as_color_sequence_keypoint ColorSequenceKeypoint ColorSequenceKeypoint;
        as_number_range NumberRange NumberRange;
        as_rect Rect Rect;
        as_region3 Region3 Region3;
        as_region3int16 Region3int16 Region3int16;
        as_ref_number Ref i32;
    }
    borrowed {
        as_string String BStr;
        as_array Array [Value<'a>];
        as_dictionary Dictionary [Entry<'a>];
        as_enum_item EnumItem EnumItem<'a>;
        as_number_sequence NumberSequence NumberSequence<'a>;
        as_color_sequence ColorSequence ColorSequence<'a>;
        as_font Font Font<'a>;
    }
}

impl Value<'_> {
    /// About how many bytes it takes; what holds many bytes counts in full.
    #[inline]
    pub(super) fn size_hint(&self) -> usize {
        match self {
            Value::String(value) => value.len(),
            Value::NumberSequence(keypoints) => keypoints.size(),
            Value::ColorSequence(keypoints) => keypoints.size(),
            _ => 16,
        }
    }

    /// The text of a `String`, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.as_string()?.to_str().ok()
    }

    /// The number of an `Int`, `Float` or `Double`, whichever it is: Roblox writes all three for numbers.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Value::Int(number) => Some(f64::from(*number)),
            Value::Float(number) => Some(f64::from(*number)),
            Value::Double(number) => Some(*number),
            _ => None,
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
    bool => Bool;
    i32 => Int;
    f32 => Float;
    f64 => Double;
    UDim => UDim;
    UDim2 => UDim2;
    Ray => Ray;
    Faces => Faces;
    Axes => Axes;
    BrickColor => BrickColor;
    Color3 => Color3;
    Vector2 => Vector2;
    Vector3 => Vector3;
    Vector2int16 => Vector2int16;
    Vector3int16 => Vector3int16;
    CFrame => CFrame;
    EnumItem<'a> => EnumItem;
    NumberSequence<'a> => NumberSequence;
    NumberSequenceKeypoint => NumberSequenceKeypoint;
    ColorSequence<'a> => ColorSequence;
    ColorSequenceKeypoint => ColorSequenceKeypoint;
    NumberRange => NumberRange;
    Rect => Rect;
    Region3 => Region3;
    Region3int16 => Region3int16;
    Font<'a> => Font;
    Vec<Value<'a>> => Array;
    Vec<Entry<'a>> => Dictionary;
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
    use crate::wire::Traceback;
    use crate::{Fault, Limits};
    use nom::Err;
    use pretty_assertions::assert_eq;
    use std::cell::Cell;

    fn error(bytes: &[u8], options: Options) -> crate::DecodeError {
        match value::<_, Traceback<_>>(options.into()).parse_complete(bytes) {
            Err(Err::Error(error)) => error.into_error(&bytes),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_type_comes_before_the_value() {
        let value_read = Value::Double(-1.0);
        let generator = gen_value(Nesting::default(), &value_read);
        both_ways(&hex("06 00 00 00 00 00 00 f0 bf"), value_read.clone(), || value(Nesting::default()), generator);
    }

    #[test]
    fn ids_and_types_agree() {
        let known: Vec<u8> = (0..=u8::MAX).filter(|id| TypeId::from_id(*id).is_some()).collect();
        assert_eq!(known, TypeId::ALL.iter().map(|id| id.id()).collect::<Vec<_>>());
        assert!(known.iter().all(|id| TypeId::from_id(*id).unwrap().id() == *id));
        for unknown in [0x00, 0x01, 0x16, 0x1d, 0x1e, 0x22, 0x23, 0x24, 0x26, 0xff] {
            assert!(!known.contains(&unknown));
        }
    }

    #[test]
    fn an_unknown_type_names_the_known_ones() {
        let error = error(&[0x1d, 0], Options::new());
        assert_eq!(error.to_string(), "unknown type id 0x1d, at byte 0x0 in type");
        let Fault::Unknown { known, .. } = error.fault() else { panic!("{error}") };
        assert_eq!(known.len(), TypeId::ALL.len() - 1);
    }

    #[test]
    fn draft_types_and_refs_obey_their_options() {
        assert!(matches!(
            error(&[0x0c], Options::new().draft_types(false)).fault(),
            Fault::Refused { found: 0x0c, .. }
        ));
        assert!(matches!(error(&[0x0c], Options::new()).fault(), Fault::Truncated { .. }));
        assert!(matches!(error(&[0x25], Options::new()).fault(), Fault::Unknown { found: 0x25, .. }));
        let read = value::<_, ()>(Options::new().refs(true).into()).parse_complete(&[0x25, 7, 0, 0, 0][..]);
        assert_eq!(read, Ok((&[][..], Value::Ref(7))));
    }

    #[test]
    fn depth_is_limited_both_ways() {
        let nest = |levels: usize| {
            let mut bytes = [7, 1, 0, 0, 0].repeat(levels);
            bytes.extend([3, 1]);
            bytes
        };
        let options = Options::new().limits(Limits::new().with_depth(3));
        let deepest = nest(3);
        assert!(value::<_, ()>(options.into()).parse_complete(&deepest[..]).is_ok());
        let error = error(&nest(4), options);
        assert_eq!((error.offset(), error.fault()), (16.into(), &Fault::TooDeep { limit: 3 }));

        let nested = (0..4).fold(Value::Bool(true), |inner, _| Value::Array(vec![inner]));
        assert!(crate::wire::measure(gen_value(options.into(), &nested)).is_err());
        assert!(crate::wire::measure(gen_value(Nesting::default(), &nested)).is_ok());
    }

    #[test]
    fn numbers_of_every_type_are_numbers() {
        assert_eq!(Value::Int(-3).as_number(), Some(-3.0));
        assert_eq!(Value::Float(0.5).as_number(), Some(0.5));
        assert_eq!(Value::Double(0.1).as_number(), Some(0.1));
        assert_eq!(Value::Bool(true).as_number(), None);
    }

    #[test]
    fn a_type_id_is_shown_with_its_name() {
        assert_eq!(format!("{:?}", TypeId::CFrame), "0x14 CFrame");
    }

    thread_local! {
        static READS: Cell<usize> = const { Cell::new(0) };
    }

    /// Bytes that count how often they are read.
    #[derive(Clone, Debug)]
    struct Counting<'a>(&'a [u8]);

    impl<'a> Source for Counting<'a> {
        type Bytes = &'a BStr;

        fn remaining(&self) -> usize {
            self.0.remaining()
        }

        fn offset_from(&self, start: &Self) -> crate::Offset {
            self.0.offset_from(&start.0)
        }

        fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
            READS.set(READS.get().saturating_add(1));
            self.0.chunk().map(|(bytes, rest)| (bytes, Counting(rest)))
        }

        fn bytes(&self, count: usize) -> Option<(&'a BStr, Self)> {
            Source::bytes(&self.0, count).map(|(bytes, rest)| (bytes, Counting(rest)))
        }

        fn part(&self, length: usize) -> Option<(Self, Self)> {
            self.0.part(length).map(|(part, rest)| (Counting(part), Counting(rest)))
        }
    }

    /// What nests is read once, and once more if it is broken, for the error; but not once more at each level.
    #[test]
    fn containers_are_read_once_at_any_depth() {
        let bytes = [[7, 1, 0, 0, 0].repeat(50), vec![3, 1]].concat();
        assert!(value::<_, ()>(Nesting::default()).parse_complete(Counting(&bytes)).is_ok());
        // a type and a length for each level, a type and a bool
        let reads = 50 * 2 + 2;
        assert_eq!(READS.replace(0), reads);
        assert!(value::<_, ()>(Nesting::default()).parse_complete(Counting(&bytes[..bytes.len() - 1])).is_err());
        // once the outermost type, and the item that there is no room for
        assert_eq!(READS.replace(0), 2 * reads - 3);
    }

    /// A list inside a list may promise more than the lists around it leave, which is no error of its own.
    #[test]
    fn the_error_is_where_the_input_ends() {
        let inner = [&[7, 2, 0, 0, 0][..], &[3, 1, 3, 1]].concat();
        let bytes = [&[7, 5, 0, 0, 0][..], &inner, &inner].concat();
        let error = crate::wire::run(&bytes[..], value(Nesting::default())).unwrap_err();
        assert_eq!((error.offset(), error.path().to_string()), (23.into(), "array.elements[2].type".to_owned()));
    }
}
