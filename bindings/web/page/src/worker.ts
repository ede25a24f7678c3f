/** All work on files: in a worker, so that the page stays quick. */

import { PageFile, PageLayers, type PageTree, initSync, page_guesses, page_kinds, page_texts } from "virtual:bindgen";
import packed from "virtual:wasm";
import { fromBase64, fromHex, unpack } from "./encodings";
import { InstanceTree } from "./instances";
import { changedSave, listSave } from "./saves";
import type { Calls, CallName, Difference, Encoding, Guess, KindRow, NodeOfTree, NodeText, Opened, Pair, Reply, Request, Row, TreeEnd, Unfolded, ValueAt } from "./protocol";

/** A file of text up to this size may be hex or base64. */
const TEXT = 16 << 20;
/** The bytes that are enough to tell a model file. */
const HEAD = 4096;
/** The number of texts that are sent together with a tree. */
const TEXTS = 4000;
/** The most differences that are listed. */
const DIFFERENCES = 20000;
/** The largest row whose changes are marked, in bytes. */
const MARKED = 1 << 18;

interface Scope {
  postMessage(message: Reply, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
}
const scope = self as unknown as Scope;

const files = new Map<number, PageFile>();
/** The layers of the files that have some. */
const wrapped = new Map<number, PageLayers>();
/** The bytes of the files that are saves. */
const saves = new Map<number, Uint8Array>();
let tree: PageTree | null = null;
/** The row of the tree, and the paths of its values that are unfolded. */
let unfolded: { readonly row: number; readonly paths: string[] } = { row: -1, paths: [] };
const ready = start();

async function start(): Promise<void> {
  const bytes = fromBase64(packed);
  if (bytes === null) throw new Error("the WebAssembly module of the page is damaged");
  initSync({ module: await unpack(bytes) });
}

const say = (progress: string): void => scope.postMessage({ progress });
const file = (slot: number): PageFile => {
  const found = files.get(slot);
  if (found === undefined) throw new Error("no file is open");
  return found;
};
const read = <T>(text: string): T => JSON.parse(text) as T;

/** The bytes of a file, and what gzip, hex or base64 makes of them, if they can be decoded so. */
async function readings(bytes: Uint8Array): Promise<[Encoding, Uint8Array][]> {
  const all: [Encoding, Uint8Array][] = [["raw", bytes]];
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      all.push(["gzip", await unpack(bytes)]);
    } catch {
      // then it is something else that begins so
    }
  }
  if (bytes.length <= TEXT && bytes.every((byte) => byte < 0x80 && (byte >= 0x20 || byte === 9 || byte === 10 || byte === 13))) {
    const text = new TextDecoder().decode(bytes);
    const hex = fromHex(text);
    const base64 = fromBase64(text);
    if (hex !== null) all.push(["hex", hex]);
    if (base64 !== null) all.push(["base64", base64]);
  }
  return all;
}

/** The layers around a file that Godot compressed or encrypted, perhaps as base64; `null` if there are none. */
function unwrapped(bytes: Uint8Array, secret: string, byHand: boolean): PageLayers | null {
  if (!/^(GCPF|GDEC|R0NQ|R0RF)/.test(String.fromCharCode(...bytes.subarray(0, 4)))) return null;
  try {
    const layers = PageLayers.peel(bytes, secret);
    if (layers.names() !== "") return layers;
    layers.free();
  } catch (error) {
    // its fields can be shown all the same
    if (!byHand) throw error;
  }
  return null;
}

/** A guess of the library. One without a kind cannot be opened; its reason explains that. */
type Found = Omit<Guess, "input" | "kind"> & { readonly kind: string | null };

/** Guesses the format of bytes. For a model file, the first bytes are enough. */
function guessed(content: Uint8Array): Found[] {
  const fromHead = content.length > HEAD ? read<Found[]>(page_guesses(content.subarray(0, HEAD))) : [];
  return fromHead.some((guess) => guess.confidence === "certain" && /^rbxmx?$/.test(guess.kind ?? "")) ? fromHead : read(page_guesses(content));
}

