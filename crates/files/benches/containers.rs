//! Containers of any size: models, saves, blueprints, settings, frames and dumps of a few things, of ten times and of a hundred
//! times as many. If time and memory are in proportion to the size, every row has the same figures for each thing.
//!
//! `cargo bench --bench containers`; with `-- --quick` there is one size, and with a name, as
//! `-- model`, only the containers whose names have it in them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::print_stdout
)] // a benchmark may panic, and prints what it finds

#[allow(dead_code)] // no benchmark needs all of it
#[path = "../../../benches/measure/mod.rs"]
mod measure;
#[path = "../../../tests/support/mod.rs"]
mod support;
#[path = "../tests/tested/mod.rs"]
mod tested;

use measure::{digits, grouped, print_table, time_text, Contest, Effort};
use tested::containers::{AnyContainer, CONTAINERS};

/// The memory limit: as much as there is.
const LIMIT: usize = 1 << 30;

fn table(container: &AnyContainer, effort: Effort) {
    let sizes: &[usize] = if effort.quick { &[1] } else { &[1, 10, 100] };
    let mut rows = Vec::new();
    for shape in (container.shapes)() {
        for times in sizes {
            let size = shape.few * times;
            let file = (shape.made)(size);
            let read = || (container.read)(&file, LIMIT) as usize;
            let mut row = vec![shape.name.to_owned(), grouped(size as u64), grouped(file.len() as u64)];
            let mut contest = Contest::new(effort, format!("{}, {}, {size}: read", container.name, shape.name));
            contest.enter("read", read);
            let reading = contest.run(read()).remove(0);
            row.push(time_text(reading.nanoseconds / size as f64));
            row.push(digits(reading.peak_bytes as f64 / size as f64));
            // of every value at once, listing included; a list of resources refuses what other values take
            let edit =
                || (container.edit_all)(&file, b"other", LIMIT).and_then(Result::ok).map_or(0, |file| file.len());
            if edit() == 0 {
                row.extend(["", ""].map(str::to_owned));
            } else {
                let mut contest = Contest::new(effort, format!("{}, {}, {size}: edit", container.name, shape.name));
                contest.enter("edit", edit);
                let editing = contest.run(edit()).remove(0);
                row.push(time_text(editing.nanoseconds / size as f64));
                row.push(digits(editing.peak_bytes as f64 / size as f64));
            }
            rows.push(row.try_into().unwrap_or_else(|_| panic!("a row has seven cells")));
        }
    }
    let heads = ["", "things", "bytes", "read, each", "memory, each", "edit, each", "memory, each"];
    println!("{}", container.name);
    print_table::<7>(heads, &rows);
}

fn main() {
    let effort = Effort::from_arguments();
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    for container in CONTAINERS {
        if wanted.is_empty() || wanted.iter().any(|name| container.name.contains(&name[..])) {
            table(container, effort);
        }
    }
}
