/** The fields of one value, stored in arrays of numbers, because a file may have very many fields. */

import type { NodeText, Unfolded } from "./protocol";

const PER_NODE = 6;
const [DEPTH, START, END, BITS, VALUE, ENTRY] = [0, 1, 2, 3, 4, 5];

/** A tree with more nodes is long. */
export const LONG = 160;

/** The kind of a field, for its colour. */
export type FieldKind = "other" | "id" | "length" | "text" | "number" | "word";
const KINDS: readonly FieldKind[] = ["other", "id", "length", "text", "number", "word"];

export class TreeModel {
  readonly count: number;
  /** The parent of each node; -1 for the outermost. */
  readonly parents: Int32Array;
  /** The number of the node after the descendants of each node. */
  readonly ends: Int32Array;
  /** The nodes without children, in the order of the bytes. */
  readonly leaves: Int32Array;
  /** The nodes that are whole values, in their order. */
  readonly entries: Int32Array;
  readonly texts: (NodeText | undefined)[];
  /** The first nodes of the pages of texts that were asked for. */
  readonly asked = new Set<number>();
  readonly #changed = new Set<number>();
  readonly #numbers: Uint32Array;
  readonly #open: Uint8Array;
  #visible = new Int32Array(0);

  /** The tree of the same value before more of it was unfolded. */
  readonly before: TreeModel | null;

