//! The output of the program and the memory that it takes: for hostile names and values, on a terminal, and for large
//! inputs.

#![cfg(unix)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::unprintable::is_unprintable;
use data_encoding::BASE64;
use pretty_assertions::assert_eq;
use serde_json::{json, Value};

fn program(folder: &Path) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_enginewire"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        program.env_remove(variable);
    }
    program.current_dir(folder).stdin(Stdio::null());
    program
}

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    told(&program(folder).args(args).output().unwrap())
}

fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A folder of its own for a test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("output").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn string(text: &[u8]) -> Vec<u8> {
    [&u32::try_from(text.len()).unwrap().to_le_bytes()[..], text].concat()
}

/// A blob of attributes: keys, and their values after the type.
fn blob(entries: &[(&[u8], &[u8])]) -> Vec<u8> {
    let count = u32::try_from(entries.len()).unwrap().to_le_bytes();
    let entries = entries.iter().map(|(key, value)| [&string(key), *value].concat());
    [&count[..], &entries.collect::<Vec<_>>().concat()].concat()
}

fn text_value(text: &[u8]) -> Vec<u8> {
    [&b"\x02"[..], &string(text)].concat()
}

/// A blob with one array of `count` values. All are true, except the one at `is_false`.
fn array(count: u32, is_false: Option<usize>) -> Vec<u8> {
    let mut values = b"\x03\x01".repeat(count.try_into().unwrap());
    if let Some(index) = is_false {
        values[index * 2 + 1] = 0;
    }
    blob(&[(b"a", &[&b"\x07"[..], &count.to_le_bytes(), &values].concat())])
}

/// A model of one instance with this name and these attributes.
fn model(name: &str, attributes: &[u8]) -> String {
    models(&[(name, attributes)])
}

fn models(instances: &[(&str, &[u8])]) -> String {
    let item = |(number, (name, attributes)): (usize, &(&str, &[u8]))| {
        let attributes = BASE64.encode(attributes);
        format!(
            "<Item class=\"Folder\" referent=\"R{number}\"><Properties><string name=\"Name\">{name}</string>\
             <BinaryString name=\"AttributesSerialize\">{attributes}</BinaryString></Properties></Item>\n"
        )
    };
    let items: String = instances.iter().enumerate().map(item).collect();
    format!("<roblox version=\"4\">\n{items}</roblox>\n")
}

/// Characters that a terminal obeys or hides: C0, DEL, C1, marks of direction, ends of lines of Unicode, and some without width.
const HOSTILE: &str =
    "a\u{1b}]0;title\u{7}\u{1b}[31m\u{7f}\u{9b}31m\u{9d}\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\
                       \u{202e}\u{2066}\u{2069}\u{200b}\u{2060}\u{206f}\u{feff}b\r\nc";

fn is_harmful(char: char) -> bool {
    char != '\n' && is_unprintable(char)
}

/// A folder with files whose names and contents are hostile: a blob, a broken one, a model, a broken one.
fn hostile_folder(name: &str) -> (PathBuf, [String; 4]) {
    let folder = folder(name);
    let attributes = blob(&[(HOSTILE.as_bytes(), &text_value(HOSTILE.as_bytes())), (b"k", &text_value(b"\xff\x9b"))]);
    let mut broken = attributes.clone();
    broken.pop();
    let xml = HOSTILE.replace(|char: char| char.is_ascii_control(), "");
    let names = ["blob.bin", "broken.bin", "model.rbxmx", "broken.rbxmx"].map(|name| format!("{HOSTILE}{name}"));
    let contents =
        [attributes.clone(), broken.clone(), model(&xml, &attributes).into_bytes(), model(&xml, &broken).into_bytes()];
    for (name, content) in names.iter().zip(contents) {
        fs::write(folder.join(name), content).unwrap();
    }
    (folder, names)
}

