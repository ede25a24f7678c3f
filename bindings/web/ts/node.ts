import { readFileSync } from "node:fs";

import { start } from "./engine.js";

start(readFileSync(new URL(MODULE, import.meta.url)));

export * from "./index.js";

/** Resolves when the library can be called: in Node, at once. */
export const ready: Promise<void> = Promise.resolve();
