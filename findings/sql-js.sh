#!/usr/bin/env bash
# sql.js 1.16.0 (npm), SQLite in JavaScript, on Node 20 or newer, with a database such as the save of a game.
#
# Guess: a database that is only opened is exported as the same bytes, and a number that JavaScript cannot hold is an error or a bigint.
#
# Seen: `export` writes other bytes into the header: it counts a change that nobody made, names its own version of SQLite, and says that the
# database has no write-ahead log, where its game had chosen one. All other bytes are the same. An INTEGER beyond 2^53 is rounded
# without an error unless `useBigInt` asks for bigints. Text that is not UTF-8 is read with replacement characters.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund sql.js@1.16.0
python3 - <<'PYTHON'
import sqlite3

for mode in ("delete", "wal"):
    file = sqlite3.connect(f"{mode}.db")
    file.execute(f"PRAGMA journal_mode = {mode}")
    file.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, number INTEGER, data BLOB, text TEXT)")
    file.executemany("INSERT INTO rows VALUES (?, ?, ?, CAST(? AS TEXT))", [(id, 2**53 + 1, bytes(300), b"a\xffb") for id in range(50)])
    file.commit()
    file.close()
PYTHON
cat >run.js <<'JS'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");

require("sql.js")().then(({ Database }) => {
  const places = (mode) => {
    const before = readFileSync(`${mode}.db`);
    const after = new Database(before).export();
    assert.equal(after.length, before.length);
    return [...before.keys()].filter((at) => before[at] !== after[at]);
  };
  const counters = places("delete");
  assert(counters.length > 0 && counters.every((at) => (at >= 24 && at < 28) || (at >= 92 && at < 100)), String(counters));
  console.log(`only opened: other bytes at ${counters.join(", ")}`);
  assert.deepEqual(places("wal").filter((at) => at < 24), [18, 19]);
  console.log("with a write-ahead log: also those that say so");

  const rows = new Database(readFileSync("delete.db")).prepare("SELECT number, text FROM rows");
  rows.step();
  assert.deepEqual(rows.get(), [2 ** 53, "a\ufffdb"]);
  assert.equal(rows.get(null, { useBigInt: true })[0], 2n ** 53n + 1n);
  console.log("2^53 + 1 is read as 2^53, and the text as a\ufffdb");
});
JS
node run.js
