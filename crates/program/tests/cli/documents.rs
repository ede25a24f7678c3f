//! Commands that take a JSON document instead of the value that it describes.

use std::fs;

use pretty_assertions::assert_eq;

use super::{fixtures, folder, run, told};

fn path(file: &str) -> String {
    fixtures().join("..").join(file).to_str().unwrap().to_owned()
}

/// A value and its document, with the options that tell the format of the value.
const PAIRS: [(&str, &[&str]); 6] = [
    ("roblox-attributes/readable", &[]),
    ("roblox-attributes/all-types", &[]),
    ("roblox-remote/readable", &["-f", "roblox-remote"]),
    ("godot-3/array_mixed", &["-f", "godot-3"]),
    ("godot-4/packet_typical", &["-f", "godot-4"]),
    ("scrap-mechanic-lua/readable", &[]),
];

#[test]
fn a_document_is_read_as_its_value() {
    for (name, options) in PAIRS {
        let (document, value) = (path(&format!("{name}.json")), path(&format!("{name}.bin")));
        let got = told(&run(&["get", &document]));
        assert_eq!(got, told(&run(&[&["get", &value], options].concat())), "{name}");
        assert_ne!(got.1, "");
        assert_eq!(told(&run(&[&["diff", &document, &value], options].concat())), (0, String::new(), String::new()));
        assert_eq!(told(&run(&["diff", &document, &document])), (0, String::new(), String::new()));
    }
}

/// Changing a document gives the document of the changed value.
#[test]
fn a_document_is_changed_as_its_value() {
    let folder = folder("documents");
    let of = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for (name, change) in [
        ("roblox-attributes/readable", "Fuel=42"),
        ("godot-4/packet_typical", "seq=7"),
        ("scrap-mechanic-lua/readable", "version=4"),
    ] {
        let options: &[&str] = if name.starts_with("godot") { &["-f", "godot-4"] } else { &[] };
        let (document, value) = (path(&format!("{name}.json")), path(&format!("{name}.bin")));
        let (new_document, new_value, encoded) = (of("new.json"), of("new.bin"), of("encoded.bin"));
        for (file, new) in [(&document, &new_document), (&value, &new_value)] {
            assert_eq!(told(&run(&[&["set", file, change, "-o", new], options].concat())).2, "");
        }
        assert_eq!(told(&run(&["encode", &new_document, "-o", &encoded])).2, "");
        assert!(fs::read(&encoded).unwrap() == fs::read(&new_value).unwrap(), "{name}");
        // what is not changed keeps its form
        let line = told(&run(&["get", &document])).1.lines().next().unwrap().to_owned();
        assert_eq!(told(&run(&["set", &document, &line, "-o", &new_document])).2, "");
        assert_eq!(fs::read_to_string(&new_document).unwrap(), fs::read_to_string(&document).unwrap());
    }
}

#[test]
fn a_changed_document_is_written_like_the_one_before() {
    let file = folder("documents-form").join("torch.json").to_str().unwrap().to_owned();
    for (options, lines) in [(&[][..], 1), (&["--pretty"], 20)] {
        let value = path("roblox-attributes/bad/trailing.bin");
        fs::write(&file, run(&[&["decode", "--allow=trailing", &value], options].concat()).stdout).unwrap();
        assert_eq!(told(&run(&["set", &file, "Fuel=42", "Team=\"Red\"", "--in-place"])).2, "");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with('{') && text.ends_with("}\n"), "{text}");
        assert_eq!(text.lines().count(), lines, "{text}");
        assert_eq!(told(&run(&["get", &file])).1, "Lit=true\nFuel=42\nTeam=\"Red\"\n");
    }
}

#[test]
fn documents_are_copied_and_edited() {
    let file = folder("documents-copied").join("torch.json").to_str().unwrap().to_owned();
    fs::copy(path("roblox-attributes/readable.json"), &file).unwrap();
    let model = path("roblox-model/attributes.rbxm");
    assert_eq!(told(&run(&["copy", &model, "Folder", "--to", &file, "--in-place"])).2, "");
    assert_eq!(told(&run(&["get", &file])), told(&run(&["get", &model, "Folder"])));
    let (status, _, error) = told(&run(&["copy", &path("scrap-mechanic-lua/list.bin"), "--to", &file, "--in-place"]));
    assert_eq!(status, 2);
    assert!(error.contains("values of scrap-mechanic-lua cannot be copied into a file that holds roblox-attributes"));
}

#[test]
fn what_is_wrong_with_a_document_is_told() {
    let file = folder("documents-wrong").join("wrong.json").to_str().unwrap().to_owned();
    for (text, args, status, reason) in [
        (r#"{"format":"roblox-attributes","entries":[{"key":"a","type":"Bool","value":1}]}"#, &[][..], 4, "entries[0]"),
        (r#"{"format":"roblox-attributes","entries":[}"#, &[], 4, "expected"),
        (r#"{"format":"roblox-attributes","entries":[]}"#, &["-f", "godot-4"], 4, "leave out -f"),
        (r#"{"format":"other","entries":[]}"#, &[], 4, ""),
    ] {
        fs::write(&file, text).unwrap();
        for verb in [&["get", &file][..], &["set", &file, "a=true", "--in-place"], &["diff", &file, &file]] {
            let (found, _, error) = told(&run(&[verb, args].concat()));
            assert_eq!(found, status, "{verb:?} {text}: {error}");
            assert!(error.starts_with("error: ") && error.contains(reason), "{verb:?} {text}: {error}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}
