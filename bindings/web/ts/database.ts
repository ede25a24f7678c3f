/** The database of a save. This module finds the rows that hold objects, and replaces them; it does not decode the objects. */

import { DecodeError } from "./errors.js";

/** A value in a database. */
export type SqliteValue = number | string | Uint8Array | null;

/** An open database, as sql.js has it. */
export interface SqliteDatabase {
  exec(sql: string, parameters?: SqliteValue[]): { values: SqliteValue[][] }[];
  getRowsModified(): number;
  export(): Uint8Array;
  close(): void;
}

/** SQLite, as `await initSqlJs()` of [sql.js](https://sql.js.org) gives it. */
export interface Sqlite {
  Database: new (file: Uint8Array) => SqliteDatabase;
}

/** The tables that may hold objects. */
const TABLES = ["ScriptData", "ScriptDataUuid", "GenericData"] as const;

/** A table that may hold objects. */
export type SaveTable = (typeof TABLES)[number];

/** The versions whose tables are known. */
const KNOWN: ReadonlySet<number> = new Set([24, 26, 27, 28]);

/** The number of rows of a table that one query looks up. */
const BATCH = 256;

/** The bytes of the header that mark a database with a write-ahead log, and their value if it has one. */
const [WRITE_VERSION, READ_VERSION, WITH_LOG] = [18, 19, 2];

/** @internal How the column `data` of a row is laid out: with numbers, with a uid in reverse, or with a uid. */
export type Layout = 0 | 1 | 2;

/** @internal A row of a table. */
export interface StoredRow {
  readonly table: SaveTable;
  readonly row: bigint;
  readonly layout: Layout;
  /** The column `data`, or why it cannot be read. */
  readonly data: Uint8Array | DecodeError;
}

/** @internal A row with another column `data`. */
export interface ChangedRow {
  readonly table: SaveTable;
  readonly row: bigint;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** @internal The error for an invalid save. */
export function saveError(message: string, code = "save"): DecodeError {
  return new DecodeError({ kind: "decode", message, code });
}

/** @internal The rows by their addresses; `null` for an address of several. */
export function rowsByAddress(rows: Iterable<StoredRow>, addressOf: (row: StoredRow) => string): Map<string, Pick<StoredRow, "table" | "row"> | null> {
  const all = new Map<string, Pick<StoredRow, "table" | "row"> | null>();
  for (const stored of rows) {
    const address = addressOf(stored);
    all.set(address, all.has(address) ? null : { table: stored.table, row: stored.row });
  }
  return all;
}

const isSame = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, at) => byte === b[at]);

/** @internal */
export class SaveDatabase {
  /** The version of the save. */
  readonly version: number;
  readonly #file: Uint8Array;
  readonly #database: SqliteDatabase;
  readonly #maxMemory: number;
  readonly #tables: { table: SaveTable; layout: Layout }[] = [];
  #isChanged = false;
  #isClosed = false;

