export type { AttributeEntry, AttributeValue } from "./generated.js";
export { Model, type AttributesProperty, type Instance, type PlainValue } from "./model.js";
export * from "./shared.js";
