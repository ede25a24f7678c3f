// Tests the package of `npm pack`, installed elsewhere: in Node, in a Vite project, and as a script of a page.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";

import { chromium } from "playwright-core";

import { inspectText, toText } from "enginewire";

import { ENTRIES, importedAs, moduleOf } from "../scripts/entries.mjs";
import { read, REPOSITORY, values } from "./corpus.mjs";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FIREFOX = process.env.FIREFOX ?? "/usr/bin/firefox-esr";
const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

const folder = mkdtempSync(join(tmpdir(), "enginewire-packed-"));
test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

function run(program, args, cwd = folder) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (error) throw error;
  assert.equal(status, 0, `${program} ${args.join(" ")}\n${stdout}\n${stderr}`);
  return stdout;
}

// in a folder of its own, without the network
const tarball = run("npm", ["pack", "--silent", "--pack-destination", folder], HERE).trim();
writeFileSync(join(folder, "package.json"), '{ "name": "fresh", "private": true, "type": "module" }');
run("npm", ["install", "--silent", "--offline", "--no-audit", "--no-fund", join(folder, tarball)]);

/** The test that runs in every host. */
const JOB = `
  function job(enginewire) {
    const bytes = new Uint8Array([5, 0, 0, 0, 0, 0, 192, 63, 0, 0, 16, 192]);
    const value = enginewire.decode(bytes, { format: "godot-4" });
    const again = enginewire.encode(value, { format: "godot-4" });
    let error = "";
    try {
      enginewire.decode(bytes.slice(0, 9), { format: "godot-4" });
    } catch (thrown) {
      error = thrown.name + ": " + thrown.message;
    }
    return JSON.stringify([value, [...again].join(), error]);
  }
`;
const DONE = JSON.stringify([
  { format: "godot-variant", version: 4, type: "Vector2", value: { x: 1.5, y: -2.25 } },
  "5,0,0,0,0,0,192,63,0,0,16,192",
  "DecodeError: input ends too early: 8 bytes needed, 5 left, at byte 0x4 in vector2",
]);

test("nothing but what is needed is packed", () => {
  const packed = run("tar", ["-tzf", join(folder, tarball)]).trim().split("\n");
  for (const needed of ["README.md", ...ENTRIES.map(moduleOf)]) assert(packed.includes(`package/${needed}`), needed);
  assert(packed.every((name) => /^package\/(dist\/|README\.md$|package\.json$)/.test(name)), packed.join(" "));
});

test("in Node, as a module", () => {
  writeFileSync(join(folder, "job.mjs"), `import * as enginewire from "enginewire";\n${JOB}\nconsole.log(job(enginewire));`);
  assert.equal(run(process.execPath, ["job.mjs"]).trim(), DONE);
});

test("in Node, by require", () => {
  writeFileSync(join(folder, "job.cjs"), `const enginewire = require("enginewire");\n${JOB}\nconsole.log(job(enginewire));`);
  assert.equal(run(process.execPath, ["job.cjs"]).trim(), DONE);
});

/** A value for each entry point that has some of the formats. */
const VALUES = {
  "roblox-attributes": ["roblox-attributes", "readable"],
  "roblox-models": ["roblox-attributes", "readable"],
  "roblox-remote": ["roblox-remote", "readable"],
  godot: ["godot-4", "packet_typical"],
  "godot-files": ["godot-4", "packet_typical"],
  "scrap-mechanic": ["scrap-mechanic-lua", "readable"],
};

for (const entry of ENTRIES.slice(1)) {
  test(`in Node, ${importedAs(entry)} as a module and by require`, () => {
    const [format, name] = VALUES[entry.name];
    const file = `${REPOSITORY}/fixtures/${format}/${name}.bin`;
    const options = JSON.stringify({ format });
    const job = `
      const bytes = new Uint8Array(readFileSync(${JSON.stringify(file)}));
      const again = enginewire.encode(enginewire.decode(bytes, ${options}), ${options});
      console.log(enginewire.toText(bytes, ${options}) + Buffer.from(again).equals(bytes));
    `;
    const imports = `import { readFileSync } from "node:fs";\nimport * as enginewire from "${importedAs(entry)}";`;
    const requires = `const { readFileSync } = require("node:fs");\nconst enginewire = require("${importedAs(entry)}");`;
    writeFileSync(join(folder, `${entry.name}.mjs`), imports + job);
    writeFileSync(join(folder, `${entry.name}.cjs`), requires + job);
    const expected = `${toText(read(file), { format })}true`;
    assert.equal(run(process.execPath, [`${entry.name}.mjs`]).trim(), expected);
    assert.equal(run(process.execPath, [`${entry.name}.cjs`]).trim(), expected);
  });
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json" };

/** Serves the files of a folder, and takes what pages report. */
async function serve(root, work) {
  let reported;
  const report = new Promise((resolve) => (reported = resolve));
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      let body = "";
      request.on("data", (piece) => (body += piece));
      request.on("end", () => {
        response.end();
        reported(body);
      });
      return;
    }
    const path = join(root, normalize(new URL(request.url, "http://localhost").pathname));
    const file = path.endsWith("/") ? join(path, "index.html") : path;
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await work(`http://127.0.0.1:${server.address().port}/`, report);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function inChromium(work) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    return await work(await browser.newPage());
  } finally {
    await browser.close();
  }
}

