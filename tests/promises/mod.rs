//! The promises of the crate, one file for each promise.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::print_stdout
)] // a test that fails may as well panic

mod depth;
mod errors;
mod hostile;
mod json_form;
mod memory;
mod notation;
mod notes;
mod plain_form;
mod properties;
mod roundtrip;
mod streaming;
mod truncation;
