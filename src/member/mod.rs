//! The parts of structures, and how serde writes and reads them.

pub(crate) mod float;
#[cfg(any(test, target_family = "wasm", enginewire_small))]
#[cfg_attr(not(any(target_family = "wasm", enginewire_small)), allow(dead_code))]
mod names;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, RangeInclusive};

use base16ct::{lower, mixed};
use bstr::BString;
use serde::de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[cfg(any(target_family = "wasm", enginewire_small))]
pub(crate) use names::Names;

use crate::typed::Plain;
use crate::wire::{ByteString, List, Packed};

/// A part of a document.
///
/// Structures derive serde's traits, and use this one for every field, so that numbers and bytes have their lossless form
/// everywhere.
pub trait Member: Sized {
    /// Writes it.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    fn to_json<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads it.
    ///
    /// # Errors
    ///
    /// If it has another form, or is out of range.
    fn from_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// The name of a member or a type, as it stands in the text.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Name<'t>(#[serde(borrow)] Cow<'t, str>);

impl Deref for Name<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

/// For `#[serde(with = "crate::member")]`.
pub(crate) fn serialize<T: Member, S: Serializer>(member: &T, serializer: S) -> Result<S::Ok, S::Error> {
    member.to_json(serializer)
}

/// For `#[serde(with = "crate::member")]`.
pub(crate) fn deserialize<'de, T: Member, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::from_json(deserializer)
}

/// [`Member`] for types whose serde form is already the one of the document.
macro_rules! member_by_serde {
    (@methods) => {
        fn to_json<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serde::Serialize::serialize(self, serializer)
        }

        fn from_json<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            serde::Deserialize::deserialize(deserializer)
        }
    };
    ($name:ident <$lifetime:lifetime>) => {
        impl<$lifetime> crate::member::Member for $name<$lifetime> {
            crate::member::member_by_serde!(@methods);
        }
    };
    ($($name:ty),+) => {$(
        impl crate::member::Member for $name {
            crate::member::member_by_serde!(@methods);
        }
    )+};
}
pub(crate) use member_by_serde;

member_by_serde!(bool);

/// Integers as serde has them. A minus before 0 is allowed: JavaScript has such a 0, and readers of JSON give it as a float.
macro_rules! integers {
    ($($type:ident $read:ident)*) => {$(
        impl Member for $type {
            fn to_json<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.serialize(serializer)
            }

            fn from_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let integer = Integer { name: stringify!($type), range: $type::MIN.into()..=$type::MAX.into() };
                deserializer.$read(integer)?.try_into().map_err(D::Error::custom)
            }
        }
    )*};
}

integers! {
    u8 deserialize_u8
    u16 deserialize_u16
    u32 deserialize_u32
    i8 deserialize_i8
    i16 deserialize_i16
    i32 deserialize_i32
}

/// Takes an integer of any type up to 32 bits.
struct Integer {
    name: &'static str,
    range: RangeInclusive<i64>,
}

impl Visitor<'_> for Integer {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<i64, E> {
        let is_known = self.range.contains(&number);
        is_known.then_some(number).ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<i64, E> {
        let known = i64::try_from(number).ok().filter(|number| self.range.contains(number));
        known.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<i64, E> {
        negative_zero(number).ok_or_else(|| E::invalid_type(Unexpected::Float(number), &self))
    }
}

/// The integer that -0 is.
fn negative_zero<T: From<u8>>(number: f64) -> Option<T> {
    (number.to_bits() == (-0.0_f64).to_bits()).then(|| 0.into())
}

/// Integers that JavaScript cannot represent exactly are written as text.
macro_rules! wide_integers {
    ($($type:ident $safe:expr;)*) => {$(
        impl Member for $type {
            fn to_json<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if $safe.contains(self) || !serializer.is_human_readable() {
                    self.serialize(serializer)
                } else {
                    serializer.collect_str(self)
                }
            }

            fn from_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Wide;
                impl Visitor<'_> for Wide {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str(concat!("an integer of the type ", stringify!($type), ", or its digits in a string"))
                    }

                    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<$type, E> {
                        number.try_into().map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
                    }

                    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<$type, E> {
                        number.try_into().map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
                    }

                    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<$type, E> {
                        negative_zero(number).ok_or_else(|| E::invalid_type(Unexpected::Float(number), &self))
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
                    }
                }
                deserializer.deserialize_any(Wide)
            }
        }
    )*};
}

