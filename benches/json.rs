//! The JSON form, written and read: attributes of mixed types as a document of 24 MB, beside `serde_json` with its own tree
//! of the same document.
//!
//! `cargo bench --bench json` prints a table; with `-- --quick` the document is small.

#![allow(
    // whatever goes wrong here, a benchmark may stop
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    // it prints a table, of numbers that are to be read, not reckoned with
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    // of the workloads, not all are used
    dead_code
)]

mod measure;
#[path = "workloads/attributes.rs"]
mod workloads;

use std::hint::black_box;

use enginewire::json;
use enginewire::roblox::attributes::{decode, Attributes};
use measure::{digits, grouped, print_table, time_text, Contest, Cost, Effort};
use workloads::mixed;

/// Ten entries are 920 bytes of JSON.
const TENS: usize = 26_000;

fn main() {
    let effort = Effort::from_arguments();
    let bytes = mixed(if effort.quick { 100 } else { TENS });
    let attributes = decode(&bytes).unwrap();
    let text = json::to_string(&attributes).unwrap();
    println!("{} entries, {} bytes of JSON\n", grouped(attributes.len() as u64), grouped(text.len() as u64));
    let tree: serde_json::Value = serde_json::from_str(&text).unwrap();

    let mut writing = Contest::new(effort, "JSON, mixed attributes: write");
    writing.enter("serde_json, its tree", || {
        black_box(serde_json::to_string(black_box(&tree)).unwrap());
        text.len()
    });
    writing.enter("to_string", || black_box(json::to_string(black_box(&attributes)).unwrap()).len());
    print_costs("write", text.len(), &writing.run(text.len()));

    let mut reading = Contest::new(effort, "JSON, mixed attributes: read");
    reading.enter("serde_json, its tree", || {
        black_box(serde_json::from_str::<serde_json::Value>(black_box(&text)).unwrap());
        attributes.len()
    });
    reading.enter("from_slice", || {
        black_box(json::from_slice::<Attributes<'_>>(black_box(text.as_bytes())).unwrap()).len()
    });
    print_costs("read", text.len(), &reading.run(attributes.len()));
}

fn print_costs(work: &str, size: usize, costs: &[Cost]) {
    let row = |cost: &Cost| {
        [
            cost.name.to_owned(),
            time_text(cost.nanoseconds),
            format!("{} MB/s", digits(size as f64 / cost.nanoseconds * 1e3)),
            grouped(cost.allocations),
            grouped(cost.peak_bytes),
        ]
    };
    let rows: Vec<_> = costs.iter().map(row).collect();
    print_table([work, "time", "of JSON", "allocations", "peak bytes"], &rows);
}
