//! The parts of structures: giving them to writers, and taking them from readers.

pub(crate) mod float;
mod give;
mod given;
mod holder;
mod singles;
mod tape;

use std::num::NonZeroU32;

use base16ct::mixed;
use serde::Deserializer;

pub(crate) use give::{serialize, serialize_by_give, text_form, write_scalar, All, Named, TextForm};
pub use give::{Give, Receiver, Scalar, Tag};
pub(crate) use given::{Contents, Items, Members};
pub use given::{Given, Mismatch};
pub(crate) use holder::{Child, Held, Holder};
use singles::{are_singles, Singles, MOST_SINGLES};
pub use tape::Tape;

use crate::wire::{ByteString, List, Packed};

/// A part of a document.
///
/// Structures implement serde's traits with it, so that numbers and bytes have their lossless form everywhere. Only the types of
/// this crate implement it: [`Given`] has no public methods.
pub trait Member: Give + Sized {
    /// Its form.
    const SHAPE: Shape;

    /// Makes it from a given value.
    ///
    /// # Errors
    ///
    /// If it has another form, or is out of range.
    fn take(given: Given<'_>) -> Result<Self, Mismatch>;

    /// Makes it from the next of some numbers of 32 bits. `None` if it is anything but a number or a structure of these, or if there are
    /// too few.
    #[doc(hidden)]
    fn of_singles(_: &mut std::slice::Iter<'_, f32>) -> Option<Self> {
        None
    }
}

/// The form of a value: it is requested from readers of bytes, and the types of other languages are made from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the types of serde
pub enum Shape {
    Any,
    /// A value that has a form of its own, by its name.
    Form(&'static str),
    /// Nothing.
    Null,
    /// Null, or a value.
    Option(&'static Shape),
    Bool,
    U8,
    U16,
    U32,
    I8,
    I16,
    I32,
    F32,
    F64,
    I64,
    U64,
    /// Bytes that are usually text.
    Text,
    List(&'static Shape),
    Tuple(usize, &'static Shape),
    /// The name of the structure, which is empty if it has none, and the names and shapes of its fields.
    Structure(&'static str, &'static [&'static str], &'static [Shape]),
    /// An object with one member, and the names and shapes that it may have.
    Choice(&'static [&'static str], &'static [Shape]),
    /// One of these names.
    Name(&'static [&'static str]),
    /// The shape with reals of 32 bits, and that with reals of 64.
    Reals(&'static Shape, &'static Shape),
}

/// For `Deserialize`: makes a value from a reader. A short structure of numbers of 32 bits takes no tape, which would cost more than it.
pub(crate) fn deserialize<'de, T: Member, D: Deserializer<'de>>(reader: D) -> Result<T, D::Error> {
    if let Shape::Structure(_, names, shapes) = T::SHAPE
        && names.len() <= MOST_SINGLES
        && are_singles(shapes)
        && !reader.is_human_readable()
    {
        let numbers = reader.deserialize_struct("$enginewire", names, Singles(names))?;
        let made = T::of_singles(&mut numbers.iter());
        return made.ok_or_else(|| serde::de::Error::custom("a structure of numbers was expected"));
    }
    let mut tape = Tape::new();
    tape.read(T::SHAPE, reader)?;
    T::take(tape.given()).map_err(|mismatch| mismatch.error(&tape))
}

/// The value of a field of a structure.
pub(crate) fn field<T: Member>(of: Given<'_>, name: &'static str, given: Option<Given<'_>>) -> Result<T, Mismatch> {
    T::take(given.ok_or_else(|| of.missing(name))?)
}

/// Serde's `Deserialize` by [`Member`].
macro_rules! deserialize_by_member {
    ([$($generic:tt)*] $name:ty) => {
        impl<'de, $($generic)*> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::member::deserialize(deserializer)
            }
        }
    };
}
pub(crate) use deserialize_by_member;

/// Serde's traits by [`Member`].
macro_rules! serde_by_member {
    ([$($generic:tt)*] $type:ty) => {
        crate::member::serialize_by_give!([$($generic)*] $type);
        crate::member::deserialize_by_member!([$($generic)*] $type);
    };
}
pub(crate) use serde_by_member;

/// A structure of one part, which serde sees as that part. Its name identifies it to the formats of this crate.
macro_rules! by_part {
    ([$($generic:tt)*] $name:expr, $type:ident $(<$number:ident>)? { $part:tt: $content:ty }) => {
        impl<$($generic)*> serde::Serialize for $type $(<$number>)? {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::member::serialize(&crate::member::Named(concat!("$enginewire::", $name), &self.$part), serializer)
            }
        }

        impl<$($generic)*> crate::member::Give for $type $(<$number>)? {
            fn give(&self, to: &mut dyn crate::member::Receiver) {
                crate::member::Give::give(&self.$part, to);
            }
        }

        impl<$($generic)*> crate::member::Member for $type $(<$number>)? {
            const SHAPE: crate::member::Shape = <$content as crate::member::Member>::SHAPE;

            fn take(given: crate::member::Given<'_>) -> Result<Self, crate::member::Mismatch> {
                Ok($type { $part: crate::member::Member::take(given)? })
            }
        }

        crate::member::deserialize_by_member!([$($generic)*] $type $(<$number>)?);
    };
}
pub(crate) use by_part;

/// An enum without content for serde: by the names of its variants.
macro_rules! by_name {
    ($type:ident { $($variant:ident $name:expr,)* }) => {
        const _: () = {
            const ALL: &[$type] = &[$($type::$variant),*];
            const NAMES: &[&str] = &[$($name),*];

            impl crate::member::Give for $type {
                fn give(&self, to: &mut dyn crate::member::Receiver) {
                    let place = ALL.iter().position(|one| one == self);
                    to.scalar(crate::member::name_at(stringify!($type), NAMES, place));
                }
            }

            impl crate::member::Member for $type {
                const SHAPE: crate::member::Shape = crate::member::Shape::Name(NAMES);

                fn take(given: crate::member::Given<'_>) -> Result<Self, crate::member::Mismatch> {
                    let place = given.name_of(NAMES)?;
                    ALL.get(place).copied().ok_or_else(|| given.custom("there is no such type"))
                }
            }

            crate::member::serde_by_member!([] $type);
        };
    };
}
pub(crate) use by_name;

/// An enum for serde whose variants each hold a value: `{name: value}`.
macro_rules! by_choice {
    ($type:ident { $($variant:ident($content:ty) $name:literal $index:literal,)* }) => {
        const _: () = {
            const NAMES: &[&str] = &[$($name),*];

            impl crate::member::Give for $type {
                fn give(&self, to: &mut dyn crate::member::Receiver) {
                    match self {
                        $($type::$variant(value) => {
                            to.tagged(crate::member::Tag::Variant(stringify!($type), $index, $name), value);
                        })*
                    }
                }
            }

            impl crate::member::Member for $type {
                const SHAPE: crate::member::Shape =
                    crate::member::Shape::Choice(NAMES, &[$(<$content as crate::member::Member>::SHAPE),*]);

                fn take(given: crate::member::Given<'_>) -> Result<Self, crate::member::Mismatch> {
                    match given.choice(NAMES)? {
                        $(($index, value) => crate::member::Member::take(value).map($type::$variant),)*
                        _ => Err(given.no_choice(NAMES)),
                    }
                }
            }

            crate::member::serde_by_member!([] $type);
        };
    };
}
pub(crate) use by_choice;

/// The variant of an enum that has this place among its names.
pub(crate) fn name_at(of: &'static str, names: &[&'static str], place: Option<usize>) -> Scalar<'static> {
    let place = place.unwrap_or_default();
    Scalar::Name(of, u32::try_from(place).unwrap_or(u32::MAX), names.get(place).copied().unwrap_or_default())
}

