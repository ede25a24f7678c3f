// Each entry point has the same results as the whole package for its own formats, and refuses other formats.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import * as whole from "enginewire";
import initSqlJs from "sql.js";

import { ENTRIES, importedAs, moduleOf } from "../scripts/entries.mjs";
import { read, REPOSITORY, values } from "./corpus.mjs";

const SHARED = [
  "DecodeError", "Decoder", "DecoderStream", "DiscardedError", "EncodeError", "check", "decode", "detect", "detectFile", "encode",
  "formats", "fromNotation", "fromText", "inspect", "inspectText", "ready", "signature", "toNotation", "toText",
];

/** The formats of each entry point, its exports that not all have, and the prefixes of the functions for these in its module. */
const PARTS = {
  "roblox-attributes": { formats: ["roblox-attributes"], more: [], inModule: [] },
  "roblox-models": { formats: ["roblox-attributes"], more: ["Model"], inModule: ["model"] },
  "roblox-remote": { formats: ["roblox-remote"], more: [], inModule: [] },
  godot: { formats: ["godot-3", "godot-4"], more: ["decodeFrames", "encodeFrames"], inModule: [] },
  "godot-files": {
    formats: ["godot-3", "godot-4", "godot-resource"], more: ["GodotFile", "decodeFrames", "encodeFrames", "openFile"], inModule: ["file"],
  },
  "scrap-mechanic": { formats: ["scrap-mechanic-lua"], more: ["Blueprint", "Save"], inModule: ["blueprint", "save"] },
};

const parts = ENTRIES.slice(1).map((entry) => ({ entry, ...PARTS[entry.name] }));
const libraries = new Map();
for (const { entry } of parts) libraries.set(entry, await import(importedAs(entry)));

/** The result of `work`, or the members of its error. */
function attempt(work) {
  try {
    return { result: work() };
  } catch (error) {
    const { name, message, reason, code, path, offset, bit, expected, truncated, report } = error;
    return { error: { name, message, reason, code, path, offset, bit, expected, truncated, report } };
  }
}

/** Like `deepEqual`, which needs more stack for what nests deep than there may be. */
function assertSame(ours, theirs, message) {
  const isNested = (value) => typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
  const pairs = [[ours, theirs]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair;
    if (!isNested(one) || !isNested(other)) {
      assert.deepEqual(one, other, message);
      continue;
    }
    assert.equal(Array.isArray(one), Array.isArray(other), message);
    assert.deepEqual(Object.keys(one), Object.keys(other), message);
    for (const name of Object.keys(one)) pairs.push([one[name], other[name]]);
  }
}

