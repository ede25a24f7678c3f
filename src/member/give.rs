//! Values give their parts to a receiver: a serializer of serde, or any other writer.

use std::num::NonZeroU32;

use base16ct::lower;
use serde::ser::{Error, SerializeMap, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

use super::float;
use crate::wire::{ByteArray, ByteString, List, Packed, ValueVec};

/// A value that gives its parts to a [`Receiver`].
///
/// Its receiver is a trait object, so that a type is compiled once for all of them.
pub trait Give {
    /// Gives the value: a scalar, a tagged value, or the beginning of a list, structure or map, its parts and the end.
    fn give(&self, to: &mut dyn Receiver);
}

/// A value that holds no others. The types are those of serde.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Scalar<'v> {
    Unit,
    None,
    Bool(bool),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
    Text(&'v str),
    Bytes(&'v [u8]),
    /// A variant of an enum that holds nothing: the name of the enum, and the number and the name of the variant, which has no
    /// quotes, backslashes or control characters.
    Name(&'static str, u32, &'static str),
}

/// The meaning of a value that has the form of another.
#[derive(Clone, Copy, Debug)]
pub enum Tag {
    /// It need not be there.
    Some,
    /// The name of its type.
    Type(&'static str),
    /// It is the value of a variant of an enum: the name of the enum, and the number and the name of the variant.
    Variant(&'static str, u32, &'static str),
    /// It is written in one line.
    Line,
}

/// Receives a value.
pub trait Receiver {
    /// True if a value inside another, and a UUID, are given as bytes, and not by their members or as text.
    fn takes_bytes(&self) -> bool {
        false
    }

    /// A value that holds no others.
    fn scalar(&mut self, scalar: Scalar<'_>);

    /// A value that means more than it shows.
    fn tagged(&mut self, tag: Tag, value: &dyn Give);

    /// A list of `length` items begins.
    fn list(&mut self, length: usize);

    /// The next item of the list.
    fn item(&mut self, value: &dyn Give);

    /// A structure with this name begins, of `length` members.
    fn structure(&mut self, name: &'static str, length: usize);

    /// The next member of the structure. Its name has no quotes, backslashes or control characters.
    fn member(&mut self, name: &'static str, value: &dyn Give);

    /// An object with any names begins.
    fn map(&mut self, length: Option<usize>);

    /// The next member of such an object.
    fn entry(&mut self, name: &str, value: &dyn Give);

    /// The list, structure or object ends.
    fn end(&mut self);

    /// There is no such value.
    fn refuse(&mut self, reason: &str);
}

impl Serialize for dyn Give + '_ {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self, serializer)
    }
}

/// For `Serialize`: writes the parts of a value.
pub(crate) fn serialize<S: Serializer>(value: &dyn Give, serializer: S) -> Result<S::Ok, S::Error> {
    let mut once = Once::Waiting(serializer);
    value.give(&mut once);
    match once {
        Once::Written(written) => written,
        _ => Err(S::Error::custom("a value that gives nothing")),
    }
}

/// Serde's `Serialize` by [`Give`].
macro_rules! serialize_by_give {
    ([$($generic:tt)*] $type:ty) => {
        impl<$($generic)*> serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::member::serialize(self, serializer)
            }
        }
    };
}
pub(crate) use serialize_by_give;

/// A value whose type has a name.
pub(crate) struct Named<'v>(pub(crate) &'static str, pub(crate) &'v dyn Give);

impl Give for Named<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.tagged(Tag::Type(self.0), self.1);
    }
}

/// A part that a function gives.
pub(crate) struct All<G>(pub(crate) G);

impl<G: Fn(&mut dyn Receiver)> Give for All<G> {
    fn give(&self, to: &mut dyn Receiver) {
        self.0(to);
    }
}

/// A serializer for one value, and how far it is.
enum Once<S: Serializer> {
    Waiting(S),
    List(S::SerializeSeq),
    Structure(S::SerializeStruct),
    Map(S::SerializeMap),
    Working,
    Written(Result<S::Ok, S::Error>),
}

impl<S: Serializer> Once<S> {
    #[inline]
    fn write(&mut self, write: impl FnOnce(S) -> Result<S::Ok, S::Error>) {
        self.begin(|serializer| Ok(Once::Written(write(serializer))));
    }

