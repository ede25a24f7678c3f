#!/usr/bin/env bash
# Three readers of INI files, which Godot says its ConfigFile is like: configparser of Python 3.11 or newer, ini 6.0.0 (npm, Node 20 or
# newer) and rust-ini 0.21.3 (crates.io), on files that Godot 4 writes or reads.
#
# Guess: each reads what is on one line, with its quotes or without, and refuses a value of several lines. Written again by the same
# library, Godot reads the same texts, numbers and lists.
#
# Seen: only rust-ini reads a text of several lines. To the other two, a line [two] of it begins a section, which gets the settings that
# follow. In rust-ini the key after a dictionary begins with }. Level 5 and the text "5" are the same for ini and rust-ini, which write
# both without quotes, and ini puts quotes around a list: in Godot the types are others. rust-ini reads "\u00e9" as u00e9.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >text.cfg <<'CFG'
[player]

level=5
code="5"
list=[1, 2]
notes="one
[two]
three=3"
speed=1.5
CFG
printf '[player]\n\nname="\\u00e9"\nitems={\n"sword": 1\n}\nafter=7\n' >dictionary.cfg
python3 - <<'PYTHON'
from configparser import ConfigParser, ParsingError

file = ConfigParser(interpolation=None)
file.read("text.cfg")
assert file["player"]["code"] == '"5"' and file["player"]["notes"] == '"one'
assert dict(file["two"]) == {"three": '3"', "speed": "1.5"}
print("configparser: speed is in the section", file.sections()[1])
try:
    file.read("dictionary.cfg")
    raise SystemExit("configparser reads a dictionary")
except ParsingError:
    print("configparser: a dictionary is refused")
PYTHON
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund ini@6.0.0
cat >run.mjs <<'JS'
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import ini from "ini";

const file = ini.parse(readFileSync("text.cfg", "utf8"));
assert.deepEqual({ ...file.player }, { level: "5", code: "5", list: "[1, 2]", notes: '"one' });
assert.deepEqual({ ...file.two }, { three: '3"', speed: "1.5" });
const lines = ini.stringify(file).split("\n");
assert(lines.includes("level=5") && lines.includes("code=5") && lines.includes('list="[1, 2]"'));
console.log("ini: speed is in the section two; written again:", lines.slice(1, 4).join(" "));
JS
node run.mjs
cargo init --quiet --vcs none --name seen
cargo add --quiet rust-ini@=0.21.3
cat >src/main.rs <<'RUST'
use ini::Ini;

fn main() {
    let file = Ini::load_from_file("text.cfg").unwrap();
    let player = file.section(Some("player")).unwrap();
    assert_eq!(player.get("notes"), Some("one\n[two]\nthree=3"));
    let mut written = Vec::new();
    file.write_to(&mut written).unwrap();
    let written = String::from_utf8(written).unwrap();
    assert!(written.contains("level=5\ncode=5\n") && written.contains("notes=one\\n[two]"));
    println!("rust-ini: a text of several lines is read; written again: {:?}", written.lines().nth(2).unwrap());

    let file = Ini::load_from_file("dictionary.cfg").unwrap();
    let player: Vec<_> = file.section(Some("player")).unwrap().iter().collect();
    assert_eq!(player, [("name", "u00e9"), ("items", "{"), ("\"sword\"", "1"), ("}\nafter", "7")]);
    println!("rust-ini: {player:?}");
}
RUST
cargo run --quiet
