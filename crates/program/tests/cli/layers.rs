//! Files that are compressed or written as text, and text files in the encodings of PowerShell.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use data_encoding::{BASE64, HEXLOWER};
use enginewire::formats::FormatOptions;
use enginewire_files::godot::Layers;
use flate2::write::GzEncoder;
use pretty_assertions::assert_eq;

use super::{done, fixtures, folder, run_in, told};

/// A file of every kind, the options for its format, and a change that `set` can make to it.
const FILES: [(&str, &[&str], &[&str]); 9] = [
    ("roblox-model/attributes.rbxm", &[], &["Folder", "Infinity=7"]),
    ("roblox-model/attributes.rbxmx", &[], &["Folder", "Infinity=7"]),
    ("scrap-mechanic-lua/save-v24.db", &[], &["ScriptData[2]", "=true"]),
    ("scrap-mechanic-lua/logic.blueprint.json", &[], &["bodies[0].childs[0]", "mode=7"]),
    ("godot-4/project_v4.binary", &["-f", "godot-4"], &["application/config/name", "=\"a game\""]),
    ("godot-4/debugger_v4.frames", &["-f", "godot-4", "--framing", "le"], &["[0]", ":int=7"]),
    ("roblox-remote/several.dump", &["-f", "roblox-remote", "--dump"], &["[0]", "packets[0].arguments[0]:Number=7"]),
    ("roblox-attributes/readable.bin", &[], &["Fuel=42"]),
    ("roblox-attributes/readable.json", &[], &["Fuel=42"]),
];

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// The bytes compressed or written as text in several ways, each with the options to read them.
fn written(bytes: &[u8]) -> Vec<(Vec<u8>, &'static [&'static str])> {
    let literal: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    let hex = HEXLOWER.encode(bytes);
    vec![
        (gzip(bytes), &[]),
        (gzip(bytes), &["--input", "gzip"]),
        (hex.clone().into_bytes(), &["--input", "hex"]),
        (BASE64.encode(bytes).into_bytes(), &["--input", "base64"]),
        (format!("\"{literal}\"").into_bytes(), &["--input", "literal"]),
        (gzip(hex.as_bytes()), &["--input", "hex"]),
        (BASE64.encode(&gzip(bytes)).into_bytes(), &["--input", "base64"]),
    ]
}

/// Two folders for files of one name: as they are, and written in another way.
fn folders(name: &str) -> (PathBuf, PathBuf) {
    (folder(&format!("layers-{name}-raw")), folder(&format!("layers-{name}-written")))
}

#[test]
fn every_verb_reads_every_file_in_every_encoding() {
    let (raw, other) = folders("read");
    let mut turn = 0usize;
    for (path, options, _) in FILES {
        let bytes = fs::read(fixtures().join("..").join(path)).unwrap();
        let name = Path::new(path).file_name().unwrap().to_str().unwrap();
        fs::write(raw.join(name), &bytes).unwrap();
        let verbs = ["decode", "check", "inspect", "ls", "get", "check", "diff", "get"];
        // documents have verbs of their own
        let verbs = verbs.iter().filter(|verb| !path.ends_with("readable.json") || ["get", "diff"].contains(verb));
        for verb in verbs.filter(|verb| **verb != "get" || path.contains(".rbxm")) {
            let arguments = match *verb {
                "diff" => [&["diff", name, name], options].concat(),
                verb => [&[verb, name], options].concat(),
            };
            let expected = run_in(&raw, &arguments, b"");
            assert!(expected.0 <= 4 && (*verb == "diff" || expected.1.len() + expected.2.len() > 0), "{expected:?}");
            let mut all = written(&bytes);
            // that would be lines of hex
            all.retain(|(_, encoding)| !options.contains(&"--dump") || *encoding != ["--input", "hex"]);
            // each verb meets each encoding, though not with each file
            for number in [0, 1 + turn % (all.len() - 1)] {
                let (bytes, encoding) = &all[number];
                fs::write(other.join(name), bytes).unwrap();
                let (status, stdout, stderr) = run_in(&other, &[&arguments, *encoding].concat(), b"");
                let found = (
                    status,
                    stdout.replace(" (gzip)", "").replace(" (base64 > gzip)", ""),
                    stderr.replace(" (gzip)", "").replace(" (base64 > gzip)", ""),
                );
                assert_eq!(found, expected, "{verb} {name} {encoding:?}");
                if !["diff", "get", "check"].contains(verb) {
                    let piped = run_in(&other, &[&[*verb, "-"], options, *encoding].concat(), bytes);
                    assert_eq!(piped.0, expected.0, "{verb} {name} {encoding:?}: {}", piped.2);
                }
            }
            turn += 1;
        }
    }
}

