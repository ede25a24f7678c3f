//! `repair`: broken values are cut, cleared or replaced.

use std::fs;

use pretty_assertions::assert_eq;

use super::{fixtures, folder, run, told};

fn path(file: &str) -> String {
    fixtures().join("..").join(file).to_str().unwrap().to_owned()
}

/// Runs `repair` with these arguments, which must succeed, and gives the new file.
fn repair(name: &str, args: &[&str]) -> String {
    let new = folder(name).join("new").to_str().unwrap().to_owned();
    assert_eq!(told(&run(&[&["repair", "-o", &new], args].concat())), (0, String::new(), "1 value repaired\n".into()));
    new
}

fn get(file: &str, args: &[&str]) -> (i32, String) {
    let (status, out, _) = told(&run(&[&["get", file], args].concat()));
    (status, out)
}

#[test]
fn a_value_is_cut_before_its_error() {
    for (options, file, kept) in [
        (&["-f", "roblox-attributes"][..], "roblox-attributes/bad/unknown-type.bin", "Lit=true\n"),
        (&["-f", "roblox-attributes"], "roblox-attributes/bad/trailing.bin", "Lit=true\n"),
        (&["-f", "godot-4"], "godot-4/bad/truncated.bin", "type=\"move\"\nid=693\nseq=4294967297\n"),
        (&[], "scrap-mechanic-lua/bad/padding.bin", "[1]=true\n"),
        (
            &["-f", "roblox-remote"],
            "roblox-remote/bad/unknown-type.bin",
            "packets[0].remote=Ref.new(1, 1142143)\npackets[0].event=\"OnClientEvent\"\npackets[0].event_id=2927\n\
             packets[0].arguments[0]=\"Hi\"\n",
        ),
    ] {
        let new = repair("repair-cut", &[&[&path(file)[..], "--cut"], options].concat());
        assert_eq!(get(&new, options), (0, kept.to_owned()), "{file}");
        assert_eq!(told(&run(&[&["check", "-q", &new], options].concat())).0, 0);
    }
}

#[test]
fn a_value_is_cleared_or_replaced() {
    let attributes = ["-f", "roblox-attributes"];
    let broken = path("roblox-attributes/bad/unknown-type.bin");
    let new = repair("repair-clear", &[&[&broken[..], "--clear"], &attributes[..]].concat());
    assert_eq!(fs::read(new).unwrap(), b"");
    let other = path("roblox-attributes/readable.bin");
    let new = repair("repair-with", &[&[&broken[..], "--with", &other], &attributes[..]].concat());
    assert!(fs::read(new).unwrap() == fs::read(other).unwrap());
    for (options, file, expected) in [
        (&["-f", "godot-4"][..], "godot-4/bad/text.bin", "null\n"),
        (&["-f", "scrap-mechanic-lua"], "scrap-mechanic-lua/bad/magic.bin", "nil\n"),
        (&["-f", "roblox-remote"], "roblox-remote/bad/packet-type.bin", ""),
    ] {
        let new = repair("repair-nothing", &[&[&path(file)[..], "--clear"], options].concat());
        assert_eq!(get(&new, options), (0, expected.to_owned()), "{file}");
    }
}

/// Only the broken value of a model changes, and it alone may be named.
#[test]
fn the_other_values_of_a_container_stay() {
    let model = path("roblox-model/made.rbxm");
    for args in [&["--cut"][..], &["--clear"], &["Workspace.Torch", "--cut"], &["Workspace.*", "--clear"]] {
        let new = repair("repair-model", &[&[&model[..]], args].concat());
        let (before, after) = (get(&model, &[]), get(&new, &[]));
        assert_eq!((before.0, after.0, before.1), (4, 0, after.1));
    }
    let torch = path("roblox-attributes/readable.bin");
    let new = repair("repair-model-with", &[&model, "--with", &torch]);
    assert_eq!(get(&new, &["Workspace.Torch"]), get(&torch, &[]));
}

