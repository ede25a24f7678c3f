//! Decodes, encodes and explains the binary values that game engines write.
//!
//! | format | module |
//! |---|---|
//! | Roblox attributes (`Instance.AttributesSerialize`) | [`roblox::attributes`] |
//! | Roblox remote packets (RemoteEvents and RemoteFunctions) | [`roblox::remote`] |
//! | containers of them: Roblox model and place files | `roblox::model` |
//! | Scrap Mechanic LuaObject | [`scrap_mechanic::lua_object`] |
//! | Godot Variant, versions 3 and 4 | [`godot`] |
//!
//! Every format offers the same functions, which follow from one trait, [`wire::Format`]: `decode`, `encode`, `check`,
//! `inspect`, a streaming `Decoder`, and every structure's parser and generator as a function, for larger parsers.
//!
//! A decoded value borrows its strings from the input. `decode_owned` gives a value that has the input with it and no
//! lifetime: [`wire::Decoded`]. `into_owned` copies every string, for a value without the input.
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
//! 1. **Lossless.** `encode(decode(x)) == x` for every canonical `x`. What is not canonical decodes, is reported by
//!    `check` with its offset, and is listed in the format's docs.
//! 2. **Exact errors.** Every rejected input gives the offset, the path of the field, what was expected and what was
//!    found.
//! 3. **Streaming is the same.** Any chunking gives the same items and the same error as one call, and work is linear in
//!    the bytes.
//! 4. **No panic, no abort, no surprise memory**, whatever the input; there is no unsafe code of its own.
//! 5. **Strict by default, lenient by name.** Each leniency is an option of its own.
//!
//! # Features
//!
//! | feature | what |
//! |---|---|
//! | `roblox`, `godot`, `scrap_mechanic` | the formats of one game each; on by default |
//! | `notation` | values as text in the [language of their engine](notation): Luau, GDScript, Lua |
//! | `serde` | [Rust types](typed) in and out of every format |
//! | `json` | the [JSON form](json) of every format; enables `serde` and `notation` |
//! | `model` | Roblox model and place files |
//! | `blueprints` | the objects in blueprints of Scrap Mechanic |
//! | `saves` | the objects in saves of Scrap Mechanic, through SQLite |
//! | `save_rows` | the rows of these saves alone, for a program that reads the database by itself |
//! | `tokio` | every stream as a codec of tokio: [`wire::Codec`] |
//! | `base64` | Godot values as base64, as `Marshalls` has them |
//! | `mint`, `indexmap`, `bytes` | [conversions](convert) from and to the types of these crates |
//! | `rbx_types`, `rbx_dom_weak` | the same for Roblox attributes: those of an instance, too |
//! | `parallel` | the values of one container on all cores: [`containers::Workers`] |
//! | `miette` | errors as [miette](https://docs.rs/miette) draws them, beneath the bytes around them: `DecodeError::diagnosis` |
//! | `cli` | the program `enginewire` |
//!
//! By default the library has the formats of all games and depends on nom, cookie-factory, thiserror, bstr and
//! self_cell alone. With `default-features = false` and the feature of one game it has a third to two thirds of the size.
//! It builds for `wasm32-unknown-unknown` with every feature but `saves`, `cli`, `rbx_types` and `rbx_dom_weak`.
#![cfg_attr(docsrs, feature(doc_cfg))]
// what only other games need
#![cfg_attr(
    not(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic")),
    allow(dead_code, unused_imports, unused_macros)
)]

#[cfg_attr(not(feature = "model"), allow(dead_code, unreachable_pub))] // only models need all of it
mod budget;
#[cfg(feature = "json")]
#[cfg_attr(docsrs, doc(cfg(feature = "json")))]
#[cfg_attr(not(feature = "cli"), allow(dead_code, unreachable_code, unused_imports, unused_variables))]
// what only some containers need
pub mod containers;
pub mod convert;
pub mod error;
#[cfg(feature = "json")]
#[cfg_attr(docsrs, doc(cfg(feature = "json")))]
pub mod formats;
#[cfg(feature = "godot")]
#[cfg_attr(docsrs, doc(cfg(feature = "godot")))]
pub mod godot;
#[cfg(feature = "json")]
#[cfg_attr(docsrs, doc(cfg(feature = "json")))]
pub mod json;
mod limits;
#[cfg(feature = "serde")]
#[cfg_attr(not(feature = "json"), allow(dead_code, unreachable_pub))] // documents need all of it
mod member;
#[cfg(feature = "notation")]
#[cfg_attr(docsrs, doc(cfg(feature = "notation")))]
pub mod notation;
mod offset;
#[cfg_attr(not(all(feature = "roblox", feature = "json")), allow(dead_code))] // containers need all of it
mod resync;
#[cfg(feature = "roblox")]
#[cfg_attr(docsrs, doc(cfg(feature = "roblox")))]
pub mod roblox;
#[cfg(feature = "scrap_mechanic")]
#[cfg_attr(docsrs, doc(cfg(feature = "scrap_mechanic")))]
pub mod scrap_mechanic;
mod structure;
#[cfg(test)]
mod test;
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
pub mod typed;
pub mod wire;

#[cfg(any(feature = "model", feature = "save_rows", feature = "blueprints"))]
pub use budget::OverBudget;
#[cfg(feature = "miette")]
#[cfg_attr(docsrs, doc(cfg(feature = "miette")))]
pub use error::Diagnosis;
pub use error::{
    DecodeError, DecodeOwnedError, EncodeError, EncodeFault, Excerpt, Fault, Key, Path, Radix, RequireError, Segment,
    TypeError, UnknownType, WriteError,
};
#[cfg(feature = "json")]
#[cfg_attr(docsrs, doc(cfg(feature = "json")))]
pub use formats::formats;
pub use limits::Limits;
pub use offset::Offset;

/// The code blocks of the README, as tests.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// And those of the guide.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../docs/guide.md")]
struct Guide;

/// And those of the conversions.
#[cfg(all(doctest, feature = "cli", feature = "mint", feature = "rbx_types"))]
#[doc = include_str!("../docs/conversions.md")]
struct Conversions;
