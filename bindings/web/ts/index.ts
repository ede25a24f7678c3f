export { Blueprint, type Part } from "./blueprint.js";
export {
  decode, encode, fromNotation, fromText, toNotation, toText,
  type DecodeOptions, type EncodeOptions, type Form, type Input,
} from "./codec.js";
export type { SaveTable, Sqlite, SqliteDatabase, SqliteValue } from "./database.js";
export { DecodeError, DiscardedError, EncodeError } from "./errors.js";
export { decodeFrames, encodeFrames, type Framing } from "./frames.js";
export type {
  AttributeEntry, AttributeValue, FormatName, FormatOptions, Godot3Value, Godot4Type, Godot4Value, LuaValue, RemoteValue, Userdata,
} from "./generated.js";
export {
  check, detect, detectFile, formats, inspect, inspectText,
  type Checked, type Detection, type Field, type FormatDescription, type Found, type Range, type Tree,
} from "./inspect.js";
export { Model, type AttributesProperty, type Instance, type PlainValue } from "./model.js";
export { Save, type SaveRow } from "./save.js";
export { Decoder, DecoderStream, type Pieces, type StreamOptions } from "./stream.js";
export type * from "./types.js";
