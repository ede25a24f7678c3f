//! `--undo` and `--backup` of the verbs that change files.

use super::{fixtures, folder, run_in};
use pretty_assertions::assert_eq;
use std::fs;
use std::path::Path;

/// A file of each kind, its name here, and changes of it.
fn changed_files(folder: &Path) -> Vec<(&'static str, Vec<&'static str>)> {
    let row = "ScriptData[uid=78d29e17-a400-4ad5-bd2f-db312b000c3b,key=7c010000]";
    let all = [
        ("roblox-model/tags.rbxm", vec!["tags.rbxm", "Folder", "Fuel=42", "--add-tag", "New", "--remove-tag", "Cool"]),
        ("roblox-attributes/readable.bin", vec!["readable.bin", "New=1", "--remove", "Fuel"]),
        ("scrap-mechanic-lua/save-v28.db", vec!["save-v28.db", row, "[1]=64"]),
        ("scrap-mechanic-lua/logic.blueprint.json", vec!["logic.blueprint.json", "bodies[0].childs[0]", "mode=1"]),
        ("godot-files/v4/project/project.binary", vec!["project.binary", "application/config/name=\"A\"", "new=3"]),
        ("godot-files/v4/config/small.cfg", vec!["small.cfg", "player/name=\"A\"", "player/new=3"]),
        ("godot-files/v4/gcpf/zstd/save.ini", vec!["save.ini", "player/name=\"A\""]),
        ("godot-files/v4/pck/plain.pck", vec!["plain.pck", "--entry", "res://project.binary", "new=3"]),
    ];
    let copied = all.into_iter().map(|(from, changes)| {
        fs::copy(fixtures().join("..").join(from), folder.join(changes[0])).unwrap();
        (changes[0], changes)
    });
    copied.collect()
}

/// The output of `get` for a file, or for the entry that changes in a pack.
fn values(folder: &Path, name: &str) -> String {
    let entry = if name == "plain.pck" { &["--entry", "res://project.binary"][..] } else { &[] };
    run_in(folder, &[&["get", name], entry].concat(), b"").1
}

/// The values before a change are there again when it is taken back, and those after it when that is taken back.
#[test]
fn a_table_takes_changes_back() {
    let folder = folder("undo");
    for (name, changes) in changed_files(&folder) {
        let before = values(&folder, name);
        let undo = format!("{name}.undo");
        let set = run_in(&folder, &[&["set"], &changes[..], &["-i", "--undo", &undo]].concat(), b"");
        assert_eq!(set.0, 0, "{name}: {}", set.2);
        let after = values(&folder, name);
        assert_ne!(before, after, "{name}");
        let entry = if name == "plain.pck" { &["--entry", "res://project.binary"][..] } else { &[] };
        let back =
            |table: &str, more: &[&str]| run_in(&folder, &[&["set", name, "--from", table], entry, more].concat(), b"");
        // the same values change, and nothing is written
        let (status, lines, _) = back(&undo, &["-n"]);
        assert!(status == 0 && !lines.is_empty(), "{name}");
        assert_eq!(values(&folder, name), after, "{name}");
        let redo = format!("{name}.redo");
        let (status, _, errors) = back(&undo, &["-i", "--undo", &redo]);
        assert_eq!(status, 0, "{name}: {errors}");
        assert_eq!(values(&folder, name), before, "{name}");
        // the file is no longer as the table says
        let (status, _, errors) = back(&undo, &["-i"]);
        assert!(status == 2 && errors.contains("not as it was after the changes"), "{name}: {errors}");
        assert_eq!(values(&folder, name), before, "{name}");
        let (status, _, errors) = back(&redo, &["-i"]);
        assert_eq!(status, 0, "{name}: {errors}");
        assert_eq!(values(&folder, name), after, "{name}");
    }
}