    #[inline]
    fn begin(&mut self, begin: impl FnOnce(S) -> Result<Self, S::Error>) {
        if let Once::Waiting(serializer) = std::mem::replace(self, Once::Working) {
            *self = begin(serializer).unwrap_or_else(|error| Once::Written(Err(error)));
        }
    }

    /// A part was written.
    #[inline]
    fn wrote(&mut self, written: Result<(), S::Error>) {
        if let Err(error) = written {
            *self = Once::Written(Err(error));
        }
    }
}

impl<S: Serializer> Receiver for Once<S> {
    fn takes_bytes(&self) -> bool {
        !matches!(self, Once::Waiting(serializer) if serializer.is_human_readable())
    }

    fn scalar(&mut self, scalar: Scalar<'_>) {
        self.write(|serializer| match scalar.has_text() && serializer.is_human_readable() {
            true => match text_form(scalar) {
                TextForm::Scalar(scalar) => write_scalar(scalar, serializer),
                TextForm::Digits(digits) => serializer.serialize_str(&digits),
                TextForm::Object(name, text) => {
                    let mut map = serializer.serialize_map(Some(1))?;
                    map.serialize_entry(name, &text)?;
                    map.end()
                }
            },
            false => write_scalar(scalar, serializer),
        });
    }

    fn tagged(&mut self, tag: Tag, value: &dyn Give) {
        self.write(|serializer| match tag {
            Tag::Line => value.serialize(serializer),
            Tag::Some => serializer.serialize_some(value),
            Tag::Type(name) => serializer.serialize_newtype_struct(name, value),
            Tag::Variant(of, number, name) => serializer.serialize_newtype_variant(of, number, name, value),
        });
    }

    fn list(&mut self, length: usize) {
        self.begin(|serializer| serializer.serialize_seq(Some(length)).map(Once::List));
    }

    fn item(&mut self, value: &dyn Give) {
        if let Once::List(list) = self {
            let written = list.serialize_element(value);
            self.wrote(written);
        }
    }

    fn structure(&mut self, name: &'static str, length: usize) {
        self.begin(|serializer| serializer.serialize_struct(name, length).map(Once::Structure));
    }

    fn member(&mut self, name: &'static str, value: &dyn Give) {
        if let Once::Structure(structure) = self {
            let written = structure.serialize_field(name, value);
            self.wrote(written);
        }
    }

    fn map(&mut self, length: Option<usize>) {
        self.begin(|serializer| serializer.serialize_map(length).map(Once::Map));
    }

    fn entry(&mut self, name: &str, value: &dyn Give) {
        if let Once::Map(map) = self {
            let written = map.serialize_entry(name, value);
            self.wrote(written);
        }
    }

    fn end(&mut self) {
        *self = match std::mem::replace(self, Once::Working) {
            Once::List(list) => Once::Written(list.end()),
            Once::Structure(structure) => Once::Written(structure.end()),
            Once::Map(map) => Once::Written(map.end()),
            other => other,
        };
    }

    fn refuse(&mut self, reason: &str) {
        self.write(|_| Err(S::Error::custom(reason)));
    }
}

/// Writes a value that holds no others.
#[inline]
pub(crate) fn write_scalar<S: Serializer>(scalar: Scalar<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    match scalar {
        Scalar::Unit => serializer.serialize_unit(),
        Scalar::None => serializer.serialize_none(),
        Scalar::Bool(value) => serializer.serialize_bool(value),
        Scalar::U8(number) => serializer.serialize_u8(number),
        Scalar::U16(number) => serializer.serialize_u16(number),
        Scalar::U32(number) => serializer.serialize_u32(number),
        Scalar::U64(number) => serializer.serialize_u64(number),
        Scalar::I8(number) => serializer.serialize_i8(number),
        Scalar::I16(number) => serializer.serialize_i16(number),
        Scalar::I32(number) => serializer.serialize_i32(number),
        Scalar::I64(number) => serializer.serialize_i64(number),
        Scalar::F32(number) => serializer.serialize_f32(number),
        Scalar::F64(number) => serializer.serialize_f64(number),
        Scalar::Text(text) => serializer.serialize_str(text),
        Scalar::Bytes(bytes) => serializer.serialize_bytes(bytes),
        Scalar::Name(of, number, name) => serializer.serialize_unit_variant(of, number, name),
    }
}

