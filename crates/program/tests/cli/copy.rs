//! `copy`: values of one file go into another.

use std::fs;

use pretty_assertions::assert_eq;

use super::{changed, fixtures, folder, model, run, run_with, told};

fn path(file: &str) -> String {
    fixtures().join("..").join(file).to_str().unwrap().to_owned()
}

/// Runs `copy` with these arguments, which must succeed, and returns the new file.
fn copy(name: &str, args: &[&str]) -> String {
    let new = folder(name).join("new").to_str().unwrap().to_owned();
    let (status, stdout, stderr) = told(&run(&[&["copy", "-o", &new], args].concat()));
    assert!((status, &*stderr) == (0, "") && stdout.ends_with(" changed\n"), "{stdout}{stderr}");
    new
}

fn get(file: &str, args: &[&str]) -> String {
    told(&run(&[&["get", file], args].concat())).1
}

const ATTRIBUTES: &str = "roblox-model/attributes.rbxm";

/// The bytes of a value, wherever it is.
fn bytes_of(file: &str, key: &str) -> Vec<u8> {
    let rows = told(&run(&["decode", file])).1;
    let row = rows.lines().find(|row| row.contains(key)).unwrap();
    let document: serde_json::Value = serde_json::from_str(row).unwrap();
    let document = document.get("document").unwrap_or(&document).to_string();
    super::run_with(&["encode"], document.as_bytes()).stdout
}

/// Every pair of kinds of files that hold the same format.
#[test]
fn a_value_goes_from_any_file_to_any_other() {
    let (model, xml, blob) =
        (path(ATTRIBUTES), path("roblox-model/attributes.rbxmx"), path("roblox-attributes/readable.bin"));
    let torch = bytes_of(&blob, "Fuel");
    for file in [&model, &xml] {
        let new = copy("copy-into", &[&blob, "--to", file, "Folder"]);
        assert_eq!(bytes_of(&new, "Fuel"), torch);
        let new = copy("copy-out", &[file, "Folder", "--to", &blob]);
        assert_eq!(fs::read(&new).unwrap(), bytes_of(file, "Folder"));
        let new = copy("copy-over", &[&model, "--to", file]);
        assert_eq!(get(&new, &[]), get(&model, &[]));
    }
    let (save, blueprint, list) = (
        path("scrap-mechanic-lua/save-v28.db"),
        path("scrap-mechanic-lua/mixed.blueprint.json"),
        path("scrap-mechanic-lua/list.bin"),
    );
    let new = copy("copy-save", &[&list, "--to", &save, "ScriptData[12]"]);
    assert_eq!(get(&new, &["ScriptData[12]"]), get(&list, &[]));
    let part = get(&blueprint, &[]).split_once('\t').unwrap().0.to_owned();
    let new = copy("copy-blueprint", &[&save, "ScriptData[3]", "--to", &blueprint, &part]);
    assert_eq!(get(&new, &[&part]), get(&save, &["ScriptData[3]"]));
    let (project, value) = (path("godot-4/project_v4.binary"), path("godot-4/packet_typical.bin"));
    let new = copy("copy-godot", &["-f", "godot-4", &value, "--to", &project, "application/config/name"]);
    assert_eq!(get(&new, &["-f", "godot-4", "application/config/name"]), get(&value, &["-f", "godot-4"]));
    let dump = path("roblox-remote/several.dump");
    let dumped = ["-f", "roblox-remote", "--dump"];
    let new = copy("copy-dump", &[&dumped[..], &[&dump, "[1]", "--to", &dump, "[0]"]].concat());
    let of = |file: &str, address| get(file, &[&dumped[..], &[address]].concat());
    assert_eq!((of(&new, "[0]"), of(&new, "[1]")), (of(&dump, "[1]"), of(&dump, "[1]")));
}

/// Copies each value of a file with all types, one at a time: a value with the same key is replaced, all others stay.
#[test]
fn single_values_keep_their_types() {
    for (options, file, empty) in [
        (&[][..], "roblox-attributes/all-types.bin", "roblox-attributes/made-cframe.bin"),
        (&[], "roblox-model/attributes.rbxm", "roblox-attributes/made-cframe.bin"),
        (&["-f", "godot-4"], "godot-4/packet_typical.bin", "godot-4/tdict_string_int.bin"),
        (&["-f", "godot-3"], "godot-3/dict_order.bin", "godot-3/dict_order.bin"),
        (&[], "scrap-mechanic-lua/readable.bin", "scrap-mechanic-lua/readable.bin"),
    ] {
        let (file, target) = (path(file), path(empty));
        let lines = get(&file, options);
        let address: Vec<_> = lines.split_once('\t').map(|(address, _)| address).into_iter().collect();
        let before = get(&target, options);
        for line in lines.lines() {
            let line = line.split_once('\t').map_or(line, |(_, line)| line);
            let (key, _) = line.split_once('=').unwrap();
            let new = folder("copy-typed").join("new").to_str().unwrap().to_owned();
            let args = [&["copy", &file], &address[..], &[key, "--to", &target, "-o", &new], options].concat();
            let copied = run(&args);
            // some types have no place in a typed dictionary
            if empty.contains("tdict") && copied.status.code() == Some(2) {
                continue;
            }
            let (status, stdout, stderr) = told(&copied);
            let is_known = ["1 value changed\n", "0 values changed\n", "1 value added\n"].contains(&&*stdout);
            assert!((status, &*stderr) == (0, "") && is_known, "{line}: {stdout}{stderr}");
            let after = get(&new, options);
            assert!(after.lines().any(|found| found == line), "{line}: {after}");
            let others = before.lines().filter(|other| !other.starts_with(&format!("{key}=")));
            assert!(others.clone().all(|other| after.lines().any(|found| found == other)), "{after}");
            assert_eq!(after.lines().count(), others.count() + 1);
        }
    }
}