/// Every verb that changes a file can write the table.
#[test]
fn every_verb_writes_the_table() {
    let folder = folder("undo-verbs");
    changed_files(&folder);
    let fixture = |name: &str, to: &str| fs::copy(fixtures().join("..").join(name), folder.join(to)).unwrap();
    fixture("roblox-attributes/readable.bin", "good.bin");
    fixture("godot-files/v4/project/small.binary", "small.binary");
    let bytes = fs::read(folder.join("good.bin")).unwrap();
    fs::write(folder.join("cut.bin"), &bytes[..bytes.len() - 3]).unwrap();
    let lines = run_in(&folder, &["decode", "save-v28.db"], b"").1.replace("\"value\":63", "\"value\":64");
    fs::write(folder.join("lines"), lines).unwrap();
    fs::write(folder.join("other.cfg"), "[player]\nname=\"B\"\n").unwrap();
    for (name, args) in [
        ("small.cfg", &["copy", "other.cfg", "player/name", "--to", "small.cfg", "-i"][..]),
        ("save-v28.db", &["encode", "lines", "--into", "save-v28.db", "-i"]),
        ("cut.bin", &["check", "-f", "roblox-attributes", "--fix", "cut", "cut.bin", "-i"]),
        ("small.binary", &["convert", "small.binary", "--to", "godot-3", "-i"]),
    ] {
        let before = fs::read(folder.join(name)).unwrap();
        let undo = format!("{name}.undo");
        let (status, _, errors) = run_in(&folder, &[args, &["--undo", &undo]].concat(), b"");
        assert_eq!(status, 0, "{args:?}: {errors}");
        assert_ne!(fs::read(folder.join(name)).unwrap(), before, "{name}");
        let (status, _, errors) = run_in(&folder, &["set", name, "--from", &undo, "-i"], b"");
        assert_eq!(status, 0, "{args:?}: {errors}");
        // a save has a counter of changes
        if name != "save-v28.db" {
            assert!(fs::read(folder.join(name)).unwrap() == before, "{name}");
        }
    }
}

#[test]
fn tables_of_several_files() {
    let folder = folder("undo-several");
    for name in ["a.rbxm", "b.rbxm"] {
        fs::copy(fixtures().join("../roblox-model/tags.rbxm"), folder.join(name)).unwrap();
    }
    let set =
        run_in(&folder, &["set", ".", "Folder", "Fuel=1", "--all", "--add", "-i", "--undo", "../undo-table"], b"");
    assert_eq!(set.0, 0, "{}", set.2);
    let table = fs::read_to_string(folder.join("../undo-table")).unwrap();
    assert_eq!(table.lines().count(), 4, "{table}");
    // each file finds its own, by its digest
    let back = run_in(&folder, &["set", ".", "--from", "../undo-table", "-i"], b"");
    assert_eq!(back.0, 0, "{}", back.2);
    assert_eq!(
        values(&folder, "a.rbxm") + &values(&folder, "b.rbxm"),
        "Folder:Tags\t={\"Cool\", \"My\", \"Tags\"}\n".repeat(2)
    );
    fs::remove_file(folder.join("../undo-table")).unwrap();
}

/// A table is taken back beside files that it does not name. A change of a folder leaves the backups in it as they are.
#[test]
fn a_change_of_a_folder_is_taken_back_beside_other_files() {
    let folder = folder("undo-beside");
    for name in ["roblox-model/tags.rbxm", "godot-files/v4/config/small.cfg"] {
        let file = fixtures().join("..").join(name);
        fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
    }
    let before = fs::read(folder.join("tags.rbxm")).unwrap();
    let done = (0, "1 value changed in 1 file\n".to_owned(), String::new());
    let set = |value: &str, more: &[&str]| {
        assert_eq!(run_in(&folder, &[&["set", ".", "Folder", value, "--all", "-i"], more].concat(), b""), done);
    };
    let add = &["set", "tags.rbxm", "Folder", "Fuel=0", "-i", "--backup"];
    assert_eq!(run_in(&folder, add, b"").0, 0);
    set("Fuel=1", &[]);
    set("Fuel=2", &["--undo", "../undo-beside-table"]);
    assert_eq!(fs::read(folder.join("tags.rbxm.bak")).unwrap(), before);
    let back = ["set", ".", "--from", "../undo-beside-table", "-i"];
    assert_eq!(run_in(&folder, &back, b""), done);
    assert_eq!(run_in(&folder, &["get", "tags.rbxm", "Folder", "Fuel"], b"").1, "1\n");
    // but the file that it names has to be as it was
    let (status, _, errors) = run_in(&folder, &back, b"");
    assert!(
        status == 2 && errors.starts_with("error: the file is not as it was") && errors.lines().count() == 2,
        "{errors}"
    );
    let (_, listed, _) = run_in(&folder, &["ls", "."], b"");
    assert!(listed.contains("tags.rbxm") && !listed.contains(".bak"), "{listed}");
    assert_eq!(run_in(&folder, &["ls", "tags.rbxm.bak"], b"").0, 0);
    fs::remove_file(folder.join("../undo-beside-table")).unwrap();
}

