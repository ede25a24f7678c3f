// Lists missing tools, and how to get them, before anything is built or tested.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const output = (program, ...args) => spawnSync(program, args).stdout?.toString().trim();

/** The needs of the build: `[is it there, its name, how to get it]`. */
export const TO_BUILD = [
  [() => parseInt(process.versions.node) >= 20, () => `Node 20 or newer; this is ${process.versions.node}`, "install it from https://nodejs.org"],
  [() => existsSync("node_modules/esbuild"), () => "the packages for the build", "npm ci"],
  [() => output("cargo", "--version"), () => "Rust", "install it from https://rustup.rs"],
  [
    () => existsSync(output("rustc", "--print", "target-libdir", "--target", "wasm32-unknown-unknown") ?? ""),
    () => "the target wasm32-unknown-unknown of Rust",
    "rustup target add wasm32-unknown-unknown",
  ],
];

const browser = (variable, path, name) => [
  () => existsSync(process.env[variable] ?? path),
  () => `${name}: there is no ${process.env[variable] ?? path}`,
  `install it (Debian: apt-get install ${name}), or set ${variable} to its path`,
];

/** The needs of the tests. */
export const TO_TEST = [
  [() => existsSync("build") && existsSync("dist"), () => "the package", "npm run build"],
  browser("CHROMIUM", "/usr/bin/chromium", "chromium"),
  browser("FIREFOX", "/usr/bin/firefox-esr", "firefox-esr"),
];

/** Ends this program with status 1 if anything is missing. */
export function need(needs) {
  const missing = needs.filter(([isThere]) => !isThere());
  for (const [, what, how] of missing) console.error(`missing: ${what()}\n  ${how}`);
  if (missing.length > 0) process.exit(1);
}
