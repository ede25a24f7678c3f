//! `diff`: values of every kind of file.

use super::{changed, fixtures, folder, run, run_in, run_with, told};
use pretty_assertions::assert_eq;
use std::fs;

/// One value is changed, and `diff` tells this value and no other.
#[test]
fn a_change_in_any_file_is_told_with_its_place() {
    let folder = folder("diff-files");
    let frames = &["-f", "godot-4", "--framing", "le"][..];
    for (options, file, change, expected) in [
        (&[][..], "roblox-attributes/readable.bin", &["Fuel=1.5"][..], "~ Fuel: 87.5 -> 1.5\n"),
        (
            &["-f", "godot-4"],
            "godot-4/packet_typical.bin",
            &["inv[4].n=\"elixir\""],
            "~ inv[4].n: \"potion\" -> \"elixir\"\n",
        ),
        (
            &["-f", "godot-4"],
            "godot-4/project_v4.binary",
            &["application/config/name", "=\"new\""],
            "~ application/config/name: \"demo\" -> \"new\"\n",
        ),
        (frames, "godot-4/tcp_v4.frames", &["[1]", "=\"test 2\""], "~ [1]: \"test\" -> \"test 2\"\n"),
        (
            &["-f", "roblox-remote", "--dump"],
            "roblox-remote/several.dump",
            &["[0]", "packets[1].arguments[0]=\"Defend\""],
            "~ [0] packets[1].arguments[0]: \"Attack\" -> \"Defend\"\n",
        ),
        (
            &[],
            "scrap-mechanic-lua/save-v28.db",
            &["ScriptData[1]", "[2]=4"],
            "~ ScriptData[uid=78d29e17-a400-4ad5-bd2f-db312b000c3b,key=7c010000] [2]: 3 -> 4\n",
        ),
        (
            &[],
            "scrap-mechanic-lua/mixed.blueprint.json",
            &["bodies[0].childs[0]", "sliderPos=5"],
            "~ bodies[0].childs[0] sliderPos: 4 -> 5\n",
        ),
        (&[], "roblox-model/attributes.rbxm", &["Folder", "Number=0.5"], "~ Folder Number: 12345 -> 0.5\n"),
        (&[], "roblox-model/attributes.rbxmx", &["Folder", "Number=0.5"], "~ Folder Number: 12345 -> 0.5\n"),
    ] {
        let original = fixtures().join("..").join(file);
        let changed = folder.join(original.file_name().unwrap());
        let [original, changed] = [&original, &changed].map(|path| path.to_str().unwrap());
        let set = [&["set", original], change, options, &["-o", changed]].concat();
        let (status, out, error) = told(&run(&set));
        assert!((status, &*error) == (0, "") && out.ends_with(" changed\n"), "{file} {out} {error}");
        let diff = |a: &str, b: &str| told(&run(&[&["diff"], options, &[a, b]].concat()));
        // of two broken values nothing is compared, and they are reported
        let is_broken = ["tcp_v4.frames", "several.dump"].iter().any(|name| file.ends_with(name));
        let same = diff(original, original);
        assert_eq!((same.0, &*same.1), (if is_broken { 4 } else { 0 }, ""), "{file}");
        let found = diff(original, changed);
        assert_eq!(found.1, expected, "{file}");
        assert_eq!(found.0, if is_broken { 4 } else { 1 }, "{file}: {}", found.2);
    }
}

