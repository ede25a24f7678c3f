import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { Site, arrived, bytesOf, choose, downloaded, enter, fixture, hold, leave, nativelySet, open, place, program, root, shot } from "./open.mjs";

let site;
before(async () => (site = await Site.start()));
after(() => site.stop());

const text = (page, selector) => page.locator(selector).first().innerText();
const selectedBytes = (page) => page.locator(".line-hex .b.on").evaluateAll((all) => all.map((byte) => Number(byte.dataset.byte)));

test("a file is opened, and its format guessed with the reason and the alternatives", async () => {
  const page = await site.visit();
  await open(page, "readable.bin", bytesOf("roblox-attributes/readable.bin"));
  assert.equal(await page.inputValue(".kind select"), "roblox-attributes");
  const native = program("inspect", "--guess", fixture("roblox-attributes/readable.bin")).toString();
  const reason = /likely\s+roblox-attributes\s+(.*)/.exec(native)[1];
  assert.ok((await text(page, ".reason")).includes(reason), await text(page, ".reason"));
  const options = await page.locator(".kind optgroup").first().locator("option").allInnerTexts();
  // guesses that are only possible are not listed beside likely ones
  assert.deepEqual(options, ["Roblox attributes"]);
  await page.selectOption(".kind select", "godot-4");
  await page.waitForSelector(".fields .banner.is-bad");
  await page.selectOption(".kind select", "scrap-mechanic-lua");
  await page.waitForSelector(".reason:text-matches('^Chosen by hand')");
  await leave(page);
});

test("a file of another kind is named, and is not opened as something that could be cut", async () => {
  const page = await site.visit();
  const kinds = {
    "PK\x03\x04\x14\0\0\0\x08\0": "The file is a ZIP archive; unpack it first", "TILE\0\0\0\0": "The file is a Scrap Mechanic tile",
    "\x7fELF\x02\x01\x01\0": "The file is a program or library", "MZ\x90\0\x03\0\0\0": "The file is a program or library of Windows",
    "<roblox!\x89\xff\n\x1a\n\0\0": "its line ends were changed in transfer", "{\"errors\": [{\"code\": 0}]}": "The file is JSON text, not a model file",
  };
  for (const [begin, message] of Object.entries(kinds)) {
    await page.setInputFiles("#picker", { name: "other.bin", mimeType: "", buffer: Buffer.from(begin, "latin1") });
    await page.waitForSelector(`.message.is-bad:has-text('${message}')`);
    assert.equal(await page.locator(".fields").count(), 0);
  }
  // a file that store_var wrote is read as a stream
  await open(page, "save.dat", Buffer.from("0c0000001c0000000100000000000000", "hex"));
  assert.equal(await page.inputValue(".kind select"), "godot-frames-le:godot-4");
  await leave(page);
});

test("a file is dropped", async () => {
  const page = await site.visit();
  const content = [...bytesOf("scrap-mechanic-lua/readable.bin")];
  const data = await page.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(content)], "dropped.bin"));
    return data;
  }, content);
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.waitForSelector(".over");
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
  await page.waitForSelector(".file b:text-is('dropped.bin')");
  assert.equal(await text(page, ".reason"), "Recognised by its first bytes.");
  assert.equal(await page.getAttribute(".reason", "title"), 'the bytes begin with "LUA".');
  await leave(page);
});

test("hex and base64 are pasted", async () => {
  const page = await site.visit();
  const content = bytesOf("roblox-attributes/readable.bin");
  await page.fill(".drop textarea", content.toString("hex").replace(/../g, "0x$&, "));
  await page.click("button:text-is('Open the text')");
  await page.waitForSelector(".field:has(.key:text-is('Fuel'))");
  assert.match(await text(page, ".reason"), /Written as hex\./);
  assert.deepEqual(await downloaded(page), content);
  await page.click(".brand");
  await page.evaluate((pasted) => {
    const data = new DataTransfer();
    data.setData("text", pasted);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
  }, content.toString("base64"));
  await page.waitForSelector(".field:has(.key:text-is('Fuel'))");
  assert.match(await text(page, ".reason"), /Written as base64\./);
  await leave(page);
});

test("a file packed by gzip is unpacked, and what unpacks to too much is refused", async () => {
  const page = await site.visit();
  await open(page, "value.bin.gz", gzipSync(bytesOf("roblox-attributes/readable.bin")));
  assert.match(await text(page, ".reason"), /Written as gzip\./);
  assert.deepEqual(await downloaded(page), bytesOf("roblox-attributes/readable.bin"));
  const bomb = await site.visit(`#name=a.bin&data=${gzipSync(Buffer.alloc(5_000_000)).toString("base64url")}`);
  await bomb.waitForSelector(".message.is-bad:has-text('The file in this link is damaged.')");
  for (const each of [page, bomb]) await leave(each);
});

test("what Godot compressed or encrypted is opened, and written again in its layers", async () => {
  const page = await site.visit();
  await open(page, "save.ini", bytesOf("godot-files/v4/gcpf/zstd/save.ini"));
  assert.match(await text(page, ".reason"), /Inside GCPF \(zstd\)\./);
  assert.deepEqual(await downloaded(page), bytesOf("godot-files/v4/gcpf/zstd/save.ini"));
  const encrypted = bytesOf("godot-files/v4/gdec/pass_config.cfg");
  await page.setInputFiles("#picker", { name: "config.cfg", mimeType: "application/octet-stream", buffer: encrypted });
  await page.fill("input[name=secret]", "wrong");
  await page.click("form.choice button");
  await page.waitForSelector(".message.is-bad:has-text('GDEC (Godot 4)')");
  await shot(page, "password");
  await page.fill("input[name=secret]", "hunter2");
  await page.click("form.choice button");
  await page.waitForSelector(".file b:text-is('config.cfg')");
  assert.match(await text(page, ".reason"), /Inside GDEC \(Godot 4\)\./);
  await enter(page, "player/name");
  assert.deepEqual(await downloaded(page), encrypted);
  await page.fill("#editor textarea, #editor fieldset input[type=text]", "Ada");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".chip.is-changed");
  await shot(page, "layers");
  const changed = await downloaded(page);
  assert.equal(changed.subarray(0, 4).toString(), "GDEC");
  assert.notDeepEqual(changed, encrypted);
  await leave(page);
});

test("what is no file of any format is said to be so, and can be opened all the same", async () => {
  const page = await site.visit();
  await page.setInputFiles("#picker", { name: "picture.png", mimeType: "image/png", buffer: Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1") });
  assert.match(await text(page, ".message.is-bad"), /The file is a PNG picture/);
  await page.selectOption(".choice.wide select", "godot-4");
  await page.waitForSelector(".fields .banner.is-bad");
  await page.click(".brand");
  await page.setInputFiles("#picker", { name: "other.db", mimeType: "", buffer: bytesOf("scrap-mechanic-lua/bad/save-without-game.db") });
  assert.match(await text(page, ".message.is-bad"), /not a Scrap Mechanic save: the table Game with a version is missing/);
  await leave(page);
});

test("the format that is shown is that of the open file", async () => {
  const page = await site.visit();
  const select = ".kind select";
  const is = (kind) => page.waitForFunction(([select, kind]) => document.querySelector(select)?.value === kind, [select, kind]);
  await open(page, "player.bin", bytesOf("godot-4/packet_typical.bin"));
  for (const kind of ["rbxm", "scrap-mechanic-save", "scrap-mechanic-blueprint"]) {
    await page.selectOption(select, kind);
    await page.waitForSelector(".message.is-bad");
    await is("godot-4");
    assert.equal(await page.locator(".message select").count(), 0);
    await page.click("button[aria-label='Close the message']");
  }
  // the question whether changes may be lost is answered with no
  await choose(page, "vel");
  await page.fill("#editor .notation textarea", "Vector2(8, 9)");
  await page.press("#editor .notation textarea", "Control+Enter");
  await page.waitForSelector(".chip.is-changed");
  page.once("dialog", (dialog) => void dialog.dismiss());
  await page.selectOption(select, "godot-3");
  await is("godot-4");
  await page.waitForSelector(".chip.is-changed");
  await page.click("button[aria-label='Undo']");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });

  // a format can be chosen for a file of unknown format, while another file is open
  const unknown = Buffer.from("2a000000ffffffff2a2a", "hex");
  await page.setInputFiles("#picker", { name: "unknown.bin", mimeType: "", buffer: unknown });
  await page.waitForSelector(".message.is-bad:has-text('choose a format')");
  await page.waitForSelector(".message label:has-text('Open unknown.bin as')");
  assert.equal(await text(page, ".file b"), "player.bin");
  await page.selectOption(".message select", "rbxm");
  await page.waitForSelector(".message.is-bad:not(:has-text('choose a format to see'))");
  await page.selectOption(".message select", "scrap-mechanic-lua");
  await page.waitForSelector(".file b:text-is('unknown.bin')");
  await is("scrap-mechanic-lua");
  await page.waitForSelector(".fields .banner.is-bad");
  assert.deepEqual(await downloaded(page), unknown);
  assert.equal(await page.locator(".message.is-bad").count(), 0);
  await leave(page);
});

test("a field selects its bytes, and a byte its field", async () => {
  const page = await site.visit();
  await open(page, "readable.bin", bytesOf("roblox-attributes/readable.bin"));
  await page.click(".field:has(.label:text-is('double'))");
  await page.waitForSelector(".line-hex .b.on");
  assert.deepEqual(await selectedBytes(page), [0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x40, 0x41]);
  await page.click(".line-hex [data-byte='66']");
  await page.waitForSelector(".field.is-selected .label:text-is('length')");
  assert.deepEqual(await selectedBytes(page), [66, 67, 68, 69]);
  assert.equal(await text(page, "#editor .path.is-spec code"), 'entries[3] "Lit".key.length');
  await page.click("#editor .path >> nth=0");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "Lit");
  await leave(page);
});

test("the bits of a LuaObject are selected", async () => {
  const page = await site.visit();
  await open(page, "readable.bin", bytesOf("scrap-mechanic-lua/readable.bin"));
  await page.click(".field:has(.label:text-is('is_array'))");
  await page.waitForSelector(".bits");
  const bits = await page.locator(".bits-byte i").evaluateAll((all) => all.map((bit) => bit.className === "on"));
  assert.deepEqual(bits, [true, ...Array(7).fill(false)]);
  await leave(page);
});

test("the fields are those of the program, with their places", async () => {
  for (const [path, format] of [["roblox-attributes/all-types.bin", "roblox-attributes"], ["godot-4/packet_typical.bin", "godot-4"], ["scrap-mechanic-lua/nested.bin", "scrap-mechanic-lua"], ["roblox-remote/readable.bin", "roblox-remote"]]) {
    const tree = JSON.parse(program("inspect", "-f", format, "--json", fixture(path)).toString());
    const expected = [];
    const walk = (nodes, depth) => {
      for (const node of nodes) {
        const bit = node.start_bit ?? 0;
        expected.push(`${depth} ${node.label ?? `[${node.index}]`} ${node.start.toString(16).padStart(4, "0")}${bit > 0 ? `.${bit}` : ""}`);
        walk(node.children ?? [], depth + 1);
      }
    };
    walk(tree.nodes, 0);
    // as tall as all of its fields
    const page = await site.visit("", { height: Math.min(16000, 400 + expected.length * 26) });
    await open(page, "value.bin", bytesOf(path));
    if ((await page.inputValue(".kind select")) !== format) {
      await page.selectOption(".kind select", format);
      await page.waitForFunction((format) => new URLSearchParams(location.hash.slice(1)).get("format") === format, format);
    }
    await page.click("button[aria-label='Open all fields']");
    await page.waitForFunction((count) => document.querySelectorAll(".field").length === count, expected.length);
    const found = await page.locator(".field").evaluateAll((all) =>
      all
        .sort((a, b) => Number(a.dataset.node) - Number(b.dataset.node))
        .map((field) => `${Number(field.ariaLevel) - 1} ${field.querySelector(".label")?.textContent ?? "[key]"} ${field.querySelector(".offset").textContent}`),
    );
    const withKeys = expected.map((line, at) => (found[at]?.includes("[key]") ? line.replace(/\[\d+\]/, "[key]") : line));
    assert.deepEqual(found, withKeys, path);
    await leave(page);
  }
});