/// Tags go with their instance, also to another.
#[test]
fn tags_are_copied() {
    let (tags, attributes) = (path("roblox-model/tags.rbxm"), path(ATTRIBUTES));
    for args in [&["Folder"][..], &[], &["Folder:Tags"]] {
        let new = copy("copy-tags", &[&[&tags[..]], args, &["--to", &attributes]].concat());
        assert_eq!(
            told(&run(&["diff", &attributes, &new])).1,
            "+ Folder:Tags: Cool\n+ Folder:Tags: My\n+ Folder:Tags: Tags\n"
        );
    }
    let made = path("roblox-model/made.rbxm");
    let new = copy("copy-tags-elsewhere", &[&tags, "Folder", "--to", &made, "Workspace"]);
    assert_eq!(get(&new, &["Workspace:Tags"]), "{\"Cool\", \"My\", \"Tags\"}\n");
}

#[test]
fn a_file_is_changed_in_place() {
    let file = folder("copy-in-place").join("new").to_str().unwrap().to_owned();
    fs::copy(path("scrap-mechanic-lua/save-v28.db"), &file).unwrap();
    let copied = run(&["copy", &file, "ScriptData[1]", "--to", &file, "ScriptData[2]", "--in-place"]);
    assert_eq!(told(&copied), changed("1 value"));
    assert_eq!(get(&file, &["ScriptData[2]"]), get(&file, &["ScriptData[1]"]));
}

#[test]
fn what_cannot_be_copied_is_refused() {
    let new = folder("copy-refused").join("new").to_str().unwrap().to_owned();
    let (made, model, blob) = ("../roblox-model/made.rbxm", "../roblox-model/attributes.rbxm", "readable.bin");
    let (save, list) = ("../scrap-mechanic-lua/save-v28.db", "../scrap-mechanic-lua/list.bin");
    for (args, status, reason) in [
        (&[made, "--to", model][..], 4, "unknown type id 0xff, at byte 0x9"),
        (&[model, "--to", made], 7, "no instance \"Folder\""),
        (&[model, "Nobody", "--to", made], 7, "no value Nobody to copy"),
        (&[model, "Folder", "Nothing", "--to", made, "Workspace"], 7, "no value Nothing"),
        (&[model, "--to", blob, "Fuel"], 2, "the file to copy to is a single value and has no address Fuel"),
        (
            &[model, "Folder", "--to", save, "ScriptData[1]"],
            2,
            "cannot be copied into a file that holds scrap-mechanic-lua",
        ),
        (&[model, "Folder", "--to", list], 4, "the file is not a value of roblox-attributes"),
        (&[blob, "--to", model], 2, "give the address of one after --to FILE"),
        (&[save, "--to", list], 2, "14 values cannot be copied into one"),
        (&[save, "ScriptData[1]", "--to", save, "ScriptData[99]"], 7, "no value ScriptData[99]"),
        (&["../roblox-model/bad/twins.rbxm", "--to", made], 7, "no instance \"Twin[1]\""),
        (&[model, "--to", "../roblox-model/bad/twins.rbxm", "Twin"], 2, "2 instances have the path"),
        (&["../roblox-model/tags.rbxm", "Folder:Tags", "--to", blob], 7, "no value Folder:Tags to copy"),
        (&[blob, "--to", "../roblox-model/tags.rbxm", "Folder:Tags"], 2, "attributes cannot take the place of tags"),
        (&["../roblox-model/bad/cut.rbxm", "--to", model], 5, "input ends too early"),
        (&[blob, "--to", "-"], 2, "name the file to copy to"),
        (&[blob, "Fuel..x", "--to", model, "Folder"], 2, "expected a key such as Fuel"),
    ] {
        let (found, _, error) = told(&run(&[&["copy", "-o", &new], args].concat()));
        assert_eq!(found, status, "{args:?}: {error}");
        assert!(error.contains(reason), "{args:?}: {error}");
        assert!(fs::metadata(&new).is_err(), "{args:?}");
    }
    let (status, _, error) = told(&run(&["copy", model, "--to", made, "-o", model]));
    assert_eq!((status, error.contains("would overwrite the file to copy from")), (2, true));
}