#[test]
fn what_is_changed_is_written_as_bytes() {
    let (raw, other) = folders("set");
    for (path, options, change) in FILES {
        let bytes = fs::read(fixtures().join("..").join(path)).unwrap();
        let name = Path::new(path).file_name().unwrap().to_str().unwrap();
        fs::write(raw.join(name), &bytes).unwrap();
        let arguments = [&["set", name], change, options].concat();
        let expected = run_in(&raw, &[&arguments[..], &["-o", "new"]].concat(), b"");
        assert_eq!(expected.0, 0, "{name}: {}", expected.2);
        let expected = fs::read(raw.join("new")).unwrap();
        assert_ne!(expected, bytes, "{name}");
        for (bytes, encoding) in written(&bytes) {
            if options.contains(&"--dump") && encoding == ["--input", "hex"] {
                // that would be lines of hex
                continue;
            }
            fs::write(other.join(name), &bytes).unwrap();
            let set = run_in(&other, &[&arguments[..], &["-o", "new"], encoding].concat(), b"");
            assert_eq!(set.0, 0, "{name} {encoding:?}: {}", set.2);
            // what was packed is packed again; SQLite counts how often a database was changed
            let is_packed =
                Layers::peel(bytes.clone(), &FormatOptions::new()).is_ok_and(|layers| layers.names() == "gzip");
            let is_packed = is_packed && encoding.iter().all(|option| ["--input", "gzip"].contains(option));
            if !name.ends_with(".db") {
                let new = Layers::peel(fs::read(other.join("new")).unwrap(), &FormatOptions::new()).unwrap();
                let names = match (is_packed, bytes.starts_with(b"H4sI")) {
                    (true, _) => "gzip",
                    (_, true) => "base64 > gzip",
                    _ => "",
                };
                assert_eq!(new.names(), names, "{name} {encoding:?}");
                assert!(new.inner() == expected, "{name} {encoding:?}");
            }
            let values = |folder: &Path| {
                let (status, stdout, stderr) = run_in(folder, &[&["get", "new"], options].concat(), b"");
                (status, stdout, stderr.replace(" (gzip)", "").replace(" (base64 > gzip)", ""))
            };
            assert_eq!(values(&other), values(&raw), "{name} {encoding:?}");
            let (status, _, error) = run_in(&other, &[&arguments[..], &["--in-place"], encoding].concat(), b"");
            if is_packed {
                assert_eq!(status, 0, "{name} {encoding:?}: {error}");
                assert_eq!(values(&other), values(&raw), "{name} {encoding:?}");
                continue;
            }
            assert!(
                status == 2 && error.contains("is not changed in place; "),
                "{name} {encoding:?}: {status} {error}"
            );
            assert!(fs::read(other.join(name)).unwrap() == bytes);
        }
    }
}

#[test]
fn other_verbs_that_write_unpack_too() {
    let folder = folder("layers-write");
    let fixture = |path: &str| fs::read(fixtures().join("..").join(path)).unwrap();
    let ok = |arguments: &[&str], input: &[u8]| {
        let (status, stdout, stderr) = run_in(&folder, arguments, input);
        assert_eq!(status, 0, "{arguments:?}: {stderr}");
        stdout
    };
    for (path, options) in [("roblox-model/attributes.rbxm", &[][..]), ("scrap-mechanic-lua/save-v24.db", &[])] {
        let bytes = fixture(path);
        fs::write(folder.join("raw"), &bytes).unwrap();
        fs::write(folder.join("packed"), gzip(&bytes)).unwrap();
        let lines = ok(&[&["decode", "raw"], options].concat(), b"");
        ok(&["encode", "--into", "packed", "-o", "new", "--force"], lines.as_bytes());
        ok(&["diff", "raw", "new"], b"");
        ok(&["copy", "packed", "--to", "packed", "-o", "new"], b"");
        ok(&["diff", "packed", "new"], b"");
        ok(&["check", "packed", "--fix=cut", "-o", "new"], b"");
        ok(&["diff", "packed", "new"], b"");
        for arguments in [
            &["encode", "--into", "packed", "--in-place"][..],
            &["copy", "raw", "--to", "packed", "--in-place"],
            &["check", "packed", "--fix=cut", "--in-place"],
        ] {
            ok(arguments, lines.as_bytes());
            ok(&["diff", "packed", "raw"], b"");
            assert!(fs::read(folder.join("packed")).unwrap().starts_with(b"\x1f\x8b"), "{arguments:?}");
        }
        fs::remove_file(folder.join("new")).unwrap();
    }
    fs::write(folder.join("packed"), gzip(&fixture("godot-3/array_mixed.bin"))).unwrap();
    ok(&["convert", "packed", "--to", "godot-4", "-o", "new"], b"");
    assert!(fs::read(folder.join("new")).unwrap().starts_with(b"\x1f\x8b"));
}

