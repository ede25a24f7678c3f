// Builds the package into dist/, and the page if there is one:
//   npm run build             all; unchanged parts are not built again
//   npm run build -- --quick  without the minutes that optimising takes, for work on the package
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once as event } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { ENTRIES, importedAs, moduleOf } from "./entries.mjs";
import { need, TO_BUILD } from "./needed.mjs";
import { generated } from "./types.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
need(TO_BUILD);
// it may be missing
const { build } = await import("esbuild");
const isQuick = process.argv.includes("--quick");

function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: "inherit" });
  if (error) throw error;
  succeeded(status, program, args);
}

/** The same, without blocking other work. */
async function runBeside(program, args, env = {}) {
  const [status] = await event(spawn(program, args, { stdio: "inherit", env: { ...process.env, ...env } }), "close");
  succeeded(status, program, args);
}

function succeeded(status, program, args) {
  if (status === 0) return;
  console.error(`build: ${program} ${args.join(" ")} failed`);
  process.exit(status ?? 1);
}

/** Does `work` unless it was done before with the same inputs. */
async function once(name, inputs, output, work) {
  const hash = createHash("sha256");
  for (const input of inputs) hash.update(input);
  const digest = hash.digest("hex");
  const stamp = `build/${name}.stamp`;
  if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  rmSync(stamp, { force: true });
  await work();
  writeFileSync(stamp, digest);
}

// wasm-bindgen, which makes the JavaScript of a module
run("cargo", ["build", "--quiet", "--locked", ...(isQuick ? [] : ["--release"]), "--manifest-path", "bindgen/Cargo.toml", "--target-dir", "bindgen/target"]);
const bindgen = `bindgen/target/${isQuick ? "debug" : "release"}/enginewire-bindgen`;

// TypeScript's types of values, which are not in the modules: `cargo test` of the library writes them
const values = readFileSync("scripts/values.ts", "utf8");

const target = isQuick ? "target/quick" : "target";
const quick = ["lto=false", "codegen-units=16", "opt-level=1"].flatMap((option) => ["--config", `profile.release.${option}`]);
// features that rustc assumes, and that browsers have had for years
const features = ["mutable-globals", "sign-ext", "bulk-memory", "multivalue", "reference-types", "nontrapping-float-to-int"];
// by their names first: like functions then lie beside each other, and compress by a hundredth better
const smaller = ["--reorder-functions-by-name", "--merge-similar-functions", "-Oz", "--strip-debug", "--strip-producers", ...features.map((feature) => `--enable-${feature}`)];

