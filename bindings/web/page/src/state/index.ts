/** The state of the page, and the functions that change it. */

export * from "./shown";
export * from "./work";
export * from "./marks";
export * from "./steps";
export * from "./typed";
export * from "./rows";
export * from "./address";
export * from "./seek";
export * from "./select";
export * from "./edit";
export * from "./open";
export * from "./how";
export * from "./compare";
export * from "./take";
export * from "./save";
export * from "./files";
export * from "./history";
