import { formatOf, optionText, type DecodeOptions } from "./codec.js";
import { call, failure, Handle, wasm } from "./engine.js";
import type { FormatName, StreamFormatOptions } from "./generated.js";
import { bytesOf, wholeOf, type Input } from "./given.js";
import { read } from "./tape.js";
import type { Items } from "./types.js";

/** The options of a stream. With `framing`, each value of Godot has its length before it. */
export interface StreamOptions<Name extends FormatName = FormatName> extends DecodeOptions<Name>, StreamFormatOptions {
  /** The most bytes that one item may take. Default: 16 MiB. */
  itemLimit?: number;
}

/** A source of pieces: a body of `fetch`, a stream of Node, a list. */
export type Pieces = ReadableStream<Input> | AsyncIterable<Input> | Iterable<Input>;

/**
 * Decodes bytes that come in pieces of any size, item by item: attributes, packets, values.
 *
 * ```ts
 * const decoder = new Decoder({ format: "godot-4", framing: "le" });
 * socket.on("data", (piece) => {
 *   for (const value of decoder.push(piece)) console.log(value);
 * });
 * socket.on("end", () => decoder.finish());
 * ```
 */
export class Decoder<Name extends FormatName = FormatName> {
  readonly #handle: Handle;

  constructor(options: StreamOptions<Name>) {
    const format = formatOf(options);
    const { itemLimit = 16 << 20, ...rest } = options;
    const [given, limit] = [optionText(rest, true), wholeOf(itemLimit, "itemLimit", 1)];
    const number = call(() => wasm.decoder_new(format, given, limit));
    this.#handle = new Handle(this, "decoder", number, wasm.decoder_free);
  }

  /**
   * Takes the next bytes, and returns an iterator of the complete items. Items that are not read stay in the decoder.
   *
   * @throws {DecodeError} from the items, if the bytes are invalid.
   */
  push(piece: Input): IterableIterator<Items[Name]> {
    const { number } = this.#handle;
    const bytes = bytesOf(piece);
    call(() => wasm.decoder_push(number, bytes));
    return this.items();
  }

  /** The next item that is complete; `undefined` if more bytes are needed or the stream is at its end. */
  next(): Items[Name] | undefined {
    const { number } = this.#handle;
    return call(() => {
      const address = wasm.decoder_next(number);
      if (address === 0) throw failure();
      return address === 1 ? undefined : (read(address) as Items[Name]);
    });
  }

  /** All items that are complete. */
  *items(): IterableIterator<Items[Name]> {
    for (let item = this.next(); item !== undefined; item = this.next()) yield item;
  }

  /** The number of bytes that are decoded. */
  get offset(): number {
    const { number } = this.#handle;
    return call(() => wasm.decoder_offset(number));
  }

  /** Marks the end of the input: no more bytes will come. An item that may lack its end, by the options, is complete then. */
  end(): void {
    const { number } = this.#handle;
    call(() => wasm.decoder_end(number));
  }

  /**
   * Ends the stream, and frees it.
   *
   * @throws {DecodeError} if it ends inside an item, or failed before.
   */
  finish(): void {
    const number = this.#handle.release();
    call(() => wasm.decoder_finish(number));
  }

  /** Frees the memory that it has in WebAssembly, which else happens when it is garbage. */
  free(): void {
    this.#handle.free();
  }

  /** The items of all pieces. */
  static async *iterate<Name extends FormatName>(
    pieces: Pieces,
    options: StreamOptions<Name>,
  ): AsyncIterableIterator<Items[Name]> {
    const decoder = new Decoder(options);
    try {
      for await (const piece of each(pieces)) yield* decoder.push(piece);
      decoder.end();
      yield* decoder.items();
      decoder.finish();
    } finally {
      decoder.free();
    }
  }
}

/** Not every browser can iterate over a `ReadableStream`. */
async function* each(pieces: Pieces): AsyncIterable<Input> {
  if (Symbol.asyncIterator in pieces || Symbol.iterator in pieces) {
    yield* pieces as AsyncIterable<Input>;
    return;
  }
  const reader = (pieces as ReadableStream<Input>).getReader();
  try {
    for (let result = await reader.read(); !result.done; result = await reader.read()) yield result.value;
  } finally {
    await reader.cancel();
  }
}

/**
 * A `TransformStream` from pieces of bytes to items. Invalid bytes are an error of its readable side, after all items before it.
 * On the writable side, the next write fails.
 */
export class DecoderStream<Name extends FormatName = FormatName> extends TransformStream<Input, Items[Name]> {
  constructor(options: StreamOptions<Name>) {
    const decoder = new Decoder(options);
    super();
    // the readable side of `super` passes the pieces on unchanged
    const pieces = (this as unknown as TransformStream<Input, Input>).readable.getReader();
    let isAtEnd = false;
    const failed = async (reason: unknown) => {
      decoder.free();
      await pieces.cancel(reason);
    };
    // An error would drop the items that nobody has read yet. So each is decoded when it is asked for, and none waits.
    const items = new ReadableStream<Items[Name]>(
      {
        async pull(controller) {
          try {
            let item = decoder.next();
            while (item === undefined && !isAtEnd) {
              const { done, value } = await pieces.read();
              isAtEnd = done;
              if (done) decoder.end();
              else decoder.push(value);
              item = decoder.next();
            }
            if (item !== undefined) return controller.enqueue(item);
            decoder.finish();
            controller.close();
          } catch (error) {
            await failed(error);
            throw error;
          }
        },
        cancel: failed,
      },
      { highWaterMark: 0 },
    );
    Object.defineProperty(this, "readable", { value: items });
  }
}
