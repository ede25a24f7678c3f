#!/usr/bin/env bash
# godot-binary-serialization 0.2.0 (Rust, values of Godot for servers).
#
# Guess: a value of a type that its table marks as supported is read as the engine wrote it, or refused.
#
# Seen: a Dictionary may have the key null. Its value is not read: it becomes the key of the next entry, so that
# {null: "a", "b": 1} is read as {"a": "b"}, without an error. A Vector2 or Vector3 of a build with double precision says by a flag that
# its numbers have 64 bits, which is heeded for floats only: Vector2(1, 2) is read as Vector2(0, 1.875), and in a Dictionary all that
# follows is read from the wrong place.
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
godot-binary-serialization = "=0.2.0"
TOML
cat >src/main.rs <<'RS'
use godot_binary_serialization::decoder::Decoder;
use godot_binary_serialization::types::primitive::GodotString;
use godot_binary_serialization::types::structures::{GodotDictionary, GodotVector2};
use godot_binary_serialization::types::variant::AsVariant;

/// Numbers in little-endian, in the form that var_to_bytes of Godot 4 writes.
fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn main() {
    let (null, text, int) = (0, 4, 2);
    let [a, b] = [b'a', b'b'].map(u32::from);
    // {null: "a", "b": 1}
    let dictionary = bytes(&[27, 2, null, text, 1, a, text, 1, b, int, 1]);
    let value = Decoder::decode_variant(&dictionary).unwrap();
    let read = value.as_var::<GodotDictionary>().unwrap();
    let found = read.get::<GodotString>(GodotString::new("a")).map(|value| value.value.as_str());
    assert_eq!((read.map.len(), found), (1, Some("b")));
    println!("{{null: \"a\", \"b\": 1}} is read as {:?}", read.map);

    // Vector2(1, 2) of 64 bits
    let [one, two] = [1.0_f64, 2.0].map(f64::to_bits);
    let [low, high] = [one as u32, (one >> 32) as u32];
    let vector = bytes(&[5 | 1 << 16, low, high, two as u32, (two >> 32) as u32]);
    let value = Decoder::decode_variant(&vector).unwrap();
    let read = value.as_var::<GodotVector2>().unwrap();
    assert_eq!((read.x, read.y), (0.0, 1.875));
    println!("Vector2(1, 2) in 64 bits is read as {read:?}");
}
RS
cargo run --quiet
