#!/usr/bin/env bash
# godot-properties-parser 0.4.0 (crates.io, scenes and project files of Godot as text, on Rust).
#
# Guess: a value is given as its whole text, since the library leaves types to its user; what it cannot read is an error, or is left in
# the rest that it returns.
#
# Seen: a value with a name before its brackets ends at its first comma: of Color(1, 0, 0, 1) the text Color(1 is given, of
# Array[int]([1, 2]) the text Array[int, of PackedStringArray("a", "b") the text PackedStringArray("a". Only lists and dictionaries
# are whole. A property whose name is in quotes or has a colon, as those of tile sets have, is left out. The rest is empty, and there
# is no error.
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
godot-properties-parser = "=0.4.0"
TOML
cat >src/main.rs <<'RUST'
use godot_properties_parser::parse_scene_file;

/// The properties of a node with these lines, after its name.
fn properties(lines: &str) -> Vec<(String, String)> {
    let scene = format!("[gd_scene format=3]\n\n[node name=\"A\"]\n{lines}\n\n[node name=\"B\" parent=\".\"]\n");
    let (rest, scene) = parse_scene_file(&scene).unwrap();
    assert_eq!((rest, scene.nodes.len()), ("", 2));
    let properties = scene.nodes[0].properties.iter().skip(1);
    properties.map(|property| (property.key.to_string(), property.value.to_string())).collect()
}

fn main() {
    for (lines, seen) in [
        ("a = [1, 2]\nb = 3", &[("a", "[1, 2]"), ("b", "3")][..]),
        ("a = {\n\"k\": [1, 2]\n}", &[("a", "{\n\"k\": [1, 2]\n}")]),
        ("a = Color(1, 0, 0, 1)\nb = 3", &[("a", "Color(1"), ("b", "3")]),
        ("a = Array[int]([1, 2])", &[("a", "Array[int")]),
        ("a = PackedStringArray(\"a\", \"b\")", &[("a", "PackedStringArray(\"a\"")]),
        ("\"a b\" = 1\nc = 2", &[("c", "2")]),
        ("0:0/0 = 0\nc = 2", &[("c", "2")]),
    ] {
        let found = properties(lines);
        let found: Vec<_> = found.iter().map(|(key, value)| (&**key, &**value)).collect();
        assert_eq!(found, seen, "{lines}");
    }
    println!("as seen: values end at their first comma, and properties are left out");
}
RUST
cargo run --quiet
