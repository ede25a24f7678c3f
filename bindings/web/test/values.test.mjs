// Values as objects.
import assert from "node:assert/strict";
import test from "node:test";

import {
  check, decode, DecodeError, Decoder, DecoderStream, decodeFrames, detect, detectFile, encode, EncodeError, encodeFrames, formats,
  fromNotation, fromText, inspect, signature, toNotation, toText,
} from "enginewire";

import { read, REPOSITORY, values } from "./corpus.mjs";

const fixture = (name) => read(`${REPOSITORY}/fixtures/${name}`);
const bytes = (...numbers) => Uint8Array.from(numbers);
const hex = (text) => Uint8Array.from(text.replace(/ /g, "").match(/../g) ?? [], (pair) => parseInt(pair, 16));
const thrown = (work, Class) => {
  try {
    work();
  } catch (error) {
    assert(error instanceof Class, error?.stack);
    return error;
  }
  assert.fail("nothing was thrown");
};

test("values have the types that JavaScript has for them", () => {
  const attribute = (type, value) => ({ key: "a", type, value });
  const both = (entry) => {
    const document = { format: "roblox-attributes", entries: [entry] };
    assert.deepEqual(decode(encode(document, { format: "roblox-attributes" }), { format: "roblox-attributes" }), document);
  };
  both(attribute("Float", Math.fround(0.1)));
  both(attribute("Double", -0));
  both(attribute("Double", NaN));
  both(attribute("Float", -Infinity));
  both(attribute("Float", { bits: "0x7fa02301" }));
  both(attribute("Double", { bits: "0xfff8000000000000" }));
  both(attribute("String", "Ünïcode \u{1f600} \ufeff \0"));
  both(attribute("String", bytes(0xff, 0)));
  both(attribute("String", ""));
  both(attribute("String", "x".repeat(100_000)));
  both(attribute("CFrame", { position: { x: 1, y: 2, z: 3 }, rotation: { id: 2 } }));
  both(attribute("Array", [{ type: "Bool", value: true }, { type: "Int", value: -(2 ** 31) }]));

  const variant = (type, value) => ({ format: "godot-variant", version: 4, type, value });
  const godot = (document) => {
    assert.deepEqual(decode(encode(document, { format: "godot-4" }), { format: "godot-4" }), document);
  };
  for (const number of [0n, 7n, -1n, 2n ** 53n, -(2n ** 63n), 2n ** 63n - 1n]) godot(variant("int", number));
  godot(variant("RID", 2n ** 64n - 1n));
  godot(variant("PackedInt64Array", [1n, -(2n ** 63n)]));
  godot(variant("PackedByteArray", bytes(1, 2, 255)));
  godot(variant("PackedByteArray", bytes()));
  godot(variant("PackedFloat64Array", [0.1, NaN, -0, Infinity]));
  godot(variant("null", null));
  godot({ format: "godot-variant", version: 4, type: "Vector2", double: true, value: { x: 0.1, y: -2 } });
  const uuid = { type: "Userdata", value: { id: "Uuid", uuid: "0f0e0d0c-0b0a-0908-0706-050403020100" } };
  const lua = { format: "scrap-mechanic-lua", version: 1, ...uuid };
  assert.deepEqual(decode(encode(uuid, { format: "scrap-mechanic-lua" }), { format: "scrap-mechanic-lua" }), lua);
});

test("a number is no string, wherever one may be", () => {
  const refused = (document, format, path) => {
    const error = thrown(() => encode(document, { format }), EncodeError);
    assert.equal(error.path, path);
    assert.match(error.message, /: expected a (string, or a Uint8Array|text), found (a number|-?[0-9])/);
  };
  for (const number of [NaN, Infinity, -Infinity, 5, 2n ** 60n, -(2n ** 63n), 2n ** 64n, 2n ** 70n]) {
    refused({ entries: [{ key: "a", type: "String", value: number }] }, "roblox-attributes", "entries[0].value");
    refused({ entries: [{ key: number, type: "Bool", value: true }] }, "roblox-attributes", "entries[0].key");
    refused({ type: "StringName", value: number }, "godot-4", "value");
    refused({ type: "PackedStringArray", value: ["a", number] }, "godot-4", "value[1]");
    refused({ type: "String", value: number }, "scrap-mechanic-lua", "value");
  }
});

test("an integer that is too large for its type is refused", () => {
  for (const number of [2n ** 63n, -(2n ** 63n) - 1n, 2n ** 70n, NaN]) {
    const error = thrown(() => encode({ type: "int", value: number }, { format: "godot-4" }), EncodeError);
    assert.equal(error.path, "value");
    const reason = typeof number === "bigint"
      ? /^value: "?-?[\d.e+]+"? does not fit int, -9223372036854775808 to 9223372036854775807/
      : /^value: expected an integer of the type i64, or its digits in a string, found /;
    assert.match(error.message, reason);
  }
});

