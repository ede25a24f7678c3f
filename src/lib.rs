//! Decodes, encodes and explains the binary values that game engines write.
//!
//! | format | module |
//! |---|---|
#![cfg_attr(feature = "roblox", doc = "| Roblox attributes (`AttributesSerialize`) | [`roblox::attributes`] |")]
#![cfg_attr(feature = "roblox", doc = "| Roblox remote packets (RemoteEvent, RemoteFunction) | [`roblox::remote`] |")]
#![cfg_attr(feature = "scrap_mechanic", doc = "| Scrap Mechanic LuaObject | [`scrap_mechanic::lua_object`] |")]
#![cfg_attr(feature = "godot", doc = "| Godot Variant, versions 3 and 4 | [`godot`] |")]
#![cfg_attr(feature = "godot", doc = "| Godot resources and scenes | [`godot::resource`] |")]
//!
//! The package `enginewire-files` reads and changes the files that hold such values.
//!
//! Every format offers the same functions, which follow from one trait, [`wire::Format`]: `decode`, `encode`, `check`,
//! `inspect`, a streaming `Decoder`, and every structure's parser and generator as a function, for larger parsers.
//!
//! The page `docs/guide.md` of the repository has an example of each, and of larger parsers. To write a format of your own, begin
//! with [`wire`].
//!
//! A decoded value borrows its strings from the input. `decode_owned` gives a value that owns the input and has no
//! lifetime: [`wire::Decoded`]. `into_owned` copies every string, so that the value does not need the input.
//!
//! ```
//! use enginewire::roblox::attributes::{self, Value};
//!
//! let bytes = b"\x01\0\0\0\x06\0\0\0Health\x06\0\0\0\0\0\0\x59\x40";
//! let mut attributes = attributes::decode(bytes)?;
//! assert_eq!(attributes.get("Health").and_then(Value::as_double), Some(100.0));
//!
//! attributes.insert("Name", "Torch");
//! let bytes = attributes::encode(&attributes)?;
//! assert_eq!(attributes::check(&bytes)?.items, Some(2));
//!
//! let error = attributes::decode(&bytes[..bytes.len() - 1]).unwrap_err();
//! assert_eq!(error.path().to_string(), r#"entries[1] "Name".value.string.content"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The idea
//!
//! A structure of a specification is written once, as one nom parser, and everything else is that parser run in another
//! way: see [`wire`]. Each structure is one file with its table, its type, its parser, its cookie-factory generator and
//! its tests.
//!
//! # Promises
//!
//! 1. **Lossless.** `encode(decode(x)) == x` for every canonical `x`. Bytes that are not canonical decode, too.
//!    `check` reports them with their offset, and the docs of each format list them.
//! 2. **Exact errors.** Every rejected input gives the offset, the path of the field, the expected value and the one found.
//! 3. **Streaming is the same.** Any chunking gives the same items and the same error as one call, and work is linear in
//!    the bytes.
//! 4. **No panic, no abort, no surprise memory**, for any input. The crate has no unsafe code of its own.
//! 5. **Strict by default, lenient by name.** Each leniency is an option of its own.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `roblox`, `godot`, `scrap_mechanic` | the formats of one game each; on by default |
//! | `text` | the JSON forms of every format (`json`), the notations of the engines (`notation`), Rust types in and out of every format (`typed`), and formats chosen at run time (`formats`) |
//! | `interop` | conversions from and to the types of rbx_types, rbx_dom_weak and Bytes (`convert`); each stream as a codec of tokio (`wire::Codec`) |
//!
//! By default the library has the formats of all games and depends on nom, cookie-factory, thiserror, bstr and
//! self_cell alone. With `default-features = false` and the feature of one game it has a third to two thirds of the size.
//!
//! # Platforms
//!
//! The library needs `std`: generators write to [`std::io::Write`], and an error of a generator carries its path in a
//! [`std::io::Error`]. So it is not `no_std`. It builds for `wasm32-unknown-unknown` with every feature except `interop`.
#![cfg_attr(docsrs, feature(doc_cfg))]
// code that only other games need
#![cfg_attr(
    not(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic")),
    allow(dead_code, unreachable_code, unused_imports, unused_macros, unused_variables)
)]

#[doc(hidden)] // for the package of files
pub mod budget;
#[cfg(feature = "interop")]
pub mod convert;
#[cfg(feature = "text")]
mod dynamic;
pub mod error;
#[cfg(feature = "text")]
mod float;
#[cfg(feature = "text")]
pub mod formats;
#[cfg(feature = "godot")]
pub mod godot;
#[cfg(feature = "text")]
pub mod json;
mod limits;
#[cfg(feature = "text")]
mod member;
#[cfg(feature = "text")]
pub mod notation;
#[doc(hidden)] // for the package of files
pub mod number;
mod offset;
#[doc(hidden)] // for the package of files
pub mod resync;
#[cfg(feature = "roblox")]
pub mod roblox;
#[cfg(feature = "scrap_mechanic")]
pub mod scrap_mechanic;
#[cfg(feature = "text")]
pub mod signature;
#[cfg(feature = "text")]
mod stack;
mod structure;
#[cfg(feature = "text")]
mod suggest;
#[cfg(test)]
mod test;
#[cfg(feature = "text")]
mod text_error;
#[cfg(feature = "text")]
pub mod typed;
pub mod wire;

pub use budget::OverBudget;
pub use error::{
    DecodeError, DecodeOwnedError, EncodeError, EncodeFault, Excerpt, Fault, Key, Path, Radix, RequireError, Segment,
    TypeError, UnknownType, WriteError,
};
#[cfg(feature = "text")]
pub use formats::formats;
pub use limits::Limits;
pub use offset::Offset;
#[cfg(feature = "text")]
pub use text_error::TextError;
#[cfg(feature = "text")]
pub(crate) use {member::by_name as type_doors, typed::value_doors};

// what a table of types is above `wire`: nothing without texts
#[cfg(not(feature = "text"))]
macro_rules! value_doors {
    ($($table:tt)*) => {};
}
#[cfg(not(feature = "text"))]
pub(crate) use value_doors;
#[cfg(not(feature = "text"))]
pub(crate) use value_doors as type_doors;

/// The code blocks of the guide, as tests. `enginewire-files` tests those of the README, which also reads files.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide.md")]
struct Guide;

/// And those of the conversions.
#[cfg(all(doctest, feature = "interop"))]
#[doc = include_str!("../docs/conversions.md")]
struct Conversions;
