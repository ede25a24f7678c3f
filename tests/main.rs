//! The tests of the values, in one program: a module for each subject, so that `cargo test promises::` runs one.
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

#[path = "support/drawn.rs"]
mod drawn;
mod support;

mod conversions;
mod differential;
mod doors;
mod examples;
mod pictures;
mod promises;
mod rojo;
mod rooms;
mod specification;
mod typed;
mod typescript;
mod vocabulary;

use support::root;
