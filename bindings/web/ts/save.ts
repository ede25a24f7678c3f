import { decode, encode } from "./codec.js";
import { rowsByAddress, SaveDatabase, type Layout, type SaveTable, type Sqlite, type StoredRow } from "./database.js";
import { call, wasm } from "./engine.js";
import { DecodeError } from "./errors.js";
import { bytesOf, wholeOf, type Input, type OwnBytes } from "./given.js";
import type { Encodable, ScrapMechanicLua } from "./types.js";

/** A row of a save. */
export interface SaveRow {
  /** Its table and its key, as the program names it: `"ScriptData[id=158,channel=41]"`; its number where the key cannot be read. */
  address: string;
  table: SaveTable;
  row: bigint;
  /** A text for people that distinguishes it from the other rows of its table: `"id 3 channel 2"`. */
  label: string;
  /** Up to version 26: the number of the script, and the number of its object. */
  id?: number;
  channel?: number;
  /** From version 26 on: the id of the owner, and the key of its object: a LuaObject, or a little-endian number of 4 bytes. */
  uid?: string;
  key?: Uint8Array;
  /** The world that it belongs to; 65535 is any, and 65534 none. */
  world?: number;
  flags?: number;
  /** True if it holds a LuaObject, false if it holds something else. */
  isObject: boolean;
  /** The reason why its content cannot be read. */
  problem?: DecodeError;
}

/** The bytes that every LuaObject begins with. */
const MAGIC = [0x4c, 0x55, 0x41];

const finalizers = new FinalizationRegistry<SaveDatabase>((database) => database.close());

/** A row, by its address, by its table and number (`"ScriptData[12]"`), or as it was listed. */
type RowOrAddress = string | Pick<SaveRow, "address" | "table" | "row">;

/**
 * A save of Scrap Mechanic, which is a database. It is read by the SQLite of sql.js, which this package does not have itself.
 *
 * ```ts
 * import initSqlJs from "sql.js";
 *
 * const save = Save.open(await readFile("save.db"), await initSqlJs());
 * for (const { address, isObject } of save.rows()) {
 *   if (isObject) console.log(address, save.decode(address));
 * }
 * save.replace("ScriptData[id=628,channel=47]", { type: "Boolean", value: true });
 * await writeFile("save.db", save.save());
 * ```
 *
 * Files come from strangers: only real tables are read, and a save with triggers is not changed. A database that the game has
 * open may have changes in a log beside it, which is another file.
 */
export class Save {
  #kept: SaveDatabase | undefined;
  /** The rows by their addresses, when one is looked up first: a change keeps the key of its row. */
  #places: ReturnType<typeof rowsByAddress> | undefined;
  readonly #maxMemory: number;

  private constructor(database: SaveDatabase, maxMemory: number) {
    this.#kept = database;
    this.#maxMemory = maxMemory;
    finalizers.register(this, database, this);
  }

  get #database(): SaveDatabase {
    if (this.#kept === undefined) throw new TypeError("this save is freed already");
    return this.#kept;
  }

  /**
   * Opens the file of a save. A row and what it unpacks to take no more memory than `maxMemory` bytes, by default 256 MiB.
   *
   * @throws {DecodeError} if the file is not a save, or one of its tables lacks a column that is needed to read its rows.
   */
  static open(file: Input, sqlite: Sqlite, { maxMemory = 256 << 20 }: { maxMemory?: number } = {}): Save {
    const [bytes, limit] = [bytesOf(file), wholeOf(maxMemory, "maxMemory")];
    return new Save(new SaveDatabase(bytes, sqlite, limit), limit);
  }

  /** The version of the save. */
  get version(): number {
    return this.#database.version;
  }

  /** Faults that do not prevent reading: an unknown version. */
  get warnings(): string[] {
    return this.#database.warnings;
  }

