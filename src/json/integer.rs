//! Integers of 64 bits: numbers as far as every reader of JSON takes them exactly, beyond that decimal strings.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserializer, Serializer};

use super::member::Member;

/// The greatest integer that is a number: 2^53 − 1.
const EXACT: u64 = (1 << 53) - 1;

struct IntegerVisitor<T>(PhantomData<T>);

impl<T: TryFrom<u64> + TryFrom<i64> + FromStr> Visitor<'_> for IntegerVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer of 64 bits, or its decimal digits as a string")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        number.try_into().map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        number.try_into().map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_str<E: Error>(self, digits: &str) -> Result<T, E> {
        digits.parse().map_err(|_| E::invalid_value(Unexpected::Str(digits), &self))
    }
}

impl Member for u64 {
    fn to_json<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self <= EXACT {
            true => serializer.serialize_u64(*self),
            false => serializer.collect_str(self),
        }
    }

    fn from_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntegerVisitor(PhantomData))
    }
}

impl Member for i64 {
    fn to_json<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.unsigned_abs() <= EXACT {
            true => serializer.serialize_i64(*self),
            false => serializer.collect_str(self),
        }
    }

    fn from_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntegerVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use crate::json::member::ByMember;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_a_double_cannot_say_is_a_string() {
        for (number, text) in [
            (0, "0"),
            (-9_007_199_254_740_991, "-9007199254740991"),
            (9_007_199_254_740_992, r#""9007199254740992""#),
            (i64::MIN, r#""-9223372036854775808""#),
        ] {
            assert_eq!(serde_json::to_string(&ByMember(number)).unwrap(), text);
            assert_eq!(serde_json::from_str::<ByMember<i64>>(text).unwrap().0, number);
        }
        assert_eq!(serde_json::to_string(&ByMember(u64::MAX)).unwrap(), r#""18446744073709551615""#);
        assert_eq!(serde_json::from_str::<ByMember<u64>>(r#""18446744073709551615""#).unwrap().0, u64::MAX);
        for wrong in ["-1", r#""-1""#, "1.5", r#""x""#, "true"] {
            assert!(serde_json::from_str::<ByMember<u64>>(wrong).is_err(), "{wrong}");
        }
    }
}
