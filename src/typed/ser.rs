//! Serde's side of writing: a value of a format is made, which the format then encodes.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::bytes::Bytes;
use super::error::BuildError;
use super::plain::Plain;
use super::shape::Rules;
use super::{growing, type_of_name};
use crate::error::{self, Segment};
use crate::wire::AsKey;

/// A value of a format, made of values of Rust.
pub(crate) trait Build: Sized {
    const RULES: Rules;
    /// What errors call the format: `"Godot"`.
    const FORMAT: &'static str;

    /// No value; `None` if that is left out.
    fn none() -> Option<Self>;
    /// `()`.
    fn unit() -> Self;
    fn bool(value: bool) -> Self;
    fn int(number: i64) -> Result<Self, BuildError>;
    fn single(number: f32) -> Self;
    fn double(number: f64) -> Self;
    fn text(text: Cow<'static, str>) -> Self;
    fn bytes(bytes: Vec<u8>) -> Self;
    fn seq(items: Vec<Self>) -> Self;
    fn map(entries: Vec<(Self, Self)>) -> Self;

    /// An unsigned integer. Most formats have none.
    fn uint(number: u64) -> Result<Self, BuildError> {
        let signed = number.try_into();
        Self::int(signed.map_err(|_| BuildError::new(format!("{number} does not fit 64 bits with a sign")))?)
    }

    /// The value of the type with this name.
    fn of_type(name: &str, plain: Plain<'static>) -> Result<Option<Self>, BuildError>;

    /// The value of a field that holds any value.
    fn of_exact(bytes: &[u8]) -> Option<Self>;

    #[cold]
    fn no_null() -> BuildError {
        BuildError::new(format!("{} has no null that is not a field", Self::FORMAT))
    }

    #[cold]
    fn no_key() -> BuildError {
        BuildError::new(format!("{} has only keys that are text", Self::FORMAT))
    }

    #[cold]
    fn no_type(name: &str) -> BuildError {
        BuildError::new(format!("{} has no type {name}", Self::FORMAT))
    }

    /// The integer as a number of 64 bits, in formats without integers.
    #[allow(clippy::as_conversions)] // compared afterwards
    fn exact_double(number: i64) -> Result<f64, BuildError> {
        let double = number as f64;
        match super::de::whole(double) == Some(number) {
            true => Ok(double),
            false => {
                Err(BuildError::new(format!("{} has no integers, and {number} is between two numbers", Self::FORMAT)))
            }
        }
    }
}

/// Makes a value of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Builder<B>(PhantomData<fn() -> B>);

impl<B> Builder<B> {
    pub(crate) fn new() -> Self {
        Builder(PhantomData)
    }
}

impl<B: Build> Builder<B> {
    /// The entry from the name of a variant to what it holds.
    fn variant(name: &'static str, value: Option<B>) -> Option<B> {
        let value = value.unwrap_or_else(B::unit);
        Some(B::map(vec![(B::text(name.into()), value)]))
    }

    /// The value of a type that is named.
    fn of_type(name: &'static str, plain: Option<Plain<'static>>) -> Result<Option<B>, BuildError> {
        match plain {
            None | Some(Plain::Unit) => Ok(B::none()),
            Some(plain) => B::of_type(name, plain),
        }
    }
}

/// Room for so many items that someone says there are.
fn room<T>(length: Option<usize>) -> Vec<T> {
    Vec::with_capacity(length.unwrap_or_default().min(4096))
}

macro_rules! numbers {
    ($($method:ident($type:ty) => $by:ident;)*) => {$(
        fn $method(self, number: $type) -> Result<Option<B>, BuildError> {
            B::$by(number.into()).map(Some)
        }
    )*};
}

impl<B: Build> Serializer for Builder<B> {
    type Ok = Option<B>;
    type Error = BuildError;
    type SerializeSeq = Items<B>;
    type SerializeTuple = Items<B>;
    type SerializeTupleStruct = Items<B>;
    type SerializeTupleVariant = Items<B>;
    type SerializeMap = Entries<B>;
    type SerializeStruct = Fields<B>;
    type SerializeStructVariant = Fields<B>;

    fn is_human_readable(&self) -> bool {
        false
    }

    numbers! {
        serialize_i8(i8) => int;
        serialize_i16(i16) => int;
        serialize_i32(i32) => int;
        serialize_i64(i64) => int;
        serialize_u8(u8) => uint;
        serialize_u16(u16) => uint;
        serialize_u32(u32) => uint;
        serialize_u64(u64) => uint;
    }

    fn serialize_i128(self, _: i128) -> Result<Option<B>, BuildError> {
        Err(BuildError::new(NO_128))
    }

    fn serialize_u128(self, _: u128) -> Result<Option<B>, BuildError> {
        Err(BuildError::new(NO_128))
    }

    fn serialize_bool(self, value: bool) -> Result<Option<B>, BuildError> {
        Ok(Some(B::bool(value)))
    }

    fn serialize_f32(self, number: f32) -> Result<Option<B>, BuildError> {
        Ok(Some(B::single(number)))
    }

    fn serialize_f64(self, number: f64) -> Result<Option<B>, BuildError> {
        Ok(Some(B::double(number)))
    }

    fn serialize_char(self, value: char) -> Result<Option<B>, BuildError> {
        Ok(Some(B::text(value.to_string().into())))
    }

    fn serialize_str(self, text: &str) -> Result<Option<B>, BuildError> {
        Ok(Some(B::text(text.to_owned().into())))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Option<B>, BuildError> {
        Ok(Some(B::bytes(bytes.to_vec())))
    }

    fn serialize_none(self) -> Result<Option<B>, BuildError> {
        Ok(B::none())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Option<B>, BuildError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Option<B>, BuildError> {
        Ok(Some(B::unit()))
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Option<B>, BuildError> {
        Ok(Some(B::unit()))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Option<B>, BuildError> {
        Ok(Some(B::text(variant.into())))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Option<B>, BuildError> {
        if name == B::RULES.exact {
            let bytes = value.serialize(Bytes)?;
            return match B::of_exact(&bytes) {
                Some(value) => Ok(Some(value)),
                None => Err(BuildError::new(format!("{} has no such value", B::FORMAT))),
            };
        }
        match type_of_name(name) {
            Some(name) => Self::of_type(name, value.serialize(Builder::<Plain<'static>>::new())?),
            None => growing(|| value.serialize(self)),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Option<B>, BuildError> {
        let value = growing(|| value.serialize(self)).map_err(|error| error.within(Segment::Field(variant)))?;
        Ok(Self::variant(variant, value))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Items<B>, BuildError> {
        Ok(Items { variant: None, items: room(length) })
    }

    fn serialize_tuple(self, length: usize) -> Result<Items<B>, BuildError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Items<B>, BuildError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Items<B>, BuildError> {
        Ok(Items { variant: Some(variant), items: room(Some(length)) })
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Entries<B>, BuildError> {
        Ok(Entries { key: None, entries: room(length) })
    }

    fn serialize_struct(self, name: &'static str, length: usize) -> Result<Fields<B>, BuildError> {
        Ok(match type_of_name(name) {
            Some(name) => Fields::Typed { name, members: room(Some(length)) },
            None => Fields::Plain { variant: None, entries: room(Some(length)) },
        })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Fields<B>, BuildError> {
        Ok(Fields::Plain { variant: Some(variant), entries: room(Some(length)) })
    }
}

const NO_128: &str = "integers of 128 bits are not supported: no format has them";

/// Values in a row, in a variant of an enum if that is named.
pub(crate) struct Items<B> {
    variant: Option<&'static str>,
    items: Vec<B>,
}

impl<B: Build> Items<B> {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BuildError> {
        let built = growing(|| value.serialize(Builder::new())).and_then(|built| built.ok_or_else(B::no_null));
        match built {
            Ok(built) => self.items.push(built),
            Err(error) => return Err(error.within(Segment::Index(self.items.len()))),
        }
        Ok(())
    }

    fn done(self) -> Option<B> {
        let value = Some(B::seq(self.items));
        match self.variant {
            Some(variant) => Builder::variant(variant, value),
            None => value,
        }
    }
}

macro_rules! items {
    ($($trait:ident $method:ident;)*) => {$(
        impl<B: Build> $trait for Items<B> {
            type Ok = Option<B>;
            type Error = BuildError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BuildError> {
                self.add(value)
            }

            fn end(self) -> Result<Option<B>, BuildError> {
                Ok(self.done())
            }
        }
    )*};
}

items! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

/// Entries with any keys.
pub(crate) struct Entries<B> {
    key: Option<(B, Plain<'static>)>,
    entries: Vec<(B, B)>,
}

impl<B: Build> SerializeMap for Entries<B> {
    type Ok = Option<B>;
    type Error = BuildError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), BuildError> {
        let plain = growing(|| Plain::of(key))?;
        let built = match B::RULES.text_keys {
            true => match plain.clone().into_key().map(|key| String::from_utf8(key.into_owned())) {
                Some(Ok(key)) => B::text(key.into()),
                _ => return Err(B::no_key()),
            },
            false => growing(|| key.serialize(Builder::new()))?.ok_or_else(B::no_null)?,
        };
        self.key = Some((built, plain));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BuildError> {
        let Some((key, plain)) = self.key.take() else {
            return Err(BuildError::new("a value comes after its key"));
        };
        match growing(|| value.serialize(Builder::new())) {
            Ok(Some(value)) => self.entries.push((key, value)),
            Ok(None) => {}
            Err(error) => return Err(error.within_key(&Key(plain))),
        }
        Ok(())
    }

    fn end(self) -> Result<Option<B>, BuildError> {
        Ok(Some(B::map(self.entries)))
    }
}

/// A key as paths have it.
#[derive(Debug)]
struct Key(Plain<'static>);

impl AsKey for Key {
    fn to_key(&self) -> error::Key {
        match &self.0 {
            Plain::Text(text) => text.to_key(),
            Plain::Int(number) => number.to_key(),
            other => error::Key::shown(other),
        }
    }
}

/// Entries whose keys are names.
pub(crate) enum Fields<B> {
    /// Of a structure of Rust, in a variant of an enum if that is named.
    Plain { variant: Option<&'static str>, entries: Vec<(B, B)> },
    /// Of a type of the engine.
    Typed { name: &'static str, members: Vec<(Plain<'static>, Plain<'static>)> },
}

impl<B: Build> Fields<B> {
    fn add<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), BuildError> {
        match self {
            Fields::Plain { entries, .. } => match growing(|| value.serialize(Builder::new())) {
                Ok(Some(value)) => entries.push((B::text(name.into()), value)),
                Ok(None) => {}
                Err(error) => return Err(error.within(Segment::Field(name))),
            },
            Fields::Typed { members, .. } => {
                let value = Plain::of(value).map_err(|error| error.within(Segment::Field(name)))?;
                members.push((Plain::Text(Cow::Borrowed(name.as_bytes())), value));
            }
        }
        Ok(())
    }

    fn done(self) -> Result<Option<B>, BuildError> {
        match self {
            Fields::Plain { variant: None, entries } => Ok(Some(B::map(entries))),
            Fields::Plain { variant: Some(variant), entries } => Ok(Builder::variant(variant, Some(B::map(entries)))),
            Fields::Typed { name, members } => B::of_type(name, Plain::Map(members)),
        }
    }
}

impl<B: Build> SerializeStruct for Fields<B> {
    type Ok = Option<B>;
    type Error = BuildError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), BuildError> {
        self.add(name, value)
    }

    fn end(self) -> Result<Option<B>, BuildError> {
        self.done()
    }
}

impl<B: Build> SerializeStructVariant for Fields<B> {
    type Ok = Option<B>;
    type Error = BuildError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), BuildError> {
        self.add(name, value)
    }

    fn end(self) -> Result<Option<B>, BuildError> {
        self.done()
    }
}
