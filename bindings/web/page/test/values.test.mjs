/** The page as it opens: values first, and what a user does with them. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Site, arrived, bytesOf, choose, downloaded, enter, fixture, leave, nativelySet, open, place, shot } from "./open.mjs";

let site;
before(async () => (site = await Site.start()));
after(() => site.stop());

const SAMPLES = ["torch", "place", "packets", "player", "stream", "farmbot", "save", "vehicle", "types"];
const visit = (hash, options = {}) => site.visit(hash, { bytes: false, ...options });
const there = async (page) => {
  await page.waitForSelector(".values .row.is-selected, #fields .field.is-selected", { state: "attached" });
  await arrived(page);
};
/** Chooses the value with this name in the table. */
async function pick(page, name) {
  await page.click(`.values .row:has(.name:text-is(${JSON.stringify(name)}))`);
  await page.waitForSelector(`.values .row.is-selected .name:text-is(${JSON.stringify(name)})`);
  await arrived(page);
}
const set = async (page, name, text) => {
  await pick(page, name);
  await page.fill("#editor .number input", text);
  await page.press("#editor .number input", "Enter");
};
async function paste(page, text) {
  await page.fill(".drop textarea", text);
  await page.click("button:text-is('Open the text')");
}
const noAttributes = Buffer.alloc(0);

test("values come first, in a table with aligned columns, and their layout is a switch", async () => {
  const page = await visit("#sample=torch");
  await there(page);
  assert.equal(await page.locator("#fields, .hex").count(), 0);
  const rows = await page.locator("#values .row").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.innerText.trim())));
  assert.deepEqual(rows.find(([name]) => name.endsWith("Fuel")), ["Fuel", "Double", "87.5"]);
  assert.equal(rows.length, 8);
  for (const column of ["row-name", "row-type", "row-value"]) {
    const lefts = await page.locator(`.values .${column}`).evaluateAll((all) => all.map((cell) => Math.round(cell.getBoundingClientRect().left)));
    assert.equal(new Set(lefts).size, 1, column);
  }
  await pick(page, "Sparks");
  await shot(page, "page-light");
  await page.click("button[role=switch]:has-text('Bytes')");
  await page.waitForSelector("#fields .field.is-selected");
  assert.equal(await page.locator(".hex").count(), 1);
  const dark = await site.visit("#sample=player", { colorScheme: "dark" });
  await choose(dark, "tint");
  await shot(dark, "page-dark");
  await leave(dark);
  await page.keyboard.press("Control+b");
  await page.waitForSelector("#values .row.is-selected");
  // the choice stays
  await page.keyboard.press("Control+b");
  await page.waitForSelector("#fields");
  await page.reload();
  await page.waitForSelector("#fields .field.is-selected");
  await leave(page);
});

test("no sample shows how Rust writes a structure", async () => {
  for (const sample of SAMPLES) {
    for (const bytes of [false, true]) {
      const page = await site.visit(`#sample=${sample}`, { bytes, height: 3000 });
      await there(page);
      const texts = await page.locator(".field .value, .row-value").allInnerTexts();
      assert.deepEqual(texts.filter((text) => /^\w+ \{|^(Some|None|Ok)\b/.test(text)), [], sample);
      await leave(page);
    }
  }
});

test("nested values fold, and are changed", async () => {
  const page = await visit("#sample=player");
  await there(page);
  const names = () => page.locator("#values .name").allInnerTexts();
  assert.ok((await names()).includes("n"));
  await pick(page, "inv");
  await page.focus("#values");
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => document.querySelectorAll("#values .row").length === 13);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".row.is-selected .name:text-is('[0]')");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#editor .number input:focus");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("77");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".row.is-selected .row-value:text-is('77')");
  assert.deepEqual(await downloaded(page), nativelySet(fixture("godot-4/packet_typical.bin"), "-f", "godot-4", "inv[0]=77"));
  await leave(page);
  // the items of a table count from 1, as in Lua
  const lua = await visit("#sample=farmbot");
  await there(lua);
  await pick(lua, "[3]");
  await lua.waitForSelector("#editor .path code:text-is('harvest[3]')");
  await leave(lua);
});

