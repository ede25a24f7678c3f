#!/usr/bin/env bash
# lua-json 1.0.1 (npm, JSON to Lua tables and back), beside fengari 0.1.5, which is Lua 5.3 in JavaScript.
#
# Guess: what format writes without an error is Lua, and parse reads it back; parse reads a table as Lua does, or refuses it.
#
# Seen: format escapes nothing in a text but quotes. A text with a line end, or one that ends with a backslash, gives text that neither
# Lua nor parse takes; b\n becomes b and a line end. A key that is a word of Lua is written bare, {end = 1}. Infinity and NaN are written
# as names, which Lua reads as nil; a Map and a Date become an empty table. parse leaves the escapes \065 and \x41 as they are, makes
# one of the keys 1 and "1" and drops the value of the first, and turns {1, x = 2} into [1, ["x", 2]]. A nil in a list is a TypeError of
# JavaScript, although format writes null so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit lua-json@1.0.1 fengari@0.1.5
cat >run.cjs <<'JS'
const assert = require("node:assert/strict");
const { parse, format } = require("lua-json");
const { lua, lauxlib, lualib, to_luastring, to_jsstring } = require("fengari");

/** The text of an expression over the result `x` of a chunk, by Lua, or Lua's error. */
function byLua(chunk, expression) {
  const state = lauxlib.luaL_newstate();
  lualib.luaL_openlibs(state);
  const code = `local x = (function() ${chunk} end)() return tostring(${expression})`;
  const status = lauxlib.luaL_dostring(state, to_luastring(code));
  const text = to_jsstring(lauxlib.luaL_tolstring(state, -1));
  return status ? `error: ${text.split(": ").pop()}` : text;
}

const ways = { singleQuote: false };
const written = (value) => format(value, ways);
const read = (text) => {
  try {
    return parse(text);
  } catch (error) {
    return `${error.constructor.name}: ${error.message}`.split("\n")[0];
  }
};

// a value, an expression of it in Lua, what Lua gives
for (const [value, expression, right, seen] of [
  [{ a: "b\\n" }, "#x.a", "3", "2"],
  [{ a: Infinity }, "x.a", "inf", "nil"],
  [{ a: NaN }, "x.a == nil", "false", "true"],
  [{ a: new Map([[1, 2]]) }, "x.a[1]", "2", "nil"],
]) {
  assert.equal(byLua(written(value), expression), seen);
  console.log(value, "is written as", JSON.stringify(written(value)), `and Lua gives ${seen} for ${expression}, not ${right}`);
}
for (const value of [{ a: "x\ny" }, { a: "q\\" }, { end: 1 }]) {
  assert.match(byLua(written(value), "x"), /^error: /);
  assert.match(String(read(written(value))), /^SyntaxError: /);
  console.log(value, "is written as", JSON.stringify(written(value)), "and neither Lua nor parse reads it");
}
// a table, an expression of it in Lua, what Lua gives, what parse gives
for (const [text, expression, right, seen] of [
  ['return {"\\065", "\\x41"}', "x[1] .. x[2]", "AA", ["\\065", "\\x41"]],
  ['return {["1"] = "text", [1] = "number"}', 'x["1"] .. x[1]', "textnumber", { 1: "number" }],
  ["return {1, x = 2}", "x[1] + x.x", "3", [1, ["x", 2]]],
]) {
  assert.equal(byLua(text, expression), right);
  assert.deepEqual(read(text), seen);
  console.log(text, "is read as", JSON.stringify(seen));
}
assert.match(read(written([1, null, 3])), /^TypeError: /);
console.log("[1, null, 3] is written as", JSON.stringify(written([1, null, 3])), "and parse says", read(written([1, null, 3])));
JS
node run.cjs
