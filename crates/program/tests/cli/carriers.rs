//! Files around values: compressed, with a byte order mark, empty, of a cache, and packs of Godot.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;

use super::{changed, fixtures, folder, run, run_in, run_with, told};

const MARK: &[u8] = b"\xef\xbb\xbf";

/// A copy of a file from reports, in a folder of its own.
fn copied(test: &str, file: &str) -> String {
    let copy = folder(test).join(file);
    fs::copy(fixtures().join("../reports").join(file), &copy).unwrap();
    copy.to_str().unwrap().to_owned()
}

#[test]
fn a_model_in_zstd_is_read_and_stays_in_zstd() {
    let file = copied("carriers-zstd", "06-whole.rbxm.zst");
    let expected = "Torch\t2 values\t42\nTorch.Lamp[1]\t1 value\t25\n";
    assert_eq!(told(&run(&["ls", &file])), (0, expected.to_owned(), String::new()));
    let frame = fs::read(&file).unwrap();
    assert_eq!(told(&run_with(&["ls", "-"], &frame)).1, expected);
    for verb in ["check", "inspect", "decode", "get"] {
        assert_eq!(told(&run(&[verb, &file])).0, 0, "{verb}");
    }
    let folder = Path::new(&file).parent().unwrap();
    let (_, rows, _) = told(&run(&["get", folder.to_str().unwrap(), "Torch", "Fuel"]));
    assert!(rows.contains("06-whole.rbxm.zst"), "{rows}");
    assert_eq!(told(&run(&["set", &file, "Torch", "Fuel=7", "-i"])), changed("1 value"));
    assert_eq!(told(&run(&["get", &file, "Torch", "Fuel"])).1, "7\n");
    let new = fs::read(&file).unwrap();
    assert!(new.starts_with(b"\x28\xb5\x2f\xfd"));
    assert_eq!(told(&run(&["set", &file, "Torch", "Fuel=7", "-i"])).0, 0);
    assert_eq!(fs::read(&file).unwrap(), new);
    let (status, _, error) = told(&run_with(&["get", "-"], &frame[..200]));
    assert!(status == 5 && error.contains("zstd: it ends inside a block, at byte 0x"), "{status} {error}");
    let (status, _, error) = told(&run_with(&["get", "--max-memory", "1K", "-"], &frame));
    assert!(status == 4 && error.contains("the limit of 1K"), "{error}");
}

#[test]
fn a_byte_order_mark_is_read_and_kept() {
    let folder = folder("carriers-mark");
    let file = |name: &str| fs::read(fixtures().join("..").join(name)).unwrap();
    for (name, bytes, set) in [
        ("a.blueprint", file("scrap-mechanic-lua/logic.blueprint.json"), &["bodies[0].childs[0]", "mode=7"][..]),
        ("a.json", file("roblox-attributes/readable.json"), &["Fuel=42"]),
        ("a.cfg", b"[player]\nlevel=1\n".to_vec(), &["player/level", "=2"]),
        ("a.rbxmx", file("roblox-model/attributes.rbxmx"), &["Folder", "Infinity=7"]),
    ] {
        let output = |bytes: &[u8]| {
            fs::write(folder.join(name), bytes).unwrap();
            let get = run_in(&folder, &["get", name], b"");
            assert_eq!(get.0, 0, "{name}: {}", get.2);
            let set = run_in(&folder, &[&["set", name, "-i"], set].concat(), b"");
            assert_eq!(set.0, 0, "{name}: {}", set.2);
            (get.1, fs::read(folder.join(name)).unwrap())
        };
        let (values, changed) = output(&bytes);
        assert_eq!(output(&[MARK, &bytes].concat()), (values, [MARK, &changed].concat()), "{name}");
        assert_eq!(run_in(&folder, &["diff", name, name], b"").0, 0);
    }
}

#[test]
fn what_holds_no_values_is_named_with_what_to_do() {
    for (bytes, expected) in [
        (
            &b""[..],
            "the file is empty; use a copy, or pass -f NAME if a value may have 0 bytes, as roblox-attributes may",
        ),
        (MARK, "the file is empty; use a copy"),
        (b"RBXH\x02\0\0\0", "the file is an entry of the cache of Roblox's client (RBXH); cut off its header"),
    ] {
        for verb in ["ls", "get", "check", "decode", "inspect"] {
            let (status, _, error) = told(&run_with(&[verb, "-"], bytes));
            assert!(status == 4 && error.contains(expected), "{verb}: {error}");
        }
    }
    assert_eq!(told(&run_with(&["check", "-f", "roblox-attributes", "-"], b"")).0, 0);
    // the asset after the header
    let model = fs::read(fixtures().join("../roblox-model/attributes.rbxm")).unwrap();
    let entry = [&b"RBXH\x02\0\0\0\0"[..], &model].concat();
    let values = told(&run_with(&["get", "-"], &model));
    assert_eq!(told(&run_with(&["get", "--offset", "9", "-"], &entry)), values);
}

