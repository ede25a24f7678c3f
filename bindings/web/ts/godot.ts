export { decodeFrames, encodeFrames, type Framing } from "./frames.js";
export type { Godot3Value, Godot4Type, Godot4Value } from "./generated.js";
export * from "./shared.js";
