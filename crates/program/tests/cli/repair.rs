//! `check --fix`: broken values are cut, cleared or replaced.

use std::fs;

use data_encoding::{BASE64, BASE64_NOPAD};
use enginewire::scrap_mechanic::lua_object::Uuid;
use enginewire::wire::IntoByteString;
use enginewire_files::scrap_mechanic::save::{Layout, RowData, RowKey};
use pretty_assertions::assert_eq;
use rusqlite::Connection;

use super::{fixtures, folder, run, told};

fn path(file: &str) -> String {
    fixtures().join("..").join(file).to_str().unwrap().to_owned()
}

/// Runs `check --fix` with these arguments, which must succeed, and returns the new file.
fn repair(name: &str, args: &[&str]) -> String {
    let new = folder(name).join("new").to_str().unwrap().to_owned();
    assert_eq!(told(&run(&[&["check", "-o", &new], args].concat())), (0, String::new(), "1 value fixed\n".into()));
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
        let new = repair("repair-cut", &[&[&path(file)[..], "--fix=cut"], options].concat());
        assert_eq!(get(&new, options), (0, kept.to_owned()), "{file}");
        assert_eq!(told(&run(&[&["check", "-q", &new], options].concat())).0, 0);
    }
}

#[test]
fn a_value_is_cleared_or_replaced() {
    let attributes = ["-f", "roblox-attributes"];
    let broken = path("roblox-attributes/bad/unknown-type.bin");
    let new = repair("repair-clear", &[&[&broken[..], "--fix=clear"], &attributes[..]].concat());
    assert_eq!(fs::read(new).unwrap(), b"");
    let other = path("roblox-attributes/readable.bin");
    let new = repair("repair-with", &[&[&broken[..], "--fix", &other], &attributes[..]].concat());
    assert!(fs::read(new).unwrap() == fs::read(other).unwrap());
    for (options, file, expected) in [
        (&["-f", "godot-4"][..], "godot-4/bad/text.bin", "null\n"),
        (&["-f", "scrap-mechanic-lua"], "scrap-mechanic-lua/bad/magic.bin", "nil\n"),
        (&["-f", "roblox-remote"], "roblox-remote/bad/packet-type.bin", ""),
    ] {
        let new = repair("repair-nothing", &[&[&path(file)[..], "--fix=clear"], options].concat());
        assert_eq!(get(&new, options), (0, expected.to_owned()), "{file}");
    }
}

/// Only the broken value of a model changes, and it alone may be named.
#[test]
fn the_other_values_of_a_container_stay() {
    let model = path("roblox-model/made.rbxm");
    for args in [
        &["--fix=cut"][..],
        &["--fix=clear"],
        &["--fix=cut", "--", "Workspace.Torch"],
        &["--fix=clear", "--", "Workspace.*"],
    ] {
        let new = repair("repair-model", &[&[&model[..]], args].concat());
        let (before, after) = (get(&model, &[]), get(&new, &[]));
        assert_eq!((before.0, after.0, before.1), (4, 0, after.1));
    }
    let torch = path("roblox-attributes/readable.bin");
    let new = repair("repair-model-with", &[&model, "--fix", &torch]);
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
    let cleared = run(&["check", &file, "--fix=clear", "--in-place"]);
    assert_eq!(told(&cleared), (0, String::new(), "1 value fixed\n".to_owned()));
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
    let (status, _, error) = told(&run(&["check", &file, "--fix=cut", "--in-place"]));
    assert_eq!((status, error.contains("nothing can be kept of it")), (4, true), "{error}");
    let cleared = told(&run(&["check", &file, "--fix=clear", "--in-place"]));
    assert_eq!(cleared, (0, String::new(), "1 value fixed\n".to_owned()));
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
        for choice in ["--fix=cut", "--fix=clear"] {
            let repaired = told(&run(&[&["check", &file, choice, "-o", &new], options].concat()));
            assert_eq!(repaired, (0, String::new(), "nothing is broken\n".to_owned()));
            assert!(fs::read(&new).unwrap() == fs::read(&file).unwrap(), "{file}");
        }
        let listed = told(&run(&[&["check", &file, "--fix=cut"], options].concat()));
        assert_eq!(listed, (0, String::new(), "nothing is broken\n".to_owned()));
    }
}