macro_rules! scalars {
    ($($type:ty, $value:ident => $scalar:expr;)*) => {$(
        impl Give for $type {
            fn give(&self, to: &mut dyn Receiver) {
                let $value = self;
                to.scalar($scalar);
            }
        }
    )*};
}

scalars! {
    (), _value => Scalar::Unit;
    bool, value => Scalar::Bool(*value);
    u8, number => Scalar::U8(*number);
    u16, number => Scalar::U16(*number);
    u32, number => Scalar::U32(*number);
    i8, number => Scalar::I8(*number);
    i16, number => Scalar::I16(*number);
    i32, number => Scalar::I32(*number);
    i64, number => Scalar::I64(*number);
    u64, number => Scalar::U64(*number);
    f32, number => Scalar::F32(*number);
    f64, number => Scalar::F64(*number);
    NonZeroU32, number => Scalar::U32(number.get());
    str, text => Scalar::Text(text);
    ByteArray<'_>, bytes => Scalar::Bytes(bytes);
}

impl<T: Give + ?Sized> Give for &T {
    fn give(&self, to: &mut dyn Receiver) {
        T::give(self, to);
    }
}

impl<T: Give> Give for Box<T> {
    fn give(&self, to: &mut dyn Receiver) {
        T::give(self, to);
    }
}

/// Null, or a value.
impl<T: Give> Give for Option<T> {
    fn give(&self, to: &mut dyn Receiver) {
        match self {
            Some(value) => to.tagged(Tag::Some, value),
            None => to.scalar(Scalar::None),
        }
    }
}

impl<T: Give> Give for [T] {
    fn give(&self, to: &mut dyn Receiver) {
        to.list(self.len());
        self.iter().for_each(|value| to.item(value));
        to.end();
    }
}

impl<T: Give> Give for Vec<T> {
    fn give(&self, to: &mut dyn Receiver) {
        self[..].give(to);
    }
}

impl<T: Give> Give for ValueVec<T> {
    fn give(&self, to: &mut dyn Receiver) {
        self[..].give(to);
    }
}

impl<T: Give, const N: usize> Give for [T; N] {
    fn give(&self, to: &mut dyn Receiver) {
        self[..].give(to);
    }
}

impl<T: Packed + Give> Give for List<'_, T> {
    fn give(&self, to: &mut dyn Receiver) {
        to.list(self.len());
        self.iter().for_each(|value| to.item(&value));
        to.end();
    }
}

/// Text if they are UTF-8, else bytes.
impl Give for ByteString<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.scalar(std::str::from_utf8(self).map_or(Scalar::Bytes(self), Scalar::Text));
    }
}

/// The form of a value in text, which people read.
pub(crate) enum TextForm<'v> {
    Scalar(Scalar<'v>),
    /// The digits of an integer, which JavaScript would round.
    Digits(String),
    /// `{"hex": "…"}`, `{"bits": "0x…"}`
    Object(&'static str, String),
}

impl Scalar<'_> {
    /// True if its form in text may be another.
    #[inline]
    pub(crate) fn has_text(&self) -> bool {
        matches!(self, Scalar::F32(_) | Scalar::F64(_) | Scalar::I64(_) | Scalar::U64(_) | Scalar::Bytes(_))
    }
}

/// JavaScript represents every integer up to this one exactly: 2^53 - 1.
const SAFE: u64 = 9_007_199_254_740_991;

