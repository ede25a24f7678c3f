//! Arguments in every order: files before addresses, files without a command, options that a command does not use.

use std::fs;

use pretty_assertions::assert_eq;

use super::{fixtures, folder, model, run, run_in, told};

#[test]
fn a_file_without_a_command_is_listed() {
    let file = "../roblox-model/attributes.rbxm";
    let listed = told(&run(&["ls", file]));
    assert_eq!(told(&run(&[file])), listed);
    assert_eq!(told(&run(&["--max-memory", "8M", file])), listed);
    let (status, _, stderr) = told(&run(&["absent.rbxm"]));
    assert!(status == 3 && stderr.starts_with("error: cannot read absent.rbxm"), "{stderr}");
    for (name, command) in [("cat", "get FILE"), ("scan", "get DIR"), ("chekc", "check"), ("repair", "check --fix cut")]
    {
        let (status, _, stderr) = told(&run(&[name, file]));
        assert!(status == 2 && stderr.contains(&format!("did you mean `enginewire {command}")), "{stderr}");
    }
}

#[test]
fn options_that_a_command_does_not_use_are_refused() {
    for (arguments, option) in [
        (&["set", "readable.bin", "Fuel=1", "--resync", "-o", "-"][..], "--resync"),
        (&["help", "formats", "--framing", "le"], "--framing"),
        (&["man", "--allow", "text"], "--allow"),
        (&["check", "readable.bin", "-o", "x"], "--fix"),
        (&["encode", "readable.json", "-i"], "--into"),
        (&["ls", "readable.bin", "--type", "Double"], "--type"),
    ] {
        let (status, stdout, stderr) = told(&run(arguments));
        assert!(status == 2 && stdout.is_empty() && stderr.contains(option), "{arguments:?}: {stderr}");
    }
}

#[test]
fn files_come_before_the_address() {
    let folder = folder("files-first");
    for name in ["a.rbxm", "b.rbxm"] {
        fs::copy(fixtures().join("../roblox-model/attributes.rbxm"), folder.join(name)).unwrap();
    }
    // an instance may be called so
    fs::create_dir(folder.join("Folder")).unwrap();
    let said = |arguments: &[&str]| run_in(&folder, arguments, b"");
    let value = "Vector3.new(1, 2, 3)";
    assert_eq!(said(&["get", "a.rbxm", "Folder", "Vector3"]).1, format!("{value}\n"));
    let both = ["a.rbxm", "b.rbxm"].map(|name| format!("{name}\tFolder\tVector3={value}\n")).concat();
    assert_eq!(said(&["get", "a.rbxm", "b.rbxm", "--", "Folder", "Vector3"]).1, both);
    assert_eq!(said(&["get", "a.rbxm", "b.rbxm", "--", "F*", "V*3"]).1, both);
    // in the order of the paths
    let sorted = ["./b.rbxm", "a.rbxm"].map(|name| format!("{name}\tFolder\tVector3={value}\n")).concat();
    assert_eq!(said(&["get", "a.rbxm", "./b.rbxm", "--type", "vector3", "--"]).1, sorted);
    let (status, stdout, stderr) = said(&["get", "a.rbxm", "b.rbxm", "--", "Folder", "Vector4"]);
    assert_eq!((status, &*stdout), (7, ""));
    assert!(stderr.contains("no file has a value that fits \"Folder\" \"Vector4\""), "{stderr}");
    let (status, tree, _) = said(&["inspect", "a.rbxm", "--depth", "1", "--", "Folder"]);
    assert!(status == 0 && tree.contains("Folder: roblox-attributes"), "{tree}");
    let (status, _, stderr) = said(&["inspect", "a.rbxm", "--", "Floder"]);
    assert!(status == 7 && stderr.contains("no value Floder"), "{stderr}");
}

