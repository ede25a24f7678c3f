#!/usr/bin/env bash
# slpp 1.2.3 (PyPI, Lua tables as Python data, on Python 3.11), beside Lua 5.4 as lupa 2.8 has it.
#
# Guess: tables that Lua reads are read with the same values, or refused with an error; texts and numbers that the library writes, Lua
# reads as they were.
#
# Seen: other values come out of valid tables, and no error. Of {1e3} the 1 is lost: it is 3 (a line on standard output speaks of a
# malformed number). {[0]=1,[1]=2} is a list, so that both values move by one key. Blanks inside the brackets of a key make the bracket
# the key: { [ "a" ] = 1 } has the key "]". Semicolons are not separators: {1;2;3} is one text. No escape but \" is decoded: "a\nb" and
# "\065" keep their backslashes. math.huge becomes a text. In the other direction, a backslash is written as it is, so that Lua reads
# another text (b\n becomes b and a line end), and a line end is written bare, which Lua refuses.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check slpp==1.2.3 lupa==2.8 six
cat >"$folder/run.py" <<'PYTHON'
import contextlib
import io

from lupa.lua54 import LuaError, LuaRuntime
from slpp import slpp

lua = LuaRuntime(encoding="latin-1")


def read(text):
    with contextlib.redirect_stdout(io.StringIO()):
        return slpp.decode(text)


def by_lua(text):
    """What Lua reads: a table as the list of its pairs."""
    value = lua.execute("return " + text)
    return list(value.items()) if hasattr(value, "items") else value


# a table, what Lua reads, what slpp reads
for text, right, seen in [
    ("{1e3}", [(1, 1000.0)], [3]),
    ("{[0]=1,[1]=2}", [(1, 2), (0, 1)], [1, 2]),
    ('{ [ "a" ] = 1 }', [("a", 1)], {"]": 1}),
    ("{1;2;3}", [(1, 1), (2, 2), (3, 3)], [";3"]),
    (r'{"a\nb"}', [(1, "a\nb")], [r"a\nb"]),
    (r'{"\065"}', [(1, "A")], [r"\065"]),
    ("{math.huge}", [(1, float("inf"))], [".huge"]),
]:
    assert sorted(by_lua(text)) == sorted(right), (text, by_lua(text))
    assert read(text) == seen, (text, read(text))
    print(f"{text}: Lua reads {right}, slpp reads {seen}")

written = slpp.encode({"a": "b\\n"})
assert dict(by_lua(written)) == {"a": "b\n"}, written
print(f"the text b\\n is written as {written!r}, of which Lua reads b and a line end")
try:
    by_lua(slpp.encode({"a": "x\ny"}))
    raise SystemExit("Lua reads a line end in a text")
except LuaError as error:
    assert "unfinished string" in str(error), error
    print("a text with a line end is written so that Lua says:", str(error).split(": ")[-1])
PYTHON
"$folder/venv/bin/python" "$folder/run.py"