#[test]
fn what_is_no_table_or_does_not_fit_is_refused() {
    let folder = folder("undo-refused");
    changed_files(&folder);
    let run = |args: &[&str]| run_in(&folder, args, b"");
    let before = fs::read(folder.join("small.cfg")).unwrap();
    let refused = |args: &[&str], status: i32, message: &str| {
        let (found, _, errors) = run(args);
        assert!(found == status && errors.contains(message), "{args:?}: {found} {errors}");
        assert_eq!(fs::read(folder.join("small.cfg")).unwrap(), before, "{args:?}");
    };
    let set = ["set", "small.cfg", "player/new=3"];
    fs::write(folder.join("there"), "text").unwrap();
    refused(&[&set[..], &["-i", "--undo", "there"]].concat(), 3, "cannot write there: ");
    refused(&[&set[..], &["-i", "--undo", "-"]].concat(), 2, "--undo and the changed file need names");
    refused(&[&set[..], &["-o", "-", "--undo", "u"]].concat(), 2, "--undo and the changed file need names");
    refused(&[&set[..], &["-o", "u", "--undo", "u"]].concat(), 2, "--undo names the file that is written");
    refused(&[&set[..], &["-o", "u", "--backup"]].concat(), 2, "--backup needs -i");
    refused(&[&set[..], &["-i", "--backup=../x"]].concat(), 2, "--backup needs the end of a name");
    refused(&["encode", "there", "--undo", "u", "-o", "x"], 2, "are about the file of --into");
    // what is refused leaves no table
    refused(&["set", "small.cfg", "player/name.x=3", "-i", "--undo", "u"], 2, "");
    assert!(!folder.join("u").exists());
    let row = r#"{"address":"player/name","bytes":"BAAAAAEAAABCAAAA"}"#;
    let end = r#"{"undo":"small.cfg","values":1,"sha256":"00"}"#;
    for (table, status, message) in [
        (row.to_owned(), 4, "has no end: the change was not finished"),
        (format!("{row}\n{row}\n{end}"), 4, "it is not complete\n  --> table: line 3"),
        (format!("{row}\nnonsense\n{end}"), 4, "it is not complete\n  --> table: line 2"),
        (format!("{row}\n{end}"), 2, "the file is not as it was"),
    ] {
        fs::write(folder.join("table"), table).unwrap();
        refused(&["set", "small.cfg", "--from", "table", "-i"], status, message);
    }
    refused(&["set", "small.cfg", "--from", "table", "-i", "player/name=3"], 2, "is taken back as a whole");
    // with -n nothing is written, and nothing kept
    for option in ["--undo=u", "--backup"] {
        refused(&[&set[..], &["-n", option]].concat(), 2, "cannot be used with");
    }
    refused(&["copy", "plain.pck", "res://empty", "--to", "x", "--undo", "u"], 2, "no -o, -i, --undo");
    // the same file by another name
    refused(&[&set[..], &["-o", "./u", "--undo", "u"]].concat(), 2, "--undo names the file that is written");
    assert!(!folder.join("u").exists());
    // nothing changes, so nothing is kept
    let same = run(&["set", "small.cfg", "player/position=Vector3(1, 2, 3)", "-i", "--undo", "u"]);
    assert!(same.0 == 0 && !folder.join("u").exists(), "{}", same.2);
    // the numbers of a stream change
    fs::copy(fixtures().join("../godot-files/v4/plain/save.var"), folder.join("save.var")).unwrap();
    let stream = ["set", "save.var", "-f", "godot-4", "--framing", "le", "[0]", "--remove", "", "-i", "--undo", "u"];
    let (status, _, errors) = run(&stream);
    assert!(status == 2 && errors.contains("pass --backup instead"), "{errors}");
    let first = ["set", "save.var", "-f", "godot-4", "--framing", "le", "--first", "[0]=1", "-i", "--undo", "u"];
    assert_eq!(run(&first).0, 0);
    let back = ["set", "save.var", "-f", "godot-4", "--framing", "le", "--from", "u", "-i"];
    let (status, _, errors) = run(&[&back[..], &["--undo", "redo"]].concat());
    assert!(status == 2 && errors.contains("pass --backup instead") && !folder.join("redo").exists(), "{errors}");
    let before = fs::read(fixtures().join("../godot-files/v4/plain/save.var")).unwrap();
    assert_eq!((run(&back).0, fs::read(folder.join("save.var")).unwrap()), (0, before));
}

