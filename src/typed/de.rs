//! Serde's side of reading.

use std::borrow::Cow;

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer};
use serde::de::{Deserializer, Visitor};

use super::access::{Entries, Items, Made, Members, Variant};
use super::error::{items, ReadError};
use super::look::{List, Look, Rare, Reader, Walk};
use super::plain::Neutral;
use super::{type_of_name, Leniency};
use crate::error::{listed, Fault};
use crate::stack::growing;

/// The next value of a reader.
pub(crate) struct Typed<'r, R> {
    reader: &'r mut R,
    leniency: Leniency,
    /// The likely key, if the value is the key of an entry.
    key: Option<&'static str>,
}

/// The kind of value that a Rust type requests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    Any,
    Seq,
    Map,
    Bytes,
}

impl<'r, R> Typed<'r, R> {
    #[inline]
    pub(crate) fn new(reader: &'r mut R, leniency: Leniency) -> Self {
        Typed { reader, leniency, key: None }
    }

    /// The key of an entry. It is read faster if it is the one that is likely.
    #[inline]
    pub(super) fn key(reader: &'r mut R, leniency: Leniency, likely: &'static str) -> Self {
        Typed { reader, leniency, key: Some(likely) }
    }
}

impl<'de, R: Reader<'de>> Typed<'_, R> {
    /// Shows the visitor the next value.
    #[inline]
    fn visit<V: Visitor<'de>>(self, hint: Hint, visitor: V) -> Result<V::Value, ReadError> {
        let look = self.reader.next()?;
        self.show(look, hint, visitor)
    }

    #[inline(never)]
    fn show<V: Visitor<'de>>(self, look: Look<'de>, hint: Hint, visitor: V) -> Result<V::Value, ReadError> {
        match look {
            Look::Unit => visitor.visit_unit(),
            Look::Bool(value) => visitor.visit_bool(value),
            Look::Int(number) => visitor.visit_i64(number),
            Look::Uint(number) => visitor.visit_u64(number),
            Look::Single(number) => visitor.visit_f32(number),
            Look::Double(number) => visitor.visit_f64(number),
            Look::Str(text) if hint == Hint::Bytes => visitor.visit_borrowed_bytes(text.as_bytes()),
            Look::Str(text) => visitor.visit_borrowed_str(text),
            Look::Rare(Rare::Text(text)) => show_text(text, hint, visitor),
            Look::Rare(Rare::Bytes(bytes)) if hint == Hint::Seq => {
                let item = |index: usize| bytes.get(index).map(|byte| Neutral::Uint((*byte).into()));
                show_list(bytes.len(), &item, visitor)
            }
            Look::Rare(Rare::Bytes(Cow::Borrowed(bytes))) => visitor.visit_borrowed_bytes(bytes),
            Look::Rare(Rare::Bytes(Cow::Owned(bytes))) => visitor.visit_byte_buf(bytes),
            Look::Seq(0, _) if hint == Hint::Map && R::RULES.tables => self.map(0, false, None, &[], visitor),
            Look::Seq(count, Some(first)) if hint == Hint::Map || (hint == Hint::Any && first != 1) => {
                self.map(count, false, Some(first), &[], visitor)
            }
            Look::Seq(count, _) => self.seq(count, false, visitor),
            Look::Map { count: 0, .. } if hint == Hint::Seq && R::RULES.tables => self.seq(0, false, visitor),
            Look::Map { count, .. } if hint == Hint::Seq && R::RULES.structures => self.seq(count, true, visitor),
            Look::Map { count, named } => self.map(count, named, None, &[], visitor),
            Look::Record(record) if hint == Hint::Seq => {
                let count = record.names.len();
                let mut members = Members { record, next: 0 };
                let value = visitor.visit_seq(&mut members)?;
                all_read(members.next, count, value)
            }
            Look::Record(record) => visitor.visit_map(Members { record, next: 0 }),
            Look::Rare(Rare::List(List { length, item })) => show_list(length, &*item, visitor),
            Look::Rare(Rare::Neutral(plain)) => {
                let mut walk = Walk::new(&plain, false);
                Typed::new(&mut walk, self.leniency).visit(hint, visitor)
            }
        }
    }

    fn seq<V: Visitor<'de>>(self, count: usize, keyed: bool, visitor: V) -> Result<V::Value, ReadError> {
        let Typed { reader, leniency, .. } = self;
        reader.enter();
        let mut items = Items { reader: &mut *reader, leniency, keyed, index: 0, count };
        let value = growing(|| visitor.visit_seq(&mut items))?;
        let (read, count) = (items.index, items.count);
        reader.leave();
        all_read(read, count, value)
    }

    fn map<V: Visitor<'de>>(
        self,
        count: usize,
        named: bool,
        first: Option<i64>,
        likely: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let Typed { reader, leniency, .. } = self;
        reader.enter();
        let mut entries = Entries { reader: &mut *reader, leniency, named, first, likely, index: 0, count };
        let value = growing(|| visitor.visit_map(&mut entries))?;
        let (read, count) = (entries.index, entries.count);
        reader.leave();
        all_read(read, count, value)
    }

    /// Shows the visitor a number that need not be an integer of the format.
    #[inline]
    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let is_whole = R::RULES.whole || self.leniency.float_to_int;
        match self.reader.next()? {
            Look::Int(number) => visitor.visit_i64(number),
            Look::Single(number) if is_whole => show_whole(number.into(), visitor),
            Look::Double(number) if is_whole => show_whole(number, visitor),
            look => self.unusual(look, visitor, |key, visitor| match (parsed::<i64>(key), parsed::<u64>(key)) {
                (Some(number), _) => Ok(visitor.visit_i64(number)),
                (None, Some(number)) => Ok(visitor.visit_u64(number)),
                (None, None) => Err(visitor),
            }),
        }
    }

    #[inline]
    fn float<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.reader.next()? {
            Look::Single(number) => visitor.visit_f32(number),
            Look::Double(number) => visitor.visit_f64(number),
            look => self.unusual(look, visitor, |key, visitor| match parsed::<f64>(key) {
                Some(number) => Ok(visitor.visit_f64(number)),
                None => Err(visitor),
            }),
        }
    }

    /// Shows the visitor an unusual value. The text of a key may be parsed as the value it expects.
    #[inline(never)]
    fn unusual<V: Visitor<'de>>(
        self,
        look: Look<'de>,
        visitor: V,
        parse_key: impl FnOnce(&Look<'_>, V) -> Result<Result<V::Value, ReadError>, V>,
    ) -> Result<V::Value, ReadError> {
        let visitor = match self.key {
            Some(_) => match parse_key(&look, visitor) {
                Ok(read) => return read,
                Err(visitor) => visitor,
            },
            None => visitor,
        };
        self.show(look, Hint::Any, visitor)
    }
}

