/**
 * Builds the page: one HTML file with everything in it, so that it works from any host and from a folder.
 *
 *     node page/build.mjs [FOLDER]
 *
 * The WebAssembly module is that of the folder, as wasm-bindgen writes it; build/page, unless another is given.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { toHtml } from "./markdown.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");
const out = join(here, "dist");
const folder = resolve(process.argv[2] ?? join(here, "../build/page"));
const glue = join(folder, "enginewire_web.js");
const wasm = join(folder, "enginewire_web_bg.wasm");

const samples = [
  ["torch", "roblox-attributes/readable.bin", "roblox-attributes", "A torch", "The attributes of one Roblox instance: a colour, a curve, a place."],
  ["place", "roblox-model/attributes.rbxm", "rbxm", "A model file", "Instances of Roblox with attributes and tags, in packed chunks."],
  ["packets", "roblox-remote/several.dump", "roblox-packets", "Remote packets", "What RemoteEvents of Roblox send, one packet after the other."],
  ["player", "godot-4/packet_typical.bin", "godot-4", "A player's state", "A Dictionary of Godot 4, as a game sends it over the network."],
  ["stream", "godot-4/tcp_v4.frames", "godot-frames-le:godot-4", "A Godot stream", "Values from a TCP connection, each with its length before it."],
  ["farmbot", "scrap-mechanic-lua/readable.bin", "scrap-mechanic-lua", "A farmbot", "A LuaObject of Scrap Mechanic, whose fields begin between bytes."],
  ["save", "scrap-mechanic-lua/save-v28.db", "scrap-mechanic-save", "A save", "A database of Scrap Mechanic, with what its scripts keep."],
  ["vehicle", "scrap-mechanic-lua/vehicle.blueprint.json", "scrap-mechanic-blueprint", "A vehicle", "A blueprint of Scrap Mechanic with the objects of its parts."],
  ["types", "roblox-attributes/all-types.bin", "roblox-attributes", "Every type", "An attribute of each type that Roblox has, with its control."],
  ["broken", "roblox-attributes/bad/rotation-id.bin", "roblox-attributes", "A broken value", "What is wrong, where, and what can be done about it."],
];

const specs = [
  ["roblox-attributes", "Roblox attributes", "torch"],
  ["roblox-remote-packets", "Roblox remote packets", "packets"],
  ["roblox-model-files", "Roblox model files", "place"],
  ["godot-variant", "Godot Variant", "player"],
  ["scrap-mechanic-lua-object", "Scrap Mechanic LuaObject", "farmbot"],
];

const read = (path) => readFile(path);

async function sampleRows() {
  return Promise.all(
    samples.map(async ([id, path, kind, title, about]) => {
      const content = (await read(join(root, "fixtures", path))).toString("base64");
      return { id, name: path.slice(path.lastIndexOf("/") + 1), kind, title, about, content };
    }),
  );
}

async function specRows() {
  return Promise.all(
    specs.map(async ([id, title, sample]) => {
      const html = toHtml((await read(join(root, "docs/spec", `${id}.md`))).toString());
      return { id, title, sample, html };
    }),
  );
}

/** Modules that exist only while the page is built. */
function virtual(modules) {
  return {
    name: "virtual",
    resolveId: (id) => (id in modules ? `\0${id}` : null),
    load: async (id) => (id.startsWith("\0virtual:") ? modules[id.slice(1)]() : null),
  };
}

const text = (value) => `export default ${JSON.stringify(value)};`;

/** One script that needs nothing else. */
async function script(entry, modules) {
  const result = await build({
    root: here,
    configFile: false,
    logLevel: "warn",
    plugins: [virtual(modules)],
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      write: false,
      target: "es2022",
      minify: true,
      lib: { entry: join(here, entry), formats: ["iife"], name: "page" },
    },
  });
  const [{ output }] = Array.isArray(result) ? result : [result];
  return output[0].code;
}

execFileSync(process.execPath, [join(here, "../node_modules/typescript/bin/tsc"), "-p", here], { stdio: "inherit" });
const module = await read(wasm);
const worker = await script("src/worker.ts", {
  "virtual:wasm": () => text(gzipSync(module, { level: 9 }).toString("base64")),
  "virtual:bindgen": async () => (await read(glue)).toString(),
  "virtual:sqlite": async () => text(gzipSync(await read(join(here, "../node_modules/sql.js/dist/sql-wasm-browser.wasm")), { level: 9 }).toString("base64")),
});
const main = await script("src/main.tsx", {
  "virtual:worker": () => text(worker),
  "virtual:samples": async () => text(await sampleRows()),
  "virtual:specs": async () => text(await specRows()),
});

// escape what would end the script element, in strings
const code = main.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");
const style = (await read(join(here, "src/style.css"))).toString().replace(/\s*\n\s*/g, "\n");
const sha = (content) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  // no network at all: everything that the page needs is in the file
  "connect-src 'none'",
  `script-src ${sha(code)} 'wasm-unsafe-eval'`,
  `style-src ${sha(style)}`,
  "img-src data:",
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="2" y="4" width="7" height="7" rx="1.500" fill="#3b82d0"/><rect x="2" y="13" width="7" height="7" rx="1.500" fill="#e08a1e"/><rect x="2" y="22" width="7" height="7" rx="1.500" fill="#3f9b57"/><path d="M9 7.500h5c5 0 3 9 8 9h2M9 16.500h15M9 25.500h5c5 0 3-9 8-9" fill="none" stroke="#888" stroke-width="2"/><circle cx="27" cy="16.500" r="3" fill="#888"/></svg>`;
const parts = { POLICY: policy, STYLE: style, SCRIPT: code, ICON: `data:image/svg+xml,${encodeURIComponent(icon)}` };
const page = (await read(join(here, "index.html"))).toString().replace(/%([A-Z]+)%/g, (_, part) => parts[part]);
await mkdir(out, { recursive: true });
await writeFile(join(out, "index.html"), page);
for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) await copyFile(join(root, licence), join(out, licence));
const packed = gzipSync(page, { level: 9 }).length;
console.log(`page/dist/index.html: ${(page.length / 1000).toFixed(0)} kB, ${(packed / 1000).toFixed(0)} kB by gzip`);
