/** Opens the page in Debian's Chromium. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, "../../../..");
const built = join(here, "../dist/index.html");
const shots = join(here, "../../dist-page-shots");

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const fixture = (path) => join(root, "fixtures", path);
export const bytesOf = (path) => readFileSync(fixture(path));

/** Runs the native program, to compare the page with its output. */
export function program(...args) {
  const path = process.env["ENGINEWIRE_PROGRAM"] ?? ["release", "debug"].map((profile) => join(root, "target", profile, "enginewire")).find((path) => existsSync(path));
  assert.ok(path !== undefined, "set ENGINEWIRE_PROGRAM, or build it: cargo build");
  return execFileSync(path, args, { maxBuffer: 1 << 28 });
}

/** The output of `enginewire set` for a file. */
export function nativelySet(path, ...args) {
  const out = join(tmpdir(), `enginewire-page-${process.pid}.bin`);
  program("set", path, ...args, "-o", out, "--quiet");
  return readFileSync(out);
}

/** Serves the page, and notes what is asked for. */
export async function serve() {
  const page = readFileSync(built);
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, requests, address: `http://127.0.0.1:${server.address().port}/` };
}

export class Site {
  static async start() {
    const site = new Site();
    site.browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: FLAGS });
    return Object.assign(site, await serve());
  }

  async stop() {
    await this.browser.close();
    this.server.close();
  }

  /** A new page, with the layout of the bytes, unless `bytes` is false. What goes wrong in it fails the test that closes it. */
  async visit(hash = "", { width = 1280, height = 800, colorScheme = "light", address = this.address, bytes = true } = {}) {
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme, acceptDownloads: true, permissions: address.startsWith("http") ? ["clipboard-read", "clipboard-write"] : [] });
    const page = await context.newPage();
    if (bytes) await page.addInitScript(() => localStorage.getItem("enginewire-bytes") ?? localStorage.setItem("enginewire-bytes", "true"));
    page.setDefaultTimeout(30_000);
    page.wrong = [];
    page.asked = [];
    page.on("pageerror", (error) => page.wrong.push(error.message));
    page.on("console", (message) => message.type() === "error" && page.wrong.push(message.text()));
    page.on("request", (request) => page.asked.push(request.url()));
    await page.goto(address + hash);
    return page;
  }
}

export async function leave(page) {
  const { wrong } = page;
  await page.context().close();
  assert.deepEqual(wrong, []);
}

/** Opens a file by the file picker, and waits until it is there. */
export async function open(page, name, content) {
  await page.setInputFiles("#picker", { name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
  await page.waitForSelector(`.file b:text-is(${JSON.stringify(name)})`);
  await page.waitForSelector(":is(#fields .field, .values .row).is-selected, .values .empty:not(:empty)");
}

/** The bytes that the page gives back. */
export async function downloaded(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("header button[aria-label='Download']")]);
  return readFileSync(await download.path());
}

/** Waits until the value that was chosen is there and can be changed. */
export async function arrived(page) {
  await page.waitForSelector("#editor fieldset.whole:not(:disabled)", { state: "attached" });
}

/** Clicks on the first entry of the list with this name, and waits until its value is there. */
export async function enter(page, name) {
  const wanted = `.name:text-is(${JSON.stringify(name)})`;
  await page.click(`#rows .entry:has(${wanted}) >> nth=0`);
  await page.waitForSelector(`#rows .entry.is-selected ${wanted}`);
  await arrived(page);
}

/** Holds back what the page asks its worker, from the first request of this name on. Gives what lets it go on. */
export async function hold(page, name) {
  await page.evaluate((name) => {
    const post = Worker.prototype.postMessage;
    const held = [];
    Worker.prototype.postMessage = function (request, transfer) {
      if (held.length === 0 && request.name !== name) return post.call(this, request, transfer);
      held.push(() => post.call(this, request, transfer));
    };
    globalThis.letGo = () => {
      Worker.prototype.postMessage = post;
      for (const each of held) each();
      return held.length;
    };
  }, name);
  return async () => assert.ok((await page.evaluate(() => globalThis.letGo())) > 0, `${name} was not asked`);
}

/** Selects the value with this name in the tree of fields. */
export async function choose(page, name) {
  await page.waitForSelector("#fields");
  // the fields of a value that is still on its way would take the place of those that have the focus
  await arrived(page);
  await page.focus("#fields");
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.querySelector(".field.is-selected")?.id === "node-0");
  await page.keyboard.type(name);
  await page.waitForSelector(`#editor .path code:text-is(${JSON.stringify(name)})`);
  await arrived(page);
}

export async function shot(page, name) {
  mkdirSync(shots, { recursive: true });
  writeFileSync(join(shots, `${name}.png`), await page.screenshot());
}

/** A binary place with `count` instances. Each has these attributes; `nameAt` names them. */
export function place(count, attributes, nameAt = (at) => `Part${at}`) {
  const number = (value) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const string = (bytes) => Buffer.concat([number(bytes.length), Buffer.from(bytes)]);
  // not packed: its length of packed bytes is 0
  const chunk = (name, ...parts) => {
    const data = Buffer.concat(parts.flat());
    return Buffer.concat([Buffer.from(name), number(0), number(data.length), number(0), data]);
  };
  // numbers are stored as differences, and by the first byte of each, the second of each and so on
  const referents = (first, step) => {
    const planes = Buffer.alloc(4 * count);
    planes.fill(step, 3 * count);
    planes[3 * count] = first;
    return planes;
  };
  const ids = referents(0, 2);
  const names = Array.from({ length: count }, (_, at) => string(nameAt(at)));
  const each = string(attributes);
  return Buffer.concat([
    Buffer.from("<roblox!\x89\xff\r\n\x1a\n\0\0", "latin1"), number(1), number(count), Buffer.alloc(8),
    chunk("INST", number(0), string("Part"), Buffer.from([0]), number(count), ids),
    chunk("PROP", number(0), string("AttributesSerialize"), Buffer.from([1]), Array(count).fill(each)),
    chunk("PROP", number(0), string("Name"), Buffer.from([1]), names),
    chunk("PRNT", Buffer.from([0]), number(count), ids, referents(1, 0)),
    chunk("END\0", Buffer.from("</roblox>")),
  ]);
}
