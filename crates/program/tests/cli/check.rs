//! `check`: folders, and results for other programs.

use super::{fixtures, folder, model, run, run_with, told};
use pretty_assertions::assert_eq;
use serde_json::{json, Value};
use std::fs;

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn folders_are_walked() {
    let folder = folder("check-folder");
    for within in ["", "within/", ".hidden/", "ignored/"] {
        fs::create_dir_all(folder.join(within)).unwrap();
        model(&folder.join(within), "enum-attribute.rbxm");
    }
    fs::write(folder.join(".ignore"), "ignored\n").unwrap();
    fs::write(folder.join("notes.txt"), "neither").unwrap();
    fs::write(folder.join("package.json"), "{\"a\":1}").unwrap();
    for (from, to) in [("save-v24.db", "game.db"), ("logic.blueprint.json", "blueprint.json"), ("list.bin", "list.bin")]
    {
        fs::copy(fixtures().join("../scrap-mechanic-lua").join(from), folder.join(to)).unwrap();
    }
    let dir = folder.to_str().unwrap();
    let files = |args: &[&str]| {
        let (status, stdout, stderr) = told(&run(&[&["check", "--report=json", dir], args].concat()));
        let name = |row: &Value| row["file"].as_str().unwrap()[dir.len() + 1..].replace('\\', "/");
        let mut files: Vec<_> = rows(&stdout).iter().map(name).collect();
        files.dedup();
        (status, files, stderr)
    };
    let (status, found, stderr) = files(&[]);
    let expected = ["blueprint.json", "enum-attribute.rbxm", "game.db", "list.bin", "within/enum-attribute.rbxm"];
    assert_eq!((status, &found[..]), (0, &expected.map(str::to_owned)[..]));
    assert!(stderr.trim_end().ends_with("; 5 files; 2 other files not recognised (-f names a format)"), "{stderr}");
    assert_eq!(files(&["--hidden"]).1.len(), 6);
    assert_eq!(files(&["--no-ignore"]).1.len(), 6);
    // with a format, all files are of it
    let (status, found, _) = files(&["-f", "scrap-mechanic-lua"]);
    assert_eq!((status, found.len()), (4, 7));
}

/// The values in the files of a pack are checked, and what is broken is named with its file.
#[test]
fn files_in_packs_are_checked() {
    let folder = folder("check-pack");
    let broken = folder.join("game.pck");
    let mut pack = fs::read(fixtures().join("../godot-files/v4/pck/plain.pck")).unwrap();
    let key = b"application/config/name";
    let start = pack.windows(key.len()).position(|bytes| bytes == key).unwrap() + key.len();
    pack[start + 4] = 99;
    fs::write(&broken, &pack).unwrap();
    let name = broken.to_str().unwrap();
    let (status, stdout, stderr) = told(&run(&["check", "-v", name]));
    let project = format!("{name}: res://project.binary application/config");
    let expected = format!(
        "{project}/name: error: unknown type 99, at byte 0x27 in header\n{project}/features: ok, canonical\n\
         {name}: res://outside.res: ok, canonical\n{name}: res://save.json: 51 bytes, md5 7288bd5f4693ced245d63d05a3b467e4\n\
         {name}: res://empty: 0 bytes, md5 d41d8cd98f00b204e9800998ecf8427e\n\
         {name}: res://folder/grüße.txt: 15 bytes, md5 537e1add20ccd2a7767086ef5d7e34b8\n\
         {name}: res://gone.txt: removes the file of another pack\n\
         {name}: error: 7 values: 2 canonical, 1 with an error, 4 skipped\n"
    );
    assert_eq!((status, stdout), (4, expected));
    assert!(stderr.contains("the MD5 of res://project.binary"), "{stderr}");
    let (_, stdout, _) = told(&run(&["check", "--report=json", name]));
    let rows = rows(&stdout);
    let part = |row: &Value, path| row.pointer(path).cloned().unwrap_or_default();
    let parts = ["/address", "/entry", "/key", "/error/offset"].map(|path| part(&rows[0], path));
    let address = "res://project.binary application/config/name";
    let key = "application/config/name";
    assert_eq!(parts, [json!(address), json!("res://project.binary"), json!(key), json!(39)]);
    // an offset in a file of the pack is not one in the pack
    let (_, stdout, _) = told(&run(&["check", "--report=sarif", name]));
    assert!(stdout.contains("project.binary") && !stdout.contains("byteOffset"), "{stdout}");
    // a pack that holds itself is not gone into again
    let mut own = pack.clone();
    let entry = b"outside.res\0";
    let place = pack.windows(entry.len()).position(|bytes| bytes == entry).unwrap() + entry.len();
    // places count from the start of the file
    own[24..32].fill(0);
    own[place..place + 8].fill(0);
    own[place + 8..place + 16].copy_from_slice(&u64::try_from(pack.len()).unwrap().to_le_bytes());
    let inside = folder.join("inside.pck");
    fs::write(&inside, &own).unwrap();
    let (status, stdout, _) = told(&run(&["check", "-v", inside.to_str().unwrap()]));
    assert!(status == 5 && stdout.contains(": res://outside.res: res://save.json: 51 bytes"), "{status} {stdout}");
    assert!(!stdout.contains("res://outside.res: res://outside.res: res://"), "{stdout}");
    let (status, _, stderr) = told(&run(&["check", "--fix", "cut", name]));
    assert!(status == 2 && stderr.contains("--entry res://project.binary"), "{stderr}");
    let fixed = folder.join("fixed.pck");
    let entry = ["--entry", "res://project.binary", "-o", fixed.to_str().unwrap()];
    assert_eq!(told(&run(&[&["check", "--fix", "clear", name], &entry[..]].concat())).0, 0);
    let (status, stdout, _) = told(&run(&["check", fixed.to_str().unwrap()]));
    assert_eq!((status, stdout), (0, format!("{}: ok, 7 values: 3 canonical, 4 skipped\n", fixed.display())));
}

