//! The program where something fails: signals, full disks, other writers, closed pipes, terminals, and files that are not
//! what they seem.
//!
//! No assertion depends on how long something takes. Where moments are random, whatever they hit has to be right.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::panic)] // tests
#![allow(clippy::print_stdout)] // and say what they skip

mod kills;
mod memory;
mod outputs;
mod streams;
mod support;
mod terminals;
#[path = "../support/unprintable.rs"]
mod unprintable;
mod writers;
mod writing;
