//! A terminal as standard input, output and error.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::thread;

use rustix::pty::{grantpt, openpt, ptsname, unlockpt, OpenptFlags};

use super::support::{fixture, folder, program, set, told, FINE, VERBS};
use crate::unprintable::is_unprintable;

/// Runs a command on a terminal. Returns its status and the bytes that the terminal received.
fn on_terminal(command: &mut Command) -> (ExitStatus, Vec<u8>) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let side = File::options().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).unwrap();
    let reader = thread::spawn(move || {
        let mut shown = Vec::new();
        // it ends with an error on some systems
        let _ = File::from(terminal).read_to_end(&mut shown);
        shown
    });
    let [input, output, error] = [(); 3].map(|()| side.try_clone().unwrap());
    let mut child = command.env("TERM", "xterm").stdin(input).stdout(output).stderr(error).spawn().unwrap();
    let status = child.wait().unwrap();
    // the last who could write
    command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    drop(side);
    (status, reader.join().unwrap())
}

/// Describes the first part of the output that a terminal would not show as text: bytes that are not text, or a control
/// character. Line ends, tabs, and the escapes that the program writes for colours and for its progress bar, are
/// allowed.
fn wrong(shown: &[u8]) -> Option<String> {
    let Ok(text) = std::str::from_utf8(shown) else { return Some("bytes that are not text".to_owned()) };
    let own = ["\r\n", "\t", "\r"];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(sequence) = rest.strip_prefix("\x1b[") {
            let end = sequence.find(|letter: char| !matches!(letter, '0'..='9' | ';' | '?')).unwrap_or(sequence.len());
            // colours; lines up, lines erased, the cursor
            if sequence[end..].starts_with(['m', 'A', 'K', 'J', 'h', 'l', 'B', 'G']) {
                rest = &sequence[end + 1..];
                continue;
            }
        }
        if let Some(own) = own.iter().find(|own| rest.starts_with(**own)) {
            rest = &rest[own.len()..];
            continue;
        }
        if is_unprintable(first) {
            return Some(format!("{first:?} before {:?}", rest.chars().skip(1).take(40).collect::<String>()));
        }
        rest = &rest[first.len_utf8()..];
    }
    None
}

#[test]
fn every_verb_runs_on_a_terminal() {
    for args in VERBS {
        let (status, shown) = on_terminal(program().args(*args));
        let text = String::from_utf8_lossy(&shown);
        assert!(matches!(status.code(), Some(0 | 1 | 2 | 4 | 5)), "{args:?}: {status:?}: {text}");
        assert!(!shown.is_empty() && !text.contains("panicked"), "{args:?}: {text}");
        assert_eq!(wrong(&shown), None, "{args:?}: {text}");
    }
}

#[test]
fn bytes_are_not_written_to_a_terminal() {
    let model = fixture("roblox-model/attributes.rbxm");
    for command in [
        set(&model, "On:Bool=true").args(["-o", "-"]),
        set(&model, "On:Bool=true").args(["-o", "/dev/stdout"]),
        program().args(["encode", "readable.json"]),
    ] {
        let (status, shown) = on_terminal(command);
        let text = String::from_utf8_lossy(&shown);
        assert!(status.code() == Some(2) && text.contains("refusing to write binary to a terminal"), "{text}");
    }
}

