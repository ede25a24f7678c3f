//! `edit`: the values of a file in the text editor of the user.
#![cfg(target_os = "linux")] // the editors are scripts for GNU sed

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::{changed, done, fixtures, folder, run, told};

/// The program with a script for a shell as the editor: `$1` is the text.
fn edit(folder: &Path, script: &str, arguments: &[&str]) -> Output {
    let editor = folder.join("editor");
    fs::write(&editor, format!("#!/bin/sh\n{script}\n")).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_enginewire"));
    program.arg("edit").args(arguments).current_dir(folder).env("TMPDIR", folder).env_remove("VISUAL");
    program.env("EDITOR", format!("sh {}", editor.to_str().unwrap())).output().unwrap()
}

fn copied(folder: &Path, file: &str) -> String {
    let copy = folder.join(Path::new(file).file_name().unwrap());
    fs::copy(fixtures().join("..").join(file), &copy).unwrap();
    copy.to_str().unwrap().to_owned()
}

#[test]
fn values_of_every_kind_of_file_can_be_edited() {
    let folder = folder("edit");
    for (file, options, from, to) in [
        ("roblox-attributes/readable.bin", &[][..], "Fuel=87.5", "Fuel=42"),
        ("roblox-model/attributes.rbxm", &["Folder"], "Infinity=math.huge", "Infinity=7"),
        ("roblox-model/attributes.rbxmx", &[], "Folder\tInfinity=math.huge", "Folder\tInfinity=7"),
        ("godot-4/project_v4.binary", &[], "=\"demo\"", "=\"a game\""),
        ("godot-4/debugger_v4.frames", &["--framing", "le", "-f", "godot-4"], "\"set_pid\"", "\"set\""),
        ("scrap-mechanic-lua/logic.blueprint.json", &[], "mode=2", "mode=7"),
        ("scrap-mechanic-lua/save-v24.db", &[], "=false", "=true"),
        ("roblox-remote/several.dump", &["--dump", "-f", "roblox-remote", "[0]"], "damage = 17.5", "damage = 20"),
    ] {
        let file = copied(&folder, file);
        let values = || told(&run(&[&["get", &file], options].concat())).1;
        let before = values();
        assert!(before.contains(from), "{file}: {before}");
        let script = format!("sed '0,/{from}/s//{to}/' \"$1\" > new; cat new > \"$1\"; rm new");
        let (status, stdout, stderr) = told(&edit(&folder, &script, &[&[&file[..]], options].concat()));
        assert_eq!((status, &*stdout), (0, "1 value changed\n"), "{file}: {stderr}");
        assert_eq!(values(), before.replacen(from, to, 1), "{file}");
        assert_eq!(stderr, "", "{file}");
        fs::remove_file(&file).unwrap();
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing but the editor is left");
}

#[test]
fn lines_are_added_and_deleted() {
    let folder = folder("edit-lines");
    let file = copied(&folder, "roblox-attributes/readable.bin");
    let keys =
        || told(&run(&["get", &file])).1.lines().map(|line| line.split('=').next().unwrap().to_owned()).collect();
    let before: Vec<String> = keys();
    let edited = edit(&folder, "sed -i -e /Fuel/d -e /Lit/d \"$1\"; echo New=1 >> \"$1\"", &[&file]);
    assert_eq!(told(&edited), done("3 values changed (1 added, 2 removed)"));
    let mut after: Vec<String> = keys();
    assert_eq!(told(&run(&["get", &file, "New"])).1, "1\n");
    after.retain(|key| key != "New");
    assert_eq!(after, before.into_iter().filter(|key| key != "Fuel" && key != "Lit").collect::<Vec<_>>());
}

/// Ctrl-C in the editor reaches the program too, which is the parent of this script or of the shell that started it.
const INTERRUPTED: &str = "\
sed -i s/87.5/42/ \"$1\"
program=$PPID
if [ \"$(cat /proc/$program/comm)\" != enginewire ]; then program=$(cut -d ' ' -f 4 /proc/$program/stat); fi
if [ \"$(cat /proc/$program/comm)\" = enginewire ]; then kill -INT $program && sleep 0.1 && exit 3; fi";

#[test]
fn what_is_wrong_is_told_and_the_text_is_kept() {
    let folder = folder("edit-wrong");
    let file = copied(&folder, "roblox-attributes/readable.bin");
    let before = fs::read(&file).unwrap();
    let texts = || {
        let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.extension().is_some_and(|ending| ending == "txt")).collect::<Vec<_>>()
    };
    for (script, expected, message) in [
        ("sed -i s/=true/=maybe/ \"$1\"", 2, "error: Lit: expected a Bool such as true, found maybe"),
        ("echo nonsense >> \"$1\"", 2, "error: expected PATH=VALUE or PATH:TYPE=VALUE"),
        ("echo Lit=false >> \"$1\"", 2, "error: the text has two lines for Lit\n"),
        ("sed -i s/87.5/42/ \"$1\"; exit 3", 3, "error: the editor "),
        (INTERRUPTED, 3, "error: the editor "),
        (
            "sed -i s/87.5/42/ \"$1\"; printf '\\1\\0\\0\\0\\1\\0\\0\\0a\\3\\1' > readable.bin",
            6,
            "error: the file has changed while it was edited",
        ),
    ] {
        let (status, stdout, stderr) = told(&edit(&folder, script, &[&file]));
        assert!(status == expected && stdout.is_empty() && stderr.starts_with(message), "{script}: {status} {stderr}");
        let [kept] = &texts()[..] else { panic!("{script}: no text, or several, are kept") };
        let again = format!("enginewire set {file} --from {} -i", kept.display());
        assert!(stderr.ends_with(&format!("\n  your text is kept: correct it, then run `{again}`\n")), "{stderr}");
        assert!(fs::read_to_string(kept).unwrap().contains("Pivot="));
        fs::remove_file(kept).unwrap();
        if expected != 6 {
            assert!(fs::read(&file).unwrap() == before, "{script}");
        }
    }
    fs::write(&file, &before).unwrap();
    let mut unnamed = Command::new(env!("CARGO_BIN_EXE_enginewire"));
    let unnamed = unnamed.args(["edit", &file]).env_remove("VISUAL").env_remove("EDITOR").output().unwrap();
    let (status, _, stderr) = told(&unnamed);
    assert_eq!(
        (status, &*stderr),
        (3, "error: no terminal for the editor: set EDITOR to a program with its own window\n")
    );
    let (status, _, stderr) = told(&edit(&folder, "printf '\\n' > \"$1\"", &[&file]));
    assert!(status == 2 && stderr.starts_with("error: the text is empty; nothing is written\n"), "{stderr}");
    texts().iter().for_each(|kept| fs::remove_file(kept).unwrap());
    // a text without a change is not worth keeping
    for script in ["exit 1", ""] {
        let (status, _, stderr) = told(&edit(&folder, script, &[&file]));
        assert_eq!((status, stderr.contains("kept")), (if script.is_empty() { 0 } else { 3 }, false), "{stderr}");
    }
    for (arguments, expected, message) in [
        (&["-"][..], 2, "error: standard input cannot be edited"),
        (&["no file"], 3, "error: cannot read no file"),
        (&[&file, "Nope"], 7, "error: no value Nope"),
        (
            &["--input", "hex", &file],
            2,
            "error: the file is written as hex and is not changed in place; write a changed",
        ),
        (&["--offset", "4", &file], 2, "error: only whole files are changed; leave out --offset and --length"),
    ] {
        let (status, _, stderr) = told(&edit(&folder, "exit 9", arguments));
        assert!(status == expected && stderr.starts_with(message), "{arguments:?}: {status} {stderr}");
    }
    assert_eq!((texts().len(), fs::read(&file).unwrap()), (0, before));
}

/// Attributes in another property are listed with the name of that property, so that their lines change that property.
#[test]
fn properties_of_other_names_are_edited_where_they_are() {
    let folder = folder("edit-properties");
    let file = folder.join("styles.rbxmx").to_str().unwrap().to_owned();
    let item = |class: &str, number: u8, property: &str| {
        let bytes = "AQAAAAIAAABPbgMB";
        format!(
            "<Item class=\"{class}\" referent=\"R{number}\"><Properties><string name=\"Name\">{class}</string>\
             <BinaryString name=\"AttributesSerialize\">{bytes}</BinaryString>\
             <BinaryString name=\"{property}\">{bytes}</BinaryString></Properties></Item>"
        )
    };
    let items =
        [item("StyleRule", 1, "PropertiesSerialize"), item("PlayerEmulatorService", 2, "SerializedEmulatedPolicyInfo")];
    let model = format!("<roblox version=\"4\">{}</roblox>", items.concat());
    fs::write(&file, &model).unwrap();
    let lines = "StyleRule\tOn=true\nStyleRule:PropertiesSerialize\tOn=true\nPlayerEmulatorService\tOn=true\n\
                 PlayerEmulatorService:SerializedEmulatedPolicyInfo\tOn=true\n";
    assert_eq!(told(&run(&["get", &file])).1, lines);
    assert_eq!(told(&run(&["get", &file, "StyleRule:PropertiesSerialize"])).1, "On=true\n");
    for place in ["StyleRule:PropertiesSerialize", "PlayerEmulatorService:SerializedEmulatedPolicyInfo"] {
        let script = format!("sed -i '/^{place}\t/s/true/false/' \"$1\"");
        assert_eq!(told(&edit(&folder, &script, &[&file])), changed("1 value"));
        let place = place.split_once(':').unwrap();
        let expected = lines.replacen(&format!("{}\tOn=true", place.1), &format!("{}\tOn=false", place.1), 1);
        assert_eq!(told(&run(&["get", &file])).1, expected);
        let back = ["set", &file, &format!("{}:{}", place.0, place.1), "On=true", "--in-place"];
        assert_eq!(told(&run(&back)), (0, "1 value changed\n".to_owned(), String::new()));
        assert_eq!(fs::read_to_string(&file).unwrap(), model);
    }
    let (status, _, stderr) = told(&run(&["get", &file, "PlayerEmulatorService:PropertiesSerialize"]));
    assert!(status == 7 && stderr.starts_with("error: no value PlayerEmulatorService:Prop"), "{stderr}");
    let refused = told(&run(&["set", &file, "StyleRule:SerializedEmulatedPolicyInfo", "On=true", "--in-place"]));
    let reason = "error: StyleRule, a StyleRule, has no attributes in SerializedEmulatedPolicyInfo";
    assert!(refused.0 == 2 && refused.2.starts_with(reason), "{refused:?}");
}

/// `set` would change something else than what is read.
#[test]
fn a_part_of_a_file_is_not_changed() {
    let folder = folder("set-part");
    let file = copied(&folder, "roblox-attributes/readable.bin");
    let before = fs::read(&file).unwrap();
    for options in [&["--offset", "0x10"][..], &["--length", "300"], &["--input", "hex"]] {
        let (status, _, stderr) = told(&run(&[&["set", &file, "Fuel=42", "--in-place"], options].concat()));
        let is_refused = stderr.starts_with("error: only ") || stderr.contains("is not changed in place; ");
        assert!(status == 2 && is_refused, "{options:?}: {stderr}");
        assert!(fs::read(&file).unwrap() == before);
    }
}

/// Names that end like a property, begin like a comment, or are shown with escapes.
#[test]
fn instances_have_any_name() {
    let folder = folder("edit-names");
    let file = folder.join("names.rbxmx").to_str().unwrap().to_owned();
    let item = |(number, name): (usize, &&str)| {
        format!(
            "<Item class=\"Folder\" referent=\"R{number}\"><Properties><string name=\"Name\">{name}</string>\
             <BinaryString name=\"AttributesSerialize\">AQAAAAIAAABPbgMB</BinaryString></Properties></Item>"
        )
    };
    let names = ["Name", "Name Tags", "Name PropertiesSerialize", "# note", "a\nb", "a\\nb", "tab\tin"];
    let items: String = names.iter().enumerate().map(item).collect();
    fs::write(&file, format!("<roblox version=\"4\">{items}</roblox>")).unwrap();
    let before = told(&run(&["get", &file])).1;
    assert_eq!(before.lines().count(), names.len(), "{before}");
    for line in before.lines() {
        let script = format!("n=$(grep -nxF '{line}' \"$1\" | cut -d : -f 1); sed -i \"$n\"s/true/false/ \"$1\"");
        assert_eq!(told(&edit(&folder, &script, &[&file])), changed("1 value"), "{line}");
        let changed = line.replace("true", "false");
        assert_eq!(told(&run(&["get", &file])).1, before.replacen(line, &changed, 1), "{line}");
        let address = line.split('\t').next().unwrap();
        assert_eq!(told(&run(&["get", &file, address])).1, "On=false\n", "{line}");
        let back = format!("sed -i s/false/true/ \"$1\" # {address}");
        assert_eq!(told(&edit(&folder, &back, &[&file])), super::changed("1 value"), "{line}");
        assert_eq!(told(&run(&["get", &file])).1, before);
    }
}

#[test]
fn only_what_the_filter_takes_is_shown_and_the_copy_changes() {
    let folder = folder("edit-filter");
    let file = copied(&folder, "roblox-model/attributes.rbxm");
    let before = fs::read(&file).unwrap();
    let script = "grep -c = \"$1\" > lines; sed -i 's/12345/7/' \"$1\"";
    let (status, stdout, stderr) = told(&edit(&folder, script, &[&file, "--type=Double", "-o", "changed.rbxm"]));
    assert_eq!((status, &*stdout, &*stderr), (0, "1 value changed\n", ""));
    // one of two lines before the values has an equals sign
    assert_eq!(fs::read_to_string(folder.join("lines")).unwrap(), "4\n");
    assert!(fs::read(&file).unwrap() == before);
    let diff = told(&run(&["diff", &file, folder.join("changed.rbxm").to_str().unwrap()]));
    assert_eq!(diff.1, "~ Folder Number: 12345 -> 7\n");
}
