//! The files that hold values of [`enginewire`]: models and places of Roblox, saves and blueprints of Scrap Mechanic, settings, packs,
//! scenes and scripts of Godot, through their compression and encryption.
//!
//! | module | |
//! |---|---|
//! | [`containers`] | any of these files: detect, open, list its values, change them |
//! | `file` | a file of any kind: takes off its layers, detects its kind, and writes it with changes |
//! | [`guess`](mod@guess) | the kind of a file, and the values in it |
//! | `roblox`, `godot`, `scrap_mechanic` | the files of one game each: [`roblox::model`], [`godot::ConfigFile`], [`scrap_mechanic::blueprint`], … |
//! | `scan` | the attributes of many models as rows |
//! | [`survive`] | values that other tools and engines change, lose or refuse |
//!
//! ```
//! use enginewire::roblox::attributes::Options;
//! use enginewire_files::roblox::model;
//!
//! let file = std::fs::read("../../fixtures/roblox-model/tags.rbxm")?;
//! let listing = model::list_bytes(&file, &model::Options::new())?;
//! for property in listing.properties() {
//!     println!("{}: {:?}", listing.path(property.instance), property.decode(&Options::new()));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `roblox`, `godot`, `scrap_mechanic` | the files of one game each; on by default |
//! | `saves` | saves of Scrap Mechanic, with a bundled SQLite, which needs a C compiler |
//! | `scan` | the attributes of many model and place files as rows |
//!
//! It builds for `wasm32-unknown-unknown` with every feature except `saves`.
#![cfg_attr(docsrs, feature(doc_cfg))]
// code that only other games need
#![cfg_attr(
    not(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic")),
    allow(dead_code, unreachable_code, unused_imports, unused_macros, unused_variables)
)]

pub mod address;
pub mod containers;
#[cfg(feature = "godot")]
pub mod file;
#[cfg(feature = "godot")]
pub mod godot;
pub mod guess;
#[cfg(feature = "roblox")]
pub mod roblox;
#[cfg(feature = "scan")]
pub mod scan;
#[cfg(feature = "scrap_mechanic")]
pub mod scrap_mechanic;
#[cfg(feature = "roblox")]
pub mod survive;
#[cfg(test)]
#[path = "../../../src/test.rs"]
mod test;
mod zstd;

// for the helpers of the tests, which both packages have
#[cfg(test)]
use enginewire::{number, wire};

/// The code blocks of the README of this package, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// And those of the repository's.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct OfRepository;

/// And those of the guide to files.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/files.md")]
struct Guide;
