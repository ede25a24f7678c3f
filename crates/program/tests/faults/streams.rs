//! Files that can be read only once, and names that are not plain.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use super::support::{assert_refused, fixture, folder, model, names, program, set, told, told_by, FINE};

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The output of the program for a file that it reads from a named pipe, and for the same pipe as its standard input.
fn read_from_pipes(folder: &Path, before: &[&str], file: &Path, after: &[&str]) -> [Output; 2] {
    let pipe = folder.join("pipe");
    let _ = fs::remove_file(&pipe);
    fifo(&pipe);
    let bytes = fs::read(file).unwrap();
    [false, true].map(|is_standard| {
        thread::scope(|scope| {
            // it opens once there is a reader, and the program may end before it has read all
            scope.spawn(|| drop(fs::write(&pipe, &bytes)));
            let mut program = program();
            program.args(before);
            if is_standard {
                program.arg("-").stdin(File::open(&pipe).unwrap());
            } else {
                program.arg(&pipe).stdin(Stdio::null());
            }
            program.args(after).output().unwrap()
        })
    })
}

#[test]
fn whatever_is_read_comes_from_a_pipe_too() {
    let folder = folder("pipes");
    let model = fixture("roblox-model/attributes.rbxm");
    let xml = fixture("roblox-model/attributes.rbxmx");
    let save = fixture("scrap-mechanic-lua/save-v24.db");
    let blueprint = fixture("scrap-mechanic-lua/mixed.blueprint.json");
    let project = fixture("godot-4/project_v4.binary");
    let dump = fixture("roblox-remote/several.dump");
    let blob = fixture("roblox-attributes/readable.bin");
    let document = fixture("roblox-attributes/readable.json");
    let cases: [(&[&str], &Path, &[&str]); 19] = [
        (&["decode"], &model, &[]),
        (&["decode"], &xml, &[]),
        (&["decode"], &save, &[]),
        (&["decode"], &blueprint, &[]),
        (&["decode", "-f", "godot-4"], &project, &[]),
        (&["decode", "-f", "roblox-remote", "--dump"], &dump, &[]),
        (&["decode"], &blob, &[]),
        (&["check"], &model, &[]),
        (&["check"], &save, &[]),
        (&["check", "--report=json"], &blob, &[]),
        (&["inspect", "--json"], &model, &[]),
        (&["inspect", "--json"], &save, &[]),
        (&["ls", "--summary"], &save, &[]),
        (&["get"], &model, &[]),
        (&["get"], &xml, &["Folder"]),
        (&["set"], &model, &["Folder", "On:Bool=true", "-o", "-"]),
        (&["diff"], &model, &[xml.to_str().unwrap()]),
        (&["diff"], &blob, &["made-odd.bin"]),
        (&["encode", "--text", "hex"], &document, &[]),
    ];
    for (before, file, after) in cases {
        let expected = program().args(before).arg(file).args(after).output().unwrap();
        // the dump has a packet of an unknown event
        let is_read = matches!(expected.status.code(), Some(0 | 1)) || file == dump;
        assert!(is_read, "{before:?}: {:?}", told_by(&expected));
        for output in read_from_pipes(&folder, before, file, after) {
            assert_eq!(output.status, expected.status, "{before:?} {file:?}: {:?}", told_by(&output));
            let named = |output: &Output| {
                let text = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
                let pipe = folder.join("pipe");
                // standard input as a path
                let text = text.replace(r#""file":"-""#, r#""file":"FILE""#);
                [file, &pipe, Path::new("standard input")]
                    .iter()
                    .fold(text, |text, name| text.replace(name.to_str().unwrap(), "FILE"))
            };
            if before[0] == "set" {
                assert!(output.stdout == expected.stdout);
            } else {
                assert_eq!(named(&output), named(&expected), "{before:?} {file:?}");
            }
        }
    }
}

/// A value is there when its last byte is, and not when the next one or the end comes.
#[test]
fn values_of_a_stream_come_as_soon_as_they_are_there() {
    let frame = |value: &[u8]| [&u32::try_from(value.len()).unwrap().to_be_bytes()[..], value].concat();
    for (verb, expected) in [("decode", r#""value":7}"#), ("inspect", "int: 7"), ("inspect --json", r#""value":"7""#)] {
        let mut program = program();
        program.args(verb.split(' ')).args(["-f", "godot-4", "--framing", "be"]);
        let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        for _ in 0..3 {
            for byte in frame(b"\x02\0\0\0\x07\0\0\0") {
                input.write_all(&[byte]).unwrap();
                input.flush().unwrap();
            }
            // it waits for no more of the input: this would not end
            assert!(lines.by_ref().any(|line| line.unwrap().contains(expected)), "{verb}");
        }
        input.write_all(&[0, 0]).unwrap();
        drop(input);
        let told = told_by(&child.wait_with_output().unwrap());
        assert_refused(told, 5, "input ends inside a frame that begins at byte 0x24");
    }
}

/// Whoever has seen enough of a large tree stops, and the program ends without an error.
#[test]
fn a_tree_that_nobody_reads_to_its_end() {
    let file = folder("tree-head").join("many.bin");
    let entries = b"\x01\0\0\0a\x03\x01".repeat(100_000);
    fs::write(&file, [&100_000_u32.to_le_bytes()[..], &entries].concat()).unwrap();
    for args in [&["inspect"][..], &["inspect", "--json"]] {
        let mut program = program();
        program.args(args).args(["-f", "roblox-attributes"]).arg(&file);
        let mut child = program.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 100];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        // by SIGPIPE, as other programs
        let ended = (if cfg!(unix) { None } else { Some(3) }, String::new());
        assert_eq!(told_by(&child.wait_with_output().unwrap()), ended, "{args:?}");
    }
}

#[test]
fn a_save_from_a_pipe_leaves_nothing_behind() {
    let folder = folder("save-from-pipe");
    let save = fixture("scrap-mechanic-lua/save-v24.db");
    let mut program = program();
    let output = program.env("TMPDIR", &folder).arg("decode").stdin(File::open(save).unwrap()).output().unwrap();
    assert_eq!(told_by(&output), FINE);
    assert!(names(&folder).is_empty());
}

#[test]
fn objects_are_put_into_what_comes_from_a_pipe() {
    let folder = folder("into-pipe");
    let pipe = folder.join("pipe");
    fifo(&pipe);
    let entry = ["--entry", "res://project.binary"];
    for (name, options) in [
        ("scrap-mechanic-lua/save-v24.db", &[][..]),
        ("scrap-mechanic-lua/mixed.blueprint.json", &[]),
        ("godot-files/v4/pck/plain.pck", &entry),
    ] {
        let file = fixture(name);
        let lines = folder.join("lines");
        let decode = |file: &Path| program().arg("decode").args(options).arg(file).output().unwrap().stdout;
        let decoded = String::from_utf8(decode(&file)).unwrap();
        let changed = decoded.replace("\"value\":false", "\"value\":true").replace("\"value\":\"", "\"value\":\"new ");
        assert_ne!(changed, decoded);
        fs::write(&lines, changed).unwrap();
        let [expected, out] = ["expected", "out"].map(|name| folder.join(name));
        let encode = |into: &Path, out: &Path| {
            let mut program = program();
            program.env("TMPDIR", &folder).arg("encode").args(options).arg(&lines).arg("--into").arg(into);
            told(program.arg("-o").arg(out))
        };
        assert_eq!(encode(&file, &expected), FINE);
        let bytes = fs::read(&file).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| drop(fs::write(&pipe, &bytes)));
            assert_eq!(encode(&pipe, &out), FINE);
        });
        let objects = |file: &Path| {
            let lines = String::from_utf8(decode(file)).unwrap();
            lines.replace(file.to_str().unwrap(), "FILE")
        };
        assert_eq!(objects(&out), objects(&expected));
    }
    assert_eq!(names(&folder), ["expected", "lines", "out", "pipe"]);
}