test("a name that turns the direction of text does not reorder what is beside it", async () => {
  const page = await visit();
  await open(page, "a\u202eb.bin", bytesOf("roblox-attributes/readable.bin"));
  await there(page);
  const turned = await page.locator("body *:not(script, style)").evaluateAll((all) =>
    all
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.includes("\u202e")))
      .map((element) => [element.tagName, getComputedStyle(element).unicodeBidi, element.childNodes.length]),
  );
  assert(turned.length > 0);
  // alone in its element, whose direction ends with it
  for (const [tag, bidi, count] of turned) assert.deepEqual([bidi, count], ["isolate", 1], tag);
  await leave(page);
  // names and texts inside the file show the character itself
  const inside = await visit();
  await paste(inside, '{["Fu\u202eel"] = 1, Name = "a\u202eb"}');
  await there(inside);
  assert.deepEqual(await inside.locator(".values .name").allInnerTexts(), ["Fu\\u{202e}el", "Name"]);
  await leave(inside);
});

test("a name is not cut while there is room", async () => {
  const page = await visit("#sample=place");
  await there(page);
  const cut = await page.locator("#values .name").evaluateAll((all) => all.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.innerText));
  assert.deepEqual(cut, []);
  await leave(page);
});

test("a wide screen shows values, layout and bytes; a tablet two panes; the panes can be resized", async () => {
  const wide = await visit("#sample=place", { width: 3840, height: 2000 });
  await there(wide);
  for (const part of ["#rows", "#values", "#fields", "#bytes", "#editor"]) assert.ok(await wide.isVisible(part), part);
  const tablet = await visit("#sample=torch", { width: 820, height: 1000 });
  await there(tablet);
  for (const part of ["#values", "#editor"]) assert.ok(await tablet.isVisible(part), part);
  const width = () => tablet.locator("#editor").evaluate((pane) => pane.getBoundingClientRect().width);
  const before = await width();
  await tablet.focus("[role=separator]");
  await tablet.keyboard.press("ArrowLeft");
  await tablet.keyboard.press("ArrowLeft");
  assert.ok((await width()) > before + 20);
  for (const page of [wide, tablet]) await leave(page);
});

test("a comparison shows instances of one side, leads to a difference, and takes one side", async () => {
  const page = await visit();
  await open(page, "a.rbxm", place(3, noAttributes));
  const compare = (name, content) => page.setInputFiles("#other-picker", { name, mimeType: "", buffer: content });
  const labels = () => page.locator(".difference").evaluateAll((all) => all.map((row) => row.getAttribute("aria-label")));
  await compare("b.rbxm", place(2, noAttributes));
  await page.waitForSelector(".difference");
  assert.deepEqual((await labels()).filter((label) => !label.includes("Serialize")), ["removed: Part2 : Part "]);
  await page.waitForSelector(".detail:has-text('Instances are not added or removed here: do that in Roblox Studio.')");
  await shot(page, "compare-instances");
  await page.click("button:text-is('Go to it')");
  await page.waitForSelector("#rows .entry.is-selected .name:text-is('Part2')");

  const torch = bytesOf("roblox-attributes/readable.bin");
  await open(page, "old.bin", torch);
  await compare("new.bin", nativelySet(fixture("roblox-attributes/readable.bin"), "Fuel=1", "--remove", "Lit"));
  await page.waitForSelector(".difference");
  await page.click(".difference[aria-label*='Fuel']");
  await page.click("button:text-is('Take the value of new.bin')");
  await page.waitForFunction(() => document.querySelectorAll(".difference").length === 1);
  await page.click("button:text-is('Take the value of new.bin')");
  await page.waitForSelector(".compare h2:text-is('No differences')");
  assert.deepEqual(await downloaded(page), nativelySet(fixture("roblox-attributes/readable.bin"), "Fuel=1", "--remove", "Lit"));
  await leave(page);
});

