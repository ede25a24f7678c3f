#!/usr/bin/env bash
# godot-project-parser 0.1.0 (PyPI, parser and editor of project.godot).
#
# Guess: a project.godot that Godot writes is read, or refused for a value of an unknown type; what is read and dumped again is the same.
#
# Seen: texts, numbers, input events and PackedStringArray are kept. The file as a whole is refused for one text with a line end, a vector
# or colour, &"name", or an empty PackedStringArray(). An int key of a dictionary becomes a text without an error. inf is
# dumped as Infinity, and a key in quotes without them, which Godot does not read. 1970-01-01 is read as a date, which dumps refuses: it
# is a parser of TOML with additions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check godot-project-parser==0.1.0
cat >seen.py <<'PYTHON'
from godot_project_parser import TOMLDecodeError, dumps, loads


def again(value):
    """The text of a setting that was read and dumped."""
    text = dumps(loads(f"config_version=5\n\n[section]\n\n{value}\n"))
    return text.split("\n[section]\n")[-1].strip()


event = 'move={\n"deadzone": 0.2,\n"events": [Object(InputEventKey,"device":-1,"keycode":87,"script":null)\n]\n}'
for kept in ('name="a \\"b\\""', "gravity=9.8", "size.mobile=640", 'features=PackedStringArray("4.6", "Mobile")', event):
    assert again(kept) == kept, again(kept)
print("texts, numbers and events are kept")

for refused in ('text="a\nb"', "size=Vector2i(1, 2)", "color=Color(0, 0, 0, 1)", 'name=&"a"', "list=PackedStringArray()", "ids=PackedInt32Array(1)"):
    try:
        raise SystemExit(f"{refused} is read as {again(refused)}")
    except TOMLDecodeError as error:
        print("refused:", refused.replace("\n", " "), "-", error)

for given, seen in (("names={\n1: 2\n}", 'names={\n"1": 2\n}'), ("limit=inf", "limit=Infinity"), ('"a b"=1', "a b=1")):
    assert again(given) == seen, again(given)
    print("changed:", given.replace("\n", " "), "-", seen.replace("\n", " "))
PYTHON
venv/bin/python seen.py
