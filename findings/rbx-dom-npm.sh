#!/usr/bin/env bash
# rbx-dom 0.3.0 (npm, rbx-dom of Rust for Node 20, x86-64 Linux).
#
# Guess: what Attributes.get gives for a value can be given to set, and encode then writes the bytes that were decoded. A number of
# JavaScript becomes a Double, as a number of a script does.
#
# Seen: values pass through JSON on their way. NaN and the infinities are null, also inside a Vector3, a Color3 and a NumberRange, and
# set refuses the null, though decode and encode alone keep such bytes. A Double of -0 comes back as 0. The type of a number depends on
# its value: 5 is an Int, 5.5 a Double, and 2147483648 an Int64, which set takes and encode then refuses. A Float32 of 1e40 is written
# as infinity without an error, and reads as null. Of two attributes with one name the last is kept.
# Unknown types, colours and texts are an error for all attributes, and envelopes and fonts change, as in rbx_types of Rust; a CFrame
# whose matrix is half of a rotation is kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund rbx-dom@0.3.0 >/dev/null 2>&1
cat >run.mjs <<'JS'
import assert from "node:assert";
import { Attributes } from "rbx-dom";

/** Attributes with one value, `k`. */
const blob = (...value) => Buffer.from([1, 0, 0, 0, 1, 0, 0, 0, 0x6b, ...value]);
const double = (number) => blob(6, ...new Uint8Array(new Float64Array([number]).buffer));
const floats = (type, ...numbers) => blob(type, ...new Uint8Array(new Float32Array(numbers).buffer));

/** The value of `k`, and whether the bytes stay when it is set again; or the error. */
function again(bytes) {
  const before = Attributes.decode(bytes);
  assert.deepEqual(Buffer.from(before.encode()), bytes);
  const value = before.get("k");
  try {
    return [value, bytes.equals(Buffer.from(new Attributes({ k: value }).encode()))];
  } catch (error) {
    return [value, error.message.split(";")[0]];
  }
}

const refused = "property value must be an upstream Variant object, primitive, or typed object";
assert.deepEqual(again(double(0.1)), [{ Float64: 0.1 }, true]);
for (const number of [NaN, Infinity, -Infinity]) assert.deepEqual(again(double(number)), [{ Float64: null }, refused]);
assert.deepEqual(again(floats(0x11, Infinity, 1, 2)), [{ Vector3: [null, 1, 2] }, refused]);
assert.deepEqual(again(floats(0x0f, 2, -1, NaN)), [{ Color3: [2, -1, null] }, refused]);
assert.deepEqual(again(floats(0x1b, -Infinity, 1)), [{ NumberRange: [null, 1] }, refused]);
assert.equal(again(double(-0))[1], false);

const twice = Buffer.from([2, 0, 0, 0, 1, 0, 0, 0, 0x6b, 3, 1, 1, 0, 0, 0, 0x6b, 3, 0]);
assert.deepEqual(Buffer.from(Attributes.decode(twice).encode()), blob(3, 0));

// as rbx_types of Rust, but for the rotation
const cframe = (size) => blob(0x14, ...floats(0, 0, 0, 0).subarray(10), 0, ...floats(0, size, 0, 0, 0, size, 0, 0, 0, size).subarray(10));
for (const size of [0.5, 2]) assert.ok(cframe(size).equals(Buffer.from(Attributes.decode(cframe(size)).encode())));
const font = (weight, style) => blob(0x21, weight & 255, weight >> 8, style, 1, 0, 0, 0, 0x46, 0, 0, 0, 0);
const keypoint = (envelope) => blob(0x19, 1, 0, 0, 0, ...floats(0, envelope, 0, 1, 0, 0).subarray(10));
for (const [before, after] of [[keypoint(0.25), keypoint(0)], [font(450, 0), font(400, 0)], [font(700, 2), font(700, 0)],
  [blob(14, 0xc2, 0, 1, 0), blob(14, 0xc2, 0, 0, 0)]]) {
  assert.ok(after.equals(Buffer.from(Attributes.decode(before).encode())));
}
const notUtf8 = Buffer.from([1, 0, 0, 0, 1, 0, 0, 0, 0xff, 3, 1]);
for (const other of [blob(7, 0, 0, 0, 0), notUtf8, blob(14, 4, 0, 0, 0), blob(0x15, 1, 0, 0, 0, 0xff, 0, 0, 0, 0)]) {
  assert.throws(() => Attributes.decode(other), /Attributes::from_reader failed/);
}

const written = (value) => [...new Attributes({ k: value }).encode()].slice(9);
assert.deepEqual(written(5), [4, 5, 0, 0, 0]);
assert.deepEqual(written(5.5), [6, 0, 0, 0, 0, 0, 0, 0x16, 0x40]);
assert.throws(() => written(2147483648), /Int64 values are not supported in attributes/);
assert.deepEqual(written({ Float32: 1e40 }), [5, 0, 0, 0x80, 0x7f]);
console.log("as seen: NaN and infinities are null, -0 is 0, and the type of a number depends on its value");
JS
node run.mjs