/// The greatest integer up to which all are exact in a number of JavaScript: 2^53 - 1.
const SAFE: i64 = 9_007_199_254_740_991;

wide_integers! {
    i64 (-SAFE..=SAFE);
    u64 (0..=SAFE.unsigned_abs());
}

impl<T: Member> Member for Box<T> {
    fn to_json<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::to_json(self, serializer)
    }

    fn from_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::from_json(deserializer).map(Box::new)
    }
}

impl<T: Serialize + DeserializeOwned> Member for Vec<T> {
    member_by_serde!(@methods);
}

impl<T: Packed + Member> Member for List<'_, T> {
    fn to_json<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(ByMember))
    }

    fn from_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items<T>(PhantomData<T>);

        impl<'de, T: Packed + Member> Visitor<'de> for Items<T> {
            type Value = List<'static, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut list = List::default();
                while let Some(ByMember(item)) = items.next_element()? {
                    list.extend([item]);
                }
                Ok(list)
            }
        }
        deserializer.deserialize_seq(Items(PhantomData))
    }
}

/// Exactly nine numbers.
impl Member for [f32; 9] {
    fn to_json<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.map(ByMember))
    }

    fn from_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <[ByMember<f32>; 9]>::deserialize(deserializer).map(|numbers| numbers.map(|ByMember(number)| number))
    }
}

/// A [`Member`] for code that needs serde's traits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByMember<T>(pub(crate) T);

impl<T: Member> Serialize for ByMember<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.to_json(serializer)
    }
}

/// A borrowed [`Member`] for code that needs `Serialize`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberRef<'m, T>(pub(crate) &'m T);

impl<T: Member> Serialize for MemberRef<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.to_json(serializer)
    }
}

impl<'de, T: Member> Deserialize<'de> for ByMember<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::from_json(deserializer).map(ByMember)
    }
}

/// Bytes: a string if they are UTF-8, else `{"hex": …}`.
impl Member for ByteString<'_> {
    fn to_json<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(self) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) if !serializer.is_human_readable() => serializer.serialize_bytes(self),
            Err(_) => single(serializer, "hex", &lower::encode_string(self)),
        }
    }

    fn from_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = BString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(r#"a string, or {"hex": "…"}"#)
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<BString, E> {
                Ok(text.into())
            }

            /// Only formats of bytes have these.
            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<BString, E> {
                Ok(bytes.into())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<BString, A::Error> {
                let digits = read_single(map, "hex")?;
                let bytes = mixed::decode_vec(&digits);
                let bytes = bytes.map_err(|_| {
                    A::Error::invalid_value(Unexpected::Str(&digits), &"an even number of hexadecimal digits")
                })?;
                Ok(bytes.into())
            }
        }
        deserializer.deserialize_any(Bytes).map(ByteString::from)
    }
}

/// A list of byte strings, each as a [`Member`]: for `#[serde(with = "crate::member::strings")]`.
pub(crate) mod strings {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(strings: &[ByteString<'_>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(strings.iter().map(MemberRef))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<ByteString<'static>>, D::Error> {
        let strings: Vec<ByMember<ByteString<'static>>> = Deserialize::deserialize(deserializer)?;
        Ok(strings.into_iter().map(|ByMember(string)| string).collect())
    }
}

/// Bytes, or text or integers that stand for bytes.
pub(crate) fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    struct Bytes;
    impl<'de> Visitor<'de> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Vec<u8>, E> {
            Ok(text.as_bytes().to_vec())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = list.next_element()? {
                bytes.push(byte);
            }
            Ok(bytes)
        }
    }
    deserializer.deserialize_any(Bytes)
}

/// Reads what was kept for later.
#[cfg(not(all(feature = "json", any(target_family = "wasm", enginewire_small))))]
pub(crate) fn read_kept<'a, T>(
    kept: &Plain<'a>,
    read: impl FnOnce(crate::typed::Typed<'_, crate::typed::Walk<'_, 'a, Plain<'a>>>) -> Result<T, crate::typed::ReadError>,
) -> Result<T, crate::typed::ReadError> {
    kept.read_text(read)
}

