#!/usr/bin/env bash
# luaparser 4.2.0 (PyPI, a parser and printer of Lua, on Python 3.11), beside Lua 5.4 as lupa 2.8 has it.
#
# Guess: the text that the library prints of a tree is a program with the same values; only blanks and comments may differ.
#
# Seen: other values, without an error. - -1 is printed as --1, which begins a comment, so that the table is empty. Lines inside a text
# in long brackets, and after a backslash at the end of a line, are indented like code, and the blanks are part of the text then. The
# level of long brackets is lost: [==[a]]b]==] becomes [[a]]b]], which is no Lua. 0xffffffffffffffff is printed in decimal, which Lua
# reads as a float: the integer -1 becomes 18446744073709551616.0. A hexadecimal float such as 0x.8p1 is an error of Python.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check luaparser==4.2.0 lupa==2.8
cat >"$folder/run.py" <<'PYTHON'
from lupa.lua54 import LuaError, LuaRuntime
from luaparser import ast

lua = LuaRuntime(encoding="latin-1")


def printed(text):
    return ast.to_lua_source(ast.parse("return " + text))


# a table with one value, what Lua reads, and what it reads of the text that is printed
for text, right, seen in [
    ("{- -1}", 1, None),
    ("{[[\nlong]]}", "long", "    long"),
    ('{"a\\\nb"}', "a\nb", "a\n    b"),
    ("{0xffffffffffffffff}", -1, 18446744073709551616.0),
]:
    assert lua.execute("return " + text)[1] == right, text
    again = lua.execute(printed(text))[1]
    assert again == seen and type(again) is type(seen), (text, again)
    print(f"{text!r}: Lua reads {right!r}, and of the printed text {seen!r}")

text = "{[==[a]]b]==]}"
assert lua.execute("return " + text)[1] == "a]]b"
try:
    lua.execute(printed(text))
    raise SystemExit("the level of long brackets is kept")
except LuaError:
    print(f"{text}: printed as {printed(text)!r}, which Lua refuses")

assert lua.execute("return {0x.8p1}")[1] == 1.0
try:
    printed("{0x.8p1}")
    raise SystemExit("hexadecimal floats are read")
except ValueError as error:
    print("{0x.8p1}: ValueError:", error)
PYTHON
"$folder/venv/bin/python" "$folder/run.py"
