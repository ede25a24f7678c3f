#!/usr/bin/env bash
# lune-roblox 0.4.1 (Rust, what `@lune/roblox` of Lune 0.11.1 is made of), GetAttribute and SetAttribute from Luau.
#
# Guess: SetAttribute with the value that GetAttribute gave changes nothing; a name or text that a file has can be set again; other
# attributes of the instance stay.
#
# Seen: a whole number is cut to its low 32 bits, read as an int, and stored as a Float: 5000000000 becomes 705032704, 2 ** 53 becomes
# 0, and the Int 16777217 becomes 16777216. 1e300 and fractions stay; those of a Vector3 and a CFrame are rounded to 16 bits, an infinite
# number there becomes NaN, and -0 becomes 0. A text that is not UTF-8 is refused, and a name with a blank,
# one that begins with rbx in any case, and one of more than 100 bytes. Beside one value that rbx_types does not read, all attributes are
# nil, and SetAttribute replaces them all by the new one. That holds for another type, a key that is not UTF-8, and an unknown BrickColor.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "seen"
version = "0.0.0"
edition = "2021"

[dependencies]
lune-roblox = "=0.4.1"
mlua = { version = "=0.12.2", features = ["luau"] }
rbx_binary = "=3.0.1"
rbx_dom_weak = "=4.2.0"
rbx_types = "=3.1.0"
TOML
cat >src/main.rs <<'RS'
use lune_roblox::document::{Document, DocumentKind};
use lune_roblox::instance::{instance_to_lua, Instance};
use mlua::{Function, Lua};
use rbx_dom_weak::{InstanceBuilder, WeakDom};
use rbx_types::{BinaryString, Variant};

/// Attributes: each key with its type and value.
fn attributes(entries: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut bytes = (entries.len() as u32).to_le_bytes().to_vec();
    for (key, value) in entries {
        bytes.extend((key.len() as u32).to_le_bytes());
        bytes.extend(*key);
        bytes.extend(*value);
    }
    bytes
}

/// The instance of a file with these attributes.
fn instance(bytes: &[u8]) -> Instance {
    let serialized = Variant::BinaryString(BinaryString::from(bytes.to_vec()));
    let dom = WeakDom::new(InstanceBuilder::new("Folder").with_property("AttributesSerialize", serialized));
    let mut file = Vec::new();
    rbx_binary::to_writer(&mut file, &dom, &[dom.root_ref()]).unwrap();
    Document::from_bytes(file, DocumentKind::Model).unwrap().into_instance_array().unwrap().remove(0)
}

fn written(instance: &Instance) -> Vec<u8> {
    let mut bytes = Vec::new();
    match instance.get_property("Attributes") {
        Some(Variant::Attributes(attributes)) => attributes.to_writer(&mut bytes).unwrap(),
        Some(Variant::BinaryString(kept)) => bytes = AsRef::<[u8]>::as_ref(&kept).to_vec(),
        other => panic!("{other:?}"),
    }
    bytes
}

fn main() {
    let lua = Lua::new();
    let again: Function = lua.load("return function(x, k) x:SetAttribute(k, x:GetAttribute(k)) end").eval().unwrap();
    let set = |key: &[u8], value: &[u8]| {
        let before = attributes(&[(key, value)]);
        let instance = instance(&before);
        assert_eq!(written(&instance), before);
        let arguments = (instance_to_lua(&lua, instance).unwrap(), lua.create_string(key).unwrap());
        again.call::<()>(arguments).map(|()| written(&instance)[8 + key.len()..].to_vec())
    };
    let double = |number: f64| [&[6][..], &number.to_le_bytes()].concat();
    let float = |number: f32| [&[5][..], &number.to_le_bytes()].concat();
    let int = |number: i32| [&[4][..], &number.to_le_bytes()].concat();
    let vector = |numbers: [f32; 3]| [&[0x11][..], &numbers.map(f32::to_le_bytes).concat()].concat();
    let text = |bytes: &[u8]| [&[2][..], &(bytes.len() as u32).to_le_bytes(), bytes].concat();

    for (before, after) in [
        (double(5e9), float(705032704.0)),
        (double(9007199254740992.0), float(0.0)),
        (double(2147483648.0), float(-2147483648.0)),
        (float(5e9), float(705032704.0)),
        (int(16777217), float(16777216.0)),
        (double(5.0), float(5.0)),
        (double(1e300), double(1e300)),
        (double(0.1), double(0.1)),
        (vector([0.6, -0.0, 1e-6]), vector([0.600006103515625, 0.0, 0.0])),
        (vector([0.125, 123456.789, 1e30]), vector([0.125, 123456.789, 1e30])),
        (text(b"5000000000"), text(b"5000000000")),
    ] {
        assert_eq!(set(b"k", &before).unwrap(), after, "{before:?}");
        println!("{before:02x?} becomes {after:02x?}");
    }
    let is_true = [3, 1];
    let infinite = set(b"k", &vector([f32::INFINITY, 0.0, 0.0])).unwrap();
    assert!(f32::from_le_bytes(infinite[1..5].try_into().unwrap()).is_nan());
    let place = [0.6f32, 0.0, 0.0].map(f32::to_le_bytes).concat();
    let turned = [0.6f32, 0.8, 0.0, -0.8, 0.6, 0.0, 0.0, 0.0, 1.0].map(f32::to_le_bytes).concat();
    let rounded = set(b"k", &[&[0x14], &place[..], &[0], &turned].concat()).unwrap();
    assert_eq!([&rounded[1..5], &rounded[14..18]], [0.600006103515625f32.to_le_bytes(); 2]);
    for (key, value) in
        [(&b"k"[..], &text(&[0xff])[..]), (b"a b", &is_true), (b"RBX_a", &is_true), (b"rbxa", &is_true), (&[b'a'; 101], &is_true)]
    {
        println!("{}", set(key, value).unwrap_err().to_string().lines().next().unwrap());
    }
    for key in [&b"a_b"[..], b"a.b", b"a/b", "é".as_bytes()] {
        assert_eq!(set(key, &is_true).unwrap(), is_true);
    }

    let array = [7, 0, 0, 0, 0];
    for other in [(&b"odd"[..], &array[..]), (&[0xff], &is_true), (b"odd", &[14, 4, 0, 0, 0])] {
        let before = attributes(&[(b"k", &is_true), other]);
        let instance = instance(&before);
        assert!(instance.get_attributes().is_empty());
        assert_eq!(written(&instance), before);
        instance.set_attribute("new", Variant::Bool(true));
        assert_eq!(written(&instance), attributes(&[(b"new", &is_true)]));
    }
    println!("beside an unknown value, SetAttribute replaces all attributes");
}
RS
cargo run --quiet
