#!/usr/bin/env bash
# restructure 3.0.2 and typed-struct 2.7.3 (npm, binary structs in JavaScript, on Node 20 or newer), numbers and lengths that they write.
#
# Guess: restructure takes what fits of a number, as it does; typed-struct refuses a number that does not fit. Lengths and lists that
# restructure writes, the same struct reads as they were.
#
# Seen: restructure takes what fits of every number: 300 in a uint8 is 44, also as the length of a text or list, of which only the first 44
# are read. A list whose length is in bytes is written with the number of its items: of two numbers of 16 bits one comes back. A text
# of fixed length is neither filled nor cut, so that the next field moves. The bits of a Bitfield that have no name are dropped.
# typed-struct does the same for UInt8 (300 is 44) and for bits (9 in three bits is 1), and refuses 40000 in an Int16LE.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund restructure@3.0.2 typed-struct@2.7.3
cat >run.mjs <<'JS'
import assert from "node:assert";
import * as r from "restructure";
import typed from "typed-struct";

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const show = (name, found, expected) => {
  assert.deepStrictEqual(found, expected, name);
  console.log(`${name}: ${JSON.stringify(found)}`);
};
show("300 in a uint8", hex(r.uint8.toBuffer(300)), "2c");
show("-1 in a uint16", hex(r.uint16.toBuffer(-1)), "ffff");
const text = new r.String(r.uint8, "utf8");
show("letters of 300", text.fromBuffer(text.toBuffer("a".repeat(300))).length, 44);
const list = new r.Array(r.uint8, r.uint8);
show("items of 300", list.fromBuffer(list.toBuffer(Array(300).fill(1))).length, 44);
const inBytes = new r.Array(r.uint16, r.uint8, "bytes");
show("length in bytes", [hex(inBytes.toBuffer([1, 2])), inBytes.fromBuffer(inBytes.toBuffer([1, 2]))], ["0200010002", [1]]);
const fixed = new r.Struct({ name: new r.String(4, "ascii"), next: r.uint8 });
show("text of 4 letters", [hex(fixed.toBuffer({ name: "ab", next: 7 })), hex(fixed.toBuffer({ name: "abcdef", next: 7 }))], [
  "616207",
  "61626364656607",
]);
const bits = new r.Bitfield(r.uint8, ["one", "two"]);
show("bits of ff", hex(bits.toBuffer(bits.fromBuffer(Uint8Array.of(0xff)))), "03");

const Fields = new typed.Struct("Fields").UInt8("byte").Int16LE("short").Bits8({ three: [0, 3], five: [3, 5] }).compile();
const fields = new Fields();
fields.byte = 300;
fields.three = 9;
show("typed-struct, 300 in a UInt8 and 9 in three bits", [fields.byte, fields.three], [44, 1]);
assert.throws(() => (fields.short = 40000), RangeError);
console.log("typed-struct, 40000 in an Int16LE: refused");
JS
node run.mjs