/// Every verb on hostile files.
fn commands([blob, broken, model, broken_model]: &[String; 4]) -> Vec<Vec<&str>> {
    let missing = "missing\u{1b}[31m";
    let mut commands = Vec::new();
    for file in [blob.as_str(), broken, model, broken_model, missing] {
        for verb in
            ["inspect", "inspect -v", "inspect --json", "decode", "decode --pretty", "decode --partial", "check"]
        {
            commands.push(verb.split(' ').chain([file]).collect());
        }
        for verb in ["check --report json", "ls", "ls --summary --json", "encode", "get", "ls --summary", "diff -"] {
            commands.push(verb.split(' ').chain([file]).collect());
        }
        commands.push(vec!["diff", file, blob]);
        commands.push(vec!["diff", "--json", file, broken_model]);
        commands.push(vec!["set", file, HOSTILE, "a:Bool=true", "-o", "-"]);
        commands.push(vec!["encode", blob, "--into", file, "-o", "\u{1b}[31m/x"]);
        commands.push(vec!["inspect", "-f", "godot-4", "--framing", "le", file]);
    }
    commands.push(vec!["get", model, HOSTILE]);
    commands.push(vec!["get", "--bytes", model, "#R0", "k"]);
    commands.push(vec!["get", "--bytes", model, "#R0", HOSTILE]);
    commands.push(vec!["get", "--json", "."]);
    commands.push(vec!["ls", "--summary", "."]);
    commands
}

