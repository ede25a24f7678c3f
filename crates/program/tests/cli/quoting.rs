//! A line end in a name of a file, a table or the command line begins no line of a message.

use std::fs;

use super::packs::pack;
use super::{fixtures, folder, run, run_in, run_with, told};

/// A name with line ends, the second of which must begin no line of a message.
const FAKE: &str = "a\r\nerror: fake\n  b";

fn assert_quoted(what: &str, (status, out, errors): &(i32, String, String)) {
    for text in [out, errors] {
        let lines = || text.split(['\n', '\r']);
        assert!(!lines().any(|line| line.starts_with("error: fake")), "{what}: {status}\n{text}");
    }
    assert!(!errors.contains('\r'), "{what}: {errors:?}");
}

#[test]
fn names_in_files() {
    let folder = folder("quoting-files");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let length = u8::try_from(FAKE.len()).unwrap();
    let key = [&[length, 0, 0, 0][..], FAKE.as_bytes()].concat();
    let entry = |value: &[u8]| [&b"\x01\0\0\0"[..], &key, value].concat();
    let xml = FAKE.replace('\r', "&#13;").replace('\n', "&#10;");
    let model = |value: &str| {
        format!(
            "<roblox version=\"4\"><Item class=\"{xml}\" referent=\"{xml}\"><Properties><string name=\"Name\">{xml}</string>\
             <BinaryString name=\"AttributesSerialize\">{value}</BinaryString></Properties></Item></roblox>"
        )
    };
    let setting = |value: &[u8]| [&b"ECFG\x01\0\0\0"[..], &key, value].concat();
    for (name, file) in [
        ("good.pck", pack(&[(&format!("res://{FAKE}.binary"), &setting(b"\x08\0\0\0\x02\0\0\0\x01\0\0\0"))])),
        ("broken.pck", pack(&[(&format!("res://{FAKE}.binary"), &setting(b"\x08\0\0\0\x63\0\0\0\x01\0\0\0"))])),
        ("good.bin", entry(b"\x03\x01")),
        ("broken.bin", entry(b"\xff\x01")),
        ("good.binary", setting(b"\x08\0\0\0\x02\0\0\0\x01\0\0\0")),
        ("broken.binary", setting(b"\x08\0\0\0\x63\0\0\0\x01\0\0\0")),
        ("good.cfg", format!("[{FAKE}]\n\n\"{FAKE}\"=1\n").into_bytes()),
        ("broken.cfg", format!("[a]\n\n\"{FAKE}\"=Color(\n").into_bytes()),
        ("good.rbxmx", model("AQAAAAEAAABhAwE=").into_bytes()),
        ("broken.rbxmx", model("AQAAAAEAAABh/wE=").into_bytes()),
        ("cut.rbxmx", model("").replace("</roblox>", "").into_bytes()),
    ] {
        fs::write(path(name), file).unwrap();
        let name = path(name);
        for args in [
            &["check", &name][..],
            &["check", "--verbose", &name],
            &["ls", &name],
            &["get", &name],
            &["decode", &name],
            &["inspect", &name],
            &["get", &name, "absent"],
            &["get", &name, "absent", "absent"],
            &["set", &name, "x=1", "-o", &path("out")],
            &["set", &name, "**", "x=1", "-o", &path("out")],
            &["copy", &name, "**", "--to", &path("extracted/")],
            &["diff", &name, &path("good.bin")],
            &["convert", &name, "--to", "godot-4", "-o", &path("out")],
        ] {
            assert_quoted(&args.join(" "), &told(&run(args)));
        }
    }
}

#[test]
fn words_of_the_command_line_and_of_tables() {
    let folder = folder("quoting-words");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (file, out, absent) = (path("a.bin"), path("out"), path(FAKE));
    fs::write(&file, b"\x01\0\0\0\x01\0\0\0a\x03\x01").unwrap();
    fs::write(path("a.pck"), pack(&[("res://a", b"1")])).unwrap();
    fs::write(path("a.cfg"), "[a]\n\nb=1\n").unwrap();
    for file in [&file, &path("a.pck"), &path("a.cfg"), &super::model(&folder, "attributes.rbxm")] {
        for args in [
            &["get", file, FAKE][..],
            &["get", file, FAKE, FAKE],
            &["get", file, "--type", FAKE],
            &["get", file, "--class", FAKE],
            &["get", file, "--tag", FAKE],
            &["get", file, "-f", FAKE],
            &["check", file, "--max-memory", FAKE],
            &["set", file, FAKE, "-o", &out],
            &["set", file, "a", &format!("{FAKE}=1"), "-o", &out],
            &["set", file, "a", &format!("a={FAKE}"), "-o", &out],
            &["set", file, "--remove", FAKE, "-o", &out],
            &["set", file, "--rename", "a", FAKE, "-o", &out],
            &["set", file, "--add-tag", FAKE, "-o", &out],
            &["set", file, "--from", &absent, "-o", &out],
            &["copy", file, FAKE, "--to", &out],
            &["copy", file, "--to", &out, FAKE],
            &["copy", &absent, "--to", &out],
            &["diff", file, &absent],
            &["inspect", file, "--path", FAKE],
            &["encode", &absent],
            &[FAKE],
            &["help", FAKE],
        ] {
            assert_quoted(&format!("{args:?}"), &told(&run(args)));
        }
        let json = serde_json::json!({"address": FAKE, "path": FAKE, "type": FAKE, "text": FAKE, "file": FAKE});
        for table in [
            format!("file,address,path,type,text\n\"{FAKE}\",\"{FAKE}\",\"{FAKE}\",\"{FAKE}\",\"{FAKE}\"\n"),
            format!("address,path,type,text\n\"{FAKE}\",a,,1\n"),
            format!("path,type,text\n\"{FAKE}\",,1\n"),
            format!("path,type,text\na,\"{FAKE}\",1\n"),
            format!("path,type,text\na,,\"{FAKE}\"\n"),
            format!("path,text,\"{FAKE}\"\na,1\n"),
            json.to_string(),
            serde_json::json!({"path": FAKE, "text": "1"}).to_string(),
            serde_json::json!({"path": "a", "type": FAKE, "text": "1"}).to_string(),
            serde_json::json!({"path": "a", FAKE: FAKE}).to_string(),
        ] {
            let done = told(&run_with(&["set", file, "--from", "-", "-o", &out], table.as_bytes()));
            assert_quoted(&table, &done);
        }
    }
}