test("the file is compared with itself as it was opened, and a change is taken back", async () => {
  const page = await visit("#sample=torch");
  await there(page);
  await set(page, "Fuel", "1");
  await page.waitForSelector(".chip.is-changed");
  await set(page, "Brightness", "2");
  await page.waitForFunction(() => document.querySelector("button[aria-label='Undo']")?.title.includes("Brightness"));
  await page.click(".chip.is-changed");
  await page.waitForSelector(".difference[aria-label='changed:  Fuel: 87.5 1']");
  assert.equal(await page.locator(".difference").count(), 2);
  await page.click(".difference[aria-label*='Fuel']");
  await page.click("button:text-is('Take back this change')");
  await page.waitForFunction(() => document.querySelectorAll(".difference").length === 1);
  await page.focus("#differences");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#editor .path code:text-is('Brightness')");
  await leave(page);
});

test("what the library knows as something else is not opened as attributes", async () => {
  const page = await visit();
  for (const [name, begin] of [["a.zip", "PK\x03\x04\x14\0\0\0\x08\0"], ["a.elf", "\x7fELF\x02\x01\x01\0"], ["a.bin", "\xde\xad\xbe\xef\0\x01\x02\x03"]]) {
    await page.setInputFiles("#picker", { name, mimeType: "", buffer: Buffer.from(begin, "latin1") });
    await page.waitForSelector(`.choice:has-text(${JSON.stringify(name)})`);
    assert.equal(await page.locator(".workspace").count(), 0, name);
  }
  await open(page, "all.res", bytesOf("godot-resource/all-types.bin"));
  assert.equal(await page.locator(".kind option:checked").innerText(), "Godot resource");
  assert.equal(await page.locator(".banner.is-bad").count(), 0);
  await open(page, "main.scn", bytesOf("godot-files/v4/scn/main.scn"));
  assert.equal(await page.locator(".kind option:checked").innerText(), "Godot scene: its nodes");
  assert.match(await page.locator("#instances, .list").first().innerText(), /Editable\/Sprite/);
  await page.setInputFiles("#picker", { name: "game.pck", mimeType: "", buffer: bytesOf("godot-files/v4/export/text.pck") });
  await page.click(".entry:has(.name:text-is('project.binary'))");
  await page.click("button:text-is('Open this file')");
  await page.waitForSelector(".entry .name:text-is('application/config/name')");
  assert.equal(await page.locator(".kind option:checked").innerText(), "Godot 4 project settings");
  await page.goBack();
  await page.waitForSelector(".entry .name:text-is('project.binary')");
  assert.equal(await page.locator(".banner.is-bad").count(), 0);
  await leave(page);
});

test("back and forward move between views, and the title has the name of the file", async () => {
  const page = await visit();
  assert.equal(await page.title(), "enginewire");
  await page.click("[data-sample=torch]");
  await there(page);
  assert.equal(await page.title(), "readable.bin – enginewire");
  await pick(page, "Lit");
  await page.click("button[aria-label='How it works']");
  await page.waitForSelector(".how");
  await page.goBack();
  await page.waitForSelector(".how", { state: "detached" });
  await page.goForward();
  await page.waitForSelector(".how");
  await page.goBack();
  await page.waitForSelector(".how", { state: "detached" });
  await page.goBack();
  await page.waitForSelector(".cards");
  assert.equal(await page.title(), "enginewire");
  await page.goForward();
  await there(page);
  assert.equal(await page.title(), "readable.bin – enginewire");
  // a file of the user comes back, too
  await open(page, "mine.bin", bytesOf("godot-4/packet_typical.bin"));
  await page.goBack();
  await page.waitForSelector(".file b:text-is('readable.bin')");
  await page.goForward();
  await page.waitForSelector(".file b:text-is('mine.bin')");
  // changes are asked for
  await there(page);
  await set(page, "hp", "3");
  await page.waitForSelector(".chip.is-changed");
  page.once("dialog", (dialog) => void dialog.dismiss());
  await page.goBack();
  await page.waitForTimeout(300);
  assert.equal(await page.innerText(".file b"), "mine.bin");
  await page.waitForSelector(".chip.is-changed");
  await leave(page);
});

