//! The files that hold values of [`enginewire`]: models and places of Roblox, saves and blueprints of Scrap Mechanic, settings, packs,
//! scenes and scripts of Godot, through their compression and encryption.
//!
//! | module | |
//! |---|---|
//! | [`containers`] | any of these files: detect, open, list its values, change them |
//! | [`guess`](mod@guess) | the kind of a file, and the values in it |
//! | `roblox`, `godot`, `scrap_mechanic` | the files of one game each |
//! | `scan` | the attributes of many models as rows |
//!
//! # Features
//!
//! | feature | |
//! |---|---|
//! | `roblox`, `godot`, `scrap_mechanic` | the files of one game each; on by default |
//! | `saves` | saves of Scrap Mechanic, with a bundled SQLite: needs a C compiler |
//! | `scan` | the attributes of many model and place files as rows |
#![cfg_attr(docsrs, feature(doc_cfg))]
// code that only other games need
#![cfg_attr(
    not(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic")),
    allow(dead_code, unreachable_code, unused_imports, unused_macros, unused_variables)
)]

pub mod containers;
#[cfg(feature = "godot")]
pub mod godot;
pub mod guess;
#[cfg(feature = "roblox")]
pub mod roblox;
#[cfg(feature = "scan")]
pub mod scan;
#[cfg(feature = "scrap_mechanic")]
pub mod scrap_mechanic;
#[cfg(test)]
#[path = "../../../src/test.rs"]
mod test;
mod zstd;

// for the helpers of the tests, which both packages have
#[cfg(test)]
use enginewire::{number, wire};
