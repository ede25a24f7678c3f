/** Chooses an instance, a row and a field of it. */

import { batch, computed } from "@preact/signals";
import { client, Stopped } from "../client";
import { LONG, TreeModel, ValueTable } from "../tree";
import { link } from "./address";
import { forgetRows } from "./rows";
import { byte, changes, file, instance, instances, instancesKnown, isComing, isUnsaved, kept, node, paths, properties, row, rowsKnown, search, selected, sought, tagProblem, tags, tree, treeKnown, value, valueProblem, wantsFocus } from "./shown";
import { changing } from "./steps";
import { applyTyped } from "./typed";
import { problem, text } from "./work";

let latestTable: ValueTable | null = null;
/** The values in the tree. */
export const table = computed(() => (latestTable = tree.value === null ? null : new ValueTable(tree.value, latestTable)));

/** Reads again what is shown of the file. */
export async function showAgain(): Promise<void> {
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

/** Counts up whenever another row is chosen. */
export let latestRow = 0;
/** Counts up whenever another field is chosen, and when the fields are those of another row. */
export let latest = 0;

/** Notes that another row was chosen: the value that is still shown, and answers that still come, belong to the old one. */
export function goOn(): number {
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

/** Shows the values inside a value that is folded, or those along a path. */
export async function unfold(at: number | string): Promise<void> {
  const [model, now] = [tree.value, selected.value];
  if (model === null || now === null) return;
  try {
    const found = await client.call("unfold", [at]);
    const later = new TreeModel(found, model);
    if (tree.value !== model || selected.value !== now || later.count === model.count) return;
    const there = new Map<number, number>();
    model.eachIn(later, (node, place) => there.set(node, place));
    batch(() => {
      tree.value = later;
      node.value = there.get(node.value ?? -1) ?? node.value;
      treeKnown.value++;
    });
    const unfolded = typeof at === "number" ? (there.get(at) ?? null) : null;
    if (unfolded === null) return;
    later.setOpen(unfolded, true);
    table.value?.open(unfolded);
    treeKnown.value++;
  } catch (error) {
    if (!(error instanceof Stopped)) problem.value = text(error);
  }
}

/** Shows the value at a path in a row. */
export async function selectPath(number: number, path: string): Promise<void> {
  const of = instances.value === null ? null : await client.call("nodeOf", [0, number]);
  if (of !== null) await selectInstance(of[0], number);
  else if (number !== row.value || selected.value === null) await select(number);
  const asked = (): Promise<number | null> => client.call("nodeAt", [path]).catch(() => null);
  let at = await asked();
  if (at === null) {
    await unfold(path);
    at = await asked();
  }
  if (at !== null) await selectNode(at);
}

/** The place in a text of what is searched, in the value or else in the list; -1 if it is not there, or if nothing is searched. */
export function foundIn(text: string): number {
  const wanted = (sought.value || search.value).toLowerCase();
  return wanted === "" ? -1 : text.toLowerCase().indexOf(wanted);
}

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

/** The row and field that are shown when a change begins. */
interface Shown {
  readonly row: number;
  readonly instance: number | null;
  readonly turn: number;
  readonly field: number;
}

export const shown = (): Shown => ({ row: row.value, instance: instance.value, turn: latestRow, field: latest });

/**
 * Shows a changed row again, with the value at `wanted`, or else the node with the number of the one selected before. If the user
 * has gone on to another row or field since the change began, that one stays.
 */
export async function changed(number: number, since: Shown, wanted: string | null = paths.value[1]): Promise<void> {
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
