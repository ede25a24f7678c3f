// Runs the examples and the code of the README, and checks their results.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";

import { decode, encode, Model } from "enginewire";

import { program, read, REPOSITORY } from "./corpus.mjs";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "enginewire-examples-"));
test.after(() => rmSync(folder, { recursive: true, force: true }));

function example(name, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(HERE, "examples", name), ...args], { encoding: "utf8", cwd: folder });
  return { status, stdout, stderr };
}

test("show.mjs shows any file", () => {
  const { stdout, stderr } = example("show.mjs", `${REPOSITORY}/fixtures/godot-4/array_mixed.bin`, "godot-4");
  assert.equal(stderr, "");
  assert.equal(stdout.startsWith("["), true);
  assert.match(example("show.mjs", `${REPOSITORY}/fixtures/roblox-model/attributes.rbxm`).stdout, /\{/);
  assert.match(example("show.mjs", `${REPOSITORY}/fixtures/scrap-mechanic-lua/logic.blueprint.json`).stdout, /^bodies\[\d+\]\.childs\[\d+\] {2}\{"format"/);
  assert.match(example("show.mjs", `${REPOSITORY}/fixtures/scrap-mechanic-lua/save-v26.db`).stdout, /^ScriptData\[3\] \(id 628 channel 47\) {2}\{.*\}$/m);
  const broken = example("show.mjs", `${REPOSITORY}/fixtures/godot-4/bad/truncated.bin`, "godot-4");
  assert.equal(broken.status, 1);
  assert.match(broken.stderr, /^input ends too early: .*\n {2}--> .*truncated\.bin: byte 0x5c\n/);
  assert.equal(example("show.mjs").status, 2);
});

test("stamp.mjs stamps what enginewire set would", () => {
  const file = join(folder, "made.rbxm");
  copyFileSync(`${REPOSITORY}/fixtures/roblox-model/made.rbxm`, file);
  const model = Model.open(read(file));
  const { index } = model.instances().find(({ index, hasAttributes }) => hasAttributes && model.find(model.path(index)).length === 1);
  const path = model.path(index);
  const { stdout, stderr } = example("stamp.mjs", file, path, "Build=17", "Version=1.4.0");
  assert.equal(stdout, `${file}: 2 attributes stamped\n`, stderr);
  const { out } = program(["get", file, path, "Build", "--plain"]);
  assert.match(out, /17/);
  writeFileSync(join(folder, "stamps.json"), JSON.stringify({ [path]: { Tint: { type: "Color3", value: { r: 1, g: 0, b: 0 } } } }));
  assert.equal(example("stamp.mjs", file, join(folder, "stamps.json")).status, 0);
  const entries = Model.open(read(file)).attributes(index).entries;
  assert.deepEqual(entries.slice(-3).map(({ key, type }) => [key, type]), [["Build", "Double"], ["Version", "String"], ["Tint", "Color3"]]);
  assert.match(example("stamp.mjs", file, "Nobody.Is.Here", "a=1").stderr, /there is no Nobody\.Is\.Here/);
});

test("godot-server.mjs answers over a WebSocket", { timeout: 30_000 }, async () => {
  const server = spawn(process.execPath, [join(HERE, "examples/godot-server.mjs"), "0"]);
  try {
    const [line] = await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data).split("\n"))));
    const socket = connect(Number(new URL(line).port), "localhost");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    let bytes = Buffer.alloc(0);
    let wake = () => {};
    socket.on("data", (piece) => {
      bytes = Buffer.concat([bytes, piece]);
      wake();
    });
    const until = async (isThere) => {
      while (!isThere()) await new Promise((resolve) => (wake = resolve));
    };
    await until(() => bytes.includes("\r\n\r\n"));
    assert.match(bytes.toString("latin1"), /Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/);
    bytes = bytes.subarray(bytes.indexOf("\r\n\r\n") + 4);
    const ask = async (message) => {
      const mask = Buffer.from([1, 2, 3, 4]);
      socket.write(Buffer.concat([Buffer.from([0x82, 0x80 | message.length]), mask, Buffer.from(message.map((byte, i) => byte ^ mask[i & 3]))]));
      await until(() => bytes.length >= 2 && bytes.length >= 2 + bytes[1]);
      const answer = bytes.subarray(2, 2 + bytes[1]);
      bytes = bytes.subarray(2 + bytes[1]);
      return decode(answer, { format: "godot-4" });
    };
    const text = (value) => ({ type: "String", value });
    const to = { type: "Vector2", value: { x: 3, y: 4 } };
    const entry = (key, value) => ({ key: text(key), value });
    const moved = await ask(encode({ type: "Dictionary", value: [entry("type", text("move")), entry("to", to)] }, { format: "godot-4" }));
    assert.deepEqual(moved.value, [entry("type", text("moved")), entry("to", to), entry("by", { type: "int", value: 1n })]);
    const refused = await ask(encode({ type: "int", value: 1n }, { format: "godot-4" }));
    assert.equal(refused.value[0].value.value, "error");
    socket.destroy();
  } finally {
    server.kill();
  }
});

test("the code of the README runs", () => {
  const blocks = [...readFileSync(join(HERE, "README.md"), "utf8").matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code);
  assert(blocks.length > 2);
  // where the package finds itself
  const place = join(HERE, "build/readme");
  mkdirSync(place, { recursive: true });
  copyFileSync(`${REPOSITORY}/fixtures/roblox-model/attributes.rbxm`, join(place, "place.rbxm"));
  copyFileSync(`${REPOSITORY}/fixtures/scrap-mechanic-lua/logic.blueprint.json`, join(place, "blueprint.json"));
  copyFileSync(`${REPOSITORY}/fixtures/godot-4/array_mixed.bin`, join(place, "value.bin"));
  copyFileSync(`${REPOSITORY}/fixtures/scrap-mechanic-lua/save-v26.db`, join(place, "save.db"));
  copyFileSync(`${REPOSITORY}/fixtures/godot-files/v4/gdec/pass_config.cfg`, join(place, "save.cfg"));
  blocks.forEach((code, number) => {
    writeFileSync(join(place, `block${number}.mjs`), code);
    const { status, stderr } = spawnSync(process.execPath, [`block${number}.mjs`], { cwd: place, encoding: "utf8" });
    assert.equal(status, 0, `${code}\n${stderr}`);
  });
});
