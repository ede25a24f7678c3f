//! Standard output that takes nothing.

use std::fs::File;
use std::io::pipe;
use std::process::Stdio;

use super::support::{program, program_after, told, VERBS};

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_by_every_verb() {
    for args in VERBS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (status, message) = told(program().args(*args).stdout(full).stderr(Stdio::piped()));
        let expected = "error: cannot write to standard output: No space left on device";
        assert!(status == Some(3) && message.contains(expected), "{args:?}: {status:?}: {message}");
        assert!(!message.contains("panicked"), "{args:?}: {message}");
    }
}

#[test]
fn a_closed_pipe_ends_every_verb_quietly() {
    for args in VERBS {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let (status, message) = told(program().args(*args).stdout(writer).stderr(Stdio::piped()));
        // what reads folders still reports the broken files among the fixtures
        let is_quiet = args.contains(&"../roblox-model") || message.is_empty();
        // by SIGPIPE, as other programs
        let expected = if cfg!(unix) { None } else { Some(3) };
        assert!(status == expected && is_quiet && !message.contains("panicked"), "{args:?}: {status:?}: {message}");
    }
}

#[test]
fn no_verb_panics_where_there_is_no_output_at_all() {
    for streams in [">&-", ">&- 2>&-", ">/dev/full 2>/dev/full", "<&- >&- 2>&-"] {
        for args in VERBS.iter().chain([&["nonsense"][..], &["decode", "nowhere"]].iter()) {
            let status = program_after(&format!("exec {streams}")).args(*args).status().unwrap().code();
            assert!(matches!(status, Some(0..=5)), "{args:?} {streams}: {status:?}");
        }
    }
}
