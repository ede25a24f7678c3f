//! Beside the engine itself: Godot 3, if `godot3-server` is installed; skipped if it is not.

#[allow(dead_code)] // its own main
#[path = "../../../examples/godot_echo.rs"]
mod echo;

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use data_encoding::HEXLOWER;
use enginewire::formats::FormatOptions;
use enginewire::godot::{
    decode_with, encode_with, resource, v3, Aabb, Array, Basis, Color, Dictionary, Options, Plane, Quaternion, Reals,
    Rect2, Transform2D, Transform3D, Variant, Vector2, Vector3, Version,
};
use enginewire::wire::{ByteString, IntoByteString};
use enginewire_files::address::{Address, Component, Syntax};
use enginewire_files::containers::{Addition, Container, Embedded, FileSource, ValueChange};
use enginewire_files::godot::{
    compressed, is_config, resource_to_text, text_to_resource, ConfigFile, Layers, PackFile,
};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// The folder that a script runs in.
fn folder(script: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("godot-{script}"))
}

/// The lines that a script of `tests/godot` prints, with these files in its folder. `None` without an engine.
fn run(script: &str, files: &[(&str, impl AsRef<[u8]>)]) -> Option<Vec<String>> {
    let folder = folder(script);
    std::fs::create_dir_all(&folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/godot").join(format!("{script}.gd"));
    std::fs::copy(source, folder.join("script.gd")).unwrap();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let engine = Command::new("godot3-server").args(["--no-window", "-s", "script.gd"]).current_dir(&folder).output();
    let Ok(output) = engine else {
        println!("skipped: godot3-server is not installed");
        return None;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = text.lines().filter_map(|line| line.strip_prefix('=')).map(str::to_owned).collect();
    assert!(!lines.is_empty(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(lines)
}

/// No files for a script.
const NO_FILES: &[(&str, String)] = &[];

#[test]
fn what_the_engine_writes_comes_back() {
    let Some(lines) = run("encode", NO_FILES) else { return };
    assert_eq!(lines.len(), 50);
    for line in lines {
        let bytes = HEXLOWER.decode(line.as_bytes()).unwrap();
        let value = v3::decode(&bytes).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(HEXLOWER.encode(&v3::encode(&value).unwrap()), line);
        assert!(v3::check(&bytes).unwrap().is_canonical(), "{line}");
    }
}

#[test]
fn the_engine_reads_and_writes_what_we_write() {
    let mut runner = TestRunner::deterministic();
    let mut lines: Vec<String> = Vec::new();
    for _ in 0..500 {
        let value = value().new_tree(&mut runner).unwrap().current();
        lines.push(HEXLOWER.encode(&v3::encode(&value).unwrap()));
    }
    let Some(again) = run("again", &[("cases.txt", lines.join("\n"))]) else { return };
    assert_eq!(again.len(), lines.len());
    for (line, again) in lines.iter().zip(again) {
        assert_eq!(&again, line);
    }
}

/// Files that the engine saves come back. It loads them after a change of a property that makes them longer, and of a node.
#[test]
fn resources_of_the_engine_come_back_and_are_changed() {
    let Some(names) = run("resource", NO_FILES) else { return };
    assert_eq!(names, ["outside.res", "values.res", "values_be.res", "main.scn"]);
    let folder = |script: &str| PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("godot-{script}"));
    std::fs::create_dir_all(folder("load")).unwrap();
    for name in names {
        let bytes = std::fs::read(folder("resource").join(&name)).unwrap();
        let mut file = resource::decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(resource::check(&bytes).unwrap().is_canonical(), "{name}");
        assert!(resource::encode(&file).unwrap() == bytes, "{name}");
        for property in &mut file.main_mut().unwrap().properties {
            if property.name == "resource_name" {
                property.value = "a longer name".into();
            }
        }
        if name == "main.scn" {
            let position = Variant::Vector2(Reals::Single(Vector2 { x: 7.0, y: 8.0 }));
            file.set_in_scene("Player", "position", position).unwrap();
        }
        std::fs::write(folder("load").join(&name), resource::encode(&file).unwrap()).unwrap();
    }
    let values = "a longer name 44 Gradient";
    let expected = [values, values, "(7, 8) (10, 20) True", "True"];
    assert_eq!(run("load", NO_FILES).unwrap(), expected);
    // the same holds after a conversion to text and back
    for name in ["values.res", "values_be.res", "main.scn"] {
        let text = resource_to_text(&std::fs::read(folder("load").join(name)).unwrap(), 1 << 24).unwrap().bytes;
        std::fs::write(folder("load").join(name), text_to_resource(&text, 1 << 24).unwrap().bytes).unwrap();
    }
    assert_eq!(run("load", NO_FILES).unwrap(), expected);
}

/// A client that is the engine, and the example as its server.
#[test]
fn the_engine_talks_to_the_example() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let server = std::thread::spawn(move || echo::serve(listener.accept().unwrap().0, Version::V3).unwrap());
    let answers = run("client", &[("port.txt", port.clone())]);
    if answers.is_none() {
        // no client connects, so this connection ends the server
        TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    }
    server.join().unwrap();
    if let Some(answers) = answers {
        assert_eq!(answers, ["True"; 5]);
    }
}

/// Reads the files that a script writes, changes their content, and lets the engine read them again.
fn files_come_back(script: &str, options: impl Fn(&str) -> FormatOptions) -> Option<Vec<Layers>> {
    let _ = std::fs::remove_dir_all(folder(script));
    let lines = run(script, NO_FILES)?;
    let mut edited = Vec::new();
    let mut all = Vec::new();
    for line in lines {
        let (name, content) = line.split_once(' ').unwrap();
        let content = HEXLOWER.decode(content.as_bytes()).unwrap();
        let file = std::fs::read(folder(script).join(name)).unwrap();
        let layers = Layers::peel(file.clone(), &options(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(layers.inner() == content, "{name}");
        assert!(layers.wrap(&content).unwrap() == file, "{name}");
        // a byte in the middle, and one more at the end, so that every size moves on
        let mut other = content;
        let middle = other.len() / 2;
        other.get_mut(middle).into_iter().for_each(|byte| *byte ^= 0x55);
        other.push(b'!');
        edited.push((name.to_owned(), layers.wrap(&other).unwrap(), other));
        all.push(layers);
    }
    let files: Vec<_> = edited.iter().map(|(name, file, _)| (format!("edited_{name}"), file)).collect();
    let files: Vec<_> = files.iter().map(|(name, file)| (&**name, *file)).collect();
    let again = run(script, &files)?;
    assert_eq!(again.len(), edited.len());
    for (line, (name, _, content)) in again.iter().zip(edited) {
        assert!(*line == format!("{name} {}", HEXLOWER.encode(&content)), "{name}");
    }
    Some(all)
}

#[test]
fn compressed_files_come_back() {
    let Some(all) = files_come_back("compressed", |_| FormatOptions::new()) else { return };
    let names: Vec<_> = all.iter().step_by(16).map(Layers::names).collect();
    assert_eq!(
        (all.len(), names),
        (64, ["FastLZ", "zlib", "zstd", "gzip"].map(|mode| format!("GCPF ({mode})")).to_vec())
    );
    let file = std::fs::read(folder("compressed").join("resource.res")).unwrap();
    let layers = Layers::peel(file.clone(), &FormatOptions::new()).unwrap();
    assert_eq!(layers.names(), "RSCC (zstd)");
    assert_eq!(layers.wrap(layers.inner()).unwrap(), file);
    // a text of the same length
    let mut body = layers.inner().to_vec();
    let at = body.windows(6).position(|text| text == b"before").unwrap();
    body[at..at + 6].copy_from_slice(b"edited");
    // large blocks are level 2 of FastLZ, here with copies at all distances
    let mut large: Vec<u8> = (0..20_000u32).flat_map(|number| number.wrapping_mul(0x9e37_79b1).to_le_bytes()).collect();
    for (from, length) in [(0, 1000), (10_000, 9), (76_000, 5000), (72_000, 300), (86_200, 10)] {
        large.extend_from_within(from..from + length);
    }
    large.resize(200_000, 7);
    let blocks = compressed::Compressed { block_size: 150_000, ..Default::default() };
    let file = blocks.repacked(&large).unwrap();
    assert_eq!(compressed::decode(&file).unwrap().blocks.iter().map(|block| block[0] >> 5).collect::<Vec<_>>(), [1, 0]);
    let files = [("edited.res", layers.wrap(&body).unwrap()), ("edited_0_0_text.gcpf", file)];
    let lines = run("compressed", &files).unwrap();
    assert_eq!(lines.last().unwrap(), "edited");
    assert!(lines.contains(&format!("0_0_text.gcpf {}", HEXLOWER.encode(&large))));
}

#[test]
fn encrypted_files_come_back() {
    let key: Vec<u8> = (0..32u8).map(|byte| byte.wrapping_mul(7)).collect();
    let options = |name: &str| match name.ends_with("_key.gdec") {
        true => FormatOptions::new().set("key", HEXLOWER.encode(&key)).unwrap(),
        false => FormatOptions::new().set("password", "pässword").unwrap(),
    };
    let Some(all) = files_come_back("encrypted", options) else { return };
    assert_eq!((all.len(), all[0].names()), (12, "GDEC (Godot 3)".to_owned()));
}

/// The values of a `ConfigFile`, as the script `config` prints them.
fn config_values(file: &ConfigFile) -> Vec<String> {
    let values = file.list().unwrap();
    let name = |address: &Address| {
        address.components().iter().map(|name| name.text().unwrap().to_string()).collect::<Vec<_>>()
    };
    let line = |value: &Embedded<'_>| {
        format!("{} {}", name(&value.address).join("/"), HEXLOWER.encode(value.bytes.as_ref().unwrap()))
    };
    values.iter().map(line).collect()
}

/// Every value that the engine writes is read, and the engine reads all that is written in their place. A value that replaces itself
/// has the text that the engine wrote.
#[test]
fn config_files_of_the_engine() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("godot-config");
    let _ = std::fs::remove_file(folder.join("changed.cfg"));
    let Some(lines) = run("config", NO_FILES) else { return };
    let written = std::fs::read(folder.join("written.cfg")).unwrap();
    let file = ConfigFile::new(written.clone(), usize::MAX);
    assert_eq!((file.version(), lines.len()), (Version::V3, 28));
    assert!(is_config(&written));
    assert_eq!(config_values(&file), lines);
    let values = file.list().unwrap();
    let bytes: Vec<_> = values.iter().map(|value| value.bytes.as_ref().unwrap()).collect();
    let changes: Vec<_> = values
        .iter()
        .zip(&bytes)
        .map(|(value, bytes)| ValueChange::Replace { address: &value.address, bytes })
        .collect();
    assert_eq!(String::from_utf8(file.changed(&changes).unwrap()), String::from_utf8(written));

    // values get the bytes of earlier ones, one is removed, and all are added to old and new sections
    let address = |section: &str, key: &str| Address::new(Syntax::Settings, [section, key].map(Component::name));
    let name = |number: usize| address(&format!("new {}", number % 2), &format!("key {number}"));
    let names: Vec<_> = (0..values.len()).map(name).collect();
    let quoted = address("first section", "\"quoted\" = [1]; ä");
    let mut changes: Vec<_> = values
        .iter()
        .skip(2)
        .zip(&bytes)
        .map(|(value, bytes)| ValueChange::Replace { address: &value.address, bytes })
        .collect();
    changes.push(ValueChange::Remove(&values[1].address));
    changes.push(ValueChange::Add(Addition { address: &quoted, bytes: bytes[0], about: &[], is_first: false }));
    let added = names.iter().zip(&bytes);
    changes.extend(
        added.map(|(address, bytes)| ValueChange::Add(Addition { address, bytes, about: &[], is_first: false })),
    );
    let changed = file.changed(&changes).unwrap();
    let expected = config_values(&ConfigFile::new(changed.clone(), usize::MAX));
    assert_eq!(expected.len(), 2 * lines.len());
    let again = run("config", &[("changed.cfg", String::from_utf8(changed).unwrap())]).unwrap();
    assert_eq!(again, expected);
}

/// The engine reads or refuses these texts like this library: numbers larger than their types, and numbers left over in arrays.
#[test]
fn numbers_of_texts_are_those_of_the_engine() {
    let cases = [
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "92233720368547758080",
        "99999999999999999999",
        "-99999999999999999999",
        "Vector2(9223372036854775808, 1)",
        "Vector2(99999999999999999999, 1)",
        "Vector2(9007199254740993, 1)",
        "PoolByteArray(256, -1)",
        "PoolByteArray(1.5, -1.5)",
        "PoolByteArray(300.7)",
        "PoolByteArray(4294967297)",
        "PoolIntArray(3000000000)",
        "PoolIntArray(1.5, -1.5)",
        "PoolIntArray(9223372036854775808)",
        "PoolIntArray(99999999999999999999)",
        "PoolRealArray(99999999999999999999)",
        "PoolVector2Array(1, 2, 3)",
        "PoolVector2Array(1)",
        "PoolVector3Array(1, 2, 3, 4)",
        "PoolColorArray(1, 2, 3, 4, 5)",
        "00012",
        "1.",
        ".5",
        "+5",
        "Vector2(1)",
        "Vector2(1, 2, 3)",
        "Rect2(1, 2, 3)",
        "Color(1, 0, 0)",
        "PoolByteArray(256,)",
        "Vector2(null, 1)",
        "PoolByteArray(\"a\")",
    ];
    let Some(lines) = run("text", &[("cases.txt", cases.join("\n"))]) else { return };
    assert_eq!(lines.len(), cases.len());
    for (case, line) in cases.iter().zip(lines) {
        let file = ConfigFile::new(format!("[a]\nx={case}\n").into_bytes(), 1 << 20).of_version(Version::V3);
        let read = file.list().map(|values| values.into_iter().next().and_then(|value| value.bytes.ok()));
        let bytes = read.ok().flatten().map_or_else(String::new, |bytes| data_encoding::BASE64.encode(&bytes));
        assert_eq!(bytes, line, "{case}");
    }
}

/// Random texts, and what 3.2.3 and 4.6.3 read in them: lines of a text and its bytes, by `generate/texts.py`. A text is read as the
/// same value, or refused like there, or there is a warning. Those with a third column differ: `docs/spec/godot-files.md` lists why.
#[test]
fn random_texts_are_read_as_by_the_engines() {
    for (version, folder) in [(Version::V3, "v3.2"), (Version::V4, "v4")] {
        let name = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/godot-files").join(folder);
        let table = std::fs::read_to_string(name.join("config/texts.tsv")).unwrap();
        let (mut wrong, mut marked, options) = (Vec::new(), 0, Options::new(version));
        for line in table.split_terminator('\n') {
            let (line, mark) = line.split_once("\t\u{2260} ").map_or((line, None), |(line, mark)| (line, Some(mark)));
            let (text, expected) = line.rsplit_once('\t').unwrap();
            let expected = data_encoding::BASE64.decode(expected.as_bytes()).unwrap();
            // in 3.2.3, the padding of paths is random
            let expected = decode_with(&expected, &options).map(|value| encode_with(&value, &options).unwrap());
            let file = ConfigFile::new(format!("[a]\nx={text}\n").into_bytes(), 1 << 20).of_version(version);
            let read = file.list().ok().and_then(|values| values.into_iter().next()?.bytes.ok());
            let is_told = read.is_some() && !file.warnings().is_empty();
            marked += usize::from(mark.is_some());
            if (read.as_deref() == expected.as_deref().ok() || is_told) == mark.is_some() {
                wrong.push(format!("{version} {mark:?}\t{text}\n  {read:?}\n  {:?}", expected.unwrap_or_default()));
            }
        }
        assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
        assert!(marked < table.lines().count() / 20, "{marked}");
    }
}

/// A pack of the engine is read, and the engine reads one whose files were replaced and removed.
#[test]
fn packs_of_the_engine() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("godot-pack");
    let _ = std::fs::remove_file(folder.join("changed.txt"));
    let files =
        [("one.txt", "the first file".to_owned()), ("two.txt", "2".repeat(5000)), ("three.txt", "third".to_owned())];
    let Some(made) = run("pack", &files) else { return };
    assert_eq!(made, ["made"]);
    let pack = PackFile::open(FileSource::File(folder.join("made.pck")), 1 << 20, None).unwrap();
    let values = pack.list().unwrap();
    let listed: Vec<_> =
        values.iter().map(|value| (value.address.to_string(), value.bytes.as_ref().unwrap().to_vec())).collect();
    let expected = |name: &str| (format!("res://packed/{name}"), std::fs::read(folder.join(name)).unwrap());
    let names: Vec<_> = ["one.txt", "three.txt", "two.txt"].map(expected).to_vec();
    assert_eq!((pack.header().format, pack.header().engine[0], listed), (1, 3, names));
    let changed = pack.changed(&[
        ValueChange::Replace { address: &values[0].address, bytes: b"another text" },
        ValueChange::Remove(&values[1].address),
    ]);
    std::fs::write(folder.join("changed.pck"), changed.unwrap()).unwrap();
    let read = run("pack", &[("changed.txt", String::new())]).unwrap();
    assert_eq!(read, ["another text", "not there", &files[1].1]);
}

/// A value that an engine keeps as it is: no NaN as a key, no objects, node paths or resources, no key twice.
fn value() -> impl Strategy<Value = Variant<'static>> {
    let leaf = prop_oneof![
        Just(Variant::Null),
        any::<bool>().prop_map(Variant::Bool),
        any::<i64>().prop_map(Variant::Int),
        any::<i32>().prop_map(Variant::from),
        any::<f64>().prop_map(Variant::Float),
        any::<f32>().prop_map(Variant::from),
        text().prop_map(Variant::String),
        vector2().prop_map(Variant::from),
        (vector2(), vector2()).prop_map(|(position, size)| Variant::Rect2(Reals::Single(Rect2 { position, size }))),
        vector3().prop_map(Variant::from),
        (vector2(), vector2(), vector2())
            .prop_map(|(x, y, origin)| { Variant::Transform2D(Box::new(Reals::Single(Transform2D { x, y, origin }))) }),
        (vector3(), any::<f32>()).prop_map(|(normal, d)| Variant::Plane(Reals::Single(Plane { normal, d }))),
        (vector3(), any::<f32>())
            .prop_map(|(Vector3 { x, y, z }, w)| { Variant::Quaternion(Reals::Single(Quaternion { x, y, z, w })) }),
        (vector3(), vector3())
            .prop_map(|(position, size)| { Variant::Aabb(Box::new(Reals::Single(Aabb { position, size }))) }),
        basis().prop_map(|basis| Variant::Basis(Box::new(Reals::Single(basis)))),
        (basis(), vector3()).prop_map(|(basis, origin)| {
            Variant::Transform3D(Box::new(Reals::Single(Transform3D { basis, origin })))
        }),
        color().prop_map(Variant::from),
        proptest::collection::vec(any::<u8>(), 0..9).prop_map(|bytes| Variant::PackedByteArray(bytes.into())),
        proptest::collection::vec(any::<i32>(), 0..4).prop_map(|list| Variant::PackedInt32Array(list.into())),
        proptest::collection::vec(any::<f32>(), 0..4).prop_map(|list| Variant::PackedFloat32Array(list.into())),
        proptest::collection::vec(text(), 0..4).prop_map(Variant::from),
        proptest::collection::vec(vector2(), 0..4)
            .prop_map(|list| Variant::PackedVector2Array(Reals::Single(list.into()))),
        proptest::collection::vec(vector3(), 0..4)
            .prop_map(|list| Variant::PackedVector3Array(Reals::Single(list.into()))),
        proptest::collection::vec(color(), 0..4).prop_map(|list| Variant::PackedColorArray(list.into())),
    ];
    leaf.prop_recursive(4, 40, 6, |inside| {
        prop_oneof![
            proptest::collection::vec(inside.clone(), 0..6).prop_map(|list| Variant::from(Array::new(list))),
            proptest::collection::btree_map("[a-z]{0,5}", inside.clone(), 0..6)
                .prop_map(|map| { Dictionary::new(map.into_iter().map(|(key, value)| (key.into(), value))).into() }),
            proptest::collection::btree_map(any::<i64>(), inside, 0..6)
                .prop_map(|map| { Dictionary::new(map.into_iter().map(|(key, value)| (key.into(), value))).into() }),
        ]
    })
}

fn text() -> impl Strategy<Value = ByteString<'static>> {
    "[a-zäß€日🎈 ]{0,9}".prop_map(String::into_byte_string)
}

fn vector2() -> impl Strategy<Value = Vector2<f32>> {
    any::<(f32, f32)>().prop_map(|(x, y)| Vector2 { x, y })
}

fn vector3() -> impl Strategy<Value = Vector3<f32>> {
    any::<(f32, f32, f32)>().prop_map(|(x, y, z)| Vector3 { x, y, z })
}

fn color() -> impl Strategy<Value = Color> {
    any::<(f32, f32, f32, f32)>().prop_map(|(r, g, b, a)| Color { r, g, b, a })
}

fn basis() -> impl Strategy<Value = Basis<f32>> {
    proptest::array::uniform3(proptest::array::uniform3(any::<f32>())).prop_map(|rows| Basis { rows })
}