#[test]
fn text_for_people_is_escaped_wherever_it_goes() {
    let (folder, names) = hostile_folder("escaped");
    for command in commands(&names) {
        let is_json = command.iter().any(|arg| matches!(*arg, "--json" | "json" | "decode"));
        let output = program(&folder).args(["--color", "never"]).args(&command).output().unwrap();
        // `get --bytes` writes bytes that are not text
        let [stdout, stderr] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        assert!(!stderr.contains(is_harmful), "{command:?}: {stderr:?}");
        assert!(
            is_json || command[0] == "set" || !stdout.replace('\t', " ").contains(is_harmful),
            "{command:?}: {stdout:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_harmful_reaches_a_terminal() {
    let (folder, names) = hostile_folder("terminal");
    let quoted = |arg: &str| format!("'{}'", arg.replace('\'', "'\\''"));
    for command in commands(&names) {
        let args: Vec<_> = command.iter().map(|arg| quoted(arg)).collect();
        let line = format!("{} --color never {} </dev/null", env!("CARGO_BIN_EXE_enginewire"), args.join(" "));
        let output = Command::new("script").args(["-qec", &line, "/dev/null"]).current_dir(&folder).output();
        let Ok(output) = output else {
            println!("skipped, for there is no `script`");
            return;
        };
        let (_, shown, _) = told(&output);
        // the terminal's own ends of lines, and the bar of a folder, which clears its line
        let shown = shown.replace("\r\n", "\n").replace("\t", " ");
        let shown = if command[0] == "get" { shown.replace("\r", "").replace("\u{1b}[2K", "") } else { shown };
        assert!(!shown.contains(is_harmful), "{command:?}: {shown:?}");
    }
}

/// The same document, whether it goes to a terminal or not.
#[test]
fn json_that_goes_elsewhere_is_exact() {
    let (folder, names) = hostile_folder("exact");
    for verb in ["decode", "check --report json", "inspect --json", "ls --summary --json"] {
        let args: Vec<_> = verb.split(' ').chain([names[2].as_str()]).collect();
        let (status, stdout, _) = run(&folder, &args);
        assert_eq!(status, 0, "{verb}");
        let document: Value = serde_json::from_str(stdout.lines().next().unwrap()).unwrap();
        let name = document["file"].as_str().or(document["largest"]["of"].as_str()).unwrap();
        assert!(name.starts_with(&names[2]), "{verb}: {name:?}");
        assert!(stdout.contains('\u{202e}') && stdout.contains('\u{9b}'), "{verb}: not as it is in the file");
    }
}

#[test]
fn long_text_is_cut_for_people_and_whole_in_json() {
    let folder = folder("long");
    let long = "x".repeat(100_000);
    let attributes = blob(&[(long.as_bytes(), &text_value(long.as_bytes()))]);
    fs::write(folder.join("a.bin"), &attributes).unwrap();
    fs::write(folder.join("b.bin"), blob(&[])).unwrap();
    fs::write(folder.join("a.rbxmx"), model(&long, &attributes)).unwrap();
    let (status, stdout, _) = run(&folder, &["diff", "-f", "roblox-attributes", "a.bin", "b.bin"]);
    assert_eq!((status, stdout.lines().count()), (1, 1));
    assert!(stdout.len() < 10_000 && stdout.ends_with("…\n"), "{}", stdout.len());
    let (_, stdout, _) = run(&folder, &["diff", "--json", "-f", "roblox-attributes", "a.bin", "b.bin"]);
    let difference: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(difference["a"], json!({"type": "String", "text": format!("\"{long}\"")}));
    for args in [&["check", "a.rbxmx"][..], &["inspect", "-v", "a.rbxmx"], &["get", "a.rbxmx", "nobody"]] {
        let (_, stdout, stderr) = run(&folder, args);
        assert!(stdout.lines().chain(stderr.lines()).all(|line| line.len() < 20_000), "{args:?}");
    }
    let (_, stdout, _) = run(&folder, &["decode", "a.rbxmx"]);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(document["document"]["entries"][0]["key"], long);
    assert_eq!(document["document"]["entries"][0]["value"], long);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_come_through_in_json() {
    let folder = folder("names");
    let attributes = blob(&[(b"On", b"\x03\x01")]);
    let name = |end: &str| -> OsString { OsStr::from_bytes(&[b"\xff", end.as_bytes()].concat()).to_owned() };
    let hex = |text: &[u8]| json!({ "hex": format!("ff{}", data_encoding::HEXLOWER.encode(text)) });
    fs::write(folder.join(name(".bin")), &attributes).unwrap();
    fs::write(folder.join(name(".rbxmx")), model("F", &attributes)).unwrap();
    let document = |args: &[&str], file: &str| -> Value {
        let output = program(&folder).args(args).arg(name(file)).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(document(&["check", "--report=json"], ".bin")["file"], hex(b".bin"));
    assert_eq!(document(&["inspect", "--json"], ".bin")["file"], hex(b".bin"));
    assert_eq!(document(&["ls", "--summary", "--json"], ".bin")["largest"]["of"], hex(b".bin"));
    assert_eq!(document(&["decode"], ".rbxmx")["file"], hex(b".rbxmx"));
    assert_eq!(document(&["get", "--json", "--threads=1"], ".rbxmx")["file"], hex(b".rbxmx"));
    let row = document(&["check", "--report=json"], ".rbxmx");
    assert_eq!((&row["file"], &row["address"]), (&hex(b".rbxmx"), &json!("F")));
    let output = program(&folder).arg("check").arg(name(".bin")).output().unwrap();
    assert_eq!(told(&output), (0, "\\xff.bin: ok, 1 entry, canonical\n".to_owned(), String::new()));
    let output = program(&folder).arg("check").arg(name("?")).output().unwrap();
    assert!(told(&output).2.starts_with("error: cannot read \\xff?: "));
}

fn scanned(folder: &Path, args: &[&str]) -> (i32, Vec<String>) {
    let (status, stdout, stderr) = run(folder, &[&["get", "--json", "-q"], args, &["--"]].concat());
    assert_eq!(stderr, "");
    let file = |line: &str| serde_json::from_str::<Value>(line).unwrap()["file"].as_str().unwrap().to_owned();
    let mut files: Vec<_> = stdout.lines().map(file).collect();
    files.dedup();
    (status, files)
}

#[test]
fn a_scan_reads_each_file_once_whatever_it_is_called() {
    let folder = folder("once");
    fs::create_dir_all(folder.join("t/u")).unwrap();
    let content = model("F", &blob(&[(b"On", b"\x03\x01")]));
    for name in ["t/a.rbxmx", "t/u/b.rbxmx"] {
        fs::write(folder.join(name), &content).unwrap();
    }
    symlink("t", folder.join("link")).unwrap();
    let two = |files: [&str; 2]| (0, files.map(str::to_owned).to_vec());
    assert_eq!(scanned(&folder, &["link"]), two(["link/a.rbxmx", "link/u/b.rbxmx"]));
    assert_eq!(scanned(&folder, &["link/"]), two(["link/a.rbxmx", "link/u/b.rbxmx"]));
    assert_eq!(scanned(&folder, &["t", "./t"]).1.len(), 2);
    assert_eq!(scanned(&folder, &["t", "t/u", "./link", "t/u/b.rbxmx"]).1.len(), 2);
    fs::hard_link(folder.join("t/a.rbxmx"), folder.join("t/c.rbxmx")).unwrap();
    symlink("u/b.rbxmx", folder.join("t/d.rbxmx")).unwrap();
    assert_eq!(scanned(&folder, &["t"]), two(["t/a.rbxmx", "t/d.rbxmx"]));
}

#[test]
fn what_a_scan_cannot_read_has_a_row() {
    let folder = folder("rows");
    symlink("nowhere", folder.join("lost.rbxm")).unwrap();
    fs::write(folder.join("text.rbxm"), "no model").unwrap();
    let (status, stdout, stderr) = run(&folder, &["get", "--json", ".", "absent.rbxm", "--"]);
    let rows: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((status, rows.len(), stderr.lines().filter(|line| line.starts_with("error: ")).count()), (4, 3, 3));
    let message = |row: &Value| row["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(rows[0]["file"], "./lost.rbxm");
    assert!(message(&rows[0]).starts_with("cannot read ./lost.rbxm: "), "{}", rows[0]);
    assert_eq!(
        (&rows[1]["file"], message(&rows[1])),
        (&json!("./text.rbxm"), "not a Roblox model or place file: the file is text".into())
    );
    assert_eq!(rows[2]["file"], "absent.rbxm");
    let (status, stdout, stderr) = run(&folder, &["get", "--json", "-", ".", "--"]);
    let expected = "error: standard input is read alone: enginewire get -\n";
    assert_eq!((status, stdout, stderr), (2, String::new(), expected.to_owned()));
}

/// The status of a program, and its peak memory in kB as it was last seen.
#[cfg(target_os = "linux")]
fn peak(folder: &Path, args: &[&str]) -> (Option<i32>, u64) {
    let mut child = program(folder).args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let path = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Some(now) = fs::read_to_string(&path).unwrap().lines().find_map(|line| line.strip_prefix("VmHWM:")) {
            peak = peak.max(now.trim().trim_end_matches(" kB").parse().unwrap());
        }
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), peak);
        }
        std::thread::yield_now();
    }
}

/// 60 files that give 30 MB of rows, in an order that makes all wait for the first.
#[cfg(target_os = "linux")]
#[test]
fn a_scan_takes_no_more_memory_for_more_files() {
    let folder = folder("many");
    let keys: Vec<_> = (0..2000).map(|number| format!("key{number}")).collect();
    let attributes: Vec<(&[u8], &[u8])> = keys.iter().map(|key| (key.as_bytes(), &b"\x03\x01"[..])).collect();
    let content = model("F", &blob(&attributes));
    for number in 0..60 {
        fs::write(folder.join(format!("{number}.rbxmx")), &content).unwrap();
    }
    let few = peak(&folder, &["get", "--json", "--max-memory", "8M", "0.rbxmx", "1.rbxmx", "--"]);
    let many = peak(&folder, &["get", "--json", "--max-memory", "8M", "."]);
    assert!(few.0 == Some(0) && many.0 == Some(0));
    assert!(many.1 < few.1 + (12 << 10), "{} kB for 2 files, {} kB for 60", few.1, many.1);
    let (_, one, _) = run(&folder, &["get", "--json", "--max-memory", "8M", "--threads", "1", "."]);
    let (_, four, _) = run(&folder, &["get", "--json", "--max-memory", "8M", "--threads", "4", "."]);
    assert!(one == four && one.lines().count() == 60 * 2000);
}

/// A file that takes more than the share of a thread is read alone, and not refused.
#[test]
fn the_threads_of_a_scan_share_the_memory() {
    let folder = folder("share");
    let content = model("F", &blob(&[(b"k", &text_value(&vec![b'x'; 100_000]))]));
    for number in 0..8 {
        fs::write(folder.join(format!("{number}.rbxmx")), &content).unwrap();
    }
    for threads in ["1", "8"] {
        let (status, stdout, stderr) =
            run(&folder, &["get", "--json", "--max-memory", "4M", "--threads", threads, "."]);
        assert_eq!((status, stdout.lines().count(), stderr.as_str()), (0, 8, ""));
    }
    let (status, stdout, stderr) = run(&folder, &["get", "--json", "--max-memory", "128K", "."]);
    assert_eq!((status, stdout.lines().count()), (4, 8));
    assert!(stdout.lines().all(|line| line.contains("\"error\"")));
    assert!(stderr.contains("raise the limit with --max-memory"), "{stderr}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_difference_in_much_is_found_in_little_memory() {
    let folder = folder("diff");
    fs::write(folder.join("a.bin"), array(300_000, None)).unwrap();
    fs::write(folder.join("b.bin"), array(300_000, Some(299_999))).unwrap();
    fs::write(folder.join("c.bin"), array(300_001, None)).unwrap();
    assert_eq!(run(&folder, &["diff", "a.bin", "a.bin"]), (0, String::new(), String::new()));
    let expected = "~ a[299999]: true -> false\n";
    assert_eq!(run(&folder, &["diff", "a.bin", "b.bin"]), (1, expected.to_owned(), String::new()));
    let expected = "+ a[300000]: true\n";
    assert_eq!(run(&folder, &["diff", "a.bin", "c.bin"]), (1, expected.to_owned(), String::new()));
    // as JSON values they took 200 MB
    let (_, peak) = peak(&folder, &["diff", "a.bin", "b.bin"]);
    assert!(peak < 80 << 10, "{peak} kB");
}

#[test]
fn values_differ_field_by_field() {
    let folder = folder("fields");
    let diff = |a: &[u8], b: &[u8]| {
        fs::write(folder.join("a.bin"), a).unwrap();
        fs::write(folder.join("b.bin"), b).unwrap();
        let (_, text, errors) = run(&folder, &["diff", "-f", "roblox-attributes", "a.bin", "b.bin"]);
        assert_eq!(errors, "");
        text
    };
    let one = |value: &[u8]| blob(&[(b"k", value)]);
    let nan = |bits: u32| one(&[&b"\x05"[..], &bits.to_le_bytes()].concat());
    assert_eq!(diff(&nan(0x7fc0_0001), &nan(0x7fc0_0001)), "");
    assert_eq!(diff(&nan(0x7fc0_0001), &nan(0x7fc0_0002)), "~ k: nan(0x7fc00001) -> nan(0x7fc00002)\n");
    let vector = |x: f32| [&b"\x11"[..], &x.to_le_bytes(), &[0; 8]].concat();
    assert_eq!(diff(&one(&vector(1.0)), &one(&vector(2.0))), "~ k: Vector3.new(1, 0, 0) -> Vector3.new(2, 0, 0)\n");
    assert_eq!(diff(&one(b"\x03\x01"), &one(&vector(2.0))), "~ k: true -> Vector3.new(2, 0, 0)\n");
    let list = |items: &[&[u8]]| {
        one(&[&b"\x07"[..], &u32::try_from(items.len()).unwrap().to_le_bytes(), &items.concat()].concat())
    };
    let text = diff(&list(&[b"\x03\x01", &vector(1.0)]), &list(&[&text_value(b"\x9b\xff"), &vector(3.0)]));
    assert_eq!(text, "~ k[0]: true -> \"\\x9b\\xff\"\n~ k[1]: Vector3.new(1, 0, 0) -> Vector3.new(3, 0, 0)\n");
    let dictionary = |key: &[u8]| one(&[&b"\x08\x01\0\0\0"[..], &string(key), b"\x03\x01"].concat());
    assert_eq!(diff(&dictionary(b"a"), &dictionary(b"b")), "- k.a: true\n+ k.b: true\n");
    let keypoint = |value: f32| [&[0; 8][..], &value.to_le_bytes()].concat();
    let sequence = |values: &[f32]| {
        let keypoints: Vec<_> = values.iter().map(|value| keypoint(*value)).collect();
        one(&[&b"\x17"[..], &u32::try_from(values.len()).unwrap().to_le_bytes(), &keypoints.concat()].concat())
    };
    let told = diff(&sequence(&[1.0]), &sequence(&[1.5]));
    assert_eq!(told, "~ k[0]: NumberSequenceKeypoint.new(0, 1) -> NumberSequenceKeypoint.new(0, 1.5)\n");
    let keypoints = |count: usize| vec!["NumberSequenceKeypoint.new(0, 1)"; count].join(", ");
    let told = diff(&sequence(&[1.0]), &sequence(&[1.0; 2]));
    let [a, b] = [1, 2].map(|count| format!("NumberSequence.new({{{}}})", keypoints(count)));
    assert_eq!(told, format!("~ k: {a} -> {b}\n"));
    // of many, the whole is shown
    let told = diff(&sequence(&[1.0; 17]), &sequence(&[1.5; 17]));
    assert!(told.starts_with("~ k: NumberSequence.new("), "{told}");
    let twice = |values: [&[u8]; 2]| blob(&[(b"k", values[0]), (b"j", b"\x03\x01"), (b"k", values[1])]);
    let text = diff(&twice([b"\x03\x01", b"\x03\x01"]), &twice([b"\x03\x01", b"\x03\0"]));
    assert_eq!(text, "~ [#2]: true -> false\n");
}

#[test]
fn a_tree_ends_at_the_limit_of_memory_and_says_so() {
    let folder = folder("ls");
    let bytes = array(100_000, None);
    fs::write(folder.join("a.bin"), &bytes).unwrap();
    let expected = "error: the tree takes more memory than the limit of 1M; raise it with --max-memory\n  --> a.bin\n";
    let (status, stdout, stderr) = run(&folder, &["inspect", "--json", "--max-memory", "1M", "a.bin"]);
    assert_eq!((status, stderr.as_str()), (4, expected));
    let tree: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&tree["limit"], &tree["error"]), (&json!(1 << 20), &Value::Null));
    let (start, end) = (tree["gap"]["start"].as_u64().unwrap(), tree["gap"]["end"].as_u64().unwrap());
    assert!(start > 1000 && start < 20_000 && Ok(end) == u64::try_from(bytes.len()), "{start}..{end}");
    let (status, stdout, stderr) = run(&folder, &["inspect", "--max-memory", "1M", "a.bin"]);
    assert_eq!((status, stderr.as_str()), (4, expected));
    assert!(stdout.contains("✗ the tree ends here") && stdout.contains("(unread: "), "{stdout}");
    assert_eq!(run(&folder, &["inspect", "--json", "--max-memory", "200M", "a.bin"]).0, 0);
}

