//! Any value that serde can read.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// All that a value shows, bit by bit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Any {
    Unit,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Single(u32),
    Double(u64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Any>),
    Map(Vec<(Any, Any)>),
}

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Shown)
    }
}

struct Shown;

impl<'de> Visitor<'de> for Shown {
    type Value = Any;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Any, E> {
        Ok(Any::Unit)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Any, E> {
        Ok(Any::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Any, E> {
        Ok(Any::Int(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Any, E> {
        Ok(Any::Uint(number))
    }

    fn visit_f32<E>(self, number: f32) -> Result<Any, E> {
        Ok(Any::Single(number.to_bits()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Any, E> {
        Ok(Any::Double(number.to_bits()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Any, E> {
        Ok(Any::Text(text.to_owned()))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Any, E> {
        Ok(Any::Bytes(bytes.to_vec()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Any, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Any::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Any, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Any::Map(entries))
    }
}

impl Serialize for Any {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Any::Unit => serializer.serialize_unit(),
            Any::Bool(value) => serializer.serialize_bool(*value),
            Any::Int(number) => serializer.serialize_i64(*number),
            Any::Uint(number) => serializer.serialize_u64(*number),
            Any::Single(bits) => serializer.serialize_f32(f32::from_bits(*bits)),
            Any::Double(bits) => serializer.serialize_f64(f64::from_bits(*bits)),
            Any::Text(text) => serializer.serialize_str(text),
            Any::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Any::List(items) => serializer.collect_seq(items),
            Any::Map(entries) => serializer.collect_map(entries.iter().map(|(key, value)| (key, value))),
        }
    }
}

impl fmt::Display for Any {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Any::Unit => f.write_str("()"),
            Any::Bool(value) => write!(f, "{value}"),
            Any::Int(number) => write!(f, "{number}i64"),
            Any::Uint(number) => write!(f, "{number}u64"),
            Any::Single(bits) => write!(f, "f32:{bits:08x}"),
            Any::Double(bits) => write!(f, "f64:{bits:016x}"),
            Any::Text(text) => write!(f, "{text:?}"),
            Any::Bytes(bytes) => write!(f, "{:?}", bstr::BStr::new(bytes)),
            Any::List(items) => {
                f.write_str("[")?;
                let mut separator = "";
                for item in items {
                    write!(f, "{separator}{item}")?;
                    separator = ", ";
                }
                f.write_str("]")
            }
            Any::Map(entries) => {
                f.write_str("{")?;
                let mut separator = "";
                for (key, value) in entries {
                    write!(f, "{separator}{key}: {value}")?;
                    separator = ", ";
                }
                f.write_str("}")
            }
        }
    }
}
