//! Formats of Roblox.

#[doc(alias = "AttributesSerialize")]
pub mod attributes;
pub mod datatypes;
#[cfg(feature = "notation")]
mod luau;
#[cfg(feature = "model")]
#[cfg_attr(docsrs, doc(cfg(feature = "model")))]
pub mod model;
#[doc(alias = "RemoteEvent")]
#[doc(alias = "RemoteFunction")]
pub mod remote;
