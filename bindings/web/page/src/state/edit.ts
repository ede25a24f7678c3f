/** Edits and undo. */

import { batch } from "@preact/signals";
import { client, Stopped } from "../client";
import type { SetHow } from "../protocol";
import { forgetRows } from "./rows";
import { changed, latest, latestRow, selectInstance, showAgain, shown } from "./select";
import { changes, instance, instances, instancesKnown, isUnsaved, NO_CHANGES, rowsKnown, selected, tagProblem, tags, valueProblem } from "./shown";
import { changing } from "./steps";
import { setting } from "./typed";
import { notice, problem, text } from "./work";

/** Adds a tag to the instance, or removes it. */
export async function setTag(tag: string, isAdded: boolean): Promise<boolean> {
  const number = instance.value;
  if (number === null) return false;
  try {
    await changing("tag", [0, number, tag, isAdded]);
    tagProblem.value = null;
    await tagsChanged(number);
    return true;
  } catch (error) {
    if (!(error instanceof Stopped)) tagProblem.value = text(error);
    return false;
  }
}

/** Shows the changed tags of an instance. */
async function tagsChanged(number: number): Promise<void> {
  const [now, itsTags] = await Promise.all([client.call("changes", [0]), client.call("tags", [0, number])]);
  forgetRows();
  if (itsTags.length > 0) instances.value?.setHas(number);
  batch(() => {
    changes.value = now;
    isUnsaved.value = now.changed > 0;
    rowsKnown.value++;
    instancesKnown.value++;
    if (instance.value === number) tags.value = itsTags;
  });
}

/** A key as a step of a path. */
export function stepOf(key: string): string {
  return /^[\p{L}\p{N}_\-/@$%]+$/u.test(key) && !/^\d+$/.test(key) ? key : JSON.stringify(key);
}

/** A path whose last step is another key. */
function renamed(path: string, key: string): string {
  const last = /(?:^|\.)(?:"(?:[^"\\]|\\.)*"|[^."[\]]+)$/.exec(path);
  const before = last === null ? "" : path.slice(0, last.index);
  return before === "" ? stepOf(key) : `${before}.${stepOf(key)}`;
}

/** The texts to try after an error. */
type Others = (error: string) => readonly string[];

/** Sets the value at a path to `to`, or to the first of `others` that its type accepts. Returns the error, or `null`. */
export function set(path: string, how: SetHow, type: string | null, to: string, others: Others = () => []): Promise<string | null> {
  const done = setAt(path, how, type, to, others);
  setting.add(done);
  void done.finally(() => setting.delete(done));
  return done;
}

async function setAt(path: string, how: SetHow, type: string | null, to: string, others: Others): Promise<string | null> {
  const since = shown();
  try {
    await changing("set", [0, since.row, path, how, type, to]).catch(async (error: unknown) => {
      if (error instanceof Stopped) throw error;
      for (const other of others(text(error))) {
        try {
          if (other !== to) return await changing("set", [0, since.row, path, how, type, other]);
        } catch (again) {
          if (again instanceof Stopped) throw again;
        }
      }
      throw error;
    });
    await changed(since.row, since, how === "rename" ? renamed(path, to) : path);
    valueProblem.value = null;
    return null;
  } catch (error) {
    const hasGoneOn = since.turn !== latestRow || since.field !== latest;
    if (error instanceof Stopped) return text(error);
    if (hasGoneOn) problem.value = `${path === "" ? "The value" : path} was not changed: ${text(error)}`;
    else valueProblem.value = text(error);
    return text(error);
  }
}

export async function repair(how: "cut" | "clear"): Promise<void> {
  const since = shown();
  try {
    await changing("repair", [0, since.row, how]);
    await changed(since.row, since);
  } catch (error) {
    if (!(error instanceof Stopped)) problem.value = text(error);
  }
}

/** Replaces the bytes of the value from one up to another. Returns the error, or `null`. */
export async function replaceBytes(bytes: Uint8Array, from = 0, to = Infinity): Promise<string | null> {
  const since = shown();
  const before = selected.value?.bytes ?? new Uint8Array();
  try {
    await changing("put", [0, since.row, Uint8Array.from([...before.subarray(0, from), ...bytes, ...before.subarray(to)])]);
    await changed(since.row, since);
    return null;
  } catch (error) {
    return error instanceof Stopped ? null : `These bytes are no valid value: ${text(error)}`;
  }
}

export async function undo(again: boolean): Promise<void> {
  // asked together: the page may not know yet what the last key undid
  const asked = () => client.call("changes", [0]);
  const [before, number, after] = await Promise.all([asked(), changing("undo", [0, again]), asked()]).catch(() => [NO_CHANGES, null, NO_CHANGES] as const);
  if (number === null) return;
  const what = again ? before.redo : before.undo;
  notice.value = `${again ? "Done again" : "Undone"}: ${changeOf(what)}.`;
  const of = instances.value === null ? null : await client.call("nodeOf", [0, number]);
  if (of !== null && of[0] !== instance.value) await selectInstance(of[0], of[1] ? null : number);
  // tags, or several values at once
  if (of?.[1] === true || Math.abs(after.done - before.done) > 1) await showAgain();
  else await changed(number, shown());
}

/** The description of a change. */
export const changeOf = (what: string | null): string =>
  (what ?? "").replace(/^(text|json)( |$)/, "set ").replace(/^(set|remove|rename) $/, "$1 the value").replace(/^cut$/, "keep what comes before the error").replace(/^clear$/, "keep nothing").replace(/^replace$/, "replace the bytes").trim();