/// Both are as private as the file, and neither is left where the file was not written.
#[cfg(unix)]
#[test]
fn what_is_kept_is_private_and_not_left_behind() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("undo-private");
    changed_files(&folder);
    let row = "ScriptData[uid=78d29e17-a400-4ad5-bd2f-db312b000c3b,key=7c010000]";
    for (name, change) in
        [("small.cfg", &["player/new=3"][..]), ("tags.rbxm", &["Folder", "Fuel=42"]), ("save-v28.db", &[row, "[1]=64"])]
    {
        let there = || {
            let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let before = there();
        let set = [&["set", name], change, &["-i", "--backup"]].concat();
        let (status, _, errors) = run_in(&folder, &[&set[..], &["--undo", "nowhere/undo"]].concat(), b"");
        assert_eq!((status, there()), (3, before.clone()), "{errors}");
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o444)).unwrap();
        let (status, _, errors) = run_in(&folder, &[&set[..], &["--undo", "undo"]].concat(), b"");
        assert_eq!((status, there()), (3, before), "{name}: {errors}");
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o600)).unwrap();
        let undo = format!("{name}.undo");
        let (status, _, errors) = run_in(&folder, &[&set[..], &["--undo", &undo]].concat(), b"");
        assert_eq!(status, 0, "{errors}");
        for kept in [undo, format!("{name}.bak")] {
            let mode = fs::metadata(folder.join(&kept)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{kept}");
        }
    }
}

/// The older ones stay.
#[test]
fn backups_are_numbered() {
    let folder = folder("backup");
    changed_files(&folder);
    for name in ["small.cfg", "save-v28.db", "tags.rbxm"] {
        let read = |suffix: &str| values(&folder, &format!("{name}{suffix}"));
        let first = read("");
        let change = |value: &str| match name {
            "small.cfg" => vec![format!("player/name=\"{value}\"")],
            "save-v28.db" => vec![
                "ScriptData[uid=78d29e17-a400-4ad5-bd2f-db312b000c3b,key=7c010000]".to_owned(),
                format!("[1]={value}"),
            ],
            _ => vec!["Folder".to_owned(), format!("Fuel={value}")],
        };
        let set = |value: &str| {
            let change = change(value);
            let args =
                [vec!["set", name], change.iter().map(String::as_str).collect(), vec!["-i", "--backup"]].concat();
            let (status, _, errors) = run_in(&folder, &args, b"");
            assert_eq!(status, 0, "{name}: {errors}");
        };
        set("1");
        let second = read("");
        set("2");
        assert_eq!([read(".bak"), read(".bak2")], [first, second], "{name}");
        assert_ne!(read(""), read(".bak2"), "{name}");
    }
}

