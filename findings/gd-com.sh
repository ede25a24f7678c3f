#!/usr/bin/env bash
# @gd-com/utils 5.0.0 (npm, Variants of Godot for servers in Node, on Node 20 or newer), reading bytes as Godot 3 writes them.
#
# Guess: it has the types of Godot 3, integers and reals of 64 bits in both directions, and pads packed bytes as the engine does.
#
# Seen: its numbers of packed arrays from 22 on are those of no release: a PoolRealArray is read as integers of 64 bits, a
# PoolStringArray as floats, without an error. The padding of a PoolByteArray is neither skipped nor written, so that a value behind
# one of 3 bytes is lost, also in what the package itself wrote. Integers beyond 32 bits and 1e300 cannot be written, 0.1 is written
# with 32 bits, and -0 loses its sign. An integer of 64 bits is read as an object {low, high, unsigned}, which is written back as a
# Dictionary of three.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @gd-com/utils@5.0.0 >/dev/null
cat >seen.cjs <<'JS'
const { getVar, putVar } = require("@gd-com/utils");
const read = (hex) => {
  try {
    return JSON.stringify(getVar(Buffer.from(hex.replaceAll(" ", ""), "hex")).value);
  } catch (error) {
    return error.message;
  }
};
const write = (value) => {
  try {
    return putVar(value).toString("hex");
  } catch (error) {
    return error.message.split(".")[0];
  }
};
const minusOne = "02000100 ffffffffffffffff";
console.log("PoolRealArray [1.5]:", read("16000000 01000000 0000c03f"));
console.log("PoolStringArray [\"ab\"]:", read("17000000 01000000 02000000 61620000"));
console.log("[PoolByteArray [1, 2, 3], 7]:", read("13000000 02000000 14000000 03000000 01020300 02000000 07000000"));
console.log("the same as written:", read(write([Buffer.from([1, 2, 3]), 7])));
console.log("2 ** 40:", write(2 ** 40));
console.log("1e300:", write(1e300));
console.log("0.1:", write(0.1));
console.log("-0:", write(-0));
console.log("-1 of 64 bits:", read(minusOne));
console.log("and back, its type:", putVar(getVar(Buffer.from(minusOne.replace(" ", ""), "hex")).value).readUInt32LE(0));
JS
node seen.cjs >seen
cat seen
diff seen - <<'SEEN'
PoolRealArray [1.5]: [{"low":1069547520,"high":0,"unsigned":false}]
PoolStringArray ["ab"]: [2.802596928649634e-45]
[PoolByteArray [1, 2, 3], 7]: Attempt to access memory outside buffer bounds
the same as written: Attempt to access memory outside buffer bounds
2 ** 40: The value of "value" is out of range
1e300: The value of "value" is out of range
0.1: 03000000cdcccc3d
-0: 0200000000000000
-1 of 64 bits: {"low":-1,"high":-1,"unsigned":false}
and back, its type: 18
SEEN
echo "as seen"