#[test]
fn values_of_several_files_are_put_back_into_each() {
    let folder = folder("from-several");
    for name in ["a.rbxm", "b.rbxm"] {
        fs::copy(fixtures().join("../roblox-model/attributes.rbxm"), folder.join(name)).unwrap();
    }
    let said = |arguments: &[&str]| run_in(&folder, arguments, b"");
    let lines = said(&["get", "."]).1;
    let (of_a, of_b) = lines.split_at(lines.find("./b.rbxm").unwrap());
    fs::write(folder.join("lines"), format!("{}{of_b}", of_a.replace("12345", "7"))).unwrap();
    assert_eq!(said(&["set", "./a.rbxm", "--from", "lines", "-i"]).1, "1 value changed\n");
    assert_eq!(said(&["set", "./b.rbxm", "--from", "lines", "-i"]).1, "0 values changed\n");
    // as a table, with its columns in another order
    let table = said(&["get", "a.rbxm", "--csv"]).1;
    assert!(table.starts_with("address,path,type,text\n"), "{table}");
    fs::write(folder.join("table"), "\"text\",\"path\",\"address\"\r\n8,Number,Folder\r\n").unwrap();
    assert_eq!(said(&["set", "a.rbxm", "--from", "table", "-i"]).1, "1 value changed\n");
    assert_eq!(said(&["get", "a.rbxm", "Folder", "Number"]).1, "8\n");
    // as rows of both, beside another kind of file
    fs::copy(fixtures().join("../scrap-mechanic-lua/save-v24.db"), folder.join("save.db")).unwrap();
    let table = said(&["get", ".", "--csv"]).1;
    let table = table.replace("./a.rbxm,Folder,Number,Double,8,", "./a.rbxm,Folder,Number,Double,20,");
    fs::write(folder.join("rows"), table.replace("channel=41]\",,Int8,25,", "channel=41]\",,Int8,26,")).unwrap();
    assert_eq!(said(&["set", ".", "--from", "rows", "-i"]).1, "2 values changed in 2 files\n");
    assert_eq!(said(&["get", "save.db", "ScriptData[3]"]).1, "26\n");
    let lines = said(&["get", ".", "--json"]).1;
    fs::write(folder.join("rows"), lines.replace(r#""text":"20""#, r#""text":"21""#)).unwrap();
    assert_eq!(said(&["set", ".", "--from", "rows", "-i"]).1, "1 value changed in 1 file\n");
    assert_eq!(said(&["get", "a.rbxm", "Folder", "Number"]).1, "21\n");
}

#[test]
fn files_in_folders_are_recognised_by_their_first_bytes() {
    let folder = folder("recognised");
    fs::rename(model(&folder, "tags.rbxm"), folder.join("tags")).unwrap();
    fs::copy(fixtures().join("../scrap-mechanic-lua/save-v28.db"), folder.join("save")).unwrap();
    fs::write(folder.join("text"), "neither").unwrap();
    let said = |arguments: &[&str]| run_in(&folder, arguments, b"").1;
    let row = "./save\tScriptData[uid=78d29e17-a400-4ad5-bd2f-db312b000c3b,key=7c010000]\t";
    assert_eq!(said(&["get", ".", "ScriptData[1]"]), format!("{row}[1]=63\n{row}[2]=3\n"));
    assert_eq!(said(&["get", ".", "--class=Folder"]), "./tags\tFolder:Tags\t={\"Cool\", \"My\", \"Tags\"}\n");
    assert_eq!(said(&["get", "./tags", "./text", "--"]).lines().count(), 1);
    let listed = said(&["ls", "."]);
    assert!(
        listed.starts_with("./save\tScriptData[uid=78d29e17-") && listed.contains("./tags\tFolder:Tags\t"),
        "{listed}"
    );
    let table = said(&["ls", "--csv", "."]);
    assert!(table.starts_with("file,address,format,values,bytes\n./save,\"ScriptData[uid=78d29e17-"), "{table}");
    assert_eq!(table.lines().count(), listed.lines().count() + 1);
    assert!(said(&["inspect", "--guess", "."]).starts_with("./save:\n"));
}

/// A value is not written with other bytes than were asked for.
#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf_8_is_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let file = model(&folder("not-utf-8"), "tags.rbxm");
    for verb in [&["set", "--add", "-i"][..], &["get"], &["inspect", "--"], &["check", "--fix=cut", "--"]] {
        let output = super::program().args(verb).arg(&file).arg("Folder").arg(OsStr::from_bytes(b"A=\xff")).output();
        let (status, stdout, stderr) = told(&output.unwrap());
        assert!(status == 2 && stdout.is_empty() && stderr.contains("A=\\xff is not UTF-8"), "{verb:?}: {stderr}");
    }
}

#[test]
fn several_files_are_changed_in_place() {
    let folder = folder("set-several");
    fs::create_dir(folder.join("sub")).unwrap();
    for name in ["a.rbxm", "sub/b.rbxm"] {
        fs::copy(fixtures().join("../roblox-model/attributes.rbxm"), folder.join(name)).unwrap();
    }
    let tags = model(&folder, "tags.rbxm");
    let before = fs::read(&tags).unwrap();
    let said = |arguments: &[&str]| run_in(&folder, arguments, b"");
    let set = ["set", ".", "**", "Number=7", "--all"];
    let (status, _, stderr) = said(&set);
    assert!(status == 2 && stderr.contains("pass -i to change them or -n to see"), "{stderr}");
    let lines = ["./a.rbxm", "./sub/b.rbxm"].map(|file| format!("{file}\tFolder Number: 12345 -> 7\n")).concat();
    let remark = "2 values would change in 2 files; nothing is written\n";
    assert_eq!(said(&[&set[..], &["-n"]].concat()), (0, lines, remark.to_owned()));
    assert_eq!(said(&[&set[..], &["-i"]].concat()), (0, "2 values changed in 2 files\n".to_owned(), String::new()));
    assert!(fs::read(&tags).unwrap() == before, "a file without such values stays as it is");
    let values = said(&["get", ".", "**", "Number"]).1;
    assert_eq!(values, "./a.rbxm\tFolder\tNumber=7\n./sub/b.rbxm\tFolder\tNumber=7\n");
    // lines of several files, each to its own
    fs::write(folder.join("lines"), values.replacen("=7", "=8", 1)).unwrap();
    assert_eq!(said(&["set", ".", "--from", "lines", "-i"]).1, "1 value changed in 1 file\n");
    assert_eq!(said(&["get", "a.rbxm", "Folder", "Number"]).1, "8\n");
    // what is wrong with all of them is said once
    let (status, stdout, stderr) = said(&["set", ".", "**", "Number=\"x", "--all", "-i"]);
    let error = "error: Number: expected a Double such as 17.5, found \"x\n  --> ./a.rbxm: Folder\n  --> ./sub/b.rbxm: Folder\n";
    assert!((status, &*stdout) == (2, "") && stderr.ends_with(error), "{stderr}");
    let (status, stdout, stderr) = said(&["set", ".", "**", "Nobody=1", "--all", "-i"]);
    let error = "1 other file not recognised (-f names a format)\nerror: no file has a value that fits; --add adds missing values\n";
    assert_eq!((status, &*stdout, &*stderr), (7, "", error));
}

#[test]
fn rows_and_parts_are_named_by_their_keys() {
    let folder = folder("keys");
    let lua = |name: &str| fixtures().join("../scrap-mechanic-lua").join(name).to_str().unwrap().to_owned();
    let (save, blueprint) = (lua("save-v24.db"), lua("mixed.blueprint.json"));
    let said = |args: &[&str]| told(&run(args));
    let (_, listed, _) = said(&["ls", &save]);
    assert!(listed.starts_with("ScriptData[id=158,channel=41]\t1 value\t8\nScriptData[id=453"), "{listed}");
    let (_, found, _) = said(&["get", &save, "ScriptData[id=754]", "[2]"]);
    assert_eq!(found, "ScriptData[id=754,channel=41]\t[2]=3\n");
    let (_, found, _) = said(&["get", &blueprint, "bodies[*].childs[shape=585f7585-77b5-429d-820f-aa1ecfbba834]"]);
    assert_eq!(found, "bodies[0].childs[0]\tsliderPos=4\n");
    let (status, shown, _) = said(&["inspect", &save, "--", "ScriptData[id=158,channel=41]"]);
    assert!(status == 0 && shown.contains("data: nil"), "{shown}");
    let (status, _, error) = said(&["get", &save, "ScriptData[id=1000]"]);
    assert!(status == 7 && error.contains("no value ScriptData[id=1000]"), "{error}");
    let changed = folder.join("changed.db").to_str().unwrap().to_owned();
    let set =
        |address: &str, more: &[&str]| said(&[&["set", &save, address, ":Int8=9", "-o", &changed], more].concat());
    let (status, _, error) = set("ScriptData[channel=46]", &[]);
    assert!(status == 2 && error.contains("ScriptData[channel=46] names 2 values; give more of their keys"), "{error}");
    let (status, _, error) = set("ScriptData", &[]);
    assert!(status == 2 && error.contains("ScriptData names ") && error.contains("give more of their keys"), "{error}");
    assert_eq!(set("ScriptData[channel=46,id=453]", &[]).1, "1 value changed\n");
    let (_, found, _) = said(&["diff", &save, &changed]);
    assert_eq!(found, "~ ScriptData[id=453,channel=46]: false -> 9\n");
    assert_eq!(set("ScriptData[channel=46]", &["--all"]).1, "2 values changed\n");
}

/// The form that left is refused with the command to use, which a shell takes as it stands.
#[test]
#[cfg(unix)]
fn several_files_come_before_the_end_of_options() {
    let folder = folder("surface-end");
    for name in ["a b.rbxm", "b.rbxm"] {
        fs::copy(fixtures().join("../roblox-model/attributes.rbxm"), folder.join(name)).unwrap();
    }
    // nothing depends on what is on the disk
    fs::write(folder.join("Folder"), "").unwrap();
    let pasted = |args: &[&str]| {
        let (status, out, error) = run_in(&folder, args, b"");
        let command =
            error.trim_end().split("before `--`: enginewire ").nth(1).or(error.split("`--`: enginewire ").nth(1));
        assert!(status == 2 && out.is_empty(), "{args:?} {error}");
        let command = command.unwrap_or_else(|| panic!("{error}")).to_owned();
        let mut shell = std::process::Command::new("sh");
        let line = format!("\"$0\" {command}");
        let done =
            told(&shell.current_dir(&folder).args(["-c", &line, env!("CARGO_BIN_EXE_enginewire")]).output().unwrap());
        (command.trim_end().to_owned(), done)
    };
    let (command, (status, out, _)) = pasted(&["set", "a b.rbxm", "b.rbxm", "Folder", "String=\"x y\"", "-i"]);
    assert_eq!(command, "set 'a b.rbxm' b.rbxm -i -- Folder 'String=\"x y\"'");
    assert_eq!((status, &*out), (0, "2 values changed in 2 files\n"));
    let (command, (status, out, _)) = pasted(&["get", "a b.rbxm", "b.rbxm", "Folder", "String", "--json"]);
    assert_eq!((&*command, status, out.lines().count()), ("get 'a b.rbxm' b.rbxm --json -- Folder String", 0, 2));
    let (command, (status, out, _)) = pasted(&["get", "a b.rbxm", "b.rbxm"]);
    assert_eq!((&*command, status, out.lines().count()), ("get 'a b.rbxm' b.rbxm --", 0, 30));
    let (command, (status, ..)) = pasted(&["check", "--fix=cut", "b.rbxm", "Folder.Nobody"]);
    assert_eq!((&*command, status), ("check --fix=cut b.rbxm -- Folder.Nobody", 7));
    // one file needs no `--`, and may have it
    for args in [&["get", "b.rbxm", "Folder", "String"][..], &["get", "b.rbxm", "--bytes", "--", "Folder", "String"]] {
        assert_eq!(run_in(&folder, args, b"").1.replace('"', ""), "x y\n");
    }
    assert_eq!(run_in(&folder, &["check", "--", "b.rbxm"], b"").0, 0);
}
