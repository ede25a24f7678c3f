/** Searches in the value that is shown: keys, texts and numbers. */

import { effect, signal } from "@preact/signals";
import { client } from "../client";
import { selectPath } from "./select";
import { paths, row, selected, sought } from "./shown";

/** The most that is found. */
const MOST = 10_000;

/** The paths of what was found, in their order; `null` while it is searched. */
export const places = signal<readonly string[] | null>([]);

let waiting: ReturnType<typeof setTimeout> | undefined;

// again, after a change or in another value
effect(() => {
  const [now, wanted] = [selected.value, sought.value];
  clearTimeout(waiting);
  places.value = now === null || wanted === "" ? [] : null;
  if (now === null || wanted === "") return;
  waiting = setTimeout(async () => {
    const found = await client.call("search", [0, now.row, wanted, MOST]).catch(() => []);
    if (selected.value === now && sought.value === wanted) places.value = found.map(([, path]) => path);
  }, 150);
});

/** Shows the next value that was found, or the one before; after the last, the first. */
export async function seek(step: 1 | -1): Promise<void> {
  const found = places.value ?? [];
  const at = found.indexOf(paths.value[1] ?? "");
  const next = found[at < 0 && step < 0 ? found.length - 1 : (at + step + found.length) % found.length];
  if (next !== undefined) await selectPath(row.value, next);
}