#[test]
fn what_cannot_be_repaired_is_refused() {
    let new = folder("repair-refused").join("new").to_str().unwrap().to_owned();
    let (made, broken) = ("../roblox-model/made.rbxm", "bad/unknown-type.bin");
    for (args, status, reason) in [
        (&["../roblox-model/bad/cut.rbxm", "--fix=clear"][..], 5, "the file itself is broken: input ends too early"),
        (&["../roblox-model/bad/chunk.rbxm", "--fix=clear"], 4, "the file itself is broken"),
        (&[made, "--fix=clear", "--", "Nobody"], 7, "no value Nobody"),
        (
            &["-f", "roblox-attributes", broken, "--fix=clear", "--", "Nobody"],
            2,
            "the file is a single value and has no address Nobody",
        ),
        (
            &["-f", "roblox-attributes", broken, "--fix", broken],
            4,
            "is not a value of roblox-attributes: unknown type id 0x1d",
        ),
        (&[broken, "--fix", "nobody.bin"], 3, "cannot read nobody.bin"),
        (&[broken], 2, "need --fix"),
        (&["-f", "godot-4", "../godot-4/bad/text.bin", "--fix=cut"], 4, "choose --fix clear or --fix FILE"),
        (
            &["../scrap-mechanic-lua/bad/save-broken-rows.db", "--fix", "../scrap-mechanic-lua/list.bin"],
            2,
            "values are broken",
        ),
        (&[broken, "--fix=cut", "--fix=clear"], 2, "cannot be used multiple times"),
    ] {
        let (found, _, error) = told(&run(&[&["check", "-o", &new], args].concat()));
        assert_eq!(found, status, "{args:?}: {error}");
        assert!(error.contains(reason), "{args:?}: {error}");
        assert!(fs::metadata(&new).is_err(), "{args:?}");
    }
}