/// A packet is more than its arguments.
#[test]
fn every_field_of_a_packet_is_compared() {
    let folder = folder("diff-packets");
    let packets = fixtures().join("../roblox-remote/readable.bin");
    let (packets, dump) = (packets.to_str().unwrap(), fixtures().join("../roblox-remote/several.dump"));
    for (change, expected) in [
        ("packets[0].remote=nil", "~ packets[0].remote: Ref.new(1, 1142143) -> nil\n"),
        ("packets[0].remote=Ref.new(2, 5)", "~ packets[0].remote: Ref.new(1, 1142143) -> Ref.new(2, 5)\n"),
        ("packets[1].player=Ref.new(1, 7)", "~ packets[1].player: Ref.new(1, 690521) -> Ref.new(1, 7)\n"),
        ("packets[2].call=-3", "~ packets[2].call: 1 -> -3\n"),
        ("packets[2].arguments[0]=\"Cost\"", "~ packets[2].arguments[0]: \"Price\" -> \"Cost\"\n"),
        ("packets[0].event=\"OnClientEvent\"", ""),
    ] {
        let other = folder.join("changed.bin");
        let other = other.to_str().unwrap();
        let set = run(&["set", "-f", "roblox-remote", packets, change, "-o", other, "--force"]);
        assert_eq!(told(&set), changed(if expected.is_empty() { "0 values" } else { "1 value" }), "{change}");
        let (status, stdout, _) = told(&run(&["diff", "-q", "-f", "roblox-remote", packets, other]));
        assert_eq!((status, &*stdout), (i32::from(!expected.is_empty()), expected), "{change}");
    }
    for (change, reason) in [
        ("packets[0].event=\"OnServerEvent\"", "the event decides which other fields there are"),
        ("packets[0].event_id=2928", "event id 0x0b70 is not that of OnClientEvent"),
        ("packets[0].event_id=65536", "65536 does not fit 16 bits, 0 to 65535"),
        ("packets[2].call=2147483648", "2147483648 does not fit 32 bits, -2147483648 to 2147483647"),
        ("packets[0].remote=7", "expected an Instance such as Ref.new(1, 1142143)"),
        ("packets[0].call=7", "no value can be added"),
    ] {
        let (status, stdout, stderr) = told(&run(&["set", "-f", "roblox-remote", packets, change, "-o", "-"]));
        assert!(status > 0 && stdout.is_empty() && stderr.contains(reason), "{change}: {stderr}");
    }
    // and those of a dump
    let get = told(&run(&["get", "-f", "roblox-remote", "--dump", dump.to_str().unwrap(), "[0]", "packets[1].remote"]));
    assert_eq!(get.1, "Ref.new(1, 759399)\n");
}

