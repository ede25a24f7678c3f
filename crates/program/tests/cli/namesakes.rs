//! Addresses of instances that have the same name: `Workspace.Part[7]`, in every verb.

use super::{changed, folder, run, run_with, told};
use pretty_assertions::assert_eq;
use std::fs;
use std::path::Path;

/// Attributes `On = true`.
const ON: &str = "<BinaryString name=\"AttributesSerialize\">AQAAAAIAAABPbgMB</BinaryString>";

fn item(name: &str, referent: &str, is_on: bool, within: &str) -> String {
    let on = if is_on { ON } else { "" };
    format!(
        "<Item class=\"Part\" referent=\"{referent}\"><Properties><string name=\"Name\">{name}</string>{on}</Properties>{within}</Item>"
    )
}

/// A place with 9 parts. The 4th and the 7th part have attributes, and so has a torch in the 5th. One more part is
/// called `Part[7]`, and another `Slot[1]`. Referents begin with `letter`.
fn place(folder: &Path, name: &str, letter: char) -> String {
    let part = |number: u32| {
        let torch = if number == 5 || number == 6 {
            item("Torch", &format!("{letter}t{number}"), number == 5, "")
        } else {
            String::new()
        };
        item("Part", &format!("{letter}{number}"), number == 4 || number == 7, &torch)
    };
    let parts: String = (1..=9).map(part).collect();
    let others = item("Part[7]", &format!("{letter}n"), true, "") + &item("Slot[1]", &format!("{letter}s"), true, "");
    let path = folder.join(name);
    fs::write(&path, format!("<roblox version=\"4\">{}</roblox>", item("Workspace", "W", false, &(parts + &others))))
        .unwrap();
    path.to_str().unwrap().to_owned()
}

const ADDRESSES: [&str; 5] = [
    "Workspace.Part[4]",
    "Workspace.Part[5].Torch",
    "Workspace.Part[7]",
    "Workspace.\"Part[7]\"",
    "Workspace.\"Slot[1]\"",
];

/// The addresses in the lines that a verb prints: the text after `before`, up to the first `until`.
fn addresses(output: &str, before: &str, until: &str) -> Vec<String> {
    let address = |line: &str| line.split_once(before).unwrap().1.split(until).next().unwrap().to_owned();
    output.lines().map(address).collect()
}

/// The number is that among all instances, also of those that a verb does not list.
#[test]
fn every_verb_prints_the_same_addresses() {
    let folder = folder("namesakes-printed");
    let file = place(&folder, "place.rbxmx", 'a');
    let printed = |args: &[&str]| {
        let (status, stdout, _) = told(&run(&[args, &[&file]].concat()));
        assert_eq!(status, 0, "{args:?}");
        stdout
    };
    assert_eq!(addresses(&printed(&["ls"]), "", "\t"), ADDRESSES);
    assert_eq!(addresses(&printed(&["get"]), "", "\t"), ADDRESSES);
    assert_eq!(addresses(&printed(&["check", "--report", "json"]), "\"address\":\"", "\"").len(), 5);
    let checked = told(&run(&["check", "-v", &file])).1;
    let checked = checked.strip_suffix(&format!("{file}: ok, 5 values: 5 canonical\n")).unwrap();
    assert_eq!(addresses(checked, "place.rbxmx: ", ": ok"), ADDRESSES);
    // paths, with the referent beside them
    let rows = printed(&["get", "--json", "--threads=1"]);
    let paths = addresses(&rows, "\"instance\":\"", "\",\"");
    assert_eq!(paths, ADDRESSES.map(|address| address.replace('"', "\\\"")));
    let several = told(&run(&["get", &file, "Workspace.Part"]));
    assert_eq!(
        (several.0, several.2.contains("9 instances"), several.2.contains(" Workspace.Part[9]")),
        (2, true, true)
    );
}