#[test]
fn a_program_with_a_pack_at_its_end_is_read_as_the_pack() {
    let file = copied("carriers-program", "program.exe");
    let program = fs::read(&file).unwrap();
    let rows = told(&run(&["ls", &file]));
    assert!(rows.0 == 0 && rows.1.starts_with("res://pack.json\t17 bytes"), "{rows:?}");
    assert_eq!(told(&run_with(&["ls", "-"], &program)), rows);
    let (status, out, error) = told(&run(&["get", &file]));
    let entry = "res://data/settings.cfg";
    assert!(status == 0 && out.is_empty() && error.ends_with(&format!("program.exe {entry}\n")), "{error}");
    assert_eq!(told(&run(&["get", &file, entry])).1, "a/b\t=1\n");
    assert!(told(&run(&["check", &file])).1.contains("ok, 2 values: 1 canonical, 1 skipped"));
    assert!(told(&run(&["inspect", &file])).1.contains("res://pack.json: 17 bytes"));
    assert_eq!(told(&run(&["diff", &file, &file])), (0, String::new(), String::new()));
    let other = copied("carriers-program-other", "mod-b.pck");
    let (status, lines, _) = told(&run(&["diff", &file, &other]));
    let lines: Vec<_> = lines.lines().collect();
    assert_eq!((status, lines.last()), (1, Some(&"~ res://data/settings.cfg a/b: 1 -> 2")));
    assert_eq!(told(&run(&["set", &file, entry, "a/b", "=7", "-i"])), changed("1 value"));
    assert_eq!(told(&run(&["diff", &file, &other])).1.lines().last(), Some("~ res://data/settings.cfg a/b: 7 -> 2"));
    // a program without one
    let (status, _, error) = told(&run_with(&["ls", "-"], &program[..400]));
    assert!(status == 4 && error.contains("a program or library of Windows (PE)"), "{error}");
}

#[test]
fn two_packs_are_compared_value_by_value() {
    let folder = folder("carriers-packs");
    for name in ["mod-a.pck", "mod-b.pck"] {
        fs::copy(fixtures().join("../reports").join(name), folder.join(name)).unwrap();
    }
    let row = run_in(&folder, &["diff", "--json", "mod-a.pck", "mod-b.pck"], b"").1;
    let row: serde_json::Value = serde_json::from_str(row.lines().last().unwrap()).unwrap();
    assert_eq!((&row["entry"], &row["address"]), (&"res://data/settings.cfg".into(), &"a/b".into()));
    assert_eq!((&row["a"]["text"], &row["b"]["text"]), (&"1".into(), &"2".into()));
    let stat = run_in(&folder, &["diff", "--stat", "mod-a.pck", "mod-b.pck"], b"");
    assert_eq!(stat.1, "mod-b.pck: 2 changed\n");
}

#[test]
fn an_encrypted_pack_is_extracted() {
    let file = copied("carriers-encrypted", "encrypted.pck");
    let to = format!("{}/", folder("carriers-extracted").display());
    let (status, out, error) = told(&run(&["copy", &file, "res://**", "--to", &to, "--password", "secret"]));
    assert!(status == 0 && (out + &error).contains("2 files copied"), "{error}");
    assert_eq!(fs::read(format!("{to}data/settings.cfg")).unwrap(), b"[a]\n\nb=1\n");
    assert_eq!(fs::read(format!("{to}pack.json")).unwrap().len(), 17);
}

#[test]
fn a_database_in_a_pack_that_is_no_save_is_skipped() {
    let file = copied("carriers-database", "database.pck");
    let (status, out, error) = told(&run(&["check", &file]));
    assert!(status == 0 && out.ends_with("database.pck: ok, 2 values: 1 canonical, 1 skipped\n"), "{out}");
    assert_eq!(error.matches("res://data/game.db: not a Scrap Mechanic save").count(), 1, "{error}");
    let cache = copied("carriers-shaders", "shader.cache");
    for verb in ["ls", "get", "check"] {
        let (status, _, error) = told(&run(&[verb, &cache]));
        assert!(status == 4 && error.contains("a shader cache of Godot 4 (version 2)"), "{error}");
    }
}
