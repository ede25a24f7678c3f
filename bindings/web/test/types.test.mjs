// The types of documents, over an example of every type.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import test from "node:test";

import { decode, formats } from "enginewire";

import { ENTRIES, importedAs } from "../scripts/entries.mjs";
import { read, values } from "./corpus.mjs";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const folder = `${HERE}build/types`;

/** A value as an expression of TypeScript. */
function expression(value) {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (value instanceof Uint8Array) return `new Uint8Array([${value.join(",")}])`;
  if (Array.isArray(value)) return `[${value.map(expression).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${expression(member)}`).join(", ")} }`;
}

/** The types of all values in a document. */
function typesIn(value, found = new Set()) {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return found;
  if (typeof value.type === "string") found.add(value.type);
  if (value.type === "Userdata") found.add(value.value.id);
  for (const member of Object.values(value)) typesIn(member, found);
  return found;
}

const OPTIONS = { draftTypes: true, refs: true, anyText: true, anyPadding: true };

function tsc(sources) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of Object.entries(sources)) writeFileSync(`${folder}/${name}`, source);
  const compilerOptions = {
    strict: true, noEmit: true, target: "es2022", module: "nodenext", skipLibCheck: false, types: ["node"], lib: ["es2022", "dom", "dom.iterable"],
    noImplicitAny: true, noUncheckedIndexedAccess: true,
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ["*.ts", "*.cts"] }));
  const { status, stdout } = spawnSync("npx", ["--no-install", "tsc", "-p", `${folder}/tsconfig.json`], { cwd: HERE });
  return { status, output: stdout.toString() };
}

test("an example of every type has its type", () => {
  const sources = {};
  for (const { format, files } of values()) {
    const found = new Set();
    const lines = [];
    for (const file of files.filter((file) => !/\/bad\/|nested|1000|large|tile|nodes/.test(file))) {
      let document;
      try {
        document = decode(read(file), { format, ...OPTIONS });
      } catch {
        continue;
      }
      if (read(file).length > 20_000) continue;
      const types = typesIn(document);
      const isNew = [...types].some((type) => !found.has(type));
      if (!isNew && lines.length > 40) continue;
      types.forEach((type) => found.add(type));
      lines.push(`check(${JSON.stringify(format)}, ${expression(document)});`);
    }
    const { types } = formats().find(({ name }) => name === format);
    const missing = types.filter(({ name, status }) => !found.has(name) && !["proposed", "draft"].includes(status));
    assert.deepEqual(missing.map(({ name }) => name), [], format);
    sources[`${format}.ts`] =
      `import type { Documents, FormatName } from "enginewire";\n` +
        `declare function check<Name extends FormatName>(name: Name, document: Documents[Name]): void;\n${lines.join("\n")}\n`;
  }
  const { status, output } = tsc(sources);
  assert.equal(status, 0, output.slice(0, 4000));
});

test("types narrow, and what is wrong is an error", () => {
  const right = `
import {
  check, decode, encode, encodeFrames, Decoder, fromText, Model, Save, type Float, type Godot4Value, type Sqlite,
} from "enginewire";
const bytes = new Uint8Array();
const attributes = decode(bytes, { format: "roblox-attributes" });
for (const entry of attributes.entries) {
  if (entry.type === "CFrame") {
    const x: Float = entry.value.position.x;
    const ids: number | undefined = "id" in entry.value.rotation ? entry.value.rotation.id : undefined;
    void [x, ids];
  }
  if (entry.type === "Bool") entry.value satisfies boolean;
}
const value = decode(bytes, { format: "godot-4" });
if (value.type === "int") value.value satisfies bigint;
if (value.type === "PackedByteArray") value.value satisfies Uint8Array;
function every(value: Godot4Value): string {
  switch (value.type) {
    case "Vector3": return String(value.value.z);
    case "Dictionary": return "typed" in value.value ? "typed" : String(value.value[0]?.key.type);
    default: return value.type;
  }
}
encode({ type: "Vector2", value: { x: 1, y: 2 } }, { format: "godot-4", maxDepth: 8 }) satisfies Uint8Array;
for (const packet of new Decoder({ format: "roblox-remote" }).items()) {
  if (packet.event === "OnServerEvent") packet.player satisfies { peer: number; id: number } | null;
}
Model.open(bytes).set(0, "a", { type: "Color3", value: { r: 1, g: 0, b: 0 } });
for (const entry of attributes.entries) Model.open(bytes).set(0, "b", entry);
encode({ type: "Array", value: [value] }, { format: "godot-4" });
// what takes bytes with a memory of their own
new Blob([encode(value, { format: "godot-4" }), Model.open(bytes).save(), fromText(""), encodeFrames([], { format: "godot-4" })]);
const body: BodyInit = encode(value, { format: "godot-4" });
check(bytes, { format: "godot-4", framing: "le" });
void body;
declare const sqlite: Sqlite;
const save = Save.open(bytes, sqlite, { maxMemory: 1 << 20 });
for (const { address, row, key } of save.rows()) {
  row satisfies bigint;
  key satisfies Uint8Array | undefined;
  if (save.decode(address)?.type === "Table") save.replace(address, { type: "Int8", value: 1 });
}
void every;
`;
  const wrong = `
