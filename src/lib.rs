//! Work in progress.
pub mod error;
mod limits;
pub mod roblox;
pub mod wire;
#[cfg(feature = "json")]
pub mod json;

pub use error::{DecodeError, EncodeError, EncodeFault, Fault, Path, Segment};
pub use limits::Limits;