/// Reads what was kept for later.
#[cfg(all(feature = "json", any(target_family = "wasm", enginewire_small)))]
pub(crate) fn read_kept<'a, T>(
    kept: &Plain<'a>,
    read: impl FnOnce(crate::json::Reader<'_, 'a>) -> Result<T, serde_json::Error>,
) -> Result<T, crate::typed::ReadError> {
    kept.read_text(|reader| crate::json::by_one_reader(reader, read))
}

/// Writes `{name: text}`.
pub(crate) fn single<S: Serializer>(serializer: S, name: &'static str, text: &str) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(name, text)?;
    map.end()
}

/// Reads `{name: text}`.
pub(super) fn read_single<'de, A: MapAccess<'de>>(mut map: A, name: &'static str) -> Result<String, A::Error> {
    let mut text = None;
    while let Some(found) = map.next_key::<Name<'_>>()? {
        if *found != *name {
            return Err(A::Error::custom(format_args!("unknown field `{found}`, expected `{name}`")));
        }
        if text.replace(map.next_value()?).is_some() {
            return Err(A::Error::duplicate_field(name));
        }
    }
    text.ok_or_else(|| A::Error::missing_field(name))
}

/// Values with their type: `{"type": …, "value": …}`, with a key before them where they have one.
pub(crate) mod typed {
    use serde::de::DeserializeSeed;
    use serde::ser::SerializeStruct;

    use super::*;

    /// A value of one of several types.
    pub(crate) trait Typed: Sized {
        /// The type, which serde reads from and writes as its name.
        type Type: Copy + Serialize + DeserializeOwned;

        fn type_of(&self) -> Self::Type;
        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
        fn read<'de, D: Deserializer<'de>>(id: Self::Type, deserializer: D) -> Result<Self, D::Error>;
    }

