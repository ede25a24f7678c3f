#!/usr/bin/env bash
# godot_parser 0.1.7 (PyPI, scenes and resources of Godot as text, on Python 3.11).
#
# Guess: a valid text resource comes back from parse and str with the same values, and its spaces at most differ; what the library does
# not know, such as typed arrays of Godot 4, is an error.
#
# Seen: typed arrays, &"names", inf and nan are errors. But texts change without one. A tab inside a text becomes spaces up to the next
# column of 8, so that their number depends on the place of the value in its line. A letter that is not ASCII is written as \u and four
# digits, of which the library itself reads u and the digits: of é the second save has u00e9. A letter beyond 16 bits becomes two such
# groups. The quotes of a key are not written: "a b" = 1 becomes a b = 1, which is no assignment for the library either.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check godot_parser==0.1.7 pyparsing==3.2.5
cat >"$folder/run.py" <<'PYTHON'
from godot_parser import parse
from pyparsing.exceptions import ParseException

HEAD = '[gd_resource type="Resource" format=3]\n\n[resource]\n'


def saved(line):
    """The line of a property after its file is read and written."""
    return str(parse(HEAD + line + "\n")).strip().split("\n")[-1]


def refused(line):
    try:
        saved(line)
        return False
    except ParseException:
        return True


for line in ["p = Array[int]([1, 2])", 'p = &"name"', "p = inf", "p = nan"]:
    assert refused(line), line
    print(f"{line}: refused")

# a line, and what it is after each of two saves
for line, once, twice in [
    ('p = "a\tb"', 'p = "a  b"', 'p = "a  b"'),
    ('long = "a\tb"', 'long = "a       b"', 'long = "a       b"'),
    ('p = "é"', r'p = "\u00e9"', 'p = "u00e9"'),
    ('p = "𝄞"', r'p = "\ud834\udd1e"', 'p = "ud834udd1e"'),
]:
    assert saved(line) == once, (line, saved(line))
    assert saved(once) == twice, (line, saved(once))
    print(f"{line!r}: saved as {once!r}, and then as {twice!r}")

line = '"a b" = 1'
assert saved(line) == "a b = 1", saved(line)
assert refused(saved(line)), line
print(f"{line}: saved as {saved(line)}, which is refused")
PYTHON
"$folder/venv/bin/python" "$folder/run.py"
