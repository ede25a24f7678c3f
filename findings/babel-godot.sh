#!/usr/bin/env bash
# Babel-Godot 1.2 (PyPI, finds texts to translate in scenes and resources of Godot, for Babel), on scenes as Godot 4 writes them.
#
# Guess: every text of a property that is asked for is found, whatever is around it, and nothing else; an unknown form is an error.
#
# Seen: a text, also of several lines, and a plain list of texts are found. Not found, without an error: a PackedStringArray, the form of
# Godot 4 for such lists; a StringName, &"name". A property whose name has a slash, such as popup/item_0/text of a menu, cannot be asked
# for.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check Babel-Godot==1.2
cat >seen.py <<'PYTHON'
from io import BytesIO

from babel_godot import extract_godot_scene


def found(properties, keywords=("Label/text",)):
    scene = f'[gd_scene format=3]\n\n[node name="Node" type="Label"]\n{properties}\n'
    return [text for _, _, texts, _ in extract_godot_scene(BytesIO(scene.encode()), keywords, (), {}) for text in texts]


assert found('text = "a\nb"') == ["a\nb"] and found('text = "\\"a\\""') == ['"a"'] and found('text = ["a", "b"]') == ["a", "b"]
print("found: a text, and a list")
for given, keyword in (
    ('text = PackedStringArray("a", "b")', "Label/text"),
    ('title = &"a"', "Label/title"),
    ('popup/item_0/text = "a"', "Label/popup/item_0/text"),
    ('popup/item_0/text = "a"', "text"),
):
    assert found(given, [keyword]) == [], given
    print(f"not found: {keyword} in {given}")
PYTHON
venv/bin/python seen.py