  /** Opens the file of a save. */
  constructor(file: Uint8Array, sqlite: Sqlite, maxMemory: number) {
    if (typeof sqlite?.Database !== "function") throw new TypeError("expected the SQLite of sql.js: `await initSqlJs()`");
    if (String.fromCharCode(...file.subarray(0, 16)) !== "SQLite format 3\0") throw saveError("file is not a database");
    this.#file = file;
    this.#maxMemory = maxMemory;
    // a log would be a file of its own, which is not here
    const content = file.slice();
    for (const at of [WRITE_VERSION, READ_VERSION]) if (content[at] === WITH_LOG) content[at] = 1;
    this.#database = this.#ask(() => new sqlite.Database(content));
    try {
      this.#configure();
      this.version = this.#readVersion();
      for (const table of TABLES) {
        if (!this.#isTable(table)) continue;
        const has = (column: string) => this.#hasColumn(table, column);
        const layout = has("uid") ? (has("worldId") ? 2 : 1) : has("id") ? 0 : undefined;
        if (layout === undefined || !has("data")) {
          const column = layout === undefined ? "uid or id" : "data";
          throw saveError(`save version ${this.version} cannot be read: its table ${table} has no column ${column}`);
        }
        this.#tables.push({ table, layout });
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Does something with the database. */
  #ask<T>(work: () => T): T {
    if (this.#isClosed) throw new TypeError("this save is freed already");
    try {
      return work();
    } catch (error) {
      if (error instanceof DecodeError) throw error;
      throw saveError(error instanceof Error ? error.message : String(error));
    }
  }

  #all(sql: string, ...parameters: SqliteValue[]): SqliteValue[][] {
    return this.#ask(() => this.#database.exec(sql, parameters)[0]?.values ?? []);
  }

  #one(sql: string, ...parameters: SqliteValue[]): SqliteValue | undefined {
    return this.#all(sql, ...parameters)[0]?.[0];
  }

  /** Makes SQLite careful, because the schema comes from a stranger. */
  #configure(): void {
    for (const setting of ["trusted_schema = OFF", "cell_size_check = ON", "foreign_keys = OFF", "query_only = ON"]) {
      this.#all(`PRAGMA ${setting}`);
    }
  }

  #readVersion(): number {
    // a version is an integer; any other type is refused
    const find = "SELECT CASE typeof(savegameversion) WHEN 'integer' THEN CAST(savegameversion AS TEXT) END FROM Game LIMIT 1";
    const found = this.#isTable("Game") && this.#hasColumn("Game", "savegameversion") ? this.#one(find) : undefined;
    const version = Number(found ?? -1);
    if (version >= 0 && version < 2 ** 32) return version;
    throw saveError("not a Scrap Mechanic save: the table Game with a version is missing");
  }

  /** Faults that do not prevent reading. */
  get warnings(): string[] {
    const known = "known are 24, 26, 27 and 28, and the rows are read by the columns of their tables";
    return KNOWN.has(this.version) ? [] : [`save version ${this.version} is unknown; ${known}`];
  }

  /** True if there is such a table. Anything else with its name is an error. */
  #isTable(table: string): boolean {
    const find =
      "SELECT type = 'table' AND rootpage > 0 AND sql LIKE 'CREATE TABLE %', " +
      "(SELECT count(*) FROM sqlite_schema AS other WHERE other.rootpage = this.rootpage) " +
      "FROM sqlite_schema AS this WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view') LIMIT 1";
    const found = this.#all(find, table)[0];
    if (found === undefined) return false;
    const [isStored, sharing] = found;
    const not = (reason: string) => saveError(`not a Scrap Mechanic save: ${table} ${reason}`);
    if (isStored !== 1) throw not("is not a table");
    if (sharing !== 1) throw not("shares its pages with another table");
    // only a table without row numbers has such an index
    if (this.#one("SELECT count(*) FROM pragma_index_info(?1)", table) !== 0) {
      throw not("is a table without row numbers (WITHOUT ROWID)");
    }
    if (this.#hasColumn(table, "rowid")) throw not("has a column of its own that is called rowid");
    return true;
  }

