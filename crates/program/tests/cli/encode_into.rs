//! `encode --into`: what `decode` writes goes back to where it came from.

use std::fs;

use super::{fixtures, folder, run, run_with, told};

/// Every kind of file with addresses, and files whose values can be written in several ways.
const FILES: [&str; 12] = [
    "roblox-model/attributes.none.rbxm",
    "roblox-model/attributes.rbxm",
    "roblox-model/attributes.rbxmx",
    "roblox-model/attributes.zstd.rbxm",
    "roblox-model/made.rbxm",
    "roblox-model/tags.rbxmx",
    "hostile/models/dk.rbxm",
    "hostile/models/dp.rbxm",
    "hostile/models/nc.rbxm",
    "godot-3/project_v3.binary",
    "godot-4/project_v4.binary",
    "scrap-mechanic-lua/mixed.blueprint.json",
];

fn path(file: &str) -> String {
    fixtures().join("..").join(file).to_str().unwrap().to_owned()
}

#[test]
fn what_is_not_changed_keeps_its_bytes() {
    let folder = folder("into-same");
    let new = folder.join("new").to_str().unwrap().to_owned();
    for (name, file) in FILES.iter().zip(FILES.map(path)) {
        let options: &[&str] = match name.split('/').next() {
            Some(version) if version.starts_with("godot") => &["-f", version],
            _ => &[],
        };
        for form in [&["decode", &file][..], &["decode", "--pretty", &file]] {
            let lines = run(&[form, options].concat()).stdout;
            assert!(lines.starts_with(b"{"), "{file}");
            let put = run_with(&[&["encode", "--into", &file, "-o", &new], options].concat(), &lines);
            assert_eq!(told(&put), (0, String::new(), String::new()), "{file}");
            assert!(fs::read(&new).unwrap() == fs::read(&file).unwrap(), "{file}");
        }
    }
}

/// The frames of both versions, with the order of their lengths.
const STREAMS: [(&str, &str, &str); 3] = [
    ("godot-3/store_var_v3.frames", "godot-3", "le"),
    ("godot-3/store_var_v3_be.frames", "godot-3", "be"),
    ("godot-4/debugger_v4.frames", "godot-4", "le"),
];

