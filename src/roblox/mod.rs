//! Formats of Roblox.

#[doc(alias = "AttributesSerialize")]
pub mod attributes;
pub mod datatypes;
#[cfg(feature = "json")]
mod luau;
#[cfg(feature = "files")]
pub mod model;
#[doc(alias = "RemoteEvent")]
#[doc(alias = "RemoteFunction")]
pub mod remote;
