// Saves of Scrap Mechanic, compared with the program.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { DecodeError, EncodeError, Save, toText } from "enginewire";
import initSqlJs from "sql.js";

import { CORPUS, files, program, read, REPOSITORY } from "./corpus.mjs";

const sqlite = await initSqlJs();
const FIXTURES = `${REPOSITORY}/fixtures/scrap-mechanic-lua`;
const folder = mkdtempSync(join(tmpdir(), "enginewire-saves-"));
test.after(() => rmSync(folder, { recursive: true }));

const saves = files(FIXTURES, ".db");
const good = saves.filter((file) => /save-v\d+\.db$/.test(file));
const real = CORPUS ? files(`${CORPUS}/scrap-mechanic-lua`, ".db") : [];
const bytesFrom = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

/** The errors that the program reports, in a file and in its rows: a message, and a line for each place. */
function wrongs(err) {
  return [...err.matchAll(/^error: (.*)\n((?: +--> .*\n)+)/gm)].flatMap(([, message, places]) =>
    [...places.matchAll(/^ +--> [^:\n]*(?:: (.*))?$/gm)].map(([, row]) => [row, message]),
  );
}

test("the rows are those that the program lists, with what is wrong with them", () => {
  assert(good.length === 3 && saves.length > 10);
  for (const file of [...saves, ...real]) {
    const { out, err } = program(["ls", "--json", file]);
    const expected = out.trim().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    const wrong = wrongs(err);
    let save;
    try {
      save = Save.open(read(file), sqlite);
    } catch (error) {
      assert(error instanceof DecodeError, String(error));
      assert.deepEqual([[undefined, error.message]], wrong, file);
      continue;
    }
    const rows = [...save.rows()];
    const problems = rows.filter((row) => row.problem !== undefined);
    // an object that is broken is one all the same: the program decodes to count
    // a row that is broken is in the report only
    const checked = program(["check", "--report=json", file]).out.trim().split("\n").map((line) => JSON.parse(line));
    const numbers = new Map([...checked, ...expected].map(({ address, table, row }) => [address, `${table}[${row}]`]));
    const broken = new Map(wrong.map(([address, message]) => [numbers.get(address), message]));
    for (const { table, row, problem } of problems) {
      assert.equal(problem.message, broken.get(`${table}[${row}]`), `${file} ${table}[${row}]`);
      broken.delete(`${table}[${row}]`);
    }
    const listed = rows.filter(({ table, row, problem }) => problem === undefined && !broken.has(`${table}[${row}]`));
    assert.deepEqual(listed.map(({ address }) => address), expected.map(({ address }) => address), file);
    for (const { address, row } of listed.slice(0, 9)) assert.deepEqual(save.bytes(address), save.bytes(rows.find((other) => other.address === address && other.row === row)));
    assert.deepEqual(
      listed.map((row) => [row.table, Number(row.row), row.id, row.channel, row.uid, row.key, row.world, row.flags, row.isObject, save.bytes(row).length]),
      expected.map((row) => [row.table, row.row, row.id, row.channel, row.uid, row.key && bytesFrom(row.key), row.world, row.flags, row.format !== null, row.bytes]),
      file,
    );
    for (const address of broken.keys()) assert.throws(() => save.decode(address), DecodeError);
    save.free();
    save.free();
    assert.throws(() => save.save(), new TypeError("this save is freed already"));
  }
});

test("saves of any version are read by their columns", () => {
  for (const [version, warnings] of [[27, []], [29, ["save version 29 is unknown"]]]) {
    const save = Save.open(read(`${REPOSITORY}/fixtures/reports/save-v${version}.db`), sqlite);
    assert.equal(save.version, version);
    assert.deepEqual(save.warnings.map((text) => text.split(";")[0]), warnings);
    const row = [...save.rows()].find(({ isObject }) => isObject);
    save.replace(row, { type: "Boolean", value: true });
    assert.equal(Save.open(save.save(), sqlite).decode(row)?.value, true);
  }
});

test("the objects are those that the program decodes", () => {
  for (const file of [...good, ...real]) {
    const save = Save.open(read(file), sqlite);
    assert.equal(save.version, Number(/v(\d+)\.db$/.exec(file)?.[1] ?? save.version));
    const theirs = program(["decode", file]).out.trim().split("\n").map((line) => JSON.parse(line));
    const ours = [...save.rows()].map((row) => {
      const object = save.decode(row);
      assert.equal(object?.format, row.isObject ? "scrap-mechanic-lua" : undefined);
      return [`${row.table}[${row.row}]`, row.isObject ? JSON.parse(toText(save.bytes(row), { format: "scrap-mechanic-lua" })) : null];
    });
    assert.deepEqual(ours, theirs.map((line) => [`${line.table}[${line.row}]`, line.document]), file);
  }
  assert.equal(Save.open(read(good[2]), sqlite).decode("GenericData[2]"), undefined);
});

