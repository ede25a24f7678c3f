//! Formats of Roblox.

pub mod attributes;
pub mod datatypes;
pub mod remote;
