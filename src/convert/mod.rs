//! Conversions from and to the types of other libraries, each by a feature.
//!
//! | feature | types | how |
//! |---|---|---|
//! | none | `HashMap` and `BTreeMap` of the standard library | `From` into [`Attributes`](crate::roblox::attributes::Attributes), [`Dictionary`](crate::godot::Dictionary), [`Table`](crate::scrap_mechanic::lua_object::Table) and a [value of packets](crate::roblox::remote::Value), `TryFrom` out of them |
//! | `interop` | `indexmap::IndexMap` | the same, in the order of the entries |
//! | `interop` | `bytes::Bytes` | `From` into keys and values; `decode_owned` takes them |
//! | `interop` | those of `mint`, which glam, nalgebra, cgmath, … convert into theirs | `From` and `TryFrom`, both ways |
//! | `rbx` | datatypes, values and attributes of `rbx_types` | `From` and `TryFrom`, both ways |
//! | `rbx` | the attributes of an `rbx_dom_weak::Instance` | [`InstanceAttributes`] |
//! | `json` | `serde_json::Value` | exact: [`json::to_value`](crate::json::to_value), [`json::from_value`](crate::json::from_value); plain: [`PlainJson`](crate::formats::PlainJson); Rojo's: [`to_rojo_json`](crate::roblox::attributes::Attributes::to_rojo_json) |
//!
//! A value that the other side cannot hold is a [`ConvertError`], which names the key, the type and the part that cannot be held.
//! Nothing is left out silently except what the tables in `docs/conversions.md` list.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use enginewire::roblox::attributes::{Attributes, Value};
//!
//! let attributes = Attributes::from(BTreeMap::from([("Health", 100.0), ("Fuel", 0.5)]));
//! let map: BTreeMap<String, Value<'_>> = attributes.try_into()?;
//! assert_eq!(map["Fuel"], Value::Double(0.5));
//! # Ok::<(), enginewire::convert::ConvertError>(())
//! ```

#[cfg(feature = "interop")]
mod bytes;
mod maps;
#[cfg(feature = "interop")]
mod mint;
#[cfg(feature = "rbx")]
mod rbx_dom_weak;
#[cfg(feature = "rbx")]
mod rbx_types;

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;

use bstr::{BStr, BString, ByteSlice};
use thiserror::Error;

#[cfg(feature = "rbx")]
pub use self::rbx_dom_weak::{InstanceAttributes, InstanceError};

/// A value that a type of another library, or of this one, cannot hold, with its key.
///
/// ```
/// use std::collections::HashMap;
///
/// use enginewire::convert::ConvertError;
/// use enginewire::roblox::attributes::{Attributes, Value};
///
/// let twice: Attributes<'_> = [("Fuel", 1), ("Fuel", 2)].into_iter().collect();
/// let error: ConvertError = HashMap::<String, Value<'_>>::try_from(twice).unwrap_err();
/// assert_eq!(error.to_string(), r#""Fuel": a map cannot hold a second entry with this key"#);
/// assert_eq!(error.key(), Some("Fuel".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct ConvertError(Box<Unheld>);

/// The parts of a [`ConvertError`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unheld {
    key: Option<BString>,
    holder: &'static str,
    type_name: Option<Cow<'static, str>>,
    what: String,
}

#[cfg_attr(not(any(feature = "interop", feature = "rbx")), allow(dead_code))] // maps hold values of all types
impl ConvertError {
    /// Values of a type cannot be held.
    pub(crate) fn of_type(holder: &'static str, type_name: impl Into<Cow<'static, str>>) -> Self {
        let type_name = type_name.into();
        let what = format!("values of the type {type_name}");
        ConvertError(Box::new(Unheld { key: None, holder, type_name: Some(type_name), what }))
    }

    /// A part of a value cannot be held, such as `the weight 450`.
    pub(crate) fn of_part(holder: &'static str, type_name: &'static str, part: impl fmt::Display) -> Self {
        let what = format!("{part} in a value of the type {type_name}");
        ConvertError(Box::new(Unheld { key: None, holder, type_name: Some(type_name.into()), what }))
    }

    /// Keys of a type cannot be held.
    pub(crate) fn of_key_type(holder: &'static str, type_name: &'static str) -> Self {
        let what = format!("keys of the type {type_name}");
        ConvertError(Box::new(Unheld { key: None, holder, type_name: Some(type_name.into()), what }))
    }

    /// A key cannot be held.
    pub(crate) fn of_key(holder: &'static str, key: &[u8], what: &str) -> Self {
        ConvertError(Box::new(Unheld { key: Some(key.into()), holder, type_name: None, what: what.to_owned() }))
    }

    /// The same for the value of a key. A value inside it keeps its own.
    #[cfg(feature = "rbx")]
    pub(crate) fn at(mut self, key: &[u8]) -> Self {
        self.0.key.get_or_insert_with(|| key.into());
        self
    }

    /// The key of the value that has no place, if it has one.
    #[must_use]
    pub fn key(&self) -> Option<&BStr> {
        self.0.key.as_ref().map(|key| key.as_bstr())
    }

    /// The type of the value or key that cannot be held; `None` for a key that is not text or is there twice.
    ///
    /// ```
    /// use enginewire::convert::ConvertError;
    /// use enginewire::godot::{Dictionary, Variant};
    ///
    /// let dictionary = Dictionary::new([(Variant::Int(7), Variant::Null)]);
    /// let map = std::collections::BTreeMap::<String, Variant<'_>>::try_from(dictionary);
    /// assert_eq!(map.unwrap_err().type_name(), Some("int"));
    /// ```
    #[must_use]
    pub fn type_name(&self) -> Option<&str> {
        self.0.type_name.as_deref()
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unheld { key, holder, what, .. } = &*self.0;
        if let Some(key) = key {
            write!(f, "{:?}: ", key.as_bstr())?;
        }
        write!(f, "{holder} cannot hold {what}")
    }
}

/// For conversions that cannot fail, beside those that can.
impl From<Infallible> for ConvertError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
