//! The program where something fails: signals, full disks, other writers, closed pipes, terminals, and files that are not
//! what they seem.
//!
//! No assertion depends on a duration. If a test acts at a random moment, every outcome that this can have must be
//! right.

#![cfg(unix)]

mod kills;
mod memory;
mod outputs;
mod streams;
mod support;
mod terminals;
mod writers;
mod writing;
