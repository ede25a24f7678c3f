// Builds the package into dist/, and the page if there is one:
//   npm run build             all; what has not changed is not built again
//   npm run build -- --quick  without the minutes that optimising takes, for work on the package
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { build } from "esbuild";

import { generated } from "./types.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const isQuick = process.argv.includes("--quick");

function run(program, args, env = {}) {
  const { status, error } = spawnSync(program, args, { stdio: "inherit", env: { ...process.env, ...env } });
  if (error) throw error;
  if (status !== 0) {
    console.error(`build: ${program} ${args.join(" ")} failed`);
    process.exit(status ?? 1);
  }
}

/** Does something unless it was done with the same inputs before. */
function once(name, inputs, output, work) {
  const hash = createHash("sha256");
  for (const input of inputs) hash.update(input);
  const digest = hash.digest("hex");
  const stamp = `build/${name}.stamp`;
  if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  work();
  writeFileSync(stamp, digest);
}

// wasm-bindgen, which makes the JavaScript that belongs to a module
run("cargo", ["build", "--quiet", "--locked", "--release", "--manifest-path", "bindgen/Cargo.toml", "--target-dir", "bindgen/target"]);
const bindgen = "bindgen/target/release/enginewire-bindgen";

const target = isQuick ? "target/quick" : "target";
const quick = ["lto=false", "codegen-units=16", "opt-level=1"].flatMap((option) => ["--config", `profile.release.${option}`]);
// what every browser of the last years has, and rustc assumes
const features = ["mutable-globals", "sign-ext", "bulk-memory", "multivalue", "reference-types", "nontrapping-float-to-int"];
const smaller = ["-Oz", "--strip-debug", "--strip-producers", ...features.map((feature) => `--enable-${feature}`)];

/** Builds a module from Rust: into a folder with its JavaScript, where it gets smaller too. */
function module(folder, options) {
  mkdirSync(folder, { recursive: true });
  run("cargo", [
    "build", "--quiet", "--locked", "--release", "--target", "wasm32-unknown-unknown", "--target-dir", target,
    ...options, ...(isQuick ? quick : []),
  ]);
  const built = `${target}/wasm32-unknown-unknown/release/enginewire_web.wasm`;
  const glue = `${folder}/enginewire_web_bg.wasm`;
  const inputs = [readFileSync(built), readFileSync(bindgen), String(isQuick), ...smaller];
  once(folder.replace("build/", ""), inputs, glue, () => {
    run(bindgen, [built, folder]);
    if (!isQuick) run("npx", ["--no-install", "wasm-opt", ...smaller, glue, "-o", glue]);
  });
  return readFileSync(glue);
}

const glue = module("build/glue", []);
rmSync("dist", { recursive: true, force: true });
mkdirSync("dist/cjs", { recursive: true });
writeFileSync("dist/enginewire.wasm", glue);

// the types of documents, from the tables of the formats in it
const glued = await import(pathToFileURL("build/glue/enginewire_web.js").href);
glued.initSync({ module: glue });
writeFileSync("ts/generated.ts", generated(JSON.parse(glued.describe_formats())));

// JavaScript
const common = { bundle: true, charset: "utf8", legalComments: "none", logLevel: "warning", minifySyntax: true, target: "es2022" };
await build({ ...common, entryPoints: ["ts/browser.ts"], outfile: "dist/browser.js", format: "esm" });
await build({ ...common, entryPoints: ["ts/node.ts"], outfile: "dist/node.js", format: "esm", platform: "node" });
await build({
  ...common,
  entryPoints: ["ts/node.ts"],
  outfile: "dist/node.cjs",
  format: "cjs",
  platform: "node",
  // it has no import.meta
  banner: { js: 'const enginewireUrl = require("node:url").pathToFileURL(__filename).href;' },
  define: { "import.meta.url": "enginewireUrl" },
});

// declarations, once more for CommonJS
run("npx", ["--no-install", "tsc", "-p", "tsconfig.json"]);
for (const internal of ["engine", "tape", "text", "browser"]) rmSync(`dist/${internal}.d.ts`);
for (const file of readdirSync("dist")) {
  if (file.endsWith(".d.ts")) cpSync(join("dist", file), join("dist/cjs", file));
}
writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');
for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) cpSync(`../../${licence}`, `dist/${licence}`);

if (existsSync("page/build.mjs")) {
  module("build/page", ["--features", "page"]);
  run(process.execPath, ["page/build.mjs", "build/page"]);
}
