#!/usr/bin/env bash
# lz4js 0.2.0 (npm, LZ4 in JavaScript, on Node 20 or newer), reading frames that lz4 4.4.5 (PyPI, the reference library) wrote.
#
# Guess: every valid frame gives its content, or an error if it uses a part of the format that the library lacks.
#
# Seen: of a frame with checksums after its blocks, the result is other bytes of another length, without an error: of 600 bytes of text
# come 37 bytes. Content checksums and sizes are passed over correctly. Of two frames in one file only the first is read, without a
# word about the rest. A skippable frame before the data, which readers are to pass over, is an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check lz4==4.4.5
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund lz4js@0.2.0
venv/bin/python - <<'PYTHON'
import struct
from pathlib import Path

import lz4.frame
from lz4.frame import compress, decompress

one, other = b"hello " * 100, b"world " * 100
skippable = struct.pack("<II", 0x184D2A50, 4) + b"data"
frames = {
    "plain": compress(one),
    "content": compress(one, content_checksum=True),
    "blocks": compress(one, block_checksum=True),
    "two": compress(one) + compress(other),
    "skippable": skippable + compress(one),
}
assert decompress(frames["blocks"]) == one
for name, frame in frames.items():
    Path(name).write_bytes(frame)
with lz4.frame.open("two") as file:
    assert file.read() == one + other
PYTHON
cat >run.js <<'JS'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const { decompress } = require("lz4js");

const read = (name) => Buffer.from(decompress(readFileSync(name))).toString("latin1");
const text = "hello ".repeat(100);
assert.equal(read("plain"), text);
assert.equal(read("content"), text);
assert.equal(read("blocks").length, 37);
assert.notEqual(read("blocks"), text.slice(0, 37));
console.log("with checksums of blocks: 37 other bytes in place of 600");
assert.equal(read("two"), text);
console.log("of two frames: only the first");
assert.throws(() => read("skippable"), /invalid magic number/);
console.log("after a skippable frame: invalid magic number");
JS
node run.js