/// `check` of a folder fails if none of its files is recognised. An empty folder is not an error.
#[test]
fn a_folder_without_anything_that_is_recognised_is_an_error() {
    let (status, stdout, stderr) = told(&run(&["check", "--report=json", "bad"]));
    let message = "is recognised; name their format with -f, or the files themselves";
    let row = &rows(&stdout)[0];
    let reason = row["error"]["message"].as_str().unwrap();
    assert!(status == 2 && reason.starts_with("none of the ") && reason.contains(message), "{reason}");
    assert_eq!((&row["file"], &row["status"]), (&json!("bad"), &json!(2)));
    assert!(!stderr.contains(message), "{stderr}");
    let (status, stdout, stderr) = told(&run(&["check", "bad"]));
    assert!(status == 2 && stdout.is_empty() && stderr.starts_with("error: none of the "), "{stderr}");
    let (status, stdout, _) = told(&run(&["check", "-f", "roblox-attributes", "bad"]));
    assert!(status == 5 && stdout.contains("bad/truncated.bin: error: input ends too early"), "{stdout}");
    assert_eq!(
        told(&run(&["check", folder("check-empty").to_str().unwrap()])),
        (0, String::new(), "0 files\n".to_owned())
    );
}

#[test]
fn every_file_and_every_value_that_is_looked_at_has_a_row() {
    let folder = folder("check-rows");
    let project = fs::read(fixtures().join("../godot-4/project_v4.binary")).unwrap();
    fs::write(folder.join("cut.binary"), &project[..60]).unwrap();
    let cut = folder.join("cut.binary").to_str().unwrap().to_owned();
    // a file that is not there, one that is cut, one without values
    let (status, stdout, stderr) = told(&run(&["check", "--report=json", "-f", "godot-4", "nowhere", &cut]));
    let found = rows(&stdout);
    assert_eq!((status, found.len(), stderr.matches("error: ").count()), (5, 3, 0));
    assert_eq!(
        (&found[0]["file"], &found[0]["ok"], &found[0]["status"]),
        (&json!("nowhere"), &json!(false), &json!(3))
    );
    assert!(found[0]["error"]["message"].as_str().unwrap().starts_with("cannot read nowhere: "));
    let row = |number: usize| (&found[number]["file"], &found[number]["ok"], &found[number]["status"]);
    assert_eq!((row(1), &found[1]["key"]), ((&json!(cut), &json!(true), &json!(0)), &json!("application/config/name")));
    assert_eq!(row(2), (&json!(cut), &json!(false), &json!(5)));
    assert_eq!(found[2]["error"]["truncated"], true);
    assert_eq!(
        told(&run(&["check", "-q", "--report=json", "-f", "godot-4", "nowhere", &cut])),
        (status, stdout, String::new())
    );
    let (status, stdout, _) =
        told(&run(&["check", "--report=json", "../roblox-model/tags.rbxm", "../roblox-model/bad/cut.rbxm"]));
    let found = rows(&stdout);
    assert_eq!(found[0], json!({ "file": "../roblox-model/tags.rbxm", "ok": true, "status": 0, "values": 0 }));
    let last = found.last().unwrap();
    assert!(status == 5 && last["file"] == "../roblox-model/bad/cut.rbxm" && last["ok"] == false, "{last}");
    assert!(last.get("address").is_none() && last["error"]["message"].is_string(), "{last}");
    // a line of a dump that is not hex
    let dump =
        ["check", "--report=json", "-f", "roblox-remote", "--dump", "--input", "hex", "../roblox-remote/several.hex"];
    let (_, stdout, _) = told(&run(&dump));
    let addresses: Vec<_> = rows(&stdout).iter().map(|row| row["address"].as_str().unwrap().to_owned()).collect();
    assert_eq!(addresses, ["lines[2]", "lines[3]", "lines[5]", "lines[6]", "lines[7]"]);
}

