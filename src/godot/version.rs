//! The versions of the format.

use std::fmt;
use std::str::FromStr;

use crate::{Radix, UnknownType};

/// The version of the format. The bytes do not identify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// The format of Godot 3.
    V3,
    /// The format of Godot 4.
    V4,
}

impl Version {
    /// The number: 3 or 4.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Version::V3 => 3,
            Version::V4 => 4,
        }
    }

    /// The version with this number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            3 => Some(Version::V3),
            4 => Some(Version::V4),
            _ => None,
        }
    }
}

/// By its number.
impl TryFrom<u8> for Version {
    type Error = UnknownType;

    fn try_from(number: u8) -> Result<Self, UnknownType> {
        Self::from_number(number).ok_or_else(|| UnknownType::number("version", Radix::Decimal, number.into()))
    }
}

impl From<Version> for u8 {
    fn from(version: Version) -> u8 {
        version.number()
    }
}

/// By its number: `3` or `4`.
impl FromStr for Version {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, UnknownType> {
        let number = text.parse().ok();
        number.and_then(Self::from_number).ok_or_else(|| UnknownType::name("version", text))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn numbers_of_versions() {
        for number in 0..=u8::MAX {
            let version = Version::from_number(number);
            assert_eq!(version.is_some(), number == 3 || number == 4);
            assert_eq!((Version::try_from(number).ok(), number.to_string().parse().ok()), (version, version));
            assert_eq!(version.map(u8::from), version.map(|_| number));
            assert_eq!(
                version.map(|version| (version.number(), version.to_string())),
                version.map(|_| (number, number.to_string()))
            );
        }
        assert_eq!(Version::try_from(5).unwrap_err().to_string(), "unknown version 5");
        assert_eq!("four".parse::<Version>().unwrap_err().to_string(), r#"unknown version "four""#);
    }
}
