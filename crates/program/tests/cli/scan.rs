//! `get` of folders: its forms of rows, its lists of files, and going on after it was stopped.

use super::{fixtures, folder, model, program, run, run_with, told};
use pretty_assertions::assert_eq;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The records of CSV: fields in quotes may have commas, line breaks and doubled quotes.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if is_quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => record.push(std::mem::take(&mut field)),
            '\n' if !is_quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            char => field.push(char),
        }
    }
    assert!(field.is_empty() && record.is_empty() && !is_quoted, "the last line has an end");
    records
}

#[test]
fn csv_says_what_json_says() {
    let (status, json, stderr) = told(&run(&["get", "--json", "../roblox-model"]));
    let (csv_status, csv, csv_stderr) = told(&run(&["get", "--csv", "../roblox-model"]));
    assert_eq!((status, stderr), (csv_status, csv_stderr));
    let (json, csv) = (rows(&json), records(&csv));
    let (head, csv) = csv.split_first().unwrap();
    assert_eq!(head[..5], ["file", "address", "path", "type", "text"]);
    assert_eq!((json.len(), head.len()), (csv.len(), 17));
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    for (json, csv) in json.iter().zip(csv) {
        for (name, field) in head.iter().zip(csv) {
            let member = match name.as_str() {
                "value" if json["tags"].is_array() => &json["tags"],
                // numbers of other widths have other digits
                "value" => {
                    assert_eq!(serde_json::from_str::<Value>(field).unwrap_or(Value::Null), json["value"]);
                    continue;
                }
                "chunk_offset" => &json["chunk"]["offset"],
                "file_offset" if json["content"].is_array() => &json["content"][0],
                "error" => &json["error"]["message"],
                "error_offset" => &json["error"]["offset"],
                "error_path" => &json["error"]["path"],
                name => &json[name],
            };
            assert_eq!(*field, text(member), "{name} of {json}");
        }
    }
}

