import { start as begin } from "./engine.js";
import { bytesOf, shown } from "./given.js";

export * from "./index.js";

/**
 * Starts the library, before any other call. It takes the `.wasm` of this entry point: its bytes, or a `WebAssembly.Module`, as bundlers
 * and workers make it.
 *
 * @throws {TypeError} if it is neither, such as a promise or an address.
 */
export function start(module: object): void {
  if (module instanceof WebAssembly.Module) return begin(module);
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = bytesOf(module as Uint8Array) as Uint8Array<ArrayBuffer>;
  } catch {
    throw new TypeError(`module: expected the bytes of the .wasm, or a WebAssembly.Module, found ${shown(module)}`);
  }
  begin(bytes);
}
