//! Scrap Mechanic LuaObject: an object as large as the terrain of a world.
//!
//! `cargo bench --bench lua_object` prints a table; with `-- --quick` it only shows that everything runs. The object is
//! that of the corpus, if the variable `ENGINEWIRE_CORPUS` names it, else one of the same shape. The Python decoder is
//! `benches/lua_object.py`, run by `python3`, if there is one.

#![allow(
    // whatever goes wrong here, a benchmark may stop
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    // it prints tables, of numbers that are to be read, not reckoned with
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::cast_possible_truncation
)]

mod measure;
#[path = "workloads/lua_object.rs"]
mod workloads;

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use enginewire::scrap_mechanic::lua_object::{
    check, decode, decode_owned, encode, Decoder, LuaObject, LuaSaveData, Table,
};
use measure::{digits, grouped, print_table, record, time_text, Contest, Cost, Effort};
use workloads::terrain_of;

/// Pieces of a stream, large and as small as can be.
const LARGE_PIECE: usize = 64 * 1024;
const SMALLEST_PIECE: usize = 1;

fn main() {
    let effort = Effort::from_arguments();
    let (name, bytes) = terrain(effort);
    let values = count(&decode(&bytes).unwrap().data);
    println!("{name}: {} bytes, {} values\n", grouped(bytes.len() as u64), grouped(values as u64));
    let python = if effort.quick { None } else { python(&bytes, values) };
    if let Some(python) = python {
        record("LuaObject, terrain: decode", "Python", python, None);
    }
    print_costs("decode", values, python, &decoding(effort, &bytes, values));
    print_costs("encode", values, None, &encoding(effort, &bytes));
}

/// The object of the corpus, or one like it; a small one for a quick run.
fn terrain(effort: Effort) -> (&'static str, Vec<u8>) {
    match std::env::var_os("ENGINEWIRE_CORPUS") {
        _ if effort.quick => ("terrain, made small", encode(&terrain_of(20)).unwrap()),
        Some(corpus) => {
            let file = Path::new(&corpus).join("scrap-mechanic-lua/large/terrain.lz4");
            let block = std::fs::read(file).unwrap();
            ("terrain of the corpus", lz4_flex::block::decompress(&block, 1 << 20).unwrap())
        }
        None => ("terrain, made", encode(&terrain_of(890)).unwrap()),
    }
}

/// The number of values in a value, including itself and keys.
fn count(value: &LuaSaveData<'_>) -> usize {
    let inside = |table: &Table<'_>| match table {
        Table::Array { elements, .. } => elements.iter().map(count).sum::<usize>(),
        Table::Pairs(pairs) => pairs.iter().map(|pair| count(&pair.key) + count(&pair.value)).sum(),
    };
    1 + value.as_table().map_or(0, inside)
}

/// The number of values in the outermost table.
fn size(object: &LuaObject<'_>) -> usize {
    black_box(object).data.as_table().unwrap().len()
}

/// Every way to decode. The result of the work is the number of values in the outermost table.
fn decoding(effort: Effort, bytes: &[u8], values: usize) -> Vec<Cost> {
    let outermost = size(&decode(bytes).unwrap());
    let mut contest = Contest::new(effort, "LuaObject, terrain: decode");
    contest.enter("decode, borrowed", || size(&decode(black_box(bytes)).unwrap()));
    contest.enter("decode, owned", || size(&decode(black_box(bytes)).unwrap().into_owned()));
    let mut kept = bytes.to_vec();
    contest.enter("decode, input kept", move || {
        let object = decode_owned(black_box(std::mem::take(&mut kept))).unwrap();
        let outermost = size(object.value());
        kept = object.into_bytes();
        outermost
    });
    contest.enter("check", || {
        check(black_box(bytes)).unwrap();
        outermost
    });
    contest.enter("stream, 64 KiB pieces", || stream(black_box(bytes), LARGE_PIECE));
    contest.enter("stream, 1-byte pieces", || stream(black_box(bytes), SMALLEST_PIECE));
    let mut copy = vec![0; bytes.len()];
    contest.enter("memcpy", move || {
        copy.copy_from_slice(black_box(bytes));
        black_box(&mut copy);
        outermost
    });
    assert!(values > outermost);
    contest.run(outermost)
}

/// The result of the work is the number of bytes.
fn encoding(effort: Effort, bytes: &[u8]) -> Vec<Cost> {
    let object = decode(bytes).unwrap().into_owned();
    assert!(encode(&object).unwrap() == bytes, "encode gives other bytes");
    let mut contest = Contest::new(effort, "LuaObject, terrain: encode");
    contest.enter("encode", move || black_box(&encode(black_box(&object)).unwrap()).len());
    contest.run(bytes.len())
}

fn stream(bytes: &[u8], piece: usize) -> usize {
    let mut decoder = Decoder::new();
    let mut outermost = 0;
    for bytes in bytes.chunks(piece) {
        decoder.push(bytes);
        while let Some(object) = decoder.next() {
            outermost = size(&object.unwrap());
        }
    }
    decoder.finish().unwrap();
    outermost
}

/// The nanoseconds that Python takes.
fn python(bytes: &[u8], values: usize) -> Option<f64> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terrain.bin");
    std::fs::write(&file, bytes).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/lua_object.py");
    let output = Command::new("python3").arg(script).arg(&file).output().ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    let (count, seconds) = text.trim().split_once(' ')?;
    assert_eq!(count.parse(), Ok(values), "Python finds other values");
    Some(seconds.parse::<f64>().unwrap() * 1e9)
}

fn print_costs(work: &str, values: usize, python: Option<f64>, costs: &[Cost]) {
    let row = |cost: &Cost| {
        [
            cost.name.to_owned(),
            time_text(cost.nanoseconds),
            format!("{} ns", digits(cost.nanoseconds / values as f64)),
            grouped(cost.allocations),
            grouped(cost.peak_bytes),
            python.map_or_else(String::new, |python| digits(python / cost.nanoseconds)),
        ]
    };
    let by_python = python.map(|nanoseconds| Cost { name: "Python", nanoseconds, allocations: 0, peak_bytes: 0 });
    let rows: Vec<_> = by_python.iter().chain(costs).map(row).collect();
    print_table([work, "time", "for each value", "allocations", "peak bytes", "times Python"], &rows);
}