/// Each value takes memory until it is written, however short it is.
#[test]
fn too_many_values_are_refused() {
    let folder = folder("copy-many");
    let [many, one, new] =
        ["many.cfg", "one.cfg", "new.cfg"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let keys: String = (0..3000).map(|number| format!("k{number}=1\n")).collect();
    fs::write(&many, format!("[a]\n{keys}")).unwrap();
    fs::write(&one, "[a]\nk0=2\n").unwrap();
    let copy = |memory| told(&run(&["copy", "-o", &new, &many, "--to", &one, "--max-memory", memory]));
    let (status, _, error) = copy("16M");
    assert_eq!(status, 4, "{error}");
    assert!(error.contains("the values to copy take more than 2M, an eighth of the memory limit"), "{error}");
    assert!(fs::metadata(&new).is_err());
    assert_eq!(copy("64M"), (0, "3,000 values changed (2,999 added)\n".to_owned(), String::new()));
}

/// The keys of a row whose data cannot be read come from its other columns.
#[test]
fn a_broken_row_is_restored_by_its_keys() {
    let folder = folder("copy-row");
    let [whole, broken] = ["whole.db", "broken.db"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    for file in [&whole, &broken] {
        fs::copy(path("scrap-mechanic-lua/save-v28.db"), file).unwrap();
    }
    let database = rusqlite::Connection::open(&broken).unwrap();
    database.execute("UPDATE ScriptData SET data = x'0102' WHERE rowid = 1", []).unwrap();
    // and a row has another number
    database.execute("UPDATE ScriptData SET rowid = 99 WHERE rowid = 2", []).unwrap();
    drop(database);
    let copy = |address: &[&str]| told(&run(&[&["copy", &whole], address, &["--to", &broken, "-i"]].concat()));
    assert_eq!(copy(&["ScriptData[key=7c010000]"]), changed("1 value"));
    assert_eq!(copy(&[]).0, 0);
    assert_eq!(told(&run(&["diff", &whole, &broken])), (0, String::new(), String::new()));
    let refused = copy(&["ScriptData[key=00]"]);
    assert!(refused.0 == 7 && refused.2.contains("no value ScriptData[key=00] to copy"), "{}", refused.2);
}

/// The columns of a row come from the row that is copied, and its key from its new address.
#[test]
fn a_missing_row_is_added() {
    let folder = folder("copy-missing-row");
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let [whole, lost, new, undo] = ["whole.db", "lost.db", "new.db", "undo"].map(file);
    let of = |version: &str| path(&format!("scrap-mechanic-lua/save-{version}.db"));
    let database = |file: &str, statement: &str| rusqlite::Connection::open(file).unwrap().execute_batch(statement);
    for file in [&whole, &lost] {
        fs::copy(of("v28"), file).unwrap();
    }
    database(&lost, "DELETE FROM ScriptData WHERE rowid IN (1, 4)").unwrap();
    let row = "ScriptData[uid=78d29e17-a400-4ad5-bd2f-db312b000c3b,key=7c010000]";
    let (old, added) = (fs::read(&lost).unwrap(), |count: &str| (0, format!("{count} added\n"), String::new()));
    let copy = |args: &[&str]| {
        let _ = fs::remove_file(&new);
        told(&run(&[&["copy"], args].concat()))
    };
    let row_of = |file: &str, condition: &str| -> Vec<(i64, i64, Vec<u8>)> {
        let database = rusqlite::Connection::open(file).unwrap();
        let mut rows =
            database.prepare(&format!("SELECT worldId, flags, data FROM ScriptData WHERE {condition}")).unwrap();
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    // one row; then all rows, some of which are there
    assert_eq!(copy(&[&whole, row, "--to", &lost, "-o", &new]), added("1 value"));
    let condition = "hex(key) = '7C010000'";
    assert_eq!(row_of(&new, condition), row_of(&whole, condition));
    for what in [&[][..], &["ScriptData[*]"], &["**"]] {
        assert_eq!(copy(&[&[&*whole], what, &["--to", &lost, "-o", &new]].concat()), added("2 values"));
        assert_eq!(told(&run(&["diff", &whole, &new])), (0, String::new(), String::new()));
    }
    let (status, listed, _) = copy(&[&whole, row, "--to", &lost, "-n"]);
    assert_eq!((status, listed), (0, format!("{row}: added {{63, 3}}\n")));
    // in place, and back
    assert_eq!(copy(&[&whole, row, "--to", &lost, "-i", "--undo", &undo]), added("1 value"));
    let (status, _, error) = told(&run(&["set", &lost, "--from", &undo, "-i", "--undo", &file("again")]));
    assert!(status == 2 && error.contains("columns of a row") && error.contains("pass --backup"), "{error}");
    assert_eq!(told(&run(&["set", &lost, "--from", &undo, "-i"])).1, "1 value removed\n");
    let before = file("before.db");
    fs::write(&before, &old).unwrap();
    assert_eq!(told(&run(&["diff", &before, &lost])), (0, String::new(), String::new()));
    fs::write(&lost, &old).unwrap();
    // under another uid, which its data begin with
    let dead = row.replace("78d29e17-a400-4ad5-bd2f-db312b000c3b", "deadbeef-0000-4000-8000-0123456789ab");
    let turned = "ScriptData[key=7C010000,uid=DEADBEEF-0000-4000-8000-0123456789AB]";
    for address in [&dead, turned] {
        let undo = file("undo-dead");
        assert_eq!(copy(&[&whole, row, "--to", &whole, address, "-o", &new, "--undo", &undo]), added("1 value"));
        let table = fs::read_to_string(&undo).unwrap();
        assert!(table.contains(&format!("\"{dead}\"")), "{table}");
        fs::remove_file(&undo).unwrap();
        let [(world, flags, data)] = &row_of(&new, "hex(uid) LIKE 'DEADBEEF%'")[..] else { panic!("{address}") };
        let [(_, _, old)] = &row_of(&whole, condition)[..] else { panic!() };
        assert_eq!((*world, *flags, &data[16..]), (65534, 3, &old[16..]));
        assert_eq!(data[..6], *b"\xde\xad\xbe\xef\0\0");
    }
    // with the keys of an older version, and without a world
    let to = &of("v24");
    assert_eq!(copy(&[&whole, row, "--to", to, "ScriptData[id=77,channel=2]", "-o", &new]), added("1 value"));
    assert_eq!(row_of(&new, "id = 77 AND channel = 2")[0].2[..8], [0, 0, 0, 77, 255, 254, 2, 3]);
    let uuid = dead.replace("ScriptData", "ScriptDataUuid");
    assert_eq!(copy(&[&whole, row, "--to", &lost, &uuid, "-o", &new]), added("1 value"));
    let other = file("other.db");
    fs::copy(&new, &other).unwrap();
    assert_eq!(copy(&[&other, &uuid, "--to", &of("v26"), "-o", &new]), added("1 value"));
    // what is not known, or does not fit
    let columns = "expected a row such as ScriptData[id=9,channel=2]";
    for (from, to, address, reason) in [
        (&[&*whole, row][..], &*of("v24"), "", "the column id of the new row of ScriptData is not known"),
        (&[&whole, row], &of("v24"), &uuid, "the save has no table ScriptDataUuid"),
        (&[&whole, row], &of("v24"), "ScriptData[id=77,channel=300]", columns),
        (&[&whole, row], &of("v24"), "ScriptData[id=77]", "no value ScriptData[id=77]; "),
        (&[&whole, row], &lost, &dead.replace("7c", "zz"), columns),
        (&[&other, &uuid], &lost, &dead, "the column worldId of the new row of ScriptData is not known"),
        (&[&path("scrap-mechanic-lua/list.bin")], &lost, &dead, "`enginewire copy` adds one, by its whole address"),
        (&[&whole, row, "[1]"], &lost, "", "`enginewire copy` adds one, by its whole address"),
    ] {
        let to: Vec<_> = [to, address].into_iter().filter(|text| !text.is_empty()).collect();
        for end in ["-n", "-i"] {
            let (status, _, error) = told(&run(&[&["copy"], from, &["--to"], &to, &[end]].concat()));
            assert!([2, 7].contains(&status) && error.contains(reason), "{from:?} {to:?} {end}: {status} {error}");
        }
        assert!(fs::read(&lost).unwrap() == old);
    }
    database(&lost, "ALTER TABLE ScriptData ADD more integer").unwrap();
    let error = copy(&[&whole, row, "--to", &lost, "-o", &new]).2;
    assert!(error.contains("the column more of the new row of ScriptData is not known"), "{error}");
    // `set` changes rows
    fs::write(&undo, run(&["get", &whole]).stdout).unwrap();
    let (status, _, error) = told(&run(&["set", &lost, "--from", &undo, "-n"]));
    assert!(status == 7 && error.contains("`enginewire copy` adds one"), "{error}");
}

#[test]
fn a_new_file_is_made_of_one_value() {
    let folder = folder("copy-new");
    let file = model(&folder, "attributes.rbxm");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let copy = |args: &[&str], to: &str| told(&run(&[&["copy", &file], args, &["--to", to]].concat()));
    assert_eq!(
        copy(&["Folder"], &path("all.bin")),
        (0, format!("1 value copied to {}\n", path("all.bin")), String::new())
    );
    assert!(told(&run(&["check", &path("all.bin")])).1.contains("ok, 15 entries"));
    for (name, args) in [("paths.bin", &["Folder", "Vector3", "Vector2"][..]), ("type.bin", &["--type=Vector*"])] {
        assert_eq!(copy(args, &path(name)).0, 0);
        let got = told(&run(&["get", &path(name)])).1;
        assert_eq!(got, "Vector3=Vector3.new(1, 2, 3)\nVector2=Vector2.new(10, 50)\n", "{name}");
    }
    let (status, _, stderr) = copy(&["Folder", "-n"], &path("dry.bin"));
    assert!(status == 0 && stderr.starts_with("1 value would be copied to ") && !folder.join("dry.bin").exists());
    for (args, to, status, reason) in [
        (&["--class=Part"][..], "none.bin", 7, "no value to copy"),
        (&["--type=Nothing"], "none.bin", 7, "no value fits"),
        (&["Folder"], "new.rbxm", 2, "only a file with one value"),
        (&["Folder"], "no/none.bin", 3, "cannot write"),
    ] {
        let (found, _, stderr) = copy(args, &path(to));
        assert!(found == status && stderr.contains(reason) && !folder.join(to).exists(), "{stderr}");
    }
}

#[test]
fn only_what_the_filter_takes_is_copied() {
    let folder = folder("copy-filter");
    let [from, to] = ["from.rbxmx", "to.rbxmx"].map(|name| folder.join(name));
    let item = |name: &str, tags: &str| {
        format!(
            "<Item class=\"Part\" referent=\"{name}\"><Properties><string name=\"Name\">{name}</string>\
            <BinaryString name=\"AttributesSerialize\">AQAAAAIAAABPbgMB</BinaryString>\
            <BinaryString name=\"Tags\">{tags}</BinaryString></Properties></Item>"
        )
    };
    let model = ["<roblox version=\"4\">", &item("A", "SG90"), &item("B", "Q29sZA=="), "</roblox>"].concat();
    for file in [&from, &to] {
        fs::write(file, &model).unwrap();
    }
    let [from, to] = [&from, &to].map(|file| file.to_str().unwrap().to_owned());
    assert_eq!(told(&run(&["set", &to, "**", "On=false", "--all", "-i"])).0, 0);
    let copy = |args: &[&str]| told(&run(&[&["copy", &from], args, &["--to", &to, "-i"]].concat()));
    assert_eq!(copy(&["--tag=Hot", "--type=Bool"]).1, "1 value changed\n");
    assert_eq!(told(&run(&["get", &to, "**", "On"])).1, "A\tOn=true\nB\tOn=false\n");
    assert_eq!(copy(&["--value=true"]).1, "1 value changed\n");
    assert_eq!(told(&run(&["diff", &from, &to])).0, 0);
}

/// No argument of a copy out of a pack is passed over, and no pack is replaced.
#[test]
fn a_pack_is_not_replaced_by_a_file_of_it() {
    let folder = folder("copy-packs");
    let names = ["mod.pck", "game.pck", "packed.pck", "game.exe", "new.json", "old.json", "value.bin", "other"];
    let [from, game, packed, program, new, old, value, other] =
        names.map(|name| folder.join(name).to_str().unwrap().to_owned());
    let pack = fs::read(path("godot-files/v4/pck/plain.pck")).unwrap();
    let ends = [b"program", &pack[..], &u64::try_from(pack.len()).unwrap().to_le_bytes(), b"GDPC"].concat();
    for (file, bytes) in [
        (&from, &pack),
        (&game, &pack),
        (&packed, &super::layers::gzip(&pack)),
        (&program, &ends),
        (&old, &b"{}".to_vec()),
        (&value, &fs::read(path("roblox-attributes/readable.bin")).unwrap()),
    ] {
        fs::write(file, bytes).unwrap();
    }
    let all = || [&from, &game, &packed, &program, &old, &value].map(|file| fs::read(file).unwrap());
    let before = all();
    let refused = |args: &[&str], status: i32, reason: &str| {
        for more in [&[][..], &["--force"], &["-n"], &["--force", "-n"]] {
            let (found, stdout, error) = told(&run(&[&["copy"], args, more].concat()));
            assert_eq!((found, &*stdout), (status, ""), "{args:?} {more:?}: {error}");
            assert!(error.contains(reason), "{args:?} {more:?}: {error}");
            assert!(all() == before && [&new, &other].iter().all(|file| fs::metadata(file).is_err()), "{args:?}");
        }
    };
    let entry = "res://save.json";
    for to in [&game, &packed, &program] {
        for from in [&[&from[..], entry][..], &[&from], &[&value], &[&value, "Fuel"]] {
            refused(&[from, &["--to", to]].concat(), 2, "name the file of the pack to replace or add");
        }
        refused(&[&value, "Fuel", "--to", to, entry], 2, "a whole file is copied into a pack, not a value");
        refused(&[&from, "--to", to, entry], 2, "name the one file to copy");
        refused(&[&from, entry, "--to", to, entry, "--type", "int"], 2, "there is no --store or filter");
    }
    for to in [&new, &old] {
        let copy = [&from, entry, "--to", to];
        refused(&[&copy[..], &["ADDRESS"]].concat(), 2, "copied as they are");
        for more in [&["--store", "raw"][..], &["--type", "int"], &["--value", "1"], &["--class", "A"], &["--tag", "A"]]
        {
            refused(&[&copy[..], more].concat(), 2, "copied as they are");
        }
        refused(
            &[&from, entry, "application/config/name", "--to", to],
            7,
            "no file application/config/name in the pack",
        );
        refused(&[&copy[..], &["--entry", entry]].concat(), 2, "copy does not use --entry");
    }
    for more in [&["-o", &other][..], &["-i"]] {
        let (status, _, error) = told(&run(&[&["copy", &from, entry, "--to", &new], more].concat()));
        assert!(status == 2 && error.contains("copied as they are") && all() == before, "{error}");
    }
    // into a file that is not a container; with --force if it exists
    for (to, force) in [(&new, &[][..]), (&old, &["--force"])] {
        assert_eq!(told(&run(&[&["copy", &from, entry, "--to", to], force].concat())).0, 0);
        assert_eq!(fs::read(to).unwrap(), run(&["get", "--bytes", &from, entry]).stdout);
    }
}

/// A file takes the place of one of a pack, also of a pack in a layer or at the end of a program; the others stay.
#[test]
fn a_file_is_replaced_in_a_pack() {
    let folder = folder("copy-into-packs");
    let name = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let plain = fs::read(path("godot-files/v4/pck/plain.pck")).unwrap();
    let ends = [b"program", &plain[..], &u64::try_from(plain.len()).unwrap().to_le_bytes(), b"GDPC"].concat();
    let encrypted = fs::read(path("godot-files/v4/pck/entries_encrypted.pck")).unwrap();
    let key_file = name("key");
    fs::write(&key_file, (0..32).map(|byte| format!("{byte:02x}")).collect::<String>()).unwrap();
    let (entry, other, value) = ("res://save.json", "res://folder/grüße.txt", path("roblox-attributes/readable.bin"));
    let (from, tree) = (path("godot-files/v4/pck/plain.pck"), name("tree"));
    fs::create_dir_all(folder.join("tree/sub")).unwrap();
    fs::write(folder.join("tree/save.json"), "{}").unwrap();
    fs::write(folder.join("tree/sub/new.txt"), "ab").unwrap();
    for (pack, bytes) in [
        ("game.pck", &plain),
        ("game.pck.gz", &super::layers::gzip(&plain)),
        ("game.exe", &ends),
        ("crypt.pck", &encrypted),
    ] {
        let key = if pack == "crypt.pck" { &["--key-file", &key_file][..] } else { &[] };
        let (to, out) = (name(pack), name(&format!("out-{pack}")));
        fs::write(&to, bytes).unwrap();
        let content =
            |file: &str, entry: &str| run(&[&["get", "--bytes", file, "--entry", entry], key].concat()).stdout;
        for (what, new) in [(&[&from[..], other][..], content(&from, other)), (&[&value], fs::read(&value).unwrap())] {
            let copy = [&["copy"], what, &["--to", &to, entry], key].concat();
            assert_eq!(told(&run(&[&copy[..], &["-n"]].concat())).0, 0, "{pack}");
            assert_eq!(told(&run(&copy)).0, 2, "{pack}");
            let (status, _, errors) = told(&run(&[&copy[..], &["-o", &out]].concat()));
            assert_eq!(status, 0, "{pack}: {errors}");
            assert_eq!(content(&out, entry), new, "{pack}");
            assert_eq!(content(&out, other), content(&to, other), "{pack}");
            assert_eq!(&fs::read(&to).unwrap(), bytes, "{pack}");
        }
        // a file that the pack lacks is added
        let more = name(&format!("more-{pack}"));
        let copy = [&["copy", &value, "--to", &to, "res://new/missing.json"], key, &["-o", &more]].concat();
        let (status, done, errors) = told(&run(&copy));
        assert_eq!((status, &*done), (0, "1 file added\n"), "{pack}: {errors}");
        assert_eq!(content(&more, "res://new/missing.json"), fs::read(&value).unwrap(), "{pack}");
        for entry in [entry, other] {
            assert_eq!(content(&more, entry), content(&to, entry), "{pack}");
        }
        let again = [&["copy", &value, "--to", &more, "res://../missing.json"], key, &["-i"]].concat();
        assert!(told(&run(&again)).2.contains("it leaves its folder"), "{pack}");
        // so are those of a folder, each at its path
        let copy = [&["copy", &tree, "--to", &to], key, &["-o", &more, "--force"]].concat();
        let (status, done, errors) = told(&run(&copy));
        assert_eq!((status, &*done), (0, "2 files replaced or added\n"), "{pack}: {errors}");
        assert_eq!([content(&more, entry), content(&more, "res://sub/new.txt")], [b"{}", b"ab"], "{pack}");
        assert_eq!(content(&more, other), content(&to, other), "{pack}");
        // what is there already stays
        let again = told(&run(&[&["copy", &tree, "--to", &more, "-n"], key].concat()));
        assert_eq!(again.1, "0 files would be replaced\n", "{pack}");
        // and files are removed, which can be taken back
        let listed = || {
            let all = told(&run(&[&["ls", "-f", "godot-pack", &more], key].concat())).1;
            let mut all: Vec<_> = all.lines().map(str::to_owned).collect();
            all.sort_unstable();
            all.join("\n")
        };
        let (undo, before) = (name(&format!("undo-{pack}")), listed());
        let remove = [&["set", &more, "--remove", entry, "--remove", "res://sub/*", "--all"], key].concat();
        assert_eq!(told(&run(&[&remove[..], &["-n"]].concat())).1, "2 files would be removed\n", "{pack}");
        let (status, done, errors) = told(&run(&[&remove[..], &["-i", "--undo", &undo, "--force"]].concat()));
        assert_eq!((status, &*done), (0, "2 files removed\n"), "{pack}: {errors}");
        let less = listed();
        assert!(!less.contains(entry) && !less.contains("new.txt") && less.contains(other), "{pack}: {less}");
        assert_eq!(content(&more, other), content(&to, other), "{pack}");
        let back = [&["set", "-f", "godot-pack", &more, "--from", &undo], key, &["-i"]].concat();
        assert_eq!(told(&run(&back)).0, 0, "{pack}");
        assert_eq!([content(&more, entry), content(&more, "res://sub/new.txt")], [b"{}", b"ab"], "{pack}");
        assert_eq!(listed(), before, "{pack}");
        for (wrong, expected, reason) in [
            (&["--remove", "res://nothing"][..], 7, "no file res://nothing in the pack"),
            (&["--remove", "res://**"], 2, "--all"),
            (&["--remove", entry, "a=1"], 2, "takes no other changes"),
            (&["--remove", entry, "--first"], 2, "takes no other changes"),
        ] {
            let (status, _, error) = told(&run(&[&["set", &more], wrong, key, &["-i"]].concat()));
            assert!(status == expected && error.contains(reason), "{pack}: {error}");
        }
    }
    fs::create_dir(folder.join("empty")).unwrap();
    let (status, _, error) = told(&run(&["copy", &name("empty"), "--to", &name("game.pck"), "-i"]));
    assert!(status == 2 && error.contains("the folder has no files"), "{error}");
    let (status, _, error) = told(&run(&["copy", &name("."), "--to", &name("game.pck"), "-i"]));
    assert!(status == 2 && error.contains("would be copied into itself"), "{error}");
}

/// A pack that is read once gives the same files: from standard input, through a named pipe, and in a layer.
#[test]
#[cfg(unix)]
fn a_pack_is_copied_from_a_pipe() {
    let folder = folder("copy-piped-packs");
    let name = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let pack = path("godot-files/v4/pck/plain.pck");
    let [packed, fifo] = [name("packed.pck.gz"), name("pipe")];
    fs::write(&packed, super::layers::gzip(&fs::read(&pack).unwrap())).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let bytes = fs::read(&pack).unwrap();
    let copied = |from: &str, to: &str| {
        let (status, _, error) = told(&run_with(&["copy", from, "--to", &format!("{}/", name(to))], &bytes));
        assert_eq!(status, 0, "{from}: {error}");
        let listed = told(&run(&["ls", &pack])).1;
        let is_there = |line: &&str| !line.contains("removes the file");
        let inside =
            listed.lines().filter(is_there).map(|line| line.split('\t').next().unwrap().trim_start_matches("res://"));
        inside.map(|file| fs::read(folder.join(to).join(file)).unwrap()).collect::<Vec<_>>()
    };
    let whole = copied(&pack, "whole");
    assert!(whole.len() > 1);
    assert_eq!(copied("-", "piped"), whole);
    assert_eq!(copied(&packed, "layered"), whole);
    std::thread::scope(|scope| {
        scope.spawn(|| fs::write(&fifo, &bytes).unwrap());
        assert_eq!(copied(&fifo, "waiting"), whole);
    });
    // the error of a cut pack names standard input
    let (status, _, error) = told(&run_with(&["copy", "-", "--to", &name("cut")], &bytes[..40]));
    assert!(status == 5 && error.contains("--> standard input"), "{status} {error}");
}

#[test]
fn encoded_text_does_not_go_into_a_file() {
    let args = ["encode", "-", "--into", "../roblox-model/attributes.rbxm", "--text", "hex", "-o", "-"];
    let (status, stdout, error) = told(&run(&args));
    assert_eq!((status, &*stdout), (2, ""));
    assert!(error.contains("cannot be used with"), "{error}");
}

/// The values of a file of Godot in plain JSON, which is the same in both versions, each after its address.
fn plain(file: &str, args: &[&str]) -> Vec<(String, String)> {
    let lines = get(file, &[args, &["--plain", "-q"]].concat());
    let row = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        // in a key of project.binary, a section is not quoted alone
        (row["address"].as_str().unwrap_or_default().replace('"', ""), row.get("value").unwrap_or(&row).to_string())
    };
    lines.lines().map(row).collect()
}

/// Between files of any kinds and versions of Godot, values are converted, or the copy is refused.
#[test]
fn values_of_godot_go_into_files_of_the_other_version() {
    let of = |kind: &str| ["3", "4"].map(|version| (path(&format!("godot-files/v{version}/{kind}")), version));
    let [projects, configs, scenes] = ["project/project.binary", "config/all.cfg", "scn/main.scn"].map(of);
    let frames = [("3", "store_var"), ("4", "debugger")]
        .map(|(version, name)| (path(&format!("godot-{version}/{name}_v{version}.frames")), version));
    let out = folder("copy-versions").join("new").to_str().unwrap().to_owned();
    let checked = |file: &str| told(&run(&["check", "-q", file])).0;
    let copy = |args: &[&str]| told(&run(&[&["copy", "-o", &out, "--force"], args].concat()));
    let all = [&projects[..], &configs, &scenes, &frames].concat();
    let addresses = |file: &str| match file {
        file if file.ends_with(".scn") => vec!["Editable/Sprite"],
        file if file.ends_with(".frames") => vec!["[2]"],
        file if file.ends_with(".cfg") => vec!["values/colors", "values/color"],
        _ => vec!["fixture/colors", "fixture/color", "fixture/array"],
    };
    let value = |file: &str, address: &str| plain(file, &[address]).remove(0).1;
    for (from, version) in &all {
        let values: Vec<_> = addresses(from).into_iter().map(|address| (address, value(from, address))).collect();
        for (to, other) in &all {
            // all values of a file, where both have names for them
            if [from, to].into_iter().all(|file| file.ends_with(".binary") || file.ends_with(".cfg")) {
                let _ = fs::remove_file(&out);
                let (status, _, error) = copy(&[from, "--to", to]);
                if version > other {
                    assert!(status == 4 && error.contains("godot-3 has no such types"), "{from} {to}: {error}");
                    assert!(fs::metadata(&out).is_err(), "{from} {to}");
                } else if from.ends_with(".binary") && to.ends_with(".cfg") && *other == "3" {
                    let reason = "fixture/rid: Godot 3 cannot read this value from a ConfigFile";
                    assert!(status == 2 && error.contains(reason), "{from} {to}: {error}");
                    assert!(fs::metadata(&out).is_err(), "{from} {to}");
                } else {
                    assert_eq!((status, checked(&out)), (0, 0), "{from} {to}: {error}");
                    // a RID of version 3 has no number
                    let is_other = |(address, _): &&(String, String)| !address.ends_with("/rid");
                    let copied = plain(&out, &[]);
                    assert!(
                        plain(from, &[]).iter().filter(is_other).all(|value| copied.contains(value)),
                        "{from} {to}"
                    );
                }
            }
            for (address, expected) in &values {
                let _ = fs::remove_file(&out);
                let at = addresses(to)[0];
                let (status, _, error) = copy(&[from, address, "--to", to, at]);
                // a node has only the properties that it has
                if to.ends_with(".scn") && !from.ends_with(".scn") {
                    assert!(status != 0 && fs::metadata(&out).is_err(), "{from} {to}");
                    continue;
                }
                assert_eq!((status, checked(&out)), (0, 0), "{from} {address} {to}: {error}");
                assert_eq!(value(&out, at), *expected, "{from} {address} {to}");
            }
        }
    }
    // a file whose version is not known takes only what is the same in both
    let small = path("godot-files/v3/project/small.binary");
    let (project, _) = &projects[0];
    assert_eq!(copy(&[project, "fixture/string", "--to", &small]).0, 0);
    let (status, _, error) = copy(&[project, "fixture/color", "--to", &small]);
    assert!(status == 2 && error.contains("pass -f godot-3 or -f godot-4"), "{error}");
    for (version, expected) in [("godot-3", "PoolColorArray"), ("godot-4", "PackedColorArray")] {
        assert_eq!(copy(&["-f", version, project, "fixture/colors", "--to", &small]).0, 0);
        assert!(get(&out, &["fixture/colors"]).starts_with(expected));
    }
    // -f does not change the version of a file that shows its own
    let (other, _) = &projects[1];
    assert_eq!((copy(&["-f", "godot-3", project, "--to", other]).0, checked(&out)), (0, 0));
    let (status, _, error) =
        told(&run(&["set", "-f", "godot-3", other, "a/b=Vector3(1, 2, 3)", "-o", &out, "--force"]));
    assert!(status == 2 && error.contains("does not go with those of Godot 4"), "{error}");
}
