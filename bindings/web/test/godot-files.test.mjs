// Files of Godot: `openFile` of enginewire/godot-files.
import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";

import { DecodeError, decode, EncodeError, encode, openFile, toText } from "enginewire/godot-files";

import { files, program, read, REPOSITORY } from "./corpus.mjs";

const FOLDER = `${REPOSITORY}/fixtures/godot-files`;
const fixture = (name) => read(`${FOLDER}/${name}`);
const password = "hunter2";
const key = Buffer.from(Array.from({ length: 32 }, (_, at) => at)).toString("hex");
const name = { type: "String", value: "Grüße" };

/** The error of `work`. */
function refusal(work) {
  try {
    work();
  } catch (error) {
    return error;
  }
  assert.fail("not refused");
}

/** The addresses of the values before the error in a file, and that error. */
function listed(file) {
  const addresses = [];
  try {
    for (const { address } of file.values()) addresses.push(address);
  } catch (error) {
    return { addresses, error };
  }
  return { addresses, error: undefined };
}

test("each kind has its values", () => {
  const kinds = [
    ["v4/project/small.binary", "godot-project", "application/config/name", "godot-4"],
    ["v4/config/small.cfg", "godot-config", "player/name", "godot-4"],
    ["v3/config/small.cfg", "godot-config", "player/name", "godot-4"],
    ["text/scene.tscn", "godot-text", "Player/Sprite", "godot-4"],
    ["v4/plain/save.var", "godot-frames-le", "[0]", "godot-4"],
    ["v4/export/tokens.gdc", "godot-script", "[0]", "godot-4"],
  ];
  for (const [path, kind, address, format] of kinds) {
    const file = openFile(fixture(path), { format: "godot-4" });
    assert.deepEqual([file.layers, file.kind], ["", kind], path);
    const value = [...file.values()].find((value) => value.address === address);
    assert.deepEqual([value?.format, value?.error], [format, undefined], path);
    assert.deepEqual(file.get(address), decode(value.bytes, { format }), path);
    assert.equal(file.get("no/such/value"), undefined);
    assert.deepEqual(file.save(), fixture(path), path);
    file.free();
    assert.throws(() => file.get(address), { name: "TypeError", message: "this file is freed already" });
  }
});

test("a value without a signature needs its format", () => {
  const bytes = encode(name, { format: "godot-3" });
  const file = openFile(bytes, { format: "godot-3" });
  assert.deepEqual([file.kind, file.get("").value], ["value", "Grüße"]);
  const unclear = openFile(bytes);
  assert.deepEqual([...unclear.values()].map(({ address, format }) => [address, format]), [["", undefined]]);
  assert.throws(() => unclear.get(""), { name: "TypeError", message: /give openFile the option `format`$/ });
  const error = refusal(() => openFile(Buffer.from("hello")));
  assert(error instanceof DecodeError);
  assert.match(error.message, /^the file holds no values that can be listed: the file is text/);
});

test("a kind that is asked for is not detected", () => {
  const file = openFile(Buffer.concat([encode(name, { format: "godot-3" }), encode(name, { format: "godot-3" })]), { format: "godot-values:godot-3" });
  assert.deepEqual([file.kind, [...file.values()].map(({ address, format }) => [address, format])], ["godot-values", [["[0]", "godot-3"], ["[1]", "godot-3"]]]);
  assert.equal(openFile(Buffer.from("a=1"), { format: "godot-config:godot-4" }).get("a").value, 1n);
  assert(refusal(() => openFile(fixture("v4/config/small.cfg"), { format: "godot-project" })) instanceof DecodeError);
  assert.throws(() => openFile(new Uint8Array(8), { format: "godot-values" }), { name: "TypeError", message: "expected godot-values:godot-3 or godot-values:godot-4" });
});

test("the version of frames is that of the option, and settings may tell theirs", () => {
  const file = openFile(fixture("v4/plain/save.var"));
  // valid in one version only
  assert.deepEqual([...file.values()].map(({ format }) => format), ["godot-4"]);
  const frame = openFile(Buffer.from("040000000000000004000000" + "00000000", "hex"));
  assert.deepEqual([...frame.values()].map(({ format }) => format), [undefined, undefined]);
  assert.throws(() => frame.get("[0]"), {
    name: "TypeError", message: "the file does not tell the format of its values; give openFile the option `format`",
  });
  const settings = openFile(fixture("v4/project/small.binary"));
  assert.equal(settings.get("application/config/name").version, 4);
});