/** A document of objects as JSON text would give it. */
function plain(value) {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (value instanceof Uint8Array) return { hex: Buffer.from(value).toString("hex") };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** Numbers of 32 bits are short in text, and exact as objects. */
function same(object, text, place) {
  if (typeof object === "number" && typeof text === "number") {
    assert(Object.is(object, text) || Object.is(object, Math.fround(text)), `${place}: ${object} and ${text}`);
  } else if (typeof object === "object" && object !== null && typeof text === "object" && text !== null) {
    assert.deepEqual(Object.keys(object), Object.keys(text), place);
    for (const name of Object.keys(object)) same(object[name], text[name], `${place}.${name}`);
  } else {
    assert.equal(object, text, place);
  }
}

test("objects say what the text says, member by member and in the same order", () => {
  for (const { format, files } of values()) {
    for (const file of files.filter((file) => !file.includes("/bad/") && !file.includes("nested"))) {
      let text;
      try {
        text = toText(read(file), { format });
      } catch {
        continue;
      }
      same(plain(decode(read(file), { format })), JSON.parse(text), file);
    }
  }
});

test("a document without its head is encoded", () => {
  const expected = hex("05000000 0000c03f 000010c0");
  assert.deepEqual(encode({ type: "Vector2", value: { x: 1.5, y: -2.25 } }, { format: "godot-4" }), expected);
  assert.deepEqual(encode({ entries: [] }, { format: "roblox-attributes" }), bytes());
  const error = thrown(() => encode(decode(expected, { format: "godot-4" }), { format: "godot-3" }), EncodeError);
  assert.equal(error.message, "version: expected 3 for godot-3, found 4");
});

test("errors say what, where and in which field", () => {
  const format = "roblox-attributes";
  const error = thrown(() => decode(hex("01000000 01000000 61 1d"), { format, name: "a.bin" }), DecodeError);
  assert.equal(error.message, 'unknown type id 0x1d, at byte 0x9 in entries[0] "a".value.type');
  assert.deepEqual([error.code, error.offset, error.bit, error.path], ["unknown-id", 9, 0, 'entries[0] "a".value.type']);
  assert.equal(error.reason, "unknown type id 0x1d");
  assert.match(error.expected, /^one of 02 03 04 /);
  assert.match(error.report, /^unknown type id 0x1d\n {2}--> a\.bin: byte 0x9\n/);
  assert.equal(error.truncated, false);
  assert.equal(thrown(() => decode(hex("01000000 01"), { format }), DecodeError).truncated, true);
  const bit = thrown(() => decode(hex("4c5541 00000001 05"), { format: "scrap-mechanic-lua" }), DecodeError);
  assert.equal(bit.code, "truncated");
  assert(bit.bit > 0 || bit.offset > 0);

  const wrong = { entries: [{ key: "a", type: "Vector2", value: { x: "1", y: 2 } }] };
  const encoded = thrown(() => encode(wrong, { format }), EncodeError);
  assert.deepEqual([encoded.path, encoded.code], ["entries[0].value.x", "document"]);
  assert.match(encoded.message, /^entries\[0\]\.value\.x: expected a number of 32 bits.*, found "1"/);
  // errors name a line only in a text that the caller wrote
  assert.doesNotMatch(encoded.message + encoded.reason, / line /);
  const text = '{"format": "roblox-attributes", "entries": [\n{"key": "a", "type": "Bool", "value": 1}]}';
  assert.match(thrown(() => fromText(text), EncodeError).message, / at line 2 column \d+$/);
});

test("wrong arguments are refused with the reason", () => {
  const message = (work) => thrown(work, TypeError).message;
  assert.match(message(() => decode(bytes(), { format: "godot" })), /^there is no format "godot"; expected one of roblox-attributes, /);
  assert.match(message(() => decode(bytes(), { format: "godot-4", maxDeep: 1 })), /^unknown option "maxDeep"; expected one of anyPadding, anyText, /);
  const depth = message(() => decode(bytes(), { format: "godot-4", maxDepth: -1 }));
  assert.equal(depth, "invalid value for the option maxDepth: expected a number from 0 to 65535");
  assert.match(message(() => decode("text", { format: "godot-4" })), /^expected a Uint8Array/);
  assert.match(message(() => encode(null, { format: "godot-4" })), /^expected a document/);
  assert.match(message(() => encode({ type: "int", value: () => 1 }, { format: "godot-4" })), /holds no function/);
  assert.match(message(() => toText(bytes(), { format: "roblox-attributes", form: "yaml" })), /^the form must be /);
  assert.match(thrown(() => fromText("{}"), EncodeError).message, /names no format/);
  // nothing is left of the errors
  assert.deepEqual(decode(hex("00000000"), { format: "godot-4" }).value, null);
});

test("what is no text and no option is refused before it reaches the library", () => {
  const kept = new Decoder({ format: "godot-4" });
  const format = "godot-4";
  const empty = hex("00000000");
  const refused = (work, message) => assert.match(thrown(work, TypeError).message, message, String(work));
  for (const wrong of [undefined, null, 5, {}, [], bytes(1), () => 1]) {
    refused(() => fromText(wrong), /^text: expected a string, found /);
    refused(() => fromText(wrong, { format }), /^text: expected a string/);
    refused(() => fromNotation(wrong, { format }), /^text: expected a string/);
    if (wrong === undefined) continue;
    refused(() => toText(empty, { format, form: wrong }), /^form: expected a string/);
    refused(() => decode(empty, { format, name: wrong }), /^name: expected a string/);
  }
  refused(() => decode(empty), /^expected options that name a format/);
  refused(() => decode(empty, {}), /^there is no format undefined/);
  refused(() => decode(empty, { format, resync: true }), /^unknown option "resync"; expected one of (?!.*resync)/);
  for (const itemLimit of [NaN, -1, 0, 1.5, "9", 9n]) refused(() => new Decoder({ format, itemLimit }), /^itemLimit: expected a whole number from 1 on/);
  // one value has no length before it
  const framed = encodeFrames([{ type: "null", value: null }], { format });
  for (const ask of [decode, toText, toNotation, inspect]) refused(() => ask(framed, { format, framing: "le" }), /^framing: /);
  refused(() => encode({ type: "null", value: null }, { format, framing: "le" }), /^framing: /);
  refused(() => fromNotation("null", { format, framing: "be" }), /^framing: /);
  refused(() => fromText("{}", { framing: "le" }), /^framing: this takes one value without its length; for more /);
  for (const wrong of ["LE", "none", null, 1, "\ud800"]) {
    refused(() => encodeFrames([], { format, framing: wrong }), /^framing: /);
    refused(() => decodeFrames(framed, { format, framing: wrong }), /^framing: /);
  }
  refused(() => encodeFrames([]), /^expected options that name a format/);
  refused(() => encodeFrames([], { format: "bogus" }), /^there is no format "bogus"/);
  refused(() => new Decoder({ format: "roblox-attributes", framing: "be" }), /^framing: only values of Godot/);
  refused(() => check(empty, { format: "roblox-attributes", framing: "le" }), /^framing: only values of Godot/);
  for (const wrong of [3n, () => 1, Symbol("a"), {}, NaN, Infinity]) {
    refused(() => decode(empty, { format, maxDepth: wrong }), /^maxDepth: expected a flag, a number or a text, found /);
    refused(() => decode(empty, { format: wrong }), /^there is no format /);
  }
  refused(() => decode(empty, { format: "roblox-remote", eventIds: "\ud800 = 0x0b50" }), /^eventIds: .* has half of a surrogate pair/);
  assert.equal(decode(empty, { format, framing: "none" }).value, null);
  assert.equal(check(framed, { format, framing: "le" }).entries, 1);
  // the instance is the same as before
  assert.equal(kept.next(), undefined);
  kept.free();
});

test("options are read before the library is called, whatever they do", () => {
  const vector = hex("05000000 0000c03f 000010c0");
  const kept = new Decoder({ format: "godot-4" });
  const during = { format: "godot-4", get maxDepth() { return decode(vector, { format: "godot-4" }).value.x; } };
  for (const ask of [toNotation, toText, check, inspect, decode]) {
    assert.match(thrown(() => ask(vector, during), TypeError).message, /maxDepth/, ask.name);
  }
  assert.equal(kept.next(), undefined);
});

test("half of a surrogate pair is refused", () => {
  const format = "godot-4";
  for (const work of [
    () => encode({ type: "String", value: "a\ud800b" }, { format }),
    () => encode({ type: "Dictionary", value: [{ key: { type: "String", value: "\udc00" }, value: { type: "null", value: null } }] }, { format }),
    () => fromText('{"format": "godot-variant", "version": 4, "type": "String", "value": "\ud800"}'),
    () => fromNotation('"\ud800"', { format }),
  ]) assert.match(thrown(work, TypeError).message, /half of a surrogate pair/);
  assert.equal(decode(encode({ type: "String", value: "\u{1f600}\n" }, { format }), { format }).value, "\u{1f600}\n");
});

test("a text has the format that was asked for", () => {
  const text = '{"format":"godot-variant","version":4,"type":"StringName","value":"a"}';
  const error = thrown(() => fromText(text, { format: "godot-3" }), EncodeError);
  assert.equal(error.message, "the text is of the format godot-4, but the option `format` is godot-3; leave it out");
  assert.equal(error.path, "format");
  assert.deepEqual(fromText(text, { format: "godot-4" }), fromText(text));
  assert.match(thrown(() => fromText("not json"), EncodeError).message, /^the text is not JSON: /);
  // an attribute of this name names no format
  const attributes = fromText('{"format": "godot-variant"}', { format: "roblox-attributes", form: "plain" });
  assert.equal(decode(attributes, { format: "roblox-attributes" }).entries[0].value, "godot-variant");
});

test("a document may be a value in another one", () => {
  const inner = decode(hex("02000000 2a000000"), { format: "godot-4" });
  const list = { type: "Array", value: [inner, inner] };
  const document = decode(encode(list, { format: "godot-4" }), { format: "godot-4" });
  assert.deepEqual(document.value, [{ type: "int", value: 42n }, { type: "int", value: 42n }]);
  const lua = decode(encode({ type: "Int8", value: 7 }, { format: "scrap-mechanic-lua" }), { format: "scrap-mechanic-lua" });
  const table = { type: "Table", value: { array: true, offset: 1, elements: [lua] } };
  assert.deepEqual(decode(encode(table, { format: "scrap-mechanic-lua" }), { format: "scrap-mechanic-lua" }).value.elements, [{ type: "Int8", value: 7 }]);
  const other = thrown(() => encode(list, { format: "godot-3" }), EncodeError);
  assert.equal(other.message, "value[0].version: a value inside has 4, and the whole 3");
  assert.equal(other.path, "value[0].version");
  const deeper = { type: "Dictionary", value: [{ key: { type: "int", value: 1n }, value: list }] };
  assert.equal(thrown(() => encode(deeper, { format: "godot-3" }), EncodeError).path, "value[0].value.value[0].version");
  const whole = { type: "Array", value: [] };
  whole.value.push(whole);
  assert.equal(thrown(() => encode(whole, { format: "godot-4" }), EncodeError).message, "the document nests too deep, or holds itself");
});

test("integers may be -0, and bytes may be of another realm", async () => {
  const format = "godot-4";
  const again = (value) => decode(encode(value, { format }), { format }).value;
  assert.deepEqual(again({ type: "Vector2i", value: { x: Math.round(-0.4), y: 0 } }), { x: 0, y: 0 });
  assert.equal(again({ type: "int", value: -0 }), 0n);
  assert.deepEqual(again({ type: "PackedInt32Array", value: [-0, 1] }), [0, 1]);
  assert(Object.is(again({ type: "float", value: -0 }), -0));
  const { runInNewContext } = await import("node:vm");
  assert.deepEqual(again({ type: "PackedByteArray", value: runInNewContext("new Uint8Array([1, 2])") }), bytes(1, 2));
  for (const value of [[1, 2, 3], "abc"]) {
    assert.match(thrown(() => encode({ type: "PackedByteArray", value }, { format }), EncodeError).message, /^value: expected a Uint8Array, found /);
  }
});

test("documents are read as they are: getters, inherited members, every kind of string and number", () => {
  const format = "godot-4";
  const inner = { type: "String", value: "x".repeat(9_999) };
  const own = Object.assign(Object.create({ inherited: 1 }), { type: "Array" });
  // a getter may encode another document, which takes more memory than there is yet
  Object.defineProperty(own, "value", { enumerable: true, get: () => [inner, { type: "int", value: encode(inner, { format }).length }] });
  assert.deepEqual(decode(encode(own, { format }), { format }).value, [inner, { type: "int", value: 10_008n }]);
  assert.throws(() => encode({ type: "Array", value: [{ type: "int", get value() { throw new RangeError("mine"); } }] }, { format }), /^RangeError: mine$/);

  for (const length of [0, 1, 47, 48, 49, 5_000]) for (const letter of ["a", "é", "\u{1f600}"]) {
    const text = "a".repeat(length) + letter;
    assert.equal(decode(encode({ type: "String", value: text }, { format }), { format }).value, text);
  }
  const numbers = [0, -0, 2 ** 27, -(2 ** 27) - 1, 2 ** 53, -(2 ** 63), 2 ** 64, 1e21, 0.1, 5e-324, NaN, -Infinity];
  assert.deepEqual(decode(encode({ type: "PackedFloat64Array", value: numbers }, { format }), { format }).value, numbers);
  assert.deepEqual(decode(encode({ type: "PackedFloat64Array", value: new Float64Array(numbers) }, { format }), { format }).value, numbers);
  for (const number of [2 ** 53, -(2 ** 31), 7]) assert.equal(decode(encode({ type: "int", value: number }, { format }), { format }).value, BigInt(number));
  const all = Uint8Array.from({ length: 100_003 }, (_, at) => at & 255);
  assert.deepEqual(decode(encode({ type: "PackedByteArray", value: all }, { format }), { format }).value, all);
  assert.equal(thrown(() => encode({ type: "float", value: 10n ** 400n }, { format }), EncodeError).message, "value: number out of range");
});

test("options are heeded", () => {
  const text = hex("04000000 01000000 ff000000");
  assert.equal(thrown(() => decode(text, { format: "godot-4" }), DecodeError).code, "invalid-text");
  assert.deepEqual(decode(text, { format: "godot-4", anyText: true }).value, bytes(255));
  const nested = fixture("godot-4/array_nested100.bin");
  assert.equal(thrown(() => decode(nested, { format: "godot-4", maxDepth: 10 }), DecodeError).code, "too-deep");
});

test("bytes come in any form", () => {
  const value = hex("ffff 02000000 2a000000 ffff");
  const format = "godot-4";
  for (const input of [value.slice(2, 10), value.slice(2, 10).buffer, value.subarray(2, 10), new DataView(value.buffer, 2, 8), Buffer.from(value.slice(2, 10))]) {
    assert.equal(decode(input, { format }).value, 42n);
  }
});

test("files of other kinds have no format, and say what they are", () => {
  const latin = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const kinds = {
    GCPF: "GCPF\x02\0\0\0", GDEC: "GDEC\x01\0\0\0", GDSC: "GDSC\x07\0\0\0", RSCC: "RSCC\x02\0\0\0",
    TILE: "TILE\x0a\0\0\0", ZIP: "PK\x03\x04\x14\0\0\0", gzip: "\x1f\x8b\x08\0", zstd: "\x28\xb5\x2f\xfd", PNG: "\x89PNG\r\n\x1a\n", ELF: "\x7fELF\x02\x01\x01\0",
    PE: "MZ\x90\0\x03\0\0\0", PDF: "%PDF-1.7\n", zeros: "\0".repeat(64), text: "Hello, world\n", JSON: '{"errors": []}', XML: "<?xml version=\"1.0\"?><a/>",
    "UTF-16": "\xff\xfea\0b\0", "changed model": "<roblox!\x89\xff\n\x1a\n\0\0",
  };
  for (const [name, text] of Object.entries(kinds)) {
    for (let turn = 0; turn < 10; turn++) {
      // bytes after a signature change nothing
      const isText = ["zeros", "text", "JSON", "XML", "UTF-16"].includes(name);
      const tail = isText ? [] : Array.from({ length: turn * 9 }, (_, at) => (at * 31 + turn * 7) & 255);
      const file = Uint8Array.from([...latin(text), ...tail]);
      const found = signature(file);
      assert.equal(found?.name, name);
      assert(found.about !== "" && found.advice !== "", name);
      assert.deepEqual(detect(file), [], name);
      assert.equal(detectFile(file), undefined, name);
    }
  }
  assert.equal(signature(fixture("roblox-attributes/readable.bin")), undefined);
  assert.equal(signature(fixture("scrap-mechanic-lua/logic.blueprint.json")), undefined);
  assert.equal(signature(hex("02000000 07000000")), undefined);
});

test("values with their lengths are detected as such", () => {
  const values = [{ type: "int", value: 42n }, { type: "String", value: "abc" }, { type: "Vector2", value: { x: 1, y: 2 } }];
  for (const framing of ["le", "be"]) for (const count of [1, 3]) {
    const file = encodeFrames(values.slice(0, count), { format: "godot-4", framing });
    const [best] = detect(file);
    assert.deepEqual([best.confidence, best.framing], ["likely", framing]);
    assert.equal(best.reason, count === 1 ? "1 value with its length" : "3 values with their lengths");
    assert.equal(decodeFrames(file, { format: best.format, framing: best.framing }).length, count);
  }
  const alone = encode({ type: "Array", value: values }, { format: "godot-4" });
  assert.deepEqual(detect(alone).filter(({ framing }) => framing !== undefined), []);
  // a whole value, followed by other bytes
  const more = detect(Uint8Array.from([...alone, 1, 2, 3, 4])).find(({ format }) => format === "godot-4");
  assert.deepEqual([more?.confidence, more?.length], ["possible", alone.length]);
});

test("values are checked, inspected and detected", () => {
  const format = "roblox-attributes";
  const checked = check(fixture("roblox-attributes/readable.bin"), { format });
  assert.equal(checked.canonical, true);
  assert(checked.entries > 0);
  const odd = check(fixture("roblox-attributes/bad/not-canonical.bin"), { format });
  assert.equal(odd.canonical, false);
  assert.equal(odd.nonCanonical.count > 0 && typeof odd.nonCanonical.first.offset, "number");
  assert.throws(() => check(bytes(1), { format }), DecodeError);
  const tree = inspect(hex("01000000 01000000 61 03 01 ff"), { format });
  assert.deepEqual(tree.nodes[0], { label: "length", start: 0, end: 4, value: "1" });
  assert.equal(tree.error.code, "trailing-bytes");
  assert.deepEqual(tree.gap, { start: 11, end: 12 });
  assert.equal(detect(fixture("scrap-mechanic-lua/all-types.bin"))[0].confidence, "certain");
  assert.equal(detectFile(fixture("roblox-model/" + "attributes.rbxm").slice(0, 100)) ?? "rbxm", "rbxm");
  assert.equal(detectFile(bytes(1, 2)), undefined);
  for (const { name, options } of formats()) for (const option of options) {
    const given = { format: name, [option.name]: option.default };
    if (option.name !== "framing") assert.equal(inspect(bytes(), given).format, name, option.name);
  }
  assert.deepEqual(formats().map(({ name }) => name), ["roblox-attributes", "roblox-remote", "scrap-mechanic-lua", "godot-3", "godot-4"]);
});

test("values are written in the language of their engine, and in JSON without types", () => {
  const format = "godot-4";
  const vector = fromNotation("Vector2(1.5, -2)", { format });
  assert.equal(toNotation(vector, { format }), "Vector2(1.5, -2)");
  const attributes = fromText('{"Hp": {"Int32": 80}}', { format: "roblox-attributes", form: "rojo" });
  assert.equal(toText(attributes, { format: "roblox-attributes", form: "plain" }), '{"Hp":80}');
  const changed = fromText('{"Hp": 81}', { format: "roblox-attributes", form: "plain", like: attributes });
  assert.equal(decode(changed, { format: "roblox-attributes" }).entries[0].type, "Int");
  assert.throws(() => fromNotation("Vector2(", { format }), EncodeError);
  assert.match(toText(vector, { format, pretty: true }), /\n {2}"version": 4,\n/);
});

test("streams give the same items in any pieces", async () => {
  for (const { format, files } of values()) {
    for (const file of files.filter((file) => file.includes("fixtures") && file.includes("all"))) {
      const whole = read(file);
      const items = (size) => {
        const decoder = new Decoder({ format });
        const found = [];
        for (let at = 0; at < whole.length; at += size) found.push(...decoder.push(whole.subarray(at, at + size)));
        decoder.end();
        found.push(...decoder.items());
        decoder.finish();
        return found;
      };
      const expected = items(whole.length);
      const document = decode(whole, { format });
      assert.deepEqual(expected, document.entries ?? document.packets ?? [document], file);
      for (const size of [1, 2, 3, 7, 64]) assert.deepEqual(items(size), expected, file);
    }
  }
});

test("frames of Godot come one by one", async () => {
  const options = { format: "godot-4", framing: "le" };
  const some = [{ type: "int", value: 42n }, { type: "String", value: "hi" }, { type: "null", value: null }];
  const framed = encodeFrames(some, options);
  const expected = some.map((value) => ({ format: "godot-variant", version: 4, ...value }));
  assert.deepEqual(decodeFrames(framed, options), expected);
  assert.deepEqual(decodeFrames(encodeFrames(some, { ...options, framing: "be" }), { ...options, framing: "be" }), expected);
  const pieces = Array.from(framed, (byte) => bytes(byte));
  const all = async (items) => {
    const found = [];
    for await (const item of items) found.push(item);
    return found;
  };
  assert.deepEqual(await all(Decoder.iterate(pieces, options)), expected);
  assert.deepEqual(await all(ReadableStream.from(pieces).pipeThrough(new DecoderStream(options))), expected);
  await assert.rejects(all(Decoder.iterate(pieces.slice(0, -1), options)), DecodeError);
  await assert.rejects(all(ReadableStream.from(pieces.slice(1)).pipeThrough(new DecoderStream(options))), DecodeError);
  assert.throws(() => decodeFrames(framed.subarray(1), options), DecodeError);
  const short = thrown(() => decodeFrames(framed.subarray(0, -1), options), DecodeError);
  assert.deepEqual([short.code, short.truncated], ["truncated", true]);
});

test("an error comes after all items before it, and the stream ends on both sides", async () => {
  const options = { format: "godot-4", framing: "le" };
  const framed = encodeFrames(Array.from({ length: 1000 }, (_, number) => ({ type: "int", value: BigInt(number) })), options);
  const read = async (stream) => {
    const found = [];
    try {
      for await (const item of stream) found.push(item.value);
    } catch (error) {
      return { found, error };
    }
    return { found };
  };
  const through = (bytes) => read(new Blob([bytes]).stream().pipeThrough(new DecoderStream(options)));
  const broken = await through(new Uint8Array([...framed, 4, 0, 0, 0, 255, 255, 255, 255]));
  assert.deepEqual([broken.found.length, broken.found[999], broken.error.path], [1000, 999n, "[1000].value.header"]);
  const cut = await through(framed.subarray(0, -1));
  assert.deepEqual([cut.found.length, cut.error.truncated], [999, true]);
  assert.deepEqual(await through(framed), { found: broken.found });

  const stream = new DecoderStream(options);
  assert(stream instanceof TransformStream);
  const writer = stream.writable.getWriter();
  const reading = read(stream.readable);
  writer.write(framed.subarray(0, 24)).catch(() => {});
  writer.write(Uint8Array.of(4, 0, 0, 0, 255, 255, 255, 255)).catch(() => {});
  const { found, error } = await reading;
  assert.deepEqual([found, error instanceof DecodeError], [[0n, 1n], true]);
  // whoever writes hears the reason
  await assert.rejects(writer.closed, (reason) => reason === error);

  const aborted = new DecoderStream(options);
  const aborting = read(aborted.readable);
  await aborted.writable.abort(new Error("gone"));
  assert.equal((await aborting).error.message, "gone");

  const cancelled = new DecoderStream(options);
  const sending = cancelled.writable.getWriter();
  sending.write(framed).catch(() => {});
  const reader = cancelled.readable.getReader();
  assert.equal((await reader.read()).value.value, 0n);
  await reader.cancel("enough");
  await assert.rejects(sending.closed, (reason) => reason === "enough");

  const { pipeline } = await import("node:stream/promises");
  const { Readable } = await import("node:stream");
  const piped = [];
  await pipeline(Readable.from([framed]), new DecoderStream(options), async (items) => {
    for await (const item of items) piped.push(item.value);
  });
  assert.deepEqual(piped, broken.found);
});

test("a decoder says where it is, fails for good, and is freed once", () => {
  const decoder = new Decoder({ format: "godot-4", framing: "le", itemLimit: 100 });
  decoder.push(hex("08000000 02000000 2a000000 0800"));
  assert.equal(decoder.next().value, 42n);
  assert.equal(decoder.next(), undefined);
  assert.equal(decoder.offset, 12);
  decoder.push(hex("0000 ffffffff 00000000"));
  const first = thrown(() => decoder.next(), DecodeError);
  assert.equal(first.path, "[1].value.header");
  assert.throws(() => decoder.finish(), DecodeError);
  assert.match(thrown(() => decoder.next(), TypeError).message, /freed already/);
  const other = new Decoder({ format: "roblox-attributes", itemLimit: 8 });
  assert.equal(thrown(() => [...other.push(fixture("roblox-attributes/all-types.bin"))], DecodeError).code, "too-large");
  other.free();
  other.free();
});

test("strings before an error are not taken for known ones", () => {
  for (const form of ["exact", "plain"]) {
    const good = fromNotation(`{"only here, ${form}": "twice", "again": "twice"}`, { format: "godot-4" });
    const broken = good.slice();
    broken[broken.length - 12] = 255; // the length of the last text
    assert.throws(() => decode(broken, { format: "godot-4", form }), DecodeError);
    const names = Object.values(decode(good, { format: "godot-4", form: "plain" }));
    assert.deepEqual(names, ["twice", "twice"]);
    assert.equal(decode(good, { format: "godot-4" }).value[0].key.value, `only here, ${form}`);
  }
});

test("values without their types", () => {
  const plain = (format, notation) => decode(fromNotation(notation, { format }), { format, form: "plain" });
  assert.deepEqual(plain("godot-4", '{"hp": 5, "at": Vector2(1.5, 2), "bytes": PackedByteArray(1, 255), 7: [true, null, -0.0], "big": 9223372036854775807}'), {
    hp: 5, at: { x: 1.5, y: 2 }, bytes: bytes(1, 255), "[7]": [true, null, -0], big: 9223372036854775807n,
  });
  assert.equal(plain("godot-4", "9007199254740991"), 2 ** 53 - 1);
  assert.equal(plain("godot-4", "-9007199254740992"), -(2n ** 53n));
  assert.deepEqual(plain("roblox-attributes", '{Name = "Torch", Data = "\\255", Fuel = Int(3), Odd = 0/0}'), { Name: "Torch", Data: bytes(255), Fuel: 3, Odd: NaN });
  // every name from bytes is a member
  const hostile = plain("godot-4", '{"__proto__": {"x": 1}, "constructor": 2, "a\\nb": 3}');
  assert.deepEqual(Object.entries(hostile), [["__proto__", { x: 1 }], ["constructor", 2], ["a\nb", 3]]);
  assert.equal({}.x, undefined);
  // the same as toText, with the types of JavaScript
  const asText = (value) => {
    if (typeof value === "bigint") return String(value);
    // text has the fewest digits that a number of 32 bits needs
    if (typeof value === "number") return Number.isFinite(value) ? Math.fround(value) : String(value);
    if (value instanceof Uint8Array) return { hex: Buffer.from(value).toString("hex") };
    if (Array.isArray(value)) return value.map(asText);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asText(member)]));
  };
  const isBits = (value) => typeof value === "object" && value !== null && Object.keys(value).join() === "bits";
  let count = 0;
  for (const { format, files } of values()) {
    for (const file of files) {
      let text;
      try {
        text = toText(read(file), { format, form: "plain" });
      } catch {
        continue;
      }
      const expected = JSON.parse(text, (_, value) => (isBits(value) ? "NaN" : typeof value === "number" ? Math.fround(value) : value));
      assert.deepEqual(asText(decode(read(file), { format, form: "plain" })), expected, file);
      count++;
    }
  }
  assert(count > 100);
  assert.throws(() => decode(bytes(1), { format: "godot-4", form: "rojo" }), { name: "TypeError", message: 'form: expected "exact" or "plain" for objects, found "rojo"; toText and fromText have all forms' });
});

