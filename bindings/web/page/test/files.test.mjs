// Several files: the list of them, and the search in all and in one.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { arrived, bytesOf, downloaded, fixture, leave, nativelySet, shot, Site } from "./open.mjs";

let site;
before(async () => (site = await Site.start()));
after(() => site.stop());

const FILES = ["roblox-attributes/readable.bin", "roblox-model/attributes.rbxm", "godot-4/packet_typical.bin", "scrap-mechanic-lua/save-v28.db", "roblox-attributes/bad/rotation-id.bin"];
const given = (name, buffer) => ({ name, mimeType: "application/octet-stream", buffer });
const all = () => [...FILES.map((path) => given(path.replaceAll("/", "-"), bytesOf(path))), given("notes.txt", Buffer.from("buy milk"))];

/** Opens all files, and waits until each was read. */
async function visit(look = {}) {
  const page = await site.visit("", { bytes: false, ...look });
  await page.setInputFiles("#picker", all());
  await page.waitForSelector(".files .entry >> nth=5");
  await page.waitForFunction(() => !document.querySelector(".files").innerText.includes("not read yet"));
  return page;
}
const entry = (name) => `.files .entry:has(.name:text-is(${JSON.stringify(name)}))`;

test("of several files there is a list, with the kind of each or why it is not read", async () => {
  const page = await visit();
  const told = await page.$$eval(".files .entry", (entries) => entries.map((one) => one.innerText.replace(/\s+/g, " ").trim()));
  assert.equal(told.length, 6);
  assert.match(told[0], /^roblox-attributes-readable\.bin Roblox attributes \d+ B 1 value$/);
  assert.match(told[1], /Roblox model or place, binary/);
  assert.match(told[4], /Roblox attributes.*1 broken/);
  assert.match(told[5], /^✗ notes\.txt 8 B Not readable: /);
  assert.equal(await page.textContent(".files .pane-foot"), "6 files, 1 not readable");
  await leave(page);
});

test("a file of the list opens like any other, and keeps its changes while another is open", async () => {
  const page = await visit();
  await page.click(entry("roblox-attributes-readable.bin"));
  await page.waitForSelector(".file b:text-is('roblox-attributes-readable.bin')");
  await page.click(".values .row:has(.name:text-is('Fuel'))");
  await arrived(page);
  await page.fill("#editor .control input >> nth=0", "7");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".chip.is-changed");
  await page.click(".file .chip:text-is('6 files')");
  await page.waitForSelector(`${entry("roblox-attributes-readable.bin")} .dot`);
  // by the keyboard
  await page.focus("#files");
  for (const key of ["Home", "ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await page.waitForSelector(".file b:text-is('godot-4-packet_typical.bin')");
  await page.click(".file .chip:text-is('6 files')");
  assert.match(await page.innerText(entry("roblox-attributes-readable.bin")), /changed · 1 value/);
  await page.click(entry("roblox-attributes-readable.bin"));
  await page.waitForSelector(".file b:text-is('roblox-attributes-readable.bin')");
  await page.waitForSelector(".chip.is-changed");
  assert.deepEqual(await downloaded(page), nativelySet(fixture("roblox-attributes/readable.bin"), "Fuel=7"));
  await leave(page);
});

test("to close all files with changes in one of them is asked", async () => {
  const page = await visit();
  await page.click(entry("roblox-attributes-readable.bin"));
  await page.click(".values .row:has(.name:text-is('Fuel'))");
  await arrived(page);
  await page.fill("#editor .control input >> nth=0", "7");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".chip.is-changed");
  await page.goBack();
  await page.click(entry("godot-4-packet_typical.bin"));
  await page.waitForSelector(".file b:text-is('godot-4-packet_typical.bin')");
  const asked = page.waitForEvent("dialog");
  const clicked = page.click("button.brand");
  const dialog = await asked;
  assert.match(dialog.message(), /^roblox-attributes-readable\.bin has changes that were not downloaded/);
  await dialog.dismiss();
  await clicked;
  await page.waitForSelector(".file b:text-is('godot-4-packet_typical.bin')");
  await page.close();
});

