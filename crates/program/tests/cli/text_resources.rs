//! Scenes and resources of Godot as text, in every verb.

use super::{changed, done, fixtures, folder, run, told};
use pretty_assertions::assert_eq;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of the fixtures.
fn fixture(name: &str) -> PathBuf {
    fixtures().join("../godot-files").join(name)
}

/// Runs a verb on a file.
fn verb(verb: &str, file: &Path, more: &[&str]) -> (i32, String, String) {
    told(&run(&[&[verb, file.to_str().unwrap()], more].concat()))
}

/// The text of a file after `set` with these arguments; its output is `expected`.
fn set(file: &Path, args: &[&str], expected: (i32, String, String)) -> String {
    let out = folder(&format!("text-set-{}", file.file_name().unwrap().to_str().unwrap())).join("out");
    assert_eq!(verb("set", file, &[args, &["-o", out.to_str().unwrap()]].concat()), expected, "{args:?}");
    fs::read_to_string(out).unwrap()
}

#[test]
fn nodes_resources_and_connections_are_listed() {
    let scene = fixture("text/scene.tscn");
    let (status, listed, _) = verb("ls", &scene, &[]);
    let names: Vec<_> = listed.lines().map(|line| line.split('\t').next().unwrap()).collect();
    let expected = [
        ":root",
        "Player",
        "Player/Sprite",
        "Player/Shape",
        "Enemy",
        "Enemy/Sprite",
        "Later",
        ":sub.Gradient_a1",
        ":sub.GradientTexture1D_b2",
        ":sub.CircleShape2D_c3",
        ":ext",
        ":connections",
    ];
    assert_eq!((status, &names[..]), (0, &expected[..]));
    assert!(listed.starts_with(":root\t8 values\t") && listed.lines().next().unwrap().ends_with("\tclass=Node2D"));
    for (address, expected) in [
        ("Player", "position=Vector2(40, -2.5)\nmodulate=Color(1, 0.5, 0, 1)\n"),
        (":sub.GradientTexture1D_b2", "gradient=Object(SubResource, \"path\": \"local://Gradient_a1\")\nwidth=32\n"),
        ("Player/Shape", "shape=Object(SubResource, \"path\": \"local://CircleShape2D_c3\")\n"),
    ] {
        assert_eq!(verb("get", &scene, &[address]), (0, expected.to_owned(), String::new()));
    }
    let textures = "[Object(ExtResource, \"path\": \"res://icon.svg\"), \
                    Object(SubResource, \"path\": \"local://GradientTexture1D_b2\"), Object(Resource, \"resource_path\": \"res://other.tres\")]";
    let typed = format!("Array[Texture2D]({textures})\n");
    assert_eq!(verb("get", &scene, &[":root", "textures"]), (0, typed, String::new()));
    assert_eq!(verb("get", &scene, &[":connections", "[1].unbinds"]).1, "1\n");
    let item = ":resource\tscript=Object(ExtResource, \"path\": \"res://item.gd\")\n:resource\thp=10\n\
                :resource\ttags=Array[String]([\"a\", \"b\"])\n\
                :ext\t[0]={ \"class\": \"Script\", \"path\": \"res://item.gd\", \"uid\": \"\" }\n";
    assert_eq!(verb("get", &fixture("text/item.tres"), &[]), (0, item.to_owned(), String::new()));
}

/// The engine wrote one scene in both forms. Resources of other files have another order in the text.
#[test]
fn a_scene_as_text_has_the_values_of_the_binary_one() {
    let [binary, text] = ["v3.2/scn/main.scn", "v3.2/text/main.tscn"].map(fixture);
    let lines = |file: &Path| -> Vec<String> {
        let (status, lines, errors) = verb("get", file, &[]);
        assert_eq!((status, &*errors), (0, ""));
        lines.lines().filter(|line| !line.starts_with(":ext")).map(str::to_owned).collect()
    };
    assert_eq!(lines(&binary), lines(&text));
    let listed = |file: &Path| verb("ls", file, &[]).1;
    assert_eq!(listed(&binary), listed(&text));
    let (status, differences, _) = told(&run(&["diff", binary.to_str().unwrap(), text.to_str().unwrap()]));
    assert!(status == 0 || differences.lines().all(|line| line.starts_with("~ :ext [")), "{differences}");
}