/// In a pipe the columns are separated by tabs.
#[test]
fn a_list_on_a_terminal_has_columns() {
    let model = fixture("roblox-model/attributes.rbxm");
    let lines = |width: &str| {
        let (status, shown) = on_terminal(program().arg("ls").arg(&model).env("COLUMNS", width));
        assert_eq!(status.code(), Some(0));
        String::from_utf8(shown).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let wide = lines("80");
    let head = format!("{:35}  {:22}  {:>7}  {:>10}", "address", "class or type", "values", "bytes");
    assert_eq!(wide[0], head);
    assert!(wide.len() > 1 && wide.iter().all(|line| line.chars().count() == 80 && !line.contains('\t')), "{wide:?}");
    assert!(wide.iter().any(|line| line.starts_with("Folder ")), "{wide:?}");
    let piped = program().arg("ls").arg(&model).output().unwrap();
    assert!(piped.stdout.starts_with(b"Folder\t15 values\t"), "{piped:?}");
    // an address is cut in its middle
    let folder = folder("columns");
    let long = folder.join("long.cfg");
    fs::write(&long, format!("[section]\n{}=1\n", "key".repeat(20))).unwrap();
    let (_, shown) = on_terminal(program().args(["ls", "-f", "godot-4"]).arg(&long).env("COLUMNS", "70"));
    let shown = String::from_utf8(shown).unwrap();
    assert!(
        shown.lines().any(|line| line.starts_with("section/keyk…keykeykey") && line.ends_with(" 1           8")),
        "{shown}"
    );
}

/// A title, a colour of C1, a change of direction, and what else is not to be shown.
const HOSTILE: &str = "\x1b]0;evil\x07\x1b[5;7m\u{9b}32m\u{202e}\u{2066}\u{61c}\u{7f}\r\u{85}";

/// Files with hostile names, and hostile text in them: a model, the same as XML, a blob, and a document that is wrong.
fn hostile(folder: &Path) -> [OsString; 4] {
    let path = |extension: &str| folder.join(format!("{HOSTILE}{extension}")).into_os_string();
    let names = [".rbxm", ".rbxmx", ".bin", ".json"].map(path);
    let [model, xml, blob, wrong] = &names;
    for (file, from) in [(model, "attributes.rbxm"), (xml, "attributes.rbxmx")] {
        fs::write(file, fs::read(fixture("roblox-model").join(from)).unwrap()).unwrap();
        let value = format!("{HOSTILE:?}:String={HOSTILE:?}");
        assert_eq!(told(set(Path::new(file), &value).args(["--any-key", "--in-place"])), FINE);
    }
    let text = HOSTILE.as_bytes();
    let length = u32::try_from(text.len()).unwrap().to_le_bytes();
    fs::write(blob, [b"\x01\0\0\0", &length[..], text, b"\x02", &length, text].concat()).unwrap();
    let escaped = serde_json::to_string(HOSTILE).unwrap();
    fs::write(wrong, format!(r#"{{"format":{escaped},"version":1,{escaped}:[]}}"#)).unwrap();
    names
}

#[test]
fn nothing_of_a_file_reaches_a_terminal_as_it_is() {
    let folder = folder("hostile");
    let [model, xml, blob, document] = &hostile(&folder);
    let hostile = OsStr::new(HOSTILE);
    let new = folder.join("new");
    let cases: &[&[&OsStr]] = &[
        &["inspect".as_ref(), blob],
        &["inspect".as_ref(), model, xml],
        &["inspect".as_ref(), "--json".as_ref(), blob],
        &["inspect".as_ref(), document],
        &["decode".as_ref(), blob],
        &["decode".as_ref(), "--pretty".as_ref(), model],
        &["decode".as_ref(), xml],
        &["encode".as_ref(), document, "-o".as_ref(), new.as_os_str()],
        &["encode".as_ref(), blob, "--into".as_ref(), model, "-o".as_ref(), new.as_os_str()],
        &["check".as_ref(), blob, model, xml, document],
        &["check".as_ref(), "--report=json".as_ref(), blob, document],
        &["ls".as_ref(), "--summary".as_ref(), blob, model],
        &["ls".as_ref(), "--summary".as_ref(), "--json".as_ref(), blob, model],
        &["get".as_ref(), model],
        &["get".as_ref(), xml, "Folder".as_ref(), hostile],
        &["get".as_ref(), model, hostile],
        &["get".as_ref(), "--bytes".as_ref(), model, "Folder".as_ref(), hostile],
        &["get".as_ref(), document],
        &["set".as_ref(), model, hostile, "On:Bool=true".as_ref(), "--in-place".as_ref()],
        &["set".as_ref(), model, "Folder".as_ref(), "--remove".as_ref(), "None".as_ref(), "--in-place".as_ref()],
        &["set".as_ref(), model, "Folder".as_ref(), hostile, "--in-place".as_ref()],
        &["get".as_ref(), "--json".as_ref(), folder.as_os_str()],
        &["get".as_ref(), "--json".as_ref(), document],
        &["diff".as_ref(), model, blob],
        &["diff".as_ref(), "--json".as_ref(), blob, model],
        &["decode".as_ref(), hostile],
        &["get".as_ref(), "--json".as_ref(), hostile],
        &["get".as_ref(), hostile],
        &["diff".as_ref(), hostile, hostile],
        &["man".as_ref(), hostile],
        &["man".as_ref(), "--dir".as_ref(), model],
        &["completions".as_ref(), hostile],
        &["check".as_ref(), "--format".as_ref(), hostile, blob],
        &[hostile],
    ];
    let mut found = Vec::new();
    for args in cases {
        let (status, shown) = on_terminal(program().args(*args));
        assert!(matches!(status.code(), Some(0..=5 | 7)), "{args:?}: {status:?}");
        // the marker of the hostile text, however the program shows its own escapes
        let raw = ["\x1b]", "\x07", "\x1b[5;7m", "\u{9b}", "\u{85}", "\u{202e}", "\u{2066}", "\u{61c}", "\u{7f}"];
        let text = String::from_utf8_lossy(&shown);
        let raw: Vec<_> = raw.into_iter().filter(|raw| text.contains(raw)).collect();
        if !raw.is_empty() || wrong(&shown).is_some() {
            found.push(format!("{args:?}: {raw:?} {:?}", wrong(&shown)));
        }
    }
    assert!(found.is_empty(), "{} of {} commands:\n{}", found.len(), cases.len(), found.join("\n"));
}
