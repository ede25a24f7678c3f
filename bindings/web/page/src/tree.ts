/** The fields of one value, stored in arrays of numbers, because a file may have very many fields. */

import type { NodeText, Selected } from "./protocol";

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
  readonly texts: (NodeText | undefined)[];
  readonly #numbers: Uint32Array;
  readonly #open: Uint8Array;
  #visible = new Int32Array(0);

  constructor(selected: Selected) {
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
    const leaves: number[] = [];
    for (let node = 0; node < this.count; node++) if (!this.hasInner(node)) leaves.push(node);
    this.leaves = Int32Array.from(leaves);
    // in a long tree, values start closed, so that all of them are in sight
    this.#open = new Uint8Array(this.count).fill(1);
    if (this.count > LONG) {
      for (let node = 0; node < this.count; node++) this.#open[node] = this.isEntry(node) || this.depth(node) > 3 ? 0 : 1;
    }
    // keys start closed, because their items show them already
    for (let node = 0; node < this.count; node++) if (this.texts[node]?.[0] === "key") this.#open[node] = 0;
    this.#show();
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
