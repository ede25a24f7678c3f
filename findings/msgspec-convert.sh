#!/usr/bin/env bash
# msgspec 0.23.0 (PyPI, structs of decoded objects, on Python), its function convert on objects of classes that extend plain ones.
#
# Guess: an object of such a class is taken where the plain class is asked for, and stays what it is, as isinstance says.
#
# Seen: three behaviours. Of int, bytes, list, dict and tuple a plain object is made, and the class is lost. An object of str stays what
# it is. An object of float is refused where float is asked for: a number with a class of its own cannot fill a field of a struct. The
# same object of int is taken for a float.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check msgspec==0.23.0
cat >seen.py <<'PYTHON'
import msgspec


def extends(kind):
    return type("Own", (kind,), {})


class Part(msgspec.Struct):
    size: float


for kind, value, seen in [
    (int, 1, int),
    (bytes, b"a", bytes),
    (list, [1], list),
    (dict, {"a": 1}, dict),
    (tuple, (1,), tuple),
    (str, "a", None),
]:
    own = extends(kind)
    made = msgspec.convert(own(value), kind)
    assert made == value and type(made) is (seen or own), (kind, type(made))

for given, of in [(extends(float)(1.5), float), ({"size": extends(float)(1.5)}, Part)]:
    try:
        msgspec.convert(given, of)
    except msgspec.ValidationError as error:
        assert str(error).startswith("Expected `float`, got `Own`"), error
    else:
        raise AssertionError("it is taken now")
assert msgspec.convert({"size": extends(int)(2)}, Part) == Part(2.0)
print("as seen: the class is lost, kept, or refused")
PYTHON
env/bin/python seen.py