test("a search in all files finds names, keys, texts and numbers, and opens each there", async () => {
  const page = await visit();
  const search = async (text) => {
    await page.fill(".files input[type=search]", text);
    await page.waitForFunction(() => /^(\d+ match(es)?|Nothing matches .*) in 6 files/.test(document.querySelector(".files .pane-foot").innerText));
    return page.$$eval(".files .entry", (entries) => entries.map((one) => one.innerText.replace(/\s+/g, " ").trim()));
  };
  assert.deepEqual(await search("87.5"), ["Fuel 87.5 roblox-attributes-readable.bin", "hp 87.5 godot-4-packet_typical.bin"]);
  // a number is found as a whole, and not in others
  assert.deepEqual(await search("7.5"), []);
  assert.match(await page.textContent(".files .pane-foot"), /^Nothing matches 7\.5 in 6 files/);
  assert.ok((await search("player one")).some((hit) => hit.startsWith('name "Player One" godot-4')));
  assert.ok((await search("notes")).includes("notes.txt notes.txt"));
  const [first] = await search("Torch");
  assert.ok(first !== undefined);
  await search("ratio");
  await page.click(entry("ratio"));
  await page.waitForSelector(".file b:text-is('godot-4-packet_typical.bin')");
  await page.waitForSelector("#values .row.is-selected:has-text('ratio')");
  // the search continues in the file, and stays in the list
  assert.equal(await page.inputValue(".seek input"), "ratio");
  await page.goBack();
  await page.waitForSelector(".files");
  assert.equal(await page.inputValue(".files input[type=search]"), "ratio");
  await leave(page);
});

test("what is changed is found as it is now", async () => {
  const page = await visit();
  await page.click(entry("roblox-attributes-readable.bin"));
  await page.click(".values .row:has(.name:text-is('Fuel'))");
  await arrived(page);
  await page.fill("#editor .control input >> nth=0", "987654");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".chip.is-changed");
  await page.click(".file .chip:text-is('6 files')");
  await page.fill(".files input[type=search]", "987654");
  await page.waitForSelector(".files .entry:has(.name:text-is('Fuel'))");
  await leave(page);
});

test("a folder is picked and dropped, with the folders in it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "enginewire-"));
  mkdirSync(join(folder, "a/b"), { recursive: true });
  for (const name of ["a/one.bin", "a/b/two.bin", "three.bin"]) writeFileSync(join(folder, name), bytesOf("godot-4/packet_typical.bin"));
  const names = (page) => page.$$eval(".files .name", (names) => names.map((one) => one.textContent.replace(/^enginewire-[^/]*\//, "")));
  try {
    const page = await site.visit();
    await page.setInputFiles(".drop input[type=file] >> nth=1", folder);
    await page.waitForSelector(".files .entry >> nth=2");
    assert.deepEqual((await names(page)).sort(), ["a/b/two.bin", "a/one.bin", "three.bin"]);
    await leave(page);
    const dropped = await site.visit();
    const session = await dropped.context().newCDPSession(dropped);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
    await dropped.waitForSelector(".files .entry >> nth=2");
    assert.deepEqual(await names(dropped), ["a/b/two.bin", "a/one.bin", "three.bin"]);
    await dropped.click(".files .entry >> nth=0");
    await dropped.waitForSelector(".file b:text-is('two.bin')");
    await leave(dropped);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a file of the list that is not readable says why, and can be opened as a format", async () => {
  const page = await visit();
  await page.click(entry("notes.txt"));
  await page.waitForSelector(".message.is-bad:has-text('The file is text')");
  await page.selectOption(".message select", "godot-4");
  await page.waitForSelector(".file b:text-is('notes.txt')");
  await page.click(".file .chip:text-is('6 files')");
  assert.match(await page.innerText(entry("notes.txt")), /Godot Variant[^]*1 value, 1 broken$/);
  await page.click(entry("roblox-attributes-readable.bin"));
  await page.waitForSelector(".file b:text-is('roblox-attributes-readable.bin')");
  await leave(page);
});

test("files that are opened while there is a list are added to it; two files alone are compared", async () => {
  const page = await visit();
  await page.setInputFiles("#picker", given("more.bin", bytesOf("godot-4/packet_typical.bin")));
  await page.waitForSelector(".file b:text-is('more.bin')");
  await page.waitForSelector(".file .chip:text-is('7 files')");
  await leave(page);
  const two = await site.visit();
  await two.setInputFiles("#picker", all().slice(2, 3).concat(given("more.bin", bytesOf("godot-4/packet_typical.bin"))));
  await two.waitForSelector(".compare");
  await two.waitForSelector(".file .chip:text-is('2 files')");
  await leave(two);
});

test("a value is searched for keys, texts and numbers, from hit to hit", async () => {
  const page = await site.visit("#sample=player", { bytes: false });
  await page.waitForSelector("#values .row.is-selected");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("o");
  await page.waitForSelector(".seek [role=status]:text-matches('^(\\\\d+ of )?[1-9]')");
  const found = [];
  for (let at = 0; at < 3; at++) {
    const before = await page.textContent(".seek [role=status]");
    await page.keyboard.press("Enter");
    await page.waitForFunction((before) => document.querySelector(".seek [role=status]").textContent !== before, before);
    found.push(await page.textContent(".seek [role=status]"));
  }
  assert.match(found[2], /^\d+ of \d+$/);
  assert.ok((await page.$$("#values mark")).length > 0);
  await page.fill(".seek input", "no such thing");
  await page.waitForSelector(".seek [role=status]:text-is('nothing found')");
  await leave(page);
});

test("axe finds nothing in the list and in the search, in either theme, wide and narrow", async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const [colorScheme, width] of [["light", 390], ["dark", 1440], ["light", 1440], ["dark", 390]]) {
    const page = await visit({ width, colorScheme });
    const check = async (name) => {
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map((found) => `${found.id}: ${found.nodes.map(({ html }) => html.slice(0, 160)).join("; ")}`), [], `${name} ${colorScheme} ${width}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} ${width}: wider than the screen`);
      await shot(page, `${name}-${colorScheme}-${width}`);
    };
    await check("files");
    await page.fill(".files input[type=search]", "o");
    await page.waitForFunction(() => / in 6 files/.test(document.querySelector(".files .pane-foot").innerText));
    await check("files-search");
    await page.click(".files .entry >> nth=1");
    await page.waitForSelector(".seek input", { state: "attached" });
    await page.waitForTimeout(400);
    await check("file-of-files");
    await leave(page);
  }
});

