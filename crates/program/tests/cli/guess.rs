//! Detection of the format: `inspect --guess`, and every command without `-f`.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;

use super::{folder, program, run, run_with, told};

fn report(name: &str) -> String {
    format!("../reports/{name}")
}

/// A writable copy of a report.
fn copy(folder: &Path, name: &str) -> String {
    let copy = folder.join(name);
    fs::write(
        &copy,
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/reports").join(name)).unwrap(),
    )
    .unwrap();
    copy.to_str().unwrap().to_owned()
}

/// Each file, with a text that the first line of every command's error contains.
#[test]
fn files_of_other_kinds_are_named() {
    for (file, what) in [
        ("12-asset-error.json", "JSON text, not a model file"),
        ("17-crlf2.rbxm", "its line ends were changed in transfer"),
        ("54-zeros.dat", "all bytes are 0"),
    ] {
        let file = report(file);
        for command in ["inspect", "decode", "check", "ls", "get"] {
            let (status, stdout, stderr) = told(&run(&[command, &file]));
            assert!(status == 4 && (stdout.is_empty() || command == "ls"), "{command} {file}: {stdout}");
            let first = stderr.lines().next().unwrap();
            assert!(first.starts_with("error: ") && first.contains(what), "{command}: {stderr}");
            assert!(!stderr.contains("roblox-attributes") && !stderr.contains("blueprint"), "{stderr}");
        }
        let (status, _, stderr) = told(&run(&["set", &file, "a=1", "-o", "/dev/null"]));
        assert!(status == 4 && stderr.contains(what), "{stderr}");
        // a wrong -f
        let (status, _, stderr) = told(&run(&["decode", "-f", "godot-4", &file]));
        assert!(status >= 4 && stderr.contains(what), "{stderr}");
    }
}

/// Whatever follows a signature, ten times.
#[test]
fn a_signature_is_named_whatever_follows() {
    let signatures: [(&[u8], &str); 9] = [
        (b"GDSC", "script"),
        (b"TILE", "tile"),
        (b"PK\x03\x04", "ZIP"),
        (b"RBXH", "RBXH"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"\x7fELF", "ELF"),
        (b"MZ\x90\0", "PE"),
        (b"%PDF-", "PDF"),
        (b"<roblox!\x89\xff\n\x1a\n", "line ends"),
    ];
    for (signature, what) in signatures {
        for mutation in 0..10u8 {
            // small numbers, which values have too
            let rest = (0..40u8).map(|at| if at % 4 == 0 { at.wrapping_mul(mutation) % 29 } else { 0 });
            let file: Vec<u8> = signature.iter().copied().chain(rest).collect();
            for command in [&["inspect", "--guess"][..], &["decode"]] {
                let (status, stdout, stderr) = told(&run_with(command, &file));
                assert_eq!((status, stdout.as_str()), (4, ""), "{command:?} {what} {mutation}");
                assert!(stderr.contains(what) && !stderr.contains("-f roblox"), "{stderr}");
            }
        }
    }
}

