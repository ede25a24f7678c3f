import { decode, encode, optionText } from "./codec.js";
import { call, failure, Handle, wasm } from "./engine.js";
import { DecodeError, errorOf, type Details } from "./errors.js";
import type { FormatOptions, StreamFormatOptions } from "./generated.js";
import { bytesOf, textOf, type Input, type OwnBytes } from "./given.js";
import { read } from "./tape.js";
import type { Documents, Encodable } from "./types.js";

type Versions = "godot-3" | "godot-4";
type Godot = Versions | "godot-resource";

/** The kinds of files that this version knows. */
type Known =
  | "godot-project" | "godot-config" | "godot-text" | "godot-pack" | "godot-scene" | "godot-script" | "godot-uid-cache" | "godot-frames-le" | "godot-frames-be" | "godot-values";

/** The kind of the file inside the layers. Later versions of the package may know more. */
export type GodotFileKind = Known | "value" | (string & {});

/** The options of a file, of its layers and of its values. `framing` says that it is values with their lengths, and which. */
export interface GodotFileOptions extends FormatOptions, StreamFormatOptions {
  /**
   * What the file is, as the option `-f` of the program takes it: the format of its values, if it does not specify it; its kind, which
   * is not detected then; or both: `"godot-3"`, `"godot-config"`, `"godot-config:godot-3"`.
   */
  format?: Versions | Known | `${Known}:${Versions}`;
}

/** A value in a file. */
export interface GodotFileValue {
  /** `"application/config/name"`, `"res://icon.svg"`, `"[3]"`; empty if the file is one value. */
  address: string;
  /** The format of its bytes; `undefined` if they are a file, or if neither the file nor the options specify it. */
  format: Godot | undefined;
  /** Its bytes, unless there is an error. */
  bytes: Uint8Array | undefined;
  /** Why it has no bytes. */
  error: DecodeError | undefined;
  /** Details of its storage in the file, for people. */
  about: string | undefined;
}

/** A value from the library, with its possible formats. */
interface Row {
  address: string;
  formats: string;
  bytes: Uint8Array | null;
  error: string | null;
  about: string | null;
}

const errorIn = (text: string | null) => (text === null ? undefined : (errorOf(JSON.parse(text) as Details) as DecodeError));

/** A file of Godot, opened by `openFile`. Values are changed; all else in the file, and the layers around it, stay as they are. */
export class GodotFile {
  /** The layers around the file, the outermost first: `"GDEC (Godot 4) > GCPF (zstd)"`. Empty if there are none. */
  readonly layers: string;
  readonly kind: GodotFileKind;
  readonly #handle: Handle;
  /** Its bytes as they were. */
  #file: OwnBytes;
  readonly #format: Godot | undefined;
  readonly #options: FormatOptions;
  readonly #changed = new Map<string, Uint8Array>();
  #values: GodotFileValue[] | undefined;
  /** The first value of each address. */
  readonly #first = new Map<string, GodotFileValue>();
  /** Why there are no more values. */
  #end: DecodeError | undefined;

  /** @internal */
  constructor(number: number, file: Uint8Array, { format: _, framing, ...options }: GodotFileOptions) {
    this.#handle = new Handle(this, "file", number, wasm.file_free);
    const about = JSON.parse(call(() => wasm.file_about(number))) as { layers: string; kind: string; formats: Godot[] };
    this.#file = file.slice();
    this.layers = about.layers;
    this.kind = about.kind;
    this.#format = about.formats.length === 1 ? about.formats[0] : undefined;
    this.#options = options;
  }

  /** The values as they are in the file. They are read when they are needed first. */
  #read(): GodotFileValue[] {
    const { number } = this.#handle;
    if (this.#values !== undefined) return this.#values;
    const { values, error } = call(() => {
      const address = wasm.file_values(number);
      if (address === 0) throw failure();
      return read(address) as { values: Row[]; error: string | null };
    });
    this.#end = errorIn(error);
    this.#values = values.map(({ address, formats, bytes, error, about }) => {
      const can = formats === "" ? [] : (formats.split(" ") as Godot[]);
      const format = can.find((name) => name === this.#format) ?? (can.length === 1 ? can[0] : undefined);
      return { address, format, bytes: bytes ?? undefined, error: errorIn(error), about: about ?? undefined };
    });
    for (const value of this.#values) if (!this.#first.has(value.address)) this.#first.set(value.address, value);
    return this.#values;
  }

