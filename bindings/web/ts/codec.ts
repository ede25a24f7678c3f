import { call, failure, wasm } from "./engine.js";
import { EncodeError, ofObjects } from "./errors.js";
import type { FormatName, FormatOptions } from "./generated.js";
import { bytesOf, shown, textOf, type Input, type OwnBytes } from "./given.js";
import { read } from "./tape.js";
import { LIKE, PLAIN, write, type Head, type Written } from "./write.js";
import type { Documents, Encodable, Plain, PlainInput } from "./types.js";

/** The format of bytes, the options for reading them, and their name in reports. */
export interface DecodeOptions<Name extends FormatName = FormatName> extends FormatOptions {
  format: Name;
  /** The name of the input in the `report` of an error. Default: `"input"`. */
  name?: string;
}

/** The options of `encode`. */
export interface EncodeOptions<Name extends FormatName = FormatName> extends FormatOptions {
  format: Name;
}

/** The form of JSON: with all types, without types, or the form of attributes in Rojo projects. */
export type Form = "exact" | "plain" | "rojo";

/** The message for an unknown format, given as `format "godot-5"`. */
function noFormat(format: string): string {
  const names = Object.keys(FORMATS);
  if (ENTRY === "enginewire") return `there is no ${format}; expected one of ${names.join(", ")}, or godot-resource of "enginewire/godot-files"`;
  return `there is no ${format} in "${ENTRY}", which has ${names.join(", ").replace(/, (?=[^,]*$)/, " and ")}; import "enginewire" for the others`;
}