/** The file after the same change by the program. */
function natively(file, args) {
  const out = join(folder, "out.db");
  const { status, err } = program(["set", file, ...args, "-o", out, "--force"]);
  assert.equal(status, 0, err);
  return read(out);
}

/** The bytes of a database without the counters of writes and the SQLite version in its header. */
function content(file) {
  return Buffer.concat([file.subarray(0, 24), file.subarray(28, 92), file.subarray(100)]);
}

test("an unchanged save keeps its bytes, and a changed one is that of the program", () => {
  for (const file of good) {
    const save = Save.open(read(file), sqlite);
    assert.deepEqual(save.save(), read(file));
    const row = [...save.rows()].find((row) => save.decode(row)?.value?.elements?.[0]?.type === "Int8");
    const object = save.decode(row);
    object.value.elements[0].value = 5;
    save.replace(row, object);
    assert.deepEqual(save.decode(row.address), object);
    const theirs = natively(file, [row.address, `[${object.value.offset}]=5`]);
    assert.deepEqual(content(save.save()), content(theirs), file);
    // it goes on after it was saved
    const again = [...save.rows()].find(({ address, isObject }) => address !== row.address && isObject);
    save.replaceAll([[again, { type: "Boolean", value: true }]]);
    writeFileSync(join(folder, "twice.db"), save.save());
    const documents = program(["decode", join(folder, "twice.db")]).out.trim().split("\n").map((line) => JSON.parse(line));
    const now = documents.find((line) => line.table === again.table && BigInt(line.row) === again.row);
    assert.deepEqual(now.document, { format: "scrap-mechanic-lua", version: 1, type: "Boolean", value: true });
  }
});

test("a database with a write-ahead log is read as if there were none, and stays one", () => {
  const bytes = read(good[1]);
  bytes.set([2, 2], 18);
  const save = Save.open(bytes, sqlite);
  save.replace("ScriptData[1]", { type: "Nil", value: null });
  assert.deepEqual([...save.save().subarray(18, 20)], [2, 2]);
  writeFileSync(join(folder, "log.db"), save.save());
  assert.match(program(["get", join(folder, "log.db"), "ScriptData[1]"]).out, /nil/);
});

test("several rows are changed, or none; and what cannot be is refused with the reason", () => {
  const save = Save.open(read(good[2]), sqlite);
  const before = save.bytes("ScriptData[1]");
  const nil = { type: "Nil", value: null };
  const message = (work, kind) => {
    try {
      work();
    } catch (error) {
      assert(error instanceof kind, String(error));
      return error.message;
    }
    return assert.fail("nothing was thrown");
  };
  assert.match(message(() => save.replaceAll([["ScriptData[1]", nil], ["ScriptData[1]", nil]]), DecodeError), /has changed since it was read/);
  assert.deepEqual(save.bytes("ScriptData[1]"), before);
  assert.deepEqual(save.save(), read(good[2]));
  message(() => save.replaceAll([["ScriptData[1]", nil], ["ScriptData[2]", { type: "Int8", value: 1000 }]]), EncodeError);
  assert.deepEqual(save.bytes("ScriptData[1]"), before);
  for (const address of ["ScriptData[999]", "Game[1]", "ScriptData", "ScriptData[1]; DROP TABLE Game"]) {
    assert.equal(message(() => save.decode(address), TypeError), `there is no row ${address}`);
  }
  const asked = message(() => Save.open(read(good[2]), initSqlJs()), TypeError);
  assert.equal(asked, "expected the SQLite of sql.js: `await initSqlJs()`");
  const freed = Save.open(read(good[2]), sqlite);
  const rows = freed.rows();
  rows.next();
  freed.free();
  assert.equal(message(() => rows.next(), TypeError), "this save is freed already");
  const withTriggers = Save.open(read(`${FIXTURES}/hostile/h4.db`), sqlite);
  assert.match(message(() => withTriggers.replace("ScriptData[1]", nil), DecodeError), /the save has triggers/);
  assert.deepEqual(withTriggers.save(), read(`${FIXTURES}/hostile/h4.db`));
  assert.equal(message(() => Save.open(new Uint8Array(100), sqlite), DecodeError), "file is not a database");
  const small = Save.open(read(good[2]), sqlite, { maxMemory: 60 });
  assert.match(message(() => small.bytes("ScriptData[9]"), DecodeError), /the row has 124 bytes, and the limit is 60/);
  assert.match(message(() => small.bytes("ScriptData[1]"), DecodeError), /more memory is needed than the limit of 60/);
});
