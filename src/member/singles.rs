//! Structures of a few numbers of 32 bits, from readers of bytes.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::Deserializer;

use super::Shape;

/// The most numbers of such a structure.
pub(super) const MOST_SINGLES: usize = 4;

/// True if all parts are numbers of 32 bits.
pub(super) const fn are_singles(shapes: &[Shape]) -> bool {
    let mut rest = shapes;
    while let [shape, others @ ..] = rest {
        if !matches!(shape, Shape::F32) {
            return false;
        }
        rest = others;
    }
    true
}

/// Reads the numbers with these names, which a reader gives in their order or by name.
pub(super) struct Singles(pub(super) &'static [&'static str]);

impl<'de> Visitor<'de> for Singles {
    type Value = [f32; MOST_SINGLES];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {} items", self.0.len())
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut numbers = [0.0; MOST_SINGLES];
        for (index, number) in numbers.iter_mut().take(self.0.len()).enumerate() {
            *number = items.next_element()?.ok_or_else(|| A::Error::invalid_length(index, &self))?;
        }
        Ok(numbers)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; MOST_SINGLES];
        while let Some(name) = members.next_key_seed(Name(self.0))? {
            let number = Some(members.next_value::<f32>()?);
            if found.get_mut(name).is_some_and(|place| std::mem::replace(place, number).is_some()) {
                return Err(A::Error::duplicate_field(self.0.get(name).copied().unwrap_or_default()));
            }
        }
        let mut numbers = [0.0; MOST_SINGLES];
        for ((number, found), name) in numbers.iter_mut().zip(found).zip(self.0) {
            *number = found.ok_or_else(|| A::Error::missing_field(name))?;
        }
        Ok(numbers)
    }
}

/// Reads the place of a name among these.
struct Name(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<usize, D::Error> {
        reader.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_u64<E: Error>(self, place: u64) -> Result<usize, E> {
        let place = usize::try_from(place).ok().filter(|place| *place < self.0.len());
        place.ok_or_else(|| E::custom("a field has no name"))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        let place = self.0.iter().position(|known| *known == name);
        place.ok_or_else(|| E::unknown_field(name, self.0))
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
    use serde::Deserializer;

    use super::*;

    const NAMES: &[&str] = &["x", "y"];

    fn of_list(numbers: &[f32]) -> Result<[f32; 4], String> {
        let list = SeqDeserializer::<_, Error>::new(numbers.iter().copied());
        list.deserialize_any(Singles(NAMES)).map_err(|error| error.to_string())
    }

    fn of_members(members: &[(&'static str, f32)]) -> Result<[f32; 4], String> {
        let members = MapDeserializer::<_, Error>::new(members.iter().copied());
        members.deserialize_any(Singles(NAMES)).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_come_in_order_or_by_name() {
        assert_eq!(of_list(&[1.0, 2.0]), Ok([1.0, 2.0, 0.0, 0.0]));
        assert_eq!(of_members(&[("y", 2.0), ("x", 1.0)]), Ok([1.0, 2.0, 0.0, 0.0]));
    }

    #[test]
    fn what_is_missing_or_unknown_is_named() {
        assert_eq!(of_list(&[1.0]), Err("invalid length 1, expected a list of 2 items".to_owned()));
        assert_eq!(of_members(&[("x", 1.0)]), Err("missing field `y`".to_owned()));
        assert_eq!(of_members(&[("x", 1.0), ("x", 1.0)]), Err("duplicate field `x`".to_owned()));
        assert_eq!(of_members(&[("z", 1.0)]), Err("unknown field `z`, expected `x` or `y`".to_owned()));
    }

    #[test]
    fn other_shapes_are_no_such_numbers() {
        assert!(are_singles(&[Shape::F32, Shape::F32]));
        assert!(!are_singles(&[Shape::F32, Shape::F64]));
    }
}