const filesBelow = (folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)).filter((file) => statSync(file).isFile());
// The inputs of the modules. Cargo alone would link every module again, because all have the same file name.
const sources = [
  ...["src", "../../src", "../../crates/files/src"].flatMap(filesBelow),
  ...["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "../../Cargo.toml", "../../crates/files/Cargo.toml"],
]
  .sort()
  .flatMap((file) => [file, readFileSync(file)]);
const compiler = spawnSync("rustc", ["--version", "--verbose"]).stdout;

// keep the folder of the build out of the modules
const unnamed = [[resolve("../.."), "."], [join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/src"), ""]].map(
  ([path, shown]) => `--remap-path-prefix=${path}=${shown}`,
);

let compiling = Promise.resolve();

/** Compiles a module after those before it, because all have the same file name. */
function compiled(args, folder) {
  compiling = compiling.then(async () => {
    // flags in the environment would replace those in .cargo/config.toml
    await runBeside("cargo", args, { RUSTFLAGS: undefined, CARGO_ENCODED_RUSTFLAGS: undefined });
    run(bindgen, [`${target}/wasm32-unknown-unknown/release/enginewire_web.wasm`, folder]);
  });
  return compiling;
}

/**
 * Builds a module from Rust into a folder, with its JavaScript, and makes it smaller there. Making it smaller takes one processor
 * more than half a minute; the next module is compiled meanwhile.
 */
async function module(folder, inlining, options) {
  mkdirSync(folder, { recursive: true });
  // flags of the last crate alone: the crates below it are the same for all modules, which share their builds
  const args = [
    "rustc", "--quiet", "--locked", "--release", "--lib", "--crate-type", "cdylib", "--target", "wasm32-unknown-unknown", "--target-dir", target,
    "--config", `target.wasm32-unknown-unknown.rustflags=${JSON.stringify(unnamed)}`, ...options, ...(isQuick ? quick : []),
    "--", "-C", `llvm-args=-inline-threshold=${inlining}`,
  ];
  const glue = `${folder}/enginewire_web_bg.wasm`;
  const inputs = [...sources, compiler, readFileSync(bindgen), ...args, ...(isQuick ? [] : smaller)];
  await once(folder.replace("build/", ""), inputs, glue, async () => {
    await compiled(args, folder);
    if (!isQuick) await runBeside("npx", ["--no-install", "wasm-opt", ...smaller, glue, "-o", glue]);
  });
  return readFileSync(glue);
}

/** The descriptions of the formats of a module, which the module itself gives. */
async function formatsOf(folder, module) {
  const glue = await import(pathToFileURL(`${folder}/enginewire_web.js`).href);
  glue.initSync({ module });
  return JSON.parse(glue.describe_formats());
}

const hasPage = existsSync("page/build.mjs");
// quickly, all modules share one build of the library, with all formats
const shared = isQuick ? ",enginewire-files/default" : "";
const ofEntries = ENTRIES.map(({ glue, inlining, feature }) =>
  module(glue, inlining, feature === undefined ? [] : ["--no-default-features", "--features", feature + shared]),
);
const ofPage = hasPage ? module("build/page", ENTRIES[0].inlining, ["--features", "page"]) : undefined;
for (const [number, entry] of ENTRIES.entries()) {
  entry.module = await ofEntries[number];
  entry.formats = await formatsOf(entry.glue, entry.module);
}
rmSync("dist", { recursive: true, force: true });
for (const entry of ENTRIES) {
  mkdirSync(entry.dist, { recursive: true });
  writeFileSync(moduleOf(entry), entry.module);
}
// their order is that of their numbers; the first entry has all except resources
const formats = [...new Map(ENTRIES.flatMap((entry) => entry.formats.map((format) => [format.name, format]))).values()];
const numbers = new Map(formats.map(({ name }, number) => [name, number]));

writeFileSync("ts/generated.ts", generated(values, formats));

// JavaScript: the same sources for each entry point
async function script(entry, source, outfile, options) {
  const own = {
    "./index.js": `ts/${entry.source}.ts`,
    "../build/glue/enginewire_web.js": `${entry.glue}/enginewire_web.js`,
  };
  const { banner, define, ...rest } = options;
  await build({
    ...rest,
    bundle: true,
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    minifySyntax: true,
    target: "es2022",
    entryPoints: [source],
    outfile: `${entry.dist}/${outfile}`,
    banner,
    define: {
      ...define,
      ENTRY: JSON.stringify(importedAs(entry)),
      MODULE: JSON.stringify(`./${entry.name}.wasm`),
      FORMATS: JSON.stringify(Object.fromEntries(entry.formats.map(({ name }) => [name, numbers.get(name)]))),
    },
    plugins: [{
      name: "own",
      setup: ({ onResolve }) => onResolve({ filter: /./ }, ({ path }) => (path in own ? { path: resolve(own[path]) } : undefined)),
    }],
  });
}

for (const entry of ENTRIES) {
  await script(entry, "ts/browser.ts", "browser.js", { format: "esm" });
  await script(entry, "ts/start.ts", "start.js", { format: "esm" });
  await script(entry, "ts/node.ts", "node.js", { format: "esm", platform: "node" });
  await script(entry, "ts/node.ts", "node.cjs", {
    format: "cjs",
    platform: "node",
    // it has no import.meta
    banner: { js: 'const enginewireUrl = require("node:url").pathToFileURL(__filename).href;' },
    define: { "import.meta.url": "enginewireUrl" },
  });
}

// declarations, once more for CommonJS
rmSync("build/declarations", { recursive: true, force: true });
run("npx", ["--no-install", "tsc", "-p", "tsconfig.json"]);

/** Copies a declaration and those that it imports. */
function declare(entry, folder, name = "node") {
  const to = `${folder}/${name}.d.ts`;
  if (existsSync(to)) return;
  const own = {
    index: () => readFileSync(`build/declarations/${entry.source}.d.ts`, "utf8"),
    generated: () => generated(values, entry.formats),
  };
  const text = own[name]?.() ?? readFileSync(`build/declarations/${name}.d.ts`, "utf8");
  mkdirSync(folder, { recursive: true });
  writeFileSync(to, text);
  for (const [, imported] of text.matchAll(/from "\.\/([\w-]+)\.js"/g)) declare(entry, folder, imported);
}

for (const entry of ENTRIES) {
  declare(entry, entry.dist);
  declare(entry, entry.dist, "start");
  declare(entry, entry.dist.replace("dist", "dist/cjs"));
}
writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');
for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) cpSync(`../../${licence}`, `dist/${licence}`);

if (hasPage) {
  await ofPage;
  run(process.execPath, ["page/build.mjs", "build/page"]);
}