#[test]
fn a_change_is_one_of_its_text_alone() {
    let scene = fixture("text/scene.tscn");
    let text = fs::read_to_string(&scene).unwrap();
    for (args, expected, old, new) in [
        (&[":root", "hp=11"][..], changed("1 value"), "hp = 10", "hp = 11"),
        (&["Player", "position.x=41"], changed("1 value"), "Vector2(40, -2.5)", "Vector2(41, -2.5)"),
        (&[":root", "stats.mana=4"], changed("1 value"), "\"mana\": 3, ; points", "\"mana\": 4, ; points"),
        (
            &[":root", "textures[2]=ExtResource(\"3_icon\")"],
            changed("1 value"),
            "Resource(\"res://other.tres\")",
            "ExtResource(\"3_icon\")",
        ),
        (
            &["Player/Sprite", "--remove", "text"],
            done("1 value removed"),
            "text = \"two lines:\n[node name=\\\"no node\\\"]\n; no comment\"\n",
            "",
        ),
        (&["Enemy", "mp=3"], done("1 value added"), "hp = 5\n", "hp = 5\nmp = 3\n"),
        (
            &["Later", "a=[Vector2.UP]"],
            done("1 value added"),
            "placeholder=\"res://enemy.tscn\"]\n",
            "placeholder=\"res://enemy.tscn\"]\na = [Vector2(0, -1)]\n",
        ),
        (
            &[":sub.CircleShape2D_c3", "radius=8.0"],
            done("1 value added"),
            "id=\"CircleShape2D_c3\"]\n",
            "id=\"CircleShape2D_c3\"]\nradius = 8.0\n",
        ),
        (&[":root", "--rename", "speed", "pace"], changed("1 value"), "speed = 2.5", "pace = 2.5"),
        (&[":ext", "[2].path=\"res://new.svg\""], changed("1 value"), "res://icon.svg", "res://new.svg"),
    ] {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        assert_eq!(set(&scene, args, expected), text.replace(old, new), "{args:?}");
    }
    let crlf = fixture("text/crlf.tscn");
    let text = fs::read_to_string(&crlf).unwrap();
    let with_nested = text.replace("[1, 2]", "[1, {\r\n\"m\": 2\r\n}]");
    assert_eq!(set(&crlf, &[":root", "b.k[1]:Dictionary={ \"m\": 2 }"], changed("1 value")), with_nested);
    assert_eq!(set(&crlf, &["Child", "d=1"], done("1 value added")), format!("{text}\r\nd = 1"));
    let old = fixture("text/old.tscn");
    let text = fs::read_to_string(&old).unwrap();
    let shape = ["Shape", "shape=Object(ExtResource, \"path\": \"res://door.png\")"];
    assert_eq!(
        set(&old, &shape, changed("1 value")),
        text.replace("shape = SubResource( 1 )", "shape = ExtResource( 2 )")
    );
}

#[test]
fn what_is_read_may_be_written_back() {
    let folder = folder("text-again");
    for name in [
        "text/scene.tscn",
        "text/animation.tres",
        "text/input.tres",
        "text/crlf.tscn",
        "text/old.tscn",
        "v3.2/text/objects.tres",
    ] {
        let file = fixture(name);
        let (values, out) = (folder.join("values"), folder.join("out"));
        let [values, out] = [values, out].map(|path| path.to_str().unwrap().to_owned());
        for (read, write) in [
            ("get", &["set", file.to_str().unwrap(), "--from", &values][..]),
            ("decode", &["encode", &values, "--into", file.to_str().unwrap()]),
        ] {
            fs::write(&values, verb(read, &file, &[]).1).unwrap();
            let (status, _, errors) = told(&run(&[write, &["-o", &out, "--force"]].concat()));
            assert_eq!((status, &*errors), (0, ""), "{name}");
            assert!(fs::read(&out).unwrap() == fs::read(&file).unwrap(), "{name}: {read}");
        }
        assert_eq!(verb("check", &file, &["--canonical", "-q"]), (0, String::new(), String::new()), "{name}");
    }
}

