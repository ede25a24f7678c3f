//! The parsers and generators that structures are written with, side by side.

pub(crate) mod bytes;
pub(crate) mod encode;
pub(crate) mod field;
pub(crate) mod length_delimited;
pub(crate) mod list;
pub(crate) mod nest;
pub(crate) mod number;
pub(crate) mod recursion;
pub(crate) mod repeat;
pub(crate) mod switch;
pub(crate) mod table;
pub(crate) mod varint;
pub(crate) mod verify;
