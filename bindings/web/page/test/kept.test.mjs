/** The file and its changes after a reload, and how they are forgotten. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Site, arrived, bytesOf, downloaded, enter, fixture, leave, nativelySet, open, shot } from "./open.mjs";

let site;
before(async () => (site = await Site.start()));
after(() => site.stop());

const PATH = "roblox-attributes/readable.bin";
const visit = (hash = "") => site.visit(hash, { bytes: false });
/** Opens the page again. It asks before that, if there are changes. */
async function reload(page) {
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  page.removeAllListeners("dialog");
}
const isThere = async (page, name) => {
  await page.waitForSelector(`.file b:text-is(${JSON.stringify(name)})`);
  await page.waitForSelector(".values .row.is-selected, .values .empty:not(:empty)");
  await arrived(page);
};
async function setFuel(page, text) {
  await page.click(".values .name:text-is('Fuel')");
  await page.waitForSelector("#editor .path code:text-is('Fuel')");
  await arrived(page);
  await page.fill("#editor .number input", text);
  await page.press("#editor .number input", "Enter");
  await page.waitForSelector(`.row.is-selected .row-value:text-is('${text}')`);
}

test("after a reload, the file and its changes are there again, with what can be undone, until they are forgotten", async () => {
  const page = await visit();
  await open(page, "torch.bin", bytesOf(PATH));
  await setFuel(page, "12.5");
  await setFuel(page, "13.5");
  await page.click("header button[aria-label='Undo']");
  await page.waitForSelector(".row.is-selected .row-value:text-is('12.5')");
  await reload(page);
  await isThere(page, "torch.bin");
  assert.equal(await page.innerText(".row.is-selected .name"), "Fuel");
  assert.deepEqual(await downloaded(page), nativelySet(fixture(PATH), "Fuel=12.5"));
  await page.waitForSelector(".message:has-text('torch.bin is open again, with your changes: this browser has kept it.')");
  await shot(page, "kept");
  await page.click("header button[aria-label='Redo']");
  await page.waitForSelector(".row.is-selected .row-value:text-is('13.5')");
  // a change after the reload is kept, too
  await setFuel(page, "14.5");
  await reload(page);
  await isThere(page, "torch.bin");
  await page.waitForSelector(".row.is-selected .row-value:text-is('14.5')");
  await page.click(".message button:text-is('Delete the kept copy')");
  await setFuel(page, "15.5");
  await reload(page);
  await page.waitForSelector(".banner:has-text('This link is for the file torch.bin')");
  assert.equal(await page.locator(".visits").count(), 0);
  await leave(page);
});

test("what no change of the page is, is not done after a reload", async () => {
  for (const step of [["close", [0]], ["put", [0, 0, "text"]], ["set", [1, 0, "Fuel", "text", null, "9"]], "set", null]) {
    const page = await visit();
    await open(page, "torch.bin", bytesOf(PATH));
    await setFuel(page, "12.5");
    await page.evaluate(async (step) => {
      const asked = indexedDB.open("enginewire", 1);
      await new Promise((resolve) => (asked.onsuccess = resolve));
      const store = asked.result.transaction("kept", "readwrite").objectStore("kept");
      const keys = store.getAllKeys();
      await new Promise((resolve) => (keys.onsuccess = resolve));
      const put = store.put(step, [keys.result[0][0], 9]);
      await new Promise((resolve) => (put.onsuccess = resolve));
      asked.result.close();
    }, step);
    await reload(page);
    await page.waitForSelector(".banner:has-text('This link is for the file torch.bin')");
    assert.equal(await page.locator(".visits").count(), 0, JSON.stringify(step));
    await leave(page);
  }
});

