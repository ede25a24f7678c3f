//! The kinds of property that are read.

use bstr::{BStr, ByteSlice};

use super::error::ValueError;
use enginewire::error::EncodeError;
use enginewire::roblox::attributes::{self, Attributes, Empty};
use enginewire::wire::{ByteString, IntoByteString};

/// A property that can hold attributes or tags.
///
/// Specification: `docs/spec/roblox-model-files.md`, section Properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Attributes, of any instance.
    AttributesSerialize,
    /// Attributes if the instance is a StyleRule; something else if it is a Path2D.
    PropertiesSerialize,
    /// Attributes if the instance is a StyleRule, with two bytes before them, which are not a part of what is listed.
    PropertyTransitionsSerialize,
    /// Tags, of any instance.
    Tags,
    /// Attributes of the PlayerEmulatorService, in addition to its AttributesSerialize.
    SerializedEmulatedPolicyInfo,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 5] = [
        Kind::AttributesSerialize,
        Kind::PropertiesSerialize,
        Kind::PropertyTransitionsSerialize,
        Kind::Tags,
        Kind::SerializedEmulatedPolicyInfo,
    ];

    /// The length of the longest name, in bytes.
    pub(super) const LONGEST: usize = "SerializedEmulatedPolicyInfo".len();

    /// The kind with this name.
    #[must_use]
    #[inline]
    pub fn of(name: &[u8]) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| kind.name().as_bytes() == name)
    }

    /// The name of the property.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::AttributesSerialize => "AttributesSerialize",
            Kind::PropertiesSerialize => "PropertiesSerialize",
            Kind::PropertyTransitionsSerialize => "PropertyTransitionsSerialize",
            Kind::Tags => "Tags",
            Kind::SerializedEmulatedPolicyInfo => "SerializedEmulatedPolicyInfo",
        }
    }

    /// Returns true if this property of an instance of `class` holds attributes.
    #[must_use]
    pub fn is_attributes(self, class: &BStr) -> bool {
        match self {
            Kind::AttributesSerialize => true,
            Kind::PropertiesSerialize | Kind::PropertyTransitionsSerialize => class == "StyleRule",
            Kind::Tags => false,
            Kind::SerializedEmulatedPolicyInfo => class == "PlayerEmulatorService",
        }
    }

    /// The bytes of an empty property.
    #[must_use]
    pub const fn none(self) -> &'static [u8] {
        match self {
            Kind::PropertiesSerialize | Kind::PropertyTransitionsSerialize => &[0; 4],
            Kind::AttributesSerialize | Kind::Tags | Kind::SerializedEmulatedPolicyInfo => &[],
        }
    }

    /// The form that [`encode`](Self::encode) uses for attributes without entries.
    #[must_use]
    pub const fn empty(self) -> Empty {
        match self {
            Kind::PropertiesSerialize | Kind::PropertyTransitionsSerialize => Empty::ZeroLength,
            Kind::AttributesSerialize | Kind::Tags | Kind::SerializedEmulatedPolicyInfo => Empty::NoBytes,
        }
    }

    /// The bytes in the file before the attributes.
    pub(super) const fn prefix(self) -> &'static [u8] {
        match self {
            Kind::PropertyTransitionsSerialize => &[2, 0],
            _ => &[],
        }
    }

    /// The part that is listed of the bytes in the file: those after the prefix.
    pub(super) fn content(self, bytes: &BStr) -> Result<&BStr, ValueError> {
        let found = || bytes.iter().take(2).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
        match bytes.strip_prefix(self.prefix()) {
            Some(content) => Ok(content.as_bstr()),
            None if bytes.is_empty() => Ok(bytes),
            None => Err(ValueError::Prefix { found: found().into() }),
        }
    }

    /// The bytes that the file has for what is listed.
    pub(super) fn stored(self, content: ByteString<'_>) -> ByteString<'_> {
        match self.prefix() {
            [] => content,
            _ if content.is_empty() => content,
            prefix => [prefix, content.as_ref()].concat().into_byte_string(),
        }
    }

    /// Encodes attributes as this property stores them, without what it has before them: [`Change`](super::Change) adds it.
    ///
    /// # Errors
    ///
    /// If the attributes cannot be encoded.
    pub fn encode(self, attributes: &Attributes<'_>, options: &attributes::Options) -> Result<Vec<u8>, EncodeError> {
        attributes::encode_with(attributes, &options.empty(self.empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn attributes_are_written_as_the_property_has_them() {
        let options = attributes::Options::new();
        let none = Attributes::default();
        let mut one = Attributes::default();
        one.insert("On", true);
        for kind in Kind::ALL {
            assert_eq!(kind.encode(&none, &options).unwrap(), kind.none());
            assert_eq!(kind.encode(&one, &options).unwrap(), b"\x01\0\0\0\x02\0\0\0On\x03\x01");
        }
    }
}
