// Model files and blueprints.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { Blueprint, decode, DecodeError, EncodeError, Model } from "enginewire";

import { CORPUS, files, program, read, REPOSITORY } from "./corpus.mjs";

const folder = mkdtempSync(join(tmpdir(), "enginewire-"));
test.after(() => rmSync(folder, { recursive: true }));

const models = [`${REPOSITORY}/fixtures/roblox-model`, ...(CORPUS ? [`${CORPUS}/roblox-models`] : [])]
  .flatMap((folder) => [".rbxm", ".rbxmx", ".rbxl", ".rbxlx"].flatMap((ending) => files(folder, ending)))
  .filter((file) => !file.includes("/bad/"));

/** The file after the same change by the program. */
function natively(file, args) {
  const out = join(folder, "out");
  const { status, err } = program(["set", file, ...args, "-o", out, "--force"]);
  assert.equal(status, 0, err);
  return read(out);
}

test("an unchanged file keeps its bytes, and attributes are those that the program reads", () => {
  assert(models.length > 3);
  for (const file of models) {
    const bytes = read(file);
    const model = Model.open(bytes);
    const instances = model.instances();
    for (const { index, hasAttributes, parent } of instances) {
      assert(parent === null || parent < instances.length);
      if (!hasAttributes) continue;
      try {
        assert(Array.isArray(model.attributes(index).entries));
      } catch (error) {
        // some files have attributes that are broken
        assert(error instanceof DecodeError, file);
        assert.equal(program(["-f", "roblox-attributes", "check", file]).status === 0, false, file);
      }
    }
    assert.deepEqual(model.save(), bytes, file);
    model.free();
  }
});

test("changes are those that the program makes", () => {
  let count = 0;
  for (const file of models) {
    const model = Model.open(read(file));
    const instance = model.instances().find(({ index, hasAttributes, place }) => {
      return hasAttributes && model.problems().length === 0 && model.find(place).length === 1 && index >= 0;
    });
    if (instance === undefined) continue;
    count++;
    const { index, place } = instance;
    model.set(index, "EnginewireTest", { type: "Double", value: 42 });
    assert.deepEqual(model.save(), natively(file, [place, "EnginewireTest=42"]), file);
    model.set(index, "EnginewireTest", 43);
    assert.deepEqual(model.save(), natively(file, [place, "EnginewireTest=43"]), file);
    const entry = model.attributes(index).entries.at(-1);
    assert.deepEqual(entry, { key: "EnginewireTest", type: "Double", value: 43 });
    assert.equal(model.remove(index, "EnginewireTest"), true);
    assert.equal(model.remove(index, "EnginewireTest"), false);
    assert.deepEqual(model.save(), read(file), file);
    assert.equal(model.addTag(index, "EnginewireTag"), true);
    assert.equal(model.addTag(index, "EnginewireTag"), false);
    assert(model.tags(index).includes("EnginewireTag"));
    assert.deepEqual(model.save(), natively(file, [place, "--add-tag", "EnginewireTag"]), file);
    assert.equal(model.removeTag(index, "EnginewireTag"), true);
    assert.deepEqual(model.save(), read(file), file);
  }
  assert(count > 3);
});

const xml = (attributes) =>
  `<roblox version="4"><Item class="Folder" referent="R1"><Properties><string name="Name">A</string>` +
  `<BinaryString name="AttributesSerialize">${Buffer.from(attributes).toString("base64")}</BinaryString></Properties></Item></roblox>`;

const entry = (key, value) => [key.length, 0, 0, 0, ...Buffer.from(key), 3, value];

