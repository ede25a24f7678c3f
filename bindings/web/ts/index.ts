export * from "./godot.js";
export * from "./roblox-models.js";
export * from "./roblox-remote.js";
export * from "./scrap-mechanic.js";
