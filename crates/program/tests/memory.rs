//! The memory of verbs of the program is in proportion to what they show or change, and not to the file.
//!
//! The program is given a small limit, so that small files tell. A test of its own file: the memory is that of all programs
//! that have ended here.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::print_stdout
)] // a test may panic

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use data_encoding::BASE64;
use enginewire::roblox::attributes::{encode, Attributes};
use nix::sys::resource::{getrusage, UsageWho};
use pretty_assertions::assert_eq;

/// The limit that the program is given.
const LIMIT: u64 = 16 << 20;

fn run(arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_enginewire"));
    program.args(arguments).args(["--max-memory", "16M"]).stdin(Stdio::null());
    program.output().unwrap()
}

/// The most memory that any program that has ended here has had at once, in bytes.
fn most_memory() -> u64 {
    u64::try_from(getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss()).unwrap() << 10
}

fn string(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..], text].concat()
}

/// A chunk that is not compressed.
fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    [name, &[0; 4][..], &(data.len() as u32).to_le_bytes(), &[0; 4], data].concat()
}

/// Numbers as a file has them: differences, byte by byte of all.
fn numbers(values: impl Iterator<Item = i32>) -> Vec<u8> {
    let (mut last, mut all) = (0i32, Vec::new());
    for value in values {
        let step = value.wrapping_sub(last);
        all.push((((step as u32) << 1) ^ ((step >> 31) as u32)).to_be_bytes());
        last = value;
    }
    (0..4).flat_map(|byte| all.iter().map(move |value| value[byte]).collect::<Vec<_>>()).collect()
}

/// The attributes of part `number`.
fn attributes(number: u32, text: &str) -> Vec<u8> {
    let mut attributes = Attributes::new();
    attributes.insert("Text", format!("{text} {number}"));
    encode(&attributes).unwrap()
}

/// A place of `count` parts. Those in `others` have another text. It also has `filling` bytes of another property, which take no
/// space on the disk.
fn place(path: &Path, count: u32, others: std::ops::Range<u32>, filling: u64) {
    let prop = |name: &[u8], value: &dyn Fn(u32) -> Vec<u8>| {
        let values: Vec<u8> = (0..count).flat_map(|number| string(&value(number))).collect();
        chunk(b"PROP", &[&[0; 4][..], &string(name), &[1], &values].concat())
    };
    let mut file = File::create(path).unwrap();
    let head = [
        b"<roblox!\x89\xff\r\n\x1a\n\0\0\x01\0\0\0",
        &count.to_le_bytes()[..],
        &[0; 8],
        &chunk(
            b"INST",
            &[&[0; 4][..], &string(b"Part"), &[0], &count.to_le_bytes(), &numbers(0..count as i32)].concat(),
        ),
        &prop(b"Name", &|number| format!("Part{number}").into()),
        &prop(b"AttributesSerialize", &|number| {
            attributes(number, if others.contains(&number) { "new" } else { "old" })
        }),
    ];
    file.write_all(&head.concat()).unwrap();
    for _ in 0..filling >> 22 {
        let data = [&[0; 4][..], &string(b"Size"), b"\x0e"].concat();
        file.write_all(&[b"PROP", &[0; 4][..], &(4u32 << 20).to_le_bytes(), &[0; 4], &data].concat()).unwrap();
        file.seek(SeekFrom::Current((4 << 20) - data.len() as i64)).unwrap();
    }
    let parents = numbers((0..count).map(|_| -1));
    file.write_all(&chunk(b"PRNT", &[&[0][..], &count.to_le_bytes(), &numbers(0..count as i32), &parents].concat()))
        .unwrap();
    file.write_all(&chunk(b"END\0", b"</roblox>")).unwrap();
}

/// A place in XML with `count` parts.
fn xml(path: &Path, count: u32) {
    let part = |number| {
        let (bytes, filling) = (BASE64.encode(&attributes(number, "old")), "x".repeat(800));
        format!(
            "<Item class=\"Part\" referent=\"RBX{number}\"><Properties>\
             <BinaryString name=\"AttributesSerialize\">{bytes}</BinaryString><string name=\"Name\">Part{number}</string>\
             <string name=\"Other\">{filling}</string></Properties></Item>\n"
        )
    };
    let parts: String = (0..count).map(part).collect();
    fs::write(path, format!("<roblox version=\"4\">\n{parts}</roblox>")).unwrap();
}