test("a resource is a document", () => {
  for (const path of [...files(`${REPOSITORY}/fixtures/godot-resource`, ".bin"), ...files(`${FOLDER}/v4/res`, ".res"), ...files(`${FOLDER}/v3/res`, ".res")]) {
    if (path.includes("/bad/")) continue;
    const bytes = read(path);
    const file = openFile(bytes);
    if (file.kind === "godot-scene") continue;
    assert.equal(file.kind, "value", path);
    const [{ address, format, bytes: inner }] = file.values();
    assert.deepEqual([address, format], ["", "godot-resource"], path);
    const document = file.get("");
    assert.deepEqual([document.format, document], ["godot-resource", decode(inner, { format })], path);
    assert.deepEqual(encode(document, { format }), inner, path);
    assert.equal(`${toText(inner, { format })}\n`, program(["decode", path]).out, path);
    file.set("", { ...document, minor: document.minor + 1 });
    const again = openFile(file.save());
    assert.deepEqual([again.layers, again.get("").minor], [file.layers, document.minor + 1], path);
  }
  const { internal } = openFile(fixture("v4/res/objects_compressed.res")).get("");
  assert.equal(typeof internal.at(-1).class, "string");
  assert.throws(() => decode(fixture("v4/res/uid.res").subarray(0, 200), { format: "godot-resource" }), { name: "DecodeError", truncated: true });
});

test("a scene has the properties of its nodes", () => {
  const scene = openFile(fixture("v4/scn/main.scn"));
  assert.equal(scene.kind, "godot-scene");
  assert.deepEqual([...scene.values()].slice(0, 2).map(({ address, format }) => [address, format]), [[":root", "godot-4"], ["Timer", "godot-4"]]);
  const properties = scene.get("Editable/Sprite").value;
  const position = properties.find(({ key }) => key.value === "position");
  assert.deepEqual(position.value, { type: "Vector2", value: { x: 3, y: 4 } });
  scene.set("Editable/Sprite", { type: "Dictionary", value: [{ key: position.key, value: { type: "Vector2", value: { x: 5, y: 6 } } }] });
  assert.deepEqual(openFile(scene.save()).get("Editable/Sprite").value[0].value.value, { x: 5, y: 6 });
});

test("a pack has files, and they can be opened", () => {
  const pack = openFile(fixture("v4/export/tokens.pck"));
  assert.equal(pack.kind, "godot-pack");
  const entry = [...pack.values()].find(({ address }) => address === "res://project.binary");
  assert.equal(entry.format, undefined);
  assert.throws(() => pack.get(entry.address), {
    name: "TypeError", message: "res://project.binary is a file and not a value; its `bytes` can be opened by openFile",
  });
  const settings = openFile(entry.bytes, { format: "godot-4" });
  settings.set("application/config/name", { type: "String", value: "Renamed" });
  pack.set(entry.address, settings.save());
  const again = [...openFile(pack.save()).values()].find(({ address }) => address === entry.address);
  assert.equal(openFile(again.bytes, { format: "godot-4" }).get("application/config/name").value, "Renamed");
});

test("every file in layers is read, keeps its bytes, and keeps its layers after a change", () => {
  const paths = ["v3", "v4"].flatMap((version) => ["gcpf", "gdec"].flatMap((folder) => files(`${FOLDER}/${version}/${folder}`, "")))
    .filter((path) => /save\.(var|ini)$|config\.cfg$/.test(path));
  assert(paths.length > 20);
  for (const path of paths) {
    const format = path.includes("/v3/") ? "godot-3" : "godot-4";
    const options = { format, ...(path.includes("/key_") ? { key } : { password }) };
    const bytes = read(path);
    const file = openFile(bytes, options);
    assert.match(file.layers, path.includes("/gdec/") ? /^GDEC \(Godot [34]\)$/ : /^GCPF \(\w+\)$/);
    assert.deepEqual(file.save(), bytes, path);
    const address = file.kind === "godot-frames-le" ? "[0]" : "player/name";
    const { version } = file.get(address);
    file.set(address, { type: "String", value: "Ada" });
    assert.deepEqual(file.get(address), { format: "godot-variant", version, type: "String", value: "Ada" });
    const again = openFile(file.save(), options);
    assert.deepEqual([again.layers, again.kind, again.get(address).value], [file.layers, file.kind, "Ada"], path);
    const others = (file) => [...file.values()].filter((value) => value.address !== address).map(({ address, bytes }) => [address, bytes]);
    assert.deepEqual(others(again), others(openFile(bytes, options)), path);
  }
});

