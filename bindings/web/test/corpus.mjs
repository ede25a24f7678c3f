// The values that tests read: the fixtures of the repository, and those of a corpus in the folder ENGINEWIRE_CORPUS.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
export const CORPUS = process.env.ENGINEWIRE_CORPUS;

/** The native program. */
export const PROGRAM = process.env.ENGINEWIRE_PROGRAM ?? join(REPOSITORY, "target/debug/enginewire");

if (!existsSync(PROGRAM)) {
  throw new Error(`there is no ${PROGRAM}: build it with "cargo build", or name it in ENGINEWIRE_PROGRAM`);
}

/** All files below a folder whose names end so. */
export function files(folder, ending) {
  if (!existsSync(folder)) return [];
  const found = [];
  for (const name of readdirSync(folder).sort()) {
    const file = join(folder, name);
    if (statSync(file).isDirectory()) found.push(...files(file, ending));
    else if (name.endsWith(ending)) found.push(file);
  }
  return found;
}

/** The files of values of each format: with names that are relative to where the program runs. */
export function values() {
  const folders = {
    "roblox-attributes": ["fixtures/roblox-attributes"],
    "roblox-remote": ["fixtures/roblox-remote"],
    "scrap-mechanic-lua": ["fixtures/scrap-mechanic-lua"],
    "godot-3": ["fixtures/godot-3"],
    "godot-4": ["fixtures/godot-4"],
  };
  const all = Object.entries(folders).map(([format, names]) => ({
    format,
    files: names.flatMap((name) => files(join(REPOSITORY, name), ".bin")),
  }));
  if (CORPUS !== undefined) {
    const more = {
      "roblox-attributes": ["roblox-attributes"],
      "roblox-remote": ["roblox-remote"],
      "scrap-mechanic-lua": ["scrap-mechanic-lua"],
      "godot-3": ["godot/v3"],
      "godot-4": ["godot/v4", "godot/v4-double"],
    };
    for (const { format, files: known } of all) {
      known.push(...more[format].flatMap((name) => files(join(CORPUS, name), ".bin")));
    }
  }
  return all;
}

/** Runs the program. Returns its exit status, and its standard output and standard error. */
export function program(args, input) {
  const { status, stdout, stderr, error } = spawnSync(PROGRAM, args, { input, maxBuffer: 1 << 30, cwd: REPOSITORY });
  if (error) throw error;
  return { status, out: stdout.toString(), err: stderr.toString(), bytes: stdout };
}

export const read = (file) => new Uint8Array(readFileSync(file));
