//! Hostile files: every call of the library gets by with 256 MiB.

use std::fs;
use std::io::Cursor;

use allocation_counter::measure;
use enginewire::roblox::attributes;
use enginewire_files::roblox::model::{edit, list, list_bytes, Change, Kind, Listing, Options, Store};

/// The limit unless another is set.
const LIMIT: u64 = 256 << 20;

/// The memory that a call of the library may take beyond the limit, in bytes.
const CONSTANT: u64 = 1 << 20;

/// Does some work. It may hold no more than the limit and [`CONSTANT`] at once, and allocate no more than 16 times the
/// limit in all.
fn bounded<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let mut result = None;
    let measured = measure(|| result = Some(work()));
    let peak = measured.bytes_max;
    assert!(peak <= LIMIT + CONSTANT, "{what} takes {peak} bytes");
    let steps = measured.bytes_total + measured.count_total;
    assert!(steps <= 16 * LIMIT, "{what} takes {steps} steps");
    result.unwrap()
}

/// Everything that can be asked of a listing, within what the listing left of the limit.
fn asked(name: &str, listing: &Listing) {
    let count = listing.properties().len();
    bounded(&format!("asking for all that {name} has"), || {
        for index in (0..count).filter(|index| *index < 500 || index + 500 > count) {
            let property = listing.property_at(index).unwrap();
            let _ = listing.path(property.instance).len();
            let _ = property.decode(&attributes::Options::new());
            let _ = property.tags().count();
            let _ = listing.property(property.instance, property.kind);
        }
        for path in ["#0", "#1", "a", "a.a", "", "."] {
            let _ = listing.find(path.into()).count();
        }
    });
}

#[test]
fn the_library_keeps_to_its_limit() {
    for path in crate::tested::hostile::files("hostile/models").into_iter().step_by(crate::support::every(3)) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = fs::read(&path).unwrap();
        // those with millions of things are left to crates/program/tests/hostile.rs, which the gate runs with an optimised program
        if cfg!(debug_assertions) && ["deep2m", "props2m"].iter().any(|large| name.starts_with(large)) {
            continue;
        }
        println!("{name}");
        for all in [false, true] {
            let options = Options::new().empty(all).all_instances(all);
            let listing = bounded(&format!("list of {name}"), || list(Cursor::new(&file), &options));
            drop(listing);
            let Ok(listing) = bounded(&format!("list_bytes of {name}"), || list_bytes(&file, &options)) else {
                continue;
            };
            asked(&name, &listing);
            let new = b"\x01\0\0\0\x02\0\0\0On\x03\0";
            let first = listing.property_at(0).map(|property| Change::of(&property, new));
            let instance = listing.instance(0).map(|instance| Change::of_instance(&instance, Kind::Tags, b"new"));
            drop(listing);
            for change in first.into_iter().chain(instance) {
                let edited = bounded(&format!("edit of {name}"), || edit(&file, &[change], Store::AsBefore, &options));
                println!("  edit: {:?}", edited.map(|file| file.len()));
            }
        }
    }
}
