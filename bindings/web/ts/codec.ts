import { call, failure, wasm } from "./engine.js";
import { EncodeError, withoutLine } from "./errors.js";
import type { FormatName, FormatOptions } from "./generated.js";
import { read } from "./tape.js";
import { write } from "./text.js";
import type { Documents, Encodable } from "./types.js";

/** Bytes in any of the forms that JavaScript has. Nothing of them is kept or changed. */
export type Input = Uint8Array | ArrayBuffer | ArrayBufferView;

/** Which format bytes have, how they are read, and what reports call them. */
export interface DecodeOptions<Name extends FormatName = FormatName> extends FormatOptions {
  format: Name;
  /** The name of the input in the `report` of an error. Default: `"input"`. */
  name?: string;
}

/** The options of `encode`. */
export interface EncodeOptions<Name extends FormatName = FormatName> extends FormatOptions {
  format: Name;
}

/** Which JSON: with all types, without types, or as Rojo has attributes. */
export type Form = "exact" | "plain" | "rojo";

/** What to say of a format that is not here: of `format "godot-5"`. */
function noFormat(format: string): string {
  const names = Object.keys(FORMATS);
  if (ENTRY === "enginewire") return `there is no ${format}; expected one of ${names.join(", ")}`;
  return `there is no ${format} in "${ENTRY}", which has ${names.join(" and ")}; import "enginewire" for all formats`;
}

/** @internal The number of a format. */
export function formatNumber(name: FormatName): number {
  const number = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (number === undefined) throw new TypeError(noFormat(`format ${JSON.stringify(name)}`));
  return number;
}

/** @internal The bytes of an input. */
export function bytesOf(input: Input): Uint8Array {
  if (input instanceof Uint8Array) return input;
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  throw new TypeError("expected a Uint8Array, an ArrayBuffer or a view of one");
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** @internal Options as the library takes them; empty if all have their default. `passed` are no options of formats. */
export function optionText(options: object, passed = ""): string {
  let text = "";
  for (const name in options) {
    const value = (options as Record<string, unknown>)[name];
    if (name === "format" || value === undefined || passed.includes(name)) continue;
    text += `${text === "" ? "{" : ","}${JSON.stringify(snake(name))}:${JSON.stringify(value)}`;
  }
  return text === "" ? "" : text + "}";
}

/**
 * Decodes a value to objects.
 *
 * @throws {DecodeError} if the bytes are no value of the format.
 */
export function decode<Name extends FormatName>(input: Input, options: DecodeOptions<Name>): Documents[Name] {
  const format = formatNumber(options.format);
  const text = optionText(options);
  const bytes = bytesOf(input);
  return call(() => {
    const address = wasm.decode(format, bytes, text);
    if (address === 0) throw failure();
    return read(address) as Documents[Name];
  });
}

/** What names the format of a document. */
function headOf(format: FormatName): Record<string, string | number> {
  switch (format) {
    case "godot-3":
      return { format: "godot-variant", version: 3 };
    case "godot-4":
      return { format: "godot-variant", version: 4 };
    case "scrap-mechanic-lua":
      return { format, version: 1 };
    default:
      return { format };
  }
}

/** @internal The text of a document, whose format may be missing but may not be another. */
export function documentText(value: object, format: FormatName): string {
  if (typeof value !== "object" || value === null) throw new TypeError("expected a document: an object");
  const head = headOf(format);
  const given = value as Record<string, unknown>;
  for (const [name, expected] of Object.entries(head)) {
    if (given[name] !== undefined && given[name] !== expected) {
      const reason = `expected ${JSON.stringify(expected)} for ${format}, found ${write(given[name])}`;
      throw new EncodeError({ kind: "encode", code: "document", message: `${name}: ${reason}`, reason, path: name });
    }
  }
  return write({ ...head, ...given });
}

/**
 * Encodes a document. What `decode` gave becomes the same bytes, if they were canonical.
 *
 * @throws {EncodeError} if it is no document of the format, or the format cannot hold it.
 */
export function encode<Name extends FormatName>(value: Encodable[Name], options: EncodeOptions<Name>): Uint8Array {
  formatNumber(options.format);
  return withoutLine(() => fromText(documentText(value, options.format), options));
}

/** Decodes a value to JSON text, which loses nothing unless it is in the form `"plain"` or `"rojo"`. */
export function toText(input: Input, options: DecodeOptions & { form?: Form; pretty?: boolean }): string {
  const { form = "exact", pretty = false, ...rest } = options;
  const format = formatNumber(options.format);
  return call(() => wasm.decode_text(format, bytesOf(input), optionText(rest), form, pretty));
}

/**
 * Encodes JSON text. Without a format it is the one that the text names. In the form `"plain"`, values have the types of those
 * with the same path in the bytes `like`.
 */
export function fromText(
  text: string,
  options: FormatOptions & { format?: FormatName; form?: Form; like?: Input } = {},
): Uint8Array {
  const { form = "exact", like, ...rest } = options;
  return call(() => {
    const format = options.format === undefined ? wasm.format_of_document(text) : formatNumber(options.format);
    if (format < 0) {
      const isNamed = format === -2;
      const message = isNamed ? noFormat("such format as the text names") : "the text names no format; it needs a member `format`, or the option `format`";
      throw new EncodeError({ kind: "encode", code: "document", message, path: "format" });
    }
    return wasm.encode_text(format, text, optionText(rest), form, like === undefined ? undefined : bytesOf(like));
  });
}

/** Decodes a value to text in the language of its engine: Luau, GDScript or Lua. */
export function toNotation(input: Input, options: DecodeOptions): string {
  const format = formatNumber(options.format);
  return call(() => wasm.decode_notation(format, bytesOf(input), optionText(options)));
}

/** Encodes text in the language of its engine. */
export function fromNotation(text: string, options: EncodeOptions): Uint8Array {
  const format = formatNumber(options.format);
  return call(() => wasm.encode_notation(format, text, optionText(options)));
}
