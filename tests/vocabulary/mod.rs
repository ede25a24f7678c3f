//! The promises of the combinators to parsers that are built with them. They are separate from the other promises,
//! because this test compiles every way to run a parser.
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
