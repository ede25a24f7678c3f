/** Several files: a list of them, and one search over all. */

import { signal } from "@preact/signals";
import { Client, Stopped } from "../client";
import type { Hit } from "../protocol";
import { valuesOf } from "../words";
import { remember, type Wanted } from "./address";
import { openOther } from "./compare";
import { showAside } from "./how";
import { keepInList, open, openFile } from "./open";
import { selectInstance, selectPath } from "./select";
import { aside, changes, file, type Listed, listed, listedOf, setListed, sought, view } from "./shown";
import { again, steps } from "./steps";
import { areAllSet } from "./typed";
import { problem, text } from "./work";

/** Files that are held open for the search, together, up to this size in bytes. */
const HELD = 64 << 20;
/** The most that one search finds. */
export const MOST = 1000;

/** It reads all files of the list, beside the worker of the open file. */
const reader = new Client();
/** The files that the reader has open, each with its slot and the number of its changes. */
const held = new Map<Blob, readonly [slot: number, steps: number]>();
let slots = 0;
/** The work of the reader, one piece after the other. */
let reading: Promise<unknown> = Promise.resolve();

/** The text to find in all files. */
export const soughtInFiles = signal("");
export const hits = signal<readonly (readonly [Listed, Hit])[]>([]);
/** The number of files that the search has still to read. */
export const unsearched = signal(0);

/** Opens a file in the reader, unless it is open there, and gives its slot. */
async function slotOf({ source, kind, secret }: Listed, steps: Listed["steps"]): Promise<number> {
  const [known, count] = held.get(source) ?? [null, 0];
  if (known !== null && count === steps.length) return known;
  const slot = known ?? slots++;
  for (const [other, [at]] of held) {
    if ([...held.keys()].reduce((sum, { size }) => sum + size, source.size) <= HELD) break;
    held.delete(other);
    await reader.call("close", [at]);
  }
  held.delete(source);
  await again(reader.call, slot, source, kind, secret, steps);
  held.set(source, [slot, steps.length]);
  return slot;
}

/** Does work with the reader, after all work begun before. */
function withReader(work: () => Promise<void>): void {
  reading = reading.then(work).catch((error: unknown) => {
    // a new worker has no files
    if (error instanceof Stopped) held.clear();
    problem.value = text(error);
  });
}

/** Reads a file of the list: its kind, and how many values it has. */
async function read(one: Listed): Promise<void> {
  if (listedOf(one) === undefined) return;
  try {
    const bytes = new Uint8Array(await one.source.arrayBuffer());
    const slot = slots++;
    const { kind, about } = await reader.call("open", [slot, bytes, null, ""], [bytes.buffer]);
    await reader.call("close", [slot]);
    setListed(one.source, { kind, about: valuesOf(about) });
  } catch (error) {
    if (error instanceof Stopped) held.clear();
    setListed(one.source, { about: text(error) });
  }
}

/** Adds files to the list, and reads them. */
function add(files: readonly { readonly name: string; readonly source: Blob }[]): void {
  const added = files.map(({ name, source }): Listed => ({ name, source, kind: null, secret: "", about: null, steps: [], changed: 0, isUnsaved: false }));
  listed.value = [...listed.value, ...added];
  for (const one of added) withReader(() => read(one));
  if (soughtInFiles.value !== "") findInFiles(soughtInFiles.value);
}

/** The name of a file with the folders that it is in. */
const longName = (chosen: File): string => chosen.webkitRelativePath || chosen.name;

/** Opens a file; two are compared, and of more there is a list. Where a list is, they are added to it. */
export async function openFiles(chosen: readonly File[], named: (chosen: File) => string = longName): Promise<void> {
  const [first, second] = chosen;
  const isFirst = listed.value.length === 0;
  if (first === undefined) return;
  if (chosen.length === 1 && isFirst) return void (await openFile(first));
  const now = file.value;
  const known = isFirst && chosen.length > 2 && now !== null && now.sample === null && aside.value === null ? [{ name: now.name, source: now.source }] : [];
  add([...known, ...chosen.map((source) => ({ name: named(source), source }))]);
  if (now !== null) keepInList();
  if (chosen.length === 2 && isFirst && second !== undefined) {
    if (await openFile(first)) await openOther(second);
  } else if (chosen.length === 1) await openListed(listedOf({ source: first }));
  else showFiles();
}

