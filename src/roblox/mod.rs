//! Formats of Roblox.

pub mod attributes;
pub mod datatypes;
#[cfg(feature = "notation")]
mod luau;
#[cfg(feature = "model")]
#[cfg_attr(docsrs, doc(cfg(feature = "model")))]
pub mod model;
pub mod remote;
