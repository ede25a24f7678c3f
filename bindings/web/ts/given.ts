/** Checks of arguments before they are passed to the library, because WebAssembly converts anything instead of refusing it. */

/** Bytes in any of the forms that JavaScript has. Nothing of them is kept or changed. */
export type Input = Uint8Array | ArrayBuffer | ArrayBufferView;

/** Bytes with a memory of their own, which `Blob`, `fetch` and the like take: in TypeScript from 5.7 on `Uint8Array<ArrayBuffer>`. */
export type OwnBytes = ReturnType<Uint8Array["slice"]>;

/** @internal The bytes of an input. */
export function bytesOf(input: Input): Uint8Array {
  if (input instanceof Uint8Array) return input;
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  throw new TypeError("expected a Uint8Array, an ArrayBuffer or a view of one");
}

/** @internal A value, as an error shows it. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}

const HALF_OF_A_PAIR = /\p{Surrogate}/u;

/** @internal Refuses a string that UTF-8 cannot hold. */
export function wellFormed(text: string, what: string): void {
  if (HALF_OF_A_PAIR.test(text)) throw new TypeError(`${what}: ${JSON.stringify(text.slice(0, 40))} has half of a surrogate pair, which UTF-8 cannot hold`);
}

/** @internal A text. Errors call it `what`. */
export function textOf(value: unknown, what: string): string {
  if (typeof value !== "string") throw new TypeError(`${what}: expected a string, found ${shown(value)}`);
  wellFormed(value, what);
  return value;
}

/** @internal A whole number from `least` on. */
export function wholeOf(value: unknown, what: string, least = 0): number {
  const isWhole = typeof value === "number" && (Number.isInteger(value) || value === Infinity) && value >= least;
  if (!isWhole) throw new TypeError(`${what}: expected a whole number from ${least} on, found ${shown(value)}`);
  return value;
}

/** @internal An index, which the library counts in 32 bits. */
export function indexOf(value: unknown, what: string): number {
  return Math.min(wholeOf(value, what), 2 ** 32 - 1);
}