/// The form of a value in text.
#[inline]
pub(crate) fn text_form(scalar: Scalar<'_>) -> TextForm<'_> {
    match scalar {
        Scalar::F32(number) => float::text_form(number),
        Scalar::F64(number) => float::text_form(number),
        Scalar::I64(number) if number.unsigned_abs() > SAFE => TextForm::Digits(number.to_string()),
        Scalar::U64(number) if number > SAFE => TextForm::Digits(number.to_string()),
        Scalar::Bytes(bytes) => TextForm::Object("hex", lower::encode_string(bytes)),
        scalar => TextForm::Scalar(scalar),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;
    use crate::member::{by_choice, by_name};
    use pretty_assertions::assert_eq;
    use serde::ser::Impossible;

    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        First,
        Second,
    }

    by_name! { Kind { First "first", Second "second", } }

    enum Choice {
        First(bool),
        Second(u8),
    }

    by_choice! { Choice { First(bool) "first" 0, Second(u8) "second" 1, } }

    type Never = Impossible<String, fmt::Error>;

    /// A serializer that returns how it is called.
    struct Told;

    macro_rules! told {
        ($($method:ident($($value:ident: $type:ty),*) => $text:literal;)*) => {$(
            fn $method(self, $($value: $type),*) -> Result<String, fmt::Error> {
                Ok(format!($text))
            }
        )*};
    }

    macro_rules! refused {
        ($($method:ident($($type:ty),*);)*) => {$(
            fn $method(self, $(_: $type),*) -> Result<Never, fmt::Error> {
                Err(fmt::Error)
            }
        )*};
    }

    impl Serializer for Told {
        type Ok = String;
        type Error = fmt::Error;
        type SerializeSeq = Never;
        type SerializeTuple = Never;
        type SerializeTupleStruct = Never;
        type SerializeTupleVariant = Never;
        type SerializeMap = Never;
        type SerializeStruct = Never;
        type SerializeStructVariant = Never;

        fn is_human_readable(&self) -> bool {
            false
        }

        told! {
            serialize_bool(value: bool) => "bool {value}";
            serialize_i8(number: i8) => "i8 {number}";
            serialize_i16(number: i16) => "i16 {number}";
            serialize_i32(number: i32) => "i32 {number}";
            serialize_i64(number: i64) => "i64 {number}";
            serialize_u8(number: u8) => "u8 {number}";
            serialize_u16(number: u16) => "u16 {number}";
            serialize_u32(number: u32) => "u32 {number}";
            serialize_u64(number: u64) => "u64 {number}";
            serialize_f32(number: f32) => "f32 {number}";
            serialize_f64(number: f64) => "f64 {number}";
            serialize_char(value: char) => "char {value}";
            serialize_str(text: &str) => "text {text}";
            serialize_bytes(bytes: &[u8]) => "bytes {bytes:?}";
            serialize_none() => "none";
            serialize_unit() => "unit";
            serialize_unit_struct(name: &'static str) => "{name}";
            serialize_unit_variant(of: &'static str, number: u32, name: &'static str) => "{of} {number} {name}";
        }

        fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<String, fmt::Error> {
            Ok(format!("some {}", value.serialize(Told)?))
        }

        fn serialize_newtype_struct<T: Serialize + ?Sized>(
            self,
            name: &'static str,
            value: &T,
        ) -> Result<String, fmt::Error> {
            Ok(format!("{name} {}", value.serialize(Told)?))
        }

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            of: &'static str,
            number: u32,
            name: &'static str,
            value: &T,
        ) -> Result<String, fmt::Error> {
            Ok(format!("{of} {number} {name} {}", value.serialize(Told)?))
        }

        refused! {
            serialize_seq(Option<usize>);
            serialize_tuple(usize);
            serialize_tuple_struct(&'static str, usize);
            serialize_tuple_variant(&'static str, u32, &'static str, usize);
            serialize_map(Option<usize>);
            serialize_struct(&'static str, usize);
            serialize_struct_variant(&'static str, u32, &'static str, usize);
        }
    }

    /// Formats of bytes write variants by their numbers, and whether there is a value.
    #[test]
    fn serializers_are_told_what_a_value_is() {
        let bytes = ByteString::from(b"\xff".to_vec());
        let values: [(&dyn Give, &str); 10] = [
            (&(), "unit"),
            (&None::<u8>, "none"),
            (&Some(7_u8), "some u8 7"),
            (&Kind::First, "Kind 0 first"),
            (&Kind::Second, "Kind 1 second"),
            (&Choice::First(true), "Choice 0 first bool true"),
            (&Choice::Second(7), "Choice 1 second u8 7"),
            (&Named("Name", &Some(0.5_f32)), "Name some f32 0.5"),
            (&u64::MAX, "u64 18446744073709551615"),
            (&bytes, "bytes [255]"),
        ];
        for (value, told) in values {
            assert_eq!(serialize(value, Told).as_deref(), Ok(told));
        }
    }
}
