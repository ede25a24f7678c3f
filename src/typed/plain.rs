//! Any value of serde's data model, without the types of a format.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::de::Typed;
use super::error::{BuildError, ReadError};
use super::look::{Look, Number, Rare, Rules, Value, Walk};
use super::row::Row;
use super::ser::{tree, Build};
use super::Leniency;
use crate::member::{Child, Give, Given, Held, Holder, Mismatch, Scalar, Tape};

/// Any value of serde's data model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Neutral<'a> {
    Unit,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Single(f32),
    Double(f64),
    Text(Cow<'a, [u8]>),
    Bytes(Cow<'a, [u8]>),
    Seq(Vec<Neutral<'a>>),
    Map(Vec<(Neutral<'a>, Neutral<'a>)>),
}

impl Neutral<'static> {
    /// The value that serde makes of a Rust value.
    pub(crate) fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, BuildError> {
        Ok(tree(|writer| value.serialize(writer))?.unwrap_or(Neutral::Unit))
    }

    /// The parts of a structure.
    pub(crate) fn of_member(member: &dyn Give) -> Self {
        // structures of numbers and text can all be made
        Neutral::of(member).unwrap_or(Neutral::Unit)
    }
}

impl<'a> Neutral<'a> {
    /// A tape with the parts.
    fn tape(&self) -> Tape<'_> {
        let mut tape = Tape::new();
        self.push(&mut tape);
        tape
    }

    fn push<'t>(&'t self, tape: &mut Tape<'t>) {
        tape.scalar(match self {
            Neutral::Unit => Scalar::Unit,
            Neutral::Bool(value) => Scalar::Bool(*value),
            Neutral::Int(number) => Scalar::I64(*number),
            Neutral::Uint(number) => Scalar::U64(*number),
            Neutral::Single(number) => Scalar::F32(*number),
            Neutral::Double(number) => Scalar::F64(*number),
            Neutral::Text(bytes) => std::str::from_utf8(bytes).map_or(Scalar::Bytes(bytes), Scalar::Text),
            Neutral::Bytes(bytes) => Scalar::Bytes(bytes),
            Neutral::Seq(items) => {
                let at = tape.open(false);
                items.iter().for_each(|item| item.push(tape));
                return tape.close(at);
            }
            Neutral::Map(entries) => {
                let at = tape.open(true);
                entries.iter().for_each(|(key, value)| {
                    key.push(tape);
                    value.push(tape);
                });
                return tape.close(at);
            }
        });
    }

    /// A value of Rust made from this.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(Typed<'_, Walk<'_, 'a, Self>>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        read(Typed::new(&mut Walk::new(self, false), Leniency::new()))
    }

    /// A value of the crate made from this.
    pub(crate) fn take<T>(&self, take: impl FnOnce(Given<'_>) -> Result<T, Mismatch>) -> Result<T, ReadError> {
        let tape = self.tape();
        take(tape.given()).map_err(|mismatch| mismatch.error(&tape))
    }

    /// The numbers of a list, if it is a row.
    pub(crate) fn to_row(&self) -> Option<Row> {
        let Neutral::Seq(items) = self else { return None };
        let mut row = Row::default();
        let is_row = items.iter().all(|item| match item {
            Neutral::Single(number) => row.push(Number::Single(*number)),
            Neutral::Double(number) => row.push(Number::Double(*number)),
            Neutral::Int(number) => row.push(Number::Int(*number)),
            _ => false,
        });
        is_row.then_some(row)
    }

    /// Text of this value as the key of an entry, if it can be one.
    pub(crate) fn into_key(self) -> Option<Cow<'a, [u8]>> {
        Some(match self {
            Neutral::Text(text) => text,
            Neutral::Bool(value) => Cow::Owned(value.to_string().into_bytes()),
            Neutral::Int(number) => Cow::Owned(number.to_string().into_bytes()),
            Neutral::Uint(number) => Cow::Owned(number.to_string().into_bytes()),
            Neutral::Single(number) => Cow::Owned(number.to_string().into_bytes()),
            Neutral::Double(number) => Cow::Owned(number.to_string().into_bytes()),
            _ => return None,
        })
    }

    /// The value of a format that it is without a type.
    pub(crate) fn build<B: Build>(self) -> Result<Option<B>, BuildError> {
        let text = |text: Cow<'_, [u8]>| match String::from_utf8(text.into_owned()) {
            Ok(text) => B::text(text.into()),
            Err(bytes) => B::bytes(bytes.into_bytes()),
        };
        Ok(Some(match self {
            Neutral::Unit => return Ok(B::none()),
            Neutral::Bool(value) => B::bool(value),
            Neutral::Int(number) => B::int(number)?,
            Neutral::Uint(number) => B::uint(number)?,
            Neutral::Single(number) => B::single(number),
            Neutral::Double(number) => B::double(number),
            Neutral::Text(content) => text(content),
            Neutral::Bytes(bytes) => B::bytes(bytes.into_owned()),
            Neutral::Seq(items) => {
                let mut built = Vec::with_capacity(items.len());
                for item in items {
                    built.push(item.build()?.ok_or_else(B::no_null)?);
                }
                B::seq(built)
            }
            Neutral::Map(entries) => {
                let mut built = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    let key = if B::RULES.text_keys { key.into_key().map(text) } else { key.build()? };
                    if let Some(value) = value.build()? {
                        built.push((key.ok_or_else(B::no_key)?, value));
                    }
                }
                B::map(built)
            }
        }))
    }
}