/// Only one entry of a list is in memory at a time, whichever part of the tree is shown.
#[cfg(target_os = "linux")]
#[test]
fn a_tree_takes_the_memory_of_its_largest_entry() {
    let folder = folder("parts");
    let entries = |count: u32| {
        let keys: Vec<_> = (0..count).map(|number| format!("key{number}").into_bytes()).collect();
        blob(&keys.iter().map(|key| (key.as_slice(), &b"\x03\x01"[..])).collect::<Vec<_>>())
    };
    fs::write(folder.join("few.bin"), entries(1_000)).unwrap();
    fs::write(folder.join("many.bin"), entries(30_000)).unwrap();
    // whole trees took 40 MB
    for args in [&[][..], &["--json"], &["--path", "entries[9].value"], &["--find", "999"]] {
        let of = |file: &'static str| peak(&folder, &[&["inspect", "-f", "roblox-attributes"], args, &[file]].concat());
        let many = of("many.bin");
        // a short run may end before its peak is seen
        let few = (0..5).map(|_| of("few.bin")).max().unwrap();
        assert!(few.0 == Some(0) && many.0 == Some(0), "{args:?}");
        assert!(many.1 < few.1 + (8 << 10), "{args:?}: {} kB for 1,000, {} kB for 30,000", few.1, many.1);
    }
}

