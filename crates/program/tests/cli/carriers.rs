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
