#!/usr/bin/env bash
# sm-blueprint-lib 0.0.17 (PyPI, blueprints of Scrap Mechanic; it needs Python 3.12: python3.12, or what PYTHON names), a blueprint
# that is loaded and saved.
#
# Guess: a logic gate whose controller has `data`, where the game keeps what a script stores, is saved as it was, or refused.
#
# Seen: the whole controller becomes the mode of a new controller with a new id, without an error, so that what is connected to the gate
# leads nowhere and the data is not where the game looks for it. Without `data` the gate is saved as it was. Any part that the
# library has no class for is a KeyError.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3.12}" -m venv env
env/bin/pip install --quiet --disable-pip-version-check sm-blueprint-lib==0.0.17
cat >seen.py <<'PYTHON'
import json

from sm_blueprint_lib import dump_string_from_blueprint, load_blueprint_from_string

GATE = "9f0f56e8-2c31-4d83-996c-d00a9b296c3f"
WOOD = "df953d9c-234f-4ac2-af5e-f0490b223e71"


def part(shape, **members):
    return {"color": "DF7F01", "pos": {"x": 0, "y": 0, "z": 0}, "shapeId": shape, "xaxis": -2, "zaxis": -1, **members}


def again(child):
    text = json.dumps({"bodies": [{"childs": [child]}], "version": 4})
    return json.loads(dump_string_from_blueprint(load_blueprint_from_string(text)))["bodies"][0]["childs"][0]


controller = {"active": False, "controllers": [{"id": 7}], "id": 5, "joints": None, "mode": 1}
assert again(part(GATE, controller=controller))["controller"] == controller
with_data = {**controller, "data": "gExVQQAAAAEFBQDAAgAAAAIAbW9kZQgC"}
seen = again(part(GATE, controller=with_data))["controller"]
assert "data" not in seen and seen["id"] != 5 and seen["controllers"] is None and seen["mode"]["id"] == 5, seen
print("with data, the gate is saved as", seen)
try:
    again(part(WOOD, bounds={"x": 1, "y": 1, "z": 1}))
except KeyError as error:
    print("wood is refused: KeyError", error)
else:
    raise AssertionError("wood is loaded now")
PYTHON
env/bin/python seen.py
