//! `get`, `set` and `ls`: single values of every kind of file.

use super::{changed, fixtures, folder, run, run_in, run_with, told};
use pretty_assertions::assert_eq;
use std::fs;
use std::path::{Path, PathBuf};

/// Every fixture that can be read, with what must be said about it.
fn files() -> Vec<(PathBuf, Vec<&'static str>)> {
    let mut files = Vec::new();
    for (name, options) in [
        ("roblox-attributes", &["-f", "roblox-attributes"][..]),
        ("roblox-remote", &["-f", "roblox-remote"]),
        ("scrap-mechanic-lua", &[]),
        ("godot-3", &["-f", "godot-3"]),
        ("godot-4", &["-f", "godot-4"]),
        ("roblox-model", &[]),
        ("godot-files", &[]),
        ("godot-resource", &[]),
        ("reports", &[]),
    ] {
        let mut paths = Vec::new();
        let mut folders = vec![fixtures().join("..").join(name)];
        while let Some(folder) = folders.pop() {
            let inside = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let (more, files): (Vec<_>, Vec<_>) = inside.partition(|path| path.is_dir());
            paths.extend(files);
            // of a game, only what is said to be read
            folders.extend(more.into_iter().filter(|folder| !folder.ends_with("bad") && !folder.ends_with("hostile")));
        }
        for path in paths {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let ending = name.rsplit('.').next().unwrap();
            let mut options = options.to_vec();
            match ending {
                // its integers are the same in both versions
                "binary" if path.parent().unwrap().ends_with("v3/project") => options.extend(["-f", "godot-3"]),
                "bin" | "db" | "rbxm" | "rbxl" | "rbxmx" | "rbxlx" | "binary" => {}
                "cfg" | "ini" | "godot" | "res" | "scn" | "tscn" | "tres" | "translation" | "dat" | "save" | "gcpf"
                | "gz" | "zst" => {}
                "frames" => options.extend(["--framing", if name.contains("_be") { "be" } else { "le" }]),
                "dump" => options.push("--dump"),
                "json" if name.ends_with("blueprint.json") => {}
                _ => continue,
            }
            files.push((path, options));
        }
    }
    files.sort();
    assert!(files.len() > 80, "{}", files.len());
    files
}

