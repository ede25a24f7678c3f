//! Options of formats, by name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::limits::Limits;

/// The limit for the nesting of containers.
pub const MAX_DEPTH: OptionRow = OptionRow {
    name: "max_depth",
    about: "Maximum nesting of containers",
    default: OptionValue::Number(128),
    accepts: Accepts::Number { most: 65_535 },
};

/// The limit for the memory of the result.
pub const MAX_MEMORY: OptionRow = OptionRow {
    name: "max_memory",
    about: "Most memory to use for the tree of `inspect` and its bytes",
    default: OptionValue::Number(256 << 20),
    accepts: Accepts::Number { most: u64::MAX },
};

/// Allows bytes after a value.
pub const TRAILING_BYTES: OptionRow =
    OptionRow::flag("trailing_bytes", false, "Allow bytes after the end of the value, which are dropped");

/// Continues a stream or dump after a broken value.
pub const RESYNC: OptionRow =
    OptionRow::flag("resync", false, "Continue after a broken value of a stream or dump, at the next plausible one");

/// Allows types that were never seen in real data.
pub const DRAFT_TYPES: OptionRow =
    OptionRow::flag("draft_types", true, "Read types that are documented, but were never seen in real data");

/// An option that a format has.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OptionRow {
    /// Its name, as in [`FormatOptions::set`].
    pub name: &'static str,
    /// Its description, in one line.
    pub about: &'static str,
    /// Its value if it is not set.
    pub default: OptionValue,
    /// The values it can have.
    pub accepts: Accepts,
}

/// The values an option can have.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Accepts {
    /// True or false.
    Flag,
    /// A whole number from 0 to `most`.
    Number {
        /// The largest.
        most: u64,
    },
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A text that the function accepts.
    Text(fn(&str) -> Result<(), String>),
}

/// The value of an option. In JSON: `true`, `128`, `"le"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum OptionValue {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(u64),
    /// A text.
    Text(Cow<'static, str>),
}

/// Options of decoding and encoding, by their names. Each format uses those that it [has](super::Detectable::options).
///
/// ```
/// use enginewire::formats::FormatOptions;
///
/// let options = FormatOptions::new().set("refs", true)?.set("max_depth", 8)?;
/// let error = options.set("reffs", true).unwrap_err();
/// assert!(error.to_string().starts_with("unknown option \"reffs\"; expected one of any_padding, any_text, "));
/// # Ok::<(), enginewire::formats::OptionError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormatOptions {
    values: BTreeMap<&'static str, OptionValue>,
}

/// Why an option cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OptionError {
    /// No format has such an option.
    #[error("unknown option {name:?}; expected one of {}", known.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// The names of all options.
        known: Vec<&'static str>,
    },
    /// The option cannot have this value.
    #[error("invalid value for the option {name}: {reason}")]
    Invalid {
        /// The name.
        name: &'static str,
        /// The expected value.
        reason: String,
    },
}

impl OptionRow {
    /// An option that is true or false.
    #[must_use]
    pub const fn flag(name: &'static str, default: bool, about: &'static str) -> Self {
        OptionRow { name, about, default: OptionValue::Flag(default), accepts: Accepts::Flag }
    }

    /// The value for this option. A text is parsed if a flag or number is expected.
    fn accepted(&self, value: OptionValue) -> Result<OptionValue, OptionError> {
        let text = match &value {
            OptionValue::Text(text) => text.as_ref(),
            _ => "",
        };
        let (accepted, expected) = match self.accepts {
            Accepts::Flag => {
                let flag = if let OptionValue::Flag(flag) = value { Some(flag) } else { text.parse().ok() };
                (flag.map(OptionValue::Flag), "expected true or false".to_owned())
            }
            Accepts::Number { most } => {
                let number = if let OptionValue::Number(number) = value { Some(number) } else { text.parse().ok() };
                let number = number.filter(|number| *number <= most);
                (number.map(OptionValue::Number), format!("expected a number from 0 to {most}"))
            }
            Accepts::OneOf(texts) => {
                let is_one = texts.contains(&text);
                (is_one.then_some(value), format!("expected one of {}", texts.join(", ")))
            }
            Accepts::Text(check) => match &value {
                OptionValue::Text(text) => match check(text) {
                    Ok(()) => (Some(value), String::new()),
                    Err(reason) => (None, reason),
                },
                _ => (None, "expected a text".to_owned()),
            },
        };
        accepted.ok_or(OptionError::Invalid { name: self.name, reason: expected })
    }
}

impl FormatOptions {
    /// The default of every option.
    #[must_use]
    pub const fn new() -> Self {
        FormatOptions { values: BTreeMap::new() }
    }

    /// Sets this option, which may be one of a format that is not in [`formats()`](crate::formats()).
    ///
    /// # Errors
    ///
    /// If the option cannot have the value.
    pub fn set_row(mut self, row: &OptionRow, value: impl Into<OptionValue>) -> Result<Self, OptionError> {
        self.values.insert(row.name, row.accepted(value.into())?);
        Ok(self)
    }

    /// The value of an option: that which was set, or the default.
    #[must_use]
    pub fn get<'o>(&'o self, row: &'o OptionRow) -> &'o OptionValue {
        self.values.get(row.name).unwrap_or(&row.default)
    }

    /// True if an option was set.
    #[must_use]
    pub fn is_set(&self, row: &OptionRow) -> bool {
        self.values.contains_key(row.name)
    }

    /// True if an option is set to true, or is true by default.
    #[must_use]
    pub fn is(&self, row: &OptionRow) -> bool {
        matches!(self.get(row), OptionValue::Flag(true))
    }

    /// The number of an option; 0 if it has none.
    #[must_use]
    pub fn number(&self, row: &OptionRow) -> u64 {
        match self.get(row) {
            OptionValue::Number(number) => *number,
            _ => 0,
        }
    }

    /// The text of an option; empty if it has none.
    #[must_use]
    pub fn text<'o>(&'o self, row: &'o OptionRow) -> &'o str {
        match self.get(row) {
            OptionValue::Text(text) => text,
            _ => "",
        }
    }

    /// The limits that [`MAX_DEPTH`] sets.
    #[must_use]
    pub fn limits(&self, row: &OptionRow) -> Limits {
        Limits::new().with_depth(u16::try_from(self.number(row)).unwrap_or(u16::MAX))
    }

    /// The bytes that [`MAX_MEMORY`] allows.
    #[must_use]
    pub fn max_memory(&self) -> usize {
        usize::try_from(self.number(&MAX_MEMORY)).unwrap_or(usize::MAX)
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident($from:expr);)*) => {$(
        impl From<$type> for OptionValue {
            fn from(value: $type) -> Self {
                OptionValue::$variant($from(value))
            }
        }
    )*};
}

from! {
    bool => Flag(|flag| flag);
    u16 => Number(u64::from);
    u32 => Number(u64::from);
    u64 => Number(|number| number);
    // a negative number is too large for any option
    i32 => Number(|number| u64::try_from(number).unwrap_or(u64::MAX));
    usize => Number(|number| u64::try_from(number).unwrap_or(u64::MAX));
    &'static str => Text(Cow::Borrowed);
    String => Text(Cow::Owned);
}
