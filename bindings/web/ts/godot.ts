export { decodeFrames, encodeFrames, type Framing } from "./frames.js";
export * from "./shared.js";
