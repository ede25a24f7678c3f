//! Godot Variant: a message as games send it, a large nested value, and packed arrays.
//!
//! `cargo bench --bench godot` prints tables; with `-- --quick` it only shows that everything runs. Beside it stand the
//! crate `godot-binary-serialization`, on values that it supports, and the engine itself, if `godot3-server` is installed;
//! and a reader by hand, of just the types that are in them, which shows how fast it can be.

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
#[path = "workloads/godot.rs"]
mod workloads;

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use enginewire::godot::{v3, v4, Variant, Vector3};
use godot_binary_serialization::decoder::Decoder as Peer;
use godot_binary_serialization::encoder::Encoder as PeerEncoder;
use measure::{digits, grouped, print_table, record, time_text, Contest, Cost, Effort};
use workloads::{message, nested};

fn main() {
    let effort = Effort::from_arguments();
    let work = [("message", message(), 20_000), ("nested", nested(5), 20)];
    for (name, value, rounds) in work {
        let bytes = v4::encode(&value).unwrap();
        let engine = if effort.quick { None } else { engine(&v3::encode(&value).unwrap(), rounds) };
        println!("{name}: {} bytes", grouped(bytes.len() as u64));
        if let Some((decoding, encoding)) = engine {
            record(&format!("Godot, {name}: decode"), "Godot 3", decoding, None);
            record(&format!("Godot, {name}: encode"), "Godot 3", encoding, None);
        }
        print_costs("decode", engine.map(|(decoding, _)| decoding), &decoding(effort, name, &bytes));
        print_costs("encode", engine.map(|(_, encoding)| encoding), &encoding(effort, name, &bytes));
    }
    for (name, value) in packed() {
        let bytes = v4::encode(&value).unwrap();
        println!("{name}: {} bytes", grouped(bytes.len() as u64));
        print_costs("packed array", None, &copying(effort, name, &bytes));
    }
}

/// A reader of a few types that calls itself, names nothing, knows no error but "wrong" and is not kept from going down
/// until the stack ends.
mod by_hand {
    use enginewire::godot::{Dictionary, Entry, Reals, Variant, Vector3};

    fn word(input: &[u8]) -> Option<(u32, &[u8])> {
        input.split_first_chunk().map(|(bytes, rest)| (u32::from_le_bytes(*bytes), rest))
    }

    fn wide(input: &[u8]) -> Option<(u64, &[u8])> {
        input.split_first_chunk().map(|(bytes, rest)| (u64::from_le_bytes(*bytes), rest))
    }

    /// Reads a value into a place that is `Null`.
    pub(crate) fn read<'a>(input: &'a [u8], place: &mut Variant<'a>) -> Option<&'a [u8]> {
        let (header, rest) = word(input)?;
        let is_wide = header & 0x1_0000 != 0;
        let (value, rest) = match header & 0xff {
            1 => word(rest).map(|(word, rest)| (Variant::Bool(word != 0), rest))?,
            2 if is_wide => wide(rest).map(|(word, rest)| (Variant::Int(word as i64), rest))?,
            2 => word(rest).map(|(word, rest)| (Variant::Int(i64::from(word as i32)), rest))?,
            3 if is_wide => wide(rest).map(|(word, rest)| (Variant::Float(f64::from_bits(word)), rest))?,
            3 => word(rest).map(|(word, rest)| (Variant::Float(f32::from_bits(word).into()), rest))?,
            4 => {
                let (length, rest) = word(rest)?;
                let (text, rest) = rest.split_at_checked(length.next_multiple_of(4) as usize)?;
                let text = std::str::from_utf8(text.get(..length as usize)?).ok()?;
                (text.into(), rest)
            }
            9 => {
                let [(x, rest), (y, _), (z, _)] = [word(rest)?, word(rest.get(4..)?)?, word(rest.get(8..)?)?];
                let [x, y, z] = [x, y, z].map(f32::from_bits);
                (Variant::Vector3(Reals::Single(Vector3 { x, y, z })), rest.get(8..)?)
            }
            27 => {
                let (count, mut rest) = word(rest)?;
                let mut entries = Vec::with_capacity((count as usize).min(rest.len() / 8));
                for _ in 0..count {
                    entries.push(Entry { key: Variant::Null, value: Variant::Null });
                    let entry = entries.last_mut()?;
                    rest = read(rest, &mut entry.key)?;
                    rest = read(rest, &mut entry.value)?;
                }
                (Dictionary { types: None, entries }.into(), rest)
            }
            _ => return None,
        };
        std::mem::forget(std::mem::replace(place, value));
        Some(rest)
    }
}

fn packed() -> [(&'static str, Variant<'static>); 2] {
    const COUNT: usize = 1_000_000;
    let vector = Vector3 { x: 1.0_f32, y: 2.0, z: 3.0 };
    let vectors = enginewire::godot::Reals::Single(vec![vector; COUNT].into());
    [
        ("PackedFloat32Array", Variant::PackedFloat32Array(vec![0.5; COUNT].into())),
        ("PackedVector3Array", Variant::PackedVector3Array(vectors)),
    ]
}

fn size(value: &Variant<'_>) -> usize {
    black_box(value).as_dictionary().unwrap().entries.len()
}

