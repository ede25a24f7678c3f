/** Keeps the open file and its changes in the browser, so that both are there again after a reload. Without storage, nothing is kept. */

import { signal } from "@preact/signals";
import type { CallName, Calls } from "./protocol";

export type Step = readonly [CallName, Calls[CallName]["args"]];

export interface KeptFile {
  readonly name: string;
  readonly source: Blob;
  readonly kind: string;
  readonly sample: string | null;
  readonly time: number;
}
/** The file that the other one is compared with. */
export interface KeptOther {
  readonly name: string;
  readonly source: Blob;
}
export interface Kept {
  /** The tab that has kept it. */
  readonly tab: string;
  readonly file: KeptFile;
  readonly steps: readonly Step[];
  readonly other: KeptOther | null;
}

/** A larger file is not kept. */
export const MOST = 64 << 20;
/** The most files that are kept, one of each tab. */
const FILES = 4;
const TAB = "enginewire-tab";

/** The types of what a step is called with, after the number of the file: other pages of the same site can write into this storage too. */
const ARGUMENTS: { readonly [N in CallName]?: readonly string[] } = {
  nodeRows: ["number"],
  tag: ["number", "string", "boolean"],
  set: ["number", "string", "string", "string?", "string"],
  repair: ["number", "string"],
  put: ["number", "bytes"],
  join: ["number", "string"],
  undo: ["boolean"],
};

const is = (value: unknown, type: string): boolean =>
  type === "bytes" ? value instanceof Uint8Array : typeof value === type || (type === "string?" && (value === null || typeof value === "string"));

const isRecord = (value: unknown, types: Record<string, string>): boolean =>
  typeof value === "object" && value !== null && Object.entries(types).every(([name, type]) => is((value as Record<string, unknown>)[name], type)) && (value as KeptOther).source instanceof Blob;

const isFile = (value: unknown): value is KeptFile => isRecord(value, { name: "string", kind: "string", sample: "string?", time: "number" });
const isOther = (value: unknown): value is KeptOther => isRecord(value, { name: "string" });

function isStep(value: unknown): value is Step {
  if (!Array.isArray(value) || !Array.isArray(value[1])) return false;
  const [name, [slot, ...args]] = value as [CallName, unknown[]];
  const types = Object.hasOwn(ARGUMENTS, name) ? ARGUMENTS[name] : undefined;
  return slot === 0 && types !== undefined && args.length === types.length && types.every((type, at) => is(args[at], type));
}

/** The files that other visits have kept. */
export const visits = signal<readonly Kept[]>([]);

// a record has the key [tab, part]: 0 is the file, the numbers after it are the changes, and "other" is the other file
let tab: string | null = null;
let opened: Promise<IDBDatabase> | undefined;

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function database(): Promise<IDBDatabase> {
  opened ??= (async () => {
    const asked = indexedDB.open("enginewire", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("kept");
    return done(asked);
  })();
  return opened;
}

/** Does work with the store, after all work begun before. Without storage, it gives `otherwise`. */
async function stored<T>(work: (store: IDBObjectStore) => T | Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work((await database()).transaction("kept", "readwrite").objectStore("kept"));
  } catch {
    return otherwise;
  }
}

const all = (tab: string): IDBKeyRange => IDBKeyRange.bound([tab], [tab, []]);

/** Takes the lock of a tab until this page ends. False if another page has it: a copy of a tab has the same name. */
async function isFree(tab: string): Promise<boolean> {
  if (!("locks" in navigator)) return true;
  return new Promise((resolve) => {
    const held = (): Promise<never> => {
      resolve(true);
      return new Promise(() => undefined);
    };
    // a page that is being reloaded may have it for a moment longer
    navigator.locks.request(`enginewire ${tab}`, { signal: AbortSignal.timeout(500) }, held).catch((error: Error) => resolve(error.name !== "TimeoutError"));
  });
}

