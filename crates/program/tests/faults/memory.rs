//! Memory and threads that cannot be had.

use std::fs;
use std::process::Command;

use super::support::{fixture, folder, program_after, program_by, told, PROGRAM};

/// Whatever a limit leaves to the program, it ends with a status and, if that is not 0, with a message.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_cannot_be_had_is_told() {
    let folder = folder("memory");
    let file = folder.join("large.bin");
    let length: u32 = 12 << 20;
    let text = vec![b'x'; usize::try_from(length).unwrap()];
    fs::write(&file, [b"\x01\0\0\0\x01\0\0\0a\x02", &length.to_le_bytes()[..], &text].concat()).unwrap();
    let mut refused = 0;
    for kilobytes in [60_000, 80_000, 100_000, 130_000] {
        for verb in ["decode", "check", "ls"] {
            let mut program = program_after(&format!("ulimit -v {kilobytes}; exec >/dev/null"));
            let (status, message) = told(program.arg(verb).arg(&file));
            assert!(status == Some(0) || (status == Some(3) && message.contains("memory")), "{status:?}: {message}");
            refused += u32::from(status == Some(3));
        }
    }
    assert!(refused > 0, "all of them had memory enough");
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_told() {
    let model = fixture("roblox-model/attributes.rbxm");
    let model = model.to_str().unwrap();
    for args in [&["get", model][..], &["get", "--json", "--threads", "8", model], &["decode", model]] {
        // root may start as many as it likes
        let mut other = Command::new("setpriv");
        let limit = "ulimit -u 0 && exec \"$0\" \"$@\"";
        other.args(["--reuid=65533", "--clear-groups", "bash", "-c", limit, PROGRAM]).args(args);
        // nor may somebody else write where coverage is noted
        let output = program_by(other).env("LLVM_PROFILE_FILE", "/dev/null").output();
        let (status, message) = match &output {
            Ok(output) => super::support::told_by(output),
            Err(error) => (Some(127), error.to_string()),
        };
        if matches!(status, Some(1 | 126 | 127)) {
            println!("skipped, for nobody else may run the program here: {message}");
            return;
        }
        assert!(status == Some(3) && message.starts_with("error: cannot start "), "{status:?}: {message}");
    }
}