/** The formats of a text from a script: a value, perhaps as it is assigned, or one that its format has only with a name. */
function textGuesses(bytes: Uint8Array, kind: string | null, all: [Encoding, Uint8Array][]): (Found & { input: Encoding })[] {
  const text = new TextDecoder().decode(bytes).trim();
  const value = text.replace(/^(?:return\b|(?:(?:local|var|const)\s+)?[A-Za-z_]\w*(?:\s*:\s*\w+)?\s*:?=(?!=))\s*/, "").replace(/;$/, "");
  for (const tried of [text, value, `{Value = ${value}}`]) {
    const guesses = read<Found[]>(page_texts(tried));
    if (!guesses.some((guess) => kind === "text" || guess.kind === kind)) continue;
    all[0] = ["raw", new TextEncoder().encode(tried)];
    return guesses.map((guess) => ({ ...guess, input: "raw" }));
  }
  return [];
}

/** The mistake of a text that is nearly a value; `null` if it is not like a value from its first character on. */
function mistake(bytes: Uint8Array): string | null {
  let [most, found]: [number, string | null] = [0, null];
  const isLuau = /\.(new|from\w+)\b/.test(new TextDecoder().decode(bytes));
  for (const { kind, notation } of read<KindRow[]>(page_kinds())) {
    if (isLuau && notation !== "Luau") continue;
    try {
      PageFile.open(bytes, `text ${kind}`, () => undefined).free();
    } catch (error) {
      const message = (error as Error).message;
      const offset = Number(/, at offset (\d+)/.exec(message)?.[1] ?? 0);
      if (offset > most) [most, found] = [offset, `As ${notation}, the text has a mistake: ${message}.`];
    }
  }
  return found;
}

async function open(slot: number, file: Uint8Array, kind: string | null, secret: string): Promise<Opened> {
  say("Looking at the first bytes");
  const layers = unwrapped(file, secret, kind !== null);
  if (layers === null) return openInside(slot, file, kind, null);
  try {
    return await openInside(slot, layers.take_inner(), kind, layers);
  } catch (error) {
    layers.free();
    throw error;
  }
}

/** Opens what is inside the layers. */
async function openInside(slot: number, bytes: Uint8Array, kind: string | null, layers: PageLayers | null): Promise<Opened> {
  // pasted, and no bytes written as text
  const isText = kind?.split(" ")[0] === "text";
  const all = layers === null ? await readings(bytes) : ([["raw", bytes]] as [Encoding, Uint8Array][]);
  const found = all.flatMap(([input, content]) => guessed(content).map((guess) => ({ ...guess, input })));
  if (isText && !found.some((guess) => guess.kind !== null)) found.push(...textGuesses(bytes, kind, all));
  const guesses = found.filter((guess): guess is Guess => guess.kind !== null);
  guesses.sort((a, b) => b.rank[0] - a.rank[0] || b.rank[1] - a.rank[1]);
  const best = kind === null || kind === "text" ? guesses[0] : guesses.find((guess) => guess.kind === kind);
  const chosen = kind === "text" ? best?.kind : (kind ?? best?.kind);
  if (chosen === undefined) {
    // prefer the reason for the decoded bytes to that for the file itself, such as "compressed with gzip"
    const isScript = isText && all.length === 1;
    const nothing = isScript ? "the text is neither a value of an engine nor hex, base64, a list of bytes or a dump" : "the bytes are not valid in any format from their first byte on";
    const last = found.findLast((guess) => guess.kind === null && guess.input === all.at(-1)?.[0])?.reason;
    // LZ4 begins with one or two bytes of its own
    const isPart = all.some(([, content]) => /^..?LUA/s.test(String.fromCharCode(...content.subarray(0, 5))));
    const where = isScript ? mistake(bytes) : null;
    if (where !== null) throw new Error(where);
    const reason = isPart ? "these are the data of one part of a blueprint, compressed: open the blueprint" : isScript ? nothing : (last ?? nothing);
    throw new Error(`${reason[0]?.toUpperCase()}${reason.slice(1)}. If you know what it is, choose a format to see how far it goes.`);
  }
  // without a guess, use the decoded bytes: the first of gzip, hex and base64 that fits
  const input = best?.input ?? all[1]?.[0] ?? "raw";
  const content = all.find(([name]) => name === input)?.[1] ?? bytes;
  say("Opening");
  const listed = (count: number): void => say(`${count.toLocaleString("en")} values listed`);
  const isSave = chosen === "scrap-mechanic-save";
  const opened = PageFile.open(isSave ? new Uint8Array() : content, chosen, listed);
  if (isSave) {
    try {
      await listSave(content, opened, listed);
    } catch (error) {
      opened.free();
      throw error;
    }
  }
  close(slot);
  files.set(slot, opened);
  if (layers !== null) wrapped.set(slot, layers);
  if (isSave) saves.set(slot, content);
  if (slot === 0) {
    forget();
    unfolded = { row: -1, paths: [] };
  }
  const nodes = opened.nodes();
  return { about: read(opened.about()), kind: chosen, guesses, input, size: content.length, layers: layers?.names() ?? "", nodes: nodes.length > 0 ? nodes : null };
}