#[test]
fn a_row_has_its_file_and_its_address_apart() {
    let (_, stdout, _) =
        told(&run(&["check", "--report=json", "../roblox-model/made.rbxm", "../scrap-mechanic-lua/save-v24.db"]));
    let found = rows(&stdout);
    let row = &found[1];
    assert_eq!(row["file"], "../roblox-model/made.rbxm");
    assert_eq!(row["address"], "Workspace.Torch");
    assert_eq!((&row["instance"], &row["referent"]), (&json!("Workspace.Torch"), &json!("1")));
    assert_eq!(row["error"]["offset"], 9);
    let row = found.last().unwrap();
    assert_eq!(row["file"], "../scrap-mechanic-lua/save-v24.db");
    assert_eq!((&row["table"], &row["row"]), (&json!("ScriptData"), &json!(9)));
    assert!(row["address"].as_str().unwrap().starts_with("ScriptData[id=1069,channel=41]"), "{row}");
    let (_, stdout, _) = told(&run_with(&["check", "--report=json", "-"], b""));
    assert_eq!(rows(&stdout)[0]["file"], "-");
}

/// A setting or frame of a complete file whose value is too short: no more input can help.
#[test]
fn a_value_that_its_container_cuts_is_malformed() {
    let folder = folder("check-short");
    let with_length = |length: u8, value: &[u8]| [&[length, 0, 0, 0], value].concat();
    let settings = |length, value: &[u8]| [b"ECFG\x01\0\0\0\x01\0\0\0k", &with_length(length, value)[..]].concat();
    let int = b"\x02\0\0\0\x2a\0\0\0";
    let commands = [
        &["check"][..],
        &["decode"],
        &["decode", "--partial"],
        &["inspect"],
        &["inspect", "--json"],
        &["get"],
        &["ls"],
        &["ls", "--summary"],
        &["set", "ADDRESS", "=1", "-o", "-"],
    ];
    for (length, value, status, said) in [
        (8, &int[..], 0, ""),
        (4, &int[..4], 4, "value ends too early: 4 bytes needed, 0 left"),
        (8, &int[..4], 5, "input ends "),
    ] {
        for (file, bytes, address, options) in [
            ("project.binary", settings(length, value), "k", &["-f", "godot-4"][..]),
            ("frames", with_length(length, value), "[0]", &["-f", "godot-4", "--framing", "le"]),
        ] {
            let path = folder.join(file);
            fs::write(&path, bytes).unwrap();
            for command in commands {
                let command: Vec<_> =
                    command.iter().map(|part| if *part == "ADDRESS" { address } else { *part }).collect();
                let (name, arguments) = command.split_first().unwrap();
                let output = run(&[&[name, path.to_str().unwrap()], arguments, options].concat());
                let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
                assert_eq!(output.status.code(), Some(status), "{file} {command:?}: {told}");
                assert!(told.contains(said), "{file} {command:?}: {told}");
                let is_cut = told.contains("\"truncated\":true");
                assert!(!is_cut || status == 5, "{told}");
            }
        }
    }
    let check = |bytes: &[u8]| {
        let file = folder.join("project.binary");
        fs::write(&file, bytes).unwrap();
        let (_, stdout, _) = told(&run(&["check", "--report=json", "-f", "godot-4", file.to_str().unwrap()]));
        rows(&stdout).remove(0)["error"].clone()
    };
    assert_eq!(check(&settings(8, int)), Value::Null);
    let error = check(&settings(4, &int[..4]));
    assert_eq!((&error["truncated"], &error["offset"], &error["path"]), (&json!(false), &json!(21), &json!("int")));
    assert_eq!(check(&settings(8, &int[..4]))["truncated"], json!(true));
}