  /** A value with the change of it. */
  #now(address: string): GodotFileValue | undefined {
    this.#read();
    const [value, bytes] = [this.#first.get(address), this.#changed.get(address)];
    if (bytes === undefined) return value;
    const { format, about } = value ?? { format: this.#format };
    return { address, format, bytes: bytes.slice(), error: undefined, about };
  }

  #formatOf(address: string, value: GodotFileValue | undefined): Godot {
    const format = value === undefined ? this.#format : value.format;
    if (format !== undefined) return format;
    if (this.kind === "godot-pack") throw new TypeError(`${address} is a file and not a value; its \`bytes\` can be opened by openFile`);
    throw new TypeError("the file does not tell the format of its values; give openFile the option `format`");
  }

  /**
   * The values in the order of the file, with the changes.
   *
   * @throws {DecodeError} after the last, if the file is broken there.
   */
  *values(): Generator<GodotFileValue, void, undefined> {
    for (const value of this.#read()) yield this.#first.get(value.address) === value ? this.#now(value.address)! : value;
    for (const address of this.#changed.keys()) if (!this.#first.has(address)) yield this.#now(address)!;
    if (this.#end !== undefined) throw this.#end;
  }

  /**
   * The first value with this address, as a document; `undefined` if the file lacks it. The address of a file that is one value is
   * empty: a resource is had by `get<"godot-resource">("")`.
   *
   * @throws {DecodeError} if it is broken.
   */
  get<Name extends Godot = "godot-3" | "godot-4">(address: string): Documents[Name] | undefined {
    const value = this.#now(textOf(address, "address"));
    if (value === undefined) return undefined;
    if (value.bytes === undefined) throw value.error;
    return decode(value.bytes, { ...this.#options, format: this.#formatOf(address, value) as Name, name: address });
  }

  /**
   * Gives a value another document or other bytes; of several with this address, the first. An address that is not there is that of
   * a new value, which is added as the last.
   */
  set(address: string, value: Encodable[Godot] | Input): void {
    const now = this.#now(textOf(address, "address"));
    const isBytes = value instanceof ArrayBuffer || ArrayBuffer.isView(value);
    const bytes = isBytes ? bytesOf(value).slice() : encode(value, { ...this.#options, format: this.#formatOf(address, now) });
    this.#changed.set(address, bytes);
  }

  /**
   * The whole file with the changes, in its layers; without any, its bytes as they were.
   *
   * @throws {EncodeError} if the file cannot hold a value.
   */
  save(): OwnBytes {
    const { number } = this.#handle;
    if (this.#changed.size === 0) return this.#file.slice();
    const changed = [...this.#changed.values()];
    const all = new Uint8Array(changed.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const bytes of changed) {
      all.set(bytes, at);
      at += bytes.length;
    }
    const lengths = Uint32Array.from(changed, ({ length }) => length);
    return call(() => wasm.file_changed(number, [...this.#changed.keys()], lengths, all)) as OwnBytes;
  }

  /** Frees its memory in WebAssembly. Otherwise that happens when it is garbage-collected. */
  free(): void {
    this.#handle.free();
    this.#file = new Uint8Array();
    [this.#values, this.#end] = [undefined, undefined];
    this.#first.clear();
    this.#changed.clear();
  }
}

/**
 * Opens a file of Godot and the layers around it: compressed, encrypted, gzip, base64. Without a signature it is values with their
 * lengths, if all of it is, or else one value.
 *
 * @throws {DecodeError} if it is no such file, or cannot be decrypted.
 */
export function openFile(file: Input, options: GodotFileOptions = {}): GodotFile {
  const asked = textOf(options.format ?? "", "format");
  const [bytes, text] = [bytesOf(file), optionText({ ...options, format: "godot-4" }, true)];
  return new GodotFile(call(() => wasm.file_open(bytes, asked, text)), bytes, options);
}
