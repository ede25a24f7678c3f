export * from "./shared.js";
