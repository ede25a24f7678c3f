//! `set` that changes many values, and `set` that adds and removes values.

use super::{changed, done, fixtures, folder, run, run_in, told};
use pretty_assertions::assert_eq;
use std::fs;
use std::path::{Path, PathBuf};

/// A copy of a fixture to change, in a folder of this test's own.
fn copied(test: &str, fixture: &str) -> PathBuf {
    let copy = folder(test).join(Path::new(fixture).file_name().unwrap());
    fs::copy(fixtures().join("..").join(fixture), &copy).unwrap();
    copy
}

/// Runs `set` on a file in place. Returns its status and output.
fn set(file: &Path, args: &[&str]) -> (i32, String, String) {
    told(&run(&[&["set", file.to_str().unwrap()], args, &["--in-place"]].concat()))
}

fn get(file: &Path, args: &[&str]) -> String {
    told(&run(&[&["get", file.to_str().unwrap()], args].concat())).1
}

/// The bytes of a value of Godot 4.
fn godot(text: &str) -> Vec<u8> {
    let format = enginewire::formats::by_name("godot-4").unwrap();
    format.encode_notation(text, &enginewire::formats::FormatOptions::new()).unwrap()
}

/// Not everything that a pattern fits has the value.
#[test]
fn what_a_pattern_fits_without_such_a_value_is_skipped() {
    let place = copied("pattern-skips", "roblox-model/baseplate-566.rbxl");
    assert_eq!(set(&place, &["Workspace.Baseplate", "Fuel=1", "Oil=2"]), done("2 values added"));
    let before = fs::read(&place).unwrap();
    let nothing = |args: &[&str], reason: &str| {
        let (status, out, error) = set(&place, args);
        assert_eq!((status, &*out), (7, ""), "{args:?} {error}");
        let filter = if args.contains(&"--class") { " --class \"SpawnLocation\"" } else { "" };
        assert!(error.starts_with(&format!("error: no value fits{filter}{reason}\n")), "{error}");
        assert!(fs::read(&place).unwrap() == before, "{args:?}");
    };
    nothing(&["**", "--remove", "Water", "--all"], "");
    nothing(&["**", "--rename", "Water", "Air", "--all"], "");
    nothing(&["**", "Water=1", "--all"], "; pass --add to add it where it is missing");
    nothing(&["**", "={}", "--all", "--class", "SpawnLocation"], "; pass --add to add it where it is missing");
    nothing(&["**:Tags", "={\"A\"}", "--all"], "; pass --add to add it where it is missing");
    nothing(&["**:PropertiesSerialize", "Fuel=1", "--all"], "; pass --add to add it where it is missing");
    // a name that Roblox does not allow is not added
    nothing(&["**", "\"no name\"=1", "--all"], "; pass --add to add it where it is missing");
    assert_eq!(set(&place, &["**", "Fuel=7", "--all"]), changed("1 value"));
    assert_eq!(
        set(&place, &["**", "--rename", "Fuel", "Gas", "--remove", "Oil", "--all"]),
        done("2 values changed (1 removed)")
    );
    assert_eq!(get(&place, &["Workspace.**"]), "Workspace.Baseplate\tGas=7\n");
    // named by its address, it must be there
    assert_eq!(set(&place, &["Workspace.Baseplate", "--remove", "Oil", "--all"]).0, 7);
    assert_eq!(set(&place, &["Workspace.*", "Zone=1", "--all", "--add", "--class", "*PA*"]), done("2 values added"));
    let zones = ["Baseplate", "SpawnLocation"].map(|name| format!("Workspace.{name}\tZone=1\n"));
    assert_eq!(get(&place, &["**", "Zone"]), zones.concat());
    assert_eq!(set(&place, &["Workspace.*", "Zone=2", "--all", "--class", "*PA*"]), changed("2 values"));

    let rows = copied("pattern-skips-rows", "godot-4/project_v4.binary");
    let (status, _, error) = set(&rows, &["**", "nothing=1", "--all"]);
    assert!(status == 7 && error.contains("pass --add"), "{error}");
}