function close(slot: number): null {
  files.get(slot)?.free();
  files.delete(slot);
  wrapped.get(slot)?.free();
  wrapped.delete(slot);
  saves.delete(slot);
  return null;
}

function move(from: number, to: number): null {
  const moved = file(from);
  close(to);
  files.set(to, moved);
  files.delete(from);
  const source = saves.get(from);
  if (source !== undefined) saves.set(to, source);
  saves.delete(from);
  const layers = wrapped.get(from);
  if (layers !== undefined) wrapped.set(to, layers);
  wrapped.delete(from);
  forget();
  unfolded = { row: -1, paths: [] };
  return null;
}

/** The file with its changes. */
async function save(slot: number): Promise<Uint8Array> {
  const opened = file(slot);
  const source = saves.get(slot);
  if (source === undefined) {
    const saved = opened.save();
    return wrapped.get(slot)?.wrap(saved) ?? saved;
  }
  const numbers = opened.changed_rows();
  const rows = read<(Row | null)[]>(opened.rows(numbers));
  return changedSave(source, Array.from(numbers, (number, at) => [rows[at]?.[0] ?? "", opened.bytes(number)] as const));
}

function forget(): void {
  tree?.free();
  tree = null;
}

const fieldsOf = (opened: PageFile, row: number, made: PageTree): Unfolded => ({
  row,
  numbers: made.numbers(),
  end: read<TreeEnd>(made.end_of_tree()),
  texts: read<NodeText[]>(made.texts(0, TEXTS)),
  changed: changedNodes(opened, row, made),
});

/** Unfolds a value of the tree that is shown. */
function unfold(at: number | string): Unfolded {
  if (tree === null) throw new Error("no row is selected");
  unfolded.paths.push(typeof at === "string" ? at : tree.place(at));
  const before = tree;
  // it is gone then, even if this fails
  tree = null;
  tree = file(0).tree(unfolded.row, unfolded.paths, before);
  return fieldsOf(file(0), unfolded.row, tree);
}

/** The types and the texts of the values of a row, by their paths. */
type Leaves = Map<string, readonly [string, string]>;

function leavesOf(file: PageFile, row: number): Leaves {
  try {
    return new Map(read<[string, string, string][]>(file.values(row)).map(([path, type, text]) => [path, [type, text]]));
  } catch (error) {
    return new Map([["", ["broken", String(error)]]]);
  }
}

/** The values of rows before their first change; `null` if a row is too large. */
const originals = new WeakMap<PageFile, Map<number, Leaves | null>>();

/** The file, whose row is about to be changed. */
function changing(slot: number, row: number): PageFile {
  const opened = file(slot);
  const rows = originals.get(opened) ?? new Map<number, Leaves | null>();
  originals.set(opened, rows);
  if (!rows.has(row)) rows.set(row, opened.bytes(row).length > MARKED ? null : leavesOf(opened, row));
  return opened;
}

/** The nodes of the values of a row that are not what they were. */
function changedNodes(opened: PageFile, row: number, made: PageTree): number[] {
  const before = originals.get(opened)?.get(row);
  if (before == null) return [];
  const changed = [...leavesOf(opened, row)].filter(([path, leaf]) => String(before.get(path)) !== String(leaf));
  return changed.flatMap(([path]) => made.node_at(path) ?? []);
}

/** The numbers of instances that share a name. */
const NUMBERS = /\[\d+\](?=[.:]|$)/g;

/**
 * The values of a file, each with a key that is the same in another file: its address, and how many values before it have that
 * address too. So of instances that share a name, the first of one file is compared with the first of the other.
 */
function valuesOf(slot: number): Map<string, [Row, number]> {
  const opened = file(slot);
  const isModel = opened.nodes().length > 0;
  const count = read<{ rows: number }>(opened.about()).rows;
  const numbers = Uint32Array.from({ length: count }, (_, number) => number);
  const rows = read<(Row | null)[]>(opened.rows(numbers));
  const all = new Map<string, [Row, number]>();
  const counts = new Map<string, number>();
  rows.forEach((row, number) => {
    if (row === null) return;
    const address = isModel ? row[0].replace(NUMBERS, "") : row[0];
    const count = counts.get(address) ?? 0;
    counts.set(address, count + 1);
    all.set(`${count} ${address}`, [row, number]);
  });
  return all;
}

