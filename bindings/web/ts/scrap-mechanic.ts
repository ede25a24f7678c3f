export { Blueprint, type Part } from "./blueprint.js";
export type { SaveTable, Sqlite, SqliteDatabase, SqliteValue } from "./database.js";
export type { LuaValue, Userdata } from "./generated.js";
export { Save, type SaveRow } from "./save.js";
export * from "./shared.js";