  /** All rows of scripts, table by table, in the order of their numbers. */
  *rows(): Generator<SaveRow> {
    for (const stored of this.#database.rows()) yield this.#describe(stored);
  }

  #describe(stored: StoredRow): SaveRow {
    const { table, row, layout, data } = stored;
    const listed: SaveRow = { address: addressOf(stored), table, row, label: "", isObject: true };
    try {
      const bytes = dataOf(stored);
      const { shown, key, ...columns } = JSON.parse(call(() => wasm.save_row(layout, bytes))) as Columns;
      Object.assign(listed, columns, { label: shown });
      if (key !== undefined) listed.key = Uint8Array.from(key.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
      listed.isObject = isObject(this.#unpack(layout, bytes));
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      listed.problem = error;
    }
    return listed;
  }

  #stored(row: RowOrAddress): StoredRow {
    let place: { table: string; row: bigint } | null | undefined = typeof row === "string" ? undefined : row;
    if (typeof row === "string") {
      const [, table, number] = /^(\w+)\[(-?\d{1,19})\]$/.exec(row) ?? [];
      if (table !== undefined && number !== undefined) place = { table, row: BigInt(number) };
      else place = (this.#places ??= rowsByAddress(this.#database.rows(), addressOf)).get(row);
    }
    const address = typeof row === "string" ? row : row?.address;
    if (place === null) throw new TypeError(`${address} names several rows`);
    const found = place === undefined ? undefined : this.#database.row(place.table, place.row);
    if (found === undefined) throw new TypeError(`there is no row ${address}`);
    return found;
  }

  #unpack(layout: Layout, data: Uint8Array): Uint8Array {
    return call(() => wasm.save_unpack(layout, data, this.#maxMemory));
  }

  /** The unpacked content of a row: a LuaObject, or something else. */
  bytes(row: RowOrAddress): OwnBytes {
    const stored = this.#stored(row);
    return this.#unpack(stored.layout, dataOf(stored)) as OwnBytes;
  }

  /** The object that a row holds; `undefined` if it holds something else. */
  decode(row: RowOrAddress): ScrapMechanicLua | undefined {
    const bytes = this.bytes(row);
    return isObject(bytes) ? decode(bytes, { format: "scrap-mechanic-lua" }) : undefined;
  }

  /** Gives a row another object. Everything else in the row and in the database stays as it is. */
  replace(row: RowOrAddress, object: Encodable["scrap-mechanic-lua"]): void {
    this.replaceAll([[row, object]]);
  }

  /** Gives several rows other objects: all of them or, if there is an error, none. */
  replaceAll(changes: Iterable<readonly [RowOrAddress, Encodable["scrap-mechanic-lua"]]>): void {
    const all = Array.from(changes, ([row, object]) => {
      const stored = this.#stored(row);
      const before = dataOf(stored);
      const bytes = encode(object, { format: "scrap-mechanic-lua" });
      return { table: stored.table, row: stored.row, before, after: call(() => wasm.save_replace(stored.layout, before, bytes)) };
    });
    this.#database.replace(all);
  }

  /** The file with the changes; without any, its bytes as they were. */
  save(): OwnBytes {
    return this.#database.save() as OwnBytes;
  }

  /** Frees the memory that it has in SQLite, which else happens when it is garbage. */
  free(): void {
    finalizers.unregister(this);
    this.#kept?.close();
    this.#kept = undefined;
    this.#places = undefined;
  }
}

/** The columns of a row, from `save_row`. */
interface Columns {
  id?: number;
  channel?: number;
  uid?: string;
  key?: string;
  world?: number;
  flags?: number;
  shown: string;
}

function isObject(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, at) => bytes[at] === byte);
}

function addressOf({ table, row, layout, data }: StoredRow): string {
  return call(() => wasm.save_address(table, String(row), layout, data instanceof DecodeError ? new Uint8Array() : data));
}

function dataOf({ data }: StoredRow): Uint8Array {
  if (data instanceof DecodeError) throw data;
  return data;
}