test("several attributes with one key are not changed, as by the program, and removed together", () => {
  const file = join(folder, "twice.rbxmx");
  writeFileSync(file, xml([3, 0, 0, 0, ...entry("a", 0), ...entry("b", 1), ...entry("a", 1)]));
  const model = Model.open(read(file));
  const refusal = /several values have this key, and readers do not agree on the one that counts: remove them first, or name \[#0\] or \[#2\]/;
  for (const value of [true, { type: "Double", value: 7 }]) {
    assert.throws(() => model.set(0, "a", value), refusal);
  }
  assert.match(program(["set", file, "A", "a=true", "-n"]).err, refusal);
  // the same value changes nothing
  model.set(0, "a", false);
  assert.deepEqual(model.save(), read(file));
  assert.equal(model.remove(0, "a"), true);
  assert.deepEqual(model.attributes(0).entries.map(({ key, value }) => [key, value]), [["b", true]]);
  assert.deepEqual(Buffer.from(model.save()).toString(), xml([1, 0, 0, 0, ...entry("b", 1)]));
});

test("a number is set as a number, also where JSON has none", () => {
  const model = Model.open(Buffer.from(xml([])));
  const set = (key, value) => {
    model.set(0, key, value);
    const { type, value: found } = model.attributes(0).entries.find((entry) => entry.key === key);
    return [type, found];
  };
  const refused = (key, value, message) => assert.match(thrown(() => model.set(0, key, value), EncodeError).message, message);
  for (const number of [NaN, Infinity, -Infinity, -0, 0, 5e-324, 1.7976931348623157e308, 2 ** 60, 1e21]) {
    assert.deepEqual(set("New", number), ["Double", number]);
    model.remove(0, "New");
    model.set(0, "Double", 1);
    assert.deepEqual(set("Double", number), ["Double", number]);
    model.set(0, "Float", { type: "Float", value: 1 });
    if (Number.isNaN(number) || Math.fround(number) === number) assert.deepEqual(set("Float", number), ["Float", number]);
    model.set(0, "Text", "x");
    refused("Text", number, /^expected a string, or a Uint8Array, found (a number|-?[0-9].*)$/);
    refused("Text", { type: "String", value: number }, /^Text: value: expected a string, or a Uint8Array, found (a number|-?[0-9].*)$/);
    assert.deepEqual(set("Text", String(number)), ["String", String(number)]);
  }
  assert.deepEqual(set("New", 2n ** 60n), ["Double", 2 ** 60]);
  for (const [type, value] of [["Int", 1], ["Bool", true], ["Vector3", { x: 1, y: 2, z: 3 }], ["Array", []]]) {
    model.set(0, type, { type, value }, { anyType: type === "Array" });
    for (const number of [NaN, Infinity]) refused(type, number, /expected|missing field/);
    assert.deepEqual(model.attributes(0).entries.find((entry) => entry.key === type), { key: type, type, value });
  }
});

test("an entry that is not canonical keeps its bytes", () => {
  const bytes = Buffer.from(xml([2, 0, 0, 0, ...entry("a", 7), ...entry("b", 0)]));
  const model = Model.open(bytes);
  model.set(0, "b", true);
  assert.deepEqual([...model.bytes(0)].slice(-14), [...entry("a", 7), ...entry("b", 1)]);
});

function thrown(work, Class) {
  try {
    work();
  } catch (error) {
    assert(error instanceof Class, error?.stack);
    return error;
  }
  return assert.fail("nothing was thrown");
}

test("what is no index and no text changes nothing and loses nothing", () => {
  const file = Buffer.from(xml([1, 0, 0, 0, ...entry("a", 1)]));
  const model = Model.open(file);
  const refused = (work, message) => assert.match(thrown(work, TypeError).message, message, String(work));
  for (const index of [undefined, null, NaN, {}, "Folder", "0", 0.9, -1, 0n, [0], model.find("Nope")[0], { valueOf: () => model.save() }]) {
    for (const work of [
      () => model.set(index, "Fuel", 42), () => model.remove(index, "a"), () => model.replace(index, { entries: [] }),
      () => model.attributes(index), () => model.bytes(index), () => model.path(index), () => model.tags(index),
      () => model.addTag(index, "a"), () => model.removeTag(index, "a"),
    ]) refused(work, /^the index of an instance: expected a whole number from 0 on, found /);
  }
  for (const index of [1, 2 ** 32, 2 ** 40]) refused(() => model.set(index, "Fuel", 42), /^no instance with index /);
  for (const text of [undefined, null, 5, {}, Buffer.from("a")]) {
    refused(() => model.find(text), /^path: expected a string/);
    refused(() => model.set(0, text, 1), /^key: expected a string/);
    refused(() => model.remove(0, text), /^key: expected a string/);
    refused(() => model.addTag(0, text), /^tag: expected a string/);
  }
  refused(() => model.set(0, "\ud800", 1, { anyKey: true }), /half of a surrogate pair/);
  refused(() => model.addTag(0, "\ud800"), /half of a surrogate pair/);
  refused(() => Model.open(file, { maxMemory: "much" }), /^maxMemory: expected a whole number/);
  refused(() => Blueprint.open([0x7b, 0x7d]), /^expected a Uint8Array, an ArrayBuffer or a view of one/);
  refused(() => Blueprint.open({ bodies: [] }), /^expected a Uint8Array/);
  assert.deepEqual(new Uint8Array(model.save()), new Uint8Array(file));
});

test("an entry of other attributes is a value", () => {
  const model = Model.open(Buffer.from(xml([1, 0, 0, 0, ...entry("a", 1)])));
  const [first] = model.attributes(0).entries;
  model.set(0, "b", first);
  assert.deepEqual(model.attributes(0).entries, [first, { ...first, key: "b" }]);
});

test("what Roblox does not allow is refused, and so is what is not there", () => {
  const model = Model.open(Buffer.from(xml([1, 0, 0, 0, ...entry("a", 1)])));
  const message = (work) => {
    try {
      work();
    } catch (error) {
      return error.message;
    }
    assert.fail("nothing was thrown");
  };
  assert.match(message(() => model.set(0, "no spaces!", 1)), /^Roblox does not allow the name "no spaces!", which /);
  model.set(0, "no spaces!", 1, { anyKey: true });
  assert.match(message(() => model.set(0, "", 1)), /which is empty/);
  const [list, range] = [{ type: "Array", value: [] }, { type: "NumberRange", value: { min: 2, max: 1 } }];
  const refusal = 'Roblox does not allow the attribute "list", which is of a type that scripts cannot set; anyType sets it all the same';
  assert.equal(message(() => model.set(0, "list", list)), refusal);
  assert.match(message(() => model.set(0, "a", range)), /"a", which has its greatest number first; anyType/);
  assert.equal(model.attributes(0).entries.length, 2);
  model.set(0, "list", list, { anyType: true });
  model.set(0, "list", { type: "Array", value: [{ type: "Bool", value: true }] }); // it was a list before
  model.remove(0, "list");
  assert.match(message(() => model.set(9, "a", 1)), /instance/);
  assert.match(message(() => model.set(0, "a", "text")), /a/);
  assert.match(message(() => model.set(0, "a", { type: "Vector2", value: 1 })), /^a: value: expected .*, found 1$/);
  const missing = thrown(() => model.set(0, "a", { type: "Color3", value: { r: 1, g: 0.5 } }), EncodeError);
  assert.deepEqual([missing.message, missing.path, missing.code], ["a: value: missing field `b`", "value", "document"]);
  assert.match(message(() => model.attributes(0, { property: "PropertiesSerialize" })), /a Folder has no attributes in PropertiesSerialize/);
  assert.match(message(() => model.addTag(0, "")), /Roblox does not allow the tag/);
  assert.throws(() => Model.open(Buffer.from("<roblox!")), DecodeError);
  assert.throws(() => Model.open(Buffer.from("nothing")), DecodeError);
  model.replace(0, { entries: [{ key: "z", type: "Bool", value: true }] });
  assert.deepEqual(model.attributes(0), { format: "roblox-attributes", entries: [{ key: "z", type: "Bool", value: true }] });
  assert.throws(() => model.replace(0, { entries: [{ key: "z", type: "Bool", value: 1 }] }), EncodeError);
  model.free();
  assert.match(message(() => model.instances()), /freed already/);
});

test("a broken file is read as far as it goes, and not changed", () => {
  for (const name of ["cut.rbxm", "chunk.rbxm"]) {
    const bytes = read(`${REPOSITORY}/fixtures/roblox-model/bad/${name}`);
    let model;
    try {
      model = Model.open(bytes);
    } catch (error) {
      assert(error instanceof DecodeError);
      continue;
    }
    assert(model.problems().length > 0, name);
    assert.deepEqual(model.save(), bytes);
    if (model.instances().length === 0) continue;
    model.set(0, "EnginewireTest", 1);
    assert.throws(() => model.save(), /the file is broken and is not changed/);
  }
});

test("objects of blueprints are read and replaced", () => {
  const blueprints = [`${REPOSITORY}/fixtures/scrap-mechanic-lua`, ...(CORPUS ? [`${CORPUS}/scrap-mechanic-lua`] : [])]
    .flatMap((folder) => files(folder, "blueprint.json"));
  assert(blueprints.length > 0);
  for (const file of blueprints) {
    const bytes = read(file);
    const blueprint = Blueprint.open(bytes);
    assert.deepEqual(blueprint.save(), bytes);
    assert.deepEqual(Blueprint.open(readFileSync(file, "utf8")).save(), bytes);
    const parts = blueprint.parts();
    assert(parts.length > 0, file);
    const data = parts.map((_, index) => {
      try {
        return blueprint.decode(index);
      } catch (error) {
        assert(error instanceof DecodeError);
        return undefined;
      }
    });
    const index = data.findIndex((object) => object !== undefined);
    blueprint.replace(index, { type: "Boolean", value: true });
    assert.deepEqual(blueprint.decode(index), { format: "scrap-mechanic-lua", version: 1, type: "Boolean", value: true });
    assert.notDeepEqual(blueprint.save(), bytes);
    assert.deepEqual(Blueprint.open(blueprint.save()).parts(), parts);
    assert.throws(() => blueprint.replace(parts.length, { type: "Nil", value: null }), TypeError);
    assert.throws(() => blueprint.decode(parts.length), TypeError);
  }
  assert.throws(() => Blueprint.open("{}"), DecodeError);
  assert.throws(() => Blueprint.open(Uint8Array.of(0xff)), TypeError);
  assert.equal(typeof decode, "function");
});