test("a link holds the format and the selection, and a small file", async () => {
  const page = await site.visit();
  await open(page, "two.bin", bytesOf("godot-4/packet_typical.bin"));
  await choose(page, "vel");
  await page.click("button[aria-label='Share by a link']");
  await page.waitForSelector(".message:has-text('Link copied.')");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /#name=two\.bin&format=godot-4&field=\d+&data=/);
  const other = await site.visit("", { address: link });
  await other.waitForSelector("#editor .path code:text-is('vel')");
  assert.equal(await other.inputValue(".kind select"), "godot-4");
  assert.deepEqual(await downloaded(other), bytesOf("godot-4/packet_typical.bin"));
  const sample = await site.visit("#sample=place&format=rbxm");
  await sample.waitForSelector("#rows .entry.is-selected");
  const without = await site.visit("#name=big.rbxl&format=rbxm&row=3");
  assert.match(await text(without, ".banner.is-note"), /This link is for the file\s+big\.rbxl/);
  for (const each of [page, other, sample, without]) await leave(each);
});

test("broken input: where, what was expected, and what can be done", async () => {
  const page = await site.visit();
  const broken = "roblox-attributes/bad/rotation-id.bin";
  await open(page, "rotation-id.bin", bytesOf(broken));
  const banner = await text(page, ".banner.is-bad");
  assert.match(banner, /unknown rotation id 0x04/);
  assert.match(banner, /At byte 0x0023 in entries\[1\] "Pivot"\.value\.cframe\.rotation\.id/);
  assert.match(banner, /Expected one of 00 02 03 05/);
  assert.deepEqual(await page.locator(".line-hex .b.bad").evaluateAll((all) => all.map((byte) => byte.dataset.byte)), ["35"]);
  await shot(page, "broken");
  for (const [button, option] of [["Cut", "cut"], ["Clear", "clear"]]) {
    await page.click(`button:has-text('${button}:')`);
    await page.waitForSelector(".banner.is-bad", { state: "detached" });
    assert.deepEqual(await downloaded(page), program("check", "-f", "roblox-attributes", fixture(broken), `--fix=${option}`, "-o", "-"), option);
    await page.click("button[aria-label='Undo']");
    await page.waitForSelector(".banner.is-bad");
    assert.deepEqual(await downloaded(page), bytesOf(broken));
  }
  await page.click("summary:has-text('Replace')");
  await page.fill(".banner textarea", "01");
  await page.click("button:text-is('Replace')");
  assert.match(await text(page, ".message.is-bad"), /These bytes are no valid value: input ends too early/);
  await page.fill(".banner textarea", "00000000");
  await page.click("button:text-is('Replace')");
  await page.waitForSelector(".banner.is-bad", { state: "detached" });
  assert.deepEqual(await downloaded(page), Buffer.alloc(4));
  await leave(page);
});

test("values are changed by the control of their type; download is what `set` gives", async () => {
  const path = fixture("roblox-attributes/readable.bin");
  const page = await site.visit();
  await open(page, "readable.bin", readFileSync(path));
  assert.deepEqual(await downloaded(page), readFileSync(path));
  const is = async (...assignments) => assert.deepEqual(await downloaded(page), nativelySet(path, ...assignments), assignments.join(" "));
  const changed = () => page.waitForSelector(".chip.is-changed");

  await choose(page, "Fuel");
  await page.fill("#editor .number input", "12.5");
  await page.press("#editor .number input", "Enter");
  await changed();
  await is("Fuel=12.5");

  await choose(page, "Lit");
  await page.click("#editor .switch");
  await page.waitForSelector("#editor .switch:has-text('false')");
  await is("Fuel=12.5", "Lit=false");

  await choose(page, "Color");
  await page.locator("#editor input[type=color]").evaluate((input) => {
    input.value = "#0033ff";
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await page.waitForSelector("#editor code:text-is('#0033ff')");
  await is("Fuel=12.5", "Lit=false", "Color=Color3.new(0, 0.2, 1)");

  await choose(page, "Material");
  await page.selectOption("#editor .choice select", { label: "Grass" });
  await page.waitForFunction(() => document.querySelector("#editor .notation textarea")?.value === "Enum.Material.Grass");
  await is("Fuel=12.5", "Lit=false", "Color=Color3.new(0, 0.2, 1)", "Material=Enum.Material.Grass");

  await page.click("button[aria-label='Undo']");
  await page.waitForFunction(() => document.querySelector("#editor .notation textarea")?.value === "Enum.Material.Wood");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => document.querySelector("button[aria-label='Undo']")?.title === "Undo: set Fuel (Ctrl+Z)");
  await is("Fuel=12.5");
  await page.click("button[aria-label='Undo']");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });
  assert.deepEqual(await downloaded(page), readFileSync(path));
  await page.click("button[aria-label='Redo']");
  await changed();
  await is("Fuel=12.5");
  await leave(page);
});

test("a negative zero is shown, kept and typed; an integer has none", async () => {
  const [lua, attributes] = ["scrap-mechanic-lua/all-types.bin", "roblox-attributes/all-types.bin"].map(fixture);
  const page = await site.visit();
  const number = (label) => `#editor .number:has(span:text-is('${label}')) input`;
  const type = async (label, text, now) => {
    await page.fill(number(label), text);
    await page.press(number(label), "Enter");
    await page.waitForFunction((now) => document.querySelector("#editor .notation textarea")?.value === now, now);
    assert.equal(await page.locator("#editor .banner.is-bad").count(), 0);
  };
  await open(page, "lua.bin", readFileSync(lua));
  await choose(page, "quat");
  assert.equal(await page.inputValue(number("z")), "-0");
  await type("w", "0.5", "sm.quat.new(0, 0.5, -0, 0.5)");
  await type("x", "-0", "sm.quat.new(-0, 0.5, -0, 0.5)");
  assert.equal(await page.inputValue(number("x")), "-0");
  assert.deepEqual(await downloaded(page), nativelySet(lua, "quat=sm.quat.new(-0, 0.5, -0, 0.5)"));
  await type("x", "0", "sm.quat.new(0, 0.5, -0, 0.5)");
  await type("z", "0", "sm.quat.new(0, 0.5, 0, 0.5)");

  const other = await site.visit();
  await open(other, "attributes.bin", readFileSync(attributes));
  await choose(other, "UDim");
  for (const [label, now] of [["scale", "UDim.new(-0, 456)"], ["offset", "UDim.new(-0, 0)"]]) {
    await other.fill(number(label), "-0");
    await other.press(number(label), "Enter");
    await other.waitForFunction((now) => document.querySelector("#editor .notation textarea")?.value === now, now);
  }
  assert.deepEqual(await downloaded(other), nativelySet(attributes, "UDim=UDim.new(-0, 0)"));
  for (const each of [page, other]) await leave(each);
});

test("what was typed last is in the file that is saved, however soon", async () => {
  const path = fixture("roblox-attributes/readable.bin");
  const page = await site.visit("#sample=torch");
  await page.waitForSelector("#fields .field.is-selected");
  const field = "#editor .number input";
  const saved = async () => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+s")]);
    return readFileSync(await download.path());
  };
  await choose(page, "Fuel");
  await page.fill(field, "12.5");
  assert.deepEqual(await saved(), nativelySet(path, "Fuel=12.5"));
  assert.equal(await page.evaluate(() => document.activeElement.matches("#editor .number input")), true);
  await page.fill("#editor .notation textarea", "13");
  assert.deepEqual(await saved(), nativelySet(path, "Fuel=13"));
  await page.fill(field, "14");
  // the click and the leaving of the field in one task
  const [download] = await Promise.all([page.waitForEvent("download"), page.evaluate(() => (document.activeElement.blur(), document.querySelector("header .download").click()))]);
  assert.deepEqual(readFileSync(await download.path()), nativelySet(path, "Fuel=14"));
  // an invalid value is reported, and nothing is saved
  page.on("download", () => assert.fail("the file was saved"));
  for (const [input, wrong] of [[field, "abc"], ["#editor .notation textarea", "Vector3.new("]]) {
    await page.fill(input, wrong);
    await page.keyboard.press("Control+s");
    await page.waitForSelector(".message.is-bad:has-text('The file was not saved')");
    await page.press(input, "Escape");
    await page.click("button[aria-label='Close the message']");
  }
  page.removeAllListeners("download");
  assert.deepEqual(await saved(), nativelySet(path, "Fuel=14"));
  await leave(page);
});

