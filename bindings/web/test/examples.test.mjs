// Runs the examples and the code of the README, and checks their results.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import test from "node:test";

import { decode, encode, Model } from "enginewire";

import { program, PROGRAM, read, REPOSITORY } from "./corpus.mjs";

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
  assert.match(example("show.mjs", `${REPOSITORY}/fixtures/scrap-mechanic-lua/save-v26.db`).stdout, /^ScriptData\[id=628,channel=47\] {2}\{.*\}$/m);
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

test("vite-plugin.mjs imports values when the page is built", async () => {
  const place = join(HERE, "build/vite");
  mkdirSync(place, { recursive: true });
  copyFileSync(`${REPOSITORY}/fixtures/roblox-model/attributes.rbxm`, join(place, "place.rbxm"));
  copyFileSync(`${REPOSITORY}/fixtures/roblox-attributes/readable.bin`, join(place, "torch.attributes"));
  writeFileSync(join(place, "page.mjs"), 'import place from "./place.rbxm";\nimport torch from "./torch.attributes";\nexport { place, torch };\n');
  const { default: enginewire } = await import("../examples/vite-plugin.mjs");
  const { build } = await import("vite");
  const options = { root: place, configFile: false, logLevel: "warn", plugins: [enginewire()], build: { outDir: "out", lib: { entry: "page.mjs", formats: ["es"], fileName: () => "built.mjs" } } };
  await build(options);
  const built = await import(pathToFileURL(join(place, "out/built.mjs")).href);
  assert.deepEqual(built.torch, JSON.parse(program(["decode", `${REPOSITORY}/fixtures/roblox-attributes/readable.bin`, "--plain"]).out));
  const model = Model.open(read(join(place, "place.rbxm")));
  const holding = model.instances().filter(({ hasAttributes, hasTags }) => hasAttributes || hasTags);
  assert.deepEqual(built.place.map(({ path }) => path), holding.map(({ index }) => model.path(index)));
  const { path, attributes } = built.place.find(({ attributes }) => Object.keys(attributes).length > 0);
  assert.deepEqual(Object.keys(attributes), model.attributes(model.find(path)[0]).entries.map(({ key }) => key));
});

test("discord-bot.mjs answers with a table", async () => {
  const { answer } = await import("../examples/discord-bot.mjs");
  const answers = async (...files) => {
    const replies = [];
    const attachments = new Map(files.map(([name, bytes]) => [name, { name, size: bytes.length, url: `data:;base64,${Buffer.from(bytes).toString("base64")}` }]));
    await answer({ author: { bot: false }, attachments, reply: async (text) => replies.push(text) });
    return replies;
  };
  const model = read(`${REPOSITORY}/fixtures/roblox-model/attributes.rbxm`);
  const torch = read(`${REPOSITORY}/fixtures/roblox-attributes/readable.bin`);
  const [table, single] = await answers(["place.rbxm", model], ["torch.bin", torch]);
  assert.match(table, /^\*\*place\.rbxm\*\*\n```\n\S+ {2,}\{[^]*\n```$/);
  assert.match(single, /\nroblox-attributes {2}\{.*Fuel/);
  const [broken, unknown] = await answers(["broken.rbxm", model.subarray(0, 100)], ["a.bin", Uint8Array.of(0xde, 0xad)]);
  assert.match(broken, /ends too early|truncated|broken/);
  assert.match(unknown, /no values that I know/);
  const [long] = await answers(["long.bin", encode({ type: "String", value: "x".repeat(9000) }, { format: "godot-4" })]);
  assert(long.length <= 2000);
  assert.deepEqual(await answers(["large.bin", Buffer.alloc((8 << 20) + 1)]), []);
});

test("comment-diff.yml compares the places of a pull request", () => {
  const workflow = readFileSync(join(HERE, "examples/comment-diff.yml"), "utf8");
  const script = /name: Compare\n[^]*?run: \|\n((?: {10}.*\n)+)/.exec(workflow)[1].replaceAll(/^ {10}/gm, "");
  const [game, temporary] = [join(folder, "game"), join(folder, "runner")];
  for (const made of [game, temporary]) mkdirSync(made);
  const run = (command, ...args) => {
    const env = { ...process.env, PATH: `${dirname(PROGRAM)}:${process.env.PATH}`, BASE: "main", RUNNER_TEMP: temporary };
    const { status, stderr } = spawnSync(command, args, { cwd: game, env, encoding: "utf8" });
    assert.equal(status, 0, stderr);
  };
  const git = (...args) => run("git", "-c", "user.name=a", "-c", "user.email=a@b", ...args);
  git("init", "--quiet", "--initial-branch=main");
  copyFileSync(`${REPOSITORY}/fixtures/roblox-model/made.rbxm`, join(game, "a place.rbxm"));
  git("add", ".");
  git("commit", "--quiet", "--message=before");
  git("switch", "--quiet", "--create=change");
  const model = Model.open(read(join(game, "a place.rbxm")));
  const { index } = model.instances().find(({ index, hasAttributes }) => hasAttributes && model.find(model.path(index)).length === 1);
  model.set(index, "Build", 17);
  writeFileSync(join(game, "a place.rbxm"), model.save());
  git("commit", "--quiet", "--all", "--message=after");
  run("bash", "-e", "-c", script);
  const comment = readFileSync(join(temporary, "comment.md"), "utf8");
  assert.match(comment, /^\n\*\*a place\.rbxm\*\*\n\n````diff\n\+ \S+ Build: 17\n[^`]*````\n$/);
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