function refusal(work) {
  try {
    work();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
  return "not refused";
}

test("every entry point is tested", () => {
  assert.deepEqual(ENTRIES.map(({ name }) => name), ["enginewire", ...Object.keys(PARTS)]);
  const formats = [...new Set(parts.flatMap(({ formats }) => formats))];
  assert.deepEqual(formats.sort(), [...whole.formats().map(({ name }) => name), "godot-resource"].sort());
});

for (const { entry, formats, more, inModule } of parts) {
  const name = importedAs(entry);
  const library = libraries.get(entry);

  test(`${name}: it has what belongs to it and nothing else`, () => {
    assert.deepEqual(Object.keys(library).sort(), [...SHARED, ...more].sort());
    const described = whole.formats().filter(({ name }) => formats.includes(name));
    const own = library.formats().filter(({ name }) => name !== "godot-resource");
    // what only files need, such as a password, are options where files are read
    const ofFiles = own.map(({ options }) => options.map(({ name }) => name).filter((name) => ["password", "key", "magic"].includes(name)));
    assert.deepEqual(ofFiles, own.map(() => (more.includes("openFile") ? ["password", "key", "magic"] : [])));
    const options = ({ options }) => options.filter(({ name }) => !ofFiles.flat().includes(name));
    assert.deepEqual(own.map((format) => ({ ...format, options: options(format) })), described);
    const module = new WebAssembly.Module(readFileSync(new URL(`../${moduleOf(entry)}`, import.meta.url)));
    const kinds = WebAssembly.Module.exports(module).map(({ name }) => name.match(/^(model|file|blueprint|save)_/)?.[1]);
    assert.deepEqual([...new Set(kinds)].filter(Boolean).sort(), inModule);
    // the others that know nothing of it
    assert.notEqual(library.DecodeError, whole.DecodeError);
  });

  for (const { format, files } of values().filter(({ format }) => formats.includes(format))) {
    test(`${name}: the same for ${files.length} files of ${format}`, () => {
      assert(files.length > 0);
      for (const file of files) {
        const bytes = read(file);
        const options = { format, name: file };
        const same = (ask) => {
          const theirs = attempt(() => ask(library));
          assertSame(theirs, attempt(() => ask(whole)), file);
          return theirs.result;
        };
        const document = same(({ decode }) => decode(bytes, options));
        const text = same(({ toText }) => toText(bytes, options));
        same(({ inspectText }) => inspectText(bytes, options));
        same(({ check }) => check(bytes, options));
        same(({ toNotation }) => toNotation(bytes, options));
        if (document === undefined) continue;
        same(({ fromText }) => fromText(text));
        // to encode deeper documents needs more stack than Node has by default
        if (!/nested10/.test(file)) same(({ encode }) => encode(document, { format }));
      }
    });
  }

  test(`${name}: other formats are refused`, () => {
    const bytes = new Uint8Array(4);
    for (const other of whole.formats().map(({ name }) => name).filter((name) => !formats.includes(name))) {
      const message = `TypeError: there is no format "${other}" in "${name}", which has ${formats.join(", ").replace(/, (?=[^,]*$)/, " and ")}; import "enginewire" for the others`;
      const options = { format: other };
      for (const work of [
        () => library.decode(bytes, options),
        () => library.encode({ format: formats[0] }, options),
        () => library.toText(bytes, options),
        () => library.fromText("{}", options),
        () => library.toNotation(bytes, options),
        () => library.fromNotation("null", options),
        () => library.check(bytes, options),
        () => library.inspect(bytes, options),
        () => new library.Decoder(options),
        () => new library.DecoderStream(options),
      ]) {
        assert.equal(refusal(work), message, String(work));
      }
    }
    const text = formats.includes("godot-4") ? '{"format":"roblox-remote","packets":[]}' : '{"format":"godot-variant","version":4,"type":"null","value":null}';
    assert.equal(
      refusal(() => library.fromText(text)),
      `EncodeError: there is no such format as the text names in "${name}", which has ${formats.join(", ").replace(/, (?=[^,]*$)/, " and ")}; import "enginewire" for the others`,
    );
  });

  test(`${name}: files of other kinds are the same in each`, () => {
    for (const file of ["roblox-model/attributes.rbxm", "roblox-model/attributes.rbxmx", "scrap-mechanic-lua/save-v28.db"]) {
      assert.equal(library.signature(read(`${REPOSITORY}/fixtures/${file}`)), undefined, file);
      assert.deepEqual(library.detect(read(`${REPOSITORY}/fixtures/${file}`)), [], file);
    }
    assert.equal(library.signature(Buffer.from("PK\x03\x04")).name, "ZIP");
  });

  test(`${name}: only its own formats and files are detected`, () => {
    for (const { format, files } of values()) {
      for (const file of files.slice(0, 20)) {
        const bytes = read(file);
        assert.deepEqual(library.detect(bytes), whole.detect(bytes).filter(({ format }) => formats.includes(format)), `${format} ${file}`);
      }
    }
    const kinds = {
      model: ["rbxm", "roblox-model/attributes.rbxm"],
      save: ["scrap-mechanic-save", "scrap-mechanic-lua/save-v28.db"],
      blueprint: ["scrap-mechanic-blueprint", "scrap-mechanic-lua/logic.blueprint.json"],
    };
    for (const [part, [kind, file]] of Object.entries(kinds)) {
      assert.equal(library.detectFile(read(`${REPOSITORY}/fixtures/${file}`)), inModule.includes(part) ? kind : undefined);
    }
  });
}

test("files are the same in the entry points that have them", async () => {
  const [, models, , godot, , scrapMechanic] = [...libraries.values()];
  const model = read(`${REPOSITORY}/fixtures/roblox-model/attributes.rbxm`);
  const changed = [models, whole].map(({ Model }) => {
    const opened = Model.open(model);
    const { index } = opened.instances().find(({ hasAttributes }) => hasAttributes);
    opened.set(index, "Fuel", 42);
    return [opened.instances(), opened.attributes(index), opened.save()];
  });
  assert.deepEqual(changed[0], changed[1]);

  const blueprint = readFileSync(`${REPOSITORY}/fixtures/scrap-mechanic-lua/logic.blueprint.json`, "utf8");
  const objects = [scrapMechanic, whole].map(({ Blueprint }) => {
    const opened = Blueprint.open(blueprint);
    opened.replace(0, { type: "Boolean", value: true });
    return [opened.parts().map((_, part) => opened.decode(part)), opened.save()];
  });
  assert.deepEqual(objects[0], objects[1]);

  const sqlite = await initSqlJs();
  const save = read(`${REPOSITORY}/fixtures/scrap-mechanic-lua/save-v28.db`);
  const rows = [scrapMechanic, whole].map(({ Save }) => {
    const opened = Save.open(save, sqlite);
    return [...opened.rows()].map(({ address, label, isObject }) => [address, label, isObject && opened.decode(address)]);
  });
  assert.deepEqual(rows[0], rows[1]);

  const numbers = [1n, 2n].map((value) => ({ type: "int", value }));
  for (const options of [{ format: "godot-3" }, { format: "godot-4", framing: "be" }]) {
    const frames = godot.encodeFrames(numbers, options);
    assert.deepEqual(frames, whole.encodeFrames(numbers, options));
    assert.deepEqual(godot.decodeFrames(frames, options), whole.decodeFrames(frames, options));
  }
});
