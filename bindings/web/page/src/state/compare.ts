/** Compares the open file with another one. */

import { batch, effect } from "@preact/signals";
import { client, Stopped } from "../client";
import { keepOther } from "../kept";
import type { Difference } from "../protocol";
import { link } from "./address";
import { selectInstance, selectPath } from "./select";
import { aside, changes, compared, file, other, panel, view } from "./shown";
import { OTHER } from "./steps";
import { areAllSet } from "./typed";
import { doing, problem, saveAs, text } from "./work";

/** The word for each sign. */
export const DIFFERENT = { "-": "removed", "+": "added", "~": "changed" } as const;
/** Compares the file with itself as it was opened. */
export async function compareOriginal(): Promise<void> {
  const current = file.value;
  if (current !== null) await openOther(new File([current.source], `${current.name} as it was opened`), current.kind);
}

/** Opens the file to compare with, as the format `kind` if it is the original. */
export async function openOther(chosen: File, kind: string | null = null): Promise<void> {
  const current = file.value;
  if (current === null || !(await areAllSet("The files were not compared"))) return;
  const isBefore = kind !== null || isOlder(chosen, current.source);
  const done = await doing(`Reading ${chosen.name}`, async () => {
    const bytes = new Uint8Array(await chosen.arrayBuffer());
    const opened = await client.call("open", [OTHER, bytes, kind, current.secret], [bytes.buffer]).catch(async (error: unknown) => {
      if (error instanceof Stopped) throw error;
      const again = new Uint8Array(await chosen.arrayBuffer());
      return client.call("open", [OTHER, again, current.kind, current.secret], [again.buffer]);
    });
    return { opened, compared: await client.call("compare", isBefore ? [OTHER, 0] : [0, OTHER]) };
  });
  if (done === null) return;
  if (aside.value === null) keepOther(kind === null ? { name: chosen.name, source: chosen } : null);
  batch(() => {
    other.value = { name: chosen.name === current.name ? `the other ${chosen.name}` : chosen.name, source: chosen, opened: done.opened, isOriginal: kind !== null, isBefore };
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

/** True if a file was changed before another, as far as it is known. */
const isOlder = (one: Blob, than: Blob): boolean => one instanceof File && than instanceof File && one.lastModified < than.lastModified;

/** The side of the open file in a pair: the second, if the other one is its original, or older. */
export const own = (): 0 | 1 => (other.value?.isBefore === true ? 1 : 0);

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
  await selectPath(number, path);
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
