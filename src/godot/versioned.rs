//! A value with its version.

use super::options::Options;
use super::variant::Variant;
use super::version::Version;
use crate::error::EncodeError;

/// A value with its version, as a JSON document has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Versioned<'a> {
    /// The version.
    pub version: Version,
    /// The value.
    pub value: Variant<'a>,
}

impl<'a> Versioned<'a> {
    /// A value of this version.
    pub fn new(version: Version, value: impl Into<Variant<'a>>) -> Self {
        Versioned { version, value: value.into() }
    }

    /// The same, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Versioned<'static> {
        Versioned { version: self.version, value: self.value.into_owned() }
    }

    /// Encodes the value.
    ///
    /// # Errors
    ///
    /// As for [`encode_with`](super::encode_with) with the default options of the version.
    #[inline]
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        super::encode_with(&self.value, &Options::new(self.version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::decode_with;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_value_is_encoded_as_of_its_version() {
        for (version, number) in [(Version::V3, 20), (Version::V4, 29)] {
            let bytes = [number, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0];
            let value = decode_with(&bytes, &Options::new(version)).unwrap();
            let versioned = Versioned::new(version, value);
            assert_eq!(versioned.encode().as_deref(), Ok(&bytes[..]));
            assert_eq!(versioned.clone().into_owned(), versioned);
        }
        assert!(Versioned::new(Version::V3, Variant::Callable).encode().is_err());
    }
}
