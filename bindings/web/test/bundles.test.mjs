// Bundles for Node, workers and scripts: those with the module inside run anywhere, and one without it ends with advice.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";

import { build } from "esbuild";
import { rollup } from "rollup";
import { build as vite } from "vite";
import webpack from "webpack";

import { ENTRIES, importedAs, moduleOf } from "../scripts/entries.mjs";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "enginewire-bundles-"));
mkdirSync(join(folder, "node_modules"));
symlinkSync(HERE, join(folder, "node_modules/enginewire"));
test.after(() => rmSync(folder, { recursive: true, force: true }));

const JOB = `console.log(decode(new Uint8Array([2, 0, 0, 0, 7, 0, 0, 0]), { format: "godot-4", form: "plain" }));`;
const plain = join(folder, "plain.mjs");
writeFileSync(plain, `import { decode } from "enginewire/godot";\n${JOB}`);
const inside = join(folder, "inside.mjs");
writeFileSync(inside, `import module from "enginewire/godot.wasm";\nimport { decode, start } from "enginewire/godot/start";\nstart(module);\n${JOB}`);

function node(file) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
  return { status, stdout: stdout.trim(), stderr };
}

const FORMS = { cjs: "cjs", esm: "mjs", iife: "js" };
writeFileSync(join(folder, "package.json"), "{}");

for (const [format, extension] of Object.entries(FORMS)) {
  test(`esbuild, ${format}: the module is inside`, async () => {
    const outfile = join(folder, `inside-${format}.${extension}`);
    await build({ entryPoints: [inside], bundle: true, platform: "node", target: "node20", format, outfile, loader: { ".wasm": "binary" } });
    assert.deepEqual(node(outfile), { status: 0, stdout: "7", stderr: "" });
  });

  test(`esbuild, ${format}: without the module, it says what to do`, async () => {
    const outfile = join(folder, `plain-${format}.${extension}`);
    await build({ entryPoints: [plain], bundle: true, platform: "node", format, outfile, logLevel: "silent" });
    const { status, stderr } = node(outfile);
    assert.equal(status, 1);
    const ways = 'leave "enginewire/godot" out of the bundle, copy godot.wasm beside it, or import "enginewire/godot/start" and give its `start` the module';
    assert(stderr.includes(`Error: godot.wasm of the package enginewire is not beside this file: ${ways}`), stderr);
  });
}

test("esbuild, esm: the module lies beside the bundle", async () => {
  const outfile = join(folder, "beside/bundle.mjs");
  await build({ entryPoints: [plain], bundle: true, platform: "node", format: "esm", outfile });
  copyFileSync(join(HERE, moduleOf(ENTRIES.find(({ name }) => name === "godot"))), join(folder, "beside/godot.wasm"));
  assert.deepEqual(node(outfile), { status: 0, stdout: "7", stderr: "" });
});

test("a module that cannot be read has the error of the system, without the advice", async () => {
  const outfile = join(folder, "unreadable/bundle.mjs");
  await build({ entryPoints: [plain], bundle: true, platform: "node", format: "esm", outfile });
  mkdirSync(join(folder, "unreadable/godot.wasm"));
  const { status, stderr } = node(outfile);
  assert.equal(status, 1);
  assert.match(stderr, /^Error: EISDIR/m);
  assert(!stderr.includes("is not beside this file:"), stderr);
});

/** A plug-in of Rollup and Vite that makes bytes of a `.wasm`. */
const read = {
  name: "wasm",
  load: (id) => (id.endsWith(".wasm") ? `export default Uint8Array.from(atob(${JSON.stringify(readFileSync(id).toString("base64"))}), (char) => char.charCodeAt(0));` : null),
};

for (const [format, extension] of Object.entries(FORMS)) {
  test(`Rollup, ${format}: the module is inside`, async () => {
    const { resolve } = createRequire(inside);
    const found = { name: "found", resolveId: (id) => (id.startsWith("enginewire/") ? resolve(id) : null) };
    const bundle = await rollup({ input: inside, plugins: [found, read] });
    const file = join(folder, `rollup-${format}.${extension}`);
    await bundle.write({ file, format, name: "bundle" });
    assert.deepEqual(node(file), { status: 0, stdout: "7", stderr: "" });
  });
}

/** Runs webpack, and then its bundle in Node. */
async function packed(entry, name, options) {
  const output = { path: join(folder, name), filename: "bundle.js", ...options.output };
  const stats = await new Promise((done, fail) => {
    webpack({ mode: "production", target: "node20", context: folder, entry, optimization: { minimize: false }, ...options, output }, (error, stats) => (error ? fail(error) : done(stats)));
  });
  assert.equal(stats.hasErrors(), false, stats.toString());
  return node(join(output.path, output.filename));
}

test("webpack: the module is inside", async () => {
  const module = { rules: [{ test: /\.wasm$/, type: "asset/bytes" }] };
  assert.deepEqual(await packed(inside, "webpack-inside", { module }), { status: 0, stdout: "7", stderr: "" });
});

test("webpack copies the module beside the bundle", async () => {
  assert.deepEqual(await packed(plain, "webpack-beside", {}), { status: 0, stdout: "7", stderr: "" });
});

test("Vite, for a server: the module is inside", async () => {
  await vite({
    root: folder,
    logLevel: "silent",
    plugins: [{ ...read, enforce: "pre" }],
    ssr: { noExternal: true },
    build: { ssr: inside, outDir: "vite", rollupOptions: { output: { entryFileNames: "server.mjs" } } },
  });
  assert.deepEqual(node(join(folder, "vite/server.mjs")), { status: 0, stdout: "7", stderr: "" });
});

test("the module starts as bytes or compiled, and nothing works before", async () => {
  for (const entry of ENTRIES) {
    const path = `${importedAs(entry)}/start`;
    const bytes = readFileSync(join(HERE, moduleOf(entry)));
    const library = await import(path);
    assert.throws(() => library.formats(), { message: `"${importedAs(entry)}" has not started: wait for its \`ready\`, or call its \`start\`` });
    for (const wrong of [Promise.resolve(bytes), "enginewire.wasm", undefined]) {
      assert.throws(() => library.start(wrong), { name: "TypeError", message: /^module: expected the bytes of the \.wasm, or a WebAssembly\.Module, found / });
    }
    library.start(entry.name === "godot" ? new WebAssembly.Module(bytes) : bytes);
    assert(library.formats().length > 0);
  }
});