test("names are validated as by the program", async () => {
  const page = await visit();
  await open(page, "a.rbxm", place(1, bytesOf("roblox-attributes/readable.bin")));
  await pick(page, "Fuel");
  const rename = async (name) => {
    await page.fill("label:has-text('new key') input", name);
    await page.click("button:text-is('Rename')");
  };
  await page.click("summary:text-is('Rename')");
  for (const [name, reason] of [["RBX_a", "begins with RBX, which is reserved for Roblox"], ["a b", "has a byte that names may not have"], ["a".repeat(101), "is longer than 100 bytes"]]) {
    await rename(name);
    await page.waitForSelector(`#editor .banner:has-text(${JSON.stringify(reason)})`);
  }
  await rename("Fuel.2");
  await page.waitForSelector(".row .name:text-is('Fuel.2')");
  await leave(page);
});

test("a search that finds nothing says so; Enter goes from hit to hit; arrows move", async () => {
  const page = await visit();
  await open(page, "a.rbxm", place(30, bytesOf("roblox-attributes/readable.bin")));
  await page.keyboard.press("Control+k");
  await page.waitForSelector(".search input:focus");
  await page.keyboard.type("zzz");
  await page.waitForSelector(".pane-foot:has-text('Nothing matches zzz.')");
  await page.click("button:text-is('Show all')");
  await page.waitForSelector(".pane-foot:has-text('30 instances')");
  await page.fill(".search input", "Part2");
  await page.waitForSelector(".pane-foot:has-text('11 of 30')");
  const chosen = (name) => page.waitForSelector(`#rows .entry.is-selected .name:text-is('${name}')`);
  await page.focus(".search input");
  await page.keyboard.press("Enter");
  await chosen("Part2");
  await page.keyboard.press("Enter");
  await chosen("Part20");
  await page.keyboard.press("Shift+Enter");
  await chosen("Part2");
  await page.keyboard.press("ArrowDown");
  await chosen("Part20");

  // a list without instances
  await open(page, "a.frames", bytesOf("godot-4/tcp_v4.frames"));
  await page.fill(".search input", "nothing has this");
  await page.waitForSelector(".pane-foot:has-text('Nothing matches')");
  await page.fill(".search input", "");
  await page.waitForSelector(".pane-foot:not(:has-text('Nothing'))");
  await page.focus(".search input");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#rows .entry.is-selected[data-place='1']");
  await leave(page);
});

test("keys open a file, show the keys, and say what they undo", async () => {
  const page = await visit("#sample=torch");
  await there(page);
  await page.focus("#values");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog.keys:has-text('Ctrl+O')");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog.keys", { state: "detached" });
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Control+o")]);
  assert.ok(chooser.isMultiple());
  await set(page, "Fuel", "1");
  await page.waitForSelector(".chip.is-changed");
  await page.keyboard.press("Control+z");
  await page.waitForSelector(".message:has-text('Undone: set Fuel.')");
  await page.keyboard.press("Control+y");
  await page.waitForSelector(".message:has-text('Done again: set Fuel.')");
  await leave(page);
});

/** Waits until the browser has said that all others have ended. */
async function workers(page, count) {
  for (let tries = 0; page.workers().length > count && tries < 500; tries++) await page.waitForTimeout(20);
  assert.equal(page.workers().length, count);
}

