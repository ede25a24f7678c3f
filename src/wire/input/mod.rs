//! The inputs of parsers: bytes, bits, and lines of text.

pub(crate) mod bits;
pub(crate) mod frame;
pub(crate) mod lines;
#[cfg(feature = "godot")]
pub(crate) mod order;
pub(crate) mod source;
