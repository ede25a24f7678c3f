//! Comparisons with the libraries of Rojo, which read and write whole models.
#![cfg(target_pointer_width = "64")] // they build C, which takes a C library of the target's

#[path = "../tested/model.rs"]
mod model;
#[path = "../../../../tests/support/mod.rs"]
mod support;

mod models;
mod tables;
