/** Rows, instances and fields as far as they are known, and the search in their list. */

import type { Signal } from "@preact/signals";
import { client } from "../client";
import type { NodeOfTree, NodeText, Row } from "../protocol";
import { file, found, instances, instancesKnown, onlyBroken, rowsKnown, search, tree, treeKnown } from "./shown";

/** The number of answers in one request to the worker. */
const PAGE = 256;

/** The answers of the worker for numbers, which are requested page by page. */
class Asked<T> {
  #known = new Map<number, T>();
  #asked = new Set<number>();
  readonly #ask: (numbers: Uint32Array) => Promise<readonly T[]>;
  readonly #count: () => number;
  /** Counts up when more is known. */
  readonly #news: Signal<number>;

  constructor(ask: (numbers: Uint32Array) => Promise<readonly T[]>, count: () => number, news: Signal<number>) {
    [this.#ask, this.#count, this.#news] = [ask, count, news];
  }

  /** The answer for a number, as soon as it is known. */
  at = (number: number): T | undefined => {
    this.#news.value;
    const [known, first] = [this.#known, number - (number % PAGE)];
    if (known.has(number) || this.#asked.has(first)) return known.get(number);
    const asked = this.#asked.add(first);
    this.#ask(Uint32Array.from({ length: Math.min(PAGE, this.#count() - first) }, (_, at) => first + at))
      .then((answers) => {
        if (known !== this.#known) return;
        answers.forEach((answer, at) => known.set(first + at, answer));
        this.#news.value++;
      })
      .catch(() => asked.delete(first));
    return undefined;
  };

  forget(): void {
    [this.#known, this.#asked] = [new Map(), new Set()];
  }
}

const rows = new Asked<Row | null>((numbers) => client.call("rows", [0, numbers]), () => file.value?.about.rows ?? 0, rowsKnown);
const nodes = new Asked<NodeOfTree | null>((numbers) => client.call("nodeTexts", [0, numbers]), () => instances.value?.count ?? 0, instancesKnown);

/** The row of the list with this number, and the node of the tree of instances, as soon as they are known. */
export const [rowAt, nodeTextAt] = [rows.at, nodes.at];

/** Clears what is known of rows and instances, because it may have changed. */
export function forgetRows(): void {
  rows.forget();
  nodes.forget();
}

/** The texts of a field, as soon as they are known. */
export function textAt(number: number): NodeText | undefined {
  treeKnown.value;
  const model = tree.value;
  const first = number - (number % PAGE);
  if (model === null || model.texts[number] !== undefined || model.asked.has(first)) return model?.texts[number];
  model.asked.add(first);
  client
    .call("texts", [first, first + PAGE])
    .then((texts) => {
      if (tree.value !== model) return;
      texts.forEach((text, at) => (model.texts[first + at] = text));
      treeKnown.value++;
    })
    .catch(() => model.asked.delete(first));
  return undefined;
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