/// If a file of settings is cut, every command reads the complete settings, and then reports that the file ends too
/// early.
#[test]
fn settings_before_a_cut_are_read() {
    let folder = folder("check-cut");
    let whole = fs::read(fixtures().join("../godot-4/project_v4.binary")).unwrap();
    let file = folder.join("cut.binary");
    let name = file.to_str().unwrap();
    fs::write(&file, &whole[..whole.len() - 1]).unwrap();
    let first = r#""document":{"format":"godot-variant","version":4,"type":"String","value":"demo"}}"#;
    for (command, read) in [
        (&["decode"][..], first),
        (&["decode", "--partial"], first),
        (&["get"], "application/config/name\t=\"demo\"\n"),
        (&["ls"], "application/config/name\t1 value\t12\n"),
        (&["check", "-v"], "application/config/name: ok, canonical\n"),
    ] {
        let (status, stdout, stderr) = told(&run(&[command, &[name, "-f", "godot-4"]].concat()));
        assert!(status == 5 && stdout.contains(read), "{command:?}: {stdout}");
        let error = "error: input ends too early: 16 bytes needed, 15 left, at byte 0x52 in settings[1].value.length";
        assert!(stderr.contains(error), "{command:?}: {stderr}");
    }
    // both versions have these values
    let (status, stdout, stderr) = told(&run(&["decode", "--partial", name]));
    assert_eq!((status, &stdout[..]), (5, ""));
    assert!(stderr.contains("; for what is before, pass -f godot-3 or -f godot-4\n"), "{stderr}");
    // what is not read is not written either
    let set = ["set", name, "application/config/name", "=\"x\"", "-f", "godot-4", "-o", "-"];
    let (status, stdout, _) = told(&run(&set));
    assert_eq!((status, &stdout[..]), (5, ""));
}

#[test]
fn github_gets_an_annotation_for_each_problem() {
    let args = [
        "check",
        "--report",
        "github",
        "-f",
        "roblox-attributes",
        "readable.bin",
        "bad/not-canonical.bin",
        "bad/rotation-id.bin",
        "nowhere",
    ];
    let (status, stdout, _) = told(&run(&args));
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!((status, lines.len()), (4, 2), "{stdout}");
    let expected = "::error file=bad/rotation-id.bin,title=unknown-id::unknown rotation id 0x04, at byte 0x23 in ";
    assert!(lines[0].starts_with(expected), "{stdout}");
    assert!(lines[1].starts_with("::error file=nowhere,title=not-read::cannot read nowhere: "), "{stdout}");
    let (status, stdout, _) =
        told(&run(&["check", "--canonical", "-q", "--report", "github", "./bad/not-canonical.bin"]));
    let expected = "::error file=bad/not-canonical.bin,title=not-canonical::2 entries, not canonical: a bool that is ";
    assert!(status == 1 && stdout.starts_with(expected), "{stdout}");
}

