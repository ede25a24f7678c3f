import { readFileSync } from "node:fs";

import { start } from "./engine.js";

/** The module beside this file, which a bundle lacks. */
function module(): Uint8Array<ArrayBuffer> {
  try {
    return readFileSync(new URL(MODULE, import.meta.url));
  } catch (error) {
    // it may be there, but not allowed to be read: in Deno, without --allow-read. A bundle as CommonJS has no address.
    if (!["ENOENT", "ERR_INVALID_URL"].includes((error as { code: string }).code)) throw error;
    const name = MODULE.slice(2);
    const ways = `leave "${ENTRY}" out of the bundle, copy ${name} beside it, or import "${ENTRY}/start" and give its \`start\` the module`;
    throw new Error(`${name} of the package enginewire is not beside this file: ${ways}`, { cause: error });
  }
}

start(module());

export * from "./index.js";

/** Resolves when the library can be called: in Node, at once. */
export const ready: Promise<void> = Promise.resolve();
