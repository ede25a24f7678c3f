// The package of the page, which serves it.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const script = join(root, "serve.mjs");

/** Starts the program, and gives the line that it prints. */
async function started(program, args) {
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(server.stdout.setEncoding("utf8"), "data");
  return { server, url: line.trim() };
}

test("the page is in the package, which serves it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "enginewire-"));
  try {
    const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root, encoding: "utf8" });
    const names = execFileSync("tar", ["-tzf", join(folder, packed.trim())], { encoding: "utf8" }).trim().split("\n").sort();
    assert.deepEqual(names, ["LICENSE-APACHE", "LICENSE-MIT", "index.html"].map((name) => `package/dist/${name}`).concat(["README.md", "package.json", "serve.mjs"].map((name) => `package/${name}`)).sort());
    const { version } = JSON.parse(readFileSync(join(root, "../package.json"), "utf8"));
    assert.equal(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version, version);
    execFileSync("npm", ["install", "--silent", "--no-audit", "--prefix", folder, join(folder, packed.trim())]);
    const { server, url } = await started(join(folder, "node_modules/.bin/enginewire-page"), ["0"]);
    assert.match(url, /^http:\/\/localhost:[1-9]\d*$/);
    assert.match(await (await fetch(url)).text(), /<title>/);
    assert.equal((await fetch(`${url}/package.json`)).status, 404);
    const busy = spawnSync(process.execPath, [script, new URL(url).port], { encoding: "utf8" });
    assert.equal(busy.status, 1);
    assert.match(busy.stderr, /^Port \d+ is in use\. Give another one, such as \d+\.\n$/);
    server.kill();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("every request gets an answer", async () => {
  const { server, url } = await started(process.execPath, [script, "0"]);
  const status = async (path, method = "GET") => {
    const asked = request({ host: "127.0.0.1", port: new URL(url).port, path, method }).end();
    const [answer] = await once(asked, "response");
    answer.resume();
    return answer.statusCode;
  };
  try {
    for (const path of ["//", "///", "//x", "http://", "http://[", "*", "/%", "/%ff", "/../x", "/\\", "//?x"]) assert.equal(await status(path), 404, path);
    assert.equal(await status("//", "DELETE"), 404);
    const known = await status("/");
    for (const path of ["/?x", "/index.html", "/index.html?a?b"]) assert.equal(await status(path), known, path);
  } finally {
    server.kill();
  }
});

test("other arguments than a port are refused", () => {
  for (const [args, status] of [[["abc"], 2], [["65536"], 2], [["-1"], 2], [["1", "2"], 2], [[""], 2], [["--help"], 0]]) {
    const run = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
    assert.equal(run.status, status, args.join(" "));
    assert.match(status === 0 ? run.stdout : run.stderr, /^Usage: enginewire-page \[PORT\]\n/);
  }
});
