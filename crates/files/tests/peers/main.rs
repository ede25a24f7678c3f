//! Comparisons with the libraries of Rojo, which read and write whole models.
#![cfg(target_pointer_width = "64")] // they build C, which takes a C library of the target's
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

#[path = "../tested/model.rs"]
mod model;
#[path = "../../../../tests/support/mod.rs"]
mod support;

mod models;
mod tables;
