export { Model, type AttributesProperty, type Instance, type PlainValue } from "./model.js";
export * from "./roblox-attributes.js";
