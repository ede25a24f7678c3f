/** The exports of every entry point. */

export {
  decode, encode, fromNotation, fromText, toNotation, toText,
  type DecodeOptions, type EncodeOptions, type Form, type PlainOptions,
} from "./codec.js";
export { DecodeError, DiscardedError, EncodeError } from "./errors.js";
export type * from "./generated.js";
export type { Input, OwnBytes } from "./given.js";
export {
  check, detect, detectFile, formats, inspect, inspectText, signature,
  type Checked, type Detection, type Field, type FormatDescription, type Found, type Range, type Signature, type Tree,
} from "./inspect.js";
export { Decoder, DecoderStream, type Pieces, type StreamOptions } from "./stream.js";
export type * from "./types.js";
