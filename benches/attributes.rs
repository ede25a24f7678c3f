//! Roblox attributes against `rbx_types`, and against the least that the work can cost.
//!
//! `cargo bench --bench attributes` prints a table for each workload; with `-- --quick` it only shows that everything
//! runs. Times are medians; allocations and their peak are of one run. Reallocation counts as an allocation.

#![allow(
    // whatever goes wrong here, a benchmark may stop
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    // it prints tables, of numbers that are to be read, not reckoned with
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::cast_possible_truncation
)]

mod hand_written;
mod measure;
#[path = "workloads/attributes.rs"]
mod workloads;

use std::hint::black_box;

use enginewire::roblox::attributes::{check, decode, decode_owned, encode, inspect, Decoder};
use measure::{digits, grouped, print_table, time_text, Contest, Cost, Effort};
use workloads::{mixed, nested_arrays, workloads, Workload};

/// Pieces of a stream, large and as small as can be.
const LARGE_PIECE: usize = 64 * 1024;
const SMALLEST_PIECE: usize = 1;

fn main() {
    let effort = Effort::from_arguments();
    for workload in workloads() {
        let Workload { name, bytes, entries } = &workload;
        println!("{name}: {} bytes, {} entries\n", grouped(bytes.len() as u64), grouped(*entries as u64));
        print_costs("decode", bytes.len(), &decoding(effort, &workload));
        print_costs("encode", bytes.len(), &encoding(effort, &workload));
    }
    linear_in_entries(effort);
    linear_in_one_entry(effort);
}

/// Every way to decode. The result of the work is the number of entries.
fn decoding(effort: Effort, workload: &Workload) -> Vec<Cost> {
    let input = workload.bytes.as_slice();
    let mut contest = Contest::new(effort, format!("attributes, {}: decode", workload.name));
    contest.enter("rbx_types", || {
        let attributes = rbx_types::Attributes::from_reader(black_box(input)).unwrap();
        black_box(&attributes).len()
    });
    contest.enter("by hand, borrowed", || {
        let entries = hand_written::decode(black_box(input)).unwrap();
        black_box(entries.as_slice()).len()
    });
    let mut copy = vec![0; input.len()];
    contest.enter("memcpy", move || {
        copy.copy_from_slice(black_box(input));
        black_box(&mut copy);
        workload.entries
    });
    contest.enter("decode, borrowed", || {
        let attributes = decode(black_box(input)).unwrap();
        black_box(attributes.entries()).len()
    });
    contest.enter("decode, owned", || {
        let attributes = decode(black_box(input)).unwrap().into_owned();
        black_box(attributes.entries()).len()
    });
    let mut bytes = input.to_vec();
    contest.enter("decode, input kept", move || {
        let attributes = decode_owned(black_box(std::mem::take(&mut bytes))).unwrap();
        let count = black_box(attributes.value().entries()).len();
        bytes = attributes.into_bytes();
        count
    });
    contest.enter("check", || check(black_box(input)).unwrap().items.unwrap_or_default() as usize);
    contest.enter("stream, 64 KiB pieces", || stream(black_box(input), LARGE_PIECE));
    contest.enter("stream, 1-byte pieces", || stream(black_box(input), SMALLEST_PIECE));
    // slow beside the others, and no different for the rest
    if workload.name.ends_with("mixed") {
        contest.enter("inspect", || {
            let tree = inspect(black_box(input));
            black_box(&tree).nodes().filter(|node| node.key.is_some()).count()
        });
    }
    contest.run(workload.entries)
}

/// Every way to encode. The result of the work is the number of bytes.
fn encoding(effort: Effort, workload: &Workload) -> Vec<Cost> {
    let input = workload.bytes.as_slice();
    let theirs = rbx_types::Attributes::from_reader(input).unwrap();
    let by_hand = hand_written::decode(input).unwrap();
    let ours = decode(input).unwrap().into_owned();

    let mut written = Vec::new();
    theirs.to_writer(&mut written).unwrap();
    assert!(written == input, "rbx_types writes other bytes");
    assert!(hand_written::encode(&by_hand, input.len()).unwrap() == input, "other bytes by hand");
    assert!(encode(&ours).unwrap() == input, "encode gives other bytes");

    let mut contest = Contest::new(effort, format!("attributes, {}: encode", workload.name));
    let theirs = &theirs;
    contest.enter("rbx_types", move || {
        let mut bytes = Vec::new();
        black_box(theirs).to_writer(&mut bytes).unwrap();
        black_box(&bytes).len()
    });
    // it cannot know how long the output will be: here it gets the length
    contest.enter("rbx_types, size known", move || {
        let mut bytes = Vec::with_capacity(input.len());
        black_box(theirs).to_writer(&mut bytes).unwrap();
        black_box(&bytes).len()
    });
    contest.enter("by hand, size known", move || {
        let bytes = hand_written::encode(black_box(&by_hand), input.len()).unwrap();
        black_box(&bytes).len()
    });
    contest.enter("encode", move || {
        let bytes = encode(black_box(&ours)).unwrap();
        black_box(&bytes).len()
    });
    contest.run(input.len())
}

