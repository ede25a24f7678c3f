//! Rust types through serde: a message of Godot and the attributes of a player, each into and out of a structure of ten
//! fields. Beside it stand decoding and encoding the value without serde, and `serde_json` with the same structure in its
//! plain form.
//!
//! `cargo bench --bench typed` prints tables; with `-- --quick` it only shows that everything runs.

#![allow(
    // whatever goes wrong here, a benchmark may stop
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    // it prints tables, of numbers that are to be read, not reckoned with
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    // of the workloads, not all are used
    dead_code
)]

mod measure;
#[path = "workloads/typed.rs"]
mod structures;
#[path = "workloads/godot.rs"]
mod workloads;

use std::hint::black_box;

use enginewire::godot::{self, v4, Version};
use enginewire::roblox::attributes;
use measure::{grouped, print_table, time_text, Contest, Cost, Effort};
use structures::{player, Message, Player};

fn main() {
    let effort = Effort::from_arguments();
    let bytes = v4::encode(&workloads::message()).unwrap();
    let message: Message<'_> = godot::from_bytes(Version::V4, &bytes).unwrap();
    let text = serde_json::to_string(&message).unwrap();
    println!("Godot: {} bytes, {} of JSON", grouped(bytes.len() as u64), grouped(text.len() as u64));
    let mut reading = Contest::new(effort, "Typed, Godot: read");
    reading
        .enter("serde_json", || black_box(serde_json::from_str::<Message<'_>>(black_box(&text)).unwrap()).name.len());
    reading.enter("decode, borrowed", || {
        black_box(v4::decode(black_box(&bytes)).unwrap());
        message.name.len()
    });
    reading.enter("from_bytes", || {
        black_box(godot::from_bytes::<Message<'_>>(Version::V4, black_box(&bytes)).unwrap()).name.len()
    });
    reading.enter("decode and from_value", || {
        let value = v4::decode(black_box(&bytes)).unwrap();
        black_box(godot::from_value::<Message<'_>>(value).unwrap()).name.len()
    });
    print_costs("read", &reading.run(message.name.len()));
    let value = v4::decode(&bytes).unwrap();
    let mut writing = Contest::new(effort, "Typed, Godot: write");
    writing.enter("serde_json", || {
        black_box(serde_json::to_string(black_box(&message)).unwrap());
        bytes.len()
    });
    writing.enter("encode", || black_box(v4::encode(black_box(&value)).unwrap()).len());
    writing.enter("to_bytes", || black_box(godot::to_bytes(Version::V4, black_box(&message)).unwrap()).len());
    print_costs("write", &writing.run(bytes.len()));

    let player = player();
    let bytes = attributes::to_bytes(&player).unwrap();
    let text = serde_json::to_string(&player).unwrap();
    println!("attributes: {} bytes, {} of JSON", grouped(bytes.len() as u64), grouped(text.len() as u64));
    let mut reading = Contest::new(effort, "Typed, attributes: read");
    reading.enter("serde_json", || black_box(serde_json::from_str::<Player<'_>>(black_box(&text)).unwrap()).name.len());
    reading.enter("decode, borrowed", || {
        black_box(attributes::decode(black_box(&bytes)).unwrap());
        player.name.len()
    });
    reading
        .enter("from_bytes", || black_box(attributes::from_bytes::<Player<'_>>(black_box(&bytes)).unwrap()).name.len());
    print_costs("read", &reading.run(player.name.len()));
    let value = attributes::decode(&bytes).unwrap();
    let mut writing = Contest::new(effort, "Typed, attributes: write");
    writing.enter("serde_json", || {
        black_box(serde_json::to_string(black_box(&player)).unwrap());
        bytes.len()
    });
    writing.enter("encode", || black_box(attributes::encode(black_box(&value)).unwrap()).len());
    writing.enter("to_bytes", || black_box(attributes::to_bytes(black_box(&player)).unwrap()).len());
    print_costs("write", &writing.run(bytes.len()));
}

fn print_costs(work: &str, costs: &[Cost]) {
    let row = |cost: &Cost| {
        [cost.name.to_owned(), time_text(cost.nanoseconds), grouped(cost.allocations), grouped(cost.peak_bytes)]
    };
    let rows: Vec<_> = costs.iter().map(row).collect();
    print_table([work, "time", "allocations", "peak bytes"], &rows);
}
