//! The program, run as its users run it: a module for each subject, so that `cargo test cli::` runs one.
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

#[path = "../../../tests/support/drawn.rs"]
mod drawn;
#[path = "../../../tests/support/root.rs"]
mod root;
#[path = "../../../tests/support/unprintable.rs"]
mod unprintable;

mod cli;
mod faults;
mod output;
mod pictures;

use root::root;
