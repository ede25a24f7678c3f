//! Errors of values that are missing or of the wrong type.

use std::any::type_name;
use std::convert::Infallible;
use std::error::Error;
use std::fmt;

use bstr::{BStr, BString};

/// A value has another type than the requested one.
///
/// ```
/// use enginewire::roblox::attributes::Value;
///
/// let error = bool::try_from(&Value::from("yes")).unwrap_err();
/// assert_eq!(error.to_string(), "expected bool, found String");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {}, found {found}", Short(.wanted))]
pub struct TypeError {
    /// As the compiler calls it.
    wanted: &'static str,
    found: &'static str,
}

impl TypeError {
    /// The error where a `T` was wanted, and `found` was found: the name of a type.
    #[must_use]
    pub fn new<T: ?Sized>(found: &'static str) -> Self {
        TypeError { wanted: type_name::<T>(), found }
    }

    /// The same error where a `T` was wanted.
    pub(crate) fn wanting<T: ?Sized>(self) -> Self {
        TypeError::new::<T>(self.found)
    }

    /// The type that was asked for, as Rust calls it: `f64`, `Vector3`.
    #[must_use]
    pub fn wanted(&self) -> String {
        Short(self.wanted).to_string()
    }

    /// The type of the value, in the words of its format, or its defect: `String that is not UTF-8`.
    #[must_use]
    pub fn found(&self) -> &'static str {
        self.found
    }
}

/// A conversion of a value into its own type never fails.
impl From<Infallible> for TypeError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// A key has no value, or a value of another type than was asked for.
///
/// ```
/// use enginewire::roblox::attributes::Attributes;
///
/// let attributes = Attributes::from([("Health", "full")]);
/// let error = attributes.require::<f64>("Health").unwrap_err();
/// assert_eq!(error.to_string(), r#""Health": expected f64, found String"#);
/// let error = attributes.require::<f64>("Armor").unwrap_err();
/// assert_eq!(error.to_string(), r#""Armor" is missing, expected f64"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequireError {
    key: BString,
    wanted: &'static str,
    found: Option<&'static str>,
}

impl fmt::Display for RequireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, wanted) = (self.key(), Short(self.wanted));
        match self.found {
            Some(found) => write!(f, "{key:?}: expected {wanted}, found {found}"),
            None => write!(f, "{key:?} is missing, expected {wanted}"),
        }
    }
}

impl Error for RequireError {}

impl RequireError {
    /// The key.
    #[must_use]
    pub fn key(&self) -> &BStr {
        BStr::new(&self.key)
    }

    /// The type that was asked for, as Rust calls it: `f64`, `Vector3`.
    #[must_use]
    pub fn wanted(&self) -> String {
        Short(self.wanted).to_string()
    }

    /// The type of the value, in the words of its format; `None` if the value is missing.
    #[must_use]
    pub fn found(&self) -> Option<&'static str> {
        self.found
    }
}

/// The value of `key` as a `T`.
pub(crate) fn require<'v, V, T>(key: &[u8], value: Option<&'v V>) -> Result<T, RequireError>
where
    T: TryFrom<&'v V>,
    T::Error: Into<TypeError>,
{
    let error = |found| RequireError { key: key.into(), wanted: type_name::<T>(), found };
    let value = value.ok_or_else(|| error(None))?;
    T::try_from(value).map_err(|of_type| error(Some(of_type.into().found)))
}

/// The name of a type without the modules that it is in, and without lifetimes, which some compilers give.
struct Short<'n>(&'n str);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_part = |char: char| char.is_alphanumeric() || "_:".contains(char);
        let name = self.0.replace("<'_>", "").replace("'_, ", "").replace("&'_ ", "&");
        for name in name.split_inclusive(|char| !is_part(char)) {
            f.write_str(name.rsplit("::").next().unwrap_or(name))?;
        }
        Ok(())
    }
}

/// A number or a name is that of no type.
///
/// ```
/// use enginewire::roblox::attributes::TypeId;
///
/// assert_eq!("Vector3".parse(), Ok(TypeId::Vector3));
/// assert_eq!("vector".parse::<TypeId>().unwrap_err().to_string(), r#"unknown type id "vector""#);
/// assert_eq!(TypeId::try_from(0x11), Ok(TypeId::Vector3));
/// assert_eq!(TypeId::try_from(0x99).unwrap_err().to_string(), "unknown type id 0x99");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {found}")]
pub struct UnknownType {
    what: &'static str,
    found: String,
}

impl UnknownType {
    pub(crate) fn number(what: &'static str, radix: super::Radix, number: u32) -> Self {
        UnknownType { what, found: radix.show(number) }
    }

    pub(crate) fn name(what: &'static str, name: &str) -> Self {
        UnknownType { what, found: format!("{name:?}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn names_of_types_are_short() {
        assert_eq!(Short(type_name::<Vec<Option<BString>>>()).to_string(), "Vec<Option<BString>>");
        assert_eq!(Short("&'_ a::b::C<'_, x::D<'_>>").to_string(), "&C<D>");
        assert_eq!(Short(type_name::<(&str, [f32; 3], &[TypeError])>()).to_string(), "(&str, [f32; 3], &[TypeError])");
    }

    #[test]
    fn a_value_is_what_was_asked_for_or_an_error_says_why_not() {
        struct Text;
        impl TryFrom<&Text> for u8 {
            type Error = TypeError;
            fn try_from(_: &Text) -> Result<Self, TypeError> {
                Err(TypeError::new::<u8>("Text"))
            }
        }
        assert!(require::<_, &Text>(b"a", Some(&Text)).is_ok());
        let error = require::<Text, u8>(b"a\xff", Some(&Text)).unwrap_err();
        assert_eq!(error.to_string(), r#""a\xff": expected u8, found Text"#);
        assert_eq!((error.key(), &error.wanted()[..], error.found()), (BStr::new(b"a\xff"), "u8", Some("Text")));
        let error = require::<Text, u8>(b"b", None).unwrap_err();
        assert_eq!((error.to_string(), error.found()), (r#""b" is missing, expected u8"#.to_owned(), None));
    }
}
