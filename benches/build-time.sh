#!/usr/bin/env bash
# What the values cost to build, clean and optimised: with the formats of all games, with those of each game alone, and
# for a program that decodes a value of one format. What is generic is compiled where it is used: in the program.
#   benches/build-time.sh                  all of these
#   benches/build-time.sh FEATURES ...     the package with these features, such as `roblox` or `roblox,text`
# The time of the processor says more than that of the clock, where other programs run too.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo fetch --quiet # the network is no part of it
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CARGO_TARGET_DIR="$folder/target"

printf '%-36s %10s %10s %7s %15s\n' 'what is built' processor clock crates size

# build NAME FILE OPTION ...: the row of what cargo builds with these options, and the size of a file that it makes
build() {
    local name=$1 file=$2 times
    rm -rf "$CARGO_TARGET_DIR"
    TIMEFORMAT='%U %S %R'
    times=$({ time cargo build --release "${@:3}" 2>"$folder/messages"; } 2>&1) || { cat "$folder/messages" >&2; exit 1; }
    read -r user system clock <<<"$times"
    printf '%-36s %8.1f s %8.1f s %7d %9d bytes\n' "$name" "$(awk "BEGIN { print $user + $system }")" "$clock" \
        "$(grep -c '^ *Compiling ' "$folder/messages")" "$(wc -c <"$CARGO_TARGET_DIR/release/$file")"
}

library() { build "$1" libenginewire.rlib -p enginewire --lib --no-default-features --features "$1"; }

# program GAME MODULE
program() {
    mkdir -p "$folder/program/src"
    cp Cargo.lock "$folder/program"
    cat >"$folder/program/Cargo.toml" <<TOML
[package]
name = "program"
edition = "2021"
[dependencies]
enginewire = { path = "$PWD", default-features = false, features = ["$1"] }
TOML
    cat >"$folder/program/src/main.rs" <<RUST
fn main() {
    let input = std::fs::read(std::env::args_os().nth(1).expect("a file")).expect("the file can be read");
    println!("{:?}", enginewire::$2::decode(&input));
}
RUST
    build "a program with $2" program --offline --manifest-path "$folder/program/Cargo.toml"
}

if [ $# -gt 0 ]; then
    for features; do library "$features"; done
    exit
fi
for features in roblox,godot,scrap_mechanic roblox godot scrap_mechanic; do library "$features"; done
program roblox roblox::attributes
program roblox roblox::remote
program godot godot::v4
program scrap_mechanic scrap_mechanic::lua_object