/// Parses the text of a key.
fn parsed<T: std::str::FromStr>(key: &Look<'_>) -> Option<T> {
    let text = match key {
        Look::Str(text) => text,
        Look::Rare(Rare::Text(text)) => std::str::from_utf8(text).ok()?,
        _ => return None,
    };
    text.parse().ok()
}

/// Shows an integer if the number is one of 64 bits.
fn show_whole<'de, V: Visitor<'de>>(number: f64, visitor: V) -> Result<V::Value, ReadError> {
    match whole(number) {
        Some(number) => visitor.visit_i64(number),
        None => visitor.visit_f64(number),
    }
}

/// The integer that is equal to a number; `None` for −0, which is a different number.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // compared afterwards
pub(crate) fn whole(number: f64) -> Option<i64> {
    let integer = number as i64;
    (integer as f64 == number && integer != i64::MAX && (integer != 0 || number.is_sign_positive())).then_some(integer)
}

#[inline]
fn show_text<'de, V: Visitor<'de>>(text: Cow<'de, [u8]>, hint: Hint, visitor: V) -> Result<V::Value, ReadError> {
    match text {
        Cow::Borrowed(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if hint != Hint::Bytes => visitor.visit_borrowed_str(text),
            _ => visitor.visit_borrowed_bytes(bytes),
        },
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) if hint != Hint::Bytes => visitor.visit_string(text),
            Ok(text) => visitor.visit_byte_buf(text.into_bytes()),
            Err(error) => visitor.visit_byte_buf(error.into_bytes()),
        },
    }
}

/// Shows values that are made one by one.
fn show_list<'p, 'de, V: Visitor<'de>>(
    length: usize,
    item: &dyn Fn(usize) -> Option<Neutral<'de>>,
    visitor: V,
) -> Result<V::Value, ReadError> {
    let mut list = Made { item, index: 0, length };
    let value = visitor.visit_seq(&mut list)?;
    all_read(list.index, length, value)
}

/// The value, or an error if some items of a container were not read.
#[inline]
fn all_read<T>(read: usize, count: usize, value: T) -> Result<T, ReadError> {
    match read < count {
        true => Err(ReadError::mismatch(items(count), format!("no more than {read}"))),
        false => Ok(value),
    }
}

macro_rules! forward {
    ($($method:ident => $by:ident;)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            self.$by(visitor)
        }
    )*};
}

