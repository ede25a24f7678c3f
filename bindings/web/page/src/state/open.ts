/** Opens and closes files. */

import { batch } from "@preact/signals";
import type { Sample } from "virtual:samples";
import { client } from "../client";
import { fromBase64, fromHex, wrongHex } from "../encodings";
import { InstanceTree } from "../instances";
import { forget, goOnWith, keep, keepStep, type Kept } from "../kept";
import { CONTAINERS, valuesOf } from "../words";
import { entry, link, remember, type Wanted } from "./address";
import { forgetRows } from "./rows";
import { goOn, select, selectInstance, showAgain } from "./select";
import { aside, awaited, changes, compared, file, found, hasList, instance, instances, isComing, isRestored, isUnsaved, listed, NO_CHANGES, node, onlyBroken, type OpenFile, other, panel, properties, search, selected, setListed, sought, tagProblem, tags, tree, unopened, value, view, wantsFocus } from "./shown";
import { again, ASIDE, madeAgain, OTHER, showChanged, steps, type Steps } from "./steps";
import { drafts, mayClose, typed } from "./typed";
import { busy, doing, notice, problem } from "./work";

client.onCrash = (reason) => {
  batch(() => {
    busy.value = null;
    file.value = null;
    selected.value = null;
    tree.value = null;
    other.value = null;
    compared.value = null;
    aside.value = null;
    problem.value = `Reading failed and was stopped (${reason}). The file was closed; open it again.`;
  });
};

/** Opens a file that was kept, and makes its changes again. */
export async function openKept(kept: Kept, wanted: Wanted = {}): Promise<boolean> {
  const { name, source, kind, sample } = kept.file;
  filesOpened = Math.max(filesOpened, wanted.number ?? 0);
  if (!(await open(name, source, { ...wanted, kind, sample, kept }))) return false;
  isRestored.value = sample === null || changes.value.changed > 0;
  return true;
}

/** Forgets what is kept of the open file. It stays open. */
export function forgetOpen(): void {
  forget();
  isRestored.value = false;
  notice.value = "Deleted: after a reload the file has to be opened again.";
}

let isRestoring = false;

/** Stops the work in progress. The open file stays as it is. */
export function cancel(): void {
  const current = file.value;
  // to stop the restoring too means to give up the file
  const isGivenUp = isRestoring;
  if (isGivenUp && !mayClose()) return;
  const isCut = client.stop() > 1 || isComing.value;
  batch(() => {
    busy.value = null;
    notice.value = "Cancelled.";
    if (current === null || isGivenUp) showStart();
  });
  if (current !== null && !isGivenUp) void restore(current, isCut);
}

/** Opens all open files in a new worker, with their changes. Shows the file again if answers about it were lost. */
async function restore(current: OpenFile, isCut: boolean): Promise<void> {
  isRestoring = true;
  const isDone = await doing(`Opening ${current.name} again`, async () => {
    await client.first(async (ask) => {
      await again(ask, 0, current.source, current.kind, current.secret, steps.value);
      if (aside.value !== null) await again(ask, ASIDE, aside.value.file.source, aside.value.file.kind, aside.value.file.secret, aside.value.steps);
      if (other.value !== null) await again(ask, OTHER, other.value.source, other.value.opened.kind, current.secret, []);
      if (selected.value !== null) await ask("select", [0, selected.value.row]);
    });
    return true;
  });
  isRestoring = false;
  // the user has closed it
  if (file.value !== current) return;
  // it cannot be read any more
  if (isDone === null) return batch(showStart);
  if (isCut) await showAgain();
}

export function closeAll(): void {
  isRestored.value = false;
  typed.clear();
  drafts.clear();
  goOn();
  // the same link opens it again
  entry.hash = "";
  file.value = null;
  selected.value = null;
  tree.value = null;
  node.value = null;
  value.value = null;
  isComing.value = false;
  wantsFocus.value = false;
  other.value = null;
  compared.value = null;
  view.value = "file";
  changes.value = NO_CHANGES;
  isUnsaved.value = false;
  search.value = "";
  sought.value = "";
  onlyBroken.value = false;
  found.value = null;
  instances.value = null;
  instance.value = null;
  properties.value = [];
  tags.value = [];
  tagProblem.value = null;
}

export function close(): boolean {
  if (!mayClose(false, true)) return false;
  listed.value = [];
  forget();
  // its memory ends with it
  client.stop();
  isUsed = false;
  batch(showStart);
  return true;
}

function showStart(): void {
  closeAll();
  aside.value = null;
  remember("");
}

/** True if the worker has opened a file, whose memory it keeps. */
let isUsed = false;
let filesOpened = 0;

