/** The JSON text of documents, which the library encodes. */

import { EncodeError } from "./errors.js";
import { wellFormed } from "./given.js";

/** The members of a document that name its format. */
export type Head = Record<string, string | number>;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function number(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0.0" : String(value);
  // `"NaN"` alone would be read as a string where strings are allowed
  return `{"bits":"${value}"}`;
}

function string(value: string): string {
  const text = JSON.stringify(value);
  // half of a surrogate pair is escaped, so that the text is longer then
  if (text.length !== value.length + 2) wellFormed(value, "string");
  return text;
}

/** An error in a document, with the path of the member. */
class Refused extends Error {
  path = "";

  /** The same error in the list or object that holds this item or member. */
  inside(step: string | number): this {
    const name = typeof step === "number" ? `[${step}]` : step;
    this.path = this.path === "" || this.path.startsWith("[") ? name + this.path : `${name}.${this.path}`;
    return this;
  }
}

function refusal(reason: string, path = ""): EncodeError {
  return new EncodeError({ kind: "encode", code: "document", message: path === "" ? reason : `${path}: ${reason}`, reason, path });
}

/** Bytes, also those of another window. */
function isBytes(value: object): value is Uint8Array {
  return value instanceof Uint8Array || (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]");
}

/**
 * JSON text of anything that a document may hold. A member that is `undefined` is left out. A value inside may be a document itself:
 * its `head` is left out too, and must be that of the whole.
 *
 * @throws {EncodeError} if it holds itself, or documents of another format.
 */
export function write(value: unknown, head?: Head): string {
  try {
    return text(value, head, true);
  } catch (error) {
    if (error instanceof Refused) throw refusal(error.message, error.path);
    if (!(error instanceof Error && /call stack size|too much recursion/.test(error.message))) throw error;
    throw refusal("the document nests too deep, or holds itself");
  }
}

function text(value: unknown, head: Head | undefined, isWhole = false): string {
  switch (typeof value) {
    case "string":
      return string(value);
    case "number":
      return number(value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      // the library does not round integers, and a text could be taken for a string
      return String(value);
    case "object":
      break;
    default:
      throw new TypeError(`a document holds no ${typeof value}`);
  }
  if (value === null) return "null";
  if (isBytes(value)) {
    let digits = '{"hex":"';
    for (const byte of value) digits += HEX[byte];
    return digits + '"}';
  }
  /** The part that is being written. */
  let step: string | number = 0;
  try {
    if (Array.isArray(value)) {
      let items = "[";
      for (; step < value.length; step++) items += (step > 0 ? "," : "") + text(value[step], head);
      return items + "]";
    }
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
      return text(Array.from(value as unknown as ArrayLike<number | bigint>), head);
    }
    const isInside = !isWhole && head !== undefined && "type" in value && "format" in value;
    let members = "";
    for (step of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[step];
      if (member === undefined) continue;
      if (isInside && head[step] !== undefined) {
        if (head[step] === member) continue;
        throw new Refused(`a value inside has ${text(member, head)}, and the whole ${JSON.stringify(head[step])}`);
      }
      members += `${members === "" ? "" : ","}${string(step)}:${text(member, head)}`;
    }
    return `{${members}}`;
  } catch (error) {
    throw error instanceof Refused ? error.inside(step) : error;
  }
}
