//! What the combinators promise to those who build with them. Apart from the other promises, because every way to run a
//! parser is compiled here.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects
)] // a test that fails may as well panic

mod larger_parsers;
mod own_format;
mod runs;
mod stack;
