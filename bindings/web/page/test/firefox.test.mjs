// Tests the main functions of the page in Firefox.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import { Firefox, KEYS } from "./firefox.mjs";
import { bytesOf, fixture, nativelySet, program, serve } from "./open.mjs";

let [site, page] = [];
before(async () => {
  site = await serve();
  page = await Firefox.start();
});
after(async () => {
  await page?.stop();
  site.server.close();
});

/** Visits the page and opens a file. What goes wrong in it fails the test. */
async function opened(path, work) {
  site.requests.length = 0;
  await page.visit(site.address);
  await page.type("#picker", fixture(path));
  const name = path.slice(path.lastIndexOf("/") + 1);
  await page.element(".file b", name);
  await work();
  assert.deepEqual(await page.run(() => window.wrong), []);
  assert.deepEqual(site.requests.filter((url) => url !== "/favicon.ico"), ["/"]);
  // the page asks before it is left with unsaved changes
  await page.run(() => (document.querySelector("#app").textContent = ""));
  await page.send("WebDriver:Navigate", { url: "about:blank" }).catch(() => page.send("WebDriver:AcceptAlert"));
}

const choose = async (key) => {
  await page.click(".values .name", key);
  await page.element("#editor .path code", key);
};
const isChanged = (isChanged) => page.wait((isChanged) => (document.querySelector(".chip.is-changed") !== null) === isChanged, isChanged);

test("a value is opened, changed by its control, undone, and downloaded", async () => {
  const path = "roblox-attributes/readable.bin";
  await opened(path, async () => {
    assert.match(await page.run(() => document.querySelector(".reason").textContent), /^Likely: all bytes are a value/);
    assert.deepEqual(await page.downloaded(), bytesOf(path));
    await choose("Fuel");
    assert.equal(await page.run(() => document.querySelector("#editor .number input").value), "87.5");
    await page.fill("#editor .number input", "12.5");
    await page.press(KEYS.Enter);
    await isChanged(true);
    await choose("Lit");
    await page.click("#editor .switch");
    await page.element("#editor .switch span", "false");
    assert.deepEqual(await page.downloaded(), nativelySet(fixture(path), "Fuel=12.5", "Lit=false"));
    await page.click("button[aria-label='Undo']");
    await page.click("button[aria-label='Undo']");
    await isChanged(false);
    assert.deepEqual(await page.downloaded(), bytesOf(path));
  });
});

test("a field selects its bytes, a byte its field, and both are reached by the keyboard", async () => {
  await opened("roblox-attributes/readable.bin", async () => {
    await page.click("button.toggle");
    await page.click(".field .label", "double");
    const bytes = () => [...document.querySelectorAll(".line-hex .b.on")].map((byte) => Number(byte.dataset.byte)).join();
    await page.wait((bytes) => [...document.querySelectorAll(".line-hex .b.on")].map((byte) => byte.dataset.byte).join() === bytes, "58,59,60,61,62,63,64,65");
    assert.equal(await page.run(bytes), "58,59,60,61,62,63,64,65");
    await page.click(".line-hex [data-byte='66']");
    await page.element(".field.is-selected .label", "length");
    await page.run(() => document.querySelector("#fields").focus());
    await page.press(KEYS.Home);
    await page.wait(() => document.querySelector(".field.is-selected")?.id === "node-0");
    for (const key of "fu") await page.press(key);
    await page.element(".field.is-selected .key", "Fuel");
    await page.press(KEYS.ArrowLeft);
    await page.element(".field.is-selected[aria-expanded='false']");
    // values first again
    await page.click("button.toggle");
    await page.element(".row.is-selected .name", "Fuel");
  });
});

test("broken input says where and what, and is repaired", async () => {
  const path = "roblox-attributes/bad/rotation-id.bin";
  await opened(path, async () => {
    const banner = await page.wait(() => document.querySelector(".banner.is-bad")?.textContent);
    assert.match(banner, /unknown rotation id 0x04.*At byte 0x0023 in entries\[1\] "Pivot"\.value\.cframe\.rotation\.id/s);
    await page.click(".banner button", "Cut: keep what comes before");
    await isChanged(true);
    assert.deepEqual(await page.downloaded(), program("check", "-f", "roblox-attributes", fixture(path), "--fix=cut", "-o", "-"));
  });
});

test("the instances of a place are a tree; tags and attributes are changed", async () => {
  const path = "roblox-model/baseplate-566.rbxl";
  await opened(path, async () => {
    await page.element("#rows .entry.is-selected .name", "Lighting");
    await page.click(".only input");
    await page.fill(".search input", "SpawnLocation");
    await page.click("#rows .entry .name", "SpawnLocation");
    await page.element(".values .empty", "The instance has no attributes. One can be added as a value.");
    await page.fill(".tags input", "Start");
    await page.press(KEYS.Enter);
    await page.element(".tags li span", "Start");
    assert.deepEqual(await page.downloaded(), nativelySet(fixture(path), "Workspace.SpawnLocation", "--add-tag", "Start"));
    await page.press(KEYS.Control, "z");
    await isChanged(false);
    await page.run(() => document.querySelector("#rows").focus());
    await page.press(KEYS.ArrowLeft);
    await page.element("#rows .entry.is-selected .name", "Workspace");
  });
});

test("a save is opened, changed and downloaded", async () => {
  const path = "scrap-mechanic-lua/save-v28.db";
  await opened(path, async () => {
    const { path: at, address } = JSON.parse(program("get", "--json", fixture(path), "ScriptData[3]").toString().split("\n")[0]);
    await page.click("#rows .entry .name", address);
    await page.element("#editor .path code", at);
    await page.fill("#editor .notation textarea", '"changed"');
    await page.click("#editor button", "Apply");
    await isChanged(true);
    const content = (file) => Buffer.concat([file.subarray(0, 24), file.subarray(28, 92), file.subarray(100)]);
    assert.deepEqual(content(await page.downloaded()), content(nativelySet(fixture(path), "ScriptData[3]", `${at}="changed"`)));
  });
});

test("after a reload, the file and its changes are there again", async () => {
  const path = "roblox-attributes/readable.bin";
  await opened(path, async () => {
    await choose("Fuel");
    await page.fill("#editor .number input", "12.5");
    await page.press(KEYS.Enter);
    await isChanged(true);
    await page.send("WebDriver:Refresh").catch(() => page.send("WebDriver:AcceptAlert"));
    await page.element(".message span", "readable.bin is open again, with your changes: this browser has kept it.");
    assert.deepEqual(await page.downloaded(), nativelySet(fixture(path), "Fuel=12.5"));
    await page.click(".message button", "Delete the kept copy");
    await page.run(() => (window.wrong = []));
    site.requests.length = 1;
  });
});

test("axe finds nothing", async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const path of ["roblox-model/tags.rbxm", "scrap-mechanic-lua/save-v28.db"]) {
    await opened(path, async () => {
      await page.element("#rows .entry.is-selected");
      const script = `${axe}; const done = arguments[arguments.length - 1]; axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(violations.map((found) => found.id + ": " + found.nodes.map((node) => node.html).join())), (error) => done([String(error)]));`;
      assert.deepEqual((await page.send("WebDriver:ExecuteAsyncScript", { script, args: [] })).value, [], path);
    });
  }
});