/** @internal The number of the format that options name. */
export function formatOf(options: { format: FormatName }): number {
  if (typeof options !== "object" || options === null) throw new TypeError("expected options that name a format");
  const name = options.format;
  const number = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (number === undefined) throw new TypeError(noFormat(`format ${shown(name)}`));
  return number;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * @internal Options in the form that the library takes; empty if all have their default. With `areFramed`, there may be several
 * values, and the option `framing` is allowed.
 */
export function optionText(options: object, areFramed = false): string {
  let text = "";
  for (const name in options) {
    const value = (options as Record<string, unknown>)[name];
    if (name === "format" || value === undefined) continue;
    if (name === "name" || typeof value === "string") textOf(value, name);
    else if (typeof value !== "boolean" && !Number.isFinite(value)) {
      throw new TypeError(`${name}: expected a flag, a number or a text, found ${shown(value)}`);
    }
    if (name === "framing" && value !== "none") {
      if (!areFramed) throw new TypeError("framing: this takes one value without its length; for more of them there are decodeFrames, encodeFrames and Decoder");
      const { format } = options as { format?: unknown };
      if (format !== "godot-3" && format !== "godot-4") throw new TypeError("framing: only values of Godot have their length before them");
    }
    text += `${text === "" ? "{" : ","}${JSON.stringify(snake(name))}:${JSON.stringify(value)}`;
  }
  return text === "" ? "" : text + "}";
}

/** True if objects have the plain form, false if they are documents. */
function isPlain(form: unknown): boolean {
  if (form === undefined || form === "exact") return false;
  if (form === "plain") return true;
  throw new TypeError(`form: expected "exact" or "plain" for objects, found ${shown(form)}; toText and fromText have all forms`);
}

/**
 * Decodes a value to objects. They are a document with all types, which `encode` takes back without loss. With `form: "plain"` they are a
 * value without types, like one from `JSON.parse`.
 *
 * @throws {DecodeError} if the bytes are not a value of the format.
 */
export function decode(input: Input, options: DecodeOptions & { form: "plain" }): Plain;
export function decode<Name extends FormatName>(input: Input, options: DecodeOptions<Name> & { form?: "exact" }): Documents[Name];
export function decode(input: Input, options: DecodeOptions & { form?: "exact" | "plain" }): unknown {
  const format = formatOf(options);
  const { form, ...rest } = options;
  const text = optionText(rest);
  const [bytes, plain] = [bytesOf(input), isPlain(form)];
  return call(() => {
    const address = wasm.decode(format, bytes, text, plain);
    if (address === 0) throw failure();
    return read(address);
  });
}

/** The members of a document that name its format. */
const HEADS: Record<FormatName, Head> = {
  "roblox-attributes": { format: "roblox-attributes" },
  "roblox-remote": { format: "roblox-remote" },
  "scrap-mechanic-lua": { format: "scrap-mechanic-lua", version: 1 },
  "godot-3": { format: "godot-variant", version: 3 },
  "godot-4": { format: "godot-variant", version: 4 },
  "godot-resource": { format: "godot-resource" },
};

/** @internal A document for the library. Its format may be missing, but may not be another. */
export function written(value: object, format: FormatName): Written {
  if (typeof value !== "object" || value === null) throw new TypeError("expected a document: an object");
  const head = HEADS[format];
  for (const name in head) {
    const [given, expected] = [(value as Record<string, unknown>)[name], head[name]];
    if (given !== undefined && given !== expected) {
      const reason = `expected ${JSON.stringify(expected)} for ${format}, found ${shown(given)}`;
      throw new EncodeError({ kind: "encode", code: "document", message: `${name}: ${reason}`, reason, path: name });
    }
  }
  // a list is not taken for the values of a document
  return write(Array.isArray(value) || ArrayBuffer.isView(value) ? { ...value } : value, head);
}

/**
 * The number of the format of a text.
 *
 * @throws {EncodeError} if the text names no format, or another one than `asked`.
 */
function formatOfText(text: string, asked: FormatName | undefined, isExact: boolean): number {
  const number = asked === undefined ? undefined : formatOf({ format: asked });
  // other forms do not name their format
  if (number !== undefined && !isExact) return number;
  const named = call(() => wasm.format_of_document(text));
  const refused = (message: string) => new EncodeError({ kind: "encode", code: "document", message, path: "format" });
  if (number !== undefined) {
    if (named < 0 || named === number) return number;
    const name = Object.keys(FORMATS).find((name) => FORMATS[name] === named);
    throw refused(`the text is of the format ${name}, but the option \`format\` is ${asked}; leave it out`);
  }
  if (named >= 0) return named;
  if (named === -2) throw refused(noFormat("such format as the text names"));
  try {
    JSON.parse(text);
  } catch (error) {
    throw refused(`the text is not JSON: ${(error as Error).message}`);
  }
  throw refused("the text names no format; it needs a member `format`, or the option `format`");
}

/** Members of documents. Each document has one of them. */
const OF_DOCUMENTS = ["format", "version", "type", "entries", "packets"];

/** The options of `encode` for a value without types. */
export interface PlainOptions extends EncodeOptions {
  form: "plain";
  /** Bytes of a value that has the types: each value gets that of the one with the same path. */
  like?: Input;
}

/**
 * Encodes a document. What `decode` gave becomes the same bytes, if they were canonical. With `form: "plain"` it takes a value without
 * types. They come from `like`, where a new value must be a number, a string or a boolean. Without `like`, a whole number is an integer
 * where the format has such, an object is a dictionary or table, and a `Uint8Array` is bytes.
 *
 * @throws {EncodeError} if the value is not a document of the format, or the format cannot hold it.
 */
export function encode(value: PlainInput, options: PlainOptions): OwnBytes;
export function encode<Name extends FormatName>(value: Encodable[Name], options: EncodeOptions<Name> & { form?: "exact" }): OwnBytes;
export function encode(value: unknown, options: EncodeOptions & { form?: "exact" | "plain"; like?: Input }): OwnBytes {
  const format = formatOf(options);
  const { form, like, ...rest } = options;
  const given = optionText(rest);
  const [plain, typed] = [isPlain(form), like === undefined ? undefined : bytesOf(like)];
  if (typed !== undefined && !plain) throw new TypeError('like: only a value without types, `form: "plain"`, has its types from other bytes');
  if (!plain && typeof value === "object" && value !== null && !OF_DOCUMENTS.some((name) => Object.hasOwn(value, name))) {
    const reason = 'expected a document with types, such as `decode` returns; a value without types needs `form: "plain"`';
    throw new EncodeError({ kind: "encode", code: "document", message: reason, reason, path: "" });
  }
  const { words, text } = plain ? write(value, typed === undefined ? PLAIN : LIKE) : written(value as object, options.format);
  return ofObjects(() =>
    call(() => {
      const address = plain ? wasm.encode_plain(format, words, text, given, typed) : wasm.encode(format, words, text, given);
      if (address === 0) throw failure();
      return read(address) as OwnBytes;
    }),
  );
}

/** Decodes a value to JSON text, which loses nothing unless it is in the form `"plain"` or `"rojo"`. */
export function toText(input: Input, options: DecodeOptions & { form?: Form; pretty?: boolean }): string {
  const format = formatOf(options);
  const { form = "exact", pretty = false, ...rest } = options;
  const given = optionText(rest);
  const [bytes, name] = [bytesOf(input), textOf(form, "form")];
  return call(() => wasm.decode_text(format, bytes, given, name, Boolean(pretty)));
}

/**
 * Encodes JSON text. Without a format it is the one that the text names. In the form `"plain"`, values have the types of those
 * with the same path in the bytes `like`.
 */
export function fromText(
  text: string,
  options: FormatOptions & { format?: FormatName; form?: Form; like?: Input } = {},
): OwnBytes {
  const { form = "exact", like, ...rest } = options;
  const [document, name] = [textOf(text, "text"), textOf(form, "form")];
  const given = optionText(rest);
  const typed = like === undefined ? undefined : bytesOf(like);
  const format = formatOfText(document, options.format, name === "exact");
  return call(() => wasm.encode_text(format, document, given, name, typed)) as OwnBytes;
}

/** Decodes a value to text in the language of its engine: Luau, GDScript or Lua. */
export function toNotation(input: Input, options: DecodeOptions): string {
  const format = formatOf(options);
  const [given, bytes] = [optionText(options), bytesOf(input)];
  return call(() => wasm.decode_notation(format, bytes, given));
}

/** Encodes text in the language of its engine. */
export function fromNotation(text: string, options: EncodeOptions): OwnBytes {
  const format = formatOf(options);
  const [given, notation] = [optionText(options), textOf(text, "text")];
  return call(() => wasm.encode_notation(format, notation, given)) as OwnBytes;
}