/** A page whose script imports the package as it is installed, without a bundler: all of it, and an entry point. */
function plainPage() {
  const root = join(folder, "plain");
  if (!existsSync(root)) {
    mkdirSync(root);
    symlinkSync(join(folder, "node_modules"), join(root, "node_modules"));
    const dist = "./node_modules/enginewire/dist";
    const map = JSON.stringify({ imports: { enginewire: `${dist}/browser.js`, "enginewire/godot": `${dist}/godot/browser.js` } });
    const script = `
      import * as enginewire from "enginewire";
      import * as godot from "enginewire/godot";
      await Promise.all([enginewire.ready, godot.ready]);
      ${JOB}
      window.enginewire = enginewire;
      await fetch("/", { method: "POST", body: job(enginewire) + job(godot) });`;
    writeFileSync(
      join(root, "index.html"),
      `<!doctype html><meta charset="utf-8"><title>enginewire</title><script type="importmap">${map}</script><script type="module">${script}</script>`,
    );
  }
  return root;
}

test("in Chromium, as a plain module script: the same as in Node for every file", { timeout: 300_000 }, async () => {
  assert(existsSync(CHROMIUM), `there is no ${CHROMIUM}`);
  await serve(plainPage(), (url, report) =>
    inChromium(async (page) => {
      await page.goto(url);
      assert.equal(await report, DONE + DONE);
      for (const { format, files } of values()) {
        // in batches, because the bytes are passed to the browser
        for (let at = 0; at < files.length; at += 50) {
          const some = files.slice(at, at + 50).map((file) => ({ file, base64: Buffer.from(read(file)).toString("base64") }));
          const theirs = await page.evaluate(
            ({ some, format }) =>
              some.map(({ file, base64 }) => {
                const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
                let text;
                try {
                  text = window.enginewire.toText(bytes, { format, name: file });
                } catch (error) {
                  text = error.report ?? String(error);
                }
                return [text, window.enginewire.inspectText(bytes, { format, name: file })];
              }),
            { some, format },
          );
          some.forEach(({ file }, number) => {
            let text;
            try {
              text = toText(read(file), { format, name: file });
            } catch (error) {
              text = error.report;
            }
            assert.deepEqual(theirs[number], [text, inspectText(read(file), { format, name: file })], file.replace(REPOSITORY, ""));
          });
        }
      }
    }),
  );
});

test("in Firefox, as a plain module script", { timeout: 120_000 }, async () => {
  assert(existsSync(FIREFOX), `there is no ${FIREFOX}`);
  await serve(plainPage(), async (url, report) => {
    const profile = join(folder, "firefox");
    mkdirSync(profile, { recursive: true });
    const firefox = spawn(FIREFOX, ["--headless", "--no-remote", "--profile", profile, url], {
      stdio: "ignore",
      env: { ...process.env, HOME: folder },
    });
    try {
      assert.equal(await report, DONE + DONE);
    } finally {
      const ended = new Promise((resolve) => firefox.once("exit", resolve));
      firefox.kill();
      await ended;
    }
  });
});

for (const entry of ENTRIES.filter(({ name }) => name === "enginewire" || name === "godot")) {
  test(`in a project of Vite, built, in Chromium: ${importedAs(entry)}`, { timeout: 300_000 }, async () => {
    const project = join(folder, `vite-${entry.name}`);
    mkdirSync(project);
    symlinkSync(join(folder, "node_modules"), join(project, "node_modules"));
    writeFileSync(join(project, "index.html"), '<!doctype html><title>enginewire</title><script type="module" src="/main.ts"></script>');
    writeFileSync(
      join(project, "main.ts"),
      `import * as enginewire from "${importedAs(entry)}";\n${JOB}\nawait fetch("/", { method: "POST", body: job(enginewire) });`,
    );
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    const vite = join(HERE, "node_modules/vite/bin/vite.js");
    run(process.execPath, [vite, "build", "--logLevel", "warn"], project);
    // no other module
    const modules = readdirSync(join(project, "dist"), { recursive: true }).filter((name) => name.endsWith(".wasm"));
    assert.equal(modules.length, 1, modules.join(" "));
    assert(readFileSync(join(project, "dist", modules[0])).equals(readFileSync(join(HERE, moduleOf(entry)))));
    await serve(join(project, "dist"), (url, report) =>
      inChromium(async (page) => {
        const failures = [];
        page.on("pageerror", (error) => failures.push(String(error)));
        await page.goto(url);
        assert.deepEqual(failures, []);
        assert.equal(await report, DONE);
      }),
    );
  });
}