export async function open(name: string, source: Blob, wanted: Wanted = {}): Promise<boolean> {
  if (!mayClose(wanted.isExample)) return false;
  problem.value = null;
  let made: Steps = [];
  const opened = await doing(`Reading ${name}`, async () => {
    const bytes = new Uint8Array(await source.arrayBuffer());
    const isNew = !isUsed || wanted.isExample === true;
    isUsed = true;
    const opened = await (isNew ? client.call : client.renew)("open", [0, bytes, wanted.kind ?? null, wanted.secret ?? ""], [bytes.buffer]);
    made = await madeAgain(wanted.steps ?? wanted.kept?.steps ?? []);
    return opened;
  });
  if (opened === null) {
    // the user may choose its format, unless the file is open already
    if (source !== file.value?.source) unopened.value = problem.value === null ? null : { name, source, isText: wanted.kind?.startsWith("text") === true, isEncrypted: /\bGDEC\b/.test(problem.value) };
    return false;
  }
  keepInList();
  forgetRows();
  if (wanted.isExample !== true) aside.value = null;
  steps.value = made;
  const now = made.length === 0 ? NO_CHANGES : await client.call("changes", [0]);
  batch(() => {
    closeAll();
    unopened.value = null;
    file.value = { ...opened, name, source, secret: wanted.secret ?? "", sample: wanted.sample ?? null, number: wanted.number ?? ++filesOpened };
    instances.value = opened.nodes === null ? null : new InstanceTree(opened.nodes);
    showChanged(made, instances.value);
    changes.value = now;
    isUnsaved.value = now.changed > 0;
    panel.value = opened.about.container === null ? "fields" : "list";
  });
  setListed(source, { kind: opened.kind, secret: wanted.secret ?? "", about: valuesOf(opened.about) });
  keepOpen(wanted);
  const first = instances.value === null ? null : await firstInstance(instances.value, wanted);
  if (first !== null) await selectInstance(first, null, wanted.node ?? null);
  else if (opened.about.rows > 0) await select(Math.min(wanted.row ?? 0, opened.about.rows - 1), wanted.node ?? null);
  else problem.value = opened.about.end ?? "The file has no values.";
  const last = instances.value === null || opened.about.broken === 0 ? null : await client.call("nodeTexts", [0, Uint32Array.of(instances.value.count - 1)]).catch(() => null);
  const damage = last?.[0]?.[0] === "the file" ? (last[0][5][0] ?? "") : opened.about.rows > 0 ? opened.about.end : null;
  if (damage !== null) problem.value = `The file is damaged: ${damage}. What was read is shown; to save a change, the file has to be whole.`;
  link();
  // to go on by the keyboard, unless the user has done so already
  if (document.activeElement?.closest("main, dialog") != null) return true;
  const shown = document.getElementById(hasList.value ? "rows" : "values");
  if (shown === null) wantsFocus.value = true;
  else shown.focus({ preventScroll: true });
  return true;
}

/** Keeps the changes of the open file in the list that it is of. */
export function keepInList(): void {
  const current = aside.value === null ? file.value : null;
  if (current !== null) setListed(current.source, { kind: current.kind, secret: current.secret, steps: steps.value, changed: changes.value.changed, isUnsaved: isUnsaved.value });
}

/** Keeps the open file for a reload, unless it is an example beside another file. Passwords are not stored, nor files that need one. */
function keepOpen({ kept }: Wanted): void {
  const current = file.value;
  if (current === null || aside.value !== null) return;
  if (current.secret !== "") return forget();
  if (kept !== undefined) goOnWith(kept);
  if (kept?.steps.length === steps.value.length) return;
  if (!keep(current)) notice.value = `${current.name} is larger than 64 MB: after a reload it has to be opened again.`;
  steps.value.forEach((step, at) => keepStep(at + 1, step));
}

/** The instance that is shown first. */
async function firstInstance(tree: InstanceTree, { instance, row }: Wanted): Promise<number | null> {
  if (instance !== undefined && instance < tree.count) return instance;
  const ofRow = row === undefined || row === 0 ? null : await client.call("nodeOf", [0, row]).catch(() => null);
  return ofRow?.[0] ?? tree.first;
}

/** Closes the error message, with the choice of formats in it. */
export function closeProblem(): void {
  problem.value = null;
  if (file.value !== null) unopened.value = null;
}

/** Opens the file that could not be opened with this password or key. */
export async function openWith(secret: string): Promise<void> {
  const waiting = unopened.value;
  if (waiting !== null) await open(waiting.name, waiting.source, { secret });
}

/** Opens the file that could not be opened as another format. */
export async function openAs(kind: string): Promise<void> {
  const waiting = unopened.value;
  if (waiting !== null) await open(waiting.name, waiting.source, { kind: waiting.isText && !CONTAINERS.some((row) => row.kind === kind) ? `text ${kind}` : kind });
}

export async function openSample(sample: Sample, wanted: Wanted = {}): Promise<boolean> {
  const bytes = fromBase64(sample.content) ?? new Uint8Array();
  return open(sample.name, new Blob([bytes as Uint8Array<ArrayBuffer>]), { ...wanted, kind: wanted.kind ?? sample.kind, sample: sample.id });
}

export async function openFile(chosen: File): Promise<boolean> {
  const wanted = awaited.value?.name === chosen.name ? awaited.value.wanted : {};
  awaited.value = null;
  return open(chosen.name, chosen, wanted);
}

/** Opens what was pasted: hex, base64, or the text of a file. */
export async function openText(pasted: string): Promise<void> {
  const wrong = pasted.trim() === "" ? "The text is empty: paste one first." : wrongHex(pasted);
  if (wrong !== null) {
    problem.value = wrong;
    return;
  }
  // a list of numbers may be bytes, or a value
  const isText = (fromHex(pasted) === null || pasted.includes("[")) && fromBase64(pasted) === null;
  await open("pasted.txt", new Blob([pasted]), { kind: isText ? "text" : null });
}