test("instances with new attributes and tags are there again, and so is a comparison", async () => {
  const path = "roblox-model/baseplate-566.rbxl";
  const page = await visit();
  await open(page, "place.rbxl", bytesOf(path));
  await page.click(".only input");
  await page.fill(".search input", "SpawnLocation");
  await enter(page, "SpawnLocation");
  await page.fill(".tags input", "Start");
  await page.press(".tags input", "Enter");
  await page.waitForSelector(".tags li span:text-is('Start')");
  await page.setInputFiles("#other-picker", { name: "other.rbxl", mimeType: "", buffer: bytesOf(path) });
  await page.waitForSelector(".compare h2:text-is('1 difference')");
  await reload(page);
  await page.waitForSelector(".compare h2:text-is('1 difference')");
  assert.deepEqual(await page.locator(".compare-head b").allInnerTexts(), ["place.rbxl", "other.rbxl"]);
  await page.goBack();
  await page.waitForSelector("#rows .entry.is-selected .name:text-is('SpawnLocation')");
  assert.deepEqual(await downloaded(page), nativelySet(fixture(path), "Workspace.SpawnLocation", "--add-tag", "Start"));
  await leave(page);
});

test("a file that is set aside for an example comes back after a reload", async () => {
  const page = await visit();
  await open(page, "torch.bin", bytesOf(PATH));
  await setFuel(page, "12.5");
  await page.click("header button[aria-label='How it works']");
  await page.selectOption(".how select", { label: "Godot Variant" });
  await page.waitForSelector(".file b:text-is('packet_typical.bin')");
  await reload(page);
  await page.waitForSelector(".file b:text-is('packet_typical.bin')");
  await page.click("button[aria-label='Close the specification']");
  await isThere(page, "torch.bin");
  assert.deepEqual(await downloaded(page), nativelySet(fixture(PATH), "Fuel=12.5"));
  await leave(page);
});

test("what another tab had open is listed on the start page; closing a file forgets it", async () => {
  const page = await visit();
  await open(page, "torch.bin", bytesOf(PATH));
  await setFuel(page, "12.5");
  // its lock tells the other tab
  await page.waitForFunction(async () => (await navigator.locks.query()).held.length > 0);
  const other = await page.context().newPage();
  await other.goto(site.address);
  await other.waitForSelector(".start .card");
  // it is still open
  assert.equal(await other.locator(".visits").count(), 0);
  await page.close();
  await other.waitForFunction(async () => (await navigator.locks.query()).held.length === 0);
  await other.reload();
  await other.waitForSelector(".visits .card:has-text('with your changes')");
  await shot(other, "start-kept");
  await other.click(".visits .card");
  await isThere(other, "torch.bin");
  assert.deepEqual(await downloaded(other), nativelySet(fixture(PATH), "Fuel=12.5"));
  await other.click(".brand");
  await other.waitForSelector(".start");
  await other.reload();
  await other.waitForSelector(".start .card");
  assert.equal(await other.locator(".visits").count(), 0);
  // and a button forgets what was not closed
  await open(other, "torch.bin", bytesOf(PATH));
  const third = await other.context().newPage();
  await other.close();
  await third.goto(site.address);
  await third.waitForFunction(async () => (await navigator.locks.query()).held.length === 0);
  await third.reload();
  await third.click(".visits button[aria-label='Forget torch.bin']");
  await third.waitForSelector(".visits", { state: "detached" });
  await third.reload();
  await third.waitForSelector(".start .card");
  assert.equal(await third.locator(".visits").count(), 0);
  await third.context().close();
});

test("what is larger than 64 MB is not kept, and is said to be so; no storage is no error", async () => {
  const page = await visit();
  await open(page, "torch.bin", bytesOf(PATH));
  await page.evaluate(() => Object.defineProperty(Blob.prototype, "size", { get: () => 65 * 1024 * 1024 }));
  await open(page, "large.bin", bytesOf(PATH));
  await page.waitForSelector(".message:has-text('large.bin is larger than 64 MB: after a reload it has to be opened again.')");
  await reload(page);
  await page.waitForSelector(".banner:has-text('This link is for the file large.bin')");
  const none = await visit();
  await none.addInitScript(() => {
    for (const name of ["indexedDB", "sessionStorage"]) Object.defineProperty(globalThis, name, { get: () => { throw new DOMException("none", "SecurityError"); } });
  });
  await none.reload();
  await open(none, "torch.bin", bytesOf(PATH));
  await setFuel(none, "12.5");
  assert.equal(await none.locator(".message.is-bad").count(), 0);
  for (const each of [page, none]) await leave(each);
});
