/** Writes documents onto a tape, which the library encodes. The documentation of `src/objects.rs` describes it. */

import { EncodeError } from "./errors.js";
import { shown, wellFormed } from "./given.js";
import { BYTES, CONSTANT, DOUBLE, double, END, LIST, OBJECT, pair, SIGNED, signed, SMALL, TEXT, UNSIGNED, unsigned } from "./tape.js";

/** The members of a document that name its format. */
export type Head = Record<string, string | number>;

/** In place of a head: the value has no types. Its numbers and bytes stay what they are, and what would be lost is refused. */
export const PLAIN: Head = {};
/** The same for a value whose types are known, so that a number that JSON lacks can be read as one. */
export const LIKE: Head = {};

/** A document for the library. The next one may take its memory. */
export interface Written {
  words: Uint8Array;
  text: Uint8Array;
}

/** The memory of the tape, and that of its strings in UTF-8. */
let words = new Uint32Array(1 << 10);
let texts = new Uint8Array(1 << 12);
/** The places after the last word, and after the last string. */
let next = 0;
let end = 0;

const encoder = new TextEncoder();

/** The bytes in a memory that has at least this size. */
function grown(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(Math.max(size, 2 * bytes.length));
  more.set(bytes);
  return more;
}

/** Makes room for words. */
function reserve(count: number): void {
  if (next + count <= words.length) return;
  words = new Uint32Array(grown(new Uint8Array(words.buffer), 4 * (next + count)).buffer);
}

/** A word with the length of a text or of bytes. */
function sized(kind: number, length: number): void {
  if (length >= 2 ** 28) throw new Refused("objects hold texts and bytes of up to 2^28; fromText has no such limit");
  reserve(1);
  words[next++] = kind | (length << 4);
}

function wide(kind: number): void {
  words[next] = kind;
  words[next + 1] = pair[0]!;
  words[next + 2] = pair[1]!;
  next += 3;
}

