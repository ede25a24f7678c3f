//! Uuid.

use std::fmt;
use std::io::Write;
use std::str::FromStr;

use cookie_factory::SerializeFn;
use nom::Parser;
use thiserror::Error;

use crate::wire::{fixed, gen_bytes, Source, WireError};

/// A UUID: which part, which script, which kind of item.
///
/// | field | bits | type |
/// |---|---|---|
/// | uuid | 128 | a little-endian number: the 16 bytes in reverse |
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(
    /// The bytes in the order of the written form.
    pub [u8; 16],
);

/// In its usual written form.
impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, time_1, time_2, version_1, version_2, variant_1, variant_2, node @ ..] = self.0;
        let number = |high, low| u16::from_be_bytes([high, low]);
        let [time, version, variant] =
            [number(time_1, time_2), number(version_1, version_2), number(variant_1, variant_2)];
        let node = node.into_iter().fold(0_u64, |node, byte| node << 8 | u64::from(byte));
        write!(f, "{:08x}-{time:04x}-{version:04x}-{variant:04x}-{node:012x}", u32::from_be_bytes([a, b, c, d]))
    }
}

/// The error for a text that is not a UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a UUID has the form 00112233-4455-6677-8899-aabbccddeeff")]
pub struct UuidError(());

impl FromStr for Uuid {
    type Err = UuidError;

    fn from_str(text: &str) -> Result<Self, UuidError> {
        let hyphens = [8, 13, 18, 23].iter().all(|at| text.as_bytes().get(*at) == Some(&b'-'));
        let digits: String = text.chars().filter(|char| *char != '-').collect();
        let number = u128::from_str_radix(&digits, 16).map_err(|_| UuidError(()))?;
        if !hyphens || text.len() != 36 || digits.len() != 32 || digits.starts_with('+') {
            return Err(UuidError(()));
        }
        Ok(Uuid(number.to_be_bytes()))
    }
}

crate::wire::never_borrows!(Uuid);

/// Reads a [`Uuid`].
///
/// The bytes `00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f`, from the last to the first, are the id
/// `0f0e0d0c-0b0a-0908-0706-050403020100`. Only too few bytes are refused.
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Uuid.
#[inline]
pub fn uuid<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Uuid, Error = E> {
    fixed().map(|mut bytes| {
        bytes.reverse();
        Uuid(bytes)
    })
}

/// Writes a [`Uuid`], as [`uuid`] reads it.
#[inline]
pub fn gen_uuid<W: Write>(Uuid(mut bytes): Uuid) -> impl SerializeFn<W> {
    bytes.reverse();
    gen_bytes(bytes)
}

/// As it is written down; in formats of bytes the 16 bytes.
#[cfg(feature = "text")]
mod json {
    use serde::{Serialize, Serializer};

    use super::Uuid;
    use crate::member::{
        deserialize_by_member, serialize, Give, Given, Member, Mismatch, Named, Receiver, Scalar, Shape,
    };

    impl Give for Uuid {
        fn give(&self, to: &mut dyn Receiver) {
            match to.takes_bytes() {
                true => to.scalar(Scalar::Bytes(&self.0)),
                false => to.scalar(Scalar::Text(&self.to_string())),
            }
        }
    }

    impl Member for Uuid {
        const SHAPE: Shape = Shape::Form("Uuid");

        fn take(given: Given<'_>) -> Result<Self, Mismatch> {
            if given.is_text() {
                return given.text()?.parse().map_err(|error| given.custom(error));
            }
            given.bytes()?.try_into().map(Uuid).map_err(|_| given.custom("a UUID has 16 bytes"))
        }
    }

    impl Serialize for Uuid {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serialize(&Named("$enginewire::Uuid", self), serializer)
        }
    }

    deserialize_by_member!([] Uuid);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use pretty_assertions::assert_eq;

    #[test]
    fn worked_example() {
        let value: Uuid = "0f0e0d0c-0b0a-0908-0706-050403020100".parse().unwrap();
        both_ways(&hex("00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"), value, uuid, gen_uuid(value));
        assert_eq!(value.to_string(), "0f0e0d0c-0b0a-0908-0706-050403020100");
        assert_eq!(format!("{value:?}"), value.to_string());
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "0f0e0d0c0b0a09080706050403020100",
            "0f0e0d0c-0b0a-0908-0706-05040302010",
            "0f0e0d0c-0b0a-0908-0706-050403020100-",
            "0f0e0d0c-0b0a-0908-0706-05040302010g",
            "+f0e0d0c-0b0a-0908-0706-050403020100",
            "0f0e0d0c-0b0a-0908-070605-0403020100",
            "0f0e0d0c-0b0a-0908-0706-0504030201-0",
            "{f0e0d0c-0b0a-0908-0706-050403020100}",
        ] {
            assert!(text.parse::<Uuid>().is_err(), "{text}");
        }
    }
}