test("right after a change, Ctrl+Z in its control takes the change back; before, it takes back what is typed", async () => {
  const page = await site.visit("#sample=torch");
  await page.waitForSelector("#fields .field.is-selected");
  const field = "#editor .number input";
  const shows = (selector, text) => page.waitForFunction(([selector, text]) => document.querySelector(selector)?.value === text, [selector, text]);
  const undone = () => page.waitForSelector(".chip.is-changed", { state: "detached" });
  await choose(page, "Fuel");
  await page.fill(field, "12.5");
  await page.press(field, "Enter");
  await page.waitForSelector(".chip.is-changed");
  await page.keyboard.press("Control+z");
  await undone();
  await shows(field, "87.5");
  await shows("#editor .notation textarea", "87.5");
  // leaving the field changes nothing again
  await page.keyboard.press("Tab");
  await page.waitForTimeout(100);
  await undone();
  await page.focus(field);
  await page.keyboard.press("Control+Shift+z");
  await shows(field, "12.5");
  await shows("#editor .notation textarea", "12.5");
  await page.keyboard.press("Control+z");
  await undone();
  await shows(field, "87.5");
  await page.keyboard.press("End");
  await page.keyboard.type("1");
  await shows(field, "87.51");
  await page.keyboard.press("Control+z");
  await shows(field, "87.5");
  assert.equal(await page.getAttribute("button[aria-label='Redo']", "title"), "Redo: set Fuel (Ctrl+Y)");

  await page.fill("#editor .notation textarea", "3");
  await page.press("#editor .notation textarea", "Control+Enter");
  await page.waitForSelector(".chip.is-changed");
  await shows(field, "3");
  await page.keyboard.press("Control+z");
  await undone();
  await shows("#editor .notation textarea", "87.5");

  await choose(page, "Color");
  const before = await page.inputValue("#editor input[type=color]");
  await page.locator("#editor input[type=color]").evaluate((input) => {
    input.focus();
    input.value = "#0033ff";
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await page.waitForSelector("#editor code:text-is('#0033ff')");
  await page.keyboard.press("Control+z");
  await undone();
  await shows("#editor input[type=color]", before);
  await leave(page);
});

test("a number with many digits is a float in a float; what is too large or no number is said to be so, until Escape", async () => {
  const path = fixture("roblox-attributes/readable.bin");
  const page = await site.visit("#sample=torch");
  await page.waitForSelector("#fields .field.is-selected");
  const field = "#editor .number input";
  const type = async (text) => {
    await page.fill(field, text);
    await page.press(field, "Enter");
  };
  const isWrong = (is) => page.waitForFunction((is) => document.querySelector("#editor .number").classList.contains("is-wrong") === is, is);
  await choose(page, "Fuel");
  await type("abc");
  await isWrong(true);
  await page.press(field, "Escape");
  await isWrong(false);
  assert.equal(await page.inputValue(field), "87.5");
  await page.fill(field, "abc");
  await choose(page, "Lit");
  await page.waitForSelector(".message.is-bad:has-text('abc was typed and not applied: it is no such value.')");
  await page.click("button[aria-label='Close the message']");
  await choose(page, "Fuel");
  assert.equal(await page.inputValue(field), "87.5");
  for (const text of ["1e400", "-1e400", "9".repeat(400)]) {
    await type(text);
    await page.waitForSelector(`#editor .banner.is-bad:text-is('${text} is too large for the type Double')`);
    await isWrong(true);
    await page.press(field, "Escape");
    await isWrong(false);
    await page.waitForSelector("#editor .banner.is-bad", { state: "detached" });
  }
  await type("100000000000000000000");
  await page.waitForSelector(".chip.is-changed");
  await isWrong(false);
  assert.equal(await page.locator("#editor .banner.is-bad").count(), 0);
  assert.deepEqual(await downloaded(page), nativelySet(path, "Fuel=100000000000000000000"));

  // integers of 64 bits keep all digits, up to what they hold
  const integer = await site.visit("#sample=player");
  await integer.waitForSelector("#fields .field.is-selected");
  await choose(integer, "seq");
  await integer.fill(field, "100000000000000000000");
  await integer.press(field, "Enter");
  await integer.waitForSelector("#editor .banner.is-bad:text-is('100000000000000000000 is too large for the type int')");
  await integer.fill(field, "9223372036854775807");
  await integer.press(field, "Enter");
  await integer.waitForFunction(() => document.querySelector("#editor .notation textarea")?.value === "9223372036854775807");
  for (const each of [page, integer]) await leave(each);
});

test("the curve of a sequence is drawn, and its points are dragged", async () => {
  const page = await site.visit();
  await open(page, "readable.bin", bytesOf("roblox-attributes/readable.bin"));
  await choose(page, "Sparks");
  await page.waitForSelector("#editor .sequence .curve");
  await shot(page, "curve");
  const before = await page.inputValue("#editor .notation textarea");
  const box = await page.locator("[data-point='1']").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y - 30, { steps: 4 });
  await page.mouse.up();
  await page.waitForSelector(".chip.is-changed");
  await page.waitForFunction((before) => document.querySelector("#editor .notation textarea")?.value !== before, before);
  const now = await page.inputValue("#editor .notation textarea");
  const value = Number(/NumberSequenceKeypoint\.new\(1, ([-\d.]+), 0\.25\)/.exec(now)[1]);
  assert.ok(value > 0.1 && value < 1, now);
  assert.deepEqual(await downloaded(page), nativelySet(fixture("roblox-attributes/readable.bin"), `Sparks=${now}`));
  await page.focus("[data-point='0']");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((before) => document.querySelector("#editor .notation textarea")?.value !== before, now);
  await leave(page);
});

test("values are changed as text, added, renamed and removed; what is wrong is said", async () => {
  const path = fixture("roblox-attributes/readable.bin");
  const page = await site.visit();
  await open(page, "readable.bin", readFileSync(path));
  await choose(page, "Pivot");
  await page.fill("#editor .notation textarea", "CFrame.new(1, 2)");
  await page.click("#editor button:text-is('Apply')");
  assert.match(await text(page, "#editor .banner.is-bad"), /expected/);
  await page.fill("#editor .notation textarea", "CFrame.new(1, 2, 3)");
  await page.click("#editor button:text-is('Apply')");
  await page.waitForSelector(".chip.is-changed");
  assert.deepEqual(await downloaded(page), nativelySet(path, "Pivot=CFrame.new(1, 2, 3)"));
  await page.click("#editor summary:text-is('Rename')");
  await page.fill("#editor label:has-text('new key') input", "Origin");
  await page.click("#editor button:text-is('Rename')");
  await page.waitForSelector(".field .key:text-is('Origin')");
  await choose(page, "Fuel");
  await page.click("#editor button:has-text('Remove')");
  await page.waitForSelector(".field .key:text-is('Fuel')", { state: "detached" });
  await page.click(".field:has(.label:text-is('entries'))");
  await page.fill("#editor label:has-text('key') input", "New one");
  await page.fill("#editor label:has-text('value, as Luau') input", "UDim2.new(0, 1, 0, 2)");
  await page.click("#editor button:text-is('Add')");
  await page.waitForSelector(".field .key:text-is('New one')");
  const expected = nativelySet(path, "Pivot=CFrame.new(1, 2, 3)", "New one=UDim2.new(0, 1, 0, 2)".replace("New one", '"New one"'), "--rename", "Pivot", "Origin", "--remove", "Fuel");
  assert.deepEqual(await downloaded(page), expected);
  await leave(page);
});

test("a value that was typed as text is applied when another is chosen; what is no such value is kept until it is thrown away", async () => {
  const torch = fixture("roblox-attributes/readable.bin");
  const page = await site.visit("#sample=torch");
  await page.waitForSelector("#fields .field.is-selected");
  const area = "#editor .notation textarea";
  const typeIn = async (name, text) => {
    await choose(page, name);
    await page.fill(area, text);
  };
  await typeIn("Fuel", "12.5");
  await choose(page, "Lit");
  await page.waitForSelector(".chip.is-changed");
  assert.deepEqual(await downloaded(page), nativelySet(torch, "Fuel=12.5"));
  assert.equal(await page.inputValue(area), "true");

  await typeIn("Pivot", "CFrame.new(1, 2");
  await choose(page, "Lit");
  await page.waitForSelector(".message.is-bad:has-text('Pivot was not changed: ')");
  assert.equal(await page.inputValue(area), "true");
  await page.click("button[aria-label='Close the message']");
  assert.deepEqual(await downloaded(page), nativelySet(torch, "Fuel=12.5"));
  await page.waitForSelector(".message.is-bad:has-text('The file was saved without what was typed for Pivot, which could not be applied.')");
  await page.click("button[aria-label='Close the message']");
  await choose(page, "Pivot");
  assert.equal(await page.inputValue(area), "CFrame.new(1, 2");
  await page.click("#editor button:text-is('Reset')");
  await choose(page, "Lit");
  await choose(page, "Pivot");
  assert.match(await page.inputValue(area), /^CFrame\.new\(.*\)$/);
  assert.equal(await page.locator(".message.is-bad").count(), 0);
  // written in another way it is the same value
  await page.fill("#editor .notation textarea", (await page.inputValue(area)).replace(/, /g, ",  "));
  await page.click("#editor button:text-is('Apply')");
  await page.waitForSelector("#editor button:text-is('Apply'):disabled");
  assert.equal(await page.locator("#editor button:text-is('Reset')").count(), 0);

  // the comparison uses the values that are shown
  await typeIn("Fuel", "13");
  await page.setInputFiles("#other-picker", torch);
  await page.waitForSelector(".difference[aria-label='changed:  Fuel: 13 87.5']");

  const vehicle = "scrap-mechanic-lua/vehicle.blueprint.json";
  const list = await site.visit();
  await open(list, "vehicle.json", bytesOf(vehicle));
  await list.fill(area, "2");
  await list.click("#rows .entry[data-place='1']");
  await list.waitForSelector(".chip.is-changed");
  await list.waitForSelector("#editor .path code:text-is('seconds')");
  await arrived(list);
  assert.equal(await list.inputValue(area), "3");
  assert.deepEqual(await downloaded(list), nativelySet(fixture(vehicle), "bodies[0].childs[0]", "mode=2"));
  for (const each of [page, list]) await leave(each);
});

test("values in containers are changed, and the file is that of `set`", async () => {
  const cases = [
    ["roblox-model/attributes.rbxm", "Folder", "Number", "777", "rbxm", []],
    ["roblox-model/attributes.rbxmx", "Folder", "Number", "777", "rbxmx", []],
    ["scrap-mechanic-lua/vehicle.blueprint.json", "bodies[0].childs[0]", "mode", "2", "scrap-mechanic-blueprint", []],
    ["godot-4/project_v4.binary", "application/config/name", "", '"Renamed"', "godot-project:godot-4", []],
    ["godot-4/debugger_v4.frames", "[0]", "[0]", '"set_name"', "godot-frames-le:godot-4", ["-f", "godot-4", "--framing", "le"]],
    ["roblox-remote/several.dump", "[0]", "packets[0].remote", "Ref.new(1, 7)", "roblox-packets", ["-f", "roblox-remote", "--dump"]],
    ["roblox-remote/several.dump", "[0]", "packets[0].arguments[0]", '"Moved"', "roblox-packets", ["-f", "roblox-remote", "--dump"]],
  ];
  for (const [path, address, name, to, kind, options] of cases) {
    const page = await site.visit();
    await open(page, "container.bin", bytesOf(path));
    if ((await page.inputValue(".kind select")) !== kind) {
      await page.selectOption(".kind select", kind);
      await page.waitForFunction((kind) => new URLSearchParams(location.hash.slice(1)).get("format") === kind, kind);
    }
    assert.deepEqual(await downloaded(page), bytesOf(path), path);
    const entry = address.slice(address.lastIndexOf(".") + 1);
    await page.fill(".search input", entry);
    await page.waitForSelector(".list .pane-foot:text-matches('^[1-9][0-9,]* of ')");
    await enter(page, entry);
    // the remote is the first field that is a value
    if (name.includes(".arguments")) {
      await page.waitForSelector('#editor .path code:text-is("packets[0].remote")');
      await page.focus("#fields");
      await page.keyboard.press("Home");
      await page.keyboard.type("arguments");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowDown");
    }
    if (name.includes("[")) await page.waitForSelector(`#editor .path code:text-is("${name}")`);
    else if (name !== "") await choose(page, name);
    await page.fill("#editor .notation textarea", to);
    await page.click("#editor button:text-is('Apply')");
    await page.waitForSelector(".chip.is-changed");
    assert.deepEqual(await downloaded(page), nativelySet(fixture(path), ...options, address, `${name}=${to}`), path);
    await leave(page);
  }
});

test("while another value is on its way, the one that is still shown cannot be changed", async () => {
  const shown = "#editor .notation textarea";
  const isHeld = async (page, value) => {
    assert.equal(await page.inputValue(shown), value);
    assert.equal(await page.locator("#editor :is(input, textarea, select, button):not(:disabled)").count(), 0);
  };

  // another row, and the same one again
  const vehicle = "scrap-mechanic-lua/vehicle.blueprint.json";
  const list = await site.visit();
  await open(list, "vehicle.json", bytesOf(vehicle));
  await arrived(list);
  for (const before of ["1", "3"]) {
    const letGo = await hold(list, "select");
    await list.click("#rows .entry[data-place='1']");
    await isHeld(list, before);
    await letGo();
    await list.waitForSelector("#editor .path code:text-is('seconds')");
    await arrived(list);
  }
  await list.fill(shown, "4");
  await list.click("#editor button:text-is('Apply')");
  await list.waitForSelector(".chip.is-changed");
  assert.deepEqual(await downloaded(list), nativelySet(fixture(vehicle), "bodies[0].childs[1]", "seconds=4"));

  // another field of the same row: its control gets the focus when it appears
  const torch = "roblox-attributes/readable.bin";
  const fields = await site.visit();
  await open(fields, "readable.bin", bytesOf(torch));
  await choose(fields, "Fuel");
  const letFields = await hold(fields, "path");
  await fields.click(".field:has(.key:text-is('Lit'))");
  await isHeld(fields, "87.5");
  await fields.keyboard.press("Enter");
  await letFields();
  await fields.waitForFunction(() => document.activeElement.matches("#editor .switch input"));
  await fields.keyboard.press("Space");
  await fields.waitForSelector("#editor .switch:has-text('false')");
  assert.deepEqual(await downloaded(fields), nativelySet(fixture(torch), "Lit=false"));

  // another instance
  const path = join(tmpdir(), `enginewire-page-${process.pid}.two.rbxl`);
  writeFileSync(path, place(2, bytesOf(torch)));
  const instances = await site.visit();
  await open(instances, "two.rbxl", readFileSync(path));
  await choose(instances, "Fuel");
  const letInstances = await hold(instances, "nodeRows");
  await instances.click("#rows .entry:has(.name:text-is('Part1'))");
  await instances.waitForSelector("#rows .entry.is-selected .name:text-is('Part1')");
  await isHeld(instances, "87.5");
  await letInstances();
  await choose(instances, "Fuel");
  await instances.fill(shown, "1");
  await instances.click("#editor button:text-is('Apply')");
  await instances.waitForSelector(".chip.is-changed");
  assert.deepEqual(await downloaded(instances), nativelySet(path, "Part1", "Fuel=1"));
  rmSync(path);
  for (const each of [list, fields, instances]) await leave(each);
});

test("what is chosen while a change is on its way stays chosen", async () => {
  const vehicle = "scrap-mechanic-lua/vehicle.blueprint.json";
  const list = await site.visit();
  await open(list, "vehicle.json", bytesOf(vehicle));
  await list.fill("#editor .notation textarea", "2");
  const letGo = await hold(list, "set");
  await list.click("#editor button:text-is('Apply')");
  await list.click("#rows .entry[data-place='1']");
  await letGo();
  await list.waitForSelector(".chip.is-changed");
  assert.deepEqual(await downloaded(list), nativelySet(fixture(vehicle), "bodies[0].childs[0]", "mode=2"));
  await list.waitForSelector("#editor .path code:text-is('seconds')");
  await arrived(list);
  assert.equal(await list.getAttribute("#rows .entry.is-selected", "data-place"), "1");
  assert.equal(await list.inputValue("#editor .notation textarea"), "3");

  // a number is changed by leaving it, as with a click on another field
  const torch = "roblox-attributes/readable.bin";
  const fields = await site.visit();
  await open(fields, "readable.bin", bytesOf(torch));
  await choose(fields, "Fuel");
  await fields.fill("#editor .number input", "12.5");
  const letFields = await hold(fields, "set");
  await fields.click(".field:has(.key:text-is('Lit'))");
  await letFields();
  await fields.waitForSelector(".chip.is-changed");
  assert.deepEqual(await downloaded(fields), nativelySet(fixture(torch), "Fuel=12.5"));
  await fields.waitForSelector("#editor .path code:text-is('Lit')");
  await arrived(fields);
  assert.equal(await text(fields, ".field.is-selected .key"), "Lit");

  const path = join(tmpdir(), `enginewire-page-${process.pid}.two.rbxl`);
  writeFileSync(path, place(2, bytesOf(torch)));
  const instances = await site.visit();
  await open(instances, "two.rbxl", readFileSync(path));
  await arrived(instances);
  const letTag = await hold(instances, "tag");
  await instances.fill(".tags input", "Burning");
  await instances.press(".tags input", "Enter");
  await instances.click("#rows .entry:has(.name:text-is('Part1'))");
  await letTag();
  await instances.waitForSelector(".chip.is-changed");
  assert.deepEqual(await downloaded(instances), nativelySet(path, "Part0", "--add-tag", "Burning"));
  await arrived(instances);
  assert.equal(await text(instances, "#rows .entry.is-selected .name"), "Part1");
  assert.deepEqual(await instances.locator(".tags li").allInnerTexts(), ["none"]);
  rmSync(path);
  for (const each of [list, fields, instances]) await leave(each);
});

/** The bytes of a database without the counters of writes and the SQLite version in its header. */
const content = (file) => Buffer.concat([file.subarray(0, 24), file.subarray(28, 92), file.subarray(100)]);

test("a save is listed as by `ls`, changed, undone, and downloaded as by `set`", async () => {
  for (const name of ["save-v24.db", "save-v26.db", "save-v28.db"]) {
    const path = fixture(`scrap-mechanic-lua/${name}`);
    const page = await site.visit("", { height: 1400 });
    await open(page, name, readFileSync(path));
    assert.equal(await page.inputValue(".kind select"), "scrap-mechanic-save");
    const listed = program("ls", "--json", path).toString().trim().split("\n").map((line) => JSON.parse(line));
    await page.waitForFunction((count) => document.querySelectorAll("#rows .entry .name").length === count, listed.length);
    const sizes = (bytes) => (bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`);
    const rows = await page.locator("#rows .entry").evaluateAll((all) => all.map((row) => [row.querySelector(".name").textContent, row.querySelector(".size").textContent, row.className.includes("is-other")]));
    assert.deepEqual(rows, listed.map(({ address, bytes, format }) => [address, sizes(bytes), format === null]), name);
    assert.deepEqual(await downloaded(page), readFileSync(path));
    const { address, path: at } = JSON.parse(program("get", "--json", path).toString().split("\n").find((line) => JSON.parse(line).type === "String"));
    await page.click(`#rows .entry:has(.name:text-is(${JSON.stringify(address)}))`);
    await page.waitForSelector(`#rows .entry.is-selected .name:text-is(${JSON.stringify(address)})`);
    await page.waitForSelector(".field.is-selected");
    await page.evaluate((wanted) => {
      for (const key of document.querySelectorAll(".field .key, .field.is-entry .label")) if (key.textContent === wanted) return key.click();
      throw new Error(`there is no ${wanted}`);
    }, at.slice(at.lastIndexOf("[") < 0 ? at.lastIndexOf(".") + 1 : 0));
    await page.waitForSelector(`#editor .path code:text-is(${JSON.stringify(at)})`);
    await page.fill("#editor .notation textarea", '"a text that was not there before"');
    await page.click("#editor button:text-is('Apply')");
    await page.waitForSelector(".chip.is-changed");
    const native = nativelySet(path, address, `${at}="a text that was not there before"`);
    assert.deepEqual(content(await downloaded(page)), content(native), name);
    await page.click("button[aria-label='Undo']");
    await page.waitForSelector(".chip.is-changed", { state: "detached" });
    assert.deepEqual(await downloaded(page), readFileSync(path));
    await leave(page);
  }
});

test("rows of a save that are broken say what is wrong", async () => {
  const page = await site.visit();
  const path = "scrap-mechanic-lua/bad/save-broken-rows.db";
  await page.setInputFiles("#picker", { name: "broken.db", mimeType: "", buffer: bytesOf(path) });
  await page.waitForSelector(".file b:text-is('broken.db')");
  await page.click("button:has-text('4 broken')");
  await page.waitForSelector(".pane-foot:has-text('4 of 15')");
  for (const [name, message] of [["ScriptData[1]", "input ends too early: 4 bytes needed, 2 left, at byte 0x12 in key of the row"], ["ScriptData[4]", "the column data holds an integer, which is not what it holds in a save"]]) {
    await page.click(`#rows .entry:has(.name:text-is("${name}"))`);
    await page.waitForSelector(`.fields .banner.is-bad:has-text("${message}")`);
  }
  await leave(page);
});

test("the page asks the network for nothing but itself, also from a folder", async () => {
  site.requests.length = 0;
  const page = await site.visit();
  await page.click("[data-sample='torch']");
  await choose(page, "Fuel");
  await page.fill("#editor .number input", "1");
  await page.press("#editor .number input", "Enter");
  await page.waitForSelector(".chip.is-changed");
  await downloaded(page);
  const beyond = (asked) => asked.filter((url) => !/^(blob|data):/.test(url));
  assert.deepEqual(beyond(page.asked), [site.address]);
  assert.deepEqual(site.requests, ["/"]);
  // and it may not
  const refused = await page.evaluate(() => fetch("/").then(() => "answered", () => "refused"));
  assert.equal(refused, "refused");
  page.wrong.length = 0;
  const folder = pathToFileURL(`${root}/bindings/web/page/dist/index.html`).href;
  const local = await site.visit("", { address: folder });
  await local.click("[data-sample='farmbot']");
  await local.waitForSelector(".field .key:text-is('owner')");
  assert.deepEqual(beyond(local.asked), [folder]);
  for (const each of [page, local]) await leave(each);
});

test("everything is reached by the keyboard", async () => {
  const page = await site.visit("#sample=torch");
  await page.waitForSelector("#fields .field.is-selected");
  await page.focus("#fields");
  const selected = () => text(page, ".field.is-selected .key, .field.is-selected .label");
  await page.keyboard.press("Home");
  await page.waitForSelector(".field.is-selected .label:text-is('length')");
  await page.keyboard.type("fu");
  await page.waitForSelector(".field.is-selected .key:text-is('Fuel')");
  await page.keyboard.press("ArrowLeft");
  await page.waitForSelector(".field.is-selected[aria-expanded='false']");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".field.is-selected[aria-expanded='true']");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".field.is-selected .label:text-is('key')");
  await page.keyboard.press("ArrowLeft");
  await page.waitForSelector(".field.is-selected .key:text-is('Fuel')");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.closest("#editor") !== null);
  await page.focus("#fields");
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.querySelector(".field.is-selected")?.id === document.querySelector("#fields")?.getAttribute("aria-activedescendant"));
  assert.notEqual(await selected(), "Fuel");
  await page.focus("#bytes");
  await page.keyboard.press("Home");
  await page.waitForSelector(".b.cursor[data-byte='0']");
  await page.keyboard.press("ArrowDown");
  await page.waitForSelector(".b.cursor[data-byte='16']");
  await leave(page);
});