  constructor(selected: Unfolded, before: TreeModel | null = null) {
    this.before = before;
    this.#numbers = selected.numbers;
    this.count = selected.numbers.length / PER_NODE;
    this.texts = [...selected.texts];
    this.parents = new Int32Array(this.count).fill(-1);
    this.ends = new Int32Array(this.count).fill(this.count);
    const around: number[] = [];
    for (let node = 0; node < this.count; node++) {
      const depth = this.depth(node);
      while (around.length > depth) this.ends[around.pop() as number] = node;
      this.parents[node] = around[around.length - 1] ?? -1;
      around.push(node);
    }
    for (const node of selected.changed) for (let at = node; at >= 0; at = this.parents[at] ?? -1) this.#changed.add(this.value(at));
    const leaves: number[] = [];
    for (let node = 0; node < this.count; node++) if (!this.hasInner(node)) leaves.push(node);
    this.leaves = Int32Array.from(leaves);
    this.entries = Int32Array.from({ length: this.count }, (_, node) => node).filter((node) => this.isEntry(node));
    // in a long tree, values start closed, so that all of them are in sight
    this.#open = new Uint8Array(this.count).fill(1);
    if (this.count > LONG) {
      for (let node = 0; node < this.count; node++) this.#open[node] = this.isEntry(node) || (before === null && this.depth(node) > 3) ? 0 : 1;
    }
    // keys start closed, because their items show them already
    for (let node = 0; node < this.count; node++) if (this.texts[node]?.[0] === "key") this.#open[node] = 0;
    before?.eachIn(this, (old, node) => (this.#open[node] = before.#open[old] ?? 0));
    this.#show();
  }

  /** Calls `work` with the number of each node and its number in a tree that has these nodes and more. */
  eachIn(later: TreeModel, work: (node: number, there: number) => void): void {
    for (let node = 0, there = 0; there < later.count; there++) {
      if (later.start(there) !== this.start(node) || later.depth(there) !== this.depth(node) || later.end(there) !== this.end(node)) continue;
      work(node++, there);
    }
  }

  /** True if the nodes of some values are known. */
  get hasEntries(): boolean {
    return this.entries.length > 0;
  }

  #at(node: number, column: number | undefined): number {
    return this.#numbers[node * PER_NODE + (column ?? 0)] ?? 0;
  }

  depth = (node: number): number => this.#at(node, DEPTH);
  start = (node: number): number => this.#at(node, START);
  end = (node: number): number => this.#at(node, END);
  startBit = (node: number): number => this.#at(node, BITS) & 0xff;
  endBit = (node: number): number => (this.#at(node, BITS) >> 8) & 0xff;
  isBroken = (node: number): boolean => (this.#at(node, BITS) & 0x10000) !== 0;
  hasNote = (node: number): boolean => (this.#at(node, BITS) & 0x20000) !== 0;
  kind = (node: number): FieldKind => KINDS[(this.#at(node, BITS) >> 18) & 7] ?? "other";
  value = (node: number): number => this.#at(node, VALUE);
  /** True if the value of the node was changed, or one in it. */
  isChanged = (node: number): boolean => this.#changed.has(this.value(node));
  /** True if the node is a value whose fields inside are left out, because all is large. */
  isFolded = (node: number): boolean => (this.#at(node, BITS) & 0x200000) !== 0;
  /** True if the node is a whole value, which can be changed on its own. */
  isEntry = (node: number): boolean => this.#at(node, ENTRY) === 1;
  hasInner = (node: number): boolean => node + 1 < this.count && this.depth(node + 1) > this.depth(node);
  isOpen = (node: number): boolean => this.#open[node] === 1;
  /** The offset of the first byte after the node that has none of its bits. */
  byteEnd = (node: number): number => this.end(node) + (this.endBit(node) > 0 ? 1 : 0);

  /** The nodes that are shown, in their order. */
  get visible(): Int32Array {
    return this.#visible;
  }

  #show(): void {
    const visible: number[] = [];
    let node = 0;
    while (node < this.count) {
      visible.push(node);
      node = this.isOpen(node) ? node + 1 : (this.ends[node] ?? this.count);
    }
    this.#visible = Int32Array.from(visible);
  }

  setOpen(node: number, isOpen: boolean): void {
    this.#open[node] = isOpen ? 1 : 0;
    this.#show();
  }

  setAllOpen(isOpen: boolean): void {
    for (let node = 0; node < this.count; node++) this.#open[node] = isOpen || !this.isEntry(node) ? 1 : 0;
    this.#show();
  }

  /** Opens the ancestors of a node. */
  reveal(node: number): void {
    let changed = false;
    for (let around = this.parents[node] ?? -1; around >= 0; around = this.parents[around] ?? -1) {
      if (!this.isOpen(around)) {
        this.#open[around] = 1;
        changed = true;
      }
    }
    if (changed) this.#show();
  }

  /** The row of a node that is shown; -1 if it is not. */
  rowOf(node: number): number {
    let [low, high] = [0, this.#visible.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#visible[middle] ?? 0) < node) low = middle + 1;
      else high = middle;
    }
    return this.#visible[low] === node ? low : -1;
  }

  /** The fields that contain this byte, or some of its bits. */
  fieldsAt(byte: number): number[] {
    let [low, high] = [0, this.leaves.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.byteEnd(this.leaves[middle] ?? 0) <= byte) low = middle + 1;
      else high = middle;
    }
    const found: number[] = [];
    for (let at = low; at < this.leaves.length; at++) {
      const node = this.leaves[at] ?? 0;
      if (this.start(node) > byte) break;
      if (this.byteEnd(node) > byte) found.push(node);
    }
    return found;
  }

  /** The last node that is broken: where the error is. */
  get brokenNode(): number | null {
    for (let node = this.count - 1; node >= 0; node--) if (this.isBroken(node)) return node;
    return null;
  }
}

/** More values than these start folded. */
const MANY = 60;

/** The values of a tree of fields, without the fields that they are made of. A row is a value; its number is its place. */
export class ValueTable {
  readonly #model: TreeModel;
  readonly depths: Int32Array;
  /** The place after the values inside each value, and the number of values directly inside it. */
  readonly #ends: Int32Array;
  readonly counts: Int32Array;
  readonly #parents: Int32Array;
  readonly #open: Uint8Array;
  readonly #places = new Map<number, number>();
  visible = new Int32Array(0);

  constructor(model: TreeModel, before: ValueTable | null) {
    this.#model = model;
    const count = model.entries.length;
    [this.depths, this.counts] = [new Int32Array(count), new Int32Array(count)];
    [this.#ends, this.#parents] = [new Int32Array(count).fill(count), new Int32Array(count).fill(-1)];
    const around: number[] = [];
    for (let place = 0; place < count; place++) {
      const node = this.node(place);
      this.#places.set(model.value(node), place);
      while (around.length > 0 && node >= (model.ends[this.node(around.at(-1) ?? 0)] ?? 0)) this.#ends[around.pop() ?? 0] = place;
      const parent = around.at(-1) ?? -1;
      [this.#parents[place], this.depths[place]] = [parent, around.length];
      if (parent >= 0) this.counts[parent] = (this.counts[parent] ?? 0) + 1;
      around.push(place);
    }
    // what was open stays open after a change
    const isSame = before !== null && before.#open.length === count;
    this.#open = isSame ? before.#open.slice() : new Uint8Array(count).fill(count <= MANY ? 1 : 0);
    if (before !== null && model.before === before.#model) {
      const [was, now] = [before.#placesOf(), this.#placesOf()];
      this.#open.fill(0);
      model.before.eachIn(model, (old, node) => {
        const [there, here] = [was.get(old), now.get(node)];
        if (there !== undefined && here !== undefined) this.#open[here] = before.#open[there] ?? 0;
      });
    }
    this.#show();
  }

  /** The places of the nodes of values. */
  #placesOf(): Map<number, number> {
    return new Map(Array.from(this.#model.entries, (node, place) => [node, place]));
  }

  #show(): void {
    const visible: number[] = [];
    for (let place = 0; place < this.depths.length; ) {
      visible.push(place);
      place = this.#open[place] === 1 ? place + 1 : (this.#ends[place] ?? this.depths.length);
    }
    this.visible = Int32Array.from(visible);
  }

  node = (place: number): number => this.#model.entries[place] ?? 0;
  isOpen = (place: number): boolean => this.#open[place] === 1;
  parent = (place: number): number => this.#parents[place] ?? -1;
  /** The row that shows the value of a node, or the value around it that is folded; -1 if neither is shown. */
  rowOf(node: number): number {
    let place = this.#places.get(this.#model.value(node)) ?? -1;
    while (place >= 0) {
      const row = this.visible.indexOf(place);
      if (row >= 0) return row;
      place = this.parent(place);
    }
    return -1;
  }

  setOpen(place: number, isOpen: boolean): void {
    this.#open[place] = isOpen ? 1 : 0;
    this.#show();
  }

  /** Opens the value of a node. */
  open(node: number): void {
    const place = this.#placesOf().get(node);
    if (place !== undefined) this.setOpen(place, true);
  }

  setAllOpen(isOpen: boolean): void {
    this.#open.fill(isOpen ? 1 : 0);
    this.#show();
  }

  /** Unfolds the values around that of a node. */
  reveal(node: number): void {
    for (let place = this.parent(this.#places.get(this.#model.value(node)) ?? -1); place >= 0; place = this.parent(place)) this.#open[place] = 1;
    this.#show();
  }
}
