export * from "./godot.js";
export * from "./roblox-attributes.js";
export * from "./roblox-remote.js";
export * from "./scrap-mechanic.js";
