//! Fields that hold any value of a format, which pass through as they are.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer};

use super::look::Value;
use super::plain::Neutral;
use super::ser::Build;
use crate::member::{Member, Receiver, Tag};
use crate::wire::ByteArray;

thread_local! {
    /// The number of values being read.
    static READING: Cell<usize> = const { Cell::new(0) };
}

/// A value is being read, as long as this lasts.
///
/// Values that serde buffers, for `flatten` and untagged enums, do not show that they came from bytes. This type does.
#[derive(Debug)]
pub(crate) struct Reading(());

impl Reading {
    pub(crate) fn begin() -> Self {
        READING.set(READING.get().saturating_add(1));
        Reading(())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        READING.set(READING.get().saturating_sub(1));
    }
}

/// True while a value is being read.
fn is_reading() -> bool {
    READING.get() > 0
}

/// Gives a value as its bytes.
pub(crate) fn give<'a, T: Value<'a>>(value: &T, to: &mut dyn Receiver) {
    match value.to_exact() {
        Some(bytes) => to.tagged(Tag::Type(T::RULES.exact), &ByteArray::from(bytes)),
        None => to.refuse("the value cannot be encoded"),
    }
}

/// Reads a value of its bytes, or of its JSON form.
pub(crate) fn deserialize<'de, T: Build + Member, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    if deserializer.is_human_readable() && !is_reading() {
        return crate::member::deserialize(deserializer);
    }
    deserializer.deserialize_newtype_struct(T::RULES.exact, OfBytes(PhantomData))
}

struct OfBytes<T>(PhantomData<T>);

impl<'de, T: Build> Visitor<'de> for OfBytes<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "any value of {}", T::FORMAT)
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<T, E> {
        T::of_exact(bytes).ok_or_else(|| E::custom(format_args!("the bytes are not a value of {}", T::FORMAT)))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        if !is_reading() {
            return deserializer.deserialize_bytes(self);
        }
        let built = Neutral::deserialize(deserializer)?.build().map_err(D::Error::custom)?;
        Ok(built.unwrap_or_else(T::unit))
    }
}