function string(value: string): void {
  const { length } = value;
  if (end + 3 * length > texts.length) texts = grown(texts, end + 3 * length);
  const [memory, start] = [texts, end];
  let at = 0;
  // the encoder takes longer to begin than short strings take here
  if (length < 48) {
    for (; at < length; at++) {
      const unit = value.charCodeAt(at);
      if (unit > 127) break;
      memory[start + at] = unit;
    }
  }
  if (at < length) {
    at = encoder.encodeInto(value, memory.subarray(start)).written;
    if (at > length) wellFormed(value, "string");
  }
  sized(TEXT, at);
  end += at;
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

/** The kind of an object, also of one of another window. */
const kindOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

const isBytes = (value: object): value is Uint8Array => value instanceof Uint8Array || kindOf(value) === "Uint8Array";
const isMap = (value: object): value is Map<unknown, unknown> => value instanceof Map || kindOf(value) === "Map";

/** Refuses objects whose content is not in members or items: it would be lost. */
function refuseOthers(value: object): void {
  const isKnown = Array.isArray(value) || isMap(value) || kindOf(value) === "Object" || (ArrayBuffer.isView(value) && !(value instanceof DataView));
  if (!isKnown) throw new Refused(`a value without types holds no ${kindOf(value)}`);
  const odd = isMap(value) ? [...value.keys()].find((name) => typeof name !== "string") : undefined;
  if (odd !== undefined) throw new Refused(`a name is a string, found ${shown(odd)}`);
}

/**
 * Writes anything that a document may hold. A member that is `undefined` is left out. The whole has the members of `head`. A value
 * inside may be a document itself: its head is left out, and must be that of the whole.
 *
 * @throws {EncodeError} if it holds itself, or documents of another format.
 */
export function write(value: unknown, head?: Head): Written {
  // a getter of a document may write another one, after the first
  const [start, textStart] = [next, end];
  if (start === 0) {
    // a large document must not keep its memory
    if (words.length > 1 << 18) words = new Uint32Array(1 << 10);
    if (texts.length > 1 << 20) texts = new Uint8Array(1 << 12);
  }
  try {
    put(value, head, true);
    return { words: new Uint8Array(words.buffer, 4 * start, 4 * (next - start)), text: new Uint8Array(texts.buffer, textStart, end - textStart) };
  } catch (error) {
    if (error instanceof Refused) throw refusal(error.message, error.path);
    if (!(error instanceof Error && /call stack size|too much recursion/.test(error.message))) throw error;
    throw refusal("the document nests too deep, or holds itself");
  } finally {
    next = start;
    end = textStart;
  }
}

function put(value: unknown, head: Head | undefined, isWhole = false): void {
  // for any number, and the beginning of a list or an object
  reserve(3);
  switch (typeof value) {
    case "string":
      return string(value);
    case "number":
      if ((value << 4) >> 4 === value && !Object.is(value, -0)) {
        words[next++] = SMALL | (value << 4);
      } else if (!Number.isFinite(value) && head !== PLAIN) {
        // `"NaN"` alone would be read as a string where strings are allowed
        put({ bits: String(value) }, head);
      } else if (Number.isInteger(value) && Math.abs(value) < (head === PLAIN ? 2 ** 53 : 2 ** 64) && value !== 0) {
        // an integer may be asked for
        put(BigInt(String(value)), head);
      } else {
        double[0] = value;
        wide(DOUBLE);
      }
      return;
    case "boolean":
      words[next++] = CONSTANT | ((value ? 2 : 1) << 4);
      return;
    case "bigint":
      signed[0] = value;
      if (signed[0] === value) return wide(SIGNED);
      if (unsigned[0] === value) return wide(UNSIGNED);
      if (head === PLAIN || head === LIKE) throw new Refused("a bigint has 64 bits at most; write a number, or a string");
      // too large for any integer
      double[0] = Number(value);
      if (double[0] === Infinity || double[0] === -Infinity) throw new Refused("number out of range");
      return wide(DOUBLE);
    case "object":
      break;
    default:
      throw head === PLAIN || head === LIKE ? new Refused(`a value without types holds no ${typeof value}`) : new TypeError(`a document holds no ${typeof value}`);
  }
  if (value === null) {
    words[next++] = CONSTANT;
    return;
  }
  const isUntyped = head === PLAIN || head === LIKE;
  if (isUntyped) refuseOthers(value);
  /** The part that is being written. */
  let step: string | number = 0;
  try {
    if (Array.isArray(value)) {
      words[next++] = LIST;
      for (; step < value.length; step++) put(value[step], head);
    } else if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
      if (!isBytes(value)) return put(Array.from(value as unknown as ArrayLike<number | bigint>), head);
      const count = (value.length + 3) >> 2;
      if (!isUntyped) {
        words[next++] = OBJECT;
        string("hex");
      }
      sized(BYTES, value.length);
      reserve(count);
      new Uint8Array(words.buffer, 4 * next).set(value);
      next += count;
      if (isUntyped) return;
    } else if (isUntyped) {
      words[next++] = OBJECT;
      for (const [name, member] of isMap(value) ? value : Object.entries(value)) {
        step = name as string;
        if (member === undefined) continue;
        string(step);
        put(member, head);
      }
    } else {
      words[next++] = OBJECT;
      if (isWhole && head !== undefined) {
        for (const name in head) {
          if (Object.hasOwn(value, name)) continue;
          string(name);
          put(head[name], head);
        }
      }
      for (const name in value) {
        if (!Object.hasOwn(value, name)) continue;
        step = name;
        const member = (value as Record<string, unknown>)[name];
        if (member === undefined) continue;
        if ((name === "format" || name === "version") && !isWhole && head?.[name] !== undefined && "type" in value && "format" in value) {
          if (head[name] === member) continue;
          throw new Refused(`a value inside has ${shown(member)}, and the whole ${JSON.stringify(head[name])}`);
        }
        string(name);
        put(member, head);
      }
    }
    reserve(1);
    words[next++] = END;
  } catch (error) {
    throw error instanceof Refused ? error.inside(step) : error;
  }
}
