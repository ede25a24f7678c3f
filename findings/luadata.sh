#!/usr/bin/env bash
# luadata 1.0.5 (PyPI, serialises and reads Lua tables, on Python 3.11), beside Lua 5.4 as lupa 2.8 has it.
#
# Guess: what the library writes without an error, it reads back, and Lua reads it with the same values.
#
# Seen: it writes floats with an exponent (1e+22, 1e-07), true and nil inside a dict or list, and cannot read any of them: an error at the
# character after. A dict with True as a key is written as a list: its key is then 1. A value that it does not know, such as a tuple or
# bytes, is written as nothing at all: {a=} is no Lua. A key that is a word of Lua is written bare: {end=1} is no Lua either, but the
# library reads it. An empty dict comes back as a list, and so does {1: "a", 2: "b"}. When it reads what Lua wrote, no escape but \" , \\
# and a backslash before a line end is decoded: "a\nb" keeps its backslash.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check luadata==1.0.5 lupa==2.8
cat >"$folder/run.py" <<'PYTHON'
import luadata
from lupa.lua54 import LuaError, LuaRuntime

lua = LuaRuntime()


def is_lua(text):
    try:
        lua.execute("return " + text)
        return True
    except LuaError:
        return False


def read(text):
    try:
        return luadata.unserialize(text)
    except Exception as error:
        return str(error).split(":")[0]


# a value, its text, whether Lua takes that, what the library reads of it
for value, text, valid, seen in [
    ({"a": 1e22}, "{a=1e+22}", True, "Unserialize luadata failed on pos 6"),
    ({"a": 1e-7}, "{a=1e-07}", True, "Unserialize luadata failed on pos 6"),
    ({"a": True, "b": None}, "{a=true,b=nil}", True, None),
    ({True: 1}, "{1}", True, [1]),
    ({"a": (1, 2)}, "{a=}", False, None),
    ({"a": b"x"}, "{a=}", False, None),
    ({"end": 1}, "{end=1}", False, {"end": 1}),
    ({}, "{}", True, []),
    ({1: "a", 2: "b"}, '{"a","b"}', True, ["a", "b"]),
]:
    written = luadata.serialize(value)
    assert written == text, written
    assert is_lua(text) == valid, text
    back = read(text)
    if seen is None or isinstance(seen, str):
        assert isinstance(back, str) and back.startswith("Unserialize luadata failed"), back
    else:
        assert back == seen and type(back) is type(seen), back
    print(f"{value!r} is written as {text}: {'Lua' if valid else 'no Lua'}, read back as {back!r}")

text = r'{"a\nb"}'
assert lua.execute("return " + text)[1] == "a\nb"
assert read(text) == [r"a\nb"], read(text)
print(f"{text}: Lua reads a line end, luadata a backslash")
PYTHON
"$folder/venv/bin/python" "$folder/run.py"
