import { start } from "./engine.js";

export * from "./index.js";

async function load(): Promise<void> {
  const response = await fetch(new URL(MODULE, import.meta.url));
  if (!response.ok) throw new Error(`${MODULE.slice(2)} cannot be loaded: ${response.status} ${response.statusText}`);
  start(await WebAssembly.compile(await response.arrayBuffer()));
}

/** Resolves when the library can be called. The module waits for it, so that who imports it need not. */
export const ready: Promise<void> = load();

await ready;
