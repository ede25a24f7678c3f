export { Blueprint, type Part } from "./blueprint.js";
export type { SaveTable, Sqlite, SqliteDatabase, SqliteValue } from "./database.js";
export { Save, type SaveRow } from "./save.js";
export * from "./shared.js";
