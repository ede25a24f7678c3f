#![no_main]
#[path = "../../crates/files/tests/tested/model.rs"]
mod model;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| model::hold(bytes));