#[test]
fn a_broken_gzip_file_is_told_as_one() {
    let folder = folder("layers-broken");
    let packed = gzip(&fs::read(fixtures().join("../roblox-model/made.rbxm")).unwrap());
    let mut changed = packed.clone();
    let middle = changed.len() / 2;
    changed[middle..middle + 8].fill(0xff);
    let told_as = |name: &str, bytes: &[u8], options: &[&str], expected: i32, text: &str| {
        fs::write(folder.join(name), bytes).unwrap();
        // `--guess` looks at a part only
        let verbs = ["decode", "check", "inspect", "ls", "get", "inspect"];
        for verb in verbs.iter().take(if name == "bomb.rbxm" { 7 } else { 8 }) {
            let (status, _, error) = run_in(&folder, &[&[*verb, name], options].concat(), b"");
            assert!(status == expected && error.contains(text), "{verb} {name}: {status} {error}");
            assert!(!error.contains("try --input gzip"), "{error}");
        }
    };
    told_as("cut.rbxm", &packed[..middle], &[], 5, "gzip: incomplete deflate stream, at byte 0x");
    told_as(
        "changed.rbxm",
        &changed,
        &[],
        4,
        "gzip: corrupt gzip stream does not have a matching checksum, at byte 0x",
    );
    told_as("plain.rbxm", b"plain", &["--input", "gzip"], 4, "does not begin as gzip does; leave out --input gzip");
    // what it unpacks to is bounded
    let model = fs::read(fixtures().join("../roblox-model/made.rbxm")).unwrap();
    let bomb = gzip(&[model, vec![0; 4 << 20]].concat());
    told_as("bomb.rbxm", &bomb, &["--max-memory", "1M"], 4, "; raise the limit with --max-memory");
}

/// The text with a byte order mark: in UTF-16 of both byte orders, and in UTF-8.
fn encoded(text: &str) -> Vec<Vec<u8>> {
    let units =
        |bytes: fn(u16) -> [u8; 2]| "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect();
    vec![units(u16::to_le_bytes), units(u16::to_be_bytes), format!("\u{feff}{text}").into_bytes()]
}

/// The values before the cut of a compressed file are given, and then the error. Nothing is written.
#[test]
fn what_is_before_a_cut_is_read() {
    let folder = folder("layers-cut");
    let keys: String = (0..5000_u64).map(|number| format!("k{number}={}\n", number * number * 7919)).collect();
    let packed = gzip(format!("[a]\n{keys}").as_bytes());
    fs::write(folder.join("cut.cfg"), &packed[..packed.len() / 2]).unwrap();
    for verb in ["ls", "get", "decode", "inspect"] {
        let (status, stdout, stderr) = run_in(&folder, &[verb, "cut.cfg"], b"");
        assert!(
            stdout.lines().count() > 1000 && stderr.contains("gzip: incomplete deflate stream, at byte 0x"),
            "{verb}: {stderr}"
        );
        assert_eq!(status, 5, "{verb}");
    }
    let (status, stdout, _) = run_in(&folder, &["get", "cut.cfg", "a/k3"], b"");
    assert_eq!((status, &*stdout), (5, "71271\n"));
    for args in [&["check", "cut.cfg"][..], &["set", "cut.cfg", "a/k3", "=1", "-o", "new"]] {
        assert_eq!(run_in(&folder, args, b"").0, 5, "{args:?}");
    }
    let rows = "{\"format\":\"godot-variant\",\"version\":4,\"type\":\"bool\",\"value\":true}\n".repeat(50_000);
    fs::write(folder.join("rows.gz"), &gzip(rows.as_bytes())[..200]).unwrap();
    let encode = ["encode", "rows.gz", "--framing", "le", "-o", "new"];
    assert_eq!(run_in(&folder, &encode, b"").0, 5);
    assert!(!folder.join("new").exists());
}

