#!/usr/bin/env bash
# pyfastlz-native 0.0.1 (PyPI, FastLZ in Python), on blocks that pyfastlz 0.0.1 (PyPI, the reference in C) wrote; both put the length first.
# Godot has the same blocks in its compressed files.
#
# Guess: a block of either level gives the bytes that were compressed. The level is in its first byte, and the package reads both.
#
# Seen: all of level 1 is right. Of blocks of level 2, which the reference chooses from 65536 bytes on, some give other bytes of the right
# length, without an error, and the others are an IndexError. fastlz5 0.0.1.4, another package of PyPI, fails in every call with a
# SystemError since Python 3.10.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyfastlz==0.0.1 pyfastlz-native==0.0.1 fastlz5==0.0.1.4
cat >seen.py <<'PYTHON'
import sys

import fastlz
import fastlz5
from fastlz_native import fastlz_decompress


def read(data, level):
    packed = fastlz.compress(data, level)
    assert packed[:4] == len(data).to_bytes(4, "little") and packed[4] >> 5 == level - 1
    assert fastlz.decompress(packed) == data
    try:
        return fastlz_decompress(packed)
    except IndexError as error:
        return repr(error)


words = b"hello world " * 9000
ramp = b"".join((number // 7).to_bytes(4, "little") for number in range(30000))
runs = bytes(5000)
for data in (words, ramp, runs):
    assert read(data, 1) == data
print("level 1: the bytes that were compressed")

assert fastlz.compress(words)[4] >> 5 == 1 and fastlz.compress(words[:65535])[4] >> 5 == 0
for data in (words, ramp):
    found = read(data, 2)
    first = next(at for at in range(len(data)) if data[at] != found[at])
    assert len(found) == len(data)
    print(f"level 2: {len(found)} bytes, other ones from byte {first} on")
assert read(runs, 2) == "IndexError('bytearray index out of range')"
print("level 2 of zeros:", read(runs, 2))

if sys.version_info >= (3, 10):
    try:
        print(fastlz5.compress(words))
    except SystemError as error:
        print("fastlz5:", error)
    else:
        raise SystemExit("fastlz5 works")
PYTHON
venv/bin/python seen.py
