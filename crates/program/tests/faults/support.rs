//! Shared by the tests: folders, files, and the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An empty folder of this name.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

/// A copy of a small model, which has attributes of an instance `Folder`.
pub(crate) fn model(folder: &Path, name: &str) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, fs::read(fixture("roblox-model/attributes.none.rbxm")).unwrap()).unwrap();
    file
}

/// A model that takes some time to write: with half a megabyte.
pub(crate) fn large_model(folder: &Path, name: &str) -> PathBuf {
    let file = model(folder, name);
    let values: Vec<_> = (0..10).map(|number| format!("Long{number}=\"{}\"", "long ".repeat(10_000))).collect();
    assert_eq!(told(program().arg("set").arg(&file).arg("Folder").args(values).arg("--in-place")), FINE);
    file
}

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_enginewire");

/// The program, run among the fixtures.
pub(crate) fn program() -> Command {
    program_by(Command::new(PROGRAM))
}

/// The program as another runs it, which gets its name and arguments.
pub(crate) fn program_by(mut command: Command) -> Command {
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    // a program that is killed would leave half a profile, where lines are counted
    command.env("LLVM_PROFILE_FILE", "/dev/null");
    command.current_dir(fixture("roblox-attributes"));
    command
}

/// The program after this line of a shell.
pub(crate) fn program_after(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{line}; exec \"$0\" \"$@\""), PROGRAM]);
    program_by(command)
}

/// Runs a command. Returns its status (`None` if a signal ended it) and its standard error.
pub(crate) fn told(command: &mut Command) -> (Option<i32>, String) {
    told_by(&command.output().unwrap())
}

pub(crate) fn told_by(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

pub(crate) const FINE: (Option<i32>, String) = (Some(0), String::new());

/// Asserts that it was refused with this status, and with these words among others.
pub(crate) fn assert_refused((status, message): (Option<i32>, String), expected: i32, words: &str) {
    assert!(status == Some(expected) && message.contains(words), "{status:?}: {message}");
}

/// The command that sets an attribute of [`model`].
pub(crate) fn set(file: &Path, value: &str) -> Command {
    let mut command = program();
    command.arg("set").arg(file).args(["Folder", value]);
    command
}

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// True if this is the name of a temporary file.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(".enginewire-")
}

/// Numbers that look random (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}

/// A command of every kind that writes to standard output, among the fixtures.
pub(crate) const VERBS: &[&[&str]] = &[
    &["inspect", "readable.bin"],
    &["inspect", "--json", "readable.bin"],
    &["decode", "readable.bin"],
    &["decode", "../scrap-mechanic-lua/save-v24.db"],
    &["encode", "--text", "hex", "readable.json"],
    &["check", "readable.bin"],
    &["check", "--report=json", "readable.bin"],
    &["ls", "--summary", "readable.bin"],
    &["get", "../roblox-model/attributes.rbxm"],
    &["get", "../roblox-model/attributes.rbxm", "Folder", "String", "--bytes"],
    &["set", "../roblox-model/attributes.rbxm", "Folder", "On:Bool=true", "-o", "-"],
    &["get", "--json", "../roblox-model"],
    &["ls", "--summary", "../roblox-model"],
    &["diff", "readable.bin", "made-odd.bin"],
    &["help", "formats"],
    &["help", "reading"],
    &["completions", "bash"],
    &["completions", "fish"],
    &["man"],
    &["man", "get"],
    &["help"],
    &["--help"],
    &["--version"],
    &["get", "--help"],
];