/**
 * The instances of a model file, each with a key that is the same in another file: that of its parent, its name, and how many
 * siblings before it have that name too.
 */
function instancesOf(slot: number, ids: Map<string, number>): Map<number, InstanceAt> {
  const tree = new InstanceTree(file(slot).nodes());
  const nodes = Uint32Array.from({ length: tree.count }, (_, place) => tree.nodeAt(place));
  const texts = read<(NodeOfTree | null)[]>(file(slot).node_texts(nodes));
  const [all, own] = [new Map<number, InstanceAt>(), [] as number[]];
  texts.forEach((text, place) => {
    // a problem of the file is not an instance
    if (text === null || text[1] === "") return;
    const parent = own[tree.parent(place)] ?? -1;
    for (let count = 0; ; count++) {
      const key = `${parent} ${count} ${text[0]}`;
      const id = ids.get(key) ?? ids.size;
      ids.set(key, id);
      if (all.has(id)) continue;
      all.set(id, { type: text[1], node: tree.nodeAt(place) });
      own[place] = id;
      break;
    }
  });
  return all;
}
interface InstanceAt {
  readonly type: string;
  readonly node: number;
}

/** The instances of two files, each by its key. */
type Instances = Map<number, InstanceAt>;

function bothInstances(before: number, after: number): readonly [Instances, Instances] {
  if (file(before).nodes().length === 0 || file(after).nodes().length === 0) return [new Map(), new Map()];
  const ids = new Map<string, number>();
  return [instancesOf(before, ids), instancesOf(after, ids)];
}

/** The instances that are in one of two files only, or have another class. */
function comparedInstances([a, b]: readonly [Instances, Instances], before: number, after: number): Difference[] {
  const differences: Difference[] = [];
  for (const id of new Set([...a.keys(), ...b.keys()])) {
    const [one, other] = [a.get(id), b.get(id)];
    if (one?.type === other?.type || differences.length > DIFFERENCES) continue;
    const address = one === undefined ? file(after).node_address(other?.node ?? 0) : file(before).node_address(one.node);
    const texts = [one?.type ?? null, other?.type ?? null] as const;
    const sign = one === undefined ? "+" : other === undefined ? "-" : "~";
    differences.push({ sign, address, path: "", texts, types: [null, null], numbers: [one?.node ?? null, other?.node ?? null], nodes: [null, null], isInstance: true, isTags: false });
  }
  return differences;
}

/** The values that differ between two open files. The order of keys makes no difference. */
function compare(before: number, after: number): Calls["compare"]["answer"] {
  const both = bothInstances(before, after);
  const differences = comparedInstances(both, before, after);
  const ids = both.map((all) => new Map(Array.from(all, ([id, { node }]) => [node, id])));
  /** The instance of a row in both files, and true if the row holds its tags. */
  const placed = (one: [Row, number] | undefined, other: [Row, number] | undefined): readonly [Pair<number>, boolean] => {
    const [side, slot] = one === undefined ? [1, after] : [0, before];
    const [node, isTags] = read<readonly [number, boolean] | null>(file(slot).node_of((one ?? other)?.[1] ?? 0)) ?? [-1, false];
    const id = ids[side]?.get(node);
    return [id === undefined ? [null, null] : [both[0].get(id)?.node ?? null, both[1].get(id)?.node ?? null], isTags];
  };
  let equal = 0;
  const [a, b] = [valuesOf(before), valuesOf(after)];
  const leaves = (slot: number, found: [Row, number] | undefined): Leaves => {
    if (found === undefined) return new Map();
    const [[address, , size, state, about], row] = found;
    // no tags are the same as a property without any
    if (size === 0 && address.endsWith(":Tags")) return new Map();
    return state === "other" ? new Map([["", ["other", about]]]) : leavesOf(file(slot), row);
  };
  const bytes = (slot: number, row: number): string => String(file(slot).bytes(row));
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    if (differences.length > DIFFERENCES) break;
    const [one, other] = [a.get(key), b.get(key)];
    const had = leaves(before, one);
    if (one !== undefined && other !== undefined && bytes(before, one[1]) === bytes(after, other[1])) {
      equal += had.size;
      continue;
    }
    const [nodes, isTags] = placed(one, other);
    const has = leaves(after, other);
    for (const path of new Set([...had.keys(), ...has.keys()])) {
      const [was, now] = [had.get(path), has.get(path)];
      if (String(was) === String(now)) {
        equal++;
        continue;
      }
      const address = (one ?? other)?.[0][0] ?? "";
      const sign = was === undefined ? "+" : now === undefined ? "-" : "~";
      const pairs = { texts: [was?.[1] ?? null, now?.[1] ?? null], types: [was?.[0] ?? null, now?.[0] ?? null], numbers: [one?.[1] ?? null, other?.[1] ?? null] } as const;
      differences.push({ sign, address, path, ...pairs, nodes, isInstance: false, isTags });
    }
  }
  return { differences: differences.slice(0, DIFFERENCES), equal, isCut: differences.length > DIFFERENCES };
}

