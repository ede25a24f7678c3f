//! Files of situations that users reported: the output of the program for each, and for ten others of the same kind.

use std::fs;
use std::io::Write;
use std::path::Path;

use enginewire::formats::FormatOptions;
use enginewire::godot::{v3, Object, Property, Variant};
use enginewire_files::godot::Layers;
use flate2::{write::GzEncoder, Compression};
use pretty_assertions::assert_eq;

use super::{folder, run, told};

/// The expected result of a command: its status, and a text in its output or errors.
struct Said {
    command: String,
    status: i32,
    text: String,
}

fn said(command: impl Into<String>, status: i32, text: impl Into<String>) -> Said {
    Said { command: command.into(), status, text: text.into() }
}

/// The bytes of a file, and what is right for it.
type Case = (Vec<u8>, Vec<Said>);

/// Makes the file number `n` of a kind: the one that was reported if it is 0.
type Kind = fn(&[u8], u8) -> Case;

fn text(file: &[u8]) -> String {
    String::from_utf8(file.to_vec()).unwrap()
}

/// The file with other bytes after the first `kept`, which are so small that they could be lengths.
fn after(file: &[u8], kept: usize, n: u8) -> Vec<u8> {
    let mutate = |(at, byte): (usize, &u8)| if n > 0 && at >= kept { byte.wrapping_mul(n) % 29 } else { *byte };
    file.iter().enumerate().map(mutate).collect()
}

