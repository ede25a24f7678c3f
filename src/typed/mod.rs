//! Rust types in and out of every format, through serde.
//!
//! | format | from bytes | to bytes | from and to values in memory |
//! |---|---|---|---|
//! | Godot | `godot::from_bytes`, `from_bytes_with` | `godot::to_bytes`, `to_bytes_with` | `godot::from_value`, `from_value_with`, `to_value` |
//! | Roblox attributes | `roblox::attributes::from_bytes`, … | `roblox::attributes::to_bytes`, … | `from_value`, `from_value_with`, `to_value` |
//! | arguments of Roblox remotes | `roblox::remote::from_bytes`, … | `roblox::remote::to_bytes`, … | `from_arguments`, `from_arguments_with`, `to_arguments` |
//! | Scrap Mechanic LuaObject | `scrap_mechanic::lua_object::from_bytes`, … | `lua_object::to_bytes`, … | `from_value`, `from_value_with`, `to_value` |
//!
//! ```
//! # #[cfg(feature = "roblox")] {
//! use enginewire::roblox::attributes::{self, Value};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Torch<'a> {
//!     name: &'a str, // borrowed from the bytes
//!     fuel: i8,
//!     #[serde(with = "enginewire::typed::with::vector3")]
//!     position: [f32; 3],
//! }
//!
//! let bytes = attributes::to_bytes(&Torch { name: "Wall", fuel: 7, position: [1.0, 2.0, 3.0] })?;
//! let torch: Torch = attributes::from_bytes(&bytes)?;
//! assert_eq!((torch.name, torch.fuel), ("Wall", 7));
//!
//! let bytes = attributes::encode(&[("name", Value::from("Wall")), ("fuel", 999.0.into())].into_iter().collect())?;
//! let error = attributes::from_bytes::<Torch>(&bytes).err().unwrap();
//! assert_eq!(error.to_string(), r#"999 does not fit i8, -128 to 127, at byte 0x1e in entries[1] "fuel".value.double"#);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Types
//!
//! | Rust | Godot | attributes | remotes | LuaObject |
//! |---|---|---|---|---|
//! | integers | int | Double | Number | Int8, Int16 or Int32; Number or Double beyond |
//! | `f32` | float | Float | Number | what [`LuaSaveData::number`] says |
//! | `f64` | float | Double | Number | what [`LuaSaveData::number`] says |
//! | `bool` | bool | Bool | Boolean | Boolean |
//! | text, `char` | String | String | String | String |
//! | bytes (`serde_bytes`) | PackedByteArray | String | String | String |
//! | `None` | null | left out | Nil | Nil |
//! | `()`, unit structures | null | an empty Array | Nil | Nil |
//! | lists, tuples | Array | Array | Array | a table that is an array from 1, also without items |
//! | structures, maps | Dictionary | Dictionary | Dictionary | a table |
//! | keys of maps | any | text; numbers and booleans as text | as attributes | any |
//! | a variant without a value | its name | its name | its name | its name |
//! | a variant with a value | `{name: value}` | `{name: value}` | `{name: value}` | `{name: value}` |
//! | the structures of the crate: `Vector3`, `CFrame`, …; sequences are a `Vec` of keypoints and [`with`] | themselves | themselves | themselves | themselves |
//! | `Variant`, `Value`, `LuaSaveData` | what they are | what they are | what they are | what they are |
//!
//! [`LuaSaveData::number`]: https://docs.rs/enginewire/latest/enginewire/scrap_mechanic/lua_object/enum.LuaSaveData.html
//!
//! - Scripts have one type of number in attributes, remotes and Lua. An integer that a number of 64 bits cannot hold is an error
//!   when it is written, and a number without a fraction is read as an integer, in either width.
//! - Values of more types are read than written: an Int is read into an `i32`, and written back as a Double. So bytes that were
//!   read and written again may have other types. [`with`] names the type of a field.
//! - The outermost value of attributes is a structure or a map. That of remotes is a list or a tuple, the arguments.
//! - Attributes have no null: a field that is `None` is left out, and `None` in a list is an error.
//! - A structure of the engine is read into any structure, map, list or tuple of its form: a `Vector3` into `[f32; 3]` or into a
//!   map with `x`, `y` and `z`. Writing these back gives a list or a map, unless the field names the type: see [`with`].
//! - A packed array is read into any list, bytes also into a list of integers.
//! - An object of Godot is read as its properties. Its class is not shown; a field of the type `Variant` has it.
//! - Text that is not UTF-8 is read into bytes.
//! - These formats are not human readable in the sense of serde: a `Uuid` of the crate `uuid` is 16 bytes. [`with::uuid`] writes
//!   it as the type of Scrap Mechanic.
//! - `flatten` and enums that are untagged or have a tag inside buffer their values, as always in serde: types of the engine
//!   become maps. A `Variant` or `Value` in them is a Dictionary where a `Vector3` was. Writing loses nothing. They also descend
//!   into the buffered values without asking for more stack: for bytes that are not trusted, set smaller `limits` in the options.
//! - Integers of 128 bits are an error both ways.
//!
//! # Strict and lenient
//!
//! By default a float of Godot is not read as an integer, and a field that comes twice is an error. [`Leniency`] allows either by
//! name. A missing field is an error unless it is an `Option`; `#[serde(default)]` allows it. Unknown fields are skipped, which
//! is serde's default, and refused by `#[serde(deny_unknown_fields)]`. An `f64` is rounded where an `f32` is read.
//!
//! # Errors
//!
//! Every error names the byte and the path, as errors of decoding do. That of an unknown field or variant names those that there
//! are; they are in [`Fault::expected`](crate::Fault::expected) too, as are all fields where one is missing. A number that does not
//! fit is named with the range of its type. In errors of a value in memory, the offset counts from the start of what `encode`
//! writes for it.
//!
//! # No derive of its own
//!
//! Serde's derives are enough: the types of the fields, or [`with`], determine exactly what is written.

