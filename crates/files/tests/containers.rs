//! The promises of containers: model files, saves, blueprints, settings, frames, dumps.
//!
//! - *Bounded memory*: reading takes no more than the memory limit and a constant. For containers without a limit, it takes no
//!   more than a fixed number of bytes for each byte of the file.
//! - *Bounded time*: steps are counted instead of measuring time: allocations, bytes that are allocated, bytes that are read.
//!   Their number is bounded for each byte of the file and of the limit. A file with ten times as many items takes about ten
//!   times as many steps.
//! - *An edit changes what it names and nothing else*, and what is changed reads back.
//! - *An edit that fails returns no file.*
//!
//! [`tested/containers/mod.rs`](tested/containers/mod.rs) has the properties; the fuzz targets run the same.

use std::path::Path;

use enginewire::formats::FormatOptions;
use enginewire::godot::Framing;
use enginewire_files::containers::{Container, ContainerKind, FileSource, ValueChange};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::every;
use crate::support::random::Random;
use crate::tested::containers::CONTAINERS;
use crate::tested::containers::{cost, fixtures, Cost, CONSTANT};

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn any_file(entropy in vec(any::<u8>(), 0..1500)) {
        CONTAINERS.iter().for_each(|container| container.hold("generated", &entropy));
    }

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..64)) {
        CONTAINERS.iter().for_each(|container| container.hold_all(&bytes));
    }

    #[test]
    fn nearly_right_files(entropy in vec(any::<u8>(), 0..1500), seed in any::<u64>(), changes in 1..6) {
        let mut random = Random::new(seed);
        for container in CONTAINERS {
            let changed = |file: Vec<u8>, _| (container.mutate)(&file, &mut random);
            container.hold_all(&(0..changes).fold((container.sample)(&entropy), changed));
        }
    }

    #[test]
    fn files_that_are_cut(entropy in vec(any::<u8>(), 0..1500), seed in any::<u64>()) {
        let mut random = Random::new(seed);
        for container in CONTAINERS {
            let file = (container.sample)(&entropy);
            container.hold_all(&file[..random.below(file.len() + 1)]);
        }
    }
}

#[test]
fn hostile_files() {
    for container in CONTAINERS {
        for (name, file) in (container.hostile)().into_iter().step_by(every(3)) {
            println!("{}: {name}", container.name);
            container.hold_all(&file);
        }
    }
}

/// Inputs that the fuzz targets found.
#[test]
fn files_that_broke_a_promise_once() {
    let crashes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crashes");
    let mut count = 0;
    for container in CONTAINERS {
        for file in std::fs::read_dir(crashes.join(container.name)).into_iter().flatten() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "bin") {
                container.hold_all(&std::fs::read(path).unwrap());
                count += 1;
            }
        }
    }
    assert_ne!(count, 0);
}

#[cfg(target_pointer_width = "64")] // saves are none of them elsewhere
#[test]
fn the_fuzz_targets_try_every_container() {
    let run = std::fs::read_to_string(crate::support::root().join("fuzz/run")).unwrap();
    let tried = run.lines().find_map(|line| line.strip_prefix("containers=")).unwrap().trim_matches('"');
    let mut names = CONTAINERS.iter().map(|container| container.name).collect::<Vec<_>>();
    let mut tried = tried.split(' ').collect::<Vec<_>>();
    names.sort_unstable();
    tried.sort_unstable();
    assert_eq!(tried, names);
}

#[test]
fn files_in_the_fixtures_with_changes() {
    for container in CONTAINERS {
        let mut random = Random::new(3);
        for file in fixtures(container.name) {
            container.hold_all(&file);
            // the large ones take longer than they are worth
            for _ in 0..20_000 / file.len().max(1000) {
                container.hold_all(&(container.mutate)(&file, &mut random));
            }
        }
    }
}

/// The containers that are chosen at run time.
const NAMES: [&str; 8] = ["project-3", "frames", "dump", "dump-hex", "blueprint", "save", "model", "model-xml"];

fn kind_of(name: &str, file: &[u8]) -> ContainerKind {
    match name {
        "frames" => ContainerKind::Frames(Framing::LittleEndian),
        "dump" => ContainerKind::Packets,
        "dump-hex" => ContainerKind::PacketLines,
        _ => ContainerKind::detect(file).unwrap(),
    }
}