test("a worker ends with its file", async () => {
  const page = await visit();
  await page.evaluate(() => {
    globalThis.ended = 0;
    const end = Worker.prototype.terminate;
    Worker.prototype.terminate = function () {
      globalThis.ended++;
      return end.call(this);
    };
  });
  for (const [at, name] of ["a.rbxm", "b.rbxm", "c.rbxm"].entries()) {
    await open(page, name, place(20000, bytesOf("roblox-attributes/readable.bin")));
    await there(page);
    assert.equal(await page.evaluate(() => globalThis.ended), at);
    await workers(page, 1);
  }
  // one that cannot be opened leaves the open file as it is
  await page.setInputFiles("#picker", { name: "d.zip", mimeType: "", buffer: Buffer.from("PK\x03\x04\x14\0\0\0", "latin1") });
  await page.waitForSelector(".message.is-bad");
  await workers(page, 1);
  await enter(page, "Part7");
  await page.click("button[aria-label='Close the message']");
  const ended = await page.evaluate(() => globalThis.ended);
  await page.click(".brand");
  await page.waitForSelector(".cards");
  // the example of the start page has a new one
  assert.equal(await page.evaluate(() => globalThis.ended), ended + 1);
  await workers(page, 1);
  await leave(page);
});

test("a file that is cut shows what is there", async () => {
  const page = await visit();
  const torch = bytesOf("roblox-attributes/readable.bin");
  await open(page, "cut.bin", torch.subarray(0, 150));
  // a broken value shows its bytes until they are switched off
  await page.waitForSelector("#fields .field.is-broken");
  await page.click("button[role=switch]:has-text('Bytes')");
  await page.waitForSelector("#values");
  const names = await page.locator("#values .row").evaluateAll((all) => all.map((row) => row.innerText.replace(/\s+/g, " ").trim()));
  assert.ok(names.includes("Fuel Double 87.5") && names.includes("Lit Bool true"), names.join());
  await page.waitForSelector(".values .pane-foot.bad:has-text('The rest cannot be read')");
  await page.click(".row:has-text('Fuel')");
  await page.waitForSelector("#editor :text('it can be changed once it is repaired')");
  const model = bytesOf("roblox-model/made.rbxm");
  await open(page, "cut.rbxm", model.subarray(0, model.length - 60));
  assert.ok((await page.locator("#rows .entry").count()) > 1);
  await leave(page);
});

test("lists of bytes and dumps are pasted", async () => {
  const bytes = [...bytesOf("roblox-attributes/readable.bin")];
  const hex = (part) => part.map((byte) => byte.toString(16).padStart(2, "0"));
  const lines = (line) => Array.from({ length: Math.ceil(bytes.length / 16) }, (_, at) => line(at * 16, hex(bytes.slice(at * 16, at * 16 + 16)))).join("\n");
  const ascii = (at) => bytes.slice(at, at + 16).map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
  const at = (start) => start.toString(16).padStart(8, "0");
  const texts = {
    list: `[${bytes.join(", ")}]`,
    bare: bytes.join(","),
    godot: `PackedByteArray(${bytes.join(", ")})`,
    xxd: lines((start, all) => `${at(start)}: ${all.join("").replace(/.{4}/g, "$& ").padEnd(40)} ${ascii(start)}`),
    hexdump: `${lines((start, all) => `${at(start)}  ${`${all.slice(0, 8).join(" ")}  ${all.slice(8).join(" ")}`.padEnd(49)} |${ascii(start)}|`)}\n${at(bytes.length)}\n`,
  };
  const page = await visit();
  for (const [name, text] of Object.entries(texts)) {
    await paste(page, text);
    await page.waitForSelector(".row .name:text-is('Fuel')");
    assert.deepEqual([...(await downloaded(page))], bytes, name);
    await page.click(".brand");
  }
  await leave(page);
});

