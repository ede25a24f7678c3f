//! Beside the engine itself: Godot 3, if `godot3-server` is installed; skipped if it is not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects,
    clippy::print_stdout
)] // a test that fails may as well panic

#[allow(dead_code)] // its own main
#[path = "../examples/godot_echo.rs"]
mod echo;

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use data_encoding::HEXLOWER;
use enginewire::godot::{
    v3, Aabb, Array, Basis, Color, Dictionary, Plane, Quaternion, Reals, Rect2, Transform2D, Transform3D, Variant,
    Vector2, Vector3, Version,
};
use enginewire::wire::{ByteString, IntoByteString};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// The lines that a script of `tests/godot` prints, with these files in its folder. `None` without an engine.
fn run(script: &str, files: &[(&str, String)]) -> Option<Vec<String>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("godot-{script}"));
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

#[test]
fn what_the_engine_writes_comes_back() {
    let Some(lines) = run("encode", &[]) else { return };
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
