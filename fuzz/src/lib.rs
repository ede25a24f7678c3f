//! Fuzz targets for the properties of `tests/support`: one target for each property, one format at a time.
//!
//! The variable `FORMAT` names the format; without it, every format gets every input.
#![allow(clippy::all)] // of the package's tests, which its own lints look at

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "../../crates/files/tests/tested/mod.rs"]
mod tested;

use std::sync::OnceLock;

use support::codec::{Format, FORMATS};
use support::random::Random;
use tested::containers::{AnyContainer, CONTAINERS};

/// The formats to be tried.
fn formats() -> &'static [&'static Format] {
    static CHOSEN: OnceLock<Vec<&'static Format>> = OnceLock::new();
    CHOSEN.get_or_init(|| match std::env::var("FORMAT") {
        Ok(name) => vec![Format::by_name(&name).unwrap_or_else(|| panic!("there is no format {name}"))],
        Err(_) => FORMATS.iter().collect(),
    })
}

/// Panics if a property does not hold.
pub fn hold(property: &str, bytes: &[u8]) {
    formats().iter().for_each(|format| format.hold(property, bytes));
}

/// Every second time a change that keeps the layout, otherwise one of libFuzzer's own.
pub fn mutate(bytes: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(seed.into());
    if random.below(2) == 0 {
        if let Some(format) = random.choose(formats()) {
            let changed = (format.mutate)(&bytes[..size], &mut random);
            if changed.len() <= max_size.min(bytes.len()) {
                bytes[..changed.len()].copy_from_slice(&changed);
                return changed.len();
            }
        }
    }
    libfuzzer_sys::fuzzer_mutate(bytes, size, max_size)
}

/// A fuzz target for the property of this name.
#[macro_export]
macro_rules! target {
    ($property:ident) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::hold(stringify!($property), bytes));

        libfuzzer_sys::fuzz_mutator!(|bytes: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutate(bytes, size, max_size, seed)
        });
    };
}

/// The containers to be tried.
fn containers() -> &'static [&'static AnyContainer] {
    static CHOSEN: OnceLock<Vec<&'static AnyContainer>> = OnceLock::new();
    CHOSEN.get_or_init(|| match std::env::var("FORMAT") {
        Ok(name) => vec![AnyContainer::by_name(&name).unwrap_or_else(|| panic!("there is no container {name}"))],
        Err(_) => CONTAINERS.iter().collect(),
    })
}

/// Panics if a property of a container does not hold.
pub fn hold_container(property: &str, bytes: &[u8]) {
    containers().iter().for_each(|container| container.hold(property, bytes));
}

/// Panics if a property of addresses does not hold.
pub fn hold_addresses(entropy: &[u8]) {
    tested::addresses::hold(entropy);
}

/// Every second time a change that keeps most of a container, otherwise one of libFuzzer's own.
pub fn mutate_container(bytes: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(seed.into());
    if random.below(2) == 0 {
        if let Some(container) = random.choose(containers()) {
            let changed = (container.mutate)(&bytes[..size], &mut random);
            if changed.len() <= max_size.min(bytes.len()) {
                bytes[..changed.len()].copy_from_slice(&changed);
                return changed.len();
            }
        }
    }
    libfuzzer_sys::fuzzer_mutate(bytes, size, max_size)
}

/// A fuzz target for the container property of this name. The input of `generated` is not a file: it decides which file is
/// generated.
#[macro_export]
macro_rules! container {
    (generated) => {
        libfuzzer_sys::fuzz_target!(|entropy: &[u8]| $crate::hold_container("generated", entropy));
    };
    ($property:ident) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::hold_container(stringify!($property), bytes));

        libfuzzer_sys::fuzz_mutator!(|bytes: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutate_container(bytes, size, max_size, seed)
        });
    };
}