/// A StyleRule without properties has four bytes all the same, which a document of XML shows.
#[test]
fn a_cleared_property_has_the_bytes_of_none() {
    let file = folder("repair-style").join("rule.rbxmx").to_str().unwrap().to_owned();
    let rule = |bytes| {
        format!(
            "<roblox version=\"4\"><Item class=\"StyleRule\" referent=\"R\"><Properties><string name=\"Name\">Rule</string>\
             <BinaryString name=\"PropertiesSerialize\">{bytes}</BinaryString></Properties></Item></roblox>"
        )
    };
    // a count of 1, and no entry
    fs::write(&file, rule("AQAAAA==")).unwrap();
    let cleared = run(&["repair", &file, "--clear", "--in-place"]);
    assert_eq!(told(&cleared), (0, String::new(), "1 value repaired\n".to_owned()));
    assert_eq!(fs::read_to_string(&file).unwrap(), rule("AAAAAA=="));
}

/// A value whose bytes cannot be read at all can be cleared.
#[test]
fn what_is_no_base64_is_cleared() {
    let file = folder("repair-base64").join("model.rbxmx").to_str().unwrap().to_owned();
    let model = |text| {
        format!(
            "<roblox version=\"4\"><Item class=\"Folder\" referent=\"R\"><Properties><string name=\"Name\">A</string>\
             <BinaryString name=\"AttributesSerialize\">{text}</BinaryString></Properties></Item></roblox>"
        )
    };
    fs::write(&file, model("A*")).unwrap();
    let (status, _, error) = told(&run(&["repair", &file, "--cut", "--in-place"]));
    assert_eq!((status, error.contains("nothing can be read of it")), (4, true), "{error}");
    let cleared = told(&run(&["repair", &file, "--clear", "--in-place"]));
    assert_eq!(cleared, (0, String::new(), "1 value repaired\n".to_owned()));
    assert_eq!(fs::read_to_string(&file).unwrap(), model(""));
}

#[test]
fn what_is_not_broken_stays() {
    for (file, options) in [
        ("roblox-attributes/readable.bin", &[][..]),
        ("roblox-attributes/bad/not-canonical.bin", &["-f", "roblox-attributes"]),
        ("roblox-model/attributes.rbxm", &[]),
        ("scrap-mechanic-lua/mixed.blueprint.json", &[]),
        ("godot-4/project_v4.binary", &["-f", "godot-4"]),
    ] {
        let (file, new) = (path(file), folder("repair-same").join("new").to_str().unwrap().to_owned());
        for choice in ["--cut", "--clear"] {
            let repaired = told(&run(&[&["repair", &file, choice, "-o", &new], options].concat()));
            assert_eq!(repaired, (0, String::new(), "nothing is broken\n".to_owned()));
            assert!(fs::read(&new).unwrap() == fs::read(&file).unwrap(), "{file}");
        }
        let listed = told(&run(&[&["repair", &file], options].concat()));
        assert_eq!(listed, (0, String::new(), "nothing is broken\n".to_owned()));
    }
}

#[test]
fn what_cannot_be_repaired_is_refused() {
    let new = folder("repair-refused").join("new").to_str().unwrap().to_owned();
    let (made, broken) = ("../roblox-model/made.rbxm", "bad/unknown-type.bin");
    for (args, status, reason) in [
        (&["../roblox-model/bad/cut.rbxm", "--clear"][..], 5, "the file itself is broken: input ends too early"),
        (&["../roblox-model/bad/chunk.rbxm", "--clear"], 4, "the file itself is broken"),
        (&[made, "Nobody", "--clear"], 7, "there is no value Nobody"),
        (
            &["-f", "roblox-attributes", broken, "Nobody", "--clear"],
            2,
            "the file is a single value and has no address Nobody",
        ),
        (
            &["-f", "roblox-attributes", broken, "--with", broken],
            4,
            "is no value of roblox-attributes: unknown type id 0x1d",
        ),
        (&[broken, "--with", "nobody.bin"], 3, "cannot read nobody.bin"),
        (&[broken], 2, "choose what takes the place of a broken value"),
        (&["-f", "godot-4", "../godot-4/bad/text.bin", "--cut"], 4, "choose --clear or --with FILE"),
        (
            &["../scrap-mechanic-lua/bad/save-broken-rows.db", "--with", "../scrap-mechanic-lua/list.bin"],
            2,
            "values are broken",
        ),
        (&[broken, "--cut", "--clear"], 2, "cannot be used with"),
    ] {
        let (found, _, error) = told(&run(&[&["repair", "-o", &new], args].concat()));
        assert_eq!(found, status, "{args:?}: {error}");
        assert!(error.contains(reason), "{args:?}: {error}");
        assert!(fs::metadata(&new).is_err(), "{args:?}");
    }
}
