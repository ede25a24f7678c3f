/** The plain form: values without their types. */

import { EncodeError } from "./errors.js";
import { shown, textOf } from "./given.js";

/**
 * A value without its type, like plain JSON: a structure is an object with the names of its parts, a key that is no text is in
 * brackets, and text that is not UTF-8 is bytes. An integer of 64 bits is a number if that is exact, else a bigint.
 */
export type Plain = null | boolean | number | bigint | string | Uint8Array | Plain[] | { [name: string]: Plain };

/** A value without its type, for `encode`: also a `Map` with strings as keys, and arrays of numbers of any kind. */
export type PlainInput =
  | null
  | boolean
  | number
  | bigint
  | string
  | ArrayBufferView
  | readonly PlainInput[]
  | ReadonlyMap<string, PlainInput>
  | { readonly [name: string]: PlainInput | undefined };

const refusal = (reason: string, path: string) =>
  new EncodeError({ kind: "encode", code: "document", message: path === "" ? reason : `${path}: ${reason}`, reason, path });

/** The path to a member of the value at a path. */
const inside = (path: string, name: string | number) => (typeof name === "number" ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`);

/**
 * @internal A value as JSON text, which keeps what `JSON.stringify` would lose: the sign of zero, bytes, and large integers.
 *
 * @throws {EncodeError} if it holds something that is no such value, or holds itself.
 */
export function plainText(value: unknown, path = "", around: readonly unknown[] = []): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(textOf(value, path === "" ? "string" : path));
    case "number":
      // without quotes it would be a text where that is allowed
      if (!Number.isFinite(value)) return `{"bits":"${value}"}`;
      return Object.is(value, -0) ? "-0.0" : String(value);
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      break;
    default:
      throw refusal(`a plain value holds no ${typeof value}`, path);
  }
  if (value === null) return "null";
  if (value instanceof Uint8Array) return `{"hex":"${Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("")}"}`;
  if (around.includes(value)) throw refusal("the value holds itself", path);
  const holders = [...around, value];
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) {
    const items = Array.from(value as ArrayLike<unknown>, (item, index) => plainText(item, inside(path, index), holders));
    return `[${items.join(",")}]`;
  }
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind !== "Object" && kind !== "Map") throw refusal(`a plain value holds no ${kind}`, path);
  const members: string[] = [];
  for (const [name, member] of value instanceof Map ? value : Object.entries(value)) {
    if (typeof name !== "string") throw refusal(`a name is a string, and not ${shown(name)}`, path);
    if (member !== undefined) members.push(`${JSON.stringify(textOf(name, "name"))}:${plainText(member, inside(path, name), holders)}`);
  }
  return `{${members.join(",")}}`;
}
