// Values of many megabytes: their rows are made when they are seen.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { arrived, downloaded, leave, nativelySet, shot, Site } from "./open.mjs";

let site;
let folder;
before(async () => {
  site = await Site.start();
  folder = mkdtempSync(join(tmpdir(), "enginewire-"));
});
after(async () => {
  await site.stop();
  rmSync(folder, { recursive: true });
});

/** A Dictionary of Godot 4 of about this size, with a Dictionary for each player, and its number of players. */
function players(size) {
  const out = Buffer.alloc(size + 400);
  let [at, count] = [0, 0];
  const u32 = (number) => (at = out.writeUInt32LE(number, at));
  const text = (string) => {
    u32(4);
    u32(string.length);
    out.write(string, at);
    at += (string.length + 3) & ~3;
  };
  u32(27);
  u32(0);
  for (; at < size; count++) {
    text(`player${count}`);
    u32(27);
    u32(3);
    text("name");
    text(`Player ${count}`);
    text("hp");
    u32(2);
    u32(count);
    text("items");
    u32(28);
    u32(3);
    for (const number of [count, 2, 3]) {
      u32(2);
      u32(number);
    }
  }
  out.writeUInt32LE(count, 4);
  return [out.subarray(0, at), count];
}

/** Opens a value of this size, and gives its path and its number of players. */
async function visit(megabytes, look = {}) {
  const path = join(folder, `${megabytes}.bin`);
  const [bytes, count] = players(megabytes * 1_000_000);
  writeFileSync(path, bytes);
  const page = await site.visit("", { bytes: false, ...look });
  page.setDefaultTimeout(120_000);
  await page.setInputFiles("#picker", path);
  await page.waitForSelector("#values .row .name:text-is('player0'), #fields .field .key:text-is('player0')");
  return { page, path, count };
}

test("a value of 39 MB shows its first rows, scrolls, and is unfolded where it is looked at", async () => {
  const { page, count } = await visit(39);
  assert.equal(await page.textContent(".values .pane-head .quiet"), count.toLocaleString("en"));
  assert.equal(await page.$(".message.is-bad, .banner.is-bad"), null);
  assert.ok((await page.$$("#values .row")).length < 100);
  await page.focus("#values");
  await page.keyboard.press("End");
  await page.waitForSelector(`#values .row.is-selected .name:text-is('player${count - 1}')`);
  await page.keyboard.press("Home");
  await page.waitForSelector("#values .row.is-selected .name:text-is('player0')");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector("#values .row .name:text-is('hp')");
  const shown = await page.$$eval("#values .row", (rows) => rows.slice(0, 5).map((row) => row.innerText.replace(/\s+/g, " ").trim()));
  assert.deepEqual(shown, ["▸ player0 Dictionary 3 values", 'name String "Player 0"', "hp int 0", "▸ items Array 3 values", "▸ player1 Dictionary 3 values"]);
  await shot(page, "large-39");
  await leave(page);
});

test("in a large value, a value is found, unfolded, changed and saved as by the program; its other values stay unfolded", async () => {
  const { page, path } = await visit(5);
  await page.click("#values .row:has(.name:text-is('player1')) [data-twisty]");
  await page.waitForSelector("#values .row .name:text-is('hp')");
  await page.fill(".seek input", "player 9000");
  await page.waitForSelector(".seek [role=status]:text-is('1')");
  await page.focus(".seek input");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#editor .path code:text-is('player9000.name')");
  await arrived(page);
  await page.fill("#editor .control :is(input, textarea) >> nth=0", "Ada");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.press("Tab");
  await page.waitForSelector(".chip.is-changed");
  await page.waitForSelector("#values .row.is-selected:has-text('\"Ada\"')");
  assert.deepEqual(await downloaded(page), nativelySet(path, 'player9000.name="Ada"'));
  // what was unfolded before is so still
  await page.focus("#values");
  await page.keyboard.press("Home");
  await page.waitForSelector("#values .row .name:text-is('items')");
  await leave(page);
});

test("the layout of a large value is unfolded, too", async () => {
  const { page } = await visit(5, { bytes: true });
  await page.waitForSelector("#fields .field.is-entry");
  const name = "#fields .field .key:text-is('player0')";
  await page.click(`#fields .field:has(${name.slice("#fields .field ".length)}) [data-twisty]`);
  await page.waitForSelector("#fields .field.is-entry .key:text-is('items')");
  await leave(page);
});

test("a large value that is cut shows what comes before the error, and says so", async () => {
  const [bytes] = players(5_000_000);
  const page = await site.visit("", { bytes: false });
  page.setDefaultTimeout(120_000);
  await page.setInputFiles("#picker", { name: "cut.bin", mimeType: "application/octet-stream", buffer: bytes.subarray(0, 4_000_000) });
  await page.waitForSelector(".banner.is-bad h2:has-text('input ends too early')");
  await page.waitForSelector("#fields .field.is-broken");
  await leave(page);
});
