//! The same data through enginewire and through serialization formats of Rust: 10,000 attributes, and a nested value of Godot.
//!
//! `cargo run --release` prints tables; with `-- --quick` it only shows that everything runs. Every reader borrows text from its
//! input, and checks it. rkyv builds no values: it checks that its bytes are some.

mod attributes;
mod godot;
#[allow(dead_code)] // of it, not everything is used
#[path = "../../measure/mod.rs"]
mod measure;

use std::hint::black_box;

use measure::{digits, grouped, print_table, time_text, Contest, Effort};
use serde::{Deserialize, Serialize};

fn main() {
    let effort = Effort::from_arguments();
    attributes::compare(effort);
    godot::compare(effort);
}

/// A type of data that borrows its texts.
trait Data {
    type Of<'a>: Serialize + Deserialize<'a>;

    /// The number of entries.
    fn count(data: &Self::Of<'_>) -> usize;
}

/// The ways to write and to read the same data, and how many bytes each makes of it.
struct Comparison<'c> {
    name: &'static str,
    /// The number of values.
    values: usize,
    write: Contest<'c>,
    read: Contest<'c>,
    sizes: Vec<usize>,
}

impl<'c> Comparison<'c> {
    fn new(effort: Effort, name: &'static str, values: usize) -> Self {
        let [write, read] = ["write", "read"].map(|what| Contest::new(effort, format!("{name}, peers: {what}")));
        Comparison { name, values, write, read, sizes: Vec::new() }
    }

    /// Enters a way. `write` gives bytes; `read` gets the same, and gives the number of entries.
    fn enter<B: AsRef<[u8]> + 'c>(
        &mut self,
        name: &'static str,
        count: usize,
        write: impl Fn() -> B + 'c,
        read: impl Fn(&B) -> usize + 'c,
    ) {
        let bytes = write();
        self.sizes.push(bytes.as_ref().len());
        self.write.enter(name, move || {
            black_box(write());
            count
        });
        self.read.enter(name, move || read(black_box(&bytes)));
    }

    /// Enters the ways that need no more than serde.
    fn enter_serde<D: Data>(&mut self, data: &'c D::Of<'c>) {
        let count = D::count(data);
        self.enter(
            "bitcode, serde",
            count,
            || bitcode::serialize(black_box(data)).unwrap(),
            |bytes| D::count(&bitcode::deserialize(bytes).unwrap()),
        );
        self.enter(
            "postcard",
            count,
            || postcard::to_stdvec(black_box(data)).unwrap(),
            |bytes| D::count(&postcard::from_bytes(bytes).unwrap()),
        );
        self.enter(
            "rmp-serde",
            count,
            || rmp_serde::to_vec(black_box(data)).unwrap(),
            |bytes| D::count(&rmp_serde::from_slice(bytes).unwrap()),
        );
        self.enter(
            "simd-json",
            count,
            || simd_json::to_vec(black_box(data)).unwrap(),
            // it changes its input, so that each time needs a copy
            |bytes| D::count(&simd_json::from_slice(&mut bytes.clone()).unwrap()),
        );
    }

    /// Measures all, and prints a table.
    fn print(self, count: usize) {
        let Comparison { name, values, write, read, sizes } = self;
        println!("{name}, {} values\n", grouped(values as u64));
        let rows: Vec<_> = write
            .run(count)
            .iter()
            .zip(read.run(count))
            .zip(sizes)
            .map(|((write, read), size)| {
                let each = |nanoseconds: f64| digits(nanoseconds / values as f64);
                let speed = |nanoseconds: f64| digits(size as f64 / nanoseconds);
                [
                    write.name.to_owned(),
                    grouped(size as u64),
                    time_text(write.nanoseconds),
                    each(write.nanoseconds),
                    speed(write.nanoseconds),
                    time_text(read.nanoseconds),
                    each(read.nanoseconds),
                    speed(read.nanoseconds),
                ]
            })
            .collect();
        print_table(["", "bytes", "write", "ns a value", "GB/s", "read", "ns a value", "GB/s"], &rows);
    }
}
