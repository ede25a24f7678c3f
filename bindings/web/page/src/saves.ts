/** Saves of Scrap Mechanic, which are SQLite databases. */

import initSqlJs from "sql.js";
import { type PageFile, save_address, save_replace, save_row, save_unpack } from "virtual:bindgen";
import packed from "virtual:sqlite";
import { type ChangedRow, rowsByAddress, SaveDatabase, type Sqlite, type StoredRow } from "../../ts/database";
import { fromBase64, unpack } from "./encodings";

/** The number of rows that are listed between two reports of progress. */
const STEP = 1024;
/** The most memory for a row, in bytes. */
const MEMORY = 1 << 30;

let started: Promise<Sqlite> | undefined;

/** Starts SQLite, when it is needed first. */
async function sqlite(): Promise<Sqlite> {
  const wasm = fromBase64(packed);
  if (wasm === null) throw new Error("SQLite, which is in the page, is damaged");
  return initSqlJs({ wasmBinary: await unpack(wasm) });
}

async function database(content: Uint8Array): Promise<SaveDatabase> {
  started ??= sqlite();
  return new SaveDatabase(content, await started, MEMORY);
}

/** The message of an error: the library throws JSON text. */
function reason(error: unknown): string {
  if (typeof error === "string") return (JSON.parse(error) as { message: string }).message;
  return error instanceof Error ? error.message : String(error);
}

function dataOf({ data }: StoredRow): Uint8Array {
  if (data instanceof Error) throw data;
  return data;
}

function addressOf({ table, row, layout, data }: StoredRow): string {
  return save_address(table, String(row), layout, data instanceof Error ? new Uint8Array() : data);
}

/** Adds the rows of a save to a file. */
export async function listSave(content: Uint8Array, file: PageFile, say: (count: number) => void): Promise<void> {
  const save = await database(content);
  let count = 0;
  try {
    for (const stored of save.rows()) {
      const { layout } = stored;
      const address = addressOf(stored);
      let key = "";
      try {
        const data = dataOf(stored);
        // the part that distinguishes rows of one script comes first
        key = (JSON.parse(save_row(layout, data)) as { shown: string }).shown.replace(/^(uid \S+) (key .*)$/s, "$2 · $1");
        file.add_row(address, key, save_unpack(layout, data, MEMORY), "");
      } catch (error) {
        if (error instanceof WebAssembly.RuntimeError) throw error;
        file.add_row(address, key, undefined, reason(error));
      }
      if (++count % STEP === 0) say(count);
    }
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error;
    file.add_row("a row", "", undefined, reason(error));
  } finally {
    save.close();
  }
}

/** The save with these rows changed: their addresses and the bytes of their objects. */
export async function changedSave(content: Uint8Array, changes: readonly (readonly [string, Uint8Array])[]): Promise<Uint8Array> {
  const save = await database(content);
  try {
    const places = rowsByAddress(save.rows(), addressOf);
    const all = changes.map(([address, object]): ChangedRow => {
      const place = places.get(address);
      if (place === null) throw new Error(`${address} names several rows, which are not changed`);
      const stored = place === undefined ? undefined : save.row(place.table, place.row);
      if (stored === undefined) throw new Error(`there is no row ${address}`);
      const before = dataOf(stored);
      return { table: stored.table, row: stored.row, before, after: save_replace(stored.layout, before, object) };
    });
    save.replace(all);
    return save.save();
  } catch (error) {
    throw typeof error === "string" ? new Error(reason(error)) : error;
  } finally {
    save.close();
  }
}