/// A signature, which every command names.
fn signature(bytes: Vec<u8>, what: &'static str) -> Case {
    (
        bytes,
        ["inspect --guess FILE", "decode FILE", "check FILE", "set FILE a=1 -o OUT"]
            .map(|command| said(command, 4, what))
            .into(),
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn with_length(value: &[u8]) -> Vec<u8> {
    [&u32::try_from(value.len()).unwrap().to_le_bytes(), value].concat()
}

const KINDS: [(&str, Kind); 27] = [
    ("05-charrefs.rbxlx", |file, n| {
        let more = if n == 0 { String::new() } else { format!("&#{};", 65 + n) };
        let file = text(file).replace("RBX_", &format!("RBX_{more}"));
        (
            file.into_bytes(),
            vec![said("get FILE", 4, "expected base64, found a character reference such as &#1; at byte 0x68")],
        )
    }),
    ("07-entity-unterminated.rbxlx", |file, n| {
        let names =
            ["&#65 content", "& c", "&amp c", "&&", "&lt", "&#x41 ", "&nothing", "a&b", "&;", "x & y & z", "&# "];
        let file = text(file).replace("&#65 content", names[usize::from(n)]);
        let said = ["get FILE", "check FILE", "ls FILE"].map(|command| said(command, 0, "warning: "));
        (file.into_bytes(), said.into())
    }),
    ("11-asset.rbxl.gz", |file, n| {
        let (name, done) = if n == 0 { ("Empty.Torch".to_owned(), "changed") } else { (format!("P{n}"), "added") };
        let model = format!("<roblox version=\"4\"><Item class=\"Part\"><Properties><string name=\"Name\">{name}</string></Properties></Item></roblox>");
        let file = if n == 0 { file.to_vec() } else { gzip(model.as_bytes()) };
        (
            file,
            vec![
                said("check FILE", 0, "ok, "),
                said(format!("set FILE {name} Fuel=7 -o OUT"), 0, format!("1 value {done}")),
                said(format!("set FILE {name} Fuel=7 --in-place"), 0, format!("1 value {done}")),
            ],
        )
    }),
    ("12-asset-error.json", |file, n| {
        let more = if n == 0 { "{".to_owned() } else { format!("{{\"number{n}\":[{n}],") };
        let file = text(file).replace('{', &more);
        signature(file.into_bytes(), "JSON text, not a model file")
    }),
    ("17-crlf2.rbxm", |file, n| signature(after(file, 16, n), "its line ends were changed in transfer")),
    ("21-cdata-end3.rbxmx", |file, n| {
        let more = if n == 0 { String::new() } else { format!("{n}, ") };
        let file = text(file).replace("print(", &format!("print({more}"));
        (
            file.into_bytes(),
            ["get FILE", "check FILE"].map(|command| said(command, 4, "ended at the ]]> at byte 0x91")).into(),
        )
    }),
    ("24b-tweeninfo-mixed.rbxmx", |file, n| {
        let name = if n == 0 { "F".to_owned() } else { format!("F{n}") };
        let ease = "TweenInfo.new(1.5, Enum.EasingStyle.Sine, Enum.EasingDirection.InOut, 4, false, 6.5)";
        (
            text(file).replace(">F<", &format!(">{name}<")).into_bytes(),
            vec![
                said("get FILE", 0, format!("{name}\tEase={ease}")),
                said("check FILE", 0, "1 canonical"),
                said(format!("set FILE {name} Ease=TweenInfo.new({}) -o OUT", n + 1), 0, "1 value changed"),
            ],
        )
    }),
    ("26-prop-empty.rbxm", |file, n| {
        // the name of the property without a value type
        let mut file = file.to_vec();
        let at = file.windows(4).position(|part| part == b"Attr").unwrap();
        file[at] += n;
        (
            file,
            ["check FILE", "ls FILE", "get FILE"]
                .map(|command| said(command, 0, "no value type and no values (PROP chunk at byte 0x45)"))
                .into(),
        )
    }),
    ("30-g3-anim.dat", |file, n| {
        let file = text_of_same_length(file, b"Fnum", n);
        (
            file,
            vec![
                said("decode -f godot-4 FILE", 4, "it is a whole Godot 3 value"),
                said("decode FILE", 0, "\"version\":3"),
            ],
        )
    }),
    ("35-u8-var.bin", |file, n| {
        let mut file = file.to_vec();
        file[0] = file[0].wrapping_add(n.wrapping_mul(23));
        (
            file,
            vec![
                said("inspect --guess FILE", 0, "--offset 1"),
                said("decode --offset 1 -f godot-3 FILE", 0, "\"version\":3"),
            ],
        )
    }),
    ("40-g3.gdec", |file, n| {
        // another MD5 of what is inside
        let mut file = file.to_vec();
        file[8] = file[8].wrapping_add(n);
        let needed =
            "GDEC (Godot 3): the file is encrypted; pass its --password or --key-file, or set ENGINEWIRE_PASSWORD";
        let other = "GDEC (Godot 3): the password or key does not fit: the md5 of the decrypted bytes is";
        (file, vec![said("get FILE", 2, needed), said("get FILE --password hunter2", 2, other)])
    }),
    ("41-gcpf-zstd.dat", |file, n| {
        let layers = Layers::peel(file.to_vec(), &FormatOptions::new()).unwrap();
        let file = match n {
            0 => file.to_vec(),
            _ => layers.wrap(&with_length(&v3::encode(&Variant::Int(n.into())).unwrap())).unwrap(),
        };
        (file, vec![said("ls FILE", 0, "GCPF (zstd)"), said("check FILE", 0, "ok, ")])
    }),
    ("42-g3-scripted.dat", |file, n| {
        let (class, new) = [
            ("Reference", "RefCounted"),
            ("Spatial", "Node3D"),
            ("KinematicBody2D", "CharacterBody2D"),
            ("Position3D", "Marker3D"),
            ("Particles", "GPUParticles3D"),
            ("VisibilityNotifier2D", "VisibleOnScreenNotifier2D"),
            ("Area", "Area3D"),
            ("AnimatedSprite", "AnimatedSprite2D"),
            ("Camera", "Camera3D"),
            ("RigidBody", "RigidBody3D"),
            ("Sprite", "Sprite2D"),
        ][usize::from(n)];
        let said = vec![said("convert --to godot-4 FILE -o OUT", 4, format!("{class}, which is {new} in godot-4"))];
        if n == 0 {
            return (file.to_vec(), said);
        }
        let property = Property { name: "hp".into(), value: Variant::from(i64::from(n)) };
        (with_length(&v3::encode(&Object::new(class, vec![property]).into()).unwrap()), said)
    }),
    ("43-nopad.bin", |file, n| {
        let letters: u8 = [5, 1, 2, 3, 6, 7, 9, 10, 11, 13, 14][usize::from(n)];
        let value =
            [&4u32.to_le_bytes()[..], &u32::from(letters).to_le_bytes(), &vec![b'h'; usize::from(letters)]].concat();
        let file = if n == 0 { file.to_vec() } else { with_length(&value) };
        (
            file,
            vec![
                said("decode FILE", 4, "--allow padding"),
                said(
                    "decode -f godot-4 --framing le FILE",
                    4,
                    "without the padding of its last string or byte array: --allow padding",
                ),
                said("decode -f godot-4 --framing le --allow=padding FILE", 0, "\"type\":\"String\""),
            ],
        )
    }),
    ("47-rsrc.res", |file, n| (after(file, 4, n), vec![said("inspect --guess FILE", 0, "godot-resource")])),
    ("48-attrref.rbxmx", |file, n| {
        let [key, name] =
            if n == 0 { ["Target", "P"].map(str::to_owned) } else { ["T", "P"].map(|name| format!("{name}{n}")) };
        let file =
            text(file).replace("__attrRef_Target", &format!("__attrRef_{key}")).replace(">P<", &format!(">{name}<"));
        (file.into_bytes(), vec![said("ls FILE", 0, format!("F:__attrRef_{key}\tattribute that refers to {name}"))])
    }),
    ("53c-attr-unquoted.rbxlx", |file, n| {
        let faults =
            ["a= a=\"\"", "a=b", "a", "a=1 b=2", "x=y z", "b= c", "a=\"\" b=c", "a b c", "a=b/c", "q=&", "n=a"];
        let file = text(file).replace("a= a=\"\"", faults[usize::from(n)]);
        (file.into_bytes(), ["get FILE", "check FILE"].map(|command| said(command, 0, "warning: ")).into())
    }),
    ("54-zeros.dat", |file, n| signature(vec![0; file.len() + 911 * usize::from(n)], "all bytes are 0")),
    ("end-newline.rbxm", |file, n| {
        let ends = ["\n", "\r\n", "\0", "  ", "\n\n\n", "x", "</roblox>", "\t", "\0\0\0\0", "END", "\u{feff}"];
        let file = [file.strip_suffix(b"\n").unwrap(), ends[usize::from(n)].as_bytes()].concat();
        (
            file,
            ["get FILE", "check FILE", "ls FILE"]
                .map(|command| said(command, 0, "bytes after the end of the file's content, at byte 0x289"))
                .into(),
        )
    }),
    ("gdpc.pck", |file, n| {
        // the place of the directory
        let mut file = file.to_vec();
        file[32] = file[32].wrapping_add(n);
        let what = "the pack ends before its directory, which is at byte 0x3";
        (file, vec![said("ls FILE", 5, what), said("inspect --guess FILE", 0, "pack")])
    }),
    ("mixed.godot", |file, n| {
        let old = "PoolStringArray(\"res://addons/x/plugin.cfg\")";
        let (value, read) = [
            (old, "PackedStringArray(\"res://addons/x/plugin.cfg\")"),
            ("PoolIntArray(1, 2)", "PackedInt32Array(1, 2)"),
            ("PoolByteArray(7)", "PackedByteArray(7)"),
            ("FloatArray(1.5)", "PackedFloat32Array(1.5)"),
            ("IntArray (3)", "PackedInt32Array(3)"),
            ("Quat(0, 0, 0, 1)", "Quaternion(0, 0, 0, 1)"),
            ("Matrix32(1,0,0,1,0,0)", "Transform2D(1, 0, 0, 1, 0, 0)"),
            ("Rect3(1, 2, 3, 4, 5, 6)", "AABB(1, 2, 3, 4, 5, 6)"),
            ("StringArray(\"a\",)", "PackedStringArray(\"a\")"),
            ("PoolColorArray(1, 0, 0, 1)", "PackedColorArray(1, 0, 0, 1)"),
            ("#f00", "Color(1, 0, 0, 1)"),
        ][usize::from(n)];
        let read = format!("editor_plugins/enabled\t={read}\n");
        (
            text(file).replace(old, value).into_bytes(),
            vec![
                said("get FILE", 0, &read),
                said("get -f godot-4 FILE", 0, &read),
                said("get -f godot-config FILE", 0, &read),
                said(
                    "get -f godot-3 FILE",
                    0,
                    "Godot 3.2.3 refuses PackedStringArray here, and 3.6.2 reads it, in line 6, column 17 (byte 0x44)",
                ),
                said("check FILE", 0, "ok, 4 values: 4 canonical"),
            ],
        )
    }),
    ("classes.godot", |file, n| {
        let more = if n == 0 { String::new() } else { format!("{n}_") };
        let file = text(file).replace("\"Thing", &format!("\"Thing{more}"));
        (
            file.into_bytes(),
            vec![
                said("get FILE application/config/name", 0, "\"Game\"\n"),
                said("get FILE _global_script_classes [0].class", 0, format!("\"Thing{more}0\"\n")),
                said("set FILE application/config/name =\"Other\" -o OUT", 0, "1 value changed"),
            ],
        )
    }),
    ("global_script_class_cache.cfg", |file, n| {
        let class = if n == 0 { "Thing".to_owned() } else { format!("Thing{n}") };
        let file = text(file).replace("Thing", &class);
        // without the type, as older ones
        let file = if n % 2 == 0 { file } else { file.replace("Array[Dictionary](", "").replace("])", "]") };
        (
            file.into_bytes(),
            vec![
                said("get FILE list [0].class", 0, format!("&\"{class}\"\n")),
                said("check FILE", 0, "ok, 1 value: 1 canonical"),
                said("set FILE list [0].icon=\"x\" -o OUT", 0, "1 value changed"),
            ],
        )
    }),
    ("moved-3.res", |file, n| {
        let moved = i64::from(n) * 9 - 14;
        let bytes = [&file[..0x25], &moved.to_le_bytes(), &file[0x2d..]].concat();
        let number = u64::from_le_bytes(moved.to_le_bytes());
        (
            bytes,
            vec![
                said("get FILE", 0, "script=ExtResource(0)\nhp=10\n"),
                said("check --canonical FILE", 0, "ok, "),
                said("decode FILE", 0, format!("\"importmd_ofs\":{}{number}", if n < 2 { "\"" } else { "" })),
                said("set FILE hp=11 -o OUT", 0, "1 value changed"),
            ],
        )
    }),
    ("script-3.gdc", |file, n| {
        let mut file = text_of_same_length(file, b"hi", n);
        file[4] -= n % 4;
        let letter = char::from(if n == 0 { b'i' } else { b'a' + n });
        (
            file,
            vec![
                said("get FILE", 0, format!("[0]\t=\"h{letter}\"\n[1]\t=-5\n")),
                said("check FILE", 0, "ok, 2 values: 2 canonical"),
                said("ls FILE", 0, "[1]\t1 value\t8\n"),
                said("set FILE [1] =7 -o OUT", 2, "a compiled script is not changed"),
            ],
        )
    }),
    ("uid_cache.bin", |file, n| {
        let mut file = file.to_vec();
        file[5] = file[5].wrapping_add(n.wrapping_mul(23));
        (
            file,
            vec![
                said("get FILE", 0, "\t=\"res://a.tscn\"\n\"uid://cdjty5dbk7umq\"\t=\"res://b/c.png\"\n"),
                said("check FILE", 0, "ok, 2 values: 2 canonical"),
                said("set FILE \"uid://cdjty5dbk7umq\" =\"res://x.png\" -o OUT", 0, "1 value changed"),
                said("set FILE \"uid://cdjty5dbk7umq\" :int=7 -o OUT", 2, "expected a path such as \"res://a.tscn\""),
                said("set FILE \"uid://b1\" =\"res://n\" -o OUT", 0, "1 value added"),
                said("set FILE \"uid://z\" =\"res://n\" -o OUT", 2, "expected a unique id such as uid://b1"),
                said("set FILE --remove \"uid://cdjty5dbk7umq\" -o OUT", 0, "1 value removed"),
            ],
        )
    }),
    ("forms.cfg", |file, n| {
        let refused = [
            "1",
            "Color(\"red\")",
            "Color(1, 0, 0)",
            "0x10",
            "'x'",
            "^\"x\"",
            "Vector2(1, 2,)",
            "Object(A)",
            "Color.RED",
            "INF",
            "Resource(\"a\", \"b\")",
        ][usize::from(n)];
        let file = text(file).replace("y=1", &format!("y={refused}")).into_bytes();
        let right = if n == 0 {
            vec![said("check FILE", 0, "ok, 10 values: 10 canonical"), said("get FILE s/w", 0, "\"res://a.tres\"")]
        } else {
            vec![said("check FILE", 4, "in line 11, column "), said("get FILE s/y", 4, "(byte 0x")]
        };
        (file, right)
    }),
];

/// The file with the last letter of a text replaced by another.
fn text_of_same_length(file: &[u8], text: &[u8], n: u8) -> Vec<u8> {
    let mut file = file.to_vec();
    let at = file.windows(text.len()).position(|part| part == text).unwrap();
    file[at + text.len() - 1] = if n == 0 { text[text.len() - 1] } else { b'a' + n };
    file
}

#[test]
fn what_people_reported_and_ten_others_of_its_kind() {
    let folder = folder("reports");
    let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/reports");
    let [file, out] = ["file", "out"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    for (name, kind) in KINDS {
        let reported = fs::read(reports.join(name)).unwrap();
        for n in 0..=10 {
            let (bytes, right) = kind(&reported, n);
            assert!(n > 0 || bytes == reported, "{name} is not what was reported");
            fs::write(&file, &bytes).unwrap();
            for Said { command, status, text } in right {
                let words: Vec<_> =
                    command.split(' ').map(|word| word.replace("FILE", &file).replace("OUT", &out)).collect();
                let (found, stdout, stderr) = told(&run(&words.iter().map(String::as_str).collect::<Vec<_>>()));
                let all = stdout + &stderr;
                assert_eq!(found, status, "{name} {n}: {command}: {all}");
                assert!(all.contains(&text), "{name} {n}: {command}: {all}");
                assert!(status == 0 || fs::read(&file).unwrap() == bytes, "{name} {n}: {command} changed the file");
            }
        }
    }
}