test("a value is pasted as the text of a script, and what is none says so", async () => {
  const page = await visit();
  for (const [text, kind, notation, bytes] of [
    ["Vector2(1, 2)", "godot-4", "GDScript", "050000000000803f00000040"],
    ['{ "c": Color("red") }', "godot-4", "GDScript", "1b000000010000000400000001000000630000001400000000 00803f00000000000000000000803f"],
    ["{n = 5}", "roblox-attributes", "Luau", "01000000010000006e060000000000001440"],
  ]) {
    await paste(page, text);
    await page.waitForSelector(".row.is-selected");
    assert.equal(await page.inputValue(".kind select"), `text ${kind}`);
    assert.ok((await page.innerText(".reason")).startsWith(`Possible: the text is a value in ${notation}.`), await page.innerText(".reason"));
    assert.equal((await downloaded(page)).toString("hex"), bytes.replaceAll(" ", ""), text);
    await page.click(".brand");
  }
  await paste(page, "Vector2(1,");
  await page.waitForSelector(".message:has-text('As GDScript, the text has a mistake: expected a number, found the end, at offset 10')");
  await paste(page, "<=>, (!)");
  await page.waitForSelector(".message:has-text('The text is neither a value of an engine nor hex, base64, a list of bytes or a dump.')");
  await paste(page, "Vector2(1,");
  await page.waitForSelector(".message:has-text('As GDScript')");
  await page.selectOption(".choice select", "godot-4");
  await page.waitForSelector(".message:has-text('expected a number, found the end, at offset 10')");
  await paste(page, " ");
  await page.waitForSelector(".message:has-text('The text is empty: paste one first.')");
  await leave(page);
});

test("a text of a script is read as it is assigned, and its mistake has an offset", async () => {
  const page = await visit();
  for (const [text, shown] of [
    ["local speeds = {Speed = 16}", "Speed Double 16"],
    ["var at := Vector2(1, 2)", "value Vector2 Vector2(1, 2)"],
    ["Color3.new(1, 0, 0)", "Value Color3 Color3.new(1, 0, 0)"],
    ["[1, [2]]", "[0] int 1"],
  ]) {
    await paste(page, text);
    await page.waitForSelector(".row.is-selected");
    assert.equal((await page.innerText(".row.is-selected")).replace(/\s+/g, " ").trim(), shown);
    await page.click(".brand");
  }
  await paste(page, '{ "pos": Vector2(1, 2 }');
  await page.waitForSelector(".message:has-text('As GDScript, the text has a mistake: expected `)`, found }, at offset 22')");
  await leave(page);
});

test("a damaged file says so before it is changed", async () => {
  const page = await visit();
  const model = bytesOf("roblox-model/attributes.rbxm");
  await open(page, "cut.rbxm", model.subarray(0, model.length - 60));
  await page.waitForSelector(".message:has-text('The file is damaged: input ends too early')");
  const project = bytesOf("godot-3/project_v3.binary");
  await open(page, "cut.binary", project.subarray(0, project.length - 7));
  await page.waitForSelector(".message:has-text('to save a change, the file has to be whole')");
  await leave(page);
});

test("a search among the instances with attributes can go on among all", async () => {
  const page = await visit();
  await open(page, "baseplate.rbxl", bytesOf("roblox-model/baseplate-566.rbxl"));
  await page.fill("[aria-label='Search the instances']", "Bloom");
  await page.click("button:text-is('Search all instances')");
  await page.waitForSelector(".entry .name:text-is('Bloom')");
  await leave(page);
});

test("Enter adds a value, and leads from the list to the values", async () => {
  const page = await visit("#sample=torch");
  await there(page);
  await page.click("button[aria-label='Add']");
  await page.waitForFunction(() => document.activeElement?.closest(".structure form") !== null);
  await page.keyboard.type("Owner");
  await page.keyboard.press("Tab");
  await page.keyboard.type('"Ada"');
  await page.keyboard.press("Enter");
  await page.waitForSelector(".row .name:text-is('Owner')");
  await page.click("button[aria-label='Undo']");
  await page.waitForSelector(".chip.is-changed", { state: "detached" });
  await open(page, "attributes.rbxm", bytesOf("roblox-model/attributes.rbxm"));
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "values");
  await leave(page);
});