    /// A value without its type.
    pub(crate) struct Bare<'v, T>(pub(crate) &'v T);

    impl<T: Typed> Serialize for Bare<'_, T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.0.write(serializer)
        }
    }

    /// Members before the type: a key, or the head of a document.
    pub(crate) trait Lead: Sized {
        /// The names of all members, these first.
        const NAMES: &'static [&'static str];

        /// The members that were read so far.
        type Parts: Default;

        /// Writes them.
        fn write<S: SerializeStruct>(&self, members: &mut S) -> Result<(), S::Error>;

        /// Reads the member `name`. True if it is a duplicate.
        fn read<'de, A: MapAccess<'de>>(parts: &mut Self::Parts, name: &str, map: &mut A) -> Result<bool, A::Error>;

        /// The members, if all were read.
        fn finish<E: serde::de::Error>(parts: Self::Parts) -> Result<Self, E>;
    }

    /// No members before the type.
    impl Lead for () {
        const NAMES: &'static [&'static str] = &["type", "value"];
        type Parts = ();

        fn write<S: SerializeStruct>(&self, _: &mut S) -> Result<(), S::Error> {
            Ok(())
        }

        fn read<'de, A: MapAccess<'de>>((): &mut (), name: &str, _: &mut A) -> Result<bool, A::Error> {
            Err(A::Error::unknown_field(name, Self::NAMES))
        }

        fn finish<E: serde::de::Error>((): ()) -> Result<Self, E> {
            Ok(())
        }
    }

    /// The key of an entry.
    pub(crate) struct Key<K>(pub(crate) ByMember<K>);

    impl<K: Member> Lead for Key<K> {
        const NAMES: &'static [&'static str] = &["key", "type", "value"];
        type Parts = Option<ByMember<K>>;

        fn write<S: SerializeStruct>(&self, members: &mut S) -> Result<(), S::Error> {
            members.serialize_field("key", &self.0)
        }

        fn read<'de, A: MapAccess<'de>>(key: &mut Self::Parts, name: &str, map: &mut A) -> Result<bool, A::Error> {
            match name {
                "key" => Ok(key.replace(map.next_value()?).is_some()),
                other => Err(A::Error::unknown_field(other, Self::NAMES)),
            }
        }

        fn finish<E: serde::de::Error>(key: Self::Parts) -> Result<Self, E> {
            key.map(Key).ok_or_else(|| E::missing_field("key"))
        }
    }

    /// Writes the members.
    pub(crate) fn serialize<L: Lead, T: Typed, S: Serializer>(
        lead: &L,
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Typed", L::NAMES.len())?;
        lead.write(&mut members)?;
        members.serialize_field("type", &value.type_of())?;
        members.serialize_field("value", &Bare(value))?;
        members.end()
    }

    /// Reads the members.
    pub(crate) fn deserialize<'de, L: Lead, T: Typed, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<(L, T), D::Error> {
        deserializer.deserialize_struct("Typed", L::NAMES, Members(PhantomData))
    }

    struct Members<L, T>(PhantomData<(L, T)>);

    /// Reads the value of a type that is known.
    struct OfType<T: Typed>(T::Type);

    impl<'de, T: Typed> DeserializeSeed<'de> for OfType<T> {
        type Value = T;

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
            T::read(self.0, deserializer)
        }
    }

    impl<'de, L: Lead, T: Typed> Visitor<'de> for Members<L, T> {
        type Value = (L, T);

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "an object with {}", L::NAMES.join(", "))
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut lead = L::Parts::default();
            let mut id: Option<T::Type> = None;
            let mut value: Option<T> = None;
            // a value that came before its type
            let mut early: Option<Plain<'static>> = None;
            while let Some(name) = map.next_key::<Name<'_>>()? {
                let again = match &*name {
                    "type" => id.replace(map.next_value()?).is_some(),
                    "value" => match id {
                        Some(id) => early.is_some() || value.replace(map.next_value_seed(OfType(id))?).is_some(),
                        None => early.replace(map.next_value()?).is_some(),
                    },
                    other => L::read(&mut lead, other, &mut map)?,
                };
                if again {
                    return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
                }
            }
            let id = id.ok_or_else(|| A::Error::missing_field("type"))?;
            if let Some(early) = early {
                value = Some(read_kept(&early, |value| T::read(id, value)).map_err(A::Error::custom)?);
            }
            let lead = L::finish(lead)?;
            Ok((lead, value.ok_or_else(|| A::Error::missing_field("value"))?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::IntoByteString;
    use pretty_assertions::assert_eq;

    fn written<T: Member>(member: T) -> String {
        serde_json::to_string(&ByMember(member)).unwrap()
    }

    fn read<T: Member>(text: &str) -> Result<T, String> {
        serde_json::from_str(text).map(|ByMember(member)| member).map_err(|error| error.to_string())
    }

    #[cfg(feature = "roblox")]
    #[test]
    fn a_typed_value_has_two_members_and_no_others() {
        use crate::roblox::attributes::Value;
        let read = |text: &str| serde_json::from_str::<Value<'_>>(text).map_err(|error| error.to_string());
        assert_eq!(read(r#"{"value": true, "type": "Bool"}"#), Ok(Value::Bool(true)));
        for (text, message) in [
            (r#"{"type": "Bool", "value": true, "x": 1}"#, "unknown field `x`, expected `type` or `value`"),
            (r#"{"type": "Bool", "value": true, "value": true}"#, "duplicate field `value`"),
            (r#"{"type": "Bool"}"#, "missing field `value`"),
            ("1", "invalid type: integer `1`, expected an object with type, value"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }

    /// JavaScript reads integers exactly up to 2^53 - 1. Those beyond are text, and both forms are read.
    #[test]
    fn integers_of_64_bits() {
        for (number, text) in [
            (0, "0"),
            (9_007_199_254_740_991, "9007199254740991"),
            (9_007_199_254_740_992, r#""9007199254740992""#),
            (-9_007_199_254_740_991, "-9007199254740991"),
            (-9_007_199_254_740_992, r#""-9007199254740992""#),
            (i64::MIN, r#""-9223372036854775808""#),
            (i64::MAX, r#""9223372036854775807""#),
        ] {
            assert_eq!(written(number), text);
            assert_eq!((read(text), read(text.trim_matches('"'))), (Ok(number), Ok(number)));
            assert_eq!(read(&format!("\"{number}\"")), Ok(number));
            assert_eq!(read::<u64>(text).ok(), u64::try_from(number).ok());
        }
        assert_eq!(written(u64::MAX), r#""18446744073709551615""#);
        assert_eq!(written(9_007_199_254_740_991_u64), "9007199254740991");
        assert_eq!(written(9_007_199_254_740_992_u64), r#""9007199254740992""#);
        assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
        assert_eq!((read::<i64>("-0"), read::<u64>("-0.0")), (Ok(0), Ok(0)));
        for (text, message) in [
            ("9223372036854775808", "invalid value: integer `9223372036854775808`"),
            (r#""9223372036854775808""#, r#"invalid value: string "9223372036854775808""#),
            ("1.5", "invalid type: floating point `1.5`"),
            ("true", "invalid type: boolean `true`"),
        ] {
            let error = read::<i64>(text).unwrap_err();
            let expected = "expected an integer of the type i64, or its digits in a string";
            assert!(error.starts_with(message) && error.contains(expected), "{error}");
        }
        let error = read::<u64>("-1").unwrap_err();
        assert!(error.starts_with("invalid value: integer `-1`, expected an integer of the type u64"), "{error}");
    }

    /// Each of the shorter types has its own range.
    #[test]
    fn integers_of_32_bits_and_less() {
        fn range<T: Member + PartialEq + std::fmt::Debug + Copy>(least: T, below: &str, greatest: T, above: &str) {
            assert_eq!((read(&written(least)), read(&written(greatest))), (Ok(least), Ok(greatest)));
            for text in [below, above, "0.5", "0.0", "-0.5", "\"0\"", "null"] {
                assert!(read::<T>(text).is_err(), "{text}");
            }
            assert_eq!((read::<T>("-0"), read::<T>("-0.0")), (read("0"), read("0")));
        }
        range(0_u8, "-1", u8::MAX, "256");
        range(0_u16, "-1", u16::MAX, "65536");
        range(0_u32, "-1", u32::MAX, "4294967296");
        range(i8::MIN, "-129", i8::MAX, "128");
        range(i16::MIN, "-32769", i16::MAX, "32768");
        range(i32::MIN, "-2147483649", i32::MAX, "2147483648");
    }

    #[test]
    fn bytes_are_a_string_or_hexadecimal_digits() {
        for (bytes, text) in [(&b"a\0"[..], r#""a\u0000""#), (b"\xff\0", r#"{"hex":"ff00"}"#), (b"", r#""""#)] {
            let bytes = bytes.to_vec().into_byte_string();
            assert_eq!(written(bytes.clone()), text);
            assert_eq!(read(text), Ok(bytes));
        }
        let in_either_case: ByteString<'_> = read(r#"{"hex": "fF0A"}"#).unwrap();
        assert_eq!(*in_either_case, *b"\xff\x0a");
        for (text, message) in [
            ("1", r#"expected a string, or {"hex": "…"}"#),
            ("{}", "missing field `hex`"),
            (r#"{"hex": "0"}"#, "expected an even number of hexadecimal digits"),
            (r#"{"hex": "0x"}"#, "expected an even number of hexadecimal digits"),
            (r#"{"bits": "00"}"#, "unknown field `bits`, expected `hex`"),
            (r#"{"hex": "00", "hex": "00"}"#, "duplicate field `hex`"),
        ] {
            let error = read::<ByteString<'_>>(text).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn lists_of_numbers_and_strings() {
        assert!(read::<[f32; 9]>("[1,2,3,4,5,6,7,8]").is_err());
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, f32::INFINITY];
        assert_eq!(written(numbers), r#"[1,2,3,4,5,6,7,8,"Infinity"]"#);
        assert_eq!(read(&written(numbers)), Ok(numbers));
        let text = r#"["a",{"hex":"ff"}]"#;
        let texts = strings::deserialize(&mut serde_json::Deserializer::from_str(text)).unwrap();
        let mut again = Vec::new();
        strings::serialize(&texts, &mut serde_json::Serializer::new(&mut again)).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), text);
    }
}
