//! The memory that the program takes. A program of its own, because the system counts it for all that a process has started.

#[path = "../../../files/tests/tested/hostile.rs"]
mod hostile_files;

mod hostile;
mod limits;
