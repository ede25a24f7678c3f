#!/usr/bin/env bash
# wasmoon 1.16.0 (npm, Lua 5.4 in WebAssembly, on Node 20 or newer), values from Lua to JavaScript and back.
#
# Guess: a value of Lua that JavaScript cannot hold is an error or a bigint. Texts are whole. A table is an array or an object, with no entry
# missing, and what was read can be given back.
#
# Seen: an integer beyond 2 ** 53 is rounded. A text ends at its first zero character, in both directions. Of the keys 1 and "1" either
# value remains; {} is an object, and so is a list with a nil. A bigint cannot be given, nor null, though nil is read as null: the first is
# "not supported", the second a TypeError. 1.0 comes back as an integer, and -0.0 as 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund wasmoon@1.16.0
cat >run.mjs <<'JS'
import assert from "node:assert/strict";
import { LuaFactory } from "wasmoon";

const lua = await new LuaFactory().createEngine();
for (const [value, seen] of [
  ["9007199254740993", 2 ** 53],
  ["math.maxinteger", 2 ** 63],
  ["'a\\0b'", "a"],
  ["{1, 2}", [1, 2]],
  ["{1, nil, 3}", { 1: 1, 3: 3 }],
  ["{}", {}],
  ["-0.0", -0],
  ["nil", null],
]) {
  const read = await lua.doString(`return ${value}`);
  assert.deepEqual(read, seen);
  console.log(value, "is read as", read);
}
const merged = await lua.doString("return {['1'] = 'text', [1] = 'number'}");
assert(["text", "number"].includes(merged[1]) && Object.keys(merged).length === 1);
console.log("the keys 1 and '1' are read as one");
for (const [value, expression, seen] of [
  ["a\0b", "#value", 1],
  [[5, 6], "value[1]", 5],
  [1.0, "math.type(value)", "integer"],
  [-0, "tostring(value)", "0"],
]) {
  lua.global.set("value", value);
  assert.equal(await lua.doString(`return ${expression}`), seen);
  console.log(JSON.stringify(value), "is given:", expression, "is", seen);
}
assert.throws(() => lua.global.set("value", 1n), /not supported/);
assert.throws(() => lua.global.set("value", null), TypeError);
console.log("1n and null cannot be given");
lua.global.close();
JS
node run.mjs