#[test]
fn texts_may_be_utf_16_or_begin_with_a_byte_order_mark() {
    let folder = folder("layers-utf-16");
    let fixture = |path: &str| fs::read(fixtures().join("..").join(path)).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    let run = |arguments: &[&str]| run_in(&folder, arguments, b"");
    write("value.bin", &fixture("roblox-attributes/readable.bin"));
    write("packet.bin", &fixture("roblox-remote/readable.bin"));
    write("value.json", &fixture("roblox-attributes/readable.json"));
    let document = String::from_utf8(fixture("roblox-attributes/readable.json")).unwrap();
    let hex = HEXLOWER.encode(&fixture("roblox-attributes/readable.bin"));
    let lines = String::from_utf8(fixture("roblox-remote/several.hex")).unwrap();
    write("lines.hex", lines.as_bytes());
    write("ids.txt", b"OnServerEvent = 0x0b50\n");
    let dump = |name| ["check", name, "-f", "roblox-remote", "--dump", "--input", "hex"];
    for (number, text) in encoded(&document).into_iter().enumerate() {
        write("text.json", &text);
        assert_eq!(run(&["get", "text.json"]), run(&["get", "value.bin"]));
        assert_eq!(run(&["diff", "text.json", "value.bin"]), (0, String::new(), String::new()));
        assert_eq!(run(&["encode", "text.json", "-o", "new.bin"]).0, 0);
        assert!(fs::read(folder.join("new.bin")).unwrap() == fixture("roblox-attributes/readable.bin"));
        assert_eq!(run(&["set", "text.json", "Fuel=42", "-o", "new.json"]).0, 0);
        assert_eq!(run(&["get", "new.json", "Fuel"]).1, "42\n");
        write("text.hex", &encoded(&hex)[number]);
        assert_eq!(run(&["get", "text.hex", "--input", "hex"]), run(&["get", "value.bin"]));
        write("text.hex", &encoded(&lines)[number]);
        let (found, expected) = (run(&dump("text.hex")), run(&dump("lines.hex")));
        assert_eq!((found.0, found.1.replace("text.hex", "lines.hex")), (expected.0, expected.1));
        write("changes.txt", &encoded("Fuel=7\r\nOwner=\"bob\"\r\n")[number]);
        assert_eq!(run(&["set", "value.bin", "--from", "changes.txt", "-o", "new.bin"]).2, "");
        assert_eq!(run(&["get", "new.bin", "Fuel"]).1 + &run(&["get", "new.bin", "Owner"]).1, "7\n\"bob\"\n");
        write("text-ids.txt", &encoded("OnServerEvent = 0x0b50\n")[number]);
        let ids = |name| run(&["decode", "-f", "roblox-remote", "--event-ids", name, "packet.bin"]);
        assert_eq!(ids("text-ids.txt"), ids("ids.txt"));
        write("list.txt", &encoded("place.rbxm\n")[number]);
        write("place.rbxm", &fixture("roblox-model/made.rbxm"));
        assert_eq!(
            run(&["get", "--json", "--files-from", "list.txt"]),
            run(&["get", "--json", "--threads", "1", "place.rbxm"])
        );
    }
    write("odd.json", &[&encoded(&document)[0][..], b"x"].concat());
    let (status, _, error) = run(&["encode", "odd.json", "-o", "new.bin"]);
    assert!(status == 4 && error.contains("invalid UTF-16 text, at byte 0x"), "{error}");
}

