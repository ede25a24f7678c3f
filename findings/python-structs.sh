#!/usr/bin/env bash
# dissect.cstruct 4.7 and leb128 1.0.9 (PyPI, structs as C declares them, and numbers of 7 bits a byte).
#
# Guess: a text too long for char s[4], an array with more items than the count before it says, and a number too large for its bits are
# errors, as a number too large for an int24 is. decode of leb128 ends at the byte that says so.
#
# Seen: a text of 2 letters is filled with zeros to 4, and one of 6 letters is written as it is. So is an array of 2 items after the
# count 1: the fields that follow are read from the wrong place. Of 9 in a field of 3 bits the upper bit goes into the next field.
# decode of leb128 takes all bytes of its input for one number: 01 02 is 257. decode_reader reads 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check dissect.cstruct==4.7 leb128==1.0.9
cat >seen.py <<'PYTHON'
import io

import leb128
from dissect.cstruct import cstruct

structs = cstruct(endian="<")
structs.load("""
struct Text { char s[4]; uint8 next; };
struct List { uint8 n; uint16 items[n]; uint8 next; };
struct Bits { uint16 three:3; uint16 more:13; };
struct Int { int24 number; };
""")


def show(name, found, expected):
    print(f"{name}: {found}")
    assert found == expected, name


show("ab in 4 letters", structs.Text(s=b"ab", next=7).dumps().hex(), "6162000007")
show("abcdef in 4 letters", structs.Text(s=b"abcdef", next=7).dumps().hex(), "61626364656607")
again = structs.List(structs.List(n=1, items=[1, 2], next=7).dumps())
show("1 of 2 items", (list(again.items), again.next), ([1], 2))
again = structs.Bits(structs.Bits(three=9, more=0).dumps())
show("9 in 3 bits", (again.three, again.more), (1, 1))
try:
    structs.Int(number=2**23).dumps()
    raise SystemExit("an int24 takes 2 ** 23")
except OverflowError:
    print("2 ** 23 in an int24: refused")
show("leb128 of 01 02", leb128.u.decode(b"\x01\x02"), 257)
show("leb128 of 01 02 as a stream", leb128.u.decode_reader(io.BytesIO(b"\x01\x02")), (1, 1))
PYTHON
venv/bin/python seen.py