/// The same of the corpus, if there is one.
fn corpus() -> Vec<(PathBuf, Vec<&'static str>)> {
    let Some(corpus) = std::env::var_os("ENGINEWIRE_CORPUS").map(PathBuf::from) else {
        println!("skipped: ENGINEWIRE_CORPUS names no corpus");
        return Vec::new();
    };
    let mut files = Vec::new();
    for (name, options) in [
        ("roblox-attributes", &["-f", "roblox-attributes"][..]),
        ("roblox-models", &[]),
        ("roblox-remote", &["-f", "roblox-remote"]),
        ("scrap-mechanic-lua", &[]),
        ("godot/v3", &["-f", "godot-3"]),
        ("godot/v4", &["-f", "godot-4"]),
        ("godot/v4-double", &["-f", "godot-4"]),
    ] {
        let mut folders = vec![corpus.join(name)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let ending = path.extension().unwrap_or_default().to_str().unwrap();
                match ending {
                    _ if path.is_dir() => folders.push(path),
                    "bin" | "db" | "rbxm" | "rbxl" | "rbxmx" | "rbxlx" | "binary" => {
                        files.push((path, options.to_vec()))
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(files.len() > 500, "{}", files.len());
    files.sort();
    files.into_iter().step_by(crate::root::every(4)).collect()
}

/// True if there is no error, but perhaps a warning or how the file is read.
fn is_fine(stderr: &str) -> bool {
    !stderr.lines().any(|line| line.starts_with("error"))
}

/// The output of `get` can be given to `set`, and then changes nothing.
#[test]
fn every_line_of_get_is_a_change_of_set_that_changes_nothing() {
    let folder = folder("get-and-set");
    let (lines, copy) = (folder.join("lines"), folder.join("copy"));
    let mut changes = 0;
    let forms = [&[][..], &["--json"], &["--plain"]];
    let all = files().into_iter().chain(corpus());
    for (file, options, form) in all.flat_map(|(file, options)| forms.map(|form| (file.clone(), options.clone(), form)))
    {
        let name = file.to_str().unwrap();
        let read = run(&[&["get", name], form, &options[..]].concat());
        if read.status.code() != Some(0) {
            // what cannot be read is not set either
            assert!(!read.stderr.is_empty(), "{name}");
            continue;
        }
        let text = String::from_utf8(read.stdout).unwrap();
        if text.is_empty() {
            continue;
        }
        changes += text.lines().count();
        fs::write(&lines, &text).unwrap();
        let _ = fs::remove_file(&copy);
        let set =
            ["set", name, "--from", lines.to_str().unwrap(), "--force", "--any-key", "-o", copy.to_str().unwrap()];
        let (status, done, stderr) = told(&run(&[&set[..], &options].concat()));
        let is_unchanged = (status, &*done) == (0, &*changed("0 values").1) && is_fine(&stderr);
        assert!(is_unchanged, "{name} {form:?}\n{text}{stderr}");
        assert!(fs::read(&copy).unwrap() == fs::read(&file).unwrap(), "{name}\n{text}");
    }
    assert!(changes > 300, "{changes}");
}

/// The output of `decode` can be given to `encode --into`, and then changes nothing.
#[test]
fn every_line_of_decode_goes_back_and_changes_nothing() {
    let folder = folder("decode-and-encode");
    let copy = folder.join("copy");
    let mut lines = 0;
    for (file, options) in files().into_iter().chain(corpus()) {
        let name = file.to_str().unwrap();
        let (status, before, _) = told(&run(&[&["decode", name], &options[..]].concat()));
        // of a broken stream a document is missing; beside broken values with addresses the others go back
        if before.is_empty() || (status != 0 && !before.starts_with("{\"file\":")) {
            continue;
        }
        let put = ["encode", "--into", name, "-o", copy.to_str().unwrap()];
        let (status, _, stderr) = told(&run_with(&[&put[..], &options].concat(), before.as_bytes()));
        if stderr.contains("error: unexpected bytes after the end") {
            // it is broken, and stays so
            continue;
        }
        assert!(status == 0 && is_fine(&stderr), "{name} {status}: {stderr}");
        lines += before.lines().count();
        assert!(fs::read(&copy).unwrap() == fs::read(&file).unwrap(), "{name}");
        fs::remove_file(&copy).unwrap();
    }
    assert!(lines > 80, "{lines}");
}

/// A change of a nested value: its file and path, its text before and after, the offset of its bytes, and its bytes
/// before and after. All other bytes stay as they are.
struct Deep {
    file: &'static str,
    options: &'static [&'static str],
    path: &'static str,
    values: [&'static str; 2],
    offset: usize,
    bytes: [&'static [u8]; 2],
}

const DEEP: &[Deep] = &[
    Deep {
        file: "../godot-4/packet_typical.bin",
        options: &["-f", "godot-4"],
        path: "inv[4].n",
        values: [r#""potion""#, r#""Zoë's elixir""#],
        offset: 0x150,
        bytes: [b"\x06\0\0\0potion\0\0", b"\x0d\0\0\0Zo\xc3\xab's elixir\0\0\0"],
    },
    Deep {
        file: "../godot-3/packet_peer_supported.bin",
        options: &["-f", "godot-3"],
        path: "nested.b",
        values: [r#""two""#, r#""""#],
        offset: 0x12c,
        bytes: [b"\x03\0\0\0two\0", b"\0\0\0\0"],
    },
    // 16 bits that begin with the last 7 bits of a byte
    Deep {
        file: "../scrap-mechanic-lua/readable.bin",
        options: &[],
        path: "harvest[2]",
        values: ["300", "341"],
        offset: 0xa6,
        bytes: [b"\x80\x96\x03", b"\x80\xaa\x83"],
    },
    Deep {
        file: "../roblox-remote/readable.bin",
        options: &["-f", "roblox-remote"],
        path: "packets[1].arguments[1].combo[1]",
        values: [r#""kick""#, r#""punch""#],
        offset: 0x64,
        bytes: [b"\x04kick", b"\x05punch"],
    },
    Deep {
        file: "../roblox-remote/readable.bin",
        options: &["-f", "roblox-remote"],
        path: "packets[1].arguments[1].damage",
        values: ["17.5", "-17.5"],
        offset: 0x4c,
        bytes: [b"\x40\x31\x80\0\0\0\0\0", b"\xc0\x31\x80\0\0\0\0\0"],
    },
    Deep {
        file: "../roblox-attributes/all-types.bin",
        options: &[],
        path: "Array[1]",
        values: ["-1", "258"],
        offset: 0x15,
        bytes: [b"\xff\xff\xff\xff", b"\x02\x01\0\0"],
    },
];

#[test]
fn values_deep_inside_are_read_and_changed() {
    let out = folder("deep").join("out");
    let out = out.to_str().unwrap();
    for Deep { file, options, path, values: [before, after], offset, bytes: [old, new] } in DEEP {
        let get = |file: &str| told(&run(&[&["get", file, path], *options].concat()));
        assert_eq!(get(file), (0, format!("{before}\n"), String::new()), "{path}");
        let set = ["set", file, &format!("{path}={after}"), "-o", out];
        let done = told(&run(&[&set[..], options].concat()));
        assert_eq!(done, changed("1 value"), "{path}");
        assert_eq!(get(out), (0, format!("{after}\n"), String::new()), "{path}");
        let original = fs::read(fixtures().join(file)).unwrap();
        let (head, tail) = original.split_at(*offset);
        let expected = [head, new, tail.strip_prefix(*old).unwrap()].concat();
        assert!(fs::read(out).unwrap() == expected, "{path}");
    }
}

#[test]
fn values_are_added_renamed_and_removed() {
    let blob = b"\x01\0\0\0\x04\0\0\0Fuel\x06\0\0\0\0\0\0\x45\x40";
    let set = |arguments: &[&str]| {
        let output = run_with(&[&["set", "-"], arguments, &["-o", "-"]].concat(), blob);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        let got = told(&run_with(&["get", "-", "-f", "roblox-attributes"], &output.stdout)).1;
        String::from_utf8(output.stderr).unwrap() + &got
    };
    assert_eq!(set(&["Fuel=7"]), "1 value changed\nFuel=7\n");
    assert_eq!(set(&["Fuel:Int=7"]), "1 value changed\nFuel=Int(7)\n");
    // as a document has it
    assert_eq!(set(&[r#"Glow:Color3={"r":1,"g":0.5,"b":0}"#]), "1 value added\nFuel=42\nGlow=Color3.new(1, 0.5, 0)\n");
    assert_eq!(set(&["Spawn=Vector3.new(1, 2, 3)"]), "1 value added\nFuel=42\nSpawn=Vector3.new(1, 2, 3)\n");
    assert_eq!(set(&["--rename", "Fuel", "\"max fuel\""]), "1 value changed\n\"max fuel\"=42\n");
    assert_eq!(set(&["--remove", "Fuel", "On=true"]), "2 values changed (1 added, 1 removed)\nOn=true\n");
    let refused = |arguments: &[&str]| {
        let (status, stdout, stderr) = told(&run_with(&[&["set", "-"], arguments, &["-o", "-"]].concat(), blob));
        assert_eq!(stdout, "", "{arguments:?}");
        (status, stderr)
    };
    for (arguments, status, reason) in [
        (&["Fuel=x"][..], 2, "Fuel: expected a Double such as 17.5, found x"),
        (&["Fuel:Fluid=1"], 2, "unknown type Fluid; expected one of String, Bool,"),
        (&["--remove", "Oil"], 7, "no value Oil"),
        (&["Fuel.x=1"], 2, "no value can be added to this Double by this key"),
        (&["Tank", "Fuel=1"], 2, "the file is a single value and has no address Tank"),
        (&["Fuel"], 2, "nothing to change"),
        (&["Glow:Color3=[1,0.5,0]"], 2, "expected a Color3 such as Color3."),
        (&["Fuel..x=1", "Fuel=1"], 2, "the file is a single value and has no address Fuel..x=1"),
        (&["=1"], 2, "expected"),
    ] {
        let found = refused(arguments);
        assert!(found.0 == status && found.1.contains(reason), "{arguments:?} {found:?}");
    }
}

#[test]
fn rows_settings_frames_and_packets_have_addresses() {
    for (file, options, address) in [
        ("../scrap-mechanic-lua/save-v28.db", &[][..], "ScriptData["),
        ("../scrap-mechanic-lua/mixed.blueprint.json", &[], "bodies[0].childs["),
        ("../godot-4/project_v4.binary", &[], "application/config/name\t"),
        ("../godot-4/tcp_v4.frames", &["-f", "godot-4", "--framing", "le"], "[0]\t"),
        ("../roblox-remote/several.dump", &["-f", "roblox-remote", "--dump"], "[0]\t"),
        ("../roblox-model/attributes.rbxm", &[], "Folder\t15 values"),
    ] {
        let (_, listed, _) = told(&run(&[&["ls", file], options].concat()));
        assert!(listed.contains(address), "{file}: {listed}");
    }
    let (status, found, _) = told(&run(&["get", "../godot-4/project_v4.binary", "application/config/name"]));
    assert_eq!((status, &found[..]), (0, "\"demo\"\n"));
    let (status, _, stderr) = told(&run(&["get", "../godot-4/project_v4.binary", "application/config/nam"]));
    assert!(status == 7 && stderr.contains("did you mean application/config/name"), "{stderr}");
    let folder = folder("setting");
    let out = folder.join("project.binary");
    let out = out.to_str().unwrap();
    let set = ["set", "../godot-4/project_v4.binary", "application/config/name", "=\"other\"", "-o", out];
    assert_eq!(told(&run(&set)), changed("1 value"));
    assert_eq!(told(&run(&["get", "--bytes", out, "application/config/name"])).1, "other\n");
}

/// SQLite writes to files only, but a pipe gets the changed save all the same.
#[test]
fn a_changed_save_goes_into_a_pipe() {
    let save = "../scrap-mechanic-lua/save-v28.db";
    let changed = run(&["set", save, "ScriptData[12]", "pufa=7", "-o", "-"]);
    assert_eq!((changed.status.code(), &changed.stderr[..]), (Some(0), &b"1 value changed\n"[..]));
    let difference = "~ ScriptData[uid=2c3699b2-fd9c-503e-a405-cf73434e2e88,key=4c55410000000105000000038000000084058400830004906a80] pufa: 304692 -> 7\n";
    assert_eq!(told(&run_with(&["diff", save, "-"], &changed.stdout)), (1, difference.to_owned(), String::new()));
    assert!(!fixtures().join("-").exists());
}

/// Frames need no `-f` where their values are valid in one version only.
#[test]
fn the_values_of_frames_tell_the_version() {
    let frames = ["--framing", "le", "../godot-3/store_var_v3.frames"];
    let (status, found, _) = told(&run(&[&["get"], &frames[..], &["[4]"]].concat()));
    assert_eq!((status, &found[..]), (0, "PoolStringArray(\"test\")\n"));
    let (status, found, _) = told(&run(&["get", "--framing", "le", "../godot-4/debugger_v4.frames", "[3]", "[0]"]));
    assert_eq!((status, &found[..]), (0, "\"output\"\n"));
    // these are the same in both versions, until they change
    let frames = ["--framing", "be", "../godot-3/store_var_v3_be.frames"];
    let read = |version: &[&str]| told(&run(&[&["get"], &frames[..], version].concat()));
    assert!(read(&[]).0 == 0 && read(&[]) == read(&["-f", "godot-3"]) && read(&[]) == read(&["-f", "godot-4"]));
    let (status, _, stderr) = told(&run(&[&["set"], &frames[..], &["[0]", "=1", "-n"]].concat()));
    assert!(status == 2 && stderr.starts_with("error: the values are valid in several formats: pass -f"), "{stderr}");
}

/// Suggestions for a key that does not exist come from the values of the given address.
#[test]
fn a_misspelt_key_is_suggested() {
    for (arguments, expected) in [
        (&["../roblox-model/attributes.rbxm", "Folder", "Nmber"][..], "Folder Nmber; did you mean Number?"),
        (&["../scrap-mechanic-lua/save-v28.db", "ScriptData[12]", "puff"], "ScriptData[12] puff; did you mean pufa?"),
        (&["readable.bin", "fuel"], "fuel; did you mean Fuel?"),
        // no other address is meant
        (&["../scrap-mechanic-lua/save-v24.db", "ScriptData[3]", "x"], "ScriptData[3] x"),
        (&["../scrap-mechanic-lua/save-v24.db", "ScriptData[0]"], "ScriptData[0]"),
    ] {
        let (status, _, stderr) = told(&run(&[&["get"], arguments].concat()));
        let expected = format!("error: no value {expected}");
        assert!(status == 7 && stderr.starts_with(&expected), "{stderr}");
        assert_eq!(stderr.contains("did you mean"), expected.contains("did you mean"), "{stderr}");
    }
}

/// Instances with the same path have different addresses.
#[test]
fn namesakes_have_addresses_of_their_own() {
    let folder = folder("namesakes");
    let file = folder.join("two.rbxmx");
    let item = |number: u32| {
        format!(
            r#"<Item class="Folder" referent="R{number}"><Properties><string name="Name">Twin</string>
            <BinaryString name="AttributesSerialize">AQAAAAIAAABPbgMB</BinaryString></Properties></Item>"#
        )
    };
    fs::write(&file, format!(r#"<roblox version="4">{}{}</roblox>"#, item(1), item(2))).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(told(&run(&["get", file])), (0, "Twin[1]\tOn=true\nTwin[2]\tOn=true\n".to_owned(), String::new()));
    let (status, _, stderr) = told(&run(&["set", file, "Twin", "On=false", "--in-place"]));
    assert!(
        status == 2 && stderr.contains("2 instances have the path \"Twin\"") && stderr.contains("Twin[1] Twin[2]"),
        "{stderr}"
    );
    assert_eq!(told(&run(&["set", file, "Twin[2]", "On=false", "--in-place"])), changed("1 value"));
    assert_eq!(told(&run(&["get", file])).1, "Twin[1]\tOn=true\nTwin[2]\tOn=false\n");
    let (status, _, stderr) = told(&run(&["set", file, "T*", "On=false", "--in-place"]));
    assert!(status == 2 && stderr.contains("pass --all"), "{stderr}");
    assert_eq!(told(&run(&["set", file, "T*", "On=false", "--all", "--in-place"])), changed("1 value"));
    assert_eq!(told(&run(&["get", file, "Twin[1]", "On"])).1, "false\n");
}

#[test]
fn patterns_name_several_instances() {
    let (status, found, _) = told(&run(&["get", "../roblox-model/attributes.rbxm", "F*"]));
    let (_, all, _) = told(&run(&["get", "../roblox-model/attributes.rbxm"]));
    assert_eq!((status, found.lines().count()), (0, all.lines().count()));
    let (status, _, stderr) = told(&run(&["get", "../roblox-model/made.rbxm", "Nowhere.**"]));
    assert!(status == 7 && stderr.contains("no instance is like"), "{stderr}");
}

/// The output of `get`, without the last line break.
fn got(args: &[&str]) -> String {
    let (status, stdout, stderr) = told(&run(&[&["get"], args].concat()));
    assert_eq!((status, &*stderr), (0, ""), "{args:?}");
    stdout.trim_end().to_owned()
}

#[test]
fn patterns_name_several_values_inside_one() {
    let packet = "../godot-4/packet_typical.bin";
    assert_eq!(got(&[packet, "v*"]), "vel=Vector2(-1.25, 3.5)");
    assert_eq!(got(&[packet, "inv[*].*"]), "inv[4].n=\"potion\"\ninv[4].c=3");
    assert_eq!(got(&[packet, "*", "--type", "int"]), "id=693\nseq=4294967297");
    assert_eq!(got(&[packet, "**", "--value", "*ion*"]).lines().count(), 4);
    let (status, stdout, stderr) = told(&run(&["get", packet, "q*"]));
    assert_eq!((status, &*stdout), (7, ""));
    assert!(stderr.starts_with("error: no value fits\n"), "{stderr}");

    let out = folder("patterns").join("out.bin");
    let out = out.to_str().unwrap();
    let set = |args: &[&str]| told(&run(&[&["set", packet], args, &["-o", out, "--force"]].concat()));
    let (status, _, stderr) = set(&["inv[*]=7"]);
    assert!(status == 2 && stderr.contains("pass --all"), "{stderr}");
    assert_eq!(set(&["**=7", "--all", "--type", "int"]).0, 0);
    assert_eq!(got(&[out, "inv"]), r#"[7, 7, 7, "sword", { "n": "potion", "c": 7 }]"#);
    // each of them is the one that was meant, whichever went before
    assert_eq!(set(&["--remove", "inv[*]", "--all", "--type", "int"]).0, 0);
    assert_eq!(got(&[out, "inv"]), r#"["sword", { "n": "potion", "c": 3 }]"#);
    // a key that is not there is not added to what the filter takes
    assert_eq!(set(&["hp=1", "new=1", "--type", "float"]).0, 0);
    assert_eq!(told(&run(&["get", out, "new"])).0, 7);
    assert_eq!(got(&[out, "hp"]), "1.0");
    fs::remove_file(out).unwrap();
    assert_eq!(set(&["hp=1", "--type", "int"]).0, 7);
    assert!(!Path::new(out).exists());
}

#[test]
fn classes_and_tags_choose_instances() {
    let place = folder("classes").join("place.rbxl");
    fs::copy(fixtures().join("../roblox-model/baseplate-566.rbxl"), &place).unwrap();
    let place = place.to_str().unwrap();
    let set = |args: &[&str]| told(&run(&[&["set", place], args, &["--in-place"]].concat()));
    assert_eq!(set(&["Workspace.*", "Zone:Int=7", "--all", "--add", "--class", "*Part"]).0, 0);
    assert_eq!(got(&[place, "**", "Z*"]), "Workspace.Baseplate\tZone=Int(7)");
    assert_eq!(set(&["Workspace.SpawnLocation", "--add-tag", "Start"]).0, 0);
    assert_eq!(set(&["**", "On=true", "--all", "--add", "--tag", "St*"]).0, 0);
    assert_eq!(got(&[place, "**", "On"]), "Workspace.SpawnLocation\tOn=true");
    assert_eq!(got(&[place, "--class", "Part", "--type", "int"]), "Workspace.Baseplate\tZone=Int(7)");
    let before = fs::read(place).unwrap();
    let (status, _, stderr) = set(&["Workspace.Baseplate", "Zone=8", "--class", "SpotLight"]);
    assert_eq!((status, fs::read(place).unwrap()), (7, before));
    assert!(stderr.starts_with("error: no value fits --class \"SpotLight\"; classes there: Part\n"), "{stderr}");
    // only instances have them
    assert_eq!(told(&run(&["get", "../godot-4/packet_typical.bin", "--class", "Part"])).0, 7);
    let (status, _, stderr) = told(&run(&["set", "../godot-4/packet_typical.bin", "hp=1", "--tag", "A", "--in-place"]));
    assert!(status == 2 && stderr.contains("only instances of models and places have classes and tags"), "{stderr}");
}

/// The rows of `get --json` and `get --plain` are changes too, that a script can make others of.
#[test]
fn rows_of_json_are_changes() {
    let folder = folder("json-rows");
    let rows = folder.join("rows.jsonl");
    let rows = rows.to_str().unwrap();
    for (file, ending) in [("../roblox-model/attributes.rbxm", "rbxm"), ("../godot-4/project_v4.binary", "binary")] {
        for form in ["--json", "--plain"] {
            let out = folder.join(format!("out.{ending}"));
            let options = ["-f", if ending == "rbxm" { "rbxm" } else { "godot-4" }];
            let (status, stdout, stderr) = told(&run(&[&["get", file, form][..], &options].concat()));
            assert_eq!((status, &*stderr), (0, ""));
            fs::write(rows, stdout).unwrap();
            let set = ["set", file, "--from", rows, "-o", out.to_str().unwrap(), "--force", "--any-key"];
            let done = told(&run(&[&set[..], &options].concat()));
            assert_eq!(done, changed("0 values"), "{file} {form}");
            assert!(fs::read(&out).unwrap() == fs::read(fixtures().join(file)).unwrap(), "{file} {form}");
        }
    }
    let place = folder.join("place.rbxm");
    fs::copy(fixtures().join("../roblox-model/attributes.rbxm"), &place).unwrap();
    let place = place.to_str().unwrap();
    fs::write(rows, "{\"address\":\"Folder\",\"path\":\"Number\",\"text\":\"7\"}\n").unwrap();
    assert_eq!(told(&run(&["set", place, "--from", rows, "--in-place"])).0, 0);
    assert_eq!(got(&[place, "Folder", "Number"]), "7");
    fs::write(rows, "{\"path\":\"Number\",\"text\":\"7\"}\n").unwrap();
    let (status, _, stderr) = told(&run(&["set", place, "--from", rows, "--in-place"]));
    assert!(status == 2 && stderr.contains("before the changes, or in a line of --from"), "{stderr}");
    fs::write(rows, "{\"address\":\"Folder\",\"path\":\"Number\"}\n").unwrap();
    let (status, _, stderr) = told(&run(&["set", place, "--from", rows, "--in-place"]));
    assert!(status == 4 && stderr.contains("rows.jsonl: line 1"), "{stderr}");
    assert!(stderr.starts_with("error: expected the value as `text`, or in plain JSON as `value`"), "{stderr}");
}

/// In a broken model, an instance may be missing because it is after the place where reading ends.
#[test]
fn a_missing_instance_of_a_broken_model_is_told_with_the_reason() {
    let whole = fs::read(fixtures().join("../roblox-model/made.rbxm")).unwrap();
    let file = folder("missing-in-broken").join("cut.rbxm");
    fs::write(&file, &whole[..whole.len() * 2 / 3]).unwrap();
    let (status, output, errors) = told(&run(&["get", file.to_str().unwrap(), "Nobody"]));
    assert_eq!((status, output.as_str()), (5, ""), "{errors}");
    let begins = "error: no instance \"Nobody\" in what can be read of the file: input ends too early: ";
    assert!(errors.starts_with(begins), "{errors}");
}

/// If the bytes of a value are in the file as they are, every verb prints its offset in the file: the byte in brackets is the
/// byte at this offset.
#[test]
fn offsets_are_those_of_the_file() {
    let folder = folder("offsets");
    let broken = fs::read(fixtures().join("bad/unknown-type.bin")).unwrap();
    let part = folder.join("part.bin");
    fs::write(&part, [&b"seventeen bytes.."[..], &broken].concat()).unwrap();
    let frames = folder.join("some.frames");
    fs::write(&frames, b"\x04\0\0\0\0\0\0\0\x04\0\0\0\xee\0\0\0").unwrap();
    let project = folder.join("project.binary");
    fs::write(&project, b"ECFG\x01\0\0\0\x01\0\0\0k\x04\0\0\0\xee\0\0\0").unwrap();
    let [part, frames, project] = [&part, &frames, &project].map(|path| path.to_str().unwrap());
    for (file, options) in [
        (part, &["-f", "roblox-attributes", "--offset", "0x11"][..]),
        (frames, &["-f", "godot-4", "--framing", "le"]),
        (project, &["-f", "godot-4"]),
        ("../roblox-remote/several.dump", &["-f", "roblox-remote", "--dump"]),
        ("../roblox-model/bad/chunk.rbxm", &[]),
    ] {
        let bytes = fs::read(fixtures().join(file)).unwrap();
        let mut offsets = Vec::new();
        for verb in ["decode", "inspect", "ls", "diff"] {
            let files = if verb == "diff" { &[file, file][..] } else { &[file] };
            let (_, _, stderr) = told(&run(&[&[verb], files, options].concat()));
            let number = |text: &str| usize::from_str_radix(text, 16).unwrap();
            let offset = stderr.split(": byte 0x").nth(1).unwrap_or_else(|| panic!("{verb} {file}: {stderr}"));
            let offset = number(offset.lines().next().unwrap());
            let row = stderr.lines().find(|line| line.contains('[') && line.starts_with("0000")).unwrap();
            let marked = number(&row.split_once('[').unwrap().1[..2]);
            assert_eq!(usize::from(bytes[offset]), marked, "{verb} {file}: {stderr}");
            let first = number(&row[..8]);
            assert!((first..first + 16).contains(&offset), "{verb} {file}: {stderr}");
            offsets.push(offset);
        }
        assert!(offsets.windows(2).all(|pair| pair[0] == pair[1]), "{file}: {offsets:?}");
        let (_, checked, _) = told(&run(&[&["check", file], options].concat()));
        assert!(checked.contains(&format!("at byte {:#x}", offsets[0])), "{file}: {checked}");
        if options.first() == Some(&"--offset") {
            continue;
        }
        let (_, listed, _) = told(&run(&[&["check", file], options].concat()));
        assert!(listed.is_empty() || listed.contains(&format!("at byte {:#x}", offsets[0])), "{file}: {listed}");
    }
    // and so do the views
    let (_, tree, _) = told(&run(&["inspect", part, "-f", "roblox-attributes", "--offset", "0x11", "-v"]));
    assert!(tree.lines().nth(2).unwrap().starts_with("000011 "), "{tree}");
    let (_, tree, _) = told(&run(&["inspect", part, "-f", "roblox-attributes", "--offset", "0x11", "--json"]));
    let tree: serde_json::Value = serde_json::from_str(&tree).unwrap();
    assert_eq!(tree["nodes"][0]["start"], 17);
}

/// It is not an error that `--values` hides values, and a search looks at all of them.
#[test]
fn inspect_shows_so_many_values_and_looks_at_all() {
    let file = folder("inspect-values").join("some.frames");
    let frame = |number: u8| [4 + 4, 0, 0, 0, 2, 0, 0, 0, number, 0, 0, 0];
    fs::write(&file, (1..=9).flat_map(frame).collect::<Vec<u8>>()).unwrap();
    let file = file.to_str().unwrap();
    let inspect = |args: &[&str]| told(&run(&[&["inspect", "-f", "godot-4", "--framing", "le", file], args].concat()));
    let titles = |stdout: &str| stdout.lines().filter(|line| line.starts_with(file)).count();
    let (status, stdout, stderr) = inspect(&["--values", "3"]);
    assert_eq!((status, titles(&stdout)), (0, 3));
    assert!(stderr.contains("6 more values are not shown: the limit is 3"), "{stderr}");
    let (status, stdout, stderr) = inspect(&["--values", "3", "--find", "9"]);
    assert_eq!((status, titles(&stdout), &*stderr), (0, 1, ""), "{stdout}");
    let (status, stdout, stderr) = inspect(&["--values", "3", "--path", "int"]);
    assert_eq!((status, titles(&stdout)), (0, 3), "{stdout}");
    assert!(stderr.contains("6 more values that match are not shown"), "{stderr}");
    assert_eq!(inspect(&["--values", "3", "--find", "nobody"]).0, 7);
}

/// Every type that `help types` lists is shown, asked for and given by this name.
#[test]
fn types_have_the_names_that_the_help_lists() {
    let listed = told(&run(&["help", "types"])).1;
    for (format, file) in [
        ("roblox-attributes", "all-types.bin"),
        ("roblox-remote", "../roblox-remote/all-types.bin"),
        ("scrap-mechanic-lua", "../scrap-mechanic-lua/all-types.bin"),
        ("godot-4", "../godot-4/array_of_all.bin"),
        ("godot-3", "../godot-3/array_of_all.bin"),
    ] {
        let rows = listed.split(&format!("types of {format}:\n")).nth(1).unwrap().split("\n\n").next().unwrap();
        let mut count = 0;
        for name in rows.lines().map(|row| row.split_whitespace().nth(1).unwrap()) {
            let rows = told(&run(&["get", "-f", format, file, "--json", "--type", name])).1;
            for row in rows.lines().take(2) {
                let row: serde_json::Value = serde_json::from_str(row).unwrap();
                assert!(row["type"] == name || name == "Userdata", "{row}");
                let [path, text] = ["path", "text"].map(|member| row[member].as_str().unwrap());
                let change = format!("{path}:{name}={text}");
                let (status, _, error) = told(&run(&["set", "-f", format, file, &change, "-n"]));
                assert_eq!(status, 0, "{format} {change}: {error}");
                count += 1;
            }
        }
        assert!(count > 10, "{format}: {count}");
    }
    let set = |change| told(&run(&["set", "../scrap-mechanic-lua/all-types.bin", change, "-n"]));
    assert!(set("vec3:Quat=sm.vec3.new(1, 2, 3)").2.contains("expected Quat, found Vec3"));
    assert!(set("vec3:Vec=1").2.contains("unknown type Vec; did you mean Vec3?"));
}

/// A filter that fits nothing tells what there is.
#[test]
fn a_filter_that_fits_nothing_tells_what_there_is() {
    let folder = folder("values-filters");
    for name in ["tags.rbxm", "attributes.rbxm"] {
        fs::copy(fixtures().join("../roblox-model").join(name), folder.join(name)).unwrap();
    }
    let error = |args: &[&str]| {
        let (status, out, error) = run_in(&folder, args, b"");
        assert_eq!((status, &*out), (7, ""), "{args:?} {error}");
        error.lines().next().unwrap().to_owned()
    };
    let classes = "; classes there: Folder";
    assert!(error(&["get", "tags.rbxm", "--class", "Part"]).ends_with(classes));
    assert!(error(&["set", "tags.rbxm", "**", "A=1", "--all", "--class", "Part", "-i"]).contains(classes));
    assert!(error(&["get", ".", "--class", "Part"]).ends_with(classes));
    assert!(error(&["set", "tags.rbxm", "attributes.rbxm", "--all", "--class", "Part", "-i", "--", "**", "A=1"])
        .ends_with(classes));
    assert!(error(&["get", "tags.rbxm", "--tag", "Hot"]).ends_with("; tags there: Cool, My, Tags"));
    assert!(error(&["get", "tags.rbxm", "--type", "Vector3"]).contains("; types there: "));
    let types = error(&["get", "attributes.rbxm", "--value", "nobody"]);
    assert!(types.contains("; types there: ") && types.ends_with(" others"), "{types}");
    // the class is there
    let types = error(&["get", "attributes.rbxm", "--class", "Folder", "--value", "nobody"]);
    assert!(types.contains("; types there: "), "{types}");
    let types = error(&["set", "attributes.rbxm", "Folder", "**=1", "--all", "--type", "Ray", "-i"]);
    assert!(types.contains("; types there: "), "{types}");
    let value = run(&["get", "readable.bin", "--type", "Ray"]);
    assert!(
        told(&value).2.contains("; types there: Bool, CFrame, Color3, Double, EnumItem, NumberRange and 2 others"),
        "{value:?}"
    );
}

/// Attributes may have a key twice: the specification takes the first, and rbx_types the last.
#[test]
fn a_key_that_is_there_twice_is_named_by_its_number() {
    let folder = folder("values-twice");
    let entry = |key: &str, value: f64| {
        let length = u32::try_from(key.len()).unwrap().to_le_bytes();
        [&length[..], key.as_bytes(), b"\x06", &value.to_le_bytes()].concat()
    };
    let bytes = [&3u32.to_le_bytes()[..], &entry("Fuel", 1.0), &entry("Fuel", 2.0), &entry("A", 3.0)].concat();
    let twice = folder.join("twice.bin");
    fs::write(&twice, &bytes).unwrap();
    let run = |args: &[&str]| run_in(&folder, args, b"");
    for args in [&["Fuel=5"][..], &["--remove", "Fuel"], &["--rename", "Fuel", "B"]] {
        let (status, _, error) = run(&[&["set", "twice.bin", "-i"], args].concat());
        assert!(
            status == 2
                && error.contains("Fuel: several values have this key")
                && error.contains("name [#0] or [#1]\n")
        );
        assert_eq!(fs::read(&twice).unwrap(), bytes);
    }
    let lines = run(&["get", "twice.bin"]).1;
    assert_eq!(lines, "Fuel=1\n[#1]=2\nA=3\n");
    fs::write(folder.join("lines"), &lines).unwrap();
    assert_eq!(run(&["set", "twice.bin", "--from", "lines", "-i"]).0, 0);
    assert_eq!(fs::read(&twice).unwrap(), bytes);
    assert_eq!(run(&["get", "twice.bin", "[#0]"]).1, "1\n");
    assert_eq!(run(&["set", "twice.bin", "[#0]=7", "[#1]=8", "A=9", "-i"]), changed("3 values"));
    assert_eq!(run(&["get", "twice.bin"]).1, "Fuel=7\n[#1]=8\nA=9\n");
    let (status, out, error) = run(&["check", "twice.bin"]);
    assert!(status == 0 && out.ends_with("3 entries, canonical\n"), "{out}");
    assert!(error.contains("warning: the key Fuel is there several times, as [#0], [#1]"), "{error}");
    // in a model, too
    let model = folder.join("a.rbxmx");
    let head = r#"<roblox version="4"><Item class="Part" referent="R"><Properties><string name="Name">P</string>"#;
    let blob = data_encoding::BASE64.encode(&bytes);
    let text =
        format!(r#"{head}<BinaryString name="AttributesSerialize">{blob}</BinaryString></Properties></Item></roblox>"#);
    fs::write(&model, text).unwrap();
    assert!(run(&["set", "a.rbxmx", "P", "Fuel=5", "-i"]).2.contains("name [#0] or [#1]"));
    assert!(run(&["check", "a.rbxmx"]).2.contains("the key Fuel is there several times"));
    assert_eq!(
        run(&["set", "a.rbxmx", "P", "--remove", "[#1]", "-i"]),
        (0, "1 value removed\n".to_owned(), String::new())
    );
    assert_eq!(run(&["set", "a.rbxmx", "P", "Fuel=5", "-i"]), changed("1 value"));
    assert!(run(&["check", "a.rbxmx"]).2.is_empty());
}