/// Files that options name are read up to a limit, also a device without an end.
#[cfg(unix)]
#[test]
fn files_of_options_that_do_not_end() {
    let folder = folder("endless");
    let file = folder.join("a.bin").to_str().unwrap().to_owned();
    fs::write(&file, b"\x01\0\0\0\x01\0\0\0a\x03\x01").unwrap();
    for (args, told_of) in [
        (&["--from", "/dev/zero"][..], "/dev/zero: it is larger than 4M; raise the limit with --max-memory"),
        (&["a=1", "--key-file", "/dev/zero"], "the file is larger than 64K"),
        (&["a=1", "--event-ids", "/dev/zero"], "the file is larger than 64K"),
    ] {
        let args = [&["set", "--max-memory", "4M", &file, "-o", "-"], args].concat();
        let (status, _, errors) = told(&run(&args));
        assert!((2..=4).contains(&status) && errors.contains(told_of), "{args:?}: {status}\n{errors}");
    }
    let (status, _, errors) = told(&run(&["get", "--max-memory", "4M", "--files-from", "/dev/zero"]));
    assert!(status >= 2 && errors.contains("it is larger than 4M"), "{status}: {errors}");
    // what is made of the lines of a table counts too
    let line = "a,,1\n";
    for table in [["path,type,text\n", &line.repeat(100_000)].concat(), "a=1\n".repeat(100_000)] {
        let args = ["set", "--max-memory", "4M", &file, "--from", "-", "-o", "-"];
        let (status, _, errors) = told(&run_with(&args, table.as_bytes()));
        assert!(status == 4 && errors.contains("more memory is needed than the limit of 4 MiB"), "{status}: {errors}");
    }
}

#[test]
fn tables_that_are_cut_or_have_other_columns() {
    let folder = folder("tables");
    let file = folder.join("a.bin").to_str().unwrap().to_owned();
    fs::write(&file, b"\x01\0\0\0\x01\0\0\0a\x03\x01").unwrap();
    for (table, reason) in [
        ("path,text\na,true\nb,\"x\n\ny", "a quote in line 3 is not closed"),
        ("path,text\na,\"\"\"", "a quote in line 2 is not closed"),
        ("path;text\na;true\n", "the columns of the table have semicolons between them; write it with commas"),
        ("path\ttype\ttext\na\t\ttrue\n", "the columns of the table have tabs between them; write it with commas"),
    ] {
        let done = told(&run_with(&["set", &file, "--from", "-", "-o", "-"], table.as_bytes()));
        let errors = format!("error: {reason}\n  --> standard input\n");
        pretty_assertions::assert_eq!((done.0, done.2), (4, errors), "{table}");
    }
}

/// The advice for a key with dots is pasted into a shell as it stands.
#[test]
#[cfg(unix)]
fn a_hint_for_a_key_with_dots_works_when_pasted() {
    let folder = folder("quoting-dots");
    let file = folder.join("a.bin");
    for (change, expected) in [
        ("a.b=1", "\"a.b\"=1"),
        ("Fuel.max:Int=1", "\"Fuel.max\"=Int(1)"),
        ("its.a.b=\"don't $HOME `ls`\"", "\"its.a.b\"=\"don't $HOME `ls`\""),
    ] {
        fs::copy(fixtures().join("readable.bin"), &file).unwrap();
        let (status, _, error) = run_in(&folder, &["set", "a.bin", change, "-i"], b"");
        let hint = error.split("a key with dots needs quotes: ").nth(1);
        let hint = hint.unwrap_or_else(|| panic!("{change}: {error}")).lines().next().unwrap();
        assert_ne!(status, 0, "{error}");
        let line = format!("\"$0\" set a.bin {hint} -i && \"$0\" get a.bin");
        let mut shell = std::process::Command::new("sh");
        let shell = shell.current_dir(&folder).args(["-c", &line, env!("CARGO_BIN_EXE_enginewire")]);
        let (status, values, error) = told(&shell.output().unwrap());
        assert_eq!(status, 0, "{line}: {error}");
        assert!(values.lines().any(|value| value == expected), "{values}");
    }
    // one that is there can be removed, and is named by `get`
    let hinted = |args: &[&str]| run_in(&folder, args, b"").2;
    assert!(hinted(&["set", "a.bin", "--remove", "its.a.b", "-i"]).contains(r#"needs quotes: '"its.a.b"'"#));
    assert!(hinted(&["get", "a.bin", "its.a.b"]).contains(r#"did you mean '"its.a.b"'?"#));
    assert!(!hinted(&["set", "a.bin", "--remove", "c.d", "-i"]).contains("quotes"));
    assert!(!hinted(&["set", "a.bin", "Color.Q=1", "-i"]).contains("--remove"));
}
