#!/usr/bin/env bash
# @gd-com/utils 5.0.0 (npm, Variants of Godot for servers in Node, on Node 20 or newer): which types of Godot 3 and 4 a server can read
# and send on. gd-com.sh has numbers and packed arrays.
#
# Guess: a value that getVar reads is written by putVar as the type that it had; with the numbers of Godot 3, values of Godot 4 are
# refused.
#
# Seen: nothing but null, bools, ints, floats, texts, arrays and dictionaries keeps its type. A vector, rectangle, plane, rotation,
# transform, box or colour is written as a Dictionary of its private fields, a NodePath as a String, a PoolIntArray as an Array, the
# float 1.0 as the int 1, an int that is a key as a String. An Array with a RID in it is an error. Of Godot 4, an Array is read as one
# of colours, a Color as bytes, a Vector2i as an error, all by the numbers of Godot 3.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @gd-com/utils@5.0.0 >/dev/null
cat >seen.cjs <<'JS'
const assert = require("node:assert/strict");
const { getVar, putVar } = require("@gd-com/utils");

const words = (...numbers) => Buffer.concat(numbers.map((number) => Buffer.from(new Uint32Array([number]).buffer)));
const floats = (...numbers) => Buffer.from(new Float32Array(numbers).buffer);
const value = (type, ...parts) => Buffer.concat([words(type), ...parts]);
const text = (of) => value(4, words(of.length), Buffer.from(of.padEnd(Math.ceil(of.length / 4) * 4, "\0")));
const typeAfter = (bytes) => putVar(getVar(bytes).value).readUInt32LE(0);
const [int, real, string, dictionary, array] = [2, 3, 4, 18, 19];

// type of Godot 3, its floats, the type afterwards
for (const [type, count] of [[5, 2], [6, 4], [7, 3], [8, 6], [9, 4], [10, 4], [11, 6], [12, 9], [13, 12], [14, 4]]) {
  assert.equal(typeAfter(value(type, floats(...Array(count).keys()))), dictionary, `type ${type}`);
}
assert.equal(typeAfter(value(15, words(0x80000001, 0, 0, 1), Buffer.from("a\0\0\0"))), string);
assert.equal(typeAfter(value(21, words(1, 7))), array);
assert.equal(typeAfter(value(real, floats(1))), int);
assert.equal(typeAfter(value(real, floats(0.5))), real);
assert.deepEqual(putVar(getVar(value(dictionary, words(1), value(int, words(1)), value(int, words(2)))).value),
  value(dictionary, words(1), text("1"), value(int, words(2))));
for (const same of [value(0), value(1, words(1)), value(int, words(7)), text("abc"), value(array, words(1), text("a")),
  value(dictionary, words(1), text("a"), value(int, words(2)))]) {
  assert.deepEqual(putVar(getVar(same).value), same);
}
assert.throws(() => getVar(value(array, words(2), value(int, words(1)), value(16, words(0)))), /Invalid type 16/);

// Godot 4: Array 28 with one Array in it, Color 20, Vector2i 6 with two ints, PackedByteArray 29
assert.match(JSON.stringify(getVar(value(28, words(1), value(28, words(0)), words(0, 0))).value), /"_r"/);
assert.ok(Buffer.isBuffer(getVar(value(20, floats(0, 0, 0, 1))).value));
assert.throws(() => getVar(value(6, words(1, 2))), RangeError);
assert.throws(() => getVar(value(29, words(1, 7))), /Invalid type 29/);
console.log("as seen: types are lost where Godot has more than JSON");
JS
node seen.cjs
