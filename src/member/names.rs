//! Types by their names, as `#[derive(Serialize, Deserialize)]` writes and reads an enum without content, but by a table: in a module of
//! WebAssembly, which is loaded from a network, what serde derives would stand there once for each enum.

use std::fmt;

use serde::de::{DeserializeSeed, EnumAccess, Error as _, Unexpected, VariantAccess, Visitor};
use serde::{Deserializer, Serializer};

/// The names of an enum, in the order of its variants.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    /// That of the enum itself.
    pub(crate) of: &'static str,
    pub(crate) names: &'static [&'static str],
}

impl Names {
    /// Writes the variant at this index.
    pub(crate) fn serialize<S: Serializer>(self, index: Option<usize>, serializer: S) -> Result<S::Ok, S::Error> {
        let index = index.unwrap_or_default();
        let name = self.names.get(index).copied().unwrap_or_default();
        serializer.serialize_unit_variant(self.of, u32::try_from(index).unwrap_or(u32::MAX), name)
    }

    /// Reads the index of a variant.
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_enum(self.of, self.names, Variant(self))
    }
}

struct Variant(Names);

impl<'de> Visitor<'de> for Variant {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "enum {}", self.0.of)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<usize, A::Error> {
        let (index, content) = variant.variant_seed(Identifier(self.0))?;
        content.unit_variant()?;
        Ok(index)
    }
}

struct Identifier(Names);

impl<'de> DeserializeSeed<'de> for Identifier {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Identifier {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("variant identifier")
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<usize, E> {
        let names = self.0.names.len();
        let expected = format!("variant index 0 <= i < {names}");
        let index = usize::try_from(number).ok().filter(|index| *index < names);
        index.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &&*expected))
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<usize, E> {
        let found = self.0.names.iter().position(|known| *known == name);
        found.ok_or_else(|| E::unknown_variant(name, self.0.names))
    }

    fn visit_bytes<E: serde::de::Error>(self, name: &[u8]) -> Result<usize, E> {
        let found = self.0.names.iter().position(|known| known.as_bytes() == name);
        found.ok_or_else(|| E::unknown_variant(&String::from_utf8_lossy(name), self.0.names))
    }
}
