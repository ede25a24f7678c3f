import { formatOf, optionText, type DecodeOptions } from "./codec.js";
import { call, wasm } from "./engine.js";
import type { FormatName, StreamFormatOptions } from "./generated.js";
import { bytesOf, type Input } from "./given.js";

/** A range of bytes; bits only where fields begin or end between the bits of a byte. */
export interface Range {
  start: number;
  start_bit?: number;
  end: number;
  end_bit?: number;
}

/** A field, a structure or an item of a value, with its place. */
export interface Field extends Range {
  /** Its name in the specification; an item has an `index` instead. */
  label?: string;
  index?: number;
  /** The key of an item of a map. */
  key?: string;
  value?: string;
  /** An unusual property: `"not canonical: …"`, `"draft type"`. */
  note?: string;
  /** True if it could not be read to its end. */
  broken?: true;
  children?: Field[];
}

/** Every field of a value: of a broken one, those before the error. */
export interface Tree {
  file: string;
  format: FormatName;
  /** The length of the input in bytes. */
  length: number;
  nodes: Field[];
  error?: { code: string; message: string; offset: number; bit?: number; path: string; truncated: boolean; expected?: string };
  /** The limit of memory, if the tree ends there. */
  limit?: number;
  /** The bytes that belong to no field. */
  gap?: Range;
}

/** Every field of a value with its place. Invalid bytes do not throw here: the tree has an `error`. */
export function inspect(input: Input, options: DecodeOptions): Tree {
  return JSON.parse(inspectText(input, options)) as Tree;
}

/** The same as the JSON text that `enginewire inspect --json` writes. */
export function inspectText(input: Input, options: DecodeOptions): string {
  const format = formatOf(options);
  const [bytes, given] = [bytesOf(input), optionText(options)];
  return call(() => wasm.inspect(format, bytes, given));
}

/** The number of findings of a kind, and the first of them. */
export interface Found {
  count: number;
  first: { offset: number; bit: number; what: string } | null;
}

/** The result of a check of valid bytes. */
export interface Checked {
  /** The number of items, if the format counts them. */
  entries: number | null;
  /** The form of an empty value, if the format has several. */
  empty: string | null;
  /** True if encoding the decoded value gives the same bytes. */
  canonical: boolean;
  nonCanonical: Found;
  /** Types that were never seen in real data. */
  drafts: Found;
}

/**
 * Checks bytes without making objects of them. With `framing`, they are values of Godot with their lengths before them.
 *
 * @throws {DecodeError} if the bytes are not a value of the format.
 */
export function check(input: Input, options: DecodeOptions & StreamFormatOptions): Checked {
  const format = formatOf(options);
  const [bytes, given] = [bytesOf(input), optionText(options, true)];
  return JSON.parse(call(() => wasm.check(format, bytes, given))) as Checked;
}

/** A format that bytes may have, and the reason. */
export interface Detection {
  format: FormatName;
  /** `"certain"`: they have its signature. `"likely"`: all are a value. `"possible"`: some fields are valid. */
  confidence: "certain" | "likely" | "possible";
  reason: string;
  fields: number;
  /** The length of the value in bytes, if it is whole and other bytes follow. */
  length?: number;
  /** Set for values of Godot with their lengths before them, as from `store_var`. Pass it to `decodeFrames`. */
  framing?: "le" | "be";
}

/** The formats that bytes may have, the likeliest first; none if they are a file of another kind, going by its first bytes. */
export function detect(input: Input): Detection[] {
  const bytes = bytesOf(input);
  return JSON.parse(call(() => wasm.detect(bytes))) as Detection[];
}

/** The kind of a file that holds values. Later versions of the package may know more. */
export type FileKind =
  | "rbxm" | "rbxmx" | "scrap-mechanic-save" | "scrap-mechanic-blueprint"
  | "godot-project" | "godot-config" | "godot-pack" | "godot-script" | "godot-uid-cache" | "godot-scene" | "godot-text" | (string & {});

/** The kind of a file by its first bytes, if it is one that holds values. */
export function detectFile(head: Input): FileKind | undefined {
  const bytes = bytesOf(head).subarray(0, 4096);
  const kind = call(() => wasm.detect_file(bytes));
  return kind === "" ? undefined : kind;
}

/** A kind of file that holds no values that can be read. */
export interface Signature {
  /** Its name: `"gzip"`. */
  name: string;
  /** The finding: `"the file is compressed with gzip"`. */
  about: string;
  /** The next step: `"unpack it first"`. */
  advice: string;
}

/** The kind of a file that holds no readable values, by its first bytes: packed, a picture, text, another file of an engine. */
export function signature(head: Input): Signature | undefined {
  const bytes = bytesOf(head);
  const found = call(() => wasm.signature(bytes));
  return found === "" ? undefined : (JSON.parse(found) as Signature);
}

/** The description of a format, with its options and its table of types. */
export interface FormatDescription {
  name: FormatName;
  about: string;
  found_in: string;
  /** The signature that all bytes of the format begin with; empty if the format has none. */
  magic: string;
  /** The language of its engine. */
  notation: "Luau" | "GDScript" | "Lua";
  forms: ("exact" | "plain" | "rojo")[];
  options: { name: string; about: string; default: boolean | number | string; accepts: string | string[] }[];
  types: { id: string; name: string; status: "spec" | "real" | "draft" | "proposed" }[];
}

const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** All formats. */
export function formats(): FormatDescription[] {
  const formats = JSON.parse(call(() => wasm.describe_formats())) as FormatDescription[];
  for (const { options } of formats) for (const option of options) option.name = camel(option.name);
  return formats;
}
