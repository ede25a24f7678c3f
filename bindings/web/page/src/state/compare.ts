/** Compares the open file with another one. */

import { batch, effect } from "@preact/signals";
import { client, Stopped } from "../client";
import { keepOther } from "../kept";
import type { Difference } from "../protocol";
import { link } from "./address";
import { openFile } from "./open";
import { select, selectInstance, selectNode } from "./select";
import { aside, changes, compared, file, instances, other, panel, view } from "./shown";
import { OTHER } from "./steps";
import { areAllSet } from "./typed";
import { doing, problem, saveAs, text } from "./work";

/** The word for each sign. */
export const DIFFERENT = { "-": "removed", "+": "added", "~": "changed" } as const;
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
