//! Work in progress.
pub mod error;
#[cfg(feature = "json")]
pub mod json;
mod limits;
pub mod roblox;
pub mod wire;

pub use error::{DecodeError, EncodeError, EncodeFault, Fault, Path, Segment};
pub use limits::Limits;