#[test]
fn every_verb_takes_each_address() {
    let folder = folder("namesakes-taken");
    let file = place(&folder, "place.rbxmx", 'a');
    let out = folder.join("out.rbxmx");
    let out = out.to_str().unwrap();
    let with = folder.join("with.bin");
    fs::write(&with, b"\x01\0\0\0\x02\0\0\0On\x03\0").unwrap();
    for address in ADDRESSES {
        let fine = |args: &[&str]| assert_eq!(told(&run(args)), (0, String::new(), String::new()), "{args:?}");
        assert_eq!(told(&run(&["get", &file, address, "On"])).1, "true\n", "{address}");
        let set = ["set", &file, address, "On=false", "-o", out, "--force"];
        assert_eq!(told(&run(&set)), changed("1 value"), "{address}");
        let (status, diff, _) = told(&run(&["diff", &file, out]));
        assert_eq!((status, diff), (1, format!("~ {address} On: true -> false\n")));
        // and back again
        fine(&["copy", "-q", &file, address, "--to", out, "--in-place"]);
        assert_eq!(told(&run(&["diff", &file, out])).0, 0, "{address}");
        let (status, _, stderr) = told(&run(&["check", "--fix=cut", &file, "--", address]));
        assert_eq!((status, &*stderr), (0, "nothing is broken\n"), "{address}");
    }
    // the lines of `get` are those of `set --from`
    let lines = told(&run(&["get", &file])).1.replace("true", "false");
    let set = run_with(&["set", &file, "--from", "-", "-o", out, "--force"], lines.as_bytes());
    assert_eq!(told(&set), changed("5 values"));
    assert_eq!(told(&run(&["get", out])).1, lines);
    // without a number where one is enough, with the number of the only one, and in a pattern
    for (address, count) in [
        ("Workspace.Part[5].Torch[1]", 1),
        ("Workspace.\"Slot[1]\"[1]", 1),
        ("#a4", 1),
        ("Workspace.Part*", 3),
        ("Workspace.Part[*].Torch", 1),
        ("Workspace.*.Torch", 1),
        ("**", 5),
    ] {
        let (status, stdout, stderr) = told(&run(&["get", &file, address]));
        assert_eq!((status, stdout.lines().count()), (0, count), "{address}: {stderr}");
    }
}

/// `get` prints one address for each value, whatever its name. By it, the value is read and changed, and no other.
#[test]
fn every_printed_address_is_that_of_one_value() {
    let folder = folder("namesakes-odd");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let names = [
        "Door",
        "Door.001",
        "Door",
        "Spawn Location",
        "#1",
        "*",
        "",
        "-x",
        "a=b",
        "x:y",
        "[0]",
        "@0x20",
        "Torch Tags",
        "001",
        "a/b",
        "\"q\"",
        "\\",
        "…",
        "Ünï",
        "a\tb",
        "$v",
        "Part[2]",
        "Door[2]",
        "Workspace.Door",
        "..",
        ":root",
        "res://a",
    ];
    let escaped = |name: &str| name.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let items: String =
        names.iter().zip('a'..).map(|(name, letter)| item(&escaped(name), &letter.to_string(), true, "")).collect();
    let model = format!("<roblox version=\"4\">{}</roblox>", item("Workspace", "W", false, &items));
    let sections = ["", "s", "s/t", "s.t", ":root", "a b", "**", "[x\\]"];
    let keys = ["On", "t/On", "t.u", "0", "-x", "*", "a b", "x:y", "\"q\"", "On"];
    let quoted = |key: &&str| format!("\"{}\"=true\n", key.replace('\\', "\\\\").replace('"', "\\\""));
    let lines = |section: &&str| {
        let head = if section.is_empty() { String::new() } else { format!("[{section}]\n") };
        head + &keys.iter().map(quoted).collect::<String>()
    };
    let config: String = sections.iter().map(lines).collect();
    for (file, content, count) in
        [(path("odd.rbxmx"), model, names.len()), (path("odd.cfg"), config, sections.len() * keys.len())]
    {
        fs::write(&file, content).unwrap();
        let out = path("out");
        let printed = told(&run(&["get", &file])).1;
        let addresses: Vec<_> = printed.lines().map(|line| line.split('\t').next().unwrap()).collect();
        assert_eq!(addresses.len(), count, "{printed}");
        for address in addresses {
            // a value of a text is the whole of one
            let (path, line) = if file.ends_with("cfg") { ("", "=false") } else { ("On", "On=false") };
            let asked = [&["get", &file, address][..], if path.is_empty() { &[] } else { &["On"] }].concat();
            assert_eq!(told(&run(&asked)).1, "true\n", "{address}");
            let set = ["set", "-q", &file, address, line, "-o", &out, "--force"];
            assert_eq!(told(&run(&set)).0, 0, "{address}");
            let place = if path.is_empty() { address.to_owned() } else { format!("{address} On") };
            assert_eq!(told(&run(&["diff", &file, &out])).1, format!("~ {place}: true -> false\n"));
        }
    }
}

