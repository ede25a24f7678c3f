/** The state of the page, and the functions that change it. */

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import samples, { type Sample } from "virtual:samples";
import { Stopped, client, type Call } from "./client";
import { fromBase64, fromHex, pack, toBase64Url, unpack, wrongHex } from "./encodings";
import { InstanceTree } from "./instances";
import type { Calls, CallName, Changes, Compared, Difference, KindRow, NodeOfTree, NodeText, Opened, Row, Selected, SetHow, ValueAt } from "./protocol";
import { forget, goOnWith, keep, keepOther, keepStep, visited, type Kept, type Step } from "./kept";
import { LONG, TreeModel, ValueTable } from "./tree";
import { CONTAINERS } from "./words";

export interface OpenFile extends Opened {
  readonly name: string;
  /** The bytes of the file as they came, to open them as something else. */
  readonly source: Blob;
  /** The password or key that it was opened with. */
  readonly secret: string;
  readonly sample: string | null;
  /** The number of the file, which the history of the browser has. */
  readonly number: number;
}

export type Theme = "auto" | "light" | "dark";
export type Panel = "list" | "fields" | "bytes" | "value";
export type View = "file" | "compare" | "how";

const NO_CHANGES: Changes = { undo: null, redo: null, done: 0, changed: 0 };
/** A file up to this size goes along in a link. */
const IN_LINK = 4096;
/** The number of rows or texts in one request to the worker. */
const PAGE = 256;

export const theme = signal<Theme>("auto");
export const kinds = signal<readonly KindRow[]>([]);
export const file = signal<OpenFile | null>(null);
export const view = signal<View>("file");
export const panel = signal<Panel>("fields");
/** The work in progress, as text; `null` when idle. */
export const busy = signal<string | null>(null);
export const problem = signal<string | null>(null);
/** A short message that something was done. */
export const notice = signal<string | null>(null);
export const search = signal("");
export const onlyBroken = signal(false);
/** The rows that match the search; `null` without a search. */
export const found = signal<Uint32Array | null>(null);
/** Counts up when more rows are known. */
export const rowsKnown = signal(0);
export const row = signal(0);
export const selected = signal<Selected | null>(null);
export const tree = signal<TreeModel | null>(null);
let latestTable: ValueTable | null = null;
/** The values in the tree. */
export const table = computed(() => (latestTable = tree.value === null ? null : new ValueTable(tree.value, latestTable)));
/** Counts up when more texts are known, or nodes are opened and closed. */
export const treeKnown = signal(0);
export const node = signal<number | null>(null);
/** The byte that was chosen in the hex view. */
export const byte = signal<number | null>(null);
export const paths = signal<readonly [string | null, string | null]>([null, null]);
export const value = signal<ValueAt | null>(null);
export const valueProblem = signal<string | null>(null);
/** True while another value is loaded. The value that is still shown cannot be changed then. */
export const isComing = signal(false);
/** True if the control of the value gets the focus when it appears. */
export const wantsFocus = signal(false);
export const changes = signal<Changes>(NO_CHANGES);
/** True if there are changes that were not downloaded. */
export const isUnsaved = signal(false);
export const kept = signal<string | null>(null);
/** The other side of the comparison: another file, or this one as it was opened. */
export const other = signal<{ readonly name: string; readonly source: Blob; readonly opened: Opened; readonly isOriginal: boolean } | null>(null);
export const compared = signal<Compared | null>(null);
/** The word for each sign. */
export const DIFFERENT = { "-": "removed", "+": "added", "~": "changed" } as const;
export const spec = signal<string | null>(null);
/** The names of fields that light up. */
export const lit = signal<string | null>(null);

/** The tool whose losses are marked; empty for none. */
export const tool = signal("");
/** The nodes of the value that it does not keep, each with a sentence about it. */
export const marks = signal<ReadonlyMap<number, string>>(new Map());

effect(() => {
  const [now, name] = [selected.value, tool.value];
  marks.value = new Map();
  if (now === null || name === "") return;
  const show = (found: readonly (readonly [number, string])[]): void => {
    if (selected.value === now && tool.value === name) marks.value = new Map(found);
  };
  client.call("harms", [now.row, name]).then(show, (error: Error) => (problem.value = error.message));
});

/** The instances of a model file. */
export const instances = signal<InstanceTree | null>(null);
/** Counts up when more of the instances is known, or some are opened and closed. */
export const instancesKnown = signal(0);
export const instance = signal<number | null>(null);
/** The rows of the instance that hold values, and the properties that these are. */
export const properties = signal<readonly (readonly [number, string])[]>([]);
export const tags = signal<readonly string[]>([]);
export const tagProblem = signal<string | null>(null);

export const rowCount = computed(() => found.value?.length ?? file.value?.about.rows ?? 0);
export const hasList = computed(() => file.value !== null && file.value.about.container !== null);

/** True if the user wants the layout of the bytes, false if not; `null` if the page chooses. */
export const wantsBytes = signal<boolean | null>(null);
const wide = matchMedia("(min-width: 2200px)");
/** True if there is room for the values and the layout of their bytes. */
export const isWide = signal(wide.matches);
wide.addEventListener("change", () => (isWide.value = wide.matches));
const narrow = matchMedia("(max-width: 639px)");
/** True if there is room for one column only, as on a phone. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", () => (isNarrow.value = narrow.matches));
/** True if the layout of the bytes is shown: it explains what is broken, and what has no values. */
export const showsBytes = computed(() => {
  if (view.value === "how" || (tree.value !== null && !tree.value.hasEntries && selected.value?.end.hasValues !== true)) return true;
  return wantsBytes.value ?? (isWide.value || selected.value?.end.error != null);
});

let rowCache = new Map<number, Row | null>();
let asked = new Set<number>();
let nodeCache = new Map<number, NodeOfTree | null>();
let askedNodes = new Set<number>();
let askedTexts = new Set<number>();

client.onProgress = (text) => {
  if (busy.value !== null) busy.value = text;
};
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

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Counts up whenever something begins that may take long. */
let latestWork = 0;