/** Compares the open file with a second one, where values were removed, added and changed. */
async function compared(page) {
  const buffer = nativelySet(fixture("roblox-attributes/readable.bin"), "Fuel=1", "More=true", "--remove", "Lit");
  await page.setInputFiles("#other-picker", { name: "new.bin", mimeType: "", buffer });
  await page.waitForSelector(".difference");
}

test("axe finds nothing, in either theme, wide and narrow", async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const states = [["start", ""], ["torch", "#sample=torch"], ["place", "#sample=place"], ["save", "#sample=save"], ["broken", "#sample=broken"], ["types", "#sample=types&field=60"], ["how", "#sample=torch&how=roblox-attributes"], ["compare", "#sample=torch", compared]];
  // also without the layout of the bytes
  states.push(...states.slice(1, 6).map(([name, hash]) => [`${name}-values`, hash, undefined, false]));
  const looks = [["light", 360], ["dark", 1280], ["light", 1280], ["dark", 360]];
  // in the quick form of the gate, each theme and each width once
  for (const [colorScheme, width] of process.env["ENGINEWIRE_QUICK"] ? looks.slice(0, 2) : looks) {
    for (const [name, hash, reach, bytes] of states) {
      const page = await site.visit(hash, { width, colorScheme, bytes });
      await page.waitForSelector(hash === "" ? ".cards" : ".field.is-selected, .row.is-selected, #rows .entry.is-selected", { state: "attached" });
      await reach?.(page);
      await page.waitForTimeout(300);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      const told = violations.map((found) => `${found.id}: ${found.nodes.map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`).join("; ")}`);
      assert.deepEqual(told, [], `${name} ${colorScheme} ${width}`);
      await shot(page, `${name}-${colorScheme}-${width}`);
      await leave(page);
    }
  }
});

/** A stream of `count` values of Godot 4, each with its length. */
function stream(count) {
  const frame = Buffer.alloc(12);
  frame.writeUInt32LE(8, 0);
  frame.writeUInt32LE(2, 4);
  const all = Buffer.alloc(12 * count);
  for (let at = 0; at < count; at++) {
    frame.writeInt32LE(at, 8);
    frame.copy(all, at * 12);
  }
  return all;
}

test("300,000 values are listed, scrolled and searched without holding up the page", async () => {
  const page = await site.visit();
  await page.evaluate(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, entry.duration);
    }).observe({ type: "longtask" });
  });
  // from a file: to pass this many bytes itself, the test would block the main thread
  const path = join(tmpdir(), `enginewire-page-${process.pid}.frames`);
  writeFileSync(path, stream(300_000));
  await page.setInputFiles("#picker", path);
  await page.waitForSelector(".list .pane-foot:has-text('300,000 values')");
  rmSync(path);
  for (let step = 0; step < 40; step++) {
    await page.locator("#rows").evaluate((rows, step) => (rows.scrollTop = (rows.scrollHeight / 40) * step), step);
    // the rows of that place are there, with their names
    await page.waitForFunction((wanted) => {
      const rows = [...document.querySelectorAll("#rows .entry")];
      const places = rows.map((row) => Number(row.dataset.place));
      const isThere = Math.min(...places) <= wanted + 20 && Math.max(...places) >= wanted - 20;
      return isThere && rows.length > 8 && rows.every((row) => row.querySelector(".name")?.textContent === `[${row.dataset.place}]`);
    }, step * 7500);
  }
  assert.ok((await page.locator("#rows .entry").count()) < 60);
  await page.focus("#rows");
  await page.keyboard.press("End");
  await page.waitForSelector("#rows .entry.is-selected .name:text-is('[299999]')");
  await page.waitForSelector("#editor .notation");
  assert.equal(await page.inputValue("#editor .notation textarea"), "299999");
  await page.fill(".search input", "[12345");
  await page.waitForSelector(".list .pane-foot:has-text('11 of 300,000')");
  console.log(`# longest task on the main thread: ${await page.evaluate(() => Math.round(globalThis.longest))} ms`);
  await leave(page);
});