#[test]
fn a_number_that_is_not_there_is_told() {
    let file = place(&folder("namesakes-missing"), "place.rbxmx", 'a');
    for (address, expected, reason) in [
        ("Workspace.Part[10]", 7, "there are 9, and the first is Workspace.Part[1]"),
        ("Workspace.Part[4].Torch[2]", 7, "did you mean"),
        ("Workspace.Part[5].Torch[2]", 7, "there is only Workspace.Part[5].Torch"),
        ("Workspace.Slot[1]", 7, r#"did you mean 'Workspace."Slot[1]"'"#),
        ("Workspace.Part[0]", 2, "expected a number from 1 on at byte 15"),
        ("Workspace.Part[99999999999999999999]", 2, "expected a smaller number at byte 15"),
        ("Workspace.\"Part", 2, "expected a closing quote at byte 15"),
    ] {
        for verb in [&["get"][..], &["set", "-o", "-"]] {
            let rest = if verb.len() > 1 { &[address, "On=false"][..] } else { &[address] };
            let (status, _, stderr) = told(&run(&[verb, &[&file], rest].concat()));
            assert_eq!(status, expected, "{address}: {stderr}");
            let begin = if status == 7 { "error: no instance" } else { "error: expected" };
            assert!(stderr.starts_with(begin) && stderr.contains(reason), "{stderr}");
        }
    }
}

/// Roblox Studio reads the last of two properties of the same name, and so do the verbs. The other is only listed.
#[test]
fn a_hidden_property_of_an_instance_is_refused() {
    let folder = folder("namesakes-hidden");
    let properties = format!("<string name=\"Name\">Torch</string>{ON}{ON}");
    let item = format!("<Item class=\"Part\" referent=\"a\"><Properties>{properties}</Properties></Item>");
    let (file, out) = (folder.join("model.rbxmx"), folder.join("out.rbxmx"));
    fs::write(&file, format!("<roblox version=\"4\">{item}</roblox>")).unwrap();
    let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
    for address in ["Torch[#0]", "Torch[#1]", "Torch:AttributesSerialize[#0]"] {
        for args in [&["get", file, address, "On"][..], &["set", file, address, "On=false", "-o", out]] {
            let (status, stdout, stderr) = told(&run(args));
            assert_eq!((status, &*stdout), (2, ""), "{args:?}");
            assert!(stderr.starts_with(&format!("error: {address}: a property with [#…] is hidden")), "{stderr}");
        }
        assert!(!Path::new(out).exists(), "{address}");
    }
    assert_eq!(told(&run(&["set", "-q", file, "Torch", "On=false", "-o", out])).0, 0);
    let changed = ON.replace("AQAAAAIAAABPbgMB", "AQAAAAIAAABPbgMA");
    assert!(fs::read_to_string(out).unwrap().contains(&format!("{ON}{changed}")));
}

/// A file that is saved again has other referents.
#[test]
fn referents_make_no_difference() {
    let folder = folder("namesakes-referents");
    let [a, b] = ['a', 'b'].map(|letter| place(&folder, &format!("{letter}.rbxmx"), letter));
    let text = |file: &str| told(&run(&["get", file])).1;
    assert_eq!(text(&a), text(&b));
    assert_eq!(told(&run(&["diff", &a, &b])).0, 0);
}

#[test]
fn instances_of_one_side_are_told() {
    let folder = folder("namesakes-diff");
    let write = |name: &str, within: String| {
        let path = folder.join(name);
        fs::write(&path, format!("<roblox version=\"4\">{}</roblox>", item("Workspace", "W", false, &within))).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let old = write("old.rbxmx", item("Lamp", "1", false, "") + &item("Part", "2", true, ""));
    let new = write("new.rbxmx", item("Part", "2", true, "") + &item("Part", "3", false, ""));
    let expected = "- Workspace.Lamp\n+ Workspace.Part[2]\n".to_owned();
    assert_eq!(told(&run(&["diff", &old, &new])), (1, expected.clone(), String::new()));
    // also of what can be read only once
    assert_eq!(told(&run_with(&["diff", "-", &new], &fs::read(&old).unwrap())), (1, expected, String::new()));
    let rows = told(&run(&["diff", "--json", &old, &new])).1;
    let rows: Vec<serde_json::Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let part = serde_json::json!({ "type": "instance", "text": "Part" });
    let nothing = serde_json::Value::Null;
    let found = |row: &serde_json::Value| (row["address"].clone(), row["a"].clone(), row["b"].clone());
    let [lamp, other] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(found(lamp), ("Workspace.Lamp".into(), part.clone(), nothing.clone()));
    assert_eq!(found(other), ("Workspace.Part[2]".into(), nothing, part));
    let (status, stdout, stderr) = told(&run(&["diff", &old, &old]));
    assert_eq!((status, &*stdout), (0, ""));
    assert!(stderr.contains("instances, attributes and tags were compared"), "{stderr}");
}
