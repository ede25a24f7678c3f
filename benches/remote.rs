//! Roblox remote packets: full of strings, of numbers, and as mixed as a game sends them.
//!
//! `cargo bench --bench remote` prints a table; with `-- --quick` it only shows that everything runs. No other decoder of
//! these packets is known to run outside of the game's own tools. For comparison there are `memcpy` of the same bytes, and a loop
//! by hand that steps over the same arguments, keeps no error and builds a `Vec` of enums.

#![allow(
    // whatever goes wrong here, a benchmark may stop
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    // it prints tables, of numbers that are to be read, not reckoned with
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::cast_possible_truncation
)]

mod measure;
#[path = "workloads/remote.rs"]
mod workloads;

use std::hint::black_box;

use enginewire::roblox::remote::{check, decode, decode_owned, encode, Decoder, Packet, Value};
use measure::{digits, grouped, print_table, time_text, Contest, Cost, Effort};
use workloads::{mixed, one};

/// Pieces of a stream.
const PIECE: usize = 64 * 1024;

fn main() {
    let effort = Effort::from_arguments();
    if effort.quick {
        println!("quick: the figures mean nothing\n");
    }
    for (name, packet) in [
        ("numbers", one(10_000, |index| Value::Number(f64::from(index) / 3.0))),
        ("strings of 4 to 35 bytes", one(10_000, |index| "x".repeat(4 + index as usize % 32).into())),
        ("strings of 1,000 bytes", one(1_000, |_| "x".repeat(1_000).into())),
        ("mixed, 1,000 events", mixed(1_000)),
    ] {
        let bytes = encode(&packet).unwrap();
        let values: usize = packet.packets.iter().map(|data| count(data.event.arguments())).sum();
        println!("{name}: {} bytes, {} values\n", grouped(bytes.len() as u64), grouped(values as u64));
        print_costs(&bytes, values, &costs(effort, name, &packet, &bytes));
    }
}

/// The number of values, including those in arrays and dictionaries.
fn count(values: &[Value<'_>]) -> usize {
    let inside = |value: &Value<'_>| match value {
        Value::Array(elements) => count(elements),
        Value::Dictionary(pairs) => pairs.iter().map(|pair| count(std::slice::from_ref(&pair.value))).sum(),
        _ => 0,
    };
    values.len() + values.iter().map(inside).sum::<usize>()
}

/// Every way. The result of the work is the number of events.
fn costs(effort: Effort, name: &str, packet: &Packet<'_>, bytes: &[u8]) -> Vec<Cost> {
    let events = packet.packets.len();
    let mut contest = Contest::new(effort, format!("remote, {name}"));
    contest.enter("decode, borrowed", || black_box(decode(black_box(bytes)).unwrap()).packets.len());
    contest.enter("decode, owned", || black_box(decode(black_box(bytes)).unwrap().into_owned()).packets.len());
    let mut kept = bytes.to_vec();
    contest.enter("decode, input kept", move || {
        let packet = decode_owned(black_box(std::mem::take(&mut kept))).unwrap();
        let events = black_box(packet.value()).packets.len();
        kept = packet.into_bytes();
        events
    });
    contest.enter("check", || {
        check(black_box(bytes)).unwrap();
        events
    });
    contest.enter("stream, 64 KiB pieces", || {
        let mut decoder = Decoder::new();
        let mut events = 0;
        for piece in black_box(bytes).chunks(PIECE) {
            decoder.push(piece);
            while let Some(data) = decoder.next() {
                black_box(data.unwrap());
                events += 1;
            }
        }
        decoder.finish().unwrap();
        events
    });
    contest.enter("encode", || {
        black_box(encode(black_box(packet)).unwrap());
        events
    });
    if let Some(arguments) = by_hand(bytes) {
        assert_eq!(arguments.len(), packet.packets[0].event.arguments().len());
        contest.enter("by hand, no errors", || {
            black_box(by_hand(black_box(bytes)));
            events
        });
    }
    let mut copy = vec![0; bytes.len()];
    contest.enter("memcpy", move || {
        copy.copy_from_slice(black_box(bytes));
        black_box(&mut copy);
        events
    });
    contest.run(events)
}

/// An argument, as kept by a reader that supports only strings and numbers in one event.
#[allow(dead_code)] // it is built to be built
enum Argument<'a> {
    Text(&'a [u8]),
    Number(f64),
}

/// The arguments, if there are no others.
fn by_hand(bytes: &[u8]) -> Option<Vec<Argument<'_>>> {
    let (count, mut rest) = varint(bytes.get(14..)?)?;
    let mut arguments = Vec::with_capacity(count.min(rest.len()));
    for _ in 0..count {
        let (id, behind) = rest.split_first()?;
        rest = match id {
            2 => {
                let (length, behind) = varint(behind)?;
                let text = behind.get(..length)?;
                arguments.push(Argument::Text(text));
                &behind[length..]
            }
            12 => {
                let (number, behind) = behind.split_first_chunk()?;
                arguments.push(Argument::Number(f64::from_be_bytes(*number)));
                behind
            }
            _ => return None,
        };
    }
    Some(arguments)
}

fn varint(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (index, byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            return Some((value, &bytes[index + 1..]));
        }
    }
    None
}

fn print_costs(bytes: &[u8], values: usize, costs: &[Cost]) {
    let row = |cost: &Cost| {
        [
            cost.name.to_owned(),
            time_text(cost.nanoseconds),
            digits(bytes.len() as f64 / cost.nanoseconds),
            digits(values as f64 / cost.nanoseconds * 1e3),
            grouped(cost.allocations),
            grouped(cost.peak_bytes),
        ]
    };
    let rows: Vec<_> = costs.iter().map(row).collect();
    print_table(["", "time", "GB/s", "M values/s", "allocations", "peak bytes"], &rows);
    println!();
}