test("a place of 100 MB is listed", async () => {
  const page = await site.visit();
  const path = join(tmpdir(), `enginewire-page-${process.pid}.rbxl`);
  writeFileSync(path, place(440_000, bytesOf("roblox-attributes/readable.bin")));
  await page.setInputFiles("#picker", path);
  await page.waitForSelector(".list .pane-foot:has-text('440,000 instances with attributes or tags')", { timeout: 120_000 });
  rmSync(path);
  await page.fill(".search input", "part439999");
  await page.waitForSelector(".list .pane-foot:has-text('1 of 440,000')");
  await enter(page, "Part439999");
  await choose(page, "Fuel");
  assert.equal(await page.inputValue("#editor .number input"), "87.5");
  await leave(page);
});

// these two not of a build with --quick, whose frames are too large for the stack of a worker
test("values that nest too deep are broken, and nothing else happens", async () => {
  const page = await site.visit();
  for (const [format, limit] of [["godot-4", 1024], ["roblox-attributes", 128], ["roblox-remote", 128], ["scrap-mechanic-lua", 128]]) {
    await page.setInputFiles("#picker", { name: `${format}.bin`, mimeType: "", buffer: bytesOf(`${format}/bad/too-deep.bin`) });
    await page.waitForSelector(`.file b:text-is("${format}.bin")`);
    if ((await page.inputValue(".kind select")) !== format) await page.selectOption(".kind select", format);
    await page.waitForSelector(`.fields .banner.is-bad:has-text('containers are nested deeper than the limit of ${limit}')`);
  }
  await leave(page);
});

test("values that nest as deep as they may are shown", async () => {
  const level = Buffer.from("1c00000001000000", "hex");
  const deepest = Buffer.concat([...Array.from({ length: 1023 }, () => level), Buffer.from("1c00000000000000", "hex")]);
  // a Worker that has just begun has the least stack to spare
  for (let turn = 0; turn < 4; turn++) {
    const page = await site.visit();
    await open(page, "deepest.bin", deepest);
    // four of each list, and one of each that is in another
    await page.waitForSelector(".fields .pane-head:has-text('5,119')");
    assert.equal(await page.locator(".message.is-bad, .banner.is-bad").count(), 0);
    await leave(page);
  }
});

test("if WebAssembly fails, its worker is discarded, and the page says so and goes on", async () => {
  const page = await site.visit("#sample=torch");
  await page.waitForSelector("#fields .field.is-selected");
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (request, transfer) {
      if (request.name !== "open") return post.call(this, request, transfer);
      Worker.prototype.postMessage = post;
      this.onmessage({ data: { id: request.id, error: "unreachable", isCrash: true } });
    };
  });
  await page.setInputFiles("#picker", { name: "value.bin", mimeType: "", buffer: Buffer.alloc(4) });
  await page.waitForSelector(".message.is-bad:has-text('Reading failed and was stopped (unreachable). The file was closed; open it again.')");
  await open(page, "readable.bin", bytesOf("roblox-attributes/readable.bin"));
  await leave(page);
});

test("tags are added and removed; download is what `set` gives", async () => {
  for (const name of ["tags.rbxm", "tags.rbxmx"]) {
    const path = fixture(`roblox-model/${name}`);
    const page = await site.visit();
    await page.setInputFiles("#picker", path);
    await page.waitForSelector(".tags li");
    const { tags, instance } = JSON.parse(program("ls", "--json", path).toString().split("\n")[0]);
    const shown = () => page.locator(".tags li span").allInnerTexts();
    const are = (count) => page.waitForFunction((count) => document.querySelectorAll(".tags li:not(.is-none)").length === count, count);
    assert.deepEqual(await shown(), tags);
    await page.fill(".tags input", "Burning");
    await page.press(".tags input", "Enter");
    await are(tags.length + 1);
    assert.deepEqual(await shown(), [...tags, "Burning"]);
    assert.equal(await page.inputValue(".tags input"), "");
    assert.deepEqual(await downloaded(page), nativelySet(path, instance, "--add-tag", "Burning"), name);
    await page.click(`.tags button[aria-label='Remove the tag ${tags[0]}']`);
    await are(tags.length);
    assert.deepEqual(await downloaded(page), nativelySet(path, instance, "--add-tag", "Burning", "--remove-tag", tags[0]), name);
    assert.equal(await page.getAttribute("button[aria-label='Undo']", "title"), `Undo: remove the tag ${tags[0]} (Ctrl+Z)`);
    await page.click("button[aria-label='Undo']");
    await are(tags.length + 1);
    await page.keyboard.press("Control+z");
    await are(tags.length);
    assert.deepEqual(await downloaded(page), readFileSync(path), name);
    await page.click("button[aria-label='Redo']");
    await are(tags.length + 1);
    assert.deepEqual(await downloaded(page), nativelySet(path, instance, "--add-tag", "Burning"), name);
    // an instance that has them once has them, and what Roblox does not allow is said to be so
    await page.fill(".tags input", "Burning");
    await page.press(".tags input", "Enter");
    await page.waitForFunction(() => document.querySelector(".tags input").value === "");
    await are(tags.length + 1);
    await page.fill(".tags input", "x".repeat(101));
    await page.press(".tags input", "Enter");
    await page.waitForSelector(".tags .bad:has-text('Roblox does not allow the tag')");
    await leave(page);
  }
});

test("an instance without attributes and tags is given some", async () => {
  const path = fixture("roblox-model/baseplate-566.rbxl");
  const page = await site.visit();
  await open(page, "baseplate.rbxl", readFileSync(path));
  await page.click(".only input");
  await page.fill(".search input", "SpawnLocation");
  await page.click("#rows .entry:has(.name:text-is('SpawnLocation'))");
  await page.waitForSelector(".fields .empty:has-text('has no attributes')");
  await page.fill(".tags input", "Start");
  await page.press(".tags input", "Enter");
  await page.waitForSelector(".tags li:has-text('Start')");
  await page.fill("#editor label:has-text('key') input", "Team");
  await page.fill("#editor label:has-text('value, as Luau') input", '"red"');
  await page.click("#editor button:text-is('Add')");
  await page.waitForSelector(".field .key:text-is('Team')");
  assert.deepEqual(await downloaded(page), nativelySet(path, "Workspace.SpawnLocation", 'Team="red"', "--add-tag", "Start"));
  for (let step = 0; step < 2; step++) await page.click("button[aria-label='Undo']");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });
  await page.waitForSelector(".fields .empty:has-text('has no attributes')");
  assert.deepEqual(await downloaded(page), readFileSync(path));
  await leave(page);
});

test("instances are a tree, which is searched and gone through by the keyboard", async () => {
  const path = fixture("roblox-model/baseplate-566.rbxl");
  const page = await site.visit("", { height: 4000 });
  await open(page, "baseplate.rbxl", readFileSync(path));
  const names = () => page.locator("#rows .entry .name").allInnerTexts();
  assert.deepEqual(await names(), ["Lighting"]);
  await page.waitForSelector(".pane-foot:text-is('1 instance with attributes or tags')");
  await page.click(".only input");
  await page.waitForFunction(() => document.querySelectorAll("#rows .entry").length > 20);
  await page.focus("#rows");
  const selected = () => page.locator("#rows .entry.is-selected .name").innerText();
  const is = (name) => page.waitForSelector(`#rows .entry.is-selected .name:text-is("${name}")`);
  await page.keyboard.press("Home");
  await is("AnalyticsService");
  await page.click(`#rows .entry:has(.name:text-is("Workspace"))`);
  await is("Workspace");
  const inner = async () => page.locator("#rows .entry[aria-level='2']").count();
  const all = await inner();
  await page.keyboard.press("ArrowLeft");
  await page.waitForSelector("#rows .entry.is-selected[aria-expanded='false']");
  assert.ok((await inner()) < all);
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector("#rows .entry.is-selected[aria-expanded='true']");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector("#rows .entry.is-selected[aria-level='2'][aria-posinset='1']");
  const [first, size] = [await selected(), await page.getAttribute("#rows .entry.is-selected", "aria-setsize")];
  assert.ok(Number(size) > 1);
  await page.keyboard.press("ArrowLeft");
  await is("Workspace");
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.querySelector("#rows .entry.is-selected") === [...document.querySelectorAll("#rows .entry")].sort((a, b) => a.dataset.place - b.dataset.place).at(-1));
  // typing starts a search; matches are shown inside their ancestors
  await page.keyboard.type(first);
  await page.waitForFunction((first) => document.querySelector(".search input").value === first && /^[1-9]\d* of /.test(document.querySelector(".list .pane-foot").textContent), first);
  assert.ok((await names()).includes("Workspace") && (await names()).includes(first));
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.id), "rows");
  await page.fill(".search input", "");
  await page.waitForFunction((count) => document.querySelectorAll("#rows .entry[aria-level='2']").length === count, all);
  // a link leads to the instance
  await page.click(`#rows .entry:has(.name:text-is("Workspace"))`);
  await is("Workspace");
  await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).has("instance"));
  await leave(page);
});

test("300,000 instances scroll without holding up the page", async () => {
  const page = await site.visit();
  await page.evaluate(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, entry.duration);
    }).observe({ type: "longtask" });
  });
  const path = join(tmpdir(), `enginewire-page-${process.pid}.rbxl`);
  writeFileSync(path, place(300_000, Buffer.alloc(0)));
  await page.setInputFiles("#picker", path);
  await page.waitForSelector(".list .pane-foot:text-is('300,000 instances')");
  rmSync(path);
  for (let step = 0; step < 40; step++) {
    await page.locator("#rows").evaluate((rows, step) => (rows.scrollTop = (rows.scrollHeight / 40) * step), step);
    await page.waitForFunction((wanted) => {
      const rows = [...document.querySelectorAll("#rows .entry")];
      const places = rows.map((row) => Number(row.dataset.place));
      const isThere = Math.min(...places) <= wanted + 30 && Math.max(...places) >= wanted - 30;
      return isThere && rows.length > 8 && rows.every((row) => row.querySelector(".name")?.textContent === `Part${row.dataset.place}`);
    }, step * 7500);
  }
  assert.ok((await page.locator("#rows .entry").count()) < 60);
  await page.focus("#rows");
  await page.keyboard.press("End");
  await page.waitForSelector("#rows .entry.is-selected .name:text-is('Part299999')");
  assert.equal(await page.getAttribute("#rows .entry.is-selected", "aria-setsize"), "300000");
  await page.fill(".search input", "part12345");
  await page.waitForSelector(".list .pane-foot:text-is('11 of 300,000 instances')");
  console.log(`# longest task on the main thread: ${await page.evaluate(() => Math.round(globalThis.longest))} ms`);
  await leave(page);
});

