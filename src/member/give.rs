//! Values give their parts to a receiver: a serializer of serde, or any other writer.

use std::num::NonZeroU32;

use base16ct::lower;
use serde::ser::{Error, SerializeMap, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

use super::float;
use crate::wire::{ByteString, List, Packed};

/// A value that gives its parts to a [`Receiver`].
///
/// Its receiver is a trait object, so that a type is compiled once for all of them.
pub trait Give {
    /// Gives the value: calls one method of the receiver, once.
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
    /// A variant of an enum that holds nothing: the name of the enum, and the number and the name of the variant.
    Name(&'static str, u32, &'static str),
}

/// The meaning of a value that has the form of another.
#[derive(Clone, Copy, Debug)]
pub enum Tag {
    /// It need not be there.
    Some,
    /// The name of its type.
    Type(&'static str),
    /// It is what a variant of an enum holds: the name of the enum, and the number and the name of the variant.
    Variant(&'static str, u32, &'static str),
    /// It is written in one line.
    Line,
}

/// Calls its argument for each item.
pub type GiveItems<'i> = &'i mut dyn FnMut(&mut dyn FnMut(&dyn Give));

/// Calls its argument for each member of a structure.
pub type GiveMembers<'m> = &'m mut dyn FnMut(&mut dyn FnMut(&'static str, &dyn Give));

/// Calls its argument for each member of an object with any names.
pub type GiveEntries<'e> = &'e mut dyn FnMut(&mut dyn FnMut(&str, &dyn Give));

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

    /// A list of `length` items.
    fn list(&mut self, length: usize, items: GiveItems<'_>);

    /// A structure with this name, of `length` members.
    fn structure(&mut self, name: &'static str, length: usize, members: GiveMembers<'_>);

    /// An object with any names.
    fn map(&mut self, length: Option<usize>, entries: GiveEntries<'_>);

    /// There is no such value.
    fn refuse(&mut self, reason: &str);
}

impl Serialize for dyn Give + '_ {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self, serializer)
    }
}

/// For `Serialize`: writes what a value gives.
pub(crate) fn serialize<S: Serializer>(value: &dyn Give, serializer: S) -> Result<S::Ok, S::Error> {
    let mut once = Once { serializer: Some(serializer), written: None };
    value.give(&mut once);
    once.written.unwrap_or_else(|| Err(S::Error::custom("a value that gives nothing")))
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

/// A serializer for one value, and what it returned.
struct Once<S: Serializer> {
    serializer: Option<S>,
    written: Option<Result<S::Ok, S::Error>>,
}

impl<S: Serializer> Once<S> {
    #[inline]
    fn write(&mut self, write: impl FnOnce(S) -> Result<S::Ok, S::Error>) {
        if let Some(serializer) = self.serializer.take() {
            self.written = Some(write(serializer));
        }
    }
}

impl<S: Serializer> Receiver for Once<S> {
    fn takes_bytes(&self) -> bool {
        self.serializer.as_ref().is_some_and(|serializer| !serializer.is_human_readable())
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

    fn list(&mut self, length: usize, items: GiveItems<'_>) {
        self.write(|serializer| {
            let mut list = serializer.serialize_seq(Some(length))?;
            let mut written = Ok(());
            items(&mut |item| {
                if written.is_ok() {
                    written = list.serialize_element(item);
                }
            });
            written.and_then(|()| list.end())
        });
    }

    fn structure(&mut self, name: &'static str, length: usize, members: GiveMembers<'_>) {
        self.write(|serializer| {
            let mut structure = serializer.serialize_struct(name, length)?;
            let mut written = Ok(());
            members(&mut |name, value| {
                if written.is_ok() {
                    written = structure.serialize_field(name, value);
                }
            });
            written.and_then(|()| structure.end())
        });
    }

    fn map(&mut self, length: Option<usize>, entries: GiveEntries<'_>) {
        self.write(|serializer| {
            let mut map = serializer.serialize_map(length)?;
            let mut written = Ok(());
            entries(&mut |name, value| {
                if written.is_ok() {
                    written = map.serialize_entry(name, value);
                }
            });
            written.and_then(|()| map.end())
        });
    }

    fn refuse(&mut self, reason: &str) {
        self.write(|_| Err(S::Error::custom(reason)));
    }
}

/// Writes a value that holds no others.
#[inline]
pub(super) fn write_scalar<S: Serializer>(scalar: Scalar<'_>, serializer: S) -> Result<S::Ok, S::Error> {
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
        to.list(self.len(), &mut |item| self.iter().for_each(|value| item(value)));
    }
}

impl<T: Give> Give for Vec<T> {
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
        to.list(self.len(), &mut |item| self.iter().for_each(|value| item(&value)));
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