#[test]
fn errors_of_lines_name_the_line() {
    let folder = folder("layers-lines");
    for (path, options, address) in [
        ("roblox-model/attributes.rbxm", &[][..], "Folder\t"),
        ("godot-4/project_v4.binary", &["-f", "godot-4"], "application/config/name\t"),
        ("roblox-attributes/readable.bin", &[], ""),
        ("roblox-attributes/readable.json", &[], ""),
    ] {
        fs::copy(fixtures().join("..").join(path), folder.join("file")).unwrap();
        let key = if address.starts_with('a') { "" } else { "New" };
        let line = format!("{address}{key}=\"x\"\n");
        let wrong = [
            (format!("{line}\n{address}Other=Vector3.new(1,\n"), "line 3"),
            (format!("{line}{address}nothing[7].here=1\n"), "line 2"),
            (format!("{line}{line}Nobody\tx=1\n"), "line 3"),
            (format!("{line}{{\"path\":7}}\n"), "line 2"),
            (format!("{line}{{\"path\":\n"), "line 2"),
            (format!("{line}{address}**=1\n"), "line 2"),
        ];
        for (lines, place) in wrong {
            fs::write(folder.join("lines.txt"), &lines).unwrap();
            let arguments = [&["set", "file", "--from", "lines.txt", "-o", "new"], options].concat();
            let (status, _, error) = run_in(&folder, &arguments, b"");
            assert!(status != 0 && error.contains(&format!("\n  --> lines.txt: {place}\n")), "{lines}: {error}");
            assert!(!error.contains("invalid type") && !error.contains("EOF"), "{error}");
            assert!(fs::metadata(folder.join("new")).is_err());
        }
    }
}

/// Values that no script can set, beside those that are there already.
#[test]
fn types_that_scripts_cannot_set_are_for_those_who_ask() {
    let folder = folder("layers-types");
    fs::copy(fixtures().join("../roblox-model/attributes.rbxm"), folder.join("file.rbxm")).unwrap();
    let set = |file: &str, arguments: &[&str]| {
        run_in(&folder, &[&["set", file, "Folder"], arguments, &["-o", "new.rbxm", "--force"]].concat(), b"")
    };
    let unsorted =
        "{NumberSequenceKeypoint.new(0, 1), NumberSequenceKeypoint.new(1, 1), NumberSequenceKeypoint.new(0.5, 1)}";
    for (value, type_name, rule) in [
        (
            "Ray.new(Vector3.new(0, 0, 0), Vector3.new(0, 1, 0))".to_owned(),
            "Ray",
            "is of a type that scripts cannot set",
        ),
        ("{1, 2}".to_owned(), "Array", "is of a type that scripts cannot set"),
        ("BrickColor.new(5000)".to_owned(), "BrickColor", "is not a colour of the palette"),
        (
            format!("NumberSequence.new({unsorted})"),
            "NumberSequence",
            "has keypoints that are not in the order of their times",
        ),
        ("NumberRange.new(2, 1)".to_owned(), "NumberRange", "has its greatest number first"),
    ] {
        // as a new value, and as a value that had another type
        for key in ["New", "Infinity"] {
            let change = format!("{key}:{type_name}={value}");
            let (status, _, error) = set("file.rbxm", &[&change]);
            let expected =
                format!("error: Roblox does not allow the {type_name} \"{key}\", which {rule}; --any-type sets it all the same\n");
            assert!(status == 2 && error.starts_with(&expected), "{error}");
            assert_eq!(set("file.rbxm", &[&change, "--any-type"]).0, 0);
            // what is there already stays, can be changed, and lets others change
            fs::copy(folder.join("new.rbxm"), folder.join("old.rbxm")).unwrap();
            assert_eq!(set("old.rbxm", &["Other=1"]).0, 0);
            assert_eq!(set("old.rbxm", &["--rename", key, "Other"]).0, 0, "{change}");
        }
    }
    fs::write(folder.join("lines.txt"), "Folder\tFuel=1\nFolder\tNew=NumberRange.new(2, 1)\n").unwrap();
    let (status, _, error) = run_in(&folder, &["set", "file.rbxm", "--from", "lines.txt", "-o", "out.rbxm"], b"");
    assert!(
        status == 2 && error.contains("\n  --> lines.txt: line 2\n") && !folder.join("out.rbxm").exists(),
        "{error}"
    );
}

