#!/usr/bin/env bash
# Rojo 7.7.1, `rojo syncback` from a place into files, and `rojo build` from these files. Rojo is compiled, which takes some minutes.
#
# Guess: attributes of all types that Rojo knows come back as they were, but for NaN and infinity, which JSON does not have; numbers
# are written with all digits that are needed.
#
# Seen: the digits are right, but are read with multiplications and divisions that round: one Double in ten between 0 and 1 comes back as
# its neighbour, also 1e-23. Floats, vectors and whole numbers stay. NaN and infinity are written as null, and the whole project is
# refused. A name that begins with RBX is left out; rbx is kept. Attributes with a type that Rojo does not know are kept as bytes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cargo install --quiet --locked --debug --root . rojo@7.7.1 2>install.txt || { cat install.txt; exit 1; }
cat >seen.py <<'PYTHON'
import base64
import json
import random
import re
import shutil
import struct
import subprocess
from pathlib import Path


def attributes(*entries):
    blob = struct.pack("<I", len(entries))
    return blob + b"".join(struct.pack("<I", len(key)) + key.encode() + value for key, value in entries)


def double(number):
    return b"\6" + struct.pack("<d", number)


def rojo(*arguments):
    return subprocess.run(["../bin/rojo", "--color", "never", *arguments], capture_output=True, text=True, cwd="project")


ITEM = '<Item class="{}" referent="{}"><Properties><string name="Name">{}</string>{}</Properties>{}</Item>'
SERIALIZED = '<BinaryString name="AttributesSerialize">{}</BinaryString>'


def again(blobs):
    """The attributes after syncback and build, or the first line of the error of build."""
    shutil.rmtree("project", ignore_errors=True)
    Path("project/src").mkdir(parents=True)
    tree = {"$className": "DataModel", "ReplicatedStorage": {"$path": "src"}}
    Path("project/default.project.json").write_text(json.dumps({"name": "seen", "tree": tree}))
    items = "".join(
        ITEM.format("Configuration", f"I{number}", f"n{number:04}", SERIALIZED.format(base64.b64encode(blob).decode()), "")
        for number, blob in enumerate(blobs)
    )
    storage = ITEM.format("ReplicatedStorage", "R", "ReplicatedStorage", "", items)
    Path("project/in.rbxlx").write_text(f'<roblox version="4">{storage}</roblox>')
    done = rojo("syncback", "default.project.json", "--input", "in.rbxlx", "-y")
    assert done.returncode == 0 and "Finished syncback" in done.stdout + done.stderr, done
    done = rojo("build", "default.project.json", "-o", "out.rbxlx")
    if done.returncode:
        return done.stderr.splitlines()[0]
    text = Path("project/out.rbxlx").read_text()
    found = re.findall(r'"Name">n(\d+)<.*?</Properties>', text, re.DOTALL)
    assert found == sorted(found) and len(found) == len(blobs)
    parts = re.findall(r'"Name">n\d+<.*?</Properties>', text, re.DOTALL)
    value = re.compile(r'"AttributesSerialize">(?:<!\[CDATA\[)?([^<\]]*)')
    return [base64.b64decode((value.search(part) or [b"", b""])[1]) for part in parts]


def all_again(values):
    return [blob[9:] for blob in again([attributes(("k", value)) for value in values])]


drawn = random.Random(1)
numbers = [double(drawn.random()) for _ in range(1000)]
changed = sum(before != after for before, after in zip(numbers, all_again(numbers)))
print(f"{changed} of 1000 doubles come back as others")
assert 50 < changed < 200
assert all_again([double(1e-23)]) == [double(1.0000000000000001e-23)]
assert all_again([double(0.9590727554976809)]) == [double(0.9590727554976808)]

kept = [double(0.1), double(5e9), double(1e22), double(-0.0), b"\4" + struct.pack("<i", 16777217)]
kept += [b"\5" + struct.pack("<f", drawn.uniform(-1e6, 1e6)) for _ in range(500)]
kept += [b"\x11" + struct.pack("<3f", *(drawn.random() for _ in range(3))) for _ in range(100)]
kept += [b"\2" + struct.pack("<I", 2) + b"\xff\0", b"\2" + struct.pack("<I", 3) + b"a\r\n"]
kept += [b"\7\0\0\0\0", b"\x0e\4\0\0\0"]
assert all_again(kept) == kept

for value in [double(float("nan")), double(float("inf")), b"\x10" + struct.pack("<2f", float("-inf"), 0)]:
    error = again([attributes(("k", value)), attributes(("k", b"\3\1"))])
    assert isinstance(error, str), error
    assert "null" in "".join(path.read_text() for path in Path("project/src").rglob("*.json"))
print("NaN and infinities are null, and the next build fails:", error)

assert again([attributes(("RBX_a", b"\3\1"), ("b", b"\3\1"))]) == [attributes(("b", b"\3\1"))]
assert again([attributes(("Rbx", b"\3\1"), ("rbx", b"\3\1"))]) == [attributes(("Rbx", b"\3\1"), ("rbx", b"\3\1"))]
print("RBX_a is left out")
PYTHON
python3 seen.py
