//! Values that go from one file into another: an address means the same in both, or the file stays as it is.

use super::{changed, fixtures, folder, run, told};
use pretty_assertions::assert_eq;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder, with a name, children, and the attribute `Score` if it is not 0.
struct Item(&'static str, u8, Vec<Item>);

fn leaf(name: &'static str, score: u8) -> Item {
    Item(name, score, Vec::new())
}

/// A model whose referents count down from `first`, so that those of two files are of different instances.
fn model(folder: &Path, name: &str, first: u32, items: &[Item]) -> String {
    fn text(item: &Item, next: &mut u32) -> String {
        let Item(name, score, children) = item;
        let (referent, score) = (*next, f64::from(*score));
        *next -= 1;
        let bytes = [b"\x01\0\0\0\x05\0\0\0Score\x06", &score.to_le_bytes()[..]].concat();
        let score = match score {
            0.0 => String::new(),
            _ => format!("<BinaryString name=\"AttributesSerialize\">{}</BinaryString>", base64(&bytes)),
        };
        let children: String = children.iter().map(|child| text(child, next)).collect();
        format!(
            "<Item class=\"Folder\" referent=\"{referent}\"><Properties><string name=\"Name\">{name}</string>{score}</Properties>{children}</Item>"
        )
    }
    let mut next = first;
    let items: String = items.iter().map(|item| text(item, &mut next)).collect();
    let path = folder.join(name).to_str().unwrap().to_owned();
    fs::write(&path, format!("<roblox version=\"4\">{items}</roblox>")).unwrap();
    path
}

fn base64(bytes: &[u8]) -> String {
    data_encoding::BASE64.encode(bytes)
}

/// The scores of the instances, by their addresses.
fn scores(file: &str) -> BTreeMap<String, String> {
    let lines = told(&run(&["get", file])).1;
    let score = |line: &str| line.split_once("\tScore=").map(|(address, score)| (address.to_owned(), score.to_owned()));
    lines.lines().map(|line| score(line).unwrap()).collect()
}

/// Puts the values of one file into another in every way that there is, and compares the result with `expected`: the scores then, or
/// why it is refused.
fn put(folder: &Path, old: &str, new: &str, expected: Result<&[(&str, &str)], (&str, &str)>) {
    let before = fs::read(new).unwrap();
    let out = folder.join("out").to_str().unwrap().to_owned();
    let mut ways: Vec<Vec<String>> = vec![["copy", old, "--to", new].map(str::to_owned).to_vec()];
    ways.push(["copy", old, "**", "--type", "Double", "--to", new].map(str::to_owned).to_vec());
    ways.push(["copy", old, "**", "Score", "--to", new].map(str::to_owned).to_vec());
    for form in [&[][..], &["--json"], &["--plain"], &["--csv"]] {
        let lines = folder.join(format!("lines{}", form.concat())).to_str().unwrap().to_owned();
        fs::write(&lines, run(&[&["get", old], form].concat()).stdout).unwrap();
        // of their own file, they change nothing
        let _ = fs::remove_file(&out);
        assert_eq!(told(&run(&["set", old, "--from", &lines, "-o", &out])), changed("0 values"), "{old} {form:?}");
        assert!(fs::read(&out).unwrap() == fs::read(old).unwrap(), "{old} {form:?}");
        ways.push(["set", new, "--from", &lines].map(str::to_owned).to_vec());
    }
    for way in ways {
        let _ = fs::remove_file(&out);
        let args: Vec<_> = way.iter().map(String::as_str).chain(["-o", &out]).collect();
        let (status, _, error) = told(&run(&args));
        let expected_error = expected.map_err(|(copy, set)| if way[0] == "copy" { copy } else { set });
        match expected_error {
            Ok(expected) => {
                assert_eq!((status, &*error), (0, ""), "{args:?}");
                let expected = expected.iter().map(|(address, score)| ((*address).to_owned(), (*score).to_owned()));
                assert_eq!(scores(&out), expected.collect(), "{args:?}");
            }
            Err(reason) => {
                assert!([2, 7].contains(&status) && error.contains(reason), "{args:?}: {status} {error}");
                assert!(!Path::new(&out).exists(), "{args:?}");
            }
        }
        assert!(fs::read(new).unwrap() == before, "{args:?}");
    }
}

/// The same names have other referents and other places in the new file.
#[test]
fn values_find_their_instances_by_names() {
    let folder = folder("elsewhere-names");
    let cube = |child: u8, sibling: u8| [Item("Cube", 0, vec![leaf("001", child)]), leaf("Cube.001", sibling)];
    let odd =
        |score: u8| ["", "#4", "@0x20", "a[2]", "\"q\"", "a Tags", "Cube.001.x", "…"].map(|name| leaf(name, score));
    let [a, b] = cube(1, 2);
    let [c, d] = cube(7, 7);
    let old =
        model(&folder, "old.rbxmx", 99, &[Item("R", 0, [vec![a, b], odd(3).into()].into_iter().flatten().collect())]);
    let mut turned: Vec<_> = odd(7).into_iter().chain([d, c]).collect();
    turned.insert(2, leaf("Other", 9));
    let new = model(&folder, "new.rbxmx", 99, &[Item("R", 0, turned)]);
    let names = [
        "R.\"\"",
        "R.\"#4\"",
        "R.\"@0x20\"",
        "R.\"a[2]\"",
        "R.\"\\\"q\\\"\"",
        "R.\"a Tags\"",
        "R.\"Cube.001.x\"",
        "R.\"…\"",
    ];
    let mut expected: Vec<_> = names.map(|name| (name, "3")).to_vec();
    expected.extend([("R.Cube.\"001\"", "1"), ("R.\"Cube.001\"", "2"), ("R.Other", "9")]);
    put(&folder, &old, &new, Ok(&expected));
}

/// `Cube.001` beside `Cube` is not `001` in it, also where only one of them is there.
#[test]
fn a_sibling_is_not_taken_for_a_child() {
    let folder = folder("elsewhere-dots");
    let sibling =
        |name, score| model(&folder, name, 50, &[Item("R", 0, vec![leaf("Cube", 0), leaf("Cube.001", score)])]);
    let child =
        |name, score| model(&folder, name, 50, &[Item("R", 0, vec![Item("Cube", 0, vec![leaf("001", score)])])]);
    let no_sibling = "no instance \"R.\\\"Cube.001\\\"\"";
    put(&folder, &sibling("a.rbxmx", 1), &child("b.rbxmx", 2), Err((no_sibling, no_sibling)));
    let no_child = "no instance \"R.Cube.\\\"001\\\"\"";
    put(&folder, &child("a.rbxmx", 1), &sibling("b.rbxmx", 2), Err((no_child, no_child)));
    // and `diff` tells both
    let [a, b] = [sibling("a.rbxmx", 1), child("b.rbxmx", 1)];
    let lines = "- R.\"Cube.001\"\n+ R.Cube.\"001\"\n- R.\"Cube.001\" Score: 1\n+ R.Cube.\"001\" Score: 1\n";
    assert_eq!(told(&run(&["diff", &a, &b])), (1, lines.to_owned(), String::new()));
    // a person may leave out the quotes where that can be nothing else
    for file in [&a, &b] {
        assert_eq!(told(&run(&["get", file, "R.Cube.001", "Score"])).1, "1\n");
        assert_eq!(told(&run(&["set", file, "R.Cube.001", "Score=3", "-i"])), changed("1 value"));
    }
    let out = folder.join("to").to_str().unwrap().to_owned();
    let copy = told(&run(&["copy", &a, "R.Cube.001", "--to", &b, "R.Cube.001", "-o", &out]));
    assert_eq!(copy, changed("0 values"));
}

#[test]
fn namesakes_are_counted_on_both_sides() {
    let folder = folder("elsewhere-counts");
    let parts = |name: &str, scores: &[u8]| {
        let parts = scores.iter().map(|score| leaf("Part", *score)).collect();
        model(&folder, name, 50, &[Item("R", 0, parts)])
    };
    let put =
        |old: &[u8], new: &[u8], expected| put(&folder, &parts("old.rbxmx", old), &parts("new.rbxmx", new), expected);
    put(&[1, 2], &[8, 9], Ok(&[("R.Part[1]", "1"), ("R.Part[2]", "2")]));
    put(&[1, 0, 3], &[7, 0, 9], Ok(&[("R.Part[1]", "1"), ("R.Part[3]", "3")]));
    put(&[5], &[9], Ok(&[("R.Part", "5")]));
    let more = "this file has 3 and the other 2 with the path R.Part";
    let fewer = "this file has 2 and the other 3 with the path R.Part";
    put(&[1, 2], &[7, 8, 9], Err((more, "the lines name 2 of the 3 instances R.Part, and not all that have ")));
    put(&[1, 2], &[7, 0, 9], Err((more, "the lines name 2 of the 3 instances R.Part")));
    put(&[1, 2, 3], &[8, 9], Err((fewer, "no instance \"R.Part[3]\"")));
    put(
        &[1, 2],
        &[9],
        Err(("no instance \"R.Part[1]\": in this file, it could only be \"R.Part\"", "it could only be \"R.Part\"")),
    );
    put(&[1], &[8, 9], Err(("2 instances have the path \"R.Part\"", "2 instances have the path \"R.Part\"")));
}

/// A number of an instance around the one that is meant can be another, too.
#[test]
fn instances_around_are_counted_too() {
    let folder = folder("elsewhere-around");
    let models = |name: &str, scores: &[u8]| {
        let part = |score: &u8| if *score == 0 { Vec::new() } else { vec![leaf("Part", *score)] };
        let models: Vec<_> = scores.iter().map(|score| Item("Model", 0, part(score))).collect();
        model(&folder, name, 50, &models)
    };
    let put =
        |old: &[u8], new: &[u8], expected| put(&folder, &models("old.rbxmx", old), &models("new.rbxmx", new), expected);
    put(&[1, 2], &[8, 9], Ok(&[("Model[1].Part", "1"), ("Model[2].Part", "2")]));
    // the only one of its path, at the same place
    put(&[1, 0], &[9, 0, 0], Ok(&[("Model[1].Part", "1")]));
    let missing = "no instance \"Model[1].Part\"";
    put(&[1, 2], &[0, 8, 9], Err((missing, missing)));
    put(&[1, 0], &[0, 9], Err((missing, missing)));
    let [old, new] = [models("old.rbxmx", &[1, 2]), models("new.rbxmx", &[0, 8, 9])];
    let (status, _, error) = told(&run(&["copy", &old, "Model[2].Part", "--to", &new, "-o", "-"]));
    let reason = "Model[2].Part may be another instance: this file has 3 and the other 2 with the path Model;";
    assert!(status == 2 && error.contains(reason), "{error}");
    // named by a person, it is the one that is meant
    assert_eq!(told(&run(&["copy", &old, "Model[2].Part", "--to", &new, "Model[3].Part", "-i"])), changed("1 value"));
    assert_eq!(
        scores(&new),
        [("Model[2].Part", "8"), ("Model[3].Part", "2")].map(|(a, b)| (a.into(), b.into())).into()
    );
}

/// Lines that name their file are known to be of it, so that some are enough.
#[test]
fn some_lines_are_enough_if_they_name_the_file() {
    let folder = folder("elsewhere-lines");
    let parts = [1, 2, 3].map(|score| leaf("Part", score));
    let file = model(&folder, "a.rbxmx", 50, &[Item("R", 0, parts.into())]);
    let set = |lines: &str| {
        let from = folder.join("lines").to_str().unwrap().to_owned();
        fs::write(&from, lines).unwrap();
        told(&run(&["set", &file, "--from", &from, "-i"]))
    };
    let (status, _, error) = set("R.Part[2]\tScore=7\n");
    let advice = "if the lines are of this file, begin each with its name and a tab\n";
    assert!(status == 2 && error.contains("name 1 of the 3 instances R.Part") && error.contains(advice), "{error}");
    assert!(error.contains("lines: line 1\n"), "{error}");
    assert_eq!(set(&format!("{file}\tR.Part[2]\tScore=7\n")), changed("1 value"));
    assert_eq!(
        set(&format!("{{\"file\":{file:?},\"address\":\"R.Part[2]\",\"path\":\"Score\",\"text\":\"8\"}}\n")),
        changed("1 value")
    );
    // of another file it is not known
    let (status, _, error) = set("other.rbxmx\tR.Part[2]\tScore=9\n");
    assert!(status == 2 && error.contains(advice), "{error}");
    // a new value in all of them
    assert_eq!(set("R.Part[1]\tNew=1\nR.Part[2]\tNew=2\nR.Part[3]\tNew=3\n").1, "3 values added\n");
    let (status, _, error) = set("R.Part[1]\tNewer=1\nR.Part[2]\tNew=2\nR.Part[3]\tNew=3\n");
    assert!(status == 2 && error.contains("not all that have Newer"), "{error}");
}

/// Of a file without room for the names, or with a path that is too long, addresses are referents.
#[test]
fn no_referent_is_taken_from_another_file() {
    let folder = folder("elsewhere-referents");
    let deep = |name, score| {
        let inner = (0..120).fold(leaf("x", score), |inner, _| Item("x", 0, vec![inner]));
        model(&folder, name, 500, &[leaf("y", 0), inner])
    };
    let [old, new] = [deep("old.rbxmx", 1), deep("new.rbxmx", 2)];
    let lines = told(&run(&["get", &old])).1;
    let address = lines.split('\t').next().unwrap();
    assert!(address.starts_with('#'), "{lines}");
    let reason = format!("{address} may be another instance in another file");
    let from = folder.join("lines").to_str().unwrap().to_owned();
    let before = fs::read(&new).unwrap();
    for place in [address.to_owned(), "@0x20".to_owned()] {
        fs::write(&from, format!("{place}\tScore=3\n")).unwrap();
        let (status, _, error) = told(&run(&["set", &new, "--from", &from, "-i"]));
        assert!(status == 2 && error.contains(&format!("{place} may be another instance")), "{error}");
    }
    for wanted in [&[][..], &[address]] {
        let (status, _, error) = told(&run(&[&["copy", &old], wanted, &["--to", &new, "-i"]].concat()));
        assert!(status == 2 && error.contains(&reason), "{error}");
    }
    assert!(fs::read(&new).unwrap() == before);
    // a person may name it
    assert_eq!(told(&run(&["copy", &old, address, "--to", &new, address, "-i"])), changed("1 value"));
    assert_eq!(told(&run(&["set", &new, address, "Score=5", "-i"])), changed("1 value"));
}

/// A save of version 28 with its first two rows in each other's place, and of another version.
fn saves(folder: &Path) -> [PathBuf; 3] {
    let [whole, turned, other] = ["whole.db", "turned.db", "other.db"].map(|name| folder.join(name));
    for (file, name) in [(&whole, "save-v28.db"), (&turned, "save-v28.db"), (&other, "save-v26.db")] {
        fs::copy(fixtures().join("../scrap-mechanic-lua").join(name), file).unwrap();
    }
    let database = rusqlite::Connection::open(&turned).unwrap();
    for (from, to) in [(1, 99), (2, 1), (99, 2)] {
        database.execute("UPDATE ScriptData SET rowid = ?2 WHERE rowid = ?1", [from, to]).unwrap();
    }
    [whole, turned, other]
}

#[test]
fn a_row_is_found_by_its_keys() {
    let folder = folder("elsewhere-rows");
    let [whole, turned, other] = saves(&folder).map(|file| file.to_str().unwrap().to_owned());
    let read =
        |file: &str| told(&run(&["get", file])).1.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(read(&whole), read(&turned));
    let new = read(&whole).into_iter().map(|line| line.replace("[1]=63", "[1]=64")).collect();
    for form in [&[][..], &["--json"], &["--csv"]] {
        let lines = String::from_utf8(run(&[&["get", &whole], form].concat()).stdout).unwrap();
        let lines = lines
            .replace("[1]=63", "[1]=64")
            .replace("\"text\":\"63\"", "\"text\":\"64\"")
            .replace("Int8,63", "Int8,64");
        let (from, out) = (folder.join("lines"), folder.join("out.db"));
        fs::write(&from, lines).unwrap();
        let _ = fs::remove_file(&out);
        let [from, out] = [from, out].map(|file| file.to_str().unwrap().to_owned());
        assert_eq!(told(&run(&["set", &turned, "--from", &from, "-o", &out])), changed("1 value"), "{form:?}");
        assert_eq!(read(&out), new, "{form:?}");
    }
    // a number is that of another row there
    let from = folder.join("lines").to_str().unwrap().to_owned();
    fs::write(&from, "ScriptData[1]\t[1]=64\n").unwrap();
    let (status, _, error) = told(&run(&["set", &whole, "--from", &from, "-i"]));
    assert!(status == 2 && error.contains("ScriptData[1] may be another row in another file"), "{error}");
    fs::write(&from, format!("{whole}\tScriptData[1]\t[1]=64\n")).unwrap();
    assert_eq!(told(&run(&["set", &whole, "--from", &from, "-n"])).0, 0);
    // the lines of `decode` have both
    let lines = run(&["decode", &whole]).stdout;
    fs::write(&from, &lines).unwrap();
    for (file, is_same) in [(&whole, true), (&turned, false), (&other, false)] {
        let before = fs::read(file).unwrap();
        for form in [&[][..], &["--plain"]] {
            fs::write(&from, run(&[&["decode", &whole], form].concat()).stdout).unwrap();
            let (status, _, error) = told(&run(&[&["encode", &from, "--into", file, "-i"], form].concat()));
            match is_same {
                true => assert_eq!((status, &*error), (0, ""), "{file}"),
                false => assert!(
                    status == 4 && error.contains("is another row than in the line: it has other keys"),
                    "{error}"
                ),
            }
        }
        assert!(is_same || fs::read(file).unwrap() == before, "{file}");
    }
    // two rows with the same keys in their data
    let database = rusqlite::Connection::open(&turned).unwrap();
    database
        .execute("UPDATE ScriptData SET data = (SELECT data FROM ScriptData WHERE rowid = 2) WHERE rowid = 3", [])
        .unwrap();
    drop(database);
    let (status, _, error) = told(&run(&["copy", &whole, "ScriptData[key=7c010000]", "--to", &turned, "-i"]));
    assert!(status == 2 && error.contains("names several values of this file"), "{error}");
}

/// The number of a part of a blueprint is that of another part in another blueprint.
#[test]
fn a_part_has_the_same_shape() {
    let folder = folder("elsewhere-parts");
    let text = fs::read_to_string(fixtures().join("../scrap-mechanic-lua/mixed.blueprint.json")).unwrap();
    let [old, new] = ["old.json", "new.json"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    fs::write(&old, &text).unwrap();
    fs::write(&new, text.replace("585f7585", "585f7586")).unwrap();
    let before = fs::read(&new).unwrap();
    for wanted in [&[][..], &["bodies[0].childs[0]"]] {
        let (status, _, error) = told(&run(&[&["copy", &old], wanted, &["--to", &new, "-i"]].concat()));
        assert!(
            status == 2 && error.contains("bodies[0].childs[0] is another value than in the other file"),
            "{error}"
        );
    }
    assert!(fs::read(&new).unwrap() == before);
    let part = "bodies[1].childs[4]";
    assert_eq!(told(&run(&["copy", &old, part, "--to", &new, "-i"])), changed("0 values"));
    assert_eq!(
        told(&run(&["copy", &old, "bodies[0].childs[0]", "--to", &new, "bodies[0].childs[0]", "-i"])),
        changed("0 values")
    );
}

/// `a/b/c` is `b/c` of one section, or `c` of another.
#[test]
fn a_setting_stays_in_its_section() {
    let folder = folder("elsewhere-settings");
    let file = |name: &str, text: &str| {
        let path = folder.join(name).to_str().unwrap().to_owned();
        fs::write(&path, text).unwrap();
        path
    };
    let (short, long) = ("[a]\n\nb/c=1\n", "[a/b]\n\nc=2\n");
    let both = [short, long].concat();
    let values = |file: &str| told(&run(&["get", file])).1;
    let out = file("out", "");
    for (from, to, expected) in [
        (short, long, "\"a/b\"/c=2\na/b/c=1\n"),
        (long, short, "a/b/c=1\n\"a/b\"/c=2\n"),
        (short, &*both, "a/b/c=1\n\"a/b\"/c=2\n"),
        (long, "[x]\n\ny=1\n", "x/y=1\n\"a/b\"/c=2\n"),
        (short, "[a/b]\n\nd=1\n", "\"a/b\"/d=1\na/b/c=1\n"),
    ] {
        let copy = ["copy", &file("a", from), "--to", &file("b", to), "-q", "-o", &out, "--force"];
        assert_eq!(told(&run(&copy)), (0, String::new(), String::new()), "{from}{to}");
        assert_eq!(values(&out).replace('\t', ""), expected, "{from}{to}");
    }
    for (address, expected) in [("a/b/c", "a/b/c=7\n\"a/b\"/c=2\n"), ("\"a/b\"/c", "a/b/c=1\n\"a/b\"/c=7\n")] {
        assert_eq!(told(&run(&["set", &file("a", &both), address, "=7", "-o", &out, "--force"])), changed("1 value"));
        assert_eq!(values(&out).replace('\t', ""), expected);
    }
    let lines = file("lines", &values(&file("a", &both)));
    assert_eq!(told(&run(&["set", &file("a", &both), "--from", &lines, "-o", &out, "--force"])), changed("0 values"));
    for (from, to) in [(short, short), (long, long), (short, "[a]\n\nd=1\n"), (long, "[a/b]\n\nd=1\n")] {
        let copied = run(&["copy", &file("a", from), "--to", &file("b", to), "-o", "-"]);
        assert_eq!(copied.status.code(), Some(0), "{from}{to}");
        let added = from.lines().nth(2).unwrap();
        let text = String::from_utf8(copied.stdout).unwrap();
        assert!(text.lines().any(|line| line == added) && text.lines().next() == from.lines().next(), "{text}");
    }
}
