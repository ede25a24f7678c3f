//! The program on one large file: attributes of mixed types, 9.8 MB.
//!
//! `cargo bench --bench program` prints a table; with `-- --quick` the file is small. The output of the
//! program is thrown away.

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

#[path = "../../../benches/measure/mod.rs"]
mod measure;
#[path = "../../../benches/workloads/attributes.rs"]
mod workloads;

use std::path::Path;
use std::process::{Command, Stdio};

use measure::{digits, grouped, print_table, time_text, Contest, Cost, Effort};
use workloads::mixed;

fn main() {
    let effort = Effort::from_arguments();
    let bytes = mixed(if effort.quick { 100 } else { 32_000 });
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program-bench.bin");
    std::fs::write(&file, &bytes).unwrap();
    println!("attributes of mixed types: {} bytes\n", grouped(bytes.len() as u64));
    let mut contest = Contest::new(effort, "program, attributes of 9.8 MB");
    for verb in ["check", "decode", "get", "inspect"] {
        let file = &file;
        contest.enter(verb, move || {
            let mut program = Command::new(env!("CARGO_BIN_EXE_enginewire"));
            let program = program.args([verb, "-f", "roblox-attributes", "--max-memory", "4G"]).arg(file);
            usize::from(program.stdout(Stdio::null()).status().unwrap().success())
        });
    }
    let row = |cost: &Cost| {
        let speed = format!("{} MB/s", digits(bytes.len() as f64 / cost.nanoseconds * 1e3));
        [cost.name.to_owned(), time_text(cost.nanoseconds), speed]
    };
    let rows: Vec<_> = contest.run(1).iter().map(row).collect();
    print_table(["verb", "time", "of input"], &rows);
    std::fs::remove_file(&file).unwrap();
}