test("what cannot be read of a file is in its tree", async () => {
  const page = await site.visit();
  await page.setInputFiles("#picker", { name: "chunk.rbxm", mimeType: "", buffer: bytesOf("roblox-model/bad/chunk.rbxm") });
  await page.waitForSelector(".file b:text-is('chunk.rbxm')");
  await page.click("button:has-text('broken')");
  await page.click("#rows .entry:has-text('the file')");
  await page.waitForSelector(".fields .banner.is-bad:has-text('Here the file is damaged')");
  await leave(page);
});

test("changes are not lost without a question", async () => {
  const page = await site.visit("#sample=torch");
  await page.waitForSelector("#fields .field.is-selected");
  await choose(page, "Lit");
  await page.click("#editor .switch");
  await page.waitForSelector(".chip.is-changed");
  const questions = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    void (questions.length === 1 ? dialog.dismiss() : dialog.accept());
  });
  await page.click(".brand");
  await page.waitForSelector(".chip.is-changed");
  await page.click(".brand");
  await page.waitForSelector(".start");
  assert.deepEqual(questions, Array(2).fill("readable.bin has changes that were not downloaded. Close it all the same?"));
  await leave(page);
});

test("what takes long can be cancelled, and the page goes on", async () => {
  const page = await site.visit();
  await page.setInputFiles("#picker", { name: "huge.frames", mimeType: "", buffer: stream(2_000_000) });
  await page.click(".busy button:text-is('Cancel')");
  await page.waitForSelector(".start");
  await page.waitForSelector(".message:has-text('Cancelled.')");
  await open(page, "readable.bin", bytesOf("roblox-attributes/readable.bin"));
  await page.waitForSelector(".field .key:text-is('Fuel')");
  await leave(page);
});

test("the open file stays, with its changes, when the opening of another is cancelled", async () => {
  const huge = join(tmpdir(), `enginewire-page-${process.pid}.huge.frames`);
  writeFileSync(huge, stream(2_000_000));
  const cancelled = async (page, picker) => {
    await page.setInputFiles(picker, huge);
    await page.click(".busy button:text-is('Cancel')");
    await page.waitForSelector(".message:has-text('Cancelled.')");
    await page.waitForSelector(".busy", { state: "detached" });
  };
  const torch = fixture("roblox-attributes/readable.bin");
  const page = await site.visit("#sample=torch");
  await page.waitForSelector("#fields .field.is-selected");
  await choose(page, "Fuel");
  await page.fill("#editor .number input", "12.5");
  await page.press("#editor .number input", "Enter");
  await page.waitForSelector(".chip.is-changed");
  await choose(page, "Lit");
  await page.click("#editor .switch");
  await page.waitForSelector("#editor .switch:has-text('false')");
  await page.click("button[aria-label='Undo']");
  await page.waitForSelector("#editor .switch:has-text('true')");
  page.on("dialog", (dialog) => void dialog.accept());
  for (const picker of ["#other-picker", "#picker"]) {
    await cancelled(page, picker);
    assert.equal(await text(page, ".file b"), "readable.bin");
    assert.equal(await text(page, ".chip.is-changed"), "changed");
    assert.equal(new URL(page.url()).hash.slice(0, 14), "#sample=torch&");
    assert.equal(await text(page, "#editor .path code"), "Lit");
    assert.deepEqual(await downloaded(page), nativelySet(torch, "Fuel=12.5"));
  }
  await page.click("button[aria-label='Redo']");
  await page.waitForSelector("#editor .switch:has-text('false')");
  assert.deepEqual(await downloaded(page), nativelySet(torch, "Fuel=12.5", "Lit=false"));
  await choose(page, "Fuel");
  for (let step = 0; step < 2; step++) await page.click("button[aria-label='Undo']");
  await page.waitForFunction(() => document.querySelector("#editor .number input")?.value === "87.5");
  assert.deepEqual(await downloaded(page), readFileSync(torch));

  // with rows that the file itself does not have
  const baseplate = fixture("roblox-model/baseplate-566.rbxl");
  const model = await site.visit();
  await open(model, "baseplate.rbxl", readFileSync(baseplate));
  await model.click(".only input");
  for (const name of ["Baseplate", "SpawnLocation"]) {
    await model.fill(".search input", name);
    await model.click(`#rows .entry:has(.name:text-is('${name}'))`);
    await model.waitForSelector(".fields .empty:has-text('has no attributes')");
  }
  await model.fill(".tags input", "Start");
  await model.press(".tags input", "Enter");
  await model.waitForSelector(".tags li:has-text('Start')");
  await model.fill("#editor label:has-text('key') input", "Team");
  await model.fill("#editor label:has-text('value, as Luau') input", '"red"');
  await model.click("#editor button:text-is('Add')");
  await model.waitForSelector(".field .key:text-is('Team')");
  await cancelled(model, "#other-picker");
  assert.deepEqual(await downloaded(model), nativelySet(baseplate, "Workspace.SpawnLocation", 'Team="red"', "--add-tag", "Start"));
  for (let step = 0; step < 2; step++) await model.click("button[aria-label='Undo']");
  await model.waitForSelector(".chip.is-changed", { state: "detached" });
  assert.deepEqual(await downloaded(model), readFileSync(baseplate));

  rmSync(huge);
  for (const each of [page, model]) await leave(each);
});

test("the file that is set aside for an example, and a comparison, stay when the opening of another is cancelled", async () => {
  const path = fixture("roblox-attributes/readable.bin");
  const huge = join(tmpdir(), `enginewire-page-${process.pid}.aside.frames`);
  writeFileSync(huge, stream(2_000_000));
  const page = await site.visit();
  const cancelled = async () => {
    await page.setInputFiles("#other-picker", huge);
    await page.click(".busy button:text-is('Cancel')");
    await page.waitForSelector(".busy", { state: "detached" });
  };
  await open(page, "own.bin", readFileSync(path));
  await choose(page, "Fuel");
  // not applied yet when the example is opened
  await page.fill("#editor .notation textarea", "12.5");
  await page.click("button[aria-label='How it works']");
  await page.selectOption(".how select", "godot-variant");
  await page.waitForSelector(".file b:text-is('packet_typical.bin')");
  await cancelled();
  await page.click("button[aria-label='Close the specification']");
  await page.waitForSelector(".file b:text-is('own.bin')");
  await page.waitForSelector("#editor .path code:text-is('Fuel')");
  await arrived(page);
  assert.deepEqual(await downloaded(page), nativelySet(path, "Fuel=12.5"));

  // the comparison that is shown still follows the changes
  await page.setInputFiles("#other-picker", path);
  // the file on the disk is older
  await page.waitForSelector(".difference[aria-label*='Fuel: 87.5 12.5']");
  await cancelled();
  await page.keyboard.press("Control+z");
  await page.waitForSelector(".compare h2:text-is('No differences')");
  assert.equal(await page.locator(".message.is-bad").count(), 0);
  rmSync(huge);
  await leave(page);
});

test("a file that was to be set aside for an example is as before when the example is cancelled", async () => {
  const page = await site.visit();
  await open(page, "own.bin", bytesOf("roblox-attributes/readable.bin"));
  await choose(page, "Lit");
  await page.click("#editor .switch");
  await page.waitForSelector(".chip.is-changed");
  await page.click("button[aria-label='How it works']");
  const letGo = await hold(page, "open");
  await page.selectOption(".how select", "godot-variant");
  await page.click(".busy button:text-is('Cancel')");
  await letGo();
  await page.waitForSelector(".busy", { state: "detached" });
  assert.equal(await text(page, ".file b"), "own.bin");
  // its changes are still asked about
  const asked = page.waitForEvent("dialog");
  void page.click(".brand").catch(() => undefined);
  const dialog = await asked;
  assert.match(dialog.message(), /^own\.bin has changes/);
  await dialog.dismiss();
  assert.equal(await page.locator(".message.is-bad").count(), 0);
  await page.keyboard.press("Control+z");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });
  await leave(page);
});

test("to cancel also that the open file is read again is to close it, which is asked", async () => {
  const huge = join(tmpdir(), `enginewire-page-${process.pid}.again.frames`);
  writeFileSync(huge, stream(1_000_000));
  const page = await site.visit("", { address: `${site.address}#name=huge.frames&format=frames-le+godot-4` });
  await page.setInputFiles("#picker", huge);
  await page.waitForSelector("#fields .field.is-selected", { timeout: 120_000 });
  await arrived(page);
  await page.fill("#editor .notation textarea", "7");
  await page.click("#editor button:text-is('Apply')");
  await page.waitForSelector(".chip.is-changed");
  const questions = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    void (questions.length === 1 ? dialog.dismiss() : dialog.accept());
  });
  // at once: a click would wait until nothing moves, and reading may be over by then
  const cancel = (what) => page.dispatchEvent(`.busy:has-text('${what}') button:text-is('Cancel')`, "click");
  await page.setInputFiles("#other-picker", huge);
  await cancel("");
  await cancel("values listed");
  // the answer was no
  await page.waitForSelector(".busy", { state: "detached", timeout: 120_000 });
  assert.equal(await text(page, ".chip.is-changed"), "changed");
  await page.click("button[aria-label='Undo']");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });
  await page.click("button[aria-label='Redo']");
  await page.waitForSelector(".chip.is-changed");
  await page.setInputFiles("#other-picker", huge);
  await cancel("");
  await cancel("values listed");
  await page.waitForSelector(".start");
  assert.equal(new URL(page.url()).hash, "");
  assert.equal(questions.length, 2);
  await open(page, "readable.bin", bytesOf("roblox-attributes/readable.bin"));
  rmSync(huge);
  await leave(page);
});

test("two files are compared side by side", async () => {
  const page = await site.visit();
  await open(page, "old.bin", bytesOf("roblox-attributes/readable.bin"));
  const changed = nativelySet(fixture("roblox-attributes/readable.bin"), "Fuel=1", "More=true", "--remove", "Lit");
  await page.setInputFiles("#other-picker", { name: "new.bin", mimeType: "", buffer: changed });
  await page.waitForSelector(".difference");
  const found = await page.locator(".difference").evaluateAll((all) => all.map((row) => row.getAttribute("aria-label")).sort());
  assert.deepEqual(found, ["added:  More:  true", "changed:  Fuel: 87.5 1", "removed:  Lit: true "]);
  const [downloaded] = await Promise.all([page.waitForEvent("download"), page.click("button:text-is('Download as CSV')")]);
  assert.equal(downloaded.suggestedFilename(), "differences.csv");
  const [head, ...rows] = readFileSync(await downloaded.path(), "utf8").trimEnd().split("\r\n");
  assert.equal(head, "change,address,path,type before,before,type after,after");
  assert.deepEqual(rows.sort(), ["added,,More,,,Bool,true", "changed,,Fuel,Double,87.5,Double,1", "removed,,Lit,Bool,true,,"]);
  await shot(page, "compare");
  await leave(page);
});

/** The output of `enginewire diff`, which exits with 1 if files differ. */
function nativeDiff(a, b) {
  try {
    return program("diff", a, b).toString();
  } catch (error) {
    return error.stdout.toString();
  }
}