mod access;
pub(crate) mod de;
pub(crate) mod error;
pub(crate) mod exact;
mod input;
pub(crate) mod look;
mod number;
pub(crate) mod plain;
pub(crate) mod row;
pub(crate) mod ser;
pub(crate) mod sink;
mod table;
pub mod with;

use serde::Deserialize;

use crate::error::EncodeError;
pub(crate) use de::Typed;
pub(crate) use error::{BuildError, ReadError};
pub(crate) use exact::Reading;
#[cfg(any(feature = "roblox", feature = "godot"))]
pub(crate) use input::look_of;
pub(crate) use input::{look_of_text, read_bytes, Decoding};
pub(crate) use look::{Look, Rare, Rules, Value, Walk};
pub(crate) use plain::Neutral;
pub(crate) use row::Row;
pub(crate) use ser::{tree, Build, Writer};
pub(crate) use sink::{value_of, Container, Encoded, Encoding, Scalar};
pub(crate) use table::value_doors;

/// Inexact values that are allowed when a Rust type is read.
///
/// ```
/// # #[cfg(feature = "godot")] {
/// use enginewire::godot::{self, Options, Version};
/// use enginewire::typed::Leniency;
///
/// let three = b"\x03\0\0\0\0\0\x40\x40"; // a float
/// assert!(godot::from_bytes::<i32>(Version::V4, three).is_err());
/// let lenient = Leniency::new().float_to_int(true);
/// assert_eq!(godot::from_bytes_with::<i32>(three, &Options::new(Version::V4), lenient)?, 3);
/// # }
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leniency {
    float_to_int: bool,
    last_duplicate: bool,
}

impl Leniency {
    /// Allows only exact values.
    ///
    /// ```
    /// use enginewire::typed::Leniency;
    ///
    /// assert_eq!(Leniency::new(), Leniency::default());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Leniency { float_to_int: false, last_duplicate: false }
    }

    /// Reads `3.0` as the integer 3; false unless set. `3.5` is still an error. The other formats always allow it.
    ///
    /// ```
    /// use enginewire::typed::Leniency;
    ///
    /// assert_ne!(Leniency::new().float_to_int(true), Leniency::new());
    /// ```
    #[must_use]
    pub const fn float_to_int(self, allowed: bool) -> Self {
        Leniency { float_to_int: allowed, ..self }
    }

    /// Reads only the last of several entries with the same key, like the engines; false unless set. A structure may then have a
    /// field twice. Only keys that are text are compared. It reads slower.
    ///
    /// ```
    /// # #[cfg(feature = "roblox")] {
    /// use enginewire::roblox::attributes::{self, Options};
    /// use enginewire::typed::Leniency;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Lamp {
    ///     on: bool,
    /// }
    ///
    /// let twice = attributes::encode(&[("on", true), ("on", false)].into_iter().collect())?;
    /// assert!(attributes::from_bytes::<Lamp>(&twice).is_err());
    /// let lenient = Leniency::new().last_duplicate(true);
    /// assert!(!attributes::from_bytes_with::<Lamp>(&twice, &Options::new(), lenient)?.on);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn last_duplicate(self, allowed: bool) -> Self {
        Leniency { last_duplicate: allowed, ..self }
    }

    pub(crate) const fn takes_last_duplicate(self) -> bool {
        self.last_duplicate
    }
}

/// The engine type that a name of serde denotes.
#[inline]
pub(crate) fn type_of_name(name: &'static str) -> Option<&'static str> {
    name.strip_prefix("$enginewire::")
}

/// Reads a Rust type from a value in memory.
pub(crate) fn read_value<'de, V: Value<'de>, T: Deserialize<'de>>(
    value: &V,
    leniency: Leniency,
) -> Result<T, ReadError> {
    let _reading = Reading::begin();
    T::deserialize(Typed::new(&mut Walk::new(value, leniency.last_duplicate), leniency))
}

/// Makes a value of the output of `write`.
pub(crate) fn build<B: Build>(
    write: impl FnOnce(Writer<'_, sink::Tree<B>>) -> Result<bool, BuildError>,
) -> Result<B, EncodeError> {
    Ok(tree(write)?.ok_or_else(B::no_null)?)
}

/// The output of `write` as bytes of a format.
pub(crate) fn write<E>(
    encoding: E,
    write: impl FnOnce(Writer<'_, Encoded<E>>) -> Result<bool, BuildError>,
) -> Result<Vec<u8>, EncodeError>
where
    E: Encoding,
    E::Value<'static>: Build,
{
    let mut encoded = Encoded::new(encoding);
    match write(Writer::new(&mut encoded))? {
        true => Ok(encoded.into_bytes()),
        false => Err(<E::Value<'static>>::no_null().into()),
    }
}