/// The result of the work is the number of entries.
fn decoding(effort: Effort, name: &str, bytes: &[u8]) -> Vec<Cost> {
    let decoded = v4::decode(bytes).unwrap();
    let mut by_hand = Variant::Null;
    assert_eq!(by_hand::read(bytes, &mut by_hand), Some(&[][..]));
    assert_eq!(by_hand, decoded);
    let entries = size(&decoded);
    let mut contest = Contest::new(effort, format!("Godot, {name}: decode"));
    contest.enter("godot-binary-serialization", || {
        let _value = black_box(Peer::decode_variant(black_box(bytes)).unwrap());
        entries
    });
    contest.enter("by hand, borrowed", || {
        let mut value = Variant::Null;
        by_hand::read(black_box(bytes), &mut value).unwrap();
        size(&value)
    });
    contest.enter("decode, borrowed", || size(&v4::decode(black_box(bytes)).unwrap()));
    contest.enter("decode, owned", || size(&v4::decode(black_box(bytes)).unwrap().into_owned()));
    let mut kept = bytes.to_vec();
    contest.enter("decode, input kept", move || {
        let value = v4::decode_owned(black_box(std::mem::take(&mut kept))).unwrap();
        let entries = size(value.value());
        kept = value.into_bytes();
        entries
    });
    contest.enter("check", || {
        v4::check(black_box(bytes)).unwrap();
        entries
    });
    contest.run(entries)
}

/// The result of the work is the number of bytes.
fn encoding(effort: Effort, name: &str, bytes: &[u8]) -> Vec<Cost> {
    let value = v4::decode(bytes).unwrap();
    let theirs = Peer::decode_variant(bytes).unwrap();
    let mut contest = Contest::new(effort, format!("Godot, {name}: encode"));
    contest.enter("godot-binary-serialization", || {
        black_box(PeerEncoder::encode_variant(black_box(&*theirs)).unwrap());
        bytes.len()
    });
    contest.enter("encode", move || black_box(&v4::encode(black_box(&value)).unwrap()).len());
    contest.run(bytes.len())
}

/// The result of the work is the number of bytes.
fn copying(effort: Effort, name: &str, bytes: &[u8]) -> Vec<Cost> {
    let mut contest = Contest::new(effort, format!("Godot, {name}: packed array"));
    contest.enter("memcpy", || black_box(black_box(bytes).to_vec()).len());
    contest.enter("decode, borrowed", || {
        black_box(v4::decode(black_box(bytes)).unwrap());
        bytes.len()
    });
    contest.enter("decode, owned", || {
        black_box(v4::decode(black_box(bytes)).unwrap().into_owned());
        bytes.len()
    });
    let mut kept = bytes.to_vec();
    contest.enter("decode, input kept", move || {
        let value = black_box(v4::decode_owned(black_box(std::mem::take(&mut kept))).unwrap());
        kept = value.into_bytes();
        kept.len()
    });
    let value = v4::decode(bytes).unwrap();
    contest.enter("encode", move || black_box(&v4::encode(black_box(&value)).unwrap()).len());
    contest.run(bytes.len())
}

/// The nanoseconds that the engine takes for `bytes2var` and `var2bytes`.
fn engine(bytes: &[u8], rounds: u32) -> Option<(f64, f64)> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("godot-bench");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("value.bin"), bytes).unwrap();
    let script = format!(
        "extends SceneTree\n\
         func _init():\n\
         \tvar file = File.new()\n\
         \tfile.open(\"res://value.bin\", File.READ)\n\
         \tvar bytes = file.get_buffer(file.get_len())\n\
         \tvar value\n\
         \tvar start = OS.get_ticks_usec()\n\
         \tfor i in range({rounds}): value = bytes2var(bytes)\n\
         \tvar middle = OS.get_ticks_usec()\n\
         \tfor i in range({rounds}): bytes = var2bytes(value)\n\
         \tprint(\"=\", middle - start, \" \", OS.get_ticks_usec() - middle)\n\
         \tquit()\n"
    );
    std::fs::write(folder.join("script.gd"), script).unwrap();
    let mut engine = Command::new("godot3-server");
    let output = engine.args(["--no-window", "-s", "script.gd"]).current_dir(&folder).output().ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix('='))?;
    let (decoding, encoding) = line.split_once(' ')?;
    let each = |microseconds: &str| microseconds.parse::<f64>().unwrap() * 1e3 / f64::from(rounds);
    Some((each(decoding), each(encoding)))
}

/// With how often each is done in the time of the first.
fn print_costs(work: &str, engine: Option<f64>, costs: &[Cost]) {
    let first = costs.first().unwrap().nanoseconds;
    let row = |cost: &Cost| {
        [
            cost.name.to_owned(),
            time_text(cost.nanoseconds),
            grouped(cost.allocations),
            grouped(cost.peak_bytes),
            digits(first / cost.nanoseconds),
        ]
    };
    let engine = engine.map(|nanoseconds| Cost { name: "Godot 3", nanoseconds, allocations: 0, peak_bytes: 0 });
    let rows: Vec<_> = costs.iter().chain(&engine).map(row).collect();
    print_table([work, "time", "allocations", "peak bytes", "times the first"], &rows);
    println!();
}
