export type { AttributeEntry, AttributeValue } from "./generated.js";
export * from "./shared.js";
