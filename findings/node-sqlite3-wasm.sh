#!/usr/bin/env bash
# node-sqlite3-wasm 0.8.60 (npm, SQLite in WebAssembly with access to files, on Node 20 or newer), with a database such as the save of a game.
#
# Guess: values go in and come out as they are, or with an error: a bigint that SQLite cannot hold is refused, and a text is kept to its
# end. Any file of SQLite opens.
#
# Seen: 2n ** 63n is stored as the smallest integer, and 2n ** 64n + 5n as 5. A text ends at its first zero character, when it is stored
# and when it is read. The numbers 2 ** 53 and beyond are stored as REAL, NaN as NULL, and -0 as the integer 0. A database with a write-ahead
# log, which sql.js opens, is "unable to open database file".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund node-sqlite3-wasm@0.8.60
python3 - <<'PYTHON'
import sqlite3

for mode in ("delete", "wal"):
    file = sqlite3.connect(f"{mode}.db")
    file.execute(f"PRAGMA journal_mode = {mode}")
    file.execute("CREATE TABLE rows (text TEXT, number INTEGER)")
    file.execute("INSERT INTO rows VALUES (?, ?)", ("a\0b", 2**63 - 1))
    file.commit()
    file.close()
PYTHON
cat >run.js <<'JS'
const assert = require("node:assert/strict");
const { Database } = require("node-sqlite3-wasm");

const file = new Database("delete.db");
const stored = (value) => file.get("SELECT ?1 AS value, typeof(?1) AS type", [value]);
for (const [value, seen, type] of [
  [2n ** 63n - 1n, 2n ** 63n - 1n, "integer"],
  [2n ** 63n, -(2n ** 63n), "integer"],
  [2n ** 64n + 5n, 5, "integer"],
  [2 ** 53 - 1, 2 ** 53 - 1, "integer"],
  [2 ** 53, 2 ** 53, "real"],
  [-0, 0, "integer"],
  [NaN, null, "null"],
  ["a\0b", "a", "text"],
]) {
  assert.deepEqual({ ...stored(value) }, { value: seen, type });
  console.log(typeof value === "string" ? JSON.stringify(value) : value, "is stored as", seen, type);
}
assert.deepEqual({ ...file.get("SELECT text, number, hex(text) AS bytes FROM rows") }, { text: "a", number: 2n ** 63n - 1n, bytes: "610062" });
console.log("the text 610062 is read as a");
assert.throws(() => new Database("wal.db").get("SELECT number FROM rows"), /unable to open database file/);
console.log("with a write-ahead log: unable to open database file");
JS
node run.js
