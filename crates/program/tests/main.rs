//! The program, run as its users run it: a module for each subject, so that `cargo test cli::` runs one.

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