impl Member for bool {
    const SHAPE: Shape = Shape::Bool;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        given.bool()
    }
}

/// No value.
impl Member for () {
    const SHAPE: Shape = Shape::Null;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        given.null()
    }
}

/// Integers in serde's own form.
macro_rules! integers {
    ($($type:ident $shape:ident)*) => {$(
        impl Member for $type {
            const SHAPE: Shape = Shape::$shape;

            fn take(given: Given<'_>) -> Result<Self, Mismatch> {
                let number = given.integer(stringify!($type), stringify!($type))?;
                $type::try_from(number).map_err(|_| given.unfit(stringify!($type), stringify!($type)))
            }
        }
    )*};
}

integers! {
    u8 U8
    u16 U16
    u32 U32
    i8 I8
    i16 I16
    i32 I32
}

impl Member for NonZeroU32 {
    const SHAPE: Shape = Shape::U32;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        NonZeroU32::new(u32::take(given)?).ok_or_else(|| given.invalid_value("a whole number of 32 bits, not 0"))
    }
}

/// Integers that may be text, for JavaScript.
macro_rules! wide_integers {
    ($($type:ident $shape:ident)*) => {$(
        impl Member for $type {
            const SHAPE: Shape = Shape::$shape;

            fn take(given: Given<'_>) -> Result<Self, Mismatch> {
                let expected = concat!("an integer of the type ", stringify!($type), ", or its digits in a string");
                let number = match given.as_text() {
                    Some(text) => text.parse().ok(),
                    None => $type::try_from(given.integer(stringify!($type), expected)?).ok(),
                };
                number.ok_or_else(|| given.unfit(stringify!($type), expected))
            }
        }
    )*};
}