#[test]
fn an_instance_is_named_with_its_referent_and_each_file_has_a_row() {
    let (_, stdout, _) = told(&run(&["get", "--json", "-q", "../roblox-model"]));
    let found = rows(&stdout);
    assert!(found.iter().filter(|row| row["instance"].is_string()).count() > 100);
    assert!(found.iter().all(|row| row["instance"].is_string() == row["referent"].is_string()));
    let mut files: Vec<_> = found.iter().map(|row| row["file"].as_str().unwrap().to_owned()).collect();
    files.dedup();
    // a file without attributes, tags and errors
    let folder = folder("scan-nothing");
    let file = folder.join("none.rbxmx").to_str().unwrap().to_owned();
    fs::write(&file, r#"<roblox version="4"></roblox>"#).unwrap();
    assert_eq!(
        told(&run(&["get", "--json", "--threads", "1", &file])),
        (0, format!("{{\"file\":\"{file}\"}}\n"), String::new())
    );
    let (_, csv, _) = told(&run(&["get", "--csv", "--threads", "1", &file]));
    assert_eq!(records(&csv)[1], [&[file][..], &vec![String::new(); 16]].concat());
}

#[test]
fn hidden_and_ignored_files_are_read_when_asked_for() {
    let folder = folder("scan-ignored");
    for within in ["", ".hidden/", "ignored/"] {
        fs::create_dir_all(folder.join(within)).unwrap();
        model(&folder.join(within), "tags.rbxm");
    }
    fs::write(folder.join(".ignore"), "ignored\n").unwrap();
    let dir = folder.to_str().unwrap();
    let files = |args: &[&str]| {
        let (status, stdout, _) = told(&run(&[&["get", "--json", dir], args].concat()));
        assert_eq!(status, 0);
        let name = |row: &Value| Path::new(row["file"].as_str().unwrap()).strip_prefix(dir).unwrap().to_owned();
        let mut files: Vec<_> = rows(&stdout).iter().map(name).collect();
        files.dedup();
        files.iter().map(|file| file.to_str().unwrap().replace('\\', "/")).collect::<Vec<_>>()
    };
    let [plain, hidden, ignored] = ["tags.rbxm", ".hidden/tags.rbxm", "ignored/tags.rbxm"];
    assert_eq!(files(&[]), [plain]);
    assert_eq!(files(&["--hidden"]), [hidden, plain]);
    assert_eq!(files(&["--no-ignore"]), [ignored, plain]);
    assert_eq!(files(&["--hidden", "--no-ignore"]), [hidden, ignored, plain]);
}

#[test]
fn files_with_errors_are_scanned_again() {
    let failed = folder("scan-failed").join("failed.txt").to_str().unwrap().to_owned();
    let (status, _, stderr) =
        told(&run(&["get", "--json", "--failed", &failed, "../roblox-model", "../roblox-model/nowhere.rbxm"]));
    let names = fs::read_to_string(&failed).unwrap();
    let bad = ["bad/chunk.rbxm", "bad/cut.rbxm", "bad/cut.rbxmx", "made.none.rbxm", "made.rbxm"];
    let expected: String = bad.iter().map(|name| format!("../roblox-model/{name}\n")).collect();
    assert_eq!((status, names), (5, format!("{expected}../roblox-model/nowhere.rbxm\n")));
    // the list may be overwritten while it is read
    let again = ["get", "--json", "--files-from", &failed, "--failed", &failed];
    let (again_status, stdout, again_stderr) = told(&run(&again));
    let others = "3 other files not recognised (-f names a format)\n";
    assert_eq!((again_status, again_stderr + others), (status, stderr));
    let mut files: Vec<_> = rows(&stdout).iter().map(|row| row["file"].as_str().unwrap().to_owned() + "\n").collect();
    files.dedup();
    assert_eq!(files.concat(), format!("{expected}../roblox-model/nowhere.rbxm\n"));
    assert_eq!(fs::read_to_string(&failed).unwrap(), files.concat());
    // `-0`, and in the order of the list
    let list = b"../roblox-model/tags.rbxm\0../roblox-model/enum-attribute.rbxm\0../roblox-model/tags.rbxm\0";
    let (status, stdout, _) = told(&run_with(&["get", "--json", "-0", "--files-from", "-", "--failed", &failed], list));
    let mut files: Vec<_> = rows(&stdout).iter().map(|row| row["file"].as_str().unwrap().to_owned()).collect();
    files.dedup();
    assert_eq!(
        (status, files),
        (0, ["tags.rbxm", "enum-attribute.rbxm"].map(|name| format!("../roblox-model/{name}")).into())
    );
    assert_eq!(fs::read(&failed).unwrap(), b"");
}

#[cfg(unix)]
#[test]
fn a_name_with_a_line_break_is_listed_with_a_byte_0() {
    let folder = folder("scan-line-break");
    let (name, failed) = (folder.join("a\nb.rbxm"), folder.join("failed").to_str().unwrap().to_owned());
    fs::write(&name, "no model").unwrap();
    let dir = folder.to_str().unwrap();
    let (status, _, stderr) = told(&run(&["get", "--json", "--failed", &failed, dir]));
    assert!(status == 3 && stderr.contains("its name has a line break; use -0"), "{stderr}");
    assert_eq!(told(&run(&["get", "--json", "-0", "--failed", &failed, dir])).0, 4);
    assert_eq!(fs::read(&failed).unwrap(), [name.to_str().unwrap().as_bytes(), b"\0"].concat());
    let (status, _, stderr) = told(&run(&["get", "--json", "--files-from", &failed]));
    assert!(status == 2 && stderr.contains("end with a byte 0; use -0"), "{stderr}");
    let (status, stdout, _) = told(&run(&["get", "--json", "-0", "--files-from", &failed]));
    assert_eq!((status, &rows(&stdout)[0]["file"]), (4, &Value::from(name.to_str().unwrap())));
}

/// A folder of many models, some of them broken; arguments that scan it, and the rows and the list of failed files that
/// they give.
fn long_scan(name: &str, form: &[&str]) -> (std::path::PathBuf, Vec<String>, Vec<u8>, Vec<u8>) {
    let folder = folder(name);
    fs::create_dir_all(folder.join("places")).unwrap();
    for (number, name) in
        (0..150).zip(["made.rbxm", "tags.rbxm", "bad/cut.rbxm", "enum-attribute.rbxmx"].iter().cycle())
    {
        let content = fs::read(fixtures().join("../roblox-model").join(name)).unwrap();
        fs::write(folder.join(format!("places/{number}.rbxm")), content).unwrap();
    }
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let args =
        ["get", "-q", "--resume", &path("state"), "-o", &path("rows"), "--failed", &path("failed"), &path("places")];
    let args: Vec<String> = args.iter().chain(form).map(|arg| (*arg).to_owned()).collect();
    assert_eq!(scanned(&args), Some(5));
    let (rows, failed) = (fs::read(folder.join("rows")).unwrap(), fs::read(folder.join("failed")).unwrap());
    assert!(rows.len() > 100_000 && failed.iter().filter(|byte| **byte == b'\n').count() == 75);
    (folder, args, rows, failed)
}

fn scanned(args: &[String]) -> Option<i32> {
    let output = program().args(args).output().unwrap();
    assert_eq!((&output.stdout[..], &output.stderr[..]), (&b""[..], &b""[..]));
    output.status.code()
}

#[test]
fn a_scan_that_was_stopped_anywhere_goes_on() {
    for form in [&["--json"][..], &["--csv"]] {
        let (folder, args, rows, failed) = long_scan("scan-stopped", form);
        let [rows_file, state_file] = ["rows", "state"].map(|name| folder.join(name));
        let state = fs::read(&state_file).unwrap();
        for step in 0..12 {
            // what was written when it stopped: records up to here, and maybe rows of the files after them
            let cut = state.len() * step / 11;
            let whole = state[..cut].iter().rposition(|byte| *byte == 0).map_or(0, |last| last + 1);
            let last = state[..whole].split(|byte| *byte == 0).rev().nth(1).unwrap_or_default();
            let length =
                String::from_utf8_lossy(last).split(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or(0usize);
            fs::write(&state_file, &state[..cut]).unwrap();
            fs::write(&rows_file, &rows[..(length + 700 * (step % 3)).min(rows.len())]).unwrap();
            fs::remove_file(folder.join("failed")).unwrap();
            assert_eq!(scanned(&args), Some(5), "the statuses of all files count");
            assert!(fs::read(&rows_file).unwrap() == rows, "stopped at {cut} of {}", state.len());
            assert!(fs::read(folder.join("failed")).unwrap() == failed && fs::read(&state_file).unwrap() == state);
        }
        // rows that are gone are not taken for done
        fs::write(&rows_file, &rows[..1000]).unwrap();
        let (status, _, stderr) = told(&program().args(&args).args(["--color=never"]).output().unwrap());
        assert_eq!((status, stderr), (2, String::new()));
        let loud: Vec<_> = args.iter().filter(|arg| *arg != "-q").collect();
        let (status, _, stderr) = told(&program().args(loud).output().unwrap());
        assert!(
            status == 2 && stderr.contains("has 1000 bytes, but") && stderr.contains("to read all files again"),
            "{stderr}"
        );
        assert!(fs::read(&rows_file).unwrap() == rows[..1000], "nothing was written");
    }
}

#[cfg(unix)]
#[test]
fn a_scan_that_is_killed_again_and_again_gives_each_row_once() {
    let (folder, args, rows, failed) = long_scan("scan-killed", &["--json"]);
    for name in ["rows", "state", "failed"] {
        fs::remove_file(folder.join(name)).unwrap();
    }
    let mut kills = 0;
    for round in 0.. {
        assert!(round < 1000, "it never ends");
        // where coverage is measured, it must not leave half of a file that others add to
        let mut scan = program();
        scan.args(&args)
            .env("LLVM_PROFILE_FILE", "/dev/null")
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        let mut child = scan.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(10 + 5 * round));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        kills += i32::from(child.wait().unwrap().code().is_none());
    }
    assert!(kills > 0);
    assert_eq!(scanned(&args), Some(5));
    assert!(fs::read(folder.join("rows")).unwrap() == rows, "after {kills} kills");
    assert!(fs::read(folder.join("failed")).unwrap() == failed);
}

#[test]
fn a_scan_writes_over_no_file_that_is_not_its_own() {
    let folder = folder("scan-over");
    let file = model(&folder, "tags.rbxm");
    let plain = folder.join("plain").to_str().unwrap().to_owned();
    fs::copy(&file, &plain).unwrap();
    let before = fs::read(&file).unwrap();
    let rows = folder.join("rows").to_str().unwrap().to_owned();
    for (args, reason) in [
        (&["get", "--json", &file, "-o", &file][..], "would overwrite a model file; name another file to write to"),
        (&["get", "--json", &file, "--failed", &file], "would overwrite a model file; name another file to write to"),
        (&["get", "--json", &plain, "-o", &plain], "is a file to read; name another file to write to"),
        (&["get", "--json", &file, "-o", &rows, "--resume", &plain], "it is not a state file"),
        (&["get", "--json", &file, "-o", &rows, "--failed", &rows], "name the same file"),
        (&["get", "--json", &file, "--resume", &rows], "--output <FILE>"),
        (&["get", "--plain", "--threads", "1", &file], "for one file"),
    ] {
        let (status, stdout, stderr) = told(&run(args));
        assert!(status == 2 && stdout.is_empty() && stderr.contains(reason), "{args:?}: {stderr}");
        assert!(fs::read(&file).unwrap() == before && fs::read(&plain).unwrap() == before, "{args:?}");
    }
    assert!(!Path::new(&rows).exists());
    let (status, _, stderr) = told(&run(&["get", "--json", &file, "-o", &format!("{rows}/rows")]));
    assert!(status == 3 && stderr.starts_with("error: cannot write "), "{stderr}");
}

#[test]
fn a_scan_of_nothing_says_so() {
    let dir = folder("scan-of-nothing");
    let (status, stdout, stderr) = told(&run(&["get", "--json", dir.to_str().unwrap()]));
    assert_eq!((status, stdout), (0, String::new()));
    assert!(stderr.starts_with("nothing to read: no file is recognised"), "{stderr}");
}