/// Containers that are chosen at run time: every value that is listed can be changed, and no other changes with it.
#[test]
fn containers_that_are_chosen_at_run_time() {
    let options = FormatOptions::new();
    // saves take C, which is not built for 32 bits
    let are_built = |name: &&str| CONTAINERS.iter().any(|container| container.name == *name);
    for name in NAMES.into_iter().filter(are_built) {
        let mut changes = 0;
        for file in fixtures(name) {
            let kind = kind_of(name, &file);
            let open = |file: Vec<u8>| kind.open(FileSource::Bytes(file), None, &options).unwrap();
            let list = |container: &dyn Container| {
                let values = container.list().unwrap().into_iter();
                values.map(|value| (value.address, value.formats, value.bytes.ok())).collect::<Vec<_>>()
            };
            let container = open(file.clone());
            let before = list(&*container);
            // some containers are not changed where a part of them is broken
            let is_broken = before.iter().any(|(_, _, bytes)| bytes.is_none());
            if name != "save" && !is_broken {
                assert_eq!(container.changed(&[]).unwrap(), file, "{name}");
            }
            for (number, (address, formats, _)) in before.iter().enumerate().take(20) {
                let other: &[u8] = match formats.first() {
                    Some(&"roblox-attributes") => b"\x01\0\0\0\x01\0\0\0a\x03\x01",
                    Some(&"roblox-remote") => b"\x83\0",
                    Some(&"scrap-mechanic-lua") => b"LUA\0\0\0\x01\x01",
                    Some(_) => b"\0\0\0\0",
                    None => continue,
                };
                let changed = match container.changed(&[ValueChange::Replace { address, bytes: other }]) {
                    Ok(changed) => changed,
                    Err(error) => {
                        assert!(is_broken, "{name}: {error}");
                        continue;
                    }
                };
                let after = list(&*open(changed));
                assert_eq!(after.len(), before.len(), "{name} {address}");
                for (index, (before, after)) in before.iter().zip(&after).enumerate() {
                    let expected = if index == number { Some(other) } else { before.2.as_deref() };
                    assert_eq!(after.2.as_deref(), expected, "{name}: {address} was changed, and {}", before.0);
                }
                changes += 1;
            }
        }
        assert!(changes > 0, "{name} has no values to change");
    }
}

/// Many generated files can be read: else they would show nothing. Saves of SQLite have the most ways not to be one.
#[test]
fn most_generated_files_are_good() {
    for container in CONTAINERS {
        let good = (0..40).filter(|seed| {
            let mut random = Random::new(*seed);
            let entropy: Vec<u8> = (0..1000).map(|_| random.next() as u8).collect();
            (container.is_good)(&(container.sample)(&entropy))
        });
        let good = good.count();
        assert!(good >= 10, "{}: only {good} of 40 are good", container.name);
    }
}

/// Ten times as many things cost ten times as much.
#[test]
fn ten_times_as_much_costs_ten_times_as_much() {
    for container in CONTAINERS {
        for shape in (container.shapes)() {
            let [few, many] = [1, 10].map(|times| {
                let file = (shape.made)(shape.few / 4 * times);
                let read = cost(|| (container.read)(&file, 256 << 20));
                let edit = cost(|| (container.edit)(&file, 0, b"other", 256 << 20).map_or(0, |_| 1));
                let all =
                    cost(|| (container.edit_all)(&file, b"other", 256 << 20).map_or(0, |file| file.is_ok().into()));
                [read, edit, all]
            });
            for (what, (few, many)) in ["read", "edit one", "edit all"].iter().zip(few.iter().zip(&many)) {
                let Cost { peak, steps } = few;
                println!(
                    "{}, {}, {what}: {peak} {steps}, then {} {}",
                    container.name, shape.name, many.peak, many.steps
                );
                // a list that grows by doubling may have twice the capacity that it needs; a quadratic algorithm would take 100
                // times as much
                assert!(many.peak <= 20 * peak + CONSTANT as u64, "{}: {what} {}", container.name, shape.name);
                assert!(many.steps <= 20 * steps + CONSTANT as u64, "{}: {what} {}", container.name, shape.name);
            }
        }
    }
}
