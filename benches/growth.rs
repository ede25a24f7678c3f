//! Streams of any length: the time for each byte and the memory are the same for 10 kB and for 1 GB.
//!
//! `cargo bench --bench growth` prints a table; with `-- --quick` the streams are short. The bytes are made
//! as they are pushed, in pieces of 64 KiB. A LuaObject is one item, and stands whole in memory.

#![allow(
    // whatever goes wrong here, a benchmark may stop
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    // it prints a table, of numbers that are to be read, not reckoned with
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    // of the workloads, not all are used
    dead_code
)]

mod measure;
mod workloads {
    pub(crate) mod attributes;
    pub(crate) mod godot;
    pub(crate) mod lua_object;
    pub(crate) mod remote;
}

use std::hint::black_box;

use enginewire::godot::{encode_frame, FrameDecoder, Framing, Options, Version};
use enginewire::roblox::{attributes, remote};
use enginewire::scrap_mechanic::lua_object;
use enginewire::wire::{Decoder, ItemStream};
use measure::{digits, grouped, print_table, Contest, Effort};

/// The size of a pushed piece, in bytes.
const PIECE: usize = 64 * 1024;

/// A stream: its head, an item that is repeated, and its end.
struct Endless {
    head: Vec<u8>,
    item: Vec<u8>,
    end: Vec<u8>,
}

impl Endless {
    /// Pushes the head and `times` items in pieces, and counts the decoded items.
    fn run<F: ItemStream>(&self, mut decoder: Decoder<F>, times: usize) -> usize {
        let mut count = 0;
        let per_piece = (PIECE / self.item.len()).clamp(1, times);
        let piece = self.item.repeat(per_piece);
        decoder.push(&self.head);
        for done in (0..times).step_by(per_piece) {
            decoder.push(&piece[..per_piece.min(times - done) * self.item.len()]);
            while let Some(item) = decoder.next() {
                black_box(&item.unwrap());
                count += 1;
            }
        }
        decoder.push(&self.end);
        decoder.finish().unwrap();
        count
    }
}

fn main() {
    let effort = Effort::from_arguments();
    let sizes: &[usize] =
        if effort.quick { &[10_000, 100_000] } else { &[10_000, 1_000_000, 100_000_000, 1_000_000_000] };
    let mut rows = Vec::new();
    for size in sizes.iter().copied() {
        rows.push(row("attributes, stream", size, effort, || {
            let ten = workloads::attributes::mixed(1)[4..].to_vec();
            let times = size / ten.len();
            let head = u32::try_from(times * 10).unwrap().to_le_bytes().to_vec();
            let stream = Endless { head, item: ten, end: Vec::new() };
            move || stream.run(attributes::Decoder::new(), times)
        }));
        rows.push(row("remote packets, stream", size, effort, || {
            let encoded = |events| remote::encode(&workloads::remote::mixed(events)).unwrap();
            let (none, mut item) = (encoded(0), encoded(1));
            let same = item.iter().zip(&none).take_while(|(one, none)| one == none).count();
            let (head, end) = none.split_at(same);
            item.truncate(item.len() - end.len());
            item.drain(..same);
            let stream = Endless { head: head.to_vec(), item, end: end.to_vec() };
            let times = size / stream.item.len();
            move || stream.run(remote::Decoder::new(), times)
        }));
        rows.push(row("Godot, stream of values with lengths", size, effort, || {
            let options = Options::new(Version::V4);
            let mut item = Vec::new();
            encode_frame(&workloads::godot::message(), Framing::LittleEndian, &options, &mut item).unwrap();
            let times = size / item.len();
            let stream = Endless { head: Vec::new(), item, end: Vec::new() };
            move || stream.run(FrameDecoder::framed(Framing::LittleEndian, options), times)
        }));
        // one row has 145 cells of 5 bytes
        if size <= 100_000_000 {
            rows.push(row("LuaObject, check", size, effort, || {
                let bytes = lua_object::encode(&workloads::lua_object::terrain_of((size / 725) as i32)).unwrap();
                move || {
                    black_box(lua_object::check(black_box(&bytes)).unwrap());
                    1
                }
            }));
        }
    }
    rows.sort_by(|a, b| a[0].cmp(&b[0]));
    print_table(["", "bytes", "time for each byte", "peak bytes"], &rows);
}

/// A row of the table: the time and memory of the work that `made` prepares.
fn row<W: FnMut() -> usize>(name: &str, size: usize, effort: Effort, made: impl FnOnce() -> W) -> [String; 4] {
    let mut work = made();
    let count = work();
    let mut contest = Contest::new(effort, format!("{name}, {size} bytes"));
    contest.enter("time", work);
    let cost = contest.run(count).remove(0);
    let time = format!("{} ns", digits(cost.nanoseconds / size as f64));
    [name.to_owned(), grouped(size as u64), time, grouped(cost.peak_bytes)]
}
