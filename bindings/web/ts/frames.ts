import { encode, formatOf, type EncodeOptions } from "./codec.js";
import { bytesOf, shown, type Input, type OwnBytes } from "./given.js";
import { Decoder } from "./stream.js";
import type { Documents, Encodable } from "./types.js";

/** The order of the bytes of a length: `"le"` is Godot's default, `"be"` the order with `big_endian`. */
export type Framing = "le" | "be";

type Godot = "godot-3" | "godot-4";

/** The framing that options ask for. */
function framingOf<Name extends Godot>(options: EncodeOptions<Name> & { framing?: Framing }): Framing {
  formatOf(options);
  const { framing = "le" } = options;
  if (framing !== "le" && framing !== "be") throw new TypeError(`framing: expected "le" or "be", found ${shown(framing)}`);
  return framing;
}

/** Encodes values of Godot, each with its length before it, as `put_var` and `store_var` write them. */
export function encodeFrames<Name extends Godot>(
  values: Iterable<Encodable[Name]>,
  options: EncodeOptions<Name> & { framing?: Framing },
): OwnBytes {
  const framing = framingOf(options);
  const { framing: _, ...rest } = options;
  const frames = Array.from(values, (value) => encode(value, rest as EncodeOptions<Name>));
  const bytes = new Uint8Array(frames.reduce((sum, frame) => sum + 4 + frame.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const frame of frames) {
    view.setUint32(at, frame.length, framing === "le");
    bytes.set(frame, at + 4);
    at += 4 + frame.length;
  }
  return bytes;
}

/** Decodes values of Godot that have their lengths before them: the bytes of a whole file or message. */
export function decodeFrames<Name extends Godot>(
  input: Input,
  options: EncodeOptions<Name> & { framing?: Framing },
): Documents[Name][] {
  // all bytes are here, so a length that is too large cannot make the decoder store more
  const decoder = new Decoder<Godot>({ ...options, framing: framingOf(options), itemLimit: Infinity });
  try {
    const values = [...decoder.push(bytesOf(input))];
    decoder.end();
    values.push(...decoder.items());
    decoder.finish();
    return values as Documents[Name][];
  } finally {
    decoder.free();
  }
}