test("instances that share a name are compared one by one, as by `diff`", async () => {
  const { Model } = await import("../../dist/node.js");
  const model = Model.open(place(2, bytesOf("roblox-attributes/readable.bin"), () => "Part"));
  model.set(1, "Fuel", 2);
  const before = model.save();
  model.set(0, "Fuel", 9);
  const changed = model.save();
  model.free();
  const one = place(1, bytesOf("roblox-attributes/readable.bin"), () => "Part");
  const [a, b] = ["a", "b"].map((name) => join(tmpdir(), `enginewire-page-${process.pid}.${name}.rbxm`));
  writeFileSync(a, before);
  for (const [after, line, label] of [
    [changed, "~ Part[1] Fuel: 87.5 -> 9", "changed: Part[1] Fuel: 87.5 9"],
    [one, "- Part[2] Fuel: 2", "removed: Part[2] Fuel: 2 "],
  ]) {
    writeFileSync(b, after);
    const page = await site.visit();
    // as files, because the older one is shown first
    await page.setInputFiles("#picker", a);
    await page.waitForSelector(".file b");
    await page.setInputFiles("#other-picker", b);
    await page.waitForSelector(".compare .difference");
    const found = await page.locator(".difference").evaluateAll((all) => all.map((row) => row.getAttribute("aria-label")));
    assert.deepEqual(found.filter((each) => each.includes("Fuel")), [label]);
    assert.ok(nativeDiff(a, b).includes(line), nativeDiff(a, b));
    await leave(page);
  }
  for (const path of [a, b]) rmSync(path);
});

test("a specification stands beside an example, whose fields light up", async () => {
  const page = await site.visit();
  await page.click("button[aria-label='How it works']");
  await page.waitForSelector(".how .spec tr[data-field]");
  await page.hover(".how .spec tr[data-field='length'] >> nth=0");
  await page.waitForSelector(".field.is-lit .label:text-is('length')");
  assert.ok((await page.locator(".line-hex .b.lit").count()) >= 4);
  await page.selectOption(".how select", "godot-variant");
  await page.waitForSelector(".file b:text-is('packet_typical.bin')");
  await leave(page);
});

test("on a narrow screen, a menu leads to the specification and to a comparison", async () => {
  const page = await site.visit("#sample=torch", { width: 360, height: 740 });
  await arrived(page);
  const menu = "button[aria-label='More']";
  await page.click(menu);
  await page.waitForSelector(`${menu}[aria-expanded='true']`);
  await page.keyboard.press("Escape");
  await page.waitForSelector(`${menu}[aria-expanded='false']`);
  await page.waitForFunction(() => document.activeElement.ariaLabel === "More");
  await page.click(menu);
  await page.click("button[aria-label='How it works']");
  await page.waitForSelector(`${menu}[aria-expanded='false']`);
  await page.waitForSelector(".how .spec tr[data-field='length']");
  assert.equal(await text(page, ".tabs [aria-current]"), "How it works");
  // a field of a table leads to that of the example, and the tab back to the table
  await page.click(".how .spec tr[data-field='length'] >> nth=0");
  await page.waitForSelector(".field.is-selected .label:text-is('length')");
  await page.click(".tabs button:text-is('How it works')");
  await page.click("button[aria-label='Close the specification']");
  await page.waitForSelector("#fields .field.is-selected");
  assert.deepEqual(await page.locator(".tabs button").allInnerTexts(), ["Layout", "Bytes", "Value"]);
  await page.click(menu);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.click("button[aria-label='Compare with another file']")]);
  await chooser.setFiles({ name: "new.bin", mimeType: "", buffer: nativelySet(fixture("roblox-attributes/readable.bin"), "Fuel=1") });
  await page.waitForSelector(".difference");
  const linked = await site.visit("#sample=torch&how=roblox-attributes", { width: 360, height: 740 });
  await linked.waitForSelector(".how .spec tr[data-field='length']");
  const start = await site.visit("", { width: 360, height: 740 });
  await start.click("button[aria-label='How it works']");
  await start.waitForSelector(".how .spec tr[data-field='length']");
  for (const each of [page, linked, start]) await leave(each);
});

test("the specification is that of the file", async () => {
  for (const [sample, title] of [["torch", "Roblox attributes"], ["packets", "Roblox remote packets"], ["place", "Roblox attributes"], ["stream", "Godot Variant"], ["save", "Scrap Mechanic LuaObject"]]) {
    const page = await site.visit(`#sample=${sample}`);
    await page.waitForSelector("#fields");
    await arrived(page);
    await page.click("button[aria-label='How it works']");
    await page.waitForSelector(".how .spec h2");
    assert.equal(await text(page, ".how select option:checked"), title, sample);
    await leave(page);
  }
});

test("a file in whose place an example is shown comes back with its changes", async () => {
  const path = fixture("roblox-attributes/readable.bin");
  const page = await site.visit();
  const questions = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    void dialog.dismiss();
  });
  await open(page, "own.bin", readFileSync(path));
  await choose(page, "Fuel");
  await page.fill("#editor .number input", "12.5");
  await page.press("#editor .number input", "Enter");
  await page.waitForSelector(".chip.is-changed");
  await page.click("button[aria-label='How it works']");
  const isExample = async (spec, name) => {
    await page.selectOption(".how select", spec);
    await page.waitForSelector(`.file b:text-is('${name}')`);
    await page.waitForSelector(".hint:has-text('own.bin is shown again when the specification is closed')");
  };
  await isExample("godot-variant", "packet_typical.bin");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });
  await isExample("scrap-mechanic-lua-object", "readable.bin");
  // the example is opened as another format, and the file set aside is not lost
  await page.selectOption(".kind select", "godot-4");
  await page.waitForSelector(".fields .banner.is-bad");
  await page.waitForSelector(".how .spec");
  // to leave it altogether is to lose its changes
  await page.click(".brand");
  assert.deepEqual(questions, ["own.bin has changes that were not downloaded. Close it all the same?"]);
  await page.click("button[aria-label='Close the specification']");
  const isBack = async () => {
    await page.waitForSelector(".file b:text-is('own.bin')");
    await page.waitForSelector("#editor .path code:text-is('Fuel')");
    await arrived(page);
    assert.deepEqual(await downloaded(page), nativelySet(path, "Fuel=12.5"));
  };
  await isBack();
  assert.equal(await page.locator(".how").count(), 0);
  // its own specification shows it as well
  await page.click("button[aria-label='How it works']");
  await isExample("godot-variant", "packet_typical.bin");
  await page.selectOption(".how select", "roblox-attributes");
  await isBack();
  assert.equal(await text(page, ".how select option:checked"), "Roblox attributes");
  await page.click("button[aria-label='Undo']");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });
  assert.deepEqual(await downloaded(page), readFileSync(path));

  // an example with changes is kept if it is to be
  await page.selectOption(".how select", "godot-variant");
  await page.waitForSelector(".file b:text-is('packet_typical.bin')");
  await choose(page, "hp");
  await page.fill("#editor .number input", "1");
  await page.press("#editor .number input", "Enter");
  await page.waitForSelector(".chip.is-changed");
  questions.length = 0;
  for (const leaves of [() => page.selectOption(".how select", "scrap-mechanic-lua-object"), () => page.click("button[aria-label='Close the specification']")]) {
    await leaves();
    await page.waitForFunction(() => document.querySelector(".how select").value === "godot-variant");
    assert.equal(await text(page, ".file b"), "packet_typical.bin");
  }
  assert.deepEqual(questions, Array(2).fill("packet_typical.bin has changes that were not downloaded. Close it all the same?"));
  await leave(page);

  // the same of a model file, at its instance
  const model = await site.visit();
  await open(model, "baseplate.rbxl", bytesOf("roblox-model/baseplate-566.rbxl"));
  await model.click(".only input");
  await model.fill(".search input", "SpawnLocation");
  await model.click("#rows .entry:has(.name:text-is('SpawnLocation'))");
  await model.fill(".tags input", "Start");
  await model.press(".tags input", "Enter");
  await model.waitForSelector(".tags li:has-text('Start')");
  await model.click("button[aria-label='How it works']");
  await model.selectOption(".how select", "godot-variant");
  await model.waitForSelector(".file b:text-is('packet_typical.bin')");
  await model.click("button[aria-label='Close the specification']");
  await model.waitForSelector(".tags li:has-text('Start')");
  assert.equal(await text(model, "#rows .entry.is-selected .name"), "SpawnLocation");
  await leave(model);
});

test("with colours of the system, it is seen what is selected, broken and switched on, and which colour a value is", async () => {
  const page = await site.visit("#sample=torch");
  await page.emulateMedia({ forcedColors: "active" });
  await choose(page, "Color");
  const styleIn = (page, selector) => page.locator(selector).first().evaluate((element) => {
    const { backgroundColor, color } = getComputedStyle(element);
    return `${color} on ${backgroundColor}`;
  });
  const style = (selector) => styleIn(page, selector);
  const background = async (selector) => (await style(selector)).split(" on ")[1];
  assert.notEqual(await style(".field.is-selected"), await style(".field:not(.is-selected)"));
  assert.notEqual(await style(".line-hex .b.on"), await style(".line-hex .b:not(.on)"));
  assert.equal(await background(".field.is-selected .swatch"), "rgb(255, 170, 51)");
  await choose(page, "Lit");
  const on = await style(".switch i");
  await page.click("#editor .switch");
  await page.waitForSelector("#editor .switch:has-text('false')");
  assert.notEqual(await style(".switch i"), on);
  const broken = await site.visit("#sample=broken");
  await broken.emulateMedia({ forcedColors: "active" });
  await broken.waitForSelector(".line-hex .b.bad");
  await broken.click(".field:has(.key:text-is('Lit'))");
  await broken.waitForSelector(".line-hex .b.on");
  const bytes = await Promise.all([".bad", ".on:not(.bad)", ":not(.on, .bad)"].map((state) => styleIn(broken, `.line-hex .b${state}`)));
  assert.equal(new Set(bytes).size, 3, bytes.join());
  for (const each of [page, broken]) await leave(each);
});

test("while something takes long, the keyboard stays with it, and Escape cancels it", async () => {
  const page = await site.visit("#sample=torch");
  await arrived(page);
  await page.focus("#fields");
  const letGo = await hold(page, "open");
  await page.setInputFiles("#picker", { name: "value.bin", mimeType: "", buffer: Buffer.alloc(4) });
  await page.waitForFunction(() => document.activeElement.matches(".busy button"));
  // the focus moves between the button and the browser's own window, and never to the page below
  for (let step = 0; step < 4; step++) {
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest(".busy") !== null));
  }
  await page.keyboard.press("Escape");
  await page.waitForSelector(".message:has-text('Cancelled.')");
  // the open file is read again
  await letGo();
  await page.waitForSelector(".busy", { state: "detached" });
  assert.equal(await text(page, ".file b"), "readable.bin");
  // what had the focus has it again when the work is done
  const again = await site.visit("#sample=torch");
  await choose(again, "Lit");
  await again.click("#editor .switch");
  await again.waitForSelector(".chip.is-changed");
  const letOther = await hold(again, "save");
  await again.focus("header .download");
  await again.keyboard.press("Enter");
  await again.waitForFunction(() => document.activeElement.matches(".busy button"));
  await letOther();
  await again.waitForSelector(".busy", { state: "detached" });
  assert.ok(await again.evaluate(() => document.activeElement.matches("header .download")));
  for (const each of [page, again]) await leave(each);
});