test("several packets open as a dump, not as one packet with bytes after it", async () => {
  const page = await site.visit("", { bytes: false });
  await page.setInputFiles("#picker", given("packets.bin", bytesOf("roblox-remote/several.dump")));
  await page.waitForSelector("#rows .entry >> nth=1");
  assert.equal(await page.inputValue(".kind select"), "roblox-packets");
  await leave(page);
});

test("a value is not added where one is", async () => {
  const page = await site.visit("#sample=player", { bytes: false });
  await page.waitForSelector("#values .row.is-selected");
  await page.click("button[aria-label='Add']");
  await page.waitForSelector("#editor .structure details[open] input:focus");
  await page.keyboard.type("hp");
  await page.fill("#editor .structure form input >> nth=1", "1");
  await page.click("#editor .structure form button");
  await page.waitForSelector("#editor .banner.is-bad:has-text('there is such a value already')");
  assert.equal(await page.$(".chip.is-changed"), null);
  await page.fill("#editor .structure form input >> nth=0", "armour");
  await page.click("#editor .structure form button");
  await page.waitForSelector(".chip.is-changed");
  await page.waitForSelector("#values .row .name:text-is('armour')");
  await leave(page);
});

test("of two files, the one that was changed later is shown as the new one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "enginewire-"));
  const [old, young] = ["old.bin", "young.bin"].map((name) => join(folder, name));
  try {
    writeFileSync(old, bytesOf("roblox-attributes/readable.bin"));
    writeFileSync(young, nativelySet(old, "New=true"));
    utimesSync(old, 1_000_000, 1_000_000);
    for (const order of [[old, young], [young, old]]) {
      const page = await site.visit();
      await page.setInputFiles("#picker", order[0]);
      await page.waitForSelector(".file b");
      await page.setInputFiles("#other-picker", order[1]);
      await page.waitForSelector(".difference.is-added");
      assert.deepEqual(await page.$$eval(".compare-head b", (names) => names.map((name) => name.textContent)), ["old.bin", "young.bin"]);
      await leave(page);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the password of an encrypted file has the focus, and again after a wrong one", async () => {
  const page = await site.visit();
  await page.setInputFiles("#picker", given("locked.save", bytesOf("godot-files/v4/gdec/pass_config.cfg")));
  for (let times = 0; times < 2; times++) {
    await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "secret");
    await page.keyboard.type("wrong");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("[name=secret]")?.selectionEnd === 5 && document.querySelector("[name=secret]").selectionStart === 0);
  }
  await leave(page);
});