test("after a file is opened, the keyboard goes on in its list or its values", async () => {
  const page = await visit();
  const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.closest("[id]")?.id);
  await open(page, "torch.bin", bytesOf("roblox-attributes/readable.bin"));
  assert.equal(await focused(), "values");
  await page.keyboard.press("End");
  await page.waitForSelector("#values .row:last-of-type.is-selected");
  await open(page, "made.rbxm", bytesOf("roblox-model/made.rbxm"));
  assert.equal(await focused(), "rows");
  // a file that is one value has no list
  await open(page, "one.bin", Buffer.from("0200000007000000", "hex"));
  await page.waitForFunction(() => document.activeElement?.closest("#editor") !== null);
  await leave(page);
});

test("numbers are searched, too", async () => {
  const page = await visit("#sample=place");
  await there(page);
  await page.fill("[aria-label='Search the instances']", "12345");
  await page.waitForSelector(".pane-foot:has-text('1 of ')");
  await page.fill("[aria-label='Search the instances']", "12346");
  await page.waitForSelector(".pane-foot:has-text('Nothing matches 12346')");
  await leave(page);
});

test("a colour of 255 is said to be more than all of it, and becomes one of 1", async () => {
  const page = await visit("#sample=torch");
  await there(page);
  await pick(page, "Color");
  await page.fill("#editor .notation textarea", "Color3.new(255, 128, 0)");
  await page.press("#editor .notation textarea", "Control+Enter");
  await page.click("#editor button:text-is('Divide by 255')");
  await page.waitForSelector(".row.is-selected .row-value:text-is('Color3.new(1, 0.502, 0)')");
  assert.equal(await page.locator("button:text-is('Divide by 255')").count(), 0);
  await leave(page);
});

test("on a phone, a tap on a value shows it", async () => {
  const page = await visit("#sample=torch", { width: 390 });
  await there(page);
  await page.click(".values .row:has(.name:text-is('Fuel'))");
  await page.waitForSelector("#editor .number input:visible");
  // and back leads to the values
  await page.goBack();
  await page.waitForSelector("#values:visible");
  assert.equal(await page.isVisible("#editor"), false);
  await page.goForward();
  await page.waitForSelector("#editor .number input:visible");
  await page.reload();
  await page.waitForSelector("#editor .number input:visible");
  await page.goBack();
  await page.waitForSelector("#values:visible");
  await page.click("button[aria-label='More']");
  await page.click("button[aria-label='How it works']");
  await page.waitForSelector(".how:visible");
  await page.goBack();
  await page.waitForSelector("#values:visible");
  assert.equal(await page.isVisible(".how"), false);
  await leave(page);
});

test("changed values, and those around them, are marked until they are undone", async () => {
  const page = await visit("#sample=player");
  await there(page);
  const marked = () => page.locator(".values .row:has(.dot) .name").allInnerTexts();
  await set(page, "hp", "3");
  await page.waitForSelector(".row:has(.dot) .name:text-is('hp')");
  assert.deepEqual(await marked(), ["hp"]);
  await pick(page, "n");
  await page.fill("#editor .notation textarea", '"elixir"');
  await page.press("#editor .notation textarea", "Control+Enter");
  await page.waitForSelector(".row:has(.dot) .name:text-is('n')");
  assert.deepEqual(await marked(), ["hp", "inv", "[4]", "n"]);
  await page.reload();
  await page.waitForSelector(".row:has(.dot) .name:text-is('n')");
  assert.deepEqual(await marked(), ["hp", "inv", "[4]", "n"]);
  await page.click("button[aria-label='Undo']");
  await page.waitForSelector(".row:has(.dot) .name:text-is('n')", { state: "detached" });
  assert.deepEqual(await marked(), ["hp"]);
  const large = await visit();
  for (const [length, count] of [[1000, 1], [1 << 18, 0]]) {
    await paste(large, `{ "name": "${"a".repeat(length)}", "hp": 1.5 }`);
    await large.waitForSelector(".row.is-selected");
    await set(large, "hp", "3");
    await large.waitForSelector(".row.is-selected .row-value:text-is('3.0')");
    assert.equal(await large.locator(".values .dot").count(), count);
    large.once("dialog", (dialog) => void dialog.accept());
    await large.click(".brand");
  }
  for (const each of [page, large]) await leave(each);
});