/// Values of two versions are compared as values, after a line that tells the versions.
#[test]
fn streams_of_two_versions_are_compared() {
    let folder = folder("diff-versions");
    let document = |version: u8, kind: &str, number: u8| {
        let array =
            format!(r#"{{"type":"{kind}ByteArray","value":{{"hex":"0102"}}}},{{"type":"int","value":{number}}}"#);
        let values = format!(r#"[{array},{{"type":"float","value":0.5}}]"#);
        format!(r#"{{"format":"godot-variant","version":{version},"type":"Array","value":{values}}}"#)
    };
    let stream = |name: &str, documents: &[String]| {
        let path = folder.join(name).to_str().unwrap().to_owned();
        let put = run_with(&["encode", "--framing", "le", "-o", &path], documents.join("\n").as_bytes());
        assert_eq!(told(&put), (0, String::new(), String::new()));
        path
    };
    let old = stream("old.frames", &[document(3, "Pool", 1), document(3, "Pool", 2)]);
    let same = stream("same.frames", &[document(4, "Packed", 1), document(4, "Packed", 2)]);
    let other = stream("other.frames", &[document(4, "Packed", 1), document(4, "Packed", 7), document(4, "Packed", 8)]);
    let diff = |b: &str, more: &[&str]| told(&run(&[&["diff", "--framing", "le", &old, b], more].concat()));
    let versions = "~ godot-3 -> godot-4\n";
    assert_eq!(diff(&same, &[]), (1, versions.to_owned(), String::new()));
    let added = "+ [2]: [PackedByteArray(1, 2), 8, 0.5]\n";
    assert_eq!(diff(&other, &[]), (1, format!("{versions}~ [1] [1]: 2 -> 7\n{added}"), String::new()));
    let (_, rows, _) = diff(&same, &["--json"]);
    let text = |name: &str| serde_json::json!({ "type": "format", "text": name });
    let row: serde_json::Value = serde_json::from_str(&rows).unwrap();
    assert_eq!((&row["path"], &row["a"], &row["b"]), (&"".into(), &text("godot-3"), &text("godot-4")));
}

#[test]
fn a_broken_side_is_an_error_and_not_a_difference() {
    let folder = folder("diff-broken");
    let file = fixtures().join("../godot-4/packet_typical.bin");
    let cut = folder.join("cut.bin");
    fs::write(&cut, &fs::read(&file).unwrap()[..100]).unwrap();
    let [file, cut] = [&file, &cut].map(|path| path.to_str().unwrap());
    for [a, b] in [[file, cut], [cut, file]] {
        let (status, stdout, stderr) = told(&run(&["diff", "-f", "godot-4", a, b]));
        assert_eq!((status, &*stdout), (5, ""));
        assert!(stderr.contains("input ends too early: 12 bytes needed, 8 left"), "{stderr}");
        assert!(stderr.contains(r#"in dictionary.entries[3] "pos".value.vector3"#), "{stderr}");
    }
    let (status, stdout, _) = told(&run(&["diff", "-f", "godot-4", file, "nowhere"]));
    assert_eq!((status, &*stdout), (3, ""));
}

/// Values with the same items may still be of different types.
#[test]
fn types_of_arrays_are_compared() {
    let folder = folder("diff-types");
    let [typed, plain] = ["typed.bin", "plain.bin"].map(|name| folder.join(name));
    for (file, text) in [(&typed, "Array[int]([1, 2])"), (&plain, "[1, 2]")] {
        let nil = fixtures().join("../godot-4/nil.bin");
        let set =
            ["set", nil.to_str().unwrap(), &format!(":Array={text}"), "-f", "godot-4", "-o", file.to_str().unwrap()];
        assert_eq!(told(&run(&set)), (0, "1 value changed\n".to_owned(), String::new()));
    }
    let [typed, plain] = [&typed, &plain].map(|path| path.to_str().unwrap());
    let expected = (1, "~ Array[int]([1, 2]) -> [1, 2]\n".to_owned(), String::new());
    assert_eq!(told(&run(&["diff", "-f", "godot-4", typed, plain])), expected);
}

#[test]
fn tags_and_missing_files_are_compared_too() {
    let tags = "- Folder:Tags: Cool\n- Folder:Tags: My\n- Folder:Tags: Tags\n";
    let diff = ["diff", "../roblox-model/tags.rbxm", "/dev/null"];
    assert_eq!(told(&run(&diff)), (1, tags.to_owned(), String::new()));
    let (status, _, stderr) = told(&run(&["diff", "a", "b", "c"]));
    assert!(status == 2 && stderr.contains("expected two files, or the seven arguments that git gives"), "{stderr}");
}

/// Git stops at any other status.
#[test]
fn git_gets_no_error_for_files_that_cannot_be_compared() {
    let [a, b] = ["../roblox-model/tags.rbxm", "readable.bin"];
    let (status, stdout, stderr) = told(&run(&["diff", "path", a, "0", "0", b, "1", "1"]));
    assert_eq!((status, &*stdout), (0, "path\n"));
    assert!(stderr.starts_with("error: one of the files is a container and the other a single value"), "{stderr}");
}

#[test]
fn differences_have_colours_where_they_are_wanted() {
    let diff = ["diff", "--color", "always", "../roblox-model/tags.rbxm", "/dev/null"];
    let (_, stdout, _) = told(&run(&diff));
    assert_eq!(stdout.lines().next(), Some("\u{1b}[31m- Folder:Tags: Cool\u{1b}[0m"));
}

#[test]
fn folders_are_compared_file_by_file() {
    let folder = folder("diff-folders");
    let model = fixtures().join("../roblox-model/tags.rbxm");
    for path in ["a/only.rbxm", "a/sub/same.rbxm", "b/sub/same.rbxm", "a/sub/other.rbxm", "b/sub/other.rbxm"] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(&model, path).unwrap();
    }
    let [a, b] = ["a", "b"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let other = folder.join("b/sub/other.rbxm").to_str().unwrap().to_owned();
    assert_eq!(told(&run(&["set", &other, "Folder", "--remove-tag=My", "--add-tag=Your", "-i"])).0, 0);
    let diff = |args: &[&str]| told(&run(&[&["diff", &a, &b], args].concat()));
    let (only, other) =
        ("- Folder:Tags: Cool\n- Folder:Tags: My\n- Folder:Tags: Tags\n", "- Folder:Tags: My\n+ Folder:Tags: Your\n");
    let (summary, counts) =
        ("files that differ: 2 of 3\n", "only.rbxm: 3 removed\nsub/other.rbxm: 1 added, 1 removed\n");
    assert_eq!(diff(&[]), (1, format!("only.rbxm:\n{only}sub/other.rbxm:\n{other}"), summary.to_owned()));
    assert_eq!(diff(&["--stat"]), (1, counts.to_owned(), summary.to_owned()));
    let (_, rows, _) = diff(&["--json"]);
    assert!(rows.lines().count() == 5 && rows.starts_with(r#"{"file":"only.rbxm","address":"Folder:Tags","#), "{rows}");
    let (_, rows, _) = diff(&["--json", "--stat"]);
    let expected = "{\"file\":\"only.rbxm\",\"removed\":3,\"added\":0,\"changed\":0}\n";
    assert!(rows.starts_with(expected), "{rows}");
    assert_eq!(told(&run(&["diff", &a, &a])), (0, String::new(), "files that differ: 0 of 3\n".to_owned()));
    // a file and the one of its name in a folder
    let same = told(&run(&["diff", folder.join("a/sub/same.rbxm").to_str().unwrap(), &format!("{b}/sub")]));
    assert!(same.0 == 0 && same.2.starts_with("no difference: "), "{}", same.2);
}

#[test]
fn a_pair_that_cannot_be_compared_does_not_end_the_comparison() {
    let folder = folder("diff-folders-broken");
    let file = |path: &str, content: &[u8]| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    let [model, value] =
        ["../roblox-model/tags.rbxm", "readable.bin"].map(|name| fs::read(fixtures().join(name)).unwrap());
    for (path, in_a, in_b) in [
        ("1-kinds.rbxm", Some(&model[..]), Some(&value[..])),
        ("2-text", Some(b"one"), Some(b"two")),
        ("3-longer", Some(b"one"), Some(b"one more")),
        ("4-same", Some(b"same"), Some(b"same")),
        ("5-empty", None, Some(b"")),
        ("6-last.rbxm", Some(&model), None),
    ] {
        for (side, content) in [("a", in_a), ("b", in_b)] {
            content.into_iter().for_each(|content| file(&format!("{side}/{path}"), content));
        }
    }
    let [a, b] = ["a", "b"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let (status, stdout, stderr) = told(&run(&["diff", "--stat", &a, &b]));
    let differ = "not recognised, and its bytes differ\n";
    let expected = format!(
        "2-text: {differ}3-longer: {differ}5-empty: not recognised, and only one of the folders has it\n6-last.rbxm: 3 removed\n"
    );
    assert_eq!(stdout, expected);
    assert!(status > 1 && stderr.ends_with("files that differ: 4 of 6; 1 with an error\n"), "{status} {stderr}");
}

/// A model in XML is read and written in pieces, by every verb. Where memory is short, the message has the limit that was given.
#[test]
fn an_xml_model_may_be_larger_than_the_memory_limit() {
    let folder = folder("diff-large-xml");
    let place = |name: &str, on: &str| {
        let padding = format!("<!-- {} -->\n", "x".repeat(1000)).repeat(3000);
        let text = format!(
            "<roblox version=\"4\">{padding}<Item class=\"Folder\" referent=\"A\"><Properties><string name=\"Name\">Torch</string>\
             <BinaryString name=\"AttributesSerialize\">{on}</BinaryString></Properties></Item>{padding}</roblox>"
        );
        fs::write(folder.join(name), &text).unwrap();
        text
    };
    let (on, off) = ("AQAAAAIAAABPbgMB", "AQAAAAIAAABPbgMA");
    let (_, other) = (place("a.rbxlx", on), place("b.rbxlx", off));
    let run = |args: &[&str]| run_in(&folder, &[args, &["--max-memory", "1M"]].concat(), b"");
    assert_eq!(run(&["ls", "a.rbxlx"]), (0, "Torch\t1 value\t12\n".to_owned(), String::new()));
    assert_eq!(run(&["get", "a.rbxlx", "Torch", "On"]).1, "true\n");
    assert_eq!(run(&["check", "a.rbxlx"]).0, 0);
    assert_eq!(run(&["diff", "a.rbxlx", "b.rbxlx"]), (1, "~ Torch On: true -> false\n".to_owned(), String::new()));
    assert_eq!(run(&["set", "a.rbxlx", "Torch", "On=false", "-o", "c.rbxlx"]).0, 0);
    assert!(fs::read_to_string(folder.join("c.rbxlx")).unwrap() == other);
    let (status, _, errors) = run_in(&folder, &["diff", "a.rbxlx", "b.rbxlx", "--max-memory", "100K"], b"");
    let expected = "raise the limit with --max-memory, which is 100K: `diff` reads a file with three quarters of it\n";
    assert!(status == 4 && errors.contains(expected), "{errors}");
}

/// One of two equal places is read, unless there is something to report about both.
#[test]
fn what_is_wrong_with_equal_places_is_told_of_both() {
    let folder = folder("diff-equal");
    let place = fs::read(fixtures().join("../roblox-model/attributes.rbxm")).unwrap();
    let broken = String::from_utf8(fs::read(fixtures().join("../roblox-model/attributes.rbxmx")).unwrap()).unwrap();
    let [start, end] = ["<BinaryString name=\"AttributesSerialize\">", "</BinaryString>"];
    let value = broken.split_once(start).unwrap().1.split_once(end).unwrap().0;
    let broken = broken.replace(value, "AQAAAAEAAABh");
    for (content, status, texts) in [
        (&place, 0, ["no difference: instances", "no difference: instances"]),
        (&[&place[..], b"\n"].concat(), 0, ["a.rbxm", "b.rbxm"]),
        (&place[..place.len() - 20].to_vec(), 5, ["a.rbxm", "b.rbxm"]),
        (&broken.into_bytes(), 4, ["value ends too early", "a.rbxm"]),
    ] {
        let [a, b] = ["a.rbxm", "b.rbxm"].map(|name| folder.join(name));
        [&a, &b].into_iter().for_each(|file| fs::write(file, content).unwrap());
        let (found, out, error) = told(&run(&["diff", a.to_str().unwrap(), b.to_str().unwrap()]));
        assert_eq!((found, &*out), (status, ""), "{error}");
        assert!(texts.iter().all(|text| error.contains(text)), "{error}");
    }
}

/// If the values do not fit into the memory at once, the files are read once for each share of them. The output is the same.
#[test]
fn many_values_are_compared_in_shares() {
    let folder = folder("diff-shares");
    let place = |name: &str, items: &mut dyn Iterator<Item = (String, bool)>| {
        let items = items.map(|(name, on)| {
            let on = if on { "AQAAAAIAAABPbgMB" } else { "AQAAAAIAAABPbgMA" };
            format!(
                "<Item class=\"Folder\" referent=\"{name}\"><Properties><string name=\"Name\">{name}</string>\
                 <BinaryString name=\"AttributesSerialize\">{on}</BinaryString></Properties></Item>"
            )
        });
        fs::write(folder.join(name), format!("<roblox version=\"4\">{}</roblox>", items.collect::<String>())).unwrap();
    };
    place("a.rbxmx", &mut (0..3000).map(|number| (format!("F{number}"), true)));
    let others = (0..3000).filter(|number| ![77, 2000].contains(number));
    let others = others.map(|number| (format!("F{number}"), number % 500 != 3));
    place("b.rbxmx", &mut others.chain([("New".to_owned(), true)]));
    let diff = |memory: &str| run_in(&folder, &["diff", "a.rbxmx", "b.rbxmx", "--max-memory", memory], b"");
    let (status, all, errors) = diff("256M");
    assert_eq!((status, all.lines().count(), &*errors), (1, 12, ""));
    assert!(all.starts_with("- F77\n- F2000\n+ New\n"), "{all}");
    for memory in ["1400K", "2M"] {
        assert_eq!(diff(memory), (1, all.clone(), String::new()), "{memory}");
    }
}
