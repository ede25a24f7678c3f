//! Tags of instances, added and removed.

use std::fs;

use pretty_assertions::assert_eq;

use super::{fixtures, folder, run, told};

fn model(name: &str) -> String {
    fixtures().join("../roblox-model").join(name).to_str().unwrap().to_owned()
}

/// Runs `set` with these arguments, which must succeed, and returns the new file.
fn set(folder: &str, file: &str, args: &[&str]) -> String {
    let new = super::folder(folder).join("new").to_str().unwrap().to_owned();
    let (status, out, error) = told(&run(&[&["set", file, "-o", &new], args].concat()));
    assert_eq!((status, &*error), (0, ""));
    assert!(out.ends_with(" changed\n"), "{out}");
    new
}

fn diff(a: &str, b: &str) -> String {
    told(&run(&["diff", a, b])).1
}

#[test]
fn tags_are_added_and_removed() {
    for file in ["tags.rbxm", "tags.rbxmx"].map(model) {
        let new = set("tags-changed", &file, &["Folder", "--add-tag", "a new one", "--remove-tag", "My"]);
        assert_eq!(diff(&file, &new), "- Folder:Tags: My\n+ Folder:Tags: a new one\n");
        assert_eq!(told(&run(&["get", &new])).1, "Folder:Tags\t={\"Cool\", \"Tags\", \"a new one\"}\n");
    }
}

/// The class has no values of this property, or the instance has no such element.
#[test]
fn an_instance_gets_its_first_tag() {
    for (file, path) in [
        ("attributes.rbxm", "Folder"),
        ("attributes.none.rbxm", "Folder"),
        ("attributes.zstd.rbxm", "Folder"),
        ("attributes.rbxmx", "Folder"),
        ("made.rbxm", "Workspace"),
    ] {
        let file = model(file);
        let new = set("tags-first", &file, &[path, "--add-tag", "Lamp"]);
        assert_eq!(diff(&file, &new), format!("+ {path}:Tags: Lamp\n"), "{file}");
        // removing the tag again gives the values from before, even if the bytes around it differ
        let again = set("tags-first-again", &new, &[path, "--remove-tag", "Lamp"]);
        assert_eq!(diff(&file, &again), "", "{file}");
    }
}

#[test]
fn tags_that_are_there_stay_once() {
    let file = model("tags.rbxm");
    let new = set("tags-there", &file, &["Folder", "--add-tag", "My", "--add-tag", "Cool"]);
    assert!(fs::read(&file).unwrap() == fs::read(new).unwrap());
}

/// With a pattern, not every instance need have the tag.
#[test]
fn many_instances_change_at_once() {
    let file = model("made.rbxm");
    let new = set("tags-all", &file, &["**", "--remove-tag", "Hot", "--all"]);
    let gone = "- Workspace.Torch.Torch:Tags: Hot\n- Workspace.Torch.Torch.\"Fire \\xff\":Tags: Hot\n";
    assert_eq!(diff(&file, &new), gone);
}

#[test]
fn all_tags_are_one_value_of_a_line() {
    let file = model("tags.rbxm");
    let folder = folder("tags-lines");
    let lines = folder.join("lines").to_str().unwrap().to_owned();
    fs::write(&lines, run(&["get", &file]).stdout).unwrap();
    let same = set("tags-lines-same", &file, &["--from", &lines]);
    assert!(fs::read(&file).unwrap() == fs::read(same).unwrap());
    let new = set("tags-lines-new", &file, &["Folder:Tags", "={\"one\", \"My\"}"]);
    assert_eq!(told(&run(&["get", &new, "Folder:Tags"])).1, "{\"one\", \"My\"}\n");
    let none = set("tags-lines-none", &file, &["Folder:Tags", "--remove", ""]);
    assert_eq!(told(&run(&["get", &none, "Folder:Tags"])).0, 7);
    let json = told(&run(&["get", "--json", &file])).1;
    assert!(
        json.contains(
            r#""property":"Tags","address":"Folder:Tags","path":"","type":"Tags","text":"{\"Cool\", \"My\", \"Tags\"}"#
        ),
        "{json}"
    );
}

#[test]
fn what_is_no_tag_is_refused() {
    let (file, long) = (model("tags.rbxm"), "x".repeat(101));
    let new = folder("tags-refused").join("new").to_str().unwrap().to_owned();
    let long_list = format!("={{\"{long}\"}}");
    for (args, status, reason) in [
        (&["Folder", "--add-tag", ""][..], 2, "Roblox does not allow the tag \"\", which is empty"),
        (&["Folder", "--add-tag", &long], 2, "which is longer than 100 bytes; --any-key sets it all the same"),
        (&["Folder:Tags", &long_list], 2, "which is longer than 100 bytes; --any-key sets it all the same"),
        (&["Folder", "--any-key", "--add-tag", ""], 2, "Roblox does not allow the tag \"\", which is empty"),
        (&["Folder", "--remove-tag", "Lamp"], 7, "no tag \"Lamp\""),
        (&["Folder:Tags", "={1}"], 2, "expected a text for each tag, found 1"),
        (&["Folder:Tags", "[0]=\"a\""], 2, "tags are one value; expected ={\"Lamp\"}, or --add-tag and --remove-tag"),
        (&["Nobody", "--add-tag", "a"], 7, "no instance \"Nobody\""),
        (&["**", "--add-tag", "a"], 2, "pass --all"),
    ] {
        let (found, _, error) = told(&run(&[&["set", &file, "-o", &new], args].concat()));
        assert_eq!(found, status, "{error}");
        assert!(error.contains(reason), "{error}");
        assert!(fs::metadata(&new).is_err());
    }
    let new = set("tags-long", &file, &["Folder", "--any-key", "--add-tag", &long]);
    assert_eq!(diff(&file, &new), format!("+ Folder:Tags: {long}\n"));
    for file in ["readable.bin", "../scrap-mechanic-lua/save-v28.db", "../scrap-mechanic-lua/mixed.blueprint.json"] {
        let (status, _, error) = told(&run(&["set", file, "A", "--add-tag", "a", "-o", &new]));
        assert_eq!(status, 2, "{error}");
        assert!(error.starts_with("error: only instances of models and places have tags"), "{error}");
    }
}