wide_integers! {
    i64 I64
    u64 U64
}

impl<T: Member> Member for Box<T> {
    const SHAPE: Shape = T::SHAPE;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        T::take(given).map(Box::new)
    }
}

/// Null, or a value.
impl<T: Member> Member for Option<T> {
    const SHAPE: Shape = Shape::Option(&T::SHAPE);

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        match given.is_null() {
            true => Ok(None),
            false => T::take(given).map(Some),
        }
    }
}

impl<T: Member> Member for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        given.items("a list")?.map(T::take).collect()
    }
}

impl<T: Member> Member for crate::wire::ValueVec<T> {
    const SHAPE: Shape = Vec::<T>::SHAPE;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        Vec::take(given).map(Self::from)
    }
}

impl<T: Packed + Member> Member for List<'_, T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let mut list = List::default();
        for item in given.items("a list")? {
            list.extend([T::take(item)?]);
        }
        Ok(list)
    }
}

impl<T: Member, const N: usize> Member for [T; N] {
    const SHAPE: Shape = Shape::Tuple(N, &T::SHAPE);

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let items = given.array::<N>()?.into_iter().map(T::take).collect::<Result<Vec<_>, _>>()?;
        items.try_into().map_err(|_| given.custom(format_args!("expected a list of {N} items")))
    }
}

/// Bytes: a string if they are UTF-8, else `{"hex": …}`.
impl Member for ByteString<'_> {
    const SHAPE: Shape = Shape::Text;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        if given.is_map() {
            return hex(given).map(ByteString::from);
        }
        let bytes = given.as_bytes().ok_or_else(|| given.invalid_type(r#"a string, or {"hex": "…"}"#))?;
        Ok(bytes.to_vec().into())
    }
}

/// The bytes of `{"hex": …}`, which may be there as they are.
pub(crate) fn hex(given: Given<'_>) -> Result<Vec<u8>, Mismatch> {
    let digits = given.only(&["hex"])?;
    match (digits.as_text(), digits.as_bytes()) {
        (None, Some(bytes)) => Ok(bytes.to_vec()),
        _ => {
            let digits = digits.text()?;
            let no_bytes = format_args!("expected an even number of hexadecimal digits, found {digits:?}");
            mixed::decode_vec(digits).map_err(|_| given.custom(no_bytes))
        }
    }
}

/// Values with their type: `{"type": …, "value": …}`, with a key before them where they have one.
pub(crate) mod typed {
    use super::*;

    /// A value of one of several types.
    pub(crate) trait Typed: Sized {
        /// The type, which is written and read as its name.
        type Type: Copy + Member;

        fn type_of(&self) -> Self::Type;

        /// The value without its type.
        fn bare(&self) -> &dyn Give;

        fn take_of(id: Self::Type, given: Given<'_>) -> Result<Self, Mismatch>;

        /// The shape of the values of a type.
        fn shape_of(id: Self::Type) -> Shape;
    }

    /// Gives a value that has no other members.
    pub(crate) fn give<T: Typed>(value: &T, to: &mut dyn Receiver) {
        // values may nest deeper than the stack of the thread allows
        crate::stack::growing(|| {
            to.structure("Typed", 2);
            give_members(value, to);
            to.end();
        });
    }

    /// Gives the members `type` and `value`, which are the last.
    pub(crate) fn give_members<T: Typed>(value: &T, to: &mut dyn Receiver) {
        to.member("type", &value.type_of());
        to.member("value", value.bare());
    }

    /// The value of `of`, whose members are these.
    pub(crate) fn take<T: Typed>(
        of: Given<'_>,
        type_name: Option<Given<'_>>,
        value: Option<Given<'_>>,
    ) -> Result<T, Mismatch> {
        let id = field(of, "type", type_name)?;
        let value = value.ok_or_else(|| of.missing("value"))?;
        // values may nest deeper than the stack of the thread allows
        crate::stack::growing(|| T::take_of(id, value))
    }

