export { GodotFile, openFile, type GodotFileKind, type GodotFileOptions, type GodotFileValue } from "./godot-file.js";
export * from "./godot.js";
