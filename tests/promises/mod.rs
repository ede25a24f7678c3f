//! The promises of the crate, one file for each promise.

mod depth;
mod edits;
mod errors;
mod hostile;
mod json_form;
mod memory;
mod notation;
mod notes;
mod plain_form;
mod properties;
mod roundtrip;
mod streaming;
mod truncation;
