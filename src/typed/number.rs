//! A serializer of numbers and of nothing else.

use std::fmt::{self, Display};

use serde::ser::{Impossible, Serialize, Serializer};

use super::look::Number;

/// Takes a number and nothing else.
pub(super) struct NumberOnly;

/// A value is not a number, or it is one of more than 64 bits.
#[derive(Debug)]
pub(super) struct NoNumber;

impl Display for NoNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a number")
    }
}

impl std::error::Error for NoNumber {}

impl serde::ser::Error for NoNumber {
    fn custom<T: Display>(_: T) -> Self {
        NoNumber
    }
}

macro_rules! numbers {
    ($($method:ident($type:ty) => $number:ident;)*) => {$(
        #[inline]
        fn $method(self, number: $type) -> Result<Number, NoNumber> {
            Ok(Number::$number(number.into()))
        }
    )*};
}

macro_rules! no_numbers {
    ($($method:ident($($type:ty),*) -> $ok:ty;)*) => {$(
        #[inline]
        fn $method(self, $(_: $type),*) -> Result<$ok, NoNumber> {
            Err(NoNumber)
        }
    )*};
}

type No = Impossible<Number, NoNumber>;

impl Serializer for NumberOnly {
    type Ok = Number;
    type Error = NoNumber;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = No;
    type SerializeStructVariant = No;

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    numbers! {
        serialize_i8(i8) => Int;
        serialize_i16(i16) => Int;
        serialize_i32(i32) => Int;
        serialize_i64(i64) => Int;
        serialize_u8(u8) => Int;
        serialize_u16(u16) => Int;
        serialize_u32(u32) => Int;
        serialize_f32(f32) => Single;
        serialize_f64(f64) => Double;
    }

    no_numbers! {
        serialize_bool(bool) -> Number;
        serialize_u64(u64) -> Number;
        serialize_char(char) -> Number;
        serialize_str(&str) -> Number;
        serialize_bytes(&[u8]) -> Number;
        serialize_none() -> Number;
        serialize_unit() -> Number;
        serialize_unit_struct(&'static str) -> Number;
        serialize_unit_variant(&'static str, u32, &'static str) -> Number;
        serialize_seq(Option<usize>) -> No;
        serialize_tuple(usize) -> No;
        serialize_tuple_struct(&'static str, usize) -> No;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
        serialize_map(Option<usize>) -> No;
        serialize_struct(&'static str, usize) -> No;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<Number, NoNumber> {
        Err(NoNumber)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<Number, NoNumber> {
        Err(NoNumber)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Number, NoNumber> {
        Err(NoNumber)
    }
}
