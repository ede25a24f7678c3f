//! Conversions from and to the types of other libraries. Those of serde_json are in [`json`](crate::json).
//!
//! | types | how |
//! |---|---|
//! | `bytes::Bytes` | `From` into keys and values; `decode_owned` takes them |
//! | datatypes, values and attributes of `rbx_types` | `From` and `TryFrom`, both ways |
//! | the attributes of an `rbx_dom_weak::Instance` | [`InstanceAttributes`] |
//!
//! A value that the other side cannot hold is a [`ConvertError`], which names the key, the type and the part that cannot be held.
//! Nothing is left out silently except what the tables in `docs/conversions.md` list.
//!
//! ```
//! use enginewire::roblox::attributes::{Attributes, Value};
//!
//! let attributes = Attributes::from([("Health", Value::from(100.0)), ("Lit", true.into())]);
//! let theirs = rbx_types::Attributes::try_from(&attributes)?;
//! assert_eq!(theirs.get("Health"), Some(&rbx_types::Variant::Float64(100.0)));
//! assert_eq!(Attributes::try_from(&theirs)?, attributes);
//! # Ok::<(), enginewire::convert::ConvertError>(())
//! ```

mod bytes;
mod rbx_dom_weak;
mod rbx_types;

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;

use bstr::{BStr, BString, ByteSlice};
use thiserror::Error;

pub use self::rbx_dom_weak::{InstanceAttributes, InstanceError};

/// A value that a type of another library, or of this one, cannot hold, with its key.
///
/// ```
/// use enginewire::convert::ConvertError;
/// use enginewire::roblox::attributes::Attributes;
///
/// let twice: Attributes<'_> = [("Fuel", 1), ("Fuel", 2)].into_iter().collect();
/// let error: ConvertError = rbx_types::Attributes::try_from(twice).unwrap_err();
/// assert_eq!(error.to_string(), r#""Fuel": rbx_types cannot hold a second attribute with this name"#);
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

    /// A key cannot be held.
    pub(crate) fn of_key(holder: &'static str, key: &[u8], what: &str) -> Self {
        ConvertError(Box::new(Unheld { key: Some(key.into()), holder, type_name: None, what: what.to_owned() }))
    }

    /// The same for the value of a key. A value inside it keeps its own.
    pub(crate) fn at(mut self, key: &[u8]) -> Self {
        self.0.key.get_or_insert_with(|| key.into());
        self
    }

    /// The key of the value that has no place, if it has one.
    #[must_use]
    pub fn key(&self) -> Option<&BStr> {
        self.0.key.as_ref().map(|key| key.as_bstr())
    }

    /// The type of the value that cannot be held; `None` for a key that is not text or is there twice.
    ///
    /// ```
    /// use enginewire::roblox::attributes::Value;
    ///
    /// let list = Value::Array([1.0.into()].into());
    /// assert_eq!(rbx_types::Variant::try_from(list).unwrap_err().type_name(), Some("Array"));
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
