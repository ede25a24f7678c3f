//! Value: the table of types.

use bstr::{BStr, ByteSlice};
use nom::Parser;

use super::color_sequence::ColorSequence;
use super::entry::Entry;
use super::enum_item::EnumItem;
use super::font::Font;
use super::number_sequence::NumberSequence;
use super::options::{Nesting, Options};
use super::tween_info::TweenInfo;
use crate::roblox::datatypes::*;
use crate::wire::{
    list_conversions, text_conversions, type_number, uint8, value_table, ByteString, Provenance, Source, TypePolicy,
    ValueVec, WireError,
};

value_table! {
    /// The value of an attribute.
    ///
    /// | field | type |
    /// |---|---|
    /// | type | uint8, a [`TypeId`] |
    /// | value | as the type says |
    ///
    /// Specification: `docs/spec/roblox-attributes.md`, section Value.
    #[derive(Clone, PartialEq)]
    #[repr(C)] // every payload in the same place, where it can be written at once
    #[non_exhaustive]
    pub enum Value<'a>;

    /// The type of a [`Value`].
    pub enum TypeId(u8, "type id", Hexadecimal);

    /// Reads a [`Value`].
    ///
    /// A type id without a meaning is [`Fault::Unknown`](crate::Fault::Unknown). A type that the options forbid is
    /// [`Fault::Refused`](crate::Fault::Refused), or unknown if it is off by default.
    ///
    /// In little-endian, the bytes `06 00 00 00 00 00 00 f0 bf` are `Value::Double(-1.0)`. An array or dictionary that is
    /// nested too deeply is [`Fault::TooDeep`](crate::Fault::TooDeep).
    pub fn value(Options) -> I, type_id;

    /// Writes a [`Value`], as [`value`] reads it. A type that the options forbid is refused, a container that is nested too
    /// deeply, and what is longer than its length field can say.
    pub fn gen_value(Options) -> W, policy;

    /// Access by type: the value if it has this type, `None` if it has another.
    ///
    /// ```
    /// use enginewire::roblox::attributes::{Attributes, Value};
    ///
    /// let attributes: Attributes<'_> = [("Health", Value::from(100.0))].into_iter().collect();
    /// assert_eq!(attributes.get("Health").and_then(Value::as_double), Some(100.0));
    /// assert_eq!(attributes.get("Health").and_then(Value::as_int), None);
    /// ```
    impl access;

    0x02 String(ByteString<'a>) "string" &as_string(BStr) Spec "bytes, usually text.";
    0x03 Bool(bool) "bool" *as_bool Spec "true or false.";
    0x04 Int(i32) "int" *as_int Real "a whole number, in attributes that Roblox itself sets.";
    0x05 Float(f32) "float" *as_float Spec "a number of 32 bits; Studio writes it for a number just added.";
    0x06 Double(f64) "double" *as_double Spec "a number." also Int Float;
    0x07 Array(ValueVec<Value<'a>>) "array" &as_array([Value<'a>]) Real
        "values without keys, in the policies of PlayerEmulatorService.";
    0x08 Dictionary(ValueVec<Entry<'a>>) "dictionary" &as_dictionary([Entry<'a>]) Draft "values with keys.";
    0x09 UDim(UDim) "udim" *as_udim Spec "a length on the screen.";
    0x0a UDim2(UDim2) "udim2" *as_udim2 Spec "a position or size on the screen.";
    0x0b Ray(Ray) "ray" *as_ray Draft "a half-line.";
    0x0c Faces(Faces) "faces" *as_faces Draft "a set of sides.";
    0x0d Axes(Axes) "axes" *as_axes Draft "a set of axes.";
    0x0e BrickColor(BrickColor) "brick_color" *as_brick_color Spec "a colour of the palette.";
    0x0f Color3(Color3) "color3" *as_color3 Spec "a colour.";
    0x10 Vector2(Vector2) "vector2" *as_vector2 Spec "a point in the plane.";
    0x11 Vector3(Vector3) "vector3" *as_vector3 Spec "a point in space.";
    0x12 Vector2int16(Vector2int16) "vector2int16" *as_vector2int16 Draft "a point in the plane, in whole numbers.";
    0x13 Vector3int16(Vector3int16) "vector3int16" *as_vector3int16 Draft "a point in space, in whole numbers.";
    0x14 CFrame(CFrame) "cframe" *as_cframe Spec "a position and a rotation.";
    0x15 EnumItem(EnumItem<'a>) "enum_item" &as_enum_item Real "an item of an enum.";
    0x17 NumberSequence(NumberSequence<'a>) "number_sequence" &as_number_sequence Spec
        "how a number changes over time.";
    0x18 NumberSequenceKeypoint(NumberSequenceKeypoint) "number_sequence_keypoint" *as_number_sequence_keypoint Draft
        "a number at a time.";
    0x19 ColorSequence(ColorSequence<'a>) "color_sequence" &as_color_sequence Spec "how a colour changes over time.";
    0x1a ColorSequenceKeypoint(ColorSequenceKeypoint) "color_sequence_keypoint" *as_color_sequence_keypoint Draft
        "a colour at a time.";
    0x1b NumberRange(NumberRange) "number_range" *as_number_range Spec "a range of numbers.";
    0x1c Rect(Rect) "rect" *as_rect Spec "a rectangle.";
    0x1f Region3(Region3) "region3" *as_region3 Draft "a box in space.";
    0x20 Region3int16(Region3int16) "region3int16" *as_region3int16 Draft "a box in space, in whole numbers.";
    0x21 Font(Font<'a>) "font" &as_font Real "a font.";
    0x24 TweenInfo(TweenInfo) "tween_info" *as_tween_info Real "how an animation goes from one value to another.";
    0x25 Ref(i32) "ref" *as_ref_number Proposed "the number of an instance in the file around." without From;
}

/// The type id, if the options allow it.
#[inline]
pub(super) fn type_id<I: Source, E: WireError<I>>(nesting: Nesting) -> impl Parser<I, Output = TypeId, Error = E> {
    type_number(uint8(), policy(nesting.options()))
}

/// The policy of the options for each type.
#[cfg_attr(fast, inline(always))]
fn policy(options: Options) -> impl Fn(Provenance) -> TypePolicy + Copy {
    move |provenance| match provenance {
        Provenance::Draft if !options.has_draft_types() => {
            TypePolicy::Refused("it is a draft type, and these are switched off")
        }
        Provenance::Proposed if !options.has_refs() => TypePolicy::Unknown,
        _ => TypePolicy::Allowed,
    }
}

impl Value<'_> {
    /// Its approximate size in bytes. A value that holds many bytes counts in full.
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

    /// The number of an `Int`, `Float` or `Double`: Roblox writes all three for numbers.
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

text_conversions!(Value String);
list_conversions!(Value: Array(Value), Dictionary(Entry));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::{IntoByteString, Traceback};
    use crate::{Fault, TypeError};
    use bstr::BString;
    use nom::Err;
    use pretty_assertions::assert_eq;
    use std::cell::Cell;

    fn error(bytes: &[u8], options: Options) -> crate::DecodeError {
        match value::<_, Traceback<_>>(options.into()).parse_complete(bytes) {
            Err(Err::Error(error)) => error.into_error(bytes),
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
        for unknown in [0x00, 0x01, 0x16, 0x1d, 0x1e, 0x22, 0x23, 0x26, 0xff] {
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
    fn numbers_of_every_type_are_numbers() {
        assert_eq!(Value::Int(-3).as_number(), Some(-3.0));
        assert_eq!(Value::Float(0.5).as_number(), Some(0.5));
        assert_eq!(Value::Double(0.1).as_number(), Some(0.1));
        assert_eq!(Value::Bool(true).as_number(), None);
    }

    #[test]
    fn a_value_is_made_of_what_it_holds_and_back() {
        let font =
            Font { weight: 400, style: 0, family: "F".into_byte_string(), cached_face_id: "".into_byte_string() };
        let value_made = Value::from(font.clone());
        assert_eq!(value_made.as_font(), Some(&font));
        assert_eq!(i32::try_from(value_made.clone()), Err(TypeError::new::<i32>("Font")));
        assert_eq!((<&Font<'_>>::try_from(&value_made), Font::try_from(&value_made)), (Ok(&font), Ok(font.clone())));
        assert_eq!(Font::try_from(value_made), Ok(font));
        assert_eq!(Vec::try_from(Value::from(vec![Value::Int(3)])), Ok(vec![Value::Int(3)]));
        assert_eq!(ByteString::try_from(Value::from("a")), Ok("a".into_byte_string()));
        assert_eq!(i32::try_from(Value::Ref(3)), Err(TypeError::new::<i32>("Ref")));
    }

    /// Roblox writes numbers in three types. A double can hold all of them, but not the other way round.
    #[test]
    fn numbers_are_taken_as_wider_ones() {
        for (value, number) in [(Value::Int(-3), -3.0), (Value::Float(0.5), 0.5), (Value::Double(0.1), 0.1)] {
            assert_eq!((f64::try_from(&value), f64::try_from(value)), (Ok(number), Ok(number)));
        }
        assert_eq!(f32::try_from(Value::Double(0.5)), Err(TypeError::new::<f32>("Double")));
        assert_eq!(i32::try_from(&Value::Double(1.0)).unwrap_err().to_string(), "expected i32, found Double");
    }

    #[test]
    fn text_is_taken_as_text_or_bytes() {
        let text = Value::from("Torch");
        assert_eq!((<&str>::try_from(&text), String::try_from(&text)), (Ok("Torch"), Ok("Torch".to_owned())));
        assert_eq!(<&[u8]>::try_from(&text), Ok(&b"Torch"[..]));
        assert_eq!((Vec::<u8>::try_from(&text), BString::try_from(&text)), (Ok(b"Torch".to_vec()), Ok("Torch".into())));
        assert_eq!(Vec::<u8>::try_from(text.clone()), Ok(b"Torch".to_vec()));
        assert_eq!((String::try_from(text.clone()), BString::try_from(text)), (Ok("Torch".into()), Ok("Torch".into())));
        let bytes = Value::from(&b"\xff"[..]);
        let found = "String that is not UTF-8";
        assert_eq!(<&str>::try_from(&bytes), Err(TypeError::new::<&str>(found)));
        assert_eq!(String::try_from(&bytes), Err(TypeError::new::<String>(found)));
        assert_eq!(String::try_from(bytes), Err(TypeError::new::<String>(found)));
        for other in [Value::Bool(true), Value::Int(3)] {
            let found = other.type_id().name();
            assert_eq!(<&str>::try_from(&other), Err(TypeError::new::<&str>(found)));
            assert_eq!(<&[u8]>::try_from(&other), Err(TypeError::new::<&[u8]>(found)));
            assert_eq!(Vec::<u8>::try_from(&other), Err(TypeError::new::<Vec<u8>>(found)));
            assert_eq!(Vec::<u8>::try_from(other), Err(TypeError::new::<Vec<u8>>(found)));
        }
    }

    #[test]
    fn a_type_id_is_shown_with_its_name() {
        assert_eq!(format!("{:?}", TypeId::CFrame), "0x14 CFrame");
        assert_eq!(format!("{:<8}|", TypeId::CFrame), "CFrame  |");
        for id in TypeId::ALL {
            assert_eq!((id.to_string().parse(), TypeId::try_from(u8::from(*id))), (Ok(*id), Ok(*id)));
        }
        assert_eq!("cframe".parse::<TypeId>().unwrap_err().to_string(), r#"unknown type id "cframe""#);
        assert_eq!(TypeId::try_from(0x99).unwrap_err().to_string(), "unknown type id 0x99");
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

    /// Nested values are read once, and once more for the error if they are broken; but not once more at each level.
    #[test]
    fn containers_are_read_once_at_any_depth() {
        let bytes = [[7, 1, 0, 0, 0].repeat(50), vec![3, 1]].concat();
        assert!(value::<_, ()>(Nesting::default()).parse_complete(Counting(&bytes)).is_ok());
        // a type and a length for each level, a type and a bool
        let reads = 50 * 2 + 2;
        assert_eq!(READS.replace(0), reads);
        assert!(value::<_, ()>(Nesting::default()).parse_complete(Counting(&bytes[..bytes.len() - 1])).is_err());
        // once the outermost type, and the item that does not fit in the input
        assert_eq!(READS.replace(0), 2 * reads - 3);
    }

    /// A list inside a list may promise more items than the lists around it leave room for. That alone is not an error.
    #[test]
    fn the_error_is_where_the_input_ends() {
        let inner = [&[7, 2, 0, 0, 0][..], &[3, 1, 3, 1]].concat();
        let bytes = [&[7, 5, 0, 0, 0][..], &inner, &inner].concat();
        let error = crate::wire::run(&bytes[..], value(Nesting::default())).unwrap_err();
        assert_eq!((error.offset(), error.path().to_string()), (23.into(), "array.elements[2].type".to_owned()));
    }
}