import { decode, encode, type Godot4Value } from "enginewire";
type IsAny<T> = 0 extends 1 & T ? true : false;
const no: IsAny<Godot4Value["value"]> = false;
const bytes = new Uint8Array();
const value = decode(bytes, { format: "godot-4" });
const { entries } = decode(bytes, { format: "roblox-attributes" });
// @ts-expect-error: not narrowed
value.value.x;
// @ts-expect-error: an int is a bigint
encode({ type: "int", value: 1 }, { format: "godot-4" });
// @ts-expect-error: no such type
encode({ type: "Vector9", value: 1 }, { format: "godot-4" });
// @ts-expect-error: no such format
decode(bytes, { format: "godot" });
// @ts-expect-error: no such option
decode(bytes, { format: "godot-4", maxDeep: 1 });
// @ts-expect-error: an option of streams
decode(bytes, { format: "godot-4", framing: "le" });
// @ts-expect-error: an entry is no item of an array, which has no keys
encode({ entries: [{ key: "a", type: "Array", value: entries }] }, { format: "roblox-attributes" });
// @ts-expect-error: of another format
encode(value, { format: "roblox-attributes" });
void no;
`;
  // the same with the declarations for CommonJS
  const { status, output } = tsc({ "right.ts": right, "wrong.ts": wrong, "right.cts": right, "wrong.cts": wrong });
  assert.equal(status, 0, output);
});

test("an entry point refuses the formats and options that it does not have", () => {
  const formats = ["roblox-attributes", "roblox-remote", "scrap-mechanic-lua", "godot-3", "godot-4", "godot-resource"];
  const has = { "roblox-attributes": [0], "roblox-models": [0], "roblox-remote": [1], "scrap-mechanic": [2], godot: [3, 4], "godot-files": [3, 4, 5] };
  const sources = {};
  for (const entry of ENTRIES.slice(1)) {
    const lines = formats.flatMap((format, number) => {
      const refused = has[entry.name].includes(number) ? "" : "// @ts-expect-error: not here\n";
      return [
        `decode(bytes, { format: "${format}" });`,
        `toText(bytes, { format: "${format}" });`,
        `fromText("", { format: "${format}" });`,
        `inspect(bytes, { format: "${format}" });`,
        `new Decoder({ format: "${format}" });`,
        `"${format}" satisfies FormatName;`,
      ].map((line) => refused + line);
    });
    const source = `
import { decode, Decoder, fromText, inspect, toText, type FormatName } from "${importedAs(entry)}";
const bytes = new Uint8Array();
${lines.join("\n")}
`;
    sources[`${entry.name}.ts`] = source;
    sources[`${entry.name}.cts`] = source;
  }
  const more = `
import { decode as decodeAttributes, type AttributeEntry } from "enginewire/roblox-attributes";
import { Model } from "enginewire/roblox-models";
import { Decoder } from "enginewire/roblox-remote";
import { decodeFrames, encode, type Godot4Value } from "enginewire/godot";
import { openFile, type GodotFile } from "enginewire/godot-files";
import { Blueprint, Save, type Sqlite } from "enginewire/scrap-mechanic";
// @ts-expect-error: not here
import { Model as None } from "enginewire/godot";
const bytes = new Uint8Array();
const entries: AttributeEntry[] = decodeAttributes(bytes, { format: "roblox-attributes", draftTypes: true }).entries;
Model.open(bytes).attributes(0).entries satisfies AttributeEntry[];
new Decoder({ format: "roblox-remote" }).next()?.event satisfies string | undefined;
const values: Godot4Value[] = decodeFrames(bytes, { format: "godot-4", framing: "be" });
encode({ type: "int", value: 1n }, { format: "godot-4", objects: false });
// @ts-expect-error: an option of another format
encode({ type: "int", value: 1n }, { format: "godot-4", draftTypes: true });
const file: GodotFile = openFile(bytes, { password: "hunter2", format: "godot-4", framing: "le" });
for (const { address, bytes } of file.values()) if (bytes !== undefined) file.set(address, bytes);
const setting = file.get("a/b");
if (setting?.type === "int") file.set("a/b", { type: "int", value: setting.value + 1n });
const resource = file.get<"godot-resource">("[0]");
const value = resource?.internal.at(-1)?.properties[0]?.value;
if (resource !== undefined && value?.type === "Vector2i") file.set("[0]", { ...resource, uid: BigInt(value.value.x) });
// @ts-expect-error: no format of Godot
openFile(bytes, { format: "roblox-remote" });
new Blob([file.save()]);
declare const sqlite: Sqlite;
Save.open(bytes, sqlite).decode("")?.type satisfies string | undefined;
Blueprint.open("").decode(0).format satisfies "scrap-mechanic-lua";
void [entries, values, None];
`;
  const { status, output } = tsc({ ...sources, "more.ts": more, "more.cts": more });
  assert.equal(status, 0, output);
});
