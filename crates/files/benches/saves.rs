//! Saves of Scrap Mechanic: one of 500 rows is opened, and every row decoded.
//!
//! `cargo bench --bench saves` prints a table; with `-- --quick` it only shows that everything runs.

#![allow(
    // whatever goes wrong here, a benchmark may stop
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    // it prints a table, of numbers that are to be read, not reckoned with
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::cast_possible_truncation
)]

#[allow(dead_code)] // no benchmark needs all of it
#[path = "../../../benches/measure/mod.rs"]
mod measure;

use std::hint::black_box;
use std::path::{Path, PathBuf};

use enginewire_files::scrap_mechanic::save::Save;
use measure::{digits, grouped, print_table, time_text, Contest, Effort};

const ROWS: usize = 500;

fn main() {
    let file = large_save();
    let mut contest = Contest::new(Effort::from_arguments(), "save, 500 rows: decode");
    contest.enter("open, and decode every row", || readable(&file));
    let readable = readable(&file);
    assert!(readable * 100 > ROWS * 95, "{readable} of {ROWS} rows can be read");
    let rows: Vec<_> = contest
        .run(readable)
        .iter()
        .map(|cost| {
            [
                cost.name.to_owned(),
                time_text(cost.nanoseconds),
                format!("{} ns", digits(cost.nanoseconds / ROWS as f64)),
                grouped(cost.allocations),
                grouped(cost.peak_bytes),
            ]
        })
        .collect();
    print_table(["save of 500 rows", "time", "for each row", "allocations", "peak bytes"], &rows);
}

/// The number of rows that can be read.
fn readable(file: &Path) -> usize {
    let save = Save::open(black_box(file)).unwrap();
    let rows = save.rows().unwrap();
    rows.filter(|row| black_box(row.as_ref().unwrap().decode()).is_ok()).count()
}

/// A save of the repository, with its first row so often that it has as many as that.
fn large_save() -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large-save.db");
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/scrap-mechanic-lua/save-v24.db");
    std::fs::copy(fixture, &file).unwrap();
    let database = rusqlite::Connection::open(&file).unwrap();
    let count = "SELECT (SELECT count(*) FROM ScriptData) + (SELECT count(*) FROM GenericData)";
    let rows: u32 = database.query_row(count, [], |row| row.get(0)).unwrap();
    let rows = rows as usize;
    let more = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
        INSERT INTO ScriptData SELECT 1000000 + n.i, channel, worldId, flags, data
        FROM n, (SELECT * FROM ScriptData ORDER BY rowid LIMIT 1)";
    assert_eq!(database.execute(more, [(ROWS - rows) as i64]).unwrap(), ROWS - rows);
    file
}