/** Opens what was dropped: files, and all files in folders. */
export async function openDropped(entries: readonly FileSystemEntry[], files: readonly File[]): Promise<void> {
  if (!entries.some((entry) => entry.isDirectory)) return openFiles(files);
  const found = await inside(entries).catch((error: unknown) => void (problem.value = text(error)));
  if (found?.size === 0) problem.value = "The folder has no files.";
  else if (found !== undefined) await openFiles([...found.keys()], (file) => found.get(file) ?? file.name);
}

/** The files in what was dropped, with the folders that they are in. */
async function inside(entries: readonly FileSystemEntry[]): Promise<Map<File, string>> {
  const found = new Map<File, string>();
  for (const entry of entries) {
    if (entry.isFile) found.set(await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed)), entry.fullPath.replace(/^\//, ""));
    if (!entry.isDirectory) continue;
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    const all: FileSystemEntry[] = [];
    // it gives some at a time, and none at the end
    for (let some: FileSystemEntry[] | null = null; some === null || some.length > 0; all.push(...some)) {
      some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    }
    all.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const [file, name] of await inside(all)) found.set(file, name);
  }
  return found;
}

export function showFiles(): void {
  view.value = "files";
  remember("");
}

/** Shows the open file again. */
export function closeFiles(): void {
  view.value = aside.value === null ? "file" : "how";
}

/** Opens a file of the list, with its changes. Those of the file that was open are kept in the list. */
export async function openListed(one: Listed | undefined, wanted: Wanted = {}): Promise<boolean> {
  if (one === undefined || !(await areAllSet(`${one.name} was not opened`))) return false;
  if (aside.value !== null && !(await showAside())) return false;
  if (file.value?.source === one.source) view.value = "file";
  else if (!(await open(one.name.replace(/^.*\//, ""), one.source, { kind: one.kind, secret: one.secret, steps: one.steps, ...wanted }))) return false;
  return true;
}

/** Opens the file of what was found, and shows it there. */
export async function showHit([one, [row, path]]: readonly [Listed, Hit]): Promise<void> {
  if (!(await openListed(listedOf(one)))) return;
  sought.value = soughtInFiles.value;
  if (row !== null) await selectPath(row, path);
  // a file that was found by its name has no path
  else if (path !== "") await selectInstance(Number(path));
}

let latestSearch = 0;
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Searches all files: in their names, addresses, keys, texts and numbers. */
export function findInFiles(wanted: string): void {
  soughtInFiles.value = wanted;
  const turn = ++latestSearch;
  clearTimeout(waiting);
  hits.value = [];
  unsearched.value = wanted === "" ? 0 : listed.value.length;
  if (wanted === "") return;
  waiting = setTimeout(() => {
    for (const { source } of listed.value) {
      withReader(async () => {
        const one = listedOf({ source });
        // unless the user has typed on
        if (turn !== latestSearch || one === undefined) return;
        const found = await search(one, wanted).catch((error: unknown) => {
          if (error instanceof Stopped) held.clear();
          return [];
        });
        if (turn !== latestSearch) return;
        unsearched.value--;
        hits.value = [...hits.value, ...found.slice(0, MOST - hits.value.length).map((hit) => [one, hit] as const)];
      });
    }
  }, 150);
}

async function search(one: Listed, wanted: string): Promise<readonly Hit[]> {
  const isNamed = one.name.toLowerCase().includes(wanted.toLowerCase());
  const named: readonly Hit[] = isNamed ? [[null, "", one.name, ""]] : [];
  if (one.kind === null || hits.value.length >= MOST) return named;
  const slot = await slotOf(one, file.value?.source === one.source ? steps.value : one.steps);
  return [...named, ...(await reader.call("search", [slot, null, wanted, MOST]))];
}

/** True if a file of the list has changes. */
export const isChangedListed = (one: Listed): boolean => (file.value?.source === one.source ? changes.value.changed : one.changed) > 0;