#[test]
fn names_that_roblox_reserves_are_for_those_who_ask() {
    let folder = folder("layers-reserved");
    fs::copy(fixtures().join("../roblox-model/attributes.rbxm"), folder.join("file.rbxm")).unwrap();
    let set = |file: &str, arguments: &[&str]| {
        run_in(&folder, &[&["set", file, "Folder"], arguments, &["-o", "new.rbxm"]].concat(), b"")
    };
    for arguments in [&["RBXNew=1"][..], &["--rename", "Infinity", "RBXNew"]] {
        let (status, _, error) = set("file.rbxm", arguments);
        assert!(
            status == 2 && error.contains("begins with RBX, which is reserved for Roblox; --any-key sets"),
            "{error}"
        );
        let (status, _, error) = set("file.rbxm", &[arguments, &["--any-key"]].concat());
        assert_eq!((status, &*error), (0, ""));
    }
    // one that is there can be changed
    fs::copy(folder.join("new.rbxm"), folder.join("old.rbxm")).unwrap();
    assert_eq!(set("old.rbxm", &["RBXNew=2"]).0, 0);
    assert_eq!(told(&super::run(&["get", folder.join("new.rbxm").to_str().unwrap(), "Folder", "RBXNew"])).1, "2\n");
}

#[test]
fn a_text_needs_no_quotes() {
    let folder = folder("layers-bare");
    fs::copy(fixtures().join("../roblox-attributes/readable.bin"), folder.join("file.bin")).unwrap();
    let set = |change: &str| run_in(&folder, &["set", "file.bin", change, "-o", "new.bin"], b"");
    let get = |key: &str| run_in(&folder, &["get", "new.bin", key], b"").1;
    for (change, what, key, text) in [
        ("Owner=bob", "added", "Owner", "\"bob\"\n"),
        ("Name=7", "changed", "Name", "\"7\"\n"),
        ("Name=C:\\new", "changed", "Name", "\"C:\\\\new\"\n"),
        ("Owner:String=42", "added", "Owner", "\"42\"\n"),
    ] {
        assert_eq!(set(change), done(&format!("1 value {what}")), "{change}");
        assert_eq!(get(key), text, "{change}");
    }
    for change in ["Fuel=much", "Lit=True", "Owner=True", "Owner=Vector3.new(1", "Owner=\"bob", "Owner="] {
        assert_eq!(set(change).0, 2, "{change}");
    }
}

#[test]
fn every_verb_allows_bytes_after_the_end_and_keeps_them() {
    let folder = folder("layers-trailing");
    for (path, options, change) in FILES {
        // a stream and a dump would go on with them, and a database and a document have an end of their own
        if ["frames", ".dump", ".db", "readable.json"].iter().any(|ending| path.ends_with(ending)) {
            continue;
        }
        let bytes = fs::read(fixtures().join("..").join(path)).unwrap();
        fs::write(folder.join("file"), &bytes).unwrap();
        let allowed = |arguments: &[&str]| run_in(&folder, &[arguments, options, &["--allow=trailing"]].concat(), b"");
        let verbs = ["decode", "inspect", "ls", "get", "check"];
        let before: Vec<_> = verbs.map(|verb| allowed(&[verb, "file"])).to_vec();
        let set = [&["set", "file"], change, &["-o", "new"]].concat();
        assert_eq!(allowed(&set).0, 0, "{path}");
        let changed = fs::read(folder.join("new")).unwrap();
        fs::write(folder.join("file"), [&bytes[..], b"\0ABC"].concat()).unwrap();
        for (verb, before) in verbs.into_iter().zip(before) {
            let (status, stdout, stderr) = allowed(&[verb, "file"]);
            assert_eq!((status, &stderr), (before.0, &before.2), "{verb} {path}");
            // a single value shows them, and counts them among its bytes
            if !path.ends_with(".bin") {
                assert_eq!(stdout, before.1, "{verb} {path}");
            }
        }
        assert_eq!(allowed(&["check", "file"]).0, 0, "{path}");
        let (status, stdout, _) = allowed(&["diff", "file", "file"]);
        assert_eq!((status, &*stdout), (0, ""), "{path}");
        assert_eq!(allowed(&set).0, 0, "{path}");
        assert_eq!(fs::read(folder.join("new")).unwrap(), [&changed[..], b"\0ABC"].concat(), "{path}");
    }
    let value = fs::read(fixtures().join("../godot-3/array_mixed.bin")).unwrap();
    fs::write(folder.join("value"), &value).unwrap();
    let convert = ["convert", "value", "--to", "godot-4", "-o", "new", "--allow=trailing"];
    assert_eq!(run_in(&folder, &convert, b"").0, 0);
    let converted = fs::read(folder.join("new")).unwrap();
    fs::write(folder.join("value"), [&value[..], b"\0ABC"].concat()).unwrap();
    assert_eq!(run_in(&folder, &convert, b"").0, 0);
    assert_eq!(fs::read(folder.join("new")).unwrap(), [&converted[..], b"\0ABC"].concat());
    assert_ne!(run_in(&folder, &convert[..6], b"").0, 0);
}