/** Does work that may take long, and shows its error. */
async function doing<T>(what: string, work: () => Promise<T>): Promise<T | null> {
  const turn = ++latestWork;
  busy.value = what;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Stopped)) problem.value = text(error);
    return null;
  } finally {
    // unless other work was begun after this was cancelled
    if (turn === latestWork) busy.value = null;
  }
}

export async function start(): Promise<void> {
  const known = client.call("kinds", []);
  const kept = await visited();
  if (kept === null || !(await openVisit(kept))) await openLink();
  if (file.value === null) {
    place = { number: 0, view: "file", spec: null, panel: null };
    history.replaceState(place, "");
  }
  const formats = await known.catch(() => client.call("kinds", [])).catch(() => []);
  kinds.value = formats.length === 0 ? [] : [...formats, ...CONTAINERS];
}

/** True if the file is one that was kept when the page was left. */
export const isRestored = signal(false);

/** Opens what this tab had open before a reload. False if the address is that of something else. */
async function openVisit(kept: Kept): Promise<boolean> {
  const parts = new URLSearchParams(location.hash.slice(1));
  const [wanted, before] = [wantedOf(parts), history.state as Place | null];
  const [how, sample] = [parts.get("how"), samples.find((sample) => sample.id === parts.get("sample"))];
  const isSame = !parts.has("data") && (sample?.id ?? null) === kept.file.sample && (sample !== undefined || parts.get("name") === kept.file.name);
  // or it was set aside for an example
  if (!isSame && (how === null || sample === undefined)) return false;
  if (!(await openKept(kept, isSame ? { ...wanted, number: before?.number || 1 } : {}))) return false;
  if (how !== null && sample !== undefined && !isSame) await showExample(how, sample);
  else if (how !== null) showHow(how);
  // these have their entry in the history already
  else if (before?.view === "compare") {
    place = null;
    await (kept.other === null ? compareOriginal() : openOther(new File([kept.other.source], kept.other.name)));
  } else if (before?.panel != null) {
    place = null;
    panel.value = before.panel;
  }
  return true;
}

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

/** The changes of a file, in order. Repeated in a new worker, they give the same file. */
type Steps = Step[];

/** The changes of the open file. */
let steps: Steps = [];

/** Calls a function of the worker that changes the open file. */
async function changing<N extends CallName>(name: N, args: Calls[N]["args"]): Promise<Calls[N]["answer"]> {
  const answer = await client.call(name, args);
  steps.push([name, args]);
  // what is done to an example is not kept
  if (aside.value === null) keepStep(steps.length, [name, args]);
  return answer;
}

/** Slots of the worker: the open file has slot 0. These are the file that it is compared with, and the file that is set aside. */
const [OTHER, ASIDE] = [1, 3];

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

/** Opens a file in a new worker, and repeats its changes. */
async function again(ask: Call, slot: number, source: Blob, kind: string, secret: string, steps: Steps): Promise<void> {
  const bytes = new Uint8Array(await source.arrayBuffer());
  await ask("open", [slot, bytes, kind, secret], [bytes.buffer]);
  for (const [name, [, ...args]] of steps) await ask(name, [slot, ...args] as Calls[CallName]["args"]);
}