/// Decodes a stream that comes in pieces and counts its entries.
fn stream(input: &[u8], piece: usize) -> usize {
    let mut decoder = Decoder::new();
    let mut count = 0;
    for bytes in input.chunks(piece) {
        decoder.push(bytes);
        while let Some(entry) = decoder.next() {
            black_box(&entry.unwrap());
            count += 1;
        }
    }
    decoder.finish().unwrap();
    count
}

/// A table of costs; the first is what the others are compared with.
fn print_costs(work: &str, size: usize, costs: &[Cost]) {
    let first = costs.first().map_or(1.0, |cost| cost.nanoseconds);
    let rows: Vec<_> = costs
        .iter()
        .map(|cost| {
            [
                cost.name.to_owned(),
                time_text(cost.nanoseconds),
                digits(size as f64 / cost.nanoseconds),
                grouped(cost.allocations),
                grouped(cost.peak_bytes),
                digits(first / cost.nanoseconds),
            ]
        })
        .collect();
    print_table([work, "time", "GB/s", "allocations", "peak bytes", "times as fast"], &rows);
}

/// Shows that the time for each byte is independent of the number of entries. If a list is larger than the caches, its memory
/// determines the time, by hand as well.
fn linear_in_entries(effort: Effort) {
    println!("linear in the number of entries: time for each byte\n");
    let tens: &[usize] = if effort.quick { &[100, 1_000] } else { &[1_000, 10_000, 100_000, 300_000] };
    let rows: Vec<_> = tens
        .iter()
        .map(|tens| {
            let (entries, input) = (tens * 10, mixed(*tens));
            let mut contest = Contest::new(effort, format!("attributes, {entries} entries"));
            contest.enter("by hand", || {
                let entries = hand_written::decode(black_box(&input)).unwrap();
                black_box(entries.as_slice()).len()
            });
            contest.enter("decode", || {
                let attributes = decode(black_box(&input)).unwrap();
                black_box(attributes.entries()).len()
            });
            contest.enter("check", || check(black_box(&input)).unwrap().items.unwrap_or_default() as usize);
            contest.enter("stream", || stream(black_box(&input), LARGE_PIECE));
            row(entries, input.len(), &contest.run(entries))
        })
        .collect();
    print_table(["entries", "bytes", "by hand", "decode", "check", "stream, 64 KiB pieces"], &rows);
}

/// The same time for each byte, however large a single entry is, and however small the pieces that it comes in.
fn linear_in_one_entry(effort: Effort) {
    println!("linear in the size of one entry, an array of arrays: time for each byte\n");
    let sizes: &[usize] = if effort.quick { &[1_000, 10_000] } else { &[10_000, 100_000, 1_000_000] };
    let rows: Vec<_> = sizes
        .iter()
        .map(|size| {
            let input = nested_arrays(*size);
            let mut contest = Contest::new(effort, format!("attributes, one of {size} bytes"));
            contest.enter("decode", || {
                let attributes = decode(black_box(&input)).unwrap();
                black_box(attributes.entries()).len()
            });
            contest.enter("check", || check(black_box(&input)).unwrap().items.unwrap_or_default() as usize);
            contest.enter("stream", || stream(black_box(&input), SMALLEST_PIECE));
            row(1, input.len(), &contest.run(1))
        })
        .collect();
    print_table(["entries", "bytes", "decode", "check", "stream, 1-byte pieces"], &rows);
}

/// The number of entries, the number of bytes, and the time for each byte of every cost.
fn row<const N: usize>(entries: usize, size: usize, costs: &[Cost]) -> [String; N] {
    let counts = [entries, size].map(|count| grouped(count as u64));
    let times = costs.iter().map(|cost| format!("{} ns", digits(cost.nanoseconds / size as f64)));
    let cells: Vec<_> = counts.into_iter().chain(times).collect();
    cells.try_into().unwrap()
}