#[test]
fn a_limit_holds_for_what_comes_from_a_pipe() {
    let folder = folder("pipe-limit");
    for file in ["scrap-mechanic-lua/save-v24.db", "roblox-model/attributes.rbxm", "roblox-attributes/readable.bin"] {
        for output in read_from_pipes(&folder, &["decode", "--max-memory", "100"], &fixture(file), &[]) {
            assert_refused(told_by(&output), 3, "it is larger than 100 bytes");
        }
    }
}

#[test]
fn a_byte_order_mark_before_json_is_skipped() {
    let folder = folder("byte-order-mark");
    let mark = b"\xef\xbb\xbf";
    let document = folder.join("document.json");
    fs::write(&document, [&mark[..], &fs::read(fixture("roblox-attributes/readable.json")).unwrap()].concat()).unwrap();
    let out = folder.join("out.bin");
    assert_eq!(told(program().arg("encode").arg(&document).arg("-o").arg(&out)), FINE);
    assert_eq!(fs::read(&out).unwrap(), fs::read(fixture("roblox-attributes/readable.bin")).unwrap());

    let save = fixture("scrap-mechanic-lua/save-v24.db");
    let lines = folder.join("lines");
    let decoded = program().arg("decode").arg(&save).output().unwrap().stdout;
    fs::write(&lines, [&mark[..], &decoded].concat()).unwrap();
    let out = folder.join("out.db");
    assert_eq!(told(program().arg("encode").arg(&lines).arg("--into").arg(&save).arg("-o").arg(&out)), FINE);
}

