#!/usr/bin/env bash
# construct 2.10.70 (PyPI, binary formats as Python objects), bytes that are parsed and built again.
#
# Guess: a Flag of 2 becomes 1, and what a Prefixed part has beyond its content is passed over: that was right. A VarInt that is longer than
# it has to be is refused, and what else is parsed without an error is built as it was, as Enum keeps numbers that have no name.
#
# Seen: Enum keeps them, and FlagsEnum drops the bits that have no name: 0x87 becomes 0x03. A Flag of 2 becomes 1. What a Prefixed part has
# beyond its content is dropped, and its length with it. A VarInt of three bytes for a zero becomes one byte. Of a float of
# 32 bits a signalling NaN becomes a quiet one. In the other direction, a RepeatUntil writes the items up to the first that
# ends it, and drops the rest of the list; a zero inside a CString is written, and ends the text when it is read. There is no error in any of these.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check construct==2.10.70
cat >seen.py <<'PYTHON'
from construct import Byte, CString, Enum, Flag, FlagsEnum, Float32l, Prefixed, RepeatUntil, Struct, VarInt


def again(name, description, bytes, expected):
    value = description.parse(bytes)
    built = description.build(value)
    print(f"{name}: {bytes.hex()} is built as {built.hex()}")
    assert built.hex() == expected, name


again("Enum", Enum(Byte, one=1), b"\x05", "05")
again("FlagsEnum", FlagsEnum(Byte, one=1, two=2), b"\x87", "03")
again("Flag", Flag, b"\x02", "01")
again("Prefixed", Struct("part" / Prefixed(Byte, Byte), "next" / Byte), b"\x03\x01\x02\x03\x04", "010104")
again("VarInt", VarInt, b"\x80\x80\x00", "00")
again("quiet NaN", Float32l, bytes.fromhex("0500c07f"), "0500c07f")
again("signalling NaN", Float32l, bytes.fromhex("0500807f"), "0500c07f")

until_zero = RepeatUntil(lambda item, items, context: item == 0, Byte)
assert until_zero.build([1, 0, 2]) == b"\x01\x00"
print("RepeatUntil: [1, 0, 2] is built as 0100")
named = Struct("name" / CString("utf8"), "next" / CString("utf8"))
read = named.parse(named.build({"name": "a\0b", "next": "c"}))
assert (read.name, read.next) == ("a", "b")
print("CString: 'a\\0b' and 'c' are read as 'a' and 'b'")
PYTHON
venv/bin/python seen.py
