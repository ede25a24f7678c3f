//! Hostile files: every verb of the program gets by with 256 MiB, and nothing is killed.
//!
//! The tests of the library are another program: what starts a program counts among the memory of that.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects, clippy::print_stdout)] // a test may panic

#[path = "../../files/tests/tested/hostile.rs"]
mod hostile_files;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The limit unless another is set.
const LIMIT: u64 = 256 << 20;

/// An optimised program, if there is one. Any other takes minutes for files with millions of things.
fn optimised() -> Option<OsString> {
    std::env::var_os("ENGINEWIRE_PROGRAM")
}

fn program(arguments: &[&str], path: &Path) -> Command {
    let mut program = Command::new(optimised().unwrap_or(env!("CARGO_BIN_EXE_enginewire").into()));
    program.args(arguments).arg(path).stdin(Stdio::null());
    program
}

/// The most memory that any program that has ended here has had at once, in bytes.
fn most_memory() -> u64 {
    use nix::sys::resource::{getrusage, UsageWho};

    u64::try_from(getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss()).unwrap() << 10
}

/// The program ended without a crash. If a limit stopped it, the error names the option that raises it.
fn ended(what: &str, output: &Output) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| (0..=7).contains(&code)), "{what}: {}, {error}", output.status);
    for word in ["panicked", "memory allocation", "overflow"] {
        assert!(!error.contains(word), "{what}: {error}");
    }
    if error.contains("limit of 256 MiB") || error.contains("more memory") {
        assert!(error.contains("--max-memory"), "{what}: {error}");
    }
}

fn is_large(name: &str) -> bool {
    let large = ["chain1000_100k", "cyc200m", "deep", "inst60m", "named1m", "prnt30m", "props2m", "shr1m", "tags20m"];
    large.iter().any(|large| name.starts_with(large))
}

#[test]
fn every_verb_of_the_program_keeps_to_its_limit() {
    assert!(program(&["help"], Path::new("formats")).output().is_ok());
    let before = most_memory();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile-containers");
    fs::create_dir_all(&folder).unwrap();
    let out = folder.join("out");
    for path in hostile_files::files("hostile/models") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if optimised().is_none() && is_large(&name) {
            println!("{name} is left out: ENGINEWIRE_PROGRAM names no optimised program");
            continue;
        }
        let out = out.to_str().unwrap();
        let verbs: [&[&str]; 20] = [
            &["decode"],
            &["decode", "--partial"],
            &["check"],
            &["check", "--canonical", "--report=json"],
            &["inspect"],
            &["inspect", "--json"],
            &["ls", "--summary"],
            &["get"],
            &["get", "#0"],
            &["get", "a"],
            &["get", "**"],
            &["ls"],
            &["inspect", "--guess"],
            &["set", "#0", "New:Double=42", "-o", out],
            &["set", "#0", "--add-tag", "New", "-o", out],
            &["copy"],
            &["check"],
            &["get", "--json"],
            &["ls", "--summary"],
            &["diff"],
        ];
        for arguments in verbs {
            let mut program = match arguments {
                ["get", place] => {
                    let mut program = program(&["get"], &path);
                    program.arg(place);
                    program
                }
                ["set", place, "--add-tag", tag, ..] => {
                    let mut program = program(&["set"], &path);
                    program.args([place, "--add-tag", tag, "--force", "-o", out]);
                    program
                }
                ["copy"] => {
                    let mut program = program(&["copy"], &path);
                    program.arg("--to").arg(&path).args(["--force", "-o", out]);
                    program
                }
                ["set", place, change, ..] => {
                    let mut program = program(&["set"], &path);
                    program.args([place, change, "--force", "-o", out]);
                    program
                }
                ["diff"] => {
                    let mut program = program(&["diff"], &path);
                    program.arg(&path);
                    program
                }
                _ => program(arguments, &path),
            };
            // what goes to a file takes no memory here
            let written = fs::File::create(folder.join("written")).unwrap();
            let what = format!("{} {name}", arguments.join(" "));
            ended(&what, &program.stdout(written).output().unwrap());
            let peak = most_memory();
            println!("{what}: at most {} KiB until now", peak >> 10);
            assert!(peak <= before + LIMIT, "{what} takes {peak} bytes, of which {before} are for the program");
        }
    }
}

/// The files of one kind in the fixtures of Godot.
fn godot_files(kind: &str) -> Vec<Vec<u8>> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/godot-files")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let is_of_kind = || path.components().any(|part| part.as_os_str() == kind);
            match path.metadata().unwrap() {
                found if found.is_dir() => folders.push(path),
                found if found.len() < 1 << 14 && is_of_kind() => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    assert!(files.len() >= 6, "{kind}: {}", files.len());
    files.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Files of Godot with bytes changed, removed and repeated: 3,000 of each kind with an optimised program. Each goes through one verb.
#[test]
fn changed_files_of_godot_end_no_verb() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants-of-godot");
    fs::create_dir_all(&folder).unwrap();
    let (file, out) = (folder.join("file"), folder.join("out"));
    let out = out.to_str().unwrap();
    let count = if optimised().is_some() { 3000 } else { 50 };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |most: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(most.max(1)).unwrap()).unwrap()
    };
    for kind in ["config", "text", "gcpf", "gdec", "pck", "project", "res", "scn", "export"] {
        let files = godot_files(kind);
        for number in 0..count {
            let mut bytes = files[below(files.len())].clone();
            for _ in 0..=below(4) {
                let at = below(bytes.len());
                let end = (at + 1 + below(16)).min(bytes.len());
                match (below(5), bytes.get_mut(at)) {
                    (_, None) => {}
                    (0, Some(byte)) => *byte = u8::try_from(below(256)).unwrap(),
                    (1, Some(byte)) => *byte = [0, 0xff, 0x7f, 0x80, b'\n'][below(5)],
                    (2, _) => drop(bytes.drain(at..end)),
                    (3, _) => bytes.extend_from_within(at..end),
                    (_, _) => bytes.truncate(at.max(4)),
                }
            }
            fs::write(&file, &bytes).unwrap();
            let verbs: [&[&str]; 8] = [
                &["check", "--verbose"],
                &["get"],
                &["ls", "--summary"],
                &["inspect"],
                &["decode", "--partial"],
                &["set", "--force", "-o", out, "--any-key", "--add", "--all"],
                &["copy", "--force", "--to", out],
                &["convert", "--to", "godot-4", "-o", out, "--force"],
            ];
            let verb = verbs[number % verbs.len()];
            let mut program = program(verb, &file);
            if verb.first() == Some(&"set") {
                program.args(["**", "new=1"]);
            }
            let what = format!("{} of mutant {number} of {kind}", verb.join(" "));
            let output = program.env("ENGINEWIRE_PASSWORD", "password").output().unwrap();
            if !output.status.code().is_some_and(|code| (0..=7).contains(&code)) {
                fs::write(folder.join("failed"), &bytes).unwrap();
            }
            ended(&what, &output);
        }
    }
}