test("values without their types are encoded with those of others", () => {
  const like = fromNotation('{"hp": 5.0, "at": Vector2(1.5, 2), "bytes": PackedByteArray(1), "id": 3, "list": [1, 2.0]}', { format: "godot-4" });
  const options = { format: "godot-4", form: "plain", like };
  const value = decode(like, { format: "godot-4", form: "plain" });
  assert.deepEqual(encode(value, options), like);
  Object.assign(value, { hp: 7, bytes: bytes(4, 5), id: 2n ** 60n, isNew: true, gone: undefined });
  assert.equal(toNotation(encode(value, options), { format: "godot-4" }), '{ "hp": 7.0, "at": Vector2(1.5, 2), "bytes": PackedByteArray(4, 5), "id": 1152921504606846976, "list": [1, 2.0], "isNew": true }');
  const map = new Map(Object.entries(value));
  assert.deepEqual(encode(map, options), encode(value, options));
  const infinite = encode({ ...value, hp: -Infinity, at: { x: -0, y: NaN } }, options);
  assert.deepEqual(decode(infinite, { format: "godot-4", form: "plain" }).at, { x: -0, y: NaN });
  const message = (value, others = options) => thrown(() => encode(value, others), EncodeError).message;
  assert.match(message({ ...value, id: 0.5 }), /^id: /);
  assert.match(message({ ...value, more: { x: 1 } }), /^more: a new object can be of several types/);
  assert.match(message({ ...value, more: NaN }), /^more: a new /);
  assert.equal(message({ ...value, list: [new Date(0)] }), "list[0]: a value without types holds no Date");
  assert.equal(message({ ...value, list: () => 1 }), "list: a value without types holds no function");
  assert.equal(message(new Map([[1, 2]])), "a name is a string, found 1");
  value.list = value;
  assert.equal(message(value), "the document nests too deep, or holds itself");
  assert.throws(() => encode({ type: "int", value: 1n }, { format: "godot-4", like }), { name: "TypeError", message: /^like: only a value without types/ });
});

