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