/** Keeps under this name from now on. */
function use(name: string): void {
  tab = name;
  try {
    sessionStorage.setItem(TAB, name);
  } catch {
    // then a reload does not find it
  }
}

/** Reads all that is kept. Gives the file of this tab before a reload, or `null`. */
export async function visited(): Promise<Kept | null> {
  const [keys, values] = await stored(async (store) => Promise.all([done(store.getAllKeys()), done(store.getAll())]), [[], []]);
  const found = new Map<string, { file?: KeptFile; steps: Step[]; other: KeptOther | null; isOdd?: boolean }>();
  keys.forEach((key, at) => {
    const [tab, part] = key as [string, number | string];
    const of = found.get(tab) ?? { steps: [], other: null };
    found.set(tab, of);
    const value: unknown = values[at];
    if (part === 0 && isFile(value)) of.file = value;
    else if (part === "other" && isOther(value)) of.other = value;
    else if (typeof part === "number" && isStep(value)) of.steps.push(value);
    // one change alone cannot be left out
    else of.isOdd = true;
  });
  let own: string | null = null;
  try {
    own = sessionStorage.getItem(TAB);
  } catch {
    // see above
  }
  const held = new Set("locks" in navigator ? (await navigator.locks.query().catch(() => ({ held: [] }))).held?.map(({ name }) => name) : []);
  const kept = [...found].flatMap(([tab, { file, steps, other, isOdd }]): Kept[] => (file === undefined || isOdd === true ? [] : [{ tab, file, steps, other }]));
  const mine = own !== null && (await isFree(own)) ? (kept.find(({ tab }) => tab === own) ?? null) : null;
  // a sample without changes is there anyway
  const hasMore = ({ file, steps }: Kept): boolean => file.sample === null || steps.some(isChange);
  visits.value = kept.filter((one) => (one === mine || !held.has(`enginewire ${one.tab}`)) && hasMore(one)).sort((a, b) => b.file.time - a.file.time);
  return mine;
}

/** True if a step changes the file: to look at an instance does not. */
export const isChange = ([name]: Step): boolean => name !== "nodeRows";

/** Goes on with what a visit has kept. */
export function goOnWith(kept: Kept): void {
  if (tab !== null && tab !== kept.tab) forget();
  use(kept.tab);
  void isFree(kept.tab);
  visits.value = visits.value.filter((one) => one !== kept);
}

/** Keeps a file instead of that which was kept before. False if it is too large. */
export function keep(file: Omit<KeptFile, "time">): boolean {
  if (tab === null) {
    use(`${Date.now()} ${Math.random()}`);
    void isFree(tab ?? "");
  }
  const [name, isSmall] = [tab ?? "", file.source.size <= MOST];
  const outdated = visits.value.slice(FILES - 1);
  void stored((store) => {
    store.delete(all(name));
    if (isSmall) store.put({ ...file, time: Date.now() }, [name, 0]);
    for (const { tab } of outdated) store.delete(all(tab));
  }, undefined);
  visits.value = visits.value.slice(0, FILES - 1);
  return isSmall;
}

/** Keeps a change, the one with this number. */
export function keepStep(number: number, step: Step): void {
  const name = tab;
  if (name !== null) void stored(async (store) => ((await done(store.count([name, 0]))) > 0 ? void store.put(step, [name, number]) : undefined), undefined);
}

export function keepOther(other: KeptOther | null): void {
  const name = tab;
  if (name !== null) void stored((store) => (other === null || other.source.size > MOST ? void store.delete([name, "other"]) : void store.put(other, [name, "other"])), undefined);
}

/** Forgets what this tab keeps, or what another visit has kept. */
export function forget(kept: Kept | null = null): void {
  const name = kept?.tab ?? tab;
  // a reload at once would find what is not yet deleted
  const deleted = name === null ? Promise.resolve() : stored((store) => done(store.delete(all(name))), undefined);
  void deleted.then(() => (visits.value = visits.value.filter((one) => one !== kept)));
}
