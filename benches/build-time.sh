#!/usr/bin/env bash
# What the library alone costs to build, clean and optimised: with the formats of all games, and with those of one game.
#   benches/build-time.sh                  all games, then each alone
#   benches/build-time.sh FEATURES ...     these features, such as `roblox` or `roblox,json`
# The time of the processor says more than that of the clock, where other programs run too.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo fetch --quiet # the network is no part of it
target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT

printf '%-30s %10s %10s %7s %15s\n' features 'processor' 'clock' crates rlib
if [ $# = 0 ]; then set -- roblox,godot,scrap_mechanic roblox godot scrap_mechanic; fi
for features; do
    rm -rf "${target:?}"/*
    TIMEFORMAT='%U %S %R'
    times=$({ time cargo build --release --lib --no-default-features --features "$features" --target-dir "$target" \
        2> "$target/messages"; } 2>&1) || { cat "$target/messages" >&2; exit 1; }
    read -r user system clock <<< "$times"
    printf '%-30s %8.1f s %8.1f s %7d %9d bytes\n' "$features" "$(awk "BEGIN { print $user + $system }")" "$clock" \
        "$(grep -c '^ *Compiling ' "$target/messages")" "$(wc -c < "$target/release/libenginewire.rlib")"
done