/// Only a few values of a stream are in memory at a time, regardless of its length.
#[cfg(target_os = "linux")]
#[test]
fn a_stream_takes_the_memory_of_a_few_values() {
    let folder = folder("stream");
    let value = [&b"\x08\x20\0\0\x1d\0\0\0\0\x20\0\0"[..], &[7; 0x2000]].concat();
    fs::write(folder.join("few.frames"), value.repeat(200)).unwrap();
    fs::write(folder.join("many.frames"), value.repeat(3_000)).unwrap();
    let of = |file| peak(&folder, &["decode", "-f", "godot-4", "--framing", "le", file]);
    let (few, many) = (of("few.frames"), of("many.frames"));
    assert!(few.0 == Some(0) && many.0 == Some(0));
    // what is read ahead depends on how the threads are scheduled; all values take 24 MB
    assert!(many.1 < few.1 + (12 << 10), "{} kB for 200 values, {} kB for 3,000", few.1, many.1);
    // a file may be larger than the memory
    assert_eq!(run(&folder, &["check", "-f", "godot-4", "--framing", "le", "--max-memory", "1M", "many.frames"]).0, 0);
    let (status, _, stderr) =
        run(&folder, &["decode", "-f", "godot-4", "--framing", "le", "--max-memory", "8K", "few.frames"]);
    let expected =
        "error: the value is larger than the limit of 8K; raise the limit with --max-memory\n  --> few.frames: [0]\n";
    assert_eq!((status, stderr.as_str()), (4, expected));
}