test("the same file and the same link are opened again", async () => {
  const path = join(tmpdir(), `enginewire-page-${process.pid}.again.bin`);
  const page = await site.visit();
  for (const [name, key] of [["readable.bin", "Fuel"], ["all-types.bin", "Array"]]) {
    writeFileSync(path, bytesOf(`roblox-attributes/${name}`));
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.click("header button[aria-label='Open a file']")]);
    await chooser.setFiles(path);
    await page.waitForSelector(`.field .key:text-is('${key}')`);
  }
  rmSync(path);
  await leave(page);

  const linked = await site.visit();
  const go = () => linked.evaluate(() => (location.hash = "#sample=torch"));
  for (let time = 0; time < 2; time++) {
    await go();
    await linked.waitForSelector(".field .key:text-is('Fuel')");
    // the address is written when all of it is there
    await linked.waitForFunction(() => location.hash.includes("field="));
    if (time === 0) await linked.click(".brand");
    if (time === 0) await linked.waitForSelector(".start");
  }
  const address = await linked.evaluate(() => location.hash);
  await linked.goBack();
  await linked.click(".brand");
  await linked.waitForSelector(".start");
  await linked.goForward();
  await linked.waitForSelector(".field .key:text-is('Fuel')");
  assert.equal(await linked.evaluate(() => location.hash), address);
  await leave(linked);
});

test("in the header, nothing overlaps, nothing is cut off, and the first change moves nothing", async () => {
  const page = await site.visit();
  await open(page, `${"a-name-that-is-very-long-".repeat(4)}readable.bin`, bytesOf("roblox-attributes/readable.bin"));
  await choose(page, "Lit");
  const places = () => page.evaluate(() => {
    const shown = [...document.querySelectorAll("header :is(button, select, b, .reason, .quiet, .chip)")].map((element) => [element, element.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
    const name = (element) => element.ariaLabel ?? (element.className || element.localName);
    const wrong = [];
    shown.forEach(([one, a], at) => {
      if (a.right > innerWidth || a.left < 0 || one.clientWidth > 0 && one.localName === "button" && one.scrollWidth > one.clientWidth) wrong.push(`${name(one)} is cut off`);
      for (const [other, b] of shown.slice(at + 1)) {
        const isApart = a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5;
        if (!isApart) wrong.push(`${name(one)} overlaps ${name(other)}`);
      }
    });
    if (document.documentElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
    const boxes = shown.filter(([element]) => !element.matches(".quiet, .chip")).map(([element, { x, y, width }]) => [name(element), x, y, width]);
    return { wrong, boxes };
  });
  const widths = [320, 360, 600, 768, 900, 960, 1024, 1100, 1280];
  const before = new Map();
  for (const isChanged of [false, true]) {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      const { wrong, boxes } = await places();
      assert.deepEqual(wrong, [], `${width} ${isChanged ? "changed" : "unchanged"}`);
      if (isChanged) assert.deepEqual(boxes, before.get(width), `${width}`);
      else before.set(width, boxes);
    }
    if (isChanged) continue;
    await page.click("#editor .switch");
    await page.waitForSelector(".chip.is-changed");
  }
  await leave(page);
});

test("on a narrow screen, a message is as wide as the screen, and each field shows its value and its place", async () => {
  const page = await site.visit("", { width: 360, height: 740 });
  await page.setInputFiles("#picker", { name: "other.bin", mimeType: "", buffer: Buffer.from([0xff, 0xfe, 0xfd, 1, 2, 3, 9, 9]) });
  const box = await page.locator(".message.is-bad").boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 360 && box.width > 300 && box.height < 200, JSON.stringify(box));
  await open(page, "all-types.bin", bytesOf("roblox-attributes/all-types.bin"));
  await page.click("button[aria-label='Open all fields']");
  for (let top = 0; top < 6000; top += 500) {
    await page.locator("#fields").evaluate((fields, top) => (fields.scrollTop = top), top);
    await page.waitForTimeout(50);
    const cut = await page.locator(".field").evaluateAll((all) =>
      all
        .filter((field) => {
          const [value, offset] = [field.querySelector(".value"), field.querySelector(".offset")].map((part) => part?.getBoundingClientRect());
          return offset.right > innerWidth || (value !== undefined && (value.width < 20 || value.right > offset.left));
        })
        .map((field) => field.innerText),
    );
    assert.deepEqual(cut, []);
  }
  await leave(page);
});

test("the points of a curve do not cover its scale", async () => {
  for (const width of [360, 1280]) {
    const page = await site.visit("#sample=torch");
    await choose(page, "Sparks");
    await page.setViewportSize({ width, height: 800 });
    if (width === 360) await page.click(".tabs button:text-is('Value')");
    await page.waitForSelector(".sequence svg");
    const covered = await page.evaluate(() => {
      const boxes = (selector) => [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect());
      return boxes(".scale").filter((a) => boxes("[data-point]").some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
    });
    assert.equal(covered, 0);
    await leave(page);
  }
});

test("a comparison shows all of two values, their types, and what differs after a change", async () => {
  const path = fixture("roblox-attributes/readable.bin");
  const page = await site.visit();
  const long = "a".repeat(300);
  await open(page, "old.bin", nativelySet(path, `Name="${long}b"`));
  const compare = async (name, ...assignments) => {
    await page.setInputFiles("#other-picker", { name, mimeType: "", buffer: nativelySet(path, `Name="${long}c"`, ...assignments) });
    await page.waitForSelector(`.compare-head b:text-is('${name}')`);
  };
  await compare("one.bin");
  assert.equal(await text(page, ".compare h2"), "1 difference");
  assert.match(await text(page, ".compare .pane-head .quiet"), /^7 values are equal\./);
  assert.deepEqual(await page.locator(".side").allInnerTexts(), ['…aaaaaaaab"', '…aaaaaaaac"']);
  assert.equal(await page.locator(".side").first().getAttribute("title"), `"${long}b"`);
  assert.deepEqual(await page.locator(".detail p").allInnerTexts(), [`"${long}b"`, `"${long}c"`]);
  assert.deepEqual(await page.locator(".detail .differs").allInnerTexts(), ["b", "c"]);
  // a number of another type, chosen by the keyboard
  await compare("two.bin", "Fuel:Float=87.5");
  assert.equal(await text(page, ".compare h2"), "2 differences");
  await page.focus("#differences");
  await page.keyboard.press("Home");
  assert.deepEqual(await page.locator(".difference.is-selected .side").allInnerTexts(), ["Double 87.5", "Float 87.5"]);
  assert.equal(await page.getAttribute(".difference.is-selected", "aria-label"), "changed:  Fuel: Double 87.5 Float 87.5");
  await page.keyboard.press("ArrowDown");
  await page.waitForSelector(".difference.is-selected:has-text('Name')");
  await page.click(".compare button:has-text('Close')");
  // a change, and the comparison after it is undone
  await choose(page, "Fuel");
  await page.fill("#editor .number input", "1");
  await page.press("#editor .number input", "Enter");
  await page.waitForSelector(".chip.is-changed");
  await compare("three.bin");
  assert.equal(await text(page, ".compare h2"), "2 differences");
  await page.click("button[aria-label='Undo']");
  await page.waitForSelector(".compare h2:text-is('1 difference')");
  await page.click("button[aria-label='Redo']");
  await page.waitForSelector(".compare h2:text-is('2 differences')");
  await leave(page);

  const one = await site.visit();
  const single = (value) => nativelySet(path, `Fuel=${value}`, "--remove", "Lit", "--remove", "Name", "--remove", "Color", "--remove", "Brightness", "--remove", "Material", "--remove", "Pivot");
  await open(one, "old.bin", single(1));
  await one.setInputFiles("#other-picker", { name: "new.bin", mimeType: "", buffer: single(2) });
  await one.waitForSelector(".difference");
  assert.match(await text(one, ".compare .pane-head .quiet"), /^1 value is equal\./);
  await leave(one);
});

test("what is wrong with bytes that are typed is said", async () => {
  const page = await site.visit("#sample=broken");
  await page.click("summary:has-text('Replace')");
  for (const [typed, said] of [["", /Write the bytes as hex, such as 00 00 80 3f, or as base64/], ["zz!", /Write the bytes as hex/], ["00 00 0", /These are 5 hex digits\. A byte has two/]]) {
    await page.fill(".banner textarea", typed);
    await page.click("button:text-is('Replace')");
    await page.waitForFunction((said) => new RegExp(said).test(document.querySelector(".banner p.bad")?.textContent ?? ""), said.source);
  }
  await page.fill(".banner textarea", "AAAAAA==");
  await page.click("button:text-is('Replace')");
  await page.waitForSelector(".banner.is-bad", { state: "detached" });
  await page.click(".brand");
  await leave(page);
  const start = await site.visit();
  await start.fill(".drop textarea", "02 00 00 00 2a 00 00 0");
  await start.click("button:text-is('Open the text')");
  await start.waitForSelector(".message.is-bad:has-text('These are 15 hex digits. A byte has two, so one digit is missing or too many.')");
  assert.equal(await start.locator(".choice.wide").count(), 0);
  await leave(start);
});

test("what a link holds is said when it is copied", async () => {
  const page = await site.visit();
  const said = async (words) => {
    await page.click("button[aria-label='Share by a link']");
    await page.waitForSelector(`.message:text-is(${JSON.stringify(words)})`);
  };
  await open(page, "own.bin", bytesOf("roblox-attributes/readable.bin"));
  await said("Link copied. It holds the file.");
  await choose(page, "Lit");
  await page.click("#editor .switch");
  await page.waitForSelector(".chip.is-changed");
  await said("Link copied. It holds the file, with your changes.");
  const sent = await site.visit("", { address: await page.evaluate(() => navigator.clipboard.readText()) });
  await sent.waitForSelector("header .file b:text-is('own.changed.bin')");
  assert.equal(await sent.locator("#editor .switch input").isChecked(), await page.locator("#editor .switch input").isChecked());
  assert.equal(await sent.locator(".chip.is-changed").count(), 0);
  await leave(sent);
  await page.click("button[aria-label='Undo']");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });
  // a changed document is written as bytes
  await open(page, "own.json", bytesOf("roblox-attributes/readable.json"));
  await choose(page, "Lit");
  await page.click("#editor .switch");
  await page.waitForSelector(".chip.is-changed");
  await said("Link copied. It holds the file, with your changes.");
  const document = await site.visit("", { address: await page.evaluate(() => navigator.clipboard.readText()) });
  await document.waitForSelector("header .file b:text-is('own.changed.bin')");
  await document.waitForSelector(".field:has(.key:text-is('Fuel'))");
  await leave(document);
  await page.click("button[aria-label='Undo']");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });
  await open(page, "large.bin", nativelySet(fixture("roblox-attributes/readable.bin"), `Name="${"a".repeat(5000)}"`));
  await said("Link copied. The file is too large to be in it, with more than 4 kB: whoever opens the link is asked for large.bin.");
  await leave(page);
});

test("what is unpacked is downloaded without the name of its packing", async () => {
  const page = await site.visit();
  const name = async () => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("header button:has-text('Download')")]);
    return download.suggestedFilename();
  };
  for (const [given, expected, changed] of [["place.rbxm.gz", "place.rbxm", "place.changed.rbxm"], ["place.gz", "place.bin", "place.changed.bin"], ["place", "place.bin", "place.changed.bin"]]) {
    await open(page, given, gzipSync(bytesOf("roblox-model/attributes.rbxm")));
    assert.equal(await name(), expected);
    await choose(page, "Number");
    await page.fill("#editor .number input", "777");
    await page.press("#editor .number input", "Enter");
    await page.waitForSelector(".chip.is-changed");
    assert.equal(await name(), changed);
  }
  await leave(page);
});

test("a double-click adds a point to a curve, but none beside another", async () => {
  const page = await site.visit("#sample=torch");
  await choose(page, "Sparks");
  const box = await page.locator("[data-point='0']").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.dblclick(x + 4, y + 2);
  await page.waitForTimeout(300);
  assert.equal(await page.locator("[data-point]").count(), 2);
  await page.mouse.dblclick(x + 60, y + 20);
  await page.waitForSelector("[data-point='2']");
  await page.waitForTimeout(200);
  assert.equal(await page.locator("[data-point]").count(), 3);
  await leave(page);
});
