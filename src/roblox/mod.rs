//! Formats of Roblox.

#[doc(alias = "AttributesSerialize")]
pub mod attributes;
pub mod datatypes;
#[cfg(feature = "text")]
mod luau;
#[doc(alias = "RemoteEvent")]
#[doc(alias = "RemoteFunction")]
pub mod remote;
mod tags;

pub use tags::{TagError, Tags};