#[test]
fn names_may_be_long_and_need_not_be_text() {
    let folder = folder("names");
    let long = "l".repeat(250) + ".rbxm";
    let name = OsStr::from_bytes(b"not \xff text.rbxm");
    for name in [OsStr::new(&long), name] {
        let file = folder.join(name);
        if let Err(error) = fs::copy(fixture("roblox-model/attributes.rbxm"), &file) {
            println!("skipped, for this file system takes no such name: {error}");
            continue;
        }
        assert_eq!(told(set(&file, "On:Bool=true").arg("--in-place")), FINE);
        let output = program().arg("get").arg(&file).args(["Folder", "On"]).output().unwrap();
        assert_eq!((told_by(&output), &output.stdout[..]), (FINE, &b"true\n"[..]));
        let again = folder.join("again.rbxm");
        assert_eq!(told(set(&file, "On:Bool=false").arg("-o").arg(&again)), FINE);
        fs::remove_file(&again).unwrap();
        assert_eq!(told(set(&file, "On:Bool=false").arg("-o").arg(folder.join(name))).0, Some(2));
    }
    assert_eq!(names(&folder).len(), 2);
}

#[test]
fn a_pipe_is_not_replaced() {
    let folder = folder("pipe-as-output");
    let file = model(&folder, "model.rbxm");
    let pipe = folder.join("pipe");
    fifo(&pipe);
    assert_refused(told(set(&file, "On:Bool=true").arg("-o").arg(&pipe)), 3, "it is a named pipe");
    let mut forced = set(&file, "On:Bool=true");
    forced.arg("-o").arg(&pipe).arg("--force");
    let (written, told) = thread::scope(|scope| {
        let reader = scope.spawn(|| fs::read(&pipe).unwrap());
        let told = told(&mut forced);
        (reader.join().unwrap(), told)
    });
    assert_eq!(told, FINE);
    assert!(written == set(&file, "On:Bool=true").args(["-o", "-"]).output().unwrap().stdout);
    assert_refused(super::support::told(set(&pipe, "On:Bool=true").args(["--in-place", "--force"])), 3, "regular file");
    assert_eq!(names(&folder), ["model.rbxm", "pipe"]);
    let manual = folder.join("enginewire-get.1");
    fs::rename(&pipe, &manual).unwrap();
    assert_refused(super::support::told(program().args(["man", "--dir"]).arg(&folder)), 3, "it is a named pipe");
    assert!(names(&folder).len() > 10);
}
