import { written } from "./codec.js";
import { call, failure, Handle, wasm } from "./engine.js";
import { ofObjects } from "./errors.js";
import type { AttributeValue } from "./generated.js";
import { bytesOf, indexOf, textOf, wholeOf, type Input, type OwnBytes } from "./given.js";
import { read } from "./tape.js";
import { write } from "./write.js";
import type { Encodable, RobloxAttributes } from "./types.js";

/** An instance in a model or place file. */
export interface Instance {
  /** Its number in the file. The methods of `Model` take this number. */
  index: number;
  class: string;
  name: string;
  /** Its identifier in the file. */
  referent: string;
  /** The index of its parent; `null` at the root. */
  parent: number | null;
  /** Its place in the file, which is unique: `"@0x20:3"`. */
  place: string;
  hasAttributes: boolean;
  hasTags: boolean;
}

/** The property that attributes are in. Those of a StyleRule may be its properties. */
export type AttributesProperty = "AttributesSerialize" | "PropertiesSerialize" | "PropertyTransitionsSerialize" | "SerializedEmulatedPolicyInfo";

/** A number, text or boolean keeps the type that the attribute has; a new one is a Double, String or Bool. */
export type PlainValue = number | string | boolean;

interface InProperty {
  /** Default: `"AttributesSerialize"`. */
  property?: AttributesProperty;
}

const instanceOf = (index: number) => indexOf(index, "the index of an instance");

/**
 * A Roblox model or place file: .rbxm, .rbxl, .rbxmx, .rbxlx. Attributes and tags are changed; everything else in the file stays
 * as it is.
 *
 * ```ts
 * const model = Model.open(await readFile("place.rbxl"));
 * for (const { index, name } of model.instances()) {
 *   if (name === "Torch") model.set(index, "Fuel", 42);
 * }
 * await writeFile("place.rbxl", model.save());
 * ```
 */
export class Model {
  readonly #handle: Handle;

  private constructor(number: number) {
    this.#handle = new Handle(this, "model", number, wasm.model_free);
  }

  /**
   * Reads a file. It takes no more memory than `maxMemory` bytes, by default 256 MiB.
   *
   * @throws {DecodeError} if the bytes are not a model file.
   */
  static open(file: Input, { maxMemory = 256 << 20 }: { maxMemory?: number } = {}): Model {
    const [bytes, limit] = [bytesOf(file), wholeOf(maxMemory, "maxMemory")];
    return new Model(call(() => wasm.model_open(bytes, limit)));
  }

  #call<T>(work: (model: number) => T): T {
    const { number } = this.#handle;
    return call(() => work(number));
  }

  #read(work: (model: number) => number): unknown {
    return this.#call((model) => {
      const address = work(model);
      if (address === 0) throw failure();
      return read(address);
    });
  }

  /** All instances, in the order of the file. */
  instances(): Instance[] {
    return this.#read(wasm.model_instances) as Instance[];
  }

  /** The parts of the file that could not be read. A file with problems is not changed. */
  problems(): string[] {
    return this.#call(wasm.model_problems);
  }

  /** The names from the root to an instance, with dots between them. */
  path(instance: number): string {
    const index = instanceOf(instance);
    return this.#call((model) => wasm.model_path(model, index));
  }

  /** The indices of the instances with this path, referent or place. */
  find(path: string): number[] {
    const text = textOf(path, "path");
    return Array.from(this.#call((model) => wasm.model_find(model, text)));
  }

  /** The attributes of an instance, with the changes. */
  attributes(instance: number, { property = "AttributesSerialize" }: InProperty = {}): RobloxAttributes {
    const [index, kind] = [instanceOf(instance), textOf(property, "property")];
    return this.#read((model) => wasm.model_attributes(model, index, kind)) as RobloxAttributes;
  }

  /** The bytes of a property of an instance, with the changes; empty if it has none. */
  bytes(instance: number, property: AttributesProperty | "Tags" = "AttributesSerialize"): OwnBytes {
    const [index, kind] = [instanceOf(instance), textOf(property, "property")];
    return this.#call((model) => wasm.model_bytes(model, index, kind)) as OwnBytes;
  }

  /**
   * Sets an attribute. Several with this key are refused, because readers do not agree on the one that counts: `remove` them first. A
   * name that Roblox does not allow is refused, unless `anyKey` is set; so is a value that no script can set, such as a Ray, unless
   * `anyType` is set. The value may be an entry of other attributes, whose key does not matter.
   */
  set(
    instance: number,
    key: string,
    value: AttributeValue | PlainValue,
    { property = "AttributesSerialize", anyKey = false, anyType = false }: InProperty & { anyKey?: boolean; anyType?: boolean } = {},
  ): void {
    const [index, kind, name] = [instanceOf(instance), textOf(property, "property"), textOf(key, "key")];
    // JSON has no numbers like NaN or infinity, so a new value needs its type
    const isNew = () => !this.attributes(instance, { property }).entries.some((entry) => entry.key === key);
    const given = typeof value === "number" && !Number.isFinite(value) && isNew() ? { type: "Double", value } : value;
    const isTyped = typeof given === "object" && given !== null;
    const { words, text } = write(isTyped ? { ...given, key: undefined } : given);
    const any = [Boolean(anyKey), Boolean(anyType)] as const;
    ofObjects(() => this.#call((model) => wasm.model_set(model, index, kind, name, words, text, isTyped, ...any)));
  }

  /** Removes the attributes with this key. Returns true if there was one. */
  remove(instance: number, key: string, { property = "AttributesSerialize" }: InProperty = {}): boolean {
    const [index, kind, name] = [instanceOf(instance), textOf(property, "property"), textOf(key, "key")];
    return this.#call((model) => wasm.model_remove(model, index, kind, name));
  }

  /** Gives an instance these attributes and no others. */
  replace(
    instance: number,
    attributes: Encodable["roblox-attributes"],
    { property = "AttributesSerialize" }: InProperty = {},
  ): void {
    const [index, kind] = [instanceOf(instance), textOf(property, "property")];
    const { words, text } = written(attributes, "roblox-attributes");
    ofObjects(() => this.#call((model) => wasm.model_replace(model, index, kind, words, text)));
  }

  /** The tags of an instance, with the changes. */
  tags(instance: number): string[] {
    const index = instanceOf(instance);
    return this.#call((model) => wasm.model_tags(model, index));
  }

  /** Adds a tag. Returns true if it is new. */
  addTag(instance: number, tag: string): boolean {
    return this.#tag(instance, tag, true);
  }

  /** Removes a tag. Returns true if it was there. */
  removeTag(instance: number, tag: string): boolean {
    return this.#tag(instance, tag, false);
  }

  #tag(instance: number, tag: string, isAdded: boolean): boolean {
    const [index, text] = [instanceOf(instance), textOf(tag, "tag")];
    return this.#call((model) => wasm.model_tag(model, index, text, isAdded));
  }

  /** The file with the changes; without any, its bytes as they were. */
  save(): OwnBytes {
    return this.#call(wasm.model_save) as OwnBytes;
  }

  /** Frees its memory in WebAssembly. Otherwise that happens when it is garbage-collected. */
  free(): void {
    this.#handle.free();
  }
}