/// However a tree is made, it is shown alike.
#[test]
fn a_tree_in_parts_is_shown_as_a_whole_is() {
    let folder = folder("alike");
    let entry = |number: u32| [&string(format!("k{number:05}").as_bytes())[..], b"\x03\x01"].concat();
    let list =
        |count: u32, entries: u32| [count.to_le_bytes().to_vec(), (0..entries).flat_map(entry).collect()].concat();
    let shown = |bytes: &[u8], args: &[&str]| {
        fs::write(folder.join("a.bin"), bytes).unwrap();
        let args = [&["inspect", "-f", "roblox-attributes"], args, &["a.bin"]].concat();
        let (status, stdout, stderr) = run(&folder, &args);
        (status, stdout.lines().map(str::to_owned).collect::<Vec<_>>(), stderr)
    };
    let (status, lines, _) = shown(&list(20_000, 20_000), &[]);
    let (_, few, _) = shown(&list(100, 100), &[]);
    assert_eq!((status, lines.len() - few.len()), (0, 19_900 * (few.len() - 4) / 100));
    assert_eq!(lines[0], "a.bin: roblox-attributes, 240,004 bytes");
    assert_eq!(lines[3..few.len()], few[3..]);
    assert_eq!(lines.iter().filter(|line| line.ends_with("│ entries")).count(), 1);
    let (_, path, _) = shown(&list(20_000, 20_000), &["--path", "entries[19999].key"]);
    assert!(path.len() > 2 && path[2].ends_with("│ key: \"k19999\""), "{path:?}");
    let (_, found, _) = shown(&list(20_000, 20_000), &["--find", "k1999", "--depth", "2"]);
    assert_eq!(found.len(), 2 + 1 + 10 * 2, "{found:?}");
    assert!(found[2].ends_with("│ entries") && found[21].ends_with("│   [19999] \"k19999\": true"), "{found:?}");
    let (status, none, error) = shown(&list(20_000, 20_000), &["--find", "absent"]);
    assert_eq!((status, none, error.lines().count()), (7, vec![], 1));

    // the end is cut off, broken, or followed by more
    let whole = list(20_000, 20_000);
    let broken = [&list(20_001, 20_000)[..], &string(b"bad"), b"\xff"].concat();
    let trailing = [&whole[..], b"more"].concat();
    for (bytes, status, fault) in [
        (&whole[..whole.len() - 1], 5, "✗ input ends too early"),
        (&broken, 4, "✗ unknown type id 0xff"),
        (&trailing, 4, "✗ unexpected bytes after"),
    ] {
        let (found, lines, error) = shown(bytes, &[]);
        assert_eq!(found, status, "{error}");
        let last = lines[lines.len() - 8..].join("\n");
        assert!(last.contains(fault), "{last}");
        let (found, lines, _) = shown(bytes, &["--json"]);
        let tree: Value = serde_json::from_str(&lines[0]).unwrap();
        assert_eq!((found, lines.len()), (status, 1));
        let children = tree["nodes"][1]["children"].as_array().unwrap();
        assert!(children.len() >= 20_000 && tree["error"]["message"].is_string());
        assert_eq!(tree["nodes"].as_array().unwrap().len(), 2);
    }
    let (status, lines, _) = shown(&trailing, &["--allow=trailing"]);
    assert_eq!(status, 0);
    assert!(lines[lines.len() - 3..].concat().contains("! not canonical: bytes"), "{:?}", lines.last());
}