/** Opens all open files in a new worker, with their changes. Shows the file again if answers about it were lost. */
async function restore(current: OpenFile, isCut: boolean): Promise<void> {
  isRestoring = true;
  const isDone = await doing(`Opening ${current.name} again`, async () => {
    await client.first(async (ask) => {
      await again(ask, 0, current.source, current.kind, current.secret, steps);
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

/** Reads again what is shown of the file. */
async function showAgain(): Promise<void> {
  const current = file.value;
  const now = await client.call("changes", [0]).catch(() => null);
  if (now === null || file.value !== current) return;
  forgetRows();
  batch(() => {
    changes.value = now;
    isUnsaved.value = now.changed > 0;
    rowsKnown.value++;
    instancesKnown.value++;
  });
  if (instance.value !== null) await selectInstance(instance.value, row.value, node.value);
  else await select(row.value, node.value);
}

function closeAll(): void {
  isRestored.value = false;
  typed.clear();
  drafts.clear();
  goOn();
  // the same link opens it again
  linked = "";
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
  onlyBroken.value = false;
  found.value = null;
  instances.value = null;
  instance.value = null;
  properties.value = [];
  tags.value = [];
  tagProblem.value = null;
}

/** A control of a value with text that was typed and is not applied yet. */
export interface Typed {
  readonly control: HTMLInputElement | HTMLTextAreaElement;
  readonly apply: () => void;
}
export const typed = new Set<Typed>();

/** Texts that were typed and cannot be applied, by their value. Each is shown again with its value. */
export const drafts = new Map<string, { readonly path: string; readonly text: string }>();

/** Applies what was typed last. */
function applyTyped(): void {
  for (const { apply } of [...typed]) apply();
}

/** The values that are being set; each promise gives its error, or `null`. */
const setting = new Set<Promise<string | null>>();

/** Applies what was typed last, and waits for all values that are being set. Returns the first error, or `null`. */
async function allSet(): Promise<string | null> {
  applyTyped();
  const wrong = (await Promise.all(setting)).find((error) => error !== null);
  return wrong ?? (typed.size > 0 ? "what was typed is no such value" : null);
}

/** True if all typed text could be applied. Otherwise it shows a problem that begins with `notDone`. */
async function areAllSet(notDone: string): Promise<boolean> {
  const wrong = await allSet();
  if (wrong !== null) problem.value = `${notDone}, because a value that was typed cannot be applied: ${wrong}. Correct it, or press Escape in its field to drop it.`;
  return wrong === null;
}

/** True if closing the file would lose changes. */
export const hasUnsaved = (): boolean => isUnsaved.value || typed.size > 0 || setting.size > 0 || drafts.size > 0;

/** True if the user agrees to lose changes, or there are none: of the file shown, and of the one that is set aside. */
function mayClose(staysAside = false): boolean {
  const files = [hasUnsaved() ? file.value : null, !staysAside && aside.value?.isUnsaved === true ? aside.value.file : null];
  return files.every((changed) => changed === null || confirm(`${changed.name} has changes that were not downloaded. Close it all the same?`));
}

export function close(): boolean {
  if (!mayClose()) return false;
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

interface Wanted {
  readonly kind?: string | null;
  /** The password or key of an encrypted file. */
  readonly secret?: string;
  readonly sample?: string | null;
  readonly row?: number;
  readonly node?: number | null;
  readonly instance?: number | undefined;
  /** True if the file that is set aside stays so. */
  readonly isExample?: boolean;
  /** The number that the file had before. */
  readonly number?: number;
  /** The visit that kept it. */
  readonly kept?: Kept;
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
    made = await madeAgain(wanted.kept?.steps ?? []);
    return opened;
  });
  if (opened === null) {
    // the user may choose its format, unless the file is open already
    if (source !== file.value?.source) unopened.value = problem.value === null ? null : { name, source, isText: wanted.kind?.startsWith("text") === true, isEncrypted: /\bGDEC\b/.test(problem.value) };
    return false;
  }
  forgetRows();
  if (wanted.isExample !== true) aside.value = null;
  steps = made;
  const now = steps.length === 0 ? NO_CHANGES : await client.call("changes", [0]);
  batch(() => {
    closeAll();
    unopened.value = null;
    file.value = { ...opened, name, source, secret: wanted.secret ?? "", sample: wanted.sample ?? null, number: wanted.number ?? ++filesOpened };
    instances.value = opened.nodes === null ? null : new InstanceTree(opened.nodes);
    showChanged(steps, instances.value);
    changes.value = now;
    isUnsaved.value = now.changed > 0;
    panel.value = opened.about.container === null ? "fields" : "list";
  });
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

/** Makes the changes of an earlier visit again. Gives those that could be made. */
async function madeAgain(wanted: readonly Step[]): Promise<Steps> {
  for (const [at, [name, args]] of wanted.entries()) {
    try {
      await client.call(name, args);
    } catch (error) {
      if (error instanceof Stopped) throw error;
      problem.value = `Not all changes of your last visit could be made again: ${text(error)}`;
      return wanted.slice(0, at);
    }
  }
  return [...wanted];
}

/** Marks the instances that got attributes or tags by these changes. */
function showChanged(steps: Steps, tree: InstanceTree | null): void {
  let shown: number | null = null;
  for (const [name, [, number]] of steps) {
    if (name === "nodeRows") shown = number as number;
    else if (name === "tag") tree?.setHas(number as number);
    else if (shown !== null) tree?.setHas(shown);
  }
}

/** Keeps the open file for a reload, unless it is an example beside another file. Passwords are not stored, nor files that need one. */
function keepOpen({ kept }: Wanted): void {
  const current = file.value;
  if (current === null || aside.value !== null) return;
  if (current.secret !== "") return forget();
  if (kept !== undefined) goOnWith(kept);
  if (kept?.steps.length === steps.length) return;
  if (!keep(current)) notice.value = `${current.name} is larger than 64 MB: after a reload it has to be opened again.`;
  steps.forEach((step, at) => keepStep(at + 1, step));
}

/** Clears what is known of rows and instances, because it may have changed. */
function forgetRows(): void {
  rowCache = new Map();
  asked = new Set();
  nodeCache = new Map();
  askedNodes = new Set();
}

/** The instance that is shown first. */
async function firstInstance(tree: InstanceTree, { instance, row }: Wanted): Promise<number | null> {
  if (instance !== undefined && instance < tree.count) return instance;
  const ofRow = row === undefined || row === 0 ? null : await client.call("nodeOf", [0, row]).catch(() => null);
  return ofRow?.[0] ?? tree.first;
}

/** Shows an instance: its tags, and a row of it. */
export async function selectInstance(number: number, wantedRow: number | null = null, wantedNode: number | null = null): Promise<void> {
  const tree = instances.value;
  if (tree === null) return;
  applyTyped();
  tree.reveal(number);
  const turn = goOn();
  batch(() => {
    instance.value = number;
    instancesKnown.value++;
  });
  try {
    // `nodeRows` adds a row for attributes to an instance without any
    const [rows, itsTags] = await Promise.all([changing("nodeRows", [0, number]), client.call("tags", [0, number])]);
    // unless the user has gone on
    if (turn !== latestRow || tree !== instances.value) return;
    batch(() => {
      properties.value = rows;
      tags.value = itsTags;
      tagProblem.value = null;
    });
    const shown = rows.find(([row]) => row === wantedRow) ?? rows[0];
    if (shown !== undefined) await select(shown[0], wantedNode);
    else showNoValue();
  } catch (error) {
    if (turn === latestRow) showNoValue();
    if (!(error instanceof Stopped)) problem.value = text(error);
  }
}

/** A node of the tree of instances, as soon as it is known. */
export function nodeTextAt(number: number): NodeOfTree | null | undefined {
  instancesKnown.value;
  const known = nodeCache.get(number);
  const first = number - (number % PAGE);
  if (known === undefined && !askedNodes.has(first)) {
    askedNodes.add(first);
    const count = instances.value?.count ?? 0;
    const numbers = Uint32Array.from({ length: Math.min(PAGE, count - first) }, (_, at) => first + at);
    const cache = nodeCache;
    client
      .call("nodeTexts", [0, numbers])
      .then((texts) => {
        if (cache !== nodeCache) return;
        texts.forEach((text, at) => nodeCache.set(first + at, text));
        instancesKnown.value++;
      })
      .catch(() => askedNodes.delete(first));
  }
  return known;
}

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

/** A file that could not be opened. The user can choose its format. */
export const unopened = signal<{ readonly name: string; readonly source: Blob; readonly isText: boolean; readonly isEncrypted: boolean } | null>(null);

/** Opens the file that is open as something else. */
export async function reopen(kind: string): Promise<void> {
  const current = file.value;
  if (current === null) return;
  const how = aside.value === null ? null : spec.value;
  await open(current.name, current.source, { kind, secret: current.secret, sample: current.sample, isExample: how !== null });
  // the file that is set aside comes back when the specification is closed
  if (how !== null) showHow(how);
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

/** Counts up whenever another row is chosen. */
let latestRow = 0;
/** Counts up whenever another field is chosen, and when the fields are those of another row. */
let latest = 0;

/** Notes that another row was chosen: the value that is still shown, and answers that still come, belong to the old one. */
function goOn(): number {
  isComing.value = true;
  wantsFocus.value = false;
  latest++;
  return ++latestRow;
}

function showNoValue(): void {
  batch(() => {
    paths.value = [null, null];
    value.value = null;
    isComing.value = false;
  });
}

/** Shows a row: its fields and its bytes. */
export async function select(number: number, wantedNode: number | null = null): Promise<void> {
  applyTyped();
  const turn = goOn();
  try {
    const found = await client.call("select", [0, number]);
    if (turn !== latestRow) return;
    const fields = ++latest;
    askedTexts = new Set();
    batch(() => {
      row.value = number;
      latestTable = null;
      selected.value = found;
      tree.value = new TreeModel(found);
      treeKnown.value++;
      node.value = null;
      byte.value = null;
      value.value = null;
      valueProblem.value = null;
      paths.value = [null, null];
      kept.value = null;
    });
    if (found.end.error !== null) {
      const text = await client.call("kept", [0, number]).catch(() => null);
      if (turn !== latestRow) return;
      kept.value = text;
      // unless the user has chosen a field
      if (fields !== latest) return;
    }
    const model = tree.value;
    const first = wantedNode ?? (model === null ? null : (model.brokenNode ?? firstFound(model) ?? firstEntry(model)));
    if (first !== null) return await selectNode(first);
    // an empty value has no fields, but some can be added
    if (found.end.hasValues) {
      const whole = await client.call("value", [0, number, ""]);
      if (turn !== latestRow) return;
      value.value = whole;
    }
    isComing.value = false;
    link();
  } catch (error) {
    if (turn === latestRow) showNoValue();
    if (!(error instanceof Stopped)) problem.value = text(error);
  }
}

/** The place in a text of what is searched; -1 if it is not there, or if nothing is searched. */
export const foundIn = (text: string): number => (search.value === "" ? -1 : text.toLowerCase().indexOf(search.value.toLowerCase()));

/** The first value that has what is searched in its key or its text, among those that are known. */
function firstFound(model: TreeModel): number | null {
  if (search.value === "") return null;
  const found = model.entries.find((at) => {
    const [, key, text] = model.texts[at] ?? [];
    return foundIn(key ?? "") >= 0 || foundIn(text ?? "") >= 0;
  });
  return found ?? null;
}

function firstEntry(model: TreeModel): number | null {
  // in a long tree, the first value stays closed
  const isLong = model.count > LONG;
  for (let at = 0; at < model.count; at++) if (model.isEntry(at) && (isLong || !isGroup(model, at))) return at;
  return model.count > 0 ? 0 : null;
}

/** True if a node holds other values. */
function isGroup(model: TreeModel, at: number): boolean {
  for (let inner = at + 1; inner < (model.ends[at] ?? 0); inner++) if (model.isEntry(inner)) return true;
  return false;
}

/** True if the value that is shown may have changed. */
let isStale = false;

/** Shows a field with the value that it belongs to. A value that `stays` can be changed until then. */
export async function selectNode(number: number, fromByte: number | null = null, stays = false): Promise<void> {
  const model = tree.value;
  if (model === null || number < 0 || number >= model.count) return;
  model.reveal(number);
  table.value?.reveal(number);
  const isOther = node.value === null || model.value(node.value) !== model.value(number);
  if (isOther && !stays) applyTyped();
  batch(() => {
    if (isOther && !stays) {
      isComing.value = true;
      // unless it is the first field of a row
      if (node.value !== null) wantsFocus.value = false;
    }
    node.value = number;
    byte.value = fromByte;
    treeKnown.value++;
  });
  const turn = ++latest;
  try {
    const found = await client.call("path", [number]);
    if (turn !== latest) return;
    const path = found[1];
    if (path === null) {
      batch(() => {
        paths.value = found;
        value.value = null;
        isComing.value = false;
      });
    } else if (isStale || value.value === null || value.value.path !== path || paths.value[1] !== path) {
      const now = await client.call("value", [0, row.value, path]);
      if (turn !== latest) return;
      isStale = false;
      batch(() => {
        paths.value = found;
        value.value = now;
        valueProblem.value = null;
        isComing.value = false;
      });
    } else {
      batch(() => {
        paths.value = found;
        isComing.value = false;
      });
    }
    link();
  } catch (error) {
    if (turn === latest) showNoValue();
    if (!(error instanceof Stopped)) valueProblem.value = text(error);
  }
}

export function selectByte(at: number): void {
  const model = tree.value;
  if (model === null) return;
  const fields = model.fieldsAt(at);
  const current = node.value === null ? -1 : fields.indexOf(node.value);
  // each click on a byte that several fields share selects the next of them
  const next = byte.value === at ? fields[(current + 1) % fields.length] : fields[0];
  if (next === undefined) byte.value = at;
  else void selectNode(next, at);
}

/** The row of the list with this number, as soon as it is known. */
export function rowAt(number: number): Row | null | undefined {
  rowsKnown.value;
  const known = rowCache.get(number);
  if (known === undefined) askRows(number);
  return known;
}

/** Asks the worker for the page of rows that has this one. */
function askRows(number: number): void {
  const first = number - (number % PAGE);
  if (asked.has(first)) return;
  asked.add(first);
  const count = file.value?.about.rows ?? 0;
  const numbers = Uint32Array.from({ length: Math.min(PAGE, count - first) }, (_, at) => first + at);
  const cache = rowCache;
  client
    .call("rows", [0, numbers])
    .then((rows) => {
      if (cache !== rowCache) return;
      rows.forEach((row, at) => rowCache.set(first + at, row));
      rowsKnown.value++;
    })
    .catch(() => asked.delete(first));
}

export function textAt(number: number): NodeText | undefined {
  treeKnown.value;
  const model = tree.value;
  if (model === null) return undefined;
  const known = model.texts[number];
  if (known === undefined) {
    const first = number - (number % PAGE);
    if (!askedTexts.has(first)) {
      askedTexts.add(first);
      client
        .call("texts", [first, first + PAGE])
        .then((texts) => {
          if (tree.value !== model) return;
          texts.forEach((text, at) => (model.texts[first + at] = text));
          treeKnown.value++;
        })
        .catch(() => askedTexts.delete(first));
    }
  }
  return known;
}

let searching: ReturnType<typeof setTimeout> | undefined;

export function find(wanted: string, broken: boolean): void {
  search.value = wanted;
  onlyBroken.value = broken;
  clearTimeout(searching);
  searching = setTimeout(async () => {
    const tree = instances.value;
    if (tree !== null) {
      const nodes = wanted === "" && !broken ? null : await client.call("findNodes", [0, wanted, broken]).catch(() => null);
      // unless the user has typed on
      if (search.value !== wanted || onlyBroken.value !== broken) return;
      tree.find(nodes);
      instancesKnown.value++;
    } else if (wanted === "" && !broken) found.value = null;
    else found.value = await client.call("find", [0, wanted, broken]).catch(() => null);
  }, 80);
}

/** The row and field that are shown when a change begins. */
interface Shown {
  readonly row: number;
  readonly instance: number | null;
  readonly turn: number;
  readonly field: number;
}
const shown = (): Shown => ({ row: row.value, instance: instance.value, turn: latestRow, field: latest });

/**
 * Shows a changed row again, with the value at `wanted`, or else the node with the number of the one selected before. If the user
 * has gone on to another row or field since the change began, that one stays.
 */
async function changed(number: number, since: Shown, wanted: string | null = paths.value[1]): Promise<void> {
  const [before, isSame] = [node.value, number === row.value];
  const wasOpen = tree.value;
  forgetRows();
  if (instances.value !== null && since.instance !== null) instances.value.setHas(since.instance);
  changes.value = await client.call("changes", [0]);
  isUnsaved.value = changes.value.changed > 0;
  const hasGoneOn = (): boolean => since.turn !== latestRow;
  const again = hasGoneOn() ? null : await client.call("select", [0, number]);
  if (again === null || hasGoneOn()) {
    return batch(() => {
      rowsKnown.value++;
      instancesKnown.value++;
    });
  }
  const model = new TreeModel(again);
  if (wasOpen !== null && isSame && wasOpen.count === model.count) {
    for (let at = 0; at < model.count; at++) if (wasOpen.isOpen(at) !== model.isOpen(at)) model.setOpen(at, wasOpen.isOpen(at));
  }
  askedTexts = new Set();
  batch(() => {
    row.value = number;
    selected.value = again;
    tree.value = model;
    treeKnown.value++;
    rowsKnown.value++;
    instancesKnown.value++;
    byte.value = null;
    valueProblem.value = null;
    kept.value = null;
    // a value that is empty now has no fields
    if (model.count === 0) node.value = null;
  });
  // the old value stays until the new one is there, so that its control keeps the focus
  isStale = true;
  if (again.end.error !== null) {
    const text = await client.call("kept", [0, number]).catch(() => null);
    if (hasGoneOn()) return;
    kept.value = text;
  }
  const at = !isSame || wanted === null || wanted === "" ? null : await client.call("nodeAt", [wanted]);
  if (hasGoneOn()) return;
  const near = isSame && before !== null && before < model.count ? before : firstEntry(model);
  const first = again.end.error !== null ? (model.brokenNode ?? 0) : (at ?? near);
  if (since.field !== latest && model.count > 0) return selectNode(Math.min(node.value ?? 0, model.count - 1));
  if (first !== null && model.count > 0) return selectNode(first, null, true);
  const whole = again.end.hasValues ? await client.call("value", [0, number, ""]) : null;
  if (whole === null || hasGoneOn()) return;
  batch(() => {
    value.value = whole;
    isComing.value = false;
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

/** The name for the content of a file, which may be packed or written as text. */
function contentName({ name, input, about }: OpenFile): string {
  if (about.isDocument) return `${name.replace(/\.\w+$/, "")}.bin`;
  if (input === "raw") return name;
  const unpacked = input === "gzip" ? name.replace(/\.gz$/i, "") : name;
  return unpacked !== name && /\.\w+$/.test(unpacked) ? unpacked : `${unpacked.replace(/\.\w+$/, "")}.bin`;
}

/** The description of a change. */
export const changeOf = (what: string | null): string =>
  (what ?? "").replace(/^(text|json)( |$)/, "set ").replace(/^(set|remove|rename) $/, "$1 the value").replace(/^cut$/, "keep what comes before the error").replace(/^clear$/, "keep nothing").replace(/^replace$/, "replace the bytes").trim();

/** The name under which a file is saved: another if it has changed. */
export function savedName(): string {
  const current = file.value;
  if (current === null) return "file.bin";
  const stem = contentName(current);
  if (changes.value.changed === 0) return stem;
  const dot = stem.lastIndexOf(".");
  return dot > 0 ? `${stem.slice(0, dot)}.changed${stem.slice(dot)}` : `${stem}.changed`;
}

/** Gives the user a file. */
function saveAs(name: string, bytes: Blob | Uint8Array | string): void {
  const address = URL.createObjectURL(bytes instanceof Blob ? bytes : new Blob([bytes as Uint8Array<ArrayBuffer> | string]));
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export async function download(): Promise<void> {
  const current = file.value;
  if (current === null || !(await areAllSet("The file was not saved"))) return;
  // a change may have been made just now
  changes.value = await client.call("changes", [0]).catch(() => changes.value);
  // without changes, the original bytes, even of a broken file
  const isSame = changes.value.changed === 0 && current.input === "raw" && !current.about.isDocument;
  const bytes = isSame ? current.source : await doing("Writing the file", () => client.call("save", [0]));
  if (bytes === null) return;
  saveAs(savedName(), bytes);
  isUnsaved.value = false;
  notice.value = `${savedName()} was handed to the browser.`;
  const left = [...drafts.values()].map(({ path }) => (path === "" ? "the value" : path));
  if (left.length > 0) problem.value = `The file was saved without what was typed for ${left.join(", ")}, which could not be applied.`;
}

export async function copy(what: string, content: string, about = ""): Promise<void> {
  try {
    await navigator.clipboard.writeText(content);
  } catch {
    // without permission to write to the clipboard, such as on file://
    const area = document.createElement("textarea");
    area.value = content;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  notice.value = `${what} copied.${about}`;
}

let linked = "";

/** The view that is shown: the start page, or a view of a file. */
interface Place {
  readonly number: number;
  readonly view: View;
  readonly spec: string | null;
  /** The part of the view that is shown, where there is room for one only. */
  readonly panel: Panel | null;
}
/** The place of the present entry in the history of the browser. */
let place: Place | null = null;
/** The files of the entries in the history of the browser. */
const known = new Map<number, OpenFile>();

/** Writes the place into the history: a new one as a new entry. */
function remember(hash: string): void {
  const current = file.value;
  if (current !== null) known.set(current.number, current);
  for (const number of known.keys()) if (known.size > 8) known.delete(number);
  const shown = current === null || view.value === "compare" || !isNarrow.value ? null : panel.value;
  const now: Place = { number: current?.number ?? 0, view: view.value, spec: view.value === "how" ? spec.value : null, panel: shown };
  const isNew = place !== null && moving === 0 && JSON.stringify(place) !== JSON.stringify(now);
  [place, linked] = [now, hash];
  history[isNew ? "pushState" : "replaceState"](now, "", hash === "" ? location.href.replace(/#.*$/, "") : hash);
}

/** The number of places that are about to be shown and have their entries in the history already. */
let moving = 0;

addEventListener("popstate", async ({ state }) => {
  const wanted = state as Place | null;
  // an address that was typed has no place
  if (wanted === null) return;
  [place, linked] = [wanted, location.hash];
  moving++;
  const isShown = await showPlace(wanted).finally(() => moving--);
  if (!isShown) remember(linked);
});

async function showPlace(wanted: Place): Promise<boolean> {
  if (wanted.number !== file.value?.number && !(await goTo(wanted))) return false;
  if (wanted.number === 0 || file.value === null) return true;
  if (wanted.view === "how") showHow(wanted.spec);
  else if (wanted.view === "compare" && other.value !== null) view.value = "compare";
  else if (view.value === "how") await closeHow();
  else view.value = "file";
  panel.value = wanted.panel ?? panel.value;
  return true;
}

effect(() => {
  panel.value;
  untracked(link);
});

/** Opens the file of a place, or closes that which is open. */
async function goTo({ number }: Place): Promise<boolean> {
  if (number === 0) return close();
  if (aside.value?.file.number === number) return showAside();
  const before = known.get(number);
  return before !== undefined && open(before.name, before.source, { ...wantedOf(new URLSearchParams(location.hash.slice(1))), kind: before.kind, secret: before.secret, sample: before.sample, number });
}

effect(() => {
  document.title = file.value === null ? "enginewire" : `${file.value.name} – enginewire`;
});

/** Writes what is shown into the address. */
function link(): void {
  const current = file.value;
  if (current === null) return;
  if (view.value === "compare") return remember(linked);
  const parts = new URLSearchParams();
  if (current.sample !== null) parts.set("sample", current.sample);
  else parts.set("name", current.name);
  parts.set("format", current.kind);
  if (instance.value !== null) parts.set("instance", String(instance.value));
  else if (row.value > 0) parts.set("row", String(row.value));
  if (node.value !== null) parts.set("field", String(node.value));
  if (view.value === "how" && spec.value !== null) parts.set("how", spec.value);
  remember(`#${parts}`);
}

/** Copies the address of what is shown, with the file itself if it is small. Browsers do not send what follows # to a server. */
export async function copyLink(): Promise<void> {
  const current = file.value;
  if (current === null || !(await areAllSet("The link was not copied"))) return;
  link();
  const isChanged = changes.value.changed > 0;
  if (current.sample !== null && !isChanged) return copy("Link", location.href);
  const content = isChanged ? await doing("Writing the file", () => client.call("save", [0])) : current.source;
  if (content === null) return;
  const bytes = new Uint8Array(await new Blob([content as BlobPart]).arrayBuffer());
  if (bytes.length > IN_LINK) {
    const asked = isChanged ? "download it, and send it along" : `whoever opens the link is asked for ${current.name}`;
    return copy("Link", location.href, ` The file is too large to be in it, with more than 4 kB: ${asked}.`);
  }
  const address = new URL(location.href);
  const parts = new URLSearchParams(address.hash.slice(1));
  parts.delete("sample");
  parts.set("name", savedName());
  // changed, a document is written as bytes
  if (isChanged && current.about.isDocument) parts.set("format", current.about.format);
  address.hash = `${parts}&data=${toBase64Url(await pack(bytes))}`;
  await copy("Link", address.href, ` It holds the file${isChanged ? ", with your changes" : ""}.`);
}

/** The name of the file that a link without its file needs. */
export const awaited = signal<string | null>(null);

/** The view of its file that a link opens. */
function wantedOf(parts: URLSearchParams): Wanted {
  const number = (name: string): number | undefined => {
    const text = parts.get(name);
    return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  };
  return { kind: parts.get("format"), row: number("row") ?? 0, node: number("field") ?? null, instance: number("instance") };
}

async function openLink(): Promise<void> {
  const parts = new URLSearchParams(location.hash.slice(1));
  const wanted = wantedOf(parts);
  const sample = samples.find((sample) => sample.id === parts.get("sample"));
  const data = parts.get("data");
  const name = parts.get("name") ?? "value.bin";
  if (sample !== undefined) {
    await openSample(sample, wanted);
    const how = parts.get("how");
    if (how !== null) showHow(how);
  } else if (data !== null) {
    const bytes = await unpack(fromBase64(data) ?? new Uint8Array(), IN_LINK).catch(() => null);
    if (bytes === null) problem.value = "The file in this link is damaged.";
    else await open(name, new Blob([bytes as Uint8Array<ArrayBuffer>]), wanted);
  } else if (parts.has("name")) {
    awaited.value = name;
    fromLink = wanted;
  }
}

let fromLink: Wanted | null = null;

addEventListener("hashchange", () => {
  if (location.hash === linked || location.hash === "") return;
  // the browser has made an entry for it
  place = null;
  void openLink();
});

export async function openFile(chosen: File): Promise<boolean> {
  const wanted = awaited.value === chosen.name ? fromLink : null;
  awaited.value = null;
  return open(chosen.name, chosen, wanted ?? {});
}

/** Opens a file, and compares it with a second one. More files are named in a message, and left out. */
export async function openFiles(chosen: readonly File[]): Promise<void> {
  const [first, second, ...others] = chosen;
  if (first === undefined || !(await openFile(first)) || second === undefined) return;
  await openOther(second);
  if (others.length === 0) return;
  const names = others.slice(0, 3).map(({ name }) => name);
  const more = others.length > 3 ? ` and ${others.length - 3} more` : "";
  const leftOut = `Two files are compared at most: ${first.name} and ${second.name}. Left out: ${names.join(", ")}${more}.`;
  problem.value = problem.value === null ? leftOut : `${problem.value} ${leftOut}`;
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

/** Compares the file with itself as it was opened. */
export async function compareOriginal(): Promise<void> {
  const current = file.value;
  if (current !== null) await openOther(new File([current.source], `${current.name} as it was opened`), current.kind);
}

/** Opens the file to compare with, as the format `kind` if it is the original. */
export async function openOther(chosen: File, kind: string | null = null): Promise<void> {
  const current = file.value;
  if (current === null || !(await areAllSet("The files were not compared"))) return;
  const done = await doing(`Reading ${chosen.name}`, async () => {
    const bytes = new Uint8Array(await chosen.arrayBuffer());
    const opened = await client.call("open", [OTHER, bytes, kind, current.secret], [bytes.buffer]).catch(async (error: unknown) => {
      if (error instanceof Stopped) throw error;
      const again = new Uint8Array(await chosen.arrayBuffer());
      return client.call("open", [OTHER, again, current.kind, current.secret], [again.buffer]);
    });
    return { opened, compared: await client.call("compare", kind === null ? [0, OTHER] : [OTHER, 0]) };
  });
  if (done === null) return;
  if (aside.value === null) keepOther(kind === null ? { name: chosen.name, source: chosen } : null);
  batch(() => {
    other.value = { name: chosen.name === current.name ? `the other ${chosen.name}` : chosen.name, source: chosen, opened: done.opened, isOriginal: kind !== null };
    compared.value = done.compared;
    view.value = "compare";
  });
  link();
}

/** Downloads the differences that are listed, a row each. */
export function downloadDifferences(): void {
  const cell = (text: string | null): string => (/[",\r\n]/.test(text ?? "") ? `"${text?.replaceAll('"', '""')}"` : (text ?? ""));
  const rows = (compared.value?.differences ?? []).map(({ sign, address, path, types, texts }) => [DIFFERENT[sign], address, path, types[0], texts[0], types[1], texts[1]]);
  const head = ["change", "address", "path", "type before", "before", "type after", "after"];
  saveAs("differences.csv", [head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join(""));
}

export function closeCompare(): void {
  view.value = aside.value === null ? "file" : "how";
  link();
}

/** The side of the open file in a pair: the second, if it is compared with its original. */
export const own = (): 0 | 1 => (other.value?.isOriginal === true ? 1 : 0);

/** Shows a value, or an instance, that differs. */
export async function showDifference({ numbers, nodes, path, isInstance }: Difference): Promise<void> {
  const [number, node] = [numbers[own()], nodes[own()]];
  if (number === null && node === null) return;
  batch(() => {
    view.value = aside.value === null ? "file" : "how";
    panel.value = "fields";
  });
  // the instance, if it has no such value
  if (number === null) return selectInstance(node ?? 0);
  if (isInstance) return selectInstance(number);
  const of = instances.value === null ? null : await client.call("nodeOf", [0, number]);
  if (of !== null) await selectInstance(of[0], number);
  else await select(number);
  const at = await client.call("nodeAt", [path]).catch(() => null);
  if (at !== null) await selectNode(at);
}

/** The last tag of instances with more than can be shown. */
export const MORE_TAGS = /^… \d+ more$/;

/** Gives the instance the tags that it has in the other file. */
async function takeTags(number: number, theirs: number | null): Promise<void> {
  const has = await client.call("tags", [0, number]);
  const wanted = theirs === null ? [] : await client.call("tags", [OTHER, theirs]);
  if ([...has, ...wanted].some((tag) => MORE_TAGS.test(tag))) throw new Error("there are too many");
  for (const tag of has.filter((tag) => !wanted.includes(tag))) await changing("tag", [0, number, tag, false]);
  for (const tag of wanted.filter((tag) => !has.includes(tag))) await changing("tag", [0, number, tag, true]);
  instances.value?.setHas(number);
}

/** The row of an instance for what the address names. For attributes, it gets an empty one if it has none. */
async function rowFor(number: number | null, address: string): Promise<number | null> {
  const rows = number === null ? [] : await changing("nodeRows", [0, number]);
  const property = /:(\w+)(?:\[#\d+\])?$/.exec(address)?.[1] ?? "AttributesSerialize";
  return rows.find(([, name]) => name === property)?.[0] ?? null;
}

/** The side of the open file in a pair, and that of the other file. */
const sides = (): readonly [0, 1] | readonly [1, 0] => (own() === 0 ? [0, 1] : [1, 0]);

/** True if the open file can get what the other file has. */
export function canTake({ numbers, nodes, path, types, isInstance, isTags }: Difference): boolean {
  const [mine, theirs] = sides();
  if (isInstance) return false;
  if (isTags) return nodes[mine] !== null;
  if (/^(broken|other)$/.test(types[theirs] ?? "")) return false;
  return (numbers[mine] ?? nodes[mine]) !== null && (numbers[theirs] !== null || path !== "");
}

/** All differences of the same instance that can be taken; in a file without instances, those of the same value. */
export function alike(difference: Difference): readonly Difference[] {
  const [mine, theirs] = sides();
  const place = ({ nodes, numbers, isInstance }: Difference): string => (isInstance ? `instance ${numbers[mine]}` : nodes[mine] === null ? `row ${numbers[mine]}` : `instance ${nodes[mine]}`);
  const isWhole = ({ nodes, numbers }: Difference): boolean => nodes[mine] !== null || numbers[theirs] !== null;
  return (compared.value?.differences ?? []).filter((one) => place(one) === place(difference) && canTake(one) && isWhole(one));
}

/** Makes changes that are undone together, as `what`. */
async function taking(what: string, work: () => Promise<void>): Promise<void> {
  try {
    const { done } = await client.call("changes", [0]);
    try {
      await work();
    } finally {
      // of several changes, some may be made
      if ((await client.call("changes", [0])).done > done) await changing("join", [0, done, `take ${what}`]);
    }
  } catch (error) {
    if (error instanceof Stopped) return;
    problem.value = `Not taken: ${what}, because of this: ${text(error)}`;
  }
  await showAgain();
}

/** The name of what differs. */
const nameOf = ({ address, path, isTags }: Difference): string => (isTags ? "the tags" : [address, path].filter((part) => part !== "").join(" ") || "the value");

/** Gives the open file the value that the other file has. */
export async function take(difference: Difference): Promise<void> {
  const { address, numbers, nodes, path, texts, types, isTags } = difference;
  const [mine, theirs] = sides();
  const [from, wanted] = [numbers[theirs], texts[theirs]];
  await taking(nameOf(difference), async () => {
    if (isTags && nodes[mine] !== null) return takeTags(nodes[mine], nodes[theirs]);
    const row = numbers[mine] ?? (await rowFor(nodes[mine], address));
    if (row === null) return;
    if (nodes[mine] !== null) instances.value?.setHas(nodes[mine]);
    if (path === "" && from !== null) await changing("put", [0, row, await client.call("bytes", [OTHER, from])]);
    else if (wanted === null) await changing("set", [0, row, path, "remove", null, ""]);
    else await changing("set", [0, row, path, "text", types[theirs], wanted]);
  });
}

/** Gives the open file all values and tags that the other file has for an instance, or all of a value. */
export async function takeAll(difference: Difference): Promise<void> {
  const [mine, theirs] = sides();
  const all = alike(difference);
  const values = new Map(all.filter(({ isTags }) => !isTags).map((one) => [one.address, one]));
  await taking(`all ${all.length} differences of ${difference.address.replace(/:\w+$/, "") || "the value"}`, async () => {
    for (const { address, numbers, nodes } of values.values()) {
      const [row, from] = [numbers[mine] ?? (await rowFor(nodes[mine], address)), numbers[theirs]];
      if (row === null) continue;
      if (nodes[mine] !== null) instances.value?.setHas(nodes[mine]);
      if (from === null) await changing("repair", [0, row, "clear"]);
      else await changing("put", [0, row, await client.call("bytes", [OTHER, from])]);
    }
    for (const { nodes, isTags } of all) if (isTags && nodes[mine] !== null) await takeTags(nodes[mine], nodes[theirs]);
  });
}

let latestCompared = 0;

// a change makes the comparison outdated
effect(() => {
  changes.value;
  if (view.peek() !== "compare" || other.peek() === null) return;
  const turn = ++latestCompared;
  client.call("compare", own() === 0 ? [0, OTHER] : [OTHER, 0]).then(
    (now) => {
      if (turn === latestCompared && view.value === "compare") compared.value = now;
    },
    (error) => {
      if (!(error instanceof Stopped)) problem.value = text(error);
    },
  );
});

export function showHow(id: string | null): void {
  batch(() => {
    spec.value = id;
    view.value = id === null ? "file" : "how";
    panel.value = id !== null || hasList.value ? "list" : "fields";
    lit.value = null;
  });
  link();
}

/** A file that is set aside while an example is shown. */
interface Aside {
  readonly file: OpenFile;
  readonly instances: InstanceTree | null;
  readonly changes: Changes;
  readonly isUnsaved: boolean;
  readonly steps: Steps;
  readonly instance: number | null;
  readonly row: number;
  readonly node: number | null;
}

/** The file that is shown again when the specification is closed. */
export const aside = signal<Aside | null>(null);

/** Shows a specification with its example. A file of the user, or one with changes, is set aside for it. */
export async function showExample(id: string, sample: Sample): Promise<void> {
  if (!(await areAllSet("The example was not opened"))) return;
  const own = file.value;
  const isMoved = own !== null && aside.value === null && (own.sample === null || isUnsaved.value);
  if (isMoved) {
    await client.call("move", [0, ASIDE]);
    batch(() => {
      aside.value = { file: own, instances: instances.value, changes: changes.value, isUnsaved: isUnsaved.value, steps, instance: instance.value, row: row.value, node: node.value };
      isUnsaved.value = false;
    });
  }
  if (await openSample(sample, { isExample: true })) return showHow(id);
  const back = aside.value;
  if (!isMoved || back === null || file.value !== own) return;
  // the file is still shown; if this was cancelled, it has slot 0 in the new worker already
  batch(() => {
    aside.value = null;
    isUnsaved.value = back.isUnsaved;
  });
  await client.call("move", [ASIDE, 0]).catch(() => undefined);
}

let isComingBack = false;

/** Shows the file again that was set aside, with its changes. */
export async function showAside(): Promise<boolean> {
  const back = aside.value;
  if (back === null || isComingBack || !mayClose(true)) return false;
  isComingBack = true;
  // if it was cancelled, the new worker has both files in their old slots
  const isMoved = await client.call("move", [ASIDE, 0]).then(() => true, () => false);
  isComingBack = false;
  if (!isMoved) return false;
  forgetRows();
  steps = back.steps;
  batch(() => {
    closeAll();
    aside.value = null;
    file.value = back.file;
    instances.value = back.instances;
    changes.value = back.changes;
    isUnsaved.value = back.isUnsaved;
    panel.value = hasList.value ? "list" : "fields";
  });
  if (back.instance !== null) await selectInstance(back.instance, back.row, back.node);
  else if (back.file.about.rows > 0) await select(back.row, back.node);
  return true;
}

export async function closeHow(): Promise<void> {
  if (aside.value === null) showHow(null);
  else await showAside();
}