test("layers may be in others", () => {
  const text = Buffer.from(gzipSync(fixture("v4/gdec/pass_config.cfg"))).toString("base64");
  const file = openFile(Buffer.from(text), { password });
  assert.deepEqual([file.layers, file.get("player/name").value], ["base64 > gzip > GDEC (Godot 4)", "Grüße"]);
  assert.equal(Buffer.from(file.save()).toString(), text);
});

test("a changed value changes nothing else, and a new one is added", () => {
  const file = openFile(fixture("v4/config/small.cfg"));
  file.set("player/name", { type: "int", value: 7n });
  file.set("player/lives", { type: "int", value: 3n });
  assert.deepEqual([...file.values()].map(({ address }) => address), ["player/name", "player/position", "player/lives"]);
  assert.deepEqual(file.get("player/lives").value, 3n);
  assert.equal(Buffer.from(file.save()).toString(), "[player]\n\nname=7\nposition=Vector3(1, 2, 3)\nlives=3\n");
  file.set("player/name", name);
  assert.equal(openFile(file.save()).get("player/name").value, "Grüße");
});

test("what cannot be set is refused", () => {
  const script = openFile(fixture("v4/export/tokens.gdc"));
  script.set("[0]", { type: "int", value: 1n });
  const error = refusal(() => script.save());
  assert(error instanceof EncodeError);
  assert.equal(error.code, "edit");
  const file = openFile(fixture("v4/config/small.cfg"));
  assert.throws(() => file.set("player/name", { type: "int", value: "one" }), { name: "EncodeError", code: "document" });
  assert.throws(() => file.set("player/name", 7), TypeError);
  assert.throws(() => openFile("text"), TypeError);
  assert.throws(() => openFile(new Uint8Array(8), { format: "roblox-remote" }), /there is no format "roblox-remote"|"roblox-remote" is neither a format nor a kind of file/);
  assert.throws(() => openFile(new Uint8Array(8), { passwort: "x" }), { name: "TypeError" });
  assert.throws(() => openFile(new Uint8Array(8), { key: "12" }), { name: "TypeError", message: "invalid value for the option key: expected 64 hexadecimal digits" });
});

test("an encrypted file needs its password", () => {
  const bytes = fixture("v4/gdec/pass_config.cfg");
  for (const [options, reason] of [
    [{}, /^GDEC \(Godot 4\): the file is encrypted; set the option password, or key to its 64 hexadecimal digits$/],
    [{ password: "hunter3" }, /^GDEC \(Godot 4\): .*(password|key)/],
    [{ key }, /^GDEC \(Godot 4\): .*(password|key)/],
  ]) {
    const error = refusal(() => openFile(bytes, options));
    assert(error instanceof DecodeError);
    assert.match(error.message, reason);
    assert.equal(error.code, "refused");
  }
});

test("a file that is cut anywhere throws a DecodeError, and gives the values before it", () => {
  const whole = fixture("v4/project/small.binary");
  const { addresses, error } = listed(openFile(whole.subarray(0, 60), { format: "godot-4" }));
  assert.deepEqual(addresses, ["application/config/name"]);
  assert(error instanceof DecodeError);
  assert.deepEqual([error.code, error.truncated], ["truncated", true]);
  for (const path of ["v4/project/small.binary", "v4/gcpf/zstd/save.ini", "v4/gdec/pass_config.cfg", "v4/pck/plain.pck", "v4/export/compressed.gdc"]) {
    const whole = fixture(path);
    for (let length = 0; length < whole.length; length += 1 + (whole.length >> 8)) {
      const opened = (() => {
        try {
          return openFile(whole.subarray(0, length), { password });
        } catch (error) {
          assert(error instanceof DecodeError, `${path} ${length}: ${error}`);
        }
      })();
      const error = opened === undefined ? undefined : listed(opened).error;
      assert(error === undefined || error instanceof DecodeError, `${path} ${length}: ${error}`);
      opened?.free();
    }
  }
});

test("a broken value has its error and its place, and the others follow", () => {
  const text = "[a]\n\none=1\ntwo=Vector2(1, )\nthree=3\n";
  const file = openFile(Buffer.from(text));
  const broken = [...file.values()].find(({ address }) => address === "a/two");
  assert(broken.error instanceof DecodeError);
  assert.equal(broken.bytes, undefined);
  assert(broken.error.offset >= text.indexOf("Vector2") && broken.error.offset < text.indexOf("three"), String(broken.error.offset));
  assert.equal(refusal(() => file.get("a/two")), broken.error);
  assert.equal(file.get("a/three").value, 3n);
  assert.equal(broken.about, "line 4");
});
