//! Files of Roblox that hold values.

mod dump;
pub mod model;

pub use dump::Dump;
