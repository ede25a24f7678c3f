#!/usr/bin/env bash
# cbor-x 1.6.9, msgpackr 2.1.4 and bson 7.3.4 (npm, JSON in bytes, on Node 20 or newer), values that are written and read.
#
# Guess: bson makes an Int32 of Double(1), as it does, and map keys of cbor-x and msgpackr become texts. Other values come back as they
# were, or are refused: -0, a Map, a typed array, a bigint.
#
# Seen: cbor-x and msgpackr write -0 as the integer 0, though they read the float -0. A Map with the keys 1 and "1" comes back from msgpackr as
# an object with one of them, and a Float32Array as its bytes; cbor-x keeps both. Of a map with the key 1 both make an object with the
# key "1", which is written as a text. bson writes 2n ** 64n as 0 and 2n ** 63n as the smallest integer, a Float32Array as a document with
# the key "0", and Double(1) comes back as an Int32, Long 5 too; its -0 stays.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cbor-x@1.6.9 msgpackr@2.1.4 bson@7.3.4
cat >run.mjs <<'JS'
import assert from "node:assert";
import * as bson from "bson";
import * as cbor from "cbor-x";
import * as msgpack from "msgpackr";

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const show = (name, found, expected) => {
  assert.deepStrictEqual(found, expected, name);
  console.log(`${name}:`, found);
};
const map = new Map([
  [1, "a"],
  ["1", "b"],
]);
const floats = new Float32Array([0.5]);
show("cbor-x, -0 is read and written as", [cbor.decode(Buffer.from("f98000", "hex")), hex(cbor.encode(-0))], [-0, "00"]);
show("cbor-x, Map", cbor.decode(cbor.encode(map)), map);
show("cbor-x, floats", cbor.decode(cbor.encode(floats)), floats);
show("cbor-x, {1: 2}", hex(cbor.encode(cbor.decode(Buffer.from("a10102", "hex")))), "b90001613102");

const minus = Buffer.from("cb8000000000000000", "hex");
show("msgpackr, -0 is read and written as", [msgpack.unpack(minus), hex(msgpack.pack(-0))], [-0, "00"]);
show("msgpackr, Map", msgpack.unpack(msgpack.pack(map)), { 1: "b" });
show("msgpackr, floats", msgpack.unpack(msgpack.pack(floats)), Buffer.from("0000003f", "hex"));
show("msgpackr, {1: 2}", hex(msgpack.pack(msgpack.unpack(Buffer.from("810102", "hex")))), "de0001a13102");

const again = (value, options) => bson.deserialize(bson.serialize({ value }), options).value;
show("bson, bigints", [2n ** 63n, 2n ** 64n].map((value) => again(value, { useBigInt64: true })), [-(2n ** 63n), 0n]);
show("bson, -0", again(-0), -0);
show("bson, floats", again(floats), { 0: 0.5 });
const type = (value) => bson.serialize({ value })[4]; // 1 is a double, 16 an int of 32 bits, 18 one of 64
const types = [new bson.Double(1), bson.Long.fromNumber(5)].map((value) => [type(value), type(again(value))]);
show("bson, types", types, [[1, 16], [18, 16]]);
JS
node run.mjs