  #hasColumn(table: string, column: string): boolean {
    return this.#one("SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2 COLLATE NOCASE", table, column) !== 0;
  }

  /** All rows of scripts, table by table, in the order of their numbers. */
  *rows(): Generator<StoredRow> {
    for (const { table, layout } of this.#tables) {
      const find = `SELECT CAST(rowid AS TEXT), octet_length(data) FROM ${table} WHERE rowid >= CAST(?1 AS INTEGER) ORDER BY rowid LIMIT ${BATCH}`;
      let last: bigint | undefined;
      for (;;) {
        const found = this.#all(find, String(last ?? -(1n << 63n)));
        let next = found;
        if (last !== undefined) {
          // the one that the last rows ended with is the first of these
          if (found[0]?.[0] !== String(last)) throw saveError(`the database is damaged: the rows of ${table} are not in order`);
          next = found.slice(1);
        }
        for (const [number, size] of next) {
          const row = BigInt(number as string);
          if (last !== undefined && row <= last) throw saveError(`the database is damaged: the rows of ${table} are not in order`);
          last = row;
          yield this.#read(table, layout, row, Number(size ?? 0));
        }
        if (found.length < BATCH) break;
      }
    }
  }

  /** The row of a table with this number, if there is one. */
  row(table: string, row: bigint): StoredRow | undefined {
    const known = this.#tables.find((known) => known.table === table);
    if (known === undefined) return undefined;
    const size = this.#all(`SELECT octet_length(data) FROM ${known.table} WHERE rowid = CAST(?1 AS INTEGER)`, String(row))[0];
    return size === undefined ? undefined : this.#read(known.table, known.layout, row, Number(size[0] ?? 0));
  }

  #read(table: SaveTable, layout: Layout, row: bigint, size: number): StoredRow {
    const read = (): Uint8Array => {
      if (size > this.#maxMemory) throw saveError(`the row has ${size} bytes, and the limit is ${this.#maxMemory}`, "too-large");
      const found = this.#all(`SELECT typeof(data), data FROM ${table} WHERE rowid = CAST(?1 AS INTEGER)`, String(row))[0];
      const [type, data] = found ?? ["null", null];
      if (data === null || data === undefined) return new Uint8Array();
      if (data instanceof Uint8Array) return data;
      throw saveError(`the column data holds ${type === "integer" ? "an integer" : type === "real" ? "a number" : String(type)}, which is not what it holds in a save`);
    };
    try {
      return { table, row, layout, data: read() };
    } catch (error) {
      if (error instanceof DecodeError) return { table, row, layout, data: error };
      throw error;
    }
  }

  /**
   * Gives rows another column `data`: all of them or, if there is an error, none. Before the changes are final, each of them is
   * read back, the number of changed rows is compared, and the structure of the database is examined.
   */
  replace(changes: Iterable<ChangedRow>): void {
    // nothing in the schema may run, but sql.js has no way to turn triggers off
    if (this.#one("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") !== 0) {
      throw saveError("the save has triggers, which a change would run; the program `enginewire` changes it without them");
    }
    this.#all("PRAGMA query_only = OFF");
    this.#all("BEGIN IMMEDIATE");
    try {
      const before = Number(this.#one("SELECT total_changes()"));
      let asked = 0;
      for (const { table, row, before, after } of changes) {
        // the schema may specify that a conflicting row is replaced
        this.#all(`UPDATE OR ABORT ${table} SET data = ?1 WHERE rowid = CAST(?2 AS INTEGER) AND data = ?3`, after, String(row), before);
        if (this.#database.getRowsModified() !== 1) throw saveError("the row has changed since it was read");
        const now = this.#one(`SELECT data FROM ${table} WHERE rowid = CAST(?1 AS INTEGER)`, String(row));
        if (!(now instanceof Uint8Array && isSame(now, after))) {
          throw saveError(`the database is damaged: ${table}[${row}] does not read back`);
        }
        asked++;
      }
      const changed = Number(this.#one("SELECT total_changes()")) - before;
      if (changed !== asked) throw saveError(`the database is damaged: ${changed} rows changed instead of ${asked}`);
      const found = this.#one("PRAGMA quick_check(1)");
      if (found !== "ok") throw saveError(`the database is damaged: ${String(found)}`);
      this.#all("COMMIT");
      this.#isChanged ||= asked > 0;
    } catch (error) {
      this.#all("ROLLBACK");
      throw error;
    } finally {
      this.#all("PRAGMA query_only = ON");
    }
  }

  /** The file with the changes; without any, its bytes as they were. */
  save(): Uint8Array {
    if (!this.#isChanged) return this.#file.slice();
    const file = this.#ask(() => this.#database.export());
    // `export` opened the database anew
    this.#configure();
    for (const at of [WRITE_VERSION, READ_VERSION]) if (this.#file[at] === WITH_LOG) file[at] = WITH_LOG;
    return file;
  }

  close(): void {
    this.#isClosed = true;
    this.#database.close();
  }
}