const RULES: Rules =
    Rules { exact: "", whole: false, text_keys: false, tables: true, empty_unit: false, structures: true };

impl<'de> Holder<'de> for Neutral<'de> {
    fn held(&self) -> Held {
        match self {
            Neutral::Seq(items) => Held::List { first: None, length: items.len() },
            Neutral::Map(entries) => Held::Map { length: entries.len(), named: false },
            _ => Held::Nothing,
        }
    }

    fn child(&self, index: usize) -> Option<Child<'_, 'de, Self>> {
        Some(Child::Value(match self {
            Neutral::Seq(items) => items.get(index)?,
            Neutral::Map(entries) => match (entries.get(index / 2)?, index % 2) {
                ((key, _), 0) => key,
                ((_, value), _) => value,
            },
            _ => return None,
        }))
    }
}

impl<'de> Value<'de> for Neutral<'de> {
    const RULES: Rules = RULES;

    fn type_name(&self) -> &'static str {
        match self {
            Neutral::Unit => "nothing",
            Neutral::Bool(_) => "a boolean",
            Neutral::Int(_) | Neutral::Uint(_) => "an integer",
            Neutral::Single(_) | Neutral::Double(_) => "a number",
            Neutral::Text(_) => "text",
            Neutral::Bytes(_) => "bytes",
            Neutral::Seq(_) => "a list",
            Neutral::Map(_) => "a map",
        }
    }

    fn is_unit(&self) -> bool {
        matches!(self, Neutral::Unit)
    }

    fn look_of_leaf(&self) -> Look<'de> {
        match self {
            Neutral::Unit => Look::Unit,
            Neutral::Bool(value) => Look::Bool(*value),
            Neutral::Int(number) => Look::Int(*number),
            Neutral::Uint(number) => Look::Uint(*number),
            Neutral::Single(number) => Look::Single(*number),
            Neutral::Double(number) => Look::Double(*number),
            Neutral::Text(text) => Look::Rare(Rare::Text(text.clone())),
            Neutral::Bytes(bytes) => Look::Rare(Rare::Bytes(bytes.clone())),
            Neutral::Seq(_) | Neutral::Map(_) => Look::Unit,
        }
    }

    fn to_exact(&self) -> Option<Vec<u8>> {
        None
    }
}

impl Build for Neutral<'static> {
    const RULES: Rules = RULES;
    const FORMAT: &'static str = "serde";

    fn none() -> Option<Self> {
        Some(Neutral::Unit)
    }

    fn unit() -> Self {
        Neutral::Unit
    }

    fn bool(value: bool) -> Self {
        Neutral::Bool(value)
    }

    fn int(number: i64) -> Result<Self, BuildError> {
        Ok(Neutral::Int(number))
    }

    fn uint(number: u64) -> Result<Self, BuildError> {
        Ok(i64::try_from(number).map_or(Neutral::Uint(number), Neutral::Int))
    }

    fn single(number: f32) -> Self {
        Neutral::Single(number)
    }

    fn double(number: f64) -> Self {
        Neutral::Double(number)
    }

    fn text(text: Cow<'static, str>) -> Self {
        Neutral::Text(match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        })
    }

    fn bytes(bytes: Vec<u8>) -> Self {
        Neutral::Bytes(Cow::Owned(bytes))
    }

    fn seq(items: Vec<Self>) -> Self {
        Neutral::Seq(items)
    }

    fn map(entries: Vec<(Self, Self)>) -> Self {
        Neutral::Map(entries)
    }

    fn of_type(_: &str, plain: Neutral<'static>) -> Result<Option<Self>, BuildError> {
        Ok(Some(plain))
    }

    fn of_exact(_: &[u8]) -> Option<Self> {
        None
    }
}

impl<'de> Deserialize<'de> for Neutral<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Neutral<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Neutral::Unit)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Neutral::Unit)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        Deserialize::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Neutral::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Neutral::Int(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(number).map_or(Neutral::Uint(number), Neutral::Int))
    }

    fn visit_f32<E>(self, number: f32) -> Result<Self::Value, E> {
        Ok(Neutral::Single(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Neutral::Double(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Neutral::Text(text.as_bytes().to_vec().into()))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Neutral::Bytes(bytes.to_vec().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Neutral::Seq(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Neutral::Map(entries))
    }
}