/// A container of a few bytes can hold a value that would take gigabytes when decoded.
#[test]
fn a_value_in_a_container_is_decoded_only_where_there_is_memory() {
    let folder = folder("embedded");
    let attributes = array(50_000, None);
    fs::write(folder.join("a.rbxmx"), model("F", &attributes)).unwrap();
    fs::write(folder.join("a.bin"), &attributes).unwrap();
    let expected = "error: a value of 100,014 bytes may need 32 times as much memory, but the limit is 2M; \
                    raise it with --max-memory\n  --> a.rbxmx: F\n";
    for verb in [&["decode"][..], &["get"], &["ls", "--summary"], &["get", "--threads=1"]] {
        let (status, _, stderr) = run(&folder, &[verb, &["--max-memory", "2M", "a.rbxmx"]].concat());
        assert_eq!((status, stderr.as_str()), (4, expected), "{verb:?}");
        assert_eq!(run(&folder, &[verb, &["--max-memory", "8M", "a.rbxmx"]].concat()).0, 0, "{verb:?}");
    }
    // `check` builds no values, and a file that is a single value is not refused by this estimate
    assert_eq!(run(&folder, &["check", "--max-memory", "2M", "a.rbxmx"]).0, 0);
    assert_eq!(run(&folder, &["decode", "--max-memory", "2M", "a.bin"]).0, 0);
}

