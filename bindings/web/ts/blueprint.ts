import { written } from "./codec.js";
import { call, failure, Handle, wasm } from "./engine.js";
import { ofObjects } from "./errors.js";
import { bytesOf, indexOf, textOf, wholeOf, type Input, type OwnBytes } from "./given.js";
import { read } from "./tape.js";
import type { Encodable, ScrapMechanicLua } from "./types.js";

/** A part of a blueprint that has an object: `bodies[body].childs[child]`. */
export interface Part {
  body: number;
  child: number;
}

const partOf = (index: number) => indexOf(index, "the index of a part");

/** A blueprint of Scrap Mechanic. All of its text, except the objects that are replaced, stays as it is. */
export class Blueprint {
  readonly #handle: Handle;

  private constructor(number: number) {
    this.#handle = new Handle(this, "blueprint", number, wasm.blueprint_free);
  }

  /**
   * Reads a `blueprint.json`: its bytes or its text.
   *
   * @throws {DecodeError} if the text is not a blueprint.
   * @throws {TypeError} if the bytes are not UTF-8.
   */
  static open(file: Input | string, { maxMemory = 256 << 20 }: { maxMemory?: number } = {}): Blueprint {
    const text = typeof file === "string" ? textOf(file, "file") : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOf(file));
    const limit = wholeOf(maxMemory, "maxMemory");
    return new Blueprint(call(() => wasm.blueprint_open(text, limit)));
  }

  #call<T>(work: (blueprint: number) => T): T {
    const { number } = this.#handle;
    return call(() => work(number));
  }

  /** The parts that have an object, in the order of the text. */
  parts(): Part[] {
    return JSON.parse(this.#call(wasm.blueprint_parts)) as Part[];
  }

  /** The object of a part, by its index in `parts`. */
  decode(part: number): ScrapMechanicLua {
    const index = partOf(part);
    return this.#call((blueprint) => {
      const address = wasm.blueprint_decode(blueprint, index);
      if (address === 0) throw failure();
      return read(address) as ScrapMechanicLua;
    });
  }

  /** Gives a part another object. */
  replace(part: number, object: Encodable["scrap-mechanic-lua"]): void {
    const index = partOf(part);
    const { words, text } = written(object, "scrap-mechanic-lua");
    ofObjects(() => this.#call((blueprint) => wasm.blueprint_replace(blueprint, index, words, text)));
  }

  /** The file with the changes; without any, its bytes as they were. */
  save(): OwnBytes {
    return new TextEncoder().encode(this.#call(wasm.blueprint_text));
  }

  /** Frees its memory in WebAssembly. Otherwise that happens when it is garbage-collected. */
  free(): void {
    this.#handle.free();
  }
}
