/** Changes of a value by its type, by the controls of sets and rotations, and by its bytes. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Site, arrived, bytesOf, downloaded, fixture, leave, nativelySet, open, shot } from "./open.mjs";

let site;
before(async () => (site = await Site.start()));
after(() => site.stop());

const ALL = "roblox-attributes/all-types.bin";
// high enough for all values
const visit = () => site.visit("", { bytes: false, height: 1400 });
async function pick(page, name) {
  await page.click(`.values .row:has(.name:text-is(${JSON.stringify(name)}))`);
  await page.waitForSelector(`#editor .path code:text-is(${JSON.stringify(name)})`);
  await arrived(page);
}
const shown = (page, text) => page.waitForSelector(`.row.is-selected .row-value:text-is(${JSON.stringify(text)})`);
const native = (...changes) => nativelySet(fixture(ALL), "-f", "roblox-attributes", ...changes);

test("a value gets another type, converted where that makes sense", async () => {
  const page = await visit();
  await open(page, "all.bin", bytesOf(ALL));
  const cases = [
    ["Double", "String", '"-1"'],
    ["Float", "Int", "1"],
    ["Int", "Bool", "true"],
    ["Vector3", "Vector2", "Vector2.new(10, 20)"],
    ["Vector2", "Vector3int16", "Vector3int16.new(10, 20, 0)"],
    ["CFrame", "Vector3", "Vector3.new(1, 2, 3)"],
    ["String", "Double", "0"],
    ["Bool", "Color3", "Color3.new(0, 0, 0)"],
    ["Dictionary", "Array", "{}"],
    ["Rect", "Faces", "Faces.new()"],
    ["UDim", "EnumItem", "Enum.Material.Grass"],
  ];
  for (const [name, type, text] of cases) {
    await pick(page, name);
    await page.selectOption("#editor select.type", type);
    await page.waitForSelector(`.row.is-selected .row-type:text-is('${type}')`);
    // a table shows how many values are in it
    if (text !== "{}") await shown(page, text);
  }
  await pick(page, "Vector3");
  await shot(page, "type");
  const expected = native(...cases.map(([name, type, text]) => `${name}:${type}=${text}`));
  assert.deepEqual(await downloaded(page), expected);
  for (let count = 0; count < cases.length; count++) await page.keyboard.press("Control+z");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });
  assert.deepEqual(await downloaded(page), bytesOf(ALL));
  await leave(page);
});

test("every type that is offered can be chosen", async () => {
  for (const [path, name, count] of [[ALL, "Float", 30], ["godot-4/packet_typical.bin", "hp", 39], ["scrap-mechanic-lua/readable.bin", "fuel", 12]]) {
    const page = await visit();
    await open(page, "all.bin", bytesOf(path));
    await pick(page, name);
    const types = await page.locator("#editor select.type option").allInnerTexts();
    assert.equal(types.length, count);
    for (const type of types) {
      await page.selectOption("#editor select.type", type);
      // of userdata, the type within is shown
      const shown = type === "Userdata" ? "Uuid|Vec3|Quat|Color|Shape|Body|World|Tool" : type;
      await page.waitForSelector(`#editor [role=alert], .row.is-selected .row-type:text-matches('^(${shown})$')`);
      assert.equal(await page.locator("#editor [role=alert]").count(), 0, `${path} ${type}`);
    }
    await leave(page);
  }
});

test("a button adds a value beside those of the file, and a download is announced", async () => {
  const page = await site.visit("", { bytes: false });
  await open(page, "all.bin", bytesOf(ALL));
  await page.click("button[title='Add a value beside these']");
  await page.fill("#editor .structure input >> nth=0", "Fuel");
  await page.fill("#editor .structure input >> nth=1", "40");
  await page.click("#editor .structure button:text-is('Add')");
  await page.waitForSelector(".values .row .name:text-is('Fuel')");
  assert.deepEqual(await downloaded(page), native("Fuel=40"));
  await page.waitForSelector(".message:text-is('all.changed.bin was handed to the browser.')");
  assert.equal(await page.locator("header .download.primary").count(), 0);
  await leave(page);
});

test("faces and axes are checkboxes", async () => {
  const page = await visit();
  await open(page, "all.bin", bytesOf(ALL));
  await pick(page, "Faces");
  assert.deepEqual(await page.locator("#editor .members label").allInnerTexts(), ["Right", "Top", "Back", "Left", "Bottom", "Front"]);
  assert.deepEqual(await page.locator("#editor .members input").evaluateAll((all) => all.map((box) => box.checked)), [true, false, true, false, false, false]);
  await page.check("#editor .members label:has-text('Front') input");
  await shown(page, "Faces.new(Enum.NormalId.Right, Enum.NormalId.Back, Enum.NormalId.Front)");
  await page.uncheck("#editor .members label:has-text('Right') input");
  await shown(page, "Faces.new(Enum.NormalId.Back, Enum.NormalId.Front)");
  await shot(page, "faces");
  await pick(page, "Axes");
  await page.focus("#editor .members label:has-text('Z') input");
  await page.keyboard.press("Space");
  await page.waitForSelector("#editor .members label:has-text('Z') input:checked");
  await page.waitForSelector(".chip:text-is('changed')");
  assert.deepEqual(await downloaded(page), native("Faces=Faces.new(Enum.NormalId.Back, Enum.NormalId.Front)", "Axes=Axes.new(Enum.Axis.X, Enum.Axis.Y, Enum.Axis.Z)"));
  await leave(page);
});

test("a rotation has angles and a list of ids", async () => {
  const page = await visit();
  await open(page, "all.bin", bytesOf(ALL));
  await pick(page, "CFrame");
  const options = await page.locator("#editor fieldset .choice option").allInnerTexts();
  assert.equal(options.length, 24);
  assert.equal(options[0], "02: 0°, 0°, 0°");
  const angles = page.locator("#editor legend:text-is('rotation, in degrees') + .group > .numbers input");
  const turn = async (axis, text) => {
    await angles.nth(axis).fill(text);
    await page.keyboard.press("Enter");
  };
  const isId = async (id) => {
    await page.waitForFunction((id) => document.querySelector("#editor fieldset .choice select").value === id, String(id));
    await arrived(page);
  };
  const original = bytesOf(ALL);
  const at = original.indexOf(Buffer.from("0000803f000000400000404002", "hex")) + 12;
  const withId = (id) => Buffer.from(original).fill(id, at, at + 1);
  // an angle of 90° is that of an id, any other needs a matrix
  await turn(1, "90");
  await isId(0x20);
  assert.deepEqual(await downloaded(page), withId(0x20));
  await page.selectOption("#editor fieldset .choice select", { label: "03: 90°, 0°, 0°" });
  await isId(3);
  await shot(page, "rotation-id");
  assert.deepEqual(await downloaded(page), withId(3));
  await turn(0, "0");
  await isId(2);
  await turn(1, "45");
  await page.waitForSelector("#editor legend:text-is('matrix')");
  await arrived(page);
  await shot(page, "rotation");
  assert.equal(await angles.nth(1).inputValue(), "45");
  // the bits of the other value, which is turned as far
  const matrix = "f304353f00000000f304353f000000000000803f00000000f30435bf00000000f304353f";
  assert.equal((await downloaded(page)).toString("hex").split(matrix).length, 3);
  await pick(page, "CFrameTurned");
  assert.equal(await angles.nth(1).inputValue(), "45");
  await leave(page);
});

test("a quaternion of Godot has angles", async () => {
  const page = await visit();
  await open(page, "types.bin", bytesOf("godot-4/packet_typical.bin"));
  await pick(page, "hp");
  await page.selectOption("#editor select.type", "Quaternion");
  await page.waitForSelector("#editor legend:text-is('parts')");
  await page.locator("#editor legend:text-is('rotation, in degrees') + .numbers input").nth(1).fill("90");
  await page.keyboard.press("Enter");
  await shown(page, "Quaternion(0, 0.70710677, 0, 0.70710677)");
  await arrived(page);
  assert.deepEqual(await page.locator("#editor legend:text-is('rotation, in degrees') + .numbers input").evaluateAll((all) => all.map((field) => field.value)), ["0", "90", "0"]);
  await shot(page, "quaternion");
  await leave(page);
});

test("a Basis, transforms and the CFrame of a packet have angles; a turn keeps the scale", async () => {
  const page = await visit();
  const turn = async (axis, text, expected) => {
    const field = page.locator("#editor legend:text-is('rotation, in degrees') + .numbers input, #editor label:has-text('rotation, in degrees') input").nth(axis);
    await field.fill(text);
    await page.keyboard.press("Enter");
    await page.waitForFunction((text) => document.querySelector("#editor .notation textarea").value === text, expected);
    await arrived(page);
    assert.equal(await field.inputValue(), text);
  };
  const write = async (text) => {
    await page.fill("#editor .notation textarea", text);
    await page.press("#editor .notation textarea", "Control+Enter");
    await page.waitForFunction(() => document.querySelector("#editor .notation button.primary").disabled);
    await arrived(page);
  };
  const become = async (type) => {
    await page.selectOption("#editor select.type", type);
    await page.waitForSelector(`.row.is-selected .row-type:text-is('${type}')`);
    await arrived(page);
  };
  await open(page, "types.bin", bytesOf("godot-4/packet_typical.bin"));
  await pick(page, "hp");
  await become("Basis");
  await write("Basis(2, 0, 0, 0, 1, 0, 0, 0, 3)");
  await turn(1, "90", "Basis(0, 0, 3, 0, 1, 0, -2, 0, 0)");
  // what is sheared has no angles
  await write("Basis(1, 1, 0, 0, 1, 0, 0, 0, 1)");
  assert.equal(await page.locator("#editor legend:text-is('rotation, in degrees')").count(), 0);
  // Godot takes a mirrored Basis for one whose scale is negative in all parts
  await write("Basis(1, 0, 0, 0, 1, 0, 0, 0, -1)");
  await turn(2, "0", "Basis(-1, 0, 0, 0, -1, 0, 0, 0, -1)");
  await become("Transform3D");
  await write("Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6, 7)");
  await turn(0, "90", "Transform3D(1, 0, 0, 0, 0, -1, 0, 1, 0, 5, 6, 7)");
  await shot(page, "transform");
  await become("Transform2D");
  await write("Transform2D(2, 0, 0, 1, 5, 6)");
  await turn(0, "90", "Transform2D(0, 2, -1, 0, 5, 6)");
  await leave(page);

  const other = await visit();
  await open(other, "rotations.bin", bytesOf("roblox-remote/rotations.bin"));
  const row = ".values .row:has(.row-type:text-is('CFrame')):has-text('CFrame.new(')";
  await other.click(`${row} >> nth=0`);
  await arrived(other);
  const angles = other.locator("#editor legend:text-is('rotation, in degrees') + .group > .numbers input");
  const notation = "#editor .notation textarea";
  for (const [axis, text] of [[0, "0"], [2, "0"], [1, "45"]]) {
    const before = await other.inputValue(notation);
    await angles.nth(axis).fill(text);
    await other.keyboard.press("Enter");
    await other.waitForFunction(([notation, before]) => document.querySelector(notation).value !== before, [notation, before]);
    await arrived(other);
  }
  // a packed quaternion: sin 22.5° and cos 22.5°
  assert.match(await other.inputValue(notation), /, 0, 0\.3826\d*, 0, 0\.9238\d*\)$/);
  assert.deepEqual(await angles.evaluateAll((all) => all.map((field) => field.value)), ["0", "45", "0"]);
  await shot(other, "packet-rotation");
  await other.selectOption("#editor fieldset .choice select", { label: "20: 0°, 90°, 0°" });
  await other.waitForFunction((notation) => document.querySelector(notation).value === "CFrame.new(0, 0, 0, 0, 0, 1, 0, 1, -0, -1, 0, 0)", notation);
  await leave(other);
});

test("the bytes of a field are changed as hex, and a wrong rotation by one click", async () => {
  const page = await site.visit();
  const broken = bytesOf("roblox-attributes/bad/rotation-id.bin");
  await open(page, "broken.bin", broken);
  const field = "input[aria-label='Bytes of the field, as hex']";
  assert.equal(await page.inputValue(field), "04");
  await shot(page, "broken-bytes");
  for (const [text, wrong] of [["0", "This is one hex digit"], ["zz", "Write the bytes as hex"], ["05 05", "These bytes are no valid value: "], ["01", "unknown rotation id 0x01"]]) {
    await page.fill(field, text);
    await page.press(field, "Enter");
    await page.waitForSelector(`.change .bad:has-text('${wrong}')`);
  }
  await shot(page, "wrong-bytes");
  await page.fill(field, "03");
  await page.press(field, "Enter");
  await page.waitForSelector(".banner.is-bad", { state: "detached" });
  const mended = Buffer.from(broken);
  mended[0x23] = 3;
  assert.deepEqual(await downloaded(page), mended);
  await page.click("header button[aria-label='Undo']");
  await page.click(".banner button:text-is('Use rotation 02: not turned')");
  await page.waitForSelector(".banner.is-bad", { state: "detached" });
  mended[0x23] = 2;
  assert.deepEqual(await downloaded(page), mended);
  await leave(page);
});

test("tags, and attributes of an instance that has none yet, are taken from another file", async () => {
  const path = "roblox-model/baseplate-566.rbxl";
  const page = await visit();
  await open(page, "place.rbxl", bytesOf(path));
  const compare = (name, content) => page.setInputFiles("#other-picker", { name, mimeType: "", buffer: content });
  const part = (...changes) => nativelySet(fixture(path), "Workspace.SpawnLocation", ...changes);
  const tagged = part("--add-tag", "Start", "--add-tag", "Spawn");
  await compare("tagged.rbxl", tagged);
  await page.waitForSelector(".compare h2:text-is('1 difference')");
  await shot(page, "compare-tags");
  await page.click("button:text-is('Go to it')");
  await page.waitForSelector("#rows .entry.is-selected .name:text-is('SpawnLocation')");
  await page.goBack();
  await compare("tagged.rbxl", tagged);
  await page.click("button:text-is('Take the tags of tagged.rbxl')");
  await page.waitForSelector(".compare h2:text-is('No differences')");
  assert.deepEqual(await downloaded(page), tagged);
  // both tags are one step
  await page.keyboard.press("Control+z");
  await page.waitForSelector("[role=status]:has-text('Undone: take the tags.')");
  assert.deepEqual(await downloaded(page), bytesOf(path));
  await page.keyboard.press("Control+Shift+z");
  await page.waitForSelector(".chip.is-changed");
  assert.deepEqual(await downloaded(page), tagged);
  // as it was opened, it has none
  await page.click(".chip.is-changed");
  await page.click("button:text-is('Take back this change')");
  await page.waitForSelector(".compare h2:text-is('No differences')");
  assert.deepEqual(await downloaded(page), bytesOf(path));
  const fuelled = part("Fuel=1");
  await compare("fuelled.rbxl", fuelled);
  await page.click("button:text-is('Take the value of fuelled.rbxl')");
  await page.waitForSelector(".compare h2:text-is('No differences')");
  assert.deepEqual(await downloaded(page), fuelled);
  await compare("place.rbxl", bytesOf(path));
  await page.click("button:text-is('Take the value of the other place.rbxl')");
  await page.waitForSelector(".compare h2:text-is('No differences')");
  await leave(page);
});

test("all that differs of an instance is taken by one click, and undone by one key", async () => {
  const path = "roblox-model/baseplate-566.rbxl";
  const page = await visit();
  await open(page, "place.rbxl", bytesOf(path));
  const compare = (name, content) => page.setInputFiles("#other-picker", { name, mimeType: "", buffer: content });
  const theirs = nativelySet(fixture(path), "Workspace.SpawnLocation", "Fuel=1", "Lit=true", "--add-tag", "Start", "--add-tag", "Spawn");
  await compare("theirs.rbxl", theirs);
  await page.waitForSelector(".compare h2:text-is('3 differences')");
  await page.click("button:text-is('Take all 3 of this instance')");
  await page.waitForSelector(".compare h2:text-is('No differences')");
  assert.deepEqual(await downloaded(page), theirs);
  await page.keyboard.press("Control+z");
  await page.waitForSelector("[role=status]:has-text('Undone: take all 3 differences of Workspace.SpawnLocation.')");
  await page.waitForSelector(".compare h2:text-is('3 differences')");
  assert.deepEqual(await downloaded(page), bytesOf(path));
  await page.keyboard.press("Control+Shift+z");
  await page.waitForSelector(".compare h2:text-is('No differences')");
  // after a reload it is one step, too
  await page.reload();
  await page.waitForSelector(".chip.is-changed");
  assert.deepEqual(await downloaded(page), theirs);
  await page.keyboard.press("Control+z");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });
  assert.deepEqual(await downloaded(page), bytesOf(path));
  await leave(page);
});

test("fields that another tool does not keep are marked, and are one click away", async () => {
  const page = await visit();
  // Owner, a Double of 5000000000
  await open(page, "owner.bin", Buffer.from("01000000050000004f776e657206000000205fa0f241", "hex"));
  await page.click(".survives summary");
  await page.selectOption(".survives select", "lune");
  await page.waitForSelector(".survives [role=status]:text-is('It does not keep all of this value:')");
  await page.click(".survives li button:has-text('SetAttribute stores 705032704; use a text')");
  await page.waitForSelector(".row.is-selected:has-text('Owner')");
  await page.click("button.toggle");
  await page.waitForSelector(".field .note:has-text('SetAttribute stores 705032704')");
  await page.selectOption(".survives select", "rojo");
  await page.waitForSelector(".survives [role=status]:has-text('Nothing is known')");
  assert.equal(await page.locator(".field .note").count(), 0);
  await leave(page);
});

test("a name that another tool does not keep is marked, too", async () => {
  const page = await visit();
  await open(page, "names.cfg", Buffer.from("config_version=4\n[s]\nplain=1\n\"with blank\"=2\n"));
  await page.click(".entry:has-text('with blank')");
  await page.click(".survives summary");
  await page.selectOption(".survives select", "godot-3.2");
  await page.waitForSelector(".survives li:has-text('it loads the key without the blank')");
  await leave(page);
});