/// A blueprint with these objects: `Ok` has the bytes of an object, `Err` the text to write in its place.
fn blueprint(objects: &[Result<&[u8], &str>]) -> Vec<u8> {
    let data = |object: &Result<&[u8], &str>| match object {
        Ok(bytes) => BASE64_NOPAD.encode(&enginewire_files::scrap_mechanic::pack(bytes)),
        Err(text) => (*text).to_owned(),
    };
    let children = objects.iter().map(|object| format!(r#"{{"controller":{{"data":"{}"}}}}"#, data(object)));
    format!(r#"{{"bodies":[{{"childs":[{}]}}]}}"#, children.collect::<Vec<_>>().join(",")).into()
}

/// A model with these texts as attributes.
fn model(texts: &[&str]) -> Vec<u8> {
    let instance = |(number, text): (usize, &&str)| {
        format!(
            "<Item class=\"Folder\" referent=\"R{number}\"><Properties><string name=\"Name\">A{number}</string>\
             <BinaryString name=\"AttributesSerialize\">{text}</BinaryString></Properties></Item>"
        )
    };
    let instances: String = texts.iter().enumerate().map(instance).collect();
    format!("<roblox version=\"4\">{instances}</roblox>").into()
}

/// The rows of a save whose data are broken have the keys of their other columns.
const FIRST: &str = "ScriptData[uid=78d29e17-a400-4ad5-bd2f-db312b000c3b,key=7c010000]";
const THIRD: &str =
    "ScriptData[uid=2c3699b2-fd9c-503e-a405-cf73434e2e88,key=4c5541000000010500000003800000008401040083001570a200]";

/// If several values are broken, those that can be read in part are cut. The others are named, and can be cleared.
#[test]
fn what_cannot_be_cut_is_named_and_the_others_are_mended() {
    let folder = folder("repair-left");
    let [file, new, cleared] = ["file", "new", "cleared"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let read = |file: &str| fs::read(path(file)).unwrap();
    let frames = |values: &[&[u8]]| -> Vec<u8> {
        let frame = |value: &&[u8]| [&u32::try_from(value.len()).unwrap().to_le_bytes()[..], value].concat();
        values.iter().flat_map(frame).collect()
    };
    let (cut, text, whole) = (read("godot-4/bad/truncated.bin"), read("godot-4/bad/text.bin"), read("godot-4/nil.bin"));
    let object = read("scrap-mechanic-lua/bad/padding.bin");
    let attributes = BASE64.encode(&read("roblox-attributes/bad/unknown-type.bin"));
    let framed = frames(&[&cut, &text, &whole]);
    let ends_early = [&framed[..], &[9, 0, 0, 0, 1]].concat();
    for (container, options, left) in [
        (framed, &["-f", "godot-4", "--framing", "le"][..], &["[1]"][..]),
        (ends_early, &["-f", "godot-4", "--framing", "le"], &["[1]", "[3]"]),
        (blueprint(&[Err("!"), Ok(&object), Err("AAAA")]), &[], &["bodies[0].childs[0]", "bodies[0].childs[2]"]),
        (model(&["A*", &attributes]), &[], &["A0"]),
        (save(&object), &[], &[FIRST, "ScriptData[2]", THIRD, "ScriptData[4]"]),
    ] {
        fs::write(&file, container).unwrap();
        let (status, out, error) =
            told(&run(&[&["check", &file, "--fix=cut", "-o", &new, "--force"], options].concat()));
        assert!(matches!(status, 4 | 5) && out.is_empty(), "{status}: {error}");
        let count = left.len();
        assert!(error.ends_with(&format!("1 value fixed, {count} left as they are\n")), "{error}");
        assert_eq!(error.matches("nothing can be kept of it").count(), count, "{error}");
        for address in left {
            assert!(error.contains(&format!("choose --fix clear or --fix FILE\n  --> {file}: {address}\n")), "{error}");
        }
        let (status, ..) = told(&run(&[&["check", "-q", &new], options].concat()));
        assert!(matches!(status, 4 | 5), "{status}");
        let (status, out, error) =
            told(&run(&[&["check", &new, "--fix=clear", "-o", &cleared, "--force"], options].concat()));
        let values = if count == 1 { "value" } else { "values" };
        assert_eq!((status, &*out, error), (0, "", format!("{count} {values} fixed\n")));
        assert_eq!(told(&run(&[&["check", "-q", &cleared], options].concat())).0, 0);
        // nothing is written where nothing can be cut
        let (status, _, error) = told(&run(&[&["check", &new, "--fix=cut", "-o", &file, "--force"], options].concat()));
        assert!(matches!(status, 4 | 5), "{status}");
        assert_eq!(error.matches("nothing can be kept of it").count(), count, "{error}");
        assert!(error.ends_with(&format!("nothing can be fixed, so nothing is written\n  --> {new}\n")), "{error}");
    }
}

/// The save with broken rows, and a row with this object.
fn save(object: &[u8]) -> Vec<u8> {
    let copy = folder("repair-save").join("save.db");
    fs::copy(path("scrap-mechanic-lua/bad/save-broken-rows.db"), &copy).unwrap();
    let key = RowKey::Named { uid: Uuid([7; 16]), key: vec![1, 0, 0, 0].into_byte_string() };
    let block = enginewire_files::scrap_mechanic::pack(object).into_byte_string();
    let data = RowData { key, world_id: Some(1), flags: Some(2), block }.encode(Layout::Named).unwrap();
    let database = Connection::open(&copy).unwrap();
    let row = (vec![7; 16], vec![1, 0, 0, 0], 1, 2, data);
    database.execute("INSERT INTO ScriptData VALUES (?1, ?2, ?3, ?4, ?5)", row).unwrap();
    drop(database);
    fs::read(copy).unwrap()
}

/// A row that is broken before its object has there what its other columns say.
#[test]
fn a_row_is_repaired_whatever_is_in_it() {
    let folder = folder("repair-rows");
    let new = folder.join("new.db").to_str().unwrap().to_owned();
    let broken = path("scrap-mechanic-lua/bad/save-broken-rows.db");
    let object = path("scrap-mechanic-lua/list.bin");
    let rows = |file: &str| -> Vec<(Vec<u8>, Vec<u8>)> {
        let database = Connection::open(file).unwrap();
        let mut rows =
            database.prepare("SELECT uid, key, worldId, flags, data FROM ScriptData ORDER BY rowid").unwrap();
        let row = |row: &rusqlite::Row<'_>| {
            let (uid, key): (Vec<u8>, Vec<u8>) = (row.get(0)?, row.get(1)?);
            let (world, flags): (u16, u8) = (row.get(2)?, row.get(3)?);
            let length = u16::try_from(key.len()).unwrap().to_be_bytes();
            Ok(([&uid[..], &length, &key, &world.to_be_bytes(), &[flags]].concat(), row.get(4)?))
        };
        rows.query_map([], row).unwrap().map(Result::unwrap).collect()
    };
    for arguments in [&["--fix=clear"][..], &["--fix", &object, "--", "ScriptData[2]"]] {
        let repaired = told(&run(&[&["check", &broken, "-o", &new, "--force"], arguments].concat()));
        let values = if arguments.len() == 1 { "4 values" } else { "1 value" };
        assert_eq!(repaired, (0, String::new(), format!("{values} fixed\n")), "{arguments:?}");
        if arguments.len() > 1 {
            // the other rows are still broken
            let (_, text) = get(&new, &["ScriptData[2]"]);
            assert_eq!(text, get(&object, &["-f", "scrap-mechanic-lua"]).1);
            continue;
        }
        assert_eq!(told(&run(&["check", "-q", &new])).0, 0);
        for (head, data) in rows(&new) {
            assert_eq!(data.get(..head.len()), Some(&head[..]));
        }
    }
}

#[test]
fn all_files_of_a_folder_are_fixed() {
    let folder = folder("fix-folder");
    let [made, whole] = ["made.rbxm", "tags.rbxm"].map(|name| super::model(&folder, name));
    let before = fs::read(&whole).unwrap();
    let dir = folder.to_str().unwrap();
    let fix = |more: &[&str]| told(&run(&[&["check", "--fix=cut", dir], more].concat()));
    let (status, stdout, stderr) = fix(&[]);
    assert!(
        (status, &*stderr) == (4, "1 value broken in 1 file\n") && stdout.contains("would become"),
        "{stdout}{stderr}"
    );
    assert!(fix(&["-o", "out"]).2.contains("several files are fixed in place"));
    assert_eq!(fix(&["-i"]), (0, String::new(), "1 value fixed in 1 file\n".to_owned()));
    assert_eq!(told(&run(&["check", "-q", &made])).0, 0);
    assert_eq!(fix(&[]), (0, String::new(), "0 values broken in 0 files\n".to_owned()));
    assert!(fs::read(&whole).unwrap() == before);
}
