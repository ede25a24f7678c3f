//! Faults of model files that Roblox Studio reads over: every verb warns of them once, and goes on.

use std::fs;
use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;

use super::{fixtures, folder, run, told};

/// A folder with an attribute.
const XML: &str = "<roblox version=\"4\"><Item class=\"Folder\" referent=\"R1\"><Properties><string name=\"Name\">Folder</string>\
                   <BinaryString name=\"AttributesSerialize\">AQAAAAQAAABGdWVsBgAAAAAAAEVA</BinaryString></Properties></Item></roblox>";

/// A file with a fault.
struct Faulty {
    name: &'static str,
    bytes: Vec<u8>,
    /// The bytes that are the fault, which an edit keeps.
    fault: Vec<u8>,
    /// The warning, with its offset.
    warning: String,
}

fn model(name: &str) -> Vec<u8> {
    fs::read(fixtures().join("../roblox-model").join(name)).unwrap()
}

/// The offset of a text in bytes.
fn find(bytes: &[u8], text: &[u8]) -> usize {
    bytes.windows(text.len()).position(|window| window == text).unwrap()
}

fn faults() -> Vec<Faulty> {
    const NO_REFERENCE: &str = "an & begins no reference such as &amp; and is read as text";
    const NO_QUOTES: &str = "the value of an attribute has no quotes";
    const TRAILING: &str = "unexpected bytes after the end of the file's content";
    let (name, end) = ("<string name=\"Name\">", "</roblox>");
    let mut all = Vec::new();
    // before what the fault is put, and what of it the warning is about
    for (file, before, fault, place, reason) in [
        ("entity.rbxlx", name, "<string name=\"Other\">Example &#65 content</string>", "&#65", NO_REFERENCE),
        ("ampersand.rbxlx", name, "<string name=\"Other\">a & b</string>", "& b", NO_REFERENCE),
        ("unknown-entity.rbxlx", name, "<string name=\"Other\">&other;</string>", "&other;", NO_REFERENCE),
        ("no-quotes.rbxmx", name, "<string a= a=\"\">v</string>", "a=\"\"", NO_QUOTES),
        ("no-value.rbxmx", name, "<string odd>v</string>", ">v", "an attribute has no value"),
        ("stray.rbxmx", name, ">", ">", "text that belongs to no property"),
        (
            "no-properties.rbxmx",
            end,
            "<Item class=\"Part\"><Properties/></Item>",
            "<Properties/>",
            "the element Properties is empty",
        ),
        ("after.rbxmx", "", "\n>\n", ">", TRAILING),
    ] {
        let at = if before.is_empty() { XML.len() } else { XML.find(before).unwrap() };
        let bytes = [&XML[..at], fault, &XML[at..]].concat().into_bytes();
        let warning = format!("{reason}, at byte {:#x}", at + fault.find(place).unwrap());
        all.push(Faulty { name: file, bytes, fault: fault.into(), warning });
    }
    for (name, original) in [("line-end.rbxm", "attributes.rbxm"), ("line-end-2.rbxm", "attributes.zstd.rbxm")] {
        let bytes = [&model(original)[..], b"\n"].concat();
        let warning = format!("{TRAILING}, at byte {:#x}", bytes.len() - 1);
        all.push(Faulty { name, bytes, fault: b"</roblox>\n".into(), warning });
    }
    // a property of class 0 that ends after its name
    let fault = [&b"PROP\0\0\0\0\x0d\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0"[..], b"Other"].concat();
    for (name, original) in [("no-type.rbxm", "attributes.rbxm"), ("no-type-2.rbxm", "attributes.none.rbxm")] {
        let original = model(original);
        let at = find(&original, b"PROP");
        let bytes = [&original[..at], &fault, &original[at..]].concat();
        let warning = format!("the property has no value type and no values (PROP chunk at byte {at:#x})");
        all.push(Faulty { name, bytes, fault: fault.clone(), warning });
    }
    all
}

/// Runs the program, and returns its output. It must succeed, and print no warning except this one.
fn warned(what: &str, arguments: &[&str], warning: &str) -> String {
    let (status, stdout, stderr) = told(&run(arguments));
    assert_eq!(status, 0, "{what}: {stderr}");
    assert!(!stderr.contains("error"), "{what}: {stderr}");
    assert_eq!(stderr.matches("warning: ").count(), usize::from(!warning.is_empty()), "{what}: {stderr}");
    assert!(stderr.contains(warning), "{what}: {stderr}");
    stdout
}

