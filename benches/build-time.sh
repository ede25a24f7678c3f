#!/usr/bin/env bash
# What the library alone costs to build: clean, optimised, with default features.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo fetch --quiet # the network is no part of it
target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT

start=${EPOCHREALTIME//[^0-9]/}
cargo build --release --lib --target-dir "$target" 2> "$target/messages" || { cat "$target/messages" >&2; exit 1; }
end=${EPOCHREALTIME//[^0-9]/}

milliseconds=$(((end - start) / 1000))
printf 'time    %d.%03d s\n' $((milliseconds / 1000)) $((milliseconds % 1000))
printf 'crates  %d\n' "$(grep -c '^ *Compiling ' "$target/messages")"
printf 'rlib    %d bytes\n' "$(wc -c < "$target/release/libenginewire.rlib")"