test("a search leads to the first value that it finds, and marks it", async () => {
  const page = await visit("#sample=place");
  await there(page);
  await page.fill("[aria-label='Search the instances']", "WORLD");
  await page.waitForSelector(".pane-foot:has-text('1 of ')");
  await page.press("[aria-label='Search the instances']", "Enter");
  await page.waitForSelector(".values .row.is-selected mark");
  await leave(page);
});

test("what GDScript writes is accepted", async () => {
  const page = await visit("#sample=player");
  await there(page);
  for (const [name, text, shown] of [["hp", "-INF", "inf_neg"], ["hp", "inf", "inf"], ["vel", "Vector2.UP", "Vector2(0, -1)"], ["inv", "[Color.RED]", "1 value"], ["inv", "[]", "empty"]]) {
    await pick(page, name);
    await page.fill("#editor .notation textarea", text);
    await page.press("#editor .notation textarea", "Control+Enter");
    await page.waitForSelector(`.row.is-selected .row-value:has-text(${JSON.stringify(shown)})`);
  }
  await leave(page);
});

test("icons have labels where there is room, and Download is primary only with changes", async () => {
  const page = await visit("#sample=torch", { width: 1920 });
  await there(page);
  for (const label of ["Undo", "Redo", "Link", "Compare", "How it works", "Keys", "Open", "Download"]) assert.ok(await page.isVisible(`header button:has-text('${label}')`), label);
  assert.equal(await page.locator("header button.primary").count(), 0);
  await set(page, "Fuel", "1,5");
  await page.waitForSelector("header button.primary[aria-label='Download']");
  await page.waitForSelector(".row.is-selected .row-value:text-is('1.5')");
  for (const [text, reason] of [["1,500", "1,500 may be 1500 or 1.500: write it without the comma."], ["many", "many is not a number."]]) {
    await page.fill("#editor .number input", text);
    await page.press("#editor .number input", "Enter");
    await page.waitForSelector(`#editor .banner:has-text(${JSON.stringify(reason)})`);
    await page.press("#editor .number input", "Escape");
  }
  await leave(page);
});

test("instances without attributes are a click away", async () => {
  const page = await visit();
  await open(page, "baseplate.rbxl", bytesOf("roblox-model/baseplate-566.rbxl"));
  assert.equal(await page.innerText(".pane-foot p"), "59 other instances have no attributes: show them");
  await page.click("button:text-is('show them')");
  await page.waitForSelector(".pane-foot:text-matches('^60 instances$')");
  assert.equal(await page.locator(".pane-foot p").count(), 0);
  await leave(page);
});

test("files and reasons have words", async () => {
  const page = await visit("#sample=stream");
  await there(page);
  assert.equal(await page.locator(".kind option:checked").innerText(), "Godot stream");
  for (const text of await page.locator(".kind option").allInnerTexts()) assert.doesNotMatch(text, /frames-|values:|godot-project|packet-lines/);
  const model = await visit();
  await open(model, "a.rbxm", place(1, noAttributes));
  assert.equal(await model.innerText(".reason"), "Recognised by its first bytes.");
  for (const each of [page, model]) await leave(each);
});