/// A stream is put together from its documents, and they are put back into it.
#[test]
fn documents_of_a_stream_give_the_stream() {
    let folder = folder("into-stream");
    let [out, lines] = ["out", "lines"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    for (name, format, framing) in STREAMS {
        let file = path(name);
        let framing = &["--framing", framing][..];
        let bytes = fs::read(&file).unwrap();
        for pretty in [&[][..], &["--pretty"]] {
            let decoded = run(&[&["decode", "-f", format, &file], framing, pretty].concat());
            assert_eq!((told(&decoded).0, told(&decoded).2), (0, String::new()), "{name}");
            let fine = (0, String::new(), String::new());
            for more in [&[][..], &["--into", &file]] {
                let put = run_with(&[&["encode", "-o", &out], framing, more].concat(), &decoded.stdout);
                assert_eq!(told(&put), fine, "{name}");
                assert!(fs::read(&out).unwrap() == bytes, "{name} {more:?}");
            }
            // the same in several files
            fs::write(&lines, &decoded.stdout).unwrap();
            let twice = run(&[&["encode", &lines, &lines], framing].concat());
            assert!(twice.status.success() && twice.stdout == bytes.repeat(2), "{name}");
        }
    }
}

/// Values without lengths are those of a dump, as packets are.
#[test]
fn values_one_after_the_other_are_read_and_changed() {
    let folder = folder("into-values");
    let [file, out] = ["values", "out"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    // true written as 2, and 7
    let values = b"\x01\0\0\0\x02\0\0\0\x02\0\0\0\x07\0\0\0";
    fs::write(&file, values).unwrap();
    let dump = ["--dump", "-f", "godot-4"];
    let with = |args: &[&str]| run(&[args, &dump].concat());
    let lines = told(&with(&["decode", &file])).1;
    let second = lines.lines().nth(1).unwrap();
    assert!(
        second.ends_with(
            r#""index":1,"offset":8,"document":{"format":"godot-variant","version":4,"type":"int","value":7}}"#
        ),
        "{second}"
    );
    assert_eq!(told(&with(&["get", &file, "[1]"])), (0, "7\n".to_owned(), String::new()));
    let put = |lines: &str| {
        let put = run_with(&[&["encode", "--into", &file, "-o", &out][..], &dump].concat(), lines.as_bytes());
        assert_eq!(told(&put), (0, String::new(), String::new()));
        fs::read(&out).unwrap()
    };
    assert_eq!(put(&lines), values);
    assert_eq!(put(&lines.replace("\"value\":7", "\"value\":-1")), [&values[..12], &[0xff; 4]].concat());
    // the last one is cut
    fs::write(&file, &values[..13]).unwrap();
    let (status, stdout, stderr) = told(&with(&["check", &file]));
    assert_eq!((status, stdout.lines().count()), (5, 2), "{stdout}{stderr}");
    for (args, expected) in [
        (&["decode", "--dump", "-f", "godot-4", "--framing", "le"][..], "leave out --framing"),
        (&["decode", "--dump"], "--dump needs -f roblox-remote, godot-3, godot-4 or godot-packets"),
    ] {
        let (status, _, stderr) = told(&run(&[args, &[&file]].concat()));
        assert!(status == 2 && stderr.contains(expected), "{stderr}");
    }
}

/// Values that are not changed keep their bytes, canonical or not.
#[test]
fn a_changed_document_is_the_only_change_of_a_stream() {
    let folder = folder("into-stream-changed");
    let [file, out] = ["stream", "out"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    // true written as 2, and 7
    let stream = b"\x08\0\0\0\x01\0\0\0\x02\0\0\0\x08\0\0\0\x02\0\0\0\x07\0\0\0";
    fs::write(&file, stream).unwrap();
    let le = ["--framing", "le"];
    let documents = told(&run(&[&["decode", "-f", "godot-4", &file][..], &le].concat())).1;
    let put =
        |documents: &str| run_with(&[&["encode", "--into", &file, "-o", &out][..], &le].concat(), documents.as_bytes());
    assert_eq!(told(&put(&documents.replace('7', "-1"))), (0, String::new(), String::new()));
    assert_eq!(fs::read(&out).unwrap(), [&stream[..20], &[0xff; 4]].concat());
    let first = documents.lines().next().unwrap();
    let error = |documents: &str, expected: &str| {
        let put = ["encode", "--into", &file, "-o", &out, "--framing", "le", "-f", "godot-4"];
        let (status, stdout, stderr) = told(&run_with(&put, documents.as_bytes()));
        assert_eq!((status, stdout.as_str()), (4, ""), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
    };
    error(first, "expected 2 documents, one for each value of the stream in their order; found 1");
    error("", "expected 2 documents, one for each value of the stream in their order; found 0");
    error(&documents.replace("\"version\":4", "\"version\":3"), "holds");
    error("{\"format\":", "expected JSON objects as written by `decode`");
}

#[test]
fn what_is_no_stream_is_not_written() {
    let int = r#"{"format":"godot-variant","version":4,"type":"int","value":1}"#;
    let bool = r#"{"format":"godot-variant","version":3,"type":"bool","value":true}"#;
    let attributes = r#"{"format":"roblox-attributes","entries":[]}"#;
    for (documents, expected) in [
        (
            format!("{int}\n{bool}"),
            "the document is of the format godot-3, but those before are of godot-4\n  --> standard input: line 2",
        ),
        (format!("{int}\n\n{{"), "standard input: line 3"),
        (attributes.to_owned(), "values of roblox-attributes have no lengths before them; leave out --framing"),
        (int.replace("int", "Int"), "line 1"),
        ("null".to_owned(), "invalid JSON document"),
        (String::new(), "expected a JSON document"),
    ] {
        let (status, stdout, stderr) = told(&run_with(&["encode", "--framing", "le"], documents.as_bytes()));
        assert_eq!((status, stdout.as_str()), (4, ""), "{documents}");
        assert!(stderr.contains(expected), "{stderr}");
    }
    let (status, stdout, _) = told(&run_with(&["encode", "--framing", "be", "--text", "hex"], int.as_bytes()));
    assert_eq!((status, stdout.trim_end()), (0, "000000080200000001000000"));
}

#[test]
fn a_changed_value_is_the_only_change() {
    let folder = folder("into-changed");
    for (file, from, to, difference) in [
        ("roblox-model/made.rbxm", r#"Bool","value":true"#, r#"Bool","value":false"#, "On: true -> false\n"),
        ("roblox-model/attributes.rbxmx", "\"Infinity\"},", "7},", "Folder Infinity: math.huge -> 7\n"),
        ("godot-4/project_v4.binary", "\"demo\"", "\"a game\"", "application/config/name: \"demo\" -> \"a game\"\n"),
    ] {
        let (original, new) = (path(file), folder.join("new").to_str().unwrap().to_owned());
        let lines = told(&run(&["decode", &original])).1;
        let changed = lines.replacen(from, to, 1);
        assert_ne!(changed, lines, "{file}");
        let put = run_with(&["encode", "--into", &original, "-o", &new], changed.as_bytes());
        assert_eq!(told(&put), (0, String::new(), String::new()), "{file}");
        let found = told(&run(&["diff", &original, &new])).1;
        assert!(found.ends_with(difference) && found.lines().count() == 1, "{file}: {found}");
        // and back, in the file itself
        let lines = told(&run(&["decode", &new])).1.replacen(to, from, 1);
        let put = run_with(&["encode", "--into", &new, "--in-place"], lines.as_bytes());
        assert_eq!(told(&put), (0, String::new(), String::new()), "{file}");
        assert_eq!(
            told(&run(&["decode", &new])).1.replace(&new, &original),
            told(&run(&["decode", &original])).1,
            "{file}"
        );
    }
}

#[test]
fn what_has_no_place_is_refused_and_nothing_is_written() {
    let folder = folder("into-refused");
    let file = path("roblox-model/attributes.rbxm");
    let line = told(&run(&["decode", &file])).1;
    let elsewhere = told(&run(&["decode", &path("roblox-model/int32-attribute.rbxm")])).1;
    let lua = r#""document":{"format":"scrap-mechanic-lua","version":1,"type":"Nil","value":null}}"#;
    let of_lua = format!("{},{lua}", line.split_once(",\"document\"").unwrap().0);
    let new = folder.join("new");
    for (lines, message) in [
        (elsewhere, "the file has no value with this address; decode it again if it has changed since\n  --> standard input: line 1"),
        (format!("\n{line}\n{line}"), "Folder is already changed by line 2\n  --> standard input: line 4"),
        (of_lua, "the document is of the format scrap-mechanic-lua, but Folder holds roblox-attributes\n"),
        (line.replace("roblox-attributes", "roblox"), "the document names no format that is known\n"),
        (line.replace("\"key\"", "\"kez\""), "unknown field `kez`"),
        ("{\"format\":\"roblox-attributes\",\"entries\":[]}".to_owned(), "expected JSON objects as written by `decode`: missing field `document`"),
        ("[1]".to_owned(), "expected JSON objects as written by `decode`: expected an object with an address and a document, found a list"),
        (line[..line.len() - 9].to_owned(), "expected JSON objects as written by `decode`: the JSON ends too early"),
    ] {
        let put = run_with(&["encode", "--into", &file, "-o", new.to_str().unwrap()], lines.as_bytes());
        let (status, stdout, stderr) = told(&put);
        assert_eq!((status, &*stdout), (4, ""), "{message}");
        assert!(stderr.starts_with(&format!("error: {message}")), "{stderr}");
        assert!(!new.exists(), "{message}");
    }
}

/// The changed file can go into a pipe.
#[test]
fn a_hyphen_is_standard_output() {
    for (file, from, to, difference) in [
        ("roblox-model/attributes.rbxm", "12345", "7", "~ Folder Number: 12345 -> 7\n"),
        ("scrap-mechanic-lua/save-v28.db", "304692", "7", "~ ScriptData[uid=2c3699b2-fd9c-503e-a405-cf73434e2e88,key=4c55410000000105000000038000000084058400830004906a80] pufa: 304692 -> 7\n"),
    ] {
        let file = path(file);
        let lines = told(&run(&["decode", &file])).1;
        let put = run_with(&["encode", "--into", &file, "-o", "-"], lines.replace(from, to).as_bytes());
        assert_eq!((put.status.code(), &put.stderr[..]), (Some(0), &b""[..]), "{file}");
        assert_eq!(told(&run_with(&["diff", &file, "-"], &put.stdout)).1, difference);
    }
    assert!(!fixtures().join("-").exists());
}

/// Lines of tags are of no use but to be read, and one that is changed must not be passed over.
#[test]
fn tags_are_not_changed() {
    let folder = folder("into-tags");
    let new = folder.join("new").to_str().unwrap().to_owned();
    let file = path("roblox-model/tags.rbxm");
    let lines = told(&run(&["decode", &file])).1;
    for changed in
        [lines.replace("Cool", "Hot"), lines.replace(",\"Tags\"]", "]"), lines.replace("[\"Cool", "[1,\"Cool")]
    {
        assert_ne!(changed, lines);
        let (status, _, stderr) = told(&run_with(&["encode", "--into", &file, "-o", &new], changed.as_bytes()));
        let reason =
            "error: tags cannot be changed, and Folder:Tags has others than these\n  --> standard input: line 1\n";
        assert!(status == 4 && stderr.starts_with(reason), "{stderr}");
    }
    assert!(!folder.join("new").exists());
}

/// A document of the other version would be read as something else.
#[test]
fn a_project_keeps_its_version() {
    let folder = folder("into-version");
    let (three, four) = (path("godot-3/project_v3.binary"), path("godot-4/project_v4.binary"));
    let lines = told(&run(&["decode", &four])).1;
    let line = lines.lines().next().unwrap();
    let other = line.replace("\"version\":4", "\"version\":3");
    assert_ne!(other, line);
    let new = folder.join("new");
    let put = run_with(&["encode", "--into", &four, "-f", "godot-4", "-o", new.to_str().unwrap()], other.as_bytes());
    let (status, _, stderr) = told(&put);
    let reason = "error: the document is of the format godot-3, but application/config/name holds godot-4\n";
    assert!(status == 4 && stderr.starts_with(reason), "{stderr}");
    assert!(!new.exists());
    let put = run_with(&["encode", "--into", &three, "--offset", "4", "-o", new.to_str().unwrap()], other.as_bytes());
    assert_eq!(told(&put).0, 2);
}

/// The lines are JSON, also where the file that they go into is written as hex.
#[test]
fn lines_of_packets_go_back_too() {
    let folder = folder("into-hex");
    let new = folder.join("new");
    for (file, options) in [("several.dump", &[][..]), ("several.hex", &["--input", "hex"])] {
        let file = path(&format!("roblox-remote/{file}"));
        let options = [&["--dump", "-f", "roblox-remote"], options].concat();
        let lines = told(&run(&[&["decode", &file], &options[..]].concat())).1;
        let changed = lines.replace("Attack", "Defend");
        assert_ne!(changed, lines);
        let put = [&["encode", "--into", &file, "-o", new.to_str().unwrap(), "--force"], &options[..]].concat();
        assert_eq!(told(&run_with(&put, changed.as_bytes())), (0, String::new(), String::new()), "{file}");
        let found = told(&run(&[&["decode", new.to_str().unwrap()], &options[..]].concat())).1;
        assert_eq!(found.replace(new.to_str().unwrap(), &file), changed, "{file}");
    }
}
