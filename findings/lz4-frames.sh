#!/usr/bin/env bash
# py-lz4framed 0.14.0 (PyPI) and lz4-napi 2.10.0 (npm, Node 20 or newer), reading LZ4 frames that lz4 4.4.5 (PyPI) wrote.
#
# Guess: a valid file gives its content, or an error: of two frames both, and a skippable frame, which may be anywhere, is passed over.
#
# Seen: py-lz4framed gives no bytes, without an error, if a skippable frame comes before the data. Of two frames both packages give the
# first, without a word about the rest. lz4-napi says "SkippableFrame" for a skippable frame. Linked and independent blocks,
# checksums, and frames without a size are read by both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check lz4==4.4.5 py-lz4framed==0.14.0
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund lz4-napi@2.10.0
cat >seen.py <<'PYTHON'
import struct
from pathlib import Path

import lz4.frame
import lz4framed
from lz4.frame import compress

one, other = bytes(range(256)) * 1000, b"world " * 100
skippable = struct.pack("<II", 0x184D2A50, 4) + b"data"
frames = {
    "linked": compress(one, block_linked=True, block_size=lz4.frame.BLOCKSIZE_MAX64KB),
    "independent": compress(one, block_linked=False, block_size=lz4.frame.BLOCKSIZE_MAX64KB),
    "checksums": compress(one, content_checksum=True, block_checksum=True, store_size=False),
    "two": compress(one) + compress(other),
    "skippable": skippable + compress(one),
}
for name, frame in frames.items():
    Path(name).write_bytes(frame)
    with lz4.frame.open(name) as file:
        assert file.read() == one + (other if name == "two" else b"")
    found = lz4framed.decompress(frame)
    assert found == (b"" if name == "skippable" else one), name
    print(f"py-lz4framed, {name}: {len(found)} bytes")
PYTHON
venv/bin/python seen.py
cat >run.js <<'JS'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const { decompressFrameSync } = require("lz4-napi");

const one = Buffer.from(Array.from({ length: 256000 }, (_, at) => at % 256));
for (const name of ["linked", "independent", "checksums", "two"]) {
  assert(decompressFrameSync(readFileSync(name)).equals(one), name);
  console.log(`lz4-napi, ${name}: ${one.length} bytes`);
}
assert.throws(() => decompressFrameSync(readFileSync("skippable")), /SkippableFrame/);
console.log("lz4-napi, skippable: refused");
JS
node run.js
