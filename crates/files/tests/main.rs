//! The tests of the files, in one program: a module for each subject, so that `cargo test model::` runs one.
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

#[path = "../../../tests/support/mod.rs"]
mod support;
mod tested;

mod addresses;
mod containers;
mod corpus;
#[cfg(target_pointer_width = "64")] // saves take SQLite, which is C
mod examples;
mod godot_engine;
mod godot_files;
mod godot_written;
mod hostile_containers;
mod large_models;
mod model;
#[cfg(target_pointer_width = "64")]
mod saves_and_blueprints;
mod survive;