/// Patterns name what is there when it is their turn.
#[test]
fn patterns_of_one_command_do_not_meet() {
    let file = folder("patterns-meet").join("value.bin");
    let made = |text: &str| fs::write(&file, godot(text)).unwrap();
    let value = || get(&file, &["--plain", "-f", "godot-4"]);
    made(r#"{ "ab": 1, "a": 2, "b": 3, "c": { "ab": 4 } }"#);
    assert_eq!(set(&file, &["-f", "godot-4", "--remove", "a*", "--remove", "*b", "--all"]), done("3 values removed"));
    assert_eq!(value(), "{\"c\":{\"ab\":4}}\n");
    made("[[1, 2], 3, [4]]");
    let all = ["--remove", "[*][*]", "--remove", "[*]", "--all"];
    assert_eq!(set(&file, &[&["-f", "godot-4"], &all[..]].concat()), done("6 values removed"));
    assert_eq!(value(), "[]\n");
    made(r#"{ "a": { "a": { "a": 1 } } }"#);
    assert_eq!(set(&file, &["-f", "godot-4", "--rename", "**a", "b", "--all"]), changed("3 values"));
    assert_eq!(value(), "{\"b\":{\"b\":{\"b\":1}}}\n");
    assert_eq!(set(&file, &["-f", "godot-4", "--remove", "**", "--all"]), done("3 values removed"));
    assert_eq!(value(), "{}\n");
}

#[test]
fn a_dry_run_says_what_would_change() {
    let place = copied("dry-run", "roblox-model/baseplate-566.rbxl");
    assert_eq!(
        set(&place, &["Workspace.Baseplate", "Fuel=1", "Oil=2", "On=true", "--add-tag", "A"]),
        done("4 values changed (3 added)")
    );
    let before = fs::read(&place).unwrap();
    let name = place.to_str().unwrap();
    let dry = |args: &[&str]| {
        let done = told(&run(&[&["set", name], args, &["--dry-run"]].concat()));
        assert!(fs::read(&place).unwrap() == before, "{args:?}");
        done
    };
    let lines = "Workspace.Baseplate Fuel: 1 -> Int(1)\n\
                 Workspace.Baseplate New: added \"x\"\n\
                 Workspace.Baseplate Oil: removed 2\n\
                 Workspace.Baseplate On: renamed to Off\n\
                 Workspace.Baseplate:Tags: {\"A\"} -> {\"A\", \"B\"}\n";
    let args = ["Workspace.Baseplate", "Fuel:Int=1", "New=\"x\"", "--remove", "Oil", "--rename", "On", "Off"];
    let summary = "5 values would change (1 added, 1 removed); nothing is written\n";
    assert_eq!(dry(&[&args[..], &["--add-tag", "B"]].concat()), (0, lines.to_owned(), summary.to_owned()));
    let nothing = "0 values would change; nothing is written\n";
    assert_eq!(dry(&["Workspace.Baseplate", "Fuel=1"]), (0, String::new(), nothing.to_owned()));
    // what comes before an error is said
    let (status, out, error) = dry(&["Workspace.Baseplate", "Fuel=2", "--remove", "Water"]);
    assert_eq!((status, &*out), (7, "Workspace.Baseplate Fuel: 1 -> 2\n"));
    assert!(error.contains("no value Water"), "{error}");
    assert_eq!(dry(&["Workspace.Baseplate", "Fuel=2", "-o", "x"]).0, 2);
    // long values are cut
    let long = format!("Fuel=\"{}\"", "x".repeat(100_000));
    assert!(dry(&["Workspace.Baseplate", &long.replace("Fuel", "Fuel:String")]).1.len() < 1000);

    let save = fixtures().join("../scrap-mechanic-lua/save-v28.db");
    let args = ["set", save.to_str().unwrap(), "ScriptData[12].pufa=7", "-n"];
    let line = "ScriptData[uid=2c3699b2-fd9c-503e-a405-cf73434e2e88,key=4c55410000000105000000038000000084058400830004906a80] pufa: 304692 -> Int32(7)\n";
    assert_eq!(told(&run(&args)), (0, line.to_owned(), "1 value would change; nothing is written\n".to_owned()));
}

/// The count goes where the file does not.
#[test]
fn the_count_is_not_in_the_file() {
    let file = fixtures().join("readable.bin");
    let args = ["set", file.to_str().unwrap(), "--remove", "*", "--all", "-o", "-"];
    let (status, out, error) = {
        let output = run(&args);
        (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!((status, &out[..]), (Some(0), &b"\0\0\0\0"[..]));
    assert!(error.ends_with(" values removed\n"), "{error}");
    let quiet = run(&[&args[..], &["-q"]].concat());
    assert_eq!((quiet.stdout, quiet.stderr), (out, Vec::new()));
}

#[test]
fn settings_are_added_removed_and_put_first() {
    let project = copied("settings", "godot-4/project_v4.binary");
    let keys = || {
        let listed = told(&run(&["ls", project.to_str().unwrap()])).1;
        listed.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let original = fs::read(&project).unwrap();
    let all = keys();
    let mut expected = all.clone();
    expected.push("autoload/Mod".to_owned());
    for args in [&["autoload/Mod", "=\"*res://mod.gd\""][..], &["autoload/Mod=\"*res://mod.gd\""]] {
        fs::write(&project, &original).unwrap();
        assert_eq!(set(&project, args), done("1 value added"));
        assert_eq!(get(&project, &["autoload/Mod"]), "\"*res://mod.gd\"\n");
        assert_eq!(keys(), expected);
    }
    // inside one that is there, and one that is named by its key only
    assert_eq!(set(&project, &["autoload/Mod=\"*res://other.gd\"", "--first"]), changed("1 value"));
    expected.rotate_right(1);
    assert_eq!((keys(), get(&project, &["autoload/Mod"])), (expected.clone(), "\"*res://other.gd\"\n".to_owned()));
    assert_eq!(set(&project, &["a/b=1", "\"c d/e\":Vector2=Vector2(1, 2)", "--first"]), done("2 values added"));
    assert_eq!(keys()[..3], ["a/b", "\"c d/e\"", "autoload/Mod"]);
    assert_eq!(get(&project, &["c d/e"]), "Vector2(1, 2)\n");
    let removal = ["--remove", "autoload/Mod", "--remove", "a/b", "--remove", "\"c d/e\""];
    assert_eq!(set(&project, &removal), done("3 values removed"));
    assert_eq!((keys(), fs::read(&project).unwrap()), (all.clone(), original.clone()));
    // of several
    let (status, _, error) = set(&project, &["application/*", "--remove", "", "--all"]);
    assert_eq!((status, error), (0, String::new()));
    assert!(keys().iter().all(|key| !key.starts_with("application/")));
    fs::write(&project, &original).unwrap();
    for (args, status, reason) in [
        (&["--remove", "autoload/Mod"][..], 7, "no value autoload/Mod"),
        (&["autoload/Mod", "x=1"], 7, "no value autoload/Mod"),
        (&["autoload/Mod=?"], 2, "in autoload/Mod"),
        (&["new=1", "new.a=1"], 2, "no value can be added"),
        (&["--rename", "application/config/name", "other"], 2, "cannot be renamed"),
    ] {
        let (found, out, error) = set(&project, args);
        assert!(found == status && out.is_empty() && error.contains(reason), "{args:?} {found} {error}");
        assert!(fs::read(&project).unwrap() == original, "{args:?}");
    }
}

#[test]
fn values_are_added_to_streams_and_removed() {
    let hex = folder("streams").join("packets.txt");
    fs::write(&hex, "8300 # one\n# two\n8300").unwrap();
    let packets = r#"{{event = "OnClientEvent", event_id = 2927, arguments = {true}}}"#;
    let frames = copied("frames", "godot-4/debugger_v4.frames");
    let values = folder("dumps").join("values.dump");
    fs::write(&values, b"\x02\0\0\0\x07\0\0\0\0\0\0\0").unwrap();
    let dump = folder("dump").join("packets.dump");
    fs::write(&dump, b"\x83\0\x83\0").unwrap();
    for (file, options, address, value) in [
        (&frames, &["-f", "godot-4", "--framing", "le"][..], "[_]", "[1, 2]"),
        (&values, &["-f", "godot-4", "--dump"], "[_]", "[1, 2]"),
        (&dump, &["-f", "roblox-remote", "--dump"], "[_]", packets),
        (&hex, &["-f", "roblox-remote", "--dump", "--input", "hex"], "lines[_]", packets),
    ] {
        let name = file.to_str().unwrap();
        let count = || told(&run(&[&["decode", name], options].concat())).1.lines().count();
        let text = |number: usize| {
            let at = address.replace('_', &number.to_string());
            told(&run(&[&["get", name, &at, "--plain"], options].concat())).1
        };
        let set = |args: &[&str]| set(file, &[args, options].concat());
        let (before, original) = (count(), fs::read(file).unwrap());
        // lines have numbers from 1 on, and comments have some too
        let (first, next) = if address == "[_]" { (0, before) } else { (1, 4) };
        let at = |number: usize| address.replace('_', &number.to_string());
        let new = |number: usize| format!("{}={value}", at(number));
        let (status, out, error) = set(&[&new(next)]);
        assert!(status == 7 && out.is_empty() && error.contains("pass --add"), "{name} {error}");
        let (status, out, error) = set(&[&new(next + 1), "--add"]);
        let reason = format!("a value can be added after the last, as {}; found {}", at(next), at(next + 1));
        assert!(status == 2 && out.is_empty() && error.contains(&reason), "{name} {error}");
        assert_eq!(set(&[&new(next), "--add"]), done("1 value added"), "{name}");
        assert_eq!(count(), before + 1, "{name}");
        let added = text(next);
        assert_eq!(set(&["--remove", &at(next)]), done("1 value removed"), "{name}");
        let same = [&original[..], if next == 4 { b"\n" } else { b"" }].concat();
        assert!(fs::read(file).unwrap() == same, "{name}");
        assert_eq!(set(&[&new(first), "--first"]), done("1 value added"), "{name}");
        assert_eq!((count(), text(first)), (before + 1, added), "{name}");
        assert_eq!(set(&["--remove", &at(first)]), done("1 value removed"), "{name}");
        assert!(fs::read(file).unwrap() == same, "{name}");
        assert_eq!(set(&["--remove", &at(next + 7)]).0, 7, "{name}");
    }
    // values after one that cannot be read would not be found
    fs::write(&values, b"\0\0\0\0\x63\0\0\0").unwrap();
    let (status, _, error) = set(&values, &["[2]=1", "--add", "-f", "godot-4", "--dump"]);
    assert!(status == 2 && error.contains("the last value is broken"), "{error}");
}

/// Other containers have as many values as they have.
#[test]
fn other_files_say_that_nothing_can_be_added() {
    for (file, args) in [
        ("scrap-mechanic-lua/save-v28.db", &["--remove", "ScriptData[12]"][..]),
        ("scrap-mechanic-lua/save-v28.db", &["ScriptData[12].pufa=1", "--first"]),
        ("scrap-mechanic-lua/mixed.blueprint.json", &["bodies[0].childs[0]", "--remove", ""]),
        ("roblox-model/attributes.rbxm", &["Folder", "Number=1", "--first"]),
        ("roblox-attributes/readable.bin", &["Fuel=1", "--first"]),
    ] {
        let (status, out, error) = set(&copied("not-growing", file), args);
        assert_eq!((status, &*out), (2, ""), "{file} {error}");
        assert!(
            error.contains("no value can be added to or removed from") || error.contains("--first is for"),
            "{error}"
        );
    }
}

/// A file of one value has an address for it, too.
#[test]
fn a_path_without_an_address_asks_for_one() {
    for file in ["godot-files/v4/text/curve.tres", "godot-files/v4/scn/main.scn"] {
        let (status, out, error) = set(&copied("no-address", file), &["x=1"]);
        assert_eq!((status, &*out), (2, ""), "{file} {error}");
        assert!(error.contains("has an address, which comes before its path: `enginewire ls` lists them"), "{error}");
    }
}

/// The lines that `get` prints for an address can be given to `set` for the same address. The lines of a single value
/// can be given to `set` for a file of one value.
#[test]
fn lines_without_addresses_are_about_the_address_that_is_given() {
    let folder = folder("lines-of-one");
    let lines = folder.join("lines");
    let from = lines.to_str().unwrap();
    let model = fixtures().join("../roblox-model/tags.rbxm");
    let listed = get(&model, &[]);
    let address = listed.split('\t').next().unwrap().strip_suffix(":Tags").unwrap_or("Folder").to_owned();
    for (file, address) in [
        ("roblox-model/attributes.rbxm", &["Folder"][..]),
        ("roblox-model/tags.rbxm", &[&*address]),
        ("godot-4/project_v4.binary", &["application/config/name"]),
        ("scrap-mechanic-lua/save-v28.db", &["ScriptData[12]"]),
        ("godot-4/nil.bin", &["-f", "godot-4"]),
    ] {
        let copy = copied("lines-of-one-copy", file);
        for form in ["-q", "--json", "--plain"] {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&lines, get(&copy, &[address, &[form]].concat())).unwrap();
            let done = set(&copy, &[address, &["--from", from, "--any-key"]].concat());
            assert_eq!(done, changed("0 values"), "{file} {form}\n{}", fs::read_to_string(&lines).unwrap());
        }
    }
    // of several lines, one without a change is a mistake
    fs::write(&lines, "Fuel=1\nFuel 3\n").unwrap();
    let (status, _, error) = set(&fixtures().join("../roblox-model/attributes.rbxm"), &["Folder", "--from", from]);
    assert!(status == 4 && error.contains("expected PATH=VALUE") && error.contains("lines: line 2"), "{error}");
    // values that look like something else
    let file = folder.join("value.bin");
    for text in [
        r#"{ "path": "x", "value": 3 }"#,
        r#"{ "address": "x", "text": "3" }"#,
        r#"{ "value": 3 }"#,
        r#""a=b""#,
        r#""{\"a\": 1}""#,
        "\"\\u0001\\\\\"",
        "NAN",
        "-INF",
        "[]",
        "{}",
        "Array[int]([])",
        "[1.0, 2]",
        "&\"name\"",
        "^\"a/b\"",
        "Vector2(1, 2)",
        "PackedByteArray(1, 2)",
        "null",
        "-0.0",
    ] {
        let before = godot(text);
        fs::write(&file, &before).unwrap();
        for form in ["-q", "--json", "--plain"] {
            let written = get(&file, &["-f", "godot-4", form]);
            fs::write(&lines, &written).unwrap();
            let done = set(&file, &["-f", "godot-4", "--from", from]);
            assert_eq!(done, changed("0 values"), "{text} {form} {written}");
            assert!(fs::read(&file).unwrap() == before, "{text} {form} {written}");
        }
    }
}

/// The only value of a stream needs no address, and a path inside it is not taken for an address.
#[test]
fn the_only_value_of_a_stream_has_items_of_its_own() {
    let file = folder("only-value").join("only.save");
    let value = godot("[1, 2]");
    fs::write(&file, [&u32::try_from(value.len()).unwrap().to_le_bytes()[..], &value].concat()).unwrap();
    let options = ["-f", "godot-4", "--framing", "le"];
    let set = |args: &[&str]| set(&file, &[args, &options].concat());
    for (args, what, lines) in [
        (&["[1]=5"][..], "changed", "[0]\t[0]=1\n[0]\t[1]=5\n"),
        (&["[1]=7", "--add"], "added", "[0]\t[0]=1\n[0]\t[1]=5\n[1]\t=7\n"),
        (&["--remove", "[1]"], "removed", "[0]\t[0]=1\n[0]\t[1]=5\n"),
        (&["[0]=[3]"], "changed", "[0]\t[0]=3\n"),
        (&["=true", "--first"], "added", "[0]\t=true\n[1]\t[0]=3\n"),
    ] {
        assert_eq!(set(args), done(&format!("1 value {what}")), "{args:?}");
        assert_eq!(get(&file, &options), lines, "{args:?}");
    }
    // the value that is cut off stays, and nothing is added after it
    let whole = fs::read(&file).unwrap();
    let cut = whole.len() - 1;
    fs::write(&file, &whole[..cut]).unwrap();
    assert_eq!(set(&["[0]:bool=false"]), changed("1 value"));
    assert_eq!(fs::read(&file).unwrap().len(), cut);
    let (status, _, error) = set(&["[2]=1", "--add"]);
    assert!(status == 2 && error.contains("the last value is broken"), "{error}");
}

/// A dry run unpacks as writing does, and counts nothing that it does not write.
#[test]
fn a_packed_file_has_a_dry_run_too() {
    let file = copied("dry-run-packed", "godot-4/project_v4.binary");
    let packed = format!("{}.gz", file.to_str().unwrap());
    fs::write(&packed, super::layers::gzip(&fs::read(&file).unwrap())).unwrap();
    let done = told(&run(&["set", &packed, "a/b=1", "-n"]));
    assert_eq!(done, (0, "a/b: added 1\n".to_owned(), "1 value would be added; nothing is written\n".to_owned()));
}

/// A path is not a key: its last part would be one that nobody named.
#[test]
fn a_new_key_is_one_name() {
    let file = copied("rename-key", "roblox-attributes/readable.bin");
    let before = fs::read(&file).unwrap();
    for (key, advice) in [
        ("a.b", "; quote it: '\"a.b\"'"),
        ("a.b.c", "; quote it: '\"a.b.c\"'"),
        ("max fuel", "; quote it: '\"max fuel\"'"),
        ("a[0]", "; quote it: '\"a[0]\"'"),
        ("[0]", "; quote it: '\"[0]\"'"),
        ("[0].a", "; quote it: '\"[0].a\"'"),
        ("", "; quote it: '\"\"'"),
        ("\"a\".\"b\"", ""),
        ("\"a", ""),
    ] {
        for all in [&[][..], &["--all"]] {
            let (status, _, error) = set(&file, &[&["--rename", "Fuel", key], all].concat());
            let expected =
                format!("error: expected one key such as Fuel or '\"max fuel\"' to rename to, found {key}{advice}\n");
            assert_eq!((status, error), (2, expected), "{key}");
        }
        assert!(fs::read(&file).unwrap() == before, "{key}");
    }
    assert_eq!(set(&file, &["--rename", "Fuel", "\"a.b\"", "--any-key"]), changed("1 value"));
    assert_eq!(get(&file, &["\"a.b\""]), "87.5\n");
}

/// By whatever way a value comes, a container of Godot keeps its types, unless it is given others.
#[test]
fn containers_keep_their_types() {
    let folder = folder("typed-containers");
    let (lines, single) = (folder.join("lines"), folder.join("single.bin"));
    let from = ["--from", lines.to_str().unwrap()];
    let value = r#"{ "s": Array[int]([1]), "d": Dictionary[StringName, float]({}), "o": Array[Node]([]) }"#;
    let project = copied("typed-project", "godot-4/project_v4.binary");
    let config = copied("typed-config", "godot-files/v4/config/small.cfg");
    fs::write(&single, godot(value)).unwrap();
    for (file, address) in [(&project, &["a/b"][..]), (&config, &["a/b"]), (&single, &["-f", "godot-4"])] {
        if file != &single {
            assert_eq!(set(file, &["a/b", &format!("={value}")]), done("1 value added"));
        }
        let set = |args: &[&str]| set(file, &[address, args].concat());
        let text = |path: &str| get(file, &[address, &[path]].concat());
        let is = |done: (i32, String, String), path: &str, expected: &str| {
            assert_eq!((done.0, text(path)), (0, format!("{expected}\n")), "{}", done.2);
        };
        is(set(&["s=[1, 2]"]), "s", "Array[int]([1, 2])");
        is(set(&["--plain", "s=[3]", "d={}"]), "s", "Array[int]([3])");
        is(set(&["s=[]", "s[0]=4", "d[&\"k\"]=5"]), "s", "Array[int]([4])");
        is(set(&["s[*]=6", "--all"]), "d", "Dictionary[StringName, float]({ &\"k\": 5.0 })");
        for (said, expected) in [
            ("s=[7]\n", "Array[int]([7])"),
            ("{\"path\":\"s\",\"text\":\"[8]\"}\n", "Array[int]([8])"),
            ("{\"path\":\"s\",\"value\":[9]}\n", "Array[int]([9])"),
            ("address,path,type,text\n,s,,[10]\n", "Array[int]([10])"),
            ("{\"s\":[11],\"d\":{},\"o\":[]}\n", "Array[int]([11])"),
            ("{ \"s\": [12], \"d\": {}, \"o\": [] }\n", "Array[int]([12])"),
            (
                "s:Dictionary[String, Resource(\"res://a=b.gd\")]={}\n",
                "Dictionary[String, Resource(\"res://a=b.gd\")]({})",
            ),
            ("s:Array=[13]\n", "[13]"),
            ("s:Array[int]=[1]\n", "Array[int]([1])"),
        ] {
            fs::write(&lines, said).unwrap();
            is(set(&from), "s", expected);
        }
        let written = get(file, &[address, &["--json"]].concat());
        fs::write(&lines, written).unwrap();
        assert_eq!(set(&from), changed("0 values"));
        let before = fs::read(file).unwrap();
        for args in [
            &["s[1]=\"x\""][..],
            &["s[0]:String=x"],
            &["s=[1.5]"],
            &["s=Array[float]([1.5])"],
            &["--plain", "s=[1, \"x\"]"],
            &["--plain", "s[1]=true"],
            &["={\"s\": [\"x\"]}"],
            &["d.k=1"],
            &["o[0]=1"],
            &["s:Array[String]=[1]"],
            &["s[*]:bool=true", "--all"],
        ] {
            let (status, _, error) = set(args);
            assert!(status == 2 && error.contains("expected "), "{args:?}: {error}");
            assert!(fs::read(file).unwrap() == before, "{args:?}");
        }
    }
    let (status, _, error) = set(&project, &["a/c=Array[int]([\"x\"])"]);
    assert!(status == 2 && error.contains("expected int as a value of Array[int], found String"), "{error}");
    // resources and Godot 3 have no such types
    let resource = copied("typed-resource", "godot-files/v4/res/values.res");
    let old = copied("typed-old", "godot-files/v3/project/project.binary");
    for (file, reason) in
        [(&resource, "resources do not say the types of containers"), (&old, "no containers with types")]
    {
        let (status, _, error) = set(file, &["new:Array[int]=[1]"]);
        assert!(status != 0 && error.contains(reason), "{error}");
    }
}

/// The offset of an error is that in the file, in every verb.
#[test]
fn errors_in_values_have_their_offset_in_the_file() {
    let folder = folder("edits-offsets");
    let names = ["places/broken.rbxm", "good.rbxm"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    fs::create_dir(folder.join("places")).unwrap();
    let [broken, good] = &names;
    let from = fixtures().join("../roblox-model/tags.rbxm");
    let set = ["set", from.to_str().unwrap(), "Folder", "Fuel=42", "--store", "raw", "-o"];
    for name in &names {
        assert_eq!(told(&run(&[&set[..], &[name]].concat())).0, 0);
    }
    let mut bytes = fs::read(broken).unwrap();
    let at = bytes.windows(5).position(|bytes| bytes == b"Fuel\x06").unwrap() + 4;
    bytes[at] = 0xee;
    fs::write(broken, &bytes).unwrap();
    let (places, place) = (folder.join("places"), format!("byte {at:#x}"));
    let places = places.to_str().unwrap();
    for args in [
        &["check", broken][..],
        &["check", places],
        &["get", broken],
        &["get", places],
        &["ls", broken],
        &["inspect", broken],
        &["set", broken, "Folder", "Fuel=1", "-n"],
        &["copy", broken, "Folder", "Fuel", "--to", good, "Folder", "-n"],
        &["check", "--fix", "cut", broken],
    ] {
        let (status, out, errors) = told(&run(args));
        assert!(status == 4 && (out + &errors).contains(&place), "{args:?}: {errors}");
    }
    let (status, out, errors) = told(&run(&["diff", broken, good]));
    assert!(status == 4 && (out + &errors).contains(&place), "{errors}");
}

/// Of two values for one, neither is chosen, wherever they stand.
#[test]
fn two_values_for_one_are_refused() {
    let folder = folder("twice");
    let cases: [(&str, &[&str], &str); 4] = [
        ("roblox-model/tags.rbxm", &["Folder"], "Fuel"),
        ("roblox-attributes/readable.bin", &[], "Fuel"),
        ("godot-files/v4/config/small.cfg", &[], "player/name"),
        ("godot-files/v4/project/project.binary", &[], "new"),
    ];
    for (from, address, path) in cases {
        let file = folder.join("file").to_str().unwrap().to_owned();
        fs::copy(fixtures().join("..").join(from), &file).unwrap();
        let before = fs::read(&file).unwrap();
        let [one, other] = [1, 2].map(|value| format!("{path}={value}"));
        let set = |changes: &[&str]| run_in(&folder, &[&["set", &file], address, changes, &["-i"]].concat(), b"");
        let (status, _, errors) = set(&[&one, &other]);
        assert!(status == 2 && errors.contains("set twice, to different values"), "{from}: {errors}");
        let start = address.first().map_or(String::new(), |address| format!("{address}\t"));
        let lines = format!("{start}{one}\n{start}{other}\n");
        let (status, _, errors) = run_in(&folder, &["set", &file, "--from", "-", "-i"], lines.as_bytes());
        assert!(status == 2 && errors.contains("--> -: line 2"), "{from}: {errors}");
        assert_eq!(fs::read(&file).unwrap(), before, "{from}");
        let (status, _, errors) = set(&[&one, &one]);
        assert_eq!(status, 0, "{from}: {errors}");
    }
}

/// A scene leaves out what is as in the class, so most properties that somebody wants to set are not there.
#[test]
fn properties_of_nodes_are_added_and_removed() {
    let scene = copied("scene-properties", "reports/sub-a.scn");
    let before = fs::read(&scene).unwrap();
    let lines = get(&scene, &[]);
    let undo = scene.with_file_name("undo");
    let added = set(&scene, &["CollisionShape2D", "disabled=true", "z_index=3", "--undo", undo.to_str().unwrap()]);
    assert_eq!(added, done("2 values added"));
    let of_node = "CollisionShape2D\tdisabled=true\nCollisionShape2D\tz_index=3\n";
    let after = get(&scene, &[]);
    assert!(after.contains(of_node), "{after}");
    assert_eq!(after.replace(of_node, ""), lines);
    assert_eq!(set(&scene, &["CollisionShape2D", "--rename", "z_index", "z_as_relative"]), changed("1 value"));
    assert_eq!(set(&scene, &["CollisionShape2D", "z_as_relative:bool=false"]), changed("1 value"));
    assert_eq!(set(&scene, &["CollisionShape2D", "--remove", "z_as_relative"]), done("1 value removed"));
    // what took a value of their own is not taken back from the lists of names and values
    assert_eq!(set(&scene, &["CollisionShape2D", "--remove", "disabled"]), done("1 value removed"));
    assert_eq!(get(&scene, &[]), lines);
    assert!(fs::read(&scene).unwrap().len() > before.len());
    let (status, _, error) = set(&scene, &["CollisionShape2D", "[7]=1"]);
    assert!(status == 2 && error.contains("expected the properties of the node CollisionShape2D"), "{status} {error}");
    assert_eq!(set(&scene, &["Collision", "disabled=true"]).0, 7);
}

/// Numbers of 64 bits stay so where nothing else is said, with all their digits.
#[test]
fn values_keep_the_width_of_their_reals() {
    let file = copied("width", "reports/double.res");
    assert_eq!(set(&file, &["pos=Vector3(0.1, 123456789.25, 3)"]), changed("1 value"));
    assert_eq!(get(&file, &["pos"]), "double(Vector3(0.1, 123456789.25, 3))\n");
    assert_eq!(set(&file, &["pos.x=0.2"]), changed("1 value"));
    assert_eq!(get(&file, &["pos"]), "double(Vector3(0.2, 123456789.25, 3))\n");
    let (status, _, error) = set(&file, &["size=Vector3(1, 2, 3)"]);
    assert!(status == 4 && error.contains("double(…) around a value in text gives it those"), "{status} {error}");
    assert_eq!(set(&file, &["size=double(Vector3(1, 2, 3))"]), done("1 value added"));
    let value = file.with_file_name("value.bin");
    fs::write(&value, godot("[double(Vector2(1, 2)), Vector2(1, 2)]")).unwrap();
    assert_eq!(set(&value, &["-f", "godot-4", "=[Vector2(0.1, 1), Vector2(0.1, 1)]"]), changed("1 value"));
    assert_eq!(get(&value, &["-f", "godot-4"]), "[0]=double(Vector2(0.1, 1))\n[1]=Vector2(0.1, 1)\n");
    assert_eq!(set(&value, &["-f", "godot-4", "[0]:Vector2=Vector2(1, 1)"]), changed("1 value"));
    assert_eq!(get(&value, &["-f", "godot-4", "[0]"]), "Vector2(1, 1)\n");
}
