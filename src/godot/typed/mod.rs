//! Rust types in and out of values, through serde.

mod build;
mod look;
mod read;

use serde::{Deserialize, Serialize};

use super::options::Options;
use super::variant::Variant;
use super::version::Version;
use super::{decode_with, encode_with, inspect_with};
use crate::error::{DecodeError, EncodeError};
use crate::typed::{build, read_bytes, read_value, write, Leniency, ReadError};

/// Reads a Rust type from the bytes of a value. See [`typed`](crate::typed).
///
/// ```
/// use enginewire::godot::{self, Version};
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Player<'a> {
///     name: &'a str,
///     hp: i8,
/// }
///
/// let bytes = godot::to_bytes(Version::V4, &Player { name: "Ada", hp: 7 })?;
/// let player: Player = godot::from_bytes(Version::V4, &bytes)?;
/// assert_eq!((player.name, player.hp), ("Ada", 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As for [`decode_with`], and if the value has another form than the type. What the type skips is checked too.
#[inline]
pub fn from_bytes<'de, T: Deserialize<'de>>(version: Version, bytes: &'de [u8]) -> Result<T, DecodeError> {
    from_bytes_with(bytes, &Options::new(version), Leniency::new())
}

/// Reads a Rust type from the bytes of a value, as the options and the leniency say.
///
/// ```
/// use enginewire::godot::{self, Options, Version};
/// use enginewire::typed::Leniency;
///
/// let three = b"\x03\0\0\0\0\0\x40\x40";
/// let lenient = Leniency::new().float_to_int(true);
/// assert_eq!(godot::from_bytes_with::<u8>(three, &Options::new(Version::V4), lenient)?, 3);
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// As for [`from_bytes`].
#[inline]
pub fn from_bytes_with<'de, T: Deserialize<'de>>(
    bytes: &'de [u8],
    options: &Options,
    leniency: Leniency,
) -> Result<T, DecodeError> {
    let read = match leniency.takes_last_duplicate() {
        true => read_value(&decode_with(bytes, options)?, leniency),
        false => read_bytes(bytes, *options, leniency),
    };
    read.map_err(|error| located(error, bytes, options))
}

#[cold]
fn located(error: ReadError, bytes: &[u8], options: &Options) -> DecodeError {
    error.locate(&[], || inspect_with(bytes, options), || decode_with(bytes, options).err())
}

/// Reads a Rust type from a value. Text that the type borrows must be borrowed by the value.
///
/// ```
/// use enginewire::godot::{self, Variant};
///
/// assert_eq!(godot::from_value::<Vec<u8>>(vec![Variant::Int(1), 2.into()].into())?, [1, 2]);
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// If the value has another form than the type. The offset counts from the start of what version 4 writes for the value.
pub fn from_value<'a, T: Deserialize<'a>>(value: Variant<'a>) -> Result<T, DecodeError> {
    from_value_with(value, Leniency::new())
}

/// Reads a Rust type from a value, as the leniency says.
///
/// ```
/// use enginewire::godot;
/// use enginewire::typed::Leniency;
///
/// assert_eq!(godot::from_value_with::<i64>(3.0.into(), Leniency::new().float_to_int(true))?, 3);
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// As for [`from_value`].
pub fn from_value_with<'a, T: Deserialize<'a>>(value: Variant<'a>, leniency: Leniency) -> Result<T, DecodeError> {
    read_value(&value, leniency).map_err(|error| {
        let options = Options::new(Version::V4).any_text(true);
        located(error, &encode_with(&value, &options).unwrap_or_default(), &options)
    })
}

/// Writes a Rust type as the bytes of a value.
///
/// ```
/// use enginewire::godot::{self, Version};
///
/// assert_eq!(godot::to_bytes(Version::V4, &7)?, [2, 0, 0, 0, 7, 0, 0, 0]);
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// If the version has no such value, or the type is one that no value has: integers of 128 bits, and those of 64 bits
/// without a sign beyond the greatest with one.
pub fn to_bytes<T: Serialize + ?Sized>(version: Version, value: &T) -> Result<Vec<u8>, EncodeError> {
    to_bytes_with(value, &Options::new(version))
}

/// Writes a Rust type as the bytes of a value, as the options say.
///
/// ```
/// use enginewire::godot::{self, Options, Version};
///
/// assert_eq!(godot::to_bytes_with(&true, &Options::new(Version::V3))?, [1, 0, 0, 0, 1, 0, 0, 0]);
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// As for [`to_bytes`].
pub fn to_bytes_with<T: Serialize + ?Sized>(value: &T, options: &Options) -> Result<Vec<u8>, EncodeError> {
    write(*options, |writer| value.serialize(writer))
}

/// Makes a value of a Rust type.
///
/// ```
/// use enginewire::godot::{self, Variant};
///
/// assert_eq!(godot::to_value("text")?, Variant::from("text"));
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// # Errors
///
/// As for [`to_bytes`].
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Variant<'static>, EncodeError> {
    build(|writer| value.serialize(writer))
}
