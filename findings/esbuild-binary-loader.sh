#!/usr/bin/env bash
# esbuild 0.28.2 (npm), which puts a WebAssembly module into a bundle for Node by `--loader:.wasm=binary`, on Node 20 or newer.
#
# Guess: `--platform=node` is enough for a bundle that the Node which runs esbuild can run.
#
# Seen: without `--target`, the bytes are read by `Uint8Array.fromBase64`, which Node has had since version 25: Node 20 and 22 end
# with "Uint8Array.fromBase64 is not a function" when the bundle starts. With `--target=node20` the bundle takes `Buffer` where that is
# missing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund esbuild@0.28.2
printf '\0asm\1\0\0\0' >empty.wasm
cat >run.mjs <<'JS'
import bytes from "./empty.wasm";
console.log(new WebAssembly.Module(bytes) instanceof WebAssembly.Module);
JS
bundle() { npx --no-install esbuild run.mjs --bundle --platform=node --loader:.wasm=binary --log-level=warning "$@"; }
bundle --outfile=default.cjs
bundle --outfile=node20.cjs --target=node20
grep -q 'Uint8Array.fromBase64(' default.cjs
grep -q 'Uint8Array.fromBase64 ||' node20.cjs
test "$(node node20.cjs)" = true
if node -e 'process.exit(Uint8Array.fromBase64 ? 0 : 1)'; then
    echo "this Node has Uint8Array.fromBase64, so that both bundles run"
else
    { node default.cjs 2>&1 || true; } | grep -o 'Uint8Array.fromBase64 is not a function'
fi