    /// A value that has no other members.
    pub(crate) fn take_value<T: Typed>(given: Given<'_>) -> Result<T, Mismatch> {
        let [type_name, value] = given.fields("an object with type, value", &["type", "value"])?;
        take(given, type_name, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::IntoByteString;
    use pretty_assertions::assert_eq;

    fn written<T: Member>(member: T) -> String {
        serde_json::to_string::<dyn Give>(&member).unwrap()
    }

    fn read<T: Member>(text: &str) -> Result<T, String> {
        let read: serde_json::Result<T> = deserialize(&mut serde_json::Deserializer::from_str(text));
        read.map_err(|error| error.to_string())
    }

    #[cfg(feature = "roblox")]
    #[test]
    fn a_typed_value_has_two_members_and_no_others() {
        use crate::roblox::attributes::Value;
        let read = |text: &str| serde_json::from_str::<Value<'_>>(text).map_err(|error| error.to_string());
        assert_eq!(read(r#"{"value": true, "type": "Bool"}"#), Ok(Value::Bool(true)));
    }

    /// JavaScript reads integers exactly up to 2^53 - 1. Those beyond are text, and both forms are read.
    #[test]
    fn integers_of_64_bits() {
        for (number, text) in [
            (0, "0"),
            (9_007_199_254_740_991, "9007199254740991"),
            (9_007_199_254_740_992, r#""9007199254740992""#),
            (-9_007_199_254_740_991, "-9007199254740991"),
            (-9_007_199_254_740_992, r#""-9007199254740992""#),
            (i64::MIN, r#""-9223372036854775808""#),
            (i64::MAX, r#""9223372036854775807""#),
        ] {
            assert_eq!(written(number), text);
            assert_eq!((read(text), read(text.trim_matches('"'))), (Ok(number), Ok(number)));
            assert_eq!(read(&format!("\"{number}\"")), Ok(number));
            assert_eq!(read::<u64>(text).ok(), u64::try_from(number).ok());
        }
        assert_eq!(written(u64::MAX), r#""18446744073709551615""#);
        assert_eq!(written(9_007_199_254_740_991_u64), "9007199254740991");
        assert_eq!(written(9_007_199_254_740_992_u64), r#""9007199254740992""#);
        assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
        assert_eq!((read::<i64>("-0"), read::<u64>("-0.0")), (Ok(0), Ok(0)));
    }

    /// Each of the shorter types has its own range.
    #[test]
    fn integers_of_32_bits_and_less() {
        fn range<T: Member + PartialEq + std::fmt::Debug + Copy>(least: T, below: &str, greatest: T, above: &str) {
            assert_eq!((read(&written(least)), read(&written(greatest))), (Ok(least), Ok(greatest)));
            for text in [below, above, "0.5", "0.0", "-0.5", "\"0\"", "null"] {
                assert!(read::<T>(text).is_err(), "{text}");
            }
            assert_eq!((read::<T>("-0"), read::<T>("-0.0")), (read("0"), read("0")));
        }
        range(0_u8, "-1", u8::MAX, "256");
        range(0_u16, "-1", u16::MAX, "65536");
        range(0_u32, "-1", u32::MAX, "4294967296");
        range(i8::MIN, "-129", i8::MAX, "128");
        range(i16::MIN, "-32769", i16::MAX, "32768");
        range(i32::MIN, "-2147483649", i32::MAX, "2147483648");
    }

    #[test]
    fn bytes_are_a_string_or_hexadecimal_digits() {
        for (bytes, text) in [(&b"a\0"[..], r#""a\u0000""#), (b"\xff\0", r#"{"hex":"ff00"}"#), (b"", r#""""#)] {
            let bytes = bytes.to_vec().into_byte_string();
            assert_eq!(written(bytes.clone()), text);
            assert_eq!(read(text), Ok(bytes));
        }
        let in_either_case: ByteString<'_> = read(r#"{"hex": "fF0A"}"#).unwrap();
        assert_eq!(*in_either_case, *b"\xff\x0a");
    }

    #[test]
    fn lists_of_numbers_and_strings() {
        assert!(read::<[f32; 9]>("[1,2,3,4,5,6,7,8]").is_err());
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, f32::INFINITY];
        assert_eq!(written(numbers), r#"[1,2,3,4,5,6,7,8,"Infinity"]"#);
        assert_eq!(read(&written(numbers)), Ok(numbers));
        let text = r#"["a",{"hex":"ff"}]"#;
        let texts: Vec<ByteString<'_>> = read(text).unwrap();
        assert_eq!(written(texts), text);
    }
}
