//! One large container, its values checked and decoded by one thread and by one thread for each core.
//!
//! `cargo bench --all-features --bench parallel`; with `-- --quick` it only shows that everything runs.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    dead_code
)] // a benchmark may panic, prints what it finds, and does not use all of the values

#[path = "workloads/attributes.rs"]
mod attributes;
#[path = "workloads/godot.rs"]
mod godot;
mod measure;
#[path = "workloads/model.rs"]
mod model;
#[path = "workloads/remote.rs"]
mod remote;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use enginewire::containers::{Container, ContainerKind, Embedded, Source, Workers};
use enginewire::formats::{self, AnyFormat, FormatOptions, JsonWriter};
use enginewire::godot::{encode_frame, Framing, Options, Version};
use enginewire::roblox::remote as packets;
use measure::{digits, grouped, print_table, time_text, Contest, Effort};

/// The memory limit: as much as there is.
const MEMORY: u64 = 8 << 30;

/// About how many bytes a container has.
const SIZE: usize = 100_000_000;

/// Godot values with their lengths, a message each.
fn frames(size: usize) -> Vec<u8> {
    let mut frame = Vec::new();
    encode_frame(&godot::message(), Framing::LittleEndian, &Options::new(Version::V4), &mut frame).unwrap();
    frame.repeat(size / frame.len() + 1)
}

/// Packets of ten events, without separators.
fn dump(size: usize) -> Vec<u8> {
    let packet = packets::encode(&remote::mixed(10)).unwrap();
    packet.repeat(size / packet.len() + 1)
}

/// The same packets, each a line.
fn lines(size: usize) -> Vec<u8> {
    let packet = packets::encode(&remote::mixed(10)).unwrap();
    let line = format!("{}\n", data_encoding::HEXLOWER.encode(&packet)).into_bytes();
    line.repeat(size / line.len() + 1)
}

/// Folders with ten attributes each.
fn place(size: usize) -> Vec<u8> {
    let blob = attributes::mixed(1);
    model::binary_with((size / (blob.len() + 30) + 1) as i32, &blob)
}

/// A save of rows with an object each, in a file of its own.
fn save(size: usize, folder: &Path) -> PathBuf {
    let path = folder.join("save.db");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scrap-mechanic-lua/save-v28.db");
    std::fs::copy(fixture, &path).unwrap();
    let mut database = rusqlite::Connection::open(&path).unwrap();
    let rows = database.transaction().unwrap();
    let columns = "worldId, flags, data FROM ScriptData WHERE rowid = 12";
    let length: u32 = rows.query_row(&format!("SELECT length(data), {columns}"), [], |row| row.get(0)).unwrap();
    for number in 0..size / (length as usize + 60) + 1 {
        let insert = format!("INSERT INTO ScriptData SELECT uid, ?1, {columns}");
        rows.prepare_cached(&insert).unwrap().execute([number.to_be_bytes()]).unwrap();
    }
    rows.commit().unwrap();
    path
}

/// Does `work` with every value, and adds the results.
fn all(container: &dyn Container, threads: usize, work: &(dyn Fn(Embedded<'_>) -> usize + Sync)) -> usize {
    let mut sum = 0usize;
    let each = |result: usize| {
        sum = sum.wrapping_add(result);
        ControlFlow::Continue(())
    };
    Workers::new().threads(threads).map(container, work, each).unwrap();
    sum
}

fn check(format: &dyn AnyFormat, options: &FormatOptions, value: &Embedded<'_>) -> usize {
    let bytes = value.bytes.as_ref().unwrap();
    usize::from(value.formats.is_empty() || black_box(format.check(bytes, options)).is_ok())
}

/// The length of the document.
fn decode(format: &dyn AnyFormat, options: &FormatOptions, value: &Embedded<'_>) -> usize {
    let mut text = Vec::new();
    if !value.formats.is_empty() {
        format.decode_json(value.bytes.as_ref().unwrap(), options, &mut JsonWriter::new(&mut text)).unwrap();
    }
    black_box(text).len()
}

fn main() {
    let effort = Effort::from_arguments();
    let size = if effort.quick { SIZE / 10_000 } else { SIZE };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let folder = tempfile::tempdir().unwrap();
    let options = FormatOptions::new().set("max_memory", MEMORY).unwrap();
    let mut rows = Vec::new();
    for (name, kind, format, source) in [
        ("frames", ContainerKind::Frames(Framing::LittleEndian), "godot-4", Source::Bytes(frames(size))),
        ("dump", ContainerKind::Packets, "roblox-remote", Source::Bytes(dump(size))),
        ("dump in lines", ContainerKind::PacketLines, "roblox-remote", Source::Bytes(lines(size))),
        (
            "place",
            ContainerKind::Model(enginewire::roblox::model::FileKind::Binary),
            "roblox-attributes",
            Source::Bytes(place(size)),
        ),
        ("save", ContainerKind::Save, "scrap-mechanic-lua", Source::File(save(size, folder.path()))),
    ] {
        let format = formats::by_name(format).unwrap();
        let container = kind.open(source, &options).unwrap();
        let container = &*container;
        let list = &|value: Embedded<'_>| usize::from(value.bytes.is_ok());
        let values = all(container, 1, list);
        let check = &|value: Embedded<'_>| check(format, &options, &value);
        let decode = &|value: Embedded<'_>| decode(format, &options, &value);
        for (what, work) in [("check", check as &(dyn Fn(Embedded<'_>) -> usize + Sync)), ("decode", decode)] {
            let mut contest = Contest::new(effort, format!("{name} of 100 MB, {what}"));
            contest.enter("list alone", || all(container, 1, list).max(1));
            let listing = contest.run(values.max(1)).remove(0).nanoseconds;
            let mut contest = Contest::new(effort, format!("{name} of 100 MB, {what}"));
            contest.enter("1 thread", || all(container, 1, work));
            contest.enter("all threads", || all(container, threads, work));
            let costs = contest.run(all(container, 1, work));
            let [one, several] = [0, 1].map(|index| costs[index].nanoseconds);
            rows.push([
                format!("{name}: {what}"),
                grouped(values as u64),
                time_text(listing),
                time_text(one),
                time_text(several),
                digits(one / several),
            ]);
        }
    }
    print_table(["", "values", "reading alone", "1 thread", &format!("{threads} threads"), "times"], &rows);
}