/// The document was validated with the schema of SARIF 2.1.0. This test checks the members that the schema requires.
#[test]
fn sarif_says_which_bytes() {
    let files = ["../roblox-model/made.none.rbxm", "bad/truncated.bin", "../roblox-model/bad/cut.rbxm", "readable.bin"];
    let (status, stdout, _) =
        told(&run(&[&["check", "-q", "-f", "roblox-attributes", "--report", "sarif"][..], &files].concat()));
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&document["version"], document["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 1));
    let run_of = &document["runs"][0];
    assert_eq!(run_of["invocations"], json!([{ "executionSuccessful": true, "exitCode": status }]));
    let driver = &run_of["tool"]["driver"];
    assert_eq!(driver["name"], "enginewire");
    let results = run_of["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    for (result, file) in results.iter().zip(files) {
        let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(driver["rules"][rule]["id"], result["ruleId"]);
        assert!(result["level"] == "error" && result["message"]["text"].is_string());
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], file);
    }
    // the bytes that are wrong, in the file
    let bytes = |result: &Value, file: &str| {
        let region = &result["locations"][0]["physicalLocation"]["region"];
        let number = |name: &str| usize::try_from(region[name].as_u64().unwrap()).unwrap();
        let file = fs::read(fixtures().join(file)).unwrap();
        file[number("byteOffset")..][..number("byteLength")].to_vec()
    };
    assert_eq!(bytes(&results[0], files[0]), [0xff]);
    let all = fs::read(fixtures().join(files[1])).unwrap();
    assert_eq!((&results[1]["ruleId"], bytes(&results[1], files[1])), (&json!("truncated"), all[0x1a..].to_vec()));
    let (_, stdout, _) = told(&run(&["check", "--report", "sarif", "readable.bin"]));
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(document["runs"][0]["results"], json!([]));
}

/// Every output form contains the part of the file that was read. Offsets count from the start of the file.
#[test]
fn a_part_of_a_file_has_its_offset_in_every_row() {
    let folder = folder("check-part");
    let file = folder.join("part.bin");
    fs::write(&file, b"four\x01\0\0\0\x01\0\0\0a\xee").unwrap();
    let file = file.to_str().unwrap();
    let check = |arguments: &[&str]| {
        told(&run(&[&["check", file, "-f", "roblox-attributes", "--offset", "4"], arguments].concat())).1
    };
    let error = "unknown type id 0xee, at byte 0xd in entries[0] \"a\".value.type";
    assert_eq!(check(&[]), format!("{file}: from byte 0x4: error: {error}\n"));
    let row = rows(&check(&["--report=json"])).remove(0);
    assert_eq!((&row["part"], &row["error"]["offset"]), (&json!({ "offset": 4 }), &json!(13)));
    let row = rows(&check(&["--report=json", "--length", "0xa"])).remove(0);
    assert_eq!(row["part"], json!({ "offset": 4, "length": 10 }));
    let (_, stdout, _) = told(&run(&["check", "--report=json", "-f", "roblox-attributes", "nowhere", "--offset", "4"]));
    assert_eq!(rows(&stdout)[0]["part"], json!({ "offset": 4 }));
    assert!(check(&["--report", "github"]).ends_with(&format!("title=unknown-id::from byte 0x4: {error}\n")));
    let document: Value = serde_json::from_str(&check(&["--report", "sarif"])).unwrap();
    let location = &document["runs"][0]["results"][0]["locations"][0];
    assert_eq!(location["physicalLocation"]["region"], json!({ "byteOffset": 13, "byteLength": 1 }));
    let field = "from byte 0x4 entries[0] \"a\".value.type";
    assert_eq!(location["logicalLocations"], json!([{ "fullyQualifiedName": field }]));
    // settings begin at an offset of their own
    fs::write(file, b"four ECFG\x01\0\0\0\x01\0\0\0k\x04\0\0\0\x63\0\0\0").unwrap();
    let sarif = ["check", file, "-f", "godot-4", "--offset", "5", "--report", "sarif"];
    let document: Value = serde_json::from_str(&told(&run(&sarif)).1).unwrap();
    let location = &document["runs"][0]["results"][0]["locations"][0];
    assert_eq!(location["physicalLocation"]["region"], json!({ "byteOffset": 22, "byteLength": 1 }));
    assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], "from byte 0x5: k header");
}