/// Properties that share a value are each written with it.
#[test]
fn a_value_that_is_shared_very_often_is_not_written_without_end() {
    let folder = folder("shared");
    let value = BASE64.encode(&blob(&[(b"k", &text_value(&vec![b'x'; 10_000]))]));
    let items: String = (0..500)
        .map(|number| {
            format!(
                "<Item class=\"Folder\" referent=\"R{number}\"><Properties>\
                 <SharedString name=\"AttributesSerialize\">K</SharedString></Properties></Item>\n"
            )
        })
        .collect();
    let strings = format!("<SharedStrings><SharedString md5=\"K\">{value}</SharedString></SharedStrings>");
    fs::write(folder.join("a.rbxmx"), format!("<roblox version=\"4\">\n{items}{strings}</roblox>\n")).unwrap();
    let reason = "are larger than the limit of 1M; raise the limit with --max-memory";
    for args in [&["decode"][..], &["check"], &["ls", "--summary"], &["inspect"], &["get"], &["diff", "a.rbxmx"]] {
        let (status, stdout, stderr) = run(&folder, &[args, &["--max-memory", "1M", "a.rbxmx"]].concat());
        assert_eq!(status, 4, "{args:?}");
        // of two files each has its part
        let reason = if args[0] == "diff" { reason.replace("1M", "768K") } else { reason.to_owned() };
        assert!(stderr.contains(&reason), "{args:?}: {stderr}");
        assert!(stdout.len() < 3 << 20, "{args:?}");
        assert_eq!(run(&folder, &[args, &["--max-memory", "8M", "a.rbxmx"]].concat()).0, 0, "{args:?}");
    }
}

/// Files without an end are refused by every verb that would hold them.
#[cfg(target_os = "linux")]
#[test]
fn no_verb_holds_more_than_the_limit() {
    let folder = folder("endless");
    fs::write(folder.join("a.bin"), blob(&[])).unwrap();
    let zero = || Stdio::from(fs::File::open("/dev/zero").unwrap());
    for args in [
        &["diff", "a.bin", "-"][..],
        &["diff", "-", "a.bin"],
        &["diff", "a.bin", "/dev/zero"],
        &["get", "-"],
        &["set", "-", "x", "a:Bool=true", "-o", "-"],
        &["set", "/dev/zero", "x", "a:Bool=true", "-o", "-"],
        &["decode", "-"],
        &["inspect", "-"],
        &["ls", "--summary", "-"],
        &["encode", "-"],
    ] {
        let output = program(&folder).args(args).args(["--max-memory", "1M"]).stdin(zero()).output().unwrap();
        let (status, stdout, stderr) = told(&output);
        assert!(status == 3 && (stdout.is_empty() || args[0] == "ls"), "{args:?}: {status}, {stdout}");
        assert!(stderr.contains("raise the limit with --max-memory"), "{args:?}: {stderr}");
    }
}