impl<'de, R: Reader<'de>> Deserializer<'de> for Typed<'_, R> {
    type Error = ReadError;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.reader.next()? {
            Look::Double(number) if R::RULES.whole => show_whole(number, visitor),
            Look::Single(number) if R::RULES.whole => match whole(number.into()) {
                Some(number) => visitor.visit_i64(number),
                None => visitor.visit_f32(number),
            },
            look => self.show(look, Hint::Any, visitor),
        }
    }

    forward! {
        deserialize_i8 => integer;
        deserialize_i16 => integer;
        deserialize_i32 => integer;
        deserialize_i64 => integer;
        deserialize_u8 => integer;
        deserialize_u16 => integer;
        deserialize_u32 => integer;
        deserialize_u64 => integer;
        deserialize_f32 => float;
        deserialize_f64 => float;
        deserialize_string => deserialize_str;
        deserialize_char => deserialize_str;
        deserialize_byte_buf => deserialize_bytes;
        deserialize_u128 => deserialize_i128;
    }

    fn deserialize_i128<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ReadError> {
        Err(ReadError::new(Fault::Other(NO_128.to_owned())))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.reader.next()? {
            Look::Bool(value) => visitor.visit_bool(value),
            look => self.unusual(look, visitor, |key, visitor| match parsed(key) {
                Some(value) => Ok(visitor.visit_bool(value)),
                None => Err(visitor),
            }),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if let Some(text) = self.reader.next_str(self.key.unwrap_or_default())? {
            return visitor.visit_borrowed_str(text);
        }
        self.visit(Hint::Any, visitor)
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.visit(Hint::Bytes, visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.reader.is_unit()? {
            self.reader.skip()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.reader.next()? {
            Look::Seq(0, _) if R::RULES.empty_unit => visitor.visit_unit(),
            look => self.show(look, Hint::Any, visitor),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if name == R::RULES.exact {
            return match self.reader.exact()? {
                Cow::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
                Cow::Owned(bytes) => visitor.visit_byte_buf(bytes),
            };
        }
        if let Some(wanted) = type_of_name(name) {
            // the values within a structure of the engine have no types of their own
            if !R::RULES.structures && !self.reader.is_unit()? {
                let found = self.reader.type_name()?;
                if found != wanted && found.strip_suffix('i') != Some(wanted) {
                    return Err(ReadError::mismatch(found, wanted));
                }
            }
        }
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.visit(Hint::Seq, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.visit(Hint::Seq, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.visit(Hint::Seq, visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.visit(Hint::Map, visitor)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let read = match self.reader.next()? {
            Look::Map { count, named } => self.map(count, named, None, fields, visitor),
            // the structures of the crate also take their fields in order
            Look::Record(record) if name == OWN && record.names == fields => {
                visitor.visit_seq(Members { record, next: 0 })
            }
            Look::Record(record) => visitor.visit_map(Members { record, next: 0 }),
            look => self.show(look, Hint::Map, visitor),
        };
        read.map_err(|error| error.of_fields(fields))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let Typed { reader, leniency, .. } = self;
        let mismatch = |found: &str| ReadError::mismatch(found, enum_of(variants));
        match reader.next()? {
            Look::Str(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            Look::Rare(Rare::Text(Cow::Borrowed(text))) => {
                let text = std::str::from_utf8(text).map_err(|_| mismatch("bytes"))?;
                visitor.visit_enum(BorrowedStrDeserializer::new(text))
            }
            Look::Rare(Rare::Text(Cow::Owned(text))) => {
                let text = String::from_utf8(text).map_err(|_| mismatch("bytes"))?;
                visitor.visit_enum(StringDeserializer::new(text))
            }
            Look::Map { count: 1, named } => {
                reader.enter();
                if named {
                    reader.expect_name();
                }
                let value = growing(|| visitor.visit_enum(Variant { reader: &mut *reader, leniency }))?;
                reader.leave();
                Ok(value)
            }
            Look::Map { count, .. } => Err(mismatch(&format!("a map of {}", items(count)))),
            Look::Rare(Rare::Neutral(plain)) => plain.read(|reader| reader.deserialize_enum(name, variants, visitor)),
            look => Err(mismatch(kind(&look))),
        }
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if let Some(text) = self.reader.next_str(self.key.unwrap_or_default())? {
            return visitor.visit_borrowed_str(text);
        }
        match self.reader.next()? {
            Look::Str(text) => visitor.visit_borrowed_str(text),
            Look::Rare(Rare::Text(text)) => show_text(text, Hint::Any, visitor),
            look => Err(ReadError::mismatch(kind(&look), "a name")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.reader.skip()?;
        visitor.visit_unit()
    }
}

/// The name of the crate's structures for serde, when they are read.
const OWN: &str = "$enginewire";

const NO_128: &str = "integers of 128 bits are not supported: no format has them";

/// An enum with these variants, in words.
#[cold]
fn enum_of(variants: &[&str]) -> String {
    format!("an enum: {}, or a map from it to what it holds", listed(variants))
}

/// A value in words, as far as its first look.
fn kind(look: &Look<'_>) -> &'static str {
    match look {
        Look::Unit => "nothing",
        Look::Bool(_) => "a boolean",
        Look::Int(_) | Look::Uint(_) => "an integer",
        Look::Single(_) | Look::Double(_) => "a number",
        Look::Str(_) | Look::Rare(Rare::Text(_)) => "text",
        Look::Rare(Rare::Bytes(_)) => "bytes",
        Look::Seq(..) | Look::Rare(Rare::List(_)) => "a list",
        Look::Map { .. } => "a map",
        Look::Record(_) | Look::Rare(Rare::Neutral(_)) => "a structure",
    }
}