/// Behind a broken value of a stream or dump, the values go on where the next is plausible.
#[test]
fn broken_streams_are_read_on() {
    let folder = folder("resync");
    let good = fs::read(fixtures().join("../godot-4/packet_typical.bin")).unwrap();
    let frame = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_le_bytes(), bytes].concat();
    let stream = folder.join("a.frames").to_str().unwrap().to_owned();
    let start = frame(&good);
    fs::write(&stream, [&start[..], b"\xff\xff\xff\xff?", &start].concat()).unwrap();
    let at = start.len();
    let options = ["-f", "godot-4", "--framing", "le", "--resync"];
    let dump = ["-f", "roblox-remote", "--dump", "--resync"];
    let several = "../roblox-remote/several.dump".to_owned();
    for (options, file, count, skipped) in [
        (&options[..], &stream, 2, format!("5 bytes are skipped, from byte {at:#x} on")),
        (&dump[..], &several, 3, "16 bytes are skipped, from byte 0x8e on".to_owned()),
    ] {
        let (status, rows, error) = told(&run(&[&["decode", file], options].concat()));
        assert_eq!((status, rows.lines().count()), (4, count), "{error}");
        assert!(error.contains(&skipped), "{error}");
        let (status, trees, error) = told(&run(&[&["inspect", file], options].concat()));
        assert_eq!((status, trees.matches("offset  00").count()), (4, count), "{error}");
        let (status, lines, error) = told(&run(&[&["check", "-v", file], options].concat()));
        assert_eq!((status, lines.matches(": ok, ").count(), &*error), (4, count, ""), "{lines}");
        assert_eq!(lines.matches(&skipped).count(), 1, "{lines}");
        let (status, lines, error) = told(&run(&[&["check", file], options].concat()));
        let problems = lines.matches(": error: ").count();
        assert_eq!((status, lines.matches(": ok, ").count(), lines.lines().count(), &*error), (4, 0, problems, ""));
        assert_eq!(lines.matches(&skipped).count(), 1, "{lines}");
        let rows = told(&run(&[&["check", "--report=json", file], options].concat())).1;
        assert!(rows.contains(&skipped) && rows.lines().count() == count + 1, "{rows}");
    }
    // what is skipped can be replaced
    let mended = folder.join("mended").to_str().unwrap().to_owned();
    let repair = [&["check", &stream, "--fix=clear", "-o", &mended], &options[..]].concat();
    assert_eq!(told(&run(&repair)), (0, String::new(), "1 value fixed\n".to_owned()));
    let checked = told(&run(&["check", "-f", "godot-4", "--framing", "le", &mended]));
    assert!(checked.1.contains("ok, 3 entries"), "{checked:?}");
    let (status, _, error) = told(&run(&["decode", "--resync", "readable.bin"]));
    assert_eq!((status, error.contains("pass --framing or --dump")), (2, true), "{error}");
}

#[test]
fn known_problems_and_excluded_files_are_left_out() {
    let folder = folder("baseline");
    let made = model(&folder, "made.rbxm");
    fs::create_dir(folder.join("old")).unwrap();
    fs::copy(&made, folder.join("old/made.rbxm")).unwrap();
    let (dir, known) = (folder.to_str().unwrap().to_owned(), folder.join("known.json").to_str().unwrap().to_owned());
    let check = |args: &[&str]| told(&run(&[&["check"], args, &[&*dir]].concat()));
    let (status, rows, _) = check(&["--report=json"]);
    assert_eq!((status, rows.matches("\"ok\":false").count()), (4, 2));
    for glob in ["old", "*/old/*", &format!("{dir}/old")] {
        let (status, stdout, _) = check(&["--exclude", glob]);
        assert!(status == 4 && stdout.lines().count() == 1 && !stdout.contains("/old/"), "{glob}: {stdout}");
    }
    let made = check(&["--exclude=made.rbxm"]);
    assert!((made.0, &*made.1) == (0, "") && made.2.starts_with("0 files"), "{}", made.2);
    // a problem is known by its file, its address and its field
    let of_one: String = rows.lines().filter(|row| !row.contains("/old/")).map(|row| format!("{row}\n")).collect();
    fs::write(&known, of_one).unwrap();
    let (status, stdout, stderr) = check(&["--baseline", &known]);
    assert!(status == 4 && stdout.lines().all(|line| line.contains("/old/")), "{stdout}");
    assert!(stderr.contains("1 problem of the baseline left out"), "{stderr}");
    fs::write(&known, rows).unwrap();
    assert_eq!(check(&["--baseline", &known]).0, 0);
    let (_, report, _) = check(&["--baseline", &known, "--report=json"]);
    assert!(!report.contains("\"ok\":false"), "{report}");
    fs::write(&known, "{}\nno row").unwrap();
    let (status, _, stderr) = check(&["--baseline", &known]);
    assert!(status == 4 && stderr.contains("known.json: line 2"), "{stderr}");
}