#[test]
fn every_verb_warns_of_every_fault_once() {
    let folder = folder("warnings");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let [same, new, back, lines, rows] = ["same", "new", "back", "lines", "rows"].map(path);
    for Faulty { name, bytes, fault, warning } in faults() {
        let file = path(name);
        fs::write(&file, &bytes).unwrap();
        let warning = format!("warning: {warning}\n  --> {file}\n");
        for verb in ["check", "decode", "inspect", "ls", "get"] {
            let stdout = warned(&format!("{verb} {name}"), &[verb, &file], &warning);
            let expected = match verb {
                "check" => ": ok, ",
                _ => "Folder",
            };
            assert!(stdout.contains(expected), "{verb} {name}: {stdout}");
            // in one file of each kind
            if ["after.rbxmx", "line-end.rbxm"].contains(&name) {
                let (status, _, stderr) = told(&run(&["-q", verb, &file]));
                assert_eq!((status, &*stderr), (0, ""), "{verb} {name}");
                warned(&format!("{verb} {name}, allowed"), &[verb, "--allow=trailing", &file], "");
            }
        }
        for verb in [
            &["check", "--report=json"][..],
            &["check", "--report", "sarif"],
            &["inspect", "--json"],
            &["get", "--plain"],
            &["get", "--json", "--threads=1"],
            &["ls", "--summary"],
            &["check", "--fix=cut"],
        ] {
            warned(&format!("{verb:?} {name}"), &[verb, &[&file]].concat(), &warning);
        }
        let is_kept = |place: &str| fs::read(place).unwrap().windows(fault.len()).any(|window| window == fault);
        warned(&format!("set {name}"), &["set", &file, "Folder", "New=1", "-o", &new], &warning);
        assert!(is_kept(&new), "{name}");
        assert_eq!(told(&run(&["get", &new, "Folder", "New"])).1, "1\n", "{name}");
        let told_of = |place: &str| told(&run(&["-q", "get", place]));
        assert!(told(&run(&["-q", "set", &new, "Folder", "--remove", "New", "-o", &back])).0 == 0);
        assert_eq!(told_of(&back), told_of(&file), "{name}");
        if !name.ends_with('m') {
            assert!(fs::read(&back).unwrap() == bytes, "{name}");
        }
        // the file written in place, and read from standard input
        fs::write(&same, &bytes).unwrap();
        let here = warning.replace(&file, &same);
        warned(&format!("set in place {name}"), &["set", &same, "Folder", "New=1", "--in-place"], &here);
        assert!(fs::read(&same).unwrap() == fs::read(&new).unwrap(), "{name}");
        let input = super::run_with(&["get", "-", "Folder"], &bytes);
        assert_eq!(told(&input).2, warning.replace(&format!("--> {file}"), "--> -"), "{name}");
        warned(&format!("diff {name}"), &["diff", &file, &file], &warning);
        warned(&format!("copy {name}"), &["copy", &file, "--to", &file, "-o", &new], &warning);
        assert!(fs::read(&new).unwrap() == bytes, "{name}");
        fs::write(&lines, told(&run(&["-q", "get", &file])).1).unwrap();
        warned(&format!("set --from {name}"), &["set", &file, "--from", &lines, "-o", &new], &warning);
        assert!(fs::read(&new).unwrap() == bytes, "{name}");
        fs::write(&rows, told(&run(&["-q", "decode", &file])).1).unwrap();
        warned(&format!("encode {name}"), &["encode", &rows, "--into", &file, "-o", &new], &warning);
        assert!(fs::read(&new).unwrap() == bytes, "{name}");
    }
}

fn reports() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/reports")
}

/// For each file: the status of `get`, a text of its output, and a text of its messages.
#[test]
fn files_that_people_reported() {
    let paths = |name: &str| reports().join(name).to_str().unwrap().to_owned();
    for (name, status, output, message) in [
        ("07-entity-unterminated.rbxlx", 0, "\"Example &#65 content\"\tFuel=42\n", "warning: an & begins no reference"),
        (
            "53c-attr-unquoted.rbxlx",
            0,
            "F\tFuel=42\n",
            "warning: the value of an attribute has no quotes, at byte 0x6c",
        ),
        ("end-newline.rbxm", 0, "Folder\tBoolean=true\n", "warning: unexpected bytes after the end"),
        (
            "26-prop-empty.rbxm",
            0,
            "",
            "warning: the property has no value type and no values (PROP chunk at byte 0x45)",
        ),
        ("05-charrefs.rbxlx", 4, "", "error: expected base64, found a character reference such as &#1; at byte 0x68"),
        ("21-cdata-end3.rbxmx", 4, "", "ended at the ]]> at byte 0x91; inside CDATA, write ]]> as ]]]]><![CDATA[>"),
    ] {
        let (found, stdout, stderr) = told(&run(&["get", &paths(name)]));
        assert_eq!(found, status, "{name}: {stderr}");
        assert!(stdout.contains(output) && stderr.contains(message), "{name}: {stdout}{stderr}");
    }
    // a property without a type can be edited elsewhere and there
    let new = folder("warnings-reports").join("new.rbxm").to_str().unwrap().to_owned();
    let file = paths("26-prop-empty.rbxm");
    for (change, expected, warnings) in [("--add-tag", "P:Tags\t={\"On\"}\n", 1), ("--any-key", "P\tOn=true\n", 0)] {
        let change = if change == "--any-key" { ["On=true", change] } else { [change, "On"] };
        let (status, _, stderr) = told(&run(&[&["set", &file, "#0"], &change[..], &["-o", &new]].concat()));
        assert_eq!((status, stderr.matches("warning: ").count()), (0, 1), "{stderr}");
        let (status, stdout, stderr) = told(&run(&["get", &new]));
        assert_eq!((status, &*stdout, stderr.matches("warning: ").count()), (0, expected, warnings));
    }
}