/// `-f` takes the name of a kind, with or without the format of its values. The kind is then not detected, and a file of another kind
/// is an error that names it.
#[test]
fn a_kind_is_forced_by_its_name() {
    let folder = folder("kinds");
    let read = |args: &[&str]| run_in(&folder, args, b"");
    let same = |file: &str, one: &[&str], other: &[&str]| {
        let file = fixtures().join("..").join(file);
        let read = |options: &[&str]| read(&[&["ls"], options, &[file.to_str().unwrap()]].concat());
        assert_eq!(read(one), read(other), "{one:?}");
        assert!(!read(one).1.is_empty(), "{one:?}");
    };
    let frames = "godot-4/debugger_v4.frames";
    same(frames, &["-f", "godot-frames-le:godot-4"], &["-f", "godot-4", "--framing", "le"]);
    same(frames, &["-f", "godot-frames-le", "--framing", "le"], &["--framing", "le"]);
    same("roblox-remote/several.dump", &["-f", "roblox-packets"], &["-f", "roblox-remote", "--dump"]);
    let lines = &["-f", "roblox-remote", "--dump", "--input", "hex"];
    same("roblox-remote/several.hex", &["-f", "roblox-packet-lines"], lines);
    same("godot-4/packet_typical.bin", &["-f", "godot-values:godot-4"], &["-f", "godot-4", "--dump"]);
    same("godot-4/project_v4.binary", &["-f", "godot-project:godot-4"], &["-f", "godot-4"]);
    for (file, kind) in [
        ("roblox-model/attributes.rbxmx", "rbxmx"),
        ("scrap-mechanic-lua/save-v24.db", "scrap-mechanic-save"),
        ("scrap-mechanic-lua/logic.blueprint.json", "scrap-mechanic-blueprint"),
        ("godot-files/v4/config/small.cfg", "godot-config"),
        ("godot-files/v4/scn/main.scn", "godot-scene"),
        ("godot-files/text/scene.tscn", "godot-text"),
        ("godot-files/v4/pck/plain.pck", "godot-pack"),
        ("godot-files/v4/export/tokens.gdc", "godot-script"),
    ] {
        same(file, &["-f", kind], &[]);
    }

    // a file whose first bytes say nothing
    fs::write(folder.join("a.cfg"), "lives = 3\n").unwrap();
    assert_eq!(read(&["get", "-f", "godot-config:godot-4", "a.cfg", "lives"]), (0, "3\n".to_owned(), String::new()));
    let set = read(&["set", "-f", "godot-config:godot-4", "a.cfg", "lives", "=4", "--in-place"]);
    assert_eq!((set.0, fs::read_to_string(folder.join("a.cfg")).unwrap().as_str()), (0, "lives = 4\n"), "{}", set.2);

    let settings = fixtures().join("../godot-4/project_v4.binary");
    let settings = settings.to_str().unwrap();
    for (args, reason) in [
        (&["-f", "rbxm", settings][..], "error: not an rbxm file: the file is of the kind godot-project"),
        (&["-f", "godot-pack", settings], "error: not a godot-pack file: the file is of the kind godot-project"),
        (&["-f", "godot-config", "--dump", settings], "error: --dump is not for -f godot-config"),
        (&["-f", "godot-config", "--framing", "le", settings], "error: --framing is not for -f godot-config"),
        (&["-f", "godot-frames-le", "--framing", "be", settings], "the lengths of godot-frames-le have another order"),
        (&["-f", "godot-values", settings], "godot-values:godot-3, godot-values:godot-4"),
        (&["-f", "godot-pack:godot-4", settings], "invalid value 'godot-pack:godot-4'"),
    ] {
        let (status, _, stderr) = read(&[&["ls"], args].concat());
        assert!(status != 0 && stderr.contains(reason), "{args:?}: {stderr}");
    }
    let (status, _, stderr) = read(&["set", "-f", "rbxm", settings, "a", "b=1", "--in-place"]);
    assert!(status != 0 && stderr.contains("not an rbxm file"), "{stderr}");
}
