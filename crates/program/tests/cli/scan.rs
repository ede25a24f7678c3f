//! `get` of folders: its forms of rows, and its lists of files.

use super::{folder, model, run, run_with, told};
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

/// The names of the files in rows, each once for the rows beside each other.
fn names(rows: &[Value]) -> Vec<String> {
    let mut names: Vec<_> = rows.iter().map(|row| row["file"].as_str().unwrap().to_owned()).collect();
    names.dedup();
    names
}

/// The rows name them, and the list of names is read in its order.
#[test]
fn files_with_errors_are_scanned_again() {
    let (status, stdout, stderr) =
        told(&run(&["get", "--json", "../roblox-model", "../roblox-model/nowhere.rbxm", "--"]));
    let failed: Vec<_> = rows(&stdout).into_iter().filter(|row| row.get("error").is_some()).collect();
    let bad = ["bad/chunk.rbxm", "bad/cut.rbxm", "bad/cut.rbxmx", "made.none.rbxm", "made.rbxm", "nowhere.rbxm"];
    let bad = bad.map(|name| format!("../roblox-model/{name}"));
    assert_eq!((status, names(&failed)), (5, bad.to_vec()));
    let list = names(&failed).join("\n");
    let (again, stdout, again_stderr) = told(&run_with(&["get", "--json", "--files-from", "-"], list.as_bytes()));
    let others = "3 other files not recognised (-f names a format)\n";
    assert_eq!((again, again_stderr + others), (status, stderr));
    assert_eq!(names(&rows(&stdout)), bad);
    let list = b"../roblox-model/tags.rbxm\0../roblox-model/enum-attribute.rbxm\0../roblox-model/tags.rbxm\0";
    let (status, stdout, _) = told(&run_with(&["get", "--json", "-0", "--files-from", "-"], list));
    let expected = ["tags.rbxm", "enum-attribute.rbxm"].map(|name| format!("../roblox-model/{name}"));
    assert_eq!((status, names(&rows(&stdout))), (0, expected.to_vec()));
}

#[cfg(unix)]
#[test]
fn a_name_with_a_line_break_is_listed_with_a_byte_0() {
    let name = folder("scan-line-break").join("a\nb.rbxm");
    fs::write(&name, "no model").unwrap();
    let list = [name.to_str().unwrap().as_bytes(), b"\0"].concat();
    let (status, _, stderr) = told(&run_with(&["get", "--json", "--files-from", "-"], &list));
    assert!(status == 2 && stderr.contains("end with a byte 0; use -0"), "{stderr}");
    let (status, stdout, _) = told(&run_with(&["get", "--json", "-0", "--files-from", "-"], &list));
    assert_eq!((status, &rows(&stdout)[0]["file"]), (4, &Value::from(name.to_str().unwrap())));
}

#[test]
fn a_scan_writes_over_no_file_that_is_not_its_own() {
    let folder = folder("scan-over");
    let file = model(&folder, "tags.rbxm");
    let plain = folder.join("plain").to_str().unwrap().to_owned();
    fs::copy(&file, &plain).unwrap();
    let before = fs::read(&file).unwrap();
    let list = folder.join("list").to_str().unwrap().to_owned();
    fs::write(&list, &plain).unwrap();
    let rows = folder.join("rows").to_str().unwrap().to_owned();
    for (args, reason) in [
        (&["get", "--json", &file, "-o", &file][..], "would overwrite a model file; name another file to write to"),
        (&["get", "--json", &plain, "-o", &plain], "is a file to read; name another file to write to"),
        (&["get", "--json", "--files-from", &list, "-o", &plain], "is a file to read; name another file to write to"),
        (&["get", "--json", "--files-from", &list, "-o", &list], "is a file to read; name another file to write to"),
        (&["get", "--plain", "--threads", "1", &file], "for one file"),
    ] {
        let (status, stdout, stderr) = told(&run(args));
        assert!(status == 2 && stdout.is_empty() && stderr.contains(reason), "{args:?}: {stderr}");
        assert!(fs::read(&file).unwrap() == before && fs::read(&plain).unwrap() == before, "{args:?}");
        assert_eq!(fs::read_to_string(&list).unwrap(), plain);
    }
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

#[test]
fn an_option_that_left_says_what_took_its_place() {
    for (args, instead) in [
        (&["get", "--json", "--shard", "1/2", "../roblox-model"][..], "--shard is gone: split a list of files: `split"),
        (&["get", "--shard=1/2", "../roblox-model"], "--shard is gone: split a list of files: `split"),
        (&["../roblox-model", "--shard", "1/2"], "--shard is gone: split a list of files: `split"),
        (&["get", "--failed", "list", "../roblox-model"], "--failed is gone: rows with errors name the file: `jq"),
        (&["get", "-o", "rows", "--resume=state", "../roblox-model"], "--resume is gone: split a list of files, and"),
        (&["check", "--allow", "text,unverified", "readable.bin"], "unverified is gone: packets with types that no"),
    ] {
        let (status, stdout, stderr) = told(&run(args));
        assert!(status == 2 && stdout.is_empty() && stderr.contains(instead), "{args:?}: {stderr}");
        let is_of_files = instead.starts_with("--");
        assert_eq!(stderr.contains("--files-from") && stderr.contains("docs/scale.md"), is_of_files, "{stderr}");
    }
}