#[test]
fn values_are_compared_and_copied() {
    let folder = folder("text-copied");
    let scene = fixture("text/scene.tscn");
    let other = folder.join("other.tscn");
    let text = fs::read_to_string(&scene).unwrap();
    fs::write(&other, text.replace("hp = 10", "hp = 12").replace("local_to", "")).unwrap();
    let [one, two] = [&scene, &other].map(|path| path.to_str().unwrap());
    assert_eq!(told(&run(&["diff", one, two])), (1, "~ :root hp: 10 -> 12\n".to_owned(), String::new()));
    let out = folder.join("out.tscn");
    let copy = |address: &[&str]| {
        told(&run(&[&["copy", two], address, &["--to", one, "-o", out.to_str().unwrap(), "--force"]].concat()))
    };
    assert_eq!(copy(&[":root"]).0, 0);
    assert_eq!(fs::read_to_string(&out).unwrap(), fs::read_to_string(&other).unwrap());
    assert_eq!(copy(&[]).0, 0);
    assert_eq!(fs::read_to_string(&out).unwrap(), fs::read_to_string(&other).unwrap());
}

#[test]
fn what_is_refused() {
    let scene = fixture("text/scene.tscn");
    let none = "expected the path of a resource that the file names before, found";
    for (args, reason) in [
        (&["Player", "texture=ExtResource(\"9\")"][..], format!("{none} \"9\"")),
        (&[":sub.Gradient_a1", "x=SubResource(\"CircleShape2D_c3\")"], format!("{none} \"local://CircleShape2D_c3\"")),
        (
            &[":connections", "[0].from=\"\""],
            "expected a list of connections, each with signal, from, to and method".to_owned(),
        ),
        (&[":ext", "--remove", "[0]"], "a resource of another file can be changed, not added or removed".to_owned()),
        (
            &["New", "a=1"],
            "no value New; `enginewire ls` lists the addresses; a node is added in the file, as [node name=\"B\" type=\"Node\" parent=\".\"]"
                .to_owned(),
        ),
    ] {
        let (status, out, error) = verb("set", &scene, &[args, &["-o", "-"]].concat());
        assert!(status != 0 && out.is_empty() && error.starts_with(&format!("error: {reason}\n")), "{args:?}: {error}");
    }
}

/// One value, or one property of it, is broken. Those before and after it are read and changed.
#[test]
fn what_is_broken_stays_as_it_is() {
    for (name, address, reason) in [
        ("quote", "Bad", "expected the name of a property and `=`, in line 10, column 13 (byte 0x86)"),
        ("bracket", ":tag.node", "expected `]` at the end of a tag, or a name and `=`, in line 9, column 1 (byte 0x6c)"),
        ("tag", ":tag.unknown", "expected a tag such as node or sub_resource, found \"unknown\", in line 6, column 1 (byte 0x3c)"),
        ("deep", "Bad:deep", "containers are nested deeper than 1024 levels, in line 7, column 1033 (byte 0x46d)"),
        (
            "value",
            "Bad:hp",
            "expected a value of Godot 4 such as 17, \"text\", [1, 2] or Vector2(1, 2), found Vector9(1), in line 7, column 6 (byte 0x6a)",
        ),
    ] {
        let file = fixture(&format!("text/bad/{name}.tscn"));
        let (status, out, _) = verb("check", &file, &[]);
        assert_eq!((status, out.contains(&format!("{address}: error: {reason}\n"))), (4, true), "{name}: {out}");
        let (status, out, error) = verb("get", &file, &["Last"]);
        assert_eq!((status, &*out, error.contains(reason)), (4, "hp=2\n", true), "{name}");
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(set(&file, &["Last", "hp=3"], changed("1 value")), text.replace("hp = 2", "hp = 3"), "{name}");
        assert_eq!(set(&file, &[":root", "hp=3"], changed("1 value")), text.replace("hp = 1", "hp = 3"), "{name}");
        // a property that cannot be read is not replaced, and hides no other
        let (node, key) = address.split_once(':').filter(|(node, _)| !node.is_empty()).unwrap_or((address, "hp"));
        let (status, _, error) = verb("set", &file, &[node, &format!("{key}=4"), "-o", "-"]);
        assert!(status == 4 && error.contains(reason), "{name}: {error}");
    }
    let file = fixture("text/bad/id.tscn");
    let (status, _, warnings) = verb("check", &file, &[]);
    let texture =
        "warning: ExtResource(\"9_no\") is not a resource that the file names, in line 8, column 11 (byte 0x8e)";
    assert!(status == 0 && warnings.contains(texture), "{warnings}");
}