/// A Godot array of arrays of numbers.
fn godot(path: &Path, count: u32) {
    let list = |count: u32| [28u32.to_le_bytes(), count.to_le_bytes()].concat();
    let number = [2u32.to_le_bytes(), 7u32.to_le_bytes()].concat();
    let inner = [list(count), number.repeat(count as usize)].concat();
    fs::write(path, [list(3), inner.repeat(3)].concat()).unwrap();
}

#[test]
fn memory_is_in_proportion_to_what_is_shown_or_changed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program-memory");
    fs::create_dir_all(&folder).unwrap();
    let at = |name: &str| -> PathBuf { folder.join(name) };
    place(&at("a.rbxl"), 8000, 0..0, 0);
    place(&at("b.rbxl"), 8000, 5..7, 0);
    place(&at("c.rbxl"), 8000, 0..8000, 0);
    place(&at("large.rbxl"), 8000, 0..0, 96 << 20);
    place(&at("large-in-place.rbxl"), 8000, 0..0, 96 << 20);
    xml(&at("large.rbxlx"), 6000);
    godot(&at("numbers.bin"), 60_000);
    let paths: Vec<_> =
        ["a.rbxl", "b.rbxl", "c.rbxl", "large.rbxl", "large-in-place.rbxl", "large.rbxlx", "numbers.bin", "out"]
            .map(|name| at(name).to_str().unwrap().to_owned())
            .into();
    let [a, b, c, large, in_place, xml, numbers, out] = &paths[..] else { unreachable!() };
    crate::xml(&at("small.rbxlx"), 1);
    let small = at("small.rbxlx").to_str().unwrap().to_owned();
    assert!(run(&["set", &small, "Part0", "Text=\"a\"", "-o", out]).status.success());
    let before = most_memory();
    let set = "Text=\"a\"";
    for (arguments, status, lines) in [
        (&["diff", "-q", a, a][..], 0, 0),
        (&["diff", a, b], 1, 2),
        (&["diff", a, c], 1, 8000),
        (&["diff", large, b], 1, 2),
        (&["set", large, "Part7", set, "-o", out], 0, 0),
        (&["set", large, "Part*", set, "--all", "-o", out], 0, 0),
        (&["set", in_place, "Part7", set, "--in-place"], 0, 0),
        (&["copy", b, "Part5", "--to", large, "-o", out], 0, 0),
        (&["set", xml, "Part7", set, "-o", out], 0, 0),
        (&["set", xml, "Part*", set, "--all", "-o", out], 0, 0),
        (&["inspect", "-f", "godot-4", "--depth", "3", numbers], 0, 0),
    ] {
        let output = run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*error), (Some(status), ""), "{arguments:?}");
        if lines > 0 {
            assert_eq!(output.stdout.split(|byte| *byte == b'\n').count(), lines + 1, "{arguments:?}");
        }
        let peak = most_memory();
        println!("{arguments:?}: at most {} KiB until now", peak >> 10);
        assert!(peak <= before + LIMIT, "{arguments:?} takes {peak} bytes, of which {before} are for the program");
    }
    // all of the changes are there, and nothing else
    let text = run(&["get", out, "--plain"]).stdout;
    assert_eq!(String::from_utf8(text).unwrap().matches("\"a\"").count(), 6000);
    let changed = fs::read(in_place).unwrap();
    assert_eq!(changed.len() as u64, fs::metadata(large).unwrap().len() - "old 7".len() as u64 + 1);
    // a limit that is too low is reported, and nothing is written
    fs::remove_file(out).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_enginewire"))
        .args(["set", xml, "Part7", set, "-o", out, "--max-memory", "100K"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(4) && error.contains("raise the limit with --max-memory"), "{error}");
    assert!(!Path::new(out).exists());
}
