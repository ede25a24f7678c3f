//! The tests of the files, in one program: a module for each subject, so that `cargo test model::` runs one.

#[path = "../../../tests/support/mod.rs"]
mod support;
mod tested;

mod containers;
mod corpus;
mod examples;
mod godot_engine;
mod godot_files;
mod hostile_containers;
mod large_models;
mod model;
mod saves_and_blueprints;
