#!/usr/bin/env bash
# mlua 0.12.2 (crates.io, Luau in Rust) with its feature `serde`, and serde_json 1.0.154: tables of Luau as JSON.
#
# Guess: serde_json::to_string of a value of Luau, and of the serde_json::Value that from_value makes of it, are the same text. What JSON does
# not have, such as bytes, is an error in both. With detect_mixed_tables, which is there so that no entry is lost, the keys of an object differ.
#
# Seen: a text that is not UTF-8, and a buffer, are a list of numbers for to_string, and an error for from_value. A vector has 0.1 in the first
# and 0.10000000149011612 in the second. {[2] = "b"} is {"2": "b"} and an error; with detect_mixed_tables it is [null, "b"] in both. A
# table with the keys 1 and "1" has the key "1" twice in the text of to_string, of which readers keep one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cargo init --quiet --vcs none --name probe
cargo add --quiet mlua@=0.12.2 --features luau,serde
cargo add --quiet serde_json@=1.0.154
cat >src/main.rs <<'RUST'
use mlua::serde::DeserializeOptions;
use mlua::{Lua, LuaSerdeExt, Value};

fn main() {
    let lua = Lua::new();
    let options = DeserializeOptions::new();
    let mixed = DeserializeOptions::new().detect_mixed_tables(true);
    for (code, options, text, by_value) in [
        ("{list = {1, 2}}", &options, r#"{"list":[1,2]}"#, r#"{"list":[1,2]}"#),
        (r"'\255a'", &options, "[255,97]", "refused"),
        ("buffer.fromstring('ab')", &options, "[97,98]", "refused"),
        ("vector.create(0.1, 0, 0)", &options, "[0.1,0.0,0.0]", "[0.10000000149011612,0.0,0.0]"),
        ("{[2] = 'b'}", &options, r#"{"2":"b"}"#, "refused"),
        ("{[2] = 'b'}", &mixed, r#"[null,"b"]"#, r#"[null,"b"]"#),
        ("{[1] = 'a', ['1'] = 'b'}", &mixed, r#"{"1":"a","1":"b"}"#, "refused"),
    ] {
        let value: Value = lua.load(format!("return {code}")).eval().unwrap();
        let is_mixed = std::ptr::eq(options, &mixed);
        let found = serde_json::to_string(&value.to_serializable().detect_mixed_tables(is_mixed)).unwrap();
        let made = lua.from_value_with::<serde_json::Value>(value, options.clone());
        let made = made.map_or("refused".to_owned(), |made| made.to_string());
        println!("{code}{}: {found}, by from_value {made}", if is_mixed { ", mixed" } else { "" });
        assert_eq!((found.as_str(), made.as_str()), (text, by_value));
    }
}
RUST
cargo run --quiet
