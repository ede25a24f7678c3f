//! Workloads whose instructions are counted, each in a process of its own: see `benches/README.md`.
//!
//! `instructions --list` gives their names; `instructions NAME` does that work once to warm up, and once more within
//! [`counted`], which `benches/instructions/run` counts. Without a name it does them all, which only shows that they run.
//! `instructions --input FOLDER` writes files for the program, whose verbs are counted from start to end.

#![allow(
    // whatever goes wrong here, a benchmark may stop
    clippy::unwrap_used,
    clippy::panic,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    // of the values, not all are used
    dead_code
)]

#[path = "../workloads/attributes.rs"]
mod attributes;
#[path = "../workloads/godot.rs"]
mod godot;
#[path = "../workloads/lua_object.rs"]
mod lua_object;
#[path = "../workloads/model.rs"]
mod model;
#[path = "../workloads/remote.rs"]
mod remote;
#[path = "../workloads/typed.rs"]
mod typed;
mod workloads;

/// Work that can be done any number of times.
type Work = Box<dyn FnMut()>;

/// Prepares work.
type Prepare = Box<dyn FnOnce() -> Work>;

/// The work that is counted. Counting begins and ends with this function, so nothing else has its name.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

fn main() {
    let workloads = workloads::all().0;
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--b")).collect();
    match arguments.first().map(String::as_str) {
        Some("--list") => workloads.iter().for_each(|(name, _)| println!("{name}")),
        Some("--input") => {
            let folder = std::path::Path::new(&arguments[1]);
            workloads::program_inputs()
                .iter()
                .for_each(|(name, file)| std::fs::write(folder.join(name), file).unwrap());
        }
        Some(name) if !name.starts_with("--") => {
            let found = workloads.into_iter().find(|workload| workload.0 == name);
            let (_, prepare) = found.unwrap_or_else(|| panic!("there is no workload {name}"));
            let mut work = prepare();
            work();
            counted(&mut work);
        }
        _ => workloads.into_iter().for_each(|(_, prepare)| counted(&mut prepare())),
    }
}