test("values without their types are encoded by themselves", () => {
  const told = (format, value) => toNotation(encode(value, { format, form: "plain" }), { format });
  const value = { hp: 5, speed: 0.5, big: 2n ** 60n, far: 2 ** 60, none: null, "": "a", list: [1, [true], {}], data: bytes(1, 255), infinite: -Infinity, zero: -0, gone: undefined };
  const dictionary = '{ "hp": 5, "speed": 0.5, "big": 1152921504606846976, "far": 1.152921504606847e18, "none": null, "": "a", "list": [1, [true], {}], "data": PackedByteArray(1, 255), "infinite": inf_neg, "zero": -0.0 }';
  for (const format of ["godot-3", "godot-4"]) assert.equal(told(format, value), format === "godot-4" ? dictionary : dictionary.replace("Packed", "Pool"));
  const { gone, ...rest } = value;
  assert.deepEqual(decode(encode(value, { format: "godot-4", form: "plain" }), { format: "godot-4", form: "plain" }), rest);
  assert.equal(told("roblox-attributes", new Map([["Fuel", 3], ["At", { x: [1] }]])), "{Fuel = 3, At = {x = {1}}}");
  assert.equal(told("scrap-mechanic-lua", { mode: 1, on: [true, "a"] }), '{mode = 1, on = {true, "a"}}');
  assert.equal(told("godot-4", new Float32Array([0.5, 1])), "[0.5, 1]");
  const error = (format, value) => thrown(() => encode(value, { format, form: "plain" }), EncodeError).message;
  assert.equal(error("godot-4", { a: 2n ** 70n }), "a: a bigint has 64 bits at most; write a number, or a string");
  assert.match(error("scrap-mechanic-lua", { a: 2n ** 60n + 1n }), /1152921504606846977/);
  assert.equal(error("roblox-attributes", { a: [null] }), 'the format of attributes has no null that is not a field in "a"[0]');
  assert.match(error("roblox-attributes", [1]), /attributes are a structure or a map/);
  assert.throws(() => encode({}, { format: "roblox-remote", form: "plain" }), { name: "TypeError", message: /^like: this format needs the bytes/ });
});
