/** The address of what is shown, and its places in the history of the browser. */

import { effect, untracked } from "@preact/signals";
import type { Kept, Step } from "../kept";
import { file, instance, isNarrow, node, type OpenFile, type Panel, panel, row, spec, type View, view } from "./shown";

export interface Wanted {
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
  /** Its changes, which are made again. */
  readonly steps?: readonly Step[];
}

/** The view that is shown: the start page, or a view of a file. */
export interface Place {
  readonly number: number;
  readonly view: View;
  readonly spec: string | null;
  /** The part of the view that is shown, where there is room for one only. */
  readonly panel: Panel | null;
}

/** The present entry in the history of the browser: its place, its hash, and the number of places that are about to be shown and have theirs already. */
export const entry: { place: Place | null; hash: string; moving: number } = { place: null, hash: "", moving: 0 };
/** The files of the entries in the history of the browser. */
export const known = new Map<number, OpenFile>();

/** Writes the place into the history: a new one as a new entry. */
export function remember(hash: string): void {
  const current = file.value;
  if (current !== null) known.set(current.number, current);
  for (const number of known.keys()) if (known.size > 8) known.delete(number);
  const shown = current === null || view.value === "compare" || view.value === "files" || !isNarrow.value ? null : panel.value;
  const now: Place = { number: current?.number ?? 0, view: view.value, spec: view.value === "how" ? spec.value : null, panel: shown };
  const isNew = entry.place !== null && entry.moving === 0 && JSON.stringify(entry.place) !== JSON.stringify(now);
  [entry.place, entry.hash] = [now, hash];
  history[isNew ? "pushState" : "replaceState"](now, "", hash === "" ? location.href.replace(/#.*$/, "") : hash);
}

effect(() => {
  panel.value;
  untracked(link);
});

/** Writes what is shown into the address. */
export function link(): void {
  const current = file.value;
  if (view.value === "compare" || view.value === "files") return remember(entry.hash);
  if (current === null) return;
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

/** The view of its file that a link opens. */
export function wantedOf(parts: URLSearchParams): Wanted {
  const number = (name: string): number | undefined => {
    const text = parts.get(name);
    return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  };
  return { kind: parts.get("format"), row: number("row") ?? 0, node: number("field") ?? null, instance: number("instance") };
}