/// A value that is given the bytes that it has already does not change: not its text, and not what else cannot be changed.
#[test]
fn values_that_are_set_to_themselves_leave_the_file_as_it_is() {
    let folder = folder("set-to-itself");
    for (name, read, write) in [
        ("connected.scn", &["get", "connected.scn"][..], &["set", "connected.scn", "--from", "lines", "-o", "out"][..]),
        ("input.godot", &["get", "input.godot"], &["set", "input.godot", "--from", "lines", "-o", "out"]),
        ("mixed.godot", &["get", "mixed.godot"], &["set", "mixed.godot", "--from", "lines", "-o", "out"]),
        ("classes.godot", &["get", "classes.godot"], &["set", "classes.godot", "--from", "lines", "-o", "out"]),
        (
            "global_script_class_cache.cfg",
            &["get", "global_script_class_cache.cfg"],
            &["set", "global_script_class_cache.cfg", "--from", "lines", "-o", "out"],
        ),
        ("moved-3.res", &["get", "moved-3.res"], &["set", "moved-3.res", "--from", "lines", "-o", "out"]),
        ("script-3.gdc", &["get", "script-3.gdc"], &["set", "script-3.gdc", "--from", "lines", "-o", "out"]),
        ("uid_cache.bin", &["get", "uid_cache.bin"], &["set", "uid_cache.bin", "--from", "lines", "-o", "out"]),
        ("forms.cfg", &["get", "forms.cfg"], &["set", "forms.cfg", "--from", "lines", "-o", "out"]),
        ("moved-3.res", &["decode", "moved-3.res"], &["encode", "lines", "-o", "out"]),
        ("value.gcpf", &["decode", "value.gcpf"], &["encode", "lines", "--into", "value.gcpf", "-o", "out"]),
    ] {
        let file = folder.join(name);
        fs::copy(fixtures().join("../reports").join(name), &file).unwrap();
        let (status, lines, errors) = run_in(&folder, read, b"");
        assert!(status == 0 && !lines.is_empty(), "{name}: {errors}");
        fs::write(folder.join("lines"), lines).unwrap();
        let (status, _, errors) = run_in(&folder, write, b"");
        assert_eq!(status, 0, "{name}: {errors}");
        assert!(fs::read(folder.join("out")).unwrap() == fs::read(&file).unwrap(), "{name}");
        fs::remove_file(folder.join("out")).unwrap();
    }
}

/// Only the line of the value that is named changes.
#[test]
fn a_change_in_a_text_of_godot_leaves_the_rest() {
    let folder = folder("one-line");
    for (name, set, old, new) in [
        ("input.godot", &["input/jump", "deadzone=0.25"][..], "\"deadzone\": 0.5,", "\"deadzone\": 0.25,"),
        ("forms.cfg", &["s/x", "[0]=5"], "x=[1, ; c", "x=[5, ; c"),
        ("forms.cfg", &["s/w", "resource_path=\"res://z\""], "w=Resource(\"res://a.tres\")", "w=Resource(\"res://z\")"),
        ("forms.cfg", &["t/arr", "[2]=5"], "\"res://c.tres\"), 1]", "\"res://c.tres\"), 5]"),
        ("mixed.godot", &["editor_plugins/enabled", "[0]=\"x\""], "y(\"res://addons/x/plugin.cfg\")", "y(\"x\")"),
    ] {
        let text = fs::read_to_string(fixtures().join("../reports").join(name)).unwrap();
        for text in [text.clone(), text.replace('\n', "\r\n")] {
            fs::write(folder.join(name), &text).unwrap();
            let (status, _, errors) = run_in(&folder, &[&["set", name], set, &["-i"]].concat(), b"");
            assert_eq!(status, 0, "{name}: {errors}");
            assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), text.replace(old, new));
        }
    }
}

/// `edit` has the options, too.
#[cfg(unix)]
#[test]
fn an_edit_is_taken_back() {
    let folder = folder("undo-edit");
    changed_files(&folder);
    let before = fs::read(folder.join("small.cfg")).unwrap();
    let mut edit = std::process::Command::new(env!("CARGO_BIN_EXE_enginewire"));
    edit.args(["edit", "small.cfg", "--undo", "undo", "--backup"]).current_dir(&folder);
    let output = edit.env("EDITOR", "sed -i s/Grüße/Hallo/").env_remove("VISUAL").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_ne!(fs::read(folder.join("small.cfg")).unwrap(), before);
    assert_eq!(fs::read(folder.join("small.cfg.bak")).unwrap(), before);
    assert_eq!(run_in(&folder, &["set", "small.cfg", "--from", "undo", "-i"], b"").0, 0);
    assert_eq!(fs::read(folder.join("small.cfg")).unwrap(), before);
}
