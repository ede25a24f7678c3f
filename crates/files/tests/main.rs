//! The tests of the files, in one program: a module for each subject, so that `cargo test model::` runs one.

#[path = "../../../tests/support/mod.rs"]
mod support;
mod tested;

mod containers;
mod corpus;
#[cfg(target_pointer_width = "64")] // saves take SQLite, which is C
mod examples;
mod godot_engine;
mod godot_files;
mod hostile_containers;
mod large_models;
mod model;
#[cfg(target_pointer_width = "64")]
mod saves_and_blueprints;
