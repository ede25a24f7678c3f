//! Types by their names, as `#[derive(Serialize, Deserialize)]` writes and reads an enum without content, but by a table: in a module of
//! WebAssembly, which is loaded from a network, what serde derives would stand there once for each enum.

use std::fmt;

use serde::de::{DeserializeSeed, EnumAccess, Unexpected, VariantAccess, Visitor};
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

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde::de::value::{Error, U64Deserializer};
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        One,
        Two,
    }

    impl Kind {
        fn index(self) -> usize {
            match self {
                Kind::One => 0,
                Kind::Two => 1,
            }
        }
    }

    const NAMES: Names = Names { of: "Kind", names: &["One", "Two"] };

    struct ByTable(usize);

    impl Serialize for ByTable {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            NAMES.serialize(Some(self.0), serializer)
        }
    }

    impl<'de> Deserialize<'de> for ByTable {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            NAMES.deserialize(deserializer).map(ByTable)
        }
    }

    /// A table writes and reads what serde derives, with the same errors.
    #[test]
    fn a_table_is_like_what_serde_derives() {
        for (index, kind) in [Kind::One, Kind::Two].iter().enumerate() {
            assert_eq!(serde_json::to_string(&ByTable(index)).unwrap(), serde_json::to_string(kind).unwrap());
        }
        for text in
            [r#""One""#, r#""Two""#, r#""Three""#, "1", "[]", "null", r#"{"One": null}"#, r#"{"One": 1}"#, r#""""#]
        {
            let derived = serde_json::from_str(text).map(Kind::index);
            let read = serde_json::from_str::<ByTable>(text).map(|ByTable(index)| index);
            assert_eq!(read.map_err(|error| error.to_string()), derived.map_err(|error| error.to_string()), "{text}");
        }
        for index in [0, 1, 2, u64::MAX] {
            let derived = Deserialize::deserialize(Index(index)).map(Kind::index);
            let read = Deserialize::deserialize(Index(index)).map(|ByTable(index)| index);
            assert_eq!(read.map_err(|error| error.to_string()), derived.map_err(|error| error.to_string()), "{index}");
        }
    }

    /// A variant by its index, as formats of bytes have it.
    struct Index(u64);

    impl<'de> Deserializer<'de> for Index {
        type Error = Error;

        fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.visit_enum(self)
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
            tuple tuple_struct map struct enum identifier ignored_any
        }
    }

    impl<'de> EnumAccess<'de> for Index {
        type Error = Error;
        type Variant = Self;

        fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Error> {
            Ok((seed.deserialize(U64Deserializer::new(self.0))?, self))
        }
    }

    impl<'de> VariantAccess<'de> for Index {
        type Error = Error;

        fn unit_variant(self) -> Result<(), Error> {
            Ok(())
        }

        fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value, Error> {
            unreachable!("the variants have no content")
        }

        fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
            unreachable!("the variants have no content")
        }

        fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Error> {
            unreachable!("the variants have no content")
        }
    }
}
