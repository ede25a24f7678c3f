//! The tests of the values, in one program: a module for each subject, so that `cargo test promises::` runs one.

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
mod vocabulary;

use support::root;