/// Every command reads files that `store_var` wrote, and prints the options that it read them with.
#[test]
fn streams_are_read_as_such() {
    let folder = folder("found-streams");
    let file = copy(&folder, "store_var-dict.save");
    let remark = format!("{file}: 1 value with its length, read as with --framing le\n");
    for (command, begins) in [
        (&["decode"][..], r#"{"format":"godot-variant","version":4,"type":"Dictionary""#),
        (&["inspect"], "/"),
        (&["check"], "/"),
        (&["ls", "--summary"], "addresses     1\n"),
        (&["ls"], "[0]\t2 values\t60\n"),
        (&["get"], "[0]\tlevel=3\n[0]\tname=\"Torch\"\n"),
    ] {
        let (status, stdout, stderr) = told(&run(&[command, &[&file]].concat()));
        assert!(status == 0 && stdout.starts_with(begins), "{command:?}: {stdout}");
        assert!(stderr.starts_with(&remark), "{command:?}: {stderr}");
        let (status, _, stderr) = told(&run(&[command, &["-q", &file]].concat()));
        assert_eq!((status, stderr.as_str()), (0, ""), "{command:?}");
        // the same as if it was said
        let found = told(&run(&[command, &["-q", &file]].concat())).1;
        assert_eq!(found, told(&run(&[command, &["-q", "--framing", "le", &file]].concat())).1, "{command:?}");
        let bytes = fs::read(&file).unwrap();
        assert_eq!(told(&run_with(&[command, &["-q", "-"]].concat(), &bytes)).0, 0);
    }
    // with or without the address of the only value
    let get = |file: &str, path: &[&str]| told(&run(&[&["get", "-q", file], path].concat()));
    for path in [&["level"][..], &["[0]", "level"]] {
        assert_eq!(get(&file, path), (0, "3\n".to_owned(), String::new()));
    }
    assert_eq!(told(&run(&["get", "-q", &file, "levle"])).0, 7);
    for (number, address) in [(4, &[][..]), (5, &["[0]"])] {
        let change = format!("level={number}");
        let set = [&["set", &file][..], address, &[&change, "--in-place"]].concat();
        assert_eq!(told(&run(&set)), (0, "1 value changed\n".to_owned(), remark.clone()));
        assert_eq!(get(&file, &["level"]).1, format!("{number}\n"));
    }
    let other = copy(&folder, "store_var-dict.save");
    let other_file = folder.join("other.save").to_str().unwrap().to_owned();
    fs::rename(other, &other_file).unwrap();
    let file = folder.join("file.save").to_str().unwrap().to_owned();
    told(&run(&["set", "-q", &other_file, "level=6", "-o", &file]));
    assert_eq!(told(&run(&["diff", "-q", &file, &other_file])).1, "~ [0] level: 6 -> 3\n");
    for path in [&["level"][..], &["[0]", "level"]] {
        let to = folder.join("to.save").to_str().unwrap().to_owned();
        let copied = [&["copy", "-q", &file][..], path, &["--to", &other_file, "-o", &to]].concat();
        assert_eq!(told(&run(&copied)), (0, String::new(), String::new()));
        assert_eq!(get(&to, &["level"]).1, "6\n");
    }
    assert_eq!(told(&run(&["check", "-q", &file])).0, 0);
    let edit = program().args(["edit", "-q", &file]).env("EDITOR", "sed -i s/level=6/level=7/").output().unwrap();
    assert_eq!(told(&edit).0, 0);
    assert_eq!(get(&file, &["level"]).1, "7\n");
    // and back from JSON
    let lines = folder.join("lines").to_str().unwrap().to_owned();
    fs::write(&lines, told(&run(&["decode", "-q", &file])).1.replace("Torch", "Lamp")).unwrap();
    let encoded = told(&run(&["encode", "-q", &lines, "--into", &file, "--in-place"]));
    assert_eq!(encoded, (0, String::new(), String::new()));
    assert_eq!(get(&file, &["name"]).1, "\"Lamp\"\n");
}

/// Also with the other order of bytes, and of many values.
#[test]
fn streams_of_either_order_are_found() {
    let one = b"\x1c\0\0\0\x01\0\0\0\x02\0\0\0\x07\0\0\0";
    for (order, length) in [("le", 16u32.to_le_bytes()), ("be", 16u32.to_be_bytes())] {
        for count in [1, 2, 500] {
            let file = [&length[..], one].concat().repeat(count);
            let (status, stdout, stderr) = told(&run_with(&["check"], &file));
            assert!(status == 0 && stdout.contains(": ok, ") && stdout.contains(" canonical"), "{stdout}{stderr}");
            assert!(stderr.contains(&format!("read as with --framing {order}\n")), "{stderr}");
        }
        // a stream that is cut is not read as one; the error names the option for it
        let file = [&length[..], one].concat().repeat(3);
        let (status, _, stderr) = told(&run_with(&["decode"], &file[..50]));
        assert!(status == 4 && stderr.contains(&format!("--framing {order}")), "{stderr}");
    }
    // a text of no letters is a value, and a stream too
    let (status, _, stderr) = told(&run_with(&["decode"], b"\x04\0\0\0\0\0\0\0"));
    assert!(status == 2 && stderr.contains("pass -f godot-3 or -f godot-4"), "{stderr}");
    let (status, ..) = told(&run_with(&["decode", "-f", "godot-4"], b"\x04\0\0\0\0\0\0\0"));
    assert_eq!(status, 0);
}

/// If other options make all bytes valid, the error names them.
#[test]
fn another_reading_is_told() {
    let (anim, nopad, behind) = (report("30-g3-anim.dat"), report("43-nopad.bin"), report("35-u8-var.bin"));
    let attribute = "../roblox-attributes/readable.bin";
    for (command, advice) in [
        (&["decode", "-f", "godot-4", &anim][..], "it is a whole Godot 3 value, with its length before it: --framing le -f godot-3"),
        (&["decode", "-f", "godot-4", "--framing", "le", &anim], "it is a whole Godot 3 value: -f godot-3"),
        (&["decode", "-f", "roblox-remote", attribute], "it is a whole list of Roblox attributes: -f roblox-attributes"),
        (&["decode", &nopad], "without the padding of its last string or byte array: pass --framing le --allow padding and -f godot-3 or -f godot-4"),
        (&["decode", "-f", "godot-4", &nopad], "without the padding of its last string or byte array: --framing le --allow padding"),
        (&["decode", &behind], "all bytes from 0x1 on are a value: --offset 1 -f godot-3"),
        (&["decode", "-f", "roblox-attributes", "../roblox-attributes/bad/trailing.bin"], "a whole value of 13 bytes, then 4 others: --length 13"),
        (&["decode", "../roblox-attributes/bad/trailing.bin"], "a whole value of 13 bytes, then 4 others: --length 13 -f roblox-attributes"),
        (&["decode", "-f", "roblox-remote", "../roblox-remote/bad/unknown-event.bin"], "--event-ids FILE"),
        (&["decode", "-f", "godot-4", "../godot-4/bad/text.bin"], "all bytes are a value with text that is not UTF-8: --allow text"),
        (&["check", "-f", "godot-4", "../godot-4/bad/text.bin"], "all bytes are a value with text that is not UTF-8: --allow text"),
    ] {
        let (status, _, stderr) = told(&run(command));
        assert!(status >= 2 && stderr.contains(advice), "{command:?}: {status} {stderr}");
    }
    let (status, _, stderr) = told(&run_with(&["encode", "--text", "hex"], br#"{"Fuel": 7}"#));
    assert!(
        status == 4 && stderr.ends_with("\n  it is plain JSON: pass --plain and -f roblox-attributes\n"),
        "{stderr}"
    );
    let (status, stdout, _) = told(&run(&["get", "--allow=padding", "-f", "godot-4", &nopad]));
    assert_eq!((status, stdout.as_str()), (0, "[0]\t=\"hello\"\n"));
    let (status, stdout, _) = told(&run(&["get", "--offset", "1", &behind]));
    assert_eq!((status, stdout.as_str()), (0, "[0]={ \"a\": 1 }\n"));
}

/// A format that is only possible is named in the error; the file is not read as that.
#[test]
fn what_is_possible_is_not_chosen() {
    let file = "../roblox-attributes/bad/truncated.bin";
    let (status, stdout, stderr) = told(&run(&["decode", file]));
    let expected = format!(
        "error: the format is not certain; likeliest first, pass\n  -f roblox-attributes: the bytes are valid so far\n  --> {file}\n"
    );
    assert_eq!((status, stdout.as_str(), stderr), (4, "", expected));
    let (status, _, stderr) = told(&run(&["decode", "-f", "roblox-attributes", file]));
    assert!(status == 5 && stderr.starts_with("error: input ends too early"), "{stderr}");
}

#[test]
fn values_are_searched_for() {
    let value = b"\x1b\0\0\0\x01\0\0\0\x04\0\0\0\x01\0\0\0a\0\0\0\x02\0\0\0\x07\0\0\0";
    let file = [&[0xee; 100][..], value, &[0xdd; 5000], value].concat();
    let expected = "\
possible  godot-4  a whole value of 28 bytes: --offset 100 --length 28 (7 fields)
possible  godot-4  a whole value of 28 bytes: --offset 5128 (7 fields)
";
    assert_eq!(told(&run_with(&["inspect", "--search"], &file)), (0, expected.to_owned(), String::new()));
    let read = run_with(&["get", "--offset", "100", "--length", "28", "-", "a"], &file);
    assert_eq!(told(&read), (0, "7\n".to_owned(), String::new()));
    let (status, _, stderr) = told(&run_with(&["inspect", "--search"], &[0xee; 100]));
    assert!(status == 4 && stderr.starts_with("error: no value found\n"), "{stderr}");
    let behind = report("35-u8-var.bin");
    let (status, stdout, _) = told(&run(&["inspect", "--guess", &behind]));
    assert_eq!(
        (status, stdout.as_str()),
        (0, "likely    godot-3  all bytes from 0x1 on are a value: --offset 1 (9 fields)\n")
    );
}

/// If the first bytes of a large file determine its format, they are enough with any memory limit.
#[test]
fn guessing_keeps_to_the_limit_of_memory() {
    let folder = folder("guess-memory");
    let place = |name: &str, head: &[u8]| {
        let file = folder.join(name);
        fs::write(&file, [head, &vec![0x31; 3 << 20]].concat()).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (zip, model) = (place("a.zip", b"PK\x03\x04\0"), place("b.rbxm", b"<roblox!\x89\xff\r\n\x1a\n\0\0"));
    let (status, _, stderr) = told(&run(&["inspect", "--guess", "--max-memory", "1M", &zip]));
    assert!(status == 4 && stderr.contains("a ZIP archive"), "{stderr}");
    let (status, stdout, _) = told(&run(&["inspect", "--guess", "--max-memory", "1M", &model]));
    assert!(status == 0 && stdout.starts_with("certain   rbxm"), "{stdout}");
    // three million digits
    let (status, stdout, stderr) = told(&run(&["inspect", "--guess", "--max-memory", "16M", &place("c.hex", b"")]));
    assert!(status <= 4, "{stdout}{stderr}");
}