type Handlers = { [N in CallName]: (...args: Calls[N]["args"]) => Calls[N]["answer"] | Promise<Calls[N]["answer"]> };

const handlers: Handlers = {
  kinds: () => read(page_kinds()),
  open,
  close,
  move,
  rows: (slot, numbers) => read(file(slot).rows(numbers)),
  find: (slot, text, broken) => file(slot).find(text, broken),
  search: (slot, row, text, most) => read(file(slot).search(row ?? undefined, text, most)),
  findNodes: (slot, text, broken) => file(slot).find_nodes(text, broken),
  nodeTexts: (slot, nodes) => read<(NodeOfTree | null)[]>(file(slot).node_texts(nodes)),
  nodeRows: (slot, node) => read(file(slot).node_rows(node)),
  nodeOf: (slot, row) => read(file(slot).node_of(row)),
  tags: (slot, node) => read(file(slot).tags(node)),
  tag: (slot, node, tag, isAdded) => {
    file(slot).tag(node, tag, isAdded);
    return null;
  },
  select: (slot, row) => {
    const opened = file(slot);
    if (slot === 0 && unfolded.row !== row) unfolded = { row, paths: [] };
    const made = opened.tree(row, slot === 0 ? unfolded.paths : [], undefined);
    const selected = { ...fieldsOf(opened, row, made), bytes: opened.bytes(row) };
    // what is asked next is about the file that the page shows
    if (slot === 0) {
      forget();
      tree = made;
    } else made.free();
    return selected;
  },
  unfold,
  harms: (row, tool) => (tree === null ? [] : read(file(0).harms(row, tool, tree))),
  texts: (from, to) => (tree === null ? [] : read(tree.texts(from, to))),
  path: (node) => (tree === null ? [null, null] : read(tree.path(node))),
  nodeAt: (path) => tree?.node_at(path) ?? null,
  value: (slot, row, path) => {
    const found = read<Omit<ValueAt, "json"> & { json: string | null }>(file(slot).value(row, path));
    return { ...found, json: found.json === null ? null : read(found.json) };
  },
  text: (slot, row, form) => file(slot).text(row, form),
  set: (slot, row, path, how, type, text) => {
    changing(slot, row).set(row, path, how, type ?? undefined, text);
    return null;
  },
  repair: (slot, row, how) => {
    changing(slot, row).repair(row, how);
    return null;
  },
  kept: (slot, row) => file(slot).kept(row),
  put: (slot, row, bytes) => {
    changing(slot, row).put(row, bytes);
    return null;
  },
  join: (slot, from, what) => {
    file(slot).join(from, what);
    return null;
  },
  undo: (slot, again) => file(slot).undo(again) ?? null,
  changes: (slot) => read(file(slot).changes()),
  save,
  bytes: (slot, row) => file(slot).bytes(row),
  compare,
};

/** Memory that goes to the page instead of being copied. */
function transfers(answer: unknown): Transferable[] {
  const found: Transferable[] = [];
  const add = (value: unknown): void => {
    if (value instanceof Uint8Array || value instanceof Uint32Array) found.push(value.buffer as ArrayBuffer);
  };
  add(answer);
  if (typeof answer === "object" && answer !== null && ("numbers" in answer || "nodes" in answer)) Object.values(answer).forEach(add);
  return found;
}

scope.onmessage = async ({ data: { id, name, args } }) => {
  try {
    await ready;
    const answer = await (handlers[name] as (...args: readonly unknown[]) => unknown)(...args);
    scope.postMessage({ id, answer }, transfers(answer));
  } catch (error) {
    // what stops inside WebAssembly may leave it in any state
    const isCrash = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    scope.postMessage({ id, error: error instanceof Error ? error.message : String(error), isCrash });
  }
};
