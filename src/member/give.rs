//! Values give their parts to a receiver: a serializer of serde, or any other writer.

use std::num::NonZeroU32;

use base16ct::lower;
use serde::ser::{Error, SerializeMap, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

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

/// Calls its argument for each item.
type Items<'i> = &'i mut dyn FnMut(&mut dyn FnMut(&dyn Give));

/// Calls its argument for each member of a structure.
type Members<'m> = &'m mut dyn FnMut(&mut dyn FnMut(&'static str, &dyn Give));

/// Calls its argument for each member of an object with any names.
type Entries<'e> = &'e mut dyn FnMut(&mut dyn FnMut(&str, &dyn Give));

/// Receives a value.
pub trait Receiver {
    /// True if people read it, so that numbers and bytes have other forms.
    fn is_text(&self) -> bool {
        false
    }

    /// True if a value inside another is given as its bytes, and not by its members.
    fn takes_bytes(&self) -> bool {
        false
    }

    /// A value that holds no others.
    fn scalar(&mut self, scalar: Scalar<'_>);

    /// A value that need not be there.
    fn some(&mut self, value: &dyn Give);

    /// A value whose type has this name.
    fn named(&mut self, name: &'static str, value: &dyn Give);

    /// A variant of an enum that holds a value: the name of the enum, and the number and the name of the variant.
    fn variant(&mut self, of: &'static str, number: u32, name: &'static str, value: &dyn Give);

    /// A list of `length` items.
    fn list(&mut self, length: usize, items: Items<'_>);

    /// A structure with this name, of `length` members.
    fn structure(&mut self, name: &'static str, length: usize, members: Members<'_>);

    /// An object with any names.
    fn map(&mut self, length: Option<usize>, entries: Entries<'_>);

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
    let mut state = State::Waiting(serializer);
    value.give(&mut state);
    match state {
        State::Written(written) => written,
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
        to.named(self.0, self.1);
    }
}

/// A serializer, and what became of it.
enum State<S: Serializer> {
    Waiting(S),
    Writing,
    Written(Result<S::Ok, S::Error>),
}

impl<S: Serializer> State<S> {
    fn write(&mut self, write: impl FnOnce(S) -> Result<S::Ok, S::Error>) {
        if let State::Waiting(serializer) = std::mem::replace(self, State::Writing) {
            *self = State::Written(write(serializer));
        }
    }
}

impl<S: Serializer> Receiver for State<S> {
    fn is_text(&self) -> bool {
        matches!(self, State::Waiting(serializer) if serializer.is_human_readable())
    }

    fn takes_bytes(&self) -> bool {
        !self.is_text()
    }

    fn scalar(&mut self, scalar: Scalar<'_>) {
        self.write(|serializer| match scalar {
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
        });
    }

    fn some(&mut self, value: &dyn Give) {
        self.write(|serializer| serializer.serialize_some(value));
    }

    fn named(&mut self, name: &'static str, value: &dyn Give) {
        self.write(|serializer| serializer.serialize_newtype_struct(name, value));
    }

    fn variant(&mut self, of: &'static str, number: u32, name: &'static str, value: &dyn Give) {
        self.write(|serializer| serializer.serialize_newtype_variant(of, number, name, value));
    }

    fn list(&mut self, length: usize, items: Items<'_>) {
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

    fn structure(&mut self, name: &'static str, length: usize, members: Members<'_>) {
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

    fn map(&mut self, length: Option<usize>, entries: Entries<'_>) {
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
    NonZeroU32, number => Scalar::U32(number.get());
    str, text => Scalar::Text(text);
}

/// Integers that JavaScript cannot represent exactly are written as text.
macro_rules! wide_integers {
    ($($type:ident $scalar:ident $safe:expr;)*) => {$(
        impl Give for $type {
            fn give(&self, to: &mut dyn Receiver) {
                match $safe.contains(self) || !to.is_text() {
                    true => to.scalar(Scalar::$scalar(*self)),
                    false => to.scalar(Scalar::Text(&self.to_string())),
                }
            }
        }
    )*};
}

/// JavaScript represents every integer up to this one exactly: 2^53 - 1.
const SAFE: i64 = 9_007_199_254_740_991;

wide_integers! {
    i64 I64 (-SAFE..=SAFE);
    u64 U64 (0..=SAFE.unsigned_abs());
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
            Some(value) => to.some(value),
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

/// Bytes: a string if they are UTF-8, else `{"hex": …}`.
impl Give for ByteString<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        match std::str::from_utf8(self) {
            Ok(text) => to.scalar(Scalar::Text(text)),
            Err(_) => give_bytes(self, to),
        }
    }
}

/// Gives bytes: in text as `{"hex": …}`.
pub(crate) fn give_bytes(bytes: &[u8], to: &mut dyn Receiver) {
    match to.is_text() {
        true => single("hex", &lower::encode_string(bytes), to),
        false => to.scalar(Scalar::Bytes(bytes)),
    }
}

/// Gives `{name: text}`.
pub(super) fn single(name: &str, text: &str, to: &mut dyn Receiver) {
    to.map(Some(1), &mut |member| member(name, &text));
}
