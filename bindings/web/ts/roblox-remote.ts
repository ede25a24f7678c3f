export type { RemoteValue } from "./generated.js";
export * from "./shared.js";
